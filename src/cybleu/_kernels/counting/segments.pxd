# Counting of segments and corpora in exact lists and tuples of plain tokens (see tokens/objects.pyx).

from cpython.object cimport PyObject
from libc.stdint cimport int64_t


# Add the lengths and the clipped matches of each order to `row`; 0 if the segment is declined. Adds the cost of
# the segment to `work`. The caller holds references to both; on free-threaded builds other threads may change them.
cdef int count_segment(object references, object hypothesis, Py_ssize_t max_order, int64_t *row,
                       Py_ssize_t *work) except -1

# Sum the rows of the segments, followed by the number of segments too short for each order; 0 if a segment or a
# container is declined, or the lists change meanwhile.
cdef int count_corpus(object list_of_references, object hypotheses, Py_ssize_t max_order, int64_t *sums) except -1

# Return an item of a list or tuple, or None, which is declined as a text.
cdef object item_at(object container, Py_ssize_t i)

# Check for interrupts and let other threads run, if there was enough work since. Python code may run.
cdef int look_between(Py_ssize_t *work) except -1

# Copy nested lists and tuples to tuples, down to this depth, so that nothing can change them.
cdef object frozen(object container, int depth)
