# Raw text as kernels read it.

from cybleu._kernels.tokenizing cimport Line


cdef class RawTexts:
    cdef Line *lines
    cdef readonly Py_ssize_t count
    cdef readonly Py_ssize_t size       # of all of them, in characters or bytes
    cdef object held
