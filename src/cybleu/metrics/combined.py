"""Metrics that combine the scores of other metrics."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

from .base import BuiltinMetric, Metric
from .operations import with_options
from .signature import Signature

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from .._runtime.lazy_arrays import np
    from ..text.batches import Batch, Corpus
    from .base import Counter

Self = TypeVar("Self", bound="Combination")


class Combination(BuiltinMetric):
    """Base class of metrics that combine the scores of others, their `components`."""

    @abstractmethod
    def with_components(self: Self, components: Sequence[Metric]) -> Self:
        """Return the combination of other metrics.

        :param components: as many as those of this combination, in their order
        """

    def of_sentences(self: Self) -> Self:
        return self.with_components([metric.of_sentences() for metric in self.components])

    def as_reward(self: Self) -> Self:
        return self.with_components([metric.as_reward() for metric in self.components])

    def with_weights_of(self: Self, references: Any) -> Self:
        return self.with_components([metric.with_weights_of(references) for metric in self.components])


@dataclass(frozen=True)
class Accuracy(Combination):
    """What an error rate leaves of a perfect score: `scale` minus the score. Rows are those of the error rate.

    :param metric: the error rate

    >>> from cybleu.metrics import find
    >>> maximised(find("ter")).evaluate([1.0, 4.0])
    75.0
    """

    metric: Metric

    def __post_init__(self) -> None:
        for name in ("scale", "columns", "reads", "dtype", "cost", "least", "weighs_by_call"):
            object.__setattr__(self, name, getattr(self.metric, name))

    @property
    def components(self) -> tuple[Metric, ...]:  # type: ignore[override]
        """The error rate."""
        return (self.metric,)

    def with_components(self, components: Sequence[Metric]) -> Accuracy:
        (metric,) = components
        return Accuracy(metric)

    @property
    def name(self) -> str:  # type: ignore[override]
        """``1-`` and the name of the error rate."""
        return f"1-{self.metric.name}"

    @property
    def signature(self) -> str:
        return Signature({"": f"1-{self.metric.signature}"})

    def counter(self, corpus: Corpus) -> Counter:
        return self.metric.counter(corpus)

    def formula(self, row: Sequence[Any]) -> float:
        return self.scale - self.metric.evaluate(row)

    def evaluate_rows(self, rows: NDArray[Any]) -> NDArray[np.float64]:
        return self.scale - self.metric.evaluate_rows(rows)

    def fill_pairs(
        self, texts: Batch, others: Batch, scores: NDArray[np.float64], threads: int | None, progress: bool
    ) -> None:
        self.metric.fill_pairs(texts, others, scores, threads, progress)
        scores *= -1
        scores += self.scale


def maximised(metric: Metric) -> Metric:
    """Return the metric to maximise: this one, or its :class:`Accuracy` if lower is better."""
    return metric if metric.higher_is_better else Accuracy(metric)


def split_on_blanks(metric: Metric) -> Metric:
    """Return the metric with white space as its tokeniser of raw text, unless it has another one."""
    if isinstance(metric, Combination):
        return metric.with_components([split_on_blanks(component) for component in metric.components])
    if metric.reads == "tokens" and metric.tokenize is None:
        return with_options(metric, tokenize="unicode")
    return metric
