# cython: freethreading_compatible=True
"""NIST of a corpus, summed as in NLTK: the information of matches of hypotheses with their best references.

Only n-grams that match in some segment affect the score, and every part of a matching n-gram matches, too. So n-grams
of an order are numbered by the matching (n-1)-grams, and their number decreases with the order.
"""

from cpython.exc cimport PyErr_CheckSignals
from cpython.long cimport PyLong_AsLongAndOverflow, PyLong_CheckExact
from cpython.object cimport PyObject
from libc.math cimport exp, fabs, isfinite, log, pow
from libc.stdint cimport int32_t, int64_t
from libc.stdlib cimport free, malloc

import math

from cybleu._kernels.common.base cimport CYBLEU_OTHER_THREADS_RUN, MAX_ORDER, allocated, cybleu_items, new_bytes
from cybleu._kernels.common.hashing cimport Seed, process_seed
from cybleu._kernels.common.interrupts cimport Watch, begin_watch, watch
from cybleu._kernels.counting.segments cimport frozen
from cybleu._kernels.common.ngram_tables cimport MOST_NGRAMS, Slot, Slots, make_empty, pair_key, probe
from cybleu._kernels.tokens.objects cimport TokenTable, assign_many, make_table, slots_needed, table_size

cdef extern from *:
    """
    #if PY_VERSION_HEX >= 0x030C0000
      #define CYBLEU_SUM_IS_COMPENSATED 1
    #else
      #define CYBLEU_SUM_IS_COMPENSATED 0
    #endif
    """
    bint CYBLEU_SUM_IS_COMPENSATED
    void Py_INCREF(PyObject *kept) noexcept
    void Py_DECREF(PyObject *released) noexcept

cdef enum:
    WORK_BETWEEN_LOOKS = 65536  # tokens, and 8 for each text

# Computed by Python, and not by the compiler, which may round in another way.
cdef double LOG_2 = math.log(2)
cdef double BETA = math.log(0.5) / math.log(1.5) ** 2
cdef double TWO = 2         # in a variable, because compilers replace pow(x, 2.0)


# Segment s has the texts from segments[s] to before segments[s + 1], the hypothesis first. Text t has the tokens from
# starts[t] to before starts[t + 1].
cdef struct Corpus:
    Py_ssize_t count            # of segments
    Py_ssize_t texts
    Py_ssize_t tokens
    Py_ssize_t words            # of all references
    Py_ssize_t *segments
    Py_ssize_t *starts
    int32_t *grams              # by start position: the id of the n-gram, -1 if it matches nowhere


# One struct instead of several arrays, because the ids of a segment are far apart.
cdef struct NGram:
    double information          # negative until it is computed
    int32_t frequency           # in all references
    int32_t prefix_frequency    # of the n-gram without its last token
    int32_t matched             # the last segment with a match, counted from 1
    int32_t in_hypothesis       # counts in the current segment
    int32_t in_reference


# The reference with the largest precision, on ties with the largest length.
cdef struct BestReference:
    double precision
    double information
    Py_ssize_t length


cdef struct Sum:
    double value
    double compensation


cdef inline void add(Sum *total, double term) noexcept nogil:
    """Add like `sum` of the running Python: from 3.12 on with Neumaier's compensation."""
    cdef double new = total.value + term
    if CYBLEU_SUM_IS_COMPENSATED:
        if fabs(total.value) >= fabs(term):
            total.compensation += (total.value - new) + term
        else:
            total.compensation += (term - new) + total.value
    total.value = new


cdef inline double rounded(Sum total) noexcept nogil:
    return total.value + total.compensation if isfinite(total.compensation) else total.value


# ------------------------------------------------------------------------------------------------------------- reading

cdef int measure(object list_of_references, object hypotheses, Corpus *corpus) except -1:
    """Count segments, texts and tokens; 0 if a container is declined."""
    cdef PyObject **sets
    cdef PyObject **texts
    cdef PyObject **references
    cdef PyObject **tokens
    cdef Py_ssize_t other = 0
    cdef Py_ssize_t count = 0
    cdef Py_ssize_t size = 0
    cdef Py_ssize_t i, k
    corpus.texts = corpus.tokens = 0
    if (not cybleu_items(<PyObject *>list_of_references, &sets, &corpus.count)
            or not cybleu_items(<PyObject *>hypotheses, &texts, &other) or corpus.count != other):
        return 0
    for i in range(corpus.count):
        if not cybleu_items(sets[i], &references, &count) or count == 0 or not cybleu_items(texts[i], &tokens, &size):
            return 0
        corpus.texts += count + 1
        corpus.tokens += size
        for k in range(count):
            if not cybleu_items(references[k], &tokens, &size):
                return 0
            corpus.tokens += size
    return corpus.tokens <= MOST_NGRAMS and corpus.count <= MOST_NGRAMS


cdef int read_tokens(object list_of_references, object hypotheses, Corpus *corpus, TokenTable *table,
                     int32_t *held) except -1:
    """Assign ids to all tokens; 0 if one is declined or the containers have changed meanwhile.

    Checking for interrupts may run Python code. Before it, references to the table's tokens are taken (counted in
    `held`); after it, the containers are read again.
    """
    cdef PyObject **sets
    cdef PyObject **texts
    cdef PyObject **references
    cdef Py_ssize_t size = 0
    cdef Py_ssize_t other = 0
    cdef Py_ssize_t count = 0
    cdef Py_ssize_t text = 0
    cdef Py_ssize_t unwatched = 0
    cdef Py_ssize_t i = 0
    cdef Py_ssize_t k = 0       # of a segment, the hypothesis first
    corpus.words = 0
    corpus.starts[0] = 0
    while i < corpus.count:
        if (not cybleu_items(<PyObject *>list_of_references, &sets, &size)
                or not cybleu_items(<PyObject *>hypotheses, &texts, &other)
                or size != corpus.count or other != corpus.count
                or not cybleu_items(sets[i], &references, &count) or text - k + count >= corpus.texts):
            return 0
        if k == 0:
            corpus.segments[i] = text
        while k <= count and unwatched < WORK_BETWEEN_LOOKS:
            if not read_text(texts[i] if k == 0 else references[k - 1], corpus, text, table):
                return 0
            unwatched += corpus.starts[text + 1] - corpus.starts[text] + 8
            text += 1
            k += 1
        if k > count:
            corpus.words += corpus.starts[text] - corpus.starts[corpus.segments[i] + 1]
            i += 1
            k = 0
        if unwatched >= WORK_BETWEEN_LOOKS:
            unwatched = 0
            while held[0] < table.size:
                Py_INCREF(table.tokens[held[0]])
                held[0] += 1
            PyErr_CheckSignals()
    corpus.segments[corpus.count] = text
    return text == corpus.texts and corpus.starts[text] == corpus.tokens


cdef int read_text(PyObject *sequence, Corpus *corpus, Py_ssize_t text, TokenTable *table) except -1:
    cdef PyObject **tokens
    cdef Py_ssize_t size = 0
    cdef Py_ssize_t start = corpus.starts[text]
    if not cybleu_items(sequence, &tokens, &size) or size > corpus.tokens - start:
        return 0
    corpus.starts[text + 1] = start + size
    return assign_many(table, tokens, size, corpus.grams + start)


cdef int number_tokens(object list_of_references, object hypotheses, Corpus *corpus) except -2:
    """Read a corpus; return the number of distinct tokens, or -1 if the corpus is declined."""
    cdef int32_t held = 0
    cdef int32_t i
    cdef TokenTable table
    cdef void *memory = new_bytes(table_size(corpus.tokens))
    try:
        make_table(&table, memory, corpus.tokens)
        return table.size if read_tokens(list_of_references, hypotheses, corpus, &table, &held) else -1
    finally:
        for i in range(held):
            Py_DECREF(table.tokens[i])
        free(memory)


# ------------------------------------------------------------------------------------------------------------ counting

cdef inline void make_new(NGram *ngram, int32_t prefix_frequency) noexcept nogil:
    ngram.information = -1
    ngram.prefix_frequency = prefix_frequency
    ngram.frequency = ngram.matched = ngram.in_hypothesis = ngram.in_reference = 0


cdef int number_words(const Corpus *corpus, NGram *words, int32_t distinct, Watch *watching) except -1 nogil:
    """Count the unigrams in the references; their ids are the token ids."""
    cdef Py_ssize_t segment, i
    for i in range(distinct):
        watch(watching, 1)
        make_new(&words[i], <int32_t>corpus.words)
    for segment in range(corpus.count):
        for i in range(corpus.starts[corpus.segments[segment] + 1], corpus.starts[corpus.segments[segment + 1]]):
            watch(watching, 1)
            words[corpus.grams[i]].frequency += 1
    return 0


cdef int number_ngrams(const Corpus *corpus, int order, Slots table, const NGram *shorter, NGram *ngrams,
                       Seed seed, Watch *watching) except -1 nogil:
    """Number the n-grams of the hypotheses whose parts have matched, and count them in the references.

    The (n-1)-grams have ids in hypotheses where they matched, and in references if they are in any hypothesis.
    """
    cdef int32_t given = 0
    cdef int32_t *grams
    cdef Slot *slot
    cdef Py_ssize_t segment, text, i
    for segment in range(corpus.count):
        text = corpus.segments[segment]
        grams = corpus.grams + corpus.starts[text]
        for i in range(corpus.starts[text + 1] - corpus.starts[text] - order + 1):
            watch(watching, 1)
            if grams[i] < 0 or grams[i + 1] < 0:
                grams[i] = -1
                continue
            slot = probe(table, pair_key(grams[i], grams[i + 1]), seed)
            if slot.ngram < 0:
                slot.key = pair_key(grams[i], grams[i + 1])
                slot.ngram = given
                make_new(&ngrams[given], shorter[grams[i]].frequency)
                given += 1
            grams[i] = slot.ngram
    for segment in range(corpus.count):
        for text in range(corpus.segments[segment] + 1, corpus.segments[segment + 1]):
            grams = corpus.grams + corpus.starts[text]
            for i in range(corpus.starts[text + 1] - corpus.starts[text] - order + 1):
                watch(watching, 1)
                if (grams[i] < 0 or grams[i + 1] < 0
                        or not shorter[grams[i]].matched or not shorter[grams[i + 1]].matched):
                    grams[i] = -1
                    continue
                grams[i] = probe(table, pair_key(grams[i], grams[i + 1]), seed).ngram
                if grams[i] >= 0:
                    ngrams[grams[i]].frequency += 1
    return 0


cdef inline double weight(NGram *ngram) noexcept nogil:
    """Return the information of an n-gram that is in a reference."""
    if ngram.information < 0:
        ngram.information = log(<double>ngram.prefix_frequency / <double>ngram.frequency) / LOG_2
    return ngram.information


cdef Py_ssize_t match(const Corpus *corpus, Py_ssize_t segment, int order, NGram *ngrams, int32_t *distinct,
                      BestReference *best, Watch *watching) except -1 nogil:
    """Find the best reference of a segment, and count the n-grams of its hypothesis that are in any reference.

    The ids of other n-grams are removed.

    :param distinct: memory for the ids of the n-grams of the hypothesis, in order of first occurrence
    """
    cdef Py_ssize_t first = corpus.segments[segment]
    cdef Py_ssize_t places = max(corpus.starts[first + 1] - corpus.starts[first] - order + 1, 0)
    cdef int32_t *hypothesis = corpus.grams + corpus.starts[first]
    cdef int32_t *reference
    cdef NGram *ngram
    cdef Py_ssize_t text, length, i
    cdef int32_t mark = <int32_t>segment + 1
    cdef double precision, information
    cdef Sum total
    cdef Py_ssize_t count = 0
    cdef Py_ssize_t kept = 0
    best.precision = best.information = -1
    best.length = -1
    for i in range(places):
        watch(watching, 1)
        if hypothesis[i] >= 0:
            ngram = &ngrams[hypothesis[i]]
            if ngram.in_hypothesis == 0:
                distinct[count] = hypothesis[i]
                count += 1
            ngram.in_hypothesis += 1
    for text in range(first + 1, corpus.segments[segment + 1]):
        reference = corpus.grams + corpus.starts[text]
        length = corpus.starts[text + 1] - corpus.starts[text]
        for i in range(length - order + 1 if count else 0):
            watch(watching, 1)
            if reference[i] >= 0:
                ngram = &ngrams[reference[i]]
                ngram.in_reference += ngram.in_hypothesis > 0
        total.value = total.compensation = 0
        for i in range(count):
            watch(watching, 1)
            ngram = &ngrams[distinct[i]]
            if ngram.in_reference:
                ngram.matched = mark
                add(&total, weight(ngram) * min(ngram.in_hypothesis, ngram.in_reference))
                ngram.in_reference = 0
        information = rounded(total)
        precision = information / <double>places if places > 0 else 0
        if (precision > best.precision
                or precision == best.precision and information > best.information
                or precision == best.precision and information == best.information and length > best.length):
            best.precision, best.information, best.length = precision, information, length
    for i in range(count):
        watch(watching, 1)
        ngrams[distinct[i]].in_hypothesis = 0
    for i in range(places if count else 0):
        watch(watching, 1)
        if hypothesis[i] >= 0 and ngrams[hypothesis[i]].matched != mark:
            hypothesis[i] = -1
        kept += hypothesis[i] >= 0
    return kept


cdef int sum_orders(const Corpus *corpus, int max_order, int32_t distinct, Slot *slots, NGram **ngrams, int32_t *ids,
                    double *weighted, int64_t *totals, int64_t *lengths) except -1 nogil:
    """Sum the information of the matches and the n-grams of the hypotheses by order, and both lengths over orders.

    :param ngrams: memory for two orders
    :param ids: memory for the ids of a hypothesis
    """
    cdef Seed seed = process_seed()
    cdef Slots table
    cdef Watch watching = begin_watch()
    cdef NGram *current
    cdef BestReference best
    cdef Py_ssize_t segment, text, length
    cdef Py_ssize_t most = distinct
    cdef Py_ssize_t kept
    cdef int n
    for n in range(1, max_order + 1):
        current = ngrams[n % 2]
        if n == 1:
            number_words(corpus, current, distinct, &watching)
        else:
            make_empty(&table, slots, slots_needed(most), &watching)
            number_ngrams(corpus, n, table, ngrams[1 - n % 2], current, seed, &watching)
        kept = 0
        for segment in range(corpus.count):
            kept += match(corpus, segment, n, current, ids, &best, &watching)
            text = corpus.segments[segment]
            length = corpus.starts[text + 1] - corpus.starts[text]
            weighted[n - 1] += best.information
            totals[n - 1] += max(length - n + 1, 0)
            lengths[0] += best.length
            lengths[1] += length
        most = kept
    return 0


cdef double score_of(const double *weighted, const int64_t *totals, int orders, int64_t reference,
                     int64_t hypothesis) noexcept nogil:
    """Compute NIST from sums as Python computes it; -1 where it divides by zero."""
    cdef double precision = 0
    cdef double ratio
    cdef int n
    for n in range(orders):
        if totals[n] == 0:
            return -1
        precision += weighted[n] / <double>totals[n]
    if reference == 0:
        return -1
    ratio = <double>hypothesis / <double>reference
    return precision * exp(BETA * pow(log(ratio), TWO)) if ratio < 1 else precision


def corpus_nist(list_of_references, hypotheses, n):
    """Compute NIST of a corpus.

    Return None if a segment, a container or the order is declined, or the score divides by zero.
    """
    cdef int overflow = 0
    cdef Py_ssize_t order, most
    cdef int32_t distinct
    cdef int max_order, i
    cdef Corpus corpus
    cdef NGram *ngrams[2]
    cdef double[MAX_ORDER] weighted
    cdef int64_t[MAX_ORDER] totals
    cdef int64_t[2] lengths
    cdef Slot *slots = NULL
    cdef double score
    if not PyLong_CheckExact(n):
        return None
    order = PyLong_AsLongAndOverflow(n, &overflow)
    if overflow or not 1 <= order <= MAX_ORDER:
        return None
    max_order = <int>order
    if CYBLEU_OTHER_THREADS_RUN:
        list_of_references, hypotheses = frozen(list_of_references, 3), frozen(hypotheses, 2)
    if not measure(list_of_references, hypotheses, &corpus):
        return None
    ngrams[0] = NULL
    corpus.segments = NULL
    try:
        corpus.segments = <Py_ssize_t *>allocated(malloc(
            <size_t>(corpus.count + corpus.texts + 2) * sizeof(Py_ssize_t)
            + <size_t>(corpus.tokens + 1) * sizeof(int32_t)))
        corpus.starts = corpus.segments + corpus.count + 1
        corpus.grams = <int32_t *>(corpus.starts + corpus.texts + 1)
        distinct = number_tokens(list_of_references, hypotheses, &corpus)
        if distinct < 0:
            return None
        most = max(<Py_ssize_t>distinct, corpus.tokens - corpus.words) + 1
        slots = <Slot *>allocated(malloc(<size_t>slots_needed(corpus.tokens - corpus.words) * sizeof(Slot)))
        ngrams[0] = <NGram *>allocated(malloc(<size_t>most * (2 * sizeof(NGram) + sizeof(int32_t))))
        ngrams[1] = ngrams[0] + most
        for i in range(max_order):
            weighted[i] = 0
            totals[i] = 0
        lengths[0] = lengths[1] = 0
        with nogil:
            sum_orders(&corpus, max_order, distinct, slots, ngrams, <int32_t *>(ngrams[1] + most), weighted, totals,
                       lengths)
            score = score_of(weighted, totals, max_order, lengths[0], lengths[1])
        return None if score < 0 else score
    finally:
        free(corpus.segments)
        free(slots)
        free(ngrams[0])
