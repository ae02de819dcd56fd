# A growable buffer that is reused between calls.

cdef enum:
    KEPT = 1048576          # bytes that stay allocated after a segment


# A zeroed struct is an empty buffer.
cdef struct Buffer:
    uint8_t *data
    Py_ssize_t capacity     # bytes


cdef inline int reserve(Buffer *buffer, uint64_t size) except -1 nogil:
    """Grow to at least this number of bytes. The contents are kept, but may move."""
    if CYBLEU_UNLIKELY(size > <uint64_t>buffer.capacity or buffer.data == NULL):
        if size > <uint64_t>PY_SSIZE_T_MAX:
            allocated(NULL)
        buffer.data = <uint8_t *>grown(buffer.data, <Py_ssize_t>size, &buffer.capacity, 1)
    return 0


cdef inline void free_buffer(Buffer *buffer) noexcept nogil:
    free(buffer.data)
    buffer.data = NULL
    buffer.capacity = 0
