"""Choose, sort or explain the hypotheses of a list, segment by segment, for the commands of `cybleu rerank`."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from .._files.text import STANDARD_STREAM, shown
from .._files.writing import writing
from .._runtime.scales import counted, percent
from ..errors import ArrayValueError, InputFileError, _printable
from ..metrics import Bleu
from ..metrics.names import family
from .common import shows_progress
from .given import arguments_of, choice, file, number
from .lists import FormatOptions, NbestOptions

if TYPE_CHECKING:
    from ..metrics import Metric
    from ..metrics.references import References
    from ..nbest import NBest
    from ..rerank import Selection

EXPLAINED = 3  # candidates


@dataclass(kw_only=True)
class RerankOptions(NbestOptions):
    """Output"""

    segments: int | None = None
    output: str = file(
        "-o",
        written=True,
        allow_dash=True,
        default=STANDARD_STREAM,
        help="The output file; .gz compresses it; - is standard output.",
    )
    list_format: str | None = choice(
        "--list",
        of=["moses", "joshua", "plain"],
        help="Write the whole list in its new order and in this format, instead of one text for each segment.",
    )
    explain: int | None = number(
        least=0, metavar="ID", help="Only explain why the top candidates of this segment rank first."
    )

    def lists(self, references: Any) -> Iterator[NBest]:
        """Some segments of the list at a time, in the order of their ids.

        :param references: against which the hypotheses are counted; None if they are not
        """
        from ..nbest import chunks

        how = arguments_of(self, FormatOptions)
        if references is None:
            del how["first_id"], how["tokenize"]
        last, read = self.first_id - 1, None
        found = 0  # segments
        for nbest in chunks(self.nbest, references=references, progress=shows_progress(), **how):
            for identity in nbest.ids.tolist():
                self._check_id(identity, last)
                last = identity
            found += len(nbest)
            self._check_missing(last + 1, found)
            if read is not None:  # after the next ones, so that of a short list with a mistake nothing is written
                yield read
            read = nbest
        if self.segments is not None:
            self._check_missing(self.first_id + self.segments, found)
        if read is not None:
            yield read

    def _check_id(self, identity: int, last: int) -> None:
        """
        :param last: the id before it
        """
        if identity <= last:
            reason = "must ascend; sort the list by id, in the format of Moses with sort -s -n -k1,1"
            if last < self.first_id:
                reason = f"begin at {self.first_id}; use --first-id"
            raise InputFileError(f"{self.nbest}: the segment {identity} comes after {last}, but ids {reason}")
        if self.segments is not None and identity >= self.first_id + self.segments:
            raise InputFileError(
                f"{self.nbest}: has the segment {identity}, but there are only {self.segments} segments from "
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
                f"{self.nbest}: of the segments with ids from {self.first_id} to {end - 1}, {missing} have no hypothesis, "
                f"but at most {MOST_EMPTY} may have none, because an empty line for each would fill the disk. Use "
                "--first-id to set the first id"
            )

    def whole(self, references: Sequence[str]) -> NBest:
        from ..nbest import NBest

        return NBest.from_files(self.nbest, references, progress=shows_progress(), **arguments_of(self, FormatOptions))


class Why(NamedTuple):
    """The data of a command that --explain shows."""

    weights: dict[str, float] | None = None
    metric: Metric | None = None  # of minimum Bayes risk
    references: References | None = None


def choose_from(given: RerankOptions, choose: Callable[[NBest], Selection[str]], why: Why) -> None:
    """Choose from each segment, and write what is chosen."""
    lists = given.lists(why.references)
    if given.explain is not None:
        if given.output != STANDARD_STREAM or given.list_format is not None:
            raise click.UsageError("--explain only prints the reasons, and cannot be combined with --output or --list")
        explanation = _explained(lists, given.explain, choose, why)
        click.echo(_printable(explanation, len(explanation)))
        return
    written, missing = given.first_id, 0  # the id after the last line

    def empty_lines(end: int) -> str:
        nonlocal written, missing
        count, written = end - written, end
        missing += count
        return "\n" * count

    with opened(given.output) as write:
        for nbest in lists:
            selection = choose(nbest)
            if given.list_format is not None:
                _write_list(selection, given.list_format, write)
                continue
            for identity, row, text in zip(nbest.ids.tolist(), selection.rows.tolist(), selection.texts):
                if row >= 0:
                    write(f"{empty_lines(identity)}{one_line(text, f' of segment {identity}')}\n")
                    written = identity + 1
        if given.segments is not None and given.list_format is None:
            write(empty_lines(given.first_id + given.segments))
    if missing:
        said = f"cybleu: segments without a hypothesis: {missing}; each is an empty line in the output"
        click.echo(said if given.first_id else f"{said}; if ids count from 1, use --first-id 1", err=True)


def _write_list(selection: Selection[str], list_format: str, write: Callable[[str], Any]) -> None:
    from ..nbest.writing import nbest_lines

    ordered = selection.best_first()
    if list_format == "plain":
        for text in ordered.texts or ():
            write(one_line(text) + "\n")
        return
    for line in nbest_lines(ordered, list_format):
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


def _explained(lists: Iterator[NBest], identity: int, choose: Callable[[NBest], Selection[str]], why: Why) -> str:
    """Describe the first candidates of a segment, with the reasons for their scores."""
    nbest = next((nbest for nbest in lists if identity in nbest.ids.tolist()), None)
    if nbest is None:
        raise ArrayValueError(f"there is no segment {identity} in the list")
    selection, segment = choose(nbest), nbest.segment(nbest.ids.tolist().index(identity))
    lines = [f"segment {identity}: {counted(segment.stop - segment.start, 'hypothesis', 'hypotheses')}"]
    texts = (nbest.texts or [])[segment]
    best = selection.ranked()[segment][:EXPLAINED].tolist()
    for place, row in enumerate(best, 1):
        number = row - segment.start
        lines.append(f"{place}. hypothesis {number}, score {selection.scores[row]:.6g}: {texts[number]}")
        if why.weights is not None:
            lines += _terms(nbest, row, why.weights)
        elif why.references is not None:
            lines.append(f"   {_matches(nbest.stats[row].tolist())}")
        elif why.metric is not None:
            lines += _nearest(texts, number, why.metric)
    return "\n".join(lines)


def _terms(nbest: NBest, row: int, weights: dict[str, float]) -> Iterator[str]:
    """The terms of a weighted sum, the largest first."""
    values = dict(zip(nbest.names, nbest.features[row].tolist()))
    if nbest.sparse is not None:
        found = slice(nbest.sparse.indptr[row], nbest.sparse.indptr[row + 1])
        names = (nbest.sparse.names[column] for column in nbest.sparse.columns[found].tolist())
        values.update(zip(names, nbest.sparse.values[found].tolist()))
    for name in sorted(values, key=lambda name: -abs(weights.get(name, 0.0) * values[name])):
        weight = weights.get(name, 0.0)
        yield f"   {weight * values[name]:+.6g} = {weight:g} * {values[name]:g} {name}"


def _nearest(texts: list[str], row: int, metric: Metric) -> Iterator[str]:
    """The other texts that are most like one."""
    from .. import pairs, rows

    alike = percent(pairs([texts[row]], texts, metric=metric)[0], metric.scale)
    sign = -1 if metric.higher_is_better else 1
    for other in sorted((i for i in range(len(texts)) if i != row), key=lambda i: sign * alike[i])[:EXPLAINED]:
        line = f"   {family(metric)} {alike[other]:.1f} with hypothesis {other}"
        if isinstance(metric, Bleu):
            line += f": {_matches(rows([texts[row]], [texts[other]], metric)[0].tolist())}"
        yield line


def _matches(row: list[int]) -> str:
    order = len(row) // 2 - 1
    orders = " ".join(f"{matched}/{total}" for matched, total in zip(row[2 : 2 + order], row[2 + order :]))
    return f"matched n-grams {orders}, length {row[0]} against {row[1]}"
