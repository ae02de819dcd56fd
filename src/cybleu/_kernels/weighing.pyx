# cython: freethreading_compatible=True
"""The best hypothesis of each segment by weights, of all features or near other weights."""

from libc.math cimport INFINITY
from libc.stdint cimport int64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memset

from cybleu._kernels.common cimport allocated
from cybleu._kernels.interrupts cimport Watch, begin_watch, watch
from cybleu._kernels.tables cimport check_offsets

cdef enum:
    BLOCK = 1024        # hypotheses whose features are read together


def winners(const double[:, ::1] columns, const int64_t[::1] offsets, const double[:, ::1] weights,
            int64_t[:, ::1] chosen, double[::1] values=None):
    """For each row of weights the hypothesis of each segment with the highest value, the first of equal ones.

    A value is the sum of weight * feature from the first feature on. The values by the last row go to `values`.
    """
    cdef Py_ssize_t features = columns.shape[0]
    cdef Py_ssize_t count = columns.shape[1]
    cdef Py_ssize_t longest, begin, end, s, r, first, size, best
    cdef double *out
    cdef double *values_of_segment
    cdef double high
    longest = check_offsets(offsets, count, 1)
    if (weights.shape[1] != features or chosen.shape[0] != weights.shape[0]
            or chosen.shape[1] != offsets.shape[0] - 1 or (values is not None and values.shape[0] != count)):
        raise ValueError("the arrays do not fit each other")
    cdef Py_ssize_t segments = offsets.shape[0] - 1
    cdef Watch watching = begin_watch()
    cdef double *scratch = <double *>allocated(malloc((longest + BLOCK) * sizeof(double)))
    try:
        with nogil:
            begin = 0
            while begin < segments:
                end = begin + 1
                while end < segments and offsets[end] - offsets[begin] < BLOCK:
                    end += 1
                first = offsets[begin]
                out = scratch
                for r in range(weights.shape[0]):
                    watch(&watching, offsets[end] - first)
                    if values is not None:
                        out = &values[first]
                    add_products(columns, &weights[r, 0], first, offsets[end] - first, out)
                    for s in range(begin, end):
                        size = offsets[s + 1] - offsets[s]
                        values_of_segment = out + (offsets[s] - first)
                        high = highest(values_of_segment, size)
                        best = 0
                        while best < size and values_of_segment[best] != high:
                            best += 1
                        chosen[r, s] = offsets[s] + (best if best < size else 0)       # no number equals NaN
                begin = end
    finally:
        free(scratch)


cdef double highest(const double *values, Py_ssize_t size) noexcept nogil:
    """The highest value; if the first is NaN, that."""
    cdef double highs[4]
    cdef Py_ssize_t i
    cdef int k
    for k in range(4):
        highs[k] = values[0]
    for i in range(0, size - 3, 4):     # four chains: a maximum waits for the one before
        for k in range(4):
            highs[k] = values[i + k] if values[i + k] > highs[k] else highs[k]
    for i in range(size - size % 4, size):
        highs[0] = values[i] if values[i] > highs[0] else highs[0]
    return max(max(highs[0], highs[1]), max(highs[2], highs[3]))


cdef void add_products(const double[:, ::1] columns, const double *weights, Py_ssize_t first, Py_ssize_t size,
                       double *out) noexcept nogil:
    """The sums of weight * feature from the first feature on, four features in a pass over the hypotheses."""
    cdef Py_ssize_t f = 0
    cdef Py_ssize_t i
    cdef const double *a
    cdef const double *b
    cdef const double *c
    cdef const double *d
    memset(out, 0, size * sizeof(double))
    while f + 4 <= columns.shape[0]:
        a, b, c, d = &columns[f, first], &columns[f + 1, first], &columns[f + 2, first], &columns[f + 3, first]
        for i in range(size):
            out[i] = ((((out[i] + weights[f] * a[i]) + weights[f + 1] * b[i]) + weights[f + 2] * c[i])
                      + weights[f + 3] * d[i])
        f += 4
    while f < columns.shape[0]:
        a = &columns[f, first]
        for i in range(size):
            out[i] = out[i] + weights[f] * a[i]
        f += 1


def winners_near(const double[:, ::1] columns, const int64_t[::1] offsets, const double[::1] weights,
                 const double[::1] values, const double[::1] slope, double step, const double[::1] errors,
                 int64_t[::1] chosen):
    """As :func:`winners` for one row of weights, by the features of those hypotheses alone that may be the best.

    :param values: by other weights; value + step * slope is the value by these, but for an error
    :param errors: for each segment, no smaller than any of these errors
    """
    cdef Py_ssize_t count = columns.shape[1]
    cdef Py_ssize_t longest, s, i, f, first, size, best, near
    cdef double limit, value, best_value
    longest = check_offsets(offsets, count, 1)
    if (weights.shape[0] != columns.shape[0] or values.shape[0] != count or slope.shape[0] != count
            or errors.shape[0] != offsets.shape[0] - 1 or chosen.shape[0] != errors.shape[0]):
        raise ValueError("the arrays do not fit each other")
    cdef Watch watching = begin_watch()
    cdef double *about = <double *>allocated(malloc((longest + 1) * sizeof(double)))
    try:
        with nogil:
            for s in range(errors.shape[0]):
                first = offsets[s]
                size = offsets[s + 1] - first
                watch(&watching, size)
                for i in range(size):
                    about[i] = values[first + i] + step * slope[first + i]
                limit = highest(about, size) - 2.0 * errors[s]
                near = 0
                best = 0
                for i in range(size):
                    best = i if near == 0 else best
                    near += not about[i] < limit
                if near > 1:
                    best_value = -INFINITY
                    for i in range(size):
                        if not about[i] < limit:
                            value = 0.0
                            for f in range(columns.shape[0]):
                                value = value + weights[f] * columns[f, first + i]
                            if value > best_value:
                                best_value = value
                                best = i
                chosen[s] = first + best
    finally:
        free(about)
