# Each text of a collection against every other, or against all others together.
#
# For pairs, an inverted index maps each n-gram to the texts that contain it, so the matches of a text with all others
# are found by iterating over the lists of its n-grams: the cost is proportional to the number of shared n-grams, not to
# the number of pairs times their length. Against all others together, the two largest counts of each n-gram in one text
# suffice for clipping.

# ------------------------------------------------------------------------------------------------------- formula tables
#
# The contribution of a precision to the mean depends only on the hypothesis length, the order and the matches (and with
# exponential smoothing on the number of orders without a match so far), so logarithms are precomputed for all pairs.
cdef struct Terms:
    int scored              # number of scored orders; -1 if the case is declined
    double *of_matches      # [order][matches], rows of length + 1
    double *of_zeros        # [order][orders without a match so far]
    double *penalties       # by index of the reference length


cdef int fill_terms(const Rules *rules, int64_t length, Terms *terms) except -1 nogil:
    cdef double used[MAX_ORDER]
    cdef double precision, power
    cdef int order = rules.order
    cdef int first_absent = -1
    cdef int n, zeros
    cdef int64_t matched, total
    terms.of_matches = <double *>allocated(malloc(<size_t>(order * (length + 1)) * sizeof(double)))
    terms.of_zeros = <double *>allocated(malloc(<size_t>(order * (order + 1)) * sizeof(double)))
    terms.scored = order
    for n in range(order):
        power = 1.0
        if first_absent < 0 and precision_of(rules, n, 0, total_of(rules, length, n), length, &power) == ABSENT:
            first_absent = n
    if rules.effective_order and first_absent >= 0:
        terms.scored = first_absent
    if not share_weights(rules, order, terms.scored, used):
        terms.scored = -1
    for n in range(terms.scored):
        total = total_of(rules, length, n)
        for matched in range(max(0, length - n) + 1):
            power = 1.0
            precision = precision_of(rules, n, matched, total, length, &power)
            if precision == ABSENT or (rules.empty_order_ends and 0 <= first_absent <= n):
                precision = rules.of_empty
            if not isfinite(precision):
                terms.scored = -1
                return 0
            terms.of_matches[n * (length + 1) + matched] = term_of(rules, used[n], precision)
        power = 1.0
        for zeros in range(1, n + 2):
            precision = precision_of(rules, n, 0, total, length, &power)
            if precision == ABSENT or (rules.empty_order_ends and 0 <= first_absent <= n):
                precision = rules.of_empty
            terms.of_zeros[n * (order + 1) + zeros] = term_of(rules, used[n], precision)
    return 0


cdef inline int64_t total_of(const Rules *rules, int64_t length, int n) noexcept nogil:
    if length > n:
        return length - n
    return 1 if rules.short_segments_count else 0


cdef inline double score_pair(const Rules *rules, const Terms *terms, int64_t length, double penalty,
                              const int32_t *matches) noexcept nogil:
    cdef double gathered[MAX_ORDER]
    cdef int n
    cdef int zeros = 0
    cdef double result
    cdef bint halves = rules.smoothing == EXP or (rules.smoothing == EXP_BY_LENGTH and length > 1)
    if terms.scored < 0:
        return NO_SCORE
    for n in range(terms.scored):
        if matches[n] == 0 and halves:
            zeros += length > n or rules.short_segments_count
            gathered[n] = terms.of_zeros[n * (rules.order + 1) + (zeros if zeros > 0 else 1)]
        else:
            gathered[n] = terms.of_matches[n * (length + 1) + matches[n]]
        if gathered[n] == -INFINITY:
            return 0.0
    if terms.scored == 0:
        return 0.0
    if rules.mean == LOGS and rules.uniform:
        result = penalty * exp(python_sum(gathered, terms.scored) / <double>terms.scored)
    else:
        result = rules.times * (penalty * mean_of(rules, gathered, terms.scored))
    return result if isfinite(result) else NO_SCORE


# Tables for all lengths of hypotheses and references.
cdef struct Tables:
    Terms *terms                # by length; `of_matches` is NULL if no hypothesis has this length, or it is 0
    int64_t longest             # hypothesis
    int64_t *lengths            # distinct reference lengths
    int32_t *references         # length -> index in `lengths`
    bint by_rows                # score by full rows, because the tables do not suffice


cdef int make_tables(Tables *tables, const Rules *rules, TokenTexts hypotheses, TokenTexts references) except -1:
    cdef Watch watching = begin_watch()
    cdef int32_t given = 0
    cdef Py_ssize_t i, j, length
    cdef Terms *terms
    tables.by_rows = rules.smoothing == SKIP or rules.mean == DIFFERENCES
    tables.longest = hypotheses.longest
    tables.terms = <Terms *>allocated(calloc(<size_t>(tables.longest + 1), sizeof(Terms)))
    tables.lengths = <int64_t *>new_array(references.count, sizeof(int64_t))
    tables.references = <int32_t *>new_array(references.longest + 1, sizeof(int32_t))
    memset(tables.references, 0xFF, <size_t>(references.longest + 1) * sizeof(int32_t))
    for j in range(references.count):
        length = references.length(j)
        if tables.references[length] < 0:
            tables.lengths[given] = length
            tables.references[length] = given
            given += 1
    for i in range(hypotheses.count):
        length = hypotheses.length(i)
        watch(&watching, 1 + length + given)
        terms = &tables.terms[length]
        if length > 0 and terms.of_matches == NULL:
            fill_terms(rules, length, terms)
            terms.penalties = <double *>new_array(given, sizeof(double))
            for j in range(given):
                terms.penalties[j] = brevity_penalty(rules, length, tables.lengths[j])
    return 0


cdef void free_tables(Tables *tables) noexcept:
    cdef int64_t i
    if tables.terms != NULL:
        for i in range(tables.longest + 1):
            free(tables.terms[i].of_matches)
            free(tables.terms[i].of_zeros)
            free(tables.terms[i].penalties)
    free(tables.terms)
    free(tables.lengths)
    free(tables.references)


cdef double score_one(const Rules *rules, const Tables *tables, int64_t length, int64_t reference_length,
                      const int32_t *matches) noexcept nogil:
    """Return the score of one pair, NaN if it is declined."""
    cdef int64_t row[ROW_SIZE]
    cdef const Terms *terms = &tables.terms[length]
    cdef int n
    if rules.fails and (length == 0 or reference_length == 0
                        or not isfinite(terms.penalties[tables.references[reference_length]])):
        return NO_SCORE
    if matches[0] == 0 and length > 0 and not rules.smoothed_without_match:
        return 0.0
    if rules.zero_in_any_order and length > 0:
        for n in range(rules.order):
            if matches[n] == 0:
                return 0.0
    if length > 0 and not tables.by_rows:
        return score_pair(rules, terms, length, terms.penalties[tables.references[reference_length]], matches)
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
    cdef Tables tables

    def __cinit__(self, Definition definition not None, TokenTexts references not None, TokenTexts hypotheses=None):
        cdef Py_ssize_t text
        cdef int32_t given = 0
        cdef int32_t *numbers = NULL
        cdef int64_t *memory = NULL
        self.definition, self.references, self.each_other = definition, references, hypotheses is None
        self.hypotheses = references if self.each_other else hypotheses
        if definition.rules.order == 0:     # all scores are declined
            return
        try:
            numbers = <int32_t *>new_array(references.size, sizeof(int32_t))
            memory = <int64_t *>new_array(references.longest, sizeof(int64_t))
            make_slots(&self.tokens, slots_needed(references.total))
            for text in range(references.count):
                given = number_ids(self.tokens, references.read(text, memory), references.length(text),
                                   numbers + references.begins[text], given, True)
            self.index(references, numbers, given, definition.rules.order)
            self.invert()
            make_tables(&self.tables, &definition.rules, self.hypotheses, references)
        finally:
            free(numbers)
            free(memory)

    def __dealloc__(self):
        free(self.tokens.slots)
        free(self.list_starts)
        free(self.lists)
        free_tables(&self.tables)

    cdef int invert(self) except -1:
        """Build the inverted index from n-grams to texts."""
        cdef Py_ssize_t count = self.starts[self.texts * self.order]
        cdef Py_ssize_t text, k, ngram
        cdef Py_ssize_t *place
        cdef Py_ssize_t *starts
        self.list_starts = <Py_ssize_t *>allocated(calloc(<size_t>self.size + 2, sizeof(Py_ssize_t)))
        self.lists = <Occurrence *>new_array(count, sizeof(Occurrence))
        starts = self.list_starts
        with nogil:
            for k in range(count):
                starts[self.ngrams[k].ngram + 2] += 1
            for ngram in range(self.size):
                starts[ngram + 2] += starts[ngram + 1]
            for text in range(self.texts):
                for k in range(self.starts[text * self.order], self.starts[(text + 1) * self.order]):
                    place = &starts[self.ngrams[k].ngram + 1]
                    self.lists[place[0]].text = <int32_t>text
                    self.lists[place[0]].count = self.ngrams[k].count
                    place[0] += 1
        return 0

    def fill(self, Py_ssize_t start, Py_ssize_t stop, double[:, ::1] scores):
        """Write the scores of hypotheses `start` to `stop` (exclusive): `scores[i, j]` is for i against reference j.

        If hypotheses and references are the same texts, also write the transposed block. NaN: the score is declined.
        """
        cdef const Rules *rules = &self.definition.rules
        cdef TokenTexts texts = self.hypotheses
        cdef Watch watching = begin_watch()
        cdef int32_t *matches = NULL
        cdef int32_t *numbers = NULL
        cdef int64_t *memory = NULL
        cdef Found found
        cdef Py_ssize_t i
        if (scores.shape[0] != texts.count or scores.shape[1] != self.references.count
                or not 0 <= start <= stop <= texts.count):
            raise ValueError("the scores do not fit the texts")
        if rules.order == 0:
            scores[start:stop, :] = NAN
            return
        memset(&found, 0, sizeof(Found))
        try:
            matches = <int32_t *>allocated(calloc(<size_t>(self.texts * self.order + 1), sizeof(int32_t)))
            numbers = <int32_t *>new_array(texts.longest, sizeof(int32_t))
            memory = <int64_t *>new_array(texts.longest, sizeof(int64_t))
            with nogil:
                for i in range(start, stop):
                    watch(&watching, 8 * self.texts)
                    if self.each_other:
                        self.match(self.ngrams, self.starts + i * self.order, i, matches)
                    else:
                        number_ids(self.tokens, texts.read(i, memory), texts.length(i), numbers, 0, False)
                        self.find(&found, numbers, texts.length(i))
                        self.match(found.ngrams, found.starts, 0, matches)
                    self.evaluate_all(rules, i, matches, scores)
        finally:
            free(matches)
            free(numbers)
            free(memory)
            free_found(&found)

    cdef void match(self, const NgramCount *ngrams, const Py_ssize_t *starts, Py_ssize_t first,
                    int32_t *matches) noexcept nogil:
        """Add the matches of a hypothesis with each text from `first` on, whose orders are next to each other."""
        cdef const Occurrence *start
        cdef const Occurrence *other
        cdef Py_ssize_t order = self.order
        cdef Py_ssize_t k, n
        cdef int32_t *column
        cdef int32_t count
        for n in range(order):
            column = matches + n
            for k in range(starts[n], starts[n + 1]):
                count = ngrams[k].count
                start = self.lists + self.list_starts[ngrams[k].ngram]
                other = self.lists + self.list_starts[ngrams[k].ngram + 1]
                while other > start and (other - 1).text >= first:
                    other -= 1
                    column[other.text * order] += min(count, other.count)

    cdef void evaluate_all(self, const Rules *rules, Py_ssize_t i, int32_t *matches,
                           double[:, ::1] scores) noexcept nogil:
        """Score hypothesis i against all texts, or text i against those from itself on, and these against it."""
        cdef Py_ssize_t first = i if self.each_other else 0
        cdef Py_ssize_t length = self.hypotheses.length(i)
        cdef Py_ssize_t j, other
        for j in range(first, self.texts):
            other = self.references.length(j)
            scores[i, j] = score_one(rules, &self.tables, length, other, matches + j * self.order)
            if self.each_other and j != i:
                scores[j, i] = score_one(rules, &self.tables, other, length, matches + j * self.order)
        memset(matches + first * self.order, 0, <size_t>((self.texts - first) * self.order) * sizeof(int32_t))


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
    cdef int32_t *tokens = NULL     # by position, text after text
    cdef int32_t *grams = NULL      # the n-grams that begin there
    cdef int32_t *counts = NULL
    cdef int64_t *memory = NULL
    cdef NgramCount *ngrams = NULL  # of all texts
    cdef Largest *largest = NULL    # by n-gram
    cdef Slots table
    if stats.shape[0] != texts.count or stats.shape[1] != row_size(max_order):
        raise ValueError("the rows do not fit the texts")
    if total > MOST_NGRAMS // max_order:
        raise MemoryError("the texts have too many n-grams")
    table.slots = NULL
    try:
        tokens = <int32_t *>new_array(total, sizeof(int32_t))
        grams = <int32_t *>new_array(total, sizeof(int32_t))
        counts = <int32_t *>allocated(calloc(<size_t>total + 1, sizeof(int32_t)))
        memory = <int64_t *>new_array(texts.longest, sizeof(int64_t))
        ngrams = <NgramCount *>new_array(total, sizeof(NgramCount))
        largest = <Largest *>new_array(total, sizeof(Largest))
        make_slots(&table, slots_needed(total))
        with nogil:
            for n in range(max_order):
                count_others(texts, n, max_order, tokens, grams, counts, memory, ngrams, largest, table, stats)
    finally:
        free(tokens)
        free(grams)
        free(counts)
        free(memory)
        free(ngrams)
        free(largest)
        free(table.slots)


cdef int count_others(TokenTexts texts, Py_ssize_t n, Py_ssize_t max_order, int32_t *tokens, int32_t *grams,
                      int32_t *counts, int64_t *memory, NgramCount *ngrams, Largest *largest, Slots table,
                      int64_t[:, ::1] stats) except -1 nogil:
    """Write the matches of order n + 1."""
    cdef Watch watching = begin_watch()
    cdef Py_ssize_t start = 0       # of the tokens of a text
    cdef Py_ssize_t end = 0         # of its n-grams
    cdef Py_ssize_t text, length, places, k
    cdef int32_t given = 0
    cdef const Largest *most
    make_empty(&table, size_of(table))
    for text in range(texts.count):
        length = texts.length(text)
        places = max(length - n, <Py_ssize_t>0)
        k = given
        if n == 0:
            given = number_ids(table, texts.read(text, memory), length, tokens + start, given, True)
            memcpy(grams + start, tokens + start, <size_t>length * sizeof(int32_t))
        else:
            given = extend_ngrams(table, grams + start, tokens + start + n, places, given, True)
        memset(largest + k, 0, <size_t>(given - k) * sizeof(Largest))
        stats[text, 0] = length
        stats[text, 2 + max_order + n] = places
        stats[text, 2 + n] = count_ngrams(grams + start, places, counts, ngrams + end)
        for k in range(end, end + stats[text, 2 + n]):
            add_count(&largest[ngrams[k].ngram], ngrams[k].count)
        end += stats[text, 2 + n]
        start += length
        watch(&watching, length + 8)
    end = 0
    for text in range(texts.count):
        start, end = end, end + stats[text, 2 + n]
        stats[text, 2 + n] = 0
        for k in range(start, end):
            most = &largest[ngrams[k].ngram]
            stats[text, 2 + n] += min(ngrams[k].count, most.second if ngrams[k].count == most.count else most.count)
        watch(&watching, end - start + 8)
    return 0
