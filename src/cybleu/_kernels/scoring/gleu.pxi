# GLEU: matches of a hypothesis and a reference, over the n-grams of the longer text.
#
# Offers: `read_orders`.

cdef inline int64_t ngrams_of_orders(int64_t length, int64_t min_len, int64_t max_len) noexcept nogil:
    """Return how many n-grams of these orders a text of this length has."""
    cdef int64_t last = min(length, max_len)
    return (last - min_len + 1) * (2 * length - min_len - last + 2) // 2 if last >= min_len else 0


cdef void take_better(const int64_t *row, const Py_ssize_t *orders, int64_t *best) noexcept nogil:
    """Replace matches and n-grams by those of another reference if their ratio is larger, or if there are none yet."""
    cdef int64_t ngrams = ngrams_of_orders(max(row[0], row[1]), orders[0], orders[1])
    cdef int64_t shared = 0
    cdef Py_ssize_t n
    for n in range(orders[0], orders[1] + 1):
        shared += row[1 + n]
    # a reference without n-grams is treated as no match
    if ngrams > 0 and (best[1] == 0 or <double>shared / <double>ngrams > <double>best[0] / <double>best[1]):
        best[0] = shared
        best[1] = ngrams


cdef int count_one(object references, object hypothesis, const Py_ssize_t *orders, int64_t *found,
                   Py_ssize_t *work) except -1:
    """Find the matches and n-grams of the reference with the largest ratio, on ties the first; 0 if declined."""
    cdef int64_t row[2 + MAX_ORDER]
    cdef PyObject **texts
    cdef Py_ssize_t count = 0
    cdef Py_ssize_t k = 0
    found[0] = found[1] = 0
    # the size is read again each time: a signal handler or another thread may have changed the list
    while cybleu_items(<PyObject *>references, &texts, &count) and k < count:
        memset(row, 0, sizeof(row))
        if not count_reference(item_at(references, k), hypothesis, orders[1], row, work):
            return 0
        take_better(row, orders, found)
        k += 1
        look_between(work)
    return k > 0


cdef int count_numbered_one(Segments segments, SegmentWorkspace *work, Py_ssize_t i, const Py_ssize_t *orders,
                            int64_t *found) except -1 nogil:
    """Like `count_one`, for a segment whose tokens get numbers."""
    cdef int64_t row[2 + 2 * MAX_ORDER]
    cdef int32_t *numbers
    cdef Py_ssize_t *starts
    cdef Py_ssize_t count, size, k
    segments.number(work, i)
    numbers = work.numbers.values
    starts = work.starts
    count = work.references
    work.references = 1
    found[0] = found[1] = 0
    for k in range(1, count + 1):
        # each reference alone, at the place of the first one, which was counted
        size = starts[k + 1] - starts[k]
        memmove(numbers + starts[1], numbers + starts[k], <size_t>size * sizeof(int32_t))
        starts[2] = starts[1] + size
        count_numbered(work, orders[1], CLOSEST, row)
        take_better(row, orders, found)
    return 0


cdef int read_orders(object min_len, object max_len, Py_ssize_t *orders) except -1:
    """Read the orders; 0 if they are declined."""
    cdef int overflow = 0
    if not PyLong_CheckExact(min_len) or not PyLong_CheckExact(max_len):
        return 0
    orders[0] = PyLong_AsLongAndOverflow(min_len, &overflow)    # -1 where it is too large
    orders[1] = PyLong_AsLongAndOverflow(max_len, &overflow)
    return 1 <= orders[0] <= orders[1] <= MAX_ORDER


def sentence_gleu(original):
    """Return a compiled version of `original`, which scores plain input and calls `original` for declined input."""

    def sentence_gleu(references, hypothesis, min_len=1, max_len=4):
        cdef Py_ssize_t work = 0
        cdef Py_ssize_t[2] orders
        cdef int64_t[2] found
        if read_orders(min_len, max_len, orders) and count_one(references, hypothesis, orders, found, &work):
            return <double>found[0] / <double>found[1] if found[1] > 0 else 0.0
        return original(references, hypothesis, min_len, max_len)

    return copy_metadata(original, sentence_gleu)


def gleu_counts(list_of_references, hypotheses, min_len, max_len):
    """Return the sums of matches and n-grams over the segments, or None if a segment or a container is declined."""
    cdef PyObject **items
    cdef Py_ssize_t count = 0
    cdef Py_ssize_t other_count = 0
    cdef Py_ssize_t work = 0
    cdef Py_ssize_t i
    cdef Py_ssize_t[2] orders
    cdef int64_t[2] found
    cdef int64_t matches = 0
    cdef int64_t ngrams = 0
    if (not read_orders(min_len, max_len, orders) or not cybleu_items(<PyObject *>list_of_references, &items, &count)
            or not cybleu_items(<PyObject *>hypotheses, &items, &other_count) or count != other_count):
        return None
    for i in range(count):
        if not count_one(item_at(list_of_references, i), item_at(hypotheses, i), orders, found, &work):
            return None
        matches += found[0]
        ngrams += found[1]
    return matches, ngrams


def gleu_rows(list_of_references, hypotheses, min_len, max_len, Py_ssize_t start, Py_ssize_t stop,
              int64_t[:, ::1] rows):
    """Write the matches and n-grams of segments `start` to `stop`; return the first declined segment, or `stop`."""
    cdef Py_ssize_t work = 0
    cdef Py_ssize_t i
    cdef Py_ssize_t[2] orders
    cdef int64_t[2] found
    if start < 0 or stop > rows.shape[0] or rows.shape[1] != 2 or not read_orders(min_len, max_len, orders):
        raise ValueError("the rows do not fit the segments")
    for i in range(start, stop):
        if not count_one(item_at(list_of_references, i), item_at(hypotheses, i), orders, found, &work):
            return i
        rows[i, 0], rows[i, 1] = found[0], found[1]
    return stop


def numbered_gleu_rows(Segments segments not None, Py_ssize_t min_len, Py_ssize_t max_len, Py_ssize_t start,
                       Py_ssize_t stop, int64_t[:, ::1] rows):
    """Write the matches and n-grams of segments `start` to `stop` (exclusive)."""
    cdef SegmentWorkspace work
    cdef Py_ssize_t[2] orders = [min_len, max_len]
    cdef Py_ssize_t i
    segments.check(start, stop, rows.shape, 2)
    if not 1 <= min_len <= max_len <= MAX_ORDER:
        raise ValueError("the orders are out of range")
    make_workspace(&work)
    try:
        with nogil:
            for i in range(start, stop):
                count_numbered_one(segments, &work, i, orders, &rows[i, 0])
    finally:
        end_workspace(&work)
