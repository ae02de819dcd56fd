# cython: freethreading_compatible=True
"""GLEU: the n-grams that a hypothesis shares with one of its references, and those of the text that has more."""

from cpython.long cimport PyLong_AsLongAndOverflow, PyLong_CheckExact
from cpython.object cimport PyObject
from libc.stdint cimport int64_t

from cybleu._kernels.common cimport CYBLEU_OTHER_THREADS_RUN, MAX_ORDER, cybleu_items
from cybleu._kernels.interrupts cimport look
from cybleu._kernels.scores cimport serves, stand_for
from cybleu._kernels.segments cimport TOKENS_BETWEEN_LOOKS, count_segment, fetch_ahead, fetch_segment, frozen

cdef enum:
    LOOKS_BETWEEN_TURNS = 16    # after which another thread may run


cdef int64_t ngrams_of(int64_t length, Py_ssize_t min_len, Py_ssize_t max_len) noexcept:
    cdef int64_t total = 0
    cdef Py_ssize_t n
    for n in range(min_len, max_len + 1):
        if length >= n:
            total += length - n + 1
    return total


cdef int count_one(object references, object hypothesis, Py_ssize_t min_len, Py_ssize_t max_len, int64_t *found,
                   Py_ssize_t *work) except -1:
    """Add matches and n-grams of the reference with the largest ratio, the first of equal ones; 0 where declined."""
    cdef PyObject **items
    cdef Py_ssize_t count = 0
    cdef Py_ssize_t k = 0
    cdef Py_ssize_t n
    cdef int64_t matches[MAX_ORDER]
    cdef int64_t length = 0
    cdef int64_t reference_length = 0
    cdef int64_t shared, ngrams
    cdef int64_t best_shared = 0
    cdef int64_t best_ngrams = 0
    cdef object alone = references
    while True:
        # read anew each time: a signal handler may have changed the list
        if not cybleu_items(<PyObject *>references, &items, &count) or count == 0:
            return 0
        if k >= count:
            break
        if count > 1:
            alone = (<object>items[k],)
        for n in range(max_len):
            matches[n] = 0
        if not count_segment(<PyObject *>alone, <PyObject *>hypothesis, max_len, &length, &reference_length, matches,
                             work):
            return 0
        shared = 0
        for n in range(min_len - 1, max_len):
            shared += matches[n]
        ngrams = max(ngrams_of(length, min_len, max_len), ngrams_of(reference_length, min_len, max_len))
        if ngrams > 0 and (best_ngrams == 0 or <double>shared / <double>ngrams
                           > <double>best_shared / <double>best_ngrams):
            best_shared, best_ngrams = shared, ngrams
        k += 1
    found[0] += best_shared
    found[1] += best_ngrams
    return 1


cdef int read_orders(object min_len, object max_len, Py_ssize_t *orders) except -1:
    """1, or 0 where these are no orders that are counted here."""
    cdef int overflow = 0
    if not PyLong_CheckExact(min_len) or not PyLong_CheckExact(max_len):
        return 0
    orders[0] = PyLong_AsLongAndOverflow(min_len, &overflow)    # -1 where it is too large
    orders[1] = PyLong_AsLongAndOverflow(max_len, &overflow)
    return 1 <= orders[0] <= orders[1] <= MAX_ORDER


cdef object ratio(object references, object hypothesis, object min_len, object max_len):
    """GLEU of one segment, or None where it is declined."""
    cdef Py_ssize_t unwatched = 0
    cdef Py_ssize_t[2] orders
    cdef int64_t[2] found
    if not read_orders(min_len, max_len, orders):
        return None
    if CYBLEU_OTHER_THREADS_RUN:
        references, hypothesis = frozen(references, 2), frozen(hypothesis, 1)
    found[0] = found[1] = 0
    fetch_segment(<PyObject *>references, <PyObject *>hypothesis)
    if not count_one(references, hypothesis, orders[0], orders[1], found, &unwatched):
        return None
    return <double>found[0] / <double>found[1] if found[1] > 0 else 0.0


def sentence_gleu(face):
    """The function `face`, compiled: it scores what is plain at once, and calls `face` for what is declined."""

    def sentence_gleu(references, hypothesis, min_len=1, max_len=4):
        cdef object score = ratio(references, hypothesis, min_len, max_len) if serves() else None
        return face(references, hypothesis, min_len, max_len) if score is None else score

    return stand_for(face, sentence_gleu)


def gleu_counts(list_of_references, hypotheses, min_len, max_len):
    """The sums of matches and n-grams over the segments, or None where a segment, or a container, is declined."""
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
        if not count_one(<object>references[i], <object>texts[i], orders[0], orders[1], found, &unwatched):
            return None
        i += 1
        if unwatched >= TOKENS_BETWEEN_LOOKS:
            unwatched = 0
            looks += 1
            look()
            if looks % LOOKS_BETWEEN_TURNS == 0:
                with nogil:
                    pass
