"""The options of commands that score texts, and the texts that they name."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, TypeVar

import click

from ..metrics import METRICS, Bleu, Metric, tool_tokenizer
from ..text import tokenizer_signature
from ..text.raw import Raw
from .common import metric_of, order_option, read_weights_of_orders
from .given import option, switch
from .parquet import columns_named
from .reading import ColumnTexts, FileTexts, Texts

# These methods of NLTK require the segment itself, not only its counts.
METHODS_OF_SEGMENTS = ("method5", "method6", "method7")


Options = TypeVar("Options", bound="TextOptions")
# By option, the attribute of a metric that takes it; the others are for metrics of tokens, or for BLEU.
_ATTRIBUTES = {
    "order": "max_order",
    "weights": "weights",
    "smoothing": "smoothing",
    "smoothing_value": "smoothing_value",
}
_OF_BLEU = ("reference_length", "level")


def _takes(name: str, option: str) -> bool:
    metric = METRICS[name]
    if option == "tokenize":
        return metric.reads != "text"
    return isinstance(metric, Bleu) if option in _OF_BLEU else hasattr(metric, _ATTRIBUTES[option])


@dataclass(frozen=True, kw_only=True)
class ReadingOptions:
    """Text"""

    tokenize: str | None = option(
        metavar="NAME",
        help="The tokeniser: 13a, intl, zh, char or another of sacreBLEU; none or unicode for text that is tokenised; ascii splits as "
        "multi-bleu.perl does, space as Moses.  [default: that of the tool]",
    )
    lowercase: bool = switch(help="Put the texts in lower case first; for mteval-v13a only the letters A to Z.")
    drop_bom: bool = switch(help="Leave out a byte order mark, which the tools take for a part of the first token.")


@dataclass(frozen=True, kw_only=True)
class TextOptions(ReadingOptions):
    """Metric"""

    variant: str = ""
    variants: tuple[str, ...] = ()
    order: int | None = order_option()
    weights: tuple[float, ...] | None = option(
        callback=read_weights_of_orders, metavar="W,W,...", help="Weights of the n-gram orders.  [default: uniform]"
    )
    smoothing: str | None = option(
        metavar="NAME",
        help="Smoothing of orders without a match, by default the tool's. sacrebleu: exp, floor, add-k, none; "
        "nltk: none, method0 to method7; mteval-v13a: exp, none; moses: none, add; huggingface: none, smooth.",
    )
    smoothing_value: float | None = option(type=float, metavar="X", help="Parameter of the smoothing.")

    @property
    def tokenizer(self) -> str:
        """The name of the tokeniser: an option, or that of the tool."""
        return self.tokenize or tool_tokenizer(self.variant)

    def each(self: Options) -> list[Options]:
        """The options for each of several metrics. An option that only some of them take is for these."""
        names = [*dict.fromkeys(self.variants)]
        options = [option for option in (*_ATTRIBUTES, "tokenize", *_OF_BLEU) if hasattr(self, option)]
        shared = [option for option in options if any(_takes(name, option) for name in names)]
        left_out: list[dict[str, Any]] = [
            {option: None for option in shared if not _takes(name, option)} for name in names
        ]
        return [replace(self, variant=name, **without) for name, without in zip(names, left_out)]

    def metric(self) -> Metric:
        """The metric, for commands that add up rows."""
        metric = self._metric(self.smoothing)
        no_tokenizer(metric, self.tokenize)
        return metric

    def metric_and_method(self) -> tuple[Metric, str | None]:
        """The metric, and the smoothing if it is a method that requires the segment, which no metric has."""
        method = self.smoothing if self.variant == "nltk" and self.smoothing in METHODS_OF_SEGMENTS else None
        if method and self.smoothing_value is not None:
            raise click.UsageError(f"--smoothing {method} takes no --smoothing-value here")
        try:
            return self._metric(None if method else self.smoothing), method
        except click.UsageError as error:
            if self.variant == "nltk" and "no smoothing" in error.message:
                raise click.UsageError(", ".join([error.message, *METHODS_OF_SEGMENTS])) from error
            raise

    def _metric(self, smoothing: str | None) -> Metric:
        return metric_of(self.variant, smoothing, self.smoothing_value, self.order, self.weights)

    def described(self, metric: Metric) -> str:
        """Describe the case and the tokeniser, for signatures."""
        return (
            ""
            if metric.reads == "text"
            else f"|case:{'lc' if self.lowercase else 'mixed'}|tok:{tokenizer_signature(self.tokenizer)}"
        )

    @cached_property
    def raw(self) -> Raw:
        """How lines are read."""
        return Raw(self.tokenizer, self.lowercase, of_mteval=self.variant in ("mteval-v13a", "nist"))

    def texts(self, hypotheses: Sequence[str], references: Sequence[str], hashed: bool = False) -> Texts:
        """The texts in parallel files, or in columns of a Parquet file if the names are of columns."""
        columns = columns_named([*hypotheses, *references])
        if columns is not None:
            return ColumnTexts(*columns)
        return FileTexts(hypotheses, references, self.drop_bom, hashed)

    def reading(self, metric: Metric) -> Metric:
        """The metric with the tokeniser and the case of these options."""
        if self.lowercase:
            metric = metric.with_choices(lowercase=True)
        return metric if metric.reads == "text" else metric.with_choices(tokenize=self.tokenizer)


def no_tokenizer(metric: Metric, tokenize: str | None) -> None:
    """Refuse a tokeniser for a metric that counts the characters of raw text."""
    if metric.reads == "text" and tokenize:
        raise click.UsageError(f"--tokenize makes tokens, and {metric.name} counts the characters of raw text")
