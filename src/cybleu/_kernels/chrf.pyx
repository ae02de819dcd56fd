# cython: freethreading_compatible=True
"""chrF: the n-grams of characters, and for chrF+ and chrF++ of words, that a hypothesis and one reference share.

The characters of a segment get numbers of their own, and so do its words, with 0 for those that the hypothesis does
not have. An n-gram that is repeated in the hypothesis gets a number, too, and the longer one is told by this number and
that of its last character: most often that is a cell of a small table, and nothing is searched for.

An n-gram that stands once in the hypothesis stands there when it is longer. So a position of the reference with such an
n-gram needs no more tables: one comparison of 8 bytes says up to which order it goes on to match. Of repeated ones each
n-gram of the reference takes one of the hypothesis that nothing has taken yet. Where an n-gram has no match no longer
one can begin, so the work falls with the order as the matches do.
"""

from libc.stdint cimport int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free, realloc
from libc.string cimport memcmp, memset

from cybleu._kernels.common cimport CYBLEU_UNLIKELY, allocated
from cybleu._kernels.interrupts cimport Watch, begin_watch, fill_bytes, watch
from cybleu._kernels.raw cimport RawTexts
from cybleu._kernels.tables cimport cybleu_place
from cybleu._kernels.tokenizing cimport Line
from cybleu._kernels.tokens cimport secret, slots_needed

cdef extern from "Python.h":
    Py_ssize_t PY_SSIZE_T_MAX

cdef extern from *:
    """
    /* How many bytes of 8 are equal before the first that is not. */
    static CYTHON_INLINE int cybleu_alike(const uint8_t *one, const uint8_t *other) {
    #if defined(__GNUC__) && defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__    /* clang, too */
        uint64_t first, second;
        memcpy(&first, one, 8);
        memcpy(&second, other, 8);
        first ^= second;
        return (__builtin_ctzll(first | 1ULL << 63) >> 3) + (first == 0);
    #else
        int equal = 0;
        while (equal < 8 && one[equal] == other[equal]) equal++;
        return equal;
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
        for (piece = 0; size > 0;)
            piece = piece << 8 | text[--size];
        mixed = (mixed ^ piece) * odd;
        mixed = (mixed ^ mixed >> 32) * odd;
        return mixed ^ mixed >> 29;
    }

    static CYTHON_INLINE double cybleu_ratio(int64_t part, int64_t whole) {
        return (double)part / (double)whole;
    }
    """
    uint64_t hash_word "cybleu_hash_word" (const uint8_t *text, Py_ssize_t size, uint64_t odd) noexcept nogil
    int alike "cybleu_alike" (const uint8_t *one, const uint8_t *other) noexcept nogil
    double ratio "cybleu_ratio" (int64_t part, int64_t whole) noexcept nogil

cdef enum:
    LOW = 0x2070            # characters that need no memory of their own: up to the general punctuation
    CODE_POINTS = 0x110000
    MOST_NARROW = 254       # different characters whose numbers are bytes; no n-gram of them is FREE
    MOST_UNITS = 0x3FFFFFFF     # positions are 32 bits
    MOST_OF_A_KIND = 64     # orders
    MOST_ORDERS = 128
    ROW = 384               # 3 * MOST_ORDERS
    PIECE = 4096            # n-grams between two looks for an interrupt
    MOST_CELLS = 0x3FFFFFFF     # places are 32 bits
    FEW_CELLS = 1024
    MANY_CELLS = 16384
    AHEAD = 8               # bytes after a text that can be read
    CHANGES = 66            # of most orders of either kind, none, and one more
    LEFT_OUT = -1
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
    if size > buffer.room or buffer.data == NULL:
        size = max(size, 2 * <uint64_t>buffer.room, <uint64_t>64)
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


# A text in numbers, of one byte or of four, from 1 on, 0 for what the hypothesis does not have, and AHEAD bytes of no
# number.
cdef struct Units:
    const uint8_t *data
    Py_ssize_t count
    int width
    int32_t different   # the largest number


# ------------------------------------------------------------------------------------------------------------- n-grams

# An n-gram of the hypothesis.
cdef struct Mark:
    int32_t left        # of a repeated one how many nothing has taken, less one; or the longest match, 0 for none
    int32_t position    # where it stands; NAMED less its number where it is repeated; NOWHERE where there is none

cdef enum:
    NOWHERE = -1
    NAMED = -2


# Of one order: the n-grams that are repeated in the order before, by their number and the last unit.
cdef struct Table:
    Mark *marks
    uint64_t *keys      # open addressing; NULL where each pair has a cell
    int64_t width       # of cells
    int shift
    uint64_t last       # the number of slots, less one
    Py_ssize_t count    # of n-grams in it


# Where n-grams begin that are repeated in the hypothesis, and the numbers of these.
cdef struct Positions:
    int32_t *at
    int32_t *names
    Py_ssize_t count


cdef inline int32_t unit_at(const Units *text, int32_t position) noexcept nogil:
    return text.data[position] if text.width == 1 else (<const int32_t *>text.data)[position]


cdef inline uint64_t place_of_key(const Table *table, uint64_t key, uint64_t odd) noexcept nogil:
    """The slot of the n-gram, or the free one where it would be."""
    cdef uint64_t place = cybleu_place(<int64_t>key, odd, table.shift)
    while CYBLEU_UNLIKELY((table.keys[place] != key) & (table.keys[place] != FREE)):
        place = (place + 1) & table.last
    return place


cdef inline uint64_t key_of(int32_t name, int32_t unit) noexcept nogil:
    return <uint64_t>name << 32 | <uint64_t>unit


cdef uint64_t cells_of(Py_ssize_t count, int32_t names, int32_t different, bint often) noexcept nogil:
    """How many cells a table has in which each pair has one; 0 where that would be too many.

    :param often: the table is asked of many texts
    """
    cdef uint64_t cells = <uint64_t>names * (<uint64_t>different + 1)
    cdef uint64_t most = 16 * <uint64_t>count + <uint64_t>(MANY_CELLS if often else FEW_CELLS)
    return cells if cells <= most and cells <= <uint64_t>MOST_CELLS else 0


cdef uint64_t table_size(Py_ssize_t count, int32_t names, int32_t different, bint often) noexcept nogil:
    """The bytes of a table."""
    cdef uint64_t cells = cells_of(count, names, different, often)
    return cells * sizeof(Mark) if cells > 0 else slots_needed(count) * (sizeof(Mark) + sizeof(uint64_t))


cdef int fill_table(Table *table, void *memory, const Units *text, int n, Positions *from_, int32_t *names,
                    int32_t *places, bint often, uint64_t odd, Watch *watching) except -1 nogil:
    """The n-grams of a text that begin at these positions; those of repeated ones stay, and get numbers.

    :param memory: `table_size` bytes
    :param names: how many numbers there are
    :param places: memory for as many numbers
    """
    cdef int32_t *at = from_.at
    cdef Py_ssize_t kept = 0
    cdef Py_ssize_t start, stop, i
    cdef uint64_t size
    cdef uint64_t place
    cdef uint64_t key
    cdef int32_t given = 0
    cdef int32_t repeated, fresh, name
    cdef Mark *mark
    table.count = from_.count
    if table.count == 0:
        return 0
    table.width = <int64_t>text.different + 1
    table.marks = <Mark *>memory
    table.keys = NULL
    size = cells_of(table.count, names[0], text.different, often)
    if size == 0:
        size = slots_needed(table.count)
        table.keys = <uint64_t *>memory
        table.marks = <Mark *>(table.keys + size)
        table.last = size - 1
        table.shift = 64
        while table.last >> (64 - table.shift):
            table.shift -= 1
        fill_bytes(table.keys, 0xFF, <size_t>size * sizeof(uint64_t), watching)
    fill_bytes(table.marks, 0xFF, <size_t>size * sizeof(Mark), watching)
    start = 0
    while start < table.count:
        stop = min(start + PIECE, table.count)
        for i in range(start, stop):
            if table.keys == NULL:
                place = <uint64_t>(from_.names[i] * table.width + unit_at(text, at[i] + n - 1))
            else:
                key = key_of(from_.names[i], unit_at(text, at[i] + n - 1))
                place = place_of_key(table, key, odd)
                table.keys[place] = key
            mark = &table.marks[place]
            mark.left += 1
            mark.position = at[i]
            places[i] = <int32_t>place
        watch(watching, (stop - start) >> 2)
        start = stop
    start = 0
    while start < table.count:
        stop = min(start + PIECE, table.count)
        for i in range(start, stop):
            mark = &table.marks[places[i]]
            repeated = mark.left > 0
            fresh = -(repeated & <int32_t>(mark.position >= 0))
            name = NAMED - given
            mark.position = (name & fresh) | (mark.position & ~fresh)
            given -= fresh
            at[kept] = at[i]
            from_.names[kept] = NAMED - mark.position
            kept += repeated & <int32_t>(at[i] + n < text.count)
        watch(watching, (stop - start) >> 3)
        start = stop
    from_.count = kept
    names[0] = given
    return 0


cdef int32_t alike_from(const Units *one, int32_t position, const Units *other, int32_t place,
                        int32_t most) noexcept nogil:
    """How many units are equal from there on."""
    cdef int32_t equal = 0
    while equal < most and unit_at(one, position + equal) == unit_at(other, place + equal):
        equal += 1
    return equal


cdef int take(Table *table, const Units *hypothesis, const Units *text, int n, int order, Positions *from_,
              int32_t *taken, int64_t *changes, uint64_t odd, Watch *watching) except -1 nogil:
    """Add the matches of the n-grams of the table, and of longer ones that need none; the table is as before then.

    :param from_: of the reference, from the order before; of this one after
    :param taken: memory for as many numbers
    :param changes: from order to order the change of the number of matches, from 0 on
    """
    cdef int32_t *at = from_.at
    cdef Py_ssize_t kept = 0
    cdef Py_ssize_t hits = 0
    cdef Py_ssize_t count = from_.count if table.count > 0 else 0
    cdef Py_ssize_t start, stop, i
    cdef uint64_t place
    cdef int shift = 0 if text.width == 1 else 2
    cdef int32_t per = 8 >> shift
    cdef int32_t last = <int32_t>text.count
    cdef int32_t position, once, repeated, longest, hit, left, most, more
    cdef Mark *mark
    start = 0
    while start < count:
        stop = min(start + PIECE, count)
        for i in range(start, stop):
            position = at[i]
            if table.keys == NULL:
                place = <uint64_t>(from_.names[i] * table.width + unit_at(text, position + n - 1))
            else:
                place = place_of_key(table, key_of(from_.names[i], unit_at(text, position + n - 1)), odd)
            mark = &table.marks[place]
            # all by arithmetic: whether an n-gram has a match is a coin toss for the processor
            once = mark.position >= 0
            repeated = mark.position < NOWHERE
            left = mark.left
            longest = alike(hypothesis.data + (<Py_ssize_t>(mark.position & -once) << shift),
                            text.data + (<Py_ssize_t>position << shift)) >> shift
            most = last - position
            most += (order - most) & -<int32_t>(order < most)
            if CYBLEU_UNLIKELY(longest == per and most > per) and once:
                longest = alike_from(hypothesis, mark.position, text, position, most)
            longest += (most - longest) & -<int32_t>(most < longest)
            more = -(once & <int32_t>(longest > left))
            hit = (once & <int32_t>(left == 0)) | (repeated & <int32_t>(left >= 0))
            mark.left = (longest & more) | ((left - (hit & repeated)) & ~more)
            taken[hits] = <int32_t>place
            hits += hit
            at[kept] = position
            from_.names[kept] = NAMED - mark.position
            kept += repeated & <int32_t>(position + n < last)
        watch(watching, (stop - start) >> 2)
        start = stop
    from_.count = kept
    changes[n] += hits
    start = 0
    while start < hits:
        stop = min(start + PIECE, hits)
        for i in range(start, stop):
            mark = &table.marks[taken[i]]
            once = -<int32_t>(mark.position >= 0)
            changes[((mark.left + 1) & once) | ((n + 1) & ~once)] -= 1
            mark.left = (mark.left + 1) & ~once
        watch(watching, (stop - start) >> 3)
        start = stop
    return 0


cdef void all_of(Positions *positions, int32_t *memory, Py_ssize_t count) noexcept nogil:
    """All positions of a text, in memory for twice as many numbers and two."""
    cdef Py_ssize_t i
    positions.at = memory
    positions.names = memory + count + 1
    positions.count = count
    for i in range(count):
        memory[i] = <int32_t>i
    memset(positions.names, 0, <size_t>count * sizeof(int32_t))


cdef void all_pairs(Positions *positions, int32_t *memory, const Units *text) noexcept nogil:
    """The same as if all units were repeated, for those of one byte: the next order is the second."""
    cdef Py_ssize_t i
    all_of(positions, memory, text.count)
    positions.count = text.count - 1 if text.count > 0 else 0
    for i in range(positions.count):
        positions.names[i] = text.data[i]


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
    int32_t low[LOW]            # character -> number, 0 where it has none, LEFT_OUT of white space that does not count
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
    int space                   # what becomes of white space


cdef struct Text:
    uint64_t start              # in `text`
    Py_ssize_t count            # of its characters
    Py_ssize_t spans            # its first word in `spans`
    Py_ssize_t words            # how many it has
    uint64_t numbers            # in `words`
    Py_ssize_t histogram        # of its characters


cdef struct Span:
    uint64_t start              # in `text`
    Py_ssize_t size             # in bytes


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
    cdef Py_ssize_t unit = 0        # and among the numbers
    cdef Py_ssize_t stop, i
    cdef uint32_t code
    cdef int32_t *place
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
            if CYBLEU_UNLIKELY(place[0] == 0) and adds:
                if shop.different == MOST_NARROW:
                    return -1
                place[0] = add_code(shop, code)
            to[count] = <uint8_t>place[0]
            count += place[0] >= 0
            if spans != NULL and place[0] < 0:
                if count > unit:
                    add_word(shop, spans, first + <uint64_t>unit, count - unit, 1, is_punctuation(text[word]),
                             is_punctuation(text[i - 1]))
                    unit = count
                word = i + 1
        watch(&shop.watching, (stop - start) >> 3)
        start = stop
    if spans != NULL and count > unit:
        add_word(shop, spans, first + <uint64_t>unit, count - unit, 1, is_punctuation(text[word]),
                 is_punctuation(text[size - 1]))
    return count


cdef int read_text(const Rules *rules, Workshop *shop, const Line *line, int width, bint adds, uint64_t *used,
                   Py_ssize_t *spans, Text *text) except -1 nogil:
    """Append the numbers of the characters of a line, and its words; 0 where numbers of one byte do not suffice.

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
                number = place[0] = add_code(shop, code)
            if width == 1:
                narrow[count] = <uint8_t>number
            else:
                wide[count] = number
            count += 1
        watch(&shop.watching, PIECE >> 3 if stop < line.size else (stop & (PIECE - 1)) >> 3)
    if words and word >= 0:
        add_word(shop, spans, text.start + <uint64_t>(word * width), count - word, width, is_punctuation(first),
                 is_punctuation(last))
    memset(narrow + count * width, 0xFF, AHEAD)
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

cdef int match_all(Workshop *shop, const Units *texts, Py_ssize_t count, int order, int64_t *rows,
                   Py_ssize_t row_size) except -1 nogil:
    """Write counts and matches of the hypothesis, the first text, with each of the others, three numbers an order."""
    cdef const Units *hypothesis = texts
    cdef uint64_t odd = secret()
    cdef int64_t *changes
    cdef Positions *positions
    cdef Positions from_
    cdef Table table
    cdef int64_t *row
    cdef int32_t *memory
    cdef int32_t *places
    cdef uint64_t needed = 0
    cdef int32_t names = 1
    cdef Py_ssize_t most = hypothesis.count
    cdef Py_ssize_t k
    cdef int n
    for k in range(1, count + 1):
        row = rows + (k - 1) * row_size
        for n in range(order):
            row[3 * n + 1] = ngrams_of(texts[k].count, n + 1)
            row[3 * n] = ngrams_of(hypothesis.count, n + 1) if row[3 * n + 1] > 0 else 0
            row[3 * n + 2] = 0
    for k in range(count + 1):
        needed += 2 * <uint64_t>texts[k].count + 2
        most = max(most, texts[k].count)
    make_room(&shop.walk, <uint64_t>count * (sizeof(Positions) + CHANGES * sizeof(int64_t))
              + (needed + <uint64_t>most + 1) * sizeof(int32_t))
    positions = <Positions *>shop.walk.data
    changes = <int64_t *>(positions + count)
    memset(changes, 0, <size_t>count * CHANGES * sizeof(int64_t))
    places = <int32_t *>(changes + count * CHANGES)
    memory = places + most + 1
    all_of(&from_, memory, hypothesis.count)
    memory += 2 * hypothesis.count + 2
    for k in range(count):
        all_of(&positions[k], memory, texts[k + 1].count)
        memory += 2 * texts[k + 1].count + 2
        watch(&shop.watching, texts[k + 1].count >> 4)
    for n in range(1, order + 1):
        if from_.count == 0:
            break
        make_room(&shop.table, table_size(from_.count, names, hypothesis.different, False))
        fill_table(&table, shop.table.data, hypothesis, n, &from_, &names, places, False, odd,
                   &shop.watching)
        for k in range(count):
            take(&table, hypothesis, &texts[k + 1], n, order, &positions[k], places, changes + k * CHANGES, odd,
                 &shop.watching)
    for k in range(count):
        add_up(changes + k * CHANGES, order, rows + k * row_size)
    return 0


cdef void add_up(const int64_t *changes, int order, int64_t *row) noexcept nogil:
    """Write the matches, each third number of a row."""
    cdef int64_t matches = 0
    cdef int n
    for n in range(order):
        matches += changes[n + 1]
        row[3 * n + 2] = matches


cdef int count_segment(const Rules *rules, Workshop *shop, const Line *hypothesis, const Line *references,
                       Py_ssize_t count, int64_t *row) except -1 nogil:
    """Write the row of the reference with the best score, the first of equal ones; there is at least one."""
    cdef int order = rules.char_order + rules.word_order
    cdef int width = 1
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
        units[k].different = shop.different
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
        units[k].different = given
        memset(<uint8_t *>units[k].data + 4 * units[k].count, 0xFF, AHEAD)
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
        if (not 0 <= char_order <= MOST_OF_A_KIND or not 0 <= word_order <= MOST_OF_A_KIND
                or char_order + word_order == 0):
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
        make_workshop(&shop, self.rules.space)
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
        make_workshop(&shop, self.rules.space)
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
    cdef bint narrow        # the numbers of all characters are bytes
    cdef int32_t words      # different ones
    cdef int32_t *counts    # of each character in each text
    cdef Workshop shop      # with the texts, the references first; `walk`, `rows` and `table` are of each call

    def __cinit__(self):
        self.counts = NULL
        make_workshop(&self.shop, DROPPED)

    def __dealloc__(self):
        end_workshop(&self.shop)
        free(self.counts)

    def __init__(self, CharacterF measure not None, RawTexts references not None, RawTexts hypotheses=None):
        if self.measure is not None:
            raise RuntimeError("texts are read once")
        self.measure = measure
        self.references = references
        self.each_other = hypotheses is None
        self.hypotheses = references if hypotheses is None else hypotheses
        make_workshop(&self.shop, measure.rules.space)
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
        make_room(&shop.texts, <uint64_t>total * sizeof(Text))
        texts = <Text *>shop.texts.data
        for i in range(total):
            line = &self.references.lines[i] if i < count else &self.hypotheses.lines[i - count]
            if not read_text(rules, shop, line, 1, True, &used, &spans, &texts[i]):
                return False
        self.count_characters(texts, total)
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
            memset(shop.words.data + used, 0xFF, AHEAD)
            used += AHEAD
        self.words = given
        return True

    cdef int count_characters(self, Text *texts, Py_ssize_t total) except -1 nogil:
        cdef Py_ssize_t size = self.shop.different + 1
        cdef const uint8_t *data
        cdef int32_t *counts
        cdef Py_ssize_t i, k
        self.counts = <int32_t *>allocated(calloc(<size_t>total * <size_t>size + 1, sizeof(int32_t)))
        for i in range(total):
            texts[i].histogram = i * size
            counts = self.counts + i * size
            data = self.shop.text.data + texts[i].start
            for k in range(texts[i].count):
                counts[data[k]] += 1
            watch(&self.shop.watching, texts[i].count >> 3)
        return 0

    def fill(self, Py_ssize_t start, Py_ssize_t stop, double[:, ::1] scores):
        """Write the scores of the hypotheses from `start` to before `stop`; `scores[i, j]` has text i, and reference j.

        Where both are the same texts, a block also writes what mirrors it.
        """
        cdef Workshop shop
        if self.measure is None:
            raise RuntimeError("there are no texts")
        if (scores.shape[0] != self.hypotheses.count or scores.shape[1] != self.references.count
                or not 0 <= start <= stop <= self.hypotheses.count):
            raise ValueError("the scores do not fit the texts")
        make_workshop(&shop, self.measure.rules.space)
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
        for i in range(start, stop):
            hypothesis = &texts[i if self.each_other else count + i]
            longest = max(longest, hypothesis.count, hypothesis.words)
        make_room(&shop.walk, (3 * <uint64_t>longest + 3) * sizeof(int32_t))
        for i in range(start, stop):
            hypothesis = &texts[i if self.each_other else count + i]
            self.fill_tables(shop, hypothesis, tables)
            first = i if self.each_other else 0
            for j in range(first, count):
                self.match(shop, hypothesis, tables, &texts[j], matches)
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
        units.different = self.words if of_words else self.shop.different
        return units

    cdef int fill_tables(self, Workshop *shop, const Text *text, Table *tables) except -1 nogil:
        """The n-grams of a hypothesis, of all orders."""
        cdef const Rules *rules = &self.measure.rules
        cdef uint64_t starts[MOST_ORDERS]
        cdef uint64_t used = 0
        cdef int n
        if rules.char_order > 0:
            self.fill_tables_of(shop, self.units_of(text, False), rules.char_order, tables, starts, &used)
        if rules.word_order > 0:
            self.fill_tables_of(shop, self.units_of(text, True), rules.word_order, tables + rules.char_order,
                                starts + rules.char_order, &used)
        for n in range(rules.char_order + rules.word_order):    # the memory may have moved meanwhile
            if tables[n].count > 0:
                tables[n].marks = <Mark *>(shop.table.data + starts[n])
                if tables[n].keys != NULL:
                    tables[n].keys = <uint64_t *>tables[n].marks
                    tables[n].marks = <Mark *>(tables[n].keys + tables[n].last + 1)
        return 0

    cdef int fill_tables_of(self, Workshop *shop, Units units, int order, Table *tables, uint64_t *starts,
                            uint64_t *used) except -1 nogil:
        cdef Positions positions
        cdef int32_t *memory = <int32_t *>shop.walk.data
        cdef uint64_t odd = secret()
        cdef uint64_t size
        cdef int32_t names = 1
        cdef int n
        cdef int first = 0
        if units.width == 1:
            # single characters are counted apart, because there are few different ones
            first = 1
            tables[0].count = 0
            names = units.different + 1
            all_pairs(&positions, memory, &units)
        else:
            all_of(&positions, memory, units.count)
        for n in range(first, order):
            starts[n] = used[0]
            size = table_size(positions.count, names, units.different, True)
            make_room(&shop.table, used[0] + size)
            used[0] += size
            fill_table(&tables[n], shop.table.data + starts[n], &units, n + 1, &positions, &names,
                       memory + 2 * units.count + 2, True, odd, &shop.watching)
        return 0

    cdef int match(self, Workshop *shop, const Text *hypothesis, Table *tables, const Text *text,
                   int64_t *matches) except -1 nogil:
        cdef const Rules *rules = &self.measure.rules
        if rules.char_order > 0:
            self.match_units(shop, self.units_of(hypothesis, False), tables, self.units_of(text, False),
                             rules.char_order, matches)
            matches[0] = shared(self.counts + hypothesis.histogram, self.counts + text.histogram,
                                self.shop.different + 1)
        if rules.word_order > 0:
            self.match_units(shop, self.units_of(hypothesis, True), tables + rules.char_order,
                             self.units_of(text, True), rules.word_order, matches + rules.char_order)
        return 0

    cdef int match_units(self, Workshop *shop, Units hypothesis, Table *tables, Units text, int order,
                         int64_t *matches) except -1 nogil:
        cdef int64_t changes[CHANGES]
        cdef Positions positions
        cdef int32_t *memory = <int32_t *>shop.walk.data
        cdef uint64_t odd = secret()
        cdef int64_t total = 0
        cdef int n
        cdef int first = 0
        memset(changes, 0, sizeof(changes))
        if text.width == 1:
            first = min(1, order)
            all_pairs(&positions, memory, &text)
        else:
            all_of(&positions, memory, text.count)
        for n in range(first, order):
            if positions.count == 0 or tables[n].count == 0:
                break
            take(&tables[n], &hypothesis, &text, n + 1, order, &positions, memory + 2 * text.count + 2, changes, odd,
                 &shop.watching)
        for n in range(order):
            total += changes[n + 1]
            matches[n] = total
        return 0


cdef int64_t shared(const int32_t *one, const int32_t *other, Py_ssize_t size) noexcept nogil:
    """The sum of the smaller ones."""
    cdef int64_t total = 0
    cdef Py_ssize_t i
    for i in range(size):
        total += one[i] if one[i] < other[i] else other[i]
    return total


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
