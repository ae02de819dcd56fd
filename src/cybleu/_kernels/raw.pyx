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

from cybleu._kernels.chrf_texts cimport DROPPED, Text, forget, read_text
from cybleu._kernels.chrf_texts cimport Workshop as Characters
from cybleu._kernels.chrf_texts cimport end_workshop as end_characters
from cybleu._kernels.chrf_texts cimport make_workshop as make_characters
from cybleu._kernels.common cimport CYBLEU_UNLIKELY, allocated, distance
from cybleu._kernels.interrupts cimport Watch, begin_watch, watch
from cybleu._kernels.keys cimport CYBLEU_UNDECIDED, cybleu_hash_bytes, cybleu_key, cybleu_short_text
from cybleu._kernels.ngrams cimport (
    END, MASK_BITS, MaskMatcher, add_reference_masks, begin_masks, finish_masks,
    match_by_interning, match_by_pairs, match_memory, pair_memory,
)
from cybleu._kernels.raw_texts cimport RawTexts
from cybleu._kernels.tokenizing cimport MORE_TOKENS, Line, Scanner, Token, Tokenizer, end_scanner, make_scanner
from cybleu._kernels.tokens cimport secret
from cybleu._kernels.unit_ngrams cimport Buffer, give_back, make_room

cdef extern from "Python.h":
    Py_ssize_t PY_SSIZE_T_MAX

cdef extern from *:
    """
    /* The products lose bits, as they should: in C, because checks for overflow would stop them. */
    static CYTHON_INLINE uint64_t cybleu_mixed(uint64_t first, uint64_t second, uint64_t odd) {
        uint64_t mixed = first * odd;
        mixed ^= mixed >> 32;
        mixed = (mixed ^ second) * odd;
        return mixed ^ mixed >> 29;
    }

    /* The high bits of products with numbers that no author of a text knows, as for one key (tables.pxd). */
    static CYTHON_INLINE uint64_t cybleu_place_of_two(uint64_t first, uint64_t second, uint64_t odd, uint64_t other_odd,
                                                      int shift) {
        return (first * odd + second * other_odd) >> shift;
    }
    """
    uint64_t place_of_two "cybleu_place_of_two" (uint64_t first, uint64_t second, uint64_t odd, uint64_t other_odd,
                                                 int shift) noexcept nogil
    uint64_t mixed_key "cybleu_mixed" (uint64_t first, uint64_t second, uint64_t odd) noexcept nogil

cdef enum:
    FEW_SLOTS = 4096
    FEW_NUMBERS = 514       # nobody, those of AT_ONCE - 1 tokens, and one place to write ahead
    AT_ONCE = 513           # tokens that are read together
    NOT_LONG = 8192         # tokens of a segment in all, for which nobody looks for Ctrl-C
    MOST_TOKENS = 0x3FFFFFFF    # of a segment, or in one table: positions and numbers are 32 bits
    ARENA = 65536
    SMALL = 1024            # slots of a table at first
    LARGE = 65536           # slots that are not kept for the next segment
    RELEASE_FROM = 4096     # characters of one segment, from which other threads may run meanwhile

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
    """The key of a token of which an author of a text cannot make many that are equal."""
    cdef cybleu_key key
    if CYBLEU_UNLIKELY(size_of(token) >= 16):
        key.first = cybleu_hash_bytes(token.text, size_of(token), odd)
        key.second = CYBLEU_UNDECIDED
    else:
        cybleu_short_text(<const char *>token.text, <size_t>size_of(token), 1, &key)
    return key


# ---------------------------------------------------------------------------------------------------------- few tokens
#
# As in `tokens.pyx`, for tokens that are bytes.

cdef struct FewTokens:
    uint16_t slots[FEW_SLOTS]
    uint64_t mask
    int shift
    uint64_t odd
    uint64_t other_odd
    uint64_t first[FEW_NUMBERS]
    uint64_t second[FEW_NUMBERS]
    Token tokens[FEW_NUMBERS]   # where the key leaves them to be compared
    int size


cdef inline uint64_t few_place(const FewTokens *table, cybleu_key key) noexcept nogil:
    return place_of_two(key.first, key.second, table.odd, table.other_odd, table.shift)


cdef inline int other_key(const FewTokens *table, int number, cybleu_key key) noexcept nogil:
    return ((table.first[number] ^ key.first) | (table.second[number] ^ key.second)) != 0


cdef int find_few(const FewTokens *table, const Token *token, cybleu_key key, uint64_t *place) noexcept nogil:
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


cdef inline int number_at(const FewTokens *table, const Token *token, cybleu_key *key, uint64_t *place) noexcept nogil:
    """The number of the token, or 0 with the place where it would be."""
    cdef int number
    if CYBLEU_UNLIKELY(size_of(token) >= 16):
        key[0] = key_of(token, table.odd)
        place[0] = few_place(table, key[0])
        return find_few(table, token, key[0], place)
    cybleu_short_text(<const char *>token.text, <size_t>size_of(token), 1, key)
    place[0] = few_place(table, key[0])
    number = table.slots[place[0]]      # with 0 there is another key, too
    if CYBLEU_UNLIKELY(number & -other_key(table, number, key[0])):
        number = find_few(table, token, key[0], place)
    return number


cdef void number_few(FewTokens *table, const Token *tokens, Py_ssize_t count, uint64_t odd,
                     int32_t *ids) noexcept nogil:
    cdef cybleu_key key
    cdef uint64_t place = 0
    cdef Py_ssize_t i
    cdef int number, new
    cdef int fresh = 1      # the number that the next new token will have
    table.odd = odd
    table.other_odd = mixed_key(odd, 0, odd) | 1
    table.mask = 63
    table.shift = 58
    while <Py_ssize_t>table.mask < 8 * count - 1:
        table.mask = 2 * table.mask + 1
        table.shift -= 1
    memset(table.slots, 0, <size_t>(table.mask + 1) * sizeof(uint16_t))
    for i in range(count):
        number = number_at(table, &tokens[i], &key, &place)
        new = number == 0
        number |= fresh & -new
        table.first[fresh] = key.first
        table.second[fresh] = key.second
        if CYBLEU_UNLIKELY(size_of(&tokens[i]) >= 16):
            table.tokens[fresh] = tokens[i]
        table.slots[place] = <uint16_t>number
        fresh += new
        ids[i] = number - 1
    table.size = fresh - 1


cdef inline void look_up_few(const FewTokens *table, const Token *tokens, Py_ssize_t count,
                             int32_t *ids) noexcept nogil:
    cdef cybleu_key key
    cdef uint64_t place = 0
    cdef Py_ssize_t i
    for i in range(count):
        ids[i] = number_at(table, &tokens[i], &key, &place) - 1


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
cdef struct Workspace:
    Scanner hypothesis
    Scanner reference
    Token tokens[AT_ONCE + MORE_TOKENS]
    FewTokens few
    MaskMatcher matcher
    Numbers numbers             # of the hypothesis, END, then those of each reference, followed by -1
    Buffer starts               # where those of each text begin, and the end
    Buffer memory
    WordTable table
    Characters characters
    bint characters_begun


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


cdef int count_segment(Tokenizer tokenizer, Workspace *work, const Line *hypothesis, const Line *references,
                       Py_ssize_t count, Py_ssize_t max_order, int mode, int64_t *row) except -1 nogil:
    """Write the statistics row; there is at least one reference."""
    cdef Py_ssize_t *starts
    cdef Py_ssize_t longest, length, size, k, n
    cdef int64_t chosen = -1
    cdef int32_t distinct
    make_room(&work.starts, (<uint64_t>count + 2) * sizeof(Py_ssize_t))
    starts = <Py_ssize_t *>work.starts.data
    work.numbers.count = starts[0] = 0
    if tokenizer.of_one_character:
        distinct = number_characters(work, hypothesis, references, count, starts)
    else:
        distinct = number_tokens(tokenizer, work, hypothesis, references, count, starts)
    length = longest = starts[1] - 1
    for k in range(count):
        size = starts[k + 2] - starts[k + 1] - 1
        longest = max(longest, size)
        chosen = length_with(chosen, size, length, mode)
    row[0] = length
    row[1] = chosen // count if mode == AVERAGE else chosen
    for n in range(max_order):
        row[2 + n] = 0
        row[2 + max_order + n] = length - n if length > n else 0
    if length > 0:
        match(work, count + 1, longest, distinct, max_order, row + 2)
    return 0


cdef int match(Workspace *work, Py_ssize_t texts, Py_ssize_t longest, int32_t distinct, Py_ssize_t max_order,
               int64_t *matches) except -1 nogil:
    """Add the matches of the numbers of a segment."""
    cdef const int32_t *numbers = work.numbers.values
    cdef const Py_ssize_t *starts = <const Py_ssize_t *>work.starts.data
    cdef uint64_t needed
    cdef void *memory
    cdef Py_ssize_t k
    if longest <= MASK_BITS:
        begin_masks(&work.matcher, numbers, <int>(starts[1] - 1), distinct, max_order)
        for k in range(1, texts):
            add_reference_masks(&work.matcher, numbers + starts[k], <int>(starts[k + 1] - starts[k] - 1))
        finish_masks(&work.matcher, matches)
        return 0
    if work.numbers.count <= NOT_LONG:
        make_room(&work.memory, pair_memory(starts[1] - 1, work.numbers.count, texts))
        match_by_pairs(numbers, starts, texts, distinct, max_order, work.memory.data, matches)
        return 0
    needed = match_memory(starts[1] - 1, work.numbers.count, texts) + 8
    memory = malloc(<size_t>needed) if needed <= <uint64_t>PY_SSIZE_T_MAX else NULL
    try:
        match_by_interning(numbers, starts, texts, max_order, allocated(memory), matches)
    finally:
        free(memory)
    return 0


cdef int end_text(Numbers *numbers, int32_t end) except -1 nogil:
    reserve(numbers, 1)
    numbers.values[numbers.count] = end
    numbers.count += 1
    if numbers.count >= MOST_TOKENS:
        with gil:
            raise MemoryError("a segment has too many tokens")
    return 0


cdef int32_t number_tokens(Tokenizer tokenizer, Workspace *work, const Line *hypothesis, const Line *references,
                           Py_ssize_t count, Py_ssize_t *starts) except -1 nogil:
    """Give numbers to the tokens of the hypothesis and look those of the references up; how many are different."""
    cdef Numbers *numbers = &work.numbers
    cdef uint64_t odd = secret()
    cdef Py_ssize_t size, k, i
    cdef bint few
    tokenizer.begin(&work.hypothesis, hypothesis)
    size = tokenizer.read(&work.hypothesis, work.tokens, AT_ONCE)
    few = size < AT_ONCE
    if few:
        reserve(numbers, size)
        number_few(&work.few, work.tokens, size, odd, numbers.values)
        numbers.count = size
    else:
        number_many(tokenizer, work, odd)
    end_text(numbers, END)
    for k in range(count):
        starts[k + 1] = numbers.count
        tokenizer.begin(&work.reference, &references[k])
        size = AT_ONCE
        while size == AT_ONCE:
            size = tokenizer.read(&work.reference, work.tokens, AT_ONCE)
            reserve(numbers, size)
            if few:
                look_up_few(&work.few, work.tokens, size, numbers.values + numbers.count)
            else:
                for i in range(size):
                    numbers.values[numbers.count + i] = look_up_word(&work.table, &work.tokens[i], odd)
            numbers.count += size
        end_text(numbers, -1)
    starts[count + 1] = numbers.count
    return work.few.size if few else work.table.size


cdef int number_many(Tokenizer tokenizer, Workspace *work, uint64_t odd) except -1 nogil:
    """Give numbers to the tokens of the hypothesis, of which the first are there."""
    cdef Numbers *numbers = &work.numbers
    cdef Py_ssize_t size = AT_ONCE
    cdef Py_ssize_t i
    make_table(&work.table)
    while True:
        reserve(numbers, size)
        for i in range(size):
            numbers.values[numbers.count] = add_word(&work.table, &work.tokens[i], odd, &work.hypothesis.watching)
            numbers.count += 1
        if size < AT_ONCE:
            return 0
        size = tokenizer.read(&work.hypothesis, work.tokens, AT_ONCE)


cdef int32_t number_characters(Workspace *work, const Line *hypothesis, const Line *references, Py_ssize_t count,
                               Py_ssize_t *starts) except -1 nogil:
    """The same where each character is a token, which needs no hash."""
    cdef Numbers *numbers = &work.numbers
    cdef const uint8_t *narrow
    cdef const int32_t *wide
    cdef Py_ssize_t spans = 0
    cdef Py_ssize_t k, i
    cdef uint64_t used
    cdef Text text
    cdef int width = 1      # bytes of a number
    if not work.characters_begun:
        make_characters(&work.characters, DROPPED)
        work.characters_begun = True
    forget(&work.characters)
    for k in range(count + 1):
        starts[k] = numbers.count
        used = 0
        if not read_text(&work.characters, hypothesis if k == 0 else &references[k - 1], width, False, k == 0, &used,
                         &spans, &text):
            width = 4
            read_text(&work.characters, hypothesis, width, False, True, &used, &spans, &text)
        reserve(numbers, text.count)
        narrow = work.characters.text.data + text.start
        wide = <const int32_t *>narrow
        for i in range(text.count):
            numbers.values[numbers.count + i] = (narrow[i] if width == 1 else wide[i]) - 1
        numbers.count += text.count
        end_text(numbers, END if k == 0 else -1)
    starts[count + 1] = numbers.count
    return work.characters.different


cdef void make_workspace(Workspace *work) noexcept nogil:
    make_scanner(&work.hypothesis)
    make_scanner(&work.reference)
    memset(&work.numbers, 0, sizeof(Numbers))
    memset(&work.starts, 0, sizeof(Buffer))
    memset(&work.memory, 0, sizeof(Buffer))
    memset(&work.table, 0, sizeof(WordTable))
    work.characters_begun = False


cdef void end_workspace(Workspace *work) noexcept nogil:
    end_scanner(&work.hypothesis)
    end_scanner(&work.reference)
    free(work.numbers.values)
    give_back(&work.starts)
    give_back(&work.memory)
    end_table(&work.table)
    if work.characters_begun:
        end_characters(&work.characters)


cdef int mode_of(str reference_length) except -1:
    if reference_length == "closest":
        return CLOSEST
    if reference_length == "closest-first":
        return CLOSEST_FIRST
    if reference_length == "shortest":
        return SHORTEST
    if reference_length == "average":
        return AVERAGE
    raise ValueError("there is no such reference length")


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
    cdef Workspace work
    cdef Watch watching = begin_watch()
    cdef int mode = mode_of(reference_length)
    cdef Py_ssize_t i
    check_segments(hypotheses, references, sets, max_order, start, stop)
    if start == stop:
        return
    if rows.shape[0] != hypotheses.count or rows.shape[1] != 2 + 2 * max_order:
        raise ValueError("the rows do not fit the segments")
    make_workspace(&work)
    try:
        with nogil:
            for i in range(start, stop):
                count_segment(tokenizer, &work, &hypotheses.lines[i], &references.lines[sets[i]],
                              <Py_ssize_t>(sets[i + 1] - sets[i]), max_order, mode, &rows[i, 0])
                watch(&watching, 8)
    finally:
        end_workspace(&work)


def raw_sum(Tokenizer tokenizer not None, RawTexts hypotheses not None, RawTexts references not None,
            const int64_t[::1] sets, Py_ssize_t max_order, str reference_length not None, Py_ssize_t start,
            Py_ssize_t stop):
    """The sum of these rows, and for each order how many segments are too short to have an n-gram of it, as lists."""
    cdef Workspace work
    cdef Watch watching = begin_watch()
    cdef int mode = mode_of(reference_length)
    cdef Py_ssize_t width = 2 + 2 * max_order
    cdef Py_ssize_t i, n
    cdef int64_t *row
    check_segments(hypotheses, references, sets, max_order, start, stop)
    row = <int64_t *>calloc(<size_t>(3 * width), sizeof(int64_t))   # a row, the sum, and what is too short
    if row == NULL:
        raise MemoryError()
    make_workspace(&work)
    try:
        with nogil:
            for i in range(start, stop):
                count_segment(tokenizer, &work, &hypotheses.lines[i], &references.lines[sets[i]],
                              <Py_ssize_t>(sets[i + 1] - sets[i]), max_order, mode, row)
                for n in range(width):
                    row[width + n] += row[n]
                for n in range(max_order):
                    row[2 * width + n] += row[2 + max_order + n] == 0
                watch(&watching, 8)
        return ([row[width + n] for n in range(width)], [row[2 * width + n] for n in range(max_order)])
    finally:
        end_workspace(&work)
        free(row)


def raw_row(Tokenizer tokenizer not None, hypothesis, references, Py_ssize_t max_order, str reference_length not None):
    """The statistics row of one segment as a list.

    :param hypothesis: an exact str or bytes
    :param references: a list or tuple of them, at least one
    """
    cdef RawTexts texts = RawTexts((hypothesis, *references))
    cdef Workspace work
    cdef int mode = mode_of(reference_length)
    cdef int64_t *row
    if texts.count < 2 or max_order < 1:
        raise ValueError("there is no reference")
    row = <int64_t *>allocated(malloc(<size_t>(2 + 2 * max_order) * sizeof(int64_t)))
    make_workspace(&work)
    try:
        if texts.size < RELEASE_FROM:
            count_segment(tokenizer, &work, texts.lines, texts.lines + 1, texts.count - 1, max_order, mode, row)
        else:
            with nogil:
                count_segment(tokenizer, &work, texts.lines, texts.lines + 1, texts.count - 1, max_order, mode, row)
        return [row[i] for i in range(2 + 2 * max_order)]
    finally:
        end_workspace(&work)
        free(row)


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
