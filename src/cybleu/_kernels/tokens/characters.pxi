# Map tokens of raw text to ids, without creating Python objects.
#
# Ids are local to a segment, or shared by many texts through a vocabulary.

cdef enum:
    FEW_WORD_SLOTS = 4096
    FEW_NUMBERS = 514       # unused 0, AT_ONCE - 1 tokens, and one entry to write ahead
    AT_ONCE = 513           # tokens read at once


# For less than AT_ONCE tokens. As in `objects.pxi`, ids start at 1, and 0 is unused.
cdef struct FewWords:
    uint16_t slots[FEW_WORD_SLOTS]
    uint64_t mask
    Seed seed
    uint64_t first[FEW_NUMBERS]
    uint64_t second[FEW_NUMBERS]
    Token tokens[FEW_NUMBERS]   # set if the key does not identify the token
    int size


cdef struct WordEntry:
    uint64_t first          # key, as in FewWords
    uint64_t second
    Token token


# For any number of tokens.
cdef struct WordTable:
    uint64_t *slots         # open addressing: 0 is free, otherwise tag << 32 | number + 1
    uint64_t mask
    WordEntry *words             # by number
    int32_t size            # number of ids
    int32_t capacity


cdef struct TokenIds:
    int32_t *values
    Py_ssize_t count
    Py_ssize_t capacity


cdef enum:
    ARENA = 65536
    SMALL = 1024            # initial slots of a table
    LARGE = 65536           # slots from which memory is not reused for the next segment


# ------------------------------------------------------------------------------------------------------------- tokens
cdef inline Py_ssize_t size_of_word(const Token *token) noexcept nogil:
    return distance(token.text, token.end)


cdef inline bint same_word(const Token *first, const Token *second) noexcept nogil:
    cdef Py_ssize_t size = size_of_word(first)
    return size == size_of_word(second) and memcmp(first.text, second.text, <size_t>size) == 0


cdef inline cybleu_key key_of_word(const Token *token, Seed seed) noexcept nogil:
    return cybleu_key_of_bytes(token.text, size_of_word(token), seed)


# ---------------------------------------------------------------------------------------------------------- few tokens
#
# As in `objects.pxi`, for tokens in bytes.
cdef inline uint64_t few_place(const FewWords *table, cybleu_key key) noexcept nogil:
    return hash_pair(key.first, key.second, table.seed) & table.mask


cdef inline int other_word(const FewWords *table, int number, cybleu_key key) noexcept nogil:
    return ((table.first[number] ^ key.first) | (table.second[number] ^ key.second)) != 0


cdef int find_few(const FewWords *table, const Token *token, cybleu_key key, uint64_t *place) noexcept nogil:
    """Probe from `place` on; return the id of the token, or 0 and its free slot."""
    cdef int number
    while True:
        number = table.slots[place[0]]
        if number == 0:
            return 0
        if table.first[number] == key.first and table.second[number] == key.second:
            if not key.second & CYBLEU_UNDECIDED or same_word(&table.tokens[number], token):
                return number
        place[0] = next_slot(place[0], table.mask)


cdef inline int word_number(const FewWords *table, const Token *token, cybleu_key *key,
                            uint64_t *place) noexcept nogil:
    """Return the id of the token, or 0 and its free slot."""
    cdef int number
    if CYBLEU_UNLIKELY(size_of_word(token) >= 16):
        key[0] = key_of_word(token, table.seed)
        place[0] = few_place(table, key[0])
        return find_few(table, token, key[0], place)
    cybleu_short_text(<const char *>token.text, <size_t>size_of_word(token), 1, key)
    place[0] = few_place(table, key[0])
    number = table.slots[place[0]]      # 0 stays 0 below, whatever key entry 0 has
    if CYBLEU_UNLIKELY(number & -other_word(table, number, key[0])):
        number = find_few(table, token, key[0], place)
    return number


# Assign ids to tokens, from 0 on in order of occurrence.
cdef void number_few_words(FewWords *table, const Token *tokens, Py_ssize_t count, Seed seed,
                           int32_t *ids) noexcept nogil:
    cdef cybleu_key key
    cdef uint64_t place = 0
    cdef Py_ssize_t i
    cdef int number, new
    cdef int fresh = 1      # id of the next new token
    table.seed = seed
    table.mask = 63
    while <Py_ssize_t>table.mask < 8 * count - 1:
        table.mask = 2 * table.mask + 1
    memset(table.slots, 0, <size_t>(table.mask + 1) * sizeof(uint16_t))
    for i in range(count):
        number = word_number(table, &tokens[i], &key, &place)
        new = number == 0
        number |= fresh & -new
        table.first[fresh] = key.first
        table.second[fresh] = key.second
        if CYBLEU_UNLIKELY(size_of_word(&tokens[i]) >= 16):
            table.tokens[fresh] = tokens[i]
        table.slots[place] = <uint16_t>number
        fresh += new
        ids[i] = number - 1
    table.size = fresh - 1


# Look up ids; -1 for unknown tokens.
cdef void look_up_few_words(const FewWords *table, const Token *tokens, Py_ssize_t count, int32_t *ids) noexcept nogil:
    cdef cybleu_key key
    cdef uint64_t place = 0
    cdef Py_ssize_t i
    for i in range(count):
        ids[i] = word_number(table, &tokens[i], &key, &place) - 1


# --------------------------------------------------------------------------------------------------------- many tokens
cdef inline uint64_t entry_of(uint64_t mixed, int32_t number) noexcept nogil:
    return (mixed & <uint64_t>0xFFFFFFFF00000000) | <uint64_t>(number + 1)


cdef inline int32_t find_word(const WordTable *table, const Token *token, cybleu_key key, uint64_t mixed,
                              uint64_t *place) noexcept nogil:
    """Return the id of the token, or -1 and its free slot."""
    cdef uint64_t at = mixed & table.mask
    cdef uint64_t entry
    cdef const WordEntry *word
    while True:
        entry = table.slots[at]
        if entry == 0:
            place[0] = at
            return -1
        if (entry ^ mixed) >> 32 == 0:
            word = &table.words[<uint32_t>entry - 1]
            if word.first == key.first and word.second == key.second:
                if not key.second & CYBLEU_UNDECIDED or same_word(&word.token, token):
                    return <int32_t>(<uint32_t>entry - 1)
        at = next_slot(at, table.mask)


cdef int32_t look_up_word(const WordTable *table, const Token *token, Seed seed) noexcept nogil:
    cdef cybleu_key key = key_of_word(token, seed)
    cdef uint64_t place = 0
    return find_word(table, token, key, hash_pair(key.first, key.second, seed), &place)


cdef int make_word_table(WordTable *table) except -1 nogil:
    """Initialise an empty table, reusing previous memory unless it is large."""
    if table.slots != NULL and table.mask < LARGE:
        memset(table.slots, 0, <size_t>(table.mask + 1) * sizeof(uint64_t))
        table.size = 0
        return 0
    end_word_table(table)
    table.mask = SMALL - 1
    table.words = <WordEntry *>allocated(malloc(SMALL // 2 * sizeof(WordEntry)))
    table.slots = <uint64_t *>allocated(calloc(SMALL, sizeof(uint64_t)))
    table.capacity = SMALL // 2
    return 0


cdef void end_word_table(WordTable *table) noexcept nogil:
    free(table.slots)
    free(table.words)
    memset(table, 0, sizeof(WordTable))


cdef int enlarge(WordTable *table, Seed seed) except -1 nogil:
    cdef uint64_t slots = 2 * (table.mask + 1)
    cdef uint64_t *larger
    cdef uint64_t mixed, at
    cdef int32_t i
    table.words = <WordEntry *>allocated(realloc(table.words, <size_t>(slots // 2) * sizeof(WordEntry)))
    larger = <uint64_t *>allocated(calloc(<size_t>slots, sizeof(uint64_t)))
    for i in range(table.size):
        mixed = hash_pair(table.words[i].first, table.words[i].second, seed)
        at = mixed & (slots - 1)
        while larger[at]:
            at = (at + 1) & (slots - 1)
        larger[at] = entry_of(mixed, i)
    free(table.slots)
    table.slots = larger
    table.mask = slots - 1
    table.capacity = <int32_t>(slots // 2)
    return 0


cdef inline int32_t add_to_words(WordTable *table, const Token *token, Seed seed) except -1 nogil:
    """Return the id of the token, adding it if it is new; a new entry points to the caller's bytes."""
    cdef cybleu_key key = key_of_word(token, seed)
    cdef uint64_t mixed = hash_pair(key.first, key.second, seed)
    cdef uint64_t place = 0
    cdef int32_t number = find_word(table, token, key, mixed, &place)
    if number < 0:
        number = table.size
        if number == table.capacity:
            if number >= MOST_POSITIONS // 2:
                with gil:
                    raise MemoryError("there are too many different tokens")
            enlarge(table, seed)
            find_word(table, token, key, mixed, &place)
        table.words[number].first = key.first
        table.words[number].second = key.second
        table.words[number].token = token[0]
        table.slots[place] = entry_of(mixed, number)
        table.size += 1
    return number


cdef int number_many_words(WordTable *table, const Token *tokens, Py_ssize_t count, Seed seed,
                           int32_t *ids) except -1 nogil:
    cdef Py_ssize_t i
    for i in range(count):
        ids[i] = add_to_words(table, &tokens[i], seed)
    return 0


cdef void look_up_many_words(const WordTable *table, const Token *tokens, Py_ssize_t count, Seed seed,
                             int32_t *ids) noexcept nogil:
    cdef Py_ssize_t i
    for i in range(count):
        ids[i] = look_up_word(table, &tokens[i], seed)


cdef int reserve_ids(TokenIds *numbers, Py_ssize_t more) except -1 nogil:
    """Reserve memory for more ids."""
    if numbers.capacity - numbers.count < more:
        numbers.values = <int32_t *>grown(numbers.values, numbers.count + more, &numbers.capacity, sizeof(int32_t))
    return 0


# ---------------------------------------------------------------------------------------------------------- vocabulary
cdef class RawVocabulary:
    """Vocabulary of token ids, from 0 in order of occurrence. Concurrent lookups are safe while no thread adds tokens.

    :param tokenizer: the tokeniser
    """

    cdef readonly Tokenizer tokenizer
    cdef WordTable table
    cdef uint8_t **arenas       # memory of the tokens
    cdef Py_ssize_t arena_count
    cdef Py_ssize_t arena_left  # bytes free at the end of the last one
    cdef uint8_t *arena_at

    def __cinit__(self, Tokenizer tokenizer not None):
        self.tokenizer = tokenizer
        make_word_table(&self.table)

    def __dealloc__(self):
        cdef Py_ssize_t i
        for i in range(self.arena_count):
            free(self.arenas[i])
        free(self.arenas)
        end_word_table(&self.table)

    def __len__(self):
        return self.table.size

    cdef int reserve_bytes(self, Py_ssize_t size) except -1 nogil:
        """Reserve memory for the bytes of a token that may be new."""
        if size > self.arena_left:
            self.arenas = <uint8_t **>allocated(
                realloc(self.arenas, (<size_t>self.arena_count + 1) * sizeof(uint8_t *)))
            self.arena_at = self.arenas[self.arena_count] = <uint8_t *>allocated(malloc(<size_t>max(size, ARENA)))
            self.arena_count = self.arena_count + 1
            self.arena_left = max(size, ARENA)
        return 0

    cdef int32_t add_token(self, const Token *token, Seed seed) except -1 nogil:
        cdef int32_t before = self.table.size
        cdef int32_t number
        cdef Py_ssize_t size = size_of_word(token)
        self.reserve_bytes(max(size, 1))     # an empty token needs an address, too
        number = add_to_words(&self.table, token, seed)
        if number == before:
            memcpy(self.arena_at, token.text, <size_t>size)
            self.table.words[number].token.text = self.arena_at
            self.arena_at = self.arena_at + size
            self.arena_left = self.arena_left - size
            self.table.words[number].token.end = self.arena_at
        return number

    cdef int number_line(self, Scanner *scanner, const Line *line, TokenIds *numbers, bint adds) except -1 nogil:
        cdef Token tokens[AT_ONCE + MORE_TOKENS]
        cdef Seed seed = process_seed()
        cdef Py_ssize_t size = AT_ONCE
        cdef Py_ssize_t i
        cdef int32_t number
        self.tokenizer.begin(scanner, line)
        while size == AT_ONCE:
            size = self.tokenizer.read(scanner, tokens, AT_ONCE)
            reserve_ids(numbers, size)
            for i in range(size):
                if adds:
                    number = self.add_token(&tokens[i], seed)
                else:
                    number = look_up_word(&self.table, &tokens[i], seed)
                numbers.values[numbers.count] = number
                numbers.count += 1
        return 0

    cdef bytes numbers_of(self, RawTexts texts, Py_ssize_t start, Py_ssize_t stop, int64_t[::1] ends, bint adds):
        cdef Scanner scanner
        cdef TokenIds numbers
        cdef Py_ssize_t i
        if not 0 <= start <= stop <= texts.count or ends.shape[0] != stop - start:
            raise ValueError("the texts do not fit")
        memset(&numbers, 0, sizeof(TokenIds))
        make_scanner(&scanner)
        try:
            with nogil:
                for i in range(start, stop):
                    self.number_line(&scanner, &texts.lines[i], &numbers, adds)
                    ends[i - start] = numbers.count
            return PyBytes_FromStringAndSize(<const char *>numbers.values, numbers.count * <Py_ssize_t>sizeof(int32_t))
        finally:
            end_scanner(&scanner)
            free(numbers.values)

    def add(self, RawTexts texts not None, int64_t[::1] ends):
        """Return the token ids of all texts as the bytes of int32, adding new tokens.

        :param ends: receives the end of each text's ids
        """
        return self.numbers_of(texts, 0, texts.count, ends, True)

    def look_up(self, RawTexts texts not None, Py_ssize_t start, Py_ssize_t stop, int64_t[::1] ends):
        """Return the token ids of texts `start` to `stop` (exclusive), with -1 for unknown tokens."""
        return self.numbers_of(texts, start, stop, ends, False)

    def number(self, str token not None):
        """Return the id of a token, or -1."""
        cdef Token wanted
        cdef bytes text = padded(token, &wanted)
        return look_up_word(&self.table, &wanted, process_seed()) if text else -1

    def tokens(self):
        """Return all tokens in order of their ids."""
        cdef const Token *token
        cdef list found = []
        cdef int32_t i
        for i in range(self.table.size):
            token = &self.table.words[i].token
            found.append(PyUnicode_DecodeUTF8(<const char *>token.text, size_of_word(token), "surrogatepass"))
        return found

    def assign(self, list tokens not None):
        """Add tokens in order, without tokenising them."""
        cdef bytes text
        cdef Token wanted
        for token in tokens:
            text = padded(token, &wanted)
            if text:
                self.add_token(&wanted, process_seed())


cdef bytes padded(str text, Token *token):
    """View a str as a token; the argument must stay alive while the token is used."""
    cdef bytes found = bytes(16) + text.encode("utf-8", "surrogatepass")
    token.text = <const uint8_t *><const char *>found + 16
    token.end = token.text + len(found) - 16
    return found
