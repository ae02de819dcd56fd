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
    uint64_t next_common "cybleu_next_common" (uint64_t column, uint64_t matches, uint8_t *carried) noexcept nogil
    uint8_t next_distance "cybleu_next_distance" (Column *column, uint64_t matches, uint8_t above,
                                                  int last) noexcept nogil


cdef enum:
    STRIP = 64              # rows, one for each bit of a machine word
    RAISED = 1              # the distance grows by one from this column to the next, in the last row of the strip above
    LOWERED = 2             # it falls by one
    MOST_STRIP_WORDS = 0x10000000   # of the strips that are kept to walk through a table: 2 GB


# Tokens that two texts do not share are -1. So that this needs no branch, index 0 of arrays by token belongs to it.
cdef struct Aligner:
    uint64_t *masks         # by token: its positions in the strip; zero between two strips
    Py_ssize_t tokens       # entries of `masks`
    int32_t *left           # by token: occurrences in the hypothesis that no match has taken; zero between two segments
    Buffer carried          # by column
    Buffer strips           # by strip and column
    Buffer union_           # by token of a line: whether one of the subsequences has it
    Watch watching


cdef void make_aligner(Aligner *aligner) noexcept nogil:
    memset(aligner, 0, sizeof(Aligner))
    aligner.watching = begin_watch()


cdef int reserve_masks(Aligner *aligner, Py_ssize_t tokens) except -1 nogil:
    """Allocate arrays for tokens from -1 to before this number."""
    if tokens >= aligner.tokens:
        free(aligner.masks)
        free(aligner.left)
        aligner.masks = NULL
        aligner.left = NULL
        aligner.tokens = 2 * tokens + 64
        aligner.masks = <uint64_t *>allocated(calloc(<size_t>aligner.tokens, sizeof(uint64_t)))
        aligner.left = <int32_t *>allocated(calloc(<size_t>aligner.tokens, sizeof(int32_t)))
    return 0


cdef void free_aligner(Aligner *aligner) noexcept nogil:
    free(aligner.masks)
    free(aligner.left)
    free_buffer(&aligner.carried)
    free_buffer(&aligner.strips)
    free_buffer(&aligner.union_)


cdef Py_ssize_t token_count(TokenTexts texts) except -1:
    """The largest token and one more."""
    cdef int32_t largest = -1
    cdef int32_t smallest = 0
    cdef Py_ssize_t i
    if texts.narrow is None:
        raise ValueError("the ids must have 32 bits")
    for i in range(texts.size):
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


# ------------------------------------------------------------------------------------------- longest common subsequence

cdef inline Py_ssize_t common_of_strip(const uint64_t *masks, const int32_t *words, Py_ssize_t count) noexcept nogil:
    """The length of the longest common subsequence of the marked strip and the words."""
    cdef uint64_t column = ~<uint64_t>0
    cdef uint8_t carried
    cdef Py_ssize_t j
    for j in range(count):
        carried = 0     # there are no rows above
        column = next_common(column, masks[words[j] + 1], &carried)
    return cybleu_count_bits(~column)


cdef Py_ssize_t common_of_strips(Aligner *aligner, const int32_t *rows, Py_ssize_t height, const int32_t *words,
                                 Py_ssize_t width, bint keeps) except -1 nogil:
    """The length of the longest common subsequence of two texts of any length.

    :param keeps: whether the columns stay in `strips`
    """
    cdef const uint64_t *masks = aligner.masks
    cdef Py_ssize_t length = 0
    cdef uint64_t column
    cdef uint64_t *kept = NULL
    cdef uint8_t *carried
    cdef Py_ssize_t start, size, first, j
    reserve(&aligner.carried, <uint64_t>width)
    carried = aligner.carried.data
    memset(carried, 0, <size_t>width)
    start = 0
    while start < height:
        size = min(<Py_ssize_t>STRIP, height - start)
        mark_positions(aligner.masks, rows + start, size)
        if keeps:
            kept = <uint64_t *>aligner.strips.data + start // STRIP * width
        column = ~<uint64_t>0
        first = 0
        while first < width:
            for j in range(first, min(first + STEPS, width)):
                column = next_common(column, masks[words[j] + 1], &carried[j])
                if keeps:
                    kept[j] = column
            first += STEPS
            watch_long(&aligner.watching, width)
        length += cybleu_count_bits(~column)
        clear_positions(aligner.masks, rows + start, size)
        start += STRIP
        watch(&aligner.watching, width + STRIP)
    return length


cdef Py_ssize_t common_length(Aligner *aligner, const int32_t *words, Py_ssize_t size, const int32_t *others,
                              Py_ssize_t count) except -1 nogil:
    cdef Py_ssize_t length
    if size > STRIP:
        return common_of_strips(aligner, words, size, others, count, False)
    mark_positions(aligner.masks, words, size)
    length = common_of_strip(aligner.masks, others, count)
    clear_positions(aligner.masks, words, size)
    watch(&aligner.watching, count + STRIP)
    return length


# ------------------------------------------------------------------------------------------------- Levenshtein distance

cdef inline Column first_column() noexcept nogil:
    return Column(~<uint64_t>0, 0)


cdef inline void advance(Column *column, uint64_t matches) noexcept nogil:
    """Go to the next column of a strip with no rows above it."""
    next_distance(column, matches, RAISED, 0)


cdef inline Py_ssize_t distance_below(const Column *column, Py_ssize_t height, Py_ssize_t count) noexcept nogil:
    """The distance in the last of the rows; above them it is the number of columns."""
    cdef uint64_t rows = ~<uint64_t>0 >> (STRIP - height)
    return count + cybleu_count_bits(column.raised & rows) - cybleu_count_bits(column.lowered & rows)


cdef inline Py_ssize_t distance_of_strip(const uint64_t *masks, Py_ssize_t height, const int32_t *words,
                                         Py_ssize_t count) noexcept nogil:
    """The distance of the marked strip, which has `height` words from 1 to 64, and the words."""
    cdef Column column = first_column()
    cdef Py_ssize_t j
    for j in range(count):
        advance(&column, masks[words[j] + 1])
    return distance_below(&column, height, count)


cdef void distances_of_strip(const uint64_t *masks, Py_ssize_t height, TokenTexts others, Py_ssize_t first,
                             Py_ssize_t *distances) noexcept nogil:
    """Write the distances of the marked strip and the others from the first on.

    Two at once take hardly more time than one, because each column waits for the one before it.
    """
    cdef const int32_t *words
    cdef const int32_t *more
    cdef Column column, another
    cdef Py_ssize_t count, size, j
    while first + 1 < others.count:
        words = others.words(first)
        more = others.words(first + 1)
        count = others.length(first)
        size = others.length(first + 1)
        column = another = first_column()
        for j in range(min(count, size)):
            advance(&column, masks[words[j] + 1])
            advance(&another, masks[more[j] + 1])
        for j in range(size, count):
            advance(&column, masks[words[j] + 1])
        for j in range(count, size):
            advance(&another, masks[more[j] + 1])
        distances[first] = distance_below(&column, height, count)
        distances[first + 1] = distance_below(&another, height, size)
        first += 2
    if first < others.count:
        distances[first] = distance_of_strip(masks, height, others.words(first), others.length(first))


cdef Py_ssize_t distance_of_strips(Aligner *aligner, const int32_t *rows, Py_ssize_t height, const int32_t *words,
                                   Py_ssize_t width) except -1 nogil:
    """The distance of two texts of any length, the first of at least one word."""
    cdef const uint64_t *masks = aligner.masks
    cdef Py_ssize_t edits = height
    cdef Column column
    cdef uint8_t *carried
    cdef Py_ssize_t start, size, first, j
    reserve(&aligner.carried, <uint64_t>width)
    carried = aligner.carried.data
    memset(carried, RAISED, <size_t>width)
    start = 0
    while start < height:
        size = min(<Py_ssize_t>STRIP, height - start)
        mark_positions(aligner.masks, rows + start, size)
        column = first_column()
        first = 0
        while first < width:
            for j in range(first, min(first + STEPS, width)):
                carried[j] = next_distance(&column, masks[words[j] + 1], carried[j], <int>size - 1)
            first += STEPS
            watch_long(&aligner.watching, width)
        clear_positions(aligner.masks, rows + start, size)
        start += STRIP
        watch(&aligner.watching, width + STRIP)
    for j in range(width):
        edits += (carried[j] & RAISED) - (carried[j] >> 1)
    return edits


cdef Py_ssize_t edit_distance(Aligner *aligner, const int32_t *words, Py_ssize_t size, const int32_t *others,
                              Py_ssize_t count) except -1 nogil:
    """The fewest insertions, deletions and substitutions of words that turn one text into the other."""
    cdef Py_ssize_t edits
    if size == 0:
        return count
    if size > STRIP:
        return distance_of_strips(aligner, words, size, others, count)
    mark_positions(aligner.masks, words, size)
    edits = distance_of_strip(aligner.masks, size, others, count)
    clear_positions(aligner.masks, words, size)
    watch(&aligner.watching, count + STRIP)
    return edits


cdef inline double rate_of(int64_t edits, int64_t words) noexcept nogil:
    """The rate of edits; without a word of the reference it is the number of edits."""
    return <double>edits / <double>max(words, 1)


cdef inline void keep_lowest(int64_t *row, int64_t edits, int64_t words, bint is_first) noexcept nogil:
    """Write the edits and the words of a reference if it is the first one, or has a lower rate."""
    if is_first or rate_of(edits, words) < rate_of(row[0], row[1]):
        row[0] = edits
        row[1] = words


def raw_edit_distance_rows(Tokenizer tokenizer not None, RawTexts hypotheses not None, RawTexts references not None,
                           const int64_t[::1] sets, const int64_t[::1] owners, Py_ssize_t start, Py_ssize_t stop,
                           int64_t[:, ::1] rows):
    """Write the rows of raw text, as `edit_distance_rows` does, numbering the words of each segment by themselves."""
    cdef Aligner aligner
    cdef SegmentWorkspace work
    cdef Py_ssize_t *starts
    cdef const int32_t *words
    cdef Py_ssize_t i, k, count, size, edits
    cdef int64_t first
    check_segments(hypotheses.count, references.count, sets, owners, start, stop)
    check_table(rows.shape[0], rows.shape[1], hypotheses.count, 2)
    make_aligner(&aligner)
    make_workspace(&work)
    try:
        with nogil:
            for i in range(start, stop):
                first = sets[i if owners is None else owners[i]]
                count = <Py_ssize_t>(sets[(i if owners is None else owners[i]) + 1] - first)
                number_segment(tokenizer, &work, &hypotheses.lines[i], &references.lines[first], count)
                words = work.numbers.values
                starts = <Py_ssize_t *>work.starts.data
                size = starts[1] - 1
                reserve_masks(&aligner, size)
                for k in range(1, count + 1):
                    edits = edit_distance(&aligner, words, size, words + starts[k], starts[k + 1] - starts[k] - 1)
                    keep_lowest(&rows[i, 0], edits, starts[k + 1] - starts[k] - 1, k == 1)
    finally:
        free_aligner(&aligner)
        end_workspace(&work)


def edit_distance_rows(TokenTexts hypotheses not None, TokenTexts references not None, const int64_t[::1] sets,
                       const int64_t[::1] owners, Py_ssize_t start, Py_ssize_t stop, int64_t[:, ::1] rows):
    """Write the rows from `start` to before `stop`: the edits, and the words of the reference that they turn into.

    Of several references it is the one with the lowest rate, the first at a tie.

    :param hypotheses: equal words have equal ids, int32
    :param references: the same; words that the hypotheses do not have may be -1
    :param sets: where the references of each set begin among the references, and the end
    :param owners: for each hypothesis the index of its set; None if each has its own
    """
    cdef Aligner aligner
    cdef Py_ssize_t i, k, edits, words
    cdef int64_t owner
    check_segments(hypotheses.count, references.count, sets, owners, start, stop)
    check_table(rows.shape[0], rows.shape[1], hypotheses.count, 2)
    make_aligner(&aligner)
    try:
        reserve_masks(&aligner, max(token_count(hypotheses), token_count(references)))
        with nogil:
            for i in range(start, stop):
                owner = i if owners is None else owners[i]
                for k in range(<Py_ssize_t>sets[owner], <Py_ssize_t>sets[owner + 1]):
                    words = references.length(k)
                    edits = edit_distance(&aligner, hypotheses.words(i), hypotheses.length(i), references.words(k),
                                          words)
                    keep_lowest(&rows[i, 0], edits, words, k == sets[owner])
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


cdef int64_t common_ngrams(Aligner *aligner, const int32_t *words, Py_ssize_t size, const int32_t *others,
                           Py_ssize_t count, Py_ssize_t order) except -1 nogil:
    """The clipped matches of one order."""
    cdef int64_t matches[MAX_ORDER]
    cdef Py_ssize_t bounds[3]
    cdef int32_t distinct = 0
    cdef int32_t *places = aligner.left     # by token: one more than its number among those of the hypothesis
    cdef int32_t *numbers
    cdef MaskMatcher matcher
    cdef Py_ssize_t i
    bounds[0], bounds[1], bounds[2] = 0, size + 1, size + count + 2
    reserve(&aligner.carried, <uint64_t>bounds[2] * sizeof(int32_t))
    numbers = <int32_t *>aligner.carried.data
    for i in range(size):
        if places[words[i] + 1] == 0:
            distinct += 1
            places[words[i] + 1] = distinct
        numbers[i] = places[words[i] + 1] - 1
    places[0] = 0
    for i in range(count):
        numbers[bounds[1] + i] = places[others[i] + 1] - 1
    for i in range(size):
        places[words[i] + 1] = 0
    numbers[size] = numbers[bounds[2] - 1] = -1
    memset(matches, 0, sizeof(matches))
    if max(size, count) <= MASK_BITS:
        begin_masks(&matcher, numbers, <int>size, distinct, order)
        add_reference_masks(&matcher, numbers + bounds[1], <int>count)
        finish_masks(&matcher, matches)
    else:
        reserve(&aligner.strips, match_memory(size, bounds[2], 2))
        match_ngrams(numbers, bounds, 2, order, aligner.strips.data, matches, &aligner.watching)
    watch(&aligner.watching, bounds[2])
    return matches[order - 1]


cdef int mark_common(Aligner *aligner, const int32_t *rows, Py_ssize_t height, const int32_t *words,
                     Py_ssize_t width) except -1 nogil:
    """Mark in `union_` the words of a line that its longest common subsequence with another line has.

    Of several subsequences it is the one that Google's rouge_score finds: from the end of the table it takes a match,
    goes one word back in the other line where that is longer than one word back in this one, and else in this one.
    """
    cdef const uint64_t *strips
    cdef uint8_t *union_ = aligner.union_.data
    cdef Py_ssize_t i = height
    cdef Py_ssize_t j = width
    if <uint64_t>width * (<uint64_t>height // STRIP + 1) > MOST_STRIP_WORDS:
        with gil:
            raise MemoryError(f"lines of {height} and {width} words are too long for ROUGE-Lsum")
    reserve(&aligner.strips, <uint64_t>width * (<uint64_t>height // STRIP + 1) * sizeof(uint64_t))
    common_of_strips(aligner, rows, height, words, width, True)
    strips = <const uint64_t *>aligner.strips.data
    watch(&aligner.watching, height + width)
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


cdef int64_t union_matches(Aligner *aligner, TokenTexts lines, Py_ssize_t first, Py_ssize_t last, TokenTexts others,
                           Py_ssize_t first_other, Py_ssize_t last_other) except -1 nogil:
    """The matches of the lines of a reference with those of a hypothesis, each word of which counts once."""
    cdef int64_t matches = 0
    cdef int32_t *left = aligner.left
    cdef const int32_t *words
    cdef Py_ssize_t k, other, i
    for other in range(first_other, last_other):
        words = others.words(other)
        for i in range(others.length(other)):
            left[words[i] + 1] += 1
    left[0] = 0
    for k in range(first, last):
        reserve(&aligner.union_, <uint64_t>lines.length(k))
        memset(aligner.union_.data, 0, <size_t>lines.length(k))
        for other in range(first_other, last_other):
            mark_common(aligner, lines.words(k), lines.length(k), others.words(other), others.length(other))
        words = lines.words(k)
        for i in range(lines.length(k)):
            if aligner.union_.data[i] and left[words[i] + 1] > 0:
                left[words[i] + 1] -= 1
                matches += 1
    for other in range(first_other, last_other):
        words = others.words(other)
        for i in range(others.length(other)):
            left[words[i] + 1] = 0
    return matches


cdef inline const int32_t *words_of_lines(TokenTexts lines, const int64_t[::1] bounds, Py_ssize_t text,
                                          Py_ssize_t *count) noexcept nogil:
    """The words of all lines of a text, which follow each other."""
    cdef int64_t first = bounds[text]
    cdef int64_t last = bounds[text + 1]
    count[0] = <Py_ssize_t>(lines.ends[last - 1] - lines.begins[first]) if first < last else 0
    return &lines.narrow[lines.begins[first]] if count[0] else &NO_WORD


cdef int check_lines(TokenTexts lines, const int64_t[::1] bounds) except -1:
    """Check that texts have these lines, each of which ends where the next one of its text begins."""
    cdef Py_ssize_t i, k
    check_offsets(bounds, lines.count, 0)
    for i in range(bounds.shape[0] - 1):
        for k in range(<Py_ssize_t>bounds[i] + 1, <Py_ssize_t>bounds[i + 1]):
            if lines.begins[k] != lines.ends[k - 1]:
                raise ValueError("the lines of a text do not follow each other")
    return 0


def rouge_rows(TokenTexts hypotheses not None, const int64_t[::1] hypothesis_lines, TokenTexts references not None,
               const int64_t[::1] reference_lines, const int64_t[::1] sets, const int64_t[::1] owners,
               const int64_t[::1] kinds, Py_ssize_t start, Py_ssize_t stop, double[:, ::1] rows):
    """Write the rows of ROUGE from `start` to before `stop`: for each kind precision, recall, F-measure and 1.

    The texts are lines of words; the other parameters are those of `edit_distance_rows`.

    :param hypothesis_lines: where the lines of each hypothesis begin, and the end
    :param reference_lines: the same of each reference
    :param kinds: for n-grams their order, 0 for ROUGE-L, -1 for ROUGE-Lsum
    """
    cdef Aligner aligner
    cdef Py_ssize_t hypothesis_count = hypothesis_lines.shape[0] - 1
    cdef const int32_t *words
    cdef const int32_t *others
    cdef Py_ssize_t i, k, size, wanted, kind, shorter
    cdef int64_t owner, matches
    check_lines(hypotheses, hypothesis_lines)
    check_lines(references, reference_lines)
    check_segments(hypothesis_count, reference_lines.shape[0] - 1, sets, owners, start, stop)
    check_table(rows.shape[0], rows.shape[1], hypothesis_count, 4 * kinds.shape[0])
    for kind in range(kinds.shape[0]):
        if not -1 <= kinds[kind] <= MAX_ORDER:
            raise ValueError("a kind is out of range")
    make_aligner(&aligner)
    try:
        reserve_masks(&aligner, max(token_count(hypotheses), token_count(references)))
        with nogil:
            for i in range(start, stop):
                owner = i if owners is None else owners[i]
                words = words_of_lines(hypotheses, hypothesis_lines, i, &size)
                for k in range(<Py_ssize_t>sets[owner], <Py_ssize_t>sets[owner + 1]):
                    others = words_of_lines(references, reference_lines, k, &wanted)
                    for kind in range(kinds.shape[0]):
                        shorter = max(<Py_ssize_t>kinds[kind] - 1, 0)   # how much fewer n-grams there are than words
                        if kinds[kind] > 0:
                            matches = common_ngrams(&aligner, words, size, others, wanted, <Py_ssize_t>kinds[kind])
                        elif kinds[kind] == 0:
                            matches = common_length(&aligner, words, size, others, wanted)
                        else:
                            matches = union_matches(&aligner, references, <Py_ssize_t>reference_lines[k],
                                                    <Py_ssize_t>reference_lines[k + 1], hypotheses,
                                                    <Py_ssize_t>hypothesis_lines[i],
                                                    <Py_ssize_t>hypothesis_lines[i + 1])
                        keep_best(&rows[i, 4 * kind], matches, size - shorter, wanted - shorter, k == sets[owner])
                for kind in range(kinds.shape[0]):
                    rows[i, 4 * kind + 3] = 1
    finally:
        free_aligner(&aligner)


cdef int check_table(Py_ssize_t height, Py_ssize_t width, Py_ssize_t segments, Py_ssize_t columns) except -1:
    if height != segments or width != columns:
        raise ValueError("the texts do not fit the rows")
    return 0


# ---------------------------------------------------------------------------------------------------------------- pairs

def fill_alignments(TokenTexts texts not None, TokenTexts others not None, bint are_rates, Py_ssize_t start,
                    Py_ssize_t stop, double[:, ::1] scores):
    """Write the scores of the texts from `start` to before `stop` against each other text as their only reference.

    If both are the same object, the scores of texts i and j are written together, because they have one alignment.

    :param are_rates: whether scores are word error rates; otherwise they are F-measures of ROUGE-L
    """
    cdef Aligner aligner
    cdef const int32_t *words
    cdef Py_ssize_t *aligned
    cdef Py_ssize_t i, j, size, first, count
    check_table(scores.shape[0], scores.shape[1], texts.count, others.count)
    if not 0 <= start <= stop <= texts.count:
        raise ValueError("the texts do not fit")
    make_aligner(&aligner)
    try:
        reserve_masks(&aligner, max(token_count(texts), token_count(others)))
        reserve(&aligner.strips, <uint64_t>others.count * sizeof(Py_ssize_t))
        aligned = <Py_ssize_t *>aligner.strips.data
        with nogil:
            for i in range(start, stop):
                words = texts.words(i)
                size = texts.length(i)
                first = i if others is texts else 0
                if 0 < size <= STRIP:
                    mark_positions(aligner.masks, words, size)
                    if are_rates:
                        distances_of_strip(aligner.masks, size, others, first, aligned)
                    else:
                        for j in range(first, others.count):
                            aligned[j] = common_of_strip(aligner.masks, others.words(j), others.length(j))
                    clear_positions(aligner.masks, words, size)
                    watch(&aligner.watching, others.total)
                elif are_rates:
                    for j in range(first, others.count):
                        aligned[j] = edit_distance(&aligner, words, size, others.words(j), others.length(j))
                else:
                    for j in range(first, others.count):
                        aligned[j] = common_length(&aligner, words, size, others.words(j), others.length(j))
                for j in range(first, others.count):
                    count = others.length(j)
                    scores[i, j] = (rate_of(aligned[j], count) if are_rates
                                    else shares_of(aligned[j], size, count).fmeasure)
                    if others is texts:
                        scores[j, i] = (rate_of(aligned[j], size) if are_rates
                                        else shares_of(aligned[j], count, size).fmeasure)
    finally:
        free_aligner(&aligner)
