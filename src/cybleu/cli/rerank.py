"""`cybleu rerank`: n-best lists in, the chosen texts or the lists in a new order out, or the reasons of a choice."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, TypeAlias

from click import Choice, IntRange, UsageError, echo, option

from .._files.text import STANDARD_STREAM, listed, shown
from .._files.writing import writing
from .._runtime.numbers import MOST_REPEATS, counted
from ..errors import ArrayValueError, FeatureError, InputFileError, _printable
from ..metrics.operations import percent
from .command import (
    Commands,
    FilePath,
    Files,
    Gathered,
    as_option,
    from_command_line,
    gathered,
    metric_of,
    references_argument,
    say,
    say_same_score,
    section,
    shows_progress,
)
from .options import (
    check_numbers,
    first_id_option,
    metric_option,
    nbest_argument,
    output_format_option,
    reading_options,
    scoring_section,
    seed_option,
    tokenize_option,
)

if TYPE_CHECKING:
    from ..nbest import NBest
    from ..rerank import Selection

    Reasons: TypeAlias = Callable[[NBest, slice, int], Iterable[str]]  # for the hypothesis in a row of a segment

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


# ----------------------------------------------------------------------------------------------------- what all commands do


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
    from ..rerank.reasons import EXPLAINED

    selection = choose(nbest)
    segment = nbest.segment(ids.index(identity))
    yield f"segment {identity}: {counted(segment.stop - segment.start, 'hypothesis', 'hypotheses')}"
    texts = (nbest.texts or [])[segment]
    for place, row in enumerate(selection.ranked()[segment][:EXPLAINED].tolist(), 1):
        number = row - segment.start
        yield f"{place}. hypothesis {number}, score {selection.scores[row]:.6g}: {texts[number]}"
        for reason in reasons(nbest, segment, row):
            yield f"   {reason}"


# ----------------------------------------------------------------------------------------------------------- the commands


rerank_command = Commands(
    "rerank",
    help="""Rerank n-best lists, or train weights for reranking.

    NBEST can be in the format of Moses or of Joshua and cdec, plain text with --size lines for each segment, the output
    of fairseq, or JSON lines. It is read as a stream, so its segments must be in the order of their ids. The output has
    one line for each segment. The line is empty if the segment has no hypothesis.

    \b
    Examples:
      cybleu rerank linear test.nbest.gz --weights weights.txt
      cybleu rerank mbr samples.txt --format plain --size 64 --tokenize 13a
    """,
)


@rerank_command.command("linear", other_tools={"--weights": "-w"})
@nbest_argument
@section("Lists", gathered("segments", first_id_option, *reading_options))
@section("Output", gathered("segments", segment_count_option), written_options)
@section(
    "Weights",
    option(
        "--weights",
        "weights_file",
        metavar="FILE",
        type=FilePath(),
        required=True,
        help="A file with a feature and its weight on each line: `lm_0 0.5`, `lm_0=0.5`, or `lm= 0.5 0.2` as in Moses. "
        "moses.ini without [weight-file] and other weight files of Moses are also accepted.",
    ),
)
def linear_command(nbest: str, segments: Gathered, written: Gathered, weights_file: str) -> None:
    """Choose by a weighted sum of the features.

    If several hypotheses have the same sum, the first one is chosen.

    \b
    Examples:
      cybleu rerank linear test.nbest.gz --weights weights.txt
      cybleu rerank linear test.nbest.gz --weights moses.ini --list moses -o sorted.nbest.gz
    """
    from ..rerank import linear
    from ..rerank.reasons import terms
    from ..tuning import read_weights

    weights: dict[str, float] = {}
    unseen: dict[str, None] = {}

    def choose(part: NBest) -> Selection[str]:
        if not weights:  # numbers without names belong to the features of the list
            weights.update(read_weights(weights_file, part.names))
            unseen.update(dict.fromkeys(weights))
        # a feature that is 0 so far may not have had a name yet
        names = part.all_names
        for name in names:
            unseen.pop(name, None)
        if missing := [name for name in part.names if name not in weights]:
            raise FeatureError(f"{weights_file}: has no weight for {shown(missing[0])}; use 0 to ignore it")
        return linear(part, {name: weights[name] for name in names if name in weights})

    choose_from(Segments(nbest, **segments), choose, partial(terms, weights=weights), **written)
    if unseen and written["explain"] is None:
        say(f"weights of features that are not in the list are ignored: {listed([*unseen])}")


@rerank_command.command("mbr")
@nbest_argument
@section(
    "Lists",
    gathered("segments", first_id_option),
    gathered("scoring", tokenize_option),
    gathered("segments", *reading_options),
)
@section("Output", gathered("segments", segment_count_option), written_options)
@scoring_section(metric_option())
@section(
    "Minimum Bayes risk",
    option("--scale", type=float, help="Weight each text by exp(scale * model score).  [default: uniform]"),
    option(
        "--prune",
        type=IntRange(1),
        help="Number of most probable hypotheses of a segment to use.  [default: all]",
    ),
)
def mbr_command(
    nbest: str,
    segments: Gathered,
    written: Gathered,
    scoring: Gathered,
    scale: float | None,
    prune: int | None,
) -> None:
    """Choose by minimum Bayes risk.

    For each segment, chooses the hypothesis with the best mean score against all hypotheses of the segment.

    \b
    Examples:
      cybleu rerank mbr samples.txt --format plain --size 64 --tokenize 13a
      cybleu rerank mbr test.nbest.gz -m chrf --scale 1
    """
    from ..rerank import mbr
    from ..rerank.reasons import nearest

    chosen = metric_of(scoring)
    # a metric of raw text takes no tokeniser, which is an error only if the user named one
    if chosen.reads != "text" or from_command_line("tokenize"):
        chosen = replace(chosen, tokenize=scoring["tokenize"])
    if prune is not None and written["list_format"] is not None:
        raise UsageError("--prune leaves hypotheses out, and --list writes all of them; give one of the two")

    def choose(part: NBest) -> Selection[str]:
        if scale is None:
            return mbr(part, metric=chosen, prune=prune)
        if part.model_scores is None:
            raise ArrayValueError("--scale requires model scores, but this list has none")
        return mbr(part, scores=part.model_scores, scale=scale, metric=chosen, prune=prune)

    choose_from(Segments(nbest, **segments), choose, partial(nearest, metric=chosen), **written)


@rerank_command.command("oracle")
@nbest_argument
@section("Lists", first_id_option, tokenize_option, *reading_options)
@section("Output", written_options)
@references_argument()
@scoring_section(metric_option(of_bleu=True))
@section(
    "Oracle",
    gathered(
        "choice",
        option(
            "--level",
            type=Choice(["sentence", "corpus"]),
            default="sentence",
            help="Choose by the BLEU of each sentence or of the corpus. corpus keeps all statistics in memory.",
        ),
    ),
    option("--worst", is_flag=True, help="Choose the worst hypotheses instead of the best."),
    gathered("choice", seed_option),
)
def oracle_command(
    nbest: str,
    references: Files,
    written: Gathered,
    scoring: Gathered,
    choice: Gathered,
    worst: bool,
    **reading: Any,
) -> None:
    """Choose the hypotheses that score best against the references.

    \b
    Examples:
      cybleu rerank oracle dev.nbest.gz dev.ref
      cybleu rerank oracle dev.nbest.gz dev.ref --level corpus --tokenize 13a
    """
    from ..nbest import NBest
    from ..nbest.reading import prepare_references
    from ..rerank import CorpusSelection, antioracle, oracle
    from ..rerank.reasons import matches

    choice["metric"] = metric_of(scoring)  # an argument of the functions below, as the other choices are
    find_best = antioracle if worst else oracle
    if choice["level"] == "corpus":
        if written["list_format"] is not None or written["explain"] is not None:
            raise UsageError("--list and --explain require --level sentence")
        whole = NBest.from_files(nbest, references, progress=shows_progress(), naming=as_option, **reading)
        selection = find_best(whole, **choice)
        with opened(written["output"]) as write:
            write("".join(f"{one_line(text)}\n" for text in selection.texts))
        if isinstance(selection, CorpusSelection):
            score, start = (percent(number, choice["metric"].scale) for number in (selection.score, selection.start))
            echo(
                f"BLEU of the corpus {score:.4f}, by sentences {start:.4f}; "
                f"{counted(selection.swaps, 'swap')} in {counted(selection.passes, 'pass', 'passes')}",
                err=True,
            )
    else:
        prepared = prepare_references(references)  # once, for all parts of the list
        segments = Segments(nbest, segment_count=len(prepared), references=prepared, **reading)
        choose_from(segments, lambda part: find_best(part, **choice), matches, **written)
    say_same_score(references, **scoring, **reading)


@rerank_command.command("perceptron")
@nbest_argument
@section("Lists", first_id_option, tokenize_option, *reading_options)
@section(
    "Output",
    gathered("written", output_option, output_format_option()),
    option(
        "--held-out",
        metavar="FILE",
        type=FilePath(written=True, allow_dash=True),
        help="A file for the hypotheses chosen by the weights of the other folds.",
    ),
)
@references_argument()
@scoring_section(metric_option(of_bleu=True, of_sums=True))
@section(
    "Perceptron",
    gathered(
        "training",
        option("--epochs", type=IntRange(1, MOST_REPEATS), default=10, help="Maximum number of epochs."),
        option("--folds", type=IntRange(2), default=5, help="Number of folds in the cross-validation."),
        option("--good", type=float, default=0.1, help="Share of the hypotheses of a segment that count as good."),
        option("--bad", type=float, default=0.5, help="Share of the hypotheses of a segment that count as bad."),
        option("--margin", type=float, default=1.0, help="Margin between the scores of good and bad hypotheses."),
        seed_option,
    ),
)
def perceptron_command(
    nbest: str,
    references: Files,
    written: Gathered,
    held_out: str | None,
    scoring: Gathered,
    training: Gathered,
    **reading: Any,
) -> None:
    """Train weights for `cybleu rerank linear`.

    Uses the perceptron of Shen and Joshi (2005), which keeps features and statistics in memory. Weights of sparse
    features are written only if they are not 0.

    \b
    Examples:
      cybleu rerank perceptron dev.nbest.gz dev.ref -o weights.txt
      cybleu rerank perceptron dev.nbest.gz dev.ref --folds 10 --held-out chosen.txt -o weights.txt
    """
    from ..nbest import NBest
    from ..nbest.weights import weight_lines, without_sparse_zeros
    from ..rerank import perceptron

    if written["output"] == held_out == STANDARD_STREAM:
        raise UsageError("--output and --held-out cannot both be standard output; give a file name for one of them")
    chosen = metric_of(scoring)
    whole = NBest.from_files(nbest, references, progress=shows_progress(), naming=as_option, **reading)
    if written["output_format"] == "numbers":
        check_numbers(whole)
    trained = perceptron(whole, metric=chosen, progress=shows_progress(), **training)
    if held_out is not None:
        with opened(held_out) as write:
            write("".join(f"{one_line(text)}\n" for text in trained.held_out.texts))
    with opened(written["output"]) as write:
        weights = without_sparse_zeros(trained.weights, whole.names)
        write("".join(weight_lines(weights, written["output_format"])))
    score = percent(trained.score, chosen.scale)
    of_folds = ", ".join(f"{percent(number, chosen.scale):.2f}" for number in trained.fold_scores)
    echo(
        f"BLEU of held-out segments {score:.4f} after {counted(trained.epochs, 'epoch')}; of folds {of_folds}",
        err=True,
    )
    say_same_score(references, **scoring, **reading)
