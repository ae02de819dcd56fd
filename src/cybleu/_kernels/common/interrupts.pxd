# Ctrl-C in long-running kernels, with or without the GIL.

from libc.stdint cimport int64_t

cdef enum:
    STEPS = 32768       # between two reads of the clock; a step touches at most a page of memory


cdef struct Watch:
    Py_ssize_t steps    # since the clock was read
    int64_t looked      # time of the last check for an interrupt, in milliseconds


# Run signal handlers, which does nothing in other threads than the main one.
cdef int look() except -1 nogil

# Check for interrupts if the last check was a few hundredths of a second ago. Counting steps alone does not suffice:
# acquiring the GIL may block, and a step that misses the cache takes a hundred times as long as others.
cdef int look_if_due(Watch *watching) except -1 nogil


cdef inline Watch begin_watch() noexcept nogil:
    cdef Watch watching
    watching.steps = 0
    watching.looked = 0
    return watching


cdef inline int watch(Watch *watching, Py_ssize_t steps) except -1 nogil:
    watching.steps += steps
    if watching.steps >= STEPS:
        watching.steps = 0
        return look_if_due(watching)
    return 0
