# Hashing of keys derived from input text, and token keys.
#
# All open-addressing tables use these functions, so that colliding keys cannot be crafted without knowing the seed of
# the process.
#
# Probes do not check for Ctrl-C, and need not: tables are at most half full, so a probe of n keys visits O(log n) slots
# with high probability, whatever the keys. tests/whole/test_collisions.py counts the slots for keys that would collide
# without the seed, in a build with all checks.

cdef extern from *:
    """
    #ifndef CYBLEU_COUNTS_SLOTS     /* setup.py defines it in builds with all checks */
      #define CYBLEU_COUNTS_SLOTS 0
    #endif

    /* Two random numbers; the second is odd. */
    typedef struct { uint64_t first, second; } cybleu_seed;

    static CYTHON_INLINE uint64_t cybleu_load(const char *address) {
        uint64_t word;
        memcpy(&word, address, 8);
        return word;
    }

    /* The low and the high half of the product, combined. */
    #if defined(__GNUC__) && defined(__x86_64__)    /* GCC spills an __int128 to memory */
      static CYTHON_INLINE uint64_t cybleu_fold(uint64_t one, uint64_t other) {
          uint64_t low, high;
          __asm__("mulq %3" : "=a"(low), "=d"(high) : "%0"(one), "rm"(other) : "cc");
          return low ^ high;
      }
    #elif defined(__SIZEOF_INT128__)
      static CYTHON_INLINE uint64_t cybleu_fold(uint64_t one, uint64_t other) {
          return one * other ^ (uint64_t)((unsigned __int128)one * other >> 64);
      }
    #elif defined(_MSC_VER) && defined(_M_X64)
      #include <intrin.h>
      static CYTHON_INLINE uint64_t cybleu_fold(uint64_t one, uint64_t other) {
          uint64_t high, low = _umul128(one, other, &high);
          return low ^ high;
      }
    #else
      static CYTHON_INLINE uint64_t cybleu_fold(uint64_t one, uint64_t other) {
          uint64_t low = (uint64_t)(uint32_t)one * (uint32_t)other;
          uint64_t middle = (one >> 32) * (uint32_t)other + (low >> 32);    /* does not overflow, nor does the next */
          uint64_t rest = (uint64_t)(uint32_t)one * (other >> 32) + (uint32_t)middle;
          return (rest << 32 | (uint32_t)low) ^ ((one >> 32) * (other >> 32) + (middle >> 32) + (rest >> 32));
      }
    #endif

    /* Distinct keys give distinct pairs of factors. Some seeds fold keys of a regular pattern, such as all pairs of two
       small numbers, to close values; the multiplication by an odd number separates them. Its high bits, which depend
       on all others, select slots. */
    static CYTHON_INLINE uint64_t cybleu_mix_pair(uint64_t first, uint64_t second, cybleu_seed seed) {
        return cybleu_fold((first + second) ^ seed.first, (first + 2 * second) ^ seed.second) * seed.second;
    }

    /* The same with the high bits as the low ones, for masks. */
    static CYTHON_INLINE uint64_t cybleu_hash_pair(uint64_t first, uint64_t second, cybleu_seed seed) {
        uint64_t hash = cybleu_mix_pair(first, second, seed);
        return hash << 32 | hash >> 32;
    }

    /* Requires 16 bytes or more. */
    static CYTHON_INLINE uint64_t cybleu_hash_bytes(const char *data, size_t size, cybleu_seed seed) {
        const char *last = data + size - 16;
        uint64_t hash = seed.second;
        for (; data < last; data += 16)
            hash = cybleu_fold(cybleu_load(data) ^ seed.first, cybleu_load(data + 8) ^ hash);
        hash = cybleu_fold(cybleu_load(last) ^ seed.first, cybleu_load(last + 8) ^ hash);
        return cybleu_fold(hash ^ seed.first, size ^ seed.second);
    }

    /* Key of a token. For a text of up to 15 bytes it contains the characters themselves, so equal keys mean equal
       tokens; otherwise it is a hash, and texts with equal keys must be compared. The first byte of `second`
       distinguishes these cases, and encodes the number and the size of the characters. */
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

    /* Load the last 16 bytes of a short text without an unpredictable branch on its length: the loads begin in the
       object's header, which is at least 16 bytes long, and the header bytes are masked out. */
    static CYTHON_INLINE void cybleu_short_text(const char *data, size_t size, unsigned int kind, cybleu_key *key) {
        const char *keep = (const char *)cybleu_keep + size;
        key->second = cybleu_load(data + (ptrdiff_t)size - 16) & cybleu_load(keep);
        key->second |= CYBLEU_FIRST_BYTE(size << 3 | kind);
        key->first = cybleu_load(data + (ptrdiff_t)size - 8) & cybleu_load(keep + 8);
    }

    /* The characters of a token. */
    typedef struct { const uint8_t *text, *end; } cybleu_token;

    /* A token with its key. The characters of an object are set only if the key does not decide. */
    typedef struct { cybleu_key key; cybleu_token token; } cybleu_keyed;

    /* A token of 16 bytes or more. The first byte of `second` is that of no short text, also without the mark. */
    static CYTHON_INLINE void cybleu_read_long(const uint8_t *text, size_t size, int kind, cybleu_seed seed,
                                               cybleu_keyed *to) {
        to->key.first = cybleu_hash_bytes((const char *)text, size, seed);
        to->key.second = CYBLEU_UNDECIDED | CYBLEU_FIRST_BYTE(7 - kind);
        to->token.text = text;
        to->token.end = text + size;
    }
    """
    bint COUNTS_SLOTS "CYBLEU_COUNTS_SLOTS"
    uint64_t CYBLEU_UNDECIDED
    ctypedef struct Seed "cybleu_seed":
        uint64_t first
        uint64_t second
    ctypedef struct cybleu_key:
        uint64_t first
        uint64_t second
    ctypedef struct Token "cybleu_token":       # of raw text in UTF-8, with lone surrogates as three bytes
        const uint8_t *text
        const uint8_t *end
    ctypedef struct KeyedToken "cybleu_keyed":
        cybleu_key key
        Token token
    uint64_t mix_pair "cybleu_mix_pair" (uint64_t first, uint64_t second, Seed seed) noexcept nogil
    uint64_t hash_pair "cybleu_hash_pair" (uint64_t first, uint64_t second, Seed seed) noexcept nogil
    # for less than 16 bytes; the 16 bytes before the text must be readable
    void cybleu_short_text(const char *data, size_t size, unsigned int kind, cybleu_key *key) noexcept nogil
    void cybleu_read_long(const uint8_t *text, size_t size, int kind, Seed seed, KeyedToken *to) noexcept nogil


cdef inline uint64_t next_slot(uint64_t slot, uint64_t mask) noexcept nogil:
    """Return the next slot."""
    if COUNTS_SLOTS:
        count_slot()
    return (slot + 1) & mask


cdef Py_ssize_t SLOTS = 0       # threads may count one at the same time: it is a test's rough number


cdef Seed SEED      # of this process


cdef bytes RANDOM = urandom(sizeof(Seed))


memcpy(&SEED, <const char *>RANDOM, sizeof(Seed))


SEED.second |= 1


cdef inline uint64_t hash_word(uint64_t key) noexcept nogil:
    return hash_pair(key, 0, SEED)


# Count a slot, in builds with all checks.
cdef void count_slot() noexcept nogil:
    global SLOTS
    SLOTS += 1


def slots_probed():
    """Return how many slots this process has probed after the first ones; None in builds that do not count."""
    return SLOTS if COUNTS_SLOTS else None
