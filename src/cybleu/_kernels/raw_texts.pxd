# Lines of raw text as kernels read them.

from libc.stdint cimport int64_t, uint8_t

from cybleu._kernels.interrupts cimport Watch
from cybleu._kernels.tokenizing cimport Line


cdef class RawTexts:
    cdef Line *lines
    cdef readonly Py_ssize_t count
    cdef readonly Py_ssize_t size       # of all of them, in characters or bytes
    cdef object held

    cdef const uint8_t *divide(self, const uint8_t *at, const uint8_t *valid, const uint8_t *end,
                               Watch *watching) except NULL nogil


# Whether the segments from `start` to before `stop` are there, each with a reference; `sets` says where theirs begin.
cdef int check_segments(RawTexts hypotheses, RawTexts references, const int64_t[::1] sets, Py_ssize_t start,
                        Py_ssize_t stop) except -1
