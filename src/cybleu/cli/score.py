"""`cybleu score`: the score of text files."""

from __future__ import annotations

import json
from array import array
from collections.abc import Iterator, Sequence
from dataclasses import asdict, replace
from typing import Any

import click

from .. import __version__, bleu_score
from .._runtime.scales import percent
from ..errors import EmptyCorpusError
from ..metrics import Bleu, BleuScore, Metric, Score
from ..stats.raw import raw_row_lists, raw_sum
from ..text.files import ENOUGH
from ..text.raw import Raw
from .common import (
    DROP_BOM,
    FILES,
    NO_LINE,
    RAW,
    REFERENCE_LENGTH,
    SMOOTHING_OF_TEXT,
    SMOOTHING_VALUE,
    input_errors,
    lowercase_of,
    metric_of_texts,
    need_standard_output,
    raw_segments_of_files,
    splitter_of,
    tokenizer_of,
    variant,
)
from .common import segments as read_segments
from .parquet import column_segments, columns_named

WHITE_SPACE = ("none", "unicode", "ascii")
MANY = 100  # lines from which advice is given, as sacreBLEU gives it


@click.command()
@FILES
@RAW
@DROP_BOM
@variant("sacrebleu")
@SMOOTHING_OF_TEXT
@SMOOTHING_VALUE
@REFERENCE_LENGTH
@click.option(
    "--threads", type=click.IntRange(1), default=1, show_default=True, help="How many threads count at the same time."
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
    tokenize: str | None,
    split: str | None,
    lowercase: bool,
    drop_bom: bool,
    reference_length: str | None,
    threads: int,
    segments: bool,
    as_json: bool,
    width: int,
) -> None:
    """Corpus BLEU, from 0 to 100, of the text in HYP against one or more references.

    All are plain UTF-8 text, one segment a line; gzip is recognised; one of them may be - for standard input. The text is
    tokenised as the tool of the variant does it; --tokenize none is for text that is tokenised already.

    They may also be columns of one Parquet file, named FILE.parquet:COLUMN, if pyarrow is installed. References are then one a
    column, or lists of them.
    """
    need_standard_output()
    name = tokenizer_of(variant, tokenize, split)
    metric, method = metric_of_texts(variant, smoothing, smoothing_value, order, weights)
    if reference_length is not None:
        if not isinstance(metric, Bleu):
            raise click.UsageError(f"--reference-length is of BLEU, and the metric is {metric.name}")
        metric = metric.with_rules(reference_length=reference_length)
    corpus = _Corpus(metric, method)
    segment_scores = array("d")
    looks = _Looks()
    numbers_of_references: set[int] = set()  # where they are in columns
    with input_errors():
        raw = Raw(name, lowercase)
        columns = columns_named(hypothesis, references)
        if columns is not None:
            split_line = splitter_of(variant, name, lowercase)
            direct = raw.own and isinstance(metric, Bleu) and not method
            direct = direct and not (lowercase and variant == "mteval-v13a")  # which has another lower case
            for texts, sets in column_segments(*columns):
                numbers_of_references |= set(map(len, sets)) if sets.of_lists else {len(references)}
                if direct:
                    scores = segment_scores if segments else None
                    corpus.add_raw(raw, raw.texts(texts, texts.name), *raw.sets(sets), threads, scores)
                    continue
                split_sets = [[split_line(_str_of(line)) for line in lines] for lines in sets]
                split_texts = [split_line(_str_of(line)) for line in texts]
                corpus.add(split_sets, split_texts)
                if segments:
                    segment_scores.extend(map(corpus.score_segment, split_sets, split_texts))
        elif raw.own and isinstance(metric, Bleu) and not method:
            change = lowercase_of(variant, lowercase)
            size = 4 * threads * ENOUGH if threads > 1 else ENOUGH
            for block in raw_segments_of_files(hypothesis, references, change, looks.see, size, drop_bom):
                corpus.add_raw(raw, *block, threads, segment_scores if segments else None)
        else:
            split_line = splitter_of(variant, name, lowercase)
            for list_of_references, hypotheses in read_segments(hypothesis, references, split_line, drop_bom):
                corpus.add(list_of_references, hypotheses)
                if segments:
                    segment_scores.extend(map(corpus.score_segment, list_of_references, hypotheses))
        if not corpus.count:
            raise EmptyCorpusError(NO_LINE)
        result = corpus.score()
    for advice in looks.advice(name):
        click.echo(f"cybleu: {advice}", err=True)
    varies = len(numbers_of_references) > 1
    nrefs = "var" if varies else str(max(numbers_of_references, default=len(references)))
    tokens = f"case:{'lc' if lowercase else 'mixed'}|tok:{name}"
    result = replace(result, signature=f"{result.signature}|nrefs:{nrefs}|{tokens}|version:{__version__}")
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


def _str_of(line: Any) -> str:
    return line if isinstance(line, str) else line.decode()


class _Looks:
    """What the hypotheses look like: tokenised already, or not."""

    def __init__(self) -> None:
        self.lines = 0
        self.apart = 0  # lines that end with a full stop of its own
        self.joined = 0  # lines that end with one that a word has

    def see(self, block: bytes) -> None:
        apart = block.count(b" .\n")
        self.lines += block.count(b"\n")
        self.apart += apart
        self.joined += block.count(b".\n") - apart

    def advice(self, tokenizer: str) -> Iterator[str]:
        if tokenizer in WHITE_SPACE:
            if self.joined >= MANY and 2 * self.joined > self.lines:
                yield (
                    f"{self.joined} lines end with a full stop that is part of a word here, so the text looks as if it were "
                    "not tokenised; --tokenize 13a tokenises it"
                )
        elif self.apart >= MANY:
            yield (
                f"{self.apart} lines end with ' .', so the text looks tokenised, which may hurt the score; give text that is "
                "not, or --tokenize none"
            )


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
        self._add(*self.metric.sum_of(list_of_references, hypotheses), len(hypotheses))
        self._last = list_of_references[-1], hypotheses[-1]

    def _add(self, row: Sequence[int], short_segments: Sequence[int] | None, segments: int) -> None:
        self.row = [total + count for total, count in zip(self.row, row, strict=True)]
        if short_segments is not None:
            before = self.short_segments or [0] * len(short_segments)
            self.short_segments = [total + count for total, count in zip(before, short_segments, strict=True)]
        self.count += segments

    def add_raw(
        self, raw: Raw, texts: Any, references: Any, bounds: Any, threads: int, scores: array[float] | None
    ) -> None:
        """Add segments of raw text.

        :param scores: to which those of the segments are added
        """
        assert isinstance(self.metric, Bleu)
        order, reference_length = self.metric.order, self.metric.definition.reference_length
        arguments = raw, texts, references, bounds, order, reference_length, threads
        if scores is None:
            row, short_segments = raw_sum(*arguments)
        else:
            rows = raw_row_lists(*arguments)
            scores.extend(self._sentences.evaluate(row) for row in rows)
            row = [sum(column) for column in zip(*rows, strict=True)]
            short_segments = [sum(row[2 + order + n] == 0 for row in rows) for n in range(order)]
        self._add(row, short_segments, len(texts))

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
