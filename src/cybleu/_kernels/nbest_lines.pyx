# cython: freethreading_compatible=True
"""Lines of n-best lists in bytes: their fields.

Only lines of the ordinary form are taken; the reader above takes every line that is declined here, and says what is
wrong where something is. A number is computed where its digits and its power of ten are exact doubles (Clinger 1990),
and otherwise read by Python.
"""

from libc.math cimport isfinite
from libc.stdint cimport int64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memchr, memcmp

from cybleu._kernels.common cimport allocated, distance

cdef extern from "Python.h":
    double PyOS_string_to_double(const char *text, char **end, object overflow) except? -1.0

cdef extern from *:
    """
    static const double CYBLEU_POWERS[] = {1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13,
        1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    """
    const double CYBLEU_POWERS[23]

cdef enum:
    MOST_DIGITS = 18        # that fit a signed 64-bit number, whatever they are
    EXACT_POWER = 22
    LONGEST_EXPONENT = 4


# ------------------------------------------------------------------------------------------------------------- fields

cdef inline bint is_blank(char byte) noexcept nogil:
    return byte == c" " or byte == c"\t"


cdef inline bint is_digit(char byte) noexcept nogil:
    return c"0" <= byte <= c"9"


cdef inline const char *past_blanks(const char *at, const char *end) noexcept nogil:
    while at < end and is_blank(at[0]):
        at += 1
    return at


cdef inline bint at_bars(const char *at, const char *end) noexcept nogil:
    return distance(at, end) >= 3 and at[0] == c"|" and at[1] == c"|" and at[2] == c"|"


cdef inline const char *next_bars(const char *at, const char *end) noexcept nogil:
    """Where the next field separator begins, or NULL."""
    while at < end:
        at = <const char *>memchr(at, c"|", <size_t>distance(at, end))
        if at == NULL or at_bars(at, end):
            return at
        at += 1
    return NULL


cdef const char *read_whole_number(const char *at, const char *end, int64_t *value) noexcept nogil:
    """Past the number, or NULL."""
    cdef const char *start = at
    value[0] = 0
    while at < end and is_digit(at[0]) and distance(start, at) < MOST_DIGITS:
        value[0] = 10 * value[0] + (at[0] - c"0")
        at += 1
    return at if at > start else NULL


cdef const char *read_number(const char *at, const char *end, double *value) noexcept nogil:
    """Past the number, or NULL. What comes after the end of the text must not be part of a number."""
    cdef const char *start = at
    cdef int64_t mantissa = 0
    cdef int64_t power = 0
    cdef int digits = 0             # without leading zeros
    cdef int exponent = 0
    cdef bint any_digit = False
    cdef bint point = False
    cdef bint negative = False
    cdef bint negative_exponent = False
    cdef const char *first
    if at < end and (at[0] == c"-" or at[0] == c"+"):
        negative = at[0] == c"-"
        at += 1
    while at < end:
        if is_digit(at[0]):
            any_digit = True
            if digits < MOST_DIGITS:
                mantissa = 10 * mantissa + (at[0] - c"0")
            digits += digits > 0 or at[0] != c"0"
            power -= point
        elif at[0] == c"." and not point:
            point = True
        else:
            break
        at += 1
    if not any_digit:
        return NULL
    if at < end and (at[0] == c"e" or at[0] == c"E"):
        at += 1
        if at < end and (at[0] == c"-" or at[0] == c"+"):
            negative_exponent = at[0] == c"-"
            at += 1
        first = at
        while at < end and is_digit(at[0]) and distance(first, at) < LONGEST_EXPONENT:
            exponent = 10 * exponent + (at[0] - c"0")
            at += 1
        if at == first:
            return NULL
        power += -exponent if negative_exponent else exponent
    if digits <= MOST_DIGITS and mantissa <= <int64_t>1 << 53 and -EXACT_POWER <= power <= EXACT_POWER:
        value[0] = <double>mantissa
        if power < 0:
            value[0] /= CYBLEU_POWERS[-power]
        else:
            value[0] *= CYBLEU_POWERS[power]
        if negative:
            value[0] = -value[0]
        return at
    return at if read_as_python(start, at, value) else NULL


cdef bint read_as_python(const char *start, const char *end, double *value) noexcept nogil:
    cdef char *stopped = NULL
    with gil:
        try:
            value[0] = PyOS_string_to_double(start, &stopped, OverflowError)
        except (OverflowError, ValueError):
            return False
    return stopped == end and isfinite(value[0])


cdef struct Label:
    const char *text
    Py_ssize_t length


cdef class NBestLines:
    """Reads lines whose features have these labels in this order.

    :param labels: for each feature what stands before its value, ``b"lm="``, or ``b""``
    :param columns: for each feature the column of its value
    :param glued: whether the value follows its label at once, as in ``lm=-3.5``
    """

    cdef tuple texts
    cdef Label *labels
    cdef Py_ssize_t *columns
    cdef Py_ssize_t count
    cdef Py_ssize_t width       # that the columns need
    cdef bint glued

    def __init__(self, tuple labels, tuple columns, bint glued):
        cdef bytes label
        cdef Py_ssize_t i
        if self.labels != NULL or len(labels) != len(columns):
            raise ValueError("the labels do not fit the columns")
        self.count = len(labels)
        self.texts = labels
        self.glued = glued
        self.width = 0
        self.labels = <Label *>allocated(malloc((<size_t>self.count + 1) * sizeof(Label)))
        self.columns = <Py_ssize_t *>allocated(malloc((<size_t>self.count + 1) * sizeof(Py_ssize_t)))
        for i in range(self.count):
            label = labels[i]
            self.labels[i].text = label
            self.labels[i].length = len(label)
            self.columns[i] = columns[i]
            if self.columns[i] < 0:
                raise ValueError("a column is below 0")
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
            at = read_number(at, end, &values[self.columns[i]])
            if at == NULL or not (at == end or is_blank(at[0]) or at_bars(at, end)):
                return NULL
        return at

    def read(self, bytes block not None, Py_ssize_t start, Py_ssize_t row, int64_t[::1] ids, int64_t[::1] begins,
             int64_t[::1] ends, double[:, ::1] features, double[::1] model_scores):
        """Read lines from `start` on into the rows from `row` on, up to the first that is declined.

        :param begins: where the text of the hypothesis begins in the block, without blanks around it
        :param ends: where it ends
        :return: the number of rows that are filled, and where the first line begins that is not read
        """
        cdef const char *first = block
        cdef const char *stop = first + len(block)
        cdef const char *line = first + start
        cdef const char *after
        cdef const char *end
        cdef const char *at
        cdef const char *text
        cdef Py_ssize_t rows = min(ids.shape[0], begins.shape[0], ends.shape[0], features.shape[0],
                                   model_scores.shape[0])
        if not 0 <= start <= distance(first, stop) or row < 0 or features.shape[1] < self.width:
            raise ValueError("the rows do not fit the lines")
        with nogil:
            while line < stop and row < rows:
                after = <const char *>memchr(line, c"\n", <size_t>distance(line, stop))
                if after == NULL:
                    after = stop
                end = after - (after > line and (after - 1)[0] == c"\r")
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
                if not at_bars(at, end):
                    break
                at = read_number(past_blanks(at + 3, end), end, &model_scores[row])
                if at == NULL:
                    break
                at = past_blanks(at, end)
                if at < end and not at_bars(at, end):
                    break
                row += 1
                line = after + 1
        return row, distance(first, min(line, stop))
