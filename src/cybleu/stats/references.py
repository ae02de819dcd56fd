"""References that are prepared once for many hypotheses, and the statistics rows of segments."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from itertools import chain, pairwise
from typing import TYPE_CHECKING, Any

from .. import _backend
from .._runtime.arrays import np
from .._runtime.interrupts import types_of
from .._runtime.parallel import checked_threads, run
from .._runtime.scales import counted
from ..checks import check, check_references, check_texts
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
    SpecialIds,
    any_array,
    hypotheses_like,
    integers_of_lists,
    is_array,
    is_ragged,
    owners_given,
    positions,
    reference_sets,
    separate_output,
    sets_missing,
)
from ..text.columns import ReferenceColumns, TextColumn, references_given, texts_given
from ..text.raw import Raw, raw_of
from ..text.words import RawWords, raw_reference_sets
from .counts import (
    check_counting,
    choose_length,
    fill_rows,
    lengths_to_choose_from,
    segment_row,
)
from .raw import fill_raw_rows
from .rows import checked_array

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["References", "segment_stats", "short_segments"]

RAW_AT_ONCE = 4096  # texts
FEW_EACH = 8  # hypotheses for each set of references: to prepare it would take longer than to read it for each


class References:
    """Sets of references, prepared once, for any number of hypotheses. Immutable; threads and pickles can share it.

    Metrics other than BLEU take them, too: GLEU as they are, and chrF those of raw text, whose characters it counts
    whatever the tokeniser is.

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
    >>> from cybleu import bleu_rewards
    >>> references = References([["The cat sat."], ["It rains."]], tokenize="13a")
    >>> samples, owner = ["The cat.", "A cat sat.", "It snows."], [0, 0, 1]
    >>> bleu_rewards(references, samples, owner).round(3)
    array([0.451, 0.595, 0.347], dtype=float32)
    >>> bleu_rewards(references, samples, owner, metric="chrf").round(3)
    array([0.535, 0.611, 0.152], dtype=float32)
    """

    _STATE = ("max_order", "reference_length", "_sets", "_special", "_ignored", "_raw", "_lines")
    __slots__ = (*_STATE, "_alone", "_prepared")

    max_order: int
    reference_length: str
    _sets: ReferenceSets
    _special: SpecialIds
    _ignored: list[tuple[Hashable, ...]] | None
    _raw: Raw | None
    _lines: Any  # raw text, as the backend reads it
    _prepared: Any
    _alone: Any  # as `_prepared`, with a set for each reference, once that was asked for

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
        lines: Any = None
        bounds: Any = None
        if raw is not None:
            lines, bounds = raw.sets(references)
            if isinstance(references, ReferenceColumns):
                lines = _backend.chosen.RawTexts(lines.strings())  # the columns are someone else's
        if raw is not None and (strict or not raw.own):
            references = raw.sets_of_token_lists(references)
        if strict and not is_array(references) and not is_ragged(references):
            check_references(references)
        special = SpecialIds(pad_id, eos_id, unk_id)
        check_counting(max_order, reference_length)
        special.check()
        ngrams = None if ignore is None else _checked_ngrams(ignore, max_order)
        if raw is not None and raw.own:
            sets = raw_reference_sets(raw, lines, bounds, ngrams or ())
        else:
            sets = reference_sets(references, lengths, special, ngrams or ())
            ids = sets.batch.ids.copy()  # the caller may change an array, and a pickle takes these
            sets = sets._replace(batch=sets.batch._replace(ids=ids))
        self._fill(max_order, reference_length, sets, special, ngrams, raw, lines)

    def _fill(self, *state: Any) -> None:
        """:param state: the values of `_STATE`"""
        put = object.__setattr__
        for name, value in zip(self._STATE, state):
            put(self, name, value)
        put(self, "_prepared", self._counted(self._sets))
        put(self, "_alone", None)

    def _counted(self, sets: ReferenceSets) -> Any:
        lengths, length_sets = _reference_lengths(sets, self.reference_length)
        return _backend.chosen.PreparedReferences(
            np.ascontiguousarray(sets.batch.ids, dtype=np.int64),
            sets.batch.begins,
            sets.batch.ends,
            sets.sets,
            lengths,
            length_sets,
            self.max_order,
            self._special.unk_id,
            None if self._ignored is None else _ids_of_ngrams(self._ignored, sets),
        )

    def __setattr__(self, name: str, value: Any = None) -> None:
        raise AttributeError("References cannot be changed; make another from the changed references")

    __delattr__ = __setattr__

    def __getstate__(self) -> tuple[Any, ...]:
        *state, lines = (getattr(self, name) for name in self._STATE)
        return *state, None if lines is None else lines.strings()

    def __setstate__(self, state: tuple[Any, ...]) -> None:
        try:
            max_order, reference_length, sets, ids, ignored, raw, strings = state
            special = SpecialIds._make(ids)
            check_counting(max_order, reference_length)
            special.check()
            if (raw is None) != (strings is None) or (raw is not None and len(strings) != len(sets.batch.begins)):
                raise ValueError("the raw text does not fit the rest")
            lines = None if strings is None else _backend.chosen.RawTexts(strings)
            self._fill(max_order, reference_length, sets, special, ignored, raw, lines)
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

    @property
    def of_raw_text(self) -> bool:
        """Whether they were given as raw text, with a tokeniser."""
        return self._raw is not None

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
        batch, raw_texts, owners = self._read(hypotheses, owner, lengths, strict)
        count = len(owners)
        shape = count, 2 + 2 * self.max_order
        rows = separate_output(out, shape, np.int64, hypotheses=hypotheses, owner=owner, lengths=lengths)

        def work(start: int, stop: int) -> None:
            if raw_texts is None:
                self._prepared.count_rows(batch.ids, batch.begins, batch.ends, owners, start, stop, rows)
            else:
                self._count_raw(raw_texts, owners, start, stop, rows)

        cost = (len(batch.ids) if raw_texts is None else raw_texts.size // 4) + 64 * count
        run(work, count, cost, threads, progress, "hypotheses")
        return rows

    def _read(self, hypotheses: Any, owner: Any, lengths: Any, strict: bool) -> tuple[Any, Any, NDArray[np.int64]]:
        """Hypotheses as a batch, or as raw text that the backend reads, and for each the number of its set."""
        hypotheses = texts_given(hypotheses)
        batch: Any = None
        raw_texts: Any = None
        if self._raw is not None and not _holds_token_lists(hypotheses):
            raw_of(self._raw.tokenize, lengths=lengths)  # for its error
            if self._raw.own:
                raw_texts = self._raw.texts(hypotheses, "hypotheses")
            else:
                hypotheses = self._raw.token_lists(hypotheses, "hypotheses")
        if raw_texts is None:
            if strict and not is_array(hypotheses) and not is_ragged(hypotheses):
                check_texts(hypotheses, "hypotheses")
            batch = hypotheses_like(hypotheses, self._sets, lengths, self._special, self._ignored or ())
        count = len(batch.begins) if raw_texts is None else len(raw_texts)
        return batch, raw_texts, owners_given(owner, len(self), count)

    def _count_raw(self, texts: Any, owners: NDArray[np.int64], start: int, stop: int, rows: NDArray[np.int64]) -> None:
        """Write the rows of some raw texts, not too many at a time: their numbers are in memory."""
        words = self._sets.vocabulary
        assert isinstance(words, RawWords)
        for begin in range(start, stop, RAW_AT_ONCE):
            end = min(begin + RAW_AT_ONCE, stop)
            batch = words.look_up(texts, begin, end)
            self._prepared.count_rows(*batch, owners[begin:end], 0, end - begin, rows[begin:end])


def check_prepared(
    references: References, metric: str, counted: Mapping[str, Any], *, ignores: bool = False, **arguments: Any
) -> None:
    """See that prepared references are counted as a metric counts, and that nothing is given that was given to them.

    :param metric: its name
    :param counted: what it needs: values of `max_order`, `reference_length` and `lowercase`
    :param ignores: it can leave out n-grams
    :param arguments: of references
    :raises ArrayValueError: it is otherwise
    """
    given = [name for name, value in arguments.items() if value is not None and value is not False]
    if given:
        raise ArrayValueError(f"the references are prepared, so {given[0]} is theirs; give it to References")
    if references._ignored is not None and not ignores:
        raise ArrayValueError(f"the references were prepared with ignore, and {metric} leaves no n-grams out")
    raw = references._raw
    for name, wanted in counted.items():
        found = raw is not None and raw.lowercase if name == "lowercase" else getattr(references, name)
        if found != wanted:
            raise ArrayValueError(
                f"the references were prepared with {name}={found!r}, and {metric} counts with {wanted!r} here; "
                f"give References({name}={wanted!r})"
            )


def prepared_lines(references: References, metric: str) -> tuple[Raw, Any, NDArray[np.int64]]:
    """Prepared references as raw text: how it is read, all lines as the backend reads them, and where each set begins.

    :param metric: the name of the metric, which counts characters
    :raises ArrayValueError: there is no raw text
    """
    if references._raw is None:
        raise ArrayValueError(
            f"the references were prepared as tokens, and {metric} counts the characters of raw text; "
            "give raw text to References, with tokenize="
        )
    return references._raw, references._lines, references._sets.sets


def stats_of_each(
    references: References, hypotheses: Any, owner: Any, lengths: Any, threads: int | None, progress: bool
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The statistics rows of hypotheses against each reference of their sets alone, and how many these are for each.

    The other parameters are those of :meth:`References.stats`.
    """
    batch, raw_texts, owners = references._read(hypotheses, owner, lengths, False)
    if raw_texts is not None:
        batch = references._sets.vocabulary.look_up(raw_texts, 0, len(raw_texts))
    alone = references._prepared if len(references._sets.batch.begins) == len(references) else references._alone
    if alone is None:
        sets = references._sets._replace(sets=np.arange(len(references._sets.batch.begins) + 1))
        alone = references._counted(sets)
        object.__setattr__(references, "_alone", alone)
    firsts = references._sets.sets[owners]
    counts = references._sets.sets[owners + 1] - firsts
    each = (firsts - np.cumsum(counts) + counts).repeat(counts) + np.arange(counts.sum())
    begins, ends = batch.begins.repeat(counts), batch.ends.repeat(counts)
    rows = np.empty((len(each), 2 + 2 * references.max_order), dtype=np.int64)

    def work(start: int, stop: int) -> None:
        alone.count_rows(batch.ids, begins, ends, each, start, stop, rows)

    run(work, len(each), int((ends - begins).sum()) + 64 * len(each), threads, progress, "pairs")
    return rows, counts


def digest(references: References) -> str:
    """A number for these references, equal for equal ones: SHA-256 of their tokens and of how they are counted."""
    from hashlib import sha256  # which imports OpenSSL, and few programs need it

    sets = references._sets
    found = sha256()
    for array in (sets.batch.ids, sets.batch.begins, sets.batch.ends, sets.sets):
        found.update(np.ascontiguousarray(array, dtype=np.int64).tobytes())
    # numbers are given in the order in which tokens come
    words = getattr(sets.vocabulary, "numbers", None)
    choices = references.max_order, references.reference_length, tuple(references._special), references._ignored
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
    of_ids = {"pad_id": pad_id, "eos_id": eos_id, "unk_id": unk_id}
    checked_threads(threads)
    raw = raw_of(tokenize, lowercase, **of_ids, lengths=lengths, reference_lengths=reference_lengths)
    if raw is not None and raw.own and ignore is None and not strict and not _holds_token_lists(hypotheses):
        check_counting(max_order, reference_length)
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
        or not (owner is ignore is lengths is reference_lengths is None)
        or not (pad_id is eos_id is unk_id is None)
        or not _are_token_lists(references, hypotheses)
    ):
        prepared = References(
            references,
            max_order,
            reference_length,
            lengths=reference_lengths,
            **of_ids,
            ignore=ignore,
            strict=strict,
            tokenize=tokenize,
            lowercase=lowercase,
        )
        return prepared.stats(hypotheses, owner, threads, lengths=lengths, progress=progress, strict=strict)
    if strict:
        check(references, hypotheses)
    check_counting(max_order, reference_length)
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
    fill_raw_rows(rows, raw, texts, others, bounds, max_order, reference_length, threads, progress)
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
    if not isinstance(references, (list, tuple)) or not isinstance(hypotheses, (list, tuple)):
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
