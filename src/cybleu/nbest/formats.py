"""Read files of n-best lists in each format, as records of some lines.

A malformed line is an :class:`InputFileError` with file, line and reason.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from os import PathLike
from typing import TYPE_CHECKING, Any, NamedTuple

from .. import _backend
from .._files.text import Lines, number_of, shown
from .._runtime.arrays import in_place, np
from ..errors import InputFileError
from ..text.batches import RawText
from .container import NBest, check_apart
from .sparse import dense_of, taken

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Path = str | PathLike[str]

BARS = b"|||"
BLANKS = b" \t"
# hard alignments such as 0-0 1-2; soft ones, probabilities such as 0.9,0.1 0.2,0.8
ALIGNED = re.compile(rb"\d+-\d+|[\d.e-]+(,[\d.e-]+)+")
MOST_DIGITS = 18  # of an id, so that it fits int64
MOST_FEATURES = 1 << 16  # limit of dense features, because each hypothesis stores all of them
TOO_MANY = f"there are more than {MOST_FEATURES} features that are not sparse"
FAIRSEQ = re.compile(rb"H-(\d{1,%d})\t([^\t]*)\t(.*)" % MOST_DIGITS, re.DOTALL)


class Record(NamedTuple):
    """Hypotheses of some lines of a file.

    :ivar lines: for each hypothesis the number of its line, from 1
    :ivar data: the buffer that holds the texts
    :ivar nbest: without texts and statistics. Its last segment may continue in the next record
    """

    lines: NDArray[np.int64]
    data: bytes
    begins: NDArray[np.int64]
    ends: NDArray[np.int64]
    nbest: NBest

    def raw_text(self) -> RawText:
        return RawText(_backend.chosen.RawTexts.of_spans(self.data, self.begins, self.ends))

    def texts(self) -> list[str]:
        spans = zip(self.begins.tolist(), self.ends.tolist())
        if self.data.isascii():
            text = self.data.decode()
            return [text[begin:end] for begin, end in spans]
        return [self.data[begin:end].decode() for begin, end in spans]


def record_of(
    lines: NDArray[np.int64],
    data: bytes,
    begins: NDArray[np.int64],
    ends: NDArray[np.int64],
    ids: NDArray[np.int64],
    **fields: Any,
) -> Record:
    """Create a record, in which each run of an id is a segment.

    :param ids: of the segment of each hypothesis
    :param fields: of the list
    """
    starts = in_place(np.flatnonzero(np.diff(ids, prepend=-1)), np.int64)
    offsets = np.append(starts, len(ids))
    nbest = NBest._of(offsets=offsets, ids=ids[starts], **fields)
    return Record(lines, data, begins, ends, nbest)


def blocks_of(file: Lines) -> Iterator[tuple[bytes, NDArray[np.int64]]]:
    """Yield blocks of lines in valid UTF-8, with the position of the end of each line.

    Meanwhile, `file.count` is the number of lines before the block.
    """
    for block in file.blocks():
        if not block.isascii():
            file.text(block)
        breaks = np.flatnonzero(np.frombuffer(block, dtype=np.uint8) == ord("\n"))
        ends = in_place(np.append(breaks, len(block)), np.int64)
        yield block, ends
        file.count += len(ends)
    if not file.count:
        raise InputFileError(f"{file.name}: there is no line in it")


def error_at(file: Lines, line: int, reason: object) -> InputFileError:
    return InputFileError(f"{file.name}, line {line}: {reason}")


# ---------------------------------------------------------------------------------------- id ||| tokens ||| features


def field_lines(file: Lines, form: str | None) -> Iterator[Record]:
    """Read lines with fields, in the format `moses` or `joshua`, by default detected from the first lines.

    The backend parses lines with the dense features of the first one in the same order; this module parses all others.
    """
    fields: Any = None
    names: tuple[str, ...] = ()
    sparse_names: tuple[str, ...] = ()
    for block, line_ends in blocks_of(file):
        if fields is None:
            form = form or _detected(file, block)
            first = _parsed(file, 1, block[: line_ends[0]], form)
            names = tuple(first.dense)
            sparse_form = "glued" if form == "joshua" else "none" if b"" in first.labels[:1] else "spaced"
            fields = _backend.chosen.Fields(first.labels, sparse_form)
        count = len(line_ends)
        lines = np.arange(file.count + 1, file.count + count + 1, dtype=np.int64)
        ids, begins, ends = (np.zeros(count, dtype=np.int64) for _ in range(3))
        features, scores = np.zeros((count, len(names))), np.zeros(count)
        row = start = 0
        while row < count:
            row, start = fields.read(block, start, row, ids, begins, ends, features, scores)
            if row < count:
                end = int(line_ends[row])
                line = _parsed(file, file.count + 1 + row, block[start:end], form, names)
                ids[row], scores[row] = line.id, line.score
                begins[row], ends[row] = start + line.begin, start + line.end
                features[row] = list(line.dense.values())
                fields.add(line.sparse)
                start = end + 1
                row += 1
        if new := fields.sparse_names(len(sparse_names)):
            sparse_names += tuple(new)
            check_apart(names, new)
        sparse = taken(fields, sparse_names)
        found: dict[str, Any] = {"features": features, "names": names, "sparse": sparse if sparse_names else None}
        if form == "joshua":
            for place in np.flatnonzero(sparse.columns >= MOST_FEATURES):
                raise error_at(file, lines[np.searchsorted(sparse.indptr, place, "right") - 1], TOO_MANY)
            found = {"features": dense_of(sparse), "names": sparse_names}
        yield record_of(lines, block, begins, ends, ids, model_scores=scores, **found)


def _detected(file: Lines, block: bytes) -> str:
    for number, line in enumerate(block.split(b"\n"), 1):
        if line.startswith((b"FEATURES_", b"SCORES_")):
            raise error_at(file, number, "this is a file of Moses's extractor; read it with NBest.from_moses")
        fields = _fields(line)
        if len(fields) == 1:
            raise error_at(
                file,
                number,
                "has no '|||', so this is no n-best list with fields; if it is plain text with as many lines for "
                "each segment, give that number as size=; if fairseq printed it, or if it is JSON lines, name that as format=",
            )
        tokens = fields[2].decode().split() if len(fields) > 2 else []
        labels = [token for token in tokens if token.endswith(("=", ":"))]
        pairs = [token for token in tokens if "=" in token[:-1] and token not in labels]
        if labels and pairs:
            raise error_at(
                file,
                number,
                f"has the label {shown(labels[0])}, as Moses writes it, and the pair {shown(pairs[0])}, as Joshua does; "
                "give format='moses' or format='joshua'",
            )
        if tokens:
            return "joshua" if pairs else "moses"
    raise error_at(file, 1, "has no features, as both formats can; give format='moses' or format='joshua'")


Sparse = list[tuple[str, float]]


class _Line(NamedTuple):
    id: int
    begin: int  # where the text begins
    end: int
    score: float
    dense: dict[str, float]
    labels: list[bytes]  # for each dense feature what is before its value
    sparse: Sparse


def _parsed(file: Lines, number: int, line: bytes, form: str | None, names: tuple[str, ...] | None = None) -> _Line:
    """Parse a line.

    :param number: of the line, from 1
    :param names: the names of the dense features of the lines before, which it has too
    """
    try:
        found = _line(line.removesuffix(b"\r"), form)
        if names is None:
            return found
        dense = found.dense
        for name in names:
            if name not in dense:
                raise InputFileError(f"the feature {shown(name)} of the lines before is missing")
        if len(dense) > len(names):
            known = {*names}
            new = next(name for name in dense if name not in known)
            raise InputFileError(f"the feature {shown(new)} is not in the lines before")
        return found._replace(dense={name: dense[name] for name in names})
    except InputFileError as error:
        raise error_at(file, number, error) from None


def _line(line: bytes, form: str | None) -> _Line:
    fields = _fields(line)
    if len(fields) < 4:
        what = f"has {len(fields)} of the fields" if line else "is empty, where there must be"
        raise InputFileError(f"{what} id ||| tokens ||| features ||| score")
    number = fields[0].strip(BLANKS)
    if not number.isdigit() or len(number) > MOST_DIGITS:
        raise InputFileError(f"the id is {shown(number.decode())}; it must be a whole number")
    score = fields[3].decode().split()
    if len(score) != 1:
        raise InputFileError(f"the score is {shown(' '.join(score))}; it must be one number")
    tokens = fields[2].decode().split()
    dense, labels, sparse = _labelled(tokens) if form != "joshua" else ({}, [], pairs_of(tokens))
    if len(dense) > MOST_FEATURES:
        raise InputFileError(TOO_MANY)
    begin = len(fields[0]) + len(BARS) + len(fields[1]) - len(fields[1].lstrip(BLANKS))
    end = begin + len(fields[1].strip(BLANKS))
    return _Line(int(number), begin, end, number_of(score[0], "the score"), dense, labels, sparse)


def _fields(line: bytes) -> list[bytes]:
    """Split a line into fields, without those that Marian writes before the features: alignments and scores of words."""
    fields = line.split(BARS)
    while len(fields) > 4 and (tokens := fields[2].split()):
        if tokens[0] != b"WordScores=" and not all(map(ALIGNED.fullmatch, tokens)):
            break
        del fields[2]
    return fields


def _labelled(tokens: list[str]) -> tuple[dict[str, float], list[bytes], Sparse]:
    """Parse features in Moses's form: ``d= 0 -7.6 lm= -41.3 pp_a= 1``, or ``d: 0 -7.6``."""
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
        label, name = tokens[start], tokens[start][:-1]
        values = [number_of(token, f"a value of {shown(name)}") for token in tokens[start + 1 : end]]
        if not values or not name:
            raise InputFileError(f"the label {shown(label)} has no {'value' if name else 'name'}")
        if "_" not in name:
            labels += [label.encode()] + [b""] * (len(values) - 1)
            dense.update((f"{name}_{number}", value) for number, value in enumerate(values, counts[name]))
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
        found[name] = number_of(value, f"the value of {shown(name)}")
    return list(found.items())


# --------------------------------------------------------------------------------------------------------- other formats


def trimmed(
    block: bytes, begins: NDArray[np.int64], ends: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the spans of texts without the blanks around them, and without a CR at the end."""
    for row, (begin, end) in enumerate(zip(begins.tolist(), ends.tolist())):
        text = block[begin:end].removesuffix(b"\r")
        begins[row] = begin + len(text) - len(text.lstrip(BLANKS))
        ends[row] = max(begins[row], begin + len(text.rstrip(BLANKS)))
    return begins, ends


def fairseq(file: Lines) -> Iterator[Record]:
    """Read the output of fairseq, ``H-id<tab>score<tab>tokens``. The score is the only feature; other lines are ignored."""
    any_found = False
    for block, line_ends in blocks_of(file):
        found, scores = [], []
        for number, (begin, end) in enumerate(zip([0, *(line_ends + 1).tolist()], line_ends.tolist()), file.count + 1):
            if not block.startswith(b"H-", begin):
                continue
            line = block[begin:end].removesuffix(b"\r")
            match = FAIRSEQ.fullmatch(line)
            if match is None:
                reason = f"{shown(line.decode())} is not H-, a whole number, a tab, a score, a tab and tokens"
                raise error_at(file, number, reason)
            try:
                scores.append(number_of(match[2].decode(), "the score"))
            except InputFileError as error:
                raise error_at(file, number, error) from None
            found.append((number, int(match[1]), begin + match.start(3), end))
        if found:
            any_found = True
            lines, ids, begins, ends = in_place(np.array(found, dtype=np.int64).T)
            begins, ends = trimmed(block, begins, ends)
            column = np.array(scores)
            fields = {"features": column.reshape(-1, 1), "names": ("score",), "model_scores": column}
            yield record_of(lines, block, begins, ends, ids, **fields)
    if not any_found:
        raise InputFileError(f"{file.name}: there is no line in it that begins with H-, as fairseq prints them")
