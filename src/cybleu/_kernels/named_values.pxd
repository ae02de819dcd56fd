from libc.stdint cimport int32_t, int64_t

from cybleu._kernels.raw_tokens cimport RawVocabulary


cdef struct Entry:
    int64_t column
    double value


cdef class NamedValues:
    cdef RawVocabulary vocabulary   # of the names
    cdef Entry *entries         # of the rows that were not taken
    cdef int64_t *ends          # 0, and of each of these rows
    cdef Py_ssize_t entry_room, end_room
    cdef Py_ssize_t found       # entries, those of a row that is not ended included
    cdef Py_ssize_t ended       # rows

    cdef int append(self, int32_t column, double value) except -1 nogil
    cdef bint sort_row(self) noexcept nogil
    # Read the rest of a row, true where it is pairs of the ordinary form; forgotten unless the row is ended next.
    cdef int read(self, const char *at, const char *end, bint glued) except -1 nogil
    cdef int end_row(self) except -1 nogil
