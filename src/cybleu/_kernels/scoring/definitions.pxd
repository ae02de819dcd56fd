# BLEU definitions by the rules of `cybleu.metrics.bleu.Rules`, for rows of up to MAX_ORDER orders.

from libc.stdint cimport int64_t

from cybleu._kernels.common.base cimport MAX_ORDER
from cybleu._kernels.scoring.formula cimport Counts, Method, Smoothing, smoothed

cdef enum Mean:
    EXACT = 0
    LOGS = 1
    ARITHMETIC = 2
    FRACTIONS = 3               # like LOGS for precisions up to 1, with an uncompensated sum
    PRODUCT = 4
    EXACT_OR_ZERO = 5
    DIFFERENCES = 6             # of logarithms of sums, without precisions
    SHARES = 7                  # like LOGS, each divided by the number of orders

cdef enum Penalty:
    EXPONENTIAL = 0
    NO_PENALTY = 1
    RATIO = 2
    TINY_RATIO = 3
    ADDED_ONE = 4               # from both lengths plus 1


cdef struct Rules:
    int order                   # 0 if the definition is declined
    Smoothing smoothing
    Mean mean
    bint uniform
    bint effective_order
    bint short_segments_count
    bint empty_order_ends       # otherwise of_empty
    bint smoothed_without_match
    bint zero_in_any_order      # an order without a match makes the score 0
    bint plain                  # orders with a match are not smoothed, and the mean is that of their logarithms
    Penalty penalty
    bint fails                  # for some texts without tokens, or where the penalty is 0
    bint empty_is_scored
    double scale                # of the precisions
    double times                # final factor of the score
    double value
    double of_empty
    double penalty_adds
    double weights[MAX_ORDER]


cdef extern from *:
    """
    /* From Python 3.12 on, sum() of floats is compensated. */
    #define CYBLEU_SUM_IS_COMPENSATED (PY_VERSION_HEX >= 0x030C0000)
    """
    bint CYBLEU_SUM_IS_COMPENSATED

# The steps of a score, for callers that precompute some of them for many rows.
cdef inline double precision_of(const Rules *rules, int n, int64_t matched, int64_t total, int64_t length,
                                double *power) noexcept nogil:
    return smoothed(rules.smoothing, rules.value, rules.scale, n, matched, total, length, power)

cdef double brevity_penalty(const Rules *rules, int64_t length, int64_t reference_length) noexcept nogil
cdef bint share_weights(const Rules *rules, int kept, int scored, double *used) noexcept nogil
cdef double term_of(const Rules *rules, double weight, double precision) noexcept nogil
cdef double mean_of(const Rules *rules, const double *terms, int scored) noexcept nogil

cdef inline double python_sum(const double *terms, int count) noexcept nogil:
    """Sum floats like the sum() of the running Python."""
    cdef double total = 0.0
    cdef double errors = 0.0
    cdef double before, other
    cdef int n
    for n in range(count):
        before = total
        total = before + terms[n]
        if CYBLEU_SUM_IS_COMPENSATED:
            other = total - before
            errors += (before - (total - other)) + (terms[n] - other)
    if CYBLEU_SUM_IS_COMPENSATED and errors != 0.0:
        total += errors
    return total


# The score of one segment's row, or NO_SCORE.
cdef double evaluate(const Rules *rules, const int64_t *row) noexcept nogil

# The score of NLTK for `scored` weights, or NO_SCORE; all orders are smoothed.
cdef double nltk_bleu(const Counts *counts, const double *weights, int order, int scored, Method method,
                      double parameter) noexcept nogil


cdef class Definition:
    cdef Rules rules
