# The values of a column as the other kernels read them.

from libc.stdint cimport int64_t

from cybleu._kernels.arrow cimport ArrowArray, ArrowSchema
from cybleu._kernels.tokenizing cimport Line

cdef struct Numbers:
    int64_t *values
    Py_ssize_t count
    Py_ssize_t room


cdef class ArrowValues:
    cdef readonly Py_ssize_t count
    cdef readonly int depth
    cdef readonly str kind
    cdef Numbers ends[2]        # of the lists of each level
    cdef Numbers nulls[3]       # where there is nothing, of each level
    cdef Line *lines            # of texts; the 16 bytes before each can be read
    cdef Py_ssize_t line_count
    cdef Py_ssize_t line_room
    cdef Numbers integers
    cdef bint in_bytes
    cdef int dropped
    cdef list held              # what the lines are in
    cdef dict copies
    cdef int add(self, object column) except -1
    cdef int descend(self, const ArrowSchema *schema, const ArrowArray *array, Numbers *positions, int level,
                     Numbers *sizes) except -1
    cdef str checked_kind(self, const ArrowSchema *schema, const ArrowArray *array)
    cdef int add_integers(self, const ArrowSchema *schema, const ArrowArray *array, const Numbers *positions) except -1
    cdef int add_texts(self, const ArrowSchema *schema, const ArrowArray *array, const Numbers *positions) except -1
    cdef int copy(self, Line *line, const void *text, Py_ssize_t size) except -1
