"""Read lines of numbers: the features of plain text in a table, and the files of Moses's extractor."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from .._backend import Fields
from .._files.text import Lines, Path, number_of
from .._runtime.arrays import Floats, in_place, np
from ..errors import InputFileError
from .formats import ParsedLines, Record, Sparse, blocks_of, lines_in, on_line, pairs_of, runs_of_ids, trimmed, words_in
from .parts import Part
from .validation import feature_names


def numbers_in(line: bytes, width: int, item: str, wrong: str, has_pairs: bool = False) -> tuple[list[float], Sparse]:
    """Parse a line of numbers, among which there may be pairs such as ``pp_a=1``.

    :param item: what a number is, for messages
    :param wrong: what is said of another number of numbers
    """
    words = words_in(line)
    pairs = [word for word in words if has_pairs and "=" in word]
    numbers = [word for word in words if not has_pairs or "=" not in word]
    if len(numbers) != width:
        raise InputFileError(wrong.format(len(numbers), width))
    return [number_of(word, item) for word in numbers], pairs_of(pairs)


def _features_in(path: Path) -> tuple[str, Floats]:
    """Return the name of a table of features, and the features."""
    parts: list[Floats] = []
    parser: Any = None
    with Lines(path) as file:
        for block, count in blocks_of(file):
            if parser is None:
                width = len(words_in(next(lines_in(block))[1]))
                parser = Fields([b""] * width, "none")
            lines = ParsedLines(parser, block, count, width)
            for number, _, line in lines.declined():
                with on_line(file, file.count + 1 + number):
                    lines.put(*numbers_in(line, width, "a feature", "has {} features, and the lines before have {}"))
            parts.append(lines.dense())
    return file.name, np.concatenate(parts)


def plain_text(file: Lines, size: int, table: Path | None, names: Sequence[str] | None) -> Iterator[Record]:
    """Read plain text with `size` lines for each segment, and the features of its lines in another file."""
    name, rows = ("", None) if table is None else _features_in(table)
    # names without a table of features are an error
    named = feature_names(names, 0 if rows is None else rows.shape[1])
    unlike = f"than {file.name}; a line of features is of one hypothesis"
    for block, count in blocks_of(file):
        begins, ends = in_place(np.array([trimmed(*line) for line in lines_in(block)], dtype=np.int64).T)
        numbers = np.arange(file.count, file.count + count, dtype=np.int64)
        features = np.zeros((count, 0)) if rows is None else rows[file.count : file.count + count]
        if rows is not None and len(features) < count:
            raise InputFileError(f"{name}: has {len(rows)} lines, fewer {unlike}")
        yield Record(numbers + 1, block, begins, ends, Part(*runs_of_ids(numbers // size), features, named))
    if file.count % size:
        raise InputFileError(
            f"{file.name}: has {file.count} lines, which is not a multiple of {size}, the number of lines of a segment"
        )
    if rows is not None and len(rows) > file.count:
        raise InputFileError(f"{name}: has {len(rows)} lines, more {unlike}")
