# The features of hypotheses: dense columns first, then compressed ones, of which a row holds only those that are not 0.

from libc.stdint cimport int64_t

from cybleu._kernels.interrupts cimport Watch


cdef struct Rows:
    const double *dense
    const int64_t *indptr       # NULL where all features are dense
    const int64_t *columns
    const double *values
    Py_ssize_t count
    Py_ssize_t width            # dense features
    Py_ssize_t size             # all features
    Py_ssize_t longest          # the most compressed ones of a row


# The values of rows that follow each other.
cdef int weigh_rows(const Rows *rows, const double *weights, Py_ssize_t first, Py_ssize_t size, double *out,
                    Watch *watching) except -1 nogil

# The features in which two rows differ, and by how much; how many. There is room for all of both rows.
cdef Py_ssize_t differ(const Rows *rows, Py_ssize_t one, Py_ssize_t other, int64_t *columns,
                       double *changes) noexcept nogil


cdef class FeatureRows:
    cdef Rows rows
    # what the pointers are into
    cdef const double[:, ::1] dense
    cdef const int64_t[::1] indptr
    cdef const int64_t[::1] columns
    cdef const double[::1] values
