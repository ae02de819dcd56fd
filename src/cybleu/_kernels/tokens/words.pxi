# Map tokens of raw text to ids, without creating Python objects.
#
# Ids are local to a segment, or shared by many texts through a vocabulary.
#
# Offers: `TokenIds` with `reserve_ids`; `read_words` and `look_up_few_words` for few tokens, `number_word` and
# `number_each` for any number; `RawVocabulary`.

cdef enum:
    AT_ONCE = 513           # tokens read at once
    ARENA = 65536


cdef struct TokenIds:
    int32_t *values
    Py_ssize_t count
    Py_ssize_t capacity


cdef inline void read_word(const Token *word, Seed seed, KeyedToken *to) noexcept nogil:
    """Write a word with its key."""
    cdef Py_ssize_t size = distance(word.text, word.end)
    if CYBLEU_UNLIKELY(size >= 16):
        cybleu_read_long(word.text, <size_t>size, 1, seed, to)
        return
    cybleu_short_text(word.text, <size_t>size, 1, &to.key)
    to.token = word[0]


cdef inline void read_words(const Token *words, Py_ssize_t count, KeyedToken *tokens, uint64_t *places) noexcept nogil:
    """Write the words with their keys, and their first slots in a FewTokens."""
    cdef Seed seed = SEED
    cdef Py_ssize_t i
    for i in range(count):
        read_word(&words[i], seed, &tokens[i])
        places[i] = few_place(&tokens[i], seed)


cdef void look_up_few_words(const FewTokens *table, const Token *words, Py_ssize_t count, int32_t *ids) noexcept nogil:
    """Write the ids of any number of words, -1 for unknown ones."""
    cdef Seed seed = SEED
    cdef KeyedToken token
    cdef uint64_t place
    cdef Py_ssize_t i
    for i in range(count):
        read_word(&words[i], seed, &token)
        place = few_place(&token, seed)
        ids[i] = number_in_few(table, &token, &place) - 1


cdef inline int32_t number_word(TokenTable *table, const Token *word, bint adds) noexcept nogil:
    """Return the id of a word; if it is unknown -1, or with `adds` a new one, for which memory is reserved."""
    cdef KeyedToken token
    read_word(word, SEED, &token)
    return number_token(table, &token, hash_of(&token, SEED), adds)


cdef int number_each(TokenTable *table, const Token *words, Py_ssize_t count, int32_t *ids,
                     bint adds) except -1 nogil:
    """Write the ids of words as `number_word` does. New words stay where the caller has them."""
    cdef Py_ssize_t i
    if adds:
        reserve_tokens(table, count)
    for i in range(count):
        ids[i] = number_word(table, &words[i], adds)
    return 0


cdef int reserve_ids(TokenIds *numbers, Py_ssize_t more) except -1 nogil:
    """Reserve memory for more ids."""
    if numbers.capacity - numbers.count <= more:       # also the first time, for no ids: an address is required
        numbers.values = <int32_t *>grown(numbers.values, numbers.count + more, &numbers.capacity, sizeof(int32_t))
    return 0


# ---------------------------------------------------------------------------------------------------------- vocabulary
cdef class RawVocabulary:
    """Vocabulary of token ids, from 0 in order of occurrence. Concurrent lookups are safe while no thread adds tokens.

    :param tokenizer: the tokeniser
    """

    cdef Tokenizer tokenizer
    cdef TokenTable table
    cdef list memory            # bytearrays with the tokens
    cdef Py_ssize_t left        # bytes that are free at the end
    cdef uint8_t *at

    def __cinit__(self, Tokenizer tokenizer not None):
        self.tokenizer = tokenizer
        self.memory = []
        reserve_tokens(&self.table, 1)

    def __dealloc__(self):
        free_tokens(&self.table)

    cdef int add_memory(self, Py_ssize_t size) except -1 with gil:
        """Add so many bytes for tokens."""
        cdef bytearray added = bytearray(size)
        self.memory.append(added)
        self.at = <uint8_t *>PyByteArray_AS_STRING(added)
        self.left = size
        return 0

    cdef int add_all(self, const Token *words, Py_ssize_t count, int32_t *ids) except -1 nogil:
        """Write the ids of words, copying new ones."""
        cdef int32_t before = self.table.size
        cdef int32_t number
        cdef Py_ssize_t size = 1        # an empty token needs an address, too
        cdef Token *token
        cdef Py_ssize_t i
        for i in range(count):
            size += distance(words[i].text, words[i].end)
        if size > self.left:
            self.add_memory(max(size, <Py_ssize_t>ARENA))
        number_each(&self.table, words, count, ids, True)
        for number in range(before, self.table.size):
            token = &self.table.tokens[number].token
            size = distance(token.text, token.end)
            memcpy(self.at, token.text, <size_t>size)
            token.text = self.at
            self.at = self.at + size
            self.left = self.left - size
            token.end = self.at
        return 0

    cdef int32_t add_token(self, const Token *token) except -1 nogil:
        """Return the id of a token, which is copied if it is new."""
        cdef int32_t number = number_word(&self.table, token, False)
        if number < 0:
            self.add_all(token, 1, &number)
        return number

    cdef int number_line(self, Scanner *scanner, const Line *line, TokenIds *numbers, bint adds) except -1 nogil:
        """Append the ids of the tokens of a line; with `adds` new tokens get ids."""
        cdef Token tokens[AT_ONCE + MORE_TOKENS]
        cdef Py_ssize_t size = AT_ONCE
        self.tokenizer.begin(scanner, line)
        while size >= AT_ONCE:
            size = self.tokenizer.read(scanner, tokens, AT_ONCE)
            reserve_ids(numbers, size)
            if adds:
                self.add_all(tokens, size, numbers.values + numbers.count)
            else:
                number_each(&self.table, tokens, size, numbers.values + numbers.count, False)
            numbers.count += size
        return 0

    def numbers(self, RawTexts texts not None, int64_t[::1] ends not None, bint adds):
        """Return the token ids of all texts as the bytes of int32.

        :param ends: receives the end of each text's ids
        :param adds: give ids to new tokens, which are -1 otherwise
        """
        cdef Scanner scanner
        cdef TokenIds found
        cdef Py_ssize_t i
        if ends.shape[0] != texts.size:
            raise ValueError("there must be an end for each text")
        clear_items(&found, 1)
        make_scanner(&scanner)
        try:
            with nogil:
                for i in range(texts.size):
                    self.number_line(&scanner, &texts.lines[i], &found, adds)
                    ends[i] = found.count
            return PyBytes_FromStringAndSize(<const char *>found.values, found.count * <Py_ssize_t>sizeof(int32_t))
        finally:
            end_scanner(&scanner)
            free(found.values)
