"""Read and write the text files of features and scores of Moses's extractor, the input of its tuners."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import zip_longest
from os import fspath
from typing import TYPE_CHECKING, Any

from .._backend import Fields
from .._files.text import Lines, Naming, Path, shown
from .._files.writing import check_paths, writing
from .._runtime.arrays import Integers, in_place, np
from ..errors import InputFileError, StatisticsError
from .features import check_apart, sparse_fields
from .formats import MOST_DIGITS, MOST_EMPTY, ParsedLines, blocks_of, numbers_in, on_line, words_in
from .parts import Part, by_segment, joined_parts
from .validation import LARGEST_SUM, feature_names

if TYPE_CHECKING:
    from .container import NBest


FEATURES = "FEATURES_TXT_BEGIN_0", "FEATURES_TXT_END_0"
SCORES = "SCORES_TXT_BEGIN_0", "SCORES_TXT_END_0"
BLEU = "BLEU"
MOST_COLUMNS = 10**6  # limit for the columns that a heading announces
LARGEST_COUNT = 2**53 - 1  # the largest integer up to which float64 represents every integer


def write_moses(nbest: NBest, features: Path, scores: Path) -> None:
    """Write the two text files; see :meth:`NBest.to_moses`."""
    stats = nbest.stats
    if stats.dtype != np.int64 or nbest.score is not None:
        raise StatisticsError("only BLEU statistics can be written for Moses, and these are of another metric")
    order = stats.shape[1] // 2 - 1
    if (stats[:, 0] != stats[:, 2 + order]).any():
        raise StatisticsError(
            "a hypothesis has different numbers of unigrams and tokens; Moses's files cannot store both"
        )
    # Moses's order of the counts
    columns = [column for n in range(order) for column in (2 + n, 2 + order + n)]
    # without the number of tokens, which is that of unigrams
    counts = stats[:, [*columns, 1]]  # m1 t1 m2 t2 ... and the reference length
    labels = [] if nbest.sparse is None else [f"{name}=" for name in nbest.sparse.names]
    features = fspath(features)
    scores = fspath(scores)
    check_paths([features, scores])
    with writing(features) as features_file, writing(scores) as scores_file:
        for number, segment in enumerate(nbest.ids.tolist()):
            rows = nbest.segment(number)
            if rows.start == rows.stop:
                continue
            head = f"{segment} {rows.stop - rows.start}"
            lines = "".join(
                f"{' '.join([*map(repr, row), *sparse_fields(nbest.sparse, place, labels), ''])}\n"
                for place, row in enumerate(nbest.features[rows].tolist(), rows.start)
            )
            features_file.write(
                f"{FEATURES[0]} {head} {len(nbest.names)} {' '.join(nbest.names)} \n{lines}{FEATURES[1]}\n"
            )
            lines = "".join(f"{' '.join(map(str, row))} \n" for row in counts[rows].tolist())
            scores_file.write(f"{SCORES[0]} {head} {counts.shape[1]} {BLEU}\n{lines}{SCORES[1]}\n")


def read_moses(features: Path, scores: Path, segments: int | None, first_id: int, naming: Naming) -> Part:
    """Read a list; see :meth:`NBest.from_moses`."""
    with Lines(features) as features_file, Lines(scores) as scores_file:
        found = _Table(features_file, *FEATURES, "features")
        counted = _Table(scores_file, *SCORES, "statistics")
    # both files have the same segments in the same order
    for one, other in zip_longest(found.parts, counted.parts):
        if one is None or other is None or one[1:] != other[1:]:
            names = [f"{part[2]} hypotheses of segment {part[1]}" if part else "the end" for part in (one, other)]
            raise InputFileError(f"{found.file.name} and {counted.file.name} do not match: {' and '.join(names)}")
    _, ids, counts = in_place(np.array(found.parts, dtype=np.int64).T)
    last = int(ids.max()) - first_id
    missing = last + 1 - len(np.unique(ids))
    if segments is None and missing > MOST_EMPTY:
        argument = naming("segments")
        advice = f"; use {argument} if so many have none" if argument else ""
        raise InputFileError(
            f"{found.file.name}: the last id is {last + first_id}, but {missing} segments before it have no hypothesis{advice}"
        )
    segments = last + 1 if segments is None else segments
    for line, number, _ in found.parts:
        if not 0 <= number - first_id < segments:
            with on_line(found.file, line):
                raise InputFileError(
                    f"the id is {number}, but the {segments} segments have ids from {first_id} to "
                    f"{first_id + segments - 1}; use {naming('first_id')} to set the first id"
                )
    dense = feature_names(found.heading or None, found.rows.features.shape[1])
    sparse = found.rows.sparse
    check_apart(dense, sparse.names if sparse else ())
    offsets = np.append(0, np.cumsum(counts))
    part = replace(found.rows, offsets=offsets, ids=ids, stats=_statistics(counted, segments), names=dense)
    return by_segment(part, segments, first_id)


class _Table:
    """The rows of all segments in one of the files.

    :param begin: what a segment begins with
    :param end: what it ends with
    :param what: the columns are, for messages
    :ivar parts: for each segment the line of its heading, its id and its number of hypotheses
    :ivar heading: the words after the numbers, the same in each segment
    :ivar rows: without ids
    """

    def __init__(self, file: Lines, begin: str, end: str, what: str):
        self.file = file
        self._begin = begin
        self._end = end
        self._what = what
        self.parts: list[tuple[int, int, int]] = []
        self.heading: list[str] = []
        self._width: int | None = None
        self.rows = joined_parts(self._read())

    def _read(self) -> Iterator[Part]:
        has_pairs = self._begin == FEATURES[0]
        parser: Any = None
        left = 0  # rows of the segment that are not read yet
        inside = False
        for block, count in blocks_of(self.file):
            if parser is None:  # its heading tells the number of columns
                with on_line(self.file, 1):
                    self._enter(words_in(block.partition(b"\n")[0].removesuffix(b"\r")))
                width = self._width or 0
                parser = Fields([b""] * width, "glued" if has_pairs else "none")
            lines = ParsedLines(parser, block, count, width)
            # beyond the rows that a heading announces, every line is left to this module
            lines.limit = left
            for place, _, line in lines.declined():
                with on_line(self.file, self.file.count + 1 + place):
                    if lines.row < lines.limit:
                        wrong = "has {} numbers, but the heading announces {}"
                        lines.put(*numbers_in(line, width, "the value", wrong, has_pairs))
                    elif inside:
                        self._leave(words_in(line))
                        inside = False
                    else:
                        segment, size = self._enter(words_in(line))
                        self.parts.append((self.file.count + 1 + place, segment, size))
                        lines.limit += size
                        inside = True
            left = lines.limit - lines.row
            bounds = np.array([0, lines.row], dtype=np.int64)
            dense, sparse = lines.features()
            yield Part(bounds, bounds[:1], dense, names=(), sparse=sparse)
        if inside:
            with on_line(self.file, self.file.count + 1):
                self._leave([])

    def _leave(self, words: list[str]) -> None:
        if words != [self._end]:
            raise InputFileError(f"{self._end} is missing after the {self.parts[-1][2]} rows")

    def _enter(self, words: list[str]) -> tuple[int, int]:
        """Return the id of a segment and its number of hypotheses, from its heading."""
        word, *heading = words or [""]
        if word != self._begin:
            raise InputFileError(f"begins with {shown(word)} instead of {self._begin}")
        if len(heading) < 3 or not all(map(_is_whole, heading[:3])):
            raise InputFileError("the heading must have the numbers of the segment, of hypotheses and of columns")
        segment, count, width = map(int, heading[:3])
        if width > MOST_COLUMNS:
            raise InputFileError(f"announces {width} columns; at most {MOST_COLUMNS} can be read")
        if self._width is None:
            self._width = width
            self.heading = heading[3:]
            if self._begin == FEATURES[0] and self.heading and len(self.heading) != width:
                raise InputFileError(f"there are {len(self.heading)} names, but {width} features")
        if width != self._width:
            raise InputFileError(f"there are {width} {self._what}, but {self._width} in the previous segment")
        if heading[3:] != self.heading:
            raise InputFileError(f"the {self._what} differ from those of the previous segment")
        return segment, count


def _is_whole(token: str) -> bool:
    return token.isascii() and token.isdigit() and len(token) <= MOST_DIGITS


def _statistics(table: _Table, segments: int) -> Integers:
    """Convert the statistics of a list with so many segments to rows as of :func:`cybleu.rows`."""
    rows = table.rows.features
    kind = " ".join(table.heading)
    width = rows.shape[1]
    with on_line(table.file, 1):
        if kind != BLEU:
            raise InputFileError(
                f"the statistics are of {shown(kind)}, but only BLEU is supported; run the extractor with --sctype "
                "BLEU, or read "
                'the n-best list with NBest.from_files and count another metric with NBest.with_metric, such as "chrf"'
            )
        if width < 3 or width % 2 == 0:
            raise InputFileError(f"there are {width} statistics; BLEU has two for each order, and the reference length")
    matches = rows[:, :-1:2]
    totals = rows[:, 1:-1:2]
    most = min(LARGEST_COUNT, LARGEST_SUM // max(1, segments))
    # a float holds larger whole numbers only approximately
    right = ((rows >= 0) & (rows <= most) & (rows == np.floor(rows))).all(axis=1)
    right &= (matches <= totals).all(axis=1)
    if not right.all():
        row = int(right.argmin())
        lines = [heading + 1 + place for heading, _, count in table.parts for place in range(count)]
        numbers = " ".join(f"{number:.17g}" for number in rows[row].tolist())
        with on_line(table.file, lines[row]):
            raise InputFileError(f"these are not {BLEU} statistics, or larger than {most}: {numbers[:200]}")
    return np.column_stack([rows[:, 1], rows[:, -1], matches, totals]).astype(np.int64)
