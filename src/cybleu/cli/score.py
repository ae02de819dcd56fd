"""`cybleu score`: the score of text files."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, replace
from functools import reduce
from operator import add
from typing import Any

import click

from .. import bleu_score
from .._files.text import STANDARD_STREAM
from .._runtime.samples import MOST_SAMPLES
from .._runtime.scales import percent
from ..errors import SampleError, UnknownNameError, _printable
from ..metrics import BleuScore, Gleu, Metric, Score
from ..metrics.raw_text import fields_of_texts
from ..metrics.signature import as_signature
from ..metrics.tokens import tokenised
from ..text.batches import Corpus
from .common import (
    TextFiles,
    digits_option,
    format_option,
    metrics_option,
    reference_length_option,
    seed_option,
    shows_progress,
    threads_option,
)
from .given import choice, command, number, switch
from .texts import TextOptions, count, method_of

WHITE_SPACE = ("none", "unicode", "ascii", "space")
MANY = 100  # lines from which advice is given, as sacreBLEU gives it


@dataclass(kw_only=True)
class BleuOptions(TextOptions):
    """Metric"""

    reference_length: str | None = reference_length_option()
    level: str | None = choice(
        of=["corpus", "mean"],
        help="For BLEU, compute the score of the corpus or the mean of the segment scores.  [default: the tool's]",
    )


@dataclass(kw_only=True)
class SampleOptions:
    """Confidence"""

    confidence: bool = switch(help="Add the mean and the 95 % interval of bootstrap samples, as in sacreBLEU.")
    confidence_n: int = number(most=MOST_SAMPLES, default=1000, help="Number of bootstrap samples.")
    seed: int = seed_option()

    @property
    def samples(self) -> dict[str, int]:
        """The fields of the signature."""
        return {"bs": self.confidence_n, "seed": self.seed} if self.confidence else {}


@dataclass(kw_only=True)
class ScoreOptions(SampleOptions, BleuOptions, TextFiles):
    """Input and output"""

    has_methods = True
    advice = "to score standard input: cybleu score - REF"

    names: tuple[str, ...] = metrics_option()
    format: str = format_option("text", "json")
    digits: int = digits_option()
    segments: bool = switch(help="Print one line with the scores of each segment.")
    threads: int = threads_option()

    @property
    def files(self) -> list[str]:
        """The names of the files of hypotheses and references, for output."""
        paths = self.hypothesis, *self.references
        return ["standard input" if path == STANDARD_STREAM else path for path in paths]


@command(ScoreOptions)
def score(given: ScoreOptions) -> None:
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
    if given.segments and given.confidence and given.format == "text":
        raise click.UsageError("--segments and --confidence together require --format json")
    texts = given.texts([given.hypothesis], given.references)
    metrics, blocks = count(texts, given.metrics(), given.threads)
    scored = [_Scored(given, metric) for metric in metrics]
    for block in blocks:
        for one, (rows,) in zip(scored, block.rows):
            one.add(block.corpora[0], rows)
    results = [one.result(fields_of_texts(one.metric, one.raw, texts.nrefs, given.samples)) for one in scored]
    for advice in dict.fromkeys(advice for one in scored for advice in one.advice()):
        click.echo(f"cybleu: {advice}", err=True)
    if given.format == "json":
        import json

        objects = [one.as_object(result) for one, result in zip(scored, results)]
        click.echo(json.dumps(objects if len(objects) > 1 else objects[0]))
    elif given.segments:
        for numbers in zip(*(one.segment_scores for one in scored)):
            click.echo("\t".join(f"{number:.{given.digits}f}" for number in numbers))
    else:
        for one, result in zip(scored, results):
            click.echo(one.as_line(result))
    if given.format != "json":  # nothing in the texts tells which are the references
        named = f"hypotheses: {given.files[0]}; references: {', '.join(given.files[1:])}"
        click.echo(f"cybleu: {_printable(named)}", err=True)


class _Scored:
    """The statistics of the segments read so far by a metric, and how to score them."""

    def __init__(self, given: ScoreOptions, metric: Metric):
        self.given, self.metric = given, metric
        self.raw = None if metric.reads == "text" else metric.tokenization
        self.method = method_of(metric, given)
        self.count = 0
        self.apart = self.joined = 0  # lines that end with a full stop of its own, with one that a word has
        self.sums: list[list[Any]] = []  # the sum of all rows so far
        self.of_mean = metric.averages
        self.numbers = bytearray()  # the rows of all segments, if they are needed again
        self.tokens: tuple[list[Any], list[Any]] = [], []  # for a smoothing that needs the texts
        self.interval: tuple[float, float] | None = None  # the mean of samples and half the length of their interval
        if self.method and (given.confidence or self.of_mean):
            raise click.UsageError(
                f"--confidence and --level mean do not support the smoothing {given.smoothing}, which requires the "
                "texts"
            )

    def add(self, corpus: Corpus, rows: Any) -> None:
        """Add the rows of some segments."""
        if self.metric.dtype == "float64":  # sums of fractions depend on their order
            self.sums = [[reduce(add, column) for column in zip(*self.sums, *rows.tolist())]]
        elif not self.of_mean:
            self.sums = [self.metric.total([*self.sums, self.metric.total(rows)])]
        self.count += corpus.size
        if self.of_mean or self.given.confidence or self.given.segments:
            self.numbers += rows.cast("B")
        if self.raw is not None and self.method:
            tokens = tokenised(corpus, self.raw)
            self.tokens[0].extend(tokens.sets.lists())
            self.tokens[1].extend(tokens.texts.lists())
        if self.raw is not None and self.raw.own and not isinstance(self.metric, Gleu):
            apart, joined = corpus.texts.lines.full_stops()  # type: ignore[union-attr]
            self.apart, self.joined = self.apart + apart, self.joined + joined

    @property
    def rows(self) -> Any:
        """The rows of the segments, as a view."""
        code: Any = "d" if self.metric.dtype == "float64" else "q"
        return memoryview(self.numbers).cast(code, (self.count, len(self.metric.columns)))

    def advice(self) -> Iterator[str]:
        """What to say of hypotheses that look tokenised already, or not."""
        if self.raw is not None and self.raw.tokenize in WHITE_SPACE:
            if self.joined >= MANY and 2 * self.joined > self.count:
                yield (
                    f"{self.joined} lines end with a full stop that is attached to a word, so the text does not look "
                    "tokenised; use --tokenize 13a to tokenise it"
                )
        elif self.apart >= MANY:
            yield (
                f"{self.apart} lines end with ' .', so the text looks tokenised, which may hurt the score; use text "
                "that is not tokenised, or --tokenize none"
            )

    def result(self, of_texts: dict[str, Any]) -> Score:
        """The score.

        :param of_texts: the fields of the signature that describe what was counted
        """
        result = self.metric.score(self.rows if self.of_mean else self.sums[0])
        signature = as_signature(self.metric.signature)
        if self.method is not None:
            number: Any = bleu_score.corpus_bleu(*self.tokens, *self.method)
            signature = signature.with_fields(smooth=self.given.smoothing)
            result = replace(result, score=number)
        if self.given.confidence:
            self.interval = self._interval()
        return replace(result, signature=signature.with_fields(**of_texts))

    def _interval(self) -> tuple[float, float]:
        from .._runtime.arrays import np
        from ..significance import bootstrap, confidence

        given = self.given
        drawn: dict[str, Any] = {"samples": given.confidence_n, "seed": given.seed, "progress": shows_progress()}
        rows = np.asarray(self.rows)
        try:
            of_sacrebleu = confidence(rows, self.metric, **drawn)
        except UnknownNameError:  # sacreBLEU has no such metric
            if self.count == 1:
                raise SampleError(
                    "there is one segment, so all samples of --confidence are equal; leave out --confidence, or give "
                    "more segments, preferably hundreds"
                ) from None
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
    def segment_scores(self) -> list[float]:
        """The scores of the segments, from 0 to 100."""
        numbers: Iterable[Any] = map(self.metric.of_sentences().evaluate, self.rows.tolist())
        if self.method:
            numbers = (bleu_score.sentence_bleu(*segment, *self.method) for segment in zip(*self.tokens))
        return [percent(float(number), self.metric.scale) for number in numbers]

    def as_object(self, result: Score) -> dict[str, Any]:
        """The score for JSON."""
        found: dict[str, Any] = {**asdict(result), "score": result.percent, "scale": 100, "segments": self.count}
        if isinstance(result, BleuScore):
            found["precisions"] = [percent(precision, result.scale) for precision in result.precisions]
            found["ratio"] = result.ratio
        found["hypothesis"], *found["references"] = self.given.files
        if self.interval is not None:
            found["confidence_mean"], found["confidence_var"] = self.interval
        if self.given.segments:
            found["segment_scores"] = self.segment_scores
        return found
