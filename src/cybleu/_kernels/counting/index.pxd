# The n-grams of a collection of texts.

from libc.stdint cimport int32_t, int64_t

from cybleu._kernels.common.buffers cimport Buffer
from cybleu._kernels.common.ngram_tables cimport NgramCount, Slots


# The n-grams of one text, found by one thread: those of order n + 1 from starts[n] to before starts[n + 1].
cdef struct Found:
    Buffer memory
    int32_t *counts         # by id, 0
    NgramCount *ngrams
    Py_ssize_t *starts


cdef class NgramIndex:
    """The n-grams of texts up to an order, with ids from 0 on: tokens have the lowest ones, which the caller gave.

    Filled once; then any number of threads may read it.
    """

    cdef Py_ssize_t order
    cdef Py_ssize_t texts
    cdef int32_t distinct           # tokens
    cdef int32_t size               # number of ids
    cdef Slots table                # n-gram and the next token -> longer n-gram
    cdef Py_ssize_t *starts         # [text * order + n]: where the n-grams of a text and order begin
    cdef NgramCount *ngrams         # in the order of their first occurrence

    # Text k has the tokens before ends[k], from 0 to before `distinct`.
    cdef int fill(self, const int32_t *tokens, const int64_t *ends, Py_ssize_t texts, int32_t distinct,
                  Py_ssize_t max_order) except -1

    # Find those of another text, which may have other tokens. `found` is zeroed before the first one.
    cdef int find(self, Found *found, const int32_t *tokens, Py_ssize_t length) except -1 nogil


cdef void free_found(Found *found) noexcept nogil

# Make an empty table for this number of keys.
cdef int make_slots(Slots *table, Py_ssize_t keys) except -1 nogil
