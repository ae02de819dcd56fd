# Allocation, and buffers that are reused between calls.
#
# Offers: `allocated`, `new_array`, `new_zeros`, `grown`; `clear_items`, `copy_items`; `Buffer` with `reserve` and
# `free_buffer`.

cdef extern from "Python.h":
    Py_ssize_t PY_SSIZE_T_MAX


cdef extern from "common/memory.h":
    void clear_items "CYBLEU_CLEAR_ITEMS" (void *items, Py_ssize_t count) noexcept nogil
    void copy_items "CYBLEU_COPY_ITEMS" (void *to, const void *items, Py_ssize_t count) noexcept nogil


cdef inline void *allocated(void *memory) except NULL nogil:
    """Return the result of malloc, calloc or realloc, or raise MemoryError if it is NULL."""
    if memory == NULL:
        with gil:
            raise MemoryError()
    return memory


cdef inline void *new_array(Py_ssize_t count, size_t size) except NULL nogil:
    """Allocate an array of items; raise MemoryError also if its size in bytes, or the count, overflows a Py_ssize_t."""
    if not 0 <= count <= PY_SSIZE_T_MAX // <Py_ssize_t>size:
        return allocated(NULL)
    return allocated(malloc(<size_t>max(count, <Py_ssize_t>1) * size))


cdef inline void *new_zeros(Py_ssize_t count, size_t size) except NULL nogil:
    """Allocate an array as `new_array` does, filled with zeros."""
    if not 0 <= count <= PY_SSIZE_T_MAX // <Py_ssize_t>size:
        return allocated(NULL)
    return allocated(calloc(<size_t>max(count, <Py_ssize_t>1), size))


cdef inline void *grown(void *memory, Py_ssize_t wanted, Py_ssize_t *capacity, size_t size) except NULL nogil:
    """Reallocate to hold at least `wanted` items, at least doubling the capacity; unchanged if it suffices."""
    if memory != NULL and wanted <= capacity[0]:
        return memory
    cdef Py_ssize_t most = PY_SSIZE_T_MAX // <Py_ssize_t>size
    wanted = max(wanted, 2 * min(capacity[0], most // 2), 16)
    if wanted > most:
        with gil:
            raise MemoryError()
    memory = allocated(realloc(memory, <size_t>wanted * size))
    capacity[0] = wanted
    return memory


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
