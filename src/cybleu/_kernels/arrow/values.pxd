# Values of a column in the form that the other kernels read.

from libc.stdint cimport int64_t

from cybleu._kernels.arrow.streams cimport ArrowArray, ArrowSchema
from cybleu._kernels.text.tokenizing cimport Line

cdef struct Int64Buffer:
    int64_t *values
    Py_ssize_t count
    Py_ssize_t capacity


cdef class ArrowValues:
    cdef readonly Py_ssize_t count
    cdef readonly int depth
    cdef readonly str kind
    cdef Int64Buffer ends[2]        # list ends at each level
    cdef Int64Buffer nulls[3]       # positions of nulls at each level
    cdef Line *lines            # texts; the 16 bytes before each are readable
    cdef Py_ssize_t line_count
    cdef Py_ssize_t line_capacity
    cdef Int64Buffer integers
    cdef bint in_bytes
    cdef int dropped
    cdef list held              # owners of the memory of the lines
    cdef Int64Buffer fronts         # (line, start) of lines that begin in the first bytes of a buffer
    cdef int add(self, object column) except -1
    cdef int descend(self, const ArrowSchema *schema, const ArrowArray *array, Int64Buffer *positions, int level,
                     Int64Buffer *sizes) except -1
    cdef str checked_kind(self, const ArrowSchema *schema, const ArrowArray *array)
    cdef int add_integers(self, const ArrowSchema *schema, const ArrowArray *array,
                          const Int64Buffer *positions) except -1
    cdef int add_texts(self, const ArrowSchema *schema, const ArrowArray *array,
                       const Int64Buffer *positions) except -1
    cdef int copy_fronts(self) except -1
