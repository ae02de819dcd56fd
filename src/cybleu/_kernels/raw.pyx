# cython: freethreading_compatible=True
"""Raw text: lines of any kind to the counts of segments, and to numbers of tokens, without a Python object for a token.

A short segment is counted as in `segments.pyx`: the tokens of the hypothesis get numbers of their own, and positions are
bits of a word. A table is needed only where a text has more than 64 tokens, and for numbers that many texts share.
"""

from cpython.bytes cimport PyBytes_FromStringAndSize
from cpython.object cimport PyObject
from libc.stdint cimport int32_t, int64_t, uint8_t, uint64_t
from libc.stdlib cimport calloc, free, malloc, realloc
from libc.string cimport memchr, memcmp, memcpy, memset

from cybleu._kernels.common cimport CYBLEU_UNLIKELY, distance
from cybleu._kernels.interrupts cimport Watch, begin_watch, fill_bytes, watch
from cybleu._kernels.keys cimport CYBLEU_UNDECIDED, cybleu_key, cybleu_long_text, cybleu_short_text, cybleu_slot_of
from cybleu._kernels.ngrams cimport (
    END, MASK_BITS, MaskMatcher, add_reference_masks, begin_masks, finish_masks, match_by_interning, match_memory
)
from cybleu._kernels.tokenizing cimport IN_UTF8, Line, Scanner, Token, Tokenizer, end_scanner, line_of, make_scanner
from cybleu._kernels.tokens cimport secret

from cybleu.errors import NotUtf8Error

cdef extern from "Python.h":
    Py_ssize_t PY_SSIZE_T_MAX

cdef extern from *:
    """
    static CYTHON_INLINE uint64_t cybleu_hash_bytes(const uint8_t *text, Py_ssize_t length, uint64_t odd) {
        uint64_t mixed = (uint64_t)length * odd, piece = 0;
        for (; length > 8; text += 8, length -= 8) {
            memcpy(&piece, text, 8);
            mixed = (mixed ^ piece) * odd;
            mixed ^= mixed >> 32;
        }
        for (piece = 0; length > 0;)
            piece = piece << 8 | text[--length];
        mixed = (mixed ^ piece) * odd;
        mixed = (mixed ^ mixed >> 32) * odd;
        return mixed ^ mixed >> 29;
    }
    """
    uint64_t hash_of "cybleu_hash_bytes" (const uint8_t *text, Py_ssize_t length, uint64_t odd) noexcept nogil

cdef enum:
    FEW_SLOTS = 512
    FEW_NUMBERS = 66        # nobody, those of MASK_BITS tokens, and one place to write ahead
    MANY = 65               # tokens, one more than the masks have bits for
    MOST_TOKENS = 0x3FFFFFFF    # of a segment, or in one table: positions and numbers are 32 bits
    ARENA = 65536

# Which of the lengths of several references counts.
cdef enum:
    CLOSEST
    SHORTEST
    AVERAGE


# --------------------------------------------------------------------------------------------------------------- lines

cdef const uint8_t *first_invalid(const uint8_t *at, const uint8_t *end, Watch *watching) except? NULL nogil:
    """The first byte of what is not UTF-8, or the end."""
    cdef const uint8_t *looked = at
    cdef uint64_t word
    cdef uint8_t low, high
    cdef Py_ssize_t more, i
    while at < end:
        if distance(looked, at) > 65536:
            watch(watching, 8192)
            looked = at
        if at[0] < 0x80:
            if distance(at, end) >= 8:
                memcpy(&word, at, 8)
                at += 1 if word & <uint64_t>0x8080808080808080 else 8
            else:
                at += 1
            continue
        low, high = 0x80, 0xBF
        if 0xC2 <= at[0] <= 0xDF:
            more = 1
        elif 0xE0 <= at[0] <= 0xEF:
            more = 2
            if at[0] == 0xE0:
                low = 0xA0
            elif at[0] == 0xED:
                high = 0x9F
        elif 0xF0 <= at[0] <= 0xF4:
            more = 3
            if at[0] == 0xF0:
                low = 0x90
            elif at[0] == 0xF4:
                high = 0x8F
        else:
            return at
        if distance(at, end) <= more or not low <= at[1] <= high:
            return at
        for i in range(2, more + 1):
            if at[i] & 0xC0 != 0x80:
                return at
        at += more + 1
    return end


cdef class RawTexts:
    """Lines in place, held as long as this is. Immutable.

    :param lines: a list or tuple of exact str or bytes
    :raises NotUtf8Error: bytes are not UTF-8
    """

    cdef Line *lines
    cdef readonly Py_ssize_t count
    cdef readonly Py_ssize_t size       # of all of them, in characters or bytes
    cdef object held

    def __cinit__(self, lines=()):
        cdef Watch watching = begin_watch()
        cdef const uint8_t *start
        cdef const uint8_t *found
        cdef Py_ssize_t i
        self.lines = NULL
        self.count = self.size = 0
        if type(lines) is not list and type(lines) is not tuple:
            raise TypeError("the lines must be a list or a tuple")
        self.held = lines = tuple(lines)
        self.lines = <Line *>malloc((<size_t>len(lines) + 1) * sizeof(Line))
        if self.lines == NULL:
            raise MemoryError()
        for i in range(len(lines)):
            line_of(<PyObject *>(<tuple>lines)[i], &self.lines[i])
            self.size += self.lines[i].size
            watch(&watching, 1)
            if type((<tuple>lines)[i]) is bytes:
                start = <const uint8_t *>self.lines[i].data
                found = first_invalid(start, start + self.lines[i].size, &watching)
                if found != start + self.lines[i].size:
                    raise NotUtf8Error(i, distance(start, found), found[0])
        self.count = len(lines)

    def __dealloc__(self):
        free(self.lines)

    def __len__(self):
        return self.count

    @staticmethod
    def of_block(bytes block not None):
        """The lines of a block of bytes: each ends at LF, and a CR before it is dropped; the last one needs no LF."""
        cdef RawTexts texts = RawTexts()
        cdef Watch watching = begin_watch()
        cdef const uint8_t *start = block
        cdef const uint8_t *at = start
        cdef const uint8_t *end = start + len(block)
        cdef const uint8_t *stop
        cdef const uint8_t *found
        cdef Py_ssize_t room = 0
        cdef Py_ssize_t count = 0
        cdef Line *larger
        texts.held = block
        found = first_invalid(at, end, &watching)
        while at < end:
            watch(&watching, 1)
            stop = <const uint8_t *>memchr(at, c"\n", <size_t>distance(at, end))
            if stop == NULL:
                stop = end
            if found < stop:
                raise NotUtf8Error(count, distance(at, found), found[0])
            if count == room:
                room = 2 * room + 64
                larger = <Line *>realloc(texts.lines, <size_t>room * sizeof(Line))
                if larger == NULL:
                    raise MemoryError()
                texts.lines = larger
            texts.lines[count].data = at
            texts.lines[count].size = distance(at, stop) - (stop > at and (stop - 1)[0] == c"\r")
            texts.lines[count].kind = IN_UTF8
            count += 1
            at = stop + 1
        texts.count = count
        texts.size = len(block)
        return texts

    @staticmethod
    def of_places(bytes block not None, const int64_t[::1] begins, const int64_t[::1] ends):
        """The texts from `begins` to before `ends` in a block of bytes."""
        cdef RawTexts texts = RawTexts()
        cdef Watch watching = begin_watch()
        cdef const uint8_t *start = block
        cdef const uint8_t *found
        cdef Py_ssize_t i
        texts.held = block
        texts.lines = <Line *>realloc(texts.lines, (<size_t>begins.shape[0] + 1) * sizeof(Line))
        if texts.lines == NULL:
            raise MemoryError()
        for i in range(begins.shape[0]):
            if ends.shape[0] != begins.shape[0] or not 0 <= begins[i] <= ends[i] <= len(block):
                raise ValueError("a text is out of range")
            found = first_invalid(start + begins[i], start + ends[i], &watching)
            if found != start + ends[i]:
                raise NotUtf8Error(i, distance(start + begins[i], found), found[0])
            texts.lines[i].data = start + begins[i]
            texts.lines[i].size = <Py_ssize_t>(ends[i] - begins[i])
            texts.lines[i].kind = IN_UTF8
            texts.size += texts.lines[i].size
        texts.count = begins.shape[0]
        return texts

    @staticmethod
    def side_by_side(list parts not None, list starts not None, Py_ssize_t count):
        """The first line of each part from its start on, then the second line of each, until there are `count` of each."""
        cdef RawTexts texts = RawTexts()
        cdef RawTexts part
        cdef Py_ssize_t width = len(parts)
        cdef Py_ssize_t start, i, k
        texts.held = tuple(parts)
        texts.lines = <Line *>realloc(texts.lines, (<size_t>width * <size_t>count + 1) * sizeof(Line))
        if texts.lines == NULL:
            raise MemoryError()
        for k in range(width):
            part = parts[k]
            start = starts[k]
            if not 0 <= start <= part.count - count:
                raise ValueError("a part has not as many lines")
            for i in range(count):
                texts.lines[i * width + k] = part.lines[start + i]
                texts.size += part.lines[start + i].size
        texts.count = width * count
        return texts


# ---------------------------------------------------------------------------------------------------------- few tokens
#
# As in `tokens.pyx`, for tokens that are bytes. That the hash is no secret does not matter among so few.

cdef struct FewTokens:
    uint8_t slots[FEW_SLOTS]
    int shift
    uint64_t first[FEW_NUMBERS]
    uint64_t second[FEW_NUMBERS]
    Token tokens[FEW_NUMBERS]
    int size


cdef inline cybleu_key key_of(const Token *token) noexcept nogil:
    cdef cybleu_key key
    if CYBLEU_UNLIKELY(token.size >= 16):
        cybleu_long_text(<const char *>token.text, <size_t>token.size, &key)
    else:
        cybleu_short_text(<const char *>token.text, <size_t>token.size, 1, &key)
    return key


cdef inline bint same_token(const Token *first, const Token *second) noexcept nogil:
    return first.size == second.size and memcmp(first.text, second.text, <size_t>first.size) == 0


cdef inline int find_few(const FewTokens *table, const Token *token, cybleu_key key, uint64_t *place) noexcept nogil:
    """The number of the token, or 0 with the place where it would be."""
    cdef int number
    place[0] = cybleu_slot_of(key, table.shift)
    while True:
        number = table.slots[place[0]]
        if number == 0:
            return 0
        if table.first[number] == key.first and table.second[number] == key.second:
            if not key.second & CYBLEU_UNDECIDED or same_token(&table.tokens[number], token):
                return number
        place[0] = (place[0] + 1) & (((<uint64_t>1) << (64 - table.shift)) - 1)


cdef void number_few(FewTokens *table, const Token *tokens, Py_ssize_t count, int32_t *ids) noexcept nogil:
    cdef cybleu_key key
    cdef uint64_t place
    cdef Py_ssize_t i
    cdef int number
    table.size = 0
    table.shift = 64 - 6
    while (<Py_ssize_t>1) << (64 - table.shift) < 8 * count:
        table.shift -= 1
    memset(table.slots, 0, (<size_t>1) << (64 - table.shift))
    for i in range(count):
        key = key_of(&tokens[i])
        number = find_few(table, &tokens[i], key, &place)
        if number == 0:
            table.size += 1
            number = table.size
            table.slots[place] = <uint8_t>number
            table.first[number] = key.first
            table.second[number] = key.second
            table.tokens[number] = tokens[i]
        ids[i] = number - 1


cdef inline void look_up_few(const FewTokens *table, const Token *tokens, Py_ssize_t count,
                             int32_t *ids) noexcept nogil:
    cdef uint64_t place
    cdef Py_ssize_t i
    for i in range(count):
        ids[i] = find_few(table, &tokens[i], key_of(&tokens[i]), &place) - 1


# --------------------------------------------------------------------------------------------------------- many tokens

cdef struct Word:
    uint64_t hash
    Token token             # its text is NULL in a free slot
    int32_t number


cdef struct WordTable:
    Word *slots
    uint64_t mask
    int32_t size            # numbers given


cdef inline Word *find_word(const WordTable *table, const Token *token, uint64_t hashed) noexcept nogil:
    """The slot of the token, or the free one where it would be."""
    cdef uint64_t place = hashed & table.mask
    cdef Word *slot = &table.slots[place]
    while slot.token.text != NULL:
        if slot.hash == hashed and same_token(&slot.token, token):
            break
        place = (place + 1) & table.mask
        slot = &table.slots[place]
    return slot


cdef int make_table(WordTable *table, uint64_t slots) except -1 nogil:
    table.slots = <Word *>calloc(<size_t>slots, sizeof(Word))
    if table.slots == NULL:
        with gil:
            raise MemoryError()
    table.mask = slots - 1
    table.size = 0
    return 0


cdef int enlarge(WordTable *table, Watch *watching) except -1 nogil:
    cdef WordTable larger
    cdef uint64_t i
    make_table(&larger, 2 * (table.mask + 1))
    larger.size = table.size
    for i in range(table.mask + 1):
        if table.slots[i].token.text != NULL:
            find_word(&larger, &table.slots[i].token, table.slots[i].hash)[0] = table.slots[i]
    free(table.slots)
    table[0] = larger
    return watch(watching, <Py_ssize_t>(table.mask >> 3))


cdef inline Word *add_word(WordTable *table, const Token *token, uint64_t odd, Watch *watching) except NULL nogil:
    """The slot of the token, which is new there where its text is still the caller's."""
    cdef uint64_t hashed = hash_of(token.text, token.size, odd)
    cdef Word *slot = find_word(table, token, hashed)
    if slot.token.text == NULL:
        if table.size >= MOST_TOKENS:
            with gil:
                raise MemoryError("the texts have too many different tokens")
        if 2 * <uint64_t>table.size >= table.mask:
            enlarge(table, watching)
            slot = find_word(table, token, hashed)
        slot.hash = hashed
        slot.token = token[0]
        slot.number = table.size
        table.size += 1
    return slot


cdef struct Numbers:
    int32_t *values
    Py_ssize_t count
    Py_ssize_t room


cdef int reserve(Numbers *numbers, Py_ssize_t more) except -1 nogil:
    """Room for so many more."""
    cdef int32_t *larger
    cdef Py_ssize_t room
    if numbers.room - numbers.count < more:
        room = max(numbers.count + more, 2 * numbers.room)
        larger = <int32_t *>realloc(numbers.values, <size_t>room * sizeof(int32_t))
        if larger == NULL:
            with gil:
                raise MemoryError()
        numbers.values = larger
        numbers.room = room
    return 0


# ------------------------------------------------------------------------------------------------------- one segment

# What one thread works in.
cdef struct Workshop:
    Scanner hypothesis
    Scanner reference
    Token tokens[MANY]
    FewTokens few
    MaskMatcher matcher
    Numbers numbers


cdef inline int64_t abs_difference(int64_t first, int64_t second) noexcept nogil:
    return first - second if first > second else second - first


cdef inline int64_t length_with(int64_t chosen, int64_t length, int64_t wanted, int mode) noexcept nogil:
    """What is known of the reference length, -1 before, once another reference is read: for the average the sum."""
    if chosen < 0:
        return length
    if mode == AVERAGE:
        return chosen + length
    if mode == SHORTEST:
        return min(chosen, length)
    if abs_difference(length, wanted) < abs_difference(chosen, wanted) or (
            abs_difference(length, wanted) == abs_difference(chosen, wanted) and length < chosen):
        return length
    return chosen


cdef int count_segment(Tokenizer tokenizer, Workshop *shop, const Line *hypothesis, const Line *references,
                       Py_ssize_t count, Py_ssize_t max_order, int mode, int64_t *row) except -1 nogil:
    """Write the statistics row; there is at least one reference."""
    cdef int32_t ids[MANY]
    cdef Py_ssize_t length, size, k, n
    cdef int64_t chosen = -1
    tokenizer.begin(&shop.hypothesis, hypothesis)
    length = tokenizer.read(&shop.hypothesis, shop.tokens, MANY)
    if length == MANY:
        return count_long_segment(tokenizer, shop, hypothesis, references, count, max_order, mode, row)
    number_few(&shop.few, shop.tokens, length, ids)
    begin_masks(&shop.matcher, ids, <int>length, shop.few.size, max_order)
    for k in range(count):
        tokenizer.begin(&shop.reference, &references[k])
        size = tokenizer.read(&shop.reference, shop.tokens, MANY)
        if size == MANY:
            return count_long_segment(tokenizer, shop, hypothesis, references, count, max_order, mode, row)
        add_reference(shop, size)
        chosen = length_with(chosen, size, length, mode)
    row[0] = length
    row[1] = chosen // count if mode == AVERAGE else chosen
    for n in range(max_order):
        row[2 + n] = 0
        row[2 + max_order + n] = length - n if length > n else 0
    finish_masks(&shop.matcher, row + 2)
    return 0


cdef inline void add_reference(Workshop *shop, Py_ssize_t size) noexcept nogil:
    cdef int32_t ids[MANY]
    look_up_few(&shop.few, shop.tokens, size, ids)
    add_reference_masks(&shop.matcher, ids, <int>size)


cdef int count_long_segment(Tokenizer tokenizer, Workshop *shop, const Line *hypothesis, const Line *references,
                            Py_ssize_t count, Py_ssize_t max_order, int mode, int64_t *row) except -1 nogil:
    cdef WordTable table
    cdef Numbers *numbers = &shop.numbers
    cdef Py_ssize_t *starts
    cdef void *memory = NULL
    cdef uint64_t odd = secret()
    cdef uint64_t needed
    cdef Py_ssize_t length, size, k, n, i
    cdef int64_t chosen = -1
    cdef Word *slot
    numbers.count = 0
    make_table(&table, 256)
    starts = <Py_ssize_t *>malloc((<size_t>count + 2) * sizeof(Py_ssize_t))
    try:
        if starts == NULL:
            with gil:
                raise MemoryError()
        starts[0] = 0
        tokenizer.begin(&shop.hypothesis, hypothesis)
        size = MANY
        while size == MANY:
            size = tokenizer.read(&shop.hypothesis, shop.tokens, MANY)
            reserve(numbers, size + 1)
            for i in range(size):
                slot = add_word(&table, &shop.tokens[i], odd, &shop.hypothesis.watching)
                numbers.values[numbers.count] = slot.number
                numbers.count += 1
        length = numbers.count
        numbers.values[numbers.count] = END
        numbers.count += 1
        for k in range(count):
            starts[k + 1] = numbers.count
            tokenizer.begin(&shop.reference, &references[k])
            size = MANY
            while size == MANY:
                size = tokenizer.read(&shop.reference, shop.tokens, MANY)
                reserve(numbers, size + 1)
                for i in range(size):
                    slot = find_word(&table, &shop.tokens[i], hash_of(shop.tokens[i].text, shop.tokens[i].size, odd))
                    numbers.values[numbers.count] = slot.number if slot.token.text != NULL else -1
                    numbers.count += 1
            if numbers.count >= MOST_TOKENS:
                with gil:
                    raise MemoryError("a segment has too many tokens")
            chosen = length_with(chosen, numbers.count - starts[k + 1], length, mode)
            numbers.values[numbers.count] = -1
            numbers.count += 1
        starts[count + 1] = numbers.count
        row[0] = length
        row[1] = chosen // count if mode == AVERAGE else chosen
        for n in range(max_order):
            row[2 + n] = 0
            row[2 + max_order + n] = length - n if length > n else 0
        if length:
            needed = match_memory(length, numbers.count, count + 1) + 8
            if needed <= <uint64_t>PY_SSIZE_T_MAX:
                memory = malloc(<size_t>needed)
            if memory == NULL:
                with gil:
                    raise MemoryError()
            match_by_interning(numbers.values, starts, count + 1, max_order, memory, row + 2)
    finally:
        free(memory)
        free(starts)
        free(table.slots)
    return 0


cdef void make_workshop(Workshop *shop) noexcept nogil:
    make_scanner(&shop.hypothesis)
    make_scanner(&shop.reference)
    memset(&shop.numbers, 0, sizeof(Numbers))


cdef void end_workshop(Workshop *shop) noexcept nogil:
    end_scanner(&shop.hypothesis)
    end_scanner(&shop.reference)
    free(shop.numbers.values)


cdef int mode_of(str reference_length) except -1:
    modes = ("closest", "shortest", "average")
    if reference_length not in modes:
        raise ValueError("there is no such reference length")
    return modes.index(reference_length)


def raw_rows(Tokenizer tokenizer not None, RawTexts hypotheses not None, RawTexts references not None,
             const int64_t[::1] sets, Py_ssize_t max_order, str reference_length not None, Py_ssize_t start,
             Py_ssize_t stop, int64_t[:, ::1] rows):
    """Write the statistics rows of the segments from `start` to before `stop`.

    :param sets: where the references of each segment begin among the references, and the end
    """
    cdef Workshop shop
    cdef Watch watching = begin_watch()
    cdef int mode = mode_of(reference_length)
    cdef Py_ssize_t i
    if not 0 <= start <= stop <= hypotheses.count or sets.shape[0] != hypotheses.count + 1 or max_order < 1:
        raise ValueError("the segments do not fit")
    if start == stop:
        return
    if rows.shape[0] != hypotheses.count or rows.shape[1] != 2 + 2 * max_order:
        raise ValueError("the rows do not fit the segments")
    for i in range(start, stop):
        if not 0 <= sets[i] < sets[i + 1] <= references.count:
            raise ValueError("a segment has no reference")
    make_workshop(&shop)
    try:
        with nogil:
            for i in range(start, stop):
                count_segment(tokenizer, &shop, &hypotheses.lines[i], &references.lines[sets[i]],
                              <Py_ssize_t>(sets[i + 1] - sets[i]), max_order, mode, &rows[i, 0])
                watch(&watching, 8)
    finally:
        end_workshop(&shop)


def raw_row(Tokenizer tokenizer not None, hypothesis, references, Py_ssize_t max_order, str reference_length not None):
    """The statistics row of one segment as a list.

    :param hypothesis: an exact str or bytes
    :param references: a list or tuple of them, at least one
    """
    cdef RawTexts others = RawTexts(references)
    cdef RawTexts one = RawTexts((hypothesis,))
    cdef Workshop shop
    cdef int mode = mode_of(reference_length)
    cdef Py_ssize_t i
    cdef int64_t *row
    cdef list found = []
    if others.count < 1 or max_order < 1:
        raise ValueError("there is no reference")
    row = <int64_t *>malloc(<size_t>(2 + 2 * max_order) * sizeof(int64_t))
    if row == NULL:
        raise MemoryError()
    make_workshop(&shop)
    try:
        with nogil:
            count_segment(tokenizer, &shop, &one.lines[0], others.lines, others.count, max_order, mode, row)
        for i in range(2 + 2 * max_order):
            found.append(row[i])
    finally:
        end_workshop(&shop)
        free(row)
    return found


# ---------------------------------------------------------------------------------------------------------- vocabulary

cdef class RawVocabulary:
    """Numbers of tokens, from 0 in the order in which they come. Threads may look up together, while none adds.

    :param tokenizer: which makes the tokens
    """

    cdef readonly Tokenizer tokenizer
    cdef WordTable table
    cdef uint8_t **arenas       # where the tokens are kept
    cdef Py_ssize_t arena_count
    cdef Py_ssize_t arena_left  # bytes free at the end of the last one
    cdef uint8_t *arena_at

    def __cinit__(self, Tokenizer tokenizer not None):
        self.tokenizer = tokenizer
        self.arenas = NULL
        self.arena_count = self.arena_left = 0
        make_table(&self.table, 1024)

    def __dealloc__(self):
        cdef Py_ssize_t i
        for i in range(self.arena_count):
            free(self.arenas[i])
        free(self.arenas)
        free(self.table.slots)

    def __len__(self):
        return self.table.size

    cdef int make_place(self, Py_ssize_t size) except -1 nogil:
        """For the bytes of a token that may be new."""
        cdef uint8_t **larger
        if size > self.arena_left:
            larger = <uint8_t **>realloc(self.arenas, (<size_t>self.arena_count + 1) * sizeof(uint8_t *))
            if larger != NULL:
                self.arenas = larger
                self.arena_left = 0
                self.arena_at = larger[self.arena_count] = <uint8_t *>malloc(<size_t>max(size, ARENA))
            if larger == NULL or self.arena_at == NULL:
                with gil:
                    raise MemoryError()
            self.arena_count += 1
            self.arena_left = max(size, ARENA)
        return 0

    cdef Word *add_token(self, const Token *token, uint64_t odd, Watch *watching) except NULL nogil:
        cdef int32_t before = self.table.size
        cdef Word *slot
        self.make_place(token.size)
        slot = add_word(&self.table, token, odd, watching)
        if slot.number == before:
            memcpy(self.arena_at, token.text, <size_t>token.size)
            slot.token.text = self.arena_at
            self.arena_at += token.size
            self.arena_left -= token.size
        return slot

    cdef int number_line(self, Scanner *scanner, const Line *line, Numbers *numbers, bint adds) except -1 nogil:
        cdef Token tokens[MANY]
        cdef uint64_t odd = secret()
        cdef Py_ssize_t size = MANY
        cdef Py_ssize_t i
        cdef Word *slot
        self.tokenizer.begin(scanner, line)
        while size == MANY:
            size = self.tokenizer.read(scanner, tokens, MANY)
            reserve(numbers, size)
            for i in range(size):
                if adds:
                    slot = self.add_token(&tokens[i], odd, &scanner.watching)
                else:
                    slot = find_word(&self.table, &tokens[i], hash_of(tokens[i].text, tokens[i].size, odd))
                numbers.values[numbers.count] = slot.number if slot.token.text != NULL else -1
                numbers.count += 1
        return 0

    cdef bytes numbers_of(self, RawTexts texts, Py_ssize_t start, Py_ssize_t stop, int64_t[::1] ends, bint adds):
        cdef Scanner scanner
        cdef Numbers numbers
        cdef Watch watching = begin_watch()
        cdef Py_ssize_t i
        if not 0 <= start <= stop <= texts.count or ends.shape[0] != stop - start:
            raise ValueError("the texts do not fit")
        memset(&numbers, 0, sizeof(Numbers))
        make_scanner(&scanner)
        try:
            with nogil:
                for i in range(start, stop):
                    self.number_line(&scanner, &texts.lines[i], &numbers, adds)
                    ends[i - start] = numbers.count
                    watch(&watching, 8)
            return PyBytes_FromStringAndSize(<const char *>numbers.values, numbers.count * <Py_ssize_t>sizeof(int32_t))
        finally:
            end_scanner(&scanner)
            free(numbers.values)

    def add(self, RawTexts texts not None, int64_t[::1] ends):
        """The numbers of the tokens of all texts, as the bytes of int32; new tokens get new ones.

        :param ends: is filled with where the numbers of each text end
        """
        return self.numbers_of(texts, 0, texts.count, ends, True)

    def look_up(self, RawTexts texts not None, Py_ssize_t start, Py_ssize_t stop, int64_t[::1] ends):
        """The same for the texts from `start` to before `stop`, with -1 for tokens that have no number."""
        return self.numbers_of(texts, start, stop, ends, False)

    def number(self, str token not None):
        """The number of a token, or -1."""
        cdef bytes text = token.encode("utf-8", "surrogatepass")
        cdef Token wanted
        wanted.text = text
        wanted.size = len(text)
        slot = find_word(&self.table, &wanted, hash_of(wanted.text, wanted.size, secret()))
        return slot.number if slot.token.text != NULL else -1

    def tokens(self):
        """All tokens, in the order of their numbers."""
        cdef list found = [None] * self.table.size
        cdef uint64_t i
        for i in range(self.table.mask + 1):
            if self.table.slots[i].token.text != NULL:
                found[self.table.slots[i].number] = (
                    self.table.slots[i].token.text[:self.table.slots[i].token.size].decode("utf-8", "surrogatepass")
                )
        return found

    def assign(self, list tokens not None):
        """Give tokens the next numbers, in their order, whatever the tokeniser would make of them."""
        cdef bytes text
        cdef Token wanted
        cdef Watch watching = begin_watch()
        for token in tokens:
            text = token.encode("utf-8", "surrogatepass")
            wanted.text = text
            wanted.size = len(text)
            self.add_token(&wanted, secret(), &watching)
