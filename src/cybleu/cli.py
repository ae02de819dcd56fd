"""The command line: reading, formatting, exit codes. What it computes is in the modules of their own."""

from __future__ import annotations

import gc
import json
import sys
import warnings
from array import array
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from typing import Any

import click
from tqdm import tqdm

from . import __version__, _backend, bleu_score, variants
from .__main__ import version
from .errors import CybleuError, EmptyCorpusError
from .textfiles import SPLITS, STANDARD_INPUT, Lines, parallel_segments

NLTK_SMOOTHING = {
    "none": "method0",
    **{f"method{number}": f"method{number}" for number in range(8)},
    "nltk-3.3": "",
}


class InputError(click.ClickException):
    """What the user can mend: one sentence on standard error, exit status 2."""

    exit_code = 2

    def show(self, file: Any = None) -> None:
        click.echo(f"cybleu: error: {self.format_message()}", err=True)


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, message=version())
def cli() -> None:
    """BLEU of machine-translated and generated text.

    `cybleu run-as-nltk SCRIPT ...` runs a Python script with cybleu in the place of NLTK's BLEU.
    """


def _read_weights(context: click.Context, parameter: click.Parameter, value: str | None) -> tuple[float, ...] | None:
    if value is None:
        return None
    try:
        return tuple(float(weight) for weight in value.split(","))
    except ValueError:
        raise click.BadParameter(f"{value!r} is not a list of numbers such as 0.1,0.3,0.5,0.1") from None


@cli.command()
@click.argument("hypothesis", metavar="HYP")
@click.argument("references", metavar="REF...", nargs=-1, required=True)
@click.option(
    "--variant",
    type=click.Choice(["sacrebleu", "nltk"]),
    default="sacrebleu",
    show_default=True,
    help="The definition of corpus BLEU: the field's standard, or NLTK's corpus_bleu.",
)
@click.option("--order", type=click.IntRange(1, 64), help="Largest n-gram order.  [default: 4]")
@click.option("--weights", callback=_read_weights, metavar="W,W,...", help="Weights of the orders.  [default: uniform]")
@click.option(
    "--smoothing",
    metavar="NAME",
    help="sacrebleu: exp (default), floor, add-k, none (then it is also multi-bleu's score); "
    "nltk: none (default), method0 to method7, nltk-3.3.",
)
@click.option("--smoothing-value", type=float, metavar="X", help="What floor and add-k add.  [default: 0.1 and 1]")
@click.option(
    "--split",
    type=click.Choice(sorted(SPLITS)),
    default="unicode",
    show_default=True,
    help="What separates tokens: any white space, or ASCII white space only, as in multi-bleu.perl.",
)
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
    segments: bool,
    as_json: bool,
    width: int,
) -> None:
    """Corpus BLEU, from 0 to 100, of the text in HYP against one or more references.

    All are plain UTF-8 text, one segment a line; gzip is recognised; one of them may be - for standard input.
    """
    if (hypothesis, *references).count(STANDARD_INPUT) > 1:
        raise click.UsageError("only one of the files can be standard input")
    if order is not None and weights is not None and order != len(weights):
        raise click.UsageError(f"--order {order} does not fit the {len(weights)} weights")
    order = order or (len(weights) if weights else 4)
    definition = (NltkScore if variant == "nltk" else SacrebleuScore)(order, weights, smoothing, smoothing_value)
    segment_scores = array("d")
    try:
        for list_of_references, hypotheses in _progress(hypothesis, references, split):
            definition.add(list_of_references, hypotheses)
            if segments:
                segment_scores.extend(map(definition.segment, list_of_references, hypotheses))
        result = definition.corpus()
    except (CybleuError, ValueError, ArithmeticError) as error:
        raise InputError(str(error)) from error
    if segments and not as_json:
        for number in segment_scores:
            click.echo(f"{number:.{width}f}")
        return
    signature = (
        f"variant:{definition.name}|nrefs:{len(references)}|order:{order}|"
        f"weights:{'uniform' if weights is None else ','.join(f'{weight:g}' for weight in weights)}|"
        f"smooth:{definition.smoothing_name}|split:{split}|version:{__version__}"
    )
    if as_json:
        click.echo(
            json.dumps(_as_object(result, signature, definition.count, list(segment_scores) if segments else None))
        )
    else:
        click.echo(_as_line(result, signature, width))


def _progress(
    hypothesis: str, references: Sequence[str], split: str, delay: float = 1
) -> Iterator[tuple[list[list[list[str]]], list[list[str]]]]:
    with ExitStack() as stack:
        file, *others = [stack.enter_context(Lines(path)) for path in (hypothesis, *references)]
        bar = stack.enter_context(
            # `disable=None` is: unless a person is looking; `delay`: unless it takes long
            tqdm(total=file.size, unit="B", unit_scale=True, disable=None, delay=delay, leave=False, file=sys.stderr)
        )
        stack.enter_context(_collector_paused())
        for block in parallel_segments(file, others, SPLITS[split]):
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


def _as_line(result: variants.Bleu, signature: str, width: int) -> str:
    precisions = "/".join(f"{precision:.1f}" for precision in result.precisions)
    return (
        f"BLEU|{signature} = {result.score:.{width}f} {precisions} (BP = {result.brevity_penalty:.3f} "
        f"ratio = {result.ratio:.3f} hyp_len = {result.hypothesis_length} ref_len = {result.reference_length})"
    )


def _as_object(
    result: variants.Bleu, signature: str, count: int, segment_scores: list[float] | None
) -> dict[str, object]:
    values: dict[str, object] = {
        "score": result.score,
        "signature": signature,
        "precisions": result.precisions,
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


class SacrebleuScore:
    """The standard definition, summed segment by segment."""

    name = "sacrebleu"

    def __init__(
        self, order: int, weights: Sequence[float] | None, smoothing: str | None, smoothing_value: float | None
    ):
        self.smoothing = smoothing or "exp"
        if self.smoothing not in variants.SMOOTHING_DEFAULTS:
            names = ", ".join(variants.SMOOTHING_DEFAULTS)
            raise click.UsageError(f"--smoothing {self.smoothing} is not one of sacrebleu's: {names}")
        default = variants.SMOOTHING_DEFAULTS[self.smoothing]
        if smoothing_value is not None and default is None:
            raise click.UsageError(f"--smoothing {self.smoothing} takes no --smoothing-value")
        self.value = default if smoothing_value is None else smoothing_value
        self.smoothing_name = self.smoothing if self.value is None else f"{self.smoothing}[{self.value:g}]"
        self.order = order
        self.weights = weights
        self.row = [0] * (2 + 2 * order)
        self.short = [0] * order
        self.count = 0

    def add(self, list_of_references: list[list[list[str]]], hypotheses: list[list[str]]) -> None:
        counts = _backend.corpus_counts(list_of_references, hypotheses, self.order)
        if counts is None:
            raise RuntimeError("the kernel declined lists of str")
        self.row = [total + count for total, count in zip(self.row, counts[0], strict=True)]
        self.short = [total + count for total, count in zip(self.short, counts[1], strict=True)]
        self.count += len(hypotheses)

    def corpus(self) -> variants.Bleu:
        if not self.count:
            raise EmptyCorpusError("the files have no line, so there is no segment to score")
        return variants.sacrebleu(self.row, self.smoothing, self.value, self.weights)

    def segment(self, references: list[list[str]], hypothesis: list[str]) -> float:
        row = _backend.segment_counts(references, hypothesis, self.order)
        return variants.sacrebleu(row, self.smoothing, self.value, self.weights, effective_order=True).score


class NltkScore(SacrebleuScore):
    """NLTK's definition: a short segment adds 1 to the n-grams of an order; smoothing may want the last segment."""

    name = "nltk"

    def __init__(
        self, order: int, weights: Sequence[float] | None, smoothing: str | None, smoothing_value: float | None
    ):
        super().__init__(order, weights or (1 / order,) * order, None, None)
        self.smoothing_name = smoothing or "none"
        if self.smoothing_name not in NLTK_SMOOTHING:
            raise click.UsageError(f"--smoothing {smoothing} is not one of nltk's: {', '.join(NLTK_SMOOTHING)}")
        if smoothing_value is not None:
            raise click.UsageError("--smoothing-value is for sacrebleu's floor and add-k")
        method = NLTK_SMOOTHING[self.smoothing_name]
        self.function: Any = getattr(bleu_score.SmoothingFunction(), method) if method else bleu_score.nltk_3_3
        self.last: tuple[list[list[str]], list[str]] = ([], [])

    def add(self, list_of_references: list[list[list[str]]], hypotheses: list[list[str]]) -> None:
        super().add(list_of_references, hypotheses)
        self.last = list_of_references[-1], hypotheses[-1]

    def corpus(self) -> variants.Bleu:
        if not self.count:
            raise EmptyCorpusError("the files have no line, so there is no segment to score")
        length, reference_length = self.row[:2]
        matches = self.row[2 : 2 + self.order]
        totals = [total + short for total, short in zip(self.row[2 + self.order :], self.short, strict=True)]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            number: Any = bleu_score.score_counts(
                matches, totals, length, reference_length, *self.last, [self.weights], self.function, False
            )
        return variants.Bleu(
            score=100.0 * number,
            precisions=tuple(100.0 * matched / total for matched, total in zip(matches, totals, strict=True)),
            brevity_penalty=float(bleu_score.brevity_penalty(reference_length, length)),
            hypothesis_length=length,
            reference_length=reference_length,
            matches=tuple(matches),
            totals=tuple(totals),
        )

    def segment(self, references: list[list[str]], hypothesis: list[str]) -> float:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            number: Any = bleu_score.sentence_bleu(references, hypothesis, self.weights or (), self.function)
        return float(100.0 * number)
