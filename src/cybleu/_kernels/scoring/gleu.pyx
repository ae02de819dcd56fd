# cython: freethreading_compatible=True
"""GLEU: matches of a hypothesis and a reference, over the n-grams of the longer text."""

from cpython.long cimport PyLong_AsLongAndOverflow, PyLong_CheckExact
from cpython.object cimport PyObject
from libc.stdint cimport int32_t, int64_t

from cybleu._kernels.common.bits cimport cybleu_count_bits
from cybleu._kernels.common.base cimport CYBLEU_OTHER_THREADS_RUN, MAX_ORDER, cybleu_items
from cybleu._kernels.common.interrupts cimport look
from cybleu._kernels.counting.ngrams cimport MASK_BITS, MaskMatcher, add_reference_masks, begin_masks
from cybleu._kernels.scoring.scores cimport serves, copy_metadata
from cybleu._kernels.counting.segments cimport TOKENS_BETWEEN_LOOKS, count_segment, fetch_ahead, fetch_segment, frozen
from cybleu._kernels.tokens.objects cimport FewTokens, assign_few, look_up_few

cdef enum:
    LOOKS_BETWEEN_TURNS = 16    # checks after which the GIL is released
    MANY_REFERENCES = 1024


# The matches and n-grams of the best reference so far; a reference without n-grams is treated as no match.
cdef struct BestCounts:
    int64_t shared
    int64_t ngrams


cdef inline int64_t ngrams_of(int64_t length, int64_t min_len, int64_t max_len) noexcept:
    cdef int64_t last = min(length, max_len)
    return (last - min_len + 1) * (2 * length - min_len - last + 2) // 2 if last >= min_len else 0


cdef inline void compare(BestCounts *best, int64_t shared, int64_t ngrams) noexcept:
    if ngrams > 0 and (best.ngrams == 0
                       or <double>shared / <double>ngrams > <double>best.shared / <double>best.ngrams):
        best.shared, best.ngrams = shared, ngrams


cdef int count_one(PyObject *references, PyObject *hypothesis, const Py_ssize_t *orders, int64_t *found,
                   Py_ssize_t *work) except -1:
    """Add matches and n-grams of the reference with the largest ratio, on ties the first; 0 if declined."""
    cdef PyObject **texts
    cdef PyObject **tokens
    cdef PyObject **reference = NULL
    cdef Py_ssize_t count = 0
    cdef Py_ssize_t length = 0
    cdef Py_ssize_t size = 0
    cdef Py_ssize_t longest, k, n
    cdef int64_t shared
    cdef int32_t ids[MASK_BITS]
    cdef int32_t reference_ids[MASK_BITS]
    cdef FewTokens table
    cdef MaskMatcher matcher
    cdef BestCounts best
    if not cybleu_items(references, &texts, &count) or count == 0 or not cybleu_items(hypothesis, &tokens, &length):
        return 0
    longest = length
    for k in range(count if count <= MANY_REFERENCES else 0):
        if not cybleu_items(texts[k], &reference, &size):
            return 0
        longest = max(longest, size)
    best.shared = best.ngrams = 0
    if longest > MASK_BITS or count > MANY_REFERENCES:
        if not count_each(<object>references, <object>hypothesis, orders, &best, work):
            return 0
    else:   # no Python code runs, so borrowed references stay valid
        work[0] += (count + 1) * (longest + 8)
        if not assign_few(&table, tokens, length, ids):
            return 0
        begin_masks(&matcher, ids, <int>length, table.distinct, orders[1])
        for k in range(count):
            cybleu_items(texts[k], &reference, &size)
            if not look_up_few(&table, reference, size, reference_ids):
                return 0
            add_reference_masks(&matcher, reference_ids, <int>size)
            shared = 0
            for n in range(matcher.orders):
                if n >= orders[0] - 1:
                    shared += cybleu_count_bits(matcher.matched[n])
                matcher.matched[n] = 0      # each reference is counted separately
            compare(&best, shared, ngrams_of(max(length, size), orders[0], orders[1]))
    found[0] += best.shared
    found[1] += best.ngrams
    return 1


cdef int count_each(object references, object hypothesis, const Py_ssize_t *orders, BestCounts *best,
                    Py_ssize_t *work) except -1:
    """Like `count_one`, for texts of any length."""
    cdef PyObject **texts
    cdef Py_ssize_t count = 0
    cdef Py_ssize_t k = 0
    cdef Py_ssize_t n
    cdef int64_t matches[MAX_ORDER]
    cdef int64_t length = 0
    cdef int64_t reference_length = 0
    cdef int64_t shared
    cdef object alone
    while True:
        # reread each time: a signal handler may have changed the list
        if not cybleu_items(<PyObject *>references, &texts, &count):
            return 0
        if k >= count:
            return 1
        alone = (<object>texts[k],)
        for n in range(orders[1]):
            matches[n] = 0
        if not count_segment(<PyObject *>alone, <PyObject *>hypothesis, orders[1], &length, &reference_length, matches,
                             work):
            return 0
        shared = 0
        for n in range(orders[0] - 1, orders[1]):
            shared += matches[n]
        compare(best, shared, ngrams_of(max(length, reference_length), orders[0], orders[1]))
        k += 1
        if work[0] >= TOKENS_BETWEEN_LOOKS:
            work[0] = 0
            look()


cdef int read_orders(object min_len, object max_len, Py_ssize_t *orders) except -1:
    """Read the orders; 0 if they are declined."""
    cdef int overflow = 0
    if not PyLong_CheckExact(min_len) or not PyLong_CheckExact(max_len):
        return 0
    orders[0] = PyLong_AsLongAndOverflow(min_len, &overflow)    # -1 where it is too large
    orders[1] = PyLong_AsLongAndOverflow(max_len, &overflow)
    return 1 <= orders[0] <= orders[1] <= MAX_ORDER


cdef object ratio(object references, object hypothesis, object min_len, object max_len):
    """Return the GLEU of one segment, or None if it is declined."""
    cdef Py_ssize_t unwatched = 0
    cdef Py_ssize_t[2] orders
    cdef int64_t[2] found
    if not read_orders(min_len, max_len, orders):
        return None
    if CYBLEU_OTHER_THREADS_RUN:
        references, hypothesis = frozen(references, 2), frozen(hypothesis, 1)
    found[0] = found[1] = 0
    fetch_segment(<PyObject *>references, <PyObject *>hypothesis)
    if not count_one(<PyObject *>references, <PyObject *>hypothesis, orders, found, &unwatched):
        return None
    return <double>found[0] / <double>found[1] if found[1] > 0 else 0.0


def sentence_gleu(original):
    """Return a compiled version of `original`, which scores plain input and calls `original` for declined input."""

    def sentence_gleu(references, hypothesis, min_len=1, max_len=4):
        cdef object score = ratio(references, hypothesis, min_len, max_len) if serves() else None
        return original(references, hypothesis, min_len, max_len) if score is None else score

    return copy_metadata(original, sentence_gleu)


def gleu_counts(list_of_references, hypotheses, min_len, max_len):
    """Return the sums of matches and n-grams over the segments, or None if a segment or a container is declined."""
    cdef PyObject **references
    cdef PyObject **texts
    cdef Py_ssize_t count = 0
    cdef Py_ssize_t other_count = 0
    cdef Py_ssize_t i = 0
    cdef Py_ssize_t unwatched = 0
    cdef Py_ssize_t looks = 0
    cdef Py_ssize_t[2] orders
    cdef int64_t[2] found
    if not read_orders(min_len, max_len, orders):
        return None
    if CYBLEU_OTHER_THREADS_RUN:
        list_of_references, hypotheses = frozen(list_of_references, 3), frozen(hypotheses, 2)
    found[0] = found[1] = 0
    while True:
        if (not cybleu_items(<PyObject *>list_of_references, &references, &count)
                or not cybleu_items(<PyObject *>hypotheses, &texts, &other_count)
                or count != other_count):
            return None
        if i >= count:
            return found[0], found[1]
        fetch_ahead(references + i, texts + i, count - i)
        if not count_one(references[i], texts[i], orders, found, &unwatched):
            return None
        i += 1
        if unwatched >= TOKENS_BETWEEN_LOOKS:
            unwatched = 0
            looks += 1
            look()
            if looks % LOOKS_BETWEEN_TURNS == 0:
                with nogil:
                    pass
