# Score rows by any BLEU definition, with the same float operations as the mirror, in the same order.
#
# Offers: `Rules`, `evaluate` for a row, `precision_of` an order, `brevity_penalty`, `python_sum`; `nltk_bleu`;
# `RowFormula`, with `read_row`; `Definition`.

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
    bint empty_is_scored
    double scale                # of the precisions
    double times                # final factor of the score
    double value
    double of_empty
    double penalty_adds
    double weights[MAX_ORDER]


# The steps of a score.
cdef inline double precision_of(const Rules *rules, int n, int64_t matched, int64_t total, int64_t length,
                                double *power) noexcept nogil:
    """Return the precision of order n + 1, from 0 to the scale. `power` is 2 ** (orders without a match so far)."""
    cdef Smoothing smoothing = rules.smoothing
    cdef double value = rules.value
    cdef double scale = rules.scale
    cdef double top = <double>matched
    cdef double bottom = <double>total
    if matched > 0 and total > 0 and smoothing <= EXP_BY_LENGTH:
        return scale * top / bottom
    if ADD_ONE_TO_ONE <= smoothing <= RECIPROCAL:
        bottom = max(1.0, bottom)
    if ADD_ALL <= smoothing <= ADD_ONE_TO_ONE and (n > 0 or smoothing == ADD_ALL):
        top += value
        bottom += value
    elif matched == 0:
        if smoothing == TINY:
            return scale * DBL_MIN
        if smoothing == SKIP:
            return LEFT_OUT
        if smoothing == FLOOR or smoothing == FLOOR_OF_ONE:
            top = value
        elif smoothing == EXP and total > 0:
            power[0] *= 2.0
            return scale / (power[0] * bottom)
        elif smoothing == EXP_BY_LENGTH and total > 0 and length > 1:
            power[0] *= 2.0
            return finite_or_no_score(scale * halved_by_length(power[0], value, length) / bottom)
    if smoothing == FLOAT32:
        return finite_or_no_score(scale * <double><float>(<double><float>(1.0 / bottom) * top))
    if smoothing == RECIPROCAL:
        return finite_or_no_score(scale * (1.0 / bottom * top))
    if smoothing == ADD_LOGS:
        return finite_or_no_score(scale * ((top + DBL_MIN) / (bottom + DBL_MIN)))
    if smoothing == TINY_OVER_SMALL:
        return finite_or_no_score(scale * ((top + 1e-15) / (bottom + 1e-9)))
    if bottom == 0.0:
        return ABSENT
    return finite_or_no_score(scale * top / bottom)


cdef inline double python_sum(const double *terms, int count) noexcept nogil:
    """Sum floats like the sum() of the running Python, which is compensated from 3.12 on."""
    cdef double total = 0.0
    cdef double errors = 0.0
    cdef double before, other
    cdef int n
    for n in range(count):
        before = total
        total = before + terms[n]
        if PY_VERSION_HEX >= 0x030C0000:
            other = total - before
            errors += (before - (total - other)) + (terms[n] - other)
    return total + errors


# In the order of the enums.
SMOOTHINGS = ("none", "tiny", "skip", "floor", "exp", "exp-by-length", "add-all", "add-k", "add-logs",
              "add-one-to-one", "floor-of-one", "float32", "reciprocal", "tiny-over-small")


MEANS = ("exact", "logs", "arithmetic", "fractions", "product", "exact-or-zero", "log-differences", "shares")


PENALTIES = ("exponential", "none", "ratio", "tiny-over-small", "added-one")


cdef double brevity_penalty(const Rules *rules, int64_t length, int64_t reference_length) noexcept nogil:
    """Return the brevity penalty by the rules."""
    cdef double wanted = <double>reference_length + rules.penalty_adds
    cdef double ratio
    if rules.penalty == TINY_RATIO:
        ratio = (<double>length + 1e-15) / (wanted + 1e-9)
        return exp(1.0 - 1.0 / ratio) if ratio < 1.0 else 1.0
    if rules.penalty == ADDED_ONE:
        return exp(log_penalty(length, wanted))
    if rules.penalty == NO_PENALTY or <double>length >= wanted:
        return 1.0
    if length == 0:
        return 0.0
    if rules.penalty == RATIO:
        return exp(1.0 - 1.0 / (<double>length / wanted))
    return exp(1.0 - wanted / <double>length)


cdef inline double log_penalty(int64_t length, double wanted) noexcept nogil:
    """Return the logarithm of the brevity penalty, with 1 added to both lengths."""
    return min(0.0, 1.0 - (wanted + 1.0) / <double>(length + 1))


cdef double mean_of(const Rules *rules, const double *precisions, int scored) noexcept nogil:
    """Return the mean of the precisions of the scored orders, or NO_SCORE."""
    cdef double terms[MAX_ORDER]
    cdef bint exact = rules.mean == EXACT or rules.mean == EXACT_OR_ZERO
    cdef double whole = 1.0
    cdef double part = 1.0              # of the weights
    cdef double total = 0.0
    cdef double product = 1.0
    cdef double term, weight
    cdef int count = 0
    cdef int n
    if not rules.uniform and scored < rules.order and rules.mean != EXACT:
        whole, part = exact_sum(rules.weights, rules.order), exact_sum(rules.weights, scored)
        if part == 0.0:
            return NO_SCORE
    for n in range(scored):
        weight = 1.0 / <double>(rules.order if rules.smoothing == SKIP else scored)
        if not rules.uniform:
            weight = rules.weights[n] * whole / part
        if rules.mean == ARITHMETIC:
            term = weight * precisions[n]
        elif rules.mean == PRODUCT:
            term = precisions[n] / rules.scale
        elif (precisions[n] <= 0.0 and rules.mean == EXACT) or (weight == 0.0 and not exact):
            continue
        elif precisions[n] <= 0.0:
            return 0.0
        elif exact or not rules.uniform:
            term = weight * log(precisions[n] / rules.scale)
        else:
            term = log(precisions[n])
        if rules.mean == SHARES and rules.uniform:
            term *= 1.0 / <double>scored
        if not fabs(term) < 1e300:
            return NO_SCORE
        total += term
        product *= term
        terms[count] = term
        count += 1
    if rules.mean == PRODUCT:
        return rules.scale * pow(product, 1.0 / <double>scored)
    if rules.mean == ARITHMETIC:
        return exact_sum(terms, count)
    if exact or not rules.uniform:
        return rules.scale * exp(exact_sum(terms, count))
    if rules.mean == SHARES:
        return exp(python_sum(terms, count))
    return exp((total if rules.mean == FRACTIONS else python_sum(terms, count)) / <double>scored)


cdef double evaluate(const Rules *rules, const int64_t *row) noexcept nogil:
    """Return the score of one segment's row, or NO_SCORE."""
    cdef double numbers[MAX_ORDER]
    cdef const int64_t *matches = row + 2
    cdef const int64_t *totals = matches + rules.order
    cdef int64_t size = row[0] | row[1]
    cdef double score
    cdef int n
    # a row with matches of each order, whose score is a mean of logarithms, takes two thirds of the time here
    cdef bint usual = rules.plain and row[0] > 0 and row[1] > 0
    for n in range(rules.order):
        size |= totals[n]
        usual &= (matches[n] > 0) & (totals[n] > 0)
    if usual and 0 <= size < CYBLEU_LARGEST_COUNT:
        for n in range(rules.order):
            numbers[n] = log(rules.scale * <double>matches[n] / <double>totals[n])
        score = exp(python_sum(numbers, rules.order) / <double>rules.order)
        score *= brevity_penalty(rules, row[0], row[1])
        if score > 0.0:
            return score
    return evaluate_parts(rules, row, numbers)


cdef double evaluate_parts(const Rules *rules, const int64_t *row, double *precisions) noexcept nogil:
    """Return the score, and write the precisions if the score is not 0."""
    cdef const int64_t *matches = row + 2
    cdef const int64_t *totals = matches + rules.order
    cdef int64_t size = row[0] | row[1]
    cdef int64_t any_match = 0
    cdef bint every_match = True
    cdef double penalty = brevity_penalty(rules, row[0], row[1])
    cdef double power = 1.0
    cdef double precision
    cdef int n
    cdef int kept = 0
    cdef int first_absent = -1
    for n in range(rules.order):
        size |= totals[n]
        any_match |= matches[n]
        every_match &= matches[n] != 0
    if size >= CYBLEU_LARGEST_COUNT:
        return NO_SCORE
    if ((row[0] == 0 and not rules.empty_is_scored) or (any_match == 0 and not rules.smoothed_without_match)
            or (rules.zero_in_any_order and not every_match)):
        return 0.0
    if rules.mean == DIFFERENCES:
        return differences(rules, row)
    for n in range(rules.order):
        precision = precision_of(rules, n, matches[n], max(totals[n], <int64_t>rules.short_segments_count), row[0],
                                 &power)
        if precision != precision:
            return NO_SCORE
        if precision != LEFT_OUT:
            precisions[kept] = precision
            if precision == ABSENT and first_absent < 0:
                first_absent = kept
            kept += 1
    if first_absent >= 0:
        for n in range(first_absent, kept):
            if precisions[n] == ABSENT or rules.empty_order_ends:
                precisions[n] = rules.of_empty
        if rules.effective_order:
            kept = first_absent
    return finite_or_no_score(rules.times * (penalty * mean_of(rules, precisions, kept))) if kept else 0.0


cdef double differences(const Rules *rules, const int64_t *row) noexcept nogil:
    """Return the score of CodeXGLUE, from differences of logarithms."""
    cdef const int64_t *matches = row + 2
    cdef const int64_t *totals = matches + rules.order
    cdef double logs = 0.0
    cdef int n
    for n in range(rules.order):
        logs += log(<double>(matches[n] + (n > 0)) + DBL_MIN) - log(<double>(totals[n] + (n > 0)) + DBL_MIN)
    logs /= <double>rules.order
    return rules.times * exp(logs + (log_penalty(row[0], <double>row[1]) if rules.penalty == ADDED_ONE else 0.0))


cdef Smoothing[METHODS] SMOOTHING_OF      # by Method


SMOOTHING_OF[:] = [TINY, FLOOR, ADD_K, EXP, EXP_BY_LENGTH, NONE, NONE, EXP_BY_LENGTH]


cdef double nltk_bleu(const Counts *counts, const double *weights, int order, int scored, Method method,
                      double parameter) noexcept nogil:
    """Return the score of NLTK for `scored` weights, or NO_SCORE; all orders are smoothed."""
    cdef Rules rules
    cdef double precisions[MAX_ORDER]
    cdef double terms[MAX_ORDER]
    cdef double power = 1.0
    cdef double score
    cdef int kept = 0
    cdef int n
    clear_items(&rules, 1)
    rules.smoothing, rules.penalty, rules.scale = SMOOTHING_OF[<int>method], EXPONENTIAL, 1.0
    rules.value = 1.0 if method == METHOD2 else parameter
    for n in range(order):
        precisions[n] = precision_of(&rules, n, counts.matches[n], counts.denominators[n], counts.hypothesis_length,
                                     &power)
        if not isfinite(precisions[n]):
            return NO_SCORE
    if (method == METHOD5 or method == METHOD7) and not average(counts, order, method, precisions):
        return NO_SCORE
    if method == METHOD6 and not interpolate(counts, order, <int64_t>parameter, precisions):
        return NO_SCORE
    for n in range(scored):
        if precisions[n] > 0.0:
            terms[kept] = weights[n] * log(precisions[n])
            if not fabs(terms[kept]) < 1e300:
                return NO_SCORE
            kept += 1
    score = brevity_penalty(&rules, counts.hypothesis_length, counts.reference_length) * exp(exact_sum(terms, kept))
    return score if isfinite(score) else NO_SCORE


cdef bint read_row(list row, Py_ssize_t width, int64_t *numbers) except -1:
    """Read a row of this many integers; false if there are others, such as fractions or a sum beyond 64 bits."""
    cdef Py_ssize_t n
    if len(row) != width:
        return False
    try:
        for n in range(width):
            if not isinstance(row[n], int):     # a fraction would lose what is behind its point
                return False
            numbers[n] = row[n]
    except OverflowError:
        return False
    return True


cdef class RowFormula:
    """Scores of rows by a formula of a derived class. It is immutable, so that threads can share it."""

    cdef Py_ssize_t width       # of rows; 0 if all are declined

    cdef double score_of(self, const int64_t *row) noexcept nogil:
        """Return the score of a row; NO_SCORE declines it."""
        return NO_SCORE

    def score_rows(self, const int64_t[:, ::1] stats, Py_ssize_t start, double[::1] scores):
        """Write the score of each row from `start` on; return the first declined row, or the end."""
        cdef Py_ssize_t position = start
        cdef Watch watching = begin_watch()
        cdef double score
        if self.width == 0:
            return start
        if start < 0 or stats.shape[0] != scores.shape[0] or stats.shape[1] != self.width:
            raise ValueError("the rows do not fit the scores or the order")
        with nogil:
            while position < stats.shape[0]:
                score = self.score_of(&stats[position, 0])
                if not isfinite(score):
                    break
                scores[position] = score
                position += 1
                watch(&watching, 4)
        return position


cdef class Definition(RowFormula):
    """Scores of rows by rules, see :meth:`cybleu.metrics.Bleu.rules`. Unsupported rules and rows are declined."""

    cdef Rules rules

    def __cinit__(self, rules):
        cdef Rules *own = &self.rules
        cdef bint of_differences = rules.mean == "log-differences"
        cdef Py_ssize_t n
        if (not 0 < rules.order <= MAX_ORDER
                or rules.scale > 1e290      # products with counts are finite
                or (of_differences and rules.short_segments_count)
                or (not of_differences and rules.empty_hypothesis == "scored")):
            return      # used by few tools, and declined
        own.smoothing = SMOOTHINGS.index(rules.smoothing)
        own.mean = MEANS.index(rules.mean)
        own.penalty = PENALTIES.index(rules.penalty)
        own.uniform = rules.weights is None
        for n in range(0 if own.uniform else rules.order):
            own.weights[n] = rules.weights[n]
            if not fabs(own.weights[n]) < 1e100:
                return
        own.effective_order = rules.effective_order
        own.short_segments_count = rules.short_segments_count
        own.empty_order_ends = rules.empty_order == "end"
        own.smoothed_without_match = rules.no_match_at_all == "smoothed"
        own.zero_in_any_order = rules.no_match_at_all == "zero-in-any-order"
        own.empty_is_scored = rules.empty_hypothesis == "scored"
        own.scale, own.times = rules.scale, 1.0
        if of_differences or rules.mean == "fractions":
            own.scale, own.times = 1.0, rules.scale
        own.value = 0.0 if rules.value is None else rules.value
        own.of_empty = own.scale if rules.empty_order == "one" else 0.0
        own.penalty_adds = rules.penalty_adds
        own.plain = own.uniform and own.mean == LOGS and own.smoothing <= EXP_BY_LENGTH
        own.order = <int>rules.order
        self.width = 2 + 2 * own.order

    cdef double score_of(self, const int64_t *row) noexcept nogil:
        return evaluate(&self.rules, row)

    def evaluate(self, list row not None):
        """Return the score, the precisions and the brevity penalty; None if the row is declined."""
        cdef const Rules *rules = &self.rules
        cdef double precisions[MAX_ORDER]
        cdef int64_t numbers[2 + 2 * MAX_ORDER]
        cdef double score
        cdef Py_ssize_t n
        if rules.smoothing == SKIP or rules.mean == DIFFERENCES or not read_row(row, self.width, numbers):
            return None
        score = evaluate_parts(rules, numbers, precisions)
        if score == 0.0 or not isfinite(score):
            return None
        found = [rules.times * precisions[n] for n in range(rules.order)]
        return score, found, brevity_penalty(rules, numbers[0], numbers[1])


cdef struct SumOfRows:
    Py_ssize_t invalid          # the first row with a negative number or more matches than n-grams, or -1
    Py_ssize_t too_many         # the first row with more n-grams of an order than its length allows, or -1
    Py_ssize_t zeros            # rows of zeros
    int64_t largest             # an upper bound of all numbers


cdef inline void add_rows(const int64_t *row, Py_ssize_t start, Py_ssize_t stop, Py_ssize_t order, int64_t *totals,
                          int64_t *too_short, SumOfRows *result) noexcept nogil:
    """Add the rows from `start` to before `stop`, of which `row` is the first, until one is invalid."""
    cdef int64_t every, invalid, too_many, matched, total
    cdef Py_ssize_t i, n
    for i in range(start, stop):
        totals[0] = wrapping_sum(totals[0], row[0])
        totals[1] = wrapping_sum(totals[1], row[1])
        every = row[0] | row[1]
        # Without branches: only the signs of the differences matter.
        invalid = 0
        too_many = 0
        for n in range(order):
            matched = row[2 + n]
            total = row[2 + order + n]
            totals[2 + n] = wrapping_sum(totals[2 + n], matched)
            totals[2 + order + n] = wrapping_sum(totals[2 + order + n], total)
            too_short[n] += total == 0
            every |= matched | total
            invalid |= wrapping_difference(total, matched)
            # The order has an n-gram, and the length allows fewer.
            too_many |= wrapping_difference(0, total) & wrapping_difference(wrapping_difference(row[0], n), total)
        result.largest |= every
        result.zeros += every == 0
        if every < 0 or invalid < 0:
            result.invalid = i
            return
        if too_many < 0 and result.too_many < 0:
            result.too_many = i
        row += 2 + 2 * order


def sum_rows(const int64_t[:, ::1] stats, int64_t[::1] totals, int64_t[::1] too_short):
    """Add up the rows, and for each order those without an n-gram of it.

    Return the first invalid row (a negative number, more matches than n-grams) or -1, the first row with more n-grams
    of an order than its length allows or -1, an upper bound of all numbers, and how many rows are zeros.
    """
    cdef Py_ssize_t order = too_short.shape[0]
    cdef Watch watching = begin_watch()
    cdef SumOfRows result
    cdef Py_ssize_t start, stop
    if stats.shape[1] != bleu_row_size(order) or totals.shape[0] != stats.shape[1]:
        raise ValueError("the sums do not fit the rows")
    result.invalid, result.too_many, result.zeros, result.largest = -1, -1, 0, 0
    with nogil:
        start = 0
        while start < stats.shape[0] and result.invalid < 0:
            stop = min(start + 1024, stats.shape[0])
            watch(&watching, stop - start)
            if order == 4:      # the usual order, with a loop that the compiler unrolls
                add_rows(&stats[start, 0], start, stop, 4, &totals[0], &too_short[0], &result)
            else:
                add_rows(&stats[start, 0], start, stop, order, &totals[0], &too_short[0], &result)
            start = stop
    return result.invalid, result.too_many, result.largest, result.zeros
