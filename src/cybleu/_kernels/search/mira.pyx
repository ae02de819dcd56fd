# cython: freethreading_compatible=True
"""A pass of batch MIRA over the segments."""

from libc.math cimport exp, fabs, log
from libc.stdint cimport int64_t
from libc.stdlib cimport free

from cybleu._kernels.common.base cimport new_array
from cybleu._kernels.search.feature_rows cimport FeatureRows, Rows, differ, weigh_rows
from cybleu._kernels.common.interrupts cimport Watch, begin_watch, watch
from cybleu._kernels.common.ngram_tables cimport check_offsets


cdef struct Gains:
    const int64_t *stats        # NULL if `fixed` has the gains
    const double *fixed
    const double *shares        # of the orders; NULL is uniform
    double *background          # a row of statistics
    int order


cdef struct Options:
    double step
    double decay
    double safe_ratio           # 0 is no limit
    bint model_background


cdef double gain_of(const Gains *gains, Py_ssize_t row) noexcept nogil:
    """Return the BLEU of a hypothesis plus the background, times their reference length."""
    cdef const double *background = gains.background
    cdef const int64_t *counts
    cdef double ratio = 1.0
    cdef double mean = 0.0
    cdef double length, wanted, matches, total
    cdef int n, order = gains.order
    if gains.stats == NULL:
        return gains.fixed[row]
    counts = gains.stats + row * (2 + 2 * order)
    length = background[0] + <double>counts[0]
    wanted = background[1] + <double>counts[1]
    if not length > 0.0:
        return 0.0
    for n in range(order):
        if gains.shares != NULL and gains.shares[n] == 0.0:
            continue
        matches = background[2 + n] + <double>counts[2 + n]
        if not matches > 0.0:
            return 0.0
        total = background[2 + order + n] + <double>counts[2 + order + n]
        if not total > 0.0:
            return 0.0
        matches /= total
        if gains.shares != NULL:
            mean += gains.shares[n] * log(matches)
        else:
            ratio *= matches
    if gains.shares == NULL:
        if not ratio > 0.0:
            return 0.0
        mean = log(ratio) / order
    if length < wanted:
        mean += 1.0 - wanted / length
    return exp(mean) * wanted


cdef inline Py_ssize_t highest(const double *values, const double *gains, Py_ssize_t size, double scale,
                               double sign) noexcept nogil:
    """Return the first hypothesis that maximises scale * value + sign * gain (or value, without gains)."""
    cdef Py_ssize_t i
    cdef Py_ssize_t best = 0
    cdef double high, sum
    for i in range(size):
        sum = scale * values[i]
        if gains != NULL:
            sum += sign * gains[i]
        if i == 0 or sum > high:
            high = sum
            best = i
    return best


def mira_pass(FeatureRows rows not None, const int64_t[::1] offsets not None, const int64_t[::1] order not None,
              metric not None, double[::1] weights not None, double[::1] lag not None, Py_ssize_t updates,
              options not None):
    """Update the weights by the hope and fear hypotheses of each segment, and return the total number of updates.

    :param order: order in which segments are visited
    :param metric: a :class:`cybleu.tuning.mira.Gains`, whose background is updated
    :param weights: modified in place
    :param lag: weights - lag / updates is the average of the weights after each segment
    :param options: a :class:`cybleu.tuning.mira.Options`
    """
    cdef const int64_t[:, ::1] stats = metric.stats
    cdef const double[::1] fixed = metric.fixed
    cdef const double[::1] shares = metric.shares
    cdef double[::1] background = metric.background
    cdef Options how
    how.step, how.decay = options.step, options.decay
    how.safe_ratio, how.model_background = options.safe_ratio, options.model_background
    if background is None:
        raise ValueError("there is no background")
    cdef Gains gains
    cdef Py_ssize_t longest = check_offsets(offsets, rows.rows.count, 1)
    cdef Py_ssize_t s
    cdef double *scratch
    cdef int64_t *columns = NULL
    cdef Watch watching = begin_watch()
    if weights.shape[0] != rows.rows.size or lag.shape[0] != rows.rows.size or rows.rows.size == 0:
        raise ValueError("the weights do not fit the rows")
    for s in range(order.shape[0]):
        if not 0 <= order[s] < offsets.shape[0] - 1:
            raise ValueError("a segment is out of range")
    gains.stats, gains.fixed, gains.shares, gains.background, gains.order = NULL, NULL, NULL, NULL, 0
    if offsets.shape[0] == 1:
        return updates
    if stats is not None:
        gains.order = <int>(stats.shape[1] // 2 - 1)
        if (gains.order < 1 or stats.shape[1] % 2 or stats.shape[0] != rows.rows.count
                or background.shape[0] != stats.shape[1] or (shares is not None and shares.shape[0] != gains.order)):
            raise ValueError("the statistics do not fit the rows")
        gains.stats, gains.background = &stats[0, 0], &background[0]
        if shares is not None:
            gains.shares = &shares[0]
    else:
        if fixed is None or fixed.shape[0] != rows.rows.count:
            raise ValueError("the gains do not fit the rows")
        gains.fixed = &fixed[0]
    cdef Py_ssize_t most = rows.rows.width + 2 * rows.rows.longest
    scratch = <double *>new_array(2 * longest + most, sizeof(double))
    try:
        columns = <int64_t *>new_array(most, sizeof(int64_t))
        with nogil:
            for s in range(order.shape[0]):
                compare(&rows.rows, &gains, offsets[order[s]], offsets[order[s] + 1] - offsets[order[s]], &weights[0],
                        &lag[0], updates, &how, scratch, columns, &watching)
                updates += 1
        return updates
    finally:
        free(scratch)
        free(columns)


cdef int compare(const Rows *rows, const Gains *gains, Py_ssize_t first, Py_ssize_t size, double *weights, double *lag,
                 Py_ssize_t updates, const Options *how, double *scratch, int64_t *columns,
                 Watch *watching) except -1 nogil:
    cdef double *values = scratch
    cdef double *gain = scratch + size
    cdef double *changes = scratch + 2 * size
    cdef Py_ssize_t i, count, hope, fear, taken
    cdef const int64_t *counts
    cdef double norm = 0.0
    cdef double difference = 0.0
    cdef double delta, loss, limit
    weigh_rows(rows, weights, first, size, values, watching)
    watch(watching, 4 * size)
    for i in range(size):
        gain[i] = gain_of(gains, first + i)
    hope = highest(values, gain, size, 1.0, 1.0)
    if how.safe_ratio > 0.0 and fabs(values[hope]) > 1e-8:
        limit = how.safe_ratio * fabs(gain[hope]) / fabs(values[hope])
        if limit < 1.0:
            hope = highest(values, gain, size, limit, 1.0)
    fear = highest(values, gain, size, 1.0, -1.0)
    delta = gain[hope] - gain[fear]
    if delta > 0.0:
        count = differ(rows, first + hope, first + fear, columns, changes)
        watch(watching, 1 + count)
        for i in range(count):
            norm += changes[i] * changes[i]
            difference += changes[i] * weights[columns[i]]
        loss = delta - difference
        if loss > 0.0 and norm > 0.0:
            loss = min(how.step, loss / norm)
            for i in range(count):
                delta = loss * changes[i]
                weights[columns[i]] += delta
                lag[columns[i]] += <double>updates * delta
    if gains.stats != NULL:
        taken = highest(values, NULL, size, 1.0, 0.0) if how.model_background else hope
        counts = gains.stats + (first + taken) * (2 + 2 * gains.order)
        for i in range(2 + 2 * gains.order):
            gains.background[i] = how.decay * gains.background[i] + <double>counts[i]
    return 0
