"""The features and scores of an n-best list in the files of Moses's extractor, which its tuners read.

Text is read and written; what the extractor writes with ``--binary`` is read, single precision and all.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from itertools import zip_longest
from os import PathLike, fspath
from typing import TYPE_CHECKING, Any, NamedTuple

from .. import _backend
from .._files.text import Lines, number_of, shown
from .._files.writing import writing_all
from .._runtime.arrays import np
from ..errors import InputFileError, StatisticsError
from .container import Hypotheses, SparseFeatures
from .lines import MOST_DIGITS
from .reading import in_segments
from .sparse import SparseRows

if TYPE_CHECKING:
    from numpy.typing import NDArray

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
    backend = _backend.chosen
    with writing_all(fspath(features), fspath(scores)) as (features_file, scores_file):
        for segment, start, stop in zip(nbest.ids.tolist(), nbest.offsets[:-1].tolist(), nbest.offsets[1:].tolist()):
            if start == stop:
                continue
            head = f"{segment} {stop - start}"
            features_file.write(f"{FEATURES[0]} {head} {len(nbest.names)} {' '.join(nbest.names)} \n")
            lines = backend.lines_of_numbers(nbest.features[start:stop])
            features_file.write(lines if nbest.sparse is None else _with_sparse(lines, nbest.sparse, start))
            features_file.write(f"{FEATURES[1]}\n")
            scores_file.write(f"{SCORES[0]} {head} {rows.shape[1]} {BLEU}\n")
            scores_file.write(backend.lines_of_counts(rows[start:stop]))
            scores_file.write(f"{SCORES[1]}\n")


def _with_sparse(lines: str, sparse: SparseFeatures, start: int) -> str:
    """Lines with the sparse features of their hypotheses, the first of which is number `start`."""
    whole = []
    for row, line in enumerate(lines.splitlines(), start):
        place = slice(sparse.indptr[row], sparse.indptr[row + 1])
        pairs = zip(sparse.columns[place].tolist(), sparse.values[place].tolist())
        whole.append(line + "".join(f"{sparse.names[column]}={value!r} " for column, value in pairs) + "\n")
    return "".join(whole)


class _Part(NamedTuple):
    """The hypotheses of one segment."""

    line: int
    segment: int
    heading: list[str]  # what comes after the numbers
    rows: NDArray[np.float64]
    sparse: list[tuple[int, list[tuple[int, float]]]]  # row, and column and value of its features, ascending

    @property
    def width(self) -> int:
        return int(self.rows.shape[1])

    @property
    def size(self) -> tuple[int, int]:
        return self.segment, len(self.rows)


class _File:
    """A file of such parts, in text or in single precision, as ``extractor --binary`` writes them.

    :ivar sparse_columns: the numbers of the names that stand before a ``=`` in rows so far
    """

    def __init__(self, lines: Lines, begin: str, end: str):
        self.lines = lines
        self.sparse_columns: dict[str, int] = {}
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
            binary = begin == _binary(self._begin)
            if begin != self._begin and not binary:
                raise self.error(f"begins with {shown(begin)} instead of {self._begin}", number)
            try:
                segment, count, width = map(_whole_number, heading[:3])
            except ValueError:
                raise self.error(
                    "the heading must have segment, hypotheses and columns, whole numbers", number
                ) from None
            if width > MOST_COLUMNS:
                raise self.error(f"announces {width} columns; at most {MOST_COLUMNS} can be read", number)
            sparse: list[tuple[int, list[tuple[int, float]]]] = []
            rows = self._bytes_of(count, width, number) if binary else self._rows(count, width, number, sparse)
            end = _binary(self._end) if binary else self._end
            last = self._line()
            if last is None or last.split() != [end]:
                place = number if last is None else self.lines.count
                raise self.error(f"{end} is missing after the {count} rows", place)
            yield _Part(number, segment, heading[3:], rows, sparse)

    def _more(self) -> bool:
        """Whether there is something to read; at the end of a block, that is the next one."""
        if self._place < len(self._block):
            return True
        block = next(self._blocks, None)
        self._block, self._place = b"" if block is None else block + b"\n", 0
        return block is not None

    def _line(self) -> str | None:
        """The next line, None at the end; `lines.count` is its number then."""
        if not self._more():
            return None
        end = self._block.index(b"\n", self._place)
        line = self.lines.text(self._block[self._place : end])
        self._place = end + 1
        self.lines.count += 1
        return line.removesuffix("\r")

    def _rows(
        self, count: int, width: int, first: int, sparse: list[tuple[int, list[tuple[int, float]]]]
    ) -> NDArray[np.float64]:
        """The numbers of `count` lines, and those with a name apart.

        :param first: the line of the heading
        """
        chunks = [np.zeros((0, width))]
        done = 0
        while done < count:
            self._more()
            # a heading may announce more than there is: room is made for what can be in the block
            fits = (len(self._block) - self._place) // max(1, 2 * width) + 1
            rows = np.zeros((min(count - done, fits), width))
            row = 0
            while row < len(rows):
                if self._place < len(self._block):
                    before = row
                    row, self._place = _backend.chosen.read_rows(self._block, self._place, rows, row, len(rows))
                    self.lines.count += row - before
                    if row == len(rows):
                        break
                if self._place == len(self._block) and row:
                    break  # the next block has room of its own
                line = self._line()
                if line is None or line.startswith(self._end):
                    raise self.error(f"there are {done + row} rows, and {count} were announced", first)
                named = self._row(line.split(), rows[row])
                if named:
                    sparse.append((done + row, named))
                row += 1
            chunks.append(rows[:row])
            done += row
        return chunks[-1] if len(chunks) == 2 else np.concatenate(chunks)

    def _row(self, tokens: list[str], row: NDArray[np.float64]) -> list[tuple[int, float]]:
        """Fill in the numbers of the line read last, and return those with a name, such as ``pp_a=1``."""
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
                        f"the feature {shown(name)} is there twice" if name else f"{shown(token)} has no name"
                    )
                found[name] = number_of(value)
        except InputFileError as error:
            raise self.error(str(error), self.lines.count) from None
        columns = self.sparse_columns
        return sorted((columns.setdefault(name, len(columns)), value) for name, value in found.items())

    def _bytes_of(self, count: int, width: int, first: int) -> NDArray[np.float64]:
        """Rows in single precision; a machine that writes the larger half of a number first is none of Moses's."""
        wanted = 4 * count * width
        found = []
        while wanted:
            if not self._more():
                raise self.error(f"the file ends before the {count} rows that were announced", first)
            found.append(self._block[self._place : self._place + wanted])
            self._place += len(found[-1])
            self.lines.count += found[-1].count(b"\n")
            wanted -= len(found[-1])
        rows = np.frombuffer(b"".join(found), dtype="<f4").astype(np.float64).reshape(count, width)
        if not np.isfinite(rows).all():
            row = int(np.isfinite(rows).all(axis=1).argmin())
            raise self.error(f"hypothesis {row} has numbers that are not finite", first)
        return rows


def _binary(mark: str) -> str:
    return mark.replace("TXT", "BIN")


def _whole_number(token: str) -> int:
    if not (token.isascii() and token.isdigit()) or len(token) > MOST_DIGITS:
        raise ValueError(token)
    return int(token)


def read(features: Path, scores: Path, segments: int | None, first_id: int) -> dict[str, Any]:
    """The arguments of the container; see :meth:`cybleu.nbest.NBest.from_moses`."""
    owners: list[int] = []
    sizes: list[int] = []
    dense: list[NDArray[np.float64]] = []
    sparse = SparseRows()
    stats: list[NDArray[np.int64]] = []
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
            owners.append(owner)
            sizes.append(len(part.rows))
            dense.append(part.rows)
            sparse.append((len(part.rows), part.sparse))
            stats.append(_statistics(scores_file, score_part))
    if first is None:
        raise InputFileError(f"{fspath(features)}: there is no segment in it")
    count = sum(sizes)
    if segments is None and last - count > MOST_EMPTY:
        raise InputFileError(
            f"{fspath(features)}: the last id is {last + first_id}, and there are {count} hypotheses; give the number "
            "of segments= if so many have none"
        )
    return in_segments(
        np.repeat(np.array(owners, dtype=np.int64), sizes),
        last + 1 if segments is None else segments,
        np.concatenate(dense),
        np.concatenate(stats),
        names or (),
        None,
        sparse.features(tuple(features_file.sparse_columns)),
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


def _statistics(file: _File, part: _Part) -> NDArray[np.int64]:
    """m1 t1 m2 t2 ... and the reference length, as rows of :mod:`cybleu.stats`."""
    matches, totals = part.rows[:, :-1:2], part.rows[:, 1:-1:2]
    fit = (part.rows == np.floor(part.rows)) & (part.rows >= 0) & (part.rows <= LARGEST_COUNT)
    right = fit.all(axis=1) & (matches <= totals).all(axis=1)
    if part.sparse or not right.all():
        row = int(right.argmin()) if not right.all() else part.sparse[0][0]
        numbers = " ".join(f"{number:.17g}" for number in part.rows[row].tolist())
        raise file.error(f"these are no statistics of BLEU: {numbers[:200]}", part.line + 1 + row)
    return np.column_stack([totals[:, 0], part.rows[:, -1], matches, totals]).astype(np.int64)
