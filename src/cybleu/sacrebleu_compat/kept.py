"""References that an object of sacreBLEU keeps, as lines for the kernels."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from itertools import accumulate, chain
from typing import Any

from .. import _backend
from ..text.raw import Raw


class Kept(Sequence[Any]):
    """References that are kept: as lines for the kernels, and one by one as sacreBLEU keeps them where it goes on."""

    def __init__(self, metric: Any, documents: Sequence[Sequence[str | None]]):
        self.metric = metric
        self.groups = [[line for line in lines if line is not None] for lines in zip(*documents)]
        self._raw: Any = None

    def __getstate__(self) -> dict[str, Any]:
        return {**vars(self), "_raw": None}

    def __len__(self) -> int:
        return len(self.groups)

    def __getitem__(self, position: Any) -> Any:
        lines = [self.metric._preprocess_segment(line) for line in self.groups[position]]
        return self.metric._extract_reference_info(lines)

    @property
    def number(self) -> int:
        """How many references each segment has; -1 where that differs."""
        numbers = {len(group) for group in self.groups}
        return numbers.pop() if len(numbers) == 1 else -1

    @property
    def whole(self) -> bool:
        """Each segment has a reference."""
        return all(self.groups)

    def texts(self, raw: Raw) -> tuple[Any, array[int]]:
        key = raw.tokenize, raw.lowercase, _backend.BACKEND
        if self._raw is None or self._raw[0] != key:
            bounds = array("q", accumulate(map(len, self.groups), initial=0))
            self._raw = key, raw.texts(list(chain.from_iterable(self.groups)), "references"), bounds
        return self._raw[1], self._raw[2]


def are_documents(references: Any) -> bool:
    """Whether these are lists or tuples of lines, equally long, or None where there is no reference."""
    return (
        type(references) in (list, tuple)
        and len(references) > 0
        and all(type(document) in (list, tuple) for document in references)
        and len({len(document) for document in references}) == 1
        and len(references[0]) > 0
        and all(set(map(type, document)) <= {str, type(None)} for document in references)
    )
