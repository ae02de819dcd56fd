from libc.stdint cimport int32_t, int64_t

from cybleu._kernels.tokens.characters cimport RawVocabulary


cdef struct Entry:
    int64_t column
    double value


cdef class NamedValues:
    cdef RawVocabulary vocabulary   # of the names
    cdef Entry *entries         # of the rows not yet taken
    cdef int64_t *ends          # offsets of these rows, starting with 0
    cdef Py_ssize_t entry_capacity, end_capacity
    cdef Py_ssize_t found       # number of entries, including those of an unfinished row
    cdef Py_ssize_t ended       # rows

    cdef int append(self, int32_t column, double value) except -1 nogil
    cdef bint sort_row(self) noexcept nogil
    # Read the rest of a row; true if all pairs have the supported form. Discarded unless the row is ended next.
    cdef int read(self, const char *at, const char *end, bint glued) except -1 nogil
    cdef int end_row(self) except -1 nogil
