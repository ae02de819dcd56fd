# Alignments of two texts: longest common subsequences, as ROUGE-L counts them, and Levenshtein distances, as the word
# error rate does.
#
# A machine word holds 64 rows of the table of an alignment, one bit for each token of the first text, and the table is
# computed column by column (`alignment.h`). A text of more tokens is several strips of 64 rows. Of each column a strip
# leaves what the strip below it starts from, which is one byte.

cdef extern from "counting/alignment.h":
    ctypedef struct Column "cybleu_column":
        uint64_t raised
        uint64_t lowered
    uint8_t next_common "cybleu_next_common" (Column *column, uint64_t matches, uint8_t carried) noexcept nogil
    uint8_t next_distance "cybleu_next_distance" (Column *column, uint64_t matches, uint8_t above,
                                                  int last) noexcept nogil


cdef enum:
    STRIP = 64              # rows, one for each bit of a machine word
    MOST_STRIP_WORDS = 0x10000000   # of the strips that are kept to walk through a table: 2 GB
    LANES = 3               # alignments at once
    ROWS_TOGETHER = 8       # texts whose scores are written together
    MARK = 0                # the number of the first token of the hypothesis, with which each line begins


# Tokens of one of the texts that the other one does not have may be -1, so arrays by token begin with it.
cdef struct Aligner:
    uint64_t *masks         # by token: its positions in the strip; zero between two strips
    int32_t *left           # by token: occurrences that no match has taken; zero between two references
    int32_t *places         # by token: one more than its new number; zero between two segments
    Py_ssize_t tokens       # entries of each of these
    Buffer carried          # by column
    Buffer strips           # by strip and column
    SegmentWorkspace work


cdef void make_aligner(Aligner *aligner) noexcept nogil:
    aligner.masks = NULL
    aligner.tokens = 0
    aligner.carried = aligner.strips = Buffer(NULL, 0)
    make_workspace(&aligner.work)


cdef int reserve_masks(Aligner *aligner, Py_ssize_t tokens) except -1 nogil:
    """Allocate arrays for tokens from -1 to before this number."""
    if tokens >= aligner.tokens:
        free(aligner.masks)
        aligner.masks = NULL
        aligner.tokens = 2 * tokens + 64
        aligner.masks = <uint64_t *>new_zeros(aligner.tokens, 2 * sizeof(uint64_t))
        aligner.left = <int32_t *>(aligner.masks + aligner.tokens)
        aligner.places = aligner.left + aligner.tokens
    return 0


cdef void free_aligner(Aligner *aligner) noexcept nogil:
    free(aligner.masks)
    free_buffer(&aligner.carried)
    free_buffer(&aligner.strips)
    end_workspace(&aligner.work)


cdef inline void mark_positions(uint64_t *masks, const int32_t *words, Py_ssize_t count) noexcept nogil:
    """Set the bits of the words of a strip, at most 64."""
    cdef Py_ssize_t i
    for i in range(count):
        masks[words[i] + 1] |= <uint64_t>1 << i


cdef inline void clear_positions(uint64_t *masks, const int32_t *words, Py_ssize_t count) noexcept nogil:
    cdef Py_ssize_t i
    for i in range(count):
        masks[words[i] + 1] = 0


# ----------------------------------------------------------------------------------------------------- both alignments

cdef inline uint8_t next_column(Column *column, uint64_t matches, uint8_t above, Py_ssize_t last,
                                bint edits) noexcept nogil:
    """Go on to the next column of the table of edits, or of common words."""
    return next_distance(column, matches, above, <int>last) if edits else next_common(column, matches, above)


cdef inline Py_ssize_t grown_by(const Column *column, Py_ssize_t height, bint edits) noexcept nogil:
    """Return how much more there is in the last of the rows, from 1 to 64, than in the one above them."""
    cdef uint64_t rows = ~<uint64_t>0 >> (STRIP - height)
    if edits:
        return cybleu_count_bits(column.raised & rows) - cybleu_count_bits(column.lowered & rows)
    return cybleu_count_bits(~column.raised & rows)


cdef Py_ssize_t align_texts(Aligner *aligner, const int32_t *rows, Py_ssize_t height, const int32_t *words,
                            Py_ssize_t width, bint edits, uint64_t *kept) except -1 nogil:
    """Return the fewest insertions, deletions and substitutions of words that turn one text into the other.

    :param edits: otherwise return the length of the longest common subsequence
    :param kept: receives what is raised in each column, strip after strip; or NULL
    """
    cdef const uint64_t *masks = aligner.masks
    cdef Watch *watching = &aligner.work.hypothesis.watching
    cdef Py_ssize_t found = edits * width       # of no rows
    cdef Column column
    cdef uint8_t *carried
    cdef Py_ssize_t start, size, first, last, j
    reserve(&aligner.carried, <uint64_t>width)
    carried = aligner.carried.data
    memset(carried, edits, <size_t>width)
    start = 0
    while start < height:
        size = min(<Py_ssize_t>STRIP, height - start)
        mark_positions(aligner.masks, rows + start, size)
        column = Column(~<uint64_t>0, 0)
        first = 0
        while first < width:
            last = block_end(first, width, watching)
            for j in range(first, last):
                carried[j] = next_column(&column, masks[words[j] + 1], carried[j], size - 1, edits)
                if kept != NULL:
                    kept[start // STRIP * width + j] = column.raised
            first = last
        found += grown_by(&column, size, edits)
        clear_positions(aligner.masks, rows + start, size)
        start += STRIP
        watch(watching, width + STRIP)
    return found


# ----------------------------------------------------------------------------------------------------- word error rates

cdef inline double rate_of(double count, int64_t words) noexcept nogil:
    """The rate of edits or of matches; without a word it is their number."""
    return count / <double>max(words, 1)


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
                reserve_masks(&aligner, size_of(&aligner.work, 0))
                words = aligner.work.numbers.values
                for k in range(1, aligner.work.references + 1):
                    size = size_of(&aligner.work, k)
                    edits = align_texts(&aligner, words, size_of(&aligner.work, 0), words + aligner.work.starts[k],
                                        size, True, NULL)
                    if k == 1 or rate_of(edits, size) < rate_of(rows[i, 0], rows[i, 1]):
                        rows[i, 0] = edits
                        rows[i, 1] = size
    finally:
        free_aligner(&aligner)


# ---------------------------------------------------------------------------------------------------------------- ROUGE

cdef inline double fmeasure_of(double precision, double recall) noexcept nogil:
    """The harmonic mean of precision and recall."""
    cdef double both = precision + recall
    return 2 * precision * recall / both if both > 0 else 0


cdef inline void keep_best(double *row, double precision, double recall, bint is_first) noexcept nogil:
    """Write precision, recall, F-measure and 1 of a reference if it is the first one, or has a larger F-measure."""
    cdef double fmeasure = fmeasure_of(precision, recall)
    if is_first or fmeasure > row[2]:
        row[0] = precision
        row[1] = recall
        row[2] = fmeasure
        row[3] = 1


cdef inline Py_ssize_t line_end(const int32_t *words, Py_ssize_t start, Py_ssize_t stop) noexcept nogil:
    """Return where a line that begins at `start` ends: at the next mark, or at the end of the text."""
    while start < stop and words[start] != MARK:
        start += 1
    return start


cdef int mark_common(Aligner *aligner, const int32_t *rows, Py_ssize_t height, const int32_t *words,
                     Py_ssize_t width, int32_t *common) except -1 nogil:
    """Set `common` where the longest common subsequence of a line with another line has a word of it.

    Of several subsequences it is the one that Google's rouge_score finds: from the end of the table it takes a match,
    goes one word back in the other line where that is longer than one word back in this one, and else in this one.
    """
    cdef uint64_t *strips
    cdef uint64_t strip_words = <uint64_t>width * (<uint64_t>height // STRIP + 1)
    cdef Py_ssize_t i = height
    cdef Py_ssize_t j = width
    if strip_words > MOST_STRIP_WORDS:
        with gil:
            raise MemoryError(f"lines of {height} and {width} words are too long for ROUGE-Lsum")
    reserve(&aligner.strips, strip_words * sizeof(uint64_t))
    strips = <uint64_t *>aligner.strips.data
    align_texts(aligner, rows, height, words, width, False, strips)
    watch(&aligner.work.hypothesis.watching, height + width)
    while i > 0 and j > 0:
        if rows[i - 1] == words[j - 1]:
            i -= 1
            j -= 1
            common[i] = 1
        # the cell above is one less than this one, which is the one on the left, because the words differ
        elif not strips[(i - 1) // STRIP * width + j - 1] >> ((i - 1) % STRIP) & 1:
            j -= 1
        else:
            i -= 1
    return 0


cdef int64_t union_matches(Aligner *aligner, const int32_t *reference, Py_ssize_t size, const int32_t *hypothesis,
                           Py_ssize_t count, int32_t *common) except -1 nogil:
    """The matches of the lines of a reference with those of the hypothesis, each word of which counts once.

    :param common: memory for a number for each word of the reference
    """
    cdef int64_t matches = 0
    cdef int32_t *left = aligner.left
    cdef Py_ssize_t start = 0
    cdef Py_ssize_t stop, place, end, i
    count_tokens(hypothesis, count, left)
    clear_items(common, size)
    while start < size:
        start += 1
        stop = line_end(reference, start, size)
        place = 0
        while place < count:
            place += 1
            end = line_end(hypothesis, place, count)
            mark_common(aligner, reference + start, stop - start, hypothesis + place, end - place, common + start)
            place = end
        start = stop
    for i in range(size):
        if common[i] and left[reference[i] + 1] > 0:
            left[reference[i] + 1] -= 1
            matches += 1
    clear_items(left, count + 1)
    return matches


cdef inline Py_ssize_t take_words(const int32_t *marked, Py_ssize_t size, int32_t *places, bint adds,
                                  int32_t *words) noexcept nogil:
    """Write a text without its marks, and -1, and return its length.

    The new numbers of words are less than the length of the hypothesis without marks, because n-grams require that.

    :param places: by word, one more than its new number, the first place where the hypothesis has it; with `adds` it is
        written
    """
    cdef Py_ssize_t count = 0
    cdef Py_ssize_t i
    for i in range(size):
        if marked[i] == MARK:
            continue
        if adds and places[marked[i] + 1] == 0:
            places[marked[i] + 1] = <int32_t>count + 1
        words[count] = places[marked[i] + 1] - 1
        count += 1
    words[count] = -1
    return count


cdef int count_rouge(Aligner *aligner, const int64_t[::1] kinds, Py_ssize_t max_order, bint in_lines,
                     double *row) except -1 nogil:
    """Write the row of a segment."""
    cdef SegmentWorkspace *work = &aligner.work
    cdef Py_ssize_t references = work.references
    cdef Py_ssize_t total = work.numbers.count
    cdef Py_ssize_t begin = work.starts[1]
    cdef Py_ssize_t length = size_of(work, 0)       # with marks
    cdef Py_ssize_t size = length
    cdef int32_t *words
    cdef int32_t *others
    cdef int32_t *marked
    cdef Py_ssize_t wanted, k, kind, shorter
    cdef int64_t found
    cdef int64_t matches[2 + MAX_ORDER]     # by kind, from -1 on
    reserve_ids(&work.numbers, total if in_lines else 0)
    words = work.numbers.values
    marked = words + total
    if in_lines:
        copy_items(marked, words, total)
        size = take_words(marked, length, aligner.places, True, words)
        work.distinct -= 1
    # each reference in its turn moves to behind the hypothesis, so that the two are a segment
    others = words + size + 1
    work.starts[1] = size + 1
    work.references = 1
    for k in range(references):
        wanted = work.starts[k + 2] - begin - 1
        clear_items(matches, 2 + MAX_ORDER)
        if in_lines:
            matches[0] = union_matches(aligner, marked + begin, wanted, marked, length, others)
            wanted = take_words(marked + begin, wanted, aligner.places, False, others)
        elif k > 0:
            memmove(others, words + begin, <size_t>(wanted + 1) * sizeof(int32_t))
        begin = work.starts[k + 2]
        work.numbers.count = work.starts[2] = size + wanted + 2
        if max_order > 0:
            match_texts(work, max(size, wanted), max_order, matches + 2)
        for kind in range(kinds.shape[0]):
            shorter = max(<Py_ssize_t>kinds[kind] - 1, 0)   # how much fewer n-grams there are than words
            if kinds[kind] == 0:
                matches[1] = align_texts(aligner, words, size, others, wanted, False, NULL)
            found = matches[1 + kinds[kind]]
            keep_best(row + 4 * kind, rate_of(found, size - shorter), rate_of(found, wanted - shorter), k == 0)
        watch(&work.hypothesis.watching, size + wanted)
    clear_items(aligner.places, length + 1)
    return 0


def rouge_rows(Segments segments not None, const int64_t[::1] kinds, Py_ssize_t start, Py_ssize_t stop,
               double[:, ::1] rows):
    """Write the rows of ROUGE from `start` to before `stop`: for each kind precision, recall, F-measure and 1.

    :param segments: if -1 is one of the kinds, a mark begins each line: the token that the hypothesis begins with
    :param kinds: for n-grams their order, 0 for ROUGE-L, -1 for ROUGE-Lsum
    """
    cdef Aligner aligner
    cdef Py_ssize_t max_order = 0
    cdef bint in_lines = False
    cdef Py_ssize_t i, kind
    segments.check(start, stop, rows.shape, 4 * kinds.shape[0])
    for kind in range(kinds.shape[0]):
        if not -1 <= kinds[kind] <= MAX_ORDER:
            raise ValueError("a kind is out of range")
        max_order = max(max_order, <Py_ssize_t>kinds[kind])
        in_lines |= kinds[kind] < 0
    make_aligner(&aligner)
    try:
        with nogil:
            for i in range(start, stop):
                segments.number(&aligner.work, i)
                reserve_masks(&aligner, size_of(&aligner.work, 0))
                count_rouge(&aligner, kinds, max_order, in_lines, &rows[i, 0])
    finally:
        free_aligner(&aligner)


# ---------------------------------------------------------------------------------------------------------------- pairs
@cython.final
cdef class Alignments:
    """Texts prepared to be aligned with each of several others. Immutable.

    If both are the same object, one alignment serves the two scores of two texts. It is made with the longer text as
    rows, because each word of the shorter one is a step.

    :param order: the others in the order of their lengths
    """

    cdef TokenTexts texts
    cdef TokenTexts others
    cdef KeyTable tokens        # token of the others -> its number
    cdef int32_t *numbers       # of the others, by place in their ids
    cdef int32_t distinct       # tokens
    cdef const int64_t[::1] order
    cdef int32_t *ranks         # of the others in this order

    def __cinit__(self, TokenTexts texts not None, TokenTexts others not None, const int64_t[::1] order not None):
        cdef Watch watching = begin_watch()
        cdef Py_ssize_t k
        self.texts, self.others, self.order = texts, others, order
        if order.shape[0] != others.size:
            raise ValueError("the order does not fit the texts")
        if others.total > MOST_NGRAMS:
            raise MemoryError("the texts have too many tokens")
        self.numbers = <int32_t *>new_zeros(others.width + others.size, sizeof(int32_t))
        self.ranks = self.numbers + others.width
        for k in range(others.size):
            if not 0 <= order[k] < others.size:
                raise ValueError("the order has no such text")
            self.ranks[order[k]] = <int32_t>k
        make_keys(&self.tokens, others.total, &watching)
        with nogil:
            self.distinct = number_all(&self.tokens, others, self.numbers, &watching)

    def __dealloc__(self):
        free(self.tokens.numbers)
        free(self.tokens.keys)
        free(self.numbers)

    cdef inline void align_strip(self, const uint64_t *masks, Py_ssize_t height, Py_ssize_t count, bint edits,
                                 double *results) noexcept nogil:
        """Align the marked strip with the first of the others in this order, at least one.

        Several at once take hardly more time than one, because each column waits for the one before it.
        """
        cdef Column columns[LANES]
        cdef const int32_t *words[LANES]
        cdef Py_ssize_t places[LANES]
        cdef Py_ssize_t lengths[LANES]
        cdef Py_ssize_t k = 0
        cdef Py_ssize_t lane, longest, j
        while k < count:
            longest = 0
            for lane in range(LANES):
                places[lane] = <Py_ssize_t>self.order[min(k + lane, count - 1)]
                words[lane] = self.numbers + self.others.starts[places[lane]]
                lengths[lane] = self.others.length(places[lane])
                longest = max(longest, lengths[lane])
                columns[lane] = Column(~<uint64_t>0, 0)
            for j in range(longest):
                for lane in range(LANES):
                    if j < lengths[lane]:
                        next_column(&columns[lane], masks[words[lane][j] + 1], edits, 0, edits)
            for lane in range(LANES):
                results[places[lane]] = <double>(grown_by(&columns[lane], height, edits) + edits * lengths[lane])
            k += LANES

    cdef int align(self, Aligner *aligner, Py_ssize_t text, Py_ssize_t count, bint edits,
                   double *results) except -1 nogil:
        """Write the edits or the common words of a text and each of the first others in this order."""
        cdef Watch *watching = &aligner.work.hypothesis.watching
        cdef int32_t *words = aligner.work.numbers.values
        cdef Py_ssize_t size = self.texts.length(text)
        cdef Py_ssize_t k, other
        number_ids(&self.tokens, self.texts, text, words, 0, False, watching)
        if 0 < size <= STRIP:
            mark_positions(aligner.masks, words, size)
            if edits:   # a constant, with which the compiler makes the loops of each
                self.align_strip(aligner.masks, size, count, True, results)
            else:
                self.align_strip(aligner.masks, size, count, False, results)
            clear_positions(aligner.masks, words, size)
            return watch(watching, self.others.total)
        for k in range(count):
            other = <Py_ssize_t>self.order[k]
            results[other] = <double>align_texts(aligner, self.numbers + self.others.starts[other],
                                                 self.others.length(other), words, size, edits, NULL)
        return 0

    def fill(self, bint are_rates, Py_ssize_t start, Py_ssize_t stop, double[:, ::1] scores):
        """Write the scores of the texts from `start` to before `stop` against each other text as their only reference.

        :param are_rates: whether scores are word error rates; otherwise they are F-measures of ROUGE-L
        """
        cdef Aligner aligner
        cdef bint are_same = self.others is self.texts
        cdef Py_ssize_t number = self.others.size
        cdef const int32_t *ranks = self.ranks
        cdef Py_ssize_t first = start
        cdef Py_ssize_t last, i, j, k, size, length
        cdef double found, score
        check_rows(scores.shape, self.texts.size, number)
        if not 0 <= start <= stop <= self.texts.size:
            raise ValueError("the range does not fit the texts")
        make_aligner(&aligner)
        try:
            with nogil:
                reserve_masks(&aligner, self.distinct)
                reserve_ids(&aligner.work.numbers, self.texts.longest)
                while first < stop:
                    last = min(first + ROWS_TOGETHER, stop)
                    for i in range(first, last):
                        self.align(&aligner, i, ranks[i] + 1 if are_same else number, are_rates, &scores[i, 0])
                    # together, because scores below each other are in different cache lines
                    for k in range(number):
                        j = <Py_ssize_t>self.order[k]
                        length = self.others.length(j)
                        for i in range(first, last):
                            if are_same and k > ranks[i]:
                                continue
                            found = scores[i, j]
                            size = self.texts.length(i)
                            score = rate_of(found, length)
                            if not are_rates:
                                score = fmeasure_of(rate_of(found, size), score)
                            scores[i, j] = score
                            if are_same:
                                scores[j, i] = rate_of(found, size) if are_rates else score
                    first = last
        finally:
            free_aligner(&aligner)
