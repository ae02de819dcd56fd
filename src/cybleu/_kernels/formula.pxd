# NLTK's BLEU from integer counts, by NLTK's float operations in NLTK's order.

from libc.math cimport log
from libc.stdint cimport int64_t

from cybleu._kernels.common cimport MAX_ORDER

cdef enum:
    ORDERS_AND_ONE = 17     # MAX_ORDER + 1

cdef enum Smoothing:
    NO_SMOOTHING = 0        # method0
    ADD_EPSILON = 1         # method1, parameter: epsilon
    ADD_ONE = 2             # method2
    HALVE = 3               # method3
    HALVE_BY_LENGTH = 4     # method4, parameter: k
    AVERAGE = 5             # method5
    INTERPOLATE = 6         # method6, parameter: alpha, a whole number above 0; one segment
    HALVE_AND_AVERAGE = 7   # method4, then method5; parameter: k


cdef struct Counts:
    int64_t hypothesis_length
    int64_t reference_length
    int64_t matches[MAX_ORDER]
    int64_t denominators[MAX_ORDER]     # sum over segments of max(1, n-grams)
    int64_t five_gram_matches           # of the last segment, for method5
    int64_t five_grams


# The score, or -1 where Python's own arithmetic must decide (overflow, a division by zero, not a number).
# `scored` is how many of the orders, after smoothing them all, have a weight.
cdef double bleu(const Counts *counts, const double *weights, int order, int scored, Smoothing smoothing,
                 double parameter) noexcept nogil

# The sum of at most MAX_ORDER finite terms, rounded once, as math.fsum gives it.
cdef double exact_sum(const double *terms, int count) noexcept nogil


cdef inline int add_exactly(double *parts, int count, double term) noexcept nogil:
    """Add to a sum kept as doubles that do not overlap, the smallest first (Shewchuk 1997); their new number."""
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
    """The sum of such doubles, rounded once."""
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
    # half of a unit was rounded to even, and what is smaller says that it was not half
    if i > 0 and error != 0.0 and (error < 0.0) == (parts[i - 1] < 0.0):
        before = total + 2.0 * error
        if before - total == 2.0 * error:
            total = before
    return total


cdef inline double halved_by_length(double power, double k, int64_t length) noexcept nogil:
    """What an order without a match counts by method 4; `power` is 2 ** (such orders so far, with this one)."""
    return 1.0 / (power * k / log(<double>length))
