"""Metrics that combine the scores of other metrics."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from .._runtime.lazy_arrays import Array, Floats, np
from .._runtime.numbers import finite_numbers
from ..errors import StatisticsError, UnknownNameError, WeightsError
from ..text.batches import Corpus
from .base import BuiltinMetric, Counter, Metric, Signature
from .names import find
from .operations import as_shares, corpus_for

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
    >>> Accuracy(find("ter")).evaluate([1.0, 4.0])
    75.0
    """

    metric: Metric

    def __post_init__(self) -> None:
        same = ("scale", "columns", "reads", "dtype", "cost", "least", "weighs_by_call")
        vars(self).update({name: getattr(self.metric, name) for name in same})
        vars(self).update(name=f"1-{self.metric.name}", components=(self.metric,))

    def with_components(self, components: Sequence[Metric]) -> Accuracy:
        (metric,) = components
        return Accuracy(metric)

    @property
    def signature(self) -> str:
        return Signature({"": f"1-{self.metric.signature}"})

    def counter(self, corpus: Corpus) -> Counter:
        return self.metric.counter(corpus_for(self.metric, corpus))

    def formula(self, row: Sequence[Any]) -> float:
        return self.scale - self.metric.evaluate(row)

    def evaluate_rows(self, rows: Array) -> Floats:
        return self.scale - self.metric.evaluate_rows(rows)

    def fill_pairs(self, pairs: Corpus, scores: Floats, threads: int | None, progress: bool) -> None:
        self.metric.fill_pairs(corpus_for(self.metric, pairs), scores, threads, progress)
        scores *= -1
        scores += self.scale


@dataclass(frozen=True)
class Mixture(Combination):
    """A weighted mean of metrics, each from 0 to 1, where 1 is a perfect match.

    A row has the rows of the metrics one after the other, as float64. An error rate such as TER counts as 1 minus the
    rate, or 0 where it is above 1. Each metric reads raw text with its own tokeniser.

    :param parts: a dict from metrics or their names to weights, or pairs of a metric or name and its weight. Weights
        are above 0, and are divided by their sum
    :raises UnknownNameError: there is no such metric
    :raises WeightsError: there is no metric, one is neither a metric nor a name, or a weight is not a finite number
        above 0

    >>> from cybleu.metrics import Mixture
    >>> metric = Mixture({"bleu": 0.5, "chrf": 0.5})
    >>> metric.scores(metric.rows(["The cat sat on a mat."], ["The cat sat on the mat."])).round(3)
    array([0.573])
    """

    parts: Any

    scale = 1
    dtype = "float64"

    def __post_init__(self) -> None:
        if self.tokenize is not None or self.lowercase:
            raise UnknownNameError(
                "tokenize and lowercase are options of the metrics of a mixture; pass Bleu(tokenize=...)"
            )
        parts = self.parts.items() if isinstance(self.parts, Mapping) else self.parts
        try:
            pairs = [(metric, weight) for metric, weight in parts]
        except (TypeError, ValueError):
            pairs = []
        weights = finite_numbers([weight for _, weight in pairs], "the weights")
        known = all(isinstance(metric, (str, Metric)) for metric, _ in pairs)
        if not pairs or not known or weights is None or min(weights) <= 0:
            raise WeightsError(
                "a mixture requires metrics or their names with finite weights above 0, such as "
                f"{{'bleu': 0.5, 'chrf': 0.5}}, and these are {self.parts!r}"
            )
        total = sum(weights)
        parts = tuple((find(metric), weight / total) for (metric, _), weight in zip(pairs, weights))
        metrics = tuple(metric for metric, _ in parts)
        vars(self).update(
            parts=parts,
            components=metrics,
            columns=_prefixed_columns(metrics),
            reads="text" if any(metric.reads == "text" for metric in metrics) else "tokens",
            weighs_by_call=any(metric.weighs_by_call for metric in metrics),
            cost=min(metric.cost for metric in metrics),
            least=None if any(metric.least is None for metric in metrics) else 0,
        )

    @property
    def name(self) -> str:  # type: ignore[override]
        """The weights and the names, such as ``0.5*sacrebleu+0.5*chrf``."""
        return "+".join(f"{weight:g}*{metric.name}" for metric, weight in self.parts)

    def __reduce__(self) -> tuple[Any, ...]:
        return _mixture_of_shares, (self.parts,)

    def with_components(self, components: Sequence[Metric]) -> Mixture:
        weights = [weight for _, weight in self.parts]
        return _mixture_of_shares(tuple(zip(components, weights)))

    @property
    def signature(self) -> str:
        """The weights and the signatures of the metrics in one line."""
        return Signature({"": "+".join(f"{weight:g}*({metric.signature})" for metric, weight in self.parts)})

    def counter(self, corpus: Corpus) -> Counter:
        counters = [metric.counter(corpus_for(metric, corpus)) for metric in self.components]

        def count(start: int, stop: int, rows: Any) -> None:
            for counter, (metric, _, part) in zip(counters, self._of_each(np.asarray(rows))):
                # counters write whole tables of one dtype in consecutive memory
                table = np.zeros(part.shape, dtype=metric.dtype)
                counter(start, stop, table)
                part[start:stop] = table[start:stop]

        return count

    def _of_each(self, rows: Array) -> Iterator[tuple[Metric, float, Array]]:
        """Each metric, its weight and its columns of rows."""
        start = 0
        for metric, weight in self.parts:
            end = start + len(metric.columns)
            yield metric, weight, rows[:, start:end]
            start = end

    def fill_pairs(self, pairs: Corpus, scores: Floats, threads: int | None, progress: bool) -> None:
        for metric, weight in self.parts:
            part = np.zeros_like(scores)
            metric.fill_pairs(corpus_for(metric, pairs), part, threads, progress)
            scores += weight * as_shares(metric, part)

    def formula(self, row: Sequence[float]) -> float:
        return float(self.evaluate_rows(np.array([row]))[0])

    def evaluate_rows(self, rows: Array) -> Floats:
        total = np.zeros(len(rows))
        for metric, weight, part in self._of_each(rows):
            with np.errstate(invalid="ignore"):  # numbers beyond 64 bits become others
                table = np.ascontiguousarray(part, dtype=metric.dtype)
            if (table != part).any():
                raise StatisticsError(f"rows of {self.name} have fractions or too large counts of {metric.name}")
            total += weight * as_shares(metric, metric.scores(table))
        return total


def _prefixed_columns(metrics: Sequence[Metric]) -> tuple[str, ...]:
    """Return the columns of each metric, prefixed by its name, and by a number if an earlier part has the same name."""
    columns: list[str] = []
    names: list[str] = []
    for metric in metrics:
        names.append(metric.name)
        number = names.count(metric.name)
        prefix = metric.name if number == 1 else f"{metric.name}_{number}"
        columns += [f"{prefix}.{name}" for name in metric.columns]
    return tuple(columns)


def _mixture_of_shares(parts: Any) -> Mixture:
    """Return a mixture with these weights, which the constructor divides by their sum again."""
    mixture = Mixture(parts)
    object.__setattr__(mixture, "parts", parts)
    return mixture
