# Each text of a collection against every other, or against all others together.
#
# For pairs, an inverted index maps each n-gram to the texts that contain it, so the matches of a text with all others
# are found by iterating over the n-grams of this text: the cost is proportional to the number of shared n-grams, not to
# the number of pairs times their length. Against all others together, the two largest counts of each n-gram in one text
# suffice for clipping.

cdef enum:
    SHORT = 64              # most tokens of texts whose logarithms and penalties are computed once
    SHORT_AND_ONE = 65      # SHORT + 1
    FREQUENT = 16           # an n-gram is frequent if one text in so many contains it,
    FEW_TEXTS = 8           # and no fewer than these
    LARGEST_BYTE = 255


# ---------------------------------------------------------------------------------------------- scores of a hypothesis

cdef double LOG_OF_ZERO = -1e300    # the exponential of a mean with it is 0


# What the scores of a short hypothesis with one reference each are made of.
cdef struct Hypothesis:
    # The logarithms of the precisions of each order: first those without a match, by the number of lower orders without
    # a match, then those with matches, from 1 on. NaN if the score is not their mean.
    double terms[MAX_ORDER][MAX_ORDER + SHORT]
    double penalties[SHORT_AND_ONE]     # by the length of the reference


cdef inline bint has_terms(const Rules *rules, Py_ssize_t length) noexcept nogil:
    return rules.plain and rules.order <= length <= SHORT


cdef void begin_hypothesis(Hypothesis *hypothesis, const Rules *rules, Py_ssize_t length) noexcept nogil:
    cdef double *terms
    cdef double precision, power
    cdef Py_ssize_t i
    cdef int n
    for n in range(rules.order):
        terms = hypothesis.terms[n]
        power = 1.0
        for i in range(n + 1):
            precision = precision_of(rules, n, 0, length - n, length, &power)
            if precision <= 0.0 or rules.zero_in_any_order or (n == 0 and not rules.smoothed_without_match):
                terms[i] = LOG_OF_ZERO
            else:
                terms[i] = log(precision) if precision < LEFT_OUT else NAN
        for i in range(1, length - n + 1):
            terms[rules.order - 1 + i] = log(rules.scale * <double>i / <double>(length - n))
    for i in range(SHORT_AND_ONE):
        hypothesis.penalties[i] = brevity_penalty(rules, length, i)


cdef inline double mean_term(const Hypothesis *hypothesis, int order, const int32_t *matches,
                             Py_ssize_t stride) noexcept nogil:
    """Return the mean of the logarithms of the precisions, or NaN."""
    cdef double terms[MAX_ORDER]
    cdef int32_t matched
    cdef int32_t unmatched = 0
    cdef int n
    # An order without a match has none after it. Without branches, because matches are unpredictable.
    for n in range(order):
        matched = matches[n * stride]
        terms[n] = hypothesis.terms[n][unmatched + matched + (order - 1) * (matched > 0)]
        unmatched += matched == 0
    return python_sum(terms, order) / <double>order


cdef double score_of_pair(const Rules *rules, Py_ssize_t length, Py_ssize_t reference_length, const int32_t *matches,
                          Py_ssize_t stride) noexcept nogil:
    """Return the score of a hypothesis of this length with one reference, or NO_SCORE."""
    cdef int64_t row[2 + 2 * MAX_ORDER]
    cdef int n
    row[0] = length
    row[1] = reference_length
    for n in range(rules.order):
        row[2 + n] = matches[n * stride]
        row[2 + rules.order + n] = length - n if length > n else 0
    return evaluate(rules, row)


# ----------------------------------------------------------------------------------------------------------- all pairs

# A text that contains an n-gram. The list of a frequent n-gram is replaced by a row with its count in each text; the
# first occurrence then has the number of the row, below 0, and the largest count.
cdef struct Occurrence:
    int32_t text
    int32_t count


cdef void add_bytes(uint8_t *sums, const uint8_t *counts, uint8_t most, Py_ssize_t size) noexcept nogil:
    """Add the counts, but no more than `most` of each."""
    cdef Py_ssize_t i
    for i in range(size):
        sums[i] = <uint8_t>(sums[i] + (counts[i] if counts[i] < most else most))


cdef void move_bytes(int32_t *sums, uint8_t *counts, Py_ssize_t size) noexcept nogil:
    """Add the counts, and reset them to 0."""
    cdef Py_ssize_t i
    for i in range(size):
        sums[i] += counts[i]
    clear_items(counts, size)


cdef class PairwiseTexts(NgramIndex):
    """Texts prepared for pairwise scoring. Immutable.

    :param definition: the scores
    :param references: the texts of the index
    :param hypotheses: None to score the references against each other
    """

    cdef Definition definition
    cdef TokenTexts references
    cdef TokenTexts hypotheses
    cdef KeyTable tokens            # token -> its id in the index
    cdef Py_ssize_t *list_starts    # offsets of the texts of each n-gram
    cdef Occurrence *lists          # texts ascend
    cdef uint8_t *rows              # of frequent n-grams: a byte for each text
    cdef Py_ssize_t frequent        # least number of texts with a frequent n-gram

    def __cinit__(self, Definition definition not None, TokenTexts references not None, TokenTexts hypotheses=None):
        cdef int32_t given
        cdef int32_t *numbers = NULL
        cdef Watch watching = begin_watch()
        self.definition = definition
        self.references = references
        self.hypotheses = references if hypotheses is None else hypotheses
        if definition.rules.order == 0:     # all scores are declined
            return
        try:
            numbers = <int32_t *>new_array(references.width, sizeof(int32_t))
            make_keys(&self.tokens, references.total, &watching)
            with nogil:
                given = number_all(&self.tokens, references, numbers, &watching)
            self.index(references, numbers, given, definition.rules.order)
            self.frequent = max(references.size // FREQUENT, <Py_ssize_t>FEW_TEXTS)
            self.make_rows(self.invert(&watching), &watching)
        finally:
            free(numbers)

    def __dealloc__(self):
        free(self.tokens.numbers)
        free(self.tokens.keys)
        free(self.list_starts)
        free(self.lists)
        free(self.rows)

    cdef Py_ssize_t invert(self, Watch *watching) except -1:
        """Build the inverted index from n-grams to texts. Return the number of frequent n-grams."""
        cdef Py_ssize_t rows = 0
        cdef Py_ssize_t text, k, ngram
        cdef Py_ssize_t *place
        cdef Py_ssize_t *starts
        self.list_starts = <Py_ssize_t *>new_zeros(self.size + 2, sizeof(Py_ssize_t))
        self.lists = <Occurrence *>new_array(self.starts[self.texts * self.order], sizeof(Occurrence))
        starts = self.list_starts
        with nogil:
            for text in range(self.texts):
                for k in range(self.starts[text * self.order], self.starts[(text + 1) * self.order]):
                    starts[self.ngrams[k].ngram + 2] += 1
                watch(watching, self.references.length(text))
            for ngram in range(self.size):
                rows += starts[ngram + 2] >= self.frequent
                starts[ngram + 2] += starts[ngram + 1]
            for text in range(self.texts):
                for k in range(self.starts[text * self.order], self.starts[(text + 1) * self.order]):
                    place = &starts[self.ngrams[k].ngram + 1]
                    self.lists[place[0]].text = <int32_t>text
                    self.lists[place[0]].count = self.ngrams[k].count
                    place[0] += 1
                watch(watching, self.references.length(text))
        return rows

    cdef int make_rows(self, Py_ssize_t most, Watch *watching) except -1:
        """Replace the lists of frequent n-grams by rows."""
        cdef Py_ssize_t rows = 0
        cdef Py_ssize_t first, last, ngram, k
        cdef int32_t largest
        cdef uint8_t *row
        self.rows = <uint8_t *>new_zeros((most * self.texts) + 1, 1)
        with nogil:
            for ngram in range(self.size):
                first = self.list_starts[ngram]
                last = self.list_starts[ngram + 1]
                if last - first < self.frequent:
                    continue
                largest = 0
                row = self.rows + rows * self.texts
                for k in range(first, last):
                    largest = max(largest, self.lists[k].count)
                    row[self.lists[k].text] = <uint8_t>min(self.lists[k].count, LARGEST_BYTE)
                watch(watching, last - first)
                if largest <= LARGEST_BYTE:
                    rows += 1
                    self.lists[first] = Occurrence(-<int32_t>rows, largest)
                else:
                    clear_items(row, self.texts)
        return 0

    def fill(self, Py_ssize_t start, Py_ssize_t stop, double[:, ::1] scores):
        """Write the scores of hypotheses `start` to `stop` (exclusive): `scores[i, j]` is for `start + i` against j.

        Further rows and columns are left as they are. Return the first hypothesis of which a score is declined, or
        `stop`.
        """
        cdef const Rules *rules = &self.definition.rules
        cdef TokenTexts texts = self.hypotheses
        cdef Watch watching = begin_watch()
        cdef int32_t *matches = NULL
        cdef uint8_t *few = NULL
        cdef int32_t *numbers = NULL
        cdef Hypothesis hypothesis
        cdef Found found
        cdef Py_ssize_t i = start
        if (not 0 <= start <= stop <= texts.size or scores.shape[0] < stop - start
                or scores.shape[1] < self.references.size):
            raise ValueError("the scores do not fit the texts")
        if rules.order == 0:
            return start
        clear_items(&found, 1)
        try:
            matches = <int32_t *>new_array(self.texts * self.order, sizeof(int32_t))
            few = <uint8_t *>new_zeros(self.texts + 1, 1)
            numbers = <int32_t *>new_array(texts.longest, sizeof(int32_t))
            with nogil:
                while i < stop:
                    watch(&watching, 8 * self.texts)
                    if texts is self.references:
                        self.match(self.ngrams, self.starts + i * self.order, matches, few, &watching)
                    else:
                        number_ids(&self.tokens, texts, i, numbers, 0, False, &watching)
                        self.find(&found, numbers, texts.length(i), &watching)
                        self.match(found.ngrams, found.starts, matches, few, &watching)
                    if has_terms(rules, texts.length(i)):
                        begin_hypothesis(&hypothesis, rules, texts.length(i))
                    if not self.evaluate_all(rules, &hypothesis, texts.length(i), matches, &scores[i - start, 0]):
                        break
                    i += 1
        finally:
            free(matches)
            free(few)
            free(numbers)
            free_found(&found)
        return i

    cdef bint evaluate_all(self, const Rules *rules, const Hypothesis *hypothesis, Py_ssize_t length,
                           const int32_t *matches, double *scores) noexcept nogil:
        """Write the scores of a hypothesis with each reference. Return whether none is declined."""
        cdef bint of_terms = has_terms(rules, length)
        cdef Py_ssize_t other, j
        cdef double mean, penalty
        cdef bint scored = True
        for j in range(self.texts):
            other = self.references.length(j)
            mean = NAN
            if of_terms and rules.order == 4:   # the usual one, with a loop that the compiler unrolls
                mean = mean_term(hypothesis, 4, matches + j, self.texts)
            elif of_terms:
                mean = mean_term(hypothesis, rules.order, matches + j, self.texts)
            if mean == mean:
                penalty = hypothesis.penalties[other] if other <= SHORT else brevity_penalty(rules, length, other)
                scores[j] = penalty * exp(mean) if mean > LOG_OF_ZERO / 100.0 else 0.0
            else:
                scores[j] = score_of_pair(rules, length, other, matches + j, self.texts)
            scored &= scores[j] == scores[j]    # NO_SCORE is NaN
        return scored

    cdef int match(self, const NgramCount *ngrams, const Py_ssize_t *starts, int32_t *matches, uint8_t *few,
                   Watch *watching) except -1 nogil:
        """Write the matches of a hypothesis with each text, order after order.

        :param starts: where the n-grams of each order begin, and the end
        :param few: a byte for each text, 0 before and after
        """
        cdef const Occurrence *other
        cdef const Occurrence *end
        cdef const Occurrence *lists = self.lists
        cdef const Py_ssize_t *list_starts = self.list_starts
        cdef int32_t *sums = matches
        cdef Py_ssize_t texts = self.texts
        cdef Py_ssize_t k, n
        cdef int32_t count
        cdef int32_t most           # that can still be added to a byte
        clear_items(matches, texts * self.order)
        for n in range(self.order):
            most = LARGEST_BYTE
            for k in range(starts[n], starts[n + 1]):
                count = ngrams[k].count
                other = lists + list_starts[ngrams[k].ngram]
                end = lists + list_starts[ngrams[k].ngram + 1]
                if other < end and other.text < 0:
                    count = min(count, other.count)
                    if count > most:
                        move_bytes(sums, few, texts)
                        most = LARGEST_BYTE
                    most -= count
                    add_bytes(few, self.rows + (-1 - other.text) * texts, <uint8_t>count, texts)
                    watch(watching, texts // FREQUENT)
                    continue
                while other < end:
                    sums[other.text] += min(count, other.count)
                    other += 1
            watch(watching, starts[n + 1] - starts[n])
            if most < LARGEST_BYTE:
                move_bytes(sums, few, texts)
            sums += texts
        return 0


# --------------------------------------------------------------------------------------------------- against all others

# The largest counts of an n-gram in one text, and in another one.
cdef struct Largest:
    int32_t count
    int32_t second


cdef inline void add_count(Largest *largest, int32_t count) noexcept nogil:
    """Update the largest counts."""
    if count > largest.count:
        largest.second = largest.count
        largest.count = count
    elif count > largest.second:
        largest.second = count


def leave_one_out(TokenTexts texts not None, Py_ssize_t max_order, int64_t[:, ::1] stats):
    """Write the statistics row of each text with all others as references; the reference length is not written.

    Not by an NgramIndex, which has all orders at once: here each order uses the memory of the one before.
    """
    cdef Py_ssize_t total = texts.total
    cdef Py_ssize_t start, end, text, length, places, n, k
    cdef int32_t given, other
    cdef int32_t *grams = NULL      # by position, text after text: the n-grams that begin there
    cdef int32_t *counts = NULL
    cdef NgramCount *ngrams = NULL  # of all texts
    cdef Largest *largest = NULL    # by n-gram
    cdef const Largest *most
    cdef int64_t *different         # n-grams of a text, and then its matches
    cdef KeyTable table
    cdef Watch watching = begin_watch()
    if stats.shape[0] != texts.size or stats.shape[1] != bleu_row_size(max_order):
        raise ValueError("the rows do not fit the texts")
    if total > MOST_NGRAMS // max_order:
        raise MemoryError("the texts have too many n-grams")
    clear_items(&table, 1)
    try:
        grams = <int32_t *>new_array(total, sizeof(int32_t))
        counts = <int32_t *>new_zeros(total + 1, sizeof(int32_t))
        ngrams = <NgramCount *>new_array(total, sizeof(NgramCount))
        largest = <Largest *>new_array(total, sizeof(Largest))
        make_keys(&table, total, &watching)
        with nogil:
            for n in range(max_order):
                forget_keys(&table, table.mask + 1, &watching)
                start = end = given = 0
                for text in range(texts.size):
                    length = texts.length(text)
                    places = max(length - n, <Py_ssize_t>0)
                    different = &stats[text, 2 + n]
                    k = given
                    if n == 0:
                        given = number_ids(&table, texts, text, grams + start, given, True, &watching)
                    else:
                        given = extend_ngrams(&table, grams + start, grams + start + 1, places, given, True, &watching)
                    clear_items(largest + k, given - k)
                    stats[text, 0] = length
                    stats[text, 2 + max_order + n] = places
                    different[0] = count_ngrams(grams + start, places, counts, ngrams + end)
                    for k in range(end, end + different[0]):
                        add_count(&largest[ngrams[k].ngram], ngrams[k].count)
                    end += different[0]
                    start += length
                    watch(&watching, length + 8)
                end = 0
                for text in range(texts.size):
                    different = &stats[text, 2 + n]
                    start, end = end, end + different[0]
                    different[0] = 0
                    for k in range(start, end):
                        most = &largest[ngrams[k].ngram]
                        other = most.second if ngrams[k].count == most.count else most.count
                        different[0] += min(ngrams[k].count, other)
                    watch(&watching, end - start + 8)
    finally:
        free(grams)
        free(counts)
        free(ngrams)
        free(largest)
        free(table.numbers)
        free(table.keys)
