# cython: freethreading_compatible=True
"""The BLEU formula in C.

Every step is what CPython does for NLTK's expression of it: one correctly rounded division for each precision, the
platform's log and exp, a correctly rounded sum.
"""

from libc.float cimport DBL_MIN
from libc.math cimport exp, fabs, isfinite, log
from libc.stdint cimport int64_t

from cybleu._kernels.common cimport MAX_ORDER

cdef extern from *:
    """
    #define CYBLEU_SLACK 1.4210854715202004e-14     /* 2 ** -46: much more than the sum of 16 numbers is rounded by */
    """
    double SLACK "CYBLEU_SLACK"


cdef double exact_sum(const double *terms, int count) noexcept nogil:
    cdef double parts[MAX_ORDER]
    cdef double total = 0.0
    cdef double errors = 0.0
    cdef double size = 0.0              # of the errors
    cdef double before, other, error, rest
    cdef int used = 0
    cdef int i
    # The sum of the errors is rounded, too. Most often it does not matter by how much, and nothing branches on the way.
    for i in range(count):
        before = total
        total = before + terms[i]
        other = total - before
        error = (before - (total - other)) + (terms[i] - other)
        errors += error
        size += fabs(error)
    before = total
    total = before + errors
    rest = (before - total) + errors
    size *= SLACK
    if fabs(before) >= fabs(errors) and total + (rest + size) == total and total + (rest - size) == total:
        return total
    for i in range(count):
        used = add_exactly(parts, used, terms[i])
    return rounded(parts, used)


cdef int smooth(const Counts *counts, int order, Smoothing smoothing, double parameter,
                double *precisions) noexcept nogil:
    """Methods 0 to 4; 0 where one is not finite."""
    cdef double denominator
    cdef double power = 1.0             # 2 ** (orders without a match so far)
    cdef int n
    for n in range(order):
        denominator = <double>counts.denominators[n]
        if smoothing == ADD_ONE and n > 0:
            precisions[n] = <double>(counts.matches[n] + 1) / (denominator + 1.0)
        elif counts.matches[n] != 0:
            precisions[n] = <double>counts.matches[n] / denominator
        elif smoothing == ADD_EPSILON:
            precisions[n] = parameter / denominator
        elif smoothing == HALVE:
            power *= 2.0
            precisions[n] = 1.0 / (power * denominator)
        elif smoothing == HALVE_BY_LENGTH or smoothing == HALVE_AND_AVERAGE:
            precisions[n] = 0.0
            if counts.hypothesis_length > 1:
                power *= 2.0
                precisions[n] = halved_by_length(power, parameter, counts.hypothesis_length) / denominator
        elif smoothing == AVERAGE or smoothing == INTERPOLATE:
            precisions[n] = 0.0
        else:
            precisions[n] = DBL_MIN
        if not isfinite(precisions[n]):
            return 0
    return 1


cdef int average(const Counts *counts, int order, Smoothing smoothing, double *precisions) noexcept nogil:
    """Method 5 on the precisions; 0 where integers of 53 bits do not suffice.

    It is a sum of rational numbers in NLTK, exact until a float that method 4 put there is in it. Over the common
    denominator D of all precisions, and with 3 ** n for the divisions, the numerators are integers.
    """
    cdef int64_t numerators[ORDERS_AND_ONE]
    cdef bint exact[ORDERS_AND_ONE]
    cdef double values[ORDERS_AND_ONE]
    cdef int64_t common = counts.five_grams
    cdef int64_t power = 1              # 3 ** n
    cdef int64_t numerator              # of the smoothed precision before, over power * common
    cdef double previous, total
    cdef bint previous_exact = True
    cdef int n
    for n in range(order):
        if common > (<int64_t>1 << 50) // counts.denominators[n]:
            return 0
        common *= counts.denominators[n]
    for n in range(order):
        values[n] = precisions[n]
        exact[n] = counts.matches[n] != 0 or smoothing == AVERAGE or counts.hypothesis_length <= 1
        numerators[n] = counts.matches[n] * (common // counts.denominators[n])
    values[order] = <double>counts.five_gram_matches / <double>counts.five_grams
    exact[order] = True
    numerators[order] = counts.five_gram_matches * (common // counts.five_grams)
    numerator = numerators[0] + common
    previous = 0.0
    for n in range(order):
        if common > (<int64_t>1 << 49) // (9 * power):
            return 0
        if previous_exact and exact[n] and exact[n + 1]:
            numerator += power * (numerators[n] + numerators[n + 1])
            power *= 3
            precisions[n] = <double>numerator / <double>(power * common)
            continue
        if previous_exact:      # then this one is: order 1 has a match, or there were no score
            total = <double>(numerator + power * numerators[n]) / <double>(power * common)
        else:
            total = previous + values[n]
        previous = (total + values[n + 1]) / 3.0
        previous_exact = False
        precisions[n] = previous
    return 1


cdef inline int64_t product(int64_t first, int64_t second) noexcept nogil:
    """The product of numbers from 0, or -1 where it is 2 ** 53 or more, or one of them is -1."""
    if first < 0 or second < 0 or <double>first * <double>second >= 9007199254740992.0:
        return -1
    return first * second


cdef int interpolate(const Counts *counts, int order, int64_t alpha, double *precisions) noexcept nogil:
    """Method 6; 0 where it is not defined or integers of 53 bits do not suffice for its rational numbers."""
    cdef int64_t tops[MAX_ORDER]
    cdef int64_t bottoms[MAX_ORDER]
    cdef int64_t prior_top, prior_bottom, top, bottom, ngrams, divisor, rest
    cdef int n
    if order < 3 or counts.matches[1] == 0 or counts.matches[2] == 0:
        return 0
    for n in range(2):
        tops[n] = counts.matches[n]
        bottoms[n] = counts.denominators[n]
    for n in range(2, order):
        ngrams = counts.hypothesis_length - n if counts.hypothesis_length > n else 0
        prior_top = product(product(tops[n - 1], tops[n - 1]), bottoms[n - 2])
        prior_bottom = product(product(bottoms[n - 1], bottoms[n - 1]), tops[n - 2])
        top = product(counts.matches[n], prior_bottom)
        prior_top = product(alpha, prior_top)
        bottom = product(prior_bottom, ngrams + alpha)
        if top < 0 or prior_top < 0 or bottom < 0 or top + prior_top > (<int64_t>1 << 53):
            return 0
        top += prior_top
        precisions[n] = <double>top / <double>bottom
        divisor = bottom
        rest = top
        while rest != 0:
            divisor, rest = rest, divisor % rest
        tops[n] = top // divisor
        bottoms[n] = bottom // divisor
    return 1


cdef double bleu(const Counts *counts, const double *weights, int order, int scored, Smoothing smoothing,
                 double parameter) noexcept nogil:
    cdef double precisions[MAX_ORDER]
    cdef double terms[MAX_ORDER]
    cdef double total, penalty
    cdef int n, used = 0
    if not smooth(counts, order, smoothing, parameter, precisions):
        return -1.0
    if (smoothing == AVERAGE or smoothing == HALVE_AND_AVERAGE) and not average(counts, order, smoothing, precisions):
        return -1.0
    if smoothing == INTERPOLATE and not interpolate(counts, order, <int64_t>parameter, precisions):
        return -1.0
    for n in range(scored):
        if precisions[n] > 0.0:
            terms[used] = weights[n] * log(precisions[n])
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
