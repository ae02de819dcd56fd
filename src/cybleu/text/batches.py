"""Texts that have been read, in one of three forms: token lists, token ids, raw text. Everything below the reader takes these.

Needs no NumPy, except for token ids.
"""

from __future__ import annotations

from array import array
from bisect import bisect_right
from dataclasses import dataclass
from itertools import accumulate, chain, pairwise
from typing import ClassVar, Literal, NamedTuple, TypeAlias, TypeVar

from .._backend import RawTexts, TokenTexts, types_within
from .._runtime.lazy_arrays import Integers, np
from .segments import is_array_type, refuse_arrays

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable, Sequence
    from typing import Any

    from numpy.typing import NDArray

    from .tokenizers import Tokenization

    Tokens: TypeAlias = Sequence[Hashable]
    Ids: TypeAlias = NDArray[np.int32] | Integers

Made = TypeVar("Made")
Kind: TypeAlias = Literal["raw text", "tokens", "ids", "nothing"]  # of texts
Batch: TypeAlias = "RawTexts | TokenLists | TokenIds"
AnySets: TypeAlias = "Sets | ListSets"

# Tokens of these types are equal or not in every context, and run no code of the caller's.
PLAIN_TYPES = {str, bytes, int, float, bool, type(None)}


class Place(NamedTuple):
    """Where a text stands, for messages.

    :ivar name: of the argument
    :ivar bounds: of texts that were in several lists: where those of each list begin, and the end
    """

    name: str
    bounds: Sequence[int] | None = None

    def of(self, number: int) -> str:
        """The place of the text with this number, such as ``hypotheses[3]`` or ``references[2][0]``."""
        if self.bounds is None:
            return f"{self.name}[{number}]"
        # texts are numbered through all lists
        owner = bisect_right(self.bounds, number) - 1
        return f"{self.name}[{owner}][{number - self.bounds[owner]}]"


class TokenIds(TokenTexts):
    """Texts of token ids, or of numbers given to tokens: text i is `ids[begins[i]:ends[i]]`."""

    __slots__ = ()

    kind: ClassVar[Kind] = "ids"

    def take(self, numbers: Integers) -> TokenIds:
        """The texts with these numbers."""
        return TokenIds(self.ids, np.asarray(self.begins)[numbers], np.asarray(self.ends)[numbers])

    def lists(self) -> list[list[int]]:
        return [self.ids[begin:end].tolist() for begin, end in zip(self.begins.tolist(), self.ends.tolist())]


@dataclass(slots=True, eq=False)
class TokenLists:
    """Texts that are lists or tuples of tokens."""

    texts: Sequence[Tokens]
    place: Place

    kind: ClassVar[Kind] = "tokens"

    @property
    def size(self) -> int:
        """The number of texts."""
        return len(self.texts)

    def lists(self) -> Sequence[Tokens]:
        return self.texts

    def take(self, numbers: Integers) -> TokenLists:
        """The texts with these numbers."""
        return TokenLists([self.texts[number] for number in numbers.tolist()], self.place)

    def types(self) -> set[type]:
        """The types of the tokens.

        :raises TokensError: a token is an array, as in ``list(tensor)``
        """
        types = set(types_within(self.texts))
        if any(map(is_array_type, types)):
            for number, text in enumerate(self.texts):
                refuse_arrays(text, self.place.of(number))
        return types


@dataclass(slots=True, eq=False)
class Sets:
    """Sets of references, one after the other: those of set i are the texts from `bounds[i]` to before `bounds[i + 1]`."""

    texts: Batch
    bounds: array[int] | Integers

    @property
    def kind(self) -> Kind:
        return self.texts.kind

    @property
    def size(self) -> int:
        """The number of sets."""
        return len(self.bounds) - 1

    def lists(self) -> list[list[Any]]:
        """For each set the list of its texts."""
        return split_at(self.texts.lists(), list(self.bounds))


@dataclass(slots=True, eq=False)
class ListSets:
    """Sets of references, each a list or tuple of token lists, at least one."""

    sets: Sequence[Sequence[Tokens]]
    name: str

    kind: ClassVar[Kind] = "tokens"

    @property
    def size(self) -> int:
        """The number of sets."""
        return len(self.sets)

    @property
    def bounds(self) -> array[int]:
        """Where the references of each set begin, and the end."""
        return array("q", accumulate(map(len, self.sets), initial=0))

    @property
    def texts(self) -> TokenLists:
        """All references, one after the other."""
        return TokenLists(list(chain.from_iterable(self.sets)), Place(self.name, self.bounds))

    def lists(self) -> Sequence[Sequence[Tokens]]:
        return self.sets


def make_again(key: Any, make: Callable[[], Made]) -> Made:
    """Make something of references that are of one call, so that nothing is kept."""
    return make()


class Corpus:
    """Segments: segment i is text i with the set `owners[i]` of references. All that a metric reads.

    :ivar owners: None if text i has set i
    :ivar made: calls a function that makes something of the references; prepared references keep the result by a key
    :ivar changed: the tokeniser of a metric that has changed the texts; None if they are as given
    :ivar size: the number of segments
    :ivar kind: what the texts are; of an empty corpus what the references are
    """

    __slots__ = ("changed", "kind", "made", "owners", "sets", "size", "texts")

    def __init__(
        self,
        texts: Batch,
        sets: AnySets,
        owners: Integers | None = None,
        made: Callable[[Any, Callable[[], Any]], Any] = make_again,
        changed: Tokenization | None = None,
    ):
        self.texts = texts
        self.sets = sets
        self.owners = owners
        self.made = made
        self.changed = changed
        self.size = texts.size
        self.kind: Kind = "nothing"
        if self.size:
            self.kind = texts.kind
        elif sets.size:
            self.kind = sets.kind

    @property
    def cost(self) -> int:
        """The cost of counting, in tokens."""
        # A segment costs as much as 64 tokens, even if it is empty. Lists are counted under the interpreter's lock.
        if isinstance(self.texts, TokenLists):
            return 64 * self.size
        return 64 * self.size + size_of(self.texts) + (size_of(self.sets.texts) if self.owners is None else 0)

    def changed_by(self, tokenization: Tokenization, change: Callable[[Any, Tokenization, Any], Batch]) -> Corpus:
        """The corpus with its raw texts changed for a tokeniser; prepared references are changed once.

        :param change: returns texts changed: `(texts, tokenization, bounds)`, with the bounds of sets or None
        """
        bounds = self.sets.bounds
        texts = self.sets.texts
        references = self.made((change, tokenization), lambda: change(texts, tokenization, bounds))
        hypotheses = references if self.texts is texts else change(self.texts, tokenization, None)
        return Corpus(hypotheses, Sets(references, bounds), self.owners, self.made, changed=tokenization)

    def references(self) -> Sequence[Sequence[Any]]:
        """The references of each segment."""
        sets = self.sets.lists()
        return sets if self.owners is None else [sets[owner] for owner in self.owners.tolist()]


def in_pairs(texts: Batch, others: Batch) -> Corpus:
    """Texts, and others each of which is a set of its own, to score each text with each of the others."""
    return Corpus(texts, Sets(others, np.arange(others.size + 1, dtype=np.int64)))


def split_at(items: Sequence[Any], bounds: Iterable[int]) -> list[Any]:
    """Split a sequence into those from each bound to before the next one."""
    return [items[begin:end] for begin, end in pairwise(bounds)]


def size_of(texts: Batch) -> int:
    """About how many tokens these texts have; 0 for lists, which are counted under the lock of the interpreter."""
    if isinstance(texts, RawTexts):
        # a guess, which decides how work is split into pieces, and no result
        return texts.characters // 4
    return len(texts.ids) if isinstance(texts, TokenIds) else 0
