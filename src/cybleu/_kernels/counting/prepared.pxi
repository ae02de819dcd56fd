# Prepared reference sets on token ids, for counting any number of hypotheses.
#
# Each n-gram of a set has an id, looked up by its token for order 1, and for higher orders by the ids of its two
# (n-1)-grams, which identify it exactly. The table stores its maximum count in one reference, so a hypothesis costs one
# probe for each n-gram whose (n-1)-grams are known, however many references there are.

ctypedef fused token_id:
    int32_t
    int64_t


cdef enum:
    IGNORED_ORDERS = 64         # bits of a mask


cdef struct ReferenceTable:
    Slots tokens
    Slots pairs
    int32_t ngrams              # number of ids
    const int64_t *lengths      # distinct reference lengths, ascending; or the single one to use
    Py_ssize_t length_count


# Working memory of one thread.
cdef struct MatchWorkspace:
    int64_t *keys
    uint64_t *places            # of the keys, or of the tokens
    Py_ssize_t *positions
    Py_ssize_t *starts
    int32_t *ngrams
    uint64_t *ignored           # by position, a bit for each order, or NULL
    int32_t *seen               # n-gram -> count so far, 0 between texts; index -1 is valid


# ------------------------------------------------------------------------------------------------------- preparation

# Sized for the largest set.
cdef struct PreparationWorkspace:
    int32_t *ids        # by position, reference after reference
    int64_t *keys       # by n-gram
    int32_t *best
    int32_t *counts     # 0 between references
    Slot *slots
    bint with_unknown
    int64_t unknown     # a token that never matches
    bint whole          # each reference is a single n-gram; its parts do not count


cdef int32_t intern_order(PreparationWorkspace *work, Slots table, Seed seed, const int64_t *keys_of_tokens,
                          Py_ssize_t start, Py_ssize_t length, int n, int32_t given) noexcept nogil:
    """Replace the ids of the (n-1)-grams of one reference by those of its n-grams, -1 where a token never matches."""
    cdef int32_t *ids = work.ids + start
    cdef Slot *slot
    cdef int64_t key
    cdef Py_ssize_t i
    for i in range(length - n + 1):
        if n == 1:
            key = keys_of_tokens[i]
            if work.with_unknown and key == work.unknown:
                ids[i] = -1
                continue
        else:
            if ids[i] < 0 or ids[i + 1] < 0:
                ids[i] = -1
                continue
            key = pair_key(ids[i], ids[i + 1])
        slot = probe(table, key, seed)
        if slot.ngram < 0:
            slot.key = key
            slot.ngram = given
            work.keys[given] = key
            work.best[given] = 0
            given += 1
        ids[i] = slot.ngram
    if work.whole and n < length:
        return given
    for i in range(length - n + 1):
        if ids[i] >= 0:
            work.counts[ids[i]] += 1
            work.best[ids[i]] = max(work.best[ids[i]], work.counts[ids[i]])
    for i in range(length - n + 1):
        if ids[i] >= 0:
            work.counts[ids[i]] = 0
    return given


cdef int prepare(ReferenceTable *table, PreparationWorkspace *work, const int64_t *ids, const int64_t *begins,
                 const int64_t *ends, Py_ssize_t count, Py_ssize_t max_order) except -1 nogil:
    """Build the table of one set."""
    cdef Seed seed = process_seed()
    cdef Slots known
    cdef Slot *slot
    cdef Py_ssize_t total = 0
    cdef Py_ssize_t longest = 0
    cdef Py_ssize_t k, n, start
    cdef int32_t given = 0
    cdef int32_t tokens = 0
    cdef int32_t i
    cdef uint64_t slots
    for k in range(count):
        total += <Py_ssize_t>(ends[k] - begins[k])
        longest = max(longest, <Py_ssize_t>(ends[k] - begins[k]))
    known.mask = 0
    for n in range(1, min(max_order, longest) + 1):
        # cleared for each order: keys of different orders may coincide
        make_empty(&known, work.slots, slots_needed(total))
        start = 0
        for k in range(count):
            if ends[k] - begins[k] >= n:
                given = intern_order(work, known, seed, ids + begins[k], start, <Py_ssize_t>(ends[k] - begins[k]),
                                     <int>n, given)
            start += <Py_ssize_t>(ends[k] - begins[k])
        if n == 1:
            tokens = given
    # twice the required slots: collisions cost more than the memory
    slots = 2 * slots_needed(tokens)
    table.ngrams = given
    table.tokens.slots = <Slot *>allocated(
        malloc(<size_t>(slots + 2 * slots_needed(given - tokens)) * sizeof(Slot)))
    make_empty(&table.tokens, table.tokens.slots, slots)
    make_empty(&table.pairs, table.tokens.slots + slots, 2 * slots_needed(given - tokens))
    for i in range(given):
        slot = probe(table.tokens if i < tokens else table.pairs, work.keys[i], seed)
        slot.key = work.keys[i]
        slot.ngram = i
        slot.best = work.best[i]
    return 0


# ----------------------------------------------------------------------------------------------------------- matching
cdef inline Py_ssize_t record_match(const Slot *slot, Py_ssize_t start, int bit, const uint64_t *ignored, int32_t *seen,
                                    int32_t *ngrams, Py_ssize_t *positions, Py_ssize_t found,
                                    int64_t *matched) noexcept nogil:
    """Record the id of the n-gram at this position, if it is in the references, and whether it is a clipped match."""
    cdef int32_t count = seen[slot.ngram]
    cdef int64_t counts = count < slot.best
    if ignored != NULL:
        counts &= <int64_t>(~(ignored[start] >> bit) & 1)
    matched[0] += counts
    seen[slot.ngram] = count + 1
    ngrams[found] = slot.ngram
    positions[found] = start
    return found + (slot.ngram >= 0)


cdef void match_prepared(const ReferenceTable *table, const token_id *text, Py_ssize_t length, Py_ssize_t max_order,
                         const MatchWorkspace *work, int64_t *matches) noexcept nogil:
    """Count the clipped matches of each order.

    Slots are prefetched before any is read: the tables of many sets do not fit the cache.
    """
    cdef Seed seed = process_seed()
    cdef Slots tokens = table.tokens
    cdef Slots pairs = table.pairs
    cdef const uint64_t *ignored = work.ignored
    cdef int32_t *seen = work.seen
    cdef int32_t *ngrams = work.ngrams
    cdef Py_ssize_t *positions = work.positions
    cdef Py_ssize_t *starts = work.starts
    cdef int64_t *keys = work.keys
    cdef uint64_t *places = work.places
    cdef int64_t matched = 0
    cdef Py_ssize_t found = 0
    cdef Py_ssize_t wanted, i, n
    (seen - 1)[0] = 0
    for i in range(length):
        places[i] = place_of(tokens, text[i], seed)
        CYBLEU_PREFETCH(&tokens.slots[places[i]])
    for i in range(length):
        found = record_match(probe_from(tokens, text[i], places[i]), i, 0, ignored, seen, ngrams, positions, found,
                             &matched)
    matches[0] = matched
    for n in range(1, max_order + 1):
        wanted = 0
        if found > 0:
            seen[ngrams[found - 1]] = 0
        for i in range(found - 1):
            seen[ngrams[i]] = 0
            keys[wanted] = pair_key(ngrams[i], ngrams[i + 1])
            places[wanted] = place_of(pairs, keys[wanted], seed)
            CYBLEU_PREFETCH(&pairs.slots[places[wanted]])
            starts[wanted] = positions[i]
            wanted += positions[i + 1] - positions[i] == 1
        if n == max_order or wanted == 0:
            return
        found = 0
        matched = 0
        for i in range(wanted):
            found = record_match(probe_from(pairs, keys[i], places[i]), starts[i], <int>n, ignored, seen, ngrams,
                                 positions, found, &matched)
        matches[n] = matched


cdef void mark_ignored(const ReferenceTable *table, const token_id *text, Py_ssize_t length, Py_ssize_t max_order,
                       MatchWorkspace *work, int64_t *totals) noexcept nogil:
    """Set the bits of ignored n-grams, which have `best` above 0 in their table, and subtract them from the totals."""
    cdef Seed seed = process_seed()
    cdef Py_ssize_t found = 0
    cdef Py_ssize_t wanted, i, n
    cdef const Slot *slot
    for i in range(length):
        slot = probe(table.tokens, text[i], seed)
        work.ignored[i] = <uint64_t>(slot.best > 0)
        totals[0] -= slot.best > 0
        work.ngrams[found] = slot.ngram
        work.positions[found] = i
        found += slot.ngram >= 0
    for n in range(1, max_order):
        wanted = found
        found = 0
        for i in range(wanted - 1):
            if work.positions[i + 1] - work.positions[i] == 1:
                slot = probe(table.pairs, pair_key(work.ngrams[i], work.ngrams[i + 1]), seed)
                work.ignored[work.positions[i]] |= <uint64_t>(slot.best > 0) << n
                totals[n] -= slot.best > 0
                work.ngrams[found] = slot.ngram
                work.positions[found] = work.positions[i]
                found += slot.ngram >= 0


# -------------------------------------------------------------------------------------------------------------- class
cdef class PreparedReferences:
    """Prepared reference sets. Immutable, so that threads can share them.
    :param ids: the tokens of all references
    :param begins: where each reference begins in `ids`
    :param ends: where it ends
    :param sets: offsets of the sets in the references
    :param lengths: candidate reference lengths of each set; the closest is used, on ties the first
    :param length_sets: offsets of the sets in `lengths`
    :param unknown: an id that never matches, or None
    :param ignored: concatenated ids of the n-grams to ignore, and their offsets; or None
    """

    cdef ReferenceTable *tables
    cdef ReferenceTable ignored
    cdef Py_ssize_t count
    cdef Py_ssize_t max_order
    cdef int32_t most_ngrams
    cdef int64_t *lengths
    cdef bint ignores

    def __cinit__(self, const int64_t[::1] ids, const int64_t[::1] begins, const int64_t[::1] ends,
                  const int64_t[::1] sets, const int64_t[::1] lengths, const int64_t[::1] length_sets,
                  Py_ssize_t max_order, unknown, ignored):
        cdef PreparationWorkspace work
        cdef Watch watching = begin_watch()
        cdef Py_ssize_t largest = 0
        cdef Py_ssize_t i
        row_size(max_order)     # raises ValueError
        if sets.shape[0] < 1 or length_sets.shape[0] != sets.shape[0]:
            raise ValueError("the sets do not fit each other")
        check_offsets(sets, begins.shape[0], 0)
        check_offsets(length_sets, lengths.shape[0], 1)    # a set has a reference length
        self.max_order = max_order
        self.count = sets.shape[0] - 1
        self.tables = <ReferenceTable *>allocated(calloc(<size_t>self.count + 1, sizeof(ReferenceTable)))
        self.lengths = <int64_t *>allocated(malloc(<size_t>(lengths.shape[0] + 1) * sizeof(int64_t)))
        for i in range(lengths.shape[0]):
            self.lengths[i] = lengths[i]
        for i in range(self.count):
            self.tables[i].lengths = self.lengths + length_sets[i]
            self.tables[i].length_count = <Py_ssize_t>(length_sets[i + 1] - length_sets[i])
            largest = max(largest, <Py_ssize_t>check_texts(ids.shape[0], begins, ends, sets[i], sets[i + 1]))
        try:
            begin_work(&work, largest, max_order)
            work.with_unknown = unknown is not None
            work.unknown = unknown if work.with_unknown else 0
            with nogil:
                for i in range(self.count):
                    prepare(&self.tables[i], &work, at(ids, 0), at(begins, sets[i]), at(ends, sets[i]),
                            <Py_ssize_t>(sets[i + 1] - sets[i]), max_order)
                    self.most_ngrams = max(self.most_ngrams, self.tables[i].ngrams)
                    watch(&watching, 8 + self.tables[i].ngrams)
        finally:
            end_work(&work)
        if ignored is not None:
            ngrams, offsets = ignored
            self.ignore(ngrams, offsets)

    cdef int ignore(self, const int64_t[::1] ids, const int64_t[::1] offsets) except -1:
        """Build the table of ignored n-grams; only the full n-grams get a count above 0."""
        cdef PreparationWorkspace work
        if check_offsets(offsets, ids.shape[0], 1) > IGNORED_ORDERS:
            raise ValueError("an n-gram to ignore has too many tokens")
        if ids.shape[0] > MOST_NGRAMS // IGNORED_ORDERS:
            raise ValueError("there are too many n-grams to ignore")
        if self.max_order > IGNORED_ORDERS:
            raise ValueError("n-grams can be ignored up to an order of 64")
        try:
            begin_work(&work, ids.shape[0], IGNORED_ORDERS)
            work.whole = True
            prepare(&self.ignored, &work, at(ids, 0), &offsets[0], &offsets[0] + 1, offsets.shape[0] - 1,
                    IGNORED_ORDERS)
        finally:
            end_work(&work)
        self.ignores = True
        return 0

    def __dealloc__(self):
        cdef Py_ssize_t i
        if self.tables != NULL:
            for i in range(self.count):
                free(self.tables[i].tokens.slots)
        free(self.tables)
        free(self.ignored.tokens.slots)
        free(self.lengths)

    def count_rows(self, const token_id[::1] ids, const int64_t[::1] begins, const int64_t[::1] ends,
                   const int64_t[::1] owners, Py_ssize_t start, Py_ssize_t stop, int64_t[:, ::1] stats):
        """Write the statistics rows of the hypotheses `start` to `stop` (exclusive).

        :param owners: for each hypothesis the index of its set
        """
        cdef MatchWorkspace work
        cdef Watch watching = begin_watch()
        cdef Py_ssize_t longest = 0
        cdef Py_ssize_t i
        self.check_rows(begins.shape[0], owners, start, stop, stats)
        check_texts(ids.shape[0], begins, ends, start, stop)
        if start == stop:
            return
        for i in range(start, stop):
            longest = max(longest, <Py_ssize_t>(ends[i] - begins[i]))
        work.keys = NULL
        try:
            with nogil:
                self.begin_match(&work, longest)
                for i in range(start, stop):
                    count_prepared(self, &ids[begins[i]] if begins[i] < ends[i] else NULL,
                                   <Py_ssize_t>(ends[i] - begins[i]), owners[i], &work, &stats[i, 0])
                    watch(&watching, 8 + (ends[i] - begins[i]))
        finally:
            free(work.keys)

    def count_raw_rows(self, RawVocabulary words not None, RawTexts texts not None, const int64_t[::1] owners,
                       Py_ssize_t start, Py_ssize_t stop, int64_t[:, ::1] stats):
        """Write the rows of raw texts, whose tokens have numbers in a vocabulary.

        The other parameters are those of `count_rows`.
        """
        cdef MatchWorkspace work
        cdef Scanner scanner
        cdef TokenIds numbers
        cdef Py_ssize_t longest = -1
        cdef Py_ssize_t i
        self.check_rows(texts.count, owners, start, stop, stats)
        memset(&numbers, 0, sizeof(TokenIds))
        work.keys = NULL
        make_scanner(&scanner)
        try:
            with nogil:
                for i in range(start, stop):
                    numbers.count = 0
                    words.number_line(&scanner, &texts.lines[i], &numbers, False)
                    if numbers.count > longest:
                        longest = max(numbers.count, 2 * longest)
                        free(work.keys)
                        work.keys = NULL
                        self.begin_match(&work, longest)
                    count_prepared(self, numbers.values, numbers.count, owners[i], &work, &stats[i, 0])
        finally:
            free(work.keys)
            free(numbers.values)
            end_scanner(&scanner)

    cdef int check_rows(self, Py_ssize_t count, const int64_t[::1] owners, Py_ssize_t start, Py_ssize_t stop,
                        const int64_t[:, ::1] stats) except -1:
        cdef Py_ssize_t i
        if not 0 <= start <= stop <= count or owners.shape[0] != count:
            raise ValueError("the hypotheses do not fit their owners")
        if stats.shape[0] != count or stats.shape[1] != 2 + 2 * self.max_order:
            raise ValueError("the rows do not fit the hypotheses")
        for i in range(start, stop):
            if not 0 <= owners[i] < self.count:
                raise ValueError("an owner is out of range")
        return 0

    cdef int begin_match(self, MatchWorkspace *work, Py_ssize_t longest) except -1 nogil:
        """Allocate all arrays in one block: separate arrays at the same page offset would alias in the cache."""
        cdef uint64_t size = <uint64_t>longest + 1
        cdef uint64_t ngrams = <uint64_t>max(self.most_ngrams, self.ignored.ngrams)
        cdef bint ignores = self.ignores
        cdef uint64_t everything = (size * (2 * sizeof(Py_ssize_t) + (2 + ignores) * sizeof(int64_t) + sizeof(int32_t))
                                    + (ngrams + 2) * sizeof(int32_t))
        if longest > MOST_TOKENS or everything > <uint64_t>PY_SSIZE_T_MAX:
            raise MemoryError()
        work.keys = <int64_t *>allocated(calloc(<size_t>everything, 1))
        work.ignored = <uint64_t *>(work.keys + size) if ignores else NULL
        work.places = <uint64_t *>(work.keys + (1 + ignores) * size)
        work.positions = <Py_ssize_t *>(work.places + size)
        work.starts = work.positions + size
        work.ngrams = <int32_t *>(work.starts + size)
        work.seen = work.ngrams + size + 1
        return 0


cdef void count_prepared(PreparedReferences references, const token_id *text, Py_ssize_t length, int64_t owner,
                         MatchWorkspace *work, int64_t *row) noexcept nogil:
    """Write the row of one text."""
    cdef const ReferenceTable *table = &references.tables[owner]
    cdef Py_ssize_t order = references.max_order
    cdef Py_ssize_t n
    row[0] = length
    row[1] = -1
    for n in range(table.length_count):
        if row[1] < 0 or apart(table.lengths[n], length) < apart(row[1], length):
            row[1] = table.lengths[n]
    for n in range(order):
        row[2 + n] = 0
        row[2 + order + n] = length - n if length > n else 0
    if length > 0:
        if references.ignores:
            mark_ignored(&references.ignored, text, length, order, work, row + 2 + order)
        match_prepared(table, text, length, order, work, row + 2)


cdef inline const int64_t *at(const int64_t[::1] numbers, int64_t position) noexcept nogil:
    """Return a pointer into the array; valid to form, but not to read, if the array is empty or at its end."""
    return &numbers[0] + position if numbers.shape[0] > 0 else NULL


cdef int begin_work(PreparationWorkspace *work, Py_ssize_t tokens, Py_ssize_t max_order) except -1:
    cdef uint64_t ngrams = <uint64_t>tokens * <uint64_t>min(max_order, max(tokens, 1))
    memset(work, 0, sizeof(PreparationWorkspace))
    if tokens > MOST_NGRAMS or ngrams > MOST_NGRAMS:
        raise MemoryError("a set of references has too many n-grams")
    work.ids = <int32_t *>allocated(malloc(<size_t>(tokens + 1) * sizeof(int32_t)))
    work.keys = <int64_t *>allocated(malloc(<size_t>(ngrams + 1) * sizeof(int64_t)))
    work.best = <int32_t *>allocated(malloc(<size_t>(ngrams + 1) * sizeof(int32_t)))
    work.counts = <int32_t *>allocated(calloc(<size_t>(ngrams + 1), sizeof(int32_t)))
    work.slots = <Slot *>allocated(malloc(<size_t>slots_needed(tokens) * sizeof(Slot)))
    return 0


cdef void end_work(PreparationWorkspace *work) noexcept:
    free(work.ids)
    free(work.keys)
    free(work.best)
    free(work.counts)
    free(work.slots)


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
    check_texts(ids.shape[0], begins, ends, 0, begins.shape[0])
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
