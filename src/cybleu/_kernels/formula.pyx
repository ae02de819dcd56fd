# cython: freethreading_compatible=True
"""The BLEU formula in C.

Every step is what CPython does for NLTK's expression of it: one correctly rounded division for each precision, the
platform's log and exp, a correctly rounded sum.
"""

from libc.float cimport DBL_MIN
from libc.math cimport exp, fabs, isfinite, log


cdef double exact_sum(const double *terms, int count) noexcept nogil:
    """The sum rounded once, as math.fsum gives it (Shewchuk 1997). Terms are finite and far from overflow."""
    cdef double partials[MAX_ORDER]     # increasing magnitude, no two overlap, their exact sum is the sum so far
    cdef double high, low, other
    cdef int i, j, kept, used = 0
    for i in range(count):
        high = terms[i]
        kept = 0
        for j in range(used):
            other = partials[j]
            if fabs(high) < fabs(other):
                high, other = other, high
            low = other - ((high + other) - high)
            high = high + other
            if low != 0.0:
                partials[kept] = low
                kept += 1
        partials[kept] = high
        used = kept + 1
    if used == 0:
        return 0.0
    used -= 1
    high = partials[used]
    low = 0.0
    while used > 0:
        used -= 1
        other = partials[used]
        low = high
        high = low + other
        low = other - (high - low)
        if low != 0.0:
            break
    # a remainder of exactly half a unit was rounded to even; what lies below it may decide otherwise
    if used > 0 and ((low < 0.0 and partials[used - 1] < 0.0) or (low > 0.0 and partials[used - 1] > 0.0)):
        other = low * 2.0
        if other == (high + other) - high:
            high = high + other
    return high


cdef double bleu(const Counts *counts, const double *weights, int order, Smoothing smoothing,
                 double parameter) noexcept nogil:
    cdef double terms[MAX_ORDER]
    cdef double precision, denominator, total, penalty
    cdef double power = 1.0             # 2 ** (orders without a match so far)
    cdef int n, used = 0
    for n in range(order):
        denominator = <double>counts.denominators[n]
        if smoothing == ADD_ONE and n > 0:
            precision = <double>(counts.matches[n] + 1) / (denominator + 1.0)
        elif counts.matches[n] != 0:
            precision = <double>counts.matches[n] / denominator
        elif smoothing == ADD_EPSILON:
            precision = parameter / denominator
        elif smoothing == HALVE:
            power *= 2.0
            precision = 1.0 / (power * denominator)
        elif smoothing == HALVE_BY_LENGTH:
            if counts.hypothesis_length > 1:
                power *= 2.0
                precision = 1.0 / (power * parameter / log(<double>counts.hypothesis_length)) / denominator
            else:
                precision = 0.0
        else:
            precision = DBL_MIN
        if not isfinite(precision):
            return -1.0
        if precision > 0.0:
            terms[used] = weights[n] * log(precision)
            if not fabs(terms[used]) < 1e300:
                return -1.0
            used += 1
    total = exact_sum(terms, used)
    if total > 700.0:
        return -1.0
    penalty = 1.0
    if counts.hypothesis_length <= counts.reference_length:
        penalty = exp(1.0 - <double>counts.reference_length / <double>counts.hypothesis_length)
    return penalty * exp(total)
