# Lines of raw text, as read by the kernels.

from libc.stdint cimport int64_t, uint8_t

from cybleu._kernels.text.tokenizing cimport Line


cdef class RawTexts:
    cdef Line *lines
    cdef readonly Py_ssize_t count
    cdef readonly Py_ssize_t size       # total size, in characters or bytes
    cdef object held

    cdef const uint8_t *divide(self, const uint8_t *at, const uint8_t *valid, const uint8_t *end) except NULL nogil


# Check that segments `start` to `stop` (exclusive) exist with at least one reference each; `sets` are their offsets.
cdef int check_segments(RawTexts hypotheses, RawTexts references, const int64_t[::1] sets, Py_ssize_t start,
                        Py_ssize_t stop) except -1
