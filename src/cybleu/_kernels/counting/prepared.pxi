# Prepared reference sets on token ids, for counting any number of hypotheses.
#
# Each n-gram of a set has an id, looked up by its token for order 1, and for higher orders by the ids of its two
# (n-1)-grams, which identify it exactly. The table stores its maximum count in one reference, so a hypothesis costs one
# probe for each n-gram whose (n-1)-grams are known, however many references there are. If the set has one reference,
# and both texts fit the masks of `ngrams.pxi`, they are counted faster as a segment of ids.

cdef struct Slot:
    uint64_t key
    int32_t ngram       # id, -1 in a free slot
    int32_t best        # the maximum count in one reference


# Open addressing with all of an n-gram in one place, because the tables of many sets do not fit the cache.
cdef struct Slots:
    Slot *slots
    uint64_t mask       # number of slots - 1; the number is a power of two


cdef struct ReferenceTable:
    Slots tokens
    Slots pairs


cdef enum:
    WARM = 8        # texts after which the table of a set is in the cache


# Working memory of one thread.
cdef struct MatchWorkspace:
    SegmentWorkspace segment
    Py_ssize_t repeated         # texts with the same set just before this one
    Buffer memory               # of what follows
    uint64_t *keys              # of the tokens, and then of the n-grams
    uint64_t *places            # of the keys, or of the tokens
    Py_ssize_t *positions
    Py_ssize_t *starts
    int32_t *ngrams
    int32_t *seen               # n-gram -> count so far, 0 between texts; index -1 is valid


# ------------------------------------------------------------------------------------------------------- preparation

# Sized for the largest set.
cdef struct PreparationWorkspace:
    Buffer memory       # of what follows
    KeyTable table      # of tokens, and then of pairs
    int32_t *grams      # by position, reference after reference
    int32_t *counts     # by number, 0 between references
    int32_t *best       # by number, 0 between sets


cdef inline uint64_t place_of(Slots table, uint64_t key) noexcept nogil:
    """Return the slot at which probing for a key begins."""
    return hash_word(key) & table.mask


cdef inline bint slots_hold_other(const void *table, const void *key, uint64_t slot) noexcept nogil:
    """Implement `HoldsOther` for the slots of a Slots and a uint64."""
    cdef const Slot *found = <const Slot *>table + slot
    # Negative for a free slot and for the key: one branch, because which of the two it is cannot be predicted.
    return (found.ngram | -<int32_t>(found.key == (<const uint64_t *>key)[0])) >= 0


cdef inline Slot *probe_from(Slots table, uint64_t key, uint64_t place) noexcept nogil:
    """Return the slot of the key, or the free slot for it, from `place` on."""
    return &table.slots[probe(table.slots, &key, slots_hold_other, place, table.mask)]


cdef int fill_slots(Slots *table, uint64_t slots, const uint64_t *keys, const int32_t *best, int32_t first_ngram,
                    int32_t last_ngram, Watch *watching) except -1 nogil:
    """Write n-grams from the first to before the last one to so many slots.

    :param keys: by n-gram
    :param best: by n-gram, the maximum count in one reference
    """
    cdef Slot *slot
    cdef Py_ssize_t first, size
    cdef int32_t ngram
    table.mask = slots - 1
    first = 0
    while first < <Py_ssize_t>slots:        # the first access to new memory is slow
        size = block_end(first, <Py_ssize_t>slots, watching) - first
        memset(table.slots + first, 0xFF, <size_t>size * sizeof(Slot))
        first += STEPS
    first = first_ngram
    while first < last_ngram:
        for ngram in range(first, block_end(first, last_ngram, watching)):
            slot = probe_from(table[0], keys[ngram], place_of(table[0], keys[ngram]))
            slot[0] = Slot(keys[ngram], ngram, best[ngram])
        first += STEPS
    return 0


cdef int32_t prepare(ReferenceTable *table, PreparationWorkspace *work, TokenTexts texts, Py_ssize_t first,
                     Py_ssize_t last, Py_ssize_t max_order, Watch *watching) except -1 nogil:
    """Build the table of the set with the references `first` to `last` (exclusive); return its number of n-grams."""
    cdef int32_t *grams = work.grams
    cdef Py_ssize_t total = 0
    cdef Py_ssize_t k, n, length
    cdef int32_t tokens = 0
    cdef int32_t given
    cdef uint64_t slots, others
    for k in range(first, last):
        total += texts.length(k)
    forget_keys(&work.table, slots_for(total), watching)
    for k in range(first, last):
        tokens = number_ids(&work.table, texts, k, grams, tokens, True, watching)
        grams += texts.length(k)
    given = tokens
    forget_keys(&work.table, slots_for(total * (min(max_order, texts.longest) - 1)), watching)
    grams = work.grams
    for k in range(first, last):
        length = texts.length(k)
        for n in range(min(max_order, length)):
            if n > 0:
                given = extend_ngrams(&work.table, grams, grams + 1, length - n, given, True, watching)
            count_tokens(grams, length - n, work.counts)
            take_largest(grams, length - n, 1, work.counts, work.best)
            watch_long(watching, length)
        grams += length
    # twice the required slots: collisions cost more than the memory
    slots = 2 * slots_needed(tokens)
    others = 2 * slots_needed(given - tokens)
    table.tokens.slots = <Slot *>new_array(<Py_ssize_t>(slots + others), sizeof(Slot))
    table.pairs.slots = table.tokens.slots + slots
    fill_slots(&table.tokens, slots, work.table.keys + 1, work.best + 1, 0, tokens, watching)
    fill_slots(&table.pairs, others, work.table.keys + 1, work.best + 1, tokens, given, watching)
    clear_items(work.best, given + 1)
    return given


cdef int begin_work(PreparationWorkspace *work, Py_ssize_t tokens, Py_ssize_t max_order) except -1:
    """Allocate memory for sets of at most so many tokens."""
    cdef uint64_t size = <uint64_t>tokens
    cdef uint64_t ngrams = size * <uint64_t>max(max_order, 1) + 1
    if ngrams > MOST_NGRAMS:
        raise MemoryError("a set of references has too many n-grams")
    reserve(&work.memory, (slots_for(<Py_ssize_t>ngrams) + 2 * ngrams) * sizeof(int32_t)
            + ngrams * sizeof(uint64_t) + size * sizeof(int32_t))
    work.table.keys = <uint64_t *>work.memory.data
    work.grams = <int32_t *>(work.table.keys + ngrams)
    work.best = work.grams + size
    work.counts = work.best + ngrams
    work.table.numbers = work.counts + ngrams
    clear_items(work.best, 2 * ngrams)
    return 0


# ----------------------------------------------------------------------------------------------------------- matching
cdef inline Py_ssize_t record_match(const Slot *slot, Py_ssize_t start, int32_t *seen, int32_t *ngrams,
                                    Py_ssize_t *positions, Py_ssize_t found, int64_t *matched) noexcept nogil:
    """Record the id of the n-gram at this position, if it is in the references, and whether it is a clipped match."""
    cdef int32_t count = seen[slot.ngram]
    matched[0] += count < slot.best
    seen[slot.ngram] = count + 1
    ngrams[found] = slot.ngram
    positions[found] = start
    return found + (slot.ngram >= 0)


cdef int match_prepared(const ReferenceTable *table, Py_ssize_t length, Py_ssize_t max_order,
                        const MatchWorkspace *work, int64_t *matches, Watch *watching) except -1 nogil:
    """Count the clipped matches of each order, of the text whose tokens are the keys.

    Slots are prefetched before any is read: the tables of many sets do not fit the cache.
    """
    cdef Slots tokens = table.tokens
    cdef Slots pairs = table.pairs
    cdef int32_t *seen = work.seen
    cdef int32_t *ngrams = work.ngrams
    cdef Py_ssize_t *positions = work.positions
    cdef Py_ssize_t *starts = work.starts
    cdef uint64_t *keys = work.keys
    cdef uint64_t *places = work.places
    cdef int64_t matched = 0
    cdef Py_ssize_t found = 0
    cdef Py_ssize_t wanted, i, n
    (seen - 1)[0] = 0
    for i in range(length):
        places[i] = place_of(tokens, keys[i])
        CYBLEU_PREFETCH(&tokens.slots[places[i]])
    for i in range(length):
        found = record_match(probe_from(tokens, keys[i], places[i]), i, seen, ngrams, positions, found,
                             &matched)
    matches[0] = matched
    for n in range(1, max_order + 1):
        wanted = 0
        if found > 0:
            seen[ngrams[found - 1]] = 0
        for i in range(found - 1):
            seen[ngrams[i]] = 0
            keys[wanted] = pair_key(ngrams[i], ngrams[i + 1])
            places[wanted] = place_of(pairs, keys[wanted])
            CYBLEU_PREFETCH(&pairs.slots[places[wanted]])
            starts[wanted] = positions[i]
            wanted += positions[i + 1] - positions[i] == 1
        watch_long(watching, found)
        if n == max_order or wanted == 0:
            break
        found = 0
        matched = 0
        for i in range(wanted):
            found = record_match(probe_from(pairs, keys[i], places[i]), starts[i], seen, ngrams, positions, found,
                                 &matched)
        matches[n] = matched
    return 0


# -------------------------------------------------------------------------------------------------------------- class
cdef class PreparedReferences:
    """Prepared reference sets. Immutable, so that threads can share them.

    :param texts: the references
    :param sets: offsets of the sets in the references
    """

    cdef TokenTexts references
    cdef ReferenceTable *tables
    cdef Py_ssize_t count
    cdef Py_ssize_t max_order
    cdef int32_t most_ngrams
    cdef int mode
    cdef const int64_t[::1] sets

    def __cinit__(self, TokenTexts texts not None, const int64_t[::1] sets, Py_ssize_t max_order,
                  str reference_length not None):
        cdef PreparationWorkspace work
        cdef Watch watching = begin_watch()
        cdef Py_ssize_t largest = 0
        cdef Py_ssize_t tokens, i, k
        cdef int32_t ngrams
        bleu_row_size(max_order)     # raises ValueError
        check_offsets(sets, texts.size, 1)    # a set has a reference
        self.references = texts
        self.mode = REFERENCE_LENGTHS.index(reference_length)
        self.max_order = max_order
        self.count = sets.shape[0] - 1
        self.tables = <ReferenceTable *>new_zeros(self.count + 1, sizeof(ReferenceTable))
        self.sets = sets
        for i in range(self.count):
            tokens = 0
            for k in range(sets[i], sets[i + 1]):
                tokens += texts.length(k)
            largest = max(largest, tokens)
        clear_items(&work, 1)
        try:
            begin_work(&work, largest, min(max_order, texts.longest))
            with nogil:
                for i in range(self.count):
                    ngrams = prepare(&self.tables[i], &work, texts, <Py_ssize_t>sets[i], <Py_ssize_t>sets[i + 1],
                                     max_order, &watching)
                    self.most_ngrams = max(self.most_ngrams, ngrams)
                    watch(&watching, 8 + ngrams)
        finally:
            free_buffer(&work.memory)

    def __dealloc__(self):
        cdef Py_ssize_t i
        if self.tables != NULL:
            for i in range(self.count):
                free(self.tables[i].tokens.slots)
        free(self.tables)

    def count_rows(self, TokenTexts texts not None, const int64_t[::1] owners, Py_ssize_t start, Py_ssize_t stop,
                   int64_t[:, ::1] stats):
        """Write the statistics rows of the hypotheses `start` to `stop` (exclusive).

        :param owners: for each hypothesis the index of its set
        """
        cdef MatchWorkspace work
        cdef Py_ssize_t i
        if not 0 <= start <= stop <= texts.size or owners.shape[0] != texts.size:
            raise ValueError("the hypotheses do not fit their owners")
        check_rows(stats.shape, texts.size, 2 + 2 * self.max_order)
        for i in range(start, stop):
            if not 0 <= owners[i] < self.count:
                raise ValueError("an owner is out of range")
        work.memory = Buffer(NULL, 0)
        make_workspace(&work.segment)
        try:
            with nogil:
                self.begin_match(&work, texts.longest)
                for i in range(start, stop):
                    work.repeated = work.repeated + 1 if i > start and owners[i] == owners[i - 1] else 0
                    self.count_text(texts, i, owners[i], &work, &stats[i, 0])
        finally:
            free_buffer(&work.memory)
            end_workspace(&work.segment)

    cdef int begin_match(self, MatchWorkspace *work, Py_ssize_t longest) except -1 nogil:
        """Allocate all arrays in one block: separate arrays at the same page offset would alias in the cache."""
        cdef uint64_t size = <uint64_t>longest + 1
        cdef uint64_t ngrams = <uint64_t>self.most_ngrams + 1       # with the one of index -1
        reserve(&work.memory, size * (2 * sizeof(Py_ssize_t) + 2 * sizeof(uint64_t) + sizeof(int32_t))
                + ngrams * sizeof(int32_t))
        work.keys = <uint64_t *>work.memory.data
        work.places = work.keys + size
        work.positions = <Py_ssize_t *>(work.places + size)
        work.starts = work.positions + size
        work.ngrams = <int32_t *>(work.starts + size)
        work.seen = work.ngrams + size + 1
        clear_items(work.seen - 1, ngrams)
        return 0

    cdef int count_text(self, TokenTexts texts, Py_ssize_t text, int64_t owner, MatchWorkspace *work,
                        int64_t *row) except -1 nogil:
        """Write the row of one text."""
        cdef const ReferenceTable *table = &self.tables[owner]
        cdef Py_ssize_t order = self.max_order
        cdef Watch *watching = &work.segment.hypothesis.watching
        cdef Py_ssize_t length = texts.length(text)
        cdef Py_ssize_t first = <Py_ssize_t>self.sets[owner]
        cdef Py_ssize_t last = <Py_ssize_t>self.sets[owner + 1]
        cdef Py_ssize_t chosen = -1
        cdef Py_ssize_t k, n
        # once a table is in the cache, it is faster than the masks
        if work.repeated < WARM and last == first + 1 and max(length, self.references.length(first)) <= MASK_BITS:
            number_ids_of(&work.segment, texts, text, self.references, first, last, 0)
            return count_numbered(&work.segment, order, CLOSEST, row)
        row[0] = length
        for k in range(first, last):
            chosen = length_with(chosen, self.references.length(k), length, self.mode)
        row[1] = chosen // (last - first) if self.mode == AVERAGE else chosen
        for n in range(order):
            row[2 + n] = 0
            row[2 + order + n] = max(length - n, 0)
        texts.read(text, work.keys)
        match_prepared(table, length, order, work, row + 2, watching)
        return watch(watching, 8 + length)


def trim(const token_id[::1] ids, int64_t[::1] begins, int64_t[::1] ends, pad, eos):
    """Strip the padding around each text, and truncate it before the first `eos`.

    :param pad: id of the padding token, or None
    :param eos: id of the end-of-sequence token, or None
    """
    cdef bint has_pad = pad is not None
    cdef bint has_eos = eos is not None
    cdef int64_t pad_id = pad if has_pad else 0
    cdef int64_t eos_id = eos if has_eos else 0
    cdef int64_t begin, end, position
    cdef Watch watching = begin_watch()
    cdef Py_ssize_t i
    TokenTexts(ids, begins, ends)   # checks them
    with nogil:
        for i in range(begins.shape[0]):
            begin = begins[i]
            end = ends[i]
            if has_pad:
                while begin < end and ids[begin] == pad_id:
                    begin += 1
            if has_eos:
                position = begin
                while position < end and ids[position] != eos_id:
                    position += 1
                end = position
            if has_pad:
                while begin < end and ids[end - 1] == pad_id:
                    end -= 1
            watch(&watching, 1 + (ends[i] - begins[i]))
            begins[i] = begin
            ends[i] = end
