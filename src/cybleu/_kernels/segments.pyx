# cython: freethreading_compatible=True
"""From Python's lists to counts and scores: what :mod:`cybleu._backend` takes from here.

A segment is taken where its containers are exact lists or tuples and its tokens are plain (see ``tokens``). Anything
else is declined with ``None``, because Python code could run in the middle of it, and the caller has the general path.
"""

from cpython.exc cimport PyErr_CheckSignals
from cpython.object cimport PyObject
from libc.math cimport isfinite
from libc.stdint cimport int32_t, int64_t, uint64_t
from libc.stdlib cimport calloc, free, malloc
from libc.string cimport memset

from cybleu._kernels.formula cimport (
    ADD_EPSILON, AVERAGE, HALVE_AND_AVERAGE, HALVE_BY_LENGTH, INTERPOLATE, MAX_ORDER, NO_SMOOTHING, Counts, Smoothing,
    bleu
)
from cybleu._kernels.interrupts cimport Watch, begin_watch, fill_bytes, watch
from cybleu._kernels.ngrams cimport (
    END, MASK_BITS, MaskMatcher, add_reference_masks, begin_masks, finish_masks, match_by_interning, match_memory
)
from cybleu._kernels.tokens cimport (
    FewTokens, TokenTable, assign_few, assign_many, fetch_tokens, look_up_few, look_up_many, slots_needed
)

cdef extern from *:
    """
    /* Whether this is an exact list or tuple, and its items. */
    static CYTHON_INLINE int cybleu_items(PyObject *sequence, PyObject ***items, Py_ssize_t *size) {
        if (PyList_CheckExact(sequence)) {
            *size = PyList_GET_SIZE(sequence);
            *items = ((PyListObject *)sequence)->ob_item;
            return 1;
        }
        if (PyTuple_CheckExact(sequence)) {
            *size = PyTuple_GET_SIZE(sequence);
            *items = ((PyTupleObject *)sequence)->ob_item;
            return 1;
        }
        return 0;
    }

    #ifndef CYBLEU_OTHER_THREADS_RUN    /* a build with the GIL may set it, to test what the others do */
      #ifdef Py_GIL_DISABLED
        #define CYBLEU_OTHER_THREADS_RUN 1
      #else
        #define CYBLEU_OTHER_THREADS_RUN 0
      #endif
    #endif
    """
    bint cybleu_items(PyObject *sequence, PyObject ***items, Py_ssize_t *size) noexcept
    bint CYBLEU_OTHER_THREADS_RUN
    bint PyTuple_CheckExact(PyObject *candidate) noexcept
    bint PyMethod_Check(PyObject *candidate) noexcept
    PyObject *PyMethod_GET_SELF(PyObject *method) noexcept
    PyObject *PyMethod_GET_FUNCTION(PyObject *method) noexcept
    bint PyFloat_CheckExact(PyObject *candidate) noexcept
    bint PyLong_CheckExact(PyObject *candidate) noexcept
    double PyFloat_AS_DOUBLE(PyObject *number) noexcept
    long long PyLong_AsLongLongAndOverflow(PyObject *number, int *overflow) except? -1
    void Py_INCREF(PyObject *kept) noexcept
    void Py_DECREF(PyObject *released) noexcept
    Py_ssize_t PY_SSIZE_T_MAX
    PyObject *Py_True
    PyObject *Py_False


cdef enum:
    RELEASE_FROM = 65536    # tokens in a segment from which the GIL is released for the integer work
    MANY_REFERENCES = 1024
    MOST_TOKENS = 0x3FFFFFFF    # in one segment, and one for each text: positions are 32 bits
    TOKENS_AT_ONCE = 1024   # between two looks for an interrupt in one text; equal hashes can make a token slow
    TOKENS_BETWEEN_LOOKS = 65536    # in a corpus
    LOOKS_BETWEEN_TURNS = 16    # after which another thread may run
    FETCHED = 32            # tokens together


# ------------------------------------------------------------------------------------------------------- one segment

cdef inline Py_ssize_t closer(Py_ssize_t best, Py_ssize_t length, Py_ssize_t wanted) noexcept:
    """The one of two reference lengths that is nearer to the wanted one; a tie goes to the shorter."""
    cdef Py_ssize_t best_distance = best - wanted if best > wanted else wanted - best
    cdef Py_ssize_t distance = length - wanted if length > wanted else wanted - length
    if best < 0 or distance < best_distance or (distance == best_distance and length < best):
        return length
    return best


cdef int count_segment(PyObject *references, PyObject *hypothesis, Py_ssize_t max_order,
                       int64_t *hypothesis_length, int64_t *reference_length, int64_t *matches,
                       Py_ssize_t *work) except -1:
    """Set the lengths, add the clipped matches of each order to `matches`; 0 where the segment is declined.

    Adds the tokens of all texts, and some for each text, to `work`.

    For a segment that fits the masks no object is created and no Python code runs, so the borrowed pointers hold.
    """
    cdef PyObject **sequences
    cdef PyObject **tokens
    cdef PyObject **reference = NULL
    cdef Py_ssize_t size = 0
    cdef Py_ssize_t count, length, k
    cdef Py_ssize_t longest, closest = -1
    cdef Py_ssize_t tokens_and_texts
    cdef int32_t ids[MASK_BITS]
    cdef int32_t reference_ids[MASK_BITS]
    cdef FewTokens table
    cdef MaskMatcher matcher
    if not cybleu_items(references, &sequences, &count) or count == 0:
        return 0
    if not cybleu_items(hypothesis, &tokens, &length):
        return 0
    longest = length
    tokens_and_texts = min(length, TOKENS_BETWEEN_LOOKS) + 8
    for k in range(count):
        if not cybleu_items(sequences[k], &reference, &size):
            return 0
        closest = closer(closest, size, length)
        longest = max(longest, size)
        tokens_and_texts += min(size, TOKENS_BETWEEN_LOOKS) + 8
        fetch_tokens(reference, min(size, MASK_BITS))
    hypothesis_length[0] = length
    reference_length[0] = closest
    work[0] += min(tokens_and_texts, TOKENS_BETWEEN_LOOKS)
    if max_order == 0:
        return 1
    if longest > MASK_BITS or count > MANY_REFERENCES:
        return count_long_segment(sequences, count, hypothesis, max_order, matches)
    if not assign_few(&table, tokens, length, ids):
        return 0
    begin_masks(&matcher, ids, <int>length, table.size, max_order)
    for k in range(count):
        cybleu_items(sequences[k], &reference, &size)
        if not look_up_few(&table, reference, size, reference_ids):
            return 0
        add_reference_masks(&matcher, reference_ids, <int>size)
    finish_masks(&matcher, matches)
    return 1


cdef int intern_texts(TokenTable *table, PyObject **texts, Py_ssize_t count, const Py_ssize_t *starts, int32_t *ids,
                      Py_ssize_t *held) except -1:
    """The ids of all tokens; 0 where a token is declined or a text has changed its length meanwhile.

    Looking for interrupts may run Python code, so the table's tokens are held from then on, and counted in `held`.
    """
    cdef PyObject **tokens
    cdef Py_ssize_t size = 0
    cdef Py_ssize_t unwatched = 0
    cdef Py_ssize_t k, start, length
    cdef int taken
    for k in range(count):
        length = starts[k + 1] - starts[k] - 1
        start = 0
        while start < length:
            if not cybleu_items(texts[k], &tokens, &size) or size != length:
                return 0
            size = min(TOKENS_AT_ONCE, length - start)
            if k == 0:
                taken = assign_many(table, tokens + start, size, ids + start)
            else:
                taken = look_up_many(table, tokens + start, size, ids + starts[k] + start)
            if not taken:
                return 0
            start += size
            unwatched += size
            if unwatched >= TOKENS_AT_ONCE:
                while held[0] < table.size:
                    Py_INCREF(table.tokens[held[0]])
                    held[0] += 1
                unwatched = 0
                PyErr_CheckSignals()
        ids[starts[k + 1] - 1] = END if k == 0 else -1
    return 1


cdef int count_long_segment(PyObject **sequences, Py_ssize_t count, PyObject *hypothesis, Py_ssize_t max_order,
                            int64_t *matches) except -1:
    """The matches for any length, on texts that are held, because looking for interrupts may run Python code."""
    cdef TokenTable table
    cdef PyObject **items = NULL
    cdef PyObject **texts
    cdef Py_ssize_t *starts
    cdef int32_t *ids
    cdef char *memory = NULL
    cdef Watch watching = begin_watch()
    cdef uint64_t table_size, space, everything
    cdef Py_ssize_t length = 0
    cdef Py_ssize_t size = 0
    cdef Py_ssize_t held = 0
    cdef Py_ssize_t i, k, total
    cdef int taken
    cybleu_items(hypothesis, &items, &length)
    total = length + 1
    for k in range(count):
        cybleu_items(sequences[k], &items, &size)
        if size >= MOST_TOKENS - total:
            return 0
        total += size + 1
    # One block, with the table of tokens where the n-grams will be: memory that the system has to provide page by page
    # costs as much as the counting.
    table.mask = slots_needed(length) - 1
    table_size = (table.mask + 1) * sizeof(uint64_t)
    space = max(table_size + <uint64_t>(length + 2) * sizeof(PyObject *), match_memory(length, total, count + 1))
    space = (space + 7) & ~<uint64_t>7
    everything = space + <uint64_t>(2 * count + 3) * sizeof(PyObject *) + <uint64_t>total * sizeof(int32_t)
    if everything <= <uint64_t>PY_SSIZE_T_MAX:
        memory = <char *>malloc(<size_t>everything)
    if memory == NULL:
        raise MemoryError()
    texts = <PyObject **>(memory + space)       # the hypothesis, then the references
    starts = <Py_ssize_t *>(texts + count + 1)
    ids = <int32_t *>(starts + count + 2)
    starts[0] = 0
    for k in range(count + 1):
        texts[k] = sequences[k - 1] if k > 0 else hypothesis
        cybleu_items(texts[k], &items, &size)
        starts[k + 1] = starts[k] + size + 1
        Py_INCREF(texts[k])
    try:
        table.slots = <uint64_t *>memory
        fill_bytes(table.slots, 0, <size_t>table_size, &watching)
        table.tokens = <PyObject **>(memory + table_size) + 1
        (table.tokens - 1)[0] = NULL
        table.size = 0
        try:
            taken = intern_texts(&table, texts, count + 1, starts, ids, &held)
        finally:
            for i in range(held):
                if i % FETCHED == 0:
                    fetch_tokens(table.tokens + i + FETCHED, min(FETCHED, held - i - FETCHED))
                Py_DECREF(table.tokens[i])
        if not taken:
            return 0
        if total < RELEASE_FROM:
            match_by_interning(ids, starts, count + 1, max_order, memory, matches)
        else:
            with nogil:
                match_by_interning(ids, starts, count + 1, max_order, memory, matches)
    finally:
        for k in range(count + 1):
            Py_DECREF(texts[k])
        free(memory)
    return 1


# ----------------------------------------------------------------------------------------------------------- a corpus

cdef int count_corpus(object list_of_references, object hypotheses, Py_ssize_t max_order,
                      int64_t *lengths, int64_t *matches, int64_t *totals, int64_t *short_segments) except -1:
    """Sum over the segments; 0 where one of them, or a container, is declined, or the lists change meanwhile."""
    cdef PyObject **references
    cdef PyObject **hypothesis
    cdef Py_ssize_t count, other_count, n
    cdef Py_ssize_t i = 0
    cdef Py_ssize_t unwatched = 0
    cdef Py_ssize_t looks = 0
    cdef int64_t hypothesis_length = 0
    cdef int64_t reference_length = 0
    while True:
        # read anew each time: a signal handler or a finalizer may have changed the lists
        if (not cybleu_items(<PyObject *>list_of_references, &references, &count)
                or not cybleu_items(<PyObject *>hypotheses, &hypothesis, &other_count)
                or count != other_count):
            return 0
        if i >= count:
            return 1
        if not count_segment(references[i], hypothesis[i], max_order, &hypothesis_length, &reference_length, matches,
                             &unwatched):
            return 0
        lengths[0] += hypothesis_length
        lengths[1] += reference_length
        for n in range(max_order):
            if hypothesis_length > n:
                totals[n] += hypothesis_length - n
            else:
                short_segments[n] += 1
        i += 1
        if unwatched >= TOKENS_BETWEEN_LOOKS:
            unwatched = 0
            looks += 1
            PyErr_CheckSignals()
            if looks % LOOKS_BETWEEN_TURNS == 0:
                with nogil:
                    pass


cdef object frozen(object segment):
    """A copy that other threads cannot change: a tuple where it is a list or a tuple, items held."""
    return tuple(segment) if type(segment) is list or type(segment) is tuple else segment


cdef object frozen_references(object references):
    return tuple([frozen(reference) for reference in frozen(references)]) if (
        type(references) is list or type(references) is tuple) else references


def segment_counts(references, hypothesis, Py_ssize_t max_order):
    """The statistics row of a segment as a list of 2 + 2 * max_order ints, or None where it is declined.

    hypothesis length, closest reference length, clipped matches of orders 1 to max_order, n-grams of those orders.
    """
    cdef int64_t *matches
    cdef int64_t hypothesis_length = 0
    cdef int64_t reference_length = 0
    cdef Py_ssize_t n
    cdef Py_ssize_t work = 0
    cdef list row
    if CYBLEU_OTHER_THREADS_RUN:
        references = frozen_references(references)
        hypothesis = frozen(hypothesis)
    matches = <int64_t *>calloc(<size_t>max_order + 1, sizeof(int64_t))
    if matches == NULL:
        raise MemoryError()
    try:
        if not count_segment(<PyObject *>references, <PyObject *>hypothesis, max_order,
                             &hypothesis_length, &reference_length, matches, &work):
            return None
        row = [hypothesis_length, reference_length]
        for n in range(max_order):
            row.append(matches[n])
        for n in range(max_order):
            row.append(max(0, hypothesis_length - n))
        return row
    finally:
        free(matches)


def clipped_matches(references, hypothesis, Py_ssize_t n):
    """The clipped matches of order n and the n-grams of that order, or None where the segment is declined."""
    cdef list row
    if n < 1 or n > MASK_BITS:
        return None
    row = segment_counts(references, hypothesis, n)
    return None if row is None else (row[1 + n], row[1 + 2 * n])


def corpus_counts(list_of_references, hypotheses, Py_ssize_t max_order):
    """The sum of the segments' rows, and for each order how many segments are too short to have an n-gram of it.

    None where a segment is declined.
    """
    cdef int64_t lengths[2]
    cdef int64_t *sums
    cdef Py_ssize_t n
    cdef list row, short_segments
    if CYBLEU_OTHER_THREADS_RUN:
        list_of_references, hypotheses = frozen_corpus(list_of_references, hypotheses)
    sums = <int64_t *>calloc(<size_t>max_order + 1, 3 * sizeof(int64_t))
    if sums == NULL:
        raise MemoryError()
    try:
        lengths[0] = lengths[1] = 0
        if not count_corpus(list_of_references, hypotheses, max_order,
                            lengths, sums, sums + max_order, sums + 2 * max_order):
            return None
        row = [lengths[0], lengths[1]]
        for n in range(2 * max_order):
            row.append(sums[n])
        short_segments = []
        for n in range(max_order):
            short_segments.append(sums[2 * max_order + n])
        return row, short_segments
    finally:
        free(sums)


def segment_rows(list_of_references, hypotheses, Py_ssize_t max_order, Py_ssize_t start, Py_ssize_t stop,
                 int64_t[:, ::1] stats):
    """Write the statistics rows of the segments from `start` to before `stop`; the first that is declined, or `stop`.

    The lists are equally long as long as nothing changes them; where something does, the rest is declined.
    """
    cdef PyObject *references = NULL
    cdef PyObject *hypothesis = NULL
    cdef list held = []
    cdef Py_ssize_t n
    cdef Py_ssize_t i = start
    cdef Py_ssize_t unwatched = 0
    cdef int64_t *row
    if start < 0 or stop > stats.shape[0] or max_order < 1 or stats.shape[1] != 2 + 2 * max_order:
        raise ValueError("the rows do not fit the segments")
    while i < stop:
        if not segment_at(list_of_references, hypotheses, i, held, &references, &hypothesis):
            return i
        row = &stats[i, 0]
        memset(row, 0, <size_t>(2 + 2 * max_order) * sizeof(int64_t))
        if not count_segment(references, hypothesis, max_order, row, row + 1, row + 2, &unwatched):
            return i
        for n in range(max_order):
            row[2 + max_order + n] = row[0] - n if row[0] > n else 0
        i += 1
        if unwatched >= TOKENS_BETWEEN_LOOKS:
            unwatched = 0
            PyErr_CheckSignals()
    return stop


cdef int segment_at(object list_of_references, object hypotheses, Py_ssize_t i, list held, PyObject **references,
                    PyObject **hypothesis) except -1:
    """One segment of a corpus; 0 where a container is declined or ends before it.

    Where other threads run it is a copy, in `held`: one segment at a time, because the caller comes back after each
    that is declined.
    """
    cdef PyObject **items
    cdef PyObject **other_items
    cdef Py_ssize_t count = 0
    cdef Py_ssize_t other_count = 0
    if (not cybleu_items(<PyObject *>list_of_references, &items, &count)
            or not cybleu_items(<PyObject *>hypotheses, &other_items, &other_count)
            or i >= count or i >= other_count):
        return 0
    if CYBLEU_OTHER_THREADS_RUN:
        held[:] = [*list_of_references[i:i + 1], *hypotheses[i:i + 1]]
        if len(held) < 2:
            return 0
        held[0], held[1] = frozen_references(held[0]), frozen(held[1])
        references[0], hypothesis[0] = <PyObject *>held[0], <PyObject *>held[1]
        return 1
    references[0], hypothesis[0] = items[i], other_items[i]
    return 1


cdef tuple frozen_corpus(object list_of_references, object hypotheses):
    if type(list_of_references) is list or type(list_of_references) is tuple:
        list_of_references = tuple([frozen_references(references) for references in tuple(list_of_references)])
    if type(hypotheses) is list or type(hypotheses) is tuple:
        hypotheses = tuple([frozen(hypothesis) for hypothesis in tuple(hypotheses)])
    return list_of_references, hypotheses


# ---------------------------------------------------------------------------------------------------- the common score

cdef enum:
    MAX_VECTORS = 16        # weight vectors scored at once


cdef struct Weights:
    Py_ssize_t count
    Py_ssize_t largest                          # order
    Py_ssize_t orders[MAX_VECTORS]
    bint uniform[MAX_VECTORS]                   # is NLTK's default
    double values[MAX_VECTORS][MAX_ORDER]


# The arguments of a call of NLTK's functions, read once.
cdef struct Call:
    Weights vectors
    int smoothing
    double parameter
    bint auto_reweigh


cdef class Scorer:
    """NLTK's BLEU for plain weights and any smoothing method; declines the rest with None.

    In a corpus also methods 5 to 7, which ask for the last segment.

    :param smoothing_type: the class whose exact instances' methods are recognised
    :param methods: its plain functions method0 to method7
    :param warn: called with an n-gram order that has no match, where nothing smooths it
    """

    cdef object smoothing_type
    cdef tuple methods
    cdef object warn

    def __init__(self, smoothing_type, methods, warn):
        self.smoothing_type = smoothing_type
        self.methods = tuple(methods)
        self.warn = warn

    def sentence(self, references, hypothesis, weights, smoothing_function, auto_reweigh):
        """The score of one segment as `sentence_bleu` returns it, or None."""
        cdef Call call
        cdef double results[MAX_VECTORS]
        cdef Py_ssize_t work = 0
        cdef int taken
        if not self.read_call(&call, weights, smoothing_function, auto_reweigh):
            return None
        if CYBLEU_OTHER_THREADS_RUN:
            references = frozen_references(references)
            hypothesis = frozen(hypothesis)
        taken = self.score_segment(<PyObject *>references, <PyObject *>hypothesis, &call, results, &work)
        return as_nltk(taken, call.vectors.count, results)

    def sentences(self, list_of_references, hypotheses, weights, smoothing_function, auto_reweigh, Py_ssize_t start,
                  double[:, ::1] scores):
        """Write the scores of the segments from `start` on; the first that is declined, or the end."""
        cdef PyObject *references = NULL
        cdef PyObject *hypothesis = NULL
        cdef list held = []
        cdef Py_ssize_t i = start
        cdef Py_ssize_t unwatched = 0
        cdef Call call
        if start < 0 or not self.read_call(&call, weights, smoothing_function, auto_reweigh):
            return start
        if scores.shape[1] != call.vectors.count:
            raise ValueError("the scores do not fit the weights")
        while i < scores.shape[0]:
            # read anew each time: a warning or a signal handler may have changed the lists
            if (not segment_at(list_of_references, hypotheses, i, held, &references, &hypothesis)
                    or not self.score_segment(references, hypothesis, &call, &scores[i, 0], &unwatched)):
                return i
            i += 1
            if unwatched >= TOKENS_BETWEEN_LOOKS:
                unwatched = 0
                PyErr_CheckSignals()
        return i

    def rows(self, const int64_t[:, ::1] stats, weights, smoothing_function, auto_reweigh, Py_ssize_t start,
             double[:, ::1] scores):
        """The same from the statistics rows of segments, which have 5 orders at least where the smoothing asks."""
        cdef Counts counts
        cdef Call call
        cdef Watch watching = begin_watch()
        cdef Py_ssize_t order = stats.shape[1] // 2 - 1
        cdef Py_ssize_t i = start
        cdef Py_ssize_t n
        if start < 0 or not self.read_call(&call, weights, smoothing_function, auto_reweigh):
            return start
        if scores.shape[1] != call.vectors.count or scores.shape[0] != stats.shape[0]:
            raise ValueError("the scores do not fit the weights or the rows")
        if order < call.vectors.largest or (call.smoothing >= AVERAGE and order < 5):
            raise ValueError("the rows have too few orders")
        while i < scores.shape[0]:
            counts.hypothesis_length = stats[i, 0]
            counts.reference_length = stats[i, 1]
            for n in range(call.vectors.largest):
                counts.matches[n] = stats[i, 2 + n]
                counts.denominators[n] = max(1, stats[i, 2 + order + n])
            if call.smoothing >= AVERAGE:
                counts.five_gram_matches = stats[i, 6]
                counts.five_grams = max(1, stats[i, 6 + order])
            if not self.score(&counts, &call, &scores[i, 0]):
                break
            i += 1
            watch(&watching, 8)
        return i

    def corpus(self, list_of_references, hypotheses, weights, smoothing_function, auto_reweigh):
        """The score of a corpus as `corpus_bleu` returns it, or None."""
        cdef Counts counts
        cdef int64_t lengths[2]
        cdef int64_t totals[MAX_ORDER]
        cdef int64_t short_segments[MAX_ORDER]
        cdef Call call
        cdef double results[MAX_VECTORS]
        cdef Py_ssize_t order, n
        if not self.read_call(&call, weights, smoothing_function, auto_reweigh) or call.smoothing >= AVERAGE:
            return None
        order = call.vectors.largest
        if CYBLEU_OTHER_THREADS_RUN:
            list_of_references, hypotheses = frozen_corpus(list_of_references, hypotheses)
        memset(counts.matches, 0, sizeof(counts.matches))
        memset(totals, 0, sizeof(totals))
        memset(short_segments, 0, sizeof(short_segments))
        lengths[0] = lengths[1] = 0
        if not count_corpus(list_of_references, hypotheses, order, lengths, counts.matches, totals, short_segments):
            return None
        counts.hypothesis_length = lengths[0]
        counts.reference_length = lengths[1]
        for n in range(order):
            counts.denominators[n] = totals[n] + short_segments[n]
            if counts.denominators[n] == 0:
                return None     # no segment at all
        return as_nltk(self.score(&counts, &call, results), call.vectors.count, results)

    cdef int read_call(self, Call *call, object weights, object smoothing_function, object auto_reweigh) except -1:
        """1, or 0 where an argument is of a kind that is not known here."""
        call.parameter = 0.0
        if not read_weights(<PyObject *>weights, &call.vectors) or not is_bool(<PyObject *>auto_reweigh):
            return 0
        call.auto_reweigh = auto_reweigh is True
        call.smoothing = self.read_smoothing(smoothing_function, &call.parameter)
        return call.smoothing >= 0

    cdef int read_smoothing(self, object smoothing_function, double *parameter) except -2:
        """Which smoothing this callable is, -1 if none that is known here."""
        cdef PyObject *function
        cdef object instance, alpha
        cdef Py_ssize_t i
        if smoothing_function is None:
            return NO_SMOOTHING
        if not PyMethod_Check(<PyObject *>smoothing_function):
            return -1
        instance = <object>PyMethod_GET_SELF(<PyObject *>smoothing_function)
        if type(instance) is not self.smoothing_type:
            return -1
        function = PyMethod_GET_FUNCTION(<PyObject *>smoothing_function)
        for i in range(len(self.methods)):
            if function == <PyObject *>self.methods[i]:
                if i == ADD_EPSILON and not read_number(getattr(instance, "epsilon", None), parameter):
                    return -1
                if i == HALVE_BY_LENGTH or i == HALVE_AND_AVERAGE:
                    if not (read_number(getattr(instance, "k", None), parameter) and parameter[0] != 0.0):
                        return -1
                if i == HALVE_AND_AVERAGE and not (self.has_method(instance, "method4", HALVE_BY_LENGTH)
                                                   and self.has_method(instance, "method5", AVERAGE)):
                    return -1
                if i == INTERPOLATE:
                    alpha = getattr(instance, "alpha", None)
                    if not (PyLong_CheckExact(<PyObject *>alpha) and read_number(alpha, parameter)
                            and parameter[0] > 0.0):
                        return -1
                return i
        return -1

    cdef bint has_method(self, object instance, str name, Py_ssize_t number) except -1:
        """Whether a method that method7 calls is the one known here."""
        cdef object method = getattr(instance, name, None)
        return (PyMethod_Check(<PyObject *>method)
                and PyMethod_GET_FUNCTION(<PyObject *>method) == <PyObject *>self.methods[number])

    cdef int score_segment(self, PyObject *references, PyObject *hypothesis, const Call *call, double *results,
                           Py_ssize_t *work) except -1:
        """Write a score for each weight vector: 1, or 2 where it is NLTK's int 0; 0 where the segment is declined."""
        cdef Counts counts
        cdef int64_t hypothesis_length = 0
        cdef Py_ssize_t order = call.vectors.largest
        cdef Py_ssize_t counted = order
        cdef Py_ssize_t n
        if call.smoothing >= AVERAGE:
            counted = max(order, 5)
        memset(counts.matches, 0, sizeof(counts.matches))
        if not count_segment(references, hypothesis, counted, &hypothesis_length, &counts.reference_length,
                             counts.matches, work):
            return 0
        counts.five_gram_matches = counts.matches[4]
        counts.five_grams = max(1, hypothesis_length - 4)
        counts.hypothesis_length = hypothesis_length
        for n in range(order):
            counts.denominators[n] = max(1, hypothesis_length - n)
        return self.score(&counts, call, results)

    cdef int score(self, const Counts *counts, const Call *call, double *results) except -1:
        """The same from the counts."""
        cdef const double *weights
        cdef double equal[4]
        cdef Py_ssize_t scored, v, n
        if counts.matches[0] == 0:
            for v in range(call.vectors.count):
                results[v] = 0.0
            return 2
        for v in range(call.vectors.count):
            weights = call.vectors.values[v]
            scored = call.vectors.orders[v]
            if call.auto_reweigh and counts.hypothesis_length < 4 and call.vectors.uniform[v]:
                scored = counts.hypothesis_length
                for n in range(scored):
                    equal[n] = 1.0 / <double>scored
                weights = equal
            results[v] = bleu(counts, weights, <int>call.vectors.largest, <int>scored, <Smoothing>call.smoothing,
                              call.parameter)
            if results[v] < 0.0:
                return 0
        if call.smoothing == NO_SMOOTHING:
            for n in range(call.vectors.largest):
                if counts.matches[n] == 0:
                    self.warn(n + 1)
        return 1


cdef object as_nltk(int taken, Py_ssize_t count, const double *results):
    """What NLTK returns for one weight vector or several, or None."""
    cdef list scores
    cdef Py_ssize_t v
    if taken == 0:
        return None
    if taken == 2:
        return 0 if count == 1 else [0] * count
    if count == 1:
        return results[0]
    scores = []
    for v in range(count):
        scores.append(results[v])
    return scores


cdef inline bint is_bool(PyObject *flag) noexcept:
    return flag == Py_True or flag == Py_False


cdef inline int read_number(object number, double *value) except -1:
    """1 for a finite float, or an int that a float holds exactly; 0 for anything else."""
    cdef PyObject *item = <PyObject *>number
    cdef int overflow = 0
    cdef long long integer
    if PyFloat_CheckExact(item):
        value[0] = PyFloat_AS_DOUBLE(item)
        return isfinite(value[0])
    if PyLong_CheckExact(item):
        integer = PyLong_AsLongLongAndOverflow(item, &overflow)
        value[0] = <double>integer
        return overflow == 0 and -(1 << 30) < integer < (1 << 30)
    return 0


cdef inline int read_vector(PyObject *weights, Weights *into, Py_ssize_t which) except -1:
    """One vector; 0 where it is not a list or tuple of at most MAX_ORDER plain numbers."""
    cdef PyObject **items
    cdef Py_ssize_t count, i
    if CYBLEU_OTHER_THREADS_RUN and not PyTuple_CheckExact(weights):
        return 0
    if not cybleu_items(weights, &items, &count) or count > MAX_ORDER:
        return 0
    for i in range(count):
        if not read_number(<object>items[i], &into.values[which][i]):
            return 0
    into.orders[which] = count
    # NLTK compares with the tuple of four quarters, which no list equals
    into.uniform[which] = (PyTuple_CheckExact(weights) and count == 4 and into.values[which][0] == 0.25
                           and into.values[which][1] == 0.25 and into.values[which][2] == 0.25
                           and into.values[which][3] == 0.25)
    return 1


cdef inline int read_weights(PyObject *weights, Weights *into) except -1:
    """One vector or several, with at least one weight in the first; 0 where they are anything else."""
    cdef PyObject **items
    cdef Py_ssize_t count, v
    into.count = 1
    if read_vector(weights, into, 0):
        into.largest = into.orders[0]
        return into.largest > 0
    if CYBLEU_OTHER_THREADS_RUN and not PyTuple_CheckExact(weights):
        return 0
    if not cybleu_items(weights, &items, &count) or count == 0 or count > MAX_VECTORS:
        return 0
    into.count = count
    into.largest = 0
    for v in range(count):
        if not read_vector(items[v], into, v):
            return 0
        into.largest = max(into.largest, into.orders[v])
    return into.orders[0] > 0
