"""`cybleu rerank`: n-best lists in, the chosen texts or the lists in a new order out."""

from __future__ import annotations

from contextlib import nullcontext
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from .._files.text import STANDARD_INPUT, listed
from .._files.writing import writing_all
from .._runtime.samples import MOST_REPEATS
from .._runtime.scales import counted, percent
from ..errors import ArrayValueError
from .choosing import Given, Why, choose_from, opened
from .common import (
    FEATURE_TABLE,
    FILE,
    FIRST_ID,
    SIZE,
    SMOOTHING,
    SPLIT,
    TOKENIZE,
    check_outputs,
    check_size,
    input_errors,
    metric_of,
    of_bleu,
    of_sums,
    of_sums_of_bleu,
    one_standard_input,
    someone_looks,
    taken,
    variant,
    with_parameters,
)
from .lists import SEED, names_of, told
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
    click.option(
        "--format",
        type=click.Choice(["moses", "joshua", "plain", "fairseq", "json"]),
        help="The format of NBEST.  [default: moses or joshua, as its first lines look]",
    ),
    SIZE,
    FEATURE_TABLE,
    FIRST_ID,
    SPLIT,
    TOKENIZE,
)
SEGMENT_COUNT = click.option(
    "--segment-count",
    "segments",
    metavar="N",
    type=click.IntRange(0),
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
    click.option(
        "--list",
        "list_format",
        type=click.Choice(["moses", "joshua", "plain"]),
        help="Write the whole list in its new order, in this format, and not one text for each segment.",
    ),
    click.option(
        "--explain",
        type=click.IntRange(0),
        metavar="ID",
        help="Write only why the first candidates of this segment come first.",
    ),
)


def _given(options: dict[str, Any]) -> Given:
    given = Given(**options)
    check_size(given.format, given.size)
    return given


# ------------------------------------------------------------------------------------------------------------ commands


@rerank.command()
@OF_NBEST
@SEGMENT_COUNT
@OF_OUTPUT
@click.option(
    "--weights",
    "weights_file",
    metavar="FILE",
    type=FILE,
    required=True,
    help="A feature and its weight in each line: `lm 0.5`, `lm=0.5`, or `lm= 0.5 0.2` as Moses writes them.",
)
def linear(weights_file: str, **options: Any) -> None:
    """Choose by a weighted sum of the features.

    Of hypotheses with equal sums, the first is chosen.
    """
    from ..rerank import linear as by_weights

    given = _given(options)
    check_outputs([given.output], [*given.files, weights_file])
    with input_errors():
        from ..tuning import read_weights

        weights = read_weights(weights_file)
        unseen = dict.fromkeys(weights)

        def choose(nbest: NBest) -> Selection[str]:
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
@click.option(
    "--scale", type=float, help="Weigh texts by exp(this times their score in the list).  [default: all alike]"
)
@click.option(
    "--utility",
    type=click.Choice(["metric", "expected-counts", "linear"]),
    default="metric",
    show_default=True,
    help="What is expected: exactly the BLEU of --variant, or an approximation (DeNero 2009, Tromble 2008).",
)
@click.option(
    "--prune",
    type=click.IntRange(1),
    help="How many hypotheses of a segment count, the most probable ones.  [default: all]",
)
def mbr(
    variant: str, smoothing: str | None, scale: float | None, utility: str, prune: int | None, **options: Any
) -> None:
    """Choose by minimum Bayes risk.

    Of each segment, the hypothesis is chosen whose mean BLEU against all texts of its list is highest.
    """
    from ..rerank import mbr as by_risk

    metric = metric_of(variant, smoothing)
    given = _given(options)
    source = click.get_current_context().get_parameter_source
    if utility != "metric" and (smoothing or source("variant") is not ParameterSource.DEFAULT):
        raise click.UsageError(f"--utility {utility} takes no --variant and no --smoothing")
    if metric.of_raw_text:
        no_tokenizer(metric, given.tokenize, None if source("split") is ParameterSource.DEFAULT else given.split)
    check_outputs([given.output], given.files)
    if prune is not None and given.list_format is not None:
        raise click.UsageError("--prune leaves hypotheses out, and --list writes all of them; give one of the two")

    def choose(nbest: NBest) -> Selection[str]:
        if scale is not None and nbest.model_scores is None:
            raise ArrayValueError("--scale needs the scores of a list, and this one has none")
        return by_risk(
            nbest,
            scores=None if scale is None else nbest.model_scores,
            scale=1.0 if scale is None else scale,
            utility=utility,
            metric=metric,
            prune=prune,
            tokenize=None if metric.of_raw_text else split,
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
@click.option(
    "--level",
    type=click.Choice(["sentence", "corpus"]),
    default="sentence",
    show_default=True,
    help="Choose by the BLEU of each sentence, or of the corpus, which needs all statistics in memory.",
)
@click.option("--worst", is_flag=True, help="Choose the worst instead of the best.")
@SEED
def oracle(
    references: tuple[str, ...],
    variant: str,
    smoothing: str | None,
    level: str,
    worst: bool,
    seed: int,
    **options: Any,
) -> None:
    """Choose what scores best against the references."""
    from .. import rerank as choices
    from ..nbest import prepare_references

    metric = metric_of(variant, smoothing)
    reason = of_sums(metric) if level == "corpus" else None
    if reason is not None:
        raise click.UsageError(reason.format(variant))
    given = _given(options)
    one_standard_input(*given.files, *references)
    check_outputs([given.output], [*given.files, *references])
    find = choices.antioracle if worst else choices.oracle
    with input_errors():
        if level == "corpus":
            if given.list_format is not None or given.explain is not None:
                raise click.UsageError("--list and --explain are for --level sentence")
            selection = find(given.whole(references), level, metric, seed=seed)
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
        prepared = prepare_references(list(references), split)
        why = Why(split=split, references=prepared, first_id=given.first_id)
        choose_from(given._replace(segments=len(prepared)), lambda nbest: find(nbest, level, metric), why)


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
@click.option(
    "--held-out",
    metavar="FILE",
    type=FILE,
    help="Write to this file what the weights of the other folds choose from each segment.",
)
@click.option(
    "--epochs", type=click.IntRange(1, MOST_REPEATS), default=10, show_default=True, help="Largest number of epochs."
)
@click.option(
    "--folds", type=click.IntRange(2), default=5, show_default=True, help="Number of parts in the cross-validation."
)
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
def perceptron(
    references: tuple[str, ...],
    variant: str,
    smoothing: str | None,
    held_out: str | None,
    **options: Any,
) -> None:
    """Train weights for `cybleu rerank linear`.

    The method is the perceptron of Shen and Joshi (2005). It holds features and statistics in memory.

    Of sparse features it writes the weights that are not 0.
    """
    from ..rerank import perceptron as train

    metric = metric_of(variant, smoothing)
    given = _given(taken(Given, options)._asdict())
    one_standard_input(*given.files, *references)
    if given.output == held_out == STANDARD_INPUT:
        raise click.UsageError(
            "the weights and the texts of --held-out would be mixed; give --output or --held-out a file"
        )
    check_outputs([given.output, held_out], [*given.files, *references])
    with input_errors():
        nbest = given.whole(references)
        trained = train(nbest, metric=metric, progress=someone_looks(), **options)
        results = [(given.output, [f"{name} {weight!r}\n" for name, weight in told(nbest, trained.weights).items()])]
        if held_out is not None:
            results.append((held_out, [f"{text}\n" for text in trained.held_out.texts]))
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
