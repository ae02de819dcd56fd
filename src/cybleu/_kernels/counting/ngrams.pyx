# cython: freethreading_compatible=True
"""Exact clipped n-gram matches in linear time."""

from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t, uint64_t
from libc.string cimport memset

from cybleu._kernels.common.bits cimport cybleu_count_bits, cybleu_lowest_bit
from cybleu._kernels.common.base cimport CYBLEU_PREFETCH, CYBLEU_UNLIKELY
from cybleu._kernels.common.hashing cimport Seed, hash_word, next_slot, process_seed
from cybleu._kernels.common.interrupts cimport Watch, begin_watch, fill_bytes, watch
from cybleu._kernels.tokens.objects cimport slots_needed


cdef enum:
    AT_ONCE = 4     # orders

cdef size_t ALL_PLACES = MASKS_AND_ONE * sizeof(uint64_t)   # not a compile-time constant, see tokens/objects.pyx


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
    cdef const int32_t *hypothesis = matcher.hypothesis
    cdef uint64_t with_unknown[MASKS_AND_ONE]
    cdef uint64_t *places = with_unknown + 1    # index -1 is for unknown tokens: a branch would be mispredicted
    cdef uint64_t found[AT_ONCE]        # [n - 1]: where an n-gram starts that the reference has
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
    for n in range(min(matcher.orders, AT_ONCE)):
        add_found(matcher, places, found[n], n)
    longer = found[AT_ONCE - 1]
    for n in range(AT_ONCE, matcher.orders):
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
# For each order, candidate n-grams of the hypothesis are numbered from 1 on; 0 means none. A table maps the number of
# an (n-1)-gram and the next token to the number of the n-gram. For each text, the start positions of matching n-grams
# are listed; if matches are sparse, only positions followed by another one are kept. So the work decreases with the
# number of matches of each order.
#
# Whether an n-gram matches is unpredictable, so the loops over text are branch-free: positions are always written to
# the list, and the length of the list grows only for matches; number 0 is counted, too.

cdef enum:
    PIECE = 2048            # positions between two checks for Ctrl-C
    MOST_CELLS = 8192
    NEAR = 16384            # n-grams up to which slots are not prefetched
    FETCHED = 64            # slots prefetched at once
    NO_TOKEN = 0x80         # in each byte


# How a table stores the number.
cdef enum:
    ENDS            # by (n-1)-gram, which occurs once, so that only one token follows it
    CELLS           # direct addressing: a cell for each pair
    SLOTS           # open addressing


# Start positions of numbered n-grams, and the numbers.
cdef struct Starts:
    int32_t *positions
    int32_t *names
    Py_ssize_t count


cdef struct PairTable:
    int form
    bint far                    # slots are prefetched
    int32_t *numbers            # by cell or slot, 0 in a free one
    uint64_t *keys              # SLOTS: by number; ENDS: number and token by (n-1)-gram
    int64_t width               # of CELLS
    uint64_t mask               # of SLOTS
    Seed seed
    int32_t given               # the last number


cdef inline uint64_t slots_for(Py_ssize_t count) noexcept nogil:
    """Return the number of slots; small tables get more, as collisions cause branch mispredictions."""
    return slots_needed(count) * (4 if count <= NEAR else 2)


cdef uint64_t match_memory(Py_ssize_t length, Py_ssize_t total, Py_ssize_t texts) noexcept nogil:
    cdef Py_ssize_t counters = 2 if texts == 2 else 3
    return (texts * sizeof(Starts) + <uint64_t>(length + 2) * (sizeof(uint64_t) + counters * sizeof(int32_t))
            + 2 * <uint64_t>total * sizeof(int32_t) + max(<uint64_t>MOST_CELLS, slots_for(length)) * sizeof(int32_t))


cdef inline int empty_table(PairTable *table, Py_ssize_t count, int32_t names, bint once, int distinct,
                            Watch *watching) except -1 nogil:
    """Empty the table for `count` positions and `names` (n-1)-grams; `once`: each of these occurs once."""
    cdef uint64_t size = (<uint64_t>names + 1) * (<uint64_t>distinct + 1)
    table.width = distinct + 1
    table.given = 0
    table.far = False
    if once:
        table.form = ENDS
        return fill_bytes(table.keys, NO_TOKEN, <size_t>(names + 1) * sizeof(uint64_t), watching)
    table.form = CELLS
    if size > MOST_CELLS:
        table.form = SLOTS
        table.far = count > NEAR
        size = slots_for(count)
        table.keys[0] = 0   # for number 0
        table.mask = size - 1
    return fill_bytes(table.numbers, 0, <size_t>size * sizeof(int32_t), watching)


cdef inline uint64_t key_of(int32_t name, int32_t token) noexcept nogil:
    return <uint64_t>name << 32 | <uint64_t><uint32_t>token


cdef inline uint64_t place_of(const PairTable *table, uint64_t key) noexcept nogil:
    return hash_word(key, table.seed) & table.mask


cdef int32_t find_number(const PairTable *table, uint64_t key, uint64_t *place) noexcept nogil:
    """Probe from `place` on; return the number of the n-gram, or 0 and its free slot."""
    cdef int32_t number = table.numbers[place[0]]
    cdef int probed = 0
    while number != 0 and table.keys[number] != key:
        place[0] = next_slot(place[0], table.mask, &probed)
        number = table.numbers[place[0]]
    return number


cdef inline int32_t number_at(const PairTable *table, int32_t name, int32_t token, int form,
                              uint64_t *place) noexcept nogil:
    cdef int32_t number
    if form == ENDS:
        return <int32_t>(table.keys[name] >> 32) & -<int32_t>(<uint32_t>table.keys[name] == <uint32_t>token)
    if form == CELLS:
        place[0] = <uint64_t>(name * table.width + token + 1)
        return table.numbers[place[0]]
    place[0] = place_of(table, key_of(name, token))
    number = table.numbers[place[0]]
    if CYBLEU_UNLIKELY(number & -<int32_t>(table.keys[number] != key_of(name, token))):
        number = find_number(table, key_of(name, token), place)
    return number


cdef inline Py_ssize_t list_tokens(Starts *starts, const int32_t *tokens, const int32_t *best, Py_ssize_t kept,
                                   Py_ssize_t start, Py_ssize_t end, bint sparse) noexcept nogil:
    cdef Py_ssize_t i
    for i in range(start, end):
        starts.positions[kept] = <int32_t>i
        starts.names[kept] = tokens[i] + 1
        if sparse:
            kept += (best[tokens[i] + 1] > 0) & (best[tokens[i + 1] + 1] > 0)
        else:
            kept += 1
    return kept


cdef inline Py_ssize_t keep_neighbours(Starts *starts, const int32_t *best, Py_ssize_t kept, Py_ssize_t start,
                                       Py_ssize_t end) noexcept nogil:
    cdef int32_t *positions = starts.positions
    cdef int32_t *names = starts.names
    cdef int32_t position, name
    cdef Py_ssize_t i
    for i in range(start, end):
        position = positions[i]
        name = names[i]
        positions[kept] = position
        names[kept] = name
        kept += (positions[i + 1] == position + 1) & (best[name] > 0) & (best[names[i + 1]] > 0)
    return kept


cdef inline int begin_order(Starts *starts, const int32_t *tokens, const int32_t *best, Py_ssize_t n, bint sparse,
                            Watch *watching) except -1 nogil:
    """List positions that may start a longer match: if matches are sparse, those followed by another match."""
    cdef Py_ssize_t kept = 0
    cdef Py_ssize_t start
    cdef Py_ssize_t end = 0
    if n > 1:
        if not sparse:
            return 0
        starts.positions[starts.count] = -1
        starts.names[starts.count] = 0
    while end < starts.count:
        start, end = end, min(end + PIECE, starts.count)
        watch(watching, PIECE)
        if n > 1:
            kept = keep_neighbours(starts, best, kept, start, end)
        elif sparse:
            kept = list_tokens(starts, tokens, best, kept, start, end, True)
        else:
            kept = list_tokens(starts, tokens, best, kept, start, end, False)
    starts.count = kept
    return 0


cdef inline void number_longer(PairTable *table, const int32_t *tokens, const Starts *starts, int32_t *counts,
                               Py_ssize_t start, Py_ssize_t end, int form) noexcept nogil:
    """Assign numbers to the n-grams, and count them.

    :param tokens: tokens, offset to the last token of an n-gram
    """
    cdef int32_t name, token, number, new
    cdef int32_t given = table.given
    cdef uint64_t place = 0
    cdef Py_ssize_t i
    for i in range(start, end):
        name = starts.names[i]
        token = tokens[starts.positions[i]]
        number = number_at(table, name, token, form, &place)
        if form != CELLS:
            table.keys[given + 1] = key_of(name, token)
        new = number == 0
        given += new
        number |= given & -new
        table.numbers[place] = number
        counts[number] += 1
        starts.names[i] = number
    table.given = given


cdef inline void number_ends(PairTable *table, const int32_t *tokens, const Starts *starts, int32_t *counts,
                             Py_ssize_t start, Py_ssize_t end) noexcept nogil:
    """Like `number_longer`, if each (n-1)-gram occurs once."""
    cdef Py_ssize_t i
    for i in range(start, end):
        table.keys[starts.names[i]] = key_of(<int32_t>i + 1, tokens[starts.positions[i]])
        counts[i + 1] = 1
        starts.names[i] = <int32_t>i + 1
    table.given = <int32_t>end


cdef inline Py_ssize_t look_up_longer(const PairTable *table, const int32_t *tokens, const Starts *starts,
                                      int32_t *counts, Py_ssize_t kept, Py_ssize_t start, Py_ssize_t end,
                                      int form) noexcept nogil:
    """Keep the start positions of numbered n-grams, and count these."""
    cdef int32_t position, number
    cdef uint64_t place = 0
    cdef Py_ssize_t i
    for i in range(start, end):
        position = starts.positions[i]
        number = number_at(table, starts.names[i], tokens[position], form, &place)
        counts[number] += 1
        starts.positions[kept] = position
        starts.names[kept] = number
        kept += number > 0
    return kept


cdef inline Py_ssize_t fetch_slots(const PairTable *table, const int32_t *tokens, const Starts *starts,
                                   const int32_t *counts, Py_ssize_t start, Py_ssize_t end) noexcept nogil:
    """Prefetch the slots of a block of n-grams if the table is large; return the end of the block."""
    cdef uint64_t places[FETCHED]
    cdef Py_ssize_t i
    if not table.far:
        return end
    end = min(start + FETCHED, end)
    for i in range(start, end):
        places[i - start] = place_of(table, key_of(starts.names[i], tokens[starts.positions[i]]))
        CYBLEU_PREFETCH(&table.numbers[places[i - start]])
    for i in range(end - start):
        CYBLEU_PREFETCH(&table.keys[table.numbers[places[i]]])
        CYBLEU_PREFETCH(&counts[table.numbers[places[i]]])
    return end


cdef inline int count_tokens(const int32_t *tokens, Py_ssize_t count, int32_t *counts, Watch *watching) except -1 nogil:
    cdef Py_ssize_t i, start
    cdef Py_ssize_t end = 0
    while end < count:
        start, end = end, min(end + PIECE, count)
        watch(watching, PIECE)
        for i in range(start, end - 1, 2):      # two counters, to break the dependency chain
            counts[tokens[i] + 1] += 1
            counts[tokens[i + 1] + 1 + (tokens[i + 1] >> 31)] += 1
        if (end - start) % 2 != 0:
            counts[tokens[end - 1] + 1] += 1
    return 0


cdef inline int count_hypothesis(PairTable *table, const int32_t *tokens, const Starts *starts, int32_t *counts,
                                 Watch *watching) except -1 nogil:
    cdef Py_ssize_t start
    cdef Py_ssize_t end = 0
    while end < starts.count:
        start = end
        end = fetch_slots(table, tokens, starts, counts, start, min(start + PIECE, starts.count))
        watch(watching, end - start)
        if table.form == ENDS:
            number_ends(table, tokens, starts, counts, start, end)
        elif table.form == CELLS:
            number_longer(table, tokens, starts, counts, start, end, CELLS)
        else:
            number_longer(table, tokens, starts, counts, start, end, SLOTS)
    return 0


cdef inline int count_reference(const PairTable *table, const int32_t *tokens, Starts *starts, int32_t *counts,
                                Watch *watching) except -1 nogil:
    cdef Py_ssize_t kept = 0
    cdef Py_ssize_t start
    cdef Py_ssize_t end = 0
    while end < starts.count:
        start = end
        end = fetch_slots(table, tokens, starts, counts, start, min(start + PIECE, starts.count))
        watch(watching, end - start)
        if table.form == ENDS:
            kept = look_up_longer(table, tokens, starts, counts, kept, start, end, ENDS)
        elif table.form == CELLS:
            kept = look_up_longer(table, tokens, starts, counts, kept, start, end, CELLS)
        else:
            kept = look_up_longer(table, tokens, starts, counts, kept, start, end, SLOTS)
    starts.count = kept
    return 0


cdef inline int take_counts(const int32_t *names, Py_ssize_t count, int32_t before, int32_t *counts, int32_t *best,
                            int32_t most, Watch *watching) except -1 nogil:
    """Merge the counts of a reference into the maximum counts, and reset them to 0.

    :param names: numbers of the n-grams, minus `before`, up to `most`
    """
    cdef int32_t name
    cdef Py_ssize_t i
    watch(watching, count + 1)
    if count < most // 8:       # for short references, visit only their own n-grams
        for i in range(count):
            name = names[i] + before
            best[name] = max(best[name], counts[name])
            counts[name] = 0
        return 0
    for i in range(1, <Py_ssize_t>most + 1):
        best[i] = max(best[i], counts[i])
    return fill_bytes(counts, 0, <size_t>(<uint64_t>most + 1) * sizeof(int32_t), watching)


cdef int match_ngrams(const int32_t *tokens, const Py_ssize_t *bounds, Py_ssize_t texts, int distinct,
                      Py_ssize_t max_order, void *memory, int64_t *matches) except -1 nogil:
    cdef Starts *starts = <Starts *>memory
    cdef Py_ssize_t length = bounds[1] - 1
    cdef PairTable table
    cdef int32_t *counts = <int32_t *>(<uint64_t *>(starts + texts) + length + 2)   # hypothesis counts by number
    cdef int32_t *best = counts + length + 2                # maximum counts in a reference
    cdef int32_t *in_text = best + length + 2 if texts > 2 else best    # counts in the current reference
    cdef int32_t *lists = in_text + length + 2
    cdef int32_t names = distinct       # number of numbered n-grams
    cdef Watch watching = begin_watch()
    cdef int64_t clipped
    cdef bint sparse = False
    cdef bint once = False
    cdef Py_ssize_t n, k, i
    memset(&table, 0, sizeof(PairTable))    # avoids a false warning of GCC about uninitialised fields
    table.seed = process_seed()
    table.keys = <uint64_t *>(starts + texts)
    table.numbers = lists + 2 * bounds[texts]
    for k in range(texts):
        starts[k].positions = lists + bounds[k]
        starts[k].names = lists + bounds[texts] + bounds[k]
        starts[k].count = bounds[k + 1] - 1 - bounds[k]
    for n in range(min(max_order, length)):
        if n > 0:
            for k in range(texts):
                begin_order(&starts[k], tokens + bounds[k], best, n, sparse, &watching)
            if starts[0].count > 0 and starts[0].positions[starts[0].count - 1] == length - n:
                starts[0].count -= 1    # no token follows
            empty_table(&table, starts[0].count, names, once, distinct, &watching)
            names = <int32_t>starts[0].count
        fill_bytes(counts, 0, <size_t>(names + 1) * sizeof(int32_t), &watching)
        if n == 0:
            count_tokens(tokens, length, counts, &watching)
        else:
            count_hypothesis(&table, tokens + n, &starts[0], counts, &watching)
            names = table.given
        fill_bytes(best, 0, <size_t>(names + 1) * sizeof(int32_t), &watching)
        if texts > 2:
            fill_bytes(in_text, 0, <size_t>(names + 1) * sizeof(int32_t), &watching)
        for k in range(1, texts):
            if n == 0:
                count_tokens(tokens + bounds[k], starts[k].count, in_text, &watching)
            else:
                count_reference(&table, tokens + bounds[k] + n, &starts[k], in_text, &watching)
            if texts > 2:
                take_counts(tokens + bounds[k] if n == 0 else starts[k].names, starts[k].count, n == 0, in_text, best,
                            names, &watching)
        best[0] = 0
        clipped = 0
        for i in range(1, names + 1):
            clipped += min(counts[i], best[i])
        if clipped == 0:
            return 0
        matches[n] += clipped
        once = names == starts[0].count
        sparse = clipped < starts[0].count - starts[0].count // 8
    return 0
