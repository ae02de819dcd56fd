"""The command line: reading, formatting, exit codes. What it computes is in the modules of their own."""

from __future__ import annotations

import gc
import json
import sys
from array import array
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from typing import Any, TypeVar

import click
from tqdm import tqdm

from .. import __version__
from .. import bleu_score
from ..bleu_score.scores import score_counts
from ..stats.counts import corpus_row, segment_row
from ..explanations import tools as difference
from ..text import tokenizers
from ..metrics import bleu as variants
from ..__main__ import version
from .common import SPLIT, TOKENIZE, input_errors
from .rerank import rerank
from .tuning import mert, random_search
from ..errors import CybleuError, EmptyCorpusError, EmptyHypothesisError
from .._files.text import SPLITS, STANDARD_INPUT, Lines, parallel_segments

# These methods ask for the last segment, so they are not of the counts alone.
NLTK_METHODS_OF_SEGMENTS = ("method5", "method6", "method7")
NO_LINE = "the files have no line, so there is no segment to score"


def _show_version(context: click.Context, parameter: click.Parameter, value: bool) -> None:
    if value and not context.resilient_parsing:
        click.echo(version())
        context.exit()


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.option(
    "--version",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_show_version,
    help="Show what runs and exit.",
)
def cli() -> None:
    """BLEU of machine-translated and generated text.

    `cybleu run-as-nltk SCRIPT ...` runs a Python script with cybleu in the place of NLTK's BLEU.
    """


cli.add_command(mert)
cli.add_command(random_search)
cli.add_command(rerank)


def _read_weights(context: click.Context, parameter: click.Parameter, value: str | None) -> tuple[float, ...] | None:
    if value is None:
        return None
    try:
        return tuple(float(weight) for weight in value.split(","))
    except ValueError:
        raise click.BadParameter(f"{value!r} is not a list of numbers such as 0.1,0.3,0.5,0.1") from None


_Command = TypeVar("_Command", bound=Callable[..., Any])


def _of_text(command: _Command) -> _Command:
    """The arguments and options of every command that reads segments."""
    for parameter in (
        TOKENIZE,
        SPLIT,
        click.option(
            "--weights", callback=_read_weights, metavar="W,W,...", help="Weights of the orders.  [default: uniform]"
        ),
        click.option("--order", type=click.IntRange(1, 64), help="Largest n-gram order.  [default: 4]"),
        click.argument("references", metavar="REF...", nargs=-1, required=True),
        click.argument("hypothesis", metavar="HYP"),
    ):
        command = parameter(command)
    return command


@cli.command()
@_of_text
@click.option(
    "--variant",
    type=click.Choice(list(variants.VARIANTS)),
    default="sacrebleu",
    show_default=True,
    help="The definition of BLEU: sacrebleu is the field's standard, nltk is NLTK's corpus_bleu.",
)
@click.option(
    "--smoothing",
    metavar="NAME",
    help="Smoothing of orders without a match, by default the tool's. sacrebleu: exp, floor, add-k, none; "
    "nltk: none, method0 to method7; mteval-v13a: exp, none; moses: none, add; huggingface: none, smooth.",
)
@click.option("--smoothing-value", type=float, metavar="X", help="Parameter of the smoothing, by default the tool's.")
@click.option("--segments", is_flag=True, help="Print the score of each segment, one a line.")
@click.option("--json", "as_json", is_flag=True, help="Print a JSON object, scores in full.")
@click.option("--width", type=click.IntRange(0, 17), default=2, show_default=True, help="Decimals of a printed score.")
def score(
    hypothesis: str,
    references: tuple[str, ...],
    variant: str,
    order: int | None,
    weights: tuple[float, ...] | None,
    smoothing: str | None,
    smoothing_value: float | None,
    split: str,
    tokenize: str | None,
    segments: bool,
    as_json: bool,
    width: int,
) -> None:
    """Corpus BLEU, from 0 to 100, of the text in HYP against one or more references.

    All are plain UTF-8 text, one segment a line; gzip is recognised; one of them may be - for standard input.
    """
    corpus = _Corpus(_largest_order(order, weights), variant, weights, smoothing, smoothing_value)
    segment_scores = array("d")
    with input_errors():
        for list_of_references, hypotheses in _segments(hypothesis, references, split, tokenize):
            corpus.add(list_of_references, hypotheses)
            if segments:
                segment_scores.extend(map(corpus.score_segment, list_of_references, hypotheses))
        result = corpus.score()
    tokens = f"tok:{tokenize}" if tokenize else f"split:{split}"
    result = replace(result, signature=f"{result.signature}|nrefs:{len(references)}|{tokens}|version:{__version__}")
    if as_json:
        click.echo(json.dumps(_as_object(result, corpus.count, list(segment_scores) if segments else None)))
    elif segments:
        for number in segment_scores:
            click.echo(f"{number:.{width}f}")
    else:
        click.echo(result.format(width))


@cli.command()
@_of_text
@click.option(
    "--variant",
    "names",
    metavar="NAME[:SMOOTHING]",
    multiple=True,
    default=difference.TOOLS,
    help=f"A definition to compare, to be given for each.  [default: {', '.join(difference.TOOLS)}]",
)
@click.option("--json", "as_json", is_flag=True, help="Print a JSON object, scores in full, segments counted from 0.")
def compare(
    hypothesis: str,
    references: tuple[str, ...],
    names: tuple[str, ...],
    order: int | None,
    weights: tuple[float, ...] | None,
    split: str,
    tokenize: str | None,
    as_json: bool,
) -> None:
    """Why tools disagree: the rules and the lines that make their scores differ on the same tokens.

    The files are those of `cybleu score`.
    """
    counts = difference.Counts(_largest_order(order, weights))
    with input_errors():
        split_names = [name.partition(":") for name in names]
        chosen = difference.choose(
            [(name, smoothing) if colon else name for name, colon, smoothing in split_names], counts.order, weights
        )
        for list_of_references, hypotheses in _segments(hypothesis, references, split, tokenize):
            for segment in zip(list_of_references, hypotheses, strict=True):
                counts.add(*segment)
        if not counts.lengths:
            raise EmptyCorpusError(NO_LINE)
        comparison = difference.compare(counts, chosen, weights)
    click.echo(json.dumps(_comparison_as_object(comparison)) if as_json else comparison.format("line", 1))


def _largest_order(order: int | None, weights: Sequence[float] | None) -> int:
    if order is not None and weights is not None and order != len(weights):
        raise click.UsageError(f"--order {order} does not fit the {len(weights)} weights")
    return order or (len(weights) if weights else 4)


def _segments(
    hypothesis: str, references: Sequence[str], split: str, tokenize: str | None
) -> Iterator[tuple[list[list[list[str]]], list[list[str]]]]:
    if (hypothesis, *references).count(STANDARD_INPUT) > 1:
        raise click.UsageError("only one of the files can be standard input")
    return _progress(hypothesis, references, tokenizers.find(tokenize) if tokenize else SPLITS[split])


@cli.command()
@click.argument("nbest", metavar="NBEST")
@click.argument("references", metavar="REF...", nargs=-1, required=True)
@click.option("--features-file", metavar="FILE", required=True, help="Where to write the features.")
@click.option("--scores-file", metavar="FILE", required=True, help="Where to write the BLEU statistics.")
@click.option(
    "--format",
    "format_",
    type=click.Choice(["moses", "joshua", "plain"]),
    help="Of NBEST: Moses's, Joshua's (and cdec's), or text alone.  [default: as its first lines look]",
)
@click.option(
    "--first-id", type=click.IntRange(0), default=0, show_default=True, help="Id of the references' first line."
)
@click.option("--size", type=click.IntRange(1), help="Of the plain format: how many lines each segment has.")
@click.option("--feature-table", metavar="FILE", help="Of the plain format: features, a line for each hypothesis.")
@click.option("--max-order", type=click.IntRange(1, 64), default=4, show_default=True, help="Largest n-gram order.")
@click.option(
    "--reference-length",
    type=click.Choice(["closest", "shortest", "average"]),
    default="closest",
    show_default=True,
    help="Which length counts where there are several references.",
)
@SPLIT
@TOKENIZE
def extract(
    nbest: str,
    references: tuple[str, ...],
    features_file: str,
    scores_file: str,
    format_: str | None,
    first_id: int,
    size: int | None,
    feature_table: str | None,
    max_order: int,
    reference_length: str,
    split: str,
    tokenize: str | None,
) -> None:
    """Features and BLEU statistics of the n-best list in NBEST, in the text files that Moses's tuners read.

    Files are UTF-8; gzip is recognised; one of them may be - for standard input. What is written is compressed if its name
    ends in .gz.
    """
    if (nbest, feature_table, *references).count(STANDARD_INPUT) > 1:
        raise click.UsageError("only one of the files can be standard input")
    with input_errors():
        from ..nbest.container import NBest

        NBest.from_files(
            nbest,
            references,
            format_,
            first_id=first_id,
            size=size,
            features=feature_table,
            tokenize=tokenize or split,
            max_order=max_order,
            reference_length=reference_length,
            texts=False,
            progress=sys.stderr.isatty(),
        ).to_moses(features_file, scores_file)


def _progress(
    hypothesis: str, references: Sequence[str], tokens_of: Callable[[str], list[str]], delay: float = 1
) -> Iterator[tuple[list[list[list[str]]], list[list[str]]]]:
    with ExitStack() as stack:
        file, *others = [stack.enter_context(Lines(path)) for path in (hypothesis, *references)]
        bar = stack.enter_context(
            # `disable=None` is: unless a person is looking; `delay`: unless it takes long
            tqdm(total=file.size, unit="B", unit_scale=True, disable=None, delay=delay, leave=False, file=sys.stderr)
        )
        stack.enter_context(_collector_paused())
        for block in parallel_segments(file, others, tokens_of):
            yield block
            bar.update(file.position() - bar.n)


@contextmanager
def _collector_paused() -> Iterator[None]:
    """Lists of tokens hold no cycles, and looking for some in them takes a fifth of the time."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def _as_object(result: variants.Bleu, count: int, segment_scores: list[float] | None) -> dict[str, object]:
    percent = 100 / result.scale
    values: dict[str, object] = {
        "score": percent * result.score,
        "signature": result.signature,
        "precisions": [percent * precision for precision in result.precisions],
        "brevity_penalty": result.brevity_penalty,
        "ratio": result.ratio,
        "hypothesis_length": result.hypothesis_length,
        "reference_length": result.reference_length,
        "matches": result.matches,
        "totals": result.totals,
        "segments": count,
    }
    if segment_scores is not None:
        values["segment_scores"] = segment_scores
    return values


def _comparison_as_object(comparison: difference.Comparison) -> dict[str, object]:
    return {
        "segments": comparison.segments,
        "scores": [
            {
                "name": scored.name,
                "score": scored.score if scored.bleu else None,
                "signature": scored.bleu.signature if scored.bleu else None,
                "failure": scored.failure,
            }
            for scored in comparison.scores
        ],
        "differences": [
            {
                "lower": pair.lower.name,
                "higher": pair.higher.name,
                "points": pair.points,
                "causes": [
                    {
                        "rule": cause.rule,
                        "points": cause.points,
                        "orders": cause.orders,
                        "segments": cause.segments,
                    }
                    for cause in pair.causes
                ],
            }
            for pair in comparison.differences
        ],
    }


class _Corpus:
    """The statistics of the segments read so far, and how to score them; scores are from 0 to 100."""

    def __init__(
        self,
        order: int,
        variant: str,
        weights: Sequence[float] | None,
        smoothing: str | None,
        smoothing_value: float | None,
    ):
        self.order = order
        self.variant = variants.find(variant)
        self.weights = weights
        self.smoothing = smoothing
        self.smoothing_value = smoothing_value
        self.row = [0] * (2 + 2 * order)
        self.short_segments = [0] * order
        self.count = 0
        self.last: tuple[list[list[str]], list[str]] = ([], [])
        self.needs_last = variant == "nltk" and smoothing in NLTK_METHODS_OF_SEGMENTS
        if self.needs_last and smoothing_value is not None:
            raise click.UsageError(f"--smoothing {smoothing} takes no --smoothing-value here")
        if not self.needs_last:
            try:
                self._score([0, 0] + [0] * 2 * order, [1] * order)
            except EmptyHypothesisError:
                pass
            except CybleuError as error:
                raise click.UsageError(str(error)) from error

    def add(self, list_of_references: list[list[list[str]]], hypotheses: list[list[str]]) -> None:
        counts = corpus_row(list_of_references, hypotheses, self.order)
        row, short_segments = counts
        if self.variant.reference_length == "shortest":
            row[1] = sum(min(map(len, references)) for references in list_of_references)
        self.row = [total + count for total, count in zip(self.row, row, strict=True)]
        self.short_segments = [total + count for total, count in zip(self.short_segments, short_segments, strict=True)]
        self.count += len(hypotheses)
        self.last = list_of_references[-1], hypotheses[-1]

    def score(self) -> variants.Bleu:
        if not self.count:
            raise EmptyCorpusError(NO_LINE)
        if not self.needs_last:
            return self._score(self.row, self.short_segments)
        plain = variants.score(self.row, "nltk", self.weights, short_segments=self.short_segments)
        number: Any = score_counts(
            list(plain.matches),
            list(plain.totals),
            plain.hypothesis_length,
            plain.reference_length,
            *self.last,
            [self.weights or (1 / self.order,) * self.order],
            self._method(),
            False,
        )
        return replace(
            plain, score=number, signature=plain.signature.replace("smooth:none", f"smooth:{self.smoothing}")
        )

    def score_segment(self, references: list[list[str]], hypothesis: list[str]) -> float:
        if self.needs_last:
            weights = self.weights or (1 / self.order,) * self.order
            number: Any = bleu_score.sentence_bleu(references, hypothesis, weights, self._method())
            return float(100.0 * number)
        row = segment_row(references, hypothesis, self.order)
        if self.variant.reference_length == "shortest":
            row[1] = min(map(len, references))
        short_segments = [int(count == 0) for count in row[2 + self.order :]]
        result = self._score(row, short_segments, effective_order=self.variant.sentences_by_effective_order)
        return 100 / result.scale * result.score

    def _score(self, row: Sequence[int], short_segments: Sequence[int], effective_order: bool = False) -> variants.Bleu:
        return variants.score(
            row,
            self.variant,
            self.weights,
            self.smoothing,
            self.smoothing_value,
            effective_order,
            short_segments,
        )

    def _method(self) -> Any:
        return getattr(bleu_score.SmoothingFunction(), self.smoothing or "")
