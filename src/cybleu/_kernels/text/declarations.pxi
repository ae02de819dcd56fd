# What the headers of this folder give.
#
# Offers: `Line`, which `cybleu_line_of` reads; `Token`; kinds of characters; `Piece` with `read_piece`, `set_bits`,
# `bit_of`, `set_points_apart`, `divide` and `write_places`; `Runs` with `find_runs`; `copy_ascii`.

cdef extern from "text/lines.h":
    enum:
        IN_UTF8 "CYBLEU_IN_UTF8"
    ctypedef struct Line "cybleu_line":
        const void *data
        Py_ssize_t size
        int kind
    ctypedef struct Token "cybleu_token":
        const uint8_t *text
        const uint8_t *end
    int cybleu_line_of(PyObject *text, Line *line) except -1


cdef extern from "text/pieces.h":
    enum:
        WORD "CYBLEU_WORD"
        SPACE "CYBLEU_SPACE"
        ALONE "CYBLEU_ALONE"
        POINT "CYBLEU_POINT"
        HYPHEN "CYBLEU_HYPHEN"
        DIGIT "CYBLEU_DIGIT"
        LEAD "CYBLEU_LEAD"
        INNER "CYBLEU_INNER"
    ctypedef struct Runs "cybleu_runs":
        pass
    ctypedef struct Piece "cybleu_piece":
        uint64_t space
        uint64_t alone
        uint64_t point
        uint64_t digit
        uint64_t lead
        uint64_t inner
        uint64_t taken
        uint64_t starts
        uint64_t ends
        int size
    int copy_ascii "cybleu_copy_ascii" (uint8_t *to, const uint8_t *text) noexcept nogil
    bint find_runs "cybleu_find_runs" (const uint8_t *kinds, int kind, Runs *runs) noexcept nogil
    void read_piece "cybleu_read_piece" (Piece *piece, const uint8_t *start, const uint8_t *at, const uint8_t *end,
                                         const uint8_t *table, int used, bint by_runs, const Runs *runs) noexcept nogil
    void set_bits "cybleu_set_bits" (uint64_t *bits, int first, Py_ssize_t length) noexcept nogil
    bint bit_of "cybleu_bit" (uint64_t bits, int place) noexcept nogil
    void set_points_apart "cybleu_set_points_apart" (Piece *piece, bint never_taken, bint digit_follows) noexcept nogil
    int write_places "cybleu_write_places" (const uint8_t **places, const uint8_t *at, uint64_t bits) noexcept nogil
    void divide "cybleu_divide" (Piece *piece, bint digit_before, bint unfinished, bint joins) noexcept nogil
