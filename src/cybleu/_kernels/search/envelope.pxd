# Changes of the best hypotheses along a line, for the error surface and the search for the best interval.

from libc.stdint cimport int32_t, int64_t
from libc.string cimport memcpy

from cybleu._kernels.common.interrupts cimport Watch

cdef struct Event:
    double x
    int64_t number              # index of the row of changes


cdef struct Events:
    Event *items
    void *changes               # of the statistics; one row for each event, in order of discovery
    Py_ssize_t count
    Py_ssize_t capacity


cdef struct Lines:
    const double *base
    const double *slope
    const int32_t *order        # by slope, within each segment
    const int64_t *offsets
    const int64_t *likely       # for each segment a hypothesis that wins somewhere
    Py_ssize_t segments
    Py_ssize_t longest          # segment
    double lower
    double upper


ctypedef fused Number:
    int64_t
    double


# Validate the arrays and store pointers to them.
cdef int fill(Lines *lines, const double[::1] base, const double[::1] slope, const int32_t[::1] order,
              const int64_t[::1] offsets, const int64_t[::1] likely, Py_ssize_t rows, double lower,
              double upper) except -1

# Collect all changes, sorted by x; the statistics at the lower end are added to the row.
cdef int list_events(const Lines *lines, const Number *stats, Py_ssize_t size, Number *row, Events *events,
                     Watch *watching) except -1 nogil


cdef inline bint differ(const Number *one, const Number *other, Py_ssize_t size) noexcept nogil:
    cdef Py_ssize_t n
    for n in range(size):
        if one[n] != other[n]:
            return True
    return False


cdef inline void step(const Events *events, Py_ssize_t position, Py_ssize_t size, Number *row) noexcept nogil:
    cdef const Number *change = <const Number *>events.changes + events.items[position].number * size
    cdef Py_ssize_t n
    for n in range(size):
        row[n] = row[n] + change[n]


cdef inline Py_ssize_t advance(const Events *events, Py_ssize_t position, Py_ssize_t size, Number *row, Number *saved,
                               bint *changed) noexcept nogil:
    """Apply all events at one x to the row; return the index of the next x."""
    cdef double x = events.items[position].x
    cdef Py_ssize_t end = position + 1
    changed[0] = True
    if Number is int64_t and (end == events.count or events.items[end].x != x):
        step(events, position, size, row)
        return end
    memcpy(saved, row, size * sizeof(Number))
    step(events, position, size, row)
    while end < events.count and events.items[end].x == x:
        step(events, end, size, row)
        end += 1
    changed[0] = differ(saved, row, size)
    return end
