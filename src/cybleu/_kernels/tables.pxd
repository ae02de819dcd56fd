# From token ids, and pairs of n-gram ids, to n-gram ids: open addressing in 2 ** (64 - shift) slots. And the checks of
# arrays that say where texts are.

from libc.stdint cimport int32_t, int64_t, uint64_t

from cybleu._kernels.common cimport CYBLEU_UNLIKELY
from cybleu._kernels.interrupts cimport Watch, fill_bytes, watch

cdef extern from *:
    """
    /* The high bits of the product with an odd number that no author of a text knows: two keys share a slot with at
       most twice the chance of any hash (Dietzfelbinger and others 1997). */
    static CYTHON_INLINE uint64_t cybleu_place(int64_t key, uint64_t secret, int shift) {
        return (uint64_t)key * secret >> shift;
    }
    """
    uint64_t cybleu_place(int64_t key, uint64_t secret, int shift) noexcept nogil


cdef enum:
    MOST_NGRAMS = 0x1FFFFFFF    # numbered together: ids are 32 bits
    MOST_TOKENS = 0x7FFFFFFE    # in one text: counts are 32 bits


cdef struct Slot:
    int64_t key         # the token, or a pair
    int32_t ngram       # its id, -1 in a free slot
    int32_t best        # the largest count in one reference


cdef struct Slots:
    Slot *slots
    int shift


cdef inline int64_t pair_key(int32_t first, int32_t second) noexcept nogil:
    return (<int64_t>first << 32) | second


cdef inline Slot *probe(Slots table, int64_t key, uint64_t odd) noexcept nogil:
    """The slot of the key, or the free one where it would be. `odd` is the secret of the process."""
    cdef uint64_t place = cybleu_place(key, odd, table.shift)
    cdef Slot *slot = &table.slots[place]
    while CYBLEU_UNLIKELY((slot.key != key) & (slot.ngram >= 0)):
        place += 1
        if place >> (64 - table.shift):
            place = 0
        slot = &table.slots[place]
    return slot


cdef inline uint64_t size_of(Slots table) noexcept nogil:
    return <uint64_t>1 << (64 - table.shift)


cdef inline int make_empty(Slots *table, Slot *memory, uint64_t count, Watch *watching) except -1 nogil:
    """A table in this memory, of a power of two of slots."""
    table.slots = memory
    table.shift = 64
    while count > 1:
        count >>= 1
        table.shift -= 1
    return fill_bytes(memory, 0xFF, <size_t>size_of(table[0]) * sizeof(Slot), watching)


cdef inline Py_ssize_t check_offsets(const int64_t[::1] offsets, Py_ssize_t size, Py_ssize_t least) except -1:
    """The size of the largest part. The offsets go from 0 to size, and each part has at least so many."""
    cdef Py_ssize_t i
    cdef Py_ssize_t largest = 0
    if offsets.shape[0] < 1 or offsets[0] != 0 or offsets[offsets.shape[0] - 1] != size:
        raise ValueError("the offsets do not fit what they divide")
    for i in range(offsets.shape[0] - 1):
        # from 0 on, so that the difference is not more than 64 bits hold
        if offsets[i] > offsets[i + 1] or offsets[i + 1] - offsets[i] < least:
            raise ValueError("the offsets do not ascend")
        largest = max(largest, <Py_ssize_t>(offsets[i + 1] - offsets[i]))
    return largest


cdef inline int64_t check_texts(Py_ssize_t size, const int64_t[::1] begins, const int64_t[::1] ends, Py_ssize_t start,
                                Py_ssize_t stop) except -1:
    """The number of tokens of the texts from `start` to before `stop`, which are in an array of this size."""
    cdef Py_ssize_t i
    cdef int64_t total = 0
    if begins.shape[0] != ends.shape[0] or not 0 <= start <= stop <= begins.shape[0]:
        raise ValueError("begins and ends do not fit each other")
    for i in range(start, stop):
        if not 0 <= begins[i] <= ends[i] <= size:
            raise ValueError("a text is out of range")
        if ends[i] - begins[i] > MOST_TOKENS:
            raise MemoryError("a text has too many tokens")
        total += ends[i] - begins[i]
    return total


cdef inline Py_ssize_t check_collection(Py_ssize_t size, const int64_t[::1] begins, const int64_t[::1] ends,
                                        Py_ssize_t max_order) except -1:
    """The number of tokens of texts whose n-grams are numbered together."""
    cdef int64_t total = check_texts(size, begins, ends, 0, begins.shape[0])
    if max_order < 1:
        raise ValueError("the order is out of range")
    if total > MOST_NGRAMS // max_order:
        raise MemoryError("the texts have too many n-grams")
    return <Py_ssize_t>total


cdef inline int32_t intern_text(Slots table, uint64_t odd, const int64_t *text, Py_ssize_t length, int n,
                                int32_t *ids, int32_t given, Watch *watching) except -1 nogil:
    """Replace the ids of the (n-1)-grams of one text by those of its n-grams; new ones from `given` on."""
    cdef Slot *slot
    cdef int64_t key
    cdef Py_ssize_t i
    for i in range(length - n + 1):
        watch(watching, 1)
        key = text[i] if n == 1 else pair_key(ids[i], ids[i + 1])
        slot = probe(table, key, odd)
        if slot.ngram < 0:
            slot.key = key
            slot.ngram = given
            given += 1
        ids[i] = slot.ngram
    return given
