"""References that are prepared once for many hypotheses, and the statistics rows of segments."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from itertools import chain, pairwise
from typing import TYPE_CHECKING, Any

from .. import _backend
from .._runtime.arrays import np
from .._runtime.interrupts import types_of
from .._runtime.parallel import checked_threads, run
from .._runtime.scales import counted
from ..errors import (
    ArrayValueError,
    CybleuError,
    MixedTokensError,
    NGramError,
    OrderError,
    StatisticsError,
)
from ..text.batches import (
    ReferenceSets,
    any_array,
    checked_id,
    hypotheses_like,
    integers_of_lists,
    is_array,
    is_ragged,
    positions,
    reference_sets,
    separate_output,
    sets_missing,
)
from ..text.columns import TextColumn, references_given, texts_given
from ..text.raw import Raw, raw_of
from ..text.words import RawWords, raw_reference_sets
from .counts import (
    check_max_order,
    check_reference_length,
    choose_length,
    fill_rows,
    lengths_to_choose_from,
    segment_row,
)
from .rows import checked_array

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["References", "segment_stats", "short_segments"]

RAW_AT_ONCE = 4096  # texts
FEW_EACH = 8  # hypotheses for each set of references: to prepare it would take longer than to read it for each


class References:
    """Sets of references, prepared once, for any number of hypotheses. Immutable; threads and pickles can share it.

    :param references: a set for each segment or prompt, in any form that :mod:`cybleu.stats` describes
    :param max_order: the largest n-gram order
    :param reference_length: ``closest`` to the hypothesis, the shorter one if two are equally close; ``closest-first``,
        the first of these two; ``shortest``; or ``average``, truncated to a whole number as Moses does
    :param lengths: of the references in a 2-D or 3-D array: whole numbers `(n,)` or `(n, k)`
    :param pad_id: an id that is removed from both ends of references and hypotheses
    :param eos_id: an id before which references and hypotheses end
    :param unk_id: an id that matches nothing, but counts as a token
    :param ignore: n-grams, as tuples of tokens, that are left out of matches and totals (CrystalBLEU, Eghbali and
        Pradel 2022). With them `max_order` is at most 64
    :param strict: look for arguments of the wrong shape first, with :func:`cybleu.check`
    :param tokenize: references and hypotheses are raw text, and this says how to split them, as for
        :func:`cybleu.text.tokenizer`
    :param lowercase: put raw text in lower case first
    :raises CybleuError: one of its subclasses, whose message names the argument and the place: a set without a
        reference, an invalid order or length, ids beside other tokens

    >>> references = References([[["the", "cat", "sat"], ["a", "cat", "sat"]], [["it", "rains"]]], max_order=2)
    >>> references.stats([["the", "cat"], ["a", "cat"], ["it", "snows"]], owner=[0, 0, 1])
    array([[2, 3, 2, 1, 2, 1],
           [2, 3, 2, 1, 2, 1],
           [2, 2, 1, 0, 2, 1]])
    """

    __slots__ = ("_arguments", "_ignored", "_prepared", "_raw", "_sets", "max_order", "reference_length")

    max_order: int
    reference_length: str
    _sets: ReferenceSets
    _arguments: tuple[int | None, int | None, int | None]  # pad_id, eos_id, unk_id
    _ignored: list[tuple[Hashable, ...]] | None
    _prepared: Any
    _raw: Raw | None

    def __init__(
        self,
        references: Any,
        max_order: int = 4,
        reference_length: str = "closest",
        *,
        lengths: Any = None,
        pad_id: int | None = None,
        eos_id: int | None = None,
        unk_id: int | None = None,
        ignore: Iterable[tuple[Hashable, ...]] | None = None,
        strict: bool = False,
        tokenize: str | Callable[[str], Sequence[Hashable]] | None = None,
        lowercase: bool = False,
    ):
        references = references_given(references, tokenize is not None)
        raw = raw_of(tokenize, lowercase, lengths=lengths, pad_id=pad_id, eos_id=eos_id, unk_id=unk_id)
        if raw is not None and (strict or not raw.own):
            tokens = raw.sets_of_token_lists(references)
            references = references if raw.own else tokens
            if strict:
                from ..checks import check_references

                check_references(tokens)
        elif strict and not is_array(references) and not is_ragged(references):
            from ..checks import check_references

            check_references(references)
        check_max_order(max_order)
        check_reference_length(reference_length)
        for name, value in (("pad_id", pad_id), ("eos_id", eos_id), ("unk_id", unk_id)):
            checked_id(name, value)
        need_ids = pad_id is not None or eos_id is not None or unk_id is not None
        ngrams = None if ignore is None else _checked_ngrams(ignore, max_order)
        if raw is not None and raw.own:
            sets = raw_reference_sets(raw, references, ngrams or ())
        else:
            sets = reference_sets(references, lengths, pad_id, eos_id, need_ids, ngrams or ())
            ids = sets.batch.ids.copy()  # the caller may change an array, and a pickle takes these
            sets = sets._replace(batch=sets.batch._replace(ids=ids))
        self._fill(max_order, reference_length, sets, (pad_id, eos_id, unk_id), ngrams, raw)

    def _fill(
        self,
        max_order: int,
        reference_length: str,
        sets: ReferenceSets,
        arguments: tuple[int | None, int | None, int | None],
        ignored: list[tuple[Hashable, ...]] | None,
        raw: Raw | None,
    ) -> None:
        put = object.__setattr__
        put(self, "_raw", raw)
        put(self, "max_order", max_order)
        put(self, "reference_length", reference_length)
        put(self, "_sets", sets)
        put(self, "_arguments", arguments)
        put(self, "_ignored", ignored)
        lengths, length_sets = _reference_lengths(sets, reference_length)
        put(
            self,
            "_prepared",
            _backend.chosen.PreparedReferences(
                np.ascontiguousarray(sets.batch.ids, dtype=np.int64),
                sets.batch.begins,
                sets.batch.ends,
                sets.sets,
                lengths,
                length_sets,
                max_order,
                arguments[2],
                None if ignored is None else _ids_of_ngrams(ignored, sets),
            ),
        )

    def __setattr__(self, name: str, value: Any = None) -> None:
        raise AttributeError("References cannot be changed; make another from the changed references")

    __delattr__ = __setattr__

    def __getstate__(self) -> tuple[Any, ...]:
        return self.max_order, self.reference_length, self._sets, self._arguments, self._ignored, self._raw

    def __setstate__(self, state: tuple[Any, ...]) -> None:
        try:
            max_order, reference_length, sets, arguments, ignored, raw = state
            check_max_order(max_order)
            check_reference_length(reference_length)
            pad_id, eos_id, unk_id = arguments
            for name, value in (("pad_id", pad_id), ("eos_id", eos_id), ("unk_id", unk_id)):
                checked_id(name, value)
            self._fill(max_order, reference_length, sets, arguments, ignored, raw)
        except (AttributeError, IndexError, TypeError, ValueError) as error:
            raise ArrayValueError(f"this is not what a pickle of References holds: {error}") from error

    def __len__(self) -> int:
        """The number of sets."""
        return len(self._sets.sets) - 1

    def __repr__(self) -> str:
        return (
            f"<References of {counted(len(self), 'segment')}, {counted(len(self._sets.batch.begins), 'text')}, "
            f"orders 1 to {self.max_order}, {self.reference_length} length>"
        )

    def stats(
        self,
        hypotheses: Any,
        owner: Any = None,
        threads: int | None = None,
        *,
        lengths: Any = None,
        out: Any = None,
        progress: bool = False,
        strict: bool = False,
    ) -> NDArray[np.int64]:
        """The statistics rows of the hypotheses.

        :param hypotheses: a batch of texts, as :mod:`cybleu.stats` describes it. Against references of raw text it may
            be raw text or token lists
        :param owner: for each hypothesis the index of its set of references; by default hypothesis i has set i
        :param threads: how many threads work at the same time; None is one. The rows are the same
        :param lengths: of the hypotheses in a 2-D array
        :param out: an array to write into, int64, contiguous, of the shape of the result; it must not overlap the input
        :param progress: show a progress bar (needs tqdm)
        :param strict: look for arguments of the wrong shape first, with :func:`cybleu.check`
        :return: int64 of shape `(hypotheses, 2 + 2 * max_order)`. In the row of an empty hypothesis only the reference
            length is not 0
        """
        hypotheses = texts_given(hypotheses)
        raw_texts = None
        if self._raw is not None and not _holds_token_lists(hypotheses):
            raw_of(self._raw.tokenize, lengths=lengths)  # for its error
            if strict or not self._raw.own:
                tokens = self._raw.token_lists(hypotheses, "hypotheses")
                hypotheses = hypotheses if self._raw.own else tokens
            raw_texts = self._raw.texts(hypotheses, "hypotheses") if self._raw.own else None
        if strict and raw_texts is None and not is_array(hypotheses) and not is_ragged(hypotheses):
            from ..checks import check_texts

            check_texts(hypotheses, "hypotheses")
        if raw_texts is None:
            pad_id, eos_id, unk_id = self._arguments
            need_ids = pad_id is not None or eos_id is not None or unk_id is not None
            batch = hypotheses_like(hypotheses, self._sets, lengths, pad_id, eos_id, need_ids, self._ignored or ())
        count = len(batch.begins) if raw_texts is None else len(raw_texts)
        if owner is None:
            if count != len(self):
                raise sets_missing(count, len(self))
            owners = np.arange(count, dtype=np.int64)
        else:
            owners = positions(owner, "owner", len(self) - 1, count, "hypotheses")
        shape = count, 2 + 2 * self.max_order
        given = {"hypotheses": hypotheses, "owner": owner, "lengths": lengths}
        rows = np.empty(shape, dtype=np.int64) if out is None else separate_output(out, shape, np.int64, **given)

        def work(start: int, stop: int) -> None:
            if raw_texts is None:
                self._prepared.count_rows(batch.ids, batch.begins, batch.ends, owners, start, stop, rows)
            else:
                self._count_raw(raw_texts, owners, start, stop, rows)

        cost = (len(batch.ids) if raw_texts is None else raw_texts.size // 4) + 64 * count
        run(work, count, cost, threads, progress, "hypotheses")
        return rows

    def _count_raw(self, texts: Any, owners: NDArray[np.int64], start: int, stop: int, rows: NDArray[np.int64]) -> None:
        """Write the rows of some raw texts, not too many at a time: their numbers are in memory."""
        words = self._sets.vocabulary
        assert isinstance(words, RawWords)
        for begin in range(start, stop, RAW_AT_ONCE):
            end = min(begin + RAW_AT_ONCE, stop)
            batch = words.look_up(texts, begin, end)
            self._prepared.count_rows(*batch, owners[begin:end], 0, end - begin, rows[begin:end])


def digest(references: References) -> str:
    """A number for these references, equal for equal ones: SHA-256 of their tokens and of how they are counted."""
    from hashlib import sha256  # which imports OpenSSL, and few programs need it

    sets = references._sets
    found = sha256()
    for array in (sets.batch.ids, sets.batch.begins, sets.batch.ends, sets.sets):
        found.update(np.ascontiguousarray(array, dtype=np.int64).tobytes())
    # numbers are given in the order in which tokens come
    words = getattr(sets.vocabulary, "numbers", None)
    choices = references.max_order, references.reference_length, references._arguments, references._ignored
    found.update(repr((None if words is None else list(words), choices)).encode("utf-8", "surrogatepass"))
    return found.hexdigest()


def _holds_token_lists(hypotheses: Any) -> bool:
    if isinstance(hypotheses, TextColumn):
        return hypotheses.depth > 0
    return isinstance(hypotheses, (list, tuple)) and bool(hypotheses) and isinstance(hypotheses[0], (list, tuple))


class LineCounter:
    """Statistics of raw texts that stand in a block of bytes. For :mod:`cybleu.nbest`.

    :param references: of tokens that are texts
    :param raw: with one of the backend's tokenisers, and no lower case
    """

    def __init__(self, references: References, raw: Raw):
        vocabulary = references._sets.vocabulary
        if vocabulary is None:
            raise MixedTokensError("the references are token ids, and the hypotheses are texts")
        self._references = references
        self._raw = raw
        self._vocabulary = vocabulary
        numbers = vocabulary.numbers
        # tokens with an equality of their own are looked up by the vocabulary alone
        self._words = None
        if types_of(numbers) <= {str, np.str_}:
            self._words = RawWords(raw, map(str, sorted(numbers, key=numbers.__getitem__)))

    def rows(
        self, block: bytes, begins: NDArray[np.int64], ends: NDArray[np.int64], owners: NDArray[np.int64]
    ) -> NDArray[np.int64]:
        """The statistics rows of the texts from `begins` to before `ends`, of the sets of references `owners`."""
        count = len(owners)
        if self._words is None:
            lines = [block[begin:end] for begin, end in zip(begins.tolist(), ends.tolist())]
            batch = self._vocabulary.encoded(self._raw.token_lists(lines, "hypotheses"), "hypotheses")
        else:
            batch = self._words.look_up(_backend.chosen.RawTexts.of_spans(block, begins, ends), 0, count)
        rows = np.empty((count, 2 + 2 * self._references.max_order), dtype=np.int64)
        self._references._prepared.count_rows(*batch, owners, 0, count, rows)
        return rows


def segment_stats(
    references: Any,
    hypotheses: Any,
    max_order: int = 4,
    reference_length: str = "closest",
    *,
    owner: Any = None,
    reference_lengths: Any = None,
    lengths: Any = None,
    pad_id: int | None = None,
    eos_id: int | None = None,
    unk_id: int | None = None,
    ignore: Iterable[tuple[Hashable, ...]] | None = None,
    threads: int | None = None,
    progress: bool = False,
    strict: bool = False,
    tokenize: str | Callable[[str], Sequence[Hashable]] | None = None,
    lowercase: bool = False,
) -> NDArray[np.int64]:
    """The statistics row of each segment: of hypothesis i against references i, or against those that `owner` names.

    The other parameters, and the errors, are those of :class:`References` and its method `stats`.

    :param references: a set for each segment or prompt, in any form that :mod:`cybleu.stats` describes
    :param hypotheses: a batch of texts, likewise. Against references of raw text it may be raw text or token lists
    :param reference_lengths: of the references in a 2-D or 3-D array
    :param owner: for each hypothesis the index of its set of references; by default hypothesis i has set i
    :param lengths: of the hypotheses in a 2-D array
    :param threads: how many threads work at the same time; None is one. The rows are the same
    :param progress: show a progress bar (needs tqdm)
    :param tokenize: the texts are raw text, and this says how to split them, as for :func:`cybleu.text.tokenizer`
    :param lowercase: put raw text in lower case first
    :return: int64 of shape `(n, 2 + 2 * max_order)`, for no hypotheses `(0, 2 + 2 * max_order)`. In the row of an empty
        hypothesis only the reference length is not 0

    >>> segment_stats([[["the", "cat", "sat"], ["a", "cat"]]], [["the", "cat"]], max_order=2)
    array([[2, 2, 2, 1, 2, 1]])
    >>> segment_stats([["The cat sat.", "A cat."]], ["The cat."], max_order=2, tokenize="13a", lowercase=True)
    array([[3, 3, 3, 2, 3, 2]])
    >>> import numpy
    >>> segment_stats(numpy.array([[7, 8, 9], [4, 5, 0]]), numpy.array([[7, 8, 0], [5, 4, 0]]), max_order=2, pad_id=0)
    array([[2, 3, 2, 1, 2, 1],
           [2, 2, 2, 0, 2, 1]])
    """
    references, hypotheses = references_given(references, tokenize is not None), texts_given(hypotheses)
    special = owner, pad_id, eos_id, unk_id, ignore, lengths, reference_lengths
    checked_threads(threads)
    raw = raw_of(
        tokenize,
        lowercase,
        pad_id=pad_id,
        eos_id=eos_id,
        unk_id=unk_id,
        lengths=lengths,
        reference_lengths=reference_lengths,
    )
    if raw is not None and raw.own and ignore is None and not strict and not _holds_token_lists(hypotheses):
        check_max_order(max_order)
        check_reference_length(reference_length)
        if (
            owner is not None
            and isinstance(references, (list, tuple))
            and len(hypotheses) <= FEW_EACH * len(references)
        ):
            owners = positions(owner, "owner", len(references) - 1, len(hypotheses), "hypotheses")
            references, owner = [references[number] for number in owners.tolist()], None
        if owner is None:
            return _raw_stats(raw, references, hypotheses, max_order, reference_length, threads, progress)
    if (
        raw is not None
        or threads not in (None, 1)  # the counts of prepared references are made without Python's lists
        or any(argument is not None for argument in special)
        or not _are_token_lists(references, hypotheses)
    ):
        prepared = References(
            references,
            max_order,
            reference_length,
            lengths=reference_lengths,
            pad_id=pad_id,
            eos_id=eos_id,
            unk_id=unk_id,
            ignore=ignore,
            strict=strict,
            tokenize=tokenize,
            lowercase=lowercase,
        )
        return prepared.stats(hypotheses, owner, threads, lengths=lengths, progress=progress, strict=strict)
    if strict:
        from ..checks import check

        check(references, hypotheses)
    check_max_order(max_order)
    check_reference_length(reference_length)
    count = len(hypotheses)
    if count != len(references):
        raise sets_missing(count, len(references))
    rows = np.zeros((count, 2 + 2 * max_order), dtype=np.int64)

    def one(position: int) -> None:
        try:
            rows[position] = segment_row(references[position], hypotheses[position], max_order)
        except CybleuError as error:
            raise type(error)(f"segment {position}: {error}") from error.__cause__

    def work(start: int, stop: int) -> None:
        fill_rows(references, hypotheses, max_order, start, stop, rows, one)

    run(work, count, 0, None, progress, "segments")
    if reference_length != "closest":
        for row, texts in zip(rows, references):
            row[1] = choose_length([len(text) for text in texts], int(row[0]), reference_length)
    if count and not rows[:, 2].any():
        _check_not_mixed(references, hypotheses)
    return rows


def _raw_stats(
    raw: Raw,
    references: Any,
    hypotheses: Any,
    max_order: int,
    reference_length: str,
    threads: int | None,
    progress: bool,
) -> NDArray[np.int64]:
    texts = raw.texts(hypotheses, "hypotheses")
    others, bounds = raw.sets(references)
    if len(texts) != len(bounds) - 1:
        raise sets_missing(len(texts), len(bounds) - 1)
    rows = np.empty((len(texts), 2 + 2 * max_order), dtype=np.int64)
    tokenizer = raw.backend

    def work(start: int, stop: int) -> None:
        _backend.chosen.raw_rows(tokenizer, texts, others, bounds, max_order, reference_length, start, stop, rows)

    run(work, len(texts), (texts.size + others.size) // 4 + 64 * len(texts), threads, progress, "segments")
    return rows


def short_segments(stats: NDArray[np.int64]) -> list[int]:
    """How many segments have no n-gram of each order. NLTK's corpus BLEU needs this beside the sum of the rows.

    :param stats: rows of segments, integers `(n, 2 + 2 * orders)`
    :return: a number for each order from 1; for no rows all are 0
    :raises StatisticsError: these are not rows of statistics

    >>> short_segments(segment_stats([[["a", "b"]], [["a"]]], [["a", "b"], ["a"]]))
    [0, 1, 2, 2]
    """
    rows, order = checked_array(stats, "stats")
    if (rows < 0).any():
        raise StatisticsError(f"statistics are whole numbers from 0, and these hold {rows.min()}")
    counts: list[int] = (rows.reshape(-1, 2 + 2 * order)[:, 2 + order :] == 0).sum(axis=0).tolist()
    return counts


# -------------------------------------------------------------------------------------------------------------- checks


def _are_token_lists(references: Any, hypotheses: Any) -> bool:
    """Whether both are lists of token lists, which are counted without making ids of them."""
    if not all(isinstance(argument, (list, tuple)) for argument in (references, hypotheses)):
        return False
    if is_ragged(references) or is_ragged(hypotheses) or any_array(hypotheses) or any_array(references):
        return False
    if set(map(type, references)) <= {list, tuple}:
        return not any_array(chain.from_iterable(references))
    return not any(hasattr(texts, "__len__") and any_array(texts) for texts in references)


def _check_not_mixed(references: Any, hypotheses: Any) -> None:
    """No unigram matches anywhere: perhaps because one side has ids and the other strings."""
    try:
        kinds = [
            _backend.chosen.types_within(hypotheses),
            _backend.chosen.types_within(chain.from_iterable(references)),
        ]
    except TypeError:
        return  # they were changed while they were counted
    if [int] in (sorted(kinds[0], key=str), sorted(kinds[1], key=str)) and any(
        all(issubclass(kind, str) for kind in side) and side for side in kinds
    ):
        raise MixedTokensError(
            "one of hypotheses and references holds token ids and the other strings; give both as ids or both as tokens"
        )


# ---------------------------------------------------------------------------------------------------------- references


def _reference_lengths(sets: ReferenceSets, reference_length: str) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The lengths to choose from, set after set, and where each set begins, and the end."""
    lengths = sets.batch.ends - sets.batch.begins
    if len(lengths) == len(sets.sets) - 1:
        return lengths, sets.sets
    bounds = sets.sets.tolist()
    chosen = [
        lengths_to_choose_from(lengths[first:last].tolist(), reference_length) for first, last in pairwise(bounds)
    ]
    offsets = np.cumsum([0, *map(len, chosen)], dtype=np.int64)
    return np.fromiter(chain.from_iterable(chosen), np.int64, int(offsets[-1])), offsets


def _checked_ngrams(ignore: Iterable[tuple[Hashable, ...]], max_order: int) -> list[tuple[Hashable, ...]]:
    """The n-grams of the orders that are counted."""
    if max_order > 64:
        raise OrderError(f"n-grams can be ignored up to order 64, and max_order is {max_order}")
    ngrams = list(ignore)
    for ngram in ngrams:
        if not isinstance(ngram, tuple) or not ngram:
            raise NGramError(f"ignore holds {ngram!r}; an n-gram is a tuple of at least one token")
    return [ngram for ngram in ngrams if len(ngram) <= max_order]


def _ids_of_ngrams(
    ngrams: list[tuple[Hashable, ...]], sets: ReferenceSets
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The n-grams in the numbers of the references, one after the other, and where each begins, and the end."""
    batch = (
        integers_of_lists(ngrams, "ignore") if sets.vocabulary is None else sets.vocabulary.encoded(ngrams, "ignore")
    )
    if batch is None:
        raise MixedTokensError("ignore holds n-grams of other tokens than ids, and the references hold ids")
    return np.ascontiguousarray(batch.ids, dtype=np.int64), np.append(batch.begins, len(batch.ids))
