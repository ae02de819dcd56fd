# MERT line search: upper envelopes of lines, one for each segment, the error surface, and its best interval.

cdef double MARGIN = 1e-11


cdef struct Crossing:
    double x
    int32_t before              # row that wins left of x
    int32_t after


# -------------------------------------------------------------------------------------------------------- the envelopes
cdef double meeting(const double *base, const double *slope, int32_t p, int32_t q) noexcept nogil:
    """Return where q, which has the larger slope, crosses p; if an unsorted order has parallels, minus infinity."""
    cdef double steeper = slope[q] - slope[p]
    return (base[p] - base[q]) / steeper if steeper != 0.0 else -INFINITY


cdef double floor_at(const double *base, const double *slope, int32_t p, int32_t q, double x) noexcept nogil:
    """Return the lower one of two lines at x."""
    return min(base[p] + slope[p] * x, base[q] + slope[q] * x)


cdef Py_ssize_t without_low_lines(const double *base, const double *slope, const int32_t *order, Py_ssize_t size,
                                  Py_ssize_t likely, double *above, int32_t *kept) noexcept nogil:
    """Remove most lines that are far below the envelope, in one branch-free pass.

    Such a line is below three others (the first, the last and one between) at their intersections, and therefore
    everywhere. MARGIN is far above the rounding error of a comparison of two thresholds, so the envelope of the
    remaining lines is bitwise identical. Lines nearly parallel to the outer ones are kept.
    """
    cdef int32_t first = order[0]
    cdef int32_t last = order[size - 1]
    cdef double steepest = max(fabs(slope[first]), fabs(slope[last]))
    cdef double x1 = 0.0
    cdef double x2 = 0.0
    cdef double floor1 = base[likely]
    cdef double floor2 = base[likely]
    cdef double margin, height, nearness
    cdef Py_ssize_t i
    cdef double parallel = MARGIN * steepest        # difference of the slopes of lines that are nearly parallel
    cdef Py_ssize_t count = 0
    if slope[first] < slope[likely]:
        x1 = meeting(base, slope, first, <int32_t>likely)
        floor1 = floor_at(base, slope, first, <int32_t>likely, x1)
    if slope[likely] < slope[last]:
        x2 = meeting(base, slope, <int32_t>likely, last)
        floor2 = floor_at(base, slope, <int32_t>likely, last, x2)
    if not (x1 <= x2 and isfinite(floor1) and isfinite(floor2)):
        x1 = x2 = NAN
    margin = MARGIN * (fabs(base[first]) + fabs(base[likely]) + fabs(base[last]) + steepest * (fabs(x1) + fabs(x2)))
    for i in range(size):
        height = max(base[i] + (slope[i] * x1 - floor1), base[i] + (slope[i] * x2 - floor2))
        # not negative where the line is nearly parallel to an outer one
        nearness = max(parallel - (slope[i] - slope[first]), parallel - (slope[last] - slope[i]))
        above[i] = max(height, nearness * DBL_MAX)
    for i in range(size):
        kept[count] = order[i]
        count += not above[order[i]] < -margin
    return count


cdef Py_ssize_t envelope(const double *base, const double *slope, const int32_t *order, Py_ssize_t size,
                         int32_t *stack, double *left) noexcept nogil:
    """Compute the lines of the upper envelope and their left ends; return their number."""
    cdef Py_ssize_t position
    cdef Py_ssize_t top = -1
    cdef int32_t i
    cdef double x
    for position in range(size):
        i = order[position]
        if top >= 0 and slope[i] == slope[stack[top]]:
            if base[i] <= base[stack[top]]:
                continue
            top -= 1
        x = -INFINITY
        while top >= 0:
            x = meeting(base, slope, stack[top], i)
            if x > left[top]:
                break
            top -= 1
        top += 1
        stack[top] = i
        left[top] = x if top > 0 else -INFINITY
    return top + 1


cdef inline uint64_t sort_key(double x) noexcept nogil:
    """Map x to an integer with the same order."""
    cdef uint64_t bits
    memcpy(&bits, &x, sizeof(double))
    return ~bits if bits >> 63 else bits | <uint64_t>1 << 63


cdef int sort_crossings(Crossing *items, Crossing *spare, Py_ssize_t count, Watch *watching) except -1 nogil:
    """Sort by x, stably: a radix sort by bytes.

    :param spare: memory for as many
    """
    cdef int32_t places[8][256]
    cdef int32_t place, number
    cdef Py_ssize_t i
    cdef int digit
    cdef uint64_t key
    cdef Crossing *source = items
    cdef Crossing *target = spare
    memset(places, 0, sizeof(places))
    for i in range(count):
        key = sort_key(items[i].x)
        for digit in range(8):
            places[digit][(key >> (8 * digit)) & 255] += 1
    for digit in range(8):      # an even number, so that the result is in `items`
        place = 0
        for i in range(256):
            number = places[digit][i]
            places[digit][i] = place
            place += number
        for i in range(count):
            key = (sort_key(source[i].x) >> (8 * digit)) & 255
            target[places[digit][key]] = source[i]
            places[digit][key] += 1
        source, target = target, source
        watch(watching, count)
    return 0


def crossings(const double[::1] base not None, const double[::1] slope not None, const int32_t[::1] order not None,
              const int64_t[::1] offsets not None, const int64_t[::1] likely not None, double lower, double upper,
              int64_t[::1] starts not None, Crossing[::1] found not None):
    """Find where the winners of segments change between two ends of a line; return the number of changes.

    :param starts: receives the row that wins at the lower end, for each segment
    :param found: receives the changes, sorted by x, those of equal x by segment
    """
    cdef Watch watching = begin_watch()
    cdef Py_ssize_t rows = base.shape[0]
    cdef Py_ssize_t longest = check_offsets(offsets, rows, 1)
    cdef Py_ssize_t segments = offsets.shape[0] - 1
    cdef Py_ssize_t s, k, first, size, hull
    cdef Py_ssize_t count = 0
    cdef Py_ssize_t outside = 0     # becomes negative if a position of the order is outside its segment
    cdef bint fit = 0 < rows < 2**31 and slope.shape[0] == order.shape[0] == found.shape[0] == rows and lower < upper
    fit = fit and likely.shape[0] == starts.shape[0] == segments
    for s in range(segments if fit else 0):
        fit &= offsets[s] <= likely[s] < offsets[s + 1]
        size = offsets[s + 1] - offsets[s]
        for k in range(offsets[s], offsets[s + 1]):
            outside |= order[k] | (size - 1 - order[k])
    if not fit or outside < 0:
        raise ValueError("the arrays do not fit each other")
    cdef double *left = <double *>new_array(2 * longest, sizeof(double))
    cdef int32_t *lines = NULL
    cdef Crossing *spare = NULL
    try:
        lines = <int32_t *>new_array(2 * longest, sizeof(int32_t))
        with nogil:
            for s in range(segments):
                first = offsets[s]
                size = offsets[s + 1] - first
                watch(&watching, size)
                hull = without_low_lines(&base[first], &slope[first], &order[first], size, likely[s] - first,
                                         left + longest, lines + longest)
                hull = envelope(&base[first], &slope[first], lines + longest, hull, lines, left)
                k = 1
                while k < hull and left[k] <= lower:
                    k += 1
                starts[s] = first + lines[k - 1]
                while k < hull and left[k] < upper:
                    found[count] = Crossing(left[k] + 0.0,      # no negative zero
                                            <int32_t>(first + lines[k - 1]), <int32_t>(first + lines[k]))
                    count += 1
                    k += 1
            spare = <Crossing *>new_array(count, sizeof(Crossing))
            sort_crossings(&found[0], spare, count, &watching)
        return count
    finally:
        free(left)
        free(lines)
        free(spare)


# ---------------------------------------------------------------------------------------------------- the best interval
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


cdef inline void prefetch_row(const int64_t *row, Py_ssize_t size) noexcept nogil:
    CYBLEU_PREFETCH(row)
    CYBLEU_PREFETCH(row + size - 1)


cdef inline bint apply_crossing(const int64_t *stats, const Crossing *crossing, Py_ssize_t size,
                                int64_t *row) noexcept nogil:
    """Change the sum of statistics by a crossing; return whether it changed."""
    cdef const int64_t *before = stats + crossing.before * size
    cdef const int64_t *after = stats + crossing.after * size
    cdef int64_t changed = 0
    cdef Py_ssize_t n
    for n in range(size):
        row[n] = wrapping_sum(row[n], wrapping_difference(after[n], before[n]))
        changed |= after[n] ^ before[n]
    return changed != 0


def best_interval(const int64_t[::1] starts not None, const Crossing[::1] found not None,
                  const int64_t[:, ::1] stats not None, double lower, double upper, Definition definition not None,
                  int64_t[::1] best_row not None):
    """Return the score, the left and right end of the best interval, and the largest distance of a threshold from 0.

    Return None if the definition declines a sum.

    :param starts: with `found`, the result of :func:`crossings`
    :param best_row: receives the summed statistics of the interval
    """
    cdef Watch watching = begin_watch()
    cdef const Rules *rules = &definition.rules
    cdef bint plain = (rules.uniform and rules.mean <= FRACTIONS and rules.mean != ARITHMETIC
                       and rules.smoothing <= ADD_K and rules.penalty <= RATIO
                       and not rules.short_segments_count)
    cdef Py_ssize_t size = stats.shape[1]
    cdef Py_ssize_t count = found.shape[0]
    cdef const Crossing *crossing
    cdef Py_ssize_t s, n
    cdef Py_ssize_t position = 0
    cdef double number, score, x, right
    cdef double limit = -INFINITY
    cdef double left = lower
    cdef double best = -INFINITY
    cdef double best_left = NAN
    cdef double best_right = NAN
    cdef double farthest = 0.0
    cdef bint changed = True
    cdef bint fit = size == 2 + 2 * rules.order and best_row.shape[0] == size
    if rules.order == 0:
        return None
    for s in range(starts.shape[0]):
        fit &= 0 <= starts[s] < stats.shape[0]
    for s in range(count):
        fit &= 0 <= found[s].before < stats.shape[0] and 0 <= found[s].after < stats.shape[0]
    if not fit:
        raise ValueError("the rows do not fit the definition")
    cdef int64_t *row = <int64_t *>new_zeros(2 * size, sizeof(int64_t))
    cdef int64_t *saved = row + size
    try:
        with nogil:
            for s in range(starts.shape[0]):
                for n in range(size):
                    row[n] = wrapping_sum(row[n], stats[starts[s], n])
            while changed:
                number = monotone(rules, plain, row, limit)
                if not isfinite(number):
                    best = NAN
                    break
                copy_items(saved, row, size)
                right = upper
                changed = False
                watch(&watching, 1)
                while position < count and not changed:
                    x = found[position].x
                    while position < count and found[position].x == x:
                        crossing = &found[min(position + 16, count - 1)]     # whose statistics are prefetched
                        prefetch_row(&stats[crossing.before, 0], size)
                        prefetch_row(&stats[crossing.after, 0], size)
                        if apply_crossing(&stats[0, 0], &found[position], size, row):
                            changed = True
                            farthest = max(farthest, fabs(x))
                        position += 1
                    changed = changed and memcmp(saved, row, <size_t>size * sizeof(int64_t)) != 0
                    right = x if changed else upper
                if number >= limit:
                    score = evaluate(rules, saved)
                    if not isfinite(score):
                        best = NAN
                        break
                    if better(score, left, right, best, best_left, best_right):
                        best, best_left, best_right = score, left, right
                        copy_items(&best_row[0], saved, size)
                    limit = max(limit, clearly_below(number))
                left = right
        return (best, best_left, best_right, farthest) if isfinite(best) else None
    finally:
        free(row)
