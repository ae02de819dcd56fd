# Features of hypotheses: dense columns first, then compressed sparse ones.

from libc.stdint cimport int64_t

from cybleu._kernels.common.interrupts cimport Watch


cdef struct Rows:
    const double *dense
    const int64_t *indptr       # NULL where all features are dense
    const int64_t *columns
    const double *values
    Py_ssize_t count
    Py_ssize_t width            # dense features
    Py_ssize_t size             # all features
    Py_ssize_t longest          # maximum number of compressed features in a row


# Weighted sums of consecutive rows.
cdef int weigh_rows(const Rows *rows, const double *weights, Py_ssize_t first, Py_ssize_t size, double *out,
                    Watch *watching) except -1 nogil

# Write the differing features of two rows and return their number. The arrays must hold all features of both rows.
cdef Py_ssize_t differ(const Rows *rows, Py_ssize_t one, Py_ssize_t other, int64_t *columns,
                       double *changes) noexcept nogil


cdef class FeatureRows:
    cdef Rows rows
    # owners of the memory of the pointers
    cdef const double[:, ::1] dense
    cdef const int64_t[::1] indptr
    cdef const int64_t[::1] columns
    cdef const double[::1] values
