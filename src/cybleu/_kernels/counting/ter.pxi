# TER: edits and shifts that turn a hypothesis into a reference (Snover and others 2006), as sacreBLEU counts them.
#
# A shift changes the words between two positions. The rows before them are those of the hypothesis, and a table of the
# distances from the end serves for what follows them, so that a candidate costs only the rows between. A candidate that
# cannot be better than the best until now costs nothing.

# The columns of a row of a table, from `low` to before `high`.
cdef struct Columns:
    int32_t low
    int32_t high


# Cell (i, j) is the distance between the first i words of the hypothesis and the first j of the reference, or from the
# end between the last i and the last j. Rows are numbered by i. Of a text that is longer than any real segment, all
# rows would not fit the memory: those at multiples of ROWS_AT_ONCE are kept, and those between two of them are written
# again when they are needed.
cdef struct Distances:
    Columns *rows
    Py_ssize_t last             # row
    Py_ssize_t width            # of the memory of a row
    Py_ssize_t start            # the rows from this multiple to the next one are there; -1 if none are
    int32_t *cells              # of the rows between multiples
    int32_t *kept               # of those at multiples
    const int32_t *words        # where those of the hypothesis begin
    int step                    # to the next one of them
    int32_t *reference          # from 1 on, in this order


# A hypothesis and a reference.
cdef struct Segment:
    const int32_t *given        # the words of the hypothesis
    Py_ssize_t size
    Py_ssize_t width            # words of the reference
    int32_t *words              # as shifted until now
    int32_t *changed            # as a candidate has them
    Distances forward
    Distances backward
    int32_t *rows[2]            # of a candidate
    int32_t *align              # for each word of the reference that of the hypothesis, or the one before; -1 for none
    int32_t *wrong              # how many of the first words of the hypothesis have no match
    int32_t *wrong_there        # the same of the reference
    int32_t bound               # no order of the words has less edits
    int32_t score               # the distance now
    Py_ssize_t checked          # candidates


cdef struct Shift:
    int32_t gain
    Py_ssize_t length
    Py_ssize_t start
    Py_ssize_t target


cdef struct Workspace:
    SegmentWorkspace numbered
    Buffer memory
    Buffer bounds


cdef enum:
    LONGEST_SHIFT = 10
    FARTHEST_SHIFT = 50
    BEAM = 25
    MOST_CANDIDATES = 1000
    INFINITE = 0x3FFFFFFF
    MOST_WORDS = 0x1FFFFFF      # of both texts; up to 50 bytes for each


# -------------------------------------------------------------------------------------------------------------- tables
cdef void lay_out(Segment *segment, double ratio, int64_t beam) noexcept nogil:
    """Write which columns each row has. The first row has those that the second one is made of."""
    cdef int64_t most = segment.width + 1
    cdef int64_t middle
    cdef Columns *row
    cdef Columns *other         # of the words after those of `row`
    cdef Py_ssize_t i
    for i in range(segment.size + 1):
        middle = <int64_t>floor(<double>max(i, 1) * ratio)
        row = &segment.forward.rows[i]
        other = &segment.backward.rows[segment.size - i]
        row.low = <int32_t>max(0, middle - beam - (i == 0))
        row.high = <int32_t>(min(most, middle + beam) if i < segment.size else most)
        other.low = <int32_t>most - row.high
        other.high = <int32_t>most - row.low


cdef inline void fill_row(const Distances *table, Py_ssize_t i, int32_t word, const int32_t *before,
                          int32_t *row) noexcept nogil:
    """Row `i` from the one before it, both from column 0, with infinity at both ends."""
    cdef Py_ssize_t low = table.rows[i].low
    cdef Py_ssize_t high = table.rows[i].high
    cdef Py_ssize_t both = min(high, <Py_ssize_t>table.rows[i - 1].high + 1)
    cdef const int32_t *reference = table.reference
    cdef int32_t left = INFINITE
    cdef Py_ssize_t j
    for j in range(low, both):
        row[j] = min(before[j - 1] + <int32_t>(reference[j] != word), <int32_t>(before[j] + 1))
    for j in range(low, both):
        left = min(<int32_t>(left + 1), row[j])
        row[j] = left
    for j in range(both, high):
        left += 1
        row[j] = left
    row[low - 1] = row[high] = INFINITE


cdef inline int32_t *row_of(const Distances *table, Py_ssize_t i) noexcept nogil:
    """Return the address of column 0 of a row, which is there."""
    cdef Py_ssize_t place = i % ROWS_AT_ONCE
    cdef int32_t *row
    if place > 0:
        row = table.cells + (place - 1) * table.width
    else:
        row = table.kept + i // ROWS_AT_ONCE * table.width
    return row + 1 - table.rows[i].low


cdef void begin_table(Distances *table, const int32_t *words, int step) noexcept nogil:
    """Write the first row."""
    cdef int32_t *row = row_of(table, 0)
    cdef int32_t j
    table.start = -1
    table.words = words
    table.step = step
    row[table.rows[0].low - 1] = row[table.rows[0].high] = INFINITE
    for j in range(table.rows[0].low, table.rows[0].high):
        row[j] = j


cdef int fill_distances(Distances *table, Py_ssize_t first, Py_ssize_t last, Watch *watching) except -1 nogil:
    """Write the rows after `first` up to `last`, and those before it that are needed for them."""
    cdef Py_ssize_t stop, i
    if first - first % ROWS_AT_ONCE != table.start:
        first -= first % ROWS_AT_ONCE
    while first < last:
        table.start = first - first % ROWS_AT_ONCE
        stop = min(last, table.start + ROWS_AT_ONCE)
        for i in range(first + 1, stop + 1):
            fill_row(table, i, table.words[(i - 1) * table.step], row_of(table, i - 1), row_of(table, i))
        watch(watching, stop - first)
        first = stop
    return 0


cdef inline int32_t *required_row(Distances *table, Py_ssize_t i, Watch *watching) except NULL nogil:
    """Return the address of column 0 of a row, after the rows around it are written again if they are not there."""
    cdef Py_ssize_t place = i % ROWS_AT_ONCE
    if CYBLEU_UNLIKELY(place > 0 and i - place != table.start):
        fill_distances(table, i - place, min(i - place + ROWS_AT_ONCE, table.last), watching)
    return row_of(table, i)


cdef int align(Segment *segment, Watch *watching) except -1 nogil:
    """Follow the edits back from the end: of equal ones first a match or substitution, then a word left out."""
    cdef Distances *table = &segment.forward
    cdef Py_ssize_t i = segment.size
    cdef Py_ssize_t j = segment.width
    cdef const Columns *columns
    cdef const int32_t *before
    cdef int32_t cost, here
    clear_items(segment.wrong, i + 1)
    clear_items(segment.wrong_there, j + 1)
    while i > 0:
        before = required_row(table, i - 1, watching)
        columns = &table.rows[i - 1]
        here = row_of(table, i)[j]
        cost = <int32_t>(segment.words[i - 1] != table.reference[j])
        # the cells beyond the columns of a row may belong to another row
        if columns.low < j <= columns.high and before[j - 1] + cost == here:
            i -= 1
            j -= 1
            segment.wrong[i + 1] = segment.wrong_there[j + 1] = cost
            segment.align[j] = <int32_t>i
        elif j < columns.high and before[j] + 1 == here:
            i -= 1
            segment.wrong[i + 1] = 1
        else:
            j -= 1
            segment.wrong_there[j + 1] = 1
            segment.align[j] = <int32_t>(i - 1)
    while j > 0:
        j -= 1
        segment.wrong_there[j + 1] = 1
        segment.align[j] = -1
    for i in range(segment.size):
        segment.wrong[i + 1] += segment.wrong[i]
    for j in range(segment.width):
        segment.wrong_there[j + 1] += segment.wrong_there[j]
    return 0


# -------------------------------------------------------------------------------------------------------------- shifts
cdef inline void rotate(const int32_t *words, int32_t *to, Py_ssize_t first, Py_ssize_t middle,
                        Py_ssize_t last) noexcept nogil:
    """Write the words from `first` to before `last`, those from `middle` on before the others."""
    copy_items(to + first, words + middle, last - middle)
    copy_items(to + first + last - middle, words + first, middle - first)


cdef inline void range_of(Py_ssize_t size, Py_ssize_t start, Py_ssize_t length, Py_ssize_t target, Py_ssize_t *first,
                          Py_ssize_t *middle, Py_ssize_t *last) noexcept nogil:
    """Which words a shift exchanges with which."""
    if target < start:
        first[0], middle[0], last[0] = target, start, start + length
    else:
        first[0], middle[0] = start, start + length
        last[0] = target if target > start + length else min(size, target + length)


cdef int32_t distance_of(Segment *segment, Py_ssize_t first, Py_ssize_t middle, Py_ssize_t last,
                         Watch *watching) except -1 nogil:
    """The distance once these words are exchanged."""
    cdef const int32_t *row
    cdef int32_t *following
    cdef const int32_t *rest
    cdef int32_t best = INFINITE
    cdef Py_ssize_t i, j
    rotate(segment.words, segment.changed, first, middle, last)
    while first < last and segment.changed[first] == segment.words[first]:
        first += 1
    while first < last and segment.changed[last - 1] == segment.words[last - 1]:
        last -= 1
    row = required_row(&segment.forward, first, watching)
    for i in range(first + 1, last + 1):
        following = segment.rows[i & 1] + 1 - segment.forward.rows[i].low
        fill_row(&segment.forward, i, segment.changed[i - 1], row, following)
        row = following
    rest = required_row(&segment.backward, segment.size - last, watching) + segment.width
    for j in range(segment.forward.rows[last].low, segment.forward.rows[last].high):
        best = min(best, row[j] + rest[-j])
    return best


cdef inline bint wins_tie(const Shift *best, Py_ssize_t length, Py_ssize_t start, Py_ssize_t target) noexcept nogil:
    """Return whether a shift of the same gain is better: it is longer, or else comes first."""
    if length != best.length:
        return length > best.length
    return start < best.start or (start == best.start and target < best.target)


cdef int try_targets(Segment *segment, Py_ssize_t start, Py_ssize_t start_there, Py_ssize_t length, Shift *best,
                     Watch *watching) except -1 nogil:
    """Try to move these words to before and into the ones of the reference that they match."""
    cdef Py_ssize_t previous = -1
    cdef Py_ssize_t first, middle, last, there, target
    cdef int32_t gain, needed
    for there in range(start_there - 1, start_there + length):
        target = segment.align[there] + 1 if there >= 0 else 0
        if target == previous:
            continue
        previous = target
        segment.checked += 1
        needed = best.gain + <int32_t>(not wins_tie(best, length, start, target))
        range_of(segment.size, start, length, target, &first, &middle, &last)
        if segment.score - needed < segment.bound:
            continue
        gain = segment.score - distance_of(segment, first, middle, last, watching)
        watch(watching, 1 + last - first)
        if gain >= needed:
            best.gain, best.length, best.start, best.target = gain, length, start, target
    return 0


cdef int find_shift(Segment *segment, Shift *best, Watch *watching) except -1 nogil:
    """The shift with the largest gain; of equal ones the longest, then the first."""
    cdef const int32_t *words = segment.words
    cdef const int32_t *reference = segment.forward.reference + 1
    cdef Py_ssize_t start, there, length
    cdef int32_t aligned
    best.gain = 0
    best.length = LONGEST_SHIFT + 1     # without a gain none is better
    best.start = best.target = 0
    for start in range(segment.size):
        watch(watching, FARTHEST_SHIFT)
        for there in range(max(0, start - FARTHEST_SHIFT), min(segment.width, start + FARTHEST_SHIFT + 1)):
            if words[start] != reference[there]:    # nearly always
                continue
            length = 0
            aligned = segment.align[there]
            while (length < LONGEST_SHIFT and start + length < segment.size and there + length < segment.width
                    and words[start + length] == reference[there + length]):
                length += 1
                if (segment.wrong[start + length] == segment.wrong[start]
                        or segment.wrong_there[there + length] == segment.wrong_there[there]
                        or start <= aligned < start + length):
                    continue
                try_targets(segment, start, there, length, best, watching)
                if segment.checked >= MOST_CANDIDATES:
                    return 0
    return 0


# ------------------------------------------------------------------------------------------------------------ segments
cdef int32_t least_edits(const int32_t *words, Py_ssize_t size, const int32_t *reference, Py_ssize_t width,
                         int32_t *left) noexcept nogil:
    """A number of edits that no order of the words can do with less: those of the longer text without the shared ones.

    :param left: by word, receives how many of the hypothesis no word of the reference has taken
    """
    cdef Py_ssize_t shared = 0
    cdef Py_ssize_t i
    clear_items(left, size + 1)
    for i in range(size):
        left[words[i] + 1] += 1
    for i in range(width):
        if left[reference[i] + 1] > 0:
            left[reference[i] + 1] -= 1
            shared += 1
    return <int32_t>(max(size, width) - shared)


cdef int prepare_tables(Segment *segment, const int32_t *reference, Buffer *memory) except -1 nogil:
    """Memory for the tables of a segment, and what they are made of."""
    cdef uint64_t size = <uint64_t>segment.size
    cdef double ratio = <double>segment.width / <double>size
    cdef int64_t beam = <int64_t>ceil(ratio / 2 + BEAM) if ratio / 2 > BEAM else BEAM
    cdef uint64_t of_words = <uint64_t>max(segment.size, segment.width) + 1
    cdef uint64_t of_row = min(<uint64_t>segment.width + 1, 2 * <uint64_t>beam + 1) + 2
    cdef uint64_t of_rows = min(size, <uint64_t>ROWS_AT_ONCE) * of_row
    cdef uint64_t of_kept = (size // <uint64_t>ROWS_AT_ONCE + 1) * of_row
    cdef Py_ssize_t j
    reserve(memory, 2 * (size + 1) * sizeof(Columns)
            + (7 * of_words + 2 * (of_row + of_rows + of_kept)) * sizeof(int32_t))
    segment.forward.rows = <Columns *>memory.data
    segment.backward.rows = segment.forward.rows + size + 1
    segment.words = <int32_t *>(segment.backward.rows + size + 1)
    segment.changed = segment.words + of_words
    segment.align = segment.changed + of_words
    segment.wrong = segment.align + of_words
    segment.wrong_there = segment.wrong + of_words
    segment.forward.reference = segment.wrong_there + of_words
    segment.backward.reference = segment.forward.reference + of_words
    segment.rows[0] = segment.backward.reference + of_words
    segment.rows[1] = segment.rows[0] + of_row
    segment.forward.cells = segment.rows[1] + of_row
    segment.backward.cells = segment.forward.cells + of_rows
    segment.forward.kept = segment.backward.cells + of_rows
    segment.backward.kept = segment.forward.kept + of_kept
    segment.forward.width = segment.backward.width = <Py_ssize_t>of_row
    segment.forward.last = segment.size
    segment.backward.last = segment.size - 1    # of all words nothing is left to change
    lay_out(segment, ratio, beam)
    begin_table(&segment.forward, segment.words, 1)
    begin_table(&segment.backward, segment.words + size - 1, -1)
    copy_items(segment.words, segment.given, size)
    segment.forward.reference[0] = segment.backward.reference[0] = -1   # no word is this one
    for j in range(segment.width):
        segment.forward.reference[1 + j] = segment.backward.reference[segment.width - j] = reference[j]
    return 0


cdef int64_t count_edits(Segment *segment, const int32_t *reference, int64_t limit, Buffer *memory,
                         Watch *watching) except -1 nogil:
    """The edits of one reference, or any number from the limit on if there are not less."""
    cdef int64_t shifts = 0
    cdef Py_ssize_t first = 0
    cdef Py_ssize_t last = segment.size
    cdef Py_ssize_t middle = 0
    cdef Shift best
    if segment.width == 0 or segment.size == 0:
        return segment.size + segment.width
    prepare_tables(segment, reference, memory)
    segment.checked = 0
    while True:
        watch(watching, segment.size)
        fill_distances(&segment.forward, first, segment.size, watching)
        segment.score = row_of(&segment.forward, segment.size)[segment.width]
        # each shift is an edit, too, and none gains more than is left
        if segment.score <= segment.bound or shifts + segment.bound >= limit:
            break
        fill_distances(&segment.backward, segment.size - last, segment.size - 1, watching)
        align(segment, watching)
        find_shift(segment, &best, watching)
        if segment.checked >= MOST_CANDIDATES or best.gain <= 0:
            break
        shifts += 1
        range_of(segment.size, best.start, best.length, best.target, &first, &middle, &last)
        rotate(segment.words, segment.changed, first, middle, last)
        copy_items(segment.words + first, segment.changed + first, last - first)
    return shifts + segment.score


cdef int check_length(Py_ssize_t size, Py_ssize_t width) except -1 nogil:
    """Refuse texts that no segment has, whose tables would take the memory."""
    if size > MOST_WORDS or width > MOST_WORDS - size:
        with gil:
            raise MemoryError(
                f"a hypothesis of {size} words and a reference of {width} are too long for TER, which takes "
                f"{MOST_WORDS} together"
            )
    return 0


cdef int count_best_edits(Workspace *work, double *row) except -1 nogil:
    """Write the edits of the reference with the fewest, and the average length of the references, at least one."""
    cdef const SegmentWorkspace *numbered = &work.numbered
    cdef const int32_t *words = numbered.numbers.values
    cdef Watch *watching = &work.numbered.hypothesis.watching
    cdef Py_ssize_t count = numbered.references
    cdef Segment segment
    cdef int64_t best = INFINITE
    cdef int64_t total = 0
    cdef Py_ssize_t nearest = 1
    cdef Py_ssize_t k, turn
    cdef int32_t *bounds
    segment.given = words
    segment.size = size_of(numbered, 0)
    reserve(&work.bounds, (<uint64_t>count + <uint64_t>segment.size + 2) * sizeof(int32_t))
    bounds = <int32_t *>work.bounds.data
    for k in range(1, count + 1):
        segment.width = size_of(numbered, k)
        check_length(segment.size, segment.width)
        total += segment.width
        bounds[k] = least_edits(words, segment.size, words + numbered.starts[k], segment.width, bounds + count + 1)
        if bounds[k] < bounds[nearest]:
            nearest = k
        watch(watching, segment.size + segment.width)
    for turn in range(count):   # what promises least edits first, so that the others need not be counted
        k = nearest if turn == 0 else turn + <Py_ssize_t>(turn >= nearest)
        if bounds[k] >= best:
            continue
        segment.width = size_of(numbered, k)
        segment.bound = bounds[k]
        best = min(best, count_edits(&segment, words + numbered.starts[k], best, &work.memory, watching))
    row[0] = <double>best
    row[1] = <double>total / <double>count
    return 0


def edit_rows(Segments segments not None, Py_ssize_t start, Py_ssize_t stop, double[:, ::1] rows):
    """Write the rows from `start` to before `stop`: edits, and the average length of the references."""
    cdef Workspace work
    cdef Py_ssize_t i
    segments.check(start, stop, rows.shape, 2)
    work.memory = work.bounds = Buffer(NULL, 0)
    make_workspace(&work.numbered)
    try:
        with nogil:
            for i in range(start, stop):
                segments.number(&work.numbered, i)
                count_best_edits(&work, &rows[i, 0])
    finally:
        end_workspace(&work.numbered)
        free_buffer(&work.memory)
        free_buffer(&work.bounds)
