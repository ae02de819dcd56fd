# MERT line search: upper envelopes of lines, one for each segment, the error surface, and its best interval.

cdef extern from *:
    """
    #define CYBLEU_MARGIN 1e-11
    #define CYBLEU_SIGN ((uint64_t)1 << 63)
    """
    const double MARGIN "CYBLEU_MARGIN"
    const uint64_t SIGN "CYBLEU_SIGN"


cdef struct Event:
    double x
    int64_t number              # index of the row of changes


cdef struct Events:
    Event *items
    void *changes               # of the statistics; one row for each event, in order of discovery
    Py_ssize_t count
    Py_ssize_t capacity


cdef struct Lines:
    const double *base
    const double *slope
    const int32_t *order        # by slope, within each segment
    const int64_t *offsets
    const int64_t *likely       # for each segment a hypothesis that wins somewhere
    Py_ssize_t segments
    Py_ssize_t longest          # segment
    double lower
    double upper


ctypedef fused Number:
    int64_t
    double


cdef struct Hull:
    int32_t *lines              # of the upper envelope, as indices within their segment
    double *left                # left end of each
    Py_ssize_t count
    Py_ssize_t first            # first hypothesis of the segment


cdef Py_ssize_t longest_segment(const int64_t[::1] offsets, Py_ssize_t count) except -1:
    """Check that each segment has a hypothesis and that positions fit 32 bits."""
    if count >= 2**31:
        raise ValueError("there are too many hypotheses")
    return check_offsets(offsets, count, 1)


# -------------------------------------------------------------------------------------------------------- the envelopes
cdef double meeting(const double *base, const double *slope, int32_t p, int32_t q) noexcept nogil:
    """Return where q, which has the larger slope, crosses p."""
    return (base[p] - base[q]) / (slope[q] - slope[p])


cdef double floor_at(const double *base, const double *slope, int32_t p, int32_t q, double x) noexcept nogil:
    return min(base[p] + slope[p] * x, base[q] + slope[q] * x)


cdef Py_ssize_t candidates(const double *base, const double *slope, const int32_t *order, Py_ssize_t size,
                           Py_ssize_t likely, double *above, int32_t *kept) noexcept nogil:
    """Remove most lines that are far below the envelope, in one branch-free pass.

    Such a line is below three others (the first, the last and one between) at their intersections, and therefore
    everywhere. MARGIN is far above the rounding error of a comparison of two thresholds, so the envelope of the
    remaining lines is bitwise identical. Lines nearly parallel to the outer ones are kept.
    """
    cdef int32_t first = order[0]
    cdef int32_t last = order[size - 1]
    cdef double middle = slope[likely]
    cdef double steepest = max(fabs(slope[first]), fabs(slope[last]))
    cdef double x1 = 0.0
    cdef double x2 = 0.0
    cdef double floor1 = base[likely]
    cdef double floor2 = base[likely]
    cdef double one, other
    cdef Py_ssize_t i, position
    cdef Py_ssize_t begin = 0
    cdef Py_ssize_t end = size
    cdef Py_ssize_t count = 0
    if slope[first] < middle:
        x1 = meeting(base, slope, first, <int32_t>likely)
        floor1 = floor_at(base, slope, first, <int32_t>likely, x1)
    if middle < slope[last]:
        x2 = meeting(base, slope, <int32_t>likely, last)
        floor2 = floor_at(base, slope, <int32_t>likely, last, x2)
    floor1 = floor1 - MARGIN * (fabs(base[first]) + fabs(base[likely]) + steepest * (fabs(x1) + fabs(x2)))
    floor2 = floor2 - MARGIN * (fabs(base[last]) + fabs(base[likely]) + steepest * (fabs(x1) + fabs(x2)))
    if not (x1 <= x2 and isfinite(floor1) and isfinite(floor2)):
        x1 = x2 = NAN
    for i in range(size):
        one = base[i] + (slope[i] * x1 - floor1)
        other = base[i] + (slope[i] * x2 - floor2)
        above[i] = one if one > other else other
    while begin < size and not slope[order[begin]] - slope[first] > MARGIN * steepest:
        begin += 1
    while end > begin and not slope[last] - slope[order[end - 1]] > MARGIN * steepest:
        end -= 1
    for position in range(begin):
        kept[position] = order[position]
    count = begin
    for position in range(begin, end):
        kept[count] = order[position]
        count += not above[order[position]] < 0.0
    for position in range(end, size):
        kept[count] = order[position]
        count += 1
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


cdef int grow(Events *events, Py_ssize_t more, Py_ssize_t row_bytes) except -1 nogil:
    """Grow the arrays for more events."""
    cdef Py_ssize_t capacity = 2 * (events.count + more)
    if events.count + more > events.capacity:
        events.items = <Event *>allocated(realloc(events.items, capacity * sizeof(Event)))
        events.changes = allocated(realloc(events.changes, capacity * row_bytes))
        events.capacity = capacity
    return 0


cdef void add_changes(const Lines *lines, const Number *stats, Py_ssize_t size, const Hull *hull, Number *row,
                      Events *events) noexcept nogil:
    """Add the statistics of a segment at the lower end to the row, and append its changes."""
    cdef const Number *before
    cdef const Number *after
    cdef Number *change
    cdef Py_ssize_t n
    cdef Py_ssize_t k = 1
    while k < hull.count and hull.left[k] <= lines.lower:
        k += 1
    before = stats + (hull.first + hull.lines[k - 1]) * size
    for n in range(size):
        row[n] = row[n] + before[n]
    while k < hull.count and hull.left[k] < lines.upper:
        after = stats + (hull.first + hull.lines[k]) * size
        if differ(before, after, size):
            change = <Number *>events.changes + events.count * size
            for n in range(size):
                change[n] = after[n] - before[n]
            events.items[events.count].x = hull.left[k] + 0.0       # no negative zero
            events.items[events.count].number = events.count
            events.count += 1
            before = after
        k += 1


cdef int check_order(const int32_t *order, int32_t size) except -1 nogil:
    cdef int32_t outside = 0         # becomes negative if any position is
    cdef int32_t i
    for i in range(size):
        outside |= order[i] | (size - 1 - order[i])
    if outside < 0:
        with gil:
            raise ValueError("the order does not fit the hypotheses")
    return 0


cdef int list_events(const Lines *lines, const Number *stats, Py_ssize_t size, Number *row, Events *events,
                     Watch *watching) except -1 nogil:
    """Collect the changes; statistics are prefetched while the envelope of the next segment is computed."""
    cdef Py_ssize_t s, k, count
    cdef Hull hulls[2]
    cdef Hull *hull
    cdef double *doubles = NULL
    cdef int32_t *numbers = NULL
    try:
        doubles = <double *>allocated(malloc(3 * lines.longest * sizeof(double)))
        numbers = <int32_t *>allocated(malloc(3 * lines.longest * sizeof(int32_t)))
        for k in range(2):
            hulls[k].left = doubles + k * lines.longest
            hulls[k].lines = numbers + k * lines.longest
            hulls[k].count = 0
        for s in range(lines.segments):
            hull = &hulls[s & 1]
            hull.first = lines.offsets[s]
            watch(watching, lines.offsets[s + 1] - hull.first)
            check_order(lines.order + hull.first, <int32_t>(lines.offsets[s + 1] - hull.first))
            count = candidates(lines.base + hull.first, lines.slope + hull.first, lines.order + hull.first,
                               lines.offsets[s + 1] - hull.first, lines.likely[s] - hull.first,
                               doubles + 2 * lines.longest, numbers + 2 * lines.longest)
            hull.count = envelope(lines.base + hull.first, lines.slope + hull.first, numbers + 2 * lines.longest, count,
                                  hull.lines, hull.left)
            for k in range(hull.count):
                CYBLEU_PREFETCH(stats + (hull.first + hull.lines[k]) * size)
                CYBLEU_PREFETCH(stats + (hull.first + hull.lines[k] + 1) * size - 1)
            grow(events, hulls[0].count + hulls[1].count, size * sizeof(Number))
            if s:
                add_changes(lines, stats, size, &hulls[1 - (s & 1)], row, events)
        add_changes(lines, stats, size, &hulls[1 - (lines.segments & 1)], row, events)
    finally:
        free(doubles)
        free(numbers)
    sort_events(events)
    return 0


cdef inline uint64_t sort_key(double x) noexcept nogil:
    """Map x to an integer with the same order."""
    cdef uint64_t bits
    memcpy(&bits, &x, sizeof(double))
    return ~bits if bits >> 63 else bits | SIGN


cdef void sort_by_digits(Event **source, Event **target, Py_ssize_t count, int shift,
                         int digits) noexcept nogil:
    """Stable radix sort by digits of 11 bits, starting at a bit; source and target may be swapped."""
    cdef int32_t counts[3][2048]
    cdef Event *swap
    cdef int32_t position, number
    cdef Py_ssize_t i
    cdef int digit
    cdef uint64_t place
    cdef uint64_t key = 0
    memset(counts, 0, sizeof(counts))
    for i in range(count):
        key = sort_key(source[0][i].x) >> shift
        for digit in range(digits):
            counts[digit][(key >> (11 * digit)) & 2047] += 1
    for digit in range(digits):
        if counts[digit][(key >> (11 * digit)) & 2047] == count:
            continue
        position = 0
        for i in range(2048):
            number = counts[digit][i]
            counts[digit][i] = position
            position += number
        for i in range(count):
            place = (sort_key(source[0][i].x) >> (shift + 11 * digit)) & 2047
            target[0][counts[digit][place]] = source[0][i]
            counts[digit][place] += 1
        swap = source[0]
        source[0] = target[0]
        target[0] = swap


cdef int sort_events(Events *events) except -1 nogil:
    """Sort by x, stably.

    The upper half of the digits distinguishes nearly all values, and insertion sort does the rest; if it does not, the
    lower half is sorted first, so that the worst case stays linear.
    """
    cdef Event *target
    cdef Event item
    cdef uint64_t key
    cdef Py_ssize_t i, j
    cdef Py_ssize_t moves = 0
    if events.count < 2:
        return 0
    target = <Event *>allocated(malloc(events.capacity * sizeof(Event)))
    try:
        sort_by_digits(&events.items, &target, events.count, 31, 3)
        for i in range(1, events.count):
            item = events.items[i]
            key = sort_key(item.x)
            j = i
            while j > 0 and sort_key(events.items[j - 1].x) > key and moves <= events.count:
                events.items[j] = events.items[j - 1]
                j -= 1
                moves += 1
            events.items[j] = item
        if moves > events.count:
            sort_by_digits(&events.items, &target, events.count, 0, 3)
            sort_by_digits(&events.items, &target, events.count, 31, 3)
    finally:
        free(target)
    return 0


cdef int fill(Lines *lines, const double[::1] base, const double[::1] slope, const int32_t[::1] order,
              const int64_t[::1] offsets, const int64_t[::1] likely, Py_ssize_t rows, double lower,
              double upper) except -1:
    cdef Py_ssize_t s
    cdef int64_t first, size
    cdef bint fit = True
    lines.longest = longest_segment(offsets, base.shape[0])
    if (slope.shape[0] != base.shape[0] or order.shape[0] != base.shape[0] or rows != base.shape[0]
            or likely.shape[0] != offsets.shape[0] - 1):
        raise ValueError("the arrays do not fit each other")
    if base.shape[0] == 0 or not lower < upper:
        raise ValueError("there is nothing to search")
    for s in range(likely.shape[0]):
        first = offsets[s]
        size = offsets[s + 1] - first
        fit &= first <= likely[s] < first + size
    if not fit:
        raise ValueError("the likely hypotheses are not those of their segments")
    lines.base = &base[0]
    lines.slope = &slope[0]
    lines.order = &order[0]
    lines.offsets = &offsets[0]
    lines.likely = &likely[0]
    lines.segments = offsets.shape[0] - 1
    lines.lower = lower
    lines.upper = upper
    return 0


cdef inline bint differ(const Number *one, const Number *other, Py_ssize_t size) noexcept nogil:
    cdef Py_ssize_t n
    for n in range(size):
        if one[n] != other[n]:
            return True
    return False


cdef inline void step(const Events *events, Py_ssize_t position, Py_ssize_t size, Number *row) noexcept nogil:
    cdef const Number *change = <const Number *>events.changes + events.items[position].number * size
    cdef Py_ssize_t n
    for n in range(size):
        row[n] = row[n] + change[n]


cdef inline Py_ssize_t advance(const Events *events, Py_ssize_t position, Py_ssize_t size, Number *row, Number *saved,
                               bint *changed) noexcept nogil:
    """Apply all events at one x to the row; return the index of the next x."""
    cdef double x = events.items[position].x
    cdef Py_ssize_t end = position + 1
    changed[0] = True
    if Number is int64_t and (end == events.count or events.items[end].x != x):
        step(events, position, size, row)
        return end
    memcpy(saved, row, size * sizeof(Number))
    step(events, position, size, row)
    while end < events.count and events.items[end].x == x:
        step(events, end, size, row)
        end += 1
    changed[0] = differ(saved, row, size)
    return end


def surface(const double[::1] base, const double[::1] slope, const int32_t[::1] order, const int64_t[::1] offsets,
            const int64_t[::1] likely, const Number[:, ::1] stats, double lower, double upper, empty):
    """Compute the error surface between two ends: ascending thresholds and the summed statistics between them.

    :param empty: function that creates an array from a shape and a dtype
    """
    cdef Lines lines
    cdef Events events
    cdef Watch watching = begin_watch()
    cdef Py_ssize_t size = stats.shape[1]
    cdef Py_ssize_t position = 0
    cdef Py_ssize_t count = 0
    cdef bint changed
    cdef double x
    cdef double[::1] thresholds
    cdef Number[:, ::1] rows
    fill(&lines, base, slope, order, offsets, likely, stats.shape[0], lower, upper)
    memset(&events, 0, sizeof(Events))
    cdef Number *row = <Number *>allocated(calloc(2 * size + 1, sizeof(Number)))
    try:
        with nogil:
            list_events(&lines, &stats[0, 0], size, row, &events, &watching)
        xs = empty(events.count, "float64")
        sums = empty((events.count + 1, size), "int64" if Number is int64_t else "float64")
        thresholds, rows = xs, sums
        memcpy(&rows[0, 0], row, size * sizeof(Number))
        with nogil:
            while position < events.count:
                watch(&watching, 1)
                x = events.items[position].x
                position = advance(&events, position, size, row, row + size, &changed)
                if changed:
                    thresholds[count] = x
                    count += 1
                    memcpy(&rows[count, 0], row, size * sizeof(Number))
        return xs[:count], sums[:count + 1]
    finally:
        free(events.items)
        free(events.changes)
        free(row)


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
        watch(watching, 1)
        while position < events.count and not changed:
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
