# Counting of segments and corpora in exact lists and tuples of plain tokens (see tokens/objects.pyx).

from cpython.object cimport PyObject
from libc.stdint cimport int64_t

cdef enum:
    TOKENS_BETWEEN_LOOKS = 65536    # between two checks for interrupts in a corpus


# Prefetch the tokens of the next segment. On free-threaded builds only tuples are read, whose items stay.
cdef void fetch_segment(PyObject *references, PyObject *hypothesis) noexcept

# Prefetch segments of a corpus ahead of their use; `rest` segments are left.
cdef void fetch_ahead(PyObject **references, PyObject **hypotheses, Py_ssize_t rest) noexcept

# Set the lengths and add the clipped matches of each order to `matches`; 0 if the segment is declined. Adds the cost of
# the segment to `work`. The caller holds references to both; on free-threaded builds other threads may change them.
cdef int count_segment(PyObject *references, PyObject *hypothesis, Py_ssize_t max_order,
                       int64_t *hypothesis_length, int64_t *reference_length, int64_t *matches,
                       Py_ssize_t *work) except -1

# Sum the rows of the segments, followed by the number of segments too short for each order; 0 if a segment or a
# container is declined, or the lists change meanwhile.
cdef int count_corpus(object list_of_references, object hypotheses, Py_ssize_t max_order, int64_t *sums) except -1

# Get one segment of a corpus; 0 if a container is declined or too short. On free-threaded builds `held`, a list of two,
# gets references to it, and what is missing is None, which is declined as a segment.
cdef int segment_at(object list_of_references, object hypotheses, Py_ssize_t i, list held, PyObject **references,
                    PyObject **hypothesis) except -1

# Copy nested lists and tuples to tuples, down to this depth, so that other threads cannot change them.
cdef object frozen(object container, int depth)
