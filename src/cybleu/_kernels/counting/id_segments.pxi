# Count segments of token ids, whose references are read for each hypothesis.
#
# The ids of the hypothesis are numbered, and those of the references looked up; then the numbers are counted as those
# of raw text are.
#
# Offers: `count_id_segment`.

cdef int count_id_segment(SegmentWorkspace *work, const int64_t *text, Py_ssize_t length, TokenTexts references,
                          Py_ssize_t first, Py_ssize_t last, int64_t *memory, Py_ssize_t max_order, int mode,
                          int64_t *row) except -1 nogil:
    """Write the statistics row of a hypothesis with the references `first` to `last` (exclusive).

    :param memory: for the ids of the longest reference; may be where those of the hypothesis are
    """
    cdef Watch *watching = &work.hypothesis.watching
    cdef Py_ssize_t *starts = begin_segment(work, last - first)
    cdef uint64_t slots = 2 * slots_for(length)
    cdef Py_ssize_t k
    cdef KeyTable table
    cdef int32_t distinct
    cdef int32_t *numbers
    starts[1] = length + 1
    for k in range(first, last):
        starts[k - first + 2] = starts[k - first + 1] + references.length(k) + 1
        if starts[k - first + 2] > MOST_POSITIONS:
            with gil:
                raise MemoryError("a segment has too many tokens")
    work.numbers.count = starts[last - first + 1]
    reserve_ids(&work.numbers, 0)
    numbers = work.numbers.values
    reserve(&work.memory, <uint64_t>(length + 2) * sizeof(uint64_t) + slots * sizeof(int32_t))
    table.keys = <uint64_t *>work.memory.data
    table.numbers = <int32_t *>(table.keys + length + 2)
    forget_keys(&table, slots, watching)
    distinct = number_ids(&table, text, length, numbers, 0, True, watching)
    numbers[length] = -1
    for k in range(first, last):
        length = references.length(k)
        numbers = work.numbers.values + starts[k - first + 1]
        number_ids(&table, references.read(k, memory), length, numbers, distinct, False, watching)
        numbers[length] = -1
    watch(watching, 8 + work.numbers.count)
    return count_numbered(work, last - first, distinct, max_order, mode, row)


def id_rows(TokenTexts hypotheses not None, TokenTexts references not None, const int64_t[::1] sets,
            const int64_t[::1] owners, Py_ssize_t max_order, str reference_length not None, Py_ssize_t start,
            Py_ssize_t stop, int64_t[:, ::1] rows):
    """Write the statistics rows of hypotheses `start` to `stop` (exclusive).

    :param sets: offsets of the sets in the references
    :param owners: for each hypothesis the index of its set; None if hypothesis i has set i
    """
    cdef SegmentWorkspace work
    cdef int64_t *memory = NULL
    cdef int mode = REFERENCE_LENGTHS.index(reference_length)
    cdef Py_ssize_t i
    check_segments(hypotheses.count, references.count, sets, owners, start, stop, rows.shape, bleu_row_size(max_order))
    make_workspace(&work)
    try:
        memory = <int64_t *>new_array(max(hypotheses.longest, references.longest), sizeof(int64_t))
        with nogil:
            for i in range(start, stop):
                count_id_segment(&work, hypotheses.read(i, memory), hypotheses.length(i), references,
                                 first_of(sets, owners, i), end_of(sets, owners, i), memory, max_order, mode,
                                 &rows[i, 0])
    finally:
        end_workspace(&work)
        free(memory)
