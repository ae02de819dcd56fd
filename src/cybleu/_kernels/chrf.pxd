# How chrF counts and scores.

from libc.stdint cimport int64_t

from cybleu._kernels.chrf_texts cimport Workshop
from cybleu._kernels.tokenizing cimport Line
from cybleu._kernels.raw_texts cimport RawTexts

cdef enum:
    MOST_ORDERS = 128
    ROW = 384               # 3 * MOST_ORDERS


cdef struct Rules:
    int char_order
    int word_order
    int space
    bint epsilon
    double factor       # beta ** 2
    double plus         # 1 + beta ** 2


# The F-score of a row whose numbers are below 2 ** 53, by sacreBLEU's float operations in its order.
cdef double score_of(const Rules *rules, const int64_t *row) noexcept nogil

# Write the row of the reference with the best score, the first of equal ones; there is at least one.
cdef int count_segment(const Rules *rules, Workshop *shop, const Line *hypothesis, const Line *references,
                       Py_ssize_t count, int64_t *row) except -1 nogil


cdef class CharacterF:
    cdef Rules rules
    cdef readonly int order

    cdef int check(self, RawTexts hypotheses, RawTexts references, const int64_t[::1] sets, Py_ssize_t start,
                   Py_ssize_t stop) except -1
