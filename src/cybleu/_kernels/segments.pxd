# Segments and corpora of exact lists and tuples of plain tokens (see tokens.pyx), for those that score them.

from cpython.object cimport PyObject
from libc.stdint cimport int64_t

cdef enum:
    TOKENS_BETWEEN_LOOKS = 65536    # in a corpus, for an interrupt


# Ask for the memory of the tokens of a segment, which is read next.
cdef void fetch_segment(PyObject *references, PyObject *hypothesis) noexcept

# The same of the segments of a corpus after the first of these, some time before they are read; `rest` are left.
cdef void fetch_ahead(PyObject **references, PyObject **hypotheses, Py_ssize_t rest) noexcept

# Set the lengths, add the clipped matches of each order to `matches`; 0 where the segment is declined. Adds the tokens
# of all texts, and some for each text, to `work`.
cdef int count_segment(PyObject *references, PyObject *hypothesis, Py_ssize_t max_order,
                       int64_t *hypothesis_length, int64_t *reference_length, int64_t *matches,
                       Py_ssize_t *work) except -1

# Add up the rows of the segments, and after them for each order the segments that are too short for it; 0 where a
# segment, or a container, is declined, or the lists change meanwhile.
cdef int count_corpus(object list_of_references, object hypotheses, Py_ssize_t max_order, int64_t *sums) except -1

# One segment of a corpus; 0 where a container is declined or ends before it. Where other threads run it is a copy, in
# `held`: one segment at a time, because the caller comes back after each that is declined.
cdef int segment_at(object list_of_references, object hypotheses, Py_ssize_t i, list held, PyObject **references,
                    PyObject **hypothesis) except -1

# A copy that other threads cannot change: tuples where there are lists or tuples, one in the other to this depth.
cdef object frozen(object container, int depth)
