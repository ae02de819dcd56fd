# The Arrow C data interface, a stable ABI.

from libc.stdint cimport int64_t, uint8_t

cdef struct ArrowSchema:
    const char *format
    const char *name
    const char *metadata
    int64_t flags
    int64_t n_children
    ArrowSchema **children
    ArrowSchema *dictionary
    void (*release)(ArrowSchema *) noexcept nogil
    void *private_data


cdef struct ArrowArray:
    int64_t length
    int64_t null_count
    int64_t offset
    int64_t n_buffers
    int64_t n_children
    const void **buffers
    ArrowArray **children
    ArrowArray *dictionary
    void (*release)(ArrowArray *) noexcept nogil
    void *private_data


cdef struct ArrowArrayStream:
    int (*get_schema)(ArrowArrayStream *, ArrowSchema *) noexcept nogil
    int (*get_next)(ArrowArrayStream *, ArrowArray *) noexcept nogil
    const char *(*get_last_error)(ArrowArrayStream *) noexcept nogil
    void (*release)(ArrowArrayStream *) noexcept nogil
    void *private_data


cdef class OwnSchema:
    cdef ArrowSchema schema


cdef class OwnArray:
    cdef ArrowArray array


cdef class ArrowColumn:
    cdef OwnSchema held_schema
    cdef OwnArray held_array
    cdef const ArrowSchema *schema
    cdef const ArrowArray *array
    cdef int64_t start
    cdef int64_t length
    cdef const uint8_t *validity    # of the parent struct, if this is a field of it
    cdef int64_t validity_offset
    cdef int hold(self, OwnSchema schema, OwnArray array) except -1


cdef str format_of(const ArrowSchema *schema)
cdef int check_schema(const ArrowSchema *schema) except -1

# Check the length and the numbers of buffers and children; a negative number of buffers is a minimum.
cdef int check_array(const ArrowSchema *schema, const ArrowArray *array, int64_t buffers, int64_t children) except -1


cdef inline bint is_null(const uint8_t *validity, int64_t place) noexcept nogil:
    return validity != NULL and not validity[place >> 3] >> (place & 7) & 1


cdef inline bint is_integer(const char *format) noexcept nogil:
    return format[0] in (c"c", c"C", c"s", c"S", c"i", c"I", c"l", c"L") and format[1] == 0
