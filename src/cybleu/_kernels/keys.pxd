# What a token is told by, from the bytes of its characters.

from libc.stdint cimport uint8_t, uint64_t

cdef extern from *:
    """
    #ifndef CYBLEU_KEYS
    #define CYBLEU_KEYS

    static CYTHON_INLINE uint64_t cybleu_load(const char *address) {
        uint64_t word;
        memcpy(&word, address, 8);
        return word;
    }

    /* What a token is told by. For a str of up to 15 bytes it is the characters themselves, so that equal keys are
       equal tokens; otherwise a hash, and equal keys leave the tokens to be compared. The first byte of `second` says
       which, and for characters how many of what size. */
    typedef struct { uint64_t first, second; } cybleu_key;

    #if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
      #define CYBLEU_FIRST_BYTE(value) ((uint64_t)(value) << 56)
    #else
      #define CYBLEU_FIRST_BYTE(value) ((uint64_t)(value))
    #endif
    #define CYBLEU_UNDECIDED CYBLEU_FIRST_BYTE(0x80)

    static const unsigned char cybleu_keep[32] = {
        0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
        255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255
    };

    /* The last 16 bytes of a short text, without a branch on its length, which no processor could predict: the loads
       begin in the object's header, at least 16 bytes long, and what they bring from there is masked out. */
    static CYTHON_INLINE void cybleu_short_text(const char *data, size_t size, unsigned int kind, cybleu_key *key) {
        const char *keep = (const char *)cybleu_keep + size;
        key->second = cybleu_load(data + (ptrdiff_t)size - 16) & cybleu_load(keep);
        key->second |= CYBLEU_FIRST_BYTE(size << 3 | kind);
        key->first = cybleu_load(data + (ptrdiff_t)size - 8) & cybleu_load(keep + 8);
    }

    static CYTHON_INLINE void cybleu_long_text(const char *data, size_t size, cybleu_key *key) {
        const char *last = data + size - 8;
        uint64_t hash = size;
        for (; data < last; data += 8) {
            hash = (hash ^ cybleu_load(data)) * 0x9E3779B97F4A7C15ULL;
            hash ^= hash >> 32;
        }
        key->first = hash ^ cybleu_load(last);
        key->second = CYBLEU_UNDECIDED;
    }

    static CYTHON_INLINE uint64_t cybleu_slot_of(cybleu_key key, int shift) {
        return (key.first ^ (key.second << 29 | key.second >> 35)) * 0x9E3779B97F4A7C15ULL >> shift;
    }

    /* The products lose bits, as they should: in C, because checks for overflow would stop them. */
    static CYTHON_INLINE uint64_t cybleu_hash_bytes(const uint8_t *text, Py_ssize_t length, uint64_t odd) {
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

    /* The key of any bytes, of which an author of a text cannot make many that are equal. */
    static CYTHON_INLINE cybleu_key cybleu_key_of_bytes(const uint8_t *text, Py_ssize_t size, uint64_t odd) {
        cybleu_key key;
        if (size >= 16) {
            key.first = cybleu_hash_bytes(text, size, odd);
            key.second = CYBLEU_UNDECIDED;
        }
        else
            cybleu_short_text((const char *)text, (size_t)size, 1, &key);
        return key;
    }

    static CYTHON_INLINE uint64_t cybleu_mixed(uint64_t first, uint64_t second, uint64_t odd) {
        uint64_t mixed = first * odd;
        mixed ^= mixed >> 32;
        mixed = (mixed ^ second) * odd;
        return mixed ^ mixed >> 29;
    }

    #endif
    """
    uint64_t CYBLEU_UNDECIDED
    ctypedef struct cybleu_key:
        uint64_t first
        uint64_t second
    # 16 bytes before the text can be read; it has less than 16
    void cybleu_short_text(const char *data, size_t size, unsigned int kind, cybleu_key *key) noexcept nogil
    # of 8 bytes or more
    void cybleu_long_text(const char *data, size_t size, cybleu_key *key) noexcept nogil
    uint64_t cybleu_slot_of(cybleu_key key, int shift) noexcept nogil
    # of any bytes, by an odd number of this process
    uint64_t cybleu_hash_bytes(const uint8_t *text, Py_ssize_t length, uint64_t odd) noexcept nogil
    # the same of bytes before which 16 can be read
    cybleu_key cybleu_key_of_bytes(const uint8_t *text, Py_ssize_t size, uint64_t odd) noexcept nogil
    # for a place in a table
    uint64_t mixed_key "cybleu_mixed" (uint64_t first, uint64_t second, uint64_t odd) noexcept nogil
