# cython: freethreading_compatible=True
"""Clipped n-gram matches, exactly, in time linear in the tokens."""

from libc.stdint cimport int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memset

from cybleu._kernels.bits cimport cybleu_count_bits, cybleu_lowest_bit
from cybleu._kernels.common cimport CYBLEU_PREFETCH, CYBLEU_UNLIKELY
from cybleu._kernels.interrupts cimport Watch, begin_watch, fill_bytes, watch
from cybleu._kernels.tables cimport cybleu_place
from cybleu._kernels.tokens cimport secret, slots_needed

cdef extern from *:
    """
    static CYTHON_INLINE uint64_t cybleu_mix_pair(uint64_t key, uint64_t secret) {
        key *= secret;
        key ^= key >> 32;
        key *= 0xD6E8FEB86659FD93ULL;
        return key ^ (key >> 32);
    }
    """
    uint64_t cybleu_mix_pair(uint64_t key, uint64_t secret) noexcept nogil


cdef enum:
    AT_ONCE = 4     # orders

cdef size_t ALL_PLACES = MASKS_AND_ONE * sizeof(uint64_t)   # no constant, as in tokens.pyx


# ------------------------------------------------------------------------------------------- up to MASK_BITS tokens
#
# places[t] has a bit for each position of token t. The positions at which the n-gram of hypothesis position i starts
# are  M_1(i) = places[id(i)],  M_n(i) = M_(n-1)(i) & (M_1(i + n - 1) >> (n - 1)),  and their number is its count. An
# n-gram position is a clipped match where fewer equal n-grams started before it than the reference has, so the clipped
# matches over several references are the positions that any of them matches: no table and no maximum is kept.

cdef void begin_masks(MaskMatcher *matcher, const int32_t *hypothesis, int length, int distinct,
                      Py_ssize_t max_order) noexcept nogil:
    cdef uint64_t places[MASK_BITS]
    cdef uint64_t earlier[MASK_BITS]
    cdef uint64_t candidates, repeats
    cdef int i, n
    matcher.hypothesis = hypothesis
    matcher.length = length
    matcher.distinct = distinct
    matcher.orders = <int>min(max_order, length)
    for n in range(matcher.orders):
        matcher.matched[n] = 0
        matcher.repeats[n] = 0
    if length == distinct or matcher.orders == 0:
        return
    for i in range(distinct):
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
    """M_n of an n-gram of the hypothesis."""
    cdef uint64_t starts = places[ngram[0]]
    cdef int k
    for k in range(1, n):
        starts &= places[ngram[k]] >> k
    return starts


cdef void add_reference_masks(MaskMatcher *matcher, const int32_t *reference, int length) noexcept nogil:
    cdef const int32_t *hypothesis = matcher.hypothesis
    cdef uint64_t with_unknown[MASKS_AND_ONE]
    cdef uint64_t *places = with_unknown + 1    # -1, the unknown tokens, has a place too: a test would be mispredicted
    cdef uint64_t found[AT_ONCE]        # [n - 1]: where an n-gram starts that the reference has
    cdef uint64_t one, two, three, four     # M_n(i)
    cdef uint64_t candidates, longer
    cdef int i, n
    memset(with_unknown, 0, ALL_PLACES)
    for i in range(length):
        places[reference[i]] |= <uint64_t>1 << i
    # The orders that everybody wants together: M_n(i) = M_1(i) & (M_(n-1)(i + 1) >> 1). How often a loop runs is not
    # to be predicted, so there is one loop, and no branch in it.
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
        # an n-gram can be there only where both (n-1)-grams in it are
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
    """Add the matches among the n-grams that a reference has."""
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


# --------------------------------------------------------------------------------------------------- not so many tokens
#
# The n-grams of the hypothesis that can have a match have numbers from 1 on, and the others 0. A table gives the number
# of a longer n-gram for that of the shorter one and the token after it: a cell for each such pair where that is not too
# many, or else a slot by a hash. The positions at which an n-gram with a match starts are listed for each text, so the
# work falls with the order as the matches do.
#
# Whether an n-gram has a match is a coin toss for the processor, so the loops over text decide by arithmetic: positions
# are written to a list and then kept or not, and number 0 is counted, too.

cdef enum:
    MOST_CELLS = 8192
    SLOTS_FOR_EACH = 8      # so that few n-grams find another in their slot


# The positions at which n-grams start that have a number, and these.
cdef struct Starts:
    int32_t *positions
    int32_t *names
    Py_ssize_t count


cdef struct PairTable:
    uint16_t *numbers           # by cell or slot, 0 in a free one
    uint64_t *keys              # by number; NULL where there are cells
    int64_t width               # of cells
    uint64_t mask               # of slots
    int shift
    uint64_t secret             # a text cannot be written so that its n-grams collide


cdef inline uint64_t slots_for(Py_ssize_t count) noexcept nogil:
    return SLOTS_FOR_EACH // 2 * slots_needed(count)


cdef uint64_t pair_memory(Py_ssize_t length, Py_ssize_t total, Py_ssize_t texts) noexcept nogil:
    return (texts * sizeof(Starts) + <uint64_t>(length + 2) * (sizeof(uint64_t) + 3 * sizeof(int32_t))
            + 2 * <uint64_t>total * sizeof(int32_t) + max(<uint64_t>MOST_CELLS, slots_for(length)) * sizeof(uint16_t))


cdef inline void empty_table(PairTable *table, uint64_t *keys, Py_ssize_t count, int32_t names,
                             int distinct) noexcept nogil:
    """For the n-grams at so many positions, which begin with one of `names`."""
    cdef uint64_t size = (<uint64_t>names + 1) * (<uint64_t>distinct + 1)
    table.width = distinct + 1
    table.keys = NULL
    if size > MOST_CELLS:
        size = slots_for(count)
        table.keys = keys
        keys[0] = 0         # of none
        table.mask = size - 1
        table.shift = 64
        while table.mask >> (64 - table.shift):
            table.shift -= 1
    memset(table.numbers, 0, <size_t>size * sizeof(uint16_t))


cdef inline uint64_t key_of(int32_t name, int32_t token) noexcept nogil:
    return <uint64_t>name << 32 | <uint64_t><uint32_t>token


cdef inline uint64_t place_of(const PairTable *table, int32_t name, int32_t token, bint hashed) noexcept nogil:
    if hashed:
        return cybleu_place(<int64_t>key_of(name, token), table.secret, table.shift)
    return <uint64_t>(name * table.width + token + 1)


cdef int32_t find_number(const PairTable *table, uint64_t key, uint64_t *place) noexcept nogil:
    """The number of the n-gram, or 0 with the place where it would be; from the place on."""
    cdef int32_t number = table.numbers[place[0]]
    while number != 0 and table.keys[number] != key:
        place[0] = (place[0] + 1) & table.mask
        number = table.numbers[place[0]]
    return number


cdef inline int32_t number_at(const PairTable *table, int32_t name, int32_t token, bint hashed,
                              uint64_t *place) noexcept nogil:
    cdef int32_t number
    place[0] = place_of(table, name, token, hashed)
    number = table.numbers[place[0]]
    if hashed and CYBLEU_UNLIKELY(number & -<int32_t>(table.keys[number] != key_of(name, token))):
        number = find_number(table, key_of(name, token), place)
    return number


cdef inline int32_t number_longer(PairTable *table, const int32_t *tokens, const int32_t *names, int32_t before,
                                  Starts *starts, const int32_t *best, int32_t *counts, bint hashed) noexcept nogil:
    """Give numbers to the n-grams whose shorter ones have a match, and count them; how many there are.

    :param tokens: from the last one of an n-gram on
    :param names: of the shorter ones, `before` less
    """
    cdef int32_t *positions = starts.positions
    cdef int32_t position, name, token, number, new
    cdef int32_t keep = 1
    cdef int32_t given = 0
    cdef uint64_t place
    cdef Py_ssize_t kept = 0
    cdef Py_ssize_t i
    if hashed:      # a list of what is kept first: a hash takes too long to be computed for nothing
        for i in range(starts.count):
            position = positions[i]
            name = names[i] + before
            positions[kept] = position
            starts.names[kept] = name
            kept += (best[name] > 0) & (tokens[position] >= 0)
        starts.count = kept
        names = starts.names
        before = 0
        kept = 0
    for i in range(starts.count):
        position = positions[i]
        name = names[i] + before
        token = tokens[position]        # END at the end of the text
        if not hashed:
            keep = (best[name] > 0) & (token >= 0)
        number = number_at(table, name & -keep, token & -keep, hashed, &place)
        if hashed:
            table.keys[given + 1] = key_of(name, token)
        new = (number == 0) & keep
        given += new
        number |= given & -new
        table.numbers[place] = <uint16_t>number
        counts[number] += 1
        positions[kept] = position
        starts.names[kept] = number
        kept += keep
    starts.count = kept
    return given


cdef inline void look_up_longer(const PairTable *table, const int32_t *tokens, const int32_t *names, int32_t before,
                                Starts *starts, int32_t *counts, bint hashed) noexcept nogil:
    """Keep the positions at which n-grams with a number start, and count these."""
    cdef int32_t *positions = starts.positions
    cdef int32_t position, number
    cdef uint64_t place
    cdef Py_ssize_t kept = 0
    cdef Py_ssize_t i
    for i in range(starts.count):
        position = positions[i]
        number = number_at(table, names[i] + before, tokens[position], hashed, &place)
        counts[number] += 1
        positions[kept] = position
        starts.names[kept] = number
        kept += number > 0
    starts.count = kept


cdef void match_by_pairs(const int32_t *tokens, const Py_ssize_t *bounds, Py_ssize_t texts, int distinct,
                         Py_ssize_t max_order, void *memory, int64_t *matches) noexcept nogil:
    cdef Starts *starts = <Starts *>memory
    cdef Py_ssize_t length = bounds[1] - 1
    cdef uint64_t *keys = <uint64_t *>(starts + texts)
    cdef int32_t *counts = <int32_t *>(keys + length + 2)   # by number, in the hypothesis
    cdef int32_t *best = counts + length + 2                # the largest count in a reference
    cdef int32_t *in_this = best + length + 2               # in the reference at hand, if there are several
    cdef int32_t *lists = in_this + length + 2
    cdef int32_t *in_text = best if texts == 2 else in_this
    cdef int32_t names = distinct       # how many n-grams have one
    cdef const int32_t *shorter
    cdef int32_t before
    cdef PairTable table
    cdef int64_t clipped
    cdef Py_ssize_t n, k, i
    table.secret = secret()
    table.numbers = <uint16_t *>(lists + 2 * bounds[texts])
    for i in range(bounds[texts]):
        lists[i] = <int32_t>i
    for k in range(texts):
        starts[k].positions = lists + bounds[k]
        starts[k].names = lists + bounds[texts] + bounds[k]
        starts[k].count = bounds[k + 1] - 1 - bounds[k]
    for n in range(min(max_order, length)):
        before = n == 1     # names are the tokens, which count from 0
        if n > 0:
            empty_table(&table, keys, starts[0].count, names, distinct)
            names = <int32_t>starts[0].count
        memset(counts, 0, <size_t>(names + 1) * sizeof(int32_t))
        if n == 0:
            for i in range(length):
                counts[tokens[i] + 1] += 1
        elif table.keys == NULL:
            names = number_longer(&table, tokens + n, tokens if n == 1 else starts[0].names, before, &starts[0], best,
                                  counts, False)
        else:
            names = number_longer(&table, tokens + n, tokens if n == 1 else starts[0].names, before, &starts[0], best,
                                  counts, True)
        memset(best, 0, <size_t>(names + 1) * sizeof(int32_t))
        for k in range(1, texts):
            if texts > 2:
                memset(in_this, 0, <size_t>(names + 1) * sizeof(int32_t))
            shorter = tokens + bounds[k] if n == 1 else starts[k].names
            if n == 0:
                for i in range(bounds[k], bounds[k + 1] - 1):
                    in_text[tokens[i] + 1] += 1
            elif table.keys == NULL:
                look_up_longer(&table, tokens + n, shorter, before, &starts[k], in_text, False)
            else:
                look_up_longer(&table, tokens + n, shorter, before, &starts[k], in_text, True)
            if texts > 2:
                for i in range(1, names + 1):
                    best[i] = max(best[i], in_this[i])
        clipped = 0
        for i in range(1, names + 1):
            clipped += min(counts[i], best[i])
        if clipped == 0:
            return
        matches[n] += clipped


# --------------------------------------------------------------------------------------------------------- any length
#
# An n-gram of the hypothesis is named by the position at which it first starts there, so two n-grams are the same where
# their names are. One that stands once in the hypothesis keeps its name when the next token is added, and a reference
# has the longer one where its next token is the same: no table, and the tokens to read are near those read before. Of
# one that is repeated, the pair of its name and the next token is interned, which gives the longer one its name. The
# positions that may have a longer match are listed for each text, so the work falls with the order as the matches do.
#
# Whether an n-gram has a match is a coin toss for the processor, and so is whether a slot has another pair. So the
# loops over text decide by arithmetic: -1, no name, has counters of its own, which stay 0; positions are written to a
# list and then kept or not; pairs that find another in their slot wait for the end of the block.

cdef enum:
    BLOCK = 32                  # probes whose memory is fetched together
    BLOCK_AND_ONE = 33          # a place to write ahead
    UNIQUE = 0x40000000         # added to a name in a reference: the n-gram stands once in the hypothesis
    NAME = 0x3FFFFFFF


cdef struct PairSlot:
    int32_t name                # of an n-gram; -1 in a free slot
    int32_t token               # that follows it
    int32_t longer              # the name of both together


cdef struct Probe:
    uint64_t slot
    int32_t position
    int32_t name
    int32_t token


cdef struct Matcher:
    const int32_t *tokens
    int32_t *names              # position -> name of the n-gram that starts there
    int32_t *counts             # name -> count in the hypothesis
    int32_t *best               # name -> largest count over the references
    PairSlot *slots             # open addressing, and one more
    uint64_t mask
    uint64_t secret             # a text cannot be written so that its pairs collide
    Watch watching


cdef inline void prepare(const Matcher *matcher, Probe *probe, int32_t position, int32_t name,
                         Py_ssize_t n) noexcept nogil:
    cdef int32_t token = matcher.tokens[position + n]
    probe.position = position
    probe.name = name
    probe.token = token
    probe.slot = cybleu_mix_pair(<uint64_t><uint32_t>name << 32 | <uint32_t>token, matcher.secret) & matcher.mask
    CYBLEU_PREFETCH(&matcher.slots[probe.slot])


cdef inline int32_t other_pair(const PairSlot *slot, const Probe *probe) noexcept nogil:
    """All bits where another pair has the slot, otherwise none."""
    return -<int32_t>((((slot.name ^ probe.name) | (slot.token ^ probe.token)) != 0) & (slot.name != -1))


cdef inline PairSlot *find(const Matcher *matcher, const Probe *probe) noexcept nogil:
    """The slot of this pair, or the free one that it would take, where another pair has the first."""
    cdef uint64_t place = probe.slot
    cdef PairSlot *slot
    while True:
        place = (place + 1) & matcher.mask
        slot = &matcher.slots[place]
        if not other_pair(slot, probe):
            return slot


cdef int list_repeated(Matcher *matcher, Starts *starts) except -1 nogil:
    """Keep the positions at which an n-gram starts that is repeated and has a match, as has the one after it."""
    cdef int32_t *names = matcher.names
    cdef int32_t position, name, repeated, keep
    cdef Py_ssize_t count = starts.count
    cdef Py_ssize_t i
    starts.count = 0
    for i in range(count):
        watch(&matcher.watching, 1)
        position = starts.positions[i]
        name = names[position]
        repeated = matcher.counts[name] > 1
        keep = repeated & (matcher.best[name] > 0) & (matcher.best[names[position + 1]] > 0)
        names[position] = name | -(repeated & ~keep)
        starts.positions[starts.count] = position
        starts.count += keep
    return 0


cdef int lengthen_hypothesis(Matcher *matcher, const Starts *starts, Py_ssize_t n) except -1 nogil:
    """Name and count the (n+1)-grams that begin with a listed n-gram."""
    cdef Probe probes[BLOCK]
    cdef int collisions[BLOCK_AND_ONE]
    cdef const Probe *probe
    cdef PairSlot *slot
    cdef int32_t position, longer, new, other
    cdef Py_ssize_t i, size, collided
    cdef Py_ssize_t start = 0
    while start < starts.count:
        watch(&matcher.watching, BLOCK)
        size = min(BLOCK, starts.count - start)
        for i in range(size):
            position = starts.positions[start + i]
            prepare(matcher, &probes[i], position, matcher.names[position], n)
            matcher.counts[position] = 0
            matcher.best[position] = 0
        collided = 0
        for i in range(size):
            slot = &matcher.slots[probes[i].slot]
            other = other_pair(slot, &probes[i])
            new = -<int32_t>(slot.name == -1)
            longer = (slot.longer & ~new) | (probes[i].position & new)
            # a known pair is written to the slot that is never read, so that no read waits for a write
            slot = &matcher.slots[(probes[i].slot & <uint64_t>new) | ((matcher.mask + 1) & <uint64_t>~new)]
            slot.name = probes[i].name
            slot.token = probes[i].token
            slot.longer = longer
            matcher.names[probes[i].position] = longer
            matcher.counts[longer] += 1 + other
            collisions[collided] = <int>i
            collided -= other
        for i in range(collided):
            probe = &probes[collisions[i]]
            slot = find(matcher, probe)
            if slot.name == -1:
                slot.name = probe.name
                slot.token = probe.token
                slot.longer = probe.position
            matcher.names[probe.position] = slot.longer
            matcher.counts[slot.longer] += 1
        start += size
    return 0


cdef inline void list_start(const Matcher *matcher, Starts *starts, int32_t position, int32_t name) noexcept nogil:
    """List it unless the name is -1."""
    matcher.names[position] = name | (-<int32_t>(matcher.counts[name] == 1) & UNIQUE)
    starts.positions[starts.count] = position
    starts.count += name >= 0


cdef int lengthen_reference(Matcher *matcher, Starts *starts, Py_ssize_t n) except -1 nogil:
    """Keep the positions at which an (n+1)-gram of the hypothesis starts, and name it."""
    cdef Probe probes[BLOCK_AND_ONE]
    cdef int32_t longer[BLOCK]
    cdef int collisions[BLOCK_AND_ONE]
    cdef const PairSlot *slot
    cdef const int32_t *tokens = matcher.tokens
    cdef int32_t *names = matcher.names
    cdef int32_t position, name
    cdef int unique
    cdef Py_ssize_t i, end, found, collided
    cdef Py_ssize_t count = starts.count
    cdef Py_ssize_t start = 0
    starts.count = 0
    while start < count:
        watch(&matcher.watching, BLOCK)
        found = 0
        end = min(start + BLOCK, count)
        for i in range(start, end):
            position = starts.positions[i]
            unique = names[position] >= UNIQUE
            name = names[position] & NAME
            matcher.best[name] = 0
            prepare(matcher, &probes[found], position, name, n)
            found += (not unique) & (names[position + 1] >= 0)
            names[position] |= unique - 1       # -1 for now where it is repeated
            starts.positions[starts.count] = position
            starts.count += unique & (tokens[name + n] == tokens[position + n])
        collided = 0
        for i in range(found):
            slot = &matcher.slots[probes[i].slot]
            longer[i] = slot.longer | -<int32_t>(slot.name == -1)
            collisions[collided] = <int>i
            collided -= other_pair(slot, &probes[i])
        for i in range(collided):
            slot = find(matcher, &probes[collisions[i]])
            longer[collisions[i]] = slot.longer | -<int32_t>(slot.name == -1)
        for i in range(found):
            list_start(matcher, starts, probes[i].position, longer[i])
        start = end
    return 0


cdef int64_t count_reference(Matcher *matcher, const Starts *starts) except -1 nogil:
    """The clipped matches with the only reference."""
    cdef int64_t clipped = 0
    cdef int32_t name
    cdef Py_ssize_t i
    for i in range(starts.count):
        watch(&matcher.watching, 1)
        name = matcher.names[starts.positions[i]] & NAME
        clipped += matcher.best[name] < matcher.counts[name]
        matcher.best[name] += 1
    return clipped


cdef int64_t count_one_of_several(Matcher *matcher, const Starts *starts, int32_t *counts) except -1 nogil:
    """The clipped matches that this reference adds to those before it; `counts` are 0 before and after."""
    cdef int64_t clipped = 0
    cdef int32_t name
    cdef int more
    cdef Py_ssize_t i
    for i in range(starts.count):
        watch(&matcher.watching, 2)
        name = matcher.names[starts.positions[i]] & NAME
        counts[name] += 1
        more = counts[name] > matcher.best[name]
        clipped += more & (counts[name] <= matcher.counts[name])
        matcher.best[name] += more
    for i in range(starts.count):
        watch(&matcher.watching, 1)
        counts[matcher.names[starts.positions[i]] & NAME] = 0
    return clipped


cdef uint64_t match_memory(Py_ssize_t length, Py_ssize_t total, Py_ssize_t texts) noexcept nogil:
    cdef Py_ssize_t counters = 2 if texts <= 2 else 3
    return texts * sizeof(Starts) + (2 * <uint64_t>total + counters * <uint64_t>(length + 1)) * sizeof(int32_t)


cdef int match_by_interning(const int32_t *tokens, const Py_ssize_t *bounds, Py_ssize_t texts, Py_ssize_t max_order,
                            void *memory, int64_t *matches) except -1 nogil:
    cdef Matcher matcher
    cdef Starts *starts = <Starts *>memory
    cdef int32_t *counts
    cdef int32_t *best
    cdef int32_t *names
    cdef int32_t *counts_at_hand
    cdef Py_ssize_t length = bounds[1] - 1
    cdef Py_ssize_t n, k, i
    cdef int64_t clipped
    names = <int32_t *>(starts + texts)
    for k in range(texts):
        starts[k].positions = names + bounds[texts] + bounds[k]
        starts[k].count = 0
    counts = names + 2 * bounds[texts] + 1
    best = counts + length + 1
    counts_at_hand = best + length + 1
    matcher.tokens, matcher.names, matcher.counts, matcher.best = tokens, names, counts, best
    matcher.slots = NULL
    matcher.secret = secret()
    matcher.watching = begin_watch()
    fill_bytes(counts - 1, 0, <size_t>(length + 1) * sizeof(int32_t), &matcher.watching)
    for i in range(length - 1, -1, -1):     # what remains is the first position of each token
        watch(&matcher.watching, 1)
        best[tokens[i]] = <int32_t>i
    (best - 1)[0] = -1
    for i in range(length):
        watch(&matcher.watching, 1)
        names[i] = best[tokens[i]]
        counts[names[i]] += 1
        starts[0].positions[i] = <int32_t>i
    names[length] = -1
    starts[0].count = length
    for k in range(1, texts):
        for i in range(bounds[k], bounds[k + 1]):
            watch(&matcher.watching, 1)
            list_start(&matcher, &starts[k], <int32_t>i, best[tokens[i]])
    fill_bytes(best - 1, 0, <size_t>(length + 1) * sizeof(int32_t), &matcher.watching)
    if texts > 2:
        fill_bytes(counts_at_hand - 1, 0, <size_t>(length + 1) * sizeof(int32_t), &matcher.watching)
    try:
        for n in range(min(max_order, length)):
            if n > 0:
                list_repeated(&matcher, &starts[0])
                matcher.mask = slots_needed(starts[0].count) - 1
                if matcher.slots == NULL:       # there are fewer each time
                    matcher.slots = <PairSlot *>malloc(<size_t>(matcher.mask + 2) * sizeof(PairSlot))
                    if matcher.slots == NULL:
                        with gil:
                            raise MemoryError()
                fill_bytes(matcher.slots, 0xFF, <size_t>(matcher.mask + 1) * sizeof(PairSlot), &matcher.watching)
                lengthen_hypothesis(&matcher, &starts[0], n)
                for k in range(1, texts):
                    lengthen_reference(&matcher, &starts[k], n)
            clipped = 0
            for k in range(1, texts):
                if texts == 2:
                    clipped += count_reference(&matcher, &starts[k])
                else:
                    clipped += count_one_of_several(&matcher, &starts[k], counts_at_hand)
            if clipped == 0:
                return 0
            matches[n] += clipped
    finally:
        free(matcher.slots)
    return 0
