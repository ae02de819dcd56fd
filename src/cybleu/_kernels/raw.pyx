# cython: freethreading_compatible=True
"""Raw text: lines of any kind to the counts of segments, and to numbers of tokens, without a Python object for a token.

A segment is counted as in `segments.pyx`: the tokens of the hypothesis get numbers of their own, and where no text has
more than 64 tokens positions are bits of a word. Numbers that many texts share come from a vocabulary.
"""

from cpython.bytes cimport PyBytes_FromStringAndSize
from cpython.unicode cimport PyUnicode_DecodeUTF8
from libc.stdint cimport int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free, malloc, realloc
from libc.string cimport memcmp, memcpy, memset

from cybleu._kernels.common cimport CYBLEU_UNLIKELY, distance
from cybleu._kernels.interrupts cimport Watch, begin_watch, watch
from cybleu._kernels.keys cimport CYBLEU_UNDECIDED, cybleu_key, cybleu_key_of_bytes, mixed_key
from cybleu._kernels.ngrams cimport (
    END, MASK_BITS, MaskMatcher, add_reference_masks, begin_masks, finish_masks,
    match_by_interning, match_by_pairs, match_memory, pair_memory, pairs_needed,
)
from cybleu._kernels.raw_texts cimport RawTexts
from cybleu._kernels.tokenizing cimport MORE_TOKENS, Line, Scanner, Token, Tokenizer, end_scanner, make_scanner
from cybleu._kernels.tokens cimport secret

cdef extern from "Python.h":
    Py_ssize_t PY_SSIZE_T_MAX

cdef enum:
    FEW_SLOTS = 4096
    FEW_NUMBERS = 514       # nobody, those of AT_ONCE - 1 tokens, and one place to write ahead
    AT_ONCE = 513           # tokens that are read together
    NOT_LONG = 8192         # tokens of a segment in all, for which nobody looks for Ctrl-C
    MOST_TOKENS = 0x3FFFFFFF    # of a segment, or in one table: positions and numbers are 32 bits
    ARENA = 65536
    SMALL = 1024            # slots of a table at first
    LARGE = 65536           # slots that are not kept for the next segment

# Which of the lengths of several references counts.
cdef enum:
    CLOSEST
    CLOSEST_FIRST
    SHORTEST
    AVERAGE


# ------------------------------------------------------------------------------------------------------------- tokens

cdef inline Py_ssize_t size_of(const Token *token) noexcept nogil:
    return distance(token.text, token.end)


cdef inline bint same_token(const Token *first, const Token *second) noexcept nogil:
    return size_of(first) == size_of(second) and memcmp(first.text, second.text, <size_t>size_of(first)) == 0


cdef inline cybleu_key key_of(const Token *token, uint64_t odd) noexcept nogil:
    return cybleu_key_of_bytes(token.text, size_of(token), odd)


# ---------------------------------------------------------------------------------------------------------- few tokens
#
# As in `tokens.pyx`, for tokens that are bytes.

cdef struct FewTokens:
    uint16_t slots[FEW_SLOTS]
    uint64_t mask
    uint64_t first[FEW_NUMBERS]
    uint64_t second[FEW_NUMBERS]
    Token tokens[FEW_NUMBERS]
    int size


cdef inline int same_key(const FewTokens *table, int number, cybleu_key key) noexcept nogil:
    return ((table.first[number] ^ key.first) | (table.second[number] ^ key.second)) == 0


cdef inline int find_few(const FewTokens *table, const Token *token, cybleu_key key, uint64_t *place) noexcept nogil:
    """The number of the token, or 0 with the place where it would be; from the place on."""
    cdef int number
    while True:
        number = table.slots[place[0]]
        if number == 0:
            return 0
        if table.first[number] == key.first and table.second[number] == key.second:
            if not key.second & CYBLEU_UNDECIDED or same_token(&table.tokens[number], token):
                return number
        place[0] = (place[0] + 1) & table.mask


cdef void number_few(FewTokens *table, const Token *tokens, Py_ssize_t count, uint64_t odd,
                     int32_t *ids) noexcept nogil:
    cdef cybleu_key key
    cdef uint64_t place = 0
    cdef Py_ssize_t i
    cdef int number, known
    cdef int fresh = 1      # the number that the next new token will have
    table.mask = 63
    while <Py_ssize_t>table.mask < 8 * count - 1:
        table.mask = 2 * table.mask + 1
    memset(table.slots, 0, <size_t>(table.mask + 1) * sizeof(uint16_t))
    table.first[0] = table.second[0] = 0    # no token has this key
    for i in range(count):
        key = key_of(&tokens[i], odd)
        place = mixed_key(key.first, key.second, odd) & table.mask
        number = table.slots[place]
        known = same_key(table, number, key)
        if CYBLEU_UNLIKELY(number & -((1 - known) | <int>((key.second & CYBLEU_UNDECIDED) != 0))):
            number = find_few(table, &tokens[i], key, &place)
            known = number != 0
        number = (number & -known) | (fresh & (known - 1))
        table.first[fresh] = key.first
        table.second[fresh] = key.second
        table.tokens[fresh] = tokens[i]
        table.slots[place] = <uint16_t>number
        fresh += 1 - known
        ids[i] = number - 1
    table.size = fresh - 1


cdef inline void look_up_few(const FewTokens *table, const Token *tokens, Py_ssize_t count, uint64_t odd,
                             int32_t *ids) noexcept nogil:
    cdef cybleu_key key
    cdef uint64_t place = 0
    cdef Py_ssize_t i
    cdef int number, known
    for i in range(count):
        key = key_of(&tokens[i], odd)
        place = mixed_key(key.first, key.second, odd) & table.mask
        number = table.slots[place]
        known = same_key(table, number, key)
        if CYBLEU_UNLIKELY(number & -((1 - known) | <int>((key.second & CYBLEU_UNDECIDED) != 0))):
            number = find_few(table, &tokens[i], key, &place)
            known = number != 0
        ids[i] = (number & -known) - 1


# --------------------------------------------------------------------------------------------------------- many tokens

cdef struct Word:
    uint64_t first          # its key, as for few tokens
    uint64_t second
    Token token


cdef struct WordTable:
    uint64_t *slots         # open addressing: 0 is free, otherwise tag << 32 | number + 1
    uint64_t mask
    Word *words             # by number
    int32_t size            # numbers given
    int32_t room


cdef inline uint64_t entry_of(uint64_t mixed, int32_t number) noexcept nogil:
    return (mixed & <uint64_t>0xFFFFFFFF00000000) | <uint64_t>(number + 1)


cdef inline int32_t find_word(const WordTable *table, const Token *token, cybleu_key key, uint64_t mixed,
                              uint64_t *place) noexcept nogil:
    """The number of the token, or -1 with the free slot where it would be."""
    cdef uint64_t at = mixed & table.mask
    cdef uint64_t entry
    cdef const Word *word
    while True:
        entry = table.slots[at]
        if entry == 0:
            place[0] = at
            return -1
        if (entry ^ mixed) >> 32 == 0:
            word = &table.words[<uint32_t>entry - 1]
            if word.first == key.first and word.second == key.second:
                if not key.second & CYBLEU_UNDECIDED or same_token(&word.token, token):
                    return <int32_t>(<uint32_t>entry - 1)
        at = (at + 1) & table.mask


cdef inline int32_t look_up_word(const WordTable *table, const Token *token, uint64_t odd) noexcept nogil:
    cdef cybleu_key key = key_of(token, odd)
    cdef uint64_t place = 0
    return find_word(table, token, key, mixed_key(key.first, key.second, odd), &place)


cdef int make_table(WordTable *table) except -1 nogil:
    """Empty, in no memory yet or in that of before, if there is not much of it."""
    if table.slots != NULL and table.mask < LARGE:
        memset(table.slots, 0, <size_t>(table.mask + 1) * sizeof(uint64_t))
        table.size = 0
        return 0
    end_table(table)
    table.mask = SMALL - 1
    table.room = SMALL // 2
    table.slots = <uint64_t *>calloc(SMALL, sizeof(uint64_t))
    table.words = <Word *>malloc(SMALL // 2 * sizeof(Word))
    if table.slots == NULL or table.words == NULL:
        end_table(table)
        with gil:
            raise MemoryError()
    return 0


cdef void end_table(WordTable *table) noexcept nogil:
    free(table.slots)
    free(table.words)
    memset(table, 0, sizeof(WordTable))


cdef int enlarge(WordTable *table, uint64_t odd, Watch *watching) except -1 nogil:
    cdef uint64_t slots = 2 * (table.mask + 1)
    cdef uint64_t *larger = <uint64_t *>calloc(<size_t>slots, sizeof(uint64_t))
    cdef Word *words = <Word *>realloc(table.words, <size_t>(slots // 2) * sizeof(Word))
    cdef uint64_t mixed, at
    cdef int32_t i
    if words != NULL:
        table.words = words
    if larger == NULL or words == NULL:
        free(larger)
        with gil:
            raise MemoryError()
    for i in range(table.size):
        mixed = mixed_key(words[i].first, words[i].second, odd)
        at = mixed & (slots - 1)
        while larger[at]:
            at = (at + 1) & (slots - 1)
        larger[at] = entry_of(mixed, i)
    free(table.slots)
    table.slots = larger
    table.mask = slots - 1
    table.room = <int32_t>(slots // 2)
    return watch(watching, table.size >> 2)


cdef inline int32_t add_word(WordTable *table, const Token *token, uint64_t odd, Watch *watching) except -1 nogil:
    """The number of the token, a new one where it has none; a new one points to the caller's bytes."""
    cdef cybleu_key key = key_of(token, odd)
    cdef uint64_t mixed = mixed_key(key.first, key.second, odd)
    cdef uint64_t place = 0
    cdef int32_t number = find_word(table, token, key, mixed, &place)
    if number < 0:
        number = table.size
        if number == table.room:
            if number >= MOST_TOKENS // 2:
                with gil:
                    raise MemoryError("the texts have too many different tokens")
            enlarge(table, odd, watching)
            find_word(table, token, key, mixed, &place)
        table.words[number].first = key.first
        table.words[number].second = key.second
        table.words[number].token = token[0]
        table.slots[place] = entry_of(mixed, number)
        table.size += 1
    return number


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
    Token tokens[AT_ONCE + MORE_TOKENS]
    FewTokens few
    MaskMatcher matcher
    Numbers numbers
    WordTable table
    uint16_t *pairs         # all 0
    uint64_t pairs_room


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
            mode == CLOSEST and abs_difference(length, wanted) == abs_difference(chosen, wanted) and length < chosen):
        return length
    return chosen


cdef int count_segment(Tokenizer tokenizer, Workshop *shop, const Line *hypothesis, const Line *references,
                       Py_ssize_t count, Py_ssize_t max_order, int mode, int64_t *row) except -1 nogil:
    """Write the statistics row; there is at least one reference."""
    cdef Numbers *numbers = &shop.numbers
    cdef uint64_t odd = secret()
    cdef Py_ssize_t length, n
    cdef bint few
    numbers.count = 0
    tokenizer.begin(&shop.hypothesis, hypothesis)
    length = tokenizer.read(&shop.hypothesis, shop.tokens, AT_ONCE)
    few = length < AT_ONCE
    if few:
        reserve(numbers, length)
        number_few(&shop.few, shop.tokens, length, odd, numbers.values)
        numbers.count = length
    else:
        length = number_many(tokenizer, shop, odd)
    row[0] = length
    for n in range(max_order):
        row[2 + n] = 0
        row[2 + max_order + n] = length - n if length > n else 0
    if length <= MASK_BITS and count_with_masks(tokenizer, shop, references, count, odd, max_order, mode, row):
        return 0
    return count_with_tables(tokenizer, shop, references, count, odd, few, max_order, mode, row)


cdef int number_many(Tokenizer tokenizer, Workshop *shop, uint64_t odd) except -1 nogil:
    """Give numbers to the tokens of the hypothesis, of which the first are there; how many there are."""
    cdef Numbers *numbers = &shop.numbers
    cdef Py_ssize_t size = AT_ONCE
    cdef Py_ssize_t i
    make_table(&shop.table)
    while True:
        reserve(numbers, size)
        for i in range(size):
            numbers.values[numbers.count] = add_word(&shop.table, &shop.tokens[i], odd, &shop.hypothesis.watching)
            numbers.count += 1
        if size < AT_ONCE:
            return <int>numbers.count
        size = tokenizer.read(&shop.hypothesis, shop.tokens, AT_ONCE)


cdef int count_with_masks(Tokenizer tokenizer, Workshop *shop, const Line *references, Py_ssize_t count, uint64_t odd,
                          Py_ssize_t max_order, int mode, int64_t *row) except -1 nogil:
    """Write the matches and the reference length; 0 with nothing written if a reference has too many tokens."""
    cdef int32_t ids[MASK_BITS]
    cdef Py_ssize_t size, k
    cdef int64_t chosen = -1
    begin_masks(&shop.matcher, shop.numbers.values, <int>shop.numbers.count, shop.few.size, max_order)
    for k in range(count):
        tokenizer.begin(&shop.reference, &references[k])
        size = tokenizer.read(&shop.reference, shop.tokens, MASK_BITS + 1)
        if size > MASK_BITS:
            return 0
        look_up_few(&shop.few, shop.tokens, size, odd, ids)
        add_reference_masks(&shop.matcher, ids, <int>size)
        chosen = length_with(chosen, size, row[0], mode)
    row[1] = chosen // count if mode == AVERAGE else chosen
    finish_masks(&shop.matcher, row + 2)
    return 1


cdef int reserve_pairs(Workshop *shop, uint64_t room) except -1 nogil:
    if room > shop.pairs_room:
        free(shop.pairs)
        shop.pairs_room = 0
        shop.pairs = <uint16_t *>calloc(<size_t>room, sizeof(uint16_t))
        if shop.pairs == NULL:
            with gil:
                raise MemoryError()
        shop.pairs_room = room
    return 0


cdef int count_with_tables(Tokenizer tokenizer, Workshop *shop, const Line *references, Py_ssize_t count, uint64_t odd,
                           bint few, Py_ssize_t max_order, int mode, int64_t *row) except -1 nogil:
    """The same for any number of tokens. `few`: the tokens of the hypothesis have numbers as few tokens have them."""
    cdef Numbers *numbers = &shop.numbers
    cdef Py_ssize_t *starts
    cdef void *memory = NULL
    cdef uint64_t needed
    cdef Py_ssize_t size, k, i
    cdef int64_t chosen = -1
    starts = <Py_ssize_t *>malloc((<size_t>count + 2) * sizeof(Py_ssize_t))
    try:
        if starts == NULL:
            with gil:
                raise MemoryError()
        starts[0] = 0
        reserve(numbers, 1)
        numbers.values[numbers.count] = END
        numbers.count += 1
        for k in range(count):
            starts[k + 1] = numbers.count
            tokenizer.begin(&shop.reference, &references[k])
            size = AT_ONCE
            while size == AT_ONCE:
                size = tokenizer.read(&shop.reference, shop.tokens, AT_ONCE)
                reserve(numbers, size + 1)
                if few:
                    look_up_few(&shop.few, shop.tokens, size, odd, numbers.values + numbers.count)
                else:
                    for i in range(size):
                        numbers.values[numbers.count + i] = look_up_word(&shop.table, &shop.tokens[i], odd)
                numbers.count += size
            if numbers.count >= MOST_TOKENS:
                with gil:
                    raise MemoryError("a segment has too many tokens")
            chosen = length_with(chosen, numbers.count - starts[k + 1], row[0], mode)
            numbers.values[numbers.count] = -1
            numbers.count += 1
        starts[count + 1] = numbers.count
        row[1] = chosen // count if mode == AVERAGE else chosen
        if row[0] == 0:
            return 0
        if few and numbers.count <= NOT_LONG:
            reserve_pairs(shop, pairs_needed(<Py_ssize_t>row[0], shop.few.size))
            memory = malloc(<size_t>pair_memory(<Py_ssize_t>row[0], numbers.count, count + 1))
            if memory == NULL:
                with gil:
                    raise MemoryError()
            match_by_pairs(numbers.values, starts, count + 1, shop.few.size, max_order, shop.pairs, memory, row + 2)
            return 0
        needed = match_memory(<Py_ssize_t>row[0], numbers.count, count + 1) + 8
        if needed <= <uint64_t>PY_SSIZE_T_MAX:
            memory = malloc(<size_t>needed)
        if memory == NULL:
            with gil:
                raise MemoryError()
        match_by_interning(numbers.values, starts, count + 1, max_order, memory, row + 2)
    finally:
        free(memory)
        free(starts)
    return 0


cdef void make_workshop(Workshop *shop) noexcept nogil:
    make_scanner(&shop.hypothesis)
    make_scanner(&shop.reference)
    memset(&shop.numbers, 0, sizeof(Numbers))
    memset(&shop.table, 0, sizeof(WordTable))
    shop.pairs = NULL
    shop.pairs_room = 0


cdef void end_workshop(Workshop *shop) noexcept nogil:
    end_scanner(&shop.hypothesis)
    end_scanner(&shop.reference)
    free(shop.numbers.values)
    free(shop.pairs)
    end_table(&shop.table)


cdef int mode_of(str reference_length) except -1:
    modes = ("closest", "closest-first", "shortest", "average")
    if reference_length not in modes:
        raise ValueError("there is no such reference length")
    return modes.index(reference_length)


cdef int check_segments(RawTexts hypotheses, RawTexts references, const int64_t[::1] sets, Py_ssize_t max_order,
                        Py_ssize_t start, Py_ssize_t stop) except -1:
    cdef Py_ssize_t i
    if not 0 <= start <= stop <= hypotheses.count or sets.shape[0] != hypotheses.count + 1 or max_order < 1:
        raise ValueError("the segments do not fit")
    for i in range(start, stop):
        if not 0 <= sets[i] < sets[i + 1] <= references.count:
            raise ValueError("a segment has no reference")
    return 0


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
    check_segments(hypotheses, references, sets, max_order, start, stop)
    if start == stop:
        return
    if rows.shape[0] != hypotheses.count or rows.shape[1] != 2 + 2 * max_order:
        raise ValueError("the rows do not fit the segments")
    make_workshop(&shop)
    try:
        with nogil:
            for i in range(start, stop):
                count_segment(tokenizer, &shop, &hypotheses.lines[i], &references.lines[sets[i]],
                              <Py_ssize_t>(sets[i + 1] - sets[i]), max_order, mode, &rows[i, 0])
                watch(&watching, 8)
    finally:
        end_workshop(&shop)


def raw_sum(Tokenizer tokenizer not None, RawTexts hypotheses not None, RawTexts references not None,
            const int64_t[::1] sets, Py_ssize_t max_order, str reference_length not None, Py_ssize_t start,
            Py_ssize_t stop):
    """The sum of these rows, and for each order how many segments are too short to have an n-gram of it, as lists."""
    cdef Workshop shop
    cdef Watch watching = begin_watch()
    cdef int mode = mode_of(reference_length)
    cdef Py_ssize_t width = 2 + 2 * max_order
    cdef Py_ssize_t i, n
    cdef int64_t *row
    check_segments(hypotheses, references, sets, max_order, start, stop)
    row = <int64_t *>calloc(<size_t>(3 * width), sizeof(int64_t))   # a row, the sum, and what is too short
    if row == NULL:
        raise MemoryError()
    make_workshop(&shop)
    try:
        with nogil:
            for i in range(start, stop):
                count_segment(tokenizer, &shop, &hypotheses.lines[i], &references.lines[sets[i]],
                              <Py_ssize_t>(sets[i + 1] - sets[i]), max_order, mode, row)
                for n in range(width):
                    row[width + n] += row[n]
                for n in range(max_order):
                    row[2 * width + n] += row[2 + max_order + n] == 0
                watch(&watching, 8)
        return ([row[width + n] for n in range(width)], [row[2 * width + n] for n in range(max_order)])
    finally:
        end_workshop(&shop)
        free(row)


def raw_row(Tokenizer tokenizer not None, hypothesis, references, Py_ssize_t max_order, str reference_length not None):
    """The statistics row of one segment as a list.

    :param hypothesis: an exact str or bytes
    :param references: a list or tuple of them, at least one
    """
    cdef RawTexts texts = RawTexts((hypothesis, *references))
    cdef Workshop shop
    cdef int mode = mode_of(reference_length)
    cdef Py_ssize_t i
    cdef int64_t *row
    cdef list found = []
    if texts.count < 2 or max_order < 1:
        raise ValueError("there is no reference")
    row = <int64_t *>malloc(<size_t>(2 + 2 * max_order) * sizeof(int64_t))
    if row == NULL:
        raise MemoryError()
    make_workshop(&shop)
    try:
        with nogil:
            count_segment(tokenizer, &shop, texts.lines, texts.lines + 1, texts.count - 1, max_order, mode, row)
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
        memset(&self.table, 0, sizeof(WordTable))
        make_table(&self.table)

    def __dealloc__(self):
        cdef Py_ssize_t i
        for i in range(self.arena_count):
            free(self.arenas[i])
        free(self.arenas)
        end_table(&self.table)

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
            self.arena_count = self.arena_count + 1
            self.arena_left = max(size, ARENA)
        return 0

    cdef int32_t add_token(self, const Token *token, uint64_t odd, Watch *watching) except -1 nogil:
        cdef int32_t before = self.table.size
        cdef int32_t number
        cdef Py_ssize_t size = size_of(token)
        self.make_place(size)
        number = add_word(&self.table, token, odd, watching)
        if number == before:
            memcpy(self.arena_at, token.text, <size_t>size)
            self.table.words[number].token.text = self.arena_at
            self.arena_at = self.arena_at + size
            self.arena_left = self.arena_left - size
            self.table.words[number].token.end = self.arena_at
        return number

    cdef int number_line(self, Scanner *scanner, const Line *line, Numbers *numbers, bint adds) except -1 nogil:
        cdef Token tokens[AT_ONCE + MORE_TOKENS]
        cdef uint64_t odd = secret()
        cdef Py_ssize_t size = AT_ONCE
        cdef Py_ssize_t i
        cdef int32_t number
        self.tokenizer.begin(scanner, line)
        while size == AT_ONCE:
            size = self.tokenizer.read(scanner, tokens, AT_ONCE)
            reserve(numbers, size)
            for i in range(size):
                if adds:
                    number = self.add_token(&tokens[i], odd, &scanner.watching)
                else:
                    number = look_up_word(&self.table, &tokens[i], odd)
                numbers.values[numbers.count] = number
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
        cdef Token wanted
        cdef bytes text = padded(token, &wanted)
        return look_up_word(&self.table, &wanted, secret()) if text else -1

    def tokens(self):
        """All tokens, in the order of their numbers."""
        cdef const Token *token
        cdef list found = []
        cdef int32_t i
        for i in range(self.table.size):
            token = &self.table.words[i].token
            found.append(PyUnicode_DecodeUTF8(<const char *>token.text, size_of(token), "surrogatepass"))
        return found

    def assign(self, list tokens not None):
        """Give tokens the next numbers, in their order, whatever the tokeniser would make of them."""
        cdef bytes text
        cdef Token wanted
        cdef Watch watching = begin_watch()
        for token in tokens:
            text = padded(token, &wanted)
            if text:
                self.add_token(&wanted, secret(), &watching)


cdef bytes padded(str text, Token *token):
    """A token that is a str. What is given must be held as long as the token is used."""
    cdef bytes found = bytes(16) + text.encode("utf-8", "surrogatepass")
    token.text = <const uint8_t *><const char *>found + 16
    token.end = token.text + len(found) - 16
    return found
