# NIST's information of n-grams, and the matches that it weighs.

from libc.stdint cimport int32_t, int64_t

from cybleu._kernels.common.buffers cimport Buffer
from cybleu._kernels.common.ngram_tables cimport NgramCount
from cybleu._kernels.counting.index cimport Found, NgramIndex


# The n-grams of a hypothesis, by one thread. Zeroed before the first one.
cdef struct Hypothesis:
    Found found
    int32_t *largest        # by id: 0 for an n-gram of others, else 1 and the largest count in a reference
    Buffer terms


cdef class NgramInformation(NgramIndex):
    cdef readonly Py_ssize_t max_order
    cdef double *information        # by id
    cdef int32_t *tokens            # of the corpus
    cdef int64_t *ends

    cdef int inform(self, Py_ssize_t words, int32_t zero) except -1
    cdef bint is_corpus(self, const int32_t[::1] tokens, const int64_t[::1] ends) noexcept
    cdef int begin(self, Hypothesis *hypothesis, const int32_t *tokens, Py_ssize_t length) except -1 nogil

    # Write the information of the matches of order n + 1, in the order of the hypothesis; return the number of its
    # n-grams.
    cdef Py_ssize_t weigh(self, const Hypothesis *hypothesis, Py_ssize_t n, double *terms) noexcept nogil


# Forget the references, and the hypothesis itself.
cdef void forget(Hypothesis *hypothesis, Py_ssize_t order, bint all) noexcept nogil

cdef void free_hypothesis(Hypothesis *hypothesis) noexcept nogil


cdef inline void add_reference(Hypothesis *hypothesis, const NgramCount *ngrams, Py_ssize_t start,
                               Py_ssize_t end) noexcept nogil:
    cdef int32_t *largest = hypothesis.largest
    cdef Py_ssize_t k
    for k in range(start, end):
        if largest[ngrams[k].ngram]:
            largest[ngrams[k].ngram] = max(largest[ngrams[k].ngram], ngrams[k].count + 1)
