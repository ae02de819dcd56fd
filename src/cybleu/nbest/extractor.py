"""The features and scores of an n-best list in the text files of Moses's extractor, which its tuners read."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from itertools import zip_longest
from os import PathLike, fspath
from typing import TYPE_CHECKING, Any, NamedTuple

from .._files.text import Lines, number_of, shown
from .._files.writing import writing_all
from .._runtime.arrays import np
from ..errors import InputFileError, StatisticsError
from .container import Hypotheses
from .lines import MOST_DIGITS
from .reading import in_segments, joined_sparse

if TYPE_CHECKING:
    Path = str | PathLike[str]

FEATURES = "FEATURES_TXT_BEGIN_0", "FEATURES_TXT_END_0"
SCORES = "SCORES_TXT_BEGIN_0", "SCORES_TXT_END_0"
BLEU = "BLEU"
MOST_EMPTY = 10_000_000  # segments that nobody announced
MOST_COLUMNS = 10**6  # that a heading can ask room for
LARGEST_COUNT = 2**53 - 1  # that floats tell from its neighbours


def write(nbest: Hypotheses, features: Path, scores: Path) -> None:
    """See :meth:`NBest.to_moses`."""
    order = nbest.stats.shape[1] // 2 - 1
    if nbest.stats.dtype != np.int64 or nbest.score is not None:
        raise StatisticsError("only BLEU's statistics can be written for Moses; these are of another metric")
    if (nbest.stats[:, 0] != nbest.stats[:, 2 + order]).any():
        raise StatisticsError(
            "a hypothesis has more tokens than unigrams, as where n-grams are ignored; Moses's files have no place for both"
        )
    columns = [column for n in range(order) for column in (2 + n, 2 + order + n)]
    rows = nbest.stats[:, [*columns, 1]]
    with writing_all(fspath(features), fspath(scores)) as (features_file, scores_file):
        for segment, start, stop in zip(nbest.ids.tolist(), nbest.offsets[:-1].tolist(), nbest.offsets[1:].tolist()):
            if start == stop:
                continue
            head = f"{segment} {stop - start}"
            features_file.write(f"{FEATURES[0]} {head} {len(nbest.names)} {' '.join(nbest.names)} \n")
            for row, values in enumerate(nbest.features[start:stop].tolist(), start):
                line = [repr(value) for value in values]
                if nbest.sparse is not None:
                    place = slice(nbest.sparse.indptr[row], nbest.sparse.indptr[row + 1])
                    pairs = zip(nbest.sparse.columns[place].tolist(), nbest.sparse.values[place].tolist())
                    line += [f"{nbest.sparse.names[column]}={value!r}" for column, value in pairs]
                features_file.write(" ".join(line) + " \n")
            features_file.write(f"{FEATURES[1]}\n")
            scores_file.write(f"{SCORES[0]} {head} {rows.shape[1]} {BLEU}\n")
            scores_file.writelines(" ".join(map(str, row)) + " \n" for row in rows[start:stop].tolist())
            scores_file.write(f"{SCORES[1]}\n")


class _Part(NamedTuple):
    """The hypotheses of one segment."""

    line: int
    segment: int
    heading: list[str]  # what comes after the numbers
    rows: list[list[str]]
    width: int

    @property
    def size(self) -> tuple[int, int]:
        return self.segment, len(self.rows)


class _File:
    """A file of such parts."""

    def __init__(self, lines: Lines, begin: str, end: str):
        self.lines = lines
        self._begin = begin
        self._end = end

    def error(self, reason: str, line: int) -> InputFileError:
        return InputFileError(f"{self.lines.name}, line {line}: {reason}")

    def parts(self) -> Iterator[_Part]:
        numbered = enumerate(self.lines, 1)
        for number, line in numbered:
            begin, *heading = line.split() or [""]
            if begin == self._begin.replace("TXT", "BIN"):
                raise self.error("this file is binary; write it without --binary", number)
            if begin != self._begin:
                raise self.error(f"begins with {shown(begin)} instead of {self._begin}", number)
            try:
                segment, count, width = map(_whole_number, heading[:3])
            except ValueError:
                raise self.error(
                    "the heading must have segment, hypotheses and columns, whole numbers", number
                ) from None
            if width > MOST_COLUMNS:
                raise self.error(f"announces {width} columns; at most {MOST_COLUMNS} can be read", number)
            rows: list[list[str]] = []
            for _ in range(count):
                place, line = next(numbered, (number, self._end))
                if line.startswith(self._end):
                    raise self.error(f"there are {len(rows)} rows, and {count} were announced", number)
                rows.append(line.split())
            place, line = next(numbered, (number, ""))
            if line.split() != [self._end]:
                raise self.error(f"{self._end} is missing after the {count} rows", place)
            yield _Part(number, segment, heading[3:], rows, width)

    def numbers(self, part: _Part, row: int, tokens: list[str]) -> list[float]:
        try:
            if len(tokens) != part.width:
                raise InputFileError(f"has {len(tokens)} numbers, and {part.width} were announced")
            return [number_of(token) for token in tokens]
        except InputFileError as error:
            raise self.error(str(error), part.line + row) from None


def _whole_number(token: str) -> int:
    if not (token.isascii() and token.isdigit()) or len(token) > MOST_DIGITS:
        raise ValueError(token)
    return int(token)


def read(features: Path, scores: Path, segments: int | None, first_id: int) -> dict[str, Any]:
    """The arguments of the container; see :meth:`cybleu.nbest.NBest.from_moses`."""
    owners: list[int] = []
    dense: list[list[float]] = []
    sparse: list[tuple[int, list[tuple[int, float]]]] = []
    sparse_columns: dict[str, int] = {}
    stats: list[list[int]] = []
    last = columns = 0
    first = names = None
    with ExitStack() as stack:
        features_file = _File(stack.enter_context(Lines(fspath(features))), *FEATURES)
        scores_file = _File(stack.enter_context(Lines(fspath(scores))), *SCORES)
        for part, score_part in zip_longest(features_file.parts(), scores_file.parts()):
            if part is None or score_part is None or part.size != score_part.size:
                raise InputFileError(
                    f"{features_file.lines.name} and {scores_file.lines.name} do not go together: "
                    f"{_described(part)} in the one and {_described(score_part)} in the other"
                )
            if first is None:
                first, names = part, _names(features_file, part)
            if part.width != first.width or part.heading != first.heading:
                raise features_file.error("the features are not those of the segment before", part.line)
            if score_part.heading != [BLEU] or score_part.width < 3 or score_part.width % 2 == 0:
                raise scores_file.error(
                    f"the statistics are {score_part.width} of {' '.join(score_part.heading)}; only those of BLEU can be read",
                    score_part.line,
                )
            columns = columns or score_part.width
            if score_part.width != columns:
                raise scores_file.error(
                    f"there are {score_part.width} statistics, and {columns} in the segment before", score_part.line
                )
            owner = part.segment - first_id
            if not 0 <= owner < (owner + 1 if segments is None else segments):
                raise features_file.error(
                    f"the id is {part.segment}, and with first_id={first_id} the {'' if segments is None else segments} segments have others; "
                    "give first_id= if ids start elsewhere",
                    part.line,
                )
            last = max(last, owner)
            for row, tokens in enumerate(part.rows, 1):
                plain = [token for token in tokens if "=" not in token]
                dense.append(features_file.numbers(part, row, plain))
                if len(plain) < len(tokens):
                    sparse.append((len(owners), _sparse(features_file, part.line + row, tokens, sparse_columns)))
                owners.append(owner)
            for row, tokens in enumerate(score_part.rows, 1):
                stats.append(_statistics(scores_file, score_part, row, tokens))
    if first is None:
        raise InputFileError(f"{fspath(features)}: there is no segment in it")
    count = len(owners)
    if segments is None and last - count > MOST_EMPTY:
        raise InputFileError(
            f"{fspath(features)}: the last id is {last + first_id}, and there are {count} hypotheses; give the number "
            "of segments= if so many have none"
        )
    return in_segments(
        np.array(owners, dtype=np.int64),
        last + 1 if segments is None else segments,
        np.array(dense).reshape(count, first.width),
        np.array(stats, dtype=np.int64).reshape(count, columns + 1),
        names or (),
        None,
        joined_sparse([(count, sparse)], tuple(sparse_columns)),
        None,
        first_id,
    )


def _described(part: _Part | None) -> str:
    return "the end" if part is None else f"{len(part.rows)} hypotheses of segment {part.segment}"


def _names(file: _File, part: _Part) -> list[str]:
    if not part.heading:
        return [f"f{column}" for column in range(part.width)]
    if len(part.heading) != part.width:
        raise file.error(f"there are {len(part.heading)} names and {part.width} features", part.line)
    return part.heading


def _sparse(file: _File, line: int, tokens: list[str], columns: dict[str, int]) -> list[tuple[int, float]]:
    """Features such as ``pp_a=1``, as the extractor of Moses writes them after the others."""
    found = {}
    for token in tokens:
        name, equals, value = token.rpartition("=")
        if not equals:
            continue
        if not name or name in found:
            raise file.error(
                f"the feature {shown(name)} is there twice" if name else f"{shown(token)} has no name", line
            )
        try:
            found[name] = number_of(value)
        except InputFileError as error:
            raise file.error(str(error), line) from None
    return sorted((columns.setdefault(name, len(columns)), value) for name, value in found.items())


def _statistics(file: _File, part: _Part, row: int, tokens: list[str]) -> list[int]:
    """m1 t1 m2 t2 ... and the reference length, as a row of :mod:`cybleu.stats`."""
    numbers = file.numbers(part, row, tokens)
    counts = [int(number) for number in numbers]
    *pairs, reference_length = counts
    matches, totals = pairs[::2], pairs[1::2]
    if (
        counts != numbers
        or not 0 <= min(counts) <= max(counts) <= LARGEST_COUNT
        or any(map(int.__gt__, matches, totals))
    ):
        raise file.error(f"these are no statistics of BLEU: {' '.join(tokens)[:200]}", part.line + row)
    return [totals[0], reference_length, *matches, *totals]
