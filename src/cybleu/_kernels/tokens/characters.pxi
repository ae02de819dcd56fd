# Map texts to ids of characters and words local to a segment: of chrF, and of characters as tokens.
#
# Ids are bytes while there are few distinct characters. White space separates words, and is kept or dropped as a
# character according to the options.
#
# Offers: `ChrfWorkspace` with `make_characters`, `forget_characters` and `end_characters`; `Units`, which `read_text`
# reads.

cdef enum:
    BEFORE = 16             # readable bytes before the first text
    AHEAD = 8               # after each text, where they match no id
    LOW = 0x2070            # characters with a fixed table: up to general punctuation


# Treatment of white space.
cdef enum:
    DROPPED
    KEPT_SPACE
    DROPPED_BUT_SEPARATORS  # U+001C to U+001F stay, as in Unicode's own definition of white space


# Working memory of one thread.
cdef struct ChrfWorkspace:
    int32_t low[LOW]            # character -> id; 0: none, IGNORED_SPACE: ignored white space
    int32_t *high               # for the other characters; NULL until required
    Buffer codes                # numbered characters, in order of their ids
    Buffer decoded              # characters of a text in UTF-8
    int32_t different           # number of distinct characters
    Buffer text                 # character ids of all texts
    uint64_t used               # bytes of it
    Buffer counts               # of each character in each text, if ids are bytes
    Buffer words                # word ids of all texts
    uint64_t used_by_words      # bytes of it
    TokenTable known            # their words, whose characters are in `text`
    Buffer texts                # Units of each text
    Buffer table
    Buffer walk
    Buffer rows
    Watch watching
    int space                   # treatment of white space


# A text as unit ids of one or four bytes, from 1 on, with 0 for units that are not in the hypothesis; followed by AHEAD
# bytes that match no id.
cdef struct Units:
    const uint8_t *data
    Py_ssize_t count
    int width
    int32_t different   # the largest id
    const int32_t *counts   # number of occurrences of each id, for ids of one byte


cdef enum:
    MOST_NARROW = 254       # distinct characters with byte ids; so that no n-gram has the key of a free slot
    MOST_UNITS = 0x3FFFFFFF     # positions are 32 bits
    IGNORED_SPACE = -1


cdef void make_characters(ChrfWorkspace *work, int space) noexcept nogil:
    """Prepare a workspace: white space is marked in the fixed table."""
    cdef uint32_t code
    clear_items(work, 1)
    work.watching = begin_watch()
    work.space = space
    if space != KEPT_SPACE:
        for code in range(0xA1):
            if is_space(code, space != DROPPED_BUT_SEPARATORS):
                work.low[code] = IGNORED_SPACE
        work.low[0x1680] = work.low[0x2028] = work.low[0x2029] = work.low[0x202F] = work.low[0x205F] = IGNORED_SPACE
        for code in range(0x2000, 0x200B):
            work.low[code] = IGNORED_SPACE


cdef void end_characters(ChrfWorkspace *work) noexcept nogil:
    free(work.high)
    free_buffer(&work.codes)
    free_buffer(&work.decoded)
    free_buffer(&work.text)
    free_buffer(&work.counts)
    free_buffer(&work.words)
    free_tokens(&work.known)
    free_buffer(&work.texts)
    free_buffer(&work.table)
    free_buffer(&work.walk)
    free_buffer(&work.rows)


cdef inline int32_t *place_of_character(ChrfWorkspace *work, uint32_t code) noexcept nogil:
    """Return where the id of a character is."""
    return &work.low[code] if code < LOW else &work.high[code]


cdef void forget_characters(ChrfWorkspace *work) noexcept nogil:
    """Reset the ids of all characters."""
    cdef const uint32_t *codes = <const uint32_t *>work.codes.data
    cdef int32_t i
    for i in range(work.different):
        place_of_character(work, codes[i])[0] = 0
    work.different = 0


cdef int need_high(ChrfWorkspace *work) except -1 nogil:
    """Allocate the table of the other characters."""
    if work.high == NULL:
        work.high = <int32_t *>new_zeros(CODE_POINTS, sizeof(int32_t))
        if work.space != KEPT_SPACE:
            work.high[0x3000] = IGNORED_SPACE
    return 0


cdef inline bint is_punctuation(uint32_t code) noexcept nogil:
    return (0x21 <= code <= 0x2F) | (0x3A <= code <= 0x40) | (0x5B <= code <= 0x60) | (0x7B <= code <= 0x7E)


cdef Py_ssize_t decode(const Line *line, uint32_t *codes) noexcept nogil:
    """Write the characters of a line in UTF-8; return their number."""
    cdef const uint8_t *at = <const uint8_t *>line.data
    cdef const uint8_t *end = at + line.size
    cdef Py_ssize_t count = 0
    cdef Py_ssize_t length
    while at < end:
        length = length_of(at[0])
        codes[count] = code_at(at, length)
        count += 1
        at += length
    return count


cdef int add_word(ChrfWorkspace *work, const uint8_t *start, Py_ssize_t units, int width, bint adds,
                  Units *words) except -1 nogil:
    """Append the id of a word, from 1 on, or 0 for an unknown word. With `adds` this gets an id."""
    cdef int32_t *ids = <int32_t *>(work.words.data + work.used_by_words)
    cdef Token word
    if adds and 2 * <uint64_t>work.known.size >= work.known.mask:
        reserve_tokens(&work.known, 1)
    word.text = start
    word.end = start + units * width
    ids[words.count] = number_word(&work.known, &word, adds) + 1
    words.count += 1
    return watch(&work.watching, 1)


cdef bint is_ascii(const Line *line) noexcept nogil:
    cdef const uint8_t *text = <const uint8_t *>line.data
    cdef uint8_t seen = 0
    cdef Py_ssize_t i
    for i in range(line.size):
        seen |= text[i]
    return seen < 0x80


ctypedef fused Character:
    uint8_t
    uint16_t
    uint32_t


cdef Py_ssize_t read_units(ChrfWorkspace *work, const Character *text, Py_ssize_t size, int width, bint adds,
                           Units *words) except -2 nogil:
    """Write character ids and find words; return the number of characters, or -1 if ids of one byte do not suffice.

    From a word one punctuation mark is split off: the last character, or else the first.
    """
    cdef uint8_t *narrow = work.text.data + work.used
    cdef int32_t *wide = <int32_t *>narrow
    cdef bint kept = work.space == KEPT_SPACE
    cdef Py_ssize_t count = 0
    cdef Py_ssize_t word = 0        # where it begins in the line
    cdef Py_ssize_t blanks = 0
    cdef Py_ssize_t cut, stop, i
    cdef int32_t *blanks_at = NULL
    cdef const uint8_t *start
    cdef uint32_t *codes
    cdef uint32_t code
    cdef int32_t *place
    cdef int32_t number, new
    cdef int32_t different = work.different
    cdef int32_t most = MOST_NARROW if width == 1 else CODE_POINTS
    reserve(&work.codes, (<uint64_t>min(different + size, most) + 1) * sizeof(uint32_t))
    codes = <uint32_t *>work.codes.data
    if words != NULL:
        reserve(&work.walk, (<uint64_t>size + 1) * sizeof(int32_t))
        blanks_at = <int32_t *>work.walk.data
    for i in range(size):
        code = text[i]
        if Character is uint8_t:
            place = &work.low[code]
        else:
            if CYBLEU_UNLIKELY(code >= LOW and work.high == NULL):
                need_high(work)
            place = place_of_character(work, code)
        number = place[0]
        if adds:    # branch-free: whether a character is new is unpredictable
            new = number == 0
            if CYBLEU_UNLIKELY(new & <int32_t>(different == most)):
                work.different = different
                return -1
            codes[different] = code
            different += new
            number |= different & -new
            place[0] = number
        if width == 1:
            narrow[count] = <uint8_t>number
        else:
            wide[count] = number
        count += number >= 0
        if words != NULL:
            blanks_at[blanks] = <int32_t>i
            blanks += is_space(code, True) if kept else number < 0
    work.different = different
    if words != NULL:
        blanks_at[blanks] = <int32_t>size
        words.count = 0
        reserve(&work.words, work.used_by_words + <uint64_t>size * sizeof(int32_t) + AHEAD)     # one a character
        for i in range(blanks + 1):
            stop = blanks_at[i]
            if stop > word:
                cut = stop - 1 if is_punctuation(text[stop - 1]) else word + is_punctuation(text[word])
                start = narrow + (word if kept else word - i) * width       # dropped blanks have no id
                if word < cut < stop:
                    add_word(work, start, cut - word, width, adds, words)
                    start += (cut - word) * width
                    word = cut
                add_word(work, start, stop - word, width, adds, words)
            word = stop + 1
    return count


cdef int read_text(ChrfWorkspace *work, const Line *line, int width, bint adds, Units *characters,
                   Units *words) except -1 nogil:
    """Append the character ids and the words of a line; 0 if ids of one byte do not suffice.

    :param adds: assign ids to new characters and words
    :param words: NULL if these are not asked for; its data, in `work.words`, may move
    """
    cdef const void *data = line.data
    cdef Py_ssize_t size = line.size
    cdef int kind = line.kind
    if size > MOST_UNITS:
        with gil:
            raise MemoryError("a text has too many characters")
    watch(&work.watching, 8 + (size >> 3))
    if kind == IN_UTF8 and not is_ascii(line):
        reserve(&work.decoded, <uint64_t>size * sizeof(uint32_t))
        data = work.decoded.data
        size = decode(line, <uint32_t *>data)
        kind = 4
    work.used = (work.used + 7) & ~<uint64_t>7
    reserve(&work.text, work.used + <uint64_t>size * <uint64_t>width + AHEAD)
    characters.data = work.text.data + work.used
    characters.width = width
    if kind < 2:
        characters.count = read_units(work, <const uint8_t *>data, size, width, adds, words)
    elif kind == 2:
        characters.count = read_units(work, <const uint16_t *>data, size, width, adds, words)
    else:
        characters.count = read_units(work, <const uint32_t *>data, size, width, adds, words)
    if characters.count < 0:
        return 0
    work.used += <uint64_t>(characters.count * width)
    memset(work.text.data + work.used, 0xFF, AHEAD)
    work.used += AHEAD
    if words != NULL:
        work.used_by_words += <uint64_t>words.count * sizeof(int32_t)
        memset(work.words.data + work.used_by_words, 0xFF, AHEAD)
        work.used_by_words += AHEAD
    return 1
