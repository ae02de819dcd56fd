# A correctly rounded sum, and methods 5 to 7 of NLTK, with one correctly rounded division for each precision.
#
# Offers: `Smoothing` and `Method` with their values, special values of precisions, `Counts`; `exact_sum`, `average`,
# `interpolate`, `halved_by_length`, `finite_or_no_score`.

# How the precision of an order is smoothed; the names, in this order, are those in SMOOTHINGS of `definitions.pxi`.
cdef enum Smoothing:
    NONE = 0
    TINY = 1
    SKIP = 2
    FLOOR = 3
    EXP = 4
    EXP_BY_LENGTH = 5       # those up to here change only orders without a match
    ADD_ALL = 6             # from here to ADD_ONE_TO_ONE, something is added
    ADD_K = 7
    ADD_LOGS = 8
    ADD_ONE_TO_ONE = 9      # from here to RECIPROCAL, there is at least one n-gram
    FLOOR_OF_ONE = 10
    FLOAT32 = 11
    RECIPROCAL = 12
    TINY_OVER_SMALL = 13


# The methods of NLTK's SmoothingFunction, METHODS of `bleu_score/smoothing.py`. Those from METHOD5 on require the last
# segment, and rows of at least 5 orders.
cdef enum Method:
    METHOD0 = 0
    METHOD1 = 1             # parameter: epsilon
    METHOD2 = 2
    METHOD3 = 3
    METHOD4 = 4             # parameter: k
    METHOD5 = 5
    METHOD6 = 6             # parameter: alpha, a whole number above 0; one segment
    METHOD7 = 7             # method4, then method5; parameter: k
    METHODS = 8             # how many there are


cdef extern from "scoring/values.h":
    double ABSENT "CYBLEU_ABSENT"
    double LEFT_OUT "CYBLEU_LEFT_OUT"
    double NO_SCORE "CYBLEU_NO_SCORE"
    const int64_t CYBLEU_LARGEST_COUNT


cdef struct Counts:
    int64_t hypothesis_length
    int64_t reference_length
    int64_t matches[MAX_ORDER]
    int64_t denominators[MAX_ORDER]     # sum over segments of max(1, n-grams)
    int64_t five_gram_matches           # of the last segment, for method5
    int64_t five_grams


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
    """Return the correctly rounded sum of an expansion of at least one double."""
    cdef double total, before, error = 0.0
    cdef int i = count - 1
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


cdef double exact_sum(const double *terms, int count) noexcept nogil:
    """Return the correctly rounded sum of at most MAX_ORDER finite terms, like math.fsum."""
    cdef double parts[MAX_ORDER]
    cdef double total = 0.0
    cdef double errors = 0.0
    cdef double size = 0.0              # of the errors
    cdef double before, other, error, rest
    cdef int used = 0
    cdef int i
    # The sum of the errors is rounded, too, which rarely affects the result; the common case is branch-free.
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
    size *= 1.4210854715202004e-14      # 2 ** -46: much more than the sum of MAX_ORDER numbers is rounded by
    if fabs(before) >= fabs(errors) and total + (rest + size) == total and total + (rest - size) == total:
        return total
    for i in range(count):
        used = add_exactly(parts, used, terms[i])
    return rounded(parts, used)


cdef int average(const Counts *counts, int order, Method method, double *precisions) noexcept nogil:
    """Apply method 5 to the precisions; 0 if integers of 53 bits do not suffice.

    It is a sum of rational numbers in NLTK, exact until a float that method 4 put there is in it. Over the common
    denominator D of all precisions, and with 3 ** n for the divisions, the numerators are integers.
    """
    cdef int64_t numerators[MAX_ORDER + 1]
    cdef bint exact[MAX_ORDER + 1]
    cdef double values[MAX_ORDER + 1]
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
        exact[n] = counts.matches[n] != 0 or method == METHOD5 or counts.hypothesis_length <= 1
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
        if previous_exact:      # then so is this one: order 1 has a match, otherwise there is no score
            total = <double>(numerator + power * numerators[n]) / <double>(power * common)
        else:
            total = previous + values[n]
        previous = (total + values[n + 1]) / 3.0
        previous_exact = False
        precisions[n] = previous
    return 1


cdef inline int64_t checked_product(int64_t first, int64_t second) noexcept nogil:
    """Return the product of non-negative numbers, or -1 if it is 2 ** 53 or more, or a factor is -1."""
    if first < 0 or second < 0 or <double>first * <double>second >= 9007199254740992.0:
        return -1
    return first * second


cdef int interpolate(const Counts *counts, int order, int64_t alpha, double *precisions) noexcept nogil:
    """Apply method 6; 0 if it is undefined or integers of 53 bits do not suffice for its rational numbers."""
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
        prior_top = checked_product(checked_product(tops[n - 1], tops[n - 1]), bottoms[n - 2])
        prior_bottom = checked_product(checked_product(bottoms[n - 1], bottoms[n - 1]), tops[n - 2])
        top = checked_product(counts.matches[n], prior_bottom)
        prior_top = checked_product(alpha, prior_top)
        bottom = checked_product(prior_bottom, ngrams + alpha)
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
