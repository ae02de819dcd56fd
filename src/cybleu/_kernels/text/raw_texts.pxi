# Views of lines of raw text: in lists of str and bytes, in blocks and spans of bytes.
#
# Bytes are validated once as UTF-8. Nothing is copied, and the caller's objects are not modified.
#
# Offers: `RawTexts`.

cdef const uint8_t *first_invalid(const uint8_t *at, const uint8_t *end) noexcept nogil:
    """Return the first byte of invalid UTF-8, or the end."""
    cdef uint64_t word
    cdef uint8_t low, high      # of the second byte
    cdef Py_ssize_t length, i
    while at < end:
        if at[0] < 0x80:
            if distance(at, end) >= 8:
                memcpy(&word, at, 8)
                if not word & <uint64_t>0x8080808080808080:
                    at += 8
                    continue
            at += 1
            continue
        length = length_of(at[0])
        low = 0xA0 if at[0] == 0xE0 else 0x90 if at[0] == 0xF0 else 0x80
        high = 0x9F if at[0] == 0xED else 0x8F if at[0] == 0xF4 else 0xBF
        if not 0xC2 <= at[0] <= 0xF4 or length > distance(at, end) or not low <= at[1] <= high:
            return at
        for i in range(2, length):
            if at[i] & 0xC0 != 0x80:
                return at
        at += length
    return end


cdef extern from "Python.h":
    uint32_t PyUnicode_READ(int kind, const void *data, Py_ssize_t position) nogil


cdef inline int add_line(RawTexts texts, const Line *line, bint checked, Watch *watching) except -1:
    """Append a line; its memory must be reserved.

    :param checked: validate UTF-8
    """
    cdef const uint8_t *start = <const uint8_t *>line.data
    cdef const uint8_t *found
    if checked:
        found = first_invalid(start, start + line.size)
        if found != start + line.size:
            raise NotUtf8Error(texts.size, distance(start, found), found[0])
    texts.lines[texts.size] = line[0]
    texts.size += 1
    texts.characters += line.size
    return watch(watching, 1)


cdef class RawTexts:
    """Views of lines, which are kept alive by this object. Immutable.

    :param lines: a list or tuple of exact str or bytes
    :raises NotUtf8Error: bytes are not UTF-8
    """

    cdef Line *lines
    cdef readonly Py_ssize_t size           # number of lines
    cdef readonly Py_ssize_t characters     # of all lines, or bytes
    cdef object held

    def __cinit__(self, lines=()):
        cdef Watch watching = begin_watch()
        cdef Line line
        cdef Py_ssize_t i
        self.held = lines = tuple(lines)
        self.lines = <Line *>new_array(len(lines), sizeof(Line))
        for i in range(len(lines)):
            if not cybleu_line_of(<PyObject *>(<tuple>lines)[i], &line):
                raise TypeError("a line must be an exact str or bytes")
            add_line(self, &line, type((<tuple>lines)[i]) is bytes, &watching)

    def __dealloc__(self):
        free(self.lines)

    @property
    def kind(self):
        """What the lines are as texts of a corpus."""
        return "raw text"

    @staticmethod
    def of_block(bytes block not None):
        """Split a block of bytes at LF; n of these give n + 1 lines. A trailing CR is dropped."""
        cdef RawTexts texts = RawTexts()
        cdef Watch watching = begin_watch()
        cdef const uint8_t *at = block
        cdef const uint8_t *end = at + len(block)
        cdef const uint8_t *stop
        cdef Py_ssize_t capacity = 1
        cdef Line line
        texts.held = block
        line.kind = IN_UTF8
        while at <= end:
            stop = <const uint8_t *>memchr(at, c"\n", <size_t>distance(at, end)) if at < end else NULL
            if stop == NULL:
                stop = end
            line.data = at
            line.size = distance(at, stop) - (stop > at and (stop - 1)[0] == c"\r")
            texts.lines = <Line *>grown(texts.lines, texts.size + 1, &capacity, sizeof(Line))
            add_line(texts, &line, True, &watching)
            at = stop + 1
        return texts

    @staticmethod
    def of_spans(block not None, const int64_t[::1] begins, const int64_t[::1] ends):
        """View lines of a buffer of bytes by begins and ends; those that begin within its first bytes are copied."""
        cdef const uint8_t[::1] data = block
        cdef RawTexts texts = texts_in(None, <uint64_t>begins.shape[0])
        cdef Watch watching = begin_watch()
        cdef int64_t first = 0      # bytes of the copy
        cdef const uint8_t *start
        cdef Line line
        cdef Py_ssize_t i
        if begins.shape[0] != ends.shape[0]:
            raise ValueError("begins and ends do not fit each other")
        for i in range(begins.shape[0]):
            if not 0 <= begins[i] <= ends[i] <= data.shape[0]:
                raise ValueError("a text is out of range")
            if begins[i] < FRONT:
                first = max(first, ends[i])
        copied = bytes(FRONT) + bytes(data[:first])
        texts.held = data, copied
        line.kind = IN_UTF8
        for i in range(begins.shape[0]):
            start = <const uint8_t *>copied + FRONT if begins[i] < FRONT else &data[0]
            line.data = start + begins[i]
            line.size = <Py_ssize_t>(ends[i] - begins[i])
            add_line(texts, &line, True, &watching)
        return texts

    @staticmethod
    def side_by_side(list parts not None, list starts not None, Py_ssize_t count):
        """Interleave so many lines of parts: the first one of each part, then the second of each, and so on."""
        cdef RawTexts texts, part
        cdef Py_ssize_t width = len(parts)
        cdef Py_ssize_t start, i, k
        if count < 0 or len(starts) != width:
            raise ValueError("there must be a start for each part")
        for k in range(width):
            part = <RawTexts?>parts[k]
            start = starts[k]
            if not 0 <= start <= part.size - count:
                raise ValueError("a part has not as many lines")
        texts = texts_in(tuple(parts), <uint64_t>width * <uint64_t>count)
        for k in range(width):
            part = parts[k]
            start = starts[k]
            for i in range(count):
                texts.lines[i * width + k] = part.lines[start + i]
                texts.characters += part.lines[start + i].size
        texts.size = width * count
        return texts

    def take(self, const int64_t[::1] numbers not None):
        """View the lines of these numbers, in their order."""
        cdef RawTexts texts = texts_in(self, <uint64_t>numbers.shape[0])
        cdef Py_ssize_t i
        for i in range(numbers.shape[0]):
            if not 0 <= numbers[i] < self.size:
                raise ValueError("a line is out of range")
            texts.lines[i] = self.lines[numbers[i]]
            texts.characters += texts.lines[i].size
        texts.size = numbers.shape[0]
        return texts

    def lists(self):
        """Return the lines as a list of str."""
        cdef Watch watching = begin_watch()
        cdef list strings = []
        cdef const Line *line
        cdef Py_ssize_t i
        for i in range(self.size):
            line = &self.lines[i]
            if line.kind == IN_UTF8:
                strings.append(PyUnicode_DecodeUTF8(<const char *>line.data, line.size, NULL))
            else:
                strings.append(PyUnicode_FromKindAndData(line.kind, line.data, line.size))
            watch(&watching, 8)
        return strings

    def full_stops(self):
        """Count lines that end with a full stop after a space, and with a full stop after any other character."""
        cdef Py_ssize_t apart = 0
        cdef Py_ssize_t joined = 0
        cdef const Line *line
        cdef Py_ssize_t i
        cdef int kind
        for i in range(self.size):
            line = &self.lines[i]
            kind = line.kind or 1       # in UTF-8 by bytes
            if line.size > 1 and PyUnicode_READ(kind, line.data, line.size - 1) == c".":
                if PyUnicode_READ(kind, line.data, line.size - 2) == c" ":
                    apart += 1
                else:
                    joined += 1
        return apart, joined


cdef RawTexts texts_in(object held, uint64_t count):
    """Create an empty RawTexts with reserved capacity, whose memory belongs to the held object."""
    cdef RawTexts texts = RawTexts()
    cdef Line *lines = <Line *>new_array(<Py_ssize_t>count, sizeof(Line))
    free(texts.lines)
    texts.lines = lines
    texts.held = held
    return texts
