# cython: freethreading_compatible=True
"""Each text of a collection against every other, or against all others together.

For pairs, an inverted index maps each n-gram to the texts that contain it, so the matches of a text with all others are
found by iterating over the lists of its n-grams: the cost is proportional to the number of shared n-grams, not to the
number of pairs times their length. Against all others together, the largest count of each n-gram in one text, this
text, and the largest count in any other text suffice for clipping.
"""

from libc.math cimport NAN, exp, isfinite
from libc.stdint cimport int32_t, int64_t, uint64_t
from libc.stdlib cimport calloc, free, malloc
from libc.string cimport memcpy, memset

from cybleu._kernels.common.base cimport MAX_ORDER, ROW_SIZE, allocated, row_size
from cybleu._kernels.scoring.definitions cimport (
    DIFFERENCES, LOGS, Definition, Rules, brevity_penalty, evaluate, mean_of, precision_of, python_sum, share_weights,
    term_of
)
from cybleu._kernels.scoring.formula cimport ABSENT, EXP, EXP_BY_LENGTH, NO_SCORE, SKIP
from cybleu._kernels.common.hashing cimport Seed, process_seed
from cybleu._kernels.common.interrupts cimport Watch, begin_watch, fill_bytes, watch
from cybleu._kernels.common.ngram_tables cimport (
    Slot, Slots, check_collection, check_texts, intern_text, make_empty, pair_key, probe, size_of
)
from cybleu._kernels.tokens.objects cimport slots_needed

cdef extern from *:
    """
    #define CYBLEU_MINUS_INFINITY (-(double)INFINITY)
    """
    double MINUS_INFINITY "CYBLEU_MINUS_INFINITY"


# ----------------------------------------------------------------------------------------------------------- interning

cdef int reserve_slots(Slots *table, Py_ssize_t used, Py_ssize_t more, Seed seed, Watch *watching) except -1:
    """Grow the table so that half of its slots stay free after adding `more` keys."""
    cdef Slots larger
    cdef uint64_t i
    if table.slots != NULL and 2 * <uint64_t>(used + more) <= size_of(table[0]):
        return 0
    larger.slots = <Slot *>allocated(malloc(<size_t>slots_needed(2 * (used + more)) * sizeof(Slot)))
    try:
        make_empty(&larger, larger.slots, slots_needed(2 * (used + more)), watching)
        if table.slots != NULL:
            for i in range(size_of(table[0])):
                watch(watching, 1)
                if table.slots[i].ngram >= 0:
                    probe(larger, table.slots[i].key, seed)[0] = table.slots[i]
        table[0], larger = larger, table[0]
    finally:
        free(larger.slots)
    return 0


cdef int find_text(Slots table, Seed seed, const int64_t *text, Py_ssize_t length, int n, int32_t *ids,
                   Watch *watching) except -1 nogil:
    """Replace the ids of the (n-1)-grams of a text by those of its n-grams, -1 for unknown ones."""
    cdef Py_ssize_t i
    for i in range(length - n + 1):
        watch(watching, 1)
        if n == 1:
            ids[i] = probe(table, text[i], seed).ngram
        elif ids[i] < 0 or ids[i + 1] < 0:
            ids[i] = -1
        else:
            ids[i] = probe(table, pair_key(ids[i], ids[i + 1]), seed).ngram
    return 0


cdef Py_ssize_t note_counts(const int32_t *ids, Py_ssize_t count, int32_t *counts, int32_t *ngrams,
                            int32_t *ngram_counts, Py_ssize_t noted, Watch *watching) except -1 nogil:
    """Append the distinct known n-grams with their counts; `counts` is zero before and after."""
    cdef Py_ssize_t i
    cdef Py_ssize_t first = noted
    for i in range(count):
        watch(watching, 1)
        if ids[i] >= 0:
            if counts[ids[i]] == 0:
                ngrams[noted] = ids[i]
                noted += 1
            counts[ids[i]] += 1
    for i in range(first, noted):
        watch(watching, 1)
        ngram_counts[i] = counts[ngrams[i]]
        counts[ngrams[i]] = 0
    return noted


# ------------------------------------------------------------------------------------------------------- formula tables
#
# The contribution of a precision to the mean depends only on the hypothesis length, the order and the matches (and with
# exponential smoothing on the number of orders without a match so far), so logarithms are precomputed for all pairs.

cdef struct Terms:
    int scored              # number of scored orders; -1 if the case is declined
    double *of_matches      # [order][matches], rows of length + 1
    double *of_zeros        # [order][orders without a match so far]
    double *penalties       # by index of the reference length


cdef int fill_terms(const Rules *rules, int64_t length, Terms *terms, Watch *watching) except -1 nogil:
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
            watch(watching, 2)
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
        watch(watching, 1)
        terms = &tables.terms[hypotheses[i]]
        if hypotheses[i] > 0 and terms.of_matches == NULL:
            fill_terms(rules, hypotheses[i], terms, watching)
            terms.penalties = <double *>allocated(malloc(<size_t>(given + 1) * sizeof(double)))
            for j in range(given):
                watch(watching, 2)
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

cdef class PairwiseTexts:
    """A collection of texts, prepared to be compared with each other or with others. Immutable once made.

    :param ids: the tokens of all texts
    :param begins: where each text begins in `ids`
    :param ends: where it ends
    """

    cdef Py_ssize_t count
    cdef Py_ssize_t order
    cdef int32_t ngrams                 # number of ids
    cdef int64_t *lengths
    cdef Slots tokens
    cdef Slots pairs                    # for all orders: ids are unique across orders
    cdef Py_ssize_t *text_starts        # offsets of the n-grams of each text and order
    cdef int32_t *text_ngrams           # different ones
    cdef int32_t *text_counts
    cdef Py_ssize_t *list_starts        # offsets of the texts of each n-gram
    cdef int32_t *list_texts            # ascending
    cdef int32_t *list_counts
    cdef bint ready                     # fully initialised, without MemoryError or interrupt
    cdef Definition definition          # definition of the tables
    cdef Tables tables

    def __init__(self, const int64_t[::1] ids, const int64_t[::1] begins, const int64_t[::1] ends,
                 Py_ssize_t max_order):
        cdef Watch watching = begin_watch()
        check_collection(ids.shape[0], begins, ends, max_order)
        if self.lengths != NULL:
            raise RuntimeError("texts are prepared once")
        if max_order > MAX_ORDER:
            raise ValueError("the order is out of range")
        self.order = max_order
        reserve_slots(&self.tokens, 0, 0, process_seed(), &watching)
        reserve_slots(&self.pairs, 0, 0, process_seed(), &watching)
        self.note(self, ids, begins, ends, 0, begins.shape[0])
        self.invert(&watching)
        self.ready = True

    cdef int note(self, PairwiseTexts known, const int64_t[::1] ids, const int64_t[::1] begins,
                  const int64_t[::1] ends, Py_ssize_t start, Py_ssize_t stop) except -1:
        """Store the distinct known n-grams of a range of texts, with their counts.

        :param known: collection with the known n-grams; `self` to number all n-grams
        """
        cdef bint adds = known is self
        cdef Seed seed = process_seed()
        cdef Watch watching = begin_watch()
        cdef Py_ssize_t longest = 0
        cdef Py_ssize_t entries = 0
        cdef Py_ssize_t noted = 0
        cdef Py_ssize_t text, length, n
        cdef int32_t *ngrams = NULL
        cdef int32_t *counts = NULL
        cdef int32_t given = known.ngrams
        cdef int32_t tokens = 0
        cdef int32_t before
        cdef Slots *table
        self.count = begins.shape[0]
        self.order = known.order
        for text in range(start, stop):
            length = <Py_ssize_t>(ends[text] - begins[text])
            longest = max(longest, length)
            entries += length * self.order if adds else min(length * self.order, known.ngrams)
        self.lengths = <int64_t *>allocated(malloc(<size_t>(self.count + 1) * sizeof(int64_t)))
        self.text_starts = <Py_ssize_t *>allocated(calloc(<size_t>(self.count * self.order + 1), sizeof(Py_ssize_t)))
        self.text_ngrams = <int32_t *>allocated(malloc(<size_t>(entries + 1) * sizeof(int32_t)))
        self.text_counts = <int32_t *>allocated(malloc(<size_t>(entries + 1) * sizeof(int32_t)))
        try:
            ngrams = <int32_t *>allocated(malloc(<size_t>(longest + 1) * sizeof(int32_t)))
            counts = <int32_t *>allocated(calloc(<size_t>(entries if adds else known.ngrams) + 1, sizeof(int32_t)))
            for text in range(start, stop):
                length = <Py_ssize_t>(ends[text] - begins[text])
                self.lengths[text] = length
                watch(&watching, 1)
                for n in range(1, self.order + 1):
                    self.text_starts[text * self.order + n - 1] = noted
                    if n > length:
                        continue
                    table = &known.tokens if n == 1 else &known.pairs
                    if adds:
                        before = given
                        reserve_slots(table, tokens if n == 1 else given - tokens, length, seed, &watching)
                        given = intern_text(table[0], seed, &ids[begins[text]], length, <int>n, ngrams, given,
                                            &watching)
                        if n == 1:
                            tokens += given - before
                    else:
                        find_text(table[0], seed, &ids[begins[text]], length, <int>n, ngrams, &watching)
                    noted = note_counts(ngrams, length - n + 1, counts, self.text_ngrams, self.text_counts, noted,
                                        &watching)
                self.text_starts[(text + 1) * self.order] = noted
            if adds:
                self.ngrams = given
        finally:
            free(ngrams)
            free(counts)
        return 0

    cdef int invert(self, Watch *watching) except -1:
        """Build the inverted index from n-grams to texts."""
        cdef Py_ssize_t entries = self.text_starts[self.count * self.order]
        cdef Py_ssize_t text, k, place
        self.list_starts = <Py_ssize_t *>allocated(calloc(<size_t>self.ngrams + 2, sizeof(Py_ssize_t)))
        self.list_texts = <int32_t *>allocated(malloc(<size_t>(entries + 1) * sizeof(int32_t)))
        self.list_counts = <int32_t *>allocated(malloc(<size_t>(entries + 1) * sizeof(int32_t)))
        for k in range(entries):
            watch(watching, 1)
            self.list_starts[self.text_ngrams[k] + 2] += 1
        for k in range(self.ngrams):
            watch(watching, 1)
            self.list_starts[k + 2] += self.list_starts[k + 1]
        for text in range(self.count):
            for k in range(self.text_starts[text * self.order], self.text_starts[(text + 1) * self.order]):
                watch(watching, 1)
                place = self.list_starts[self.text_ngrams[k] + 1]
                self.list_starts[self.text_ngrams[k] + 1] += 1
                self.list_texts[place] = <int32_t>text
                self.list_counts[place] = self.text_counts[k]
        return 0

    def __dealloc__(self):
        free(self.tokens.slots)
        free(self.pairs.slots)
        free(self.lengths)
        free(self.text_starts)
        free(self.text_ngrams)
        free(self.text_counts)
        free(self.list_starts)
        free(self.list_texts)
        free(self.list_counts)
        free_tables(&self.tables)

    cdef int check_ready(self, Definition definition) except -1:
        if not self.ready:
            raise RuntimeError("the texts are not prepared")
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
        count = self.count
        if ids is not None:
            count = begins.shape[0]
            check_texts(ids.shape[0], begins, ends, 0, count)
        try:
            if definition.rules.order != 0:    # otherwise it is declined
                lengths = <int64_t *>allocated(malloc(<size_t>(count + 1) * sizeof(int64_t)))
                for i in range(count):
                    watch(&watching, 1)
                    lengths[i] = self.lengths[i] if ids is None else ends[i] - begins[i]
                make_tables(&self.tables, &definition.rules, lengths, count, self.lengths, self.count, &watching)
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
        self.check_ready(definition)
        if scores.shape[0] != self.count or scores.shape[1] != self.count or not 0 <= start <= stop <= self.count:
            raise ValueError("the scores do not fit the texts")
        self.score_rows(definition, self, start, stop, scores)

    def score_others(self, Definition definition not None, const int64_t[::1] ids, const int64_t[::1] begins,
                     const int64_t[::1] ends, Py_ssize_t start, Py_ssize_t stop, double[:, ::1] scores):
        """Write the scores of the hypotheses `start` to `stop` (exclusive) against all texts of the collection."""
        cdef PairwiseTexts others
        self.check_ready(definition)
        check_texts(ids.shape[0], begins, ends, start, stop)
        if (scores.shape[0] != begins.shape[0] or scores.shape[1] != self.count
                or not 0 <= start <= stop <= begins.shape[0]):
            raise ValueError("the scores do not fit the texts")
        others = PairwiseTexts.__new__(PairwiseTexts)
        others.note(self, ids, begins, ends, start, stop)
        self.score_rows(definition, others, start, stop, scores)

    cdef int score_rows(self, Definition definition, PairwiseTexts hypotheses, Py_ssize_t start, Py_ssize_t stop,
                        double[:, ::1] scores) except -1:
        cdef const Rules *rules = &definition.rules
        cdef bint each_other = hypotheses is self
        cdef Watch watching = begin_watch()
        cdef Py_ssize_t i
        cdef int64_t length
        cdef int32_t *matches = NULL
        cdef Py_ssize_t *cursors = NULL
        if rules.order == 0:    # declined
            scores[start:stop, :] = NAN
            return 0
        for i in range(start, self.count if each_other else stop):
            length = hypotheses.lengths[i]
            if length > self.tables.longest or (length > 0 and self.tables.terms[length].of_matches == NULL):
                raise ValueError("a text is of another length than those prepared for")
        try:
            matches = <int32_t *>allocated(calloc(<size_t>(self.count * self.order + 1), sizeof(int32_t)))
            cursors = <Py_ssize_t *>allocated(malloc(<size_t>(self.ngrams + 1) * sizeof(Py_ssize_t)))
            memcpy(cursors, self.list_starts, <size_t>self.ngrams * sizeof(Py_ssize_t))
            with nogil:
                self.walk(rules, hypotheses, each_other, start, stop, &self.tables, matches, cursors, scores,
                          &watching)
        finally:
            free(matches)
            free(cursors)
        return 0

    cdef int walk(self, const Rules *rules, PairwiseTexts hypotheses, bint each_other, Py_ssize_t start,
                  Py_ssize_t stop, const Tables *tables, int32_t *matches, Py_ssize_t *cursors,
                  double[:, ::1] scores, Watch *watching) except -1 nogil:
        cdef Py_ssize_t order = self.order
        cdef Py_ssize_t i, j, k, n, p, first, end
        cdef int32_t ngram, count
        cdef int32_t *column
        for i in range(start, stop):
            first = i if each_other else 0
            for n in range(order):
                column = matches + n
                for k in range(hypotheses.text_starts[i * order + n], hypotheses.text_starts[i * order + n + 1]):
                    ngram = hypotheses.text_ngrams[k]
                    count = hypotheses.text_counts[k]
                    end = self.list_starts[ngram + 1]
                    p = cursors[ngram]
                    while p < end and self.list_texts[p] < first:
                        p += 1
                    cursors[ngram] = p
                    watch(watching, (end - p) // 4 + 1)
                    if count == 1:
                        while p < end:
                            column[self.list_texts[p] * order] += 1
                            p += 1
                    else:
                        while p < end:
                            column[self.list_texts[p] * order] += (
                                count if count < self.list_counts[p] else self.list_counts[p])
                            p += 1
            for j in range(first, self.count):
                watch(watching, 4)
                scores[i, j] = score_one(rules, tables, hypotheses.lengths[i], self.lengths[j],
                                         matches + j * order)
                if each_other and j != i:
                    scores[j, i] = score_one(rules, tables, self.lengths[j], self.lengths[i], matches + j * order)
            memset(matches + first * order, 0, <size_t>((self.count - first) * order) * sizeof(int32_t))
        return 0


# --------------------------------------------------------------------------------------------------- against all others

def leave_one_out(const int64_t[::1] ids, const int64_t[::1] begins, const int64_t[::1] ends, Py_ssize_t max_order,
                  int64_t[:, ::1] stats):
    """Write the statistics row of each text with all others as references; the reference length is not written."""
    cdef Py_ssize_t tokens = check_collection(ids.shape[0], begins, ends, 1)
    cdef Py_ssize_t count = begins.shape[0]
    cdef int32_t *ngrams = NULL     # by position, text after text
    cdef int32_t *counts = NULL     # counts in the current text
    cdef int32_t *best = NULL       # the largest count of an n-gram in one text
    cdef int32_t *second = NULL     # and in another one
    cdef int32_t *owner = NULL      # the text that has the largest
    cdef Slot *memory = NULL
    cdef size_t size = <size_t>(tokens + 1) * sizeof(int32_t)
    if stats.shape[0] != count or stats.shape[1] != row_size(max_order):
        raise ValueError("the rows do not fit the texts")
    ngrams = <int32_t *>malloc(size)
    counts = <int32_t *>calloc(<size_t>(tokens + 1), sizeof(int32_t))
    best = <int32_t *>malloc(size)
    second = <int32_t *>malloc(size)
    owner = <int32_t *>malloc(size)
    memory = <Slot *>malloc(<size_t>slots_needed(tokens) * sizeof(Slot))
    try:
        if (ngrams == NULL or counts == NULL or best == NULL or second == NULL or owner == NULL or memory == NULL):
            raise MemoryError()
        with nogil:
            count_others(&ids[0] if tokens > 0 else NULL, begins, ends, tokens, max_order, stats, ngrams, counts,
                         best, second, owner, memory)
    finally:
        free(ngrams)
        free(counts)
        free(best)
        free(second)
        free(owner)
        free(memory)


cdef int count_others(const int64_t *ids, const int64_t[::1] begins, const int64_t[::1] ends, Py_ssize_t tokens,
                      Py_ssize_t max_order, int64_t[:, ::1] stats, int32_t *ngrams, int32_t *counts, int32_t *best,
                      int32_t *second, int32_t *owner, Slot *memory) except -1 nogil:
    cdef Seed seed = process_seed()
    cdef Slots table
    cdef Py_ssize_t text, start, length, i, n
    cdef Watch watching = begin_watch()
    cdef int32_t given, ngram, limit
    cdef int64_t matched
    for n in range(1, max_order + 1):
        make_empty(&table, memory, slots_needed(tokens), &watching)
        given = 0
        start = 0
        fill_bytes(best, 0, <size_t>(tokens + 1) * sizeof(int32_t), &watching)
        fill_bytes(second, 0, <size_t>(tokens + 1) * sizeof(int32_t), &watching)
        for text in range(begins.shape[0]):
            length = <Py_ssize_t>(ends[text] - begins[text])
            if n <= length:
                given = intern_text(table, seed, ids + begins[text], length, <int>n, ngrams + start, given,
                                    &watching)
            for i in range(start, start + length - n + 1):
                watch(&watching, 1)
                counts[ngrams[i]] += 1
            for i in range(start, start + length - n + 1):
                watch(&watching, 1)
                ngram = ngrams[i]
                if counts[ngram] > best[ngram]:
                    second[ngram] = best[ngram]
                    best[ngram] = counts[ngram]
                    owner[ngram] = <int32_t>text
                elif counts[ngram] > second[ngram]:
                    second[ngram] = counts[ngram]
                counts[ngram] = 0
            start += length
            watch(&watching, 8)
        start = 0
        for text in range(begins.shape[0]):
            length = <Py_ssize_t>(ends[text] - begins[text])
            matched = 0
            for i in range(start, start + length - n + 1):
                watch(&watching, 1)
                ngram = ngrams[i]
                limit = second[ngram] if owner[ngram] == text else best[ngram]
                matched += counts[ngram] < limit
                counts[ngram] += 1
            for i in range(start, start + length - n + 1):
                watch(&watching, 1)
                counts[ngrams[i]] = 0
            stats[text, 0] = length
            stats[text, 1 + n] = matched
            stats[text, 1 + max_order + n] = length - n + 1 if length >= n else 0
            start += length
            watch(&watching, 8)
    return 0
