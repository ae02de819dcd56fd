# Smoothed precisions, and sums of floats, by the float operations of the tools in their order.

from libc.float cimport DBL_MIN
from libc.math cimport isfinite, log
from libc.stdint cimport int64_t

from cybleu._kernels.common.base cimport MAX_ORDER

cdef enum:
    ORDERS_AND_ONE = 17     # MAX_ORDER + 1

# How the precision of an order is smoothed; the names are those in SMOOTHINGS of `definitions`.
cdef enum Smoothing:
    NONE = 0
    TINY = 1
    SKIP = 2
    FLOOR = 3
    ADD_K = 4
    ADD_ALL = 5
    EXP = 6
    EXP_BY_LENGTH = 7
    FLOAT32 = 8
    FLOOR_OF_ONE = 9
    ADD_ONE_TO_ONE = 10
    TINY_OVER_SMALL = 11
    ADD_LOGS = 12
    RECIPROCAL = 13

# The methods of NLTK's SmoothingFunction.
cdef enum Method:
    METHOD0 = 0
    METHOD1 = 1             # parameter: epsilon
    METHOD2 = 2
    METHOD3 = 3
    METHOD4 = 4             # parameter: k
    METHOD5 = 5
    METHOD6 = 6             # parameter: alpha, a whole number above 0; one segment
    METHOD7 = 7             # method4, then method5; parameter: k

# Special values of smoothed precisions.
cdef extern from *:
    """
    #define CYBLEU_ABSENT (-1.0)            /* an order without n-grams; precisions are not negative */
    #define CYBLEU_LEFT_OUT ((double)INFINITY)
    #define CYBLEU_NO_SCORE ((double)NAN)   /* declined: to be computed in Python */
    """
    double ABSENT "CYBLEU_ABSENT"
    double LEFT_OUT "CYBLEU_LEFT_OUT"
    double NO_SCORE "CYBLEU_NO_SCORE"


cdef struct Counts:
    int64_t hypothesis_length
    int64_t reference_length
    int64_t matches[MAX_ORDER]
    int64_t denominators[MAX_ORDER]     # sum over segments of max(1, n-grams)
    int64_t five_gram_matches           # of the last segment, for method5
    int64_t five_grams


# Smooth by methods 5 and 7, and by method 6; 0 if integers of 53 bits do not suffice, or the result is undefined.
cdef int average(const Counts *counts, int order, Method method, double *precisions) noexcept nogil
cdef int interpolate(const Counts *counts, int order, int64_t alpha, double *precisions) noexcept nogil

# Correctly rounded sum of at most MAX_ORDER finite terms, like math.fsum.
cdef double exact_sum(const double *terms, int count) noexcept nogil


cdef inline int add_exactly(double *parts, int count, double term) noexcept nogil:
    """Add to an expansion of nonoverlapping doubles, smallest first (Shewchuk 1997); return its new length."""
    cdef double total, other, error
    cdef int i
    cdef int kept = 0
    for i in range(count):
        total = term + parts[i]
        other = total - term
        error = (term - (total - other)) + (parts[i] - other)
        if error != 0.0:
            parts[kept] = error
            kept += 1
        term = total
    parts[kept] = term
    return kept + 1


cdef inline double rounded(const double *parts, int count) noexcept nogil:
    """Return the correctly rounded sum of an expansion."""
    cdef double total, before, error = 0.0
    cdef int i = count - 1
    if count == 0:
        return 0.0
    total = parts[i]
    while i > 0 and error == 0.0:
        i -= 1
        before = total
        total = before + parts[i]
        error = parts[i] - (total - before)
    # a tie was rounded to even, but smaller parts show that it was not a tie
    if i > 0 and error != 0.0 and (error < 0.0) == (parts[i - 1] < 0.0):
        before = total + 2.0 * error
        if before - total == 2.0 * error:
            total = before
    return total


cdef inline double halved_by_length(double power, double k, int64_t length) noexcept nogil:
    """Return the count of an order without a match by method 4; `power` is 2 ** (such orders, including this one)."""
    return 1.0 / (power * k / log(<double>length))


cdef inline double finite_or_no_score(double number) noexcept nogil:
    """Replace an infinite precision by NaN, as infinity is a special value."""
    return number if isfinite(number) else NO_SCORE


cdef inline double smoothed(Smoothing smoothing, double value, double scale, int n, int64_t matched, int64_t total,
                            int64_t length, double *power) noexcept nogil:
    """Return the precision of order n + 1, from 0 to `scale`. `power` is 2 ** (orders without a match so far)."""
    cdef double top = <double>matched
    cdef double bottom = <double>total
    if smoothing == ADD_LOGS:
        top += value if n > 0 else 0.0
        bottom += value if n > 0 else 0.0
        return finite_or_no_score(scale * ((top + DBL_MIN) / (bottom + DBL_MIN)))
    if smoothing == TINY_OVER_SMALL:
        return finite_or_no_score(scale * ((top + 1e-15) / (bottom + 1e-9)))
    if smoothing == FLOAT32:
        return finite_or_no_score(scale * <double><float>(<double><float>(1.0 / max(1.0, bottom)) * top))
    if smoothing == RECIPROCAL:
        return finite_or_no_score(scale * (1.0 / max(1.0, bottom) * top))
    if smoothing == FLOOR_OF_ONE or smoothing == ADD_ONE_TO_ONE:
        bottom = max(1.0, bottom)
        if smoothing == FLOOR_OF_ONE and matched == 0:
            top = value
    if (smoothing == ADD_ALL or (n > 0 and (smoothing == ADD_K or smoothing == ADD_ONE_TO_ONE))):
        top += value
        bottom += value
    elif matched == 0:
        if smoothing == TINY:
            return scale * DBL_MIN
        if smoothing == SKIP:
            return LEFT_OUT
        if smoothing == FLOOR:
            top = value
        elif smoothing == EXP and total > 0:
            power[0] *= 2.0
            return scale / (power[0] * bottom)
        elif smoothing == EXP_BY_LENGTH and total > 0 and length > 1:
            power[0] *= 2.0
            return finite_or_no_score(scale * halved_by_length(power[0], value, length) / bottom)
    if bottom == 0.0:
        return ABSENT
    return finite_or_no_score(scale * top / bottom)
