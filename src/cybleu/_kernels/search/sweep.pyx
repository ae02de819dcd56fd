# cython: freethreading_compatible=True
"""Find the best interval of a line search by a sweep over the thresholds."""

from libc.math cimport INFINITY, NAN, exp, fabs, isfinite, pow
from libc.stdint cimport int32_t, int64_t
from libc.stdlib cimport calloc, free
from libc.string cimport memcpy, memset

from cybleu._kernels.common.base cimport allocated
from cybleu._kernels.scoring.definitions cimport (
    ARITHMETIC, FRACTIONS, NO_PENALTY, RATIO, Definition, Rules, evaluate
)
from cybleu._kernels.search.envelope cimport Events, Lines, advance, fill, list_events
from cybleu._kernels.scoring.formula cimport ADD_ALL, ADD_K, EXP_BY_LENGTH
from cybleu._kernels.common.interrupts cimport Watch, begin_watch, watch


cdef double monotone(const Rules *rules, bint plain, const int64_t *row, double limit) noexcept nogil:
    """Return a number that increases with the score, up to rounding, if possible without logarithms.

    A result below the limit may be any number below it.
    """
    cdef double top = 1.0
    cdef double bottom = 1.0
    cdef double added = rules.value if rules.smoothing == ADD_ALL else 0.0
    cdef double wanted, length
    cdef int n
    plain = plain and row[0] > 0
    for n in range(rules.order):
        if row[2 + n] <= 0:
            plain = False
        top *= <double>row[2 + n] + added
        bottom *= <double>row[2 + rules.order + n] + added
        if rules.smoothing == ADD_K:
            added = rules.value
    if not plain:
        top = evaluate(rules, row)
        return pow(top / (rules.scale * rules.times), rules.order) if top > 0.0 else top
    top = top / bottom
    if rules.penalty != NO_PENALTY:
        wanted = <double>row[1] + rules.penalty_adds
        length = <double>row[0]
        if length < wanted and top >= limit:
            top *= exp(<double>rules.order * (1.0 - wanted / length))
    return top


cdef inline bint better(double score, double left, double right, double best, double best_left,
                        double best_right) noexcept nogil:
    """Break ties: the interval that contains 0, then the wider one, then the one closer to 0, then the first."""
    cdef bint holds, best_holds
    if score != best:
        return score > best
    holds = left <= 0.0 <= right
    best_holds = best_left <= 0.0 <= best_right
    if holds != best_holds:
        return holds
    if right - left != best_right - best_left:
        return right - left > best_right - best_left
    return max(left, -right) < max(best_left, -best_right)


cdef inline double clearly_below(double number) noexcept nogil:
    """Return a limit below a number by far more than rounding errors; minus infinity for tiny numbers."""
    return number - 1e-9 * fabs(number) if number == 0.0 or fabs(number) > 1e-290 else -INFINITY


cdef bint sweep(const Rules *rules, const Events *events, Py_ssize_t size, int64_t *row, double lower, double upper,
                int64_t *best_row, double *found, Watch *watching) except -1 nogil:
    """Find the best interval; false if the definition declines a sum.

    Scores are computed only if several intervals may be the best.

    :param row: memory of three rows, the first with the sum at the lower end
    :param found: receives the score, and the left and right end
    """
    cdef bint plain = (rules.uniform and rules.mean <= FRACTIONS and rules.mean != ARITHMETIC
                       and rules.smoothing <= EXP_BY_LENGTH and rules.penalty <= RATIO
                       and not rules.short_segments_count)
    cdef int64_t *saved = row + size
    cdef double highest = -INFINITY
    cdef double limit = -INFINITY
    cdef double left = lower
    cdef double right, number, score
    cdef Py_ssize_t position = 0
    cdef bint changed = True
    cdef bint scored = False
    cdef bint likely
    found[0] = found[1] = found[2] = NAN
    while changed:
        number = monotone(rules, plain, row, limit)
        if not isfinite(number):
            return False
        likely = number >= limit
        if likely:
            memcpy(saved, row, size * sizeof(int64_t))
        right = upper
        changed = False
        while position < events.count and not changed:
            watch(watching, 1)
            right = events.items[position].x
            position = advance(events, position, size, row, saved + size, &changed)
        if not changed:
            right = upper
        if likely:
            if highest == -INFINITY or clearly_below(number) > highest:
                found[1], found[2] = left, right
                memcpy(best_row, saved, size * sizeof(int64_t))
                scored = False
            else:
                if not scored:
                    found[0] = evaluate(rules, best_row)
                    scored = True
                score = evaluate(rules, saved)
                if not (isfinite(found[0]) and isfinite(score)):
                    return False
                if better(score, left, right, found[0], found[1], found[2]):
                    found[0], found[1], found[2] = score, left, right
                    memcpy(best_row, saved, size * sizeof(int64_t))
            highest = max(highest, number)
            limit = clearly_below(highest)
        left = right
    if not scored:
        found[0] = evaluate(rules, best_row)
    return isfinite(found[0])


def best_interval(const double[::1] base, const double[::1] slope, const int32_t[::1] order,
                  const int64_t[::1] offsets, const int64_t[::1] likely, const int64_t[:, ::1] stats, double lower,
                  double upper, Definition definition not None, int64_t[::1] best_row):
    """Return the score, left and right end of the best interval, and the smallest and the largest threshold.

    Return None if the definition declines a sum.

    :param best_row: receives the summed statistics of the interval
    """
    cdef Lines lines
    cdef Events events
    cdef Watch watching = begin_watch()
    cdef Py_ssize_t size = stats.shape[1]
    cdef bint scored
    cdef double found[3]
    fill(&lines, base, slope, order, offsets, likely, stats.shape[0], lower, upper)
    if definition.rules.order == 0:
        return None
    if size != 2 + 2 * definition.rules.order or best_row.shape[0] != size:
        raise ValueError("the rows do not fit the definition")
    memset(&events, 0, sizeof(Events))
    cdef int64_t *row = <int64_t *>allocated(calloc(3 * size, sizeof(int64_t)))
    try:
        with nogil:
            list_events(&lines, &stats[0, 0], size, row, &events, &watching)
            scored = sweep(&definition.rules, &events, size, row, lower, upper, &best_row[0], found, &watching)
        if not scored:
            return None
        if events.count == 0:
            return found[0], found[1], found[2], 0.0, 0.0
        return found[0], found[1], found[2], events.items[0].x, events.items[events.count - 1].x
    finally:
        free(events.items)
        free(events.changes)
        free(row)
