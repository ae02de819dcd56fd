"""`cybleu score`: the score of text files."""

from __future__ import annotations

import json
from array import array
from dataclasses import asdict, replace
from typing import Any

import click

from .. import __version__, bleu_score
from .._runtime.scales import percent
from ..errors import EmptyCorpusError
from ..metrics import Bleu, BleuScore, Metric, Score
from .common import (
    NO_LINE,
    OF_TEXT,
    SMOOTHING_OF_TEXT,
    SMOOTHING_VALUE,
    input_errors,
    metric_of_texts,
    need_standard_output,
    variant,
)
from .common import segments as read_segments


@click.command()
@OF_TEXT
@variant("sacrebleu")
@SMOOTHING_OF_TEXT
@SMOOTHING_VALUE
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
    drop_bom: bool,
    segments: bool,
    as_json: bool,
    width: int,
) -> None:
    """Corpus BLEU, from 0 to 100, of the text in HYP against one or more references.

    All are plain UTF-8 text, one segment a line; gzip is recognised; one of them may be - for standard input.
    """
    need_standard_output()
    metric, method = metric_of_texts(variant, smoothing, smoothing_value, order, weights)
    corpus = _Corpus(metric, method)
    segment_scores = array("d")
    with input_errors():
        for list_of_references, hypotheses in read_segments(hypothesis, references, split, tokenize, drop_bom):
            corpus.add(list_of_references, hypotheses)
            if segments:
                segment_scores.extend(map(corpus.score_segment, list_of_references, hypotheses))
        if not corpus.count:
            raise EmptyCorpusError(NO_LINE)
        result = corpus.score()
    tokens = f"tok:{tokenize}" if tokenize else f"split:{split}"
    result = replace(result, signature=f"{result.signature}|nrefs:{len(references)}|{tokens}|version:{__version__}")
    if as_json:
        found: dict[str, Any] = {**asdict(result), "score": result.percent, "scale": 100, "segments": corpus.count}
        if isinstance(result, BleuScore):
            found["precisions"] = [percent(precision, result.scale) for precision in result.precisions]
            found["ratio"] = result.ratio
        if segments:
            found["segment_scores"] = [percent(number, result.scale) for number in segment_scores]
        click.echo(json.dumps(found))
    elif segments:
        for number in segment_scores:
            click.echo(f"{percent(number, result.scale):.{width}f}")
    else:
        click.echo(result.format(width))


class _Corpus:
    """The statistics of the segments read so far, and how to score them; scores are on the scale of the metric.

    :param method: of NLTK's smoothing, one that asks for the last segment
    """

    def __init__(self, metric: Metric, method: str | None):
        self.metric = metric
        self.row = [0] * len(metric.columns)
        self.short_segments: list[int] | None = None
        self.count = 0
        self._sentences = metric.of_sentences()
        self._last: Any = ()
        self._of_last: tuple[Any, Any] | None = None
        if method and isinstance(metric, Bleu):
            weights = metric.weights or (1 / metric.order,) * metric.order
            self._of_last = weights, getattr(bleu_score.SmoothingFunction(), method)

    def add(self, list_of_references: list[list[list[str]]], hypotheses: list[list[str]]) -> None:
        row, short_segments = self.metric.sum_of(list_of_references, hypotheses)
        self.row = [total + count for total, count in zip(self.row, row, strict=True)]
        if short_segments is not None:
            before = self.short_segments or [0] * len(short_segments)
            self.short_segments = [total + count for total, count in zip(before, short_segments, strict=True)]
        self.count += len(hypotheses)
        self._last = list_of_references[-1], hypotheses[-1]

    def score(self) -> Score:
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
