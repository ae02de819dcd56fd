# A BLEU definition as the rules that `cybleu.metrics.bleu.Rules` states, for rows of up to MAX_ORDER orders.

from libc.stdint cimport int64_t

from cybleu._kernels.common cimport MAX_ORDER

cdef enum Smoothing:
    NONE = 0
    TINY = 1
    SKIP = 2
    FLOOR = 3
    ADD_K = 4
    ADD_ALL = 5
    EXP = 6
    EXP_BY_LENGTH = 7
    ZERO = 8                    # as NONE, and of_empty is 0
    FLOAT32 = 9
    FLOOR_OF_ONE = 10
    ADD_ONE_TO_ONE = 11
    TINY_OVER_SMALL = 12
    ADD_LOGS = 13

cdef enum Mean:
    EXACT = 0
    LOGS = 1
    ARITHMETIC = 2
    FRACTIONS = 3               # as LOGS of precisions up to 1, added up one by one
    PRODUCT = 4
    EXACT_OR_ZERO = 5
    DIFFERENCES = 6             # of logarithms of sums, without precisions

cdef enum Penalty:
    EXPONENTIAL = 0
    NO_PENALTY = 1
    RATIO = 2
    TINY_RATIO = 3
    ADDED_ONE = 4               # of both lengths, each with 1 more


cdef struct Rules:
    int order                   # 0 where the definition does not fit, and is to be declined
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
    bint empty_is_error
    bint empty_is_scored
    double scale                # of the precisions
    double times                # what the score is multiplied by in the end
    double value
    double of_empty
    double penalty_adds
    double weights[MAX_ORDER]


# What becomes of a precision on its way into the mean: a number, or one of these.
cdef extern from *:
    """
    #define CYBLEU_ABSENT (-1.0)            /* an order without n-grams; precisions are not negative */
    #define CYBLEU_LEFT_OUT ((double)INFINITY)
    #define CYBLEU_NO_SCORE ((double)NAN)   /* Python's own arithmetic must decide */

    /* From 3.12 on Python's sum carries the rounding errors along. */
    #define CYBLEU_SUM_IS_COMPENSATED (PY_VERSION_HEX >= 0x030C0000)
    """
    double ABSENT "CYBLEU_ABSENT"
    double LEFT_OUT "CYBLEU_LEFT_OUT"
    double NO_SCORE "CYBLEU_NO_SCORE"
    bint CYBLEU_SUM_IS_COMPENSATED

# The steps of a score, for those who take some of them once for many rows.
cdef double precision_of(const Rules *rules, int n, int64_t matched, int64_t total, int64_t length,
                         double *power) noexcept nogil
cdef double brevity_penalty(const Rules *rules, int64_t length, int64_t reference_length) noexcept nogil
cdef bint share_weights(const Rules *rules, int kept, int scored, double *used) noexcept nogil
cdef double term_of(const Rules *rules, double weight, double precision) noexcept nogil
cdef double mean_of(const Rules *rules, const double *terms, int scored) noexcept nogil

cdef inline double python_sum(const double *terms, int count) noexcept nogil:
    """What Python's own sum() of these floats is."""
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


cdef class Definition:
    cdef Rules rules
