"""Texts as ids of tokens, and segments of texts and references."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any


class TokenTexts:
    """See the class of this name in :mod:`cybleu._kernels`."""

    def __init__(self, ids: Any, begins: Any, ends: Any):
        self.texts: list[list[int]] = [ids[begin:end].tolist() for begin, end in zip(begins.tolist(), ends.tolist())]


def segments(
    hypotheses: Any, references: Any, sets: Any, owners: Any, start: int, stop: int
) -> Iterator[tuple[int, Any, list[Any]]]:
    """Yield the number, the hypothesis and the references of the segments from `start` to before `stop`.

    :param hypotheses: TokenTexts or RawTexts, as the references
    :param sets: where the references of each set begin, and the end
    :param owners: the set of each segment; None if segment i has set i
    """
    for number in range(start, stop):
        owner = number if owners is None else owners[number]
        yield number, hypotheses.texts[number], references.texts[sets[owner] : sets[owner + 1]]
