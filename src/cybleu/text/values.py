"""Typed values that :mod:`cybleu.text.parsing` makes of texts and references. Everything below it takes only these."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass, replace
from itertools import accumulate, chain, pairwise
from typing import NamedTuple, TypeAlias, TypeVar

from .. import _backend
from .._runtime.lazy_arrays import np, repeat
from .._runtime.sequences import is_array_type, refuse_arrays

TYPE_CHECKING = False
if TYPE_CHECKING:
    from array import array
    from collections.abc import Hashable, Sequence
    from typing import Any, Literal

    from numpy.typing import NDArray

    Tokens: TypeAlias = Sequence[Hashable]
    Ids: TypeAlias = NDArray[np.int32] | NDArray[np.int64]
    Lines: TypeAlias = Any  # RawTexts of the backend
    Kind: TypeAlias = Literal["raw text", "tokens", "ids", "nothing"]  # of texts

AnySets = TypeVar("AnySets", bound="Sets")

# Tokens of these types are equal or not in every context, and run no code of the caller's.
PLAIN_TYPES = {str, bytes, int, float, bool, type(None)}


class TokenIds(NamedTuple):
    """Texts of token ids, or of numbers given to tokens: text i is `ids[begins[i]:ends[i]]`."""

    ids: Ids
    begins: NDArray[np.int64]
    ends: NDArray[np.int64]

    @property
    def size(self) -> int:
        """The number of texts."""
        return len(self.begins)

    def rows(self, numbers: NDArray[np.int64]) -> TokenIds:
        """The texts with these numbers."""
        return TokenIds(self.ids, self.begins[numbers], self.ends[numbers])

    def lists(self) -> list[list[int]]:
        return [self.ids[begin:end].tolist() for begin, end in zip(self.begins.tolist(), self.ends.tolist())]


@dataclass(frozen=True, slots=True)
class TokenLists:
    """Texts that are lists or tuples of tokens.

    :ivar bounds: for lists of texts, where those of each list begin, and the end
    :ivar numbers: the number that each text had among those texts; None if these are all of them
    """

    texts: Sequence[Tokens]
    name: str
    bounds: Sequence[int] | None = None
    numbers: Sequence[int] | None = None

    @property
    def size(self) -> int:
        """The number of texts."""
        return len(self.texts)

    def lists(self) -> Sequence[Tokens]:
        return self.texts

    def rows(self, numbers: NDArray[np.int64]) -> TokenLists:
        """The texts with these numbers."""
        chosen = numbers.tolist()
        return TokenLists([self.texts[number] for number in chosen], self.name, self.bounds, chosen)

    def place(self, number: int) -> str:
        """The name of a text in messages, such as ``hypotheses[3]`` or ``references[2][0]``."""
        number = number if self.numbers is None else self.numbers[number]
        return f"{self.name}[{number}]" if self.bounds is None else place_in_sets(self.name, self.bounds, number)


def refuse_arrays_in(lists: TokenLists) -> None:
    """:raises TokensError: a token is an array, as in ``list(tensor)``"""
    if any(map(is_array_type, _backend.chosen.types_within(lists.texts))):
        for number, text in enumerate(lists.texts):
            refuse_arrays(text, lists.place(number))


@dataclass(frozen=True, slots=True)
class RawText:
    """Texts that are not tokenised, as the backend reads them: in lower case if that is wanted, and valid UTF-8."""

    lines: Lines
    name: str

    @property
    def size(self) -> int:
        """The number of texts."""
        return len(self.lines)

    def rows(self, numbers: NDArray[np.int64]) -> RawText:
        """The texts with these numbers."""
        bounds = np.empty(len(numbers) + 1, dtype=np.int64)
        return RawText(_backend.chosen.RawTexts.row_by_row([self.lines], [numbers], [numbers + 1], bounds), self.name)


class Sets:
    """Sets of references, one after the other: those of set i are the texts from `bounds[i]` to before `bounds[i + 1]`."""

    __slots__ = ()

    texts: Any
    bounds: Any

    @property
    def size(self) -> int:
        """The number of sets."""
        return len(self.bounds) - 1

    @property
    def counts(self) -> NDArray[np.int64]:
        """How many references each set has."""
        bounds = np.asarray(self.bounds, dtype=np.int64)
        return bounds[1:] - bounds[:-1]

    def of_owners(self: AnySets, owners: NDArray[np.int64]) -> AnySets:
        """The sets with these numbers, in this order."""
        numbers, counts = numbers_of_sets(np.asarray(self.bounds, dtype=np.int64), owners)
        bounds = np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(counts, dtype=np.int64)])
        return replace(self, texts=self.texts.rows(numbers), bounds=bounds)  # type: ignore[type-var]

    def alone(self: AnySets) -> AnySets:
        """Each reference in a set of its own."""
        return replace(self, bounds=np.arange(self.texts.size + 1, dtype=np.int64))  # type: ignore[type-var]


@dataclass(frozen=True, slots=True)
class ReferenceIds(Sets):
    """Sets of references of token ids.

    :ivar padded: they are of an array with several references for each segment, so that none may be empty
    """

    texts: TokenIds
    bounds: NDArray[np.int64]
    padded: bool = False

    def lists(self) -> list[list[list[int]]]:
        lists = self.texts.lists()
        return [lists[begin:end] for begin, end in pairwise(self.bounds.tolist())]


@dataclass(frozen=True, slots=True)
class RawReferences(Sets):
    """Sets of references that are not tokenised.

    :ivar in_columns: the lines are in memory of columns, which their owner may free or change later
    """

    texts: RawText
    bounds: array[int] | NDArray[np.int64]
    in_columns: bool = False


@dataclass(frozen=True, slots=True)
class ReferenceLists:
    """Sets of references, each a list or tuple of token lists, at least one."""

    sets: Sequence[Sequence[Tokens]]
    name: str

    @property
    def size(self) -> int:
        """The number of sets."""
        return len(self.sets)

    def lists(self) -> Sequence[Sequence[Tokens]]:
        return self.sets

    @property
    def counts(self) -> NDArray[np.int64]:
        """How many references each set has."""
        return np.fromiter(map(len, self.sets), np.int64, len(self.sets))

    def alone(self) -> ReferenceLists:
        """Each reference in a set of its own."""
        return ReferenceLists([[text] for group in self.sets for text in group], self.name)

    def of_owners(self, owners: NDArray[np.int64]) -> ReferenceLists:
        """The sets with these numbers, in this order."""
        return ReferenceLists([self.sets[number] for number in owners.tolist()], self.name)

    @property
    def bounds(self) -> list[int]:
        """Where the references of each set begin, and the end."""
        return list(accumulate(map(len, self.sets), initial=0))

    @property
    def texts(self) -> TokenLists:
        """All references, one after the other."""
        return TokenLists(list(chain.from_iterable(self.sets)), self.name, self.bounds)


@dataclass(frozen=True, slots=True)
class Segments:
    """A corpus whose texts are as the caller gave them, for metrics that read the texts themselves."""

    references: Sequence[Sequence[Any]]
    hypotheses: Sequence[Any]

    @property
    def size(self) -> int:
        """The number of hypotheses."""
        return len(self.hypotheses)


ParsedTexts: TypeAlias = "RawText | TokenLists | TokenIds"
ParsedReferences: TypeAlias = "RawReferences | ReferenceLists | ReferenceIds"


@dataclass(frozen=True, slots=True)
class GivenTexts:
    """Texts as the caller gave them, for metrics that read raw text themselves."""

    texts: Sequence[Any]

    @property
    def size(self) -> int:
        """The number of texts."""
        return len(self.texts)

    def rows(self, numbers: NDArray[np.int64]) -> GivenTexts:
        """The texts with these numbers."""
        return GivenTexts([self.texts[number] for number in numbers.tolist()])

    def lists(self) -> Sequence[Any]:
        return self.texts


def numbers_of_sets(
    bounds: NDArray[np.int64], owners: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The numbers of all references of these sets, in this order, and how many references each has."""
    firsts = bounds[owners]
    counts = bounds[owners + 1] - firsts
    begins = np.cumsum(counts, dtype=np.int64) - counts
    return repeat(firsts - begins, counts) + np.arange(counts.sum(), dtype=np.int64), counts


def place_in_sets(name: str, bounds: Sequence[int], number: int) -> str:
    """The name of a reference by its number among those of all sets, such as ``references[2][0]``."""
    owner = bisect_right(bounds, number) - 1
    return f"{name}[{owner}][{number - bounds[owner]}]"
