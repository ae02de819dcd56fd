"""Token ids of Python objects, and the types of tokens."""

from __future__ import annotations

from itertools import chain, count
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable


def number_tokens(tokens: list[Hashable], ids: Any) -> int:
    """Write an id for each token of a list, equal for equal tokens, and return the number of distinct tokens."""
    numbers = dict(zip(dict.fromkeys(tokens), count()))
    for place, token in enumerate(tokens):
        ids[place] = numbers[token]
    return len(numbers)


def types_within(texts: Iterable[Iterable[object]]) -> set[type]:
    """Return the set of types of the tokens of all texts."""
    return set(map(type, chain.from_iterable(texts)))
