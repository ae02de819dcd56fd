"""Raw text in numbers that many texts share."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from itertools import chain
from typing import TYPE_CHECKING, Any

from .. import _backend
from .._runtime.arrays import np
from .batches import Batch, ReferenceSets, batch_of_lengths
from .raw import Raw

if TYPE_CHECKING:
    from numpy.typing import NDArray


class RawWords:
    """The vocabulary of raw texts, which a :class:`~cybleu.text.batches.Vocabulary` is of tokens.

    :param raw: with one of the backend's tokenisers
    :param tokens: those with the first numbers
    """

    def __init__(self, raw: Raw, tokens: Iterable[str] = ()):
        self.raw = raw
        self._words = _backend.chosen.RawVocabulary(raw.backend)
        self._words.assign(list(tokens))

    def __getstate__(self) -> tuple[Raw, list[str]]:
        return self.raw, self._words.tokens()

    def __setstate__(self, state: tuple[Raw, list[str]]) -> None:
        self.__init__(*state)  # type: ignore[misc]

    @property
    def numbers(self) -> dict[Hashable, int]:
        """Token -> number."""
        return {token: number for number, token in enumerate(self._words.tokens())}

    def types(self) -> set[type]:
        return {str} if len(self._words) else set()

    def encoded(self, texts: Sequence[Any], name: str) -> Batch:
        """Token lists in numbers, -1 for other tokens."""
        numbers = [
            self._words.number(str(token)) if isinstance(token, str) else -1 for token in chain.from_iterable(texts)
        ]
        return batch_of_lengths(np.array(numbers, dtype=np.int32), np.array(list(map(len, texts)), dtype=np.int64))

    def add(self, texts: Any) -> Batch:
        """The texts in numbers, new ones for new tokens."""
        ends = np.empty(len(texts), dtype=np.int64)
        return _batch(self._words.add(texts, ends), ends)

    def look_up(self, texts: Any, start: int, stop: int) -> Batch:
        """The texts from `start` to before `stop` in numbers, -1 for other tokens."""
        ends = np.empty(stop - start, dtype=np.int64)
        return _batch(self._words.look_up(texts, start, stop, ends), ends)


def _batch(numbers: bytes, ends: NDArray[np.int64]) -> Batch:
    begins = np.zeros_like(ends)
    begins[1:] = ends[:-1]
    return Batch(np.frombuffer(numbers, dtype=np.int32), begins, ends)


def raw_reference_sets(raw: Raw, texts: Any, bounds: Any, ignored: Sequence[Sequence[Any]] = ()) -> ReferenceSets:
    """References that are raw text, as prepared ones take them.

    :param texts: all references, as `Raw.sets` gives them with where each set begins, and the end
    """
    words = RawWords(raw)
    batch = words.add(texts)
    words._words.assign([str(token) for token in chain.from_iterable(ignored) if isinstance(token, str)])
    return ReferenceSets(batch, np.array(bounds, dtype=np.int64), words)


def numbered(raw: Raw, *lists: tuple[str, Any]) -> list[tuple[Any, Any]]:
    """Lists of raw texts in the same numbers, each as a ragged pair `(ids, offsets)`.

    :param lists: each with its name
    """
    words = RawWords(raw)
    pairs = []
    for name, lines in lists:
        batch = words.add(raw.texts(lines, name))
        pairs.append((batch.ids, np.concatenate([np.zeros(1, dtype=np.int64), batch.ends])))
    return pairs
