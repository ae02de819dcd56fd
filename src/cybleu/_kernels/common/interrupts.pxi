# Ctrl-C in long-running kernels, with or without the GIL. Python handles it only in the main thread, between bytecodes.
#
# Offers: `Watch` with `begin_watch`, `watch`, `watch_long`, and `block_end` in long loops; `look` for what is watched
# otherwise.

cdef extern from "common/clock.h":
    int64_t cybleu_milliseconds() noexcept nogil


cdef enum:
    STEPS = 32768       # between two reads of the clock; a step touches at most a page of memory
    MILLISECONDS = 20


cdef struct Watch:
    Py_ssize_t steps    # since the clock was read
    int64_t looked      # time of the last check for an interrupt, in milliseconds


cdef inline Watch begin_watch() noexcept nogil:
    """Return a watch that has not looked yet."""
    return Watch(0, 0)


cdef inline int watch(Watch *watching, Py_ssize_t steps) except -1 nogil:
    """Count steps, and look for an interrupt if there were many since the last look."""
    watching.steps += steps
    if watching.steps >= STEPS:
        watching.steps = 0
        return look_if_due(watching)
    return 0


cdef inline int watch_long(Watch *watching, Py_ssize_t steps) except -1 nogil:
    """Look for an interrupt in a loop over one text; not for texts of ordinary length, which the caller watches."""
    if CYBLEU_UNLIKELY(steps > STEPS):
        return look_if_due(watching)
    return 0


cdef inline Py_ssize_t block_end(Py_ssize_t first, Py_ssize_t count, Watch *watching) except -1 nogil:
    """Return where a block of STEPS that begins at `first` ends in such a loop; look before each block but the last."""
    watch_long(watching, count - first)
    return min(first + STEPS, count)


cdef int look() except -1 nogil:
    """Run signal handlers, which does nothing in other threads than the main one."""
    with gil:
        PyErr_CheckSignals()
    return 0


cdef int look_if_due(Watch *watching) except -1 nogil:
    """Check for interrupts if the last check was a few hundredths of a second ago.

    Counting steps alone does not suffice: acquiring the GIL may block, and a step that misses the cache takes a hundred
    times as long as others.
    """
    cdef int64_t now = cybleu_milliseconds()
    if now - watching.looked >= MILLISECONDS:
        watching.looked = now
        return look()
    return 0
