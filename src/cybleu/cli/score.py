"""`cybleu score`: the score of text files."""

from __future__ import annotations

import json
from array import array
from collections.abc import Iterator, Sequence
from dataclasses import asdict, replace
from functools import partial
from typing import Any, NamedTuple

import click

from .. import __version__, bleu_score
from .._runtime.parallel import in_order
from .._runtime.scales import percent
from ..errors import EmptyCorpusError
from ..metrics import Bleu, BleuScore, Metric, Score
from ..text.raw import Raw
from .common import (
    FILES,
    REFERENCE_LENGTH,
    SMOOTHING_OF_TEXT,
    THREADS,
    WIDTH,
    input_errors,
    need_standard_output,
    variant,
)
from .parquet import column_segments, columns_named
from .texts import NO_LINE, TextOptions, no_tokenizer
from .texts import segments as read_segments

WHITE_SPACE = ("none", "unicode", "ascii", "space")
MANY = 100  # lines from which advice is given, as sacreBLEU gives it


@click.command()
@FILES
@variant("sacrebleu")
@SMOOTHING_OF_TEXT
@REFERENCE_LENGTH
@click.option(
    "--level",
    type=click.Choice(["corpus", "mean"]),
    help="Of BLEU: the score of the corpus, or the mean of the scores of its segments.  [default: as the tool has it]",
)
@THREADS
@click.option("--segments", is_flag=True, help="Print the score of each segment, one on each line.")
@click.option("--json", "as_json", is_flag=True, help="Print a JSON object, with all digits of the scores.")
@WIDTH
def score(
    hypothesis: str,
    references: tuple[str, ...],
    reference_length: str | None,
    level: str | None,
    threads: int,
    segments: bool,
    as_json: bool,
    width: int,
    **options: Any,
) -> None:
    """Score a text by corpus BLEU or another metric.

    Prints the score of the text in HYP against one or more references, from 0 to 100. All files are plain UTF-8 text with one
    segment on each line, and gzip is recognised. One of them may be -, which is standard input. The text is tokenised as the
    tool of the variant does it; --tokenize none is for text that is already tokenised.

    If pyarrow is installed, the texts may also be columns of one Parquet file, named FILE.parquet:COLUMN. A column of
    references has one reference for each segment, or a list of them.
    """
    need_standard_output()
    given = TextOptions(**options)
    name = given.tokenizer
    metric, method = given.metric_and_method()
    no_tokenizer(metric, given.tokenize, given.split)
    if given.lowercase and metric.of_raw_text:
        metric = metric.with_choices(lowercase=True)
    if reference_length is not None:
        if not isinstance(metric, Bleu):
            raise click.UsageError(f"--reference-length is of BLEU, and the metric is {metric.name}")
        metric = metric.with_rules(reference_length=reference_length)
    if level is not None:
        if not isinstance(metric, Bleu) or (method and level == "mean"):
            what = f"the smoothing is {method}" if method else f"the metric is {metric.name}"
            raise click.UsageError(f"--level is of metrics of BLEU, and {what}")
        metric = metric.with_choices(level=level)
    corpus = _Corpus(metric, method)
    segment_scores = array("d")
    numbers_of_references: set[int] = set()  # where they are in columns
    with input_errors():
        raw = Raw(name, given.lowercase)
        columns = columns_named(hypothesis, references)
        direct = raw.own and metric.reads_raw_text and not method
        count = partial(_counted, metric, raw, segments, corpus.mean is not None)
        blocks: Iterator[Any]
        split_line = given.splitter()
        if columns is not None:
            direct = direct and not (given.lowercase and given.variant == "mteval-v13a")  # which has another lower case
            read = _columns(columns, numbers_of_references)
            blocks = ((raw.texts(texts, texts.name), *raw.sets(sets)) for texts, sets in read)
        else:
            blocks = given.raw_segments(hypothesis, references)
        if direct:
            found = in_order(count, blocks, threads)
        else:
            if columns is None:
                split_segments = read_segments(hypothesis, references, split_line, given.drop_bom)
            else:
                split_segments = (
                    (
                        [[split_line(_str_of(line)) for line in lines] for lines in sets],
                        [split_line(_str_of(line)) for line in texts],
                    )
                    for texts, sets in read
                )
            found = (corpus.counted(*block, segments) for block in split_segments)
        for counted in found:
            corpus.add(counted)
            segment_scores.extend(counted.scores)
        if not corpus.count:
            raise EmptyCorpusError(NO_LINE)
        result = corpus.score()
    for advice in () if metric.of_raw_text else corpus.advice(name):
        click.echo(f"cybleu: {advice}", err=True)
    varies = len(numbers_of_references) > 1
    nrefs = "var" if varies else str(max(numbers_of_references, default=len(references)))
    result = replace(
        result, signature=f"{result.signature}|nrefs:{nrefs}{given.described(metric)}|version:{__version__}"
    )
    if as_json:
        shown: dict[str, Any] = {**asdict(result), "score": result.percent, "scale": 100, "segments": corpus.count}
        if isinstance(result, BleuScore):
            shown["precisions"] = [percent(precision, result.scale) for precision in result.precisions]
            shown["ratio"] = result.ratio
        if segments:
            shown["segment_scores"] = [percent(number, result.scale) for number in segment_scores]
        click.echo(json.dumps(shown))
    elif segments:
        for number in segment_scores:
            click.echo(f"{percent(number, result.scale):.{width}f}")
    else:
        click.echo(result.format(width))


class _Counted(NamedTuple):
    """What is known of some segments."""

    segments: int
    sum: tuple[list[int], Sequence[int] | None]
    rows: list[list[int]]  # of each segment, if they are needed
    scores: list[float]  # of each segment, if they are asked for
    full_stops: tuple[int, int] = (0, 0)  # of lines of raw text that end with one: of its own, or that a word has


def _counted(metric: Metric, raw: Raw, scored: bool, by_rows: bool, block: tuple[Any, Any, Any]) -> _Counted:
    texts = block[0]
    if not scored and not by_rows:
        found = metric.sum_of_raw(raw, *block)
        assert found is not None
        return _Counted(len(texts), found, [], [], texts.full_stops())
    rows = metric.rows_of_raw(raw, *block)
    assert rows is not None
    order = metric.order if isinstance(metric, Bleu) else 0
    short_segments = [sum(row[2 + order + n] == 0 for row in rows) for n in range(order)]
    sums = [sum(column) for column in zip(*rows, strict=True)], short_segments
    scores = list(map(metric.of_sentences().evaluate, rows)) if scored else []
    return _Counted(len(texts), sums, rows if by_rows else [], scores, texts.full_stops())


def _columns(columns: Any, numbers: set[int]) -> Iterator[tuple[Any, Any]]:
    """The segments of columns, block by block; how many references a segment has is added to `numbers`."""
    for texts, sets in column_segments(*columns):
        numbers |= {sets.number} if sets.number else set(map(len, sets))
        yield texts, sets


def _str_of(line: Any) -> str:
    return line if isinstance(line, str) else line.decode()


class _Corpus:
    """The statistics of the segments read so far, and how to score them; scores are on the scale of the metric.

    :param method: of NLTK's smoothing, one that asks for the last segment
    """

    def __init__(self, metric: Metric, method: str | None):
        self.metric = metric
        self.row = [0] * len(metric.columns)
        self.short_segments: list[int] | None = None
        self.count = 0
        self.apart = self.joined = 0  # lines that end with a full stop of its own, with one that a word has
        self._sentences = metric.of_sentences()
        self.mean = metric if isinstance(metric, Bleu) and metric.level == "mean" else None
        self._total = 0.0  # of the scores of segments, for their mean
        self._last: Any = ()
        self._of_last: tuple[Any, Any] | None = None
        if method and isinstance(metric, Bleu):
            weights = metric.weights or (1 / metric.order,) * metric.order
            self._of_last = weights, getattr(bleu_score.SmoothingFunction(), method)

    def counted(self, list_of_references: list[list[list[str]]], hypotheses: list[list[str]], scored: bool) -> _Counted:
        """Count segments of tokens, which come one after the other."""
        self._last = list_of_references[-1], hypotheses[-1]
        rows = [] if self.mean is None else list(map(self.mean.row, list_of_references, hypotheses))
        scores = list(map(self.score_segment, list_of_references, hypotheses)) if scored else []
        return _Counted(len(hypotheses), self.metric.sum_of(list_of_references, hypotheses), rows, scores)

    def add(self, counted: _Counted) -> None:
        """Add the sum of the rows of some segments, and how many are too short for each order."""
        row, short_segments = counted.sum
        self.row = [total + count for total, count in zip(self.row, row, strict=True)]
        if short_segments is not None:
            before = self.short_segments or [0] * len(short_segments)
            self.short_segments = [total + count for total, count in zip(before, short_segments, strict=True)]
        self.count += counted.segments
        self.apart += counted.full_stops[0]
        self.joined += counted.full_stops[1]
        if self.mean is not None and counted.rows:
            self._total = self.mean.total_of_segments(counted.rows, self._total)

    def advice(self, tokenizer: str) -> Iterator[str]:
        """What to say of hypotheses that look tokenised already, or not."""
        if tokenizer in WHITE_SPACE:
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

    def score(self) -> Score:
        if self.mean is not None:
            sums = (
                self.mean.with_choices(level="corpus")
                .with_rules(empty_hypothesis="scored")
                .score(self.row, self.short_segments)
            )
            mean = self.mean.mean_of_total(self._total, self.count)
            return replace(sums, score=mean, signature=self.mean.signature)
        result = self.metric.score(self.row, self.short_segments)
        if self._of_last is None:
            return result
        weights, method = self._of_last
        references, hypothesis = self._last
        number: Any = bleu_score.corpus_bleu_of_row(
            self.row, self.short_segments or (), references, hypothesis, weights, method
        )
        signature = result.signature.replace("smooth:none", f"smooth:{method.__name__}")
        return replace(result, score=number, signature=signature)

    def score_segment(self, references: list[list[str]], hypothesis: list[str]) -> float:
        if self._of_last is not None:
            number: Any = bleu_score.sentence_bleu(references, hypothesis, *self._of_last)
            return float(number)
        return float(self._sentences.evaluate(self._sentences.row(references, hypothesis)))
