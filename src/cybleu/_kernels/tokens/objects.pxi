# Number Python tokens. Within a table, tokens are equal if and only if their ids are equal.
#
# Only exact ``str`` and ``int`` of 64 bits are plain: their equality runs no Python code, and is that of their keys, or
# for a ``str`` of 16 bytes or more that of its characters.
#
# Offers: `assign_few_of`, `look_up_few_of` and `look_up_locked` for few tokens, `number_text` for any number,
# `fetch_tokens`.

cdef extern from "tokens/objects.h":
    bint cybleu_read_object(PyObject *token, Seed seed, KeyedToken *keyed) noexcept


# Functions that return an int return 1, or 0 if a token is not plain. Unknown tokens get the id -1, or a new one where
# they are assigned. No Python code runs, so references borrowed from a list stay valid while the GIL is held.
cdef void fetch_tokens(PyObject **tokens, Py_ssize_t count) noexcept:
    """Prefetch the tokens, whose memory is scattered."""
    cdef Py_ssize_t i
    for i in range(count):
        CYBLEU_PREFETCH(tokens[i])
        CYBLEU_PREFETCH(<char *>tokens[i] + 48)


cdef inline int read_few(PyObject *text, Py_ssize_t *size, KeyedToken *tokens, uint64_t *places) noexcept:
    """Write the tokens of a locked list or tuple with their keys, and their first slots in a FewTokens.

    Return 0 also if it has more than FEW tokens or another type.
    """
    cdef Seed seed = SEED
    cdef PyObject **objects
    cdef Py_ssize_t i
    if not cybleu_items(text, &objects, size) or size[0] > FEW:
        return 0
    if CYBLEU_OTHER_THREADS_RUN:    # in other builds items_in has prefetched them
        fetch_tokens(objects, size[0])
    for i in range(size[0]):
        if not cybleu_read_object(objects[i], seed, &tokens[i]):
            return 0
        places[i] = few_place(&tokens[i], seed)
    return 1


cdef int assign_few_of(FewTokens *table, PyObject *text, bint brief, Py_ssize_t *size, int32_t *ids) noexcept:
    """Number the tokens of a text as `read_few` reads it.

    Tokens that the table must compare are those of this text, which must outlive it: with `brief` there may be none, as
    another thread can change the text while the table is used.
    """
    cdef uint64_t places[FEW]
    cdef Py_ssize_t i
    if not read_few(text, size, table.tokens + 1, places):
        return 0
    if brief:
        for i in range(size[0]):
            if table.tokens[i + 1].key.second & CYBLEU_UNDECIDED:
                return 0
    assign_few(table, places, size[0], ids)
    return 1


cdef inline int look_up_few_of(const FewTokens *table, PyObject *text, Py_ssize_t *size, int32_t *ids) noexcept:
    """Write the ids of a locked text, -1 for unknown tokens."""
    cdef KeyedToken tokens[FEW]
    cdef uint64_t places[FEW]
    cdef Py_ssize_t i
    if not read_few(text, size, tokens, places):
        return 0
    for i in range(size[0]):
        ids[i] = number_in_few(table, &tokens[i], &places[i]) - 1
    return 1


cdef int look_up_locked(const FewTokens *table, object text, Py_ssize_t *size, int32_t *ids) noexcept:
    """Lock a text and look up its tokens."""
    with cython.critical_section(text):
        return look_up_few_of(table, <PyObject *>text, size, ids)


cdef inline int number_objects(TokenTable *table, PyObject **objects, Py_ssize_t count, int32_t *ids,
                               bint adds) noexcept:
    """Number tokens in blocks, to prefetch their slots; with `adds`, memory for all is reserved."""
    cdef KeyedToken tokens[FEW]
    cdef uint64_t hashes[FEW]
    cdef Py_ssize_t start = 0
    cdef Py_ssize_t size, i
    while start < count:
        size = min(<Py_ssize_t>FEW, count - start)
        fetch_tokens(objects + start, size)
        for i in range(size):
            if not cybleu_read_object(objects[start + i], SEED, &tokens[i]):
                return 0
            hashes[i] = hash_of(&tokens[i], SEED)
            CYBLEU_PREFETCH(&table.slots[hashes[i] & table.mask])
        for i in range(size):
            ids[start + i] = number_token(table, &tokens[i], hashes[i], adds)
        start += size
    return 1


cdef int number_text(TokenTable *table, object text, Py_ssize_t size, int32_t *ids, bint adds) noexcept:
    """Number the tokens of a list or tuple, which is locked meanwhile; 0 also if it has another size or type."""
    cdef PyObject **objects
    cdef Py_ssize_t count = 0
    with cython.critical_section(text):
        if cybleu_items(<PyObject *>text, &objects, &count) and count == size:
            return number_objects(table, objects, size, ids, adds)
    return 0


# --------------------------------------------------------------------------------------------------------------- lists
def number_tokens(list tokens not None, int32_t[::1] ids not None):
    """Write an id for each token of a list, from 0 on in arbitrary order.

    The list must not be shared with other threads, and be short, because there is no check for interrupts.

    :param ids: array of shape `(tokens,)`, filled
    :return: the number of distinct tokens, or None if one is not plain
    """
    cdef TokenTable table
    if ids.shape[0] != len(tokens):
        raise ValueError("there must be an id for each token")
    clear_items(&table, 1)
    try:
        reserve_tokens(&table, len(tokens))
        if tokens and not number_text(&table, tokens, len(tokens), &ids[0], True):
            return None
        return table.size
    finally:
        free_tokens(&table)


def types_within(texts):
    """Return the set of types of the tokens of all texts."""
    cdef Watch watching = begin_watch()
    cdef set types = set()
    cdef PyTypeObject *last = NULL
    cdef PyTypeObject *found
    # Cython's loop over a list fails if another thread shortens it, unless it is locked.
    for text in iter(texts):
        with cython.critical_section(text):
            for token in text:
                found = Py_TYPE(token)
                if found != last:       # much faster than adding the type of each token
                    types.add(<object>found)
                    last = found
        watch(&watching, 64)
    return types
