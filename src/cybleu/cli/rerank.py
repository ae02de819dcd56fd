"""`cybleu rerank`: n-best lists in, the chosen texts or the lists in a new order out."""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import click

from .._files.text import STANDARD_INPUT, listed
from .._files.weights import formatted
from .._files.writing import writing_all
from .._runtime.samples import MOST_REPEATS
from .._runtime.scales import counted, percent
from ..errors import ArrayValueError
from .choosing import RerankOptions, Why, choose_from, opened
from .common import (
    FEATURE_TABLE,
    FILE,
    FIRST_ID,
    SIZE,
    SMOOTHING,
    TOKENIZE,
    as_options,
    check_outputs,
    check_size,
    choice_option,
    file_option,
    from_command_line,
    input_errors,
    metric_of,
    number_option,
    of_bleu,
    of_sums,
    of_sums_of_bleu,
    one_standard_input,
    stderr_is_tty,
    variant,
    with_parameters,
)
from .lists import OUTPUT_FORMAT, SEED, check_form, names_of, told
from .texts import no_tokenizer

if TYPE_CHECKING:
    from ..nbest import NBest
    from ..rerank import Selection


@click.group()
def rerank() -> None:
    """Choose from n-best lists, or train weights for it.

    NBEST is in the format of Moses, or of Joshua and cdec, is plain text with --size lines for each segment, is the output of
    fairseq, or is JSON lines. It is read as a stream, and its segments must come in the order of their ids. The output has one
    line for each segment, which is empty if the segment has no hypothesis.
    """


OF_NBEST = with_parameters(
    click.argument("nbest", metavar="NBEST", type=FILE),
    choice_option(
        "--format",
        of=["moses", "joshua", "plain", "fairseq", "json"],
        help="The format of NBEST.  [default: moses or joshua, as its first lines look]",
    ),
    SIZE,
    FEATURE_TABLE,
    FIRST_ID,
    TOKENIZE,
)
SEGMENT_COUNT = number_option(
    "--segment-count",
    "segments",
    least=0,
    metavar="N",
    help="How many segments there are, if the last ones may have no hypothesis.",
)
OF_OUTPUT = with_parameters(
    click.option(
        "--output",
        "-o",
        metavar="FILE",
        type=FILE,
        default=STANDARD_INPUT,
        help="Write to this file; .gz compresses.  [default: standard output]",
    ),
    choice_option(
        "--list",
        "list_format",
        of=["moses", "joshua", "plain"],
        help="Write the whole list in its new order, in this format, and not one text for each segment.",
    ),
    number_option(
        "--explain", least=0, metavar="ID", help="Write only why the first candidates of this segment come first."
    ),
)


@dataclass(frozen=True, kw_only=True)
class LinearOptions(RerankOptions):
    weights_file: str


@dataclass(frozen=True, kw_only=True)
class MbrOptions(RerankOptions):
    variant: str
    smoothing: str | None
    scale: float | None
    prune: int | None


@dataclass(frozen=True, kw_only=True)
class OracleOptions(RerankOptions):
    references: tuple[str, ...]
    variant: str
    smoothing: str | None
    level: str
    worst: bool
    seed: int


@dataclass(frozen=True, kw_only=True)
class PerceptronOptions(RerankOptions):
    references: tuple[str, ...]
    variant: str
    smoothing: str | None
    output_format: str
    held_out: str | None
    epochs: int
    folds: int
    good: float
    bad: float
    margin: float
    seed: int


# ------------------------------------------------------------------------------------------------------------ commands


@rerank.command()
@OF_NBEST
@SEGMENT_COUNT
@OF_OUTPUT
@file_option(
    "--weights",
    "weights_file",
    required=True,
    help="A feature and its weight in each line: `lm 0.5`, `lm=0.5`, or `lm= 0.5 0.2` as Moses writes them; or another file of Moses.",
)
@as_options(LinearOptions)
def linear(given: LinearOptions) -> None:
    """Choose by a weighted sum of the features.

    Of hypotheses with equal sums, the first is chosen.
    """
    from ..rerank import linear as by_weights

    check_size(given.format, given.size)
    check_outputs([given.output], [*given.files, given.weights_file])
    with input_errors():
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
            return by_weights(nbest, {name: weights[name] for name in names if name in weights})

        choose_from(given, choose, Why(weights=weights))
    if unseen and given.explain is None:
        click.echo(f"cybleu: there are weights of features that the list does not have: {listed([*unseen])}", err=True)


@rerank.command()
@OF_NBEST
@SEGMENT_COUNT
@OF_OUTPUT
@variant("sacrebleu")
@SMOOTHING
@click.option("--scale", type=float, help="Weigh texts by exp(this times their score in the list).  [default: uniform]")
@number_option("--prune", help="How many hypotheses of a segment count, the most probable ones.  [default: all]")
@as_options(MbrOptions)
def mbr(given: MbrOptions) -> None:
    """Choose by minimum Bayes risk.

    Of each segment, the hypothesis is chosen whose mean BLEU against all texts of its list is highest.
    """
    from ..rerank import mbr as by_risk

    metric = metric_of(given.variant, given.smoothing)
    check_size(given.format, given.size)
    if metric.reads == "text":
        no_tokenizer(metric, given.tokenize if from_command_line("tokenize") else None)
    check_outputs([given.output], given.files)
    if given.prune is not None and given.list_format is not None:
        raise click.UsageError("--prune leaves hypotheses out, and --list writes all of them; give one of the two")

    def choose(nbest: NBest) -> Selection[str]:
        if given.scale is not None and nbest.model_scores is None:
            raise ArrayValueError("--scale needs the scores of a list, and this one has none")
        return by_risk(
            nbest,
            scores=None if given.scale is None else nbest.model_scores,
            scale=1.0 if given.scale is None else given.scale,
            metric=metric if metric.reads == "text" else metric.with_choices(tokenize=split),
            prune=given.prune,
        )

    with input_errors():
        split = given.splitter()
        choose_from(given, choose, Why(split=split, metric=metric))


@rerank.command()
@OF_NBEST
@click.argument("references", metavar="REF...", nargs=-1, required=True, type=FILE)
@OF_OUTPUT
@variant("sacrebleu", of_bleu)
@SMOOTHING
@choice_option(
    "--level",
    of=["sentence", "corpus"],
    default="sentence",
    help="Choose by the BLEU of each sentence, or of the corpus, which needs all statistics in memory.",
)
@click.option("--worst", is_flag=True, help="Choose the worst instead of the best.")
@SEED
@as_options(OracleOptions)
def oracle(given: OracleOptions) -> None:
    """Choose what scores best against the references."""
    from .. import rerank as choices
    from ..nbest.references import prepare_references

    metric = metric_of(given.variant, given.smoothing)
    reason = of_sums(metric) if given.level == "corpus" else None
    if reason is not None:
        raise click.UsageError(reason.format(given.variant))
    check_size(given.format, given.size)
    one_standard_input(*given.files, *given.references)
    check_outputs([given.output], [*given.files, *given.references])
    find = choices.antioracle if given.worst else choices.oracle
    with input_errors():
        if given.level == "corpus":
            if given.list_format is not None or given.explain is not None:
                raise click.UsageError("--list and --explain are for --level sentence")
            selection = find(given.whole(given.references), given.level, metric, seed=given.seed)
            with opened(given.output) as write:
                for text in selection.texts:
                    write(f"{text}\n")
            if isinstance(selection, choices.CorpusSelection):
                score, start = (percent(number, metric.scale) for number in (selection.score, selection.start))
                click.echo(
                    f"BLEU of the corpus {score:.4f}, by sentences {start:.4f}; "
                    f"{counted(selection.swaps, 'swap')} in {counted(selection.passes, 'pass', 'passes')}",
                    err=True,
                )
            return
        split = given.splitter()
        prepared = prepare_references(list(given.references), split)
        why = Why(split=split, references=prepared, first_id=given.first_id)
        choose_from(replace(given, segments=len(prepared)), lambda nbest: find(nbest, given.level, metric), why)


@rerank.command()
@OF_NBEST
@click.argument("references", metavar="REF...", nargs=-1, required=True, type=FILE)
@variant("sacrebleu", of_sums_of_bleu)
@SMOOTHING
@click.option(
    "--output",
    "-o",
    metavar="FILE",
    type=FILE,
    default=STANDARD_INPUT,
    help="Write the weights to this file.  [default: standard output]",
)
@OUTPUT_FORMAT
@file_option("--held-out", help="Write to this file what the weights of the other folds choose from each segment.")
@number_option("--epochs", most=MOST_REPEATS, default=10, help="Largest number of epochs.")
@number_option("--folds", least=2, default=5, help="Number of parts in the cross-validation.")
@click.option(
    "--good",
    type=float,
    default=0.1,
    show_default=True,
    help="Share of the hypotheses of a segment that count as good.",
)
@click.option(
    "--bad", type=float, default=0.5, show_default=True, help="Share of the hypotheses of a segment that count as bad."
)
@click.option(
    "--margin", type=float, default=1.0, show_default=True, help="How far good hypotheses should be above bad ones."
)
@SEED
@as_options(PerceptronOptions)
def perceptron(given: PerceptronOptions) -> None:
    """Train weights for `cybleu rerank linear`.

    The method is the perceptron of Shen and Joshi (2005). It holds features and statistics in memory.

    Of sparse features it writes the weights that are not 0.
    """
    from ..rerank import perceptron as train

    metric = metric_of(given.variant, given.smoothing)
    check_size(given.format, given.size)
    one_standard_input(*given.files, *given.references)
    if given.output == given.held_out == STANDARD_INPUT:
        raise click.UsageError(
            "the weights and the texts of --held-out would be mixed; give --output or --held-out a file"
        )
    check_outputs([given.output, given.held_out], [*given.files, *given.references])
    with input_errors():
        nbest = given.whole(given.references)
        check_form(given.output_format, nbest)
        trained = train(
            nbest,
            metric=metric,
            epochs=given.epochs,
            folds=given.folds,
            good=given.good,
            bad=given.bad,
            margin=given.margin,
            seed=given.seed,
            progress=stderr_is_tty(),
        )
        results = [(given.output, formatted(told(nbest, trained.weights), given.output_format))]
        if given.held_out is not None:
            results.append((given.held_out, [f"{text}\n" for text in trained.held_out.texts]))
        with writing_all(*(path for path, _ in results if path != STANDARD_INPUT)) as written:
            files = iter(written)
            for path, lines in results:
                with opened(path) if path == STANDARD_INPUT else nullcontext(next(files).write) as write:
                    write("".join(lines))
    score = percent(trained.score, metric.scale)
    of_folds = ", ".join(f"{percent(number, metric.scale):.2f}" for number in trained.fold_scores)
    click.echo(
        f"BLEU of held-out segments {score:.4f} after {counted(trained.epochs, 'epoch')}; of folds {of_folds}",
        err=True,
    )
