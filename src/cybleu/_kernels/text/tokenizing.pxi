# sacreBLEU's tokenisers and white-space splitting.
#
# sacreBLEU inserts spaces around characters by several substitutions over the whole line. Here this is a single pass:
# whether a character is a token of its own depends on its kind, the previous character and the next one. 64 bytes are
# processed at once as bit masks, which avoids dependencies between tokens.
# `_mirror/text/tokenizing.py` has the substitutions.
#
# Offers: `Tokenizer`, which reads tokens with a `Scanner` (`make_scanner`, `end_scanner`); `decoded` tokens;
# `length_of` a character in UTF-8, `code_at` one, `is_space`.

cdef enum:
    MORE_TOKENS = 72    # further entries of the output that may be overwritten
    FRONT = 16      # readable bytes before a line in UTF-8
    CODE_POINTS = 0x110000
    SOME_TOKENS = 64


cdef struct Scanner:
    const uint8_t *at
    const uint8_t *end
    int before              # kind of the character before `at`
    bint joins              # the next byte continues the token, or is white space
    const uint8_t *begun    # start of the token that the next byte continues; NULL if there is none
    Buffer copied           # of a line that cannot be read in place, after FRONT
    Watch watching


# Kinds of the previous character.
cdef enum:
    OTHER
    NUMBER
    TAKEN       # a point split off because of the character before it, so that the next one is not
    NOTHING     # start of the line


# ---------------------------------------------------------------------------------------------------------- characters
cdef inline bint is_space(uint32_t code, bint separators) noexcept nogil:
    """:param separators: whether U+001C to U+001F are white space, as for Python"""
    if code <= 0x20:
        return code == 0x20 or 0x09 <= code <= 0x0D or (0x1C <= code and separators)
    if code < 0x1680:
        return code == 0x85 or code == 0xA0
    return (code == 0x1680 or 0x2000 <= code <= 0x200A or code == 0x2028 or code == 0x2029 or code == 0x202F
            or code == 0x205F or code == 0x3000)


cdef inline Py_ssize_t length_of(uint8_t lead) noexcept nogil:
    """Return the size of a character in bytes."""
    if lead < 0x80:     # branches, because the next character depends on the size
        return 1
    if lead < 0xE0:
        return 2
    return 3 if lead < 0xF0 else 4


cdef inline uint32_t code_at(const uint8_t *at, Py_ssize_t length) noexcept nogil:
    """Return the code point of a character of so many bytes."""
    if length == 2:
        return <uint32_t>(at[0] & 0x1F) << 6 | (at[1] & 0x3F)
    if length == 3:
        return <uint32_t>(at[0] & 0xF) << 12 | <uint32_t>(at[1] & 0x3F) << 6 | (at[2] & 0x3F)
    if length == 4:
        return (<uint32_t>(at[0] & 0x7) << 18 | <uint32_t>(at[1] & 0x3F) << 12 | <uint32_t>(at[2] & 0x3F) << 6
                | (at[3] & 0x3F))
    return at[0]


cdef inline Py_ssize_t space_at(const uint8_t *at) noexcept nogil:
    """Return the size of a white-space character, or 0 for other characters."""
    cdef Py_ssize_t length = length_of(at[0])
    return length if is_space(code_at(at, length), True) else 0


cdef const uint8_t *without_space_after(const uint8_t *at, const uint8_t *end) noexcept nogil:
    """The new end."""
    cdef const uint8_t *last
    while at < end:
        last = end - 1
        while last > at and last[0] & 0xC0 == 0x80:
            last -= 1
        if not space_at(last):
            break
        end = last
    return end


cdef const uint8_t *without_space_before(const uint8_t *at, const uint8_t *end) noexcept nogil:
    while at < end and space_at(at):
        at += space_at(at)
    return at


cdef inline uint8_t *put(uint8_t *to, uint32_t code) noexcept nogil:
    """Write a character in UTF-8; return the end."""
    if code < 0x80:
        to[0] = <uint8_t>code
        return to + 1
    if code < 0x800:
        to[0] = <uint8_t>(0xC0 | code >> 6)
        to[1] = <uint8_t>(0x80 | (code & 0x3F))
        return to + 2
    if code < 0x10000:
        to[0] = <uint8_t>(0xE0 | code >> 12)
        to[1] = <uint8_t>(0x80 | (code >> 6 & 0x3F))
        to[2] = <uint8_t>(0x80 | (code & 0x3F))
        return to + 3
    to[0] = <uint8_t>(0xF0 | code >> 18)
    to[1] = <uint8_t>(0x80 | (code >> 12 & 0x3F))
    to[2] = <uint8_t>(0x80 | (code >> 6 & 0x3F))
    to[3] = <uint8_t>(0x80 | (code & 0x3F))
    return to + 4


cdef str decoded(const Token *token):
    """Return a token as a str."""
    return PyUnicode_DecodeUTF8(<const char *>token.text, distance(token.text, token.end), "surrogatepass")


# --------------------------------------------------------------------------------------------------------------- lines
cdef void make_scanner(Scanner *scanner) noexcept nogil:
    clear_items(scanner, 1)


cdef void end_scanner(Scanner *scanner) noexcept nogil:
    free_buffer(&scanner.copied)


cdef uint8_t *memory_of_copy(Scanner *scanner, Py_ssize_t size) except NULL nogil:
    """Return where this many bytes can be written."""
    reserve(&scanner.copied, <uint64_t>size + FRONT)
    memset(scanner.copied.data, 0, FRONT)
    return scanner.copied.data + FRONT


cdef uint8_t *in_utf8_of_bytes(uint8_t *to, const uint8_t *text, Py_ssize_t size) noexcept nogil:
    """Convert one-byte characters to UTF-8, and possibly write one more byte; return the end."""
    cdef const uint8_t *end = text + size
    cdef int before
    while text < end:
        if distance(text, end) >= 16:
            before = copy_ascii(to, text)
            if before == 16:    # a branch, to break the dependency on the number
                to += 16
                text += 16
                continue
            to += before
            text += before
        # branch-free, because it is unpredictable
        to[0] = text[0] if text[0] < 0x80 else <uint8_t>(0xC0 | text[0] >> 6)
        to[1] = <uint8_t>(0x80 | (text[0] & 0x3F))
        to += 1 + (text[0] >> 7)
        text += 1
    return to


cdef uint8_t *in_utf8_of_pairs(uint8_t *to, const uint16_t *text, Py_ssize_t size) noexcept nogil:
    """Convert two-byte characters to UTF-8; return the end."""
    cdef const uint16_t *end = text + size
    cdef const uint16_t *stop
    cdef uint64_t word
    cdef uint32_t narrow
    while text < end:
        stop = end
        if distance(text, end) >= 8:
            memcpy(&word, text, 8)
            if not word & <uint64_t>0xFF80FF80FF80FF80:
                word = (word | word >> 8) & <uint64_t>0x0000FFFF0000FFFF
                narrow = <uint32_t>(word | word >> 16)
                memcpy(to, &narrow, 4)
                to += 4
                text += 4
                continue
            stop = text + 4
        while text < stop:
            to = put(to, text[0])
            text += 1
    return to


cdef int copy_line(Scanner *scanner, const Line *line) except -1 nogil:
    """Convert the characters of a str to UTF-8."""
    cdef uint8_t *to = memory_of_copy(scanner, line.size * (2 if line.kind == 1 else line.kind + (line.kind == 2)))
    cdef Py_ssize_t i
    scanner.at = to
    if line.kind == 1:
        to = in_utf8_of_bytes(to, <const uint8_t *>line.data, line.size)
    elif line.kind == 2:
        to = in_utf8_of_pairs(to, <const uint16_t *>line.data, line.size)
    else:
        for i in range(line.size):
            to = put(to, (<const uint32_t *>line.data)[i])
    scanner.end = to
    return 0


cdef bint is_marked_up(const uint8_t *at, const uint8_t *end) noexcept nogil:
    """Return whether the line may contain a string that mteval's tokeniser replaces first."""
    cdef size_t size = <size_t>distance(at, end)
    return size > 0 and (memchr(at, c"&", size) != NULL or memchr(at, c"\n", size) != NULL
                         or memchr(at, c"<", size) != NULL)


cdef Py_ssize_t replace(uint8_t *text, Py_ssize_t size, const char *old, Py_ssize_t length, int new,
                        Watch *watching) except -1 nogil:
    """Replace a string by one character, or remove it if `new` is negative; return the new size."""
    cdef const uint8_t *at = text
    cdef const uint8_t *end = text + size
    cdef const uint8_t *found
    cdef uint8_t *to = text
    while at < end:
        found = <const uint8_t *>memchr(at + 1, old[0], <size_t>distance(at, end) - 1)
        if distance(at, end) >= length and memcmp(at, old, <size_t>length) == 0:
            at += length
            if new >= 0:
                to[0] = <uint8_t>new
                to += 1
        else:
            if found == NULL:
                found = end
            memmove(to, at, <size_t>distance(at, found))
            to += distance(at, found)
            at = found
        watch(watching, 1)
    return distance(text, to)


cdef int rewrite(Scanner *scanner) except -1 nogil:
    """Replace what mteval's tokeniser replaces first, in a copy of the line."""
    cdef Py_ssize_t size = distance(scanner.at, scanner.end)
    cdef Watch *watching = &scanner.watching
    cdef uint8_t *text = memory_of_copy(scanner, size)
    memmove(text, scanner.at, <size_t>size)
    size = replace(text, size, b"<skipped>", 9, -1, watching)
    size = replace(text, size, b"-\n", 2, -1, watching)
    size = replace(text, size, b"\n", 1, c" ", watching)
    size = replace(text, size, b"&quot;", 6, c'"', watching)
    size = replace(text, size, b"&amp;", 5, c"&", watching)
    size = replace(text, size, b"&lt;", 4, c"<", watching)
    size = replace(text, size, b"&gt;", 4, c">", watching)
    scanner.at = text
    scanner.end = text + size
    return 0


# -------------------------------------------------------------------------------------------------------------- pieces
cdef inline int kind_at(Tokenizer tokenizer, const uint8_t *at, Py_ssize_t *length) noexcept nogil:
    length[0] = length_of(at[0])
    return tokenizer.of_characters[code_at(at, length[0])]


cdef void look_up_leads(Tokenizer tokenizer, Piece *piece, const uint8_t *at) noexcept nogil:
    """Classify characters that require a lookup; the piece ends before a character that is incomplete in it."""
    cdef uint64_t leads = piece.lead
    cdef Py_ssize_t length
    cdef int kind, i
    while leads:
        i = cybleu_lowest_bit(leads)
        leads &= leads - 1
        kind = kind_at(tokenizer, at + i, &length)
        if kind == WORD:
            continue
        if i + length > piece.size:
            piece.size = i
            return
        if kind == SPACE:
            set_bits(&piece.space, i, length)
        elif kind == DIGIT:
            set_bits(&piece.digit, i, length)
        else:
            set_bits(&piece.alone if kind == ALONE else &piece.point, i, length)
            set_bits(&piece.inner, i + 1, length - 1)


cdef bint begins_with_digit(Tokenizer tokenizer, const uint8_t *at, const uint8_t *end) noexcept nogil:
    """Return whether the next character is a digit; at the end of the line, for tokenisers that say so."""
    cdef Py_ssize_t length
    if at == end:
        return tokenizer.first == NOTHING
    return kind_at(tokenizer, at, &length) == DIGIT


# ----------------------------------------------------------------------------------------------------------- the class
cdef class Tokenizer:
    """Tokeniser by name. Immutable, so that threads can share it.

    :param name: ``none``, ``ascii``, ``space``, ``char``, ``13a``, ``zh``, ``intl``, ``tercom``, which is ``13a``
        without its replacements, ``characters``, which is ``char`` with white space, or a name of other ``categories``
    :param categories: for ``intl``, the category of each code point: 1 punctuation, 2 symbol, 3 number, 0 other. With
        another name, white space at the end of a line stays
    """

    cdef readonly str name
    cdef uint8_t of_bytes[256]
    cdef bint of_one_character  # each token is one character
    cdef bint keeps_space       # as a token
    cdef bint by_runs           # only white space splits, and is found by ranges of byte values
    cdef Runs runs[2]
    cdef uint8_t *of_characters
    cdef int used               # union of the bits of `of_bytes`
    cdef int first
    cdef bint strips
    cdef bint strips_both
    cdef bint rewrites

    def __cinit__(self, str name not None, categories=None):
        cdef const uint8_t[::1] of_code_points
        cdef uint8_t[4] kinds = [WORD, POINT, ALONE, DIGIT]
        cdef bint has_separators = name != "ascii"      # among white space
        cdef Py_ssize_t i
        self.name = name
        self.rewrites = name == "13a"
        self.first = OTHER if name in ("13a", "tercom") else NOTHING
        self.strips = name in ("13a", "zh", "intl")
        self.strips_both = name == "zh"
        self.keeps_space = name == "characters"
        self.of_one_character = name == "char" or self.keeps_space
        self.of_characters = <uint8_t *>new_zeros(CODE_POINTS, 1)    # WORD
        if self.of_one_character:
            memset(self.of_characters, ALONE, 0x80)
            memset(self.of_bytes + 0x80, ALONE | INNER, 0x40)
            memset(self.of_bytes + 0xC0, ALONE, 0x40)
        if name in ("13a", "tercom", "zh"):
            for i in b"!\"#$%&()*+/:;<=>?@[\\]^_`{|}~":
                self.of_characters[i] = ALONE
            for i in b"0123456789":
                self.of_characters[i] = DIGIT
            self.of_characters[c"."] = self.of_characters[c","] = POINT
            self.of_characters[c"-"] = HYPHEN
        if name == "zh":
            for first, last in (
                (0x2001, 0x2A6D), (0x2E80, 0x2FDF), (0x2FF0, 0x303F), (0x3100, 0x312F), (0x31A0, 0x31EF),
                (0x3200, 0x4DB5), (0x4E00, 0x9FBB), (0xF900, 0xFA2D), (0xFA30, 0xFA6A), (0xFA70, 0xFAD9),
                (0xFE10, 0xFE1F), (0xFE30, 0xFE4F), (0xFF00, 0xFFEF),
            ):
                for i in range(first, last + 1):
                    self.of_characters[i] = ALONE
        if categories is not None:
            of_code_points = categories
            if of_code_points.shape[0] != CODE_POINTS:
                raise ValueError("there must be a category for each code point")
            for i in range(CODE_POINTS):
                self.of_characters[i] = kinds[of_code_points[i] & 3]
        first, last = {"characters": (0, -1), "space": (0x20, 0x20), "ascii": (0, 0x20)}.get(name, (0, 0x3000))
        for i in range(first, last + 1):
            if is_space(<uint32_t>i, has_separators):
                self.of_characters[i] = SPACE
        for i in range(0x80):
            self.of_bytes[i] = self.of_characters[i]
        if name == "zh" or categories is not None:
            memset(self.of_bytes + 0xC2, LEAD, 0x33)
        elif last == 0x3000:
            for i in (0xC2, 0xE1, 0xE2, 0xE3):      # of white space
                self.of_bytes[i] |= LEAD
        for i in range(256):
            self.used |= self.of_bytes[i]
        self.by_runs = (not self.used & ~(SPACE | LEAD) and find_runs(self.of_bytes, SPACE, &self.runs[0])
                        and find_runs(self.of_bytes, LEAD, &self.runs[1]))

    def __dealloc__(self):
        free(self.of_characters)

    cdef int begin(self, Scanner *scanner, const Line *line) except -1 nogil:
        """Begin a line. Tokens are valid while the line is alive and until the scanner begins another one."""
        if line.kind == IN_UTF8:
            scanner.at = <const uint8_t *>line.data
            scanner.end = scanner.at + line.size
        else:
            copy_line(scanner, line)
        scanner.before = self.first
        scanner.joins = False
        scanner.begun = NULL
        if self.strips:
            scanner.end = without_space_after(scanner.at, scanner.end)
            if self.strips_both:
                scanner.at = without_space_before(scanner.at, scanner.end)
        if self.rewrites and CYBLEU_UNLIKELY(is_marked_up(scanner.at, scanner.end)):
            rewrite(scanner)
        return 0

    cdef Py_ssize_t read(self, Scanner *scanner, Token *tokens, Py_ssize_t most) except -1 nogil:
        """Write tokens until there are `most` or more; return their number, which is less at the end of the line.

        The output requires MORE_TOKENS further entries.
        """
        cdef Piece piece
        cdef const uint8_t *at = scanner.at
        cdef const uint8_t *end = scanner.end
        cdef int before = scanner.before
        cdef bint joins = scanner.joins
        cdef Py_ssize_t begun = scanner.begun != NULL
        cdef Py_ssize_t ended = 0
        cdef int last
        tokens[0].text = scanner.begun
        while at < end and ended < most:
            read_piece(&piece, scanner.at, at, end, self.of_bytes, self.used, self.by_runs, self.runs)
            if piece.lead:
                look_up_leads(self, &piece, at)     # may shorten the piece
            last = piece.size - 1
            if piece.point:
                set_points_apart(&piece, before != OTHER, bit_of(piece.point, last)
                                 and begins_with_digit(self, at + piece.size, end))
            divide(&piece, before == NUMBER, begun > ended, joins)
            begun += write_places(&tokens[begun].text, at, piece.starts)
            ended += write_places(&tokens[ended].end, at, piece.ends)
            before = TAKEN if bit_of(piece.taken, last) else OTHER
            if bit_of(piece.digit, last):
                before = NUMBER
            joins = not bit_of(piece.space | piece.alone, last)
            at += piece.size
        if begun > ended and ended < most:
            tokens[ended].end = at
            ended += 1
        scanner.begun = tokens[ended].text if begun > ended else NULL
        watch(&scanner.watching, 8 + (distance(scanner.at, at) >> 3))
        scanner.at = at
        scanner.before = before
        scanner.joins = joins
        return ended

    def tokens(self, text):
        """Return the tokens of a str as a list of str."""
        cdef Token tokens[SOME_TOKENS + MORE_TOKENS]
        cdef Scanner scanner
        cdef Line line
        cdef Py_ssize_t count = SOME_TOKENS
        cdef Py_ssize_t i
        cdef list found = []
        text = PyUnicode_FromObject(text)   # an exact str
        cybleu_line_of(<PyObject *>text, &line)
        make_scanner(&scanner)
        try:
            self.begin(&scanner, &line)
            while count >= SOME_TOKENS:
                count = self.read(&scanner, tokens, SOME_TOKENS)
                for i in range(count):
                    found.append(decoded(&tokens[i]))
        finally:
            end_scanner(&scanner)
        return found
