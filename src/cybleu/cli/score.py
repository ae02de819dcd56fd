"""`cybleu score`: the score of text files."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, replace
from typing import Any

import click

from .. import __version__, bleu_score
from .._files.text import STANDARD_INPUT
from .._runtime.samples import MOST_SAMPLES
from .._runtime.scales import percent
from ..errors import UnknownNameError, _printable
from ..metrics import Bleu, BleuScore, Gleu, Metric, Score
from ..metrics.bleu import MeanOfSegments
from ..metrics.tokens import tokenised
from ..text.batches import Corpus
from .common import (
    References,
    digits_option,
    format_option,
    input_errors,
    metrics_option,
    need_standard_output,
    reference_length_option,
    references_argument,
    references_option,
    seed_option,
    stderr_is_tty,
    threads_option,
)
from .counting import Counting
from .given import argument, choice, command, number, switch
from .texts import TextOptions, no_tokenizer

WHITE_SPACE = ("none", "unicode", "ascii", "space")
MANY = 100  # lines from which advice is given, as sacreBLEU gives it


@dataclass(frozen=True, kw_only=True)
class BleuOptions(TextOptions):
    """Metric"""

    reference_length: str | None = reference_length_option()
    level: str | None = choice(
        of=["corpus", "mean"],
        help="Of BLEU: the score of the corpus, or the mean of the scores of its segments.  [default: that of the tool]",
    )


@dataclass(frozen=True, kw_only=True)
class SampleOptions:
    """Confidence"""

    confidence: bool = switch(help="Add the mean and the 95 % interval of bootstrap samples, as sacreBLEU does.")
    confidence_n: int = number(most=MOST_SAMPLES, default=1000, help="How many bootstrap samples are drawn.")
    seed: int = seed_option()


@dataclass(frozen=True, kw_only=True)
class ScoreOptions(References, SampleOptions, BleuOptions):
    """Input and output"""

    hypothesis: str = argument("HYP")
    references: tuple[str, ...] = references_argument()
    other_references: tuple[str, ...] = references_option()
    variants: tuple[str, ...] = metrics_option()
    format: str = format_option("text", "json")
    digits: int = digits_option()
    segments: bool = switch(help="Print the scores of each segment on a line.")
    threads: int = threads_option()

    @property
    def names(self) -> list[str]:
        """The names of the files of hypotheses and references, for output."""
        paths = self.hypothesis, *self.references
        return ["standard input" if path == STANDARD_INPUT else path for path in paths]

    def metric_and_method(self) -> tuple[Metric, str | None]:
        metric, method = super().metric_and_method()
        no_tokenizer(metric, self.tokenize)
        if self.reference_length is not None:
            if not isinstance(metric, Bleu):
                raise click.UsageError(f"--reference-length is of BLEU, and the metric is {metric.name}")
            metric = metric.with_choices(reference_length=self.reference_length)
        if self.level is not None:
            if not isinstance(metric, Bleu) or (method and self.level == "mean"):
                what = f"the smoothing is {method}" if method else f"the metric is {metric.name}"
                raise click.UsageError(f"--level is of metrics of BLEU, and {what}")
            metric = metric.with_choices(level=self.level)
        return self.reading(metric), method


@command(ScoreOptions)
def score(given: ScoreOptions) -> None:
    """Score a text by corpus BLEU or another metric.

    Prints the score of the text in HYP against one or more references, from 0 to 100. All files are plain UTF-8 text with one
    segment on each line, and gzip is recognised. One of them may be -, which is standard input. The text is tokenised as the
    tool of the metric does it; --tokenize none is for text that is already tokenised. With several metrics, an option that only
    some of them have is for these.

    If pyarrow is installed, the texts may also be columns of one Parquet file, named FILE.parquet:COLUMN. A column of
    references has one reference for each segment, or a list of them.

    \b
    Examples:
      cybleu score hypotheses.txt references.txt
      cybleu score hypotheses.txt -r references1.txt -r references2.txt -m bleu,chrf,ter
    """
    need_standard_output()
    with input_errors():
        corpora = [_Corpus(one) for one in given.each()]
        texts = corpora[0].given.texts([given.hypothesis], given.references)
        counting = Counting(texts, [corpus.metric for corpus in corpora], given.threads)
        for corpus, metric in zip(corpora, counting.metrics):
            corpus.metric = metric
        for block in counting:
            for corpus, (rows,) in zip(corpora, block.rows):
                corpus.add(block.corpora[0], rows)
        results = [corpus.result(texts.references()) for corpus in corpora]
    for advice in dict.fromkeys(advice for corpus in corpora for advice in corpus.advice()):
        click.echo(f"cybleu: {advice}", err=True)
    if given.format == "json":
        objects = [corpus.as_object(result, given.segments) for corpus, result in zip(corpora, results)]
        click.echo(json.dumps(objects if len(objects) > 1 else objects[0]))
    elif given.segments:
        for numbers in zip(*(corpus.percents for corpus in corpora)):
            click.echo("\t".join(f"{number:.{given.digits}f}" for number in numbers))
    else:
        for corpus, result in zip(corpora, results):
            click.echo(corpus.as_line(result))
    if given.format != "json":  # nothing in the texts tells which are the references
        named = f"hypotheses: {given.names[0]}; references: {', '.join(given.names[1:])}"
        click.echo(f"cybleu: {_printable(named)}", err=True)


class _Corpus:
    """The statistics of the segments read so far by a metric, and how to score them."""

    def __init__(self, given: ScoreOptions):
        self.given = given
        self.metric, self.method = given.metric_and_method()
        if self.method and given.confidence:
            raise click.UsageError(
                f"--confidence scores sums of counts, and the smoothing {self.method} needs the texts"
            )
        self.row = [0] * len(self.metric.columns)
        self.count = 0
        self.apart = self.joined = 0  # lines that end with a full stop of its own, with one that a word has
        self.mean: MeanOfSegments | None = None
        self.rows: list[list[Any]] = []  # of each segment, if they are needed again
        self.tokens: tuple[list[Any], list[Any]] = [], []  # for a smoothing that needs the texts
        self.interval: tuple[float, float] | None = None  # the mean of samples and half the length of their interval
        if isinstance(self.metric, Bleu) and self.metric.level == "mean":
            self.mean = MeanOfSegments(self.metric)

    def add(self, corpus: Corpus, rows: Any) -> None:
        """Add the rows of some segments."""
        if self.mean is not None:
            self.mean.add(rows)
        elif self.metric.dtype == "float64":  # sums of fractions depend on their order
            for row in rows.tolist():
                self.row = [total + count for total, count in zip(self.row, row, strict=True)]
        else:
            total = self.metric.total(rows)
            self.row = self.metric.total([self.row, total]) if self.count else total
        self.count += corpus.size
        if self.given.confidence or self.given.segments:
            self.rows += rows.tolist()
        if self.method:
            tokens = tokenised(corpus, self.given.raw)
            self.tokens[0].extend(tokens.sets.lists())
            self.tokens[1].extend(tokens.texts.lists())
        if self.metric.reads != "text" and self.given.raw.own and not isinstance(self.metric, Gleu):
            apart, joined = corpus.texts.lines.full_stops()  # type: ignore[union-attr]
            self.apart, self.joined = self.apart + apart, self.joined + joined

    def advice(self) -> Iterator[str]:
        """What to say of hypotheses that look tokenised already, or not."""
        if self.given.tokenizer in WHITE_SPACE:
            if self.joined >= MANY and 2 * self.joined > self.count:
                yield (
                    f"{self.joined} lines end with a full stop that is part of a word here, so the text looks as if it were "
                    "not tokenised; --tokenize 13a tokenises it"
                )
        elif self.apart >= MANY:
            yield (
                f"{self.apart} lines end with ' .', so the text looks tokenised, which may hurt the score; give text that is "
                "not, or --tokenize none"
            )

    def result(self, references: str) -> Score:
        """The score, with a signature that says what was counted.

        :param references: how many references a segment has
        """
        found, given = self.score(), self.given
        samples = f"|bs:{given.confidence_n}|seed:{given.seed}" if given.confidence else ""
        if given.confidence:
            self.interval = self._interval()
        described = f"nrefs:{references}{samples}{given.described(self.metric)}|version:{__version__}"
        return replace(found, signature=f"{found.signature}|{described}")

    def _interval(self) -> tuple[float, float]:
        from .._runtime.arrays import np
        from ..significance import bootstrap, confidence

        drawn: dict[str, Any] = {
            "samples": self.given.confidence_n,
            "seed": self.given.seed,
            "progress": stderr_is_tty(),
        }
        rows = np.array(self.rows, dtype=self.metric.dtype)
        try:
            of_sacrebleu = confidence(rows, self.metric, **drawn)
        except UnknownNameError:  # sacreBLEU has no such metric
            found = bootstrap(rows, self.metric, **drawn)
            return percent(found.mean, self.metric.scale), percent(found.ci, self.metric.scale)
        assert of_sacrebleu.mean is not None and of_sacrebleu.ci is not None
        return of_sacrebleu.mean, of_sacrebleu.ci

    def as_line(self, result: Score) -> str:
        """The score for a terminal."""
        line = result.format(self.given.digits)
        if self.interval is None:
            return line
        score, mean, half = (f"{number:.{self.given.digits}f}" for number in (result.percent, *self.interval))
        return line.replace(f" = {score}", f" = {score} (μ = {mean} ± {half})", 1)

    @property
    def percents(self) -> list[float]:
        """The scores of the segments, from 0 to 100."""
        numbers: Iterable[Any] = map(self.metric.of_sentences().evaluate, self.rows)
        if self.method:
            weights, function = self._smoothing()
            numbers = [bleu_score.sentence_bleu(*segment, weights, function) for segment in zip(*self.tokens)]
        return [percent(float(number), self.metric.scale) for number in numbers]

    def as_object(self, result: Score, with_segments: bool) -> dict[str, Any]:
        """The score for JSON."""
        found: dict[str, Any] = {**asdict(result), "score": result.percent, "scale": 100, "segments": self.count}
        if isinstance(result, BleuScore):
            found["precisions"] = [percent(precision, result.scale) for precision in result.precisions]
            found["ratio"] = result.ratio
        found["hypothesis"], *found["references"] = self.given.names
        if self.interval is not None:
            found["confidence_mean"], found["confidence_var"] = self.interval
        if with_segments:
            found["segment_scores"] = self.percents
        return found

    def score(self) -> Score:
        if self.mean is not None:
            return self.mean.score()
        result = self.metric.score(self.row)
        if self.method is None:
            return result
        number: Any = bleu_score.corpus_bleu(*self.tokens, *self._smoothing())
        return replace(result, score=number, signature=result.signature.replace("smooth:none", f"smooth:{self.method}"))

    def _smoothing(self) -> tuple[Any, Any]:
        """The weights of NLTK's functions, and the smoothing."""
        assert isinstance(self.metric, Bleu) and self.method
        weights = self.metric.weights or (1 / self.metric.order,) * self.metric.order
        return weights, getattr(bleu_score.SmoothingFunction(), self.method)
