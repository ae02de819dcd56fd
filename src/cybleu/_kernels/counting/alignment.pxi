# Alignments of two texts: longest common subsequences, as ROUGE-L counts them, and Levenshtein distances, as the word
# error rate does.
#
# A machine word holds 64 rows of the table of an alignment, one bit for each token of the first text, and the table is
# computed column by column (Hyyro 2003 and 2004). A text of more tokens is several strips of 64 rows. Of each column a
# strip leaves what the strip below it starts from, which is one byte.

cdef extern from "counting/alignment.h":
    ctypedef struct Column "cybleu_column":
        uint64_t raised
        uint64_t lowered
    uint8_t next_common "cybleu_next_common" (Column *column, uint64_t matches, uint8_t carried) noexcept nogil
    uint8_t next_distance "cybleu_next_distance" (Column *column, uint64_t matches, uint8_t above,
                                                  int last) noexcept nogil


cdef enum:
    STRIP = 64              # rows, one for each bit of a machine word
    RAISED = 1              # the distance grows by one from this column to the next, in the last row of the strip above
    MOST_STRIP_WORDS = 0x10000000   # of the strips that are kept to walk through a table: 2 GB
    LANES = 4               # alignments at once
    ROWS_TOGETHER = 8       # texts whose scores are written together


# Tokens that two texts do not share are -1. So that this needs no branch, index 0 of arrays by token belongs to it.
cdef struct Aligner:
    uint64_t *masks         # by token: its positions in the strip; zero between two strips
    Py_ssize_t tokens       # entries of `masks`
    int32_t *left           # by token: occurrences in the hypothesis that no match has taken; zero between two segments
    Buffer carried          # by column
    Buffer strips           # by strip and column
    Buffer union_           # by token of a line: whether one of the subsequences has it
    SegmentWorkspace work


cdef void make_aligner(Aligner *aligner) noexcept nogil:
    aligner.masks = NULL
    aligner.left = NULL
    aligner.tokens = 0
    aligner.carried = aligner.strips = aligner.union_ = Buffer(NULL, 0)
    make_workspace(&aligner.work)


cdef int reserve_masks(Aligner *aligner, Py_ssize_t tokens) except -1 nogil:
    """Allocate arrays for tokens from -1 to before this number."""
    if tokens >= aligner.tokens:
        free(aligner.masks)
        free(aligner.left)
        aligner.masks = NULL
        aligner.left = NULL
        aligner.tokens = 2 * tokens + 64
        aligner.masks = <uint64_t *>new_zeros(aligner.tokens, sizeof(uint64_t))
        aligner.left = <int32_t *>new_zeros(aligner.tokens, sizeof(int32_t))
    return 0


cdef void free_aligner(Aligner *aligner) noexcept nogil:
    free(aligner.masks)
    free(aligner.left)
    free_buffer(&aligner.carried)
    free_buffer(&aligner.strips)
    free_buffer(&aligner.union_)
    end_workspace(&aligner.work)


cdef Py_ssize_t token_count(TokenTexts texts) except -1:
    """The largest token and one more."""
    cdef int32_t largest = -1
    cdef int32_t smallest = 0
    cdef Py_ssize_t i
    if texts.narrow is None:
        raise ValueError("the ids must have 32 bits")
    for i in range(texts.width):
        largest = max(largest, texts.narrow[i])
        smallest = min(smallest, texts.narrow[i])
    if smallest < -1:
        raise ValueError("an id is below -1")
    return <Py_ssize_t>largest + 1


cdef inline void mark_positions(uint64_t *masks, const int32_t *words, Py_ssize_t count) noexcept nogil:
    """Set the bits of the words of a strip, at most 64."""
    cdef Py_ssize_t i
    for i in range(count):
        masks[words[i] + 1] |= <uint64_t>1 << i
    masks[0] = 0


cdef inline void clear_positions(uint64_t *masks, const int32_t *words, Py_ssize_t count) noexcept nogil:
    cdef Py_ssize_t i
    for i in range(count):
        masks[words[i] + 1] = 0


# ----------------------------------------------------------------------------------------------------- both alignments

cdef inline Column first_column() noexcept nogil:
    return Column(~<uint64_t>0, 0)


cdef inline void advance(Column *column, const uint64_t *masks, const int32_t *words, Py_ssize_t first,
                         Py_ssize_t last, bint edits) noexcept nogil:
    """Go on by the words from `first` to before `last`, in a strip with no rows above it."""
    cdef Py_ssize_t j
    for j in range(first, last):
        if edits:
            next_distance(column, masks[words[j] + 1], RAISED, 0)
        else:
            next_common(column, masks[words[j] + 1], 0)


cdef inline Py_ssize_t raised_by(const Column *column, Py_ssize_t height) noexcept nogil:
    """How much more there is in the last of the rows, from 1 to 64, than in the one above them."""
    cdef uint64_t rows = ~<uint64_t>0 >> (STRIP - height)
    return cybleu_count_bits(column.raised & rows) - cybleu_count_bits(column.lowered & rows)


cdef inline Py_ssize_t result_of(Py_ssize_t raised, Py_ssize_t height, Py_ssize_t width, bint edits) noexcept nogil:
    """The edits or the common words, by what the rows of the last column add. The first row has all edits."""
    return width + raised if edits else height - raised


cdef inline Py_ssize_t align_strip(const uint64_t *masks, Py_ssize_t height, const int32_t *words, Py_ssize_t count,
                                   bint edits) noexcept nogil:
    """Align the marked strip and the words."""
    cdef Column column = first_column()
    advance(&column, masks, words, 0, count, edits)
    return result_of(raised_by(&column, height), height, count, edits)


cdef inline void align_with_first(const uint64_t *masks, Py_ssize_t height, TokenTexts others,
                                  const int64_t[::1] order, Py_ssize_t count, bint edits,
                                  int32_t *results) noexcept nogil:
    """Align the marked strip with the first of the others in this order, at least one.

    Several at once take hardly more time than one, because each column waits for the one before it.
    """
    cdef Column columns[LANES]
    cdef const int32_t *words[LANES]
    cdef Py_ssize_t places[LANES]
    cdef Py_ssize_t lengths[LANES]
    cdef Py_ssize_t k = 0
    cdef Py_ssize_t lane, shortest, j
    while k < count:
        shortest = others.longest
        for lane in range(LANES):
            places[lane] = <Py_ssize_t>order[min(k + lane, count - 1)]
            words[lane] = others.words(places[lane])
            lengths[lane] = others.length(places[lane])
            shortest = min(shortest, lengths[lane])
            columns[lane] = first_column()
        for j in range(shortest):
            for lane in range(LANES):
                advance(&columns[lane], masks, words[lane], j, j + 1, edits)
        for lane in range(LANES):
            advance(&columns[lane], masks, words[lane], shortest, lengths[lane], edits)
            results[places[lane]] = <int32_t>result_of(raised_by(&columns[lane], height), height, lengths[lane], edits)
        k += LANES


cdef Py_ssize_t align_strips(Aligner *aligner, const int32_t *rows, Py_ssize_t height, const int32_t *words,
                             Py_ssize_t width, bint edits, uint64_t *kept) except -1 nogil:
    """Align two texts of any length.

    :param kept: receives what is raised in each column, strip after strip; or NULL
    """
    cdef const uint64_t *masks = aligner.masks
    cdef Watch *watching = &aligner.work.hypothesis.watching
    cdef Py_ssize_t raised = 0
    cdef Column column
    cdef uint8_t *carried
    cdef Py_ssize_t start, size, first, j
    reserve(&aligner.carried, <uint64_t>width)
    carried = aligner.carried.data
    memset(carried, RAISED if edits else 0, <size_t>width)
    start = 0
    while start < height:
        size = min(<Py_ssize_t>STRIP, height - start)
        mark_positions(aligner.masks, rows + start, size)
        column = first_column()
        first = 0
        while first < width:
            for j in range(first, min(first + STEPS, width)):
                if edits:
                    carried[j] = next_distance(&column, masks[words[j] + 1], carried[j], <int>size - 1)
                else:
                    carried[j] = next_common(&column, masks[words[j] + 1], carried[j])
                if kept != NULL:
                    kept[start // STRIP * width + j] = column.raised
            first += STEPS
            watch_long(watching, width)
        raised += raised_by(&column, size)
        clear_positions(aligner.masks, rows + start, size)
        start += STRIP
        watch(watching, width + STRIP)
    return result_of(raised, height, width, edits)


cdef inline Py_ssize_t align_texts(Aligner *aligner, const int32_t *words, Py_ssize_t size, const int32_t *others,
                                   Py_ssize_t count, bint edits) except -1 nogil:
    """Return the fewest insertions, deletions and substitutions of words that turn one text into the other.

    :param edits: otherwise return the length of the longest common subsequence
    """
    cdef Py_ssize_t result
    if not 0 < size <= STRIP:
        return align_strips(aligner, words, size, others, count, edits, NULL)
    mark_positions(aligner.masks, words, size)
    result = align_strip(aligner.masks, size, others, count, edits)
    clear_positions(aligner.masks, words, size)
    watch(&aligner.work.hypothesis.watching, count + STRIP)
    return result


# ----------------------------------------------------------------------------------------------------- word error rates

cdef inline double rate_of(int64_t edits, int64_t words) noexcept nogil:
    """The rate of edits; without a word of the reference it is the number of edits."""
    return <double>edits / <double>max(words, 1)


cdef inline void keep_lowest(int64_t *row, int64_t edits, int64_t words, bint is_first) noexcept nogil:
    """Write the edits and the words of a reference if it is the first one, or has a lower rate."""
    if is_first or rate_of(edits, words) < rate_of(row[0], row[1]):
        row[0] = edits
        row[1] = words


def edit_distance_rows(Segments segments not None, Py_ssize_t start, Py_ssize_t stop, int64_t[:, ::1] rows):
    """Write the rows from `start` to before `stop`: the edits, and the words of the reference that they turn into.

    Of several references it is the one with the lowest rate, the first at a tie.
    """
    cdef Aligner aligner
    cdef const int32_t *words
    cdef Py_ssize_t i, k, size, edits
    segments.check(start, stop, rows.shape, 2)
    make_aligner(&aligner)
    try:
        with nogil:
            for i in range(start, stop):
                segments.number(&aligner.work, i)
                reserve_masks(&aligner, aligner.work.distinct)
                words = aligner.work.numbers.values
                for k in range(1, aligner.work.references + 1):
                    size = size_of(&aligner.work, k)
                    edits = align_texts(&aligner, words, size_of(&aligner.work, 0), words + aligner.work.starts[k],
                                        size, True)
                    keep_lowest(&rows[i, 0], edits, size, k == 1)
    finally:
        free_aligner(&aligner)


# ---------------------------------------------------------------------------------------------------------------- ROUGE

cdef struct Shares:
    double precision
    double recall
    double fmeasure


cdef inline Shares shares_of(int64_t matches, int64_t size, int64_t wanted) noexcept nogil:
    """Precision, recall and F-measure; 0 where there is nothing to divide by."""
    cdef double precision = <double>matches / <double>max(size, 1)
    cdef double recall = <double>matches / <double>max(wanted, 1)
    cdef double both = precision + recall
    return Shares(precision, recall, 2 * precision * recall / both if both > 0 else 0)


cdef inline void keep_best(double *row, int64_t matches, int64_t size, int64_t wanted, bint is_first) noexcept nogil:
    """Write the shares of a reference if it is the first one, or has a larger F-measure."""
    cdef Shares shares = shares_of(matches, size, wanted)
    if is_first or shares.fmeasure > row[2]:
        row[0] = shares.precision
        row[1] = shares.recall
        row[2] = shares.fmeasure


cdef int match_orders(Aligner *aligner, const int32_t *words, Py_ssize_t size, const int32_t *others,
                      Py_ssize_t count, Py_ssize_t max_order, int64_t *matches) except -1 nogil:
    """Write the clipped matches of each order."""
    cdef Py_ssize_t *starts = begin_segment(&aligner.work, 1)
    cdef int32_t *places = aligner.left     # by token: one more than its number among those of the hypothesis
    cdef int32_t *numbers
    cdef Py_ssize_t i
    aligner.work.distinct = 0
    starts[1] = size + 1
    starts[2] = size + count + 2
    reserve_ids(&aligner.work.numbers, starts[2])
    numbers = aligner.work.numbers.values
    aligner.work.numbers.count = starts[2]
    for i in range(size):
        if places[words[i] + 1] == 0:
            aligner.work.distinct += 1
            places[words[i] + 1] = aligner.work.distinct
        numbers[i] = places[words[i] + 1] - 1
    places[0] = 0
    for i in range(count):
        numbers[starts[1] + i] = places[others[i] + 1] - 1
    for i in range(size):
        places[words[i] + 1] = 0
    numbers[size] = numbers[starts[2] - 1] = -1
    clear_items(matches, max_order)
    match_texts(&aligner.work, max(size, count), max_order, matches)
    return watch(&aligner.work.hypothesis.watching, starts[2])


cdef int mark_common(Aligner *aligner, const int32_t *rows, Py_ssize_t height, const int32_t *words,
                     Py_ssize_t width) except -1 nogil:
    """Mark in `union_` the words of a line that its longest common subsequence with another line has.

    Of several subsequences it is the one that Google's rouge_score finds: from the end of the table it takes a match,
    goes one word back in the other line where that is longer than one word back in this one, and else in this one.
    """
    cdef uint64_t *strips
    cdef uint8_t *union_ = aligner.union_.data
    cdef Py_ssize_t i = height
    cdef Py_ssize_t j = width
    if <uint64_t>width * (<uint64_t>height // STRIP + 1) > MOST_STRIP_WORDS:
        with gil:
            raise MemoryError(f"lines of {height} and {width} words are too long for ROUGE-Lsum")
    reserve(&aligner.strips, <uint64_t>width * (<uint64_t>height // STRIP + 1) * sizeof(uint64_t))
    strips = <uint64_t *>aligner.strips.data
    align_strips(aligner, rows, height, words, width, False, strips)
    watch(&aligner.work.hypothesis.watching, height + width)
    while i > 0 and j > 0:
        if rows[i - 1] == words[j - 1] and words[j - 1] >= 0:
            i -= 1
            j -= 1
            union_[i] = 1
        # the cell above is one less than this one, which is the one on the left, because the words differ
        elif not strips[(i - 1) // STRIP * width + j - 1] >> ((i - 1) % STRIP) & 1:
            j -= 1
        else:
            i -= 1
    return 0


cdef inline const int32_t *words_of_lines(TokenTexts lines, const int64_t[::1] bounds, Py_ssize_t text,
                                          Py_ssize_t *count) noexcept nogil:
    """The words of all lines of a text, which follow each other."""
    cdef int64_t first = bounds[text]
    cdef int64_t last = bounds[text + 1]
    count[0] = <Py_ssize_t>(lines.stops[last - 1] - lines.starts[first]) if first < last else 0
    return &lines.narrow[lines.starts[first]] if count[0] else &NO_WORD


cdef int64_t union_matches(Aligner *aligner, TokenTexts lines, const int64_t[::1] bounds, Py_ssize_t text,
                           TokenTexts others, const int64_t[::1] other_bounds, Py_ssize_t other) except -1 nogil:
    """The matches of the lines of a reference with those of another text, each word of which counts once."""
    cdef int64_t matches = 0
    cdef int32_t *left = aligner.left
    cdef Py_ssize_t count = 0
    cdef const int32_t *all_others = words_of_lines(others, other_bounds, other, &count)
    cdef const int32_t *words
    cdef Py_ssize_t k, m, i
    for i in range(count):
        left[all_others[i] + 1] += 1
    left[0] = 0
    for k in range(<Py_ssize_t>bounds[text], <Py_ssize_t>bounds[text + 1]):
        reserve(&aligner.union_, <uint64_t>lines.length(k))
        clear_items(aligner.union_.data, lines.length(k))
        words = lines.words(k)
        for m in range(<Py_ssize_t>other_bounds[other], <Py_ssize_t>other_bounds[other + 1]):
            mark_common(aligner, words, lines.length(k), others.words(m), others.length(m))
        for i in range(lines.length(k)):
            if aligner.union_.data[i] and left[words[i] + 1] > 0:
                left[words[i] + 1] -= 1
                matches += 1
    for i in range(count):
        left[all_others[i] + 1] = 0
    return matches


cdef int check_lines(TokenTexts lines, const int64_t[::1] bounds) except -1:
    """Check that texts have these lines, each of which ends where the next one of its text begins."""
    cdef Py_ssize_t i, k
    check_offsets(bounds, lines.size, 0)
    for i in range(bounds.shape[0] - 1):
        for k in range(<Py_ssize_t>bounds[i] + 1, <Py_ssize_t>bounds[i + 1]):
            if lines.starts[k] != lines.stops[k - 1]:
                raise ValueError("the lines of a text do not follow each other")
    return 0


def rouge_rows(TokenTexts hypotheses not None, const int64_t[::1] hypothesis_lines, TokenTexts references not None,
               const int64_t[::1] reference_lines, const int64_t[::1] sets, const int64_t[::1] owners,
               const int64_t[::1] kinds, Py_ssize_t start, Py_ssize_t stop, double[:, ::1] rows):
    """Write the rows of ROUGE from `start` to before `stop`: for each kind precision, recall, F-measure and 1.

    :param hypotheses: lines of words: equal words have equal ids, int32
    :param hypothesis_lines: where the lines of each hypothesis begin, and the end
    :param references: the same; words that the hypotheses do not have may be -1
    :param reference_lines: the same of each reference
    :param sets: where the references of each set begin, and the end
    :param owners: for each hypothesis the index of its set; None if each has its own
    :param kinds: for n-grams their order, 0 for ROUGE-L, -1 for ROUGE-Lsum
    """
    cdef Aligner aligner
    cdef Py_ssize_t hypothesis_count = hypothesis_lines.shape[0] - 1
    cdef const int32_t *words
    cdef const int32_t *others
    cdef Py_ssize_t i, k, first, size, wanted, kind, shorter
    cdef Py_ssize_t max_order = 0
    cdef int64_t of_orders[MAX_ORDER]
    cdef int64_t matches
    check_lines(hypotheses, hypothesis_lines)
    check_lines(references, reference_lines)
    check_range(start, stop, hypothesis_count)
    check_rows(rows.shape, hypothesis_count, 4 * kinds.shape[0])
    check_sets(start, stop, reference_lines.shape[0] - 1, sets, owners)
    for kind in range(kinds.shape[0]):
        if not -1 <= kinds[kind] <= MAX_ORDER:
            raise ValueError("a kind is out of range")
        max_order = max(max_order, <Py_ssize_t>kinds[kind])
    make_aligner(&aligner)
    try:
        reserve_masks(&aligner, max(token_count(hypotheses), token_count(references)))
        with nogil:
            for i in range(start, stop):
                words = words_of_lines(hypotheses, hypothesis_lines, i, &size)
                first = first_of(sets, owners, i)
                for k in range(first, end_of(sets, owners, i)):
                    others = words_of_lines(references, reference_lines, k, &wanted)
                    if max_order > 0:
                        match_orders(&aligner, words, size, others, wanted, max_order, of_orders)
                    for kind in range(kinds.shape[0]):
                        shorter = max(<Py_ssize_t>kinds[kind] - 1, 0)   # how much fewer n-grams there are than words
                        if kinds[kind] > 0:
                            matches = of_orders[kinds[kind] - 1]
                        elif kinds[kind] == 0:
                            matches = align_texts(&aligner, words, size, others, wanted, False)
                        else:
                            matches = union_matches(&aligner, references, reference_lines, k, hypotheses,
                                                    hypothesis_lines, i)
                        keep_best(&rows[i, 4 * kind], matches, size - shorter, wanted - shorter, k == first)
                for kind in range(kinds.shape[0]):
                    rows[i, 4 * kind + 3] = 1
    finally:
        free_aligner(&aligner)


# ---------------------------------------------------------------------------------------------------------------- pairs

cdef int align_text(Aligner *aligner, const int32_t *words, Py_ssize_t size, TokenTexts others,
                    const int64_t[::1] order, Py_ssize_t count, bint edits, int32_t *results) except -1 nogil:
    """Write the edits or the common words of a text and each of the first others in this order."""
    cdef Py_ssize_t k, other
    if not 0 < size <= STRIP:
        for k in range(count):
            other = <Py_ssize_t>order[k]
            results[other] = <int32_t>align_texts(aligner, others.words(other), others.length(other), words, size,
                                                  edits)
        return 0
    mark_positions(aligner.masks, words, size)
    if edits:   # a constant, with which the compiler makes the loops of each
        align_with_first(aligner.masks, size, others, order, count, True, results)
    else:
        align_with_first(aligner.masks, size, others, order, count, False, results)
    clear_positions(aligner.masks, words, size)
    watch(&aligner.work.hypothesis.watching, others.total)
    return 0


def fill_alignments(TokenTexts texts not None, TokenTexts others not None, const int64_t[::1] order, bint are_rates,
                    Py_ssize_t start, Py_ssize_t stop, double[:, ::1] scores):
    """Write the scores of the texts from `start` to before `stop` against each other text as their only reference.

    If both are the same object, one alignment serves the two scores of two texts. They are written with the longer
    text, because each word of the shorter one is a step.

    :param order: the others in the order of their lengths
    :param are_rates: whether scores are word error rates; otherwise they are F-measures of ROUGE-L
    """
    cdef Aligner aligner
    cdef bint are_same = others is texts
    cdef Py_ssize_t number = others.size
    cdef int32_t *ranks
    cdef int32_t *aligned
    cdef Py_ssize_t first, last, i, j, k, size, length
    cdef int32_t found
    check_rows(scores.shape, texts.size, number)
    if not 0 <= start <= stop <= texts.size or order.shape[0] != number:
        raise ValueError("the texts do not fit")
    make_aligner(&aligner)
    try:
        reserve_masks(&aligner, max(token_count(texts), token_count(others)))
        reserve(&aligner.strips, <uint64_t>(ROWS_TOGETHER + 1) * <uint64_t>number * sizeof(int32_t))
        ranks = <int32_t *>aligner.strips.data
        aligned = ranks + number
        clear_items(ranks, number)
        for k in range(number):
            if not 0 <= order[k] < number:
                raise ValueError("the order has no such text")
            ranks[order[k]] = <int32_t>k
        with nogil:
            first = start
            while first < stop:
                last = min(first + ROWS_TOGETHER, stop)
                for i in range(first, last):
                    align_text(&aligner, texts.words(i), texts.length(i), others, order,
                               ranks[i] + 1 if are_same else number, are_rates, aligned + (i - first) * number)
                # together, because scores below each other are in different cache lines
                for j in range(number):
                    length = others.length(j)
                    for i in range(first, last):
                        if are_same and ranks[j] > ranks[i]:
                            continue
                        size = texts.length(i)
                        found = aligned[(i - first) * number + j]
                        scores[i, j] = rate_of(found, length) if are_rates else shares_of(found, size, length).fmeasure
                        if are_same:
                            scores[j, i] = rate_of(found, size) if are_rates else scores[i, j]
                first = last
    finally:
        free_aligner(&aligner)
