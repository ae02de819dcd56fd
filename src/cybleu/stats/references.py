"""References that are prepared once for many hypotheses."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain, pairwise
from typing import TYPE_CHECKING, Any

from .. import _backend
from .._runtime.arrays import np, repeat
from .._runtime.interrupts import types_of
from .._runtime.parallel import run
from .._runtime.scales import counted
from ..errors import ArrayValueError, MixedTokensError
from ..text.arrays import SpecialIds, parse_owners
from ..text.numbering import (
    NumberedReferences,
    RawWords,
    Vocabulary,
    ids_of_tokens,
    number_hypotheses,
    number_raw_references,
    number_references,
)
from ..text.parsing import parse_references, parse_texts, tokenise, tokenise_sets
from ..text.raw import Raw, raw_of
from ..text.values import RawReferences, RawText, TokenIds, TokenLists, numbers_of_sets
from .counts import (
    lengths_to_choose_from,
)
from .options import CountOptions
from .prepared import PreparedSets

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ..text.values import ParsedReferences, ParsedTexts

__all__ = ["References"]


class References(PreparedSets):
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
    :param tokenize: references and hypotheses are raw text, and this says how to split them, as for
        :func:`cybleu.text.tokenizer`
    :param lowercase: put raw text in lower case first; for the metrics ``mteval-v13a`` and ``nist`` only A to Z, as their script
    :raises CybleuError: one of its subclasses, whose message names the argument and the place: a set without a
        reference, an invalid order or length, ids mixed with other tokens

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

    __slots__ = ("_derived", "_given", "_numbered", "_options", "_prepared", "_raw")

    _options: CountOptions
    _numbered: NumberedReferences
    _raw: Raw | None
    _given: Any  # raw text, as the backend reads it
    _prepared: Any
    _derived: dict[str, Any]  # what few metrics need, made when it is first needed

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
        tokenize: str | Callable[[str], Sequence[Hashable]] | None = None,
        lowercase: bool = False,
    ):
        raw = raw_of(tokenize, lowercase, lengths=lengths, pad_id=pad_id, eos_id=eos_id, unk_id=unk_id)
        options = CountOptions.checked(max_order, reference_length, SpecialIds(pad_id, eos_id, unk_id), ignore)
        self._prepare(parse_references(references, raw=raw and raw.in_case, lengths=lengths), options, raw)

    @classmethod
    def _of(cls, references: ParsedReferences, options: CountOptions, raw: Raw | None = None) -> References:
        """Prepare references that are parsed.

        :param raw: how raw text is tokenised, and whether it is put in lower case first
        """
        made = cls.__new__(cls)
        made._prepare(references, options, raw)
        return made

    def _prepare(self, references: ParsedReferences, options: CountOptions, raw: Raw | None) -> None:
        given: Any = None
        if isinstance(references, RawReferences):
            assert raw is not None
            # the memory of columns is not ours to keep
            given = references.texts.lines
            if references.in_columns:
                given = _backend.chosen.RawTexts(given.strings())
            lowered = replace(references, texts=replace(references.texts, lines=raw.lowered_texts(given)))
            if raw.own:
                return self._fill(options, number_raw_references(raw, lowered, options.ignored), raw, given)
            references = tokenise_sets(raw, lowered)
        numbered = number_references(references, options.special, options.ignored)
        ids = numbered.texts.ids.copy()  # the caller may change an array
        numbered = numbered._replace(texts=numbered.texts._replace(ids=ids))
        self._fill(options, numbered, raw, given)

    def _fill(self, options: CountOptions, numbered: NumberedReferences, raw: Raw | None, given: Any) -> None:
        state = {"_options": options, "_numbered": numbered, "_raw": raw, "_given": given, "_derived": {}}
        for name, value in state.items():
            object.__setattr__(self, name, value)
        object.__setattr__(self, "_prepared", self._counted(numbered))

    def _counted(self, numbered: NumberedReferences) -> Any:
        options = self._options
        texts, bounds = numbered.texts, numbered.bounds
        lengths, length_bounds = _reference_lengths(numbered, options.reference_length)
        return _backend.chosen.PreparedReferences(
            np.ascontiguousarray(texts.ids, dtype=np.int64),
            texts.begins,
            texts.ends,
            bounds,
            lengths,
            length_bounds,
            options.max_order,
            options.special.unk_id,
            None if options.ignored is None else _ids_of_ngrams(options.ignored, numbered),
        )

    def __setattr__(self, name: str, value: Any = None) -> None:
        raise AttributeError("References cannot be changed; make another from the changed references")

    __delattr__ = __setattr__

    def __reduce__(self) -> tuple[Any, ...]:
        """The arguments, of which a copy or a loaded pickle is prepared again."""
        numbered, options, raw = self._numbered, self._options, self._raw
        ignored = None if options.ignored is None else options.ignored.texts
        named: dict[str, Any] = {"ignore": ignored, **options.special._asdict()}
        if raw is not None:
            texts = self._given.strings()
            named["tokenize"] = raw
        elif isinstance(numbered.vocabulary, Vocabulary):
            tokens = numbered.vocabulary.tokens()
            texts = [[tokens[number] for number in text] for text in numbered.texts.lists()]
        else:
            texts = numbered.texts.lists()
        sets = [texts[begin:end] for begin, end in pairwise(numbered.bounds.tolist())]
        return partial(type(self), sets, options.max_order, options.reference_length, **named), ()

    @property
    def max_order(self) -> int:
        """The largest n-gram order."""
        return self._options.max_order

    @property
    def reference_length(self) -> str:
        """Which of the references' lengths counts."""
        return self._options.reference_length

    def __len__(self) -> int:
        """The number of sets."""
        return len(self._numbered.bounds) - 1

    def __repr__(self) -> str:
        return (
            f"<References of {counted(len(self), 'segment')}, {counted(self._numbered.texts.size, 'text')}, "
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
        progress: bool = False,
    ) -> NDArray[np.int64]:
        """The statistics rows of the hypotheses.

        :param hypotheses: a batch of texts, as :mod:`cybleu.stats` describes it. Against references of raw text it may
            be raw text or token lists
        :param owner: for each hypothesis the index of its set of references; by default hypothesis i has set i
        :param threads: how many threads work at the same time; None is one. The rows are the same
        :param lengths: of the hypotheses in a 2-D array
        :param progress: show a progress bar (needs tqdm)
        :return: int64 of shape `(hypotheses, 2 + 2 * max_order)`. In the row of an empty hypothesis only the reference
            length is not 0
        """
        texts = parse_hypotheses(hypotheses, self._raw, lengths)
        return self._rows_of(texts, parse_owners(owner, len(self), texts.size), threads, progress)

    def _rows_of(
        self, texts: ParsedTexts, owners: NDArray[np.int64], threads: int | None = None, progress: bool = False
    ) -> NDArray[np.int64]:
        """The rows of :meth:`stats`, of parsed texts.

        :param owners: for each text the number of its set
        """
        rows = np.empty((texts.size, 2 + 2 * self.max_order), dtype=np.int64)
        return self._fill_rows(self._numbers_of(texts), owners, rows, threads, progress)

    def _numbers_of(self, texts: ParsedTexts) -> RawText | TokenIds:
        """Texts in the numbers of the references, or as raw text that has a tokeniser of the backend."""
        if isinstance(texts, RawText):
            assert self._raw is not None
            if self._raw.own:
                return texts
            texts = tokenise(self._raw, texts)
        return number_hypotheses(texts, self._numbered, self._options.special)

    def _fill_rows(
        self,
        texts: RawText | TokenIds,
        owners: NDArray[np.int64],
        rows: NDArray[np.int64],
        threads: int | None,
        progress: bool,
    ) -> NDArray[np.int64]:
        """Write the statistics rows of the hypotheses."""
        cost = 64 * len(owners)
        if isinstance(texts, RawText):
            lines, words = texts.lines, self._numbered.vocabulary
            assert isinstance(words, RawWords)
            vocabulary = words.backend
            cost += lines.size // 4

            def work(start: int, stop: int) -> None:
                self._prepared.count_raw_rows(vocabulary, lines, owners, start, stop, rows)

        else:
            ids, begins, ends = texts
            cost += len(ids)

            def work(start: int, stop: int) -> None:
                self._prepared.count_rows(ids, begins, ends, owners, start, stop, rows)

        run(work, len(owners), cost, threads, progress, "hypotheses")
        return rows

    def _of_mteval(self) -> References:
        """The references for mteval-v13a, whose script reads some raw text in its own way."""
        raw = self._raw and Raw(self._raw.tokenize, self._raw.lowercase, of_mteval=True)
        if raw is None or not raw.of_mteval:
            return self
        if "mteval" not in self._derived:
            sets = RawReferences(RawText(self._given, "references"), self._numbered.bounds)
            self._derived["mteval"] = References._of(sets, self._options, raw)
        found: References = self._derived["mteval"]
        return found


def prepared_lines(references: References, metric: str, in_case: bool = False) -> tuple[Raw, RawReferences]:
    """The raw text of prepared references, and how it is tokenised.

    :param metric: the name of the metric, which counts characters
    :param in_case: leave the text in its case, for a metric that puts it in lower case itself
    :raises ArrayValueError: there is no raw text
    """
    if references._raw is None:
        raise ArrayValueError(
            f"the references were prepared as tokens, and {metric} counts the characters of raw text; "
            "give raw text to References, with tokenize="
        )
    raw, lines = references._raw, references._given
    if raw.lowercase and not in_case:
        derived = references._derived
        lines = derived["lines"] if "lines" in derived else derived.setdefault("lines", raw.lowered_texts(lines))
    return raw, RawReferences(RawText(lines, "references"), references._numbered.bounds)


def stats_of_each(
    references: References, hypotheses: Any, owner: Any, lengths: Any, threads: int | None, progress: bool
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The statistics rows of hypotheses against each reference of their sets alone, and how many these are for each.

    The other parameters are those of :meth:`References.stats`.
    """
    numbered = references._numbered
    texts = references._numbers_of(parse_hypotheses(hypotheses, references._raw, lengths))
    if isinstance(texts, RawText):
        assert isinstance(numbered.vocabulary, RawWords)
        texts = numbered.vocabulary.look_up(texts.lines, 0, texts.size)
    ids, begins, ends = texts
    owners = parse_owners(owner, len(references), texts.size)
    alone = references._prepared if numbered.texts.size == len(references) else references._derived.get("alone")
    if alone is None:
        alone = references._counted(numbered._replace(bounds=np.arange(numbered.texts.size + 1, dtype=np.int64)))
        references._derived["alone"] = alone
    each, counts = numbers_of_sets(numbered.bounds, owners)
    begins, ends = repeat(begins, counts), repeat(ends, counts)
    rows = np.empty((len(each), 2 + 2 * references.max_order), dtype=np.int64)

    def work(start: int, stop: int) -> None:
        alone.count_rows(ids, begins, ends, each, start, stop, rows)

    run(work, len(each), int((ends - begins).sum()) + 64 * len(each), threads, progress, "pairs")
    return rows, counts


def digest(references: References) -> str:
    """A digest of these references, equal for equal ones: SHA-256 of their tokens and of how they are counted."""
    from hashlib import sha256  # which imports OpenSSL, and few programs need it

    numbered, options = references._numbered, references._options
    found = sha256()
    for array in (*numbered.texts, numbered.bounds):
        found.update(np.ascontiguousarray(array, dtype=np.int64).tobytes())
    # numbers are given in the order in which tokens come
    words = getattr(numbered.vocabulary, "numbers", None)
    ignored = None if options.ignored is None else options.ignored.texts
    choices = options.max_order, options.reference_length, tuple(options.special), ignored
    found.update(repr((None if words is None else list(words), choices)).encode("utf-8", "surrogatepass"))
    return found.hexdigest()


class LineCounter:
    """Statistics of raw texts in a block of bytes. For :mod:`cybleu.nbest`.

    :param references: of tokens that are texts
    :param raw: with one of the backend's tokenisers, and no lower case
    """

    def __init__(self, references: References, raw: Raw):
        vocabulary = references._numbered.vocabulary
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
        prepared = self._references._prepared
        rows = np.empty((count, 2 + 2 * self._references.max_order), dtype=np.int64)
        if self._words is None:
            lines = [block[begin:end].decode() for begin, end in zip(begins.tolist(), ends.tolist())]
            texts = self._vocabulary.encoded(TokenLists(self._raw.split(lines), "hypotheses"))
            prepared.count_rows(*texts, owners, 0, count, rows)
        else:
            views = _backend.chosen.RawTexts.of_spans(block, begins, ends)
            prepared.count_raw_rows(self._words.backend, views, owners, 0, count, rows)
        return rows


def parse_hypotheses(hypotheses: Any, raw: Raw | None, lengths: Any) -> ParsedTexts:
    """Hypotheses, which may be token lists even if the references are raw text."""
    return parse_texts(hypotheses, "hypotheses", raw, lengths=lengths, tokens_too=True)


# ---------------------------------------------------------------------------------------------------------- references


def _reference_lengths(
    numbered: NumberedReferences, reference_length: str
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The lengths to choose from, set after set, and where each set begins, and the end."""
    lengths = numbered.texts.ends - numbered.texts.begins
    if len(lengths) == len(numbered.bounds) - 1:
        return lengths, numbered.bounds
    chosen = [
        lengths_to_choose_from(lengths[first:last].tolist(), reference_length)
        for first, last in pairwise(numbered.bounds.tolist())
    ]
    offsets = np.cumsum([0, *map(len, chosen)], dtype=np.int64)
    return np.fromiter(chain.from_iterable(chosen), np.int64, int(offsets[-1])), offsets


def _ids_of_ngrams(ngrams: TokenLists, references: NumberedReferences) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The n-grams in the numbers of the references, one after the other, and where each begins, and the end."""
    found = ids_of_tokens(ngrams) if references.vocabulary is None else references.vocabulary.encoded(ngrams)
    if found is None:
        raise MixedTokensError("ignore holds n-grams of other tokens than ids, and the references hold ids")
    return np.ascontiguousarray(found.ids, dtype=np.int64), np.append(found.begins, len(found.ids))
