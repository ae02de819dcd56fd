# cython: freethreading_compatible=True
"""The numbers of the tokens of texts in bytes, split on white space."""

from libc.stdint cimport int32_t, int64_t, uint8_t, uint64_t
from libc.stdlib cimport calloc, free
from libc.string cimport memcmp

from cybleu._kernels.common cimport allocated, distance
from cybleu._kernels.interrupts cimport Watch, begin_watch, watch
from cybleu._kernels.tokens cimport secret, slots_needed

cdef extern from *:
    """
    #include <string.h>

    static CYTHON_INLINE uint64_t cybleu_hash(const uint8_t *text, Py_ssize_t length, uint64_t odd) {
        uint64_t mixed = (uint64_t)length * odd, piece = 0;
        for (; length > 8; text += 8, length -= 8) {
            memcpy(&piece, text, 8);
            mixed = (mixed ^ piece) * odd;
            mixed ^= mixed >> 32;
        }
        for (piece = 0; length > 0;)
            piece = piece << 8 | text[--length];
        mixed = (mixed ^ piece) * odd;
        mixed = (mixed ^ mixed >> 32) * odd;
        return mixed ^ mixed >> 29;
    }

    /* What a byte is for the splitting of a text: 1 for white space, 2 for that of str alone, 3 for the first byte of
       white space beyond ASCII, which str alone has. */
    static const uint8_t CYBLEU_BYTES[256] = {
        [0x09] = 1, [0x0A] = 1, [0x0B] = 1, [0x0C] = 1, [0x0D] = 1, [0x20] = 1,
        [0x1C] = 2, [0x1D] = 2, [0x1E] = 2, [0x1F] = 2,
        [0xC2] = 3, [0xE1] = 3, [0xE2] = 3, [0xE3] = 3
    };
    """
    const uint8_t CYBLEU_BYTES[256]
    uint64_t hash_of "cybleu_hash" (const uint8_t *text, Py_ssize_t length, uint64_t odd) noexcept nogil


cdef inline Py_ssize_t space_at(const uint8_t *at, const uint8_t *end, bint unicode) noexcept nogil:
    """The length of the white space that begins there, 0 if none does. The text is UTF-8."""
    cdef uint8_t kind = CYBLEU_BYTES[at[0]]
    cdef int code
    if kind < 2 or not unicode:
        return kind == 1
    if kind == 2:
        return 1
    if at[0] == 0xC2:
        return 2 if distance(at, end) > 1 and (at[1] == 0x85 or at[1] == 0xA0) else 0
    if distance(at, end) < 3:
        return 0
    code = (at[0] & 0xF) << 12 | (at[1] & 0x3F) << 6 | (at[2] & 0x3F)
    if (code == 0x1680 or 0x2000 <= code <= 0x200A or code == 0x2028 or code == 0x2029 or code == 0x202F
            or code == 0x205F or code == 0x3000):
        return 3
    return 0


cdef struct Word:
    uint64_t hash
    const uint8_t *text     # NULL in a free slot
    Py_ssize_t length
    int32_t number


cdef class Words:
    """The numbers of tokens, found by their bytes.

    :param numbers: token -> number
    """

    cdef Word *slots
    cdef uint64_t mask
    cdef bytes texts

    def __cinit__(self, dict numbers not None):
        cdef list tokens = [name.encode("utf-8", "surrogatepass") for name in numbers]
        cdef const uint8_t *text
        cdef Watch watching = begin_watch()
        cdef bytes token
        cdef uint64_t hashed
        cdef Word *slot
        self.texts = b"".join(tokens)
        self.mask = slots_needed(len(tokens)) - 1
        self.slots = <Word *>allocated(calloc(<size_t>self.mask + 1, sizeof(Word)))
        text = self.texts
        for token, number in zip(tokens, numbers.values()):
            watch(&watching, len(token) // 8 + 4)
            hashed = hash_of(text, len(token), secret())
            slot = self.find(text, len(token), hashed)
            slot.hash = hashed
            slot.text = text
            slot.length = len(token)
            slot.number = number
            text += len(token)

    def __dealloc__(self):
        free(self.slots)

    cdef inline Word *find(self, const uint8_t *text, Py_ssize_t length, uint64_t hashed) noexcept nogil:
        """The slot of the word, or the free one where it would be."""
        cdef uint64_t place = hashed & self.mask
        cdef Word *slot = &self.slots[place]
        while slot.text != NULL:
            if slot.hash == hashed and slot.length == length and memcmp(slot.text, text, <size_t>length) == 0:
                break
            place = (place + 1) & self.mask
            slot = &self.slots[place]
        return slot

    def look_up(self, const uint8_t[::1] block, int64_t[::1] begins, int64_t[::1] ends, bint unicode,
                int32_t[::1] ids):
        """Split texts on white space and write the numbers of their tokens, -1 for others, one text after the other.

        :param block: UTF-8
        :param begins: where each text begins in the block; changed to where its numbers begin
        :param ends: where it ends; changed likewise
        :param unicode: split as `str.split` does, or else as `bytes.split`
        :param ids: has at least `(size + 1) // 2` places for each text of that size
        """
        cdef const uint8_t *at
        cdef const uint8_t *end
        cdef const uint8_t *token
        cdef const Word *slot
        cdef uint64_t odd = secret()
        cdef Watch watching = begin_watch()
        cdef Py_ssize_t count = 0
        cdef Py_ssize_t i, space, length
        cdef int64_t room = 0
        for i in range(begins.shape[0]):
            if ends.shape[0] != begins.shape[0] or not 0 <= begins[i] <= ends[i] <= block.shape[0]:
                raise ValueError("a text is out of range")
            room += (ends[i] - begins[i] + 1) // 2
        if room > ids.shape[0]:
            raise ValueError("there are not enough places")
        with nogil:
            for i in range(begins.shape[0]):
                if begins[i] == ends[i]:
                    begins[i] = ends[i] = count
                    continue
                at = &block[0] + begins[i]
                end = &block[0] + ends[i]
                begins[i] = count
                while True:
                    space = 1
                    while at < end and space:
                        space = space_at(at, end, unicode)
                        at += space
                    if at >= end:
                        break
                    watch(&watching, 1)
                    token = at
                    while at < end and not space_at(at, end, unicode):
                        at += 1
                    length = distance(token, at)
                    slot = self.find(token, length, hash_of(token, length, odd))
                    ids[count] = slot.number if slot.text != NULL else -1
                    count += 1
                ends[i] = count
