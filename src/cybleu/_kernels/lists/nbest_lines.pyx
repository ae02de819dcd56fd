# cython: freethreading_compatible=True
"""Parse lines of n-best lists in bytes.

Only lines of the usual form are accepted; the general reader parses declined lines, and reports their errors.
"""

from libc.stdint cimport int64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memchr, memcmp

from cybleu._kernels.common.base cimport PY_SSIZE_T_MAX, allocated, distance
from cybleu._kernels.lists.named_values cimport NamedValues
from cybleu._kernels.lists.number_lines cimport (
    MOST_DIGITS,
    end_of_line,
    is_blank,
    is_digit,
    past_blanks,
    read_number,
)

# ------------------------------------------------------------------------------------------------------------- fields

cdef inline bint at_bars(const char *at, const char *end) noexcept nogil:
    return distance(at, end) >= 3 and at[0] == c"|" and at[1] == c"|" and at[2] == c"|"


cdef inline const char *next_bars(const char *at, const char *end) noexcept nogil:
    """Return the start of the next field separator, or NULL."""
    while at < end:
        at = <const char *>memchr(at, c"|", <size_t>distance(at, end))
        if at == NULL or at_bars(at, end):
            return at
        at += 1
    return NULL


cdef const char *read_whole_number(const char *at, const char *end, int64_t *value) noexcept nogil:
    """Skip a number; return its end, or NULL."""
    cdef const char *start = at
    value[0] = 0
    while at < end and is_digit(at[0]) and distance(start, at) < MOST_DIGITS:
        value[0] = 10 * value[0] + (at[0] - c"0")
        at += 1
    return at if at > start else NULL


cdef struct FieldLabel:
    const char *text
    Py_ssize_t length


cdef class NBestLines:
    """Reader for lines whose features have these labels in this order.

    :param labels: for each feature the label before its value, such as ``b"lm="``, or ``b""``
    :param columns: for each feature the column of its value
    :param glued: whether the value follows its label without a space, as in ``lm=-3.5``
    """

    cdef tuple texts
    cdef FieldLabel *labels
    cdef Py_ssize_t *columns
    cdef Py_ssize_t count
    cdef Py_ssize_t width       # required by the columns
    cdef bint glued
    cdef bint tailed            # whether sparse features may follow

    def __cinit__(self, tuple labels, tuple columns, bint glued):
        cdef bytes label
        cdef Py_ssize_t i
        if len(labels) != len(columns):
            raise ValueError("the labels do not fit the columns")
        self.count = len(labels)
        self.texts = labels
        self.glued = glued
        self.tailed = not glued and (not labels or labels[0] != b"")
        self.width = 0
        self.labels = <FieldLabel *>allocated(malloc((<size_t>self.count + 1) * sizeof(FieldLabel)))
        self.columns = <Py_ssize_t *>allocated(malloc((<size_t>self.count + 1) * sizeof(Py_ssize_t)))
        for i in range(self.count):
            label = labels[i]
            self.labels[i].text = label
            self.labels[i].length = len(label)
            self.columns[i] = columns[i]
            if not 0 <= self.columns[i] < PY_SSIZE_T_MAX:
                raise ValueError("a column is out of range")
            self.width = max(self.width, self.columns[i] + 1)

    def __dealloc__(self):
        free(self.labels)
        free(self.columns)

    cdef const char *read_features(self, const char *at, const char *end, double *values) noexcept nogil:
        cdef Py_ssize_t i, length
        for i in range(self.count):
            at = past_blanks(at, end)
            length = self.labels[i].length
            if length:
                if distance(at, end) <= length or memcmp(at, self.labels[i].text, <size_t>length) != 0:
                    return NULL
                at += length
                if not self.glued:
                    if not is_blank(at[0]):
                        return NULL
                    at = past_blanks(at, end)
            at = read_number(at, &values[self.columns[i]])
            if at == NULL or not (at == end or is_blank(at[0]) or at_bars(at, end)):
                return NULL
        return at

    def read(self, bytes block not None, Py_ssize_t start, Py_ssize_t row, int64_t[::1] ids, int64_t[::1] begins,
             int64_t[::1] ends, double[:, ::1] features, double[::1] model_scores, NamedValues sparse=None):
        """Read lines from `start` on into the rows from `row` on, up to the first declined line.

        :param begins: receives the start of each hypothesis in the block, without surrounding blanks
        :param ends: receives the end of each hypothesis
        :param sparse: receives further features with ``_`` in their names; if None, such lines are declined
        :return: the number of rows written, and the start of the first unread line
        """
        cdef const char *first = block
        cdef const char *stop = first + len(block)
        cdef const char *line = first + start
        cdef const char *after
        cdef const char *end
        cdef const char *at
        cdef const char *text
        cdef const char *tail
        cdef Py_ssize_t rows = min(ids.shape[0], begins.shape[0], ends.shape[0], features.shape[0],
                                   model_scores.shape[0])
        if not 0 <= start <= distance(first, stop) or row < 0 or features.shape[1] < self.width:
            raise ValueError("the rows do not fit the lines")
        with nogil:
            while line < stop and row < rows:
                end = end_of_line(line, stop, &after)
                at = read_whole_number(past_blanks(line, end), end, &ids[row])
                if at == NULL:
                    break
                at = past_blanks(at, end)
                if not at_bars(at, end):
                    break
                text = past_blanks(at + 3, end)
                at = next_bars(at + 3, end)
                if at == NULL:
                    break
                begins[row] = distance(first, min(text, at))
                ends[row] = distance(first, at)
                while ends[row] > begins[row] and is_blank(first[ends[row] - 1]):
                    ends[row] -= 1
                at = self.read_features(at + 3, end, &features[row, 0] if self.width else NULL)
                if at == NULL:
                    break
                at = past_blanks(at, end)
                if sparse is not None:
                    tail = at
                    if self.tailed:
                        at = next_bars(at, end)
                        if at == NULL:
                            break
                    if not sparse.read(tail, at, False):
                        break
                if not at_bars(at, end):
                    break
                at = read_number(past_blanks(at + 3, end), &model_scores[row])
                if at == NULL:
                    break
                at = past_blanks(at, end)
                if at < end and not at_bars(at, end):
                    break
                if sparse is not None:
                    sparse.end_row()
                row += 1
                line = after + 1
        return row, distance(first, min(line, stop))
