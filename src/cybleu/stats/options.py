"""How segments are counted: orders, lengths, special ids and ignored n-grams."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import dataclass

from ..errors import OrderError
from ..text.arrays import NO_IDS, SpecialIds
from ..text.values import TokenLists
from .counts import check_counting

__all__ = ["CountOptions"]


@dataclass(frozen=True, slots=True)
class CountOptions:
    """How segments are counted.

    :param max_order: the largest n-gram order
    :param reference_length: which of the references' lengths counts
    :param special: ids with a meaning of their own
    :param ignored: n-grams that are left out; None if n-grams are not looked up
    """

    max_order: int
    reference_length: str = "closest"
    special: SpecialIds = NO_IDS
    ignored: TokenLists | None = None

    @classmethod
    def checked(
        cls,
        max_order: int,
        reference_length: str = "closest",
        special: SpecialIds = NO_IDS,
        ignore: Iterable[tuple[Hashable, ...]] | None = None,
    ) -> CountOptions:
        """The options, validated.

        :param ignore: validated n-grams
        :raises CybleuError: one is not valid
        """
        check_counting(max_order, reference_length)
        special.check()
        ignored = None if ignore is None else TokenLists(_ngrams_of_orders(ignore, max_order), "ignore")
        return cls(max_order, reference_length, special, ignored)


def _ngrams_of_orders(ignore: Iterable[tuple[Hashable, ...]], max_order: int) -> list[tuple[Hashable, ...]]:
    """The n-grams of the orders that are counted."""
    if max_order > 64:
        raise OrderError(f"n-grams can be ignored up to order 64, and max_order is {max_order}")
    return [ngram for ngram in ignore if len(ngram) <= max_order]
