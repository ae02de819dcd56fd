from libc.string cimport memchr

from cybleu._kernels.common.base cimport distance

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


cdef const char *read_number(const char *at, double *value) noexcept nogil
