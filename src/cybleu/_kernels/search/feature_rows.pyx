# cython: freethreading_compatible=True
"""Sparse features of hypotheses: weighted sums of rows and of columns, and differences of rows."""

from libc.math cimport INFINITY
from libc.stdint cimport int64_t
from libc.stdlib cimport free
from libc.string cimport memset

from cybleu._kernels.common.base cimport PY_SSIZE_T_MAX, new_array
from cybleu._kernels.common.interrupts cimport Watch, begin_watch, watch
from cybleu._kernels.common.ngram_tables cimport check_offsets

cdef extern from *:
    """
    static const double cybleu_no_features[1] = {0.0};
    """
    const double *NO_FEATURES "cybleu_no_features"     # of rows without any: adding 0 to NULL is undefined


cdef int weigh_rows(const Rows *rows, const double *weights, Py_ssize_t first, Py_ssize_t size, double *out,
                    Watch *watching) except -1 nogil:
    """Weighted sum of dense features, in order; the sum of compressed products is added afterwards."""
    cdef Py_ssize_t i = 0
    cdef Py_ssize_t f, width = rows.width
    cdef const double *row = rows.dense + first * width
    cdef double a, b, c, d
    while i + 4 <= size:        # four rows, to break the dependency chain
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
    weigh_compressed(rows, weights, first, size, out, watching)
    return 0


cdef int weigh_compressed(const Rows *rows, const double *weights, Py_ssize_t first, Py_ssize_t size, double *out,
                          Watch *watching) except -1 nogil:
    """Add the weighted sum of the compressed features of each row."""
    cdef const double *of_compressed = weights + rows.width
    cdef Py_ssize_t i
    cdef int64_t k
    cdef double sum
    if rows.indptr == NULL:
        return 0
    for i in range(size):
        watch(watching, 1 + (rows.indptr[first + i + 1] - rows.indptr[first + i]) // 4)
        sum = 0.0
        for k in range(rows.indptr[first + i], rows.indptr[first + i + 1]):
            sum += of_compressed[rows.columns[k]] * rows.values[k]
        out[i] += sum
    return 0


cdef double highest(const double *values, Py_ssize_t size) noexcept nogil:
    """Return the maximum; NaN if the first value is NaN."""
    cdef double highs[4]
    cdef Py_ssize_t i
    cdef int k
    for k in range(4):
        highs[k] = values[0]
    for i in range(0, size - 3, 4):     # four maxima, to break the dependency chain
        for k in range(4):
            highs[k] = values[i + k] if values[i + k] > highs[k] else highs[k]
    for i in range(size - size % 4, size):
        highs[0] = values[i] if values[i] > highs[0] else highs[0]
    return max(max(highs[0], highs[1]), max(highs[2], highs[3]))


cdef inline Py_ssize_t first_highest(const double *values, Py_ssize_t size) noexcept nogil:
    """Return the index of the first maximum."""
    cdef double high = highest(values, size)
    cdef Py_ssize_t best = 0
    while best < size and values[best] != high:
        best += 1
    return best if best < size else 0       # NaN equals nothing


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
    """Like `differ`, without the dense features; `base` is added to the columns."""
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
    """Feature matrix with dense columns followed by columns in compressed sparse row format.

    :param indptr: row i has the entries ``indptr[i]`` to ``indptr[i + 1]`` (exclusive); None if all features are dense
    :param columns: column indices less than `compressed`, strictly ascending within a row
    :param compressed: number of compressed columns
    """

    def __cinit__(self, const double[:, ::1] dense not None, const int64_t[::1] indptr=None,
                  const int64_t[::1] columns=None, const double[::1] values=None, Py_ssize_t compressed=0):
        cdef Py_ssize_t i, k
        cdef Watch watching = begin_watch()
        cdef Rows rows
        memset(&rows, 0, sizeof(Rows))
        rows.count, rows.width = dense.shape[0], dense.shape[1]
        if not 0 <= compressed <= (PY_SSIZE_T_MAX // 2 if indptr is not None else 0):
            raise ValueError("the number of compressed features is out of range")
        rows.size = rows.width + compressed
        rows.dense = &dense[0, 0] if dense.size else NO_FEATURES
        if indptr is not None:
            if columns is None or values is None or columns.shape[0] != values.shape[0]:
                raise ValueError("the columns and the values do not fit each other")
            if indptr.shape[0] != rows.count + 1:
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
        """Write the weighted sum of each row."""
        cdef Watch watching = begin_watch()
        if weights.shape[0] != self.rows.size or out.shape[0] != self.rows.count:
            raise ValueError("the weights or the values do not fit the rows")
        if self.rows.size and self.rows.count:
            with nogil:
                weigh_rows(&self.rows, &weights[0], 0, self.rows.count, &out[0], &watching)
        else:
            out[:] = 0.0

    def winners(self, const int64_t[::1] offsets not None, const double[::1] weights not None,
                int64_t[::1] chosen not None, double[::1] values not None):
        """Write the first row with the highest value of each segment.

        :param chosen: receives the row numbers
        :param values: receives the value of each row
        """
        cdef Watch watching = begin_watch()
        cdef const Rows *rows = &self.rows
        cdef Py_ssize_t s, first, size
        check_offsets(offsets, rows.count, 1)
        if (weights.shape[0] != rows.size or rows.size == 0 or chosen.shape[0] != offsets.shape[0] - 1
                or values.shape[0] != rows.count):
            raise ValueError("the weights or the segments do not fit the rows")
        with nogil:
            for s in range(chosen.shape[0]):
                first = offsets[s]
                size = offsets[s + 1] - first
                weigh_rows(rows, &weights[0], first, size, &values[first], &watching)
                chosen[s] = first + first_highest(&values[first], size)

    def winners_near(self, const int64_t[::1] offsets not None, const double[::1] weights not None,
                     const double[::1] values not None, const double[::1] slope not None, double step,
                     const double[::1] errors not None, int64_t[::1] chosen not None):
        """Like :meth:`winners`, reading only rows that may win.

        :param values: values by other weights; value + step * slope approximates the value by `weights`
        :param errors: for each segment an upper bound of the error of this approximation
        """
        cdef Watch watching = begin_watch()
        cdef const Rows *rows = &self.rows
        cdef Py_ssize_t longest = check_offsets(offsets, rows.count, 1)
        cdef Py_ssize_t s, i, first, size, best, near
        cdef double limit, value, best_value
        if (weights.shape[0] != rows.size or rows.size == 0 or values.shape[0] != rows.count
                or slope.shape[0] != rows.count or errors.shape[0] != offsets.shape[0] - 1
                or chosen.shape[0] != errors.shape[0]):
            raise ValueError("the arrays do not fit each other")
        cdef double *about = <double *>new_array(longest, sizeof(double))
        try:
            with nogil:
                for s in range(errors.shape[0]):
                    first = offsets[s]
                    size = offsets[s + 1] - first
                    watch(&watching, size)
                    for i in range(size):
                        about[i] = values[first + i] + step * slope[first + i]
                    limit = highest(about, size) - 2.0 * errors[s]
                    near = 0
                    best = 0
                    for i in range(size):
                        best = i if near == 0 else best
                        near += not about[i] < limit
                    if near > 1:
                        best_value = -INFINITY
                        for i in range(size):
                            if not about[i] < limit:
                                weigh_rows(rows, &weights[0], first + i, 1, &value, &watching)
                                if value > best_value:
                                    best_value = value
                                    best = i
                    chosen[s] = first + best
        finally:
            free(about)

    def add_weighted(self, const double[::1] shares not None, double[::1] out not None, bint squared=False):
        """Write the sum of share * row, or of share * row * row, for each feature, adding rows in order."""
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
        """Write the differences of pairs of rows, in the same format as the arguments of the class.

        :param columns: array large enough for all features of both rows
        """
        cdef Watch watching = begin_watch()
        cdef const Rows *rows = &self.rows
        cdef Py_ssize_t p, f
        cdef int64_t used = 0
        cdef int64_t needed = 0
        cdef int64_t *written = NULL
        cdef double *changes = NULL
        if (others.shape[0] != ones.shape[0] or dense.shape[0] != ones.shape[0] or dense.shape[1] != rows.width
                or indptr.shape[0] != ones.shape[0] + 1 or columns.shape[0] != values.shape[0]):
            raise ValueError("the arrays do not fit each other")
        for p in range(ones.shape[0]):
            if not (0 <= ones[p] < rows.count and 0 <= others[p] < rows.count):
                raise ValueError("a row is out of range")
            if rows.indptr != NULL:
                needed += rows.indptr[ones[p] + 1] - rows.indptr[ones[p]]
                needed += rows.indptr[others[p] + 1] - rows.indptr[others[p]]
        if columns.shape[0] < needed:
            raise ValueError("the arrays are too small for the differences")
        if needed:
            written, changes = &columns[0], &values[0]
        with nogil:
            indptr[0] = 0
            for p in range(ones.shape[0]):
                watch(&watching, 1 + rows.width // 4)
                for f in range(rows.width):
                    dense[p, f] = rows.dense[ones[p] * rows.width + f] - rows.dense[others[p] * rows.width + f]
                if rows.indptr != NULL and needed:
                    watch(&watching, 1 + (rows.indptr[ones[p] + 1] - rows.indptr[ones[p]]) // 4)
                    used += differ_compressed(rows, ones[p], others[p], written + used, changes + used, 0)
                indptr[p + 1] = used
