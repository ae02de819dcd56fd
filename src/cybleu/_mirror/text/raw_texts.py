"""Lines of raw text."""

from __future__ import annotations

from itertools import chain

from ...errors import NotUtf8Error

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any, ClassVar, Literal


class RawTexts:
    """See the class of this name in :mod:`cybleu._kernels`."""

    kind: ClassVar[Literal["raw text"]] = "raw text"

    def __init__(self, lines: Sequence[str | bytes] = ()):
        self.texts = [_decoded(number, line) if isinstance(line, bytes) else line for number, line in enumerate(lines)]
        self.size = len(self.texts)
        self.characters = sum(map(len, lines))

    @staticmethod
    def of_block(block: bytes) -> RawTexts:
        return RawTexts([line.removesuffix(b"\r") for line in block.split(b"\n")])

    @staticmethod
    def of_spans(block: Any, begins: Any, ends: Any) -> RawTexts:
        data = memoryview(block)
        return RawTexts([bytes(data[begin:end]) for begin, end in zip(begins.tolist(), ends.tolist())])

    @staticmethod
    def side_by_side(parts: list[RawTexts], starts: list[int], count: int) -> RawTexts:
        columns = [part.texts[start : start + count] for part, start in zip(parts, starts)]
        return RawTexts(list(chain.from_iterable(zip(*columns))))

    def take(self, numbers: Any) -> RawTexts:
        return RawTexts([self.texts[number] for number in numbers])

    def lists(self) -> list[str]:
        return list(self.texts)

    def full_stops(self) -> tuple[int, int]:
        # of tokenised text, full stops stand apart
        apart = sum(line.endswith(" .") for line in self.texts)
        return apart, sum(line.endswith(".") and line != "." for line in self.texts) - apart


def _decoded(number: int, line: bytes) -> str:
    try:
        return line.decode()
    except UnicodeDecodeError as error:
        raise NotUtf8Error(number, error.start, line[error.start]) from None
