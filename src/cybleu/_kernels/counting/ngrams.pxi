# Clipped n-gram matches of a hypothesis against references, on token ids, in linear time.
#
# Equal tokens have equal ids; reference tokens that are not in the hypothesis are -1.
#
# Offers: `MaskMatcher` with `begin_masks`, `add_reference_masks` and `finish_masks`; `match_ngrams`, which works in
# memory of the size `match_memory`; `count_tokens` and `take_largest` for each reference apart.

cdef enum:
    MASK_BITS = 64        # tokens, one for each bit of a machine word


# For a hypothesis of up to MASK_BITS tokens and references no longer than that: positions as bits of a word. Ids are
# less than the length of the hypothesis.
cdef struct MaskMatcher:
    const int32_t *hypothesis
    int length
    int orders                                  # min(max_order, length)
    uint64_t repeats[MASK_BITS]                 # [n - 1]: start positions of n-grams that occurred before
    uint64_t matched[MASK_BITS]                 # [n - 1]: start positions of clipped matches
    uint8_t rank[MASK_BITS][MASK_BITS]          # [n - 1][i]: for repeated n-grams, the number of occurrences before i


cdef enum:
    FIRST_ORDERS = 4     # orders


cdef size_t ALL_PLACES = (MASK_BITS + 1) * sizeof(uint64_t)   # not a compile-time constant, see tokens/tables.pxi


# ------------------------------------------------------------------------------------------- up to MASK_BITS tokens
#
# places[t] has a bit for each position of token t. The positions at which the n-gram of hypothesis position i starts
# are  M_1(i) = places[id(i)],  M_n(i) = M_(n-1)(i) & (M_1(i + n - 1) >> (n - 1)),  and their number is its count. An
# n-gram position is a clipped match where fewer equal n-grams started before it than the reference has, so the clipped
# matches over several references are the positions that match in any of them, without a table of maximum counts.
cdef void begin_masks(MaskMatcher *matcher, const int32_t *hypothesis, int length, int distinct,
                      Py_ssize_t max_order) noexcept nogil:
    cdef uint64_t places[MASK_BITS]
    cdef uint64_t earlier[MASK_BITS]
    cdef uint64_t candidates, repeats
    cdef int i, n
    matcher.hypothesis = hypothesis
    matcher.length = length
    matcher.orders = <int>min(max_order, length)
    for n in range(matcher.orders):
        matcher.matched[n] = 0
        matcher.repeats[n] = 0
    if length == distinct or matcher.orders == 0:
        return
    for i in range(length):
        places[i] = 0
    repeats = 0
    for i in range(length):
        earlier[i] = places[hypothesis[i]]
        repeats |= <uint64_t>(earlier[i] != 0) << i
        places[hypothesis[i]] |= <uint64_t>1 << i
    for n in range(matcher.orders):
        if n > 0:
            candidates = repeats & (repeats >> 1)
            repeats = 0
            while candidates:
                i = cybleu_lowest_bit(candidates)
                candidates &= candidates - 1
                earlier[i] &= places[hypothesis[i + n]] >> n
                repeats |= <uint64_t>(earlier[i] != 0) << i
            if repeats == 0:
                return
        matcher.repeats[n] = repeats
        candidates = repeats
        while candidates:
            i = cybleu_lowest_bit(candidates)
            candidates &= candidates - 1
            matcher.rank[n][i] = <uint8_t>cybleu_count_bits(earlier[i])


cdef inline uint64_t starts_of(const uint64_t *places, const int32_t *ngram, int n) noexcept nogil:
    """Return M_n of an n-gram of the hypothesis."""
    cdef uint64_t starts = places[ngram[0]]
    cdef int k
    for k in range(1, n):
        starts &= places[ngram[k]] >> k
    return starts


cdef void add_reference_masks(MaskMatcher *matcher, const int32_t *reference, int length) noexcept nogil:
    """Add the clipped matches with one reference."""
    cdef const int32_t *hypothesis = matcher.hypothesis
    cdef uint64_t with_unknown[MASK_BITS + 1]
    cdef uint64_t *places = with_unknown + 1    # index -1 is for unknown tokens: a branch would be mispredicted
    cdef uint64_t found[FIRST_ORDERS]        # [n - 1]: where an n-gram starts that the reference has
    cdef uint64_t one, two, three, four     # M_n(i)
    cdef uint64_t candidates, longer
    cdef int i, n
    memset(with_unknown, 0, ALL_PLACES)
    for i in range(length):
        places[reference[i]] |= <uint64_t>1 << i
    # The first four orders at once: M_n(i) = M_1(i) & (M_(n-1)(i + 1) >> 1). Iteration counts are
    # unpredictable, so this is a single loop without branches.
    one = two = three = 0
    found[0] = found[1] = found[2] = found[3] = 0
    for i in range(matcher.length - 1, -1, -1):
        four = three >> 1
        three = two >> 1
        two = one >> 1
        one = places[hypothesis[i]]
        two &= one
        three &= one
        four &= one
        found[0] = 2 * found[0] + (one != 0)
        found[1] = 2 * found[1] + (two != 0)
        found[2] = 2 * found[2] + (three != 0)
        found[3] = 2 * found[3] + (four != 0)
    for n in range(min(matcher.orders, FIRST_ORDERS)):
        add_found(matcher, places, found[n], n)
    longer = found[FIRST_ORDERS - 1]
    for n in range(FIRST_ORDERS, matcher.orders):
        # an n-gram can only match where both of its (n-1)-grams do
        candidates = longer & (longer >> 1)
        longer = 0
        while candidates:
            i = cybleu_lowest_bit(candidates)
            candidates &= candidates - 1
            longer |= <uint64_t>(starts_of(places, hypothesis + i, n + 1) != 0) << i
        if longer == 0:
            return
        add_found(matcher, places, longer, n)


cdef inline void add_found(MaskMatcher *matcher, const uint64_t *places, uint64_t found, int n) noexcept nogil:
    """Add the clipped matches among the n-grams found in a reference."""
    cdef uint64_t candidates = found & matcher.repeats[n] & ~matcher.matched[n]
    cdef int starts, i
    matcher.matched[n] |= found & ~matcher.repeats[n]
    while candidates:
        i = cybleu_lowest_bit(candidates)
        candidates &= candidates - 1
        starts = cybleu_count_bits(starts_of(places, matcher.hypothesis + i, n + 1))
        matcher.matched[n] |= <uint64_t>(matcher.rank[n][i] < starts) << i


cdef void finish_masks(const MaskMatcher *matcher, int64_t *matches) noexcept nogil:
    """Add the clipped matches of each order to `matches`."""
    cdef int n
    for n in range(matcher.orders):
        if matcher.matched[n] == 0:
            return
        matches[n] += cybleu_count_bits(matcher.matched[n])


# --------------------------------------------------------------------------------------------------------- any length
#
# N-grams of the hypothesis are numbered from 1 on, order by order; 0 means none. A table maps the number of an
# (n-1)-gram and the next token to the number of the n-gram. Only positions followed by another match can begin a longer
# one, so the work decreases with the number of matches.
#
# Whether an n-gram matches is unpredictable, so the loops over text are branch-free: positions are always written to
# the list, and the length of the list grows only for matches; number 0 is counted, too.

# Positions of a text at which a match can begin, and the numbers of the n-grams there.
cdef struct Starts:
    int32_t *positions
    int32_t *numbers
    Py_ssize_t count


cdef enum:
    MOST_PAIRS = 8192       # with direct addressing


cdef uint64_t match_memory(Py_ssize_t length, Py_ssize_t total, Py_ssize_t texts) noexcept nogil:
    """Return the bytes in which `match_ngrams` works, aligned for 8; `total` is bounds[texts]."""
    return (<uint64_t>texts * sizeof(Starts) + <uint64_t>(length + 2) * (sizeof(uint64_t) + 3 * sizeof(int32_t))
            + 2 * <uint64_t>total * sizeof(int32_t)
            + max(slots_for(length), <uint64_t>MOST_PAIRS) * sizeof(int32_t))


cdef inline void count_tokens(const int32_t *tokens, Py_ssize_t count, int32_t *counts) noexcept nogil:
    cdef Py_ssize_t i
    for i in range(count):
        counts[tokens[i] + 1] += 1


cdef inline void list_neighbours(Starts *starts, const int32_t *tokens, Py_ssize_t count,
                                 const int32_t *best) noexcept nogil:
    """List positions where a token that matches is followed by another one."""
    cdef int32_t *positions = starts.positions
    cdef int32_t *numbers = starts.numbers
    cdef Py_ssize_t kept = 0
    cdef Py_ssize_t i
    for i in range(count - 1):
        positions[kept] = <int32_t>i
        numbers[kept] = tokens[i] + 1
        kept += (best[tokens[i] + 1] > 0) & (best[tokens[i + 1] + 1] > 0)
    starts.count = kept


cdef inline void keep_neighbours(Starts *starts, const int32_t *best) noexcept nogil:
    """Keep positions where an n-gram that matches is followed by another one."""
    cdef int32_t *positions = starts.positions
    cdef int32_t *numbers = starts.numbers
    cdef int32_t position, number
    cdef Py_ssize_t kept = 0
    cdef Py_ssize_t i
    for i in range(starts.count - 1):
        position = positions[i]
        number = numbers[i]
        positions[kept] = position
        numbers[kept] = number
        kept += (positions[i + 1] == position + 1) & (best[number] > 0) & (best[numbers[i + 1]] > 0)
    starts.count = kept


cdef inline int32_t extend_matches(const KeyTable *table, Starts *starts, const int32_t *tokens, int32_t *counts,
                                   int32_t given, bint adds, Watch *watching) except -1 nogil:
    """Replace the numbers of (n-1)-grams by those of n-grams, and count these; others are dropped, or added.

    Return the last number that is given.

    :param tokens: tokens, offset to the last token of an n-gram
    """
    if table.width > 0:     # in loops of their own
        return extend_each(table, starts, tokens, counts, given, adds, True, watching)
    return extend_each(table, starts, tokens, counts, given, adds, False, watching)


cdef inline int32_t extend_each(const KeyTable *table, Starts *starts, const int32_t *tokens, int32_t *counts,
                                int32_t given, bint adds, bint direct, Watch *watching) except -1 nogil:
    """Implement `extend_matches`."""
    cdef int32_t *positions = starts.positions
    cdef int32_t *numbers = starts.numbers
    cdef int32_t position, number
    cdef Py_ssize_t kept = 0
    cdef Py_ssize_t first, i
    first = 0
    while first < starts.count:
        for i in range(first, block_end(first, starts.count, watching)):
            position = positions[i]
            number = number_of(table, pair_key(numbers[i], tokens[position]), &given, adds, direct)
            counts[number] += 1
            positions[kept] = position
            numbers[kept] = number
            kept += number > 0
        first += STEPS
    starts.count = kept
    return given


cdef inline void take_largest(const int32_t *numbers, Py_ssize_t count, int32_t before, int32_t *counts,
                              int32_t *best) noexcept nogil:
    """Merge the counts of a reference into the largest ones, and reset them to 0.

    :param numbers: the numbers of its n-grams, less `before`
    """
    cdef int32_t number
    cdef Py_ssize_t i
    for i in range(count):
        number = numbers[i] + before
        best[number] = max(best[number], counts[number])
        counts[number] = 0


cdef int match_ngrams(const int32_t *tokens, const Py_ssize_t *bounds, Py_ssize_t texts, Py_ssize_t max_order,
                      void *memory, int64_t *matches, Watch *watching) except -1 nogil:
    """Add the clipped matches of each order to `matches`.

    The n-grams of each reference are counted apart, and `take_largest` keeps the largest count of any one reference, by
    which the count in the hypothesis is clipped at the end of each order.

    :param tokens: the ids of the hypothesis, from 0 to before its length, then those of each reference, each text
        followed by -1
    :param bounds: text k starts at bounds[k]; bounds[texts], less than 2 ** 30, is the end
    """
    cdef Starts *starts = <Starts *>memory
    cdef Py_ssize_t length = bounds[1] - 1
    cdef KeyTable table
    cdef int32_t *counts = <int32_t *>(<uint64_t *>(starts + texts) + length + 2)   # in the hypothesis, by number
    cdef int32_t *best = counts + length + 2                # the largest in a reference
    cdef int32_t *seen = best if texts == 2 else best + length + 2      # in one reference: alone, it is the best
    cdef int32_t *lists = best + 2 * (length + 2)
    cdef uint64_t slots, width
    cdef int64_t clipped
    cdef int32_t given = 0          # the last number
    cdef Py_ssize_t size, n, k, i
    table.keys = <uint64_t *>(starts + texts)
    table.numbers = lists + 2 * bounds[texts]
    table.mask = 0      # set again for pairs, which compilers do not see
    table.width = 0
    for i in range(length):
        given = max(given, <int32_t>(tokens[i] + 1))
    width = <uint64_t>given
    for k in range(texts):
        starts[k].positions = lists + bounds[k]
        starts[k].numbers = lists + bounds[texts] + bounds[k]
    clear_items(seen, length + 2)
    for n in range(min(max_order, length)):
        for k in range(texts if n > 0 else 0):
            if n == 1:
                list_neighbours(&starts[k], tokens + bounds[k], bounds[k + 1] - 1 - bounds[k], best)
            else:
                keep_neighbours(&starts[k], best)
            watch_long(watching, starts[k].count)
        if n > 0:
            slots = (<uint64_t>given + 1) * width
            table.width = width if width <= MASK_BITS and slots <= MOST_PAIRS else 0
            if table.width == 0:
                slots = slots_for(starts[0].count)
            forget_keys(&table, slots, watching)
            given = 0
        clear_items(counts, (starts[0].count if n > 0 else length) + 1)
        if n == 0:
            count_tokens(tokens, length, counts)
        else:
            given = extend_matches(&table, &starts[0], tokens + n, counts, given, True, watching)
        clear_items(best, given + 1)
        for k in range(1, texts):
            size = bounds[k + 1] - 1 - bounds[k]
            if n == 0:
                count_tokens(tokens + bounds[k], size, seen)
            else:
                extend_matches(&table, &starts[k], tokens + bounds[k] + n, seen, given, False, watching)
                size = starts[k].count
            if texts > 2:
                take_largest(tokens + bounds[k] if n == 0 else starts[k].numbers, size, n == 0, seen, best)
            watch_long(watching, size)
        best[0] = 0
        clipped = 0
        for i in range(1, given + 1):
            clipped += min(counts[i], best[i])
        if clipped == 0:
            return 0
        matches[n] += clipped
        watch(watching, bounds[texts])
    return 0
