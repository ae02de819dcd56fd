# Lines of raw text as kernels read them.

from libc.stdint cimport uint8_t

from cybleu._kernels.interrupts cimport Watch
from cybleu._kernels.tokenizing cimport Line


cdef class RawTexts:
    cdef Line *lines
    cdef readonly Py_ssize_t count
    cdef readonly Py_ssize_t size       # of all of them, in characters or bytes
    cdef object held

    cdef const uint8_t *divide(self, const uint8_t *at, const uint8_t *valid, const uint8_t *end,
                               Watch *watching) except NULL nogil
