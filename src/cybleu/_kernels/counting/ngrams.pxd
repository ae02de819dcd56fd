# Clipped n-gram matches of a hypothesis against references, on token ids.
#
# Equal tokens have equal ids; reference tokens that are not in the hypothesis are -1.

from libc.stdint cimport int32_t, int64_t, uint8_t, uint64_t

cdef enum:
    MASK_BITS = 64        # tokens, one for each bit of a machine word
    MASKS_AND_ONE = 65


# For a hypothesis of up to MASK_BITS tokens and references no longer than that: positions as bits of a word. Ids are
# less than the length of the hypothesis.
cdef struct MaskMatcher:
    const int32_t *hypothesis
    int length
    int orders                                  # min(max_order, length)
    uint64_t repeats[MASK_BITS]                 # [n - 1]: start positions of n-grams that occurred before
    uint64_t matched[MASK_BITS]                 # [n - 1]: start positions of clipped matches
    uint8_t rank[MASK_BITS][MASK_BITS]          # [n - 1][i]: for repeated n-grams, the number of occurrences before i

cdef void begin_masks(MaskMatcher *matcher, const int32_t *hypothesis, int length, int distinct,
                      Py_ssize_t max_order) noexcept nogil
cdef void add_reference_masks(MaskMatcher *matcher, const int32_t *reference, int length) noexcept nogil
cdef void finish_masks(const MaskMatcher *matcher, int64_t *matches) noexcept nogil

# For any length: the ids of the hypothesis, from 0 to before `distinct`, then those of each reference, each text
# followed by -1.
# Text k starts at bounds[k], and bounds[texts], less than 2 ** 30, is the end. Works in `match_memory` bytes, aligned
# for 8; `total` is bounds[texts]. Adds to `matches`.
cdef uint64_t match_memory(Py_ssize_t length, Py_ssize_t total, Py_ssize_t texts) noexcept nogil
cdef void match_ngrams(const int32_t *tokens, const Py_ssize_t *bounds, Py_ssize_t texts, int distinct,
                       Py_ssize_t max_order, void *memory, int64_t *matches) noexcept nogil
