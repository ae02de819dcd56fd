# Tables that number tokens, of lists or of raw text. In one table, tokens are equal if and only if their ids are equal.
#
# Offers: `KeyedToken`, with `cybleu_short_text` and `cybleu_read_long` for its key; `FewTokens` with `few_place`,
# `number_in_few` and `assign_few`; `TokenTable` with `number_token`, `hash_of`, `reserve_tokens`, `forget_tokens`,
# `free_tokens`, and for memory of the caller `table_size` and `place_table`; `slots_needed` of any table.

cdef extern from "tokens/keys.h":
    uint64_t CYBLEU_UNDECIDED
    ctypedef struct cybleu_key:
        uint64_t first
        uint64_t second
    ctypedef struct KeyedToken "cybleu_keyed":
        cybleu_key key
        Token token
    void cybleu_short_text(const uint8_t *text, size_t size, unsigned int kind, cybleu_key *key) noexcept nogil
    void cybleu_read_long(const uint8_t *text, size_t size, unsigned int kind, Seed seed, KeyedToken *to) noexcept nogil


cdef enum:
    FEW = 64
    FEW_SLOTS = 512         # sparsely used, because collisions cause branch mispredictions
    FEW_SHIFT = 55          # of a 64-bit hash to a slot: 64 - log2(FEW_SLOTS)
    LARGE = 65536           # slots from which memory is not reused for the next segment


# For up to FEW tokens, on the stack. The id of a token is the position of the first one that equals it.
cdef struct FewTokens:
    KeyedToken tokens[FEW + 1]  # by id + 1, their keys without the mark CYBLEU_UNDECIDED
    uint8_t slots[FEW_SLOTS]        # open addressing: 0 is free, otherwise id + 1
    int distinct                    # number of ids


# For any number of tokens, with ids in the order of occurrence. A zeroed struct is an empty table.
cdef struct TokenTable:
    uint64_t *slots         # open addressing: 0 is free, otherwise tag << 32 | id + 1
    uint64_t mask           # number of slots - 1; the number is a power of two, at least twice the tokens
    KeyedToken *tokens      # by id
    int32_t size            # number of ids


cdef inline bint same_text(const Token *one, const Token *other) noexcept nogil:
    """Compare the characters of two tokens."""
    cdef Py_ssize_t size = distance(one.text, one.end)
    return size == distance(other.text, other.end) and memcmp(one.text, other.text, <size_t>size) == 0


cdef inline int other_key(const cybleu_key *one, uint64_t first, uint64_t second) noexcept nogil:
    """Return whether a key differs from these two halves, without a branch."""
    return ((one.first ^ first) | (one.second ^ second)) != 0


cdef inline bint same_token(const KeyedToken *known, const KeyedToken *token) noexcept nogil:
    """Compare tokens; the mark of the known one may be removed."""
    cdef uint64_t second = (known.key.second ^ token.key.second) & ~CYBLEU_UNDECIDED
    return (((known.key.first ^ token.key.first) | second) == 0
            and (not token.key.second & CYBLEU_UNDECIDED or same_text(&known.token, &token.token)))


# ---------------------------------------------------------------------------------------------------------- few tokens
#
# A sentence is too short for branch prediction, and mispredicted branches dominate the cost. So keys are computed
# without branches on the length, and "new or known" is arithmetic. Keys of all tokens come before probing, to avoid
# dependency chains; `places` are the slots at which probing begins.

cdef size_t ALL_SLOTS = FEW_SLOTS       # not a constant: GCC would replace memset by slower inline code


cdef inline bint few_hold_other(const void *table, const void *key, uint64_t slot) noexcept nogil:
    """Implement `HoldsOther` for a FewTokens and a KeyedToken."""
    cdef const FewTokens *few = <const FewTokens *>table
    cdef int number = few.slots[slot]
    return number != 0 and not same_token(&few.tokens[number], <const KeyedToken *>key)


cdef inline uint64_t few_place(const KeyedToken *token, Seed seed) noexcept nogil:
    """Return the slot at which probing begins."""
    return mix_pair(token.key.first, token.key.second, seed) >> FEW_SHIFT


cdef inline int number_in_few(const FewTokens *table, const KeyedToken *token, uint64_t *place) noexcept nogil:
    """Return the id of the token plus 1, or 0 and its free slot. Undecided keys never match directly."""
    cdef int number = table.slots[place[0]]
    if CYBLEU_UNLIKELY(number & -other_key(&table.tokens[number].key, token.key.first, token.key.second)):
        place[0] = probe_on(table, token, few_hold_other, place[0], FEW_SLOTS - 1)
        number = table.slots[place[0]]
    return number


cdef inline void assign_few(FewTokens *table, uint64_t *places, Py_ssize_t count, int32_t *ids) noexcept nogil:
    """Number the tokens that stand in the table, from ``tokens[1]`` on."""
    cdef KeyedToken *tokens = table.tokens + 1
    cdef Py_ssize_t i
    cdef int number, new
    cdef int distinct = 0
    memset(table.slots, 0, ALL_SLOTS)
    clear_items(&table.tokens[0].key, 1)
    for i in range(count):
        number = number_in_few(table, &tokens[i], &places[i])
        new = number == 0
        number |= <int>(i + 1) & -new
        tokens[i].key.second &= ~CYBLEU_UNDECIDED
        table.slots[places[i]] = <uint8_t>number
        distinct += new
        ids[i] = number - 1
    table.distinct = distinct


# --------------------------------------------------------------------------------------------------------- many tokens
cdef uint64_t slots_needed(Py_ssize_t count) noexcept nogil:
    """Return the smallest power of two that leaves at least half of the slots free."""
    cdef uint64_t slots = 16
    while slots < 2 * <uint64_t>count:
        slots *= 2
    return slots


cdef inline uint64_t hash_of(const KeyedToken *token, Seed seed) noexcept nogil:
    return hash_pair(token.key.first, token.key.second, seed)


cdef inline uint64_t entry_of(uint64_t hash, int32_t number) noexcept nogil:
    """Return the entry of a slot: the tag is the high half of the hash."""
    return (hash >> 32) << 32 | <uint64_t>(number + 1)


cdef struct HashedToken:
    const KeyedToken *token
    uint64_t hash


cdef inline bint token_table_holds_other(const void *table, const void *key, uint64_t slot) noexcept nogil:
    """Implement `HoldsOther` for a TokenTable and a HashedToken."""
    cdef const TokenTable *tokens = <const TokenTable *>table
    cdef const HashedToken *hashed = <const HashedToken *>key
    cdef uint64_t entry = tokens.slots[slot]
    return entry != 0 and not ((entry ^ hashed.hash) >> 32 == 0
                               and same_token(&tokens.tokens[<uint32_t>entry - 1], hashed.token))


cdef inline bint is_taken(const void *slots, const void *key, uint64_t slot) noexcept nogil:
    """Implement `HoldsOther` for the slots of a TokenTable and a key that they do not have."""
    return (<const uint64_t *>slots)[slot] != 0


cdef inline int32_t number_token(TokenTable *table, const KeyedToken *token, uint64_t hash, bint adds) noexcept nogil:
    """Return the id of a token; if it is unknown -1, or with `adds` a new one, for which memory is reserved."""
    cdef HashedToken key = HashedToken(token, hash)
    cdef uint64_t place = probe(table, &key, token_table_holds_other, hash & table.mask, table.mask)
    if table.slots[place] or not adds:
        return <int32_t>(<uint32_t>table.slots[place] - 1)
    table.tokens[table.size] = token[0]
    table.slots[place] = entry_of(hash, table.size)
    table.size += 1
    return table.size - 1


cdef int reserve_tokens(TokenTable *table, Py_ssize_t more) except -1 nogil:
    """Reserve memory for more tokens."""
    cdef Py_ssize_t wanted = table.size + more
    cdef uint64_t slots = slots_needed(wanted)
    cdef uint64_t *larger
    cdef uint64_t hash
    cdef int32_t i
    if table.slots != NULL and slots <= table.mask + 1:
        return 0
    if wanted > MOST_POSITIONS // 2:
        with gil:
            raise MemoryError("there are too many different tokens")
    table.tokens = <KeyedToken *>allocated(realloc(table.tokens, <size_t>(slots // 2) * sizeof(KeyedToken)))
    larger = <uint64_t *>new_zeros(slots, sizeof(uint64_t))
    for i in range(table.size):
        hash = hash_of(&table.tokens[i], SEED)
        larger[probe(larger, NULL, is_taken, hash & (slots - 1), slots - 1)] = entry_of(hash, i)
    free(table.slots)
    table.slots = larger
    table.mask = slots - 1
    return 0


cdef uint64_t table_size(Py_ssize_t count) noexcept nogil:
    """Return the bytes of a table for up to `count` tokens of texts that are counted once."""
    return slots_needed(count) * sizeof(uint64_t) + <uint64_t>count * sizeof(KeyedToken)


cdef void place_table(TokenTable *table, void *memory, Py_ssize_t count) noexcept nogil:
    """Make a table in memory of `table_size` bytes."""
    cdef uint64_t slots = slots_needed(count)
    table.slots = <uint64_t *>memory
    table.mask = slots - 1
    table.tokens = <KeyedToken *>(table.slots + slots)
    table.size = 0
    clear_items(table.slots, slots)


cdef void forget_tokens(TokenTable *table) noexcept nogil:
    """Make the table empty, keeping its memory unless it is large."""
    table.size = 0
    if table.mask >= LARGE:
        free_tokens(table)
    elif table.slots != NULL:
        clear_items(table.slots, table.mask + 1)


cdef void free_tokens(TokenTable *table) noexcept nogil:
    free(table.slots)
    free(table.tokens)
    clear_items(table, 1)
