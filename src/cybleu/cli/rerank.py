"""`cybleu rerank`: n-best lists in, the chosen texts or the lists in a new order out, segment after segment."""

from __future__ import annotations

import io
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple

import click
from click.core import ParameterSource

from .._files.text import STANDARD_INPUT, listed, shown
from .._files.writing import writing, writing_all
from .._runtime.scales import counted, percent
from ..errors import ArrayValueError, InputFileError, printable
from ..metrics import Bleu
from ..text import tokenizer
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
    metric_of_lists,
    one_standard_input,
    someone_looks,
    variant,
    with_parameters,
)
from .texts import no_tokenizer

if TYPE_CHECKING:
    from ..metrics import Metric
    from ..nbest import NBest, Segment
    from ..rerank import Selection
    from ..stats import References

MOST_MISSING = 10_000_000  # segments between two that are there
AT_ONCE = 64  # segments
EXPLAINED = 3  # candidates


@click.group()
def rerank() -> None:
    """Choose from n-best lists, or train weights for it.

    NBEST is in the format of Moses, or of Joshua and cdec, is plain text with --size lines for each segment, is the output of
    fairseq, or is JSON lines. It is read as a stream, and its segments must come in the order of their ids. The output has one
    line for each segment, which is empty if the segment has no hypothesis.
    """


class Given(NamedTuple):
    """The options that all commands have, and those of the output."""

    nbest: str
    format: str | None
    size: int | None
    feature_table: str | None
    first_id: int
    split: str
    tokenize: str | None
    segments: int | None = None
    output: str = STANDARD_INPUT
    list_format: str | None = None
    explain: int | None = None

    @property
    def files(self) -> list[str | None]:
        return [self.nbest, self.feature_table]

    def stream(self) -> Iterator[Segment]:
        progress = someone_looks()
        from ..nbest import read_segments

        if self.format == "json" and (self.size is not None or self.feature_table is not None):
            raise ArrayValueError("--size and --feature-table are for the plain format")
        return read_segments(self.nbest, self.format, size=self.size, features=self.feature_table, progress=progress)

    def whole(self, references: Sequence[str]) -> NBest:
        from ..nbest import NBest

        return NBest.from_files(
            self.nbest,
            references,
            self.format,
            first_id=self.first_id,
            size=self.size,
            features=self.feature_table,
            tokenize=self.tokenize or self.split,
            progress=someone_looks(),
        )

    def splitter(self) -> Callable[[str], list[str]]:
        return tokenizer(self.tokenize or self.split)


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
OF_BLEU = with_parameters(variant("sacrebleu"), SMOOTHING)


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
            names = nbest.names if nbest.sparse is None else (*nbest.names, *nbest.sparse.names)
            for name in names:
                unseen.pop(name, None)
            return by_weights(nbest, {name: weights[name] for name in names if name in weights})

        _run(given, choose, _Why(weights=weights))
    if unseen and given.explain is None:
        click.echo(f"cybleu: there are weights of features that the list does not have: {listed([*unseen])}", err=True)


@rerank.command()
@OF_NBEST
@SEGMENT_COUNT
@OF_OUTPUT
@OF_BLEU
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

    The command chooses the hypothesis with the highest expected BLEU against all others.
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
        _run(given, choose, _Why(split=split, metric=metric))


@rerank.command()
@OF_NBEST
@click.argument("references", metavar="REF...", nargs=-1, required=True, type=FILE)
@OF_OUTPUT
@OF_BLEU
@click.option(
    "--level",
    type=click.Choice(["sentence", "corpus"]),
    default="sentence",
    show_default=True,
    help="Choose by the BLEU of each sentence, or of the corpus, which needs all statistics in memory.",
)
@click.option("--worst", is_flag=True, help="Choose the worst instead of the best.")
@click.option(
    "--seed", type=int, default=0, show_default=True, help="Seed of the order in which --level corpus tries exchanges."
)
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

    metric = metric_of_lists(variant, smoothing, level == "corpus")
    given = _given(options)
    one_standard_input(*given.files, *references)
    check_outputs([given.output], [*given.files, *references])
    find = choices.antioracle if worst else choices.oracle
    with input_errors():
        if level == "corpus":
            if given.list_format is not None or given.explain is not None:
                raise click.UsageError("--list and --explain are for --level sentence")
            selection = find(given.whole(references), level, metric, seed=seed)
            with _output(given.output) as write:
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
        why = _Why(split=split, references=prepared, first_id=given.first_id)
        _run(given._replace(segments=len(prepared)), lambda nbest: find(nbest, level, metric), why)


@rerank.command()
@OF_NBEST
@click.argument("references", metavar="REF...", nargs=-1, required=True, type=FILE)
@OF_BLEU
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
@click.option("--epochs", type=click.IntRange(1), default=10, show_default=True, help="Largest number of epochs.")
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
@click.option("--seed", type=int, default=0, show_default=True, help="Seed of the folds and of the order of segments.")
def perceptron(
    references: tuple[str, ...],
    variant: str,
    smoothing: str | None,
    output: str,
    held_out: str | None,
    epochs: int,
    folds: int,
    good: float,
    bad: float,
    margin: float,
    seed: int,
    **options: Any,
) -> None:
    """Train weights for `cybleu rerank linear`.

    The method is the perceptron of Shen and Joshi (2005). It holds features and statistics in memory.

    Of sparse features it writes the weights that are not 0.
    """
    from ..rerank import perceptron as train

    metric = metric_of_lists(variant, smoothing)
    given = _given(options)
    one_standard_input(*given.files, *references)
    if output == held_out == STANDARD_INPUT:
        raise click.UsageError(
            "the weights and the texts of --held-out would be mixed; give --output or --held-out a file"
        )
    check_outputs([output, held_out], [*given.files, *references])
    with input_errors():
        nbest = given.whole(references)
        trained = train(
            nbest,
            good=good,
            bad=bad,
            margin=margin,
            epochs=epochs,
            folds=folds,
            seed=seed,
            metric=metric,
            progress=someone_looks(),
        )
        dense = set(nbest.names)
        weights = {name: weight for name, weight in trained.weights.items() if weight or name in dense}
        results = [(output, [f"{name} {weight!r}\n" for name, weight in weights.items()])]
        if held_out is not None:
            results.append((held_out, [f"{text}\n" for text in trained.held_out.texts]))
        with writing_all(*(path for path, _ in results if path != STANDARD_INPUT)) as opened:
            files = iter(opened)
            for path, lines in results:
                with _output(path) if path == STANDARD_INPUT else nullcontext(next(files).write) as write:
                    write("".join(lines))
    score = percent(trained.score, metric.scale)
    of_folds = ", ".join(f"{percent(number, metric.scale):.2f}" for number in trained.fold_scores)
    click.echo(
        f"BLEU of held-out segments {score:.4f} after {counted(trained.epochs, 'epoch')}; of folds {of_folds}",
        err=True,
    )


# -------------------------------------------------------------------------------------------------------------- stream


class _Why(NamedTuple):
    """What --explain can tell of a command."""

    weights: dict[str, float] | None = None
    split: Callable[[str], list[str]] | None = None
    metric: Metric | None = None  # of minimum Bayes risk
    references: References | None = None
    first_id: int = 0

    def stats(self, segments: Sequence[Segment]) -> Any:
        """The statistics of the hypotheses of some segments, or nothing in their place."""
        from .._runtime.arrays import np

        texts = [text for segment in segments for text in segment.texts]
        if self.references is None or self.split is None:
            return np.zeros((len(texts), 1))
        for segment in segments:
            if not 0 <= segment.id - self.first_id < len(self.references):
                raise InputFileError(
                    f"the id {segment.id} is not of one of the {len(self.references)} segments of the references, which "
                    f"begin at {self.first_id}; --first-id tells where they begin"
                )
        owners = [segment.id - self.first_id for segment in segments for _ in segment.texts]
        return self.references.stats([self.split(text) for text in texts], owners)


def _run(given: Given, choose: Callable[[NBest], Selection[str]], why: _Why) -> None:
    stream = _in_order(given)
    if given.explain is not None:
        found = next((segment for segment in stream if segment.id == given.explain), None)
        if found is None:
            raise ArrayValueError(f"there is no segment {given.explain} in the list")
        nbest = _nbest([found], why)
        explanation = _explanation(nbest, choose(nbest), why)
        click.echo(printable(explanation, len(explanation)))
        return
    expected = given.first_id
    missing = 0
    with _output(given.output) as write:
        while batch := list(islice(stream, AT_ONCE)):
            if batch[-1].names != batch[0].names or any(segment.sparse for segment in batch):
                groups = [[segment] for segment in batch]
            else:
                groups = [batch]
            for group in groups:
                nbest = _nbest(group, why)
                selection = choose(nbest)
                if given.list_format is not None:
                    _write_list(nbest, selection, given.list_format, write)
                    continue
                for segment, text in zip(group, selection.texts):
                    if segment.id - expected > MOST_MISSING:
                        raise InputFileError(
                            f"{given.nbest}: the segment {segment.id} comes where {expected} should; an empty line for each "
                            "between them would fill the disk. --first-id tells where ids begin"
                        )
                    missing += segment.id - expected
                    write("\n" * (segment.id - expected) + _one_line(text, segment) + "\n")
                    expected = segment.id + 1
        if given.segments is not None and given.list_format is None:
            last = given.first_id + given.segments
            if last - expected > MOST_MISSING:
                raise InputFileError(
                    f"--segment-count {given.segments}: {last - expected} of them would come after the last one of the list; an "
                    "empty line for each would fill the disk"
                )
            missing += last - expected
            write("\n" * (last - expected))
    if missing:
        click.echo(f"cybleu: segments without a hypothesis: {missing}; an empty line stands for each", err=True)


def _in_order(given: Given) -> Iterator[Segment]:
    last = given.first_id - 1
    for segment in given.stream():
        if segment.id <= last:
            reason = f"begin at {given.first_id}; give --first-id" if last < given.first_id else "must ascend; sort it"
            raise InputFileError(f"{given.nbest}: the segment {segment.id} comes after {last}, and ids {reason}")
        if not segment.texts:
            continue
        last = segment.id
        if given.segments is not None and last >= given.first_id + given.segments:
            raise InputFileError(
                f"{given.nbest}: has the segment {last}, and there are {given.segments} from {given.first_id} on; "
                "--first-id tells where they begin"
            )
        yield segment


def _nbest(group: Sequence[Segment], why: _Why) -> NBest:
    from .._runtime.arrays import np
    from ..nbest import NBest

    first = group[0]
    known = [segment.model_scores for segment in group if segment.model_scores is not None]
    return NBest(
        np.cumsum([0, *(len(segment.texts) for segment in group)]),
        first.features if len(group) == 1 else np.concatenate([segment.features for segment in group]),
        why.stats(group),
        first.names,
        [text for segment in group for text in segment.texts],
        sparse=first.sparse if len(group) == 1 else None,
        ids=[segment.id for segment in group],
        model_scores=np.concatenate(known) if len(known) == len(group) else None,
    )


def _write_list(nbest: NBest, selection: Selection[str], list_format: str, write: Callable[[str], Any]) -> None:
    from ..nbest import nbest_lines

    ordered = selection.best_first()
    if list_format == "plain":
        for text in ordered.texts or ():
            write(_one_line(text, None) + "\n")
        return
    for line in nbest_lines(ordered, list_format):
        write(line)


def _one_line(text: str, segment: Segment | None) -> str:
    if "\n" in text:
        where = f" of segment {segment.id}" if segment else ""
        raise ArrayValueError(f"a text{where} has a line break, and a line is a segment: {shown(text)}")
    return text


@contextmanager
def _output(path: str) -> Iterator[Callable[[str], Any]]:
    if path == STANDARD_INPUT:
        if sys.stdout is None:
            raise InputFileError("standard output: is closed")
        stream = io.TextIOWrapper(sys.stdout.buffer, encoding="utf-8", newline="\n")
        try:
            yield stream.write
        finally:
            stream.detach()  # flushes, and leaves standard output open unless that fails
        return
    with writing(path) as file:
        yield file.write


def _explanation(nbest: NBest, selection: Selection[str], why: _Why) -> str:
    """The first candidates of one segment with what speaks for them."""
    from ..pairwise import pairwise_bleu
    from ..stats import segment_stats

    lines = [f"segment {nbest.ids[0]}: {counted(len(nbest.features), 'hypothesis', 'hypotheses')}"]
    texts = nbest.texts or []
    order = selection.ranked()[:EXPLAINED].tolist()
    for place, row in enumerate(order, 1):
        lines.append(f"{place}. hypothesis {row}, score {selection.scores[row]:.6g}: {texts[row]}")
        if why.weights is not None:
            terms = [
                (why.weights[name] * value, name, value)
                for name, value in zip(nbest.names, nbest.features[row].tolist())
            ]
            if nbest.sparse is not None:
                found = slice(nbest.sparse.indptr[row], nbest.sparse.indptr[row + 1])
                for column, value in zip(nbest.sparse.columns[found].tolist(), nbest.sparse.values[found].tolist()):
                    name = nbest.sparse.names[column]
                    terms.append((why.weights.get(name, 0.0) * value, name, value))
            for term, name, value in sorted(terms, key=lambda entry: -abs(entry[0])):
                lines.append(f"   {term:+.6g} = {why.weights.get(name, 0.0):g} * {value:g} {name}")
        elif why.references is not None:
            lines.append(f"   {_matches(nbest.stats[row].tolist())}")
        elif why.metric is not None and why.split is not None:
            metric = why.metric
            tokens = texts if metric.of_raw_text else [why.split(text) for text in texts]
            alike = percent(pairwise_bleu(tokens, [tokens[row]], metric=metric)[0], metric.scale)
            nearest = sorted((i for i in range(len(texts)) if i != row), key=lambda i: -alike[i])[:EXPLAINED]
            for other in nearest:
                of_bleu = isinstance(metric, Bleu)
                line = f"   {'BLEU' if of_bleu else metric.name} {alike[other]:.1f} with hypothesis {other}"
                if of_bleu:
                    line += f": {_matches(segment_stats([[tokens[other]]], [tokens[row]])[0].tolist())}"
                lines.append(line)
    return "\n".join(lines)


def _matches(row: list[int]) -> str:
    order = len(row) // 2 - 1
    orders = " ".join(f"{matched}/{total}" for matched, total in zip(row[2 : 2 + order], row[2 + order :]))
    return f"matched n-grams {orders}, length {row[0]} against {row[1]}"
