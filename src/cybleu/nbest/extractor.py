"""Read and write the text files of features and scores of Moses's extractor, the input of its tuners."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from itertools import zip_longest
from os import PathLike, fspath
from typing import TYPE_CHECKING, Any, NamedTuple

from .. import _backend
from .._files.text import Lines, number_of, shown
from .._files.writing import writing_all
from .._runtime.arrays import np, repeat
from ..errors import InputFileError, StatisticsError
from .container import Hypotheses
from .growing import GrowingRows
from .lines import MOST_DIGITS
from .reading import in_segments
from .sparse import SparseFeatures, SparseRows, taken

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Path = str | PathLike[str]

FEATURES = "FEATURES_TXT_BEGIN_0", "FEATURES_TXT_END_0"
SCORES = "SCORES_TXT_BEGIN_0", "SCORES_TXT_END_0"
BLEU = "BLEU"
MOST_EMPTY = 10_000_000  # limit of empty segments, if `segments` is not given
MOST_COLUMNS = 10**6  # limit for the columns that a heading announces
LARGEST_COUNT = 2**53 - 1  # the largest integer up to which float64 represents every integer


def write(nbest: Hypotheses, features: Path, scores: Path) -> None:
    """Write the two text files; see :meth:`NBest.to_moses`."""
    if nbest.stats.dtype != np.int64 or nbest.score is not None:
        raise StatisticsError("only the statistics of BLEU can be written for Moses; these are of another metric")
    rows = rows_of_bleu(nbest.stats)
    with writing_all(fspath(features), fspath(scores)) as files:
        for texts in segment_texts(nbest.ids, nbest.offsets, nbest.names, nbest.features, rows, nbest.sparse):
            for file, text in zip(files, texts):
                file.write(text)


def segment_texts(
    ids: NDArray[np.int64],
    offsets: NDArray[np.int64],
    names: Sequence[str],
    features: NDArray[np.float64],
    rows: NDArray[np.int64],
    sparse: SparseFeatures | None,
) -> Iterator[tuple[str, str]]:
    """Yield the text of each non-empty segment for the file of features and the file of scores.

    :param rows: the statistics in Moses's order of columns
    """
    backend = _backend.chosen
    for segment, start, stop in zip(ids.tolist(), offsets[:-1].tolist(), offsets[1:].tolist()):
        if start == stop:
            continue
        head = f"{segment} {stop - start}"
        of_segment = () if sparse is None else (sparse.indptr[start : stop + 1], *sparse[1:])
        lines = backend.lines_of_numbers(features[start:stop], *of_segment)
        yield (
            f"{FEATURES[0]} {head} {len(names)} {' '.join(names)} \n{lines}{FEATURES[1]}\n",
            f"{SCORES[0]} {head} {rows.shape[1]} {BLEU}\n{backend.lines_of_counts(rows[start:stop])}{SCORES[1]}\n",
        )


def rows_of_bleu(stats: NDArray[Any]) -> NDArray[Any]:
    """Reorder rows for Moses: m1 t1 m2 t2 ... and the reference length."""
    order = stats.shape[1] // 2 - 1
    if (stats[:, 0] != stats[:, 2 + order]).any():
        raise StatisticsError(
            "a hypothesis has more tokens than unigrams, as where n-grams are ignored; Moses's files have no place for both"
        )
    columns = [column for n in range(order) for column in (2 + n, 2 + order + n)]
    return stats[:, [*columns, 1]]


class _Part(NamedTuple):
    """The hypotheses of one segment."""

    line: int
    segment: int
    heading: list[str]  # the words after the numbers
    rows: NDArray[np.float64]
    sparse: SparseFeatures | None  # without names

    @property
    def width(self) -> int:
        return int(self.rows.shape[1])

    @property
    def size(self) -> tuple[int, int]:
        return self.segment, len(self.rows)


class _File:
    """Reader of a file of such parts.

    :ivar sparse: the values with a name, such as ``pp_a=1``, of the current part, and all names so far
    """

    def __init__(self, lines: Lines, begin: str, end: str):
        self.lines = lines
        self.sparse = _backend.chosen.NamedValues()
        self._begin = begin
        self._end = end
        self._blocks = lines.blocks()
        self._block = b""
        self._place = 0

    def error(self, reason: str, line: int) -> InputFileError:
        return InputFileError(f"{self.lines.name}, line {line}: {reason}")

    def parts(self) -> Iterator[_Part]:
        while (line := self._line()) is not None:
            number = self.lines.count
            begin, *heading = line.split() or [""]
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
            rows = self._rows(count, width, number)
            last = self._line()
            if last is None or last.split() != [self._end]:
                place = number if last is None else self.lines.count
                raise self.error(f"{self._end} is missing after the {count} rows", place)
            yield _Part(number, segment, heading[3:], rows, taken(self.sparse))

    def _more(self) -> bool:
        """Whether there is more to read; reads the next block at the end of one."""
        if self._place < len(self._block):
            return True
        block = next(self._blocks, None)
        self._block, self._place = b"" if block is None else block + b"\n", 0
        return block is not None

    def _line(self) -> str | None:
        """Return the next line, or None at the end; `lines.count` is then its number."""
        if not self._more():
            return None
        end = self._block.index(b"\n", self._place)
        line = self.lines.text(self._block[self._place : end])
        self._place = end + 1
        self.lines.count += 1
        return line.removesuffix("\r")

    def _rows(self, count: int, width: int, first: int) -> NDArray[np.float64]:
        """Read the numbers of `count` lines, and store those with a name in `sparse`.

        :param first: the line number of the heading
        """
        chunks = [np.zeros((0, width))]
        done = 0
        while done < count:
            self._more()
            # a heading may announce more rows than the file has: allocate only the rows that can be in the block
            fits = (len(self._block) - self._place) // max(1, 2 * width) + 1
            rows = np.zeros((min(count - done, fits), width))
            row = 0
            while row < len(rows):
                if self._place < len(self._block):
                    before = row
                    row, self._place = _backend.chosen.read_rows(
                        self._block, self._place, rows, row, len(rows), self.sparse
                    )
                    self.lines.count += row - before
                    if row == len(rows):
                        break
                if self._place == len(self._block) and row:
                    break  # the next block gets its own array
                line = self._line()
                if line is None or line.startswith(self._end):
                    raise self.error(f"there are {done + row} rows, and {count} were announced", first)
                self.sparse.add(self._row(line.split(), rows[row]))
                row += 1
            chunks.append(rows[:row])
            done += row
        return chunks[-1] if len(chunks) == 2 else np.concatenate(chunks)

    def _row(self, tokens: list[str], row: NDArray[np.float64]) -> list[tuple[str, float]]:
        """Fill a row with the numbers of the current line, and return those with a name, such as ``pp_a=1``."""
        plain = [token for token in tokens if "=" not in token]
        found: dict[str, float] = {}
        try:
            if len(plain) != len(row):
                raise InputFileError(f"has {len(plain)} numbers, and {len(row)} were announced")
            row[:] = [number_of(token) for token in plain]
            for token in tokens if len(plain) < len(tokens) else ():
                name, equals, value = token.rpartition("=")
                if not equals:
                    continue
                if not name or name in found:
                    raise InputFileError(
                        f"the feature {shown(name)} appears twice" if name else f"{shown(token)} has no name"
                    )
                found[name] = number_of(value)
        except InputFileError as error:
            raise self.error(str(error), self.lines.count) from None
        return list(found.items())


def _whole_number(token: str) -> int:
    if not (token.isascii() and token.isdigit()) or len(token) > MOST_DIGITS:
        raise ValueError(token)
    return int(token)


def read(features: Path, scores: Path, segments: int | None, first_id: int) -> dict[str, Any]:
    """Read the arguments of the container; see :meth:`cybleu.nbest.NBest.from_moses`."""
    owners: list[int] = []
    sizes: list[int] = []
    sparse = SparseRows()
    last = 0
    first = first_scores = names = None
    with ExitStack() as stack:
        features_file = _File(stack.enter_context(Lines(features)), *FEATURES)
        scores_file = _File(stack.enter_context(Lines(scores)), *SCORES)
        dense = GrowingRows(features_file.lines, np.float64)
        stats = GrowingRows(scores_file.lines, np.int64)
        for part, score_part in zip_longest(features_file.parts(), scores_file.parts()):
            if part is None or score_part is None or part.size != score_part.size:
                raise InputFileError(
                    f"{features_file.lines.name} and {scores_file.lines.name} do not match: "
                    f"{_described(part)} and {_described(score_part)}"
                )
            if first is None or first_scores is None:
                first, names = part, _names(features_file, part)
                first_scores = score_part
                _check_scorer(scores_file, score_part)
            if part.width != first.width or part.heading != first.heading:
                raise features_file.error("the features are not those of the segment before", part.line)
            if score_part.heading != first_scores.heading:
                raise scores_file.error("the statistics are not of the scorer of the segment before", score_part.line)
            if score_part.width != first_scores.width:
                raise scores_file.error(
                    f"there are {score_part.width} statistics, and {first_scores.width} in the segment before",
                    score_part.line,
                )
            owner = part.segment - first_id
            if not 0 <= owner < (owner + 1 if segments is None else segments):
                raise features_file.error(
                    f"the id is {part.segment}, and with first_id={first_id} the {'' if segments is None else segments} segments have others; "
                    "give first_id= if ids start elsewhere",
                    part.line,
                )
            last = max(last, owner)
            owners.append(owner)
            sizes.append(len(part.rows))
            dense.add(part.rows)
            sparse.append(len(part.rows), part.sparse)
            stats.add(_statistics(scores_file, score_part))
    if first is None or first_scores is None:
        raise InputFileError(f"{fspath(features)}: there is no segment in it")
    count = sum(sizes)
    if segments is None and last - count > MOST_EMPTY:
        raise InputFileError(
            f"{fspath(features)}: the last id is {last + first_id}, and there are {count} hypotheses; give the number "
            "of segments= if so many have none"
        )
    return in_segments(
        repeat(np.array(owners, dtype=np.int64), sizes),
        last + 1 if segments is None else segments,
        dense.rows(first.width),
        stats.rows(first_scores.width + 1),
        names or (),
        None,
        sparse.features(tuple(features_file.sparse.names)),
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


def _check_scorer(file: _File, part: _Part) -> None:
    """Check that the heading names BLEU, and that the columns can be those of BLEU."""
    kind = " ".join(part.heading)
    if kind != BLEU:
        raise file.error(
            f"the statistics are of {shown(kind)}, and only those of BLEU are read; run the extractor with --sctype BLEU, or read "
            'the n-best list with NBest.from_files and count another metric with NBest.with_metric, such as "chrf"',
            part.line,
        )
    if part.width < 3 or part.width % 2 == 0:
        raise file.error(f"there are {part.width} statistics; BLEU has two for each order and one more", part.line)


def _statistics(file: _File, part: _Part) -> NDArray[np.int64]:
    """Convert the statistics to rows as of :func:`cybleu.rows`."""
    rows = part.rows
    matches, totals = rows[:, :-1:2], rows[:, 1:-1:2]
    right = ((rows >= 0) & (rows <= LARGEST_COUNT) & (rows == np.floor(rows))).all(axis=1)
    right &= (matches <= totals).all(axis=1)
    if part.sparse is not None:
        right &= np.diff(part.sparse.indptr) == 0
    if not right.all():
        row = int(right.argmin())
        numbers = " ".join(f"{number:.17g}" for number in rows[row].tolist())
        raise file.error(f"these are no statistics of {BLEU}: {numbers[:200]}", part.line + 1 + row)
    return np.column_stack([rows[:, 1], rows[:, -1], matches, totals]).astype(np.int64)
