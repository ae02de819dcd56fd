# Parse and format decimal numbers in bytes.
#
# A number is parsed here if its digits and its power of ten are exact doubles (Clinger 1990), and otherwise by Python.
# It is formatted here if 15 digits suffice: distinct decimals of 15 digits are distinct doubles, so the shortest one
# that round-trips is Python's `repr`. Other numbers are formatted by Python.

cdef enum:
    MOST_DIGITS = 18        # that always fit a signed 64-bit integer


cdef inline bint is_blank(char byte) noexcept nogil:
    return byte == c" " or byte == c"\t"


cdef inline bint is_digit(char byte) noexcept nogil:
    return c"0" <= byte <= c"9"


cdef inline const char *past_blanks(const char *at, const char *end) noexcept nogil:
    while at < end and is_blank(at[0]):
        at += 1
    return at


cdef inline const char *end_of_line(const char *line, const char *end, const char **newline) noexcept nogil:
    """Return the end of the text of a line, and set where its newline is, or the end of the block."""
    newline[0] = <const char *>memchr(line, c"\n", <size_t>distance(line, end))
    if newline[0] == NULL:
        newline[0] = end
    return newline[0] - (newline[0] > line and (newline[0] - 1)[0] == c"\r")


cdef extern from "Python.h":
    double PyOS_string_to_double(const char *text, char **end, object overflow) except? -1.0
    char *PyOS_double_to_string(double value, char code, int precision, int flags, int *kind) except NULL
    void PyMem_Free(void *memory)
    const char *PyUnicode_AsUTF8AndSize(object text, Py_ssize_t *size) except NULL
    int Py_DTSF_ADD_DOT_0


cdef extern from *:
    """
    static const double CYBLEU_POWERS[] = {1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13,
        1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    """
    const double CYBLEU_POWERS[23]


cdef enum:
    ENOUGH = 1000000000000000000    # limit of a mantissa: one more digit could overflow
    EXACT_POWER = 22
    LONGEST_EXPONENT = 4
    LONGEST_NUMBER = 26     # formatted, with a blank: -2.2250738585072014e-308


cdef inline const char *past_digits(const char *at, uint64_t *mantissa) noexcept nogil:
    """Append digits to the mantissa while they fit."""
    while is_digit(at[0]):
        if mantissa[0] < ENOUGH:
            mantissa[0] = 10 * mantissa[0] + <uint64_t>(at[0] - c"0")
        at += 1
    return at


cdef const char *read_number(const char *at, double *value) noexcept nogil:
    """Parse a number; return its end, or NULL. The text must be followed by a blank, a bar or a null byte."""
    cdef const char *start = at
    cdef const char *first
    cdef uint64_t mantissa = 0
    cdef Py_ssize_t digits, fraction = 0
    cdef int64_t power
    cdef int exponent = 0
    cdef bint negative = at[0] == c"-"
    cdef bint negative_exponent = False
    if negative or at[0] == c"+":
        at += 1
    first = at
    at = past_digits(at, &mantissa)
    digits = distance(first, at)
    if at[0] == c".":
        at += 1
        first = at
        at = past_digits(at, &mantissa)
        fraction = distance(first, at)
        digits += fraction
    if not digits:
        return NULL
    power = -fraction
    if at[0] == c"e" or at[0] == c"E":
        at += 1
        if at[0] == c"-" or at[0] == c"+":
            negative_exponent = at[0] == c"-"
            at += 1
        first = at
        while is_digit(at[0]) and distance(first, at) < LONGEST_EXPONENT:
            exponent = 10 * exponent + (at[0] - c"0")
            at += 1
        if at == first:
            return NULL
        power += -exponent if negative_exponent else exponent
    if digits <= MOST_DIGITS and mantissa <= <uint64_t>1 << 53 and -EXACT_POWER <= power <= EXACT_POWER:
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


# ------------------------------------------------------------------------------------------------------------- writing
cdef inline char *put_digits(char *at, uint64_t digits, int decimals) noexcept nogil:
    """Format a number with this many decimals; without decimals, there is no decimal point."""
    cdef char text[24]
    cdef int place = sizeof(text)
    while decimals:
        place -= 1
        text[place] = <char>(c"0" + <char>(digits % 10))
        digits //= 10
        decimals -= 1
        if not decimals:
            place -= 1
            text[place] = c"."
    while True:
        place -= 1
        text[place] = <char>(c"0" + <char>(digits % 10))
        digits //= 10
        if not digits:
            break
    memcpy(at, text + place, sizeof(text) - <size_t>place)
    return at + (<int>sizeof(text) - place)


cdef char *put_number(char *at, double value) noexcept nogil:
    """Format like Python's `repr`, or return NULL."""
    cdef double number = fabs(value)
    cdef double scaled
    cdef uint64_t digits
    cdef int decimals = 14
    if not (number == 0.0 or 1e-4 <= number < 1e15):
        return NULL
    if signbit(value):
        at[0] = c"-"
        at += 1
    if number == 0.0:
        return put_digits(at, 0, 1)
    while number >= CYBLEU_POWERS[15 - decimals]:
        decimals -= 1
    while number * CYBLEU_POWERS[decimals] < 1e14:
        decimals += 1
    scaled = number * CYBLEU_POWERS[decimals]
    digits = <uint64_t>(scaled + 0.5)
    # the product's relative error is below 2 / 2 ** 53: divide only if it passes this test
    if fabs(scaled - <double>digits) > scaled * 4e-16 or <double>digits / CYBLEU_POWERS[decimals] != number:
        return NULL
    # strip trailing zeros, but keep one decimal
    if decimals == 0:
        digits, decimals = 10 * digits, 1
    if decimals > 8 and digits % 100000000 == 0:
        digits, decimals = digits // 100000000, decimals - 8
    if decimals > 4 and digits % 10000 == 0:
        digits, decimals = digits // 10000, decimals - 4
    if decimals > 2 and digits % 100 == 0:
        digits, decimals = digits // 100, decimals - 2
    if decimals > 1 and digits % 10 == 0:
        digits, decimals = digits // 10, decimals - 1
    return put_digits(at, digits, decimals)


cdef char *put_as_python(char *at, double value) except NULL nogil:
    cdef char *text
    cdef size_t size
    with gil:
        text = PyOS_double_to_string(value, c"r", 0, Py_DTSF_ADD_DOT_0, NULL)
        size = strlen(text)
        if size >= LONGEST_NUMBER:
            PyMem_Free(text)
            raise ValueError("a number is longer than any")
        memcpy(at, text, size)
        PyMem_Free(text)
    return at + size


cdef inline char *put_any(char *at, double value) except NULL nogil:
    cdef char *after = put_number(at, value)
    after = put_as_python(at, value) if after == NULL else after
    after[0] = c" "
    return after + 1


cdef struct NumberLabel:
    const char *text
    Py_ssize_t length


cdef size_t size_of_lines(Py_ssize_t rows, Py_ssize_t columns) except 0:
    """Return an upper bound of the size of lines of numbers; half of the range is reserved for named values."""
    if columns > PY_SSIZE_T_MAX // LONGEST_NUMBER - 1 or rows > PY_SSIZE_T_MAX // (columns * LONGEST_NUMBER + 1):
        raise MemoryError()
    return <size_t>(rows * (columns * LONGEST_NUMBER + 1)) + 1


def lines_of_numbers(const double[:, :] rows not None, const int64_t[::1] indptr=None,
                     const int64_t[::1] columns=None, const double[::1] values=None, tuple names=None):
    """Format a line for each row: the `repr` of each number, then named values such as ``pp_a=1.0``, blank-separated.

    :param indptr: the start of each row's named values, and the end of the last row's
    :param columns: for each value the index of its name
    """
    cdef size_t size = size_of_lines(rows.shape[0], rows.shape[1])
    cdef Py_ssize_t first = 0
    cdef Py_ssize_t last = 0
    cdef Py_ssize_t i, k
    cdef NumberLabel *labels = NULL
    cdef const NumberLabel *label
    cdef char *text = NULL
    cdef char *at
    if indptr is not None:
        if indptr.shape[0] != rows.shape[0] + 1 or columns.shape[0] != values.shape[0]:
            raise ValueError("the values do not fit the rows")
        first, last = indptr[0], indptr[rows.shape[0]]
        if not 0 <= first <= last <= columns.shape[0]:
            raise ValueError("the values are out of range")
        for i in range(rows.shape[0]):
            if not first <= indptr[i] <= indptr[i + 1] <= last:
                raise ValueError("the values are out of range")
    try:
        labels = <NumberLabel *>allocated(malloc(<size_t>(last - first + 1) * sizeof(NumberLabel)))
        for k in range(first, last):
            if not 0 <= columns[k] < len(names):
                raise ValueError("a column has no name")
            labels[k - first].text = PyUnicode_AsUTF8AndSize(names[columns[k]], &labels[k - first].length)
            size += <size_t>labels[k - first].length + 1 + LONGEST_NUMBER
        at = text = <char *>allocated(malloc(size))
        with nogil:
            for i in range(rows.shape[0]):
                for k in range(rows.shape[1]):
                    at = put_any(at, rows[i, k])
                if indptr is not None:
                    for k in range(indptr[i], indptr[i + 1]):
                        label = &labels[k - first]
                        memcpy(at, label.text, <size_t>label.length)
                        at += label.length
                        at[0] = c"="
                        at = put_any(at + 1, values[k])
                at[0] = c"\n"
                at += 1
        return PyUnicode_DecodeUTF8(text, distance(text, at), NULL)
    finally:
        free(labels)
        free(text)


def lines_of_counts(const int64_t[:, :] rows not None):
    """Format a line for each row of non-negative integers, each followed by a blank."""
    cdef Py_ssize_t i, k
    cdef char *text = <char *>allocated(malloc(size_of_lines(rows.shape[0], rows.shape[1])))
    cdef char *at = text
    try:
        with nogil:
            for i in range(rows.shape[0]):
                for k in range(rows.shape[1]):
                    at = put_digits(at, <uint64_t>rows[i, k], 0)
                    at[0] = c" "
                    at += 1
                at[0] = c"\n"
                at += 1
        return PyUnicode_DecodeASCII(text, distance(text, at), NULL)
    finally:
        free(text)
