# cython: freethreading_compatible=True
"""The features of hypotheses, most of them 0: weighted sums of rows and of columns, and differences of rows."""

from libc.stdint cimport int64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memset

from cybleu._kernels.common cimport allocated
from cybleu._kernels.interrupts cimport Watch, begin_watch, watch
from cybleu._kernels.tables cimport check_offsets


cdef int weigh_rows(const Rows *rows, const double *weights, Py_ssize_t first, Py_ssize_t size, double *out,
                    Watch *watching) except -1 nogil:
    """The value of a row is the sum of the dense products from the first on, plus that of the compressed ones."""
    cdef Py_ssize_t i = 0
    cdef Py_ssize_t f, width = rows.width
    cdef int64_t k
    cdef const double *row = rows.dense + first * width
    cdef const double *of_compressed = weights + width
    cdef double a, b, c, d
    while i + 4 <= size:        # four chains: an addition waits for the one before
        a = b = c = d = 0.0
        for f in range(width):
            a += weights[f] * row[f]
            b += weights[f] * row[width + f]
            c += weights[f] * row[2 * width + f]
            d += weights[f] * row[3 * width + f]
        out[i], out[i + 1], out[i + 2], out[i + 3] = a, b, c, d
        row += 4 * width
        i += 4
    while i < size:
        a = 0.0
        for f in range(width):
            a += weights[f] * row[f]
        out[i] = a
        row += width
        i += 1
    watch(watching, 1 + size * (1 + width // 4))
    if rows.indptr != NULL:
        for i in range(size):
            watch(watching, 1 + (rows.indptr[first + i + 1] - rows.indptr[first + i]) // 4)
            a = 0.0
            for k in range(rows.indptr[first + i], rows.indptr[first + i + 1]):
                a += of_compressed[rows.columns[k]] * rows.values[k]
            out[i] += a
    return 0


cdef Py_ssize_t differ(const Rows *rows, Py_ssize_t one, Py_ssize_t other, int64_t *columns,
                       double *changes) noexcept nogil:
    cdef Py_ssize_t width = rows.width
    cdef Py_ssize_t count = 0
    cdef Py_ssize_t f
    cdef double change
    for f in range(width):
        change = rows.dense[one * width + f] - rows.dense[other * width + f]
        columns[count] = f
        changes[count] = change
        count += change != 0.0
    if rows.indptr != NULL:
        count += differ_compressed(rows, one, other, columns + count, changes + count, width)
    return count


cdef Py_ssize_t differ_compressed(const Rows *rows, Py_ssize_t one, Py_ssize_t other, int64_t *columns,
                                  double *changes, Py_ssize_t base) noexcept nogil:
    """As `differ`, without the dense features; `base` is added to the columns."""
    cdef int64_t i = rows.indptr[one]
    cdef int64_t j = rows.indptr[other]
    cdef Py_ssize_t count = 0
    while i < rows.indptr[one + 1] or j < rows.indptr[other + 1]:
        if j == rows.indptr[other + 1] or (i < rows.indptr[one + 1] and rows.columns[i] < rows.columns[j]):
            columns[count] = base + rows.columns[i]
            changes[count] = rows.values[i]
            i += 1
        elif i == rows.indptr[one + 1] or rows.columns[j] < rows.columns[i]:
            columns[count] = base + rows.columns[j]
            changes[count] = -rows.values[j]
            j += 1
        else:
            columns[count] = base + rows.columns[i]
            changes[count] = rows.values[i] - rows.values[j]
            i += 1
            j += 1
        count += changes[count] != 0.0
    return count


cdef class FeatureRows:
    """The features of rows: those of `dense`, and of row i those at ``indptr[i]`` to before ``indptr[i + 1]``.

    :param indptr: None where all features are dense
    :param columns: numbers from 0 to before `compressed`, strictly ascending within a row
    :param compressed: how many there are of these features
    """

    def __init__(self, const double[:, ::1] dense not None, const int64_t[::1] indptr=None,
                 const int64_t[::1] columns=None, const double[::1] values=None, Py_ssize_t compressed=0):
        cdef Py_ssize_t i, k
        cdef Watch watching = begin_watch()
        cdef Rows rows
        memset(&rows, 0, sizeof(Rows))
        rows.count, rows.width = dense.shape[0], dense.shape[1]
        rows.size = rows.width + compressed
        if dense.size:
            rows.dense = &dense[0, 0]
        if indptr is not None:
            if columns is None or values is None or columns.shape[0] != values.shape[0]:
                raise ValueError("the columns and the values do not fit each other")
            if indptr.shape[0] != rows.count + 1 or compressed < 0:
                raise ValueError("the compressed rows do not fit the dense ones")
            rows.longest = check_offsets(indptr, columns.shape[0], 0)
            for i in range(rows.count):
                watch(&watching, 1)
                for k in range(indptr[i], indptr[i + 1]):
                    if not 0 <= columns[k] < compressed or (k > indptr[i] and columns[k] <= columns[k - 1]):
                        raise ValueError("a column is out of range, or they do not ascend within a row")
            rows.indptr = &indptr[0]
            if columns.shape[0]:
                rows.columns, rows.values = &columns[0], &values[0]
        self.rows = rows
        self.dense, self.indptr, self.columns, self.values = dense, indptr, columns, values

    def weigh(self, const double[::1] weights not None, double[::1] out not None):
        """Write the value of each row by these weights."""
        cdef Watch watching = begin_watch()
        if weights.shape[0] != self.rows.size or out.shape[0] != self.rows.count:
            raise ValueError("the weights or the values do not fit the rows")
        if self.rows.size and self.rows.count:
            with nogil:
                weigh_rows(&self.rows, &weights[0], 0, self.rows.count, &out[0], &watching)
        else:
            out[:] = 0.0

    def winners(self, const int64_t[::1] offsets not None, const double[::1] weights not None,
                int64_t[::1] chosen not None):
        """Write the row of each segment with the highest value, the first of equal ones; whether all are finite."""
        cdef Watch watching = begin_watch()
        cdef Py_ssize_t longest = check_offsets(offsets, self.rows.count, 1)
        cdef Py_ssize_t s, i, size, best
        cdef double nothing = 0.0
        cdef double *values
        if weights.shape[0] != self.rows.size or chosen.shape[0] != offsets.shape[0] - 1 or self.rows.size == 0:
            raise ValueError("the weights or the segments do not fit the rows")
        values = <double *>allocated(malloc((longest + 1) * sizeof(double)))
        try:
            with nogil:
                for s in range(chosen.shape[0]):
                    size = offsets[s + 1] - offsets[s]
                    weigh_rows(&self.rows, &weights[0], offsets[s], size, values, &watching)
                    best = 0
                    for i in range(size):
                        nothing += values[i] * 0.0      # NaN for what is not finite
                        if values[i] > values[best]:
                            best = i
                    chosen[s] = offsets[s] + best
        finally:
            free(values)
        return nothing == 0.0

    def add_weighted(self, const double[::1] shares not None, double[::1] out not None, bint squared=False):
        """Write the sum of share * row, or share * row * row, for each feature from the first row on."""
        cdef Watch watching = begin_watch()
        cdef Py_ssize_t i, f
        cdef Py_ssize_t width = self.rows.width
        cdef int64_t k
        cdef double value
        cdef const Rows *rows = &self.rows
        if shares.shape[0] != rows.count or out.shape[0] != rows.size:
            raise ValueError("the shares or the sums do not fit the rows")
        out[:] = 0.0
        with nogil:
            for i in range(rows.count):
                watch(&watching, 1 + width // 4)
                for f in range(width):
                    value = rows.dense[i * width + f]
                    out[f] += shares[i] * value * (value if squared else 1.0)
                if rows.indptr != NULL:
                    watch(&watching, (rows.indptr[i + 1] - rows.indptr[i]) // 4)
                    for k in range(rows.indptr[i], rows.indptr[i + 1]):
                        value = rows.values[k]
                        out[width + rows.columns[k]] += shares[i] * value * (value if squared else 1.0)

    def differences(self, const int64_t[::1] ones not None, const int64_t[::1] others not None,
                    double[:, ::1] dense not None, int64_t[::1] indptr not None, int64_t[::1] columns not None,
                    double[::1] values not None):
        """Write each of some rows minus another one, in the form of the arguments of the class.

        :param columns: with room for all features of both
        """
        cdef Watch watching = begin_watch()
        cdef const Rows *rows = &self.rows
        cdef Py_ssize_t p, f
        cdef int64_t used = 0
        cdef int64_t room = 0
        cdef int64_t *written = NULL
        cdef double *changes = NULL
        if (others.shape[0] != ones.shape[0] or dense.shape[0] != ones.shape[0] or dense.shape[1] != rows.width
                or indptr.shape[0] != ones.shape[0] + 1 or columns.shape[0] != values.shape[0]):
            raise ValueError("the arrays do not fit each other")
        for p in range(ones.shape[0]):
            if not (0 <= ones[p] < rows.count and 0 <= others[p] < rows.count):
                raise ValueError("a row is out of range")
            if rows.indptr != NULL:
                room += rows.indptr[ones[p] + 1] - rows.indptr[ones[p]]
                room += rows.indptr[others[p] + 1] - rows.indptr[others[p]]
        if columns.shape[0] < room:
            raise ValueError("there is no room for the differences")
        if room:
            written, changes = &columns[0], &values[0]
        with nogil:
            indptr[0] = 0
            for p in range(ones.shape[0]):
                watch(&watching, 1 + rows.width // 4)
                for f in range(rows.width):
                    dense[p, f] = rows.dense[ones[p] * rows.width + f] - rows.dense[others[p] * rows.width + f]
                if rows.indptr != NULL and room:
                    watch(&watching, 1 + (rows.indptr[ones[p] + 1] - rows.indptr[ones[p]]) // 4)
                    used += differ_compressed(rows, ones[p], others[p], written + used, changes + used, 0)
                indptr[p + 1] = used
