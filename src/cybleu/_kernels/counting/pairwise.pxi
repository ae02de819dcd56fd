# Each text of a collection against every other, or against all others together.
#
# For pairs, an inverted index maps each n-gram to the texts that contain it, so the matches of a text with all others
# are found by iterating over the lists of its n-grams: the cost is proportional to the number of shared n-grams, not to
# the number of pairs times their length. Against all others together, the two largest counts of each n-gram in one text
# suffice for clipping.

cdef extern from *:
    """
    #define CYBLEU_MINUS_INFINITY (-(double)INFINITY)
    """
    double MINUS_INFINITY "CYBLEU_MINUS_INFINITY"


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
        if gathered[n] == MINUS_INFINITY:
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


cdef int make_tables(Tables *tables, const Rules *rules, const int64_t *hypotheses, Py_ssize_t hypothesis_count,
                     const int64_t *references, Py_ssize_t count, Watch *watching) except -1:
    cdef int64_t longest = 0
    cdef int32_t given = 0
    cdef Py_ssize_t i, j
    cdef Terms *terms
    tables.by_rows = rules.smoothing == SKIP or rules.mean == DIFFERENCES
    for i in range(hypothesis_count):
        tables.longest = max(tables.longest, hypotheses[i])
    for j in range(count):
        longest = max(longest, references[j])
    tables.terms = <Terms *>allocated(calloc(<size_t>(tables.longest + 1), sizeof(Terms)))
    tables.lengths = <int64_t *>allocated(malloc(<size_t>(count + 1) * sizeof(int64_t)))
    tables.references = <int32_t *>allocated(malloc(<size_t>(longest + 1) * sizeof(int32_t)))
    memset(tables.references, 0xFF, <size_t>(longest + 1) * sizeof(int32_t))
    for j in range(count):
        if tables.references[references[j]] < 0:
            tables.lengths[given] = references[j]
            tables.references[references[j]] = given
            given += 1
    for i in range(hypothesis_count):
        watch(watching, 1 + hypotheses[i] + given)
        terms = &tables.terms[hypotheses[i]]
        if hypotheses[i] > 0 and terms.of_matches == NULL:
            fill_terms(rules, hypotheses[i], terms)
            terms.penalties = <double *>allocated(malloc(<size_t>(given + 1) * sizeof(double)))
            for j in range(given):
                terms.penalties[j] = brevity_penalty(rules, hypotheses[i], tables.lengths[j])
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
    """A collection of texts, prepared to be compared with each other or with others. Immutable once made.

    :param ids: the tokens of all texts
    :param begins: where each text begins in `ids`
    :param ends: where it ends
    """

    cdef Slots tokens               # token -> its id in the index
    cdef int64_t *lengths
    cdef Py_ssize_t *list_starts    # offsets of the texts of each n-gram
    cdef Occurrence *lists          # texts ascend
    cdef bint ready                 # without MemoryError or interrupt
    cdef Definition definition      # of the tables
    cdef Tables tables

    def __init__(self, const int64_t[::1] ids, const int64_t[::1] begins, const int64_t[::1] ends,
                 Py_ssize_t max_order):
        cdef Py_ssize_t total = check_collection(ids.shape[0], begins, ends, max_order)
        cdef Py_ssize_t count = begins.shape[0]
        cdef Py_ssize_t text, length
        cdef int64_t end = 0
        cdef int32_t given = 0
        cdef int32_t *numbers = NULL
        cdef int64_t *number_ends = NULL
        if self.lengths != NULL:
            raise RuntimeError("texts are prepared once")
        if max_order > MAX_ORDER:
            raise ValueError("the order is out of range")
        try:
            numbers = <int32_t *>new_array(total, sizeof(int32_t))
            number_ends = <int64_t *>new_array(count, sizeof(int64_t))
            self.lengths = <int64_t *>new_array(count, sizeof(int64_t))
            make_slots(&self.tokens, total)
            for text in range(count):
                length = <Py_ssize_t>(ends[text] - begins[text])
                if length:
                    given = number_ids(self.tokens, process_seed(), &ids[begins[text]], length, numbers + end,
                                       given, True)
                end += length
                number_ends[text] = end
                self.lengths[text] = length
            self.fill(numbers, number_ends, count, given, max_order)
            self.invert()
            self.ready = True
        finally:
            free(numbers)
            free(number_ends)

    def __dealloc__(self):
        free(self.tokens.slots)
        free(self.lengths)
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

    cdef int check_prepared(self, Definition definition) except -1:
        if definition is not self.definition:
            raise RuntimeError("the texts are not prepared for this definition")
        return 0

    def prepare(self, Definition definition not None, const int64_t[::1] ids=None, const int64_t[::1] begins=None,
                const int64_t[::1] ends=None):
        """Build the tables of a definition, once for all blocks.

        :param ids: the tokens of the hypotheses; by default, the texts of the collection are scored against each other
        :param begins: where each text begins in `ids`
        :param ends: where it ends
        """
        cdef int64_t *lengths = NULL
        cdef Watch watching = begin_watch()
        cdef Py_ssize_t i, count
        if not self.ready:
            raise RuntimeError("the texts are not prepared")
        if self.definition is not None:
            raise RuntimeError("texts are prepared for one definition")
        if definition.rules.order != 0 and definition.rules.order != self.order:
            raise ValueError("the definition does not fit the order")
        count = self.texts
        if ids is not None:
            count = begins.shape[0]
            check_texts(ids.shape[0], begins, ends, 0, count)
        try:
            if definition.rules.order != 0:    # otherwise it is declined
                lengths = <int64_t *>allocated(malloc(<size_t>(count + 1) * sizeof(int64_t)))
                for i in range(count):
                    lengths[i] = self.lengths[i] if ids is None else ends[i] - begins[i]
                make_tables(&self.tables, &definition.rules, lengths, count, self.lengths, self.texts, &watching)
            self.definition = definition
        finally:
            free(lengths)
            if self.definition is None:
                free_tables(&self.tables)
                memset(&self.tables, 0, sizeof(Tables))

    def score_each_other(self, Definition definition not None, Py_ssize_t start, Py_ssize_t stop,
                         double[:, ::1] scores):
        """Write the scores of all pairs whose first text is in `start` to `stop` (exclusive), in both directions.

        `scores[i, j]` is the score of hypothesis i against reference j; NaN if it is declined.
        """
        if not 0 <= start <= stop <= self.texts:
            raise ValueError("the scores do not fit the texts")
        self.score(definition, None, None, None, start, stop, self.texts, scores)

    def score_others(self, Definition definition not None, const int64_t[::1] ids not None,
                     const int64_t[::1] begins not None, const int64_t[::1] ends not None, Py_ssize_t start,
                     Py_ssize_t stop, double[:, ::1] scores):
        """Write the scores of the hypotheses `start` to `stop` (exclusive) against all texts of the collection."""
        check_texts(ids.shape[0], begins, ends, start, stop)
        self.score(definition, ids, begins, ends, start, stop, begins.shape[0], scores)

    cdef int score(self, Definition definition, const int64_t[::1] ids, const int64_t[::1] begins,
                   const int64_t[::1] ends, Py_ssize_t start, Py_ssize_t stop, Py_ssize_t hypotheses,
                   double[:, ::1] scores) except -1:
        """Write the scores of hypotheses, or without `ids` those of pairs of the collection."""
        cdef const Rules *rules = &definition.rules
        cdef bint each_other = ids is None
        cdef Watch watching = begin_watch()
        cdef Py_ssize_t longest = 0
        cdef Py_ssize_t i, length
        cdef int32_t *matches = NULL
        cdef int32_t *numbers = NULL
        cdef Found found
        if scores.shape[0] != hypotheses or scores.shape[1] != self.texts:
            raise ValueError("the scores do not fit the texts")
        self.check_prepared(definition)
        if rules.order == 0:    # declined
            scores[start:stop, :] = NAN
            return 0
        memset(&found, 0, sizeof(Found))
        for i in range(start, self.texts if each_other else stop):
            length = <Py_ssize_t>(self.lengths[i] if each_other else ends[i] - begins[i])
            longest = max(longest, length)
            if length > self.tables.longest or (length > 0 and self.tables.terms[length].of_matches == NULL):
                raise ValueError("a text is of another length than those prepared for")
        try:
            matches = <int32_t *>allocated(calloc(<size_t>(self.texts * self.order + 1), sizeof(int32_t)))
            numbers = <int32_t *>new_array(longest, sizeof(int32_t))
            with nogil:
                for i in range(start, stop):
                    watch(&watching, 8 * self.texts)
                    if each_other:
                        self.match(self.ngrams, self.starts + i * self.order, i, matches)
                        self.evaluate_all(rules, self.lengths[i], matches, i, True, scores)
                        continue
                    length = <Py_ssize_t>(ends[i] - begins[i])
                    if length:
                        number_ids(self.tokens, process_seed(), &ids[begins[i]], length, numbers, 0, False)
                    self.find(&found, numbers, length)
                    self.match(found.ngrams, found.starts, 0, matches)
                    self.evaluate_all(rules, length, matches, i, False, scores)
        finally:
            free(matches)
            free(numbers)
            free_found(&found)
        return 0

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

    cdef void evaluate_all(self, const Rules *rules, int64_t length, int32_t *matches, Py_ssize_t i, bint each_other,
                           double[:, ::1] scores) noexcept nogil:
        """Score hypothesis i against all texts, or text i against those from itself on, and these against it."""
        cdef Py_ssize_t first = i if each_other else 0
        cdef Py_ssize_t j
        for j in range(first, self.texts):
            scores[i, j] = score_one(rules, &self.tables, length, self.lengths[j], matches + j * self.order)
            if each_other and j != i:
                scores[j, i] = score_one(rules, &self.tables, self.lengths[j], length, matches + j * self.order)
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


def leave_one_out(const int64_t[::1] ids, const int64_t[::1] begins, const int64_t[::1] ends, Py_ssize_t max_order,
                  int64_t[:, ::1] stats):
    """Write the statistics row of each text with all others as references; the reference length is not written."""
    cdef Py_ssize_t total = check_collection(ids.shape[0], begins, ends, 1)
    cdef Py_ssize_t count = begins.shape[0]
    cdef int32_t *tokens = NULL     # by position, text after text
    cdef int32_t *grams = NULL      # the n-grams that begin there
    cdef int32_t *counts = NULL
    cdef NgramCount *ngrams = NULL  # of all texts
    cdef Largest *largest = NULL    # by n-gram
    cdef Slots table
    if stats.shape[0] != count or stats.shape[1] != row_size(max_order):
        raise ValueError("the rows do not fit the texts")
    table.slots = NULL
    try:
        tokens = <int32_t *>new_array(total, sizeof(int32_t))
        grams = <int32_t *>new_array(total, sizeof(int32_t))
        counts = <int32_t *>allocated(calloc(<size_t>total + 1, sizeof(int32_t)))
        ngrams = <NgramCount *>new_array(total, sizeof(NgramCount))
        largest = <Largest *>new_array(total, sizeof(Largest))
        table.slots = <Slot *>new_array(<Py_ssize_t>slots_needed(total), sizeof(Slot))
        table.mask = slots_needed(total) - 1
        with nogil:
            for n in range(max_order):
                count_others(ids, begins, ends, n, max_order, tokens, grams, counts, ngrams, largest, table, stats)
    finally:
        free(tokens)
        free(grams)
        free(counts)
        free(ngrams)
        free(largest)
        free(table.slots)


cdef int count_others(const int64_t[::1] ids, const int64_t[::1] begins, const int64_t[::1] ends, Py_ssize_t n,
                      Py_ssize_t max_order, int32_t *tokens, int32_t *grams, int32_t *counts, NgramCount *ngrams,
                      Largest *largest, Slots table, int64_t[:, ::1] stats) except -1 nogil:
    """Write the matches of order n + 1."""
    cdef Watch watching = begin_watch()
    cdef Py_ssize_t start = 0       # of the tokens of a text
    cdef Py_ssize_t end = 0         # of its n-grams
    cdef Py_ssize_t text, length, places, k
    cdef int32_t given = 0
    cdef const Largest *most
    make_empty(&table, table.slots, table.mask + 1)
    for text in range(begins.shape[0]):
        length = <Py_ssize_t>(ends[text] - begins[text])
        places = max(length - n, <Py_ssize_t>0)
        k = given
        if n == 0 and length:
            given = number_ids(table, process_seed(), &ids[begins[text]], length, tokens + start, given, True)
            memcpy(grams + start, tokens + start, <size_t>length * sizeof(int32_t))
        elif n > 0:
            given = extend_ngrams(table, process_seed(), grams + start, tokens + start + n, places, given, True)
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
    for text in range(begins.shape[0]):
        start, end = end, end + stats[text, 2 + n]
        stats[text, 2 + n] = 0
        for k in range(start, end):
            most = &largest[ngrams[k].ngram]
            stats[text, 2 + n] += min(ngrams[k].count, most.second if ngrams[k].count == most.count else most.count)
        watch(&watching, end - start + 8)
    return 0
