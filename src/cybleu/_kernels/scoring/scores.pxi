# Compiled `sentence_bleu`, and NLTK's scores of plain lists with plain weights and any smoothing method.
#
# Other arguments are declined, see `counting/segments.pxi`.
#
# Offers: `copy_metadata`.

cdef enum:
    MAX_VECTORS = 16        # weight vectors scored at once


cdef tuple QUARTERS = (0.25, 0.25, 0.25, 0.25)      # the default of NLTK's functions


cdef struct Weights:
    Py_ssize_t count
    Py_ssize_t largest                          # order
    Py_ssize_t orders[MAX_VECTORS]
    bint uniform[MAX_VECTORS]                   # uses NLTK's default
    double values[MAX_VECTORS][MAX_ORDER]


# Parsed arguments of a call of NLTK's functions.
cdef struct Call:
    const Weights *vectors
    Weights own                                 # memory for the weights
    int method
    double parameter
    bint auto_reweigh
    int silent                                  # bits of the orders whose warning is ignored


cdef class Scorer:
    """NLTK's BLEU for plain weights and any smoothing method; other arguments are declined with None.

    Corpora support methods 5 to 7, too, which use the last segment.

    :param smoothing_type: class whose methods are recognised, on exact instances only
    :param methods: the functions of this class that `Method` numbers; others are declined
    :param warn: called with bits of the orders without a match, if there is no smoothing; returns whether this is
        ignored, and then is not called for this order again until another warning shows
    """

    cdef object smoothing_type
    cdef tuple methods
    cdef object warn
    cdef Weights quarters

    def __cinit__(self, smoothing_type, methods, warn):
        read_weights(QUARTERS, &self.quarters)
        self.smoothing_type = smoothing_type
        self.methods = tuple(methods[:METHODS])
        self.warn = warn

    cdef object sentence(self, object references, object hypothesis, object weights, object smoothing_function,
                         object auto_reweigh):
        """Return the same as `sentence_bleu`, or None."""
        cdef Call call
        cdef double results[MAX_VECTORS]
        cdef Py_ssize_t work = 0
        cdef int taken
        if not self.read_call(&call, weights, smoothing_function, auto_reweigh):
            return None
        taken = self.score_segment(references, hypothesis, &call, results, &work)
        return as_nltk(taken, call.vectors.count, results)

    def sentences(self, list_of_references, hypotheses, weights, smoothing_function, auto_reweigh, Py_ssize_t start,
                  double[:, ::1] scores):
        """Write the scores of the segments from `start` on; return the first declined segment, or the end."""
        cdef Py_ssize_t work = 0
        cdef Py_ssize_t i
        cdef Call call
        if start < 0 or not self.read_call(&call, weights, smoothing_function, auto_reweigh):
            return start
        if scores.shape[1] != call.vectors.count:
            raise ValueError("the scores do not fit the weights")
        for i in range(start, scores.shape[0]):
            if not self.score_segment(item_at(list_of_references, i), item_at(hypotheses, i), &call, &scores[i, 0],
                                      &work):
                return i
            look_between(&work)
        return scores.shape[0]

    def rows(self, const int64_t[:, ::1] stats, weights, smoothing_function, auto_reweigh, Py_ssize_t start,
             double[:, ::1] scores):
        """Write the scores of statistics rows, which have at least 5 orders if the smoothing requires them."""
        cdef Call call
        cdef Watch watching = begin_watch()
        cdef Py_ssize_t order = stats.shape[1] // 2 - 1
        cdef Py_ssize_t i = start
        if start < 0 or not self.read_call(&call, weights, smoothing_function, auto_reweigh):
            return start
        if scores.shape[1] != call.vectors.count or scores.shape[0] != stats.shape[0]:
            raise ValueError("the scores do not fit the weights or the rows")
        if order < call.vectors.largest or (call.method >= METHOD5 and order < 5):
            raise ValueError("the rows have too few orders")
        while i < scores.shape[0]:
            if not self.score_row(&stats[i, 0], &stats[i, 2 + order], &call, &scores[i, 0]):
                break
            i += 1
            watch(&watching, 8)
        return i

    def corpus(self, list_of_references, hypotheses, weights, smoothing_function, auto_reweigh):
        """Return the same as `corpus_bleu`, or None."""
        cdef int64_t sums[2 + 3 * MAX_ORDER]
        cdef Call call
        cdef double results[MAX_VECTORS]
        cdef Py_ssize_t order, n
        if not self.read_call(&call, weights, smoothing_function, auto_reweigh) or call.method >= METHOD5:
            return None
        order = call.vectors.largest
        memset(sums, 0, sizeof(sums))
        if not count_corpus(list_of_references, hypotheses, order, sums):
            return None
        for n in range(order):
            sums[2 + order + n] += sums[2 + 2 * order + n]
            if sums[2 + order + n] == 0:
                return None     # no segments
        return as_nltk(self.score_row(sums, sums + 2 + order, &call, results), call.vectors.count, results)

    cdef int read_call(self, Call *call, object weights, object smoothing_function, object auto_reweigh) except -1:
        """Parse the arguments; 0 if one is declined."""
        call.parameter = 0.0
        call.silent = 0
        call.vectors = &self.quarters if weights is QUARTERS else &call.own
        if weights is not QUARTERS and not read_weights(weights, &call.own):
            return 0
        if auto_reweigh is not True and auto_reweigh is not False:
            return 0
        call.auto_reweigh = auto_reweigh is True
        call.method = self.read_method(smoothing_function, &call.parameter)
        return call.method >= 0

    cdef int read_method(self, object smoothing_function, double *parameter) except -2:
        """Recognise a smoothing method; -1 if it is unknown.

        References are borrowed, because threads that count references to the same functions wait for each other.
        """
        cdef PyObject *function
        cdef PyObject *instance
        cdef PyObject **methods = NULL
        cdef object alpha
        cdef Py_ssize_t count = 0
        cdef Py_ssize_t i
        if smoothing_function is None:
            return METHOD0
        if not PyMethod_Check(smoothing_function):
            return -1
        instance = PyMethod_GET_SELF(smoothing_function)
        if type(<object>instance) is not self.smoothing_type:
            return -1
        function = PyMethod_GET_FUNCTION(smoothing_function)
        cybleu_items(<PyObject *>self.methods, &methods, &count)
        for i in range(count):
            if function == methods[i]:
                if i == METHOD1 and not number_in(getattr(<object>instance, "epsilon", None), parameter):
                    return -1
                if i == METHOD4 or i == METHOD7:
                    if not (number_in(getattr(<object>instance, "k", None), parameter) and parameter[0] != 0.0):
                        return -1
                if i == METHOD7 and not (self.has_method(instance, "method4", METHOD4)
                                         and self.has_method(instance, "method5", METHOD5)):
                    return -1
                if i == METHOD6:
                    alpha = getattr(<object>instance, "alpha", None)
                    if not (PyLong_CheckExact(alpha) and number_in(alpha, parameter) and parameter[0] > 0.0):
                        return -1
                return <int>i
        return -1

    cdef bint has_method(self, PyObject *instance, str name, Py_ssize_t number) except -1:
        """Return whether a method that method7 calls on this instance is the known one."""
        cdef object method = getattr(<object>instance, name, None)
        return (PyMethod_Check(method) and PyMethod_GET_SELF(method) == instance
                and PyMethod_GET_FUNCTION(method) == <PyObject *>self.methods[number])

    cdef int score_segment(self, object references, object hypothesis, Call *call, double *results,
                           Py_ssize_t *work) except -1:
        """Write a score for each weight vector; return 1, 2 for NLTK's int 0, or 0 if the segment is declined."""
        cdef int64_t row[2 + 2 * MAX_ORDER]
        cdef Py_ssize_t order = max(call.vectors.largest, 5) if call.method >= METHOD5 else call.vectors.largest
        cdef Py_ssize_t n
        clear_items(row, 2 + order)
        if not count_segment(references, hypothesis, order, row, work):
            return 0
        for n in range(order):
            row[2 + order + n] = row[0] - n
        return self.score_row(row, row + 2 + order, call, results)

    cdef int score_row(self, const int64_t *row, const int64_t *totals, Call *call, double *results) except -1:
        """Like `score_segment`, from a row and its numbers of n-grams, which may be below 0."""
        cdef Counts counts
        cdef const double *weights
        cdef double equal[4]
        cdef int unmatched = 0
        cdef Py_ssize_t scored, v, n
        counts.hypothesis_length = row[0]
        counts.reference_length = row[1]
        for n in range(call.vectors.largest):
            counts.matches[n] = row[2 + n]
            counts.denominators[n] = max(1, totals[n])
        counts.five_gram_matches = row[6] if call.method >= METHOD5 else 0
        counts.five_grams = max(1, totals[4]) if call.method >= METHOD5 else 1
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
            results[v] = nltk_bleu(&counts, weights, <int>call.vectors.largest, <int>scored, <Method>call.method,
                                   call.parameter)
            if not isfinite(results[v]):
                return 0
        if call.method == METHOD0:
            for n in range(call.vectors.largest):
                unmatched |= (counts.matches[n] == 0) << n
            if unmatched & ~call.silent:
                call.silent = call.silent | unmatched if self.warn(unmatched) else 0
        return 1


cdef object as_nltk(int taken, Py_ssize_t count, const double *results):
    """Return the same as NLTK for one or several weight vectors, or None."""
    cdef Py_ssize_t v
    if taken == 0:
        return None
    if taken == 2:
        return 0 if count == 1 else [0] * count
    return results[0] if count == 1 else [results[v] for v in range(count)]


cdef inline int number_in(object number, double *value) except -1:
    """Read a finite float, or an int that is exact as a float; 0 for anything else."""
    cdef int overflow = 0
    cdef long long integer
    if PyFloat_CheckExact(number):
        value[0] = PyFloat_AS_DOUBLE(number)
        return isfinite(value[0])
    if PyLong_CheckExact(number):
        integer = PyLong_AsLongLongAndOverflow(number, &overflow)
        value[0] = <double>integer
        return overflow == 0 and -(1 << 30) < integer < (1 << 30)
    return 0


cdef inline int read_vector(object weights, Weights *into, Py_ssize_t which) except -1:
    """Read one vector; 0 unless it is a list or tuple of at most MAX_ORDER plain numbers."""
    cdef PyObject **items
    cdef Py_ssize_t count, i
    cdef bint of_tuple = PyTuple_CheckExact(weights)
    weights = frozen(weights, 1)  # another thread may change a list where there is no GIL
    if not cybleu_items(<PyObject *>weights, &items, &count) or count > MAX_ORDER:
        return 0
    for i in range(count):
        if not number_in(<object>items[i], &into.values[which][i]):
            return 0
    into.orders[which] = count
    # NLTK compares with a tuple, which never equals a list
    into.uniform[which] = (of_tuple and count == 4 and into.values[which][0] == 0.25
                           and into.values[which][1] == 0.25 and into.values[which][2] == 0.25
                           and into.values[which][3] == 0.25)
    return 1


cdef inline int read_weights(object weights, Weights *into) except -1:
    """Read one vector or several, with at least one weight in the first; 0 for anything else."""
    cdef PyObject **items
    cdef Py_ssize_t count, v
    into.count = 1
    if read_vector(weights, into, 0):
        into.largest = into.orders[0]
        return into.largest > 0
    weights = frozen(weights, 1)
    if not cybleu_items(<PyObject *>weights, &items, &count) or count == 0 or count > MAX_VECTORS:
        return 0
    into.count = count
    into.largest = 0
    for v in range(count):
        if not read_vector(<object>items[v], into, v):
            return 0
        into.largest = max(into.largest, into.orders[v])
    return into.orders[0] > 0


# --------------------------------------------------------------------------------------------------------- the function
# Copy names, docstring and signature of a function to its compiled version, which is returned.
cdef object copy_metadata(object source, object target):
    return update_wrapper(target, source, ("__module__", "__name__", "__qualname__", "__doc__", "__annotations__"), ())


def sentence_bleu(original, smoothing_type, methods, warn):
    """Return a compiled version of `original`, which scores plain input and calls `original` for declined input."""
    cdef Scorer scorer = Scorer(smoothing_type, methods, warn)

    def sentence_bleu(references, hypothesis, weights=QUARTERS, smoothing_function=None, auto_reweigh=False):
        cdef object score = scorer.sentence(references, hypothesis, weights, smoothing_function, auto_reweigh)
        if score is None:
            return original(references, hypothesis, weights, smoothing_function, auto_reweigh)
        return score

    return copy_metadata(original, sentence_bleu)
