"""References that are prepared once for many hypotheses."""

from __future__ import annotations

from itertools import chain, pairwise
from typing import TYPE_CHECKING, Any

from .. import _backend
from .._runtime.arrays import np, repeat
from .._runtime.interrupts import types_of
from .._runtime.parallel import run
from ..errors import MixedTokensError
from ..text.arrays import parse_owners
from ..text.numbering import (
    NumberedReferences,
    RawWords,
    ids_of_tokens,
    number_hypotheses,
    number_raw_references,
    number_references,
)
from ..text.parsing import parse_texts, tokenise, tokenise_sets
from ..text.raw import Raw
from ..text.values import RawReferences, RawText, TokenIds, TokenLists, numbers_of_sets
from .counts import lengths_to_choose_from
from .options import CountOptions

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ..text.values import ParsedReferences, ParsedTexts

__all__ = ["CountedReferences"]


class CountedReferences:
    """References prepared for a number of orders and a rule of their length.

    :param references: parsed sets
    :param options: how segments are counted
    :param raw: how raw text is tokenised
    """

    __slots__ = ("_alone", "_numbered", "_options", "_prepared", "_raw")

    def __init__(self, references: ParsedReferences, options: CountOptions, raw: Raw | None = None):
        if isinstance(references, RawReferences):
            assert raw is not None
            if raw.own:
                numbered = number_raw_references(raw, references, options.ignored)
            else:
                numbered = number_references(tokenise_sets(raw, references), options.special, options.ignored)
        else:
            numbered = number_references(references, options.special, options.ignored)
        self._options = options
        self._numbered = numbered
        self._raw = raw
        self._alone: Any = None  # as `_prepared`, with a set for each reference, made when it is first needed
        self._prepared = self._counted(numbered)

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

    def rows(
        self,
        hypotheses: Any,
        owner: Any = None,
        threads: int | None = None,
        *,
        lengths: Any = None,
        progress: bool = False,
    ) -> NDArray[np.int64]:
        """The statistics rows of hypotheses.

        :param owner: for each hypothesis the index of its set of references; by default hypothesis i has set i
        """
        texts = parse_texts(hypotheses, "hypotheses", self._raw, lengths=lengths)
        return self._rows_of(texts, parse_owners(owner, len(self), texts.size), threads, progress)

    def _rows_of(
        self, texts: ParsedTexts, owners: NDArray[np.int64], threads: int | None = None, progress: bool = False
    ) -> NDArray[np.int64]:
        """The rows of parsed texts.

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


def stats_of_each(
    references: CountedReferences, hypotheses: Any, owner: Any, lengths: Any, threads: int | None, progress: bool
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The statistics rows of hypotheses against each reference of their sets alone, and how many these are for each.

    The other parameters are those of :meth:`CountedReferences.rows`.
    """
    numbered = references._numbered
    texts = references._numbers_of(parse_texts(hypotheses, "hypotheses", references._raw, lengths=lengths))
    if isinstance(texts, RawText):
        assert isinstance(numbered.vocabulary, RawWords)
        texts = numbered.vocabulary.look_up(texts.lines, 0, texts.size)
    ids, begins, ends = texts
    owners = parse_owners(owner, len(references), texts.size)
    alone = references._prepared if numbered.texts.size == len(references) else references._alone
    if alone is None:
        alone = references._counted(numbered._replace(bounds=np.arange(numbered.texts.size + 1, dtype=np.int64)))
        references._alone = alone
    each, counts = numbers_of_sets(numbered.bounds, owners)
    begins, ends = repeat(begins, counts), repeat(ends, counts)
    rows = np.empty((len(each), 2 + 2 * references.max_order), dtype=np.int64)

    def work(start: int, stop: int) -> None:
        alone.count_rows(ids, begins, ends, each, start, stop, rows)

    run(work, len(each), int((ends - begins).sum()) + 64 * len(each), threads, progress, "pairs")
    return rows, counts


def digest(references: CountedReferences) -> str:
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

    def __init__(self, references: CountedReferences, raw: Raw):
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
