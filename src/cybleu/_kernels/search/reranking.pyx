# cython: freethreading_compatible=True
"""Reranking: swaps for a corpus oracle, and expected utilities."""

from libc.math cimport fabs, isfinite
from libc.stdint cimport int64_t
from libc.stdlib cimport free
from libc.string cimport memset

from cybleu._kernels.common.base cimport ROW_SIZE, new_array
from cybleu._kernels.scoring.definitions cimport Definition, Rules, evaluate
from cybleu._kernels.scoring.formula cimport add_exactly, rounded
from cybleu._kernels.common.interrupts cimport Watch, begin_watch, watch
from cybleu._kernels.common.ngram_tables cimport check_offsets


def swap_pass(Definition definition not None, const int64_t[:, ::1] stats, const int64_t[::1] offsets,
              const int64_t[::1] order, int64_t[::1] chosen, bint highest):
    """Visit each segment once, and replace its hypothesis by the one with the best corpus score.

    :param stats: statistics rows; short segments are counted from their n-grams if the definition uses them
    :param order: order in which segments are visited
    :param chosen: row index for each segment, modified in place; -1 for segments without hypotheses
    :param highest: maximise the score; otherwise minimise it
    :return: the number of swaps and the score; None, without swaps, if a score is declined
    """
    cdef int64_t total[ROW_SIZE]
    cdef Py_ssize_t segments = chosen.shape[0]
    cdef Py_ssize_t i, n, columns = stats.shape[1]
    cdef Py_ssize_t swaps
    cdef double score = 0.0
    cdef int64_t *now
    if definition.rules.order == 0:
        return None
    if columns != 2 + 2 * definition.rules.order or offsets.shape[0] != segments + 1:
        raise ValueError("the rows do not fit the order or the segments")
    check_offsets(offsets, stats.shape[0], 0)
    memset(total, 0, sizeof(total))
    for i in range(segments):
        if chosen[i] != -1:
            if not offsets[i] <= chosen[i] < offsets[i + 1]:
                raise ValueError("a chosen row is not of its segment")
            for n in range(columns):
                total[n] += stats[chosen[i], n]
    for i in range(order.shape[0]):
        if not 0 <= order[i] < segments:
            raise ValueError("a segment to look at is out of range")
    now = <int64_t *>new_array(segments, sizeof(int64_t))
    try:
        for i in range(segments):
            now[i] = chosen[i]
        with nogil:
            swaps = swap(&definition.rules, stats, offsets, order, now, highest, total, &score)
        if swaps < 0:
            return None
        for i in range(segments):
            chosen[i] = now[i]
        return swaps, score
    finally:
        free(now)


cdef Py_ssize_t swap(const Rules *rules, const int64_t[:, ::1] stats, const int64_t[::1] offsets,
                     const int64_t[::1] order, int64_t *chosen, bint highest, int64_t *total,
                     double *best) except -2 nogil:
    cdef int64_t others[ROW_SIZE]
    cdef int64_t row[ROW_SIZE]
    cdef Py_ssize_t columns = stats.shape[1]
    cdef Py_ssize_t swaps = 0
    cdef Watch watching = begin_watch()
    cdef Py_ssize_t i, k, n, segment
    cdef int64_t now, found
    cdef double score
    best[0] = evaluate(rules, total)
    if not isfinite(best[0]):
        return -1
    for i in range(order.shape[0]):
        segment = <Py_ssize_t>order[i]
        now = found = chosen[segment]
        if now < 0:
            continue
        for n in range(columns):
            others[n] = total[n] - stats[now, n]
        for k in range(offsets[segment], offsets[segment + 1]):
            watch(&watching, 4)
            for n in range(columns):
                row[n] = others[n] + stats[k, n]
            score = evaluate(rules, row)
            if not isfinite(score):
                return -1
            if score > best[0] if highest else score < best[0]:
                best[0] = score
                found = k
        if found != now:
            swaps += 1
            chosen[segment] = found
            for n in range(columns):
                total[n] = others[n] + stats[found, n]
    return swaps


cdef enum:
    MOST_PARTS = 2200       # upper bound of the number of nonoverlapping doubles


cdef inline double upper_half(double x) noexcept nogil:
    cdef double shifted = 134217729.0 * x
    return shifted - (shifted - x)


# In these ranges, the errors of products are exact doubles, and factors can be split into halves.
cdef inline bint is_moderate(double weight, double score, double product) noexcept nogil:
    return 1e-250 < fabs(product) < 1e250 and fabs(weight) <= 1e290 and fabs(score) <= 1e290


cdef inline bint is_nothing(double weight, double score) noexcept nogil:
    return weight == 0.0 and isfinite(score) or score == 0.0 and isfinite(weight)


cdef inline double error_of(double weight, double score, double product) noexcept nogil:
    """Return the rounding error of a product (Dekker 1971)."""
    cdef double a = upper_half(weight)
    cdef double b = upper_half(score)
    cdef double lacking = (a * b - product) + a * (score - b) + (weight - a) * b
    return lacking + (weight - a) * (score - b)


cdef bint quick_sum(const double *weights, const double *scores, Py_ssize_t size, double *found,
                    Watch *watching) except -1 nogil:
    """Compute the correctly rounded sum of products by compensated summation; False if its error bound is too large."""
    cdef double total = 0.0
    cdef double errors = 0.0
    cdef double sizes = 0.0     # sum of the absolute errors
    cdef double product, lacking, before, other, bound
    cdef Py_ssize_t j
    for j in range(size):
        if j % 1024 == 0:
            watch(watching, 256)
        product = weights[j] * scores[j]
        if not is_moderate(weights[j], scores[j], product):
            if is_nothing(weights[j], scores[j]):
                continue
            return False
        lacking = 0.0 if weights[j] == 1.0 else error_of(weights[j], scores[j], product)
        before = total
        total = before + product
        other = total - before
        other = (before - (total - other)) + (product - other)
        errors += other + lacking
        sizes += fabs(other) + fabs(lacking)
    # Error bound of the sum of the errors: Higham 2002, section 4.2, with a margin.
    bound = 2.3e-16 * (<double>size + 4) * sizes + 2.3e-16 * fabs(errors)
    found[0] = total + (errors - bound)
    return found[0] == total + (errors + bound)


def weighted_sums(const double[:, ::1] scores, const double[::1] weights, double[::1] sums, Py_ssize_t start):
    """Write the correctly rounded weighted sum of each row from `start` on; return the first declined row, or the end.

    A row is declined if a product or its error overflows or underflows.
    """
    cdef Watch watching = begin_watch()
    cdef double parts[MOST_PARTS]
    cdef double product, lacking
    cdef Py_ssize_t i, j
    cdef Py_ssize_t done = scores.shape[0]
    cdef int count
    if scores.shape[0] != sums.shape[0] or scores.shape[1] != weights.shape[0] or start < 0:
        raise ValueError("the weights or the sums do not fit the scores")
    with nogil:
        for i in range(start, scores.shape[0]):
            count = 0
            if scores.shape[1] and quick_sum(&weights[0], &scores[i, 0], scores.shape[1], &sums[i], &watching):
                continue
            for j in range(scores.shape[1]):
                if j % 1024 == 0:
                    watch(&watching, 1024)
                if is_nothing(weights[j], scores[i, j]):
                    continue
                product = weights[j] * scores[i, j]
                if not is_moderate(weights[j], scores[i, j], product):
                    count = -1
                    break
                lacking = error_of(weights[j], scores[i, j], product)
                if lacking != 0.0:
                    count = add_exactly(parts, count, lacking)
                count = add_exactly(parts, count, product)
            if count < 0:
                done = i
                break
            sums[i] = rounded(parts, count)
    return done
