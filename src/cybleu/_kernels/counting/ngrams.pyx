# cython: freethreading_compatible=True
"""Exact clipped n-gram matches in linear time."""

from libc.stdint cimport int32_t, int64_t, uint8_t, uint64_t
from libc.string cimport memcpy, memset

from cybleu._kernels.common.bits cimport cybleu_count_bits, cybleu_lowest_bit
from cybleu._kernels.common.hashing cimport Seed, process_seed
from cybleu._kernels.common.interrupts cimport Watch, begin_watch, watch
from cybleu._kernels.common.ngram_tables cimport Slot, Slots, make_empty, pair_key, probe
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
# N-grams of the hypothesis are numbered order by order: a table maps the number of an (n-1)-gram and the next token to
# that of the n-gram. Only n-grams that a reference has can begin longer matches; the others get -1.

cdef uint64_t match_memory(Py_ssize_t length, Py_ssize_t total) noexcept nogil:
    return slots_needed(length) * sizeof(Slot) + (3 * <uint64_t>(length + 1) + <uint64_t>total) * sizeof(int32_t)


cdef inline int32_t extend(Slots table, Seed seed, int32_t *grams, const int32_t *last, Py_ssize_t count,
                           bint adds) noexcept nogil:
    """Replace the numbers of (n-1)-grams by those of the n-grams that begin there; return how many were given.

    :param adds: give numbers from 0 on, instead of -1, to n-grams that are not in the table
    """
    cdef int32_t given = 0
    cdef Slot *slot
    cdef int64_t key
    cdef Py_ssize_t i
    for i in range(count):
        if grams[i] < 0:
            continue
        key = pair_key(grams[i], last[i])
        slot = probe(table, key, seed)
        if adds and slot.ngram < 0:
            slot.key = key
            slot.ngram = given
            given += 1
        grams[i] = slot.ngram
    return given


cdef inline void take_largest(const int32_t *grams, Py_ssize_t count, int32_t *seen, int32_t *best) noexcept nogil:
    """Update the largest counts in a reference with those in this one.

    :param seen: counts so far, 0 before and after
    """
    cdef Py_ssize_t i
    for i in range(count):
        if grams[i] >= 0:
            seen[grams[i]] += 1
            best[grams[i]] = max(best[grams[i]], seen[grams[i]])
    for i in range(count):
        if grams[i] >= 0:
            seen[grams[i]] = 0


cdef inline Py_ssize_t clip(int32_t *grams, Py_ssize_t count, int32_t *counts, const int32_t *best,
                            int64_t *matches) noexcept nogil:
    """Add the clipped matches, and drop n-grams without any; return how many places are left.

    :param counts: 0 for each n-gram
    """
    cdef Py_ssize_t left = 0
    cdef Py_ssize_t i
    for i in range(count):
        if grams[i] >= 0:
            counts[grams[i]] += 1
            matches[0] += counts[grams[i]] <= best[grams[i]]
            if best[grams[i]] == 0:
                grams[i] = -1
            else:
                left += 1
    return left


cdef int match_ngrams(const int32_t *tokens, const Py_ssize_t *bounds, Py_ssize_t texts, int distinct,
                      Py_ssize_t max_order, void *memory, int64_t *matches) except -1 nogil:
    cdef Py_ssize_t length = bounds[1] - 1
    cdef Slots table
    cdef Slot *slots = <Slot *>memory
    cdef int32_t *counts = <int32_t *>(slots + slots_needed(length))    # in the hypothesis
    cdef int32_t *best = counts + length + 1                            # the largest in a reference
    cdef int32_t *seen = best + length + 1                              # in this reference
    cdef int32_t *grams = seen + length + 1                             # at each position
    cdef int32_t given = distinct
    cdef Seed seed = process_seed()
    cdef Watch watching = begin_watch()
    cdef Py_ssize_t left = length       # places of n-grams that may match
    cdef Py_ssize_t n, k, size
    table.slots, table.mask = slots, 0      # order 1 has no table
    memset(seen, 0, <size_t>(length + 1) * sizeof(int32_t))
    for n in range(min(max_order, length)):
        for k in range(texts):
            size = max(bounds[k + 1] - 1 - bounds[k] - n, 0)
            watch(&watching, size)
            if n == 0:
                memcpy(grams + bounds[k], tokens + bounds[k], <size_t>size * sizeof(int32_t))
            elif k == 0:
                make_empty(&table, slots, slots_needed(left), &watching)
                given = extend(table, seed, grams, tokens + n, size, True)
            else:
                extend(table, seed, grams + bounds[k], tokens + bounds[k] + n, size, False)
            if k == 0:
                memset(counts, 0, <size_t>given * sizeof(int32_t))
                memset(best, 0, <size_t>given * sizeof(int32_t))
            else:
                take_largest(grams + bounds[k], size, seen, best)
        left = clip(grams, length - n, counts, best, &matches[n])
        if left == 0:
            return 0
    return 0
