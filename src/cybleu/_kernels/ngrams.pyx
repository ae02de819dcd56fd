# cython: freethreading_compatible=True
"""Clipped n-gram matches, exactly, in time linear in the tokens."""

from cpython.exc cimport PyErr_CheckSignals
from libc.stdint cimport int32_t, int64_t, uint8_t, uint64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memset

cdef extern from *:
    """
    #if defined(_MSC_VER) && !defined(__clang__)
      #include <intrin.h>
      static CYTHON_INLINE int cybleu_lowest_bit(unsigned long long word) {
          unsigned long index;
          _BitScanForward64(&index, word);
          return (int)index;
      }
      #define CYBLEU_PREFETCH(address) ((void)(address))
    #else
      static CYTHON_INLINE int cybleu_lowest_bit(unsigned long long word) { return __builtin_ctzll(word); }
      #define CYBLEU_PREFETCH(address) __builtin_prefetch(address)
    #endif

    /* In registers: the baseline x86-64 has no instruction for it, and the words that need counting are few. */
    static CYTHON_INLINE int cybleu_count_bits(unsigned long long word) {
        word -= (word >> 1) & 0x5555555555555555ULL;
        word = (word & 0x3333333333333333ULL) + ((word >> 2) & 0x3333333333333333ULL);
        word = (word + (word >> 4)) & 0x0F0F0F0F0F0F0F0FULL;
        return (int)((word * 0x0101010101010101ULL) >> 56);
    }
    """
    int cybleu_lowest_bit(uint64_t word) noexcept nogil
    int cybleu_count_bits(uint64_t word) noexcept nogil
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
    cdef uint64_t with_unknown[MASK_BITS + 1]
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

cdef enum:
    BLOCK = 16              # probes whose memory is fetched together
    SIGNAL_INTERVAL = 1 << 18   # positions between two looks for an interrupt

cdef uint64_t FREE = <uint64_t>-1


cdef struct PairTable:
    uint64_t *keys          # FREE, or first << 32 | second
    int32_t *ids
    uint64_t mask


cdef inline uint64_t pair_place(uint64_t key, uint64_t mask) noexcept nogil:
    cdef uint64_t mixed = key * <uint64_t>0x9E3779B97F4A7C15
    mixed ^= mixed >> 32
    mixed *= <uint64_t>0xD6E8FEB86659FD93
    return (mixed ^ (mixed >> 32)) & mask


cdef int poll_signals() except -1 nogil:
    with gil:
        PyErr_CheckSignals()
    return 0


cdef int32_t intern_pairs(PairTable *table, int32_t *ids, Py_ssize_t length, const int32_t *best) except -1 nogil:
    """Replace ids[i] by the id of the pair (ids[i], ids[i + 1]), new ids from 0, -1 where a half has no match.

    Returns the number of ids given.
    """
    cdef uint64_t keys[BLOCK]
    cdef uint64_t places[BLOCK]
    cdef uint64_t place, key
    cdef Py_ssize_t start, size, i
    cdef int32_t given = 0
    cdef int32_t first, second
    start = 0
    while start < length:
        if start % SIGNAL_INTERVAL == 0:
            poll_signals()
        size = min(BLOCK, length - start)
        for i in range(size):
            first = ids[start + i]
            second = ids[start + i + 1]
            keys[i] = FREE
            if first >= 0 and second >= 0 and best[first] > 0 and best[second] > 0:
                keys[i] = <uint64_t>first << 32 | <uint64_t>second
                places[i] = pair_place(keys[i], table.mask)
                CYBLEU_PREFETCH(&table.keys[places[i]])
        for i in range(size):
            key = keys[i]
            if key == FREE:
                ids[start + i] = -1
                continue
            place = places[i]
            while table.keys[place] != key:
                if table.keys[place] == FREE:
                    table.keys[place] = key
                    table.ids[place] = given
                    given += 1
                    break
                place = (place + 1) & table.mask
            ids[start + i] = table.ids[place]
        start += BLOCK
    return given


cdef int look_up_pairs(const PairTable *table, int32_t *ids, Py_ssize_t length) except -1 nogil:
    """Replace ids[i] by the id of the pair (ids[i], ids[i + 1]), -1 where the hypothesis has no such pair."""
    cdef uint64_t keys[BLOCK]
    cdef uint64_t places[BLOCK]
    cdef uint64_t place, key
    cdef Py_ssize_t start, size, i
    start = 0
    while start < length:
        if start % SIGNAL_INTERVAL == 0:
            poll_signals()
        size = min(BLOCK, length - start)
        for i in range(size):
            keys[i] = FREE
            if ids[start + i] >= 0 and ids[start + i + 1] >= 0:
                keys[i] = <uint64_t>ids[start + i] << 32 | <uint64_t>ids[start + i + 1]
                places[i] = pair_place(keys[i], table.mask)
                CYBLEU_PREFETCH(&table.keys[places[i]])
        for i in range(size):
            key = keys[i]
            ids[start + i] = -1
            if key == FREE:
                continue
            place = places[i]
            while table.keys[place] != FREE:
                if table.keys[place] == key:
                    ids[start + i] = table.ids[place]
                    break
                place = (place + 1) & table.mask
        start += BLOCK
    return 0


cdef int match_by_interning(int32_t *hypothesis, Py_ssize_t length, int32_t distinct,
                            int32_t *references, const Py_ssize_t *starts, Py_ssize_t reference_count,
                            Py_ssize_t max_order, int64_t *matches) except -1 nogil:
    cdef PairTable table
    cdef int32_t *counts = NULL         # id -> in the hypothesis, then in the reference at hand
    cdef int32_t *best = NULL           # id -> largest count over the references
    cdef uint64_t slots
    cdef Py_ssize_t n, k, i, reference_length, pairs
    cdef int32_t *reference
    cdef int64_t clipped
    cdef int32_t ids = distinct
    table.keys = NULL
    table.ids = NULL
    if length == 0:
        return 0
    try:
        counts = <int32_t *>malloc(<size_t>length * sizeof(int32_t))
        best = <int32_t *>malloc(<size_t>length * sizeof(int32_t))
        if counts == NULL or best == NULL:
            with gil:
                raise MemoryError()
        for n in range(min(max_order, length)):
            if n > 0:
                pairs = 0
                for i in range(length - n):
                    if (hypothesis[i] >= 0 and hypothesis[i + 1] >= 0
                            and best[hypothesis[i]] > 0 and best[hypothesis[i + 1]] > 0):
                        pairs += 1
                if pairs == 0:
                    break
                slots = 16
                while slots < 2 * <uint64_t>pairs:
                    slots *= 2
                free(table.keys)
                free(table.ids)
                table.ids = NULL
                table.keys = <uint64_t *>malloc(slots * sizeof(uint64_t))
                table.ids = <int32_t *>malloc(slots * sizeof(int32_t))
                if table.keys == NULL or table.ids == NULL:
                    with gil:
                        raise MemoryError()
                memset(table.keys, 0xFF, slots * sizeof(uint64_t))
                table.mask = slots - 1
                ids = intern_pairs(&table, hypothesis, length - n, best)
                for k in range(reference_count):
                    reference_length = starts[k + 1] - starts[k]
                    if reference_length > n:
                        look_up_pairs(&table, references + starts[k], reference_length - n)
            memset(best, 0, <size_t>ids * sizeof(int32_t))
            memset(counts, 0, <size_t>ids * sizeof(int32_t))
            for k in range(reference_count):
                reference = references + starts[k]
                reference_length = starts[k + 1] - starts[k]
                for i in range(reference_length - n):
                    if reference[i] >= 0:
                        counts[reference[i]] += 1
                        if counts[reference[i]] > best[reference[i]]:
                            best[reference[i]] = counts[reference[i]]
                for i in range(reference_length - n):
                    if reference[i] >= 0:
                        counts[reference[i]] = 0
            for i in range(length - n):
                if hypothesis[i] >= 0:
                    counts[hypothesis[i]] += 1
            clipped = 0
            for i in range(ids):
                clipped += min(counts[i], best[i])
            if clipped == 0:
                break
            matches[n] += clipped
    finally:
        free(counts)
        free(best)
        free(table.keys)
        free(table.ids)
    return 0
