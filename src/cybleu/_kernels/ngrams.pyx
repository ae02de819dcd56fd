# cython: freethreading_compatible=True
"""Clipped n-gram matches, exactly, in time linear in the tokens."""

from cpython.exc cimport PyErr_CheckSignals
from libc.stdint cimport UINT64_MAX, int32_t, int64_t, uint8_t, uint32_t, uint64_t
from libc.string cimport memset

from cybleu._kernels.tokens cimport secret, slots_needed

cdef extern from *:
    """
    #if defined(__GNUC__) || defined(__clang__)
      #define CYBLEU_PREFETCH(address) __builtin_prefetch(address)
    #else
      #define CYBLEU_PREFETCH(address) ((void)(address))
    #endif

    /* In registers: the baseline x86-64 has no instruction for it, and the words that need counting are few. */
    static CYTHON_INLINE int cybleu_count_bits(unsigned long long word) {
        word -= (word >> 1) & 0x5555555555555555ULL;
        word = (word & 0x3333333333333333ULL) + ((word >> 2) & 0x3333333333333333ULL);
        word = (word + (word >> 4)) & 0x0F0F0F0F0F0F0F0FULL;
        return (int)((word * 0x0101010101010101ULL) >> 56);
    }

    #if defined(__GNUC__) || defined(__clang__)
      static CYTHON_INLINE int cybleu_lowest_bit(unsigned long long word) { return __builtin_ctzll(word); }
    #elif defined(_MSC_VER) && (defined(_M_X64) || defined(_M_ARM64))
      #include <intrin.h>
      static CYTHON_INLINE int cybleu_lowest_bit(unsigned long long word) {
          unsigned long index;
          _BitScanForward64(&index, word);
          return (int)index;
      }
    #else
      static CYTHON_INLINE int cybleu_lowest_bit(unsigned long long word) {
          return cybleu_count_bits((word & (~word + 1)) - 1);
      }
    #endif

    static CYTHON_INLINE uint64_t cybleu_mix_pair(uint64_t key, uint64_t secret) {
        key *= secret;
        key ^= key >> 32;
        key *= 0xD6E8FEB86659FD93ULL;
        return key ^ (key >> 32);
    }
    """
    int cybleu_lowest_bit(uint64_t word) noexcept nogil
    int cybleu_count_bits(uint64_t word) noexcept nogil
    uint64_t cybleu_mix_pair(uint64_t key, uint64_t secret) noexcept nogil
    void CYBLEU_PREFETCH(const void *address) noexcept nogil


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


cdef void add_reference_masks(MaskMatcher *matcher, const int32_t *reference, int length) noexcept nogil:
    cdef const int32_t *hypothesis = matcher.hypothesis
    cdef uint64_t with_unknown[MASKS_AND_ONE]
    cdef uint64_t *places = with_unknown + 1    # -1, the unknown tokens, has a place too: a test would be mispredicted
    cdef uint64_t starts[MASK_BITS]     # M_n(i)
    cdef uint64_t found, candidates, row
    cdef int i, n
    if matcher.orders == 0:
        return
    for i in range(-1, matcher.distinct):
        places[i] = 0
    for i in range(length):
        places[reference[i]] |= <uint64_t>1 << i
    found = 0
    for i in range(matcher.length):
        row = places[hypothesis[i]]
        starts[i] = row
        found |= <uint64_t>(row != 0) << i
    for n in range(matcher.orders):
        if n > 0:
            # an n-gram can be there only where both (n-1)-grams in it are
            candidates = found & (found >> 1)
            found = 0
            while candidates:
                i = cybleu_lowest_bit(candidates)
                candidates &= candidates - 1
                row = starts[i] & (places[hypothesis[i + n]] >> n)
                starts[i] = row
                found |= <uint64_t>(row != 0) << i
        if found == 0:
            return
        matcher.matched[n] |= found & ~matcher.repeats[n]
        candidates = found & matcher.repeats[n] & ~matcher.matched[n]
        while candidates:
            i = cybleu_lowest_bit(candidates)
            candidates &= candidates - 1
            matcher.matched[n] |= <uint64_t>(matcher.rank[n][i] < cybleu_count_bits(starts[i])) << i


cdef void finish_masks(const MaskMatcher *matcher, int64_t *matches) noexcept nogil:
    """Add the clipped matches of each order to `matches`."""
    cdef int n
    for n in range(matcher.orders):
        if matcher.matched[n] == 0:
            return
        matches[n] += cybleu_count_bits(matcher.matched[n])


# --------------------------------------------------------------------------------------------------------- any length
#
# The n-gram at i is the pair of the (n-1)-grams at i and i + 1, so interning pairs of ids, order by order, names every
# n-gram exactly by one integer. Only pairs whose halves both occur in a reference are kept, and the work falls with
# the order as the matches do.

# Whether an n-gram has a match is a coin toss for the processor, so the loops over text decide by arithmetic: -1, no
# n-gram, has counters of its own, and positions with work to do are collected without a branch.

cdef enum:
    BLOCK = 32                  # probes whose memory is fetched together
    BLOCK_AND_ONE = 33          # a place to write ahead
    SIGNAL_INTERVAL = 262144    # positions between two looks for an interrupt


cdef struct PairSlot:
    uint64_t key                # UINT64_MAX, or first << 32 | second
    int64_t pair_id


cdef struct PairTable:
    PairSlot *slots
    uint64_t mask
    uint64_t secret             # a text cannot be written so that its pairs collide
    Py_ssize_t unwatched        # positions since the last look for an interrupt


cdef inline int watch_signals(PairTable *table, Py_ssize_t positions) except -1 nogil:
    # counted over all texts: taking the GIL may wait for another thread
    table.unwatched += positions
    if table.unwatched >= SIGNAL_INTERVAL:
        table.unwatched = 0
        with gil:
            PyErr_CheckSignals()
    return 0


cdef inline Py_ssize_t collect_pairs(const PairTable *table, int32_t *ids, Py_ssize_t start, Py_ssize_t size,
                                     const int32_t *matched, uint64_t *keys, uint64_t *places,
                                     Py_ssize_t *positions) noexcept nogil:
    """The keys of the pairs in a block whose halves both have a match, their slots and positions; ids become -1."""
    cdef Py_ssize_t i
    cdef Py_ssize_t found = 0
    cdef int32_t first = ids[start]
    cdef int32_t second
    for i in range(start, start + size):
        second = ids[i + 1]
        ids[i] = -1
        keys[found] = <uint64_t><uint32_t>first << 32 | <uint32_t>second
        places[found] = cybleu_mix_pair(keys[found], table.secret) & table.mask
        positions[found] = i
        CYBLEU_PREFETCH(&table.slots[places[found]])
        found += (matched[first] > 0) & (matched[second] > 0)
        first = second
    return found


cdef int32_t intern_pairs(PairTable *table, int32_t *ids, Py_ssize_t length, const int32_t *matched) except -1 nogil:
    """Replace ids[i] by the id of the pair (ids[i], ids[i + 1]), new ids from 0, -1 where a half has no match.

    Returns the number of ids given.
    """
    cdef uint64_t keys[BLOCK_AND_ONE]
    cdef uint64_t places[BLOCK_AND_ONE]
    cdef Py_ssize_t positions[BLOCK_AND_ONE]
    cdef PairSlot *slot
    cdef uint64_t place
    cdef Py_ssize_t found, i
    cdef Py_ssize_t start = 0
    cdef int32_t given = 0
    cdef int64_t new
    while start < length:
        watch_signals(table, BLOCK)
        found = collect_pairs(table, ids, start, min(BLOCK, length - start), matched, keys, places, positions)
        for i in range(found):
            slot = &table.slots[places[i]]
            if (slot.key != keys[i]) & (slot.key != UINT64_MAX):
                place = places[i]
                while (slot.key != keys[i]) & (slot.key != UINT64_MAX):
                    place = (place + 1) & table.mask
                    slot = &table.slots[place]
            new = -<int64_t>(slot.key == UINT64_MAX)      # all bits or none
            slot.key = keys[i]
            slot.pair_id = (slot.pair_id & ~new) | (given & new)
            given -= <int32_t>new
            ids[positions[i]] = <int32_t>slot.pair_id
        start += BLOCK
    return given


cdef int look_up_pairs(PairTable *table, int32_t *ids, Py_ssize_t length, const int32_t *matched) except -1 nogil:
    """Replace ids[i] by the id of the pair (ids[i], ids[i + 1]), -1 where the hypothesis has no such pair."""
    cdef uint64_t keys[BLOCK_AND_ONE]
    cdef uint64_t places[BLOCK_AND_ONE]
    cdef Py_ssize_t positions[BLOCK_AND_ONE]
    cdef const PairSlot *slot
    cdef uint64_t place
    cdef Py_ssize_t found, i
    cdef Py_ssize_t start = 0
    while start < length:
        watch_signals(table, BLOCK)
        found = collect_pairs(table, ids, start, min(BLOCK, length - start), matched, keys, places, positions)
        for i in range(found):
            slot = &table.slots[places[i]]
            if (slot.key != keys[i]) & (slot.key != UINT64_MAX):
                place = places[i]
                while (slot.key != keys[i]) & (slot.key != UINT64_MAX):
                    place = (place + 1) & table.mask
                    slot = &table.slots[place]
            ids[positions[i]] = <int32_t>(slot.pair_id | -<int64_t>(slot.key == UINT64_MAX))
        start += BLOCK
    return 0


cdef void count_best(const int32_t *reference, Py_ssize_t length, int32_t *counts, int32_t *best) noexcept nogil:
    """Raise `best` to the counts in this reference; `counts` are 0 before and after."""
    cdef Py_ssize_t i
    cdef int32_t ngram, count
    for i in range(length):
        ngram = reference[i]
        count = counts[ngram] + 1
        counts[ngram] = count
        best[ngram] = count if count > best[ngram] else best[ngram]
    for i in range(length):
        counts[reference[i]] = 0


cdef uint64_t pair_memory(Py_ssize_t length) noexcept nogil:
    return slots_needed(length) * sizeof(PairSlot) + 2 * <uint64_t>(length + 1) * sizeof(int32_t)


cdef int match_by_interning(int32_t *hypothesis, Py_ssize_t length, int32_t distinct,
                            int32_t *references, const Py_ssize_t *starts, Py_ssize_t reference_count,
                            Py_ssize_t max_order, void *memory, int64_t *matches) except -1 nogil:
    cdef PairTable table
    cdef int32_t *counts        # id -> count in the hypothesis, or in the reference at hand; -1 has a place too
    cdef int32_t *best          # id -> largest count over the references
    cdef Py_ssize_t n, k, i, pairs
    cdef int64_t clipped
    cdef int32_t ids = distinct
    table.slots = <PairSlot *>memory
    table.secret = secret()
    table.unwatched = 0
    counts = <int32_t *>(table.slots + slots_needed(length)) + 1
    best = counts + length + 1
    for n in range(min(max_order, length)):
        if n > 0:
            pairs = 0
            for i in range(length - n):
                pairs += (best[hypothesis[i]] > 0) & (best[hypothesis[i + 1]] > 0)
            if pairs == 0:
                return 0
            table.mask = slots_needed(pairs) - 1
            memset(table.slots, 0xFF, (table.mask + 1) * sizeof(PairSlot))
            ids = intern_pairs(&table, hypothesis, length - n, best)
            for k in range(reference_count):
                if starts[k + 1] - starts[k] > n:
                    look_up_pairs(&table, references + starts[k], starts[k + 1] - starts[k] - n, best)
        memset(counts - 1, 0, <size_t>(ids + 1) * sizeof(int32_t))
        memset(best - 1, 0, <size_t>(ids + 1) * sizeof(int32_t))
        for k in range(reference_count):
            count_best(references + starts[k], starts[k + 1] - starts[k] - n, counts, best)
        for i in range(length - n):
            counts[hypothesis[i]] += 1
        (counts - 1)[0] = 0
        (best - 1)[0] = 0
        clipped = 0
        for i in range(ids):
            clipped += counts[i] if counts[i] < best[i] else best[i]
        if clipped == 0:
            return 0
        matches[n] += clipped
    return 0
