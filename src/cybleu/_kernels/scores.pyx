# cython: freethreading_compatible=True
"""NLTK's scores of plain lists, for plain weights and any smoothing method, and `sentence_bleu` itself, compiled.

What is not plain is declined: see ``segments``.
"""

from cpython.exc cimport PyErr_CheckSignals
from cpython.float cimport PyFloat_AS_DOUBLE, PyFloat_CheckExact
from cpython.long cimport PyLong_AsLongLongAndOverflow, PyLong_CheckExact
from cpython.method cimport PyMethod_Check, PyMethod_GET_FUNCTION, PyMethod_GET_SELF
from cpython.object cimport PyObject
from cpython.tuple cimport PyTuple_CheckExact
from libc.math cimport isfinite
from libc.stdint cimport int64_t
from libc.string cimport memset

from cybleu._kernels.common cimport CYBLEU_OTHER_THREADS_RUN, MAX_ORDER, SUMS_SIZE, cybleu_items
from cybleu._kernels.formula cimport (
    ADD_EPSILON, AVERAGE, HALVE_AND_AVERAGE, HALVE_BY_LENGTH, INTERPOLATE, NO_SMOOTHING, Counts, Smoothing, bleu
)
from cybleu._kernels.interrupts cimport Watch, begin_watch, watch
from cybleu._kernels.segments cimport (
    TOKENS_BETWEEN_LOOKS, count_corpus, count_segment, fetch_segment, frozen, segment_at
)

cdef extern from *:
    """
    #define CYBLEU_TEXT_OF(name) #name
    #define CYBLEU_TEXT(name) CYBLEU_TEXT_OF(name)
    #if defined(__clang__)
      #define CYBLEU_COMPILER __VERSION__
    #elif defined(__GNUC__)
      #define CYBLEU_COMPILER "GCC " __VERSION__
    #elif defined(_MSC_FULL_VER)
      #define CYBLEU_COMPILER "MSVC " CYBLEU_TEXT(_MSC_FULL_VER)
    #else
      #define CYBLEU_COMPILER "unknown compiler"
    #endif
    """
    const char *CYBLEU_COMPILER

COMPILER = CYBLEU_COMPILER.decode("ascii", "replace")

cdef enum:
    MAX_VECTORS = 16        # weight vectors scored at once

cdef tuple QUARTERS = (0.25, 0.25, 0.25, 0.25)      # the default of NLTK's functions


cdef struct Weights:
    Py_ssize_t count
    Py_ssize_t largest                          # order
    Py_ssize_t orders[MAX_VECTORS]
    bint uniform[MAX_VECTORS]                   # is NLTK's default
    double values[MAX_VECTORS][MAX_ORDER]


# The arguments of a call of NLTK's functions, read once.
cdef struct Call:
    const Weights *vectors
    Weights own                                 # a place for them
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
    cdef Weights quarters

    def __init__(self, smoothing_type, methods, warn):
        read_weights(QUARTERS, &self.quarters)
        self.smoothing_type = smoothing_type
        self.methods = tuple(methods)
        self.warn = warn

    cdef object sentence(self, object references, object hypothesis, object weights, object smoothing_function,
                         object auto_reweigh):
        """The score of one segment as `sentence_bleu` returns it, or None."""
        cdef Call call
        cdef double results[MAX_VECTORS]
        cdef Py_ssize_t work = 0
        cdef int taken
        if not self.read_call(&call, weights, smoothing_function, auto_reweigh):
            return None
        if CYBLEU_OTHER_THREADS_RUN:
            references, hypothesis = frozen(references, 2), frozen(hypothesis, 1)
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
        cdef int64_t sums[SUMS_SIZE]
        cdef Call call
        cdef double results[MAX_VECTORS]
        cdef Py_ssize_t order, n
        if not self.read_call(&call, weights, smoothing_function, auto_reweigh) or call.smoothing >= AVERAGE:
            return None
        order = call.vectors.largest
        if CYBLEU_OTHER_THREADS_RUN:
            list_of_references, hypotheses = frozen(list_of_references, 3), frozen(hypotheses, 2)
        memset(sums, 0, sizeof(sums))
        if not count_corpus(list_of_references, hypotheses, order, sums):
            return None
        counts.hypothesis_length = sums[0]
        counts.reference_length = sums[1]
        for n in range(order):
            counts.matches[n] = sums[2 + n]
            counts.denominators[n] = sums[2 + order + n] + sums[2 + 2 * order + n]
            if counts.denominators[n] == 0:
                return None     # no segment at all
        return as_nltk(self.score(&counts, &call, results), call.vectors.count, results)

    cdef int read_call(self, Call *call, object weights, object smoothing_function, object auto_reweigh) except -1:
        """1, or 0 where an argument is of a kind that is not known here."""
        call.parameter = 0.0
        call.vectors = &self.quarters
        if weights is not QUARTERS:
            call.vectors = &call.own
            if not read_weights(weights, &call.own):
                return 0
        if auto_reweigh is not True and auto_reweigh is not False:
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
        if not PyMethod_Check(smoothing_function):
            return -1
        instance = <object>PyMethod_GET_SELF(smoothing_function)
        if type(instance) is not self.smoothing_type:
            return -1
        function = PyMethod_GET_FUNCTION(smoothing_function)
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
                    if not (PyLong_CheckExact(alpha) and read_number(alpha, parameter) and parameter[0] > 0.0):
                        return -1
                return i
        return -1

    cdef bint has_method(self, object instance, str name, Py_ssize_t number) except -1:
        """Whether a method that method7 calls is the one known here, of this instance."""
        cdef object method = getattr(instance, name, None)
        return (PyMethod_Check(method) and PyMethod_GET_SELF(method) == <PyObject *>instance
                and PyMethod_GET_FUNCTION(method) == <PyObject *>self.methods[number])

    cdef int score_segment(self, PyObject *references, PyObject *hypothesis, const Call *call, double *results,
                           Py_ssize_t *work) except -1:
        """Write a score for each weight vector: 1, or 2 where it is NLTK's int 0; 0 where the segment is declined."""
        cdef Counts counts
        cdef Py_ssize_t order = call.vectors.largest
        cdef Py_ssize_t counted = order
        cdef Py_ssize_t n
        if call.smoothing >= AVERAGE:
            counted = max(order, 5)
        for n in range(max(counted, 5)):
            counts.matches[n] = 0
        fetch_segment(references, hypothesis)
        if not count_segment(references, hypothesis, counted, &counts.hypothesis_length, &counts.reference_length,
                             counts.matches, work):
            return 0
        counts.five_gram_matches = counts.matches[4]
        counts.five_grams = max(1, counts.hypothesis_length - 4)
        for n in range(order):
            counts.denominators[n] = max(1, counts.hypothesis_length - n)
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
    cdef Py_ssize_t v
    if taken == 0:
        return None
    if taken == 2:
        return 0 if count == 1 else [0] * count
    return results[0] if count == 1 else [results[v] for v in range(count)]


cdef inline int read_number(object number, double *value) except -1:
    """1 for a finite float, or an int that a float holds exactly; 0 for anything else."""
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
    """One vector; 0 where it is not a list or tuple of at most MAX_ORDER plain numbers."""
    cdef PyObject **items
    cdef Py_ssize_t count, i
    if CYBLEU_OTHER_THREADS_RUN and not PyTuple_CheckExact(weights):
        return 0
    if not cybleu_items(<PyObject *>weights, &items, &count) or count > MAX_ORDER:
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


cdef inline int read_weights(object weights, Weights *into) except -1:
    """One vector or several, with at least one weight in the first; 0 where they are anything else."""
    cdef PyObject **items
    cdef Py_ssize_t count, v
    into.count = 1
    if read_vector(weights, into, 0):
        into.largest = into.orders[0]
        return into.largest > 0
    if CYBLEU_OTHER_THREADS_RUN and not PyTuple_CheckExact(weights):
        return 0
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

cdef bint SERVES = True     # set where tests swap the backend, and nowhere else


def serve(bint wanted):
    """Whether the compiled functions score; otherwise they leave all to the functions that they stand for."""
    global SERVES
    SERVES = wanted


cdef bint serves() noexcept:
    return SERVES


cdef object stand_for(object face, object function):
    for name in ("__module__", "__name__", "__qualname__", "__doc__", "__annotations__"):
        setattr(function, name, getattr(face, name))
    function.__wrapped__ = face
    return function


def sentence_bleu(face, smoothing_type, methods, warn):
    """The function `face`, compiled: it scores what is plain at once, and calls `face` for what is declined."""
    cdef Scorer scorer = Scorer(smoothing_type, methods, warn)

    def sentence_bleu(references, hypothesis, weights=QUARTERS, smoothing_function=None, auto_reweigh=False):
        cdef object score = None
        if SERVES:
            score = scorer.sentence(references, hypothesis, weights, smoothing_function, auto_reweigh)
        if score is None:
            return face(references, hypothesis, weights, smoothing_function, auto_reweigh)
        return score

    return stand_for(face, sentence_bleu)
