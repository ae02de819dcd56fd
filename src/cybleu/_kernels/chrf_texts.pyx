# cython: freethreading_compatible=True
"""Texts as numbers of their characters, which are those of a segment, and of their words, by chrF's rules.

Numbers are bytes as long as there are few different characters. White space ends words, and counts as a character or
not, as the rules of the tool are.
"""

from libc.stdint cimport int32_t, uint8_t, uint16_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free
from libc.string cimport memcmp, memset

from cybleu._kernels.common cimport CYBLEU_UNLIKELY, allocated
from cybleu._kernels.interrupts cimport begin_watch, fill_bytes, watch
from cybleu._kernels.keys cimport CYBLEU_UNDECIDED, cybleu_key, cybleu_key_of_bytes, mixed_key
from cybleu._kernels.tokenizing cimport Line
from cybleu._kernels.tokens cimport slots_needed
from cybleu._kernels.unit_ngrams cimport AHEAD, give_back, make_room

cdef enum:
    CODE_POINTS = 0x110000
    MOST_NARROW = 254       # different characters whose numbers are bytes; no n-gram of them is free
    MOST_UNITS = 0x3FFFFFFF     # positions are 32 bits
    LEFT_OUT = -1
    PIECE = 4096            # characters between two looks for an interrupt


cdef void make_workshop(Workshop *shop, int space) noexcept nogil:
    cdef uint32_t code
    memset(shop, 0, sizeof(Workshop))
    shop.watching = begin_watch()
    shop.space = space
    if space != KEPT_SPACE:
        for code in range(0xA1):
            if is_space(code, space):
                shop.low[code] = LEFT_OUT
        shop.low[0x1680] = shop.low[0x2028] = shop.low[0x2029] = shop.low[0x202F] = shop.low[0x205F] = LEFT_OUT
        for code in range(0x2000, 0x200B):
            shop.low[code] = LEFT_OUT


cdef void end_workshop(Workshop *shop) noexcept nogil:
    free(shop.high)
    give_back(&shop.codes)
    give_back(&shop.text)
    give_back(&shop.spans)
    give_back(&shop.words)
    give_back(&shop.known)
    give_back(&shop.known_words)
    give_back(&shop.texts)
    give_back(&shop.table)
    give_back(&shop.walk)
    give_back(&shop.rows)


cdef inline int32_t *place_of(Workshop *shop, uint32_t code) noexcept nogil:
    return &shop.low[code] if code < LOW else &shop.high[code]


cdef int forget(Workshop *shop) except -1 nogil:
    """Take the numbers of all characters back."""
    cdef const uint32_t *codes = <const uint32_t *>shop.codes.data
    cdef int32_t i
    for i in range(shop.different):
        place_of(shop, codes[i])[0] = 0
    i = shop.different
    shop.different = 0
    return watch(&shop.watching, i >> 4)


cdef int need_high(Workshop *shop) except -1 nogil:
    if shop.high == NULL:
        shop.high = <int32_t *>allocated(calloc(CODE_POINTS, sizeof(int32_t)))
        if shop.space != KEPT_SPACE:
            shop.high[0x3000] = LEFT_OUT
    return 0


cdef inline bint is_space(uint32_t code, int mode) noexcept nogil:
    if code <= 0x20:
        return code == 0x20 or 0x09 <= code <= 0x0D or (0x1C <= code and mode != DROPPED_BUT_SEPARATORS)
    if code < 0x1680:
        return code == 0x85 or code == 0xA0
    return (code == 0x1680 or 0x2000 <= code <= 0x200A or code == 0x2028 or code == 0x2029 or code == 0x202F
            or code == 0x205F or code == 0x3000)


cdef inline bint is_punctuation(uint32_t code) noexcept nogil:
    return (0x21 <= code <= 0x2F) | (0x3A <= code <= 0x40) | (0x5B <= code <= 0x60) | (0x7B <= code <= 0x7E)


cdef inline uint32_t next_code(const Line *line, Py_ssize_t *at) noexcept nogil:
    cdef const uint8_t *text
    cdef uint32_t code
    if line.kind == 1:
        code = (<const uint8_t *>line.data)[at[0]]
    elif line.kind == 2:
        code = (<const uint16_t *>line.data)[at[0]]
    elif line.kind == 4:
        code = (<const uint32_t *>line.data)[at[0]]
    else:       # valid UTF-8
        text = <const uint8_t *>line.data + at[0]
        code = text[0]
        if code >= 0xF0:
            code = ((code & 0x7) << 18 | <uint32_t>(text[1] & 0x3F) << 12 | <uint32_t>(text[2] & 0x3F) << 6
                    | (text[3] & 0x3F))
            at[0] += 3
        elif code >= 0xE0:
            code = (code & 0xF) << 12 | <uint32_t>(text[1] & 0x3F) << 6 | (text[2] & 0x3F)
            at[0] += 2
        elif code >= 0xC0:
            code = (code & 0x1F) << 6 | (text[1] & 0x3F)
            at[0] += 1
    at[0] += 1
    return code


cdef int add_word(Workshop *shop, Py_ssize_t *count, uint64_t start, Py_ssize_t units, int width, uint32_t first,
                  uint32_t last) except -1 nogil:
    """A word between white space, of which a punctuation mark is split off: the last one, or else the first."""
    cdef Py_ssize_t ends = is_punctuation(last)
    cdef Py_ssize_t cut = (units - 1) * ends + ((1 - units) * is_punctuation(first) + units) * (1 - ends)
    cdef Span *span
    cut = max(cut, 1)
    make_room(&shop.spans, (<uint64_t>count[0] + 2) * sizeof(Span))
    span = <Span *>shop.spans.data + count[0]
    span[0].start = start
    span[0].size = cut * width
    span[1].start = start + <uint64_t>(cut * width)
    span[1].size = (units - cut) * width
    count[0] += 1 + <int>(cut < units)
    return 0


cdef int32_t add_code(Workshop *shop, uint32_t code) except -1 nogil:
    """The number of a character that has none."""
    make_room(&shop.codes, (<uint64_t>shop.different + 1) * sizeof(uint32_t))
    (<uint32_t *>shop.codes.data)[shop.different] = code
    shop.different += 1
    return shop.different


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


cdef Py_ssize_t read_narrow(Workshop *shop, const Character *text, Py_ssize_t size, uint8_t *to, bint adds,
                            uint64_t first, Py_ssize_t *spans) except -2 nogil:
    """Write the numbers of characters, in bytes; how many there are, or -1 where bytes do not suffice.

    :param first: where the text begins in `shop.text`
    :param spans: words in `shop.spans`; NULL where they do not matter, as where white space counts
    """
    cdef Py_ssize_t count = 0
    cdef Py_ssize_t start = 0
    cdef Py_ssize_t word = 0        # where it begins in the line
    cdef Py_ssize_t blanks = 0
    cdef Py_ssize_t stop, i
    cdef int32_t *blanks_at = NULL
    cdef uint32_t *codes
    cdef uint32_t code
    cdef int32_t *place
    cdef int32_t number, new
    cdef int32_t different = shop.different
    make_room(&shop.codes, (MOST_NARROW + 1) * sizeof(uint32_t))
    codes = <uint32_t *>shop.codes.data
    if spans != NULL:
        make_room(&shop.walk, (<uint64_t>size + 1) * sizeof(int32_t))
        blanks_at = <int32_t *>shop.walk.data
    while start < size:
        stop = min(start + PIECE, size)
        for i in range(start, stop):
            code = text[i]
            if Character is uint8_t:
                place = &shop.low[code]
            else:
                if CYBLEU_UNLIKELY(code >= LOW and shop.high == NULL):
                    need_high(shop)
                place = place_of(shop, code)
            number = place[0]
            if adds:    # by arithmetic: whether a character is new is not to be guessed
                new = number == 0
                if CYBLEU_UNLIKELY(new & <int32_t>(different == MOST_NARROW)):
                    shop.different = different
                    return -1
                codes[different] = code
                different += new
                number |= different & -new
                place[0] = number
            to[count] = <uint8_t>number
            count += number >= 0
            if spans != NULL:
                blanks_at[blanks] = <int32_t>i
                blanks += number < 0
        shop.different = different
        watch(&shop.watching, (stop - start) >> 3)
        start = stop
    if spans != NULL:
        blanks_at[blanks] = <int32_t>size
        for i in range(blanks + 1):
            stop = blanks_at[i]
            if stop > word:     # each blank before it has no number
                add_word(shop, spans, first + <uint64_t>(word - i), stop - word, 1, text[word], text[stop - 1])
            word = stop + 1
        watch(&shop.watching, blanks)
    return count


cdef int read_text(Workshop *shop, const Line *line, int width, bint words, bint adds, uint64_t *used,
                   Py_ssize_t *spans, Text *text) except -1 nogil:
    """Append the numbers of the characters of a line, and its words; 0 where numbers of one byte do not suffice.

    :param words: words matter
    :param adds: characters get numbers that have none
    :param used: bytes of `shop.text` in use
    :param spans: words in `shop.spans`
    """
    cdef uint8_t *narrow
    cdef int32_t *wide
    cdef uint32_t code = 0
    cdef uint32_t first = 0
    cdef uint32_t last = 0
    cdef Py_ssize_t at = 0
    cdef Py_ssize_t count = 0
    cdef Py_ssize_t word = -1           # where the word begins
    cdef Py_ssize_t stop
    cdef int32_t *place
    cdef int32_t number
    cdef int mode = shop.space
    cdef bint space
    if line.size > MOST_UNITS:
        with gil:
            raise MemoryError("a text has too many characters")
    used[0] = (used[0] + 7) & ~<uint64_t>7
    make_room(&shop.text, used[0] + <uint64_t>line.size * <uint64_t>width + AHEAD)
    narrow = shop.text.data + used[0]
    wide = <int32_t *>narrow
    text.start = used[0]
    text.spans = spans[0]
    if width == 1 and (not words or mode != KEPT_SPACE) and (line.kind > 0 or is_ascii(line)):
        if line.kind < 2:
            count = read_narrow(shop, <const uint8_t *>line.data, line.size, narrow, adds, used[0],
                                spans if words else NULL)
        elif line.kind == 2:
            count = read_narrow(shop, <const uint16_t *>line.data, line.size, narrow, adds, used[0],
                                spans if words else NULL)
        else:
            count = read_narrow(shop, <const uint32_t *>line.data, line.size, narrow, adds, used[0],
                                spans if words else NULL)
        if count < 0:
            return 0
        at = line.size
    while at < line.size:
        stop = min(at + PIECE, line.size)
        while at < stop:
            code = next_code(line, &at)
            space = (code <= 0x20 or code >= 0x85) and is_space(code, mode)
            if space:
                if words and word >= 0:
                    add_word(shop, spans, text.start + <uint64_t>(word * width), count - word, width, first, last)
                    word = -1
                if mode != KEPT_SPACE:
                    continue
            else:
                if word < 0:
                    word = count
                    first = code
                last = code
            if CYBLEU_UNLIKELY(code >= LOW and shop.high == NULL):
                need_high(shop)
            place = place_of(shop, code)
            number = place[0]
            if CYBLEU_UNLIKELY(number == 0) and adds:
                if width == 1 and shop.different == MOST_NARROW:
                    return 0
                number = place[0] = add_code(shop, code)
            if width == 1:
                narrow[count] = <uint8_t>number
            else:
                wide[count] = number
            count += 1
        watch(&shop.watching, PIECE >> 3 if stop < line.size else (stop & (PIECE - 1)) >> 3)
    if words and word >= 0:
        add_word(shop, spans, text.start + <uint64_t>(word * width), count - word, width, first, last)
    memset(narrow + count * width, 0xFF, AHEAD)
    used[0] += <uint64_t>(count * width) + AHEAD
    text.count = count
    text.words = spans[0] - text.spans
    return 1


# --------------------------------------------------------------------------------------------------------------- words

cdef Py_ssize_t begin_words(Workshop *shop, Py_ssize_t words) except -1 nogil:
    """Memory for so many words that get numbers; how many slots their table has."""
    cdef uint64_t known = slots_needed(2 * words)
    make_room(&shop.known, known * sizeof(int32_t))
    make_room(&shop.known_words, (<uint64_t>words + 1) * sizeof(Word))
    fill_bytes(shop.known.data, 0, <size_t>known * sizeof(int32_t), &shop.watching)
    return <Py_ssize_t>known


cdef inline int32_t same_key(const cybleu_key *one, const cybleu_key *other) noexcept nogil:
    return ((one.first ^ other.first) | (one.second ^ other.second)) == 0


cdef int32_t find_word(Workshop *shop, const Span *span, const cybleu_key *key, Py_ssize_t known,
                       uint64_t *place) noexcept nogil:
    """The number of a word, or 0 with the place where it would be; from the place on."""
    cdef const int32_t *slots = <const int32_t *>shop.known.data
    cdef const Word *word
    while slots[place[0]] != 0:
        word = <const Word *>shop.known_words.data + slots[place[0]]
        if same_key(&word.key, key):
            if not key.second & CYBLEU_UNDECIDED or (
                    word.span.size == span.size
                    and memcmp(shop.text.data + word.span.start, shop.text.data + span.start,
                               <size_t>span.size) == 0):
                return slots[place[0]]
        place[0] = (place[0] + 1) & <uint64_t>(known - 1)
    return 0


cdef int number_words(Workshop *shop, const Text *text, Py_ssize_t known, bint adds, uint64_t odd, int32_t *numbers,
                      int32_t *given) except -1 nogil:
    """Write the numbers of the words of a text, from 1 on, 0 for those that have none.

    :param known: slots of the table, a power of two
    :param adds: words get numbers that have none
    :param given: how many have a number
    """
    cdef int32_t *slots = <int32_t *>shop.known.data
    cdef Word *words = <Word *>shop.known_words.data
    cdef const Span *span
    cdef const uint8_t *data = shop.text.data
    cdef uint64_t place
    cdef cybleu_key key
    cdef Py_ssize_t i
    cdef int32_t number, same
    if text.words == 0:     # perhaps there are none at all, and no memory of any
        return 0
    words[0].key.first = words[0].key.second = 0    # no word has this key
    span = <const Span *>shop.spans.data + text.spans
    for i in range(text.words):
        key = cybleu_key_of_bytes(data + span.start, span.size, odd)
        place = mixed_key(key.first, key.second, odd) & <uint64_t>(known - 1)
        number = slots[place]
        same = same_key(&words[number].key, &key)
        # whether a word is known is not to be predicted, so that is no branch
        if CYBLEU_UNLIKELY(number & -((1 - same) | <int32_t>((key.second & CYBLEU_UNDECIDED) != 0))):
            number = find_word(shop, span, &key, known, &place)
            same = number != 0
        if adds:
            number |= (given[0] + 1) & (same - 1)
            slots[place] = number
            given[0] += 1 - same
            words[number].key = key
            words[number].span = span
        numbers[i] = number
        span += 1
        watch(&shop.watching, 1)
    return 0
