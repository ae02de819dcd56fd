# cython: freethreading_compatible=True
"""chrF: the n-grams of characters, and for chrF+ and chrF++ of words, that a hypothesis and one reference share.

The characters of a segment get numbers of their own, and so do its words, with 0 for those that the hypothesis does not
have. An n-gram of up to 8 bytes of numbers is one integer, so a table of them is exact: six characters where a hypothesis
has no more than 254 different ones, two words always. Longer n-grams are interned as those of tokens are (`ngrams.pyx`).

The matches of an order are counted by taking: each n-gram of the reference takes one of the hypothesis that nothing has
taken yet. Where it finds none at all, no longer one can begin there, so the work falls with the order as the matches do.
"""

from libc.stdint cimport int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free, malloc, realloc
from libc.string cimport memcmp, memset

from cybleu._kernels.common cimport CYBLEU_UNLIKELY
from cybleu._kernels.interrupts cimport Watch, begin_watch, fill_bytes, watch
from cybleu._kernels.ngrams cimport END, match_by_interning, match_memory
from cybleu._kernels.raw cimport RawTexts
from cybleu._kernels.tables cimport cybleu_place
from cybleu._kernels.tokenizing cimport Line
from cybleu._kernels.tokens cimport secret, slots_needed

cdef extern from "Python.h":
    Py_ssize_t PY_SSIZE_T_MAX

cdef extern from *:
    """
    /* The first bytes of a text as a number; 8 can be read. */
    static CYTHON_INLINE uint64_t cybleu_packed(const void *at, uint64_t mask) {
        uint64_t word;
        memcpy(&word, at, 8);
        return word & mask;
    }

    /* The mask of the first `size` bytes, from 1 to 8, of a word in memory. */
    static CYTHON_INLINE uint64_t cybleu_mask_of(int size) {
    #if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
        return ~0ULL << (64 - 8 * size);
    #else
        return ~0ULL >> (64 - 8 * size);
    #endif
    }

    /* The products lose bits, as they should. */
    static CYTHON_INLINE uint64_t cybleu_hash_word(const uint8_t *text, Py_ssize_t size, uint64_t odd) {
        uint64_t mixed = (uint64_t)size * odd, piece = 0;
        for (; size > 8; text += 8, size -= 8) {
            memcpy(&piece, text, 8);
            mixed = (mixed ^ piece) * odd;
            mixed ^= mixed >> 32;
        }
        mixed = (mixed ^ cybleu_packed(text, cybleu_mask_of((int)size))) * odd;
        mixed = (mixed ^ mixed >> 32) * odd;
        return mixed ^ mixed >> 29;
    }

    static CYTHON_INLINE double cybleu_ratio(int64_t part, int64_t whole) {
        return (double)part / (double)whole;
    }
    """
    uint64_t packed "cybleu_packed" (const void *at, uint64_t mask) noexcept nogil
    uint64_t mask_of "cybleu_mask_of" (int size) noexcept nogil
    uint64_t hash_word "cybleu_hash_word" (const uint8_t *text, Py_ssize_t size, uint64_t odd) noexcept nogil
    double ratio "cybleu_ratio" (int64_t part, int64_t whole) noexcept nogil

cdef enum:
    LOW = 0x500             # characters that need no memory of their own
    CODE_POINTS = 0x110000
    MOST_NARROW = 254       # different characters whose numbers are bytes; no n-gram of them is FREE
    MOST_UNITS = 0x3FFFFFFF # positions are 32 bits
    MOST_ORDERS = 128
    ROW = 384               # 3 * MOST_ORDERS
    PIECE = 4096            # n-grams between two looks for an interrupt
    AHEAD = 8               # bytes after a text that can be read
    KEPT = 65536            # bytes that are not given back after a segment

# What becomes of white space.
cdef enum:
    DROPPED
    KEPT_SPACE
    DROPPED_BUT_SEPARATORS  # U+001C to U+001F stay, as in Unicode's own definition of white space

cdef extern from *:
    """
    #define CYBLEU_FREE (~0ULL)
    #define CYBLEU_LARGEST ((int64_t)1 << 53)   /* counts below it are exact as doubles */
    #define CYBLEU_EPSILON 1e-16                /* sacreBLEU's and NLTK's */
    """
    uint64_t FREE "CYBLEU_FREE"
    int64_t LARGEST "CYBLEU_LARGEST"
    double EPSILON "CYBLEU_EPSILON"


# -------------------------------------------------------------------------------------------------------------- memory

cdef struct Buffer:
    uint8_t *data
    size_t room


cdef int make_room(Buffer *buffer, uint64_t size) except -1 nogil:
    """For so many bytes; what is there stays."""
    cdef uint8_t *larger
    if size > buffer.room:
        size = max(size, 2 * <uint64_t>buffer.room)
        larger = NULL
        if size <= <uint64_t>PY_SSIZE_T_MAX:
            larger = <uint8_t *>realloc(buffer.data, <size_t>size)
        if larger == NULL:
            with gil:
                raise MemoryError()
        buffer.data = larger
        buffer.room = <size_t>size
    return 0


cdef void give_back(Buffer *buffer) noexcept nogil:
    free(buffer.data)
    buffer.data = NULL
    buffer.room = 0


# A text in numbers, of one byte or of four, from 1 on, 0 for what the hypothesis does not have, and AHEAD bytes of 0.
cdef struct Units:
    const uint8_t *data
    Py_ssize_t count
    int width


# ------------------------------------------------------------------------------------------------------------- n-grams

cdef struct Gram:
    uint64_t key        # FREE where there is none
    int64_t left        # those that nothing has taken, less one


# Of one order.
cdef struct Table:
    Gram *slots
    int shift
    uint64_t last       # the number of slots, less one
    Py_ssize_t count    # of n-grams in it


cdef uint64_t table_size(Py_ssize_t units, int n) noexcept nogil:
    """The bytes of a table of the n-grams of a text."""
    return slots_needed(units - n + 1) * sizeof(Gram) if units >= n else 0


cdef int fill_table(Table *table, void *memory, const Units *text, int n, uint64_t odd,
                    Watch *watching) except -1 nogil:
    """The n-grams of a text, in `table_size` bytes of memory."""
    cdef uint64_t mask = mask_of(n * text.width)
    cdef const uint8_t *at = text.data
    cdef uint64_t size, key, place
    cdef Py_ssize_t start, stop, i
    cdef Gram *slot
    table.slots = <Gram *>memory
    table.count = text.count - n + 1 if text.count >= n else 0
    if table.count == 0:
        return 0
    size = slots_needed(table.count)
    table.last = size - 1
    table.shift = 64
    while size > 1:
        size >>= 1
        table.shift -= 1
    fill_bytes(memory, 0xFF, <size_t>(table.last + 1) * sizeof(Gram), watching)
    start = 0
    while start < table.count:
        stop = min(start + PIECE, table.count)
        for i in range(start, stop):
            key = packed(at, mask)
            at += text.width
            place = cybleu_place(<int64_t>key, odd, table.shift)
            slot = &table.slots[place]
            while CYBLEU_UNLIKELY((slot.key != key) & (slot.key != FREE)):
                place = (place + 1) & table.last
                slot = &table.slots[place]
            slot.key = key
            slot.left += 1
        watch(watching, (stop - start) >> 2)
        start = stop
    return 0


# The positions of a text at which n-grams begin that the hypothesis has; the slots from which they have taken.
cdef struct Walk:
    int32_t *positions
    int32_t *taken
    Py_ssize_t count


cdef int64_t take(Table *table, const Units *text, int n, Walk *walk, bint again, uint64_t odd,
                  Watch *watching) except -1 nogil:
    """The matches of an order; `walk` is of the order before, and becomes that of this one.

    :param again: the table is as before then, for another text
    """
    cdef uint64_t mask = mask_of(n * text.width)
    cdef int32_t *positions = walk.positions
    cdef int32_t *taken = walk.taken
    cdef Py_ssize_t kept = 0
    cdef Py_ssize_t hits = 0
    cdef Py_ssize_t count = walk.count
    cdef Py_ssize_t start, stop, i
    cdef uint64_t key, place
    cdef int32_t position
    cdef int64_t found, hit
    cdef Gram *slot
    if table.count == 0:
        walk.count = 0
        return 0
    while count > 0 and positions[count - 1] > text.count - n:
        count -= 1
    start = 0
    while start < count:
        stop = min(start + PIECE, count)
        for i in range(start, stop):
            position = positions[i]
            key = packed(text.data + <Py_ssize_t>position * text.width, mask)
            place = cybleu_place(<int64_t>key, odd, table.shift)
            slot = &table.slots[place]
            while CYBLEU_UNLIKELY((slot.key != key) & (slot.key != FREE)):
                place = (place + 1) & table.last
                slot = &table.slots[place]
            found = slot.key == key
            hit = found & (slot.left >= 0)
            slot.left -= hit
            taken[hits] = <int32_t>place
            hits += hit
            positions[kept] = position
            kept += found
        watch(watching, (stop - start) >> 2)
        start = stop
    if again:
        for i in range(hits):
            table.slots[taken[i]].left += 1
        watch(watching, hits >> 4)
    walk.count = kept
    return hits


cdef void begin_walk(Walk *walk, int32_t *memory, Py_ssize_t count) noexcept nogil:
    """Of all positions; in memory for twice as many numbers and two more."""
    cdef Py_ssize_t i
    walk.positions = memory
    walk.taken = memory + count + 1
    walk.count = count
    for i in range(count):
        memory[i] = <int32_t>i


cdef int64_t ngrams_of(Py_ssize_t units, int n) noexcept nogil:
    return units - n + 1 if units >= n else 0


# ------------------------------------------------------------------------------------------------------------- scoring

cdef struct Rules:
    int char_order
    int word_order
    int space
    bint epsilon
    double factor       # beta ** 2
    double plus         # 1 + beta ** 2


cdef double score_of(const Rules *rules, const int64_t *row) noexcept nogil:
    """The F-score of a row whose numbers are below LARGEST, by sacreBLEU's float operations in its order."""
    cdef int order = rules.char_order + rules.word_order
    cdef int effective = 0
    cdef int n
    cdef double precision, recall, bottom
    cdef double precisions = 0.0
    cdef double recalls = 0.0
    cdef double score = 0.0
    for n in range(order):
        precision = ratio(row[3 * n + 2], row[3 * n]) if row[3 * n] > 0 else EPSILON
        recall = ratio(row[3 * n + 2], row[3 * n + 1]) if row[3 * n + 1] > 0 else EPSILON
        if rules.epsilon:
            bottom = rules.factor * precision + recall
            score += rules.plus * precision * recall / bottom if bottom > 0.0 else EPSILON
        if row[3 * n] > 0 and row[3 * n + 1] > 0:
            precisions += precision
            recalls += recall
            effective += 1
    if rules.epsilon:
        return 100.0 * score / <double>order
    if effective == 0:
        return 0.0
    precisions /= <double>effective
    recalls /= <double>effective
    bottom = rules.factor * precisions + recalls
    if precisions + recalls == 0.0 or bottom == 0.0:
        return 0.0
    return 100.0 * (rules.plus * precisions * recalls / bottom)


# ---------------------------------------------------------------------------------------------------------- characters

# What one thread works in.
cdef struct Workshop:
    int32_t low[LOW]            # character -> number, 0 where it has none
    int32_t *high               # of the others; NULL until there is one
    Buffer codes                # the characters that have numbers, in their order
    int32_t different           # how many there are
    Buffer text                 # the numbers of the characters of all texts
    Buffer spans                # the words of all texts: where each begins and ends in its text
    Buffer words                # the numbers of the words of all texts
    Buffer known                # slots of the words that have numbers
    Buffer owners               # and by number where each is in `spans`
    Buffer texts                # of each text a Text
    Buffer table
    Buffer walk
    Buffer rows
    Watch watching


cdef struct Text:
    uint64_t start              # in `text`
    Py_ssize_t count            # of its characters
    Py_ssize_t spans            # its first word in `spans`
    Py_ssize_t words            # how many it has
    uint64_t numbers            # in `words`


cdef struct Span:
    uint64_t start              # in `text`
    Py_ssize_t size             # in bytes


cdef void make_workshop(Workshop *shop) noexcept nogil:
    memset(shop, 0, sizeof(Workshop))
    shop.watching = begin_watch()


cdef void end_workshop(Workshop *shop) noexcept nogil:
    free(shop.high)
    give_back(&shop.codes)
    give_back(&shop.text)
    give_back(&shop.spans)
    give_back(&shop.words)
    give_back(&shop.known)
    give_back(&shop.owners)
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
        shop.high = <int32_t *>calloc(CODE_POINTS, sizeof(int32_t))
        if shop.high == NULL:
            with gil:
                raise MemoryError()
    return 0


cdef inline bint is_space(uint32_t code, int mode) noexcept nogil:
    if code <= 0x20:
        return code == 0x20 or 0x09 <= code <= 0x0D or (0x1C <= code and mode != DROPPED_BUT_SEPARATORS)
    if code < 0x1680:
        return code == 0x85 or code == 0xA0
    return (code == 0x1680 or 0x2000 <= code <= 0x200A or code == 0x2028 or code == 0x2029 or code == 0x202F
            or code == 0x205F or code == 0x3000)


cdef inline bint is_punctuation(uint32_t code) noexcept nogil:
    return 0x21 <= code <= 0x2F or 0x3A <= code <= 0x40 or 0x5B <= code <= 0x60 or 0x7B <= code <= 0x7E


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


cdef int add_span(Workshop *shop, Py_ssize_t *count, uint64_t start, Py_ssize_t size) except -1 nogil:
    cdef Span *span
    make_room(&shop.spans, (<uint64_t>count[0] + 1) * sizeof(Span))
    span = <Span *>shop.spans.data + count[0]
    span.start = start
    span.size = size
    count[0] += 1
    return 0


cdef int add_word(Workshop *shop, Py_ssize_t *count, uint64_t start, Py_ssize_t units, int width, bint first,
                  bint last) except -1 nogil:
    """A word between white space, of which a punctuation mark is split off: the last one, or else the first."""
    if units > 1 and last:
        add_span(shop, count, start, (units - 1) * width)
        return add_span(shop, count, start + <uint64_t>((units - 1) * width), width)
    if units > 1 and first:
        add_span(shop, count, start, width)
        return add_span(shop, count, start + <uint64_t>width, (units - 1) * width)
    return add_span(shop, count, start, units * width)


cdef int read_text(const Rules *rules, Workshop *shop, const Line *line, int width, bint adds, uint64_t *used,
                   Py_ssize_t *spans, Text *text) except -1 nogil:
    """Append the numbers of the characters of a line, and its words; 0 where numbers of one byte do not suffice.

    :param adds: characters get numbers that have none
    :param used: bytes of `shop.text` in use
    :param spans: words in `shop.spans`
    """
    cdef uint8_t *narrow
    cdef int32_t *wide
    cdef uint32_t *codes
    cdef uint32_t code = 0
    cdef uint32_t first = 0
    cdef uint32_t last = 0
    cdef Py_ssize_t at = 0
    cdef Py_ssize_t count = 0
    cdef Py_ssize_t word = -1           # where the word begins
    cdef Py_ssize_t stop
    cdef int32_t *place
    cdef int32_t number
    cdef int mode = rules.space
    cdef bint words = rules.word_order > 0
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
    while at < line.size:
        stop = min(at + PIECE, line.size)
        while at < stop:
            code = next_code(line, &at)
            space = (code <= 0x20 or code >= 0x85) and is_space(code, mode)
            if space:
                if words and word >= 0:
                    add_word(shop, spans, text.start + <uint64_t>(word * width), count - word, width,
                             is_punctuation(first), is_punctuation(last))
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
                make_room(&shop.codes, (<uint64_t>shop.different + 1) * sizeof(uint32_t))
                codes = <uint32_t *>shop.codes.data
                codes[shop.different] = code
                shop.different += 1
                number = place[0] = shop.different
            if width == 1:
                narrow[count] = <uint8_t>number
            else:
                wide[count] = number
            count += 1
        watch(&shop.watching, PIECE >> 3 if stop < line.size else (stop & (PIECE - 1)) >> 3)
    if words and word >= 0:
        add_word(shop, spans, text.start + <uint64_t>(word * width), count - word, width, is_punctuation(first),
                 is_punctuation(last))
    memset(narrow + count * width, 0, AHEAD)
    used[0] += <uint64_t>(count * width) + AHEAD
    text.count = count
    text.words = spans[0] - text.spans
    return 1


# --------------------------------------------------------------------------------------------------------------- words

cdef int number_words(Workshop *shop, const Text *text, Py_ssize_t known, bint adds, uint64_t odd, int32_t *numbers,
                      int32_t *given) except -1 nogil:
    """Write the numbers of the words of a text, from 1 on, 0 for those that have none.

    :param known: slots of the table, a power of two
    :param adds: words get numbers that have none
    :param given: how many have a number
    """
    cdef int32_t *slots = <int32_t *>shop.known.data
    cdef const Span **owners = <const Span **>shop.owners.data
    cdef const Span *span = <const Span *>shop.spans.data + text.spans
    cdef const Span *other
    cdef const uint8_t *data = shop.text.data
    cdef uint64_t place
    cdef Py_ssize_t i
    cdef int32_t number
    for i in range(text.words):
        place = hash_word(data + span.start, span.size, odd) & <uint64_t>(known - 1)
        while True:
            number = slots[place]
            if number == 0:
                if adds:
                    owners[given[0]] = span
                    given[0] += 1
                    number = slots[place] = given[0]
                break
            other = owners[number - 1]
            if other.size == span.size and memcmp(data + other.start, data + span.start, <size_t>span.size) == 0:
                break
            place = (place + 1) & <uint64_t>(known - 1)
        numbers[i] = number
        span += 1
        watch(&shop.watching, 1)
    return 0


# ------------------------------------------------------------------------------------------------------------ segments

cdef int intern_pair(Workshop *shop, const Units *hypothesis, const Units *reference, int order,
                     int64_t *matches) except -1 nogil:
    """Add the matches of orders 1 to `order`, however long the n-grams are."""
    cdef Py_ssize_t bounds[3]
    cdef Py_ssize_t total = hypothesis.count + reference.count + 2
    cdef uint64_t needed
    cdef int32_t *tokens
    cdef Py_ssize_t i
    if hypothesis.count == 0 or reference.count == 0:
        return 0
    if total > MOST_UNITS:
        with gil:
            raise MemoryError("a segment has too many characters")
    bounds[0] = 0
    bounds[1] = hypothesis.count + 1
    bounds[2] = total
    needed = (<uint64_t>total * sizeof(int32_t) + 7) & ~<uint64_t>7
    make_room(&shop.table, needed + match_memory(hypothesis.count, total, 2) + 8)
    tokens = <int32_t *>shop.table.data
    for i in range(hypothesis.count):
        tokens[i] = number_at(hypothesis, i) - 1
    tokens[hypothesis.count] = END
    for i in range(reference.count):
        tokens[bounds[1] + i] = number_at(reference, i) - 1
    tokens[total - 1] = -1
    watch(&shop.watching, total >> 4)
    return match_by_interning(tokens, bounds, 2, order, shop.table.data + needed, matches)


cdef inline int32_t number_at(const Units *text, Py_ssize_t i) noexcept nogil:
    return text.data[i] if text.width == 1 else (<const int32_t *>text.data)[i]


cdef int match_all(Workshop *shop, const Units *texts, Py_ssize_t count, int order, int64_t *rows,
                   Py_ssize_t row_size) except -1 nogil:
    """Write counts and matches of the hypothesis, the first text, with each of the others, three numbers an order."""
    cdef const Units *hypothesis = texts
    cdef const Units *reference
    cdef int64_t matches[MOST_ORDERS]
    cdef uint64_t odd = secret()
    cdef Walk *walks
    cdef Walk walk
    cdef Table table
    cdef int64_t *row
    cdef int32_t *memory
    cdef uint64_t positions = 0
    cdef Py_ssize_t k
    cdef int n
    for k in range(1, count + 1):
        row = rows + (k - 1) * row_size
        for n in range(order):
            row[3 * n + 1] = ngrams_of(texts[k].count, n + 1)
            row[3 * n] = ngrams_of(hypothesis.count, n + 1) if row[3 * n + 1] > 0 else 0
            row[3 * n + 2] = 0
    if order * hypothesis.width > 8:
        for k in range(1, count + 1):
            memset(matches, 0, <size_t>order * sizeof(int64_t))
            intern_pair(shop, hypothesis, &texts[k], order, matches)
            for n in range(order):
                rows[(k - 1) * row_size + 3 * n + 2] = matches[n]
        return 0
    for k in range(1, count + 1):
        positions += 2 * <uint64_t>texts[k].count + 2
    make_room(&shop.walk, <uint64_t>count * sizeof(Walk) + positions * sizeof(int32_t))
    walks = <Walk *>shop.walk.data
    memory = <int32_t *>(walks + count)
    for k in range(count):
        begin_walk(&walk, memory, texts[k + 1].count)
        walks[k] = walk
        memory += 2 * texts[k + 1].count + 2
        watch(&shop.watching, texts[k + 1].count >> 5)
    make_room(&shop.table, table_size(hypothesis.count, 1))
    for n in range(min(order, hypothesis.count)):
        fill_table(&table, shop.table.data, hypothesis, n + 1, odd, &shop.watching)
        for k in range(count):
            reference = &texts[k + 1]
            rows[k * row_size + 3 * n + 2] = take(&table, reference, n + 1, &walks[k], k + 1 < count, odd,
                                                  &shop.watching)
    return 0


cdef int count_segment(const Rules *rules, Workshop *shop, const Line *hypothesis, const Line *references,
                       Py_ssize_t count, int64_t *row) except -1 nogil:
    """Write the row of the reference with the best score, the first of equal ones; there is at least one."""
    cdef int order = rules.char_order + rules.word_order
    cdef int width = 1 if rules.char_order <= 8 else 4
    cdef Py_ssize_t row_size = 3 * order
    cdef Py_ssize_t best = 0
    cdef double score, best_score
    cdef int64_t *rows
    cdef Py_ssize_t k
    if not read_segment(rules, shop, hypothesis, references, count, width):
        read_segment(rules, shop, hypothesis, references, count, 4)
        width = 4
    make_room(&shop.rows, <uint64_t>count * <uint64_t>row_size * sizeof(int64_t))
    rows = <int64_t *>shop.rows.data
    match_characters(rules, shop, count, width, rows, row_size)
    if rules.word_order > 0:
        match_words(rules, shop, count, rows + 3 * rules.char_order, row_size)
    if count > 1:
        best_score = -1.0
        for k in range(count):
            score = score_of(rules, rows + k * row_size)
            if score > best_score:
                best_score = score
                best = k
    for k in range(row_size):
        row[k] = rows[best * row_size + k]
    shrink(shop)
    return 0


cdef void shrink(Workshop *shop) noexcept nogil:
    """Give back what only a long segment needs."""
    if CYBLEU_UNLIKELY(shop.table.room > KEPT):
        give_back(&shop.table)
        give_back(&shop.walk)
        give_back(&shop.text)


cdef int read_segment(const Rules *rules, Workshop *shop, const Line *hypothesis, const Line *references,
                      Py_ssize_t count, int width) except -1 nogil:
    """The texts in numbers; 0 where numbers of one byte do not suffice."""
    cdef uint64_t used = 0
    cdef Py_ssize_t spans = 0
    cdef Py_ssize_t k
    cdef Text *texts
    make_room(&shop.texts, (<uint64_t>count + 1) * (sizeof(Text) + sizeof(Units)))
    texts = <Text *>shop.texts.data
    forget(shop)
    if not read_text(rules, shop, hypothesis, width, True, &used, &spans, texts):
        return 0
    for k in range(count):
        read_text(rules, shop, &references[k], width, False, &used, &spans, &texts[k + 1])
    return 1


cdef int match_characters(const Rules *rules, Workshop *shop, Py_ssize_t count, int width, int64_t *rows,
                          Py_ssize_t row_size) except -1 nogil:
    cdef Text *texts = <Text *>shop.texts.data
    cdef Units *units = <Units *>(texts + count + 1)
    cdef Py_ssize_t k
    if rules.char_order == 0:
        return 0
    for k in range(count + 1):
        units[k].data = shop.text.data + texts[k].start
        units[k].count = texts[k].count
        units[k].width = width
    return match_all(shop, units, count, rules.char_order, rows, row_size)


cdef int match_words(const Rules *rules, Workshop *shop, Py_ssize_t count, int64_t *rows,
                     Py_ssize_t row_size) except -1 nogil:
    cdef Text *texts = <Text *>shop.texts.data
    cdef Units *units = <Units *>(texts + count + 1)
    cdef uint64_t odd = secret()
    cdef uint64_t known = slots_needed(texts[0].words)
    cdef uint64_t used = 0
    cdef int32_t given = 0
    cdef Py_ssize_t k
    make_room(&shop.known, known * sizeof(int32_t))
    make_room(&shop.owners, <uint64_t>texts[0].words * sizeof(Span *))
    fill_bytes(shop.known.data, 0, <size_t>known * sizeof(int32_t), &shop.watching)
    for k in range(count + 1):
        texts[k].numbers = used
        used += (<uint64_t>texts[k].words + 2) * sizeof(int32_t)
    make_room(&shop.words, used)
    for k in range(count + 1):
        units[k].data = shop.words.data + texts[k].numbers
        units[k].count = texts[k].words
        units[k].width = 4
        number_words(shop, &texts[k], <Py_ssize_t>known, k == 0, odd, <int32_t *>units[k].data, &given)
        memset(<uint8_t *>units[k].data + 4 * units[k].count, 0, AHEAD)
    return match_all(shop, units, count, rules.word_order, rows, row_size)


# ----------------------------------------------------------------------------------------------------------- the class

SPACES = ("dropped", "kept", "dropped but separators")


cdef class CharacterF:
    """How to count and to score. Immutable, so that threads can share it.

    :param char_order: the largest order of n-grams of characters, from 0
    :param word_order: the same of words
    :param beta: how much more recall weighs than precision; the square of it is finite
    :param space: ``dropped``, ``kept``, or ``dropped but separators``, which keeps U+001C to U+001F
    :param epsilon: the mean of the orders' scores, where nothing is 1e-16, and not that of precisions and recalls
    """

    cdef Rules rules
    cdef readonly int order

    def __init__(self, int char_order, int word_order, beta, str space not None, bint epsilon):
        if char_order < 0 or word_order < 0 or not 0 < char_order + word_order <= MOST_ORDERS:
            raise ValueError("the orders are out of range")
        self.rules.char_order = char_order
        self.rules.word_order = word_order
        self.rules.space = SPACES.index(space)
        self.rules.epsilon = epsilon
        self.rules.factor = float(beta ** 2)
        self.rules.plus = float(1 + beta ** 2)
        self.order = char_order + word_order

    cdef int check(self, RawTexts hypotheses, RawTexts references, const int64_t[::1] sets, Py_ssize_t start,
                   Py_ssize_t stop) except -1:
        cdef Py_ssize_t i
        if not 0 <= start <= stop <= hypotheses.count or sets.shape[0] != hypotheses.count + 1:
            raise ValueError("the segments do not fit")
        for i in range(start, stop):
            if not 0 <= sets[i] < sets[i + 1] <= references.count:
                raise ValueError("a segment has no reference")
        return 0

    def rows(self, RawTexts hypotheses not None, RawTexts references not None, const int64_t[::1] sets,
             Py_ssize_t start, Py_ssize_t stop, int64_t[:, ::1] rows):
        """Write the rows of the segments from `start` to before `stop`.

        :param sets: where the references of each segment begin among the references, and the end
        """
        cdef Workshop shop
        cdef Py_ssize_t i
        self.check(hypotheses, references, sets, start, stop)
        if start == stop:
            return
        if rows.shape[0] != hypotheses.count or rows.shape[1] != 3 * self.order:
            raise ValueError("the rows do not fit the segments")
        make_workshop(&shop)
        try:
            with nogil:
                for i in range(start, stop):
                    count_segment(&self.rules, &shop, &hypotheses.lines[i], &references.lines[sets[i]],
                                  <Py_ssize_t>(sets[i + 1] - sets[i]), &rows[i, 0])
                    watch(&shop.watching, 8)
        finally:
            end_workshop(&shop)

    def sum(self, RawTexts hypotheses not None, RawTexts references not None, const int64_t[::1] sets,
            Py_ssize_t start, Py_ssize_t stop):
        """The sum of these rows as a list."""
        cdef Workshop shop
        cdef int64_t row[ROW]
        cdef int64_t total[ROW]
        cdef Py_ssize_t i
        cdef int n
        self.check(hypotheses, references, sets, start, stop)
        memset(total, 0, sizeof(total))
        make_workshop(&shop)
        try:
            with nogil:
                for i in range(start, stop):
                    count_segment(&self.rules, &shop, &hypotheses.lines[i], &references.lines[sets[i]],
                                  <Py_ssize_t>(sets[i + 1] - sets[i]), row)
                    for n in range(3 * self.order):
                        total[n] += row[n]
                    watch(&shop.watching, 8)
            return as_list(total, 3 * self.order)
        finally:
            end_workshop(&shop)

    def score_rows(self, const int64_t[:, ::1] stats, Py_ssize_t start, double[::1] scores):
        """Write the score of each row from `start` on; the first row that is declined, or the end."""
        cdef Watch watching = begin_watch()
        cdef Py_ssize_t position = start
        cdef bint fits = True
        cdef int n
        if start < 0 or stats.shape[0] != scores.shape[0] or stats.shape[1] != 3 * self.order:
            raise ValueError("the rows do not fit the scores or the orders")
        with nogil:
            while position < stats.shape[0]:
                for n in range(3 * self.order):
                    fits = fits and -LARGEST < stats[position, n] < LARGEST
                if not fits:
                    break
                scores[position] = score_of(&self.rules, &stats[position, 0])
                position += 1
                watch(&watching, 4)
        return position


cdef list as_list(const int64_t *numbers, Py_ssize_t count):
    cdef list listed = []
    cdef Py_ssize_t i
    for i in range(count):
        listed.append(numbers[i])
    return listed


# ----------------------------------------------------------------------------------------------------------- all pairs

cdef class CharacterTexts:
    """Texts, read once, of which every hypothesis is scored against every reference alone. Immutable once made.

    :param measure: how
    :param hypotheses: None for the references themselves
    """

    cdef CharacterF measure
    cdef RawTexts references
    cdef RawTexts hypotheses
    cdef bint each_other
    cdef bint narrow        # the numbers of all characters are bytes, and n-grams of words fit a word of memory
    cdef Workshop shop      # with the texts, the references first; `walk`, `rows` and `table` are of each call

    def __cinit__(self):
        make_workshop(&self.shop)

    def __dealloc__(self):
        end_workshop(&self.shop)

    def __init__(self, CharacterF measure not None, RawTexts references not None, RawTexts hypotheses=None):
        if self.measure is not None:
            raise RuntimeError("texts are read once")
        self.measure = measure
        self.references = references
        self.each_other = hypotheses is None
        self.hypotheses = references if hypotheses is None else hypotheses
        with nogil:
            self.narrow = self.read()

    cdef bint read(self) except -1 nogil:
        """The numbers of all characters and words; 0 where they do not fit."""
        cdef const Rules *rules = &self.measure.rules
        cdef Workshop *shop = &self.shop
        cdef Py_ssize_t count = self.references.count
        cdef Py_ssize_t total = count if self.each_other else count + self.hypotheses.count
        cdef uint64_t used = 0
        cdef Py_ssize_t spans = 0
        cdef uint64_t known
        cdef uint64_t odd = secret()
        cdef int32_t given = 0
        cdef Py_ssize_t i
        cdef const Line *line
        cdef Text *texts
        if rules.char_order > 8 or rules.word_order > 2:
            return False
        make_room(&shop.texts, <uint64_t>total * sizeof(Text))
        texts = <Text *>shop.texts.data
        for i in range(total):
            line = &self.references.lines[i] if i < count else &self.hypotheses.lines[i - count]
            if not read_text(rules, shop, line, 1, True, &used, &spans, &texts[i]):
                return False
        if rules.word_order == 0:
            return True
        known = slots_needed(spans)
        make_room(&shop.known, known * sizeof(int32_t))
        make_room(&shop.owners, <uint64_t>spans * sizeof(Span *))
        fill_bytes(shop.known.data, 0, <size_t>known * sizeof(int32_t), &shop.watching)
        make_room(&shop.words, (<uint64_t>spans + 2 * <uint64_t>total) * sizeof(int32_t))
        used = 0
        for i in range(total):
            texts[i].numbers = used
            number_words(shop, &texts[i], <Py_ssize_t>known, True, odd, <int32_t *>(shop.words.data + used), &given)
            used += <uint64_t>texts[i].words * sizeof(int32_t)
            memset(shop.words.data + used, 0, AHEAD)
            used += AHEAD
        return True

    def fill(self, Py_ssize_t start, Py_ssize_t stop, double[:, ::1] scores):
        """Write the scores of the hypotheses from `start` to before `stop`; `scores[i, j]` is of hypothesis i, reference j.

        Where both are the same texts, a block also writes what mirrors it.
        """
        cdef Workshop shop
        if self.measure is None:
            raise RuntimeError("there are no texts")
        if (scores.shape[0] != self.hypotheses.count or scores.shape[1] != self.references.count
                or not 0 <= start <= stop <= self.hypotheses.count):
            raise ValueError("the scores do not fit the texts")
        make_workshop(&shop)
        try:
            with nogil:
                if self.narrow:
                    self.fill_by_tables(&shop, start, stop, scores)
                else:
                    self.fill_by_segments(&shop, start, stop, scores)
        finally:
            end_workshop(&shop)

    cdef int fill_by_segments(self, Workshop *shop, Py_ssize_t start, Py_ssize_t stop,
                              double[:, ::1] scores) except -1 nogil:
        cdef int64_t row[ROW]
        cdef Py_ssize_t i, j
        for i in range(start, stop):
            for j in range(self.references.count):
                count_segment(&self.measure.rules, shop, &self.hypotheses.lines[i], &self.references.lines[j], 1, row)
                scores[i, j] = score_of(&self.measure.rules, row)
                watch(&shop.watching, 8)
        return 0

    cdef int fill_by_tables(self, Workshop *shop, Py_ssize_t start, Py_ssize_t stop,
                            double[:, ::1] scores) except -1 nogil:
        cdef const Rules *rules = &self.measure.rules
        cdef const Text *texts = <const Text *>self.shop.texts.data
        cdef const Text *hypothesis
        cdef Py_ssize_t count = self.references.count
        cdef Py_ssize_t longest = 0
        cdef Py_ssize_t i, j, first
        cdef Table tables[MOST_ORDERS]
        cdef int64_t matches[MOST_ORDERS]
        for j in range(count):
            longest = max(longest, texts[j].count, texts[j].words)
        make_room(&shop.walk, (2 * <uint64_t>longest + 2) * sizeof(int32_t))
        for i in range(start, stop):
            hypothesis = &texts[i if self.each_other else count + i]
            self.fill_tables(shop, hypothesis, tables)
            first = i if self.each_other else 0
            for j in range(first, count):
                self.match(shop, tables, &texts[j], matches)
                scores[i, j] = score_of_pair(rules, hypothesis, &texts[j], matches)
                if self.each_other and j != i:
                    scores[j, i] = score_of_pair(rules, &texts[j], hypothesis, matches)
                watch(&shop.watching, 8)
        return 0

    cdef Units units_of(self, const Text *text, bint of_words) noexcept nogil:
        cdef Units units
        units.data = self.shop.words.data + text.numbers if of_words else self.shop.text.data + text.start
        units.count = text.words if of_words else text.count
        units.width = 4 if of_words else 1
        return units

    cdef int fill_tables(self, Workshop *shop, const Text *text, Table *tables) except -1 nogil:
        """The n-grams of a hypothesis, of all orders."""
        cdef const Rules *rules = &self.measure.rules
        cdef Units characters = self.units_of(text, False)
        cdef Units words = self.units_of(text, True)
        cdef uint64_t odd = secret()
        cdef uint64_t used = 0
        cdef int n
        make_room(&shop.table, <uint64_t>rules.char_order * table_size(characters.count, 1)
                  + <uint64_t>rules.word_order * table_size(words.count, 1))
        for n in range(rules.char_order):
            fill_table(&tables[n], shop.table.data + used, &characters, n + 1, odd, &shop.watching)
            used += table_size(characters.count, n + 1)
        for n in range(rules.word_order):
            fill_table(&tables[rules.char_order + n], shop.table.data + used, &words, n + 1, odd, &shop.watching)
            used += table_size(words.count, n + 1)
        return 0

    cdef int match(self, Workshop *shop, Table *tables, const Text *text, int64_t *matches) except -1 nogil:
        cdef const Rules *rules = &self.measure.rules
        cdef Units units = self.units_of(text, False)
        cdef uint64_t odd = secret()
        cdef Walk walk
        cdef int n
        if rules.char_order > 0:
            begin_walk(&walk, <int32_t *>shop.walk.data, units.count)
        for n in range(rules.char_order):
            matches[n] = take(&tables[n], &units, n + 1, &walk, True, odd, &shop.watching)
        if rules.word_order > 0:
            units = self.units_of(text, True)
            begin_walk(&walk, <int32_t *>shop.walk.data, units.count)
        for n in range(rules.word_order):
            matches[rules.char_order + n] = take(&tables[rules.char_order + n], &units, n + 1, &walk, True, odd,
                                                 &shop.watching)
        return 0


cdef double score_of_pair(const Rules *rules, const Text *hypothesis, const Text *reference,
                          const int64_t *matches) noexcept nogil:
    cdef int64_t row[ROW]
    cdef int n
    for n in range(rules.char_order):
        row[3 * n + 1] = ngrams_of(reference.count, n + 1)
        row[3 * n] = ngrams_of(hypothesis.count, n + 1) if row[3 * n + 1] > 0 else 0
        row[3 * n + 2] = matches[n]
    for n in range(rules.char_order, rules.char_order + rules.word_order):
        row[3 * n + 1] = ngrams_of(reference.words, n - rules.char_order + 1)
        row[3 * n] = ngrams_of(hypothesis.words, n - rules.char_order + 1) if row[3 * n + 1] > 0 else 0
        row[3 * n + 2] = matches[n]
    return score_of(rules, row)
