from libc.stdint cimport int32_t, int64_t

from cybleu._kernels.common.buffers cimport Buffer
from cybleu._kernels.common.hashing cimport Seed
from cybleu._kernels.common.interrupts cimport Watch
from cybleu._kernels.common.ngram_tables cimport Slots


# An n-gram of a hypothesis. Numbers begin at 1; n-grams have larger numbers than their prefixes.
cdef struct NGram:
    int32_t prefix          # the number of the n-gram without its last token, 0 of a single token
    int32_t token
    int32_t known           # the id in the corpus, -1 if it is not there
    int32_t in_hypothesis   # counts
    int32_t in_reference
    int32_t most            # the largest count in one reference
    int32_t reference       # the reference, from 1, that `in_reference` is of


cdef struct Workspace:
    Buffer memory
    Watch watching
    Slots table             # from prefix and token to the n-gram
    NGram *ngrams
    int32_t count


cdef class NgramInformation:
    cdef readonly Py_ssize_t max_order
    cdef Slots table        # from the id of the prefix and the token to the id of the n-gram
    cdef double *information
    cdef int32_t distinct   # tokens
    cdef Seed seed
    cdef int fill(self, const int32_t[::1] tokens, const int64_t[::1] ends, int32_t zero) except -1
    cdef int read_hypothesis(self, Workspace *work, const int32_t *words, Py_ssize_t size) except -1 nogil
    cdef int read_reference(self, Workspace *work, const int32_t *words, Py_ssize_t size,
                            int32_t reference) except -1 nogil
    cdef int add_matches(self, Workspace *work, double *information) except -1 nogil
