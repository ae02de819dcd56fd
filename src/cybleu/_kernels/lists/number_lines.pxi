# Parse decimal numbers in bytes.
#
# A number is parsed here if its digits and its power of ten are exact doubles (Clinger 1990), and otherwise by Python.

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
