"""Read files of n-best lists in each format, as records of some lines.

A malformed line is an :class:`InputFileError` with file, line and reason.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from typing import Any, NamedTuple

from .._backend import Fields
from .._files.text import Lines, Naming, Path, number_of, shown
from .._runtime.arrays import Floats, Integers, in_place, np
from ..errors import InputFileError
from .features import SparseFeatures, check_apart, owners_of
from .parts import Part
from .validation import feature_names

Sparse = list[tuple[str, float]]  # features by name

BARS = b"|||"
BLANKS = b" \t"
# hard alignments such as 0-0 1-2; soft ones, probabilities such as 0.9,0.1 0.2,0.8
ALIGNED = re.compile(rb"\d+-\d+|[\d.e-]+(,[\d.e-]+)+")
MOST_DIGITS = 18  # of an id, so that it fits int64
MOST_EMPTY = 10_000_000  # segments without a hypothesis; more of them are a sign of wrong ids
MOST_FEATURES = 1 << 16  # limit of Joshua's, because each hypothesis stores also those that it has not
FAIRSEQ = re.compile(rb"H-(\d{1,%d})\t([^\t]*)\t(.*)" % MOST_DIGITS, re.DOTALL)


class Record(NamedTuple):
    """Hypotheses of some lines of a file.

    :ivar lines: for each hypothesis the number of its line, from 1
    :ivar data: the buffer that holds the texts, each from a number of `begins` to before one of `ends`
    :ivar part: without texts and statistics
    """

    lines: Integers
    data: bytes
    begins: Integers
    ends: Integers
    part: Part


def runs_of_ids(ids: Integers) -> tuple[Integers, Integers]:
    """Return `offsets` and `ids` of a part, from the segment of each hypothesis."""
    starts = in_place(np.flatnonzero(np.diff(ids, prepend=-1)), np.int64)
    return np.append(starts, len(ids)), ids[starts]


def blocks_of(file: Lines) -> Iterator[tuple[bytes, int]]:
    """Yield blocks of lines in valid UTF-8, and the number of their lines.

    Meanwhile, `file.count` is the number of lines before the block.
    """
    for block in file.blocks():
        # the text is not needed, only the error for bytes that are not UTF-8
        if not block.isascii():
            file.text(block)
        count = int(np.count_nonzero(np.frombuffer(block, dtype=np.uint8) == ord("\n"))) + 1  # faster than bytes.count
        yield block, count
        file.count += count
    if not file.count:
        raise InputFileError(f"{file.name}: the file is empty")


def lines_in(block: bytes) -> Iterator[tuple[int, bytes]]:
    """Yield where each line begins, and the line."""
    begin = 0
    for line in block.split(b"\n"):
        yield begin, line.removesuffix(b"\r")
        begin += len(line) + 1


@contextmanager
def on_line(file: Lines, line: int) -> Iterator[None]:
    """Put file and line, from 1, before the reason of an error."""
    try:
        yield
    except InputFileError as error:
        raise InputFileError(f"{file.name}, line {line}: {error}") from None


def words_in(text: bytes) -> list[str]:
    """Split text as the backend does, which knows no other white space than blanks."""
    return [word for word in text.decode().replace("\t", " ").split(" ") if word]


class ParsedLines:
    """Lines of a block as rows. The backend parses those of the usual form, and the caller those that it declines.

    :param parser: the backend's
    :param count: of the lines
    :param width: dense features of a line
    :param listed: whether the lines are of an n-best list; otherwise they have features alone
    :ivar row: how many rows there are so far
    :ivar limit: with so many rows, the backend declines all lines
    :ivar spans: for each row the id, and where the text begins and ends; if they are listed
    """

    def __init__(self, parser: Any, block: bytes, count: int, width: int, listed: bool = False):
        self._parser = parser
        self._block = block
        self._count = count
        # no more rows and sparse features than the block has room for: a dense feature takes 2 bytes, a sparse one 4
        rows = min(count, (len(block) + 1) // max(1, 2 * width))
        most = len(block) // 4 + 1
        self.row = 0
        self.limit = rows
        self.spans: Any = np.zeros((3, rows), dtype=np.int64) if listed else None
        self.scores: Any = np.zeros(rows) if listed else None
        self._features = np.zeros((rows, width))
        self._indptr = np.zeros(rows + 1, dtype=np.int64)
        self._columns = np.empty(most, dtype=np.int64)
        self._values = np.empty(most)

    def declined(self) -> Iterator[tuple[int, int, bytes]]:
        """Yield the lines that the backend declines, each with its number and its start in the block, both from 0.

        The caller may `put` their features meanwhile.
        """
        line = start = 0
        while line < self._count:
            row, start = self._parser.read(
                self._block,
                start,
                self.row,
                self._features[: self.limit],
                self._indptr[: self.limit + 1],
                self._columns,
                self._values,
                self.spans,
                self.scores,
            )
            line += row - self.row
            self.row = row
            if line < self._count:
                end = self._block.find(b"\n", start)
                end = end if end >= 0 else len(self._block)
                yield line, start, self._block[start:end].removesuffix(b"\r")
                line += 1
                start = end + 1

    def put(self, dense: Iterable[float], sparse: Iterable[tuple[str, float]]) -> None:
        """Add a row."""
        found = sorted((self._parser.column(name), value) for name, value in sparse)
        first = self._indptr[self.row]
        last = first + len(found)
        self._features[self.row] = list(dense)
        self._columns[first:last] = [column for column, _ in found]
        self._values[first:last] = [value for _, value in found]
        self.row += 1
        self._indptr[self.row] = last

    def features(self) -> tuple[Floats, SparseFeatures]:
        """Return the dense and the sparse features of all rows."""
        indptr = self._indptr[: self.row + 1]
        last = indptr[-1]
        # the parser numbers names in the order of the file, and knows those of earlier blocks, too
        sparse = SparseFeatures(indptr, self._columns[:last], self._values[:last], self._parser.names())
        return self._features[: self.row], sparse


# ---------------------------------------------------------------------------------------- id ||| tokens ||| features


def field_lines(file: Lines, form: str | None, naming: Naming) -> Iterator[Record]:
    """Read lines with fields, in the format `moses` or `joshua`, by default detected from the first lines.

    The backend parses lines with the dense features of the first one in the same order; this module parses all others.

    :param naming: see :meth:`cybleu.nbest.NBest.from_files`
    """
    parser: Any = None
    names: tuple[str, ...] = ()
    for block, count in blocks_of(file):
        if parser is None:
            form = form or _detected(file, block, naming)
            labels: list[bytes] = []
            sparse_form = "glued"
            if form == "moses":
                # all lines have the features of the first one; the backend only reads lines that look like it
                fields = _fields(block.partition(b"\n")[0].removesuffix(b"\r"))
                # a mistake is reported below, because the backend declines the line
                with suppress(InputFileError):
                    dense, labels, _ = _labelled(words_in(fields[2]) if len(fields) > 2 else [])
                    names = tuple(dense)
                sparse_form = "none" if b"" in labels[:1] else "spaced"
            parser = Fields(labels, sparse_form)
        lines = ParsedLines(parser, block, count, len(names), listed=True)
        for number, start, text in lines.declined():
            # a line of another form, or with a mistake
            with on_line(file, file.count + 1 + number):
                _put_line(lines, start, text, form, names)
        numbers = np.arange(file.count + 1, file.count + lines.row + 1, dtype=np.int64)
        ids, begins, ends = lines.spans
        features, sparse = lines.features()
        part = Part(*runs_of_ids(ids), features, names, sparse=sparse, model_scores=lines.scores)
        if form == "joshua":
            part = replace(part, features=_as_dense(sparse, file, numbers), names=sparse.names, sparse=None)
        yield Record(numbers, block, begins, ends, part)
    check_apart(names, parser.names())


def _as_dense(sparse: SparseFeatures, file: Lines, numbers: Integers) -> Floats:
    """Return the features of Joshua's format. Any may be missing in a line, so the backend reads them as sparse ones.

    :param numbers: for each hypothesis the number of its line
    """
    owners = owners_of(sparse.indptr)
    if len(sparse.names) > MOST_FEATURES:
        with on_line(file, numbers[owners[sparse.columns.argmax()]]):
            raise InputFileError(f"there are more than {MOST_FEATURES} features that are not sparse")
    dense = np.zeros((len(numbers), len(sparse.names)))
    dense[owners, sparse.columns] = sparse.values
    return dense


def _detected(file: Lines, block: bytes, naming: Naming) -> str:
    """Return `moses` or `joshua`, by the first line that has features."""
    for number, line in enumerate(block.split(b"\n"), 1):
        fields = _fields(line)
        if len(fields) == 1:
            with on_line(file, number):
                raise InputFileError(_not_a_list(line, naming))
        tokens = words_in(fields[2]) if len(fields) > 2 else []
        labels = [token for token in tokens if token.endswith(("=", ":"))]
        pairs = [token for token in tokens if "=" in token[:-1] and token not in labels]
        if labels and pairs:
            with on_line(file, number):
                raise InputFileError(
                    f"has the label {shown(labels[0])}, as Moses writes it, and the pair {shown(pairs[0])}, as Joshua "
                    f"does; give {naming('format', 'moses')} or {naming('format', 'joshua')}"
                )
        if tokens:
            return "joshua" if pairs else "moses"
    with on_line(file, 1):
        raise InputFileError(
            f"has no features, so the format is ambiguous; use {naming('format', 'moses')} or "
            f"{naming('format', 'joshua')}"
        )


def _not_a_list(line: bytes, naming: Naming) -> str:
    """Tell what to do with a line without fields."""
    if line.startswith((b"FEATURES_", b"SCORES_")):
        return "this is a file of Moses's extractor; read it with NBest.from_moses"
    size = naming("size")
    plain = f"for plain text, give the number of lines of each segment as {size}; " if size else ""
    return (
        f"has no '|||', so the format is not moses or joshua; {plain}for fairseq's output or JSON lines, use "
        f"{naming('format')}; the n-best list comes first, then the references"
    )


def _put_line(lines: ParsedLines, start: int, line: bytes, form: str | None, names: tuple[str, ...]) -> None:
    """Parse a line, and add it to those of its block.

    :param start: where the line begins in the block
    :param names: the names of the dense features, in their order
    """
    fields = _fields(line)
    if len(fields) < 4:
        what = f"has {len(fields)} of the fields" if line else "is empty, where there must be"
        raise InputFileError(f"{what} id ||| tokens ||| features ||| score")
    number = fields[0].strip(BLANKS)
    if not number.isdigit() or len(number) > MOST_DIGITS:
        raise InputFileError(f"the id is {shown(number.decode())}; it must be a whole number")
    score = words_in(fields[3])
    if len(score) != 1:
        raise InputFileError(f"the score is {shown(' '.join(score))}; it must be one number")
    tokens = words_in(fields[2])
    dense, _, sparse = _labelled(tokens) if form != "joshua" else ({}, [], pairs_of(tokens))
    for name in names:
        if name not in dense:
            raise InputFileError(f"the feature {shown(name)} of the previous lines is missing")
    if len(dense) > len(names):
        known = {*names}
        new = next(name for name in dense if name not in known)
        raise InputFileError(f"the feature {shown(new)} is not in the previous lines")
    lines.spans[:, lines.row] = int(number), *trimmed(start + len(fields[0]) + len(BARS), fields[1])
    lines.scores[lines.row] = number_of(score[0], "the score")
    lines.put([dense[name] for name in names], sparse)


def _fields(line: bytes) -> list[bytes]:
    """Split a line into fields, without those that Marian writes before the features: alignments and scores of words."""
    fields = line.split(BARS)
    # a list of four fields has none of these
    while len(fields) > 4 and (tokens := fields[2].split()):
        if tokens[0] != b"WordScores=" and not all(map(ALIGNED.fullmatch, tokens)):
            break
        del fields[2]
    return fields


def _labelled(tokens: list[str]) -> tuple[dict[str, float], list[bytes], Sparse]:
    """Parse features in Moses's form: ``d= 0 -7.6 lm= -41.3 pp_a= 1``, or ``d: 0 -7.6``.

    :return: the dense features, for each of them what is before its value, and the sparse ones
    """
    dense: dict[str, float] = {}
    labels: list[bytes] = []
    sparse: dict[str, float] = {}
    starts = [place for place, token in enumerate(tokens) if token.endswith(("=", ":"))]
    if not starts:
        dense = {f"f{column}": number_of(token, "a feature") for column, token in enumerate(tokens)}
        return dense, [b""] * len(dense), []
    if starts[0] > 0:
        raise InputFileError(f"{shown(tokens[0])} is before the first name of a feature")
    counts: Counter[str] = Counter()
    for start, end in zip(starts, [*starts[1:], len(tokens)]):
        label = tokens[start]
        name = label[:-1]
        values = [number_of(token, "a value", name) for token in tokens[start + 1 : end]]
        if not values or not name:
            raise InputFileError(f"the label {shown(label)} has no {'value' if name else 'name'}")
        if "_" not in name:
            labels += [label.encode()] + [b""] * (len(values) - 1)
            dense.update((f"{name}_{number}", value) for number, value in enumerate(values, counts[name]))
            # if a label appears again, the numbers of its features continue
            counts[name] += len(values)
        elif len(values) > 1:
            raise InputFileError(f"the sparse feature {shown(name)} has {len(values)} values; a name with '_' has one")
        elif name in sparse:
            raise InputFileError(f"the feature {shown(name)} appears twice")
        else:
            sparse[name] = values[0]
    return dense, labels, list(sparse.items())


def pairs_of(tokens: list[str]) -> Sparse:
    """Parse features in the form of Joshua and cdec, ``lm_0=-41.3 glue=7``: all may be missing in a line."""
    found: dict[str, float] = {}
    for token in tokens:
        name, _, value = token.rpartition("=")
        if not name:
            raise InputFileError(f"{shown(token)} is not a feature such as lm=-3.5")
        if name in found:
            raise InputFileError(f"the feature {shown(name)} appears twice")
        found[name] = number_of(value, "the value", name)
    return list(found.items())


# --------------------------------------------------------------------------------------------------------- other formats


def trimmed(begin: int, text: bytes) -> tuple[int, int]:
    """Return the span of a text without the blanks around it.

    :param begin: where the text begins
    """
    text = text.rstrip(BLANKS)
    return begin + len(text) - len(text.lstrip(BLANKS)), begin + len(text)


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
                width = len(words_in(block.partition(b"\n")[0].removesuffix(b"\r")))
                parser = Fields([b""] * width, "none")
            lines = ParsedLines(parser, block, count, width)
            for number, _, line in lines.declined():
                with on_line(file, file.count + 1 + number):
                    lines.put(*numbers_in(line, width, "a feature", "has {} features, and the lines before have {}"))
            parts.append(lines.features()[0])
    return file.name, np.concatenate(parts)


def plain_lines(file: Lines, size: int, table: Path | None, names: Sequence[str] | None) -> Iterator[Record]:
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


def fairseq(file: Lines) -> Iterator[Record]:
    """Read the output of fairseq, ``H-id<tab>score<tab>tokens``. The score is the only feature; other lines are ignored."""
    any_found = False
    for block, _ in blocks_of(file):
        found = []
        scores = []
        for number, (begin, line) in enumerate(lines_in(block), file.count + 1):
            if not line.startswith(b"H-"):
                continue
            match = FAIRSEQ.fullmatch(line)
            with on_line(file, number):
                if match is None:
                    raise InputFileError(
                        f"{shown(line.decode())} is not H-, a whole number, a tab, a score, a tab and tokens"
                    )
                scores.append(number_of(match[2].decode(), "the score"))
            found.append((number, int(match[1]), *trimmed(begin + match.start(3), match[3])))
        if found:
            any_found = True
            lines, ids, begins, ends = in_place(np.array(found, dtype=np.int64).T)
            column = np.array(scores)
            part = Part(*runs_of_ids(ids), column.reshape(-1, 1), ("score",), model_scores=column)
            yield Record(lines, block, begins, ends, part)
    if not any_found:
        raise InputFileError(f"{file.name}: no line begins with H-, as in the output of fairseq")
