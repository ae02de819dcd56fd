"""References of n-best lists, prepared for a number of orders, and the rows of hypotheses that are read in blocks."""

from __future__ import annotations

from hashlib import sha256
from typing import TYPE_CHECKING, Any

from .. import _backend
from .._runtime.arrays import np
from .._runtime.parallel import run
from ..errors import MixedTokensError
from ..text.batches import Place, TokenLists
from ..text.numbering import RawWords, number_hypotheses, number_references

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ..metrics.counting import Counting
    from ..text.batches import AnySets, TokenIds
    from ..text.raw import Raw

__all__ = ["CountedReferences", "LineCounter", "digest"]


class CountedReferences:
    """References prepared for a number of orders and a rule of their length.

    :param sets: references of tokens or ids
    :param counting: how segments are counted
    """

    def __init__(self, sets: AnySets, counting: Counting):
        counting.check()
        self.counting = counting
        self.numbered = number_references(sets)
        self.prepared = counting.of_numbers(self.numbered)

    @property
    def max_order(self) -> int:
        """The largest n-gram order."""
        return self.counting.order

    @property
    def reference_length(self) -> str:
        """Which of the references' lengths counts."""
        return self.counting.reference_length

    def __len__(self) -> int:
        """The number of sets."""
        return len(self.numbered.bounds) - 1

    def rows(
        self, texts: TokenLists | TokenIds, owners: NDArray[np.int64], threads: int | None = None
    ) -> NDArray[np.int64]:
        """The rows of texts.

        :param owners: for each text the number of its set
        """
        ids, begins, ends = number_hypotheses(texts, self.numbered)
        rows = np.empty((len(owners), 2 + 2 * self.max_order), dtype=np.int64)

        def work(start: int, stop: int) -> None:
            self.prepared.count_rows(ids, begins, ends, owners, start, stop, rows)

        run(work, len(owners), 64 * len(owners) + len(ids), threads, False, "hypotheses")
        return rows


def digest(references: CountedReferences) -> str:
    """A digest of these references, equal for equal ones: SHA-256 of their tokens and of how they are counted."""
    numbered, found = references.numbered, sha256()
    for array in (*numbered.texts, numbered.bounds):
        found.update(np.ascontiguousarray(array, dtype=np.int64).tobytes())
    # numbers are given in the order in which tokens come
    words = getattr(numbered.vocabulary, "numbers", None)
    found.update(repr((None if words is None else list(words), references.counting)).encode("utf-8", "surrogatepass"))
    return found.hexdigest()


class LineCounter:
    """Statistics of raw texts in a block of bytes.

    :param references: of tokens that are texts
    :param raw: with one of the backend's tokenisers, and no lower case
    """

    def __init__(self, references: CountedReferences, raw: Raw):
        vocabulary = references.numbered.vocabulary
        if vocabulary is None:
            raise MixedTokensError("the references are token ids, and the hypotheses are texts")
        self._references = references
        self._raw = raw
        self._vocabulary = vocabulary
        numbers = vocabulary.numbers
        # tokens with an equality of their own are looked up by the vocabulary alone
        self._words = None
        if set(map(type, numbers)) <= {str, np.str_}:
            self._words = RawWords(raw, map(str, sorted(numbers, key=numbers.__getitem__)))

    def rows(
        self, block: bytes, begins: NDArray[np.int64], ends: NDArray[np.int64], owners: NDArray[np.int64]
    ) -> NDArray[np.int64]:
        """The statistics rows of the texts from `begins` to before `ends`, of the sets of references `owners`."""
        count = len(owners)
        prepared: Any = self._references.prepared
        rows = np.empty((count, 2 + 2 * self._references.max_order), dtype=np.int64)
        if self._words is None:
            lines = [block[begin:end].decode() for begin, end in zip(begins.tolist(), ends.tolist())]
            texts = self._vocabulary.encoded(TokenLists(self._raw.split(lines), Place("hypotheses")))
            prepared.count_rows(*texts, owners, 0, count, rows)
        else:
            views = _backend.chosen.RawTexts.of_spans(block, begins, ends)
            prepared.count_raw_rows(self._words.backend, views, owners, 0, count, rows)
        return rows
