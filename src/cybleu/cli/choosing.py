"""Choose, sort or explain the hypotheses of a list, segment by segment, for the commands of `cybleu rerank`."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeAlias

from click import Choice, IntRange, UsageError, echo, option

from .._files.text import STANDARD_STREAM, shown
from .._files.writing import writing
from .._runtime.scales import counted, percent
from ..errors import ArrayValueError, InputFileError, _printable
from ..metrics import Bleu
from ..metrics.bleu import family
from .command import FilePath, gathered, say
from .options import as_option, shows_progress

if TYPE_CHECKING:
    from ..metrics import Metric
    from ..nbest import NBest
    from ..rerank import Selection

    Reasons: TypeAlias = Callable[[NBest, slice, int], Iterable[str]]  # for the hypothesis in a row of a segment

EXPLAINED = 3  # candidates

segment_count_option = option(
    "--segment-count",
    metavar="N",
    type=IntRange(0),
    help="Number of segments, if the last ones may have no hypothesis.",
)
output_option = option(
    "--output",
    "-o",
    metavar="FILE",
    type=FilePath(written=True, allow_dash=True),
    default=STANDARD_STREAM,
    help="The output file; .gz compresses it; - is standard output.",
)
# what `choose_from` writes
written_options = gathered(
    "written",
    output_option,
    option(
        "--list",
        "list_format",
        type=Choice(["moses", "joshua", "plain"]),
        help="Write the whole list in its new order and in this format, instead of one text for each segment.",
    ),
    option(
        "--explain",
        metavar="ID",
        type=IntRange(0),
        help="Only explain why the top candidates of this segment rank first.",
    ),
)


class Segments:
    """The segments of an n-best list, read some at a time; their ids must ascend.

    :param path: the file
    :param first_id: the id of the first segment
    :param segment_count: the number of segments, of which the last ones may have no hypothesis; None if it is not known
    :param reading: further arguments of :func:`cybleu.nbest.chunks`
    """

    def __init__(self, path: str, first_id: int, segment_count: int | None, **reading: Any):
        self.path = path
        self.first_id = first_id
        self.count = segment_count
        self._reading = reading

    def __iter__(self) -> Iterator[NBest]:
        from ..nbest import chunks

        lists = chunks(self.path, first_id=self.first_id, progress=shows_progress(), naming=as_option, **self._reading)
        before: NBest | None = (
            None  # is yielded after the next one, so that a mistake in a short list prevents all output
        )
        last = self.first_id - 1
        found = 0
        for nbest in lists:
            for identity in nbest.ids.tolist():
                self._check_id(identity, last)
                last = identity
            found += len(nbest)
            self._check_missing(last + 1, found)
            if before is not None:
                yield before
            before = nbest
        if self.count is not None:
            self._check_missing(self.first_id + self.count, found)
        if before is not None:
            yield before

    def _check_id(self, identity: int, last: int) -> None:
        """
        :param last: the id before it
        """
        if identity <= last:
            reason = "must ascend; sort the list by id, in the format of Moses with sort -s -n -k1,1"
            if last < self.first_id:
                reason = f"begin at {self.first_id}; use --first-id"
            raise InputFileError(f"{self.path}: the segment {identity} comes after {last}, but ids {reason}")
        if self.count is not None and identity >= self.first_id + self.count:
            raise InputFileError(
                f"{self.path}: has the segment {identity}, but there are only {self.count} segments from "
                f"{self.first_id} on; use --first-id to set the first id"
            )

    def _check_missing(self, end: int, found: int) -> None:
        """Check that few of the segments with ids below `end` have no hypothesis.

        :param found: how many of them have some
        """
        from ..nbest.formats import MOST_EMPTY

        missing = end - self.first_id - found
        if missing > MOST_EMPTY:
            raise InputFileError(
                f"{self.path}: of the segments with ids from {self.first_id} to {end - 1}, {missing} have no hypothesis, "
                f"but at most {MOST_EMPTY} may have none, because an empty line for each would fill the disk. Use "
                "--first-id to set the first id"
            )


def choose_from(
    segments: Segments,
    choose: Callable[[NBest], Selection[str]],
    reasons: Reasons,
    output: str,
    list_format: str | None,
    explain: int | None,
) -> None:
    """Choose from each segment, and write what is chosen, or explain the choice from one segment.

    :param reasons: describe in lines why a hypothesis of a segment has its score
    """
    if explain is not None:
        if output != STANDARD_STREAM or list_format is not None:
            raise UsageError("--explain only prints the reasons, and cannot be combined with --output or --list")
        explanation = "\n".join(_explanation(segments, explain, choose, reasons))
        echo(_printable(explanation, len(explanation)))
        return
    missing = 0
    with opened(output) as write:
        if list_format is None:
            missing = _write_texts(segments, choose, write)
        else:
            for nbest in segments:
                _write_list(choose(nbest), list_format, write)
    if missing:
        advice = "" if segments.first_id else "; if ids count from 1, use --first-id 1"
        say(f"segments without a hypothesis: {missing}; each is an empty line in the output{advice}")


def _write_texts(segments: Segments, choose: Callable[[NBest], Selection[str]], write: Callable[[str], Any]) -> int:
    """Write a line for each segment, and return how many lines are empty, because there is no hypothesis."""
    missing = 0
    following = segments.first_id  # after the last line
    for nbest in segments:
        selection = choose(nbest)
        for identity, row, text in zip(nbest.ids.tolist(), selection.rows.tolist(), selection.texts):
            if row >= 0:  # line numbers are ids, so that a segment without a hypothesis is an empty line
                skipped = identity - following
                write(skipped * "\n" + one_line(text, f" of segment {identity}") + "\n")
                missing += skipped
                following = identity + 1
    if segments.count is not None:
        skipped = segments.first_id + segments.count - following
        write(skipped * "\n")
        missing += skipped
    return missing


def _write_list(selection: Selection[str], list_format: str, write: Callable[[str], Any]) -> None:
    from ..nbest.writing import nbest_lines

    ordered = selection.best_first()
    if list_format == "plain":
        for text in ordered.texts or ():
            write(one_line(text) + "\n")
        return
    for line in nbest_lines(ordered, list_format, lambda name, value: f"--list {value}"):
        write(line)


def one_line(text: str, where: str = "") -> str:
    if "\n" in text:
        raise ArrayValueError(f"a text{where} has a line break, but each line is a segment: {shown(text)}")
    return text


@contextmanager
def opened(path: str) -> Iterator[Callable[[str], Any]]:
    if path == STANDARD_STREAM:
        # a TextIOWrapper of its own would report a reader that went away again when it is deleted
        output = sys.stdout.buffer
        try:
            yield lambda text: output.write(text.encode())
        finally:
            output.flush()
        return
    with writing(path) as file:
        yield file.write


def _explanation(
    segments: Iterable[NBest], identity: int, choose: Callable[[NBest], Selection[str]], reasons: Reasons
) -> Iterator[str]:
    """Describe the first candidates of a segment, with the reasons for their scores."""
    for nbest in segments:
        ids = nbest.ids.tolist()
        if identity in ids:
            break
    else:
        raise ArrayValueError(f"there is no segment {identity} in the list")
    selection = choose(nbest)
    segment = nbest.segment(ids.index(identity))
    yield f"segment {identity}: {counted(segment.stop - segment.start, 'hypothesis', 'hypotheses')}"
    texts = (nbest.texts or [])[segment]
    for place, row in enumerate(selection.ranked()[segment][:EXPLAINED].tolist(), 1):
        number = row - segment.start
        yield f"{place}. hypothesis {number}, score {selection.scores[row]:.6g}: {texts[number]}"
        for reason in reasons(nbest, segment, row):
            yield f"   {reason}"


def terms(nbest: NBest, segment: slice, row: int, weights: dict[str, float]) -> Iterator[str]:
    """The terms of a weighted sum, the largest first."""
    values = dict(zip(nbest.names, nbest.features[row].tolist()))
    if nbest.sparse is not None:
        found = slice(nbest.sparse.indptr[row], nbest.sparse.indptr[row + 1])
        names = (nbest.sparse.names[column] for column in nbest.sparse.columns[found].tolist())
        values.update(zip(names, nbest.sparse.values[found].tolist()))
    # the terms that decide come first, whatever their sign
    for name in sorted(values, key=lambda name: -abs(weights.get(name, 0.0) * values[name])):
        weight = weights.get(name, 0.0)
        yield f"{weight * values[name]:+.6g} = {weight:g} * {values[name]:g} {name}"


def nearest(nbest: NBest, segment: slice, row: int, metric: Metric) -> Iterator[str]:
    """The other texts of a segment that are most like one."""
    from .. import pairs, rows

    texts = (nbest.texts or [])[segment]
    row -= segment.start
    alike = percent(pairs([texts[row]], texts, metric=metric)[0], metric.scale)
    sign = -1 if metric.higher_is_better else 1
    for other in sorted((i for i in range(len(texts)) if i != row), key=lambda i: sign * alike[i])[:EXPLAINED]:
        line = f"{family(metric)} {alike[other]:.1f} with hypothesis {other}"
        if isinstance(metric, Bleu):
            line += f": {_matches_in_words(rows([texts[row]], [texts[other]], metric)[0].tolist())}"
        yield line


def matches(nbest: NBest, segment: slice, row: int) -> Iterator[str]:
    """The n-grams that match the references."""
    yield _matches_in_words(nbest.stats[row].tolist())


def _matches_in_words(row: list[int]) -> str:
    order = len(row) // 2 - 1
    orders = " ".join(f"{matched}/{total}" for matched, total in zip(row[2 : 2 + order], row[2 + order :]))
    return f"matched n-grams {orders}, length {row[0]} against {row[1]}"
