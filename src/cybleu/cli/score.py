"""`cybleu score`: the score of text files."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import asdict, replace
from functools import reduce
from itertools import chain
from operator import add
from typing import Any

from click import Choice, IntRange, UsageError, command, echo, option

from .. import bleu_score
from .._files.text import STANDARD_STREAM
from .._runtime.numbers import MOST_SAMPLES
from ..errors import SampleError, UnknownNameError, _printable
from ..metrics import Bleu, BleuScore, Gleu, Metric, Score
from ..metrics.counting import tokens_of
from ..metrics.operations import fields_of_texts, percent
from ..text.batches import Corpus
from .command import (
    Command,
    Files,
    Gathered,
    hypothesis_argument,
    references_argument,
    say,
    section,
    shows_progress,
)
from .options import digits_option, format_option, reference_length_option, seed_option, threads_option
from .texts import (
    SACREBLEU,
    Texts,
    count,
    method_of_segments,
    metric_section,
    metrics_option,
    metrics_with,
    text_options,
)

WHITE_SPACE = ("none", "unicode", "ascii", "space")
LINES_AT_ONCE = 1000  # that are printed
MANY = 100  # lines from which advice is given, as sacreBLEU gives it


@command("score", cls=Command, other_tools=SACREBLEU)
@hypothesis_argument
@references_argument(advice="to score standard input: cybleu score - REF")
@text_options
@metric_section(
    metrics_option(),
    reference_length_option,
    option(
        "--level",
        type=Choice(["corpus", "mean"]),
        help="For BLEU, compute the score of the corpus or the mean of the segment scores.  [default: the tool's]",
    ),
)
@section(
    "Confidence",
    option(
        "--confidence",
        is_flag=True,
        help="Add the mean and the 95 % interval of bootstrap samples, as in sacreBLEU.",
    ),
    option("--confidence-n", type=IntRange(1, MOST_SAMPLES), default=1000, help="Number of bootstrap samples."),
    seed_option,
)
@section(
    "Input and output",
    format_option("text", "json"),
    digits_option,
    option("--segments", is_flag=True, help="Print one line with the scores of each segment."),
    threads_option,
)
def score_command(
    hypothesis: str,
    references: Files,
    metric: list[str],
    reading: Gathered,
    confidence: bool,
    confidence_n: int,
    seed: int,
    form: str,
    width: int,
    segments: bool,
    threads: int,
    **options: Any,  # of the metrics
) -> None:
    """Score a text by corpus BLEU or another metric.

    Prints the score of the text in HYP against one or more references, from 0 to 100. Use `cybleu compare` for several
    systems. All files are plain UTF-8 text with one segment per line; gzip is recognised. One of them may be -, which
    means standard input. Each metric uses its tool's tokeniser; use --tokenize none for text that is already tokenised.
    If you request several metrics, an option applies to the metrics that support it.

    If pyarrow is installed, the texts may also be columns of one Parquet file, named FILE.parquet:COLUMN. A reference
    column has one reference or a list of references for each segment.

    sacreBLEU command lines run unchanged after `cybleu sacrebleu`. In `cybleu score`, HYP comes first, without -i, and
    some options have other names: -lc is --lowercase, which also applies to chrF; -tok is --tokenize, -sl is
    --segments, -w is --digits, -ci is --confidence, -f is --format, and -m chrf --chrf-word-order 2 is -m chrf++.

    \b
    Examples:
      cybleu score hypotheses.txt references.txt
      cybleu score hypotheses.txt -r references1.txt -r references2.txt -m bleu,chrf,ter
    """
    if segments and confidence and form == "text":
        raise UsageError("--segments and --confidence together require --format json")
    texts = Texts([hypothesis], references, **reading)
    metrics, blocks = count(texts, metrics_with(metric, options, has_methods=True), threads)
    methods = [method_of_segments(one.name, options) for one in metrics]
    if any(methods) and (confidence or options["level"] == "mean"):
        raise UsageError(
            f"--confidence and --level mean do not support the smoothing {options['smoothing']}, which requires the texts"
        )
    scored = [Scored(one, method, confidence or segments) for one, method in zip(metrics, methods)]
    for (corpus,), of_metrics in blocks:
        for one, (rows,) in zip(scored, of_metrics):
            one.add(corpus, rows)
    drawn = {"bs": confidence_n, "seed": seed} if confidence else {}
    results = [one.result(fields_of_texts(one.metric, one.tokenization, texts.nrefs, drawn)) for one in scored]
    intervals = [one.interval(confidence_n, seed) if confidence else None for one in scored]
    for advice in dict.fromkeys(advice for one in scored for advice in one.advice()):
        say(advice)
    files = ["standard input" if path == STANDARD_STREAM else path for path in (hypothesis, *references)]
    if form == "json":
        import json  # which most calls do not need

        found = []
        for one, result, interval in zip(scored, results, intervals):
            entries = {**one.as_object(result), "hypothesis": files[0], "references": files[1:]}
            if interval is not None:
                entries["confidence_mean"], entries["confidence_var"] = interval
            if segments:
                entries["segment_scores"] = one.segment_scores()
            found.append(entries)
        echo(json.dumps(found if len(found) > 1 else found[0]))
    elif segments:
        line = "\t".join([f"%.{width}f"] * len(scored))
        segment_scores = list(zip(*[one.segment_scores() for one in scored]))
        # in blocks, so that the command ends soon after its reader does
        for start in range(0, len(segment_scores), LINES_AT_ONCE):
            some = segment_scores[start : start + LINES_AT_ONCE]
            echo("\n".join([line % numbers for numbers in some]))
    else:
        for result, interval in zip(results, intervals):
            line = result.format(width)
            if interval is not None:
                score, mean, half = (f"{number:.{width}f}" for number in (result.percent, *interval))
                line = line.replace(f" = {score}", f" = {score} (μ = {mean} ± {half})", 1)
            echo(line)
    if form != "json":  # nothing in the texts tells which are the references
        named = f"hypotheses: {files[0]}; references: {', '.join(files[1:])}"
        say(_printable(named))


class Scored:
    """The statistics of the segments read so far by a metric, and their score.

    :param method: see :func:`method_of_segments`
    :param keeps_rows: keep the rows of all segments
    :ivar tokenization: how raw text is tokenised; None if the metric reads text
    """

    def __init__(self, metric: Metric, method: tuple[Any, Any] | None, keeps_rows: bool):
        self.metric = metric
        self.method = method
        self.tokenization = None if metric.reads == "text" else metric.tokenization
        self._keeps_rows = keeps_rows or metric.averages
        self._kept: list[Any] = []
        self._sums: list[Any] = [0] * len(metric.columns)  # of all rows so far
        self._hypotheses: list[Any] = []  # for the method
        self._references: list[Any] = []
        self._count = 0
        self._apart = 0  # lines that end with a full stop of its own
        self._attached = 0  # with one that is attached to a word

    def add(self, corpus: Corpus, rows: Any) -> None:
        """Add the rows of some segments."""
        self._count += corpus.size
        if self.metric.dtype == "float64":  # sums of fractions depend on their order
            self._sums = [reduce(add, column) for column in zip(self._sums, *rows.tolist())]
        elif not self.metric.averages:
            self._sums = [*map(add, self._sums, self.metric.total(rows))]
        if self._keeps_rows:
            self._kept.append(rows)
        if self.tokenization is None:
            return
        if self.method:
            tokens = corpus.changed_by(self.tokenization, tokens_of)
            self._hypotheses.extend(tokens.texts.lists())
            self._references.extend(tokens.sets.lists())
        if self.tokenization.own and not isinstance(self.metric, Gleu):
            apart, attached = corpus.texts.full_stops()  # type: ignore[union-attr]
            self._apart += apart
            self._attached += attached

    def rows(self) -> Any:
        """Return the rows of the segments, as a view."""
        shape = (self._count, len(self.metric.columns))
        return memoryview(b"".join(self._kept)).cast(self._kept[0].format, shape)

    def advice(self) -> Iterator[str]:
        """Yield remarks on hypotheses that look tokenised already, or not."""
        if self.tokenization is not None and self.tokenization.tokenize in WHITE_SPACE:
            if self._attached >= MANY and 2 * self._attached > self._count:
                yield (
                    f"{self._attached} lines end with a full stop that is attached to a word, so the text does not look "
                    "tokenised; use --tokenize 13a to tokenise it"
                )
        elif self._apart >= MANY:
            yield (
                f"{self._apart} lines end with ' .', so the text looks tokenised, which may hurt the score; use text "
                "that is not tokenised, or --tokenize none"
            )

    def result(self, of_texts: dict[str, Any]) -> Score:
        """Return the score.

        :param of_texts: the fields of the signature that describe what was counted
        """
        if self.method is not None:
            of_texts = {"smooth": self.method[1].__name__, **of_texts}
        metric: Any = self.metric
        signature = metric.signature.with_fields(**of_texts)
        result: Score
        if metric.averages:
            result = metric.score(self.rows(), signature=signature)
        else:
            result = metric.score_of_row(self._sums, signature)
        if self.method is not None:
            number: Any = bleu_score.corpus_bleu(self._references, self._hypotheses, *self.method)
            result = replace(result, score=number)
        return result

    def interval(self, samples: int, seed: int) -> tuple[float, float]:
        """Return the mean of bootstrap samples and half the length of their interval, from 0 to 100."""
        from .._runtime.arrays import np
        from ..significance import bootstrap, confidence

        rows = np.asarray(self.rows())
        drawn: dict[str, Any] = {"samples": samples, "seed": seed, "progress": shows_progress()}
        try:
            of_sacrebleu: Any = confidence(rows, self.metric, **drawn)
        except UnknownNameError:  # sacreBLEU has no such metric
            if self._count == 1:
                raise SampleError(
                    "there is one segment, so all samples of --confidence are equal; leave out --confidence, or give "
                    "more segments, preferably hundreds"
                ) from None
            found = bootstrap(rows, self.metric, **drawn)
            return percent(found.mean, self.metric.scale), percent(found.ci, self.metric.scale)
        return of_sacrebleu.mean, of_sacrebleu.ci

    def segment_scores(self) -> list[float]:
        """Return the scores of the segments, from 0 to 100."""
        metric = self.metric.of_sentences()
        numbers: Iterable[Any]
        if self.method:
            segments = zip(self._references, self._hypotheses)
            numbers = (bleu_score.sentence_bleu(*segment, *self.method) for segment in segments)
        elif isinstance(metric, Bleu):
            numbers = metric.evaluate_rows(self.rows())  # of all rows in one call of the kernel
        else:
            # in parts, so that Python can handle Ctrl-C between them
            numbers = map(metric.formula, chain.from_iterable(rows.tolist() for rows in self._kept))
        return [percent(float(number), self.metric.scale) for number in numbers]

    def as_object(self, result: Score) -> dict[str, Any]:
        """Return the score for JSON."""
        found = {**asdict(result), "score": result.percent, "scale": 100, "segments": self._count}
        if isinstance(result, BleuScore):
            found["precisions"] = [percent(precision, result.scale) for precision in result.precisions]
            found["ratio"] = result.ratio
        return found
