# Features of hypotheses, dense columns first, then compressed sparse ones: weighted sums, winners, passes of MIRA.

cdef enum:
    ROWS = 64       # weighed at once, between which there are checks for interrupts


cdef double NO_FEATURES = 0.0      # of rows without any: adding 0 to NULL is undefined


cdef double gain_of(const int64_t *counts, const double *background, const double *shares, int order) noexcept nogil:
    """Return the BLEU of a hypothesis plus the background, times their reference length.

    :param shares: the weights of the orders; NULL is uniform
    """
    cdef double length = background[0] + <double>counts[0]
    cdef double wanted = background[1] + <double>counts[1]
    cdef double ratio = 1.0
    cdef double mean = 0.0
    cdef double matches, total
    cdef int n
    for n in range(order):
        if shares == NULL or shares[n] != 0.0:
            matches = background[2 + n] + <double>counts[2 + n]
            total = background[2 + order + n] + <double>counts[2 + order + n]
            if not (matches > 0.0 and total > 0.0):
                return 0.0
            if shares == NULL:
                ratio *= matches / total
            else:
                mean += shares[n] * log(matches / total)
    if not (length > 0.0 and wanted > 0.0 and ratio > 0.0):
        return 0.0
    if shares == NULL:
        mean = log(ratio) / order
    if length < wanted:
        mean += 1.0 - wanted / length
    return exp(mean) * wanted


cdef Py_ssize_t best_of(const double *values, const double *gains, Py_ssize_t size, double scale,
                        double sign) noexcept nogil:
    """Return the first hypothesis that maximises scale * value + sign * gain; NaN is above all, as for NumPy."""
    cdef Py_ssize_t i
    cdef Py_ssize_t best = 0
    cdef double sum
    cdef double high = scale * values[0] + sign * gains[0]
    for i in range(1, size):
        if high != high:
            break
        sum = scale * values[i] + sign * gains[i]
        if not sum <= high:
            high = sum
            best = i
    return best


cdef class FeatureRows:
    """Feature matrix with dense columns followed by columns in compressed sparse row format.

    :param indptr: row i has the entries ``indptr[i]`` to ``indptr[i + 1]`` (exclusive)
    :param columns: column indices less than `compressed`, strictly ascending within a row
    :param compressed: number of compressed columns
    """

    cdef object owners              # of the memory of the pointers
    cdef const double *dense
    cdef const int64_t *indptr
    cdef const int64_t *columns     # NULL where there are no entries
    cdef const double *values
    cdef Py_ssize_t count
    cdef Py_ssize_t width           # dense features
    cdef Py_ssize_t size            # all features

    def __cinit__(self, const double[:, ::1] dense not None, const int64_t[::1] indptr not None,
                  const int64_t[::1] columns not None, const double[::1] values not None, Py_ssize_t compressed):
        cdef Py_ssize_t i
        cdef bint fit = 0 <= compressed <= PY_SSIZE_T_MAX // 2
        self.dense = &dense[0, 0] if dense.size else &NO_FEATURES
        self.owners = dense, indptr, columns, values
        check_offsets(indptr, columns.shape[0], 0)
        for i in range(columns.shape[0]):
            fit &= 0 <= columns[i] < compressed
        if not fit or values.shape[0] != columns.shape[0] or indptr.shape[0] - 1 != dense.shape[0]:
            raise ValueError("the compressed features do not fit each other")
        self.count = dense.shape[0]
        self.width = dense.shape[1]
        self.size = self.width + compressed
        self.indptr = &indptr[0]
        if columns.shape[0]:
            self.columns, self.values = &columns[0], &values[0]

    cdef void weigh_rows(self, const double *weights, Py_ssize_t first, Py_ssize_t size, double *out) noexcept nogil:
        """Weighted sum of dense features, in order; the sum of compressed products is added afterwards."""
        cdef Py_ssize_t i = 0
        cdef Py_ssize_t f, width = self.width
        cdef int64_t k
        cdef const double *row = self.dense + first * width
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
        for i in range(size if self.columns != NULL else 0):
            a = 0.0
            for k in range(self.indptr[first + i], self.indptr[first + i + 1]):
                a += weights[width + self.columns[k]] * self.values[k]
            out[i] += a

    cdef double move(self, Py_ssize_t one, Py_ssize_t other, double share, Py_ssize_t averaged, double *weights,
                     double *lag) noexcept nogil:
        """Add the share of the difference of two rows to the weights; return the sum of its squares.

        :param lag: receives what is added to the weights, times the number of vectors in the average before
        """
        cdef Py_ssize_t width = self.width
        cdef const int64_t *columns = self.columns
        cdef Py_ssize_t f
        cdef int64_t i, j, i_end, j_end, column
        cdef double change
        cdef double squares = 0.0
        for f in range(width):
            change = self.dense[one * width + f] - self.dense[other * width + f]
            squares += change * change
            weights[f] += share * change
            lag[f] += <double>averaged * (share * change)
        i, i_end, j, j_end = self.indptr[one], self.indptr[one + 1], self.indptr[other], self.indptr[other + 1]
        while i < i_end or j < j_end:
            column = columns[i] if j == j_end or (i < i_end and columns[i] < columns[j]) else columns[j]
            change = 0.0
            if i < i_end and columns[i] == column:
                change = self.values[i]
                i += 1
            if j < j_end and columns[j] == column:
                change -= self.values[j]
                j += 1
            squares += change * change
            weights[width + column] += share * change
            lag[width + column] += <double>averaged * (share * change)
        return squares

    def weigh(self, const double[::1] weights not None, double[::1] out not None):
        """Write the weighted sum of each row."""
        cdef Watch watching = begin_watch()
        cdef Py_ssize_t first = 0
        if weights.shape[0] != self.size or out.shape[0] != self.count:
            raise ValueError("the weights or the values do not fit the rows")
        cdef const double *vector = &weights[0] if self.size else NULL
        with nogil:
            while first < self.count:
                self.weigh_rows(vector, first, min(<Py_ssize_t>ROWS, self.count - first), &out[first])
                watch(&watching, ROWS * (1 + self.size // 4))
                first += ROWS

    def winners(self, const int64_t[::1] offsets not None, const double[::1] weights not None,
                const double[::1] values not None, double error, int64_t[::1] chosen not None):
        """Write the first row with the highest weighted sum of each segment.

        :param values: approximations of the sums
        :param error: an upper bound of their error. Rows that may win are weighed again
        :param chosen: receives the row numbers
        """
        cdef Watch watching = begin_watch()
        cdef Py_ssize_t s, i, first, size, best, near
        cdef double limit, value, highest
        check_offsets(offsets, self.count, 1)
        if (weights.shape[0] != self.size or self.size == 0 or chosen.shape[0] != offsets.shape[0] - 1
                or values.shape[0] != self.count):
            raise ValueError("the weights or the segments do not fit the rows")
        with nogil:
            for s in range(chosen.shape[0]):
                first = offsets[s]
                size = offsets[s + 1] - first
                watch(&watching, size)
                best = best_of(&values[first], &values[first], size, 1.0, 0.0)
                limit = values[first + best] - 2.0 * error
                near = 0        # counted first: most often one row may win, and its features are not in the cache
                for i in range(size if error > 0.0 else 0):
                    near += not values[first + i] < limit
                highest = -INFINITY
                for i in range(size if near > 1 else 0):
                    if not values[first + i] < limit:
                        self.weigh_rows(&weights[0], first + i, 1, &value)
                        if value > highest:
                            highest = value
                            best = i
                chosen[s] = first + best

    def mira_pass(self, const int64_t[::1] offsets not None, const int64_t[::1] order not None,
                  const int64_t[:, ::1] stats, const double[::1] scores, const double[::1] shares,
                  double[::1] background not None, double[::1] weights not None, double[::1] lag not None,
                  Py_ssize_t averaged, double step, double decay, double safe_ratio, bint model_background,
                  bint moses_rules):
        """Update the weights by the hope and fear hypotheses of each segment; return the new value of `averaged`.

        :param order: order in which segments are visited
        :param stats: rows of BLEU; None if `scores` has the gain of each hypothesis
        :param shares: the weights of the n-gram orders; None is uniform
        :param background: a row of BLEU, updated in place
        :param weights: updated in place
        :param lag: weights - lag / averaged is the average of the weights
        :param averaged: the number of weight vectors in the average so far
        :param safe_ratio: the largest ratio of the model's score and the gain when hope is chosen; 0 is no limit
        :param moses_rules: average the weights after each update instead of each segment, and add to the background
            only where hope gains more than fear
        """
        cdef Watch watching = begin_watch()
        cdef Py_ssize_t longest = check_offsets(offsets, self.count, 1)
        cdef int orders = <int>(background.shape[0] // 2 - 1)
        cdef const double *shares_of_orders = &shares[0] if shares is not None and shares.shape[0] else NULL
        cdef Py_ssize_t s, n, i, first, size, hope, fear, taken
        cdef double delta, loss, squares, scale
        cdef bint fit = weights.shape[0] == lag.shape[0] == self.size > 0
        for s in range(order.shape[0]):
            fit &= 0 <= order[s] < offsets.shape[0] - 1
        if stats is None:
            fit &= scores is not None and scores.shape[0] == self.count
        else:
            fit &= orders > 0 and stats.shape[1] == background.shape[0] == 2 + 2 * orders
            fit &= stats.shape[0] == self.count and (shares is None or shares.shape[0] == orders)
        if not fit:
            raise ValueError("the arrays do not fit each other")
        cdef double *values = <double *>new_array(2 * longest, sizeof(double))
        cdef double *gains = values + longest
        try:
            with nogil:
                for s in range(order.shape[0]):
                    first = offsets[order[s]]
                    size = offsets[order[s] + 1] - first
                    watch(&watching, size * (4 + self.size // 4))
                    self.weigh_rows(&weights[0], first, size, values)
                    for i in range(size):
                        if stats is None:
                            gains[i] = scores[first + i]
                        else:
                            gains[i] = gain_of(&stats[first + i, 0], &background[0], shares_of_orders, orders)
                    hope = best_of(values, gains, size, 1.0, 1.0)
                    scale = safe_ratio * fabs(gains[hope]) / fabs(values[hope]) if fabs(values[hope]) > 1e-8 else 1.0
                    if safe_ratio > 0.0 and scale < 1.0:
                        hope = best_of(values, gains, size, scale, 1.0)
                    fear = best_of(values, gains, size, 1.0, -1.0)
                    delta = gains[hope] - gains[fear]
                    loss = delta - (values[hope] - values[fear])
                    squares = 0.0
                    if delta > 0.0 and loss > 0.0:
                        squares = self.move(first + hope, first + fear, 0.0, averaged, &weights[0], &lag[0])
                        if squares > 0.0:
                            scale = min(step, loss / squares)
                            self.move(first + hope, first + fear, scale, averaged, &weights[0], &lag[0])
                    if stats is not None and (delta > 0.0 or not moses_rules):
                        taken = first + (best_of(values, gains, size, 1.0, 0.0) if model_background else hope)
                        for n in range(2 + 2 * orders):
                            background[n] = decay * background[n] + <double>stats[taken, n]
                    if squares > 0.0 or not moses_rules:
                        averaged += 1
            return averaged
        finally:
            free(values)
