from libc.stdint cimport int32_t, int64_t, uint32_t, uint64_t


cdef struct Known:
    uint32_t tag            # high bits of its hash
    int32_t number          # from 1; 0 in a free slot


cdef struct Span:
    Py_ssize_t begin
    Py_ssize_t length


cdef struct Entry:
    int64_t column
    double value


cdef class NamedValues:
    cdef readonly list names
    cdef Known *slots
    cdef uint64_t mask
    cdef char *text             # all names, one after the other
    cdef Span *spans            # where each is
    cdef Entry *entries         # of the rows that were not taken
    cdef int64_t *ends          # 0, and of each of these rows
    cdef Py_ssize_t text_room, span_room, entry_room, end_room
    cdef Py_ssize_t given       # names
    cdef Py_ssize_t found       # entries, those of a row that is not ended included
    cdef Py_ssize_t ended       # rows

    cdef int32_t column_of(self, const char *name, Py_ssize_t length, bint known_alone) except -2 nogil
    cdef int32_t add_name(self, const char *name, Py_ssize_t length, uint64_t hashed, uint64_t place) except -2 nogil
    cdef int make_room(self) except -1 nogil
    cdef int append(self, int32_t column, double value) except -1 nogil
    cdef bint sort_row(self) noexcept nogil
    # Read the rest of a row, true where it is pairs of the ordinary form; forgotten unless the row is ended next.
    cdef int read(self, const char *at, const char *end, bint glued) except -1 nogil
    cdef int end_row(self) except -1 nogil
