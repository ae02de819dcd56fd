# Ctrl-C in long work, with or without the GIL.

from libc.stdint cimport int64_t
from libc.string cimport memset

cdef enum:
    FILLED_AT_ONCE = 16777216   # bytes
    STEPS = 32768       # of work between two looks at the clock, a step being up to a page of memory touched


cdef struct Watch:
    Py_ssize_t steps    # since the clock was read
    int64_t looked      # when an interrupt was last looked for, in milliseconds


# Run the handlers of signals, or end the work of a thread that was told to stop.
cdef int look() except -1 nogil

# Look if that is some hundredths of a second ago: not by the work alone, because taking the GIL may have to wait for
# another thread, and because a step that misses the cache takes a hundred times as long as one that does not.
cdef int look_if_due(Watch *watching) except -1 nogil

cdef int fill_many_bytes(void *memory, int value, size_t size, Watch *watching) except -1 nogil


cdef inline Watch begin_watch() noexcept nogil:
    cdef Watch watching
    watching.steps = 0
    watching.looked = 0
    return watching


cdef inline int fill_bytes(void *memory, int value, size_t size, Watch *watching) except -1 nogil:
    """memset, which for gigabytes takes long."""
    if size > FILLED_AT_ONCE:
        return fill_many_bytes(memory, value, size, watching)
    memset(memory, value, size)
    return 0


cdef inline int watch(Watch *watching, Py_ssize_t steps) except -1 nogil:
    watching.steps += steps
    if watching.steps >= STEPS:
        watching.steps = 0
        return look_if_due(watching)
    return 0
