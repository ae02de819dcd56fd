# Each text of a collection against every other, or against all others together.
#
# For pairs, an inverted index maps each n-gram to the texts that contain it, so the matches of a text with all others
# are found by iterating over the lists of its n-grams: the cost is proportional to the number of shared n-grams, not to
# the number of pairs times their length. Against all others together, the two largest counts of each n-gram in one text
# suffice for clipping.

cdef enum:
    SHORT = 64              # most n-grams of a text whose logarithms are kept
    SHORT_AND_ONE = 65      # SHORT + 1


# The logarithm of each usual precision, which most pairs share: [n-grams][matches].
cdef void fill_logarithms(const Rules *rules, double *logarithms) noexcept nogil:
    cdef int total, matched
    for total in range(1, SHORT_AND_ONE):
        for matched in range(1, total + 1):
            logarithms[total * SHORT_AND_ONE + matched] = log(rules.scale * <double>matched / <double>total)


cdef double score_of_pair(const Rules *rules, const double *logarithms, Py_ssize_t length,
                          Py_ssize_t reference_length, const int32_t *matches) noexcept nogil:
    """Return the score of a hypothesis of this length with one reference, or NO_SCORE."""
    cdef int64_t row[2 + 2 * MAX_ORDER]
    cdef double terms[MAX_ORDER]
    cdef bint usual = rules.plain and rules.order <= length <= SHORT
    cdef int n
    if matches[0] == 0 and length > 0 and not rules.smoothed_without_match and not rules.fails:
        return 0.0
    for n in range(rules.order):
        usual &= matches[n] > 0
    if usual:
        for n in range(rules.order):
            terms[n] = logarithms[(length - n) * SHORT_AND_ONE + matches[n]]
        return brevity_penalty(rules, length, reference_length) * exp(
            python_sum(terms, rules.order) / <double>rules.order)
    row[0] = length
    row[1] = reference_length
    for n in range(rules.order):
        row[2 + n] = matches[n]
        row[2 + rules.order + n] = length - n if length > n else 0
    return evaluate(rules, row)


# ----------------------------------------------------------------------------------------------------------- all pairs

# A text that contains an n-gram.
cdef struct Occurrence:
    int32_t text
    int32_t count


cdef class PairwiseTexts(NgramIndex):
    """Texts prepared for pairwise scoring. Immutable.

    :param definition: the scores
    :param references: the texts of the index
    :param hypotheses: None to score the references against each other
    """

    cdef Definition definition
    cdef TokenTexts references
    cdef TokenTexts hypotheses
    cdef bint each_other
    cdef Slots tokens               # token -> its id in the index
    cdef Py_ssize_t *list_starts    # offsets of the texts of each n-gram
    cdef Occurrence *lists          # texts ascend
    cdef double logarithms[SHORT_AND_ONE * SHORT_AND_ONE]

    def __cinit__(self, Definition definition not None, TokenTexts references not None, TokenTexts hypotheses=None):
        cdef Py_ssize_t text
        cdef int32_t given = 0
        cdef int32_t *numbers = NULL
        cdef int64_t *memory = NULL
        cdef Watch watching = begin_watch()
        self.definition, self.references, self.each_other = definition, references, hypotheses is None
        self.hypotheses = references if self.each_other else hypotheses
        if definition.rules.order == 0:     # all scores are declined
            return
        try:
            numbers = <int32_t *>new_array(references.size, sizeof(int32_t))
            memory = <int64_t *>new_array(references.longest, sizeof(int64_t))
            make_slots(&self.tokens, slots_needed(references.total), &watching)
            with nogil:
                for text in range(references.count):
                    given = number_ids(self.tokens, references.read(text, memory), references.length(text),
                                       numbers + references.begins[text], given, True, &watching)
                    watch(&watching, 8 + references.length(text))
            self.index(references, numbers, given, definition.rules.order)
            self.invert(&watching)
            fill_logarithms(&definition.rules, self.logarithms)
        finally:
            free(numbers)
            free(memory)

    def __dealloc__(self):
        free(self.tokens.slots)
        free(self.list_starts)
        free(self.lists)

    cdef int invert(self, Watch *watching) except -1:
        """Build the inverted index from n-grams to texts."""
        cdef Py_ssize_t count = self.starts[self.texts * self.order]
        cdef Py_ssize_t first, last, text, k, ngram
        cdef Py_ssize_t *place
        cdef Py_ssize_t *starts
        self.list_starts = <Py_ssize_t *>allocated(calloc(<size_t>self.size + 2, sizeof(Py_ssize_t)))
        self.lists = <Occurrence *>new_array(count, sizeof(Occurrence))
        starts = self.list_starts
        with nogil:
            first = 0
            while first < count:
                for k in range(first, min(first + STEPS, count)):
                    starts[self.ngrams[k].ngram + 2] += 1
                watch(watching, STEPS)
                first += STEPS
            for ngram in range(self.size):
                starts[ngram + 2] += starts[ngram + 1]
            for text in range(self.texts):
                last = self.starts[(text + 1) * self.order]
                first = self.starts[text * self.order]
                while first < last:
                    for k in range(first, min(first + STEPS, last)):
                        place = &starts[self.ngrams[k].ngram + 1]
                        self.lists[place[0]].text = <int32_t>text
                        self.lists[place[0]].count = self.ngrams[k].count
                        place[0] += 1
                    watch(watching, min(last - first, <Py_ssize_t>STEPS))
                    first += STEPS
        return 0

    def fill(self, Py_ssize_t start, Py_ssize_t stop, double[:, ::1] scores):
        """Write the scores of hypotheses `start` to `stop` (exclusive): `scores[i, j]` is for i against reference j.

        If hypotheses and references are the same texts, also write the transposed block. Return the first hypothesis of
        which a score is declined, or `stop`.
        """
        cdef const Rules *rules = &self.definition.rules
        cdef TokenTexts texts = self.hypotheses
        cdef Watch watching = begin_watch()
        cdef int32_t *matches = NULL
        cdef int32_t *numbers = NULL
        cdef int64_t *memory = NULL
        cdef Found found
        cdef Py_ssize_t i = start
        if (scores.shape[0] != texts.count or scores.shape[1] != self.references.count
                or not 0 <= start <= stop <= texts.count):
            raise ValueError("the scores do not fit the texts")
        if rules.order == 0:
            return start
        memset(&found, 0, sizeof(Found))
        try:
            matches = <int32_t *>allocated(calloc(<size_t>(self.texts * self.order + 1), sizeof(int32_t)))
            numbers = <int32_t *>new_array(texts.longest, sizeof(int32_t))
            memory = <int64_t *>new_array(texts.longest, sizeof(int64_t))
            with nogil:
                while i < stop:
                    watch(&watching, 8 * self.texts)
                    if self.each_other:
                        self.match(self.ngrams, self.starts + i * self.order, i, matches, &watching)
                    else:
                        number_ids(self.tokens, texts.read(i, memory), texts.length(i), numbers, 0, False, &watching)
                        self.find(&found, numbers, texts.length(i), &watching)
                        self.match(found.ngrams, found.starts, 0, matches, &watching)
                    if not self.evaluate_all(rules, i, matches, scores):
                        break
                    i += 1
        finally:
            free(matches)
            free(numbers)
            free(memory)
            free_found(&found)
        return i

    cdef int match(self, const NgramCount *ngrams, const Py_ssize_t *starts, Py_ssize_t first, int32_t *matches,
                   Watch *watching) except -1 nogil:
        """Add the matches of a hypothesis with each text from `first` on, whose orders are next to each other."""
        cdef const Occurrence *start
        cdef const Occurrence *other
        cdef Py_ssize_t order = self.order
        cdef Py_ssize_t begin, k, n
        cdef int32_t *column
        cdef int32_t count
        for n in range(order):
            column = matches + n
            begin = starts[n]
            while begin < starts[n + 1]:
                for k in range(begin, min(begin + STEPS, starts[n + 1])):
                    count = ngrams[k].count
                    start = self.lists + self.list_starts[ngrams[k].ngram]
                    other = self.lists + self.list_starts[ngrams[k].ngram + 1]
                    while other > start and (other - 1).text >= first:
                        other -= 1
                        column[other.text * order] += min(count, other.count)
                watch_long(watching, starts[n + 1] - begin)
                begin += STEPS
        return 0

    cdef bint evaluate_all(self, const Rules *rules, Py_ssize_t i, int32_t *matches,
                           double[:, ::1] scores) noexcept nogil:
        """Score hypothesis i against all texts, or text i against those from itself on, and these against it.

        Return whether none of the scores is declined.
        """
        cdef Py_ssize_t first = i if self.each_other else 0
        cdef Py_ssize_t length = self.hypotheses.length(i)
        cdef Py_ssize_t j, other
        cdef bint scored = True
        for j in range(first, self.texts):
            other = self.references.length(j)
            scores[i, j] = score_of_pair(rules, self.logarithms, length, other, matches + j * self.order)
            scored &= scores[i, j] == scores[i, j]      # NO_SCORE is NaN
            if self.each_other and j != i:
                scores[j, i] = score_of_pair(rules, self.logarithms, other, length, matches + j * self.order)
                scored &= scores[j, i] == scores[j, i]
        memset(matches + first * self.order, 0, <size_t>((self.texts - first) * self.order) * sizeof(int32_t))
        return scored


# --------------------------------------------------------------------------------------------------- against all others

# The largest counts of an n-gram in one text, and in another one.
cdef struct Largest:
    int32_t count
    int32_t second


cdef inline void add_count(Largest *largest, int32_t count) noexcept nogil:
    if count > largest.count:
        largest.second = largest.count
        largest.count = count
    elif count > largest.second:
        largest.second = count


def leave_one_out(TokenTexts texts not None, Py_ssize_t max_order, int64_t[:, ::1] stats):
    """Write the statistics row of each text with all others as references; the reference length is not written."""
    cdef Py_ssize_t total = texts.total
    cdef int32_t *grams = NULL      # by position, text after text: the n-grams that begin there
    cdef int32_t *counts = NULL
    cdef int64_t *memory = NULL
    cdef NgramCount *ngrams = NULL  # of all texts
    cdef Largest *largest = NULL    # by n-gram
    cdef Slots table
    cdef Watch watching = begin_watch()
    if stats.shape[0] != texts.count or stats.shape[1] != bleu_row_size(max_order):
        raise ValueError("the rows do not fit the texts")
    if total > MOST_NGRAMS // max_order:
        raise MemoryError("the texts have too many n-grams")
    table.slots = NULL
    try:
        grams = <int32_t *>new_array(total, sizeof(int32_t))
        counts = <int32_t *>allocated(calloc(<size_t>total + 1, sizeof(int32_t)))
        memory = <int64_t *>new_array(texts.longest, sizeof(int64_t))
        ngrams = <NgramCount *>new_array(total, sizeof(NgramCount))
        largest = <Largest *>new_array(total, sizeof(Largest))
        make_slots(&table, slots_needed(total), &watching)
        with nogil:
            for n in range(max_order):
                count_others(texts, n, max_order, grams, counts, memory, ngrams, largest, table, stats, &watching)
    finally:
        free(grams)
        free(counts)
        free(memory)
        free(ngrams)
        free(largest)
        free(table.slots)


cdef int count_others(TokenTexts texts, Py_ssize_t n, Py_ssize_t max_order, int32_t *grams, int32_t *counts,
                      int64_t *memory, NgramCount *ngrams, Largest *largest, Slots table,
                      int64_t[:, ::1] stats, Watch *watching) except -1 nogil:
    """Write the matches of order n + 1."""
    cdef Py_ssize_t start = 0       # of the tokens of a text
    cdef Py_ssize_t end = 0         # of its n-grams
    cdef Py_ssize_t text, length, places, k
    cdef int32_t given = 0
    cdef const Largest *most
    make_empty(&table, size_of(table), watching)
    for text in range(texts.count):
        length = texts.length(text)
        places = max(length - n, <Py_ssize_t>0)
        k = given
        if n == 0:
            given = number_ids(table, texts.read(text, memory), length, grams + start, given, True, watching)
        else:
            given = extend_ngrams(table, grams + start, grams + start + 1, places, given, True, watching)
        memset(largest + k, 0, <size_t>(given - k) * sizeof(Largest))
        stats[text, 0] = length
        stats[text, 2 + max_order + n] = places
        stats[text, 2 + n] = count_ngrams(grams + start, places, counts, ngrams + end)
        for k in range(end, end + stats[text, 2 + n]):
            add_count(&largest[ngrams[k].ngram], ngrams[k].count)
        end += stats[text, 2 + n]
        start += length
        watch(watching, length + 8)
    end = 0
    for text in range(texts.count):
        start, end = end, end + stats[text, 2 + n]
        stats[text, 2 + n] = 0
        for k in range(start, end):
            most = &largest[ngrams[k].ngram]
            stats[text, 2 + n] += min(ngrams[k].count, most.second if ngrams[k].count == most.count else most.count)
        watch(watching, end - start + 8)
    return 0
