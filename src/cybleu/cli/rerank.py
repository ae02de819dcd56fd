"""`cybleu rerank`: n-best lists in, the chosen texts or the lists in a new order out."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import click

from .._files.text import STANDARD_STREAM, listed, shown
from .._files.weights import formatted
from .._runtime.samples import MOST_REPEATS
from .._runtime.scales import counted, percent
from ..errors import ArrayValueError, FeatureError
from .choosing import RerankOptions, Why, choose_from, one_line, opened
from .common import ReferenceFiles, metric_option, say_same_score, seed_option, shows_progress
from .given import Commands, arguments_of, choice, command, file, from_command_line, number, option, switch
from .lists import MetricOptions, check_form, names_of, output_format_option, told

if TYPE_CHECKING:
    from ..nbest import NBest
    from ..rerank import Selection


@click.group(cls=Commands, modules={})
def rerank() -> None:
    """Rerank n-best lists, or train weights for reranking.

    NBEST can be in the format of Moses or of Joshua and cdec, plain text with --size lines for each segment, the output
    of fairseq, or JSON lines. It is read as a stream, so its segments must be in the order of their ids. The output has
    one line for each segment. The line is empty if the segment has no hypothesis.

    \b
    Examples:
      cybleu rerank linear test.nbest.gz --weights weights.txt
      cybleu rerank mbr samples.txt --format plain --size 64 -m chrf
    """


def segment_count_option() -> Any:
    return number(
        "--segment-count",
        least=0,
        metavar="N",
        help="Number of segments, if the last ones may have no hypothesis.",
    )


@dataclass(kw_only=True)
class LinearOptions(RerankOptions):
    """Weights"""

    tokenize: str = "unicode"  # no option, because nothing is counted
    segments: int | None = segment_count_option()
    weights_file: str = file(
        "--weights",
        required=True,
        help="A file with a feature and its weight on each line: `lm_0 0.5`, `lm_0=0.5`, or `lm= 0.5 0.2` as in Moses. "
        "moses.ini without [weight-file] and other weight files of Moses are also accepted.",
    )


@dataclass(kw_only=True)
class MbrOptions(MetricOptions, RerankOptions):
    """Minimum Bayes risk"""

    names: tuple[str, ...] = metric_option()
    segments: int | None = segment_count_option()
    scale: float | None = option(type=float, help="Weight each text by exp(scale * model score).  [default: uniform]")
    prune: int | None = number(help="Number of most probable hypotheses of a segment to use.  [default: all]")


@dataclass(kw_only=True)
class OracleOptions(MetricOptions, ReferenceFiles, RerankOptions):
    """Oracle"""

    names: tuple[str, ...] = metric_option(of_bleu=True)
    level: str = choice(
        of=["sentence", "corpus"],
        default="sentence",
        help="Choose by the BLEU of each sentence or of the corpus. corpus keeps all statistics in memory.",
    )
    worst: bool = switch(help="Choose the worst hypotheses instead of the best.")
    seed: int = seed_option()


@dataclass(kw_only=True)
class OfPerceptron:
    """Perceptron"""

    epochs: int = number(most=MOST_REPEATS, default=10, help="Maximum number of epochs.")
    folds: int = number(least=2, default=5, help="Number of folds in the cross-validation.")
    good: float = option(type=float, default=0.1, help="Share of the hypotheses of a segment that count as good.")
    bad: float = option(type=float, default=0.5, help="Share of the hypotheses of a segment that count as bad.")
    margin: float = option(type=float, default=1.0, help="Margin between the scores of good and bad hypotheses.")
    seed: int = seed_option()


@dataclass(kw_only=True)
class PerceptronOptions(OfPerceptron, MetricOptions, ReferenceFiles, RerankOptions):
    """Output"""

    list_format: str | None = None
    explain: int | None = None
    names: tuple[str, ...] = metric_option(of_bleu=True, of_sums=True)
    output_format: str = output_format_option()
    held_out: str | None = file(
        written=True, allow_dash=True, help="A file for the hypotheses chosen by the weights of the other folds."
    )


# ------------------------------------------------------------------------------------------------------------ commands


@command(LinearOptions, rerank)
def linear(given: LinearOptions) -> None:
    """Choose by a weighted sum of the features.

    If several hypotheses have the same sum, the first one is chosen.

    \b
    Examples:
      cybleu rerank linear test.nbest.gz --weights weights.txt
      cybleu rerank linear test.nbest.gz --weights moses.ini --list moses -o sorted.nbest.gz
    """
    from ..rerank import linear as by_weights
    from ..tuning import read_weights

    weights: dict[str, float] = {}
    unseen: dict[str, None] = {}

    def choose(nbest: NBest) -> Selection[str]:
        if not weights:  # numbers without names belong to the features of the list
            weights.update(read_weights(given.weights_file, nbest.names))
            unseen.update(dict.fromkeys(weights))
        # a feature that is 0 so far may not have had a name yet
        names = names_of(nbest)
        for name in names:
            unseen.pop(name, None)
        if missing := [name for name in nbest.names if name not in weights]:
            raise FeatureError(f"{given.weights_file}: has no weight for {shown(missing[0])}; use 0 to ignore it")
        return by_weights(nbest, {name: weights[name] for name in names if name in weights})

    choose_from(given, choose, Why(weights=weights))
    if unseen and given.explain is None:
        click.echo(f"cybleu: weights of features that are not in the list are ignored: {listed([*unseen])}", err=True)


@command(MbrOptions, rerank)
def mbr(given: MbrOptions) -> None:
    """Choose by minimum Bayes risk.

    For each segment, chooses the hypothesis with the best mean score against all hypotheses of the segment.

    \b
    Examples:
      cybleu rerank mbr samples.txt --format plain --size 64
      cybleu rerank mbr test.nbest.gz -m chrf --scale 1
    """
    from ..rerank import mbr as by_risk

    metric = given.metric
    if metric.reads != "text" or from_command_line("tokenize"):
        metric = replace(metric, tokenize=given.tokenize)
    if given.prune is not None and given.list_format is not None:
        raise click.UsageError("--prune leaves hypotheses out, and --list writes all of them; give one of the two")

    def choose(nbest: NBest) -> Selection[str]:
        if given.scale is None:
            return by_risk(nbest, metric=metric, prune=given.prune)
        if nbest.model_scores is None:
            raise ArrayValueError("--scale requires model scores, but this list has none")
        return by_risk(nbest, scores=nbest.model_scores, scale=given.scale, metric=metric, prune=given.prune)

    choose_from(given, choose, Why(metric=metric))


@command(OracleOptions, rerank)
def oracle(given: OracleOptions) -> None:
    """Choose the hypotheses that score best against the references.

    \b
    Examples:
      cybleu rerank oracle dev.nbest.gz dev.ref
      cybleu rerank oracle dev.nbest.gz dev.ref --level corpus --tokenize 13a
    """
    from ..nbest.references import prepare_references
    from ..rerank import CorpusSelection, antioracle
    from ..rerank import oracle as best

    metric = given.metric
    find = antioracle if given.worst else best
    if given.level == "corpus":
        if given.list_format is not None or given.explain is not None:
            raise click.UsageError("--list and --explain require --level sentence")
        selection = find(given.whole(given.references), given.level, metric, seed=given.seed)
        with opened(given.output) as write:
            write("".join(f"{one_line(text)}\n" for text in selection.texts))
        if isinstance(selection, CorpusSelection):
            score, start = (percent(number, metric.scale) for number in (selection.score, selection.start))
            click.echo(
                f"BLEU of the corpus {score:.4f}, by sentences {start:.4f}; "
                f"{counted(selection.swaps, 'swap')} in {counted(selection.passes, 'pass', 'passes')}",
                err=True,
            )
    else:
        prepared = prepare_references(given.references)
        of_all = replace(given, segments=len(prepared))
        choose_from(of_all, lambda nbest: find(nbest, given.level, metric), Why(references=prepared))
    say_same_score(given)


@command(PerceptronOptions, rerank)
def perceptron(given: PerceptronOptions) -> None:
    """Train weights for `cybleu rerank linear`.

    Uses the perceptron of Shen and Joshi (2005), which keeps features and statistics in memory. Weights of sparse
    features are written only if they are not 0.

    \b
    Examples:
      cybleu rerank perceptron dev.nbest.gz dev.ref -o weights.txt
      cybleu rerank perceptron dev.nbest.gz dev.ref --folds 10 --held-out chosen.txt -o weights.txt
    """
    from ..rerank import perceptron as train

    if given.output == given.held_out == STANDARD_STREAM:
        raise click.UsageError(
            "--output and --held-out cannot both be standard output; give a file name for one of them"
        )
    metric = given.metric
    nbest = given.whole(given.references)
    check_form(given.output_format, nbest)
    trained = train(nbest, metric=metric, progress=shows_progress(), **arguments_of(given, OfPerceptron))
    if given.held_out is not None:
        with opened(given.held_out) as write:
            write("".join(f"{one_line(text)}\n" for text in trained.held_out.texts))
    with opened(given.output) as write:
        write("".join(formatted(told(nbest, trained.weights), given.output_format)))
    score = percent(trained.score, metric.scale)
    of_folds = ", ".join(f"{percent(number, metric.scale):.2f}" for number in trained.fold_scores)
    click.echo(
        f"BLEU of held-out segments {score:.4f} after {counted(trained.epochs, 'epoch')}; of folds {of_folds}",
        err=True,
    )
    say_same_score(given)
