"""A weighted sum of metrics."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from .._runtime.lazy_arrays import np
from .._runtime.numbers import finite_numbers
from ..errors import UnknownNameError, WeightsError
from .base import Metric
from .names import named

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ..text.batches import Batch, Corpus, Kind
    from .base import Counter


@dataclass(frozen=True)
class Mixture(Metric):
    """A weighted mean of metrics, each from 0 to 1, where 1 is a perfect match.

    A row has the rows of the metrics one after the other, as float64. An error rate such as TER counts as 1 minus the rate, or 0
    where it is above 1. Each metric reads raw text with its own tokeniser.

    :param parts: a dict from metrics or their names to weights, or pairs of a metric or name and its weight. Weights are above 0,
        and are divided by their sum
    :raises UnknownNameError: there is no such metric
    :raises WeightsError: there is no metric, or a weight is not a finite number above 0

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
        given = self.parts.items() if isinstance(self.parts, Mapping) else self.parts
        try:
            pairs = [(metric, weight) for metric, weight in given]
        except (TypeError, ValueError):
            pairs = []
        weights = finite_numbers([weight for _, weight in pairs], "the weights")
        if not pairs or weights is None or min(weights) <= 0:
            raise WeightsError(
                f"a mixture requires metrics with finite weights above 0, such as {{'bleu': 0.5, 'chrf': 0.5}}, and these are "
                f"{self.parts!r}"
            )
        metrics = [named(metric) if isinstance(metric, str) else metric for metric, _ in pairs]
        for metric in metrics:
            if not isinstance(metric, Metric):
                raise UnknownNameError(f"a mixture requires metrics or their names, and this is {metric!r}")
        total = sum(weights)
        object.__setattr__(self, "parts", tuple((metric, weight / total) for metric, weight in zip(metrics, weights)))

    @property
    def weighs_by_call(self) -> bool:
        """Whether the weights of n-grams in a metric come from all references of a call."""
        return any(metric.weighs_by_call for metric, _ in self.parts)

    def with_weights_of(self, references: Any) -> Mixture:
        """Return the mixture of the metrics with the weights of a corpus.

        :param references: for each segment a list of references
        """
        return self._with(lambda metric: metric.with_weights_of(references))

    @property
    def name(self) -> str:  # type: ignore[override]
        """The weights and the names, such as ``0.5*sacrebleu+0.5*chrf``."""
        return "+".join(f"{weight:g}*{metric.name}" for metric, weight in self.parts)

    @property
    def columns(self) -> tuple[str, ...]:  # type: ignore[override]
        """The columns of each metric after its name, which has a number if another part has this name."""
        names: list[str] = []
        for metric, _ in self.parts:
            prefix, number = metric.name, 1
            while any(name.startswith(f"{prefix}.") for name in names):
                number += 1
                prefix = f"{metric.name}_{number}"
            names += [f"{prefix}.{column}" for column in metric.columns]
        return tuple(names)

    @property
    def reads(self) -> str:  # type: ignore[override]
        """``text`` if one of the metrics reads text."""
        return "text" if any(metric.reads == "text" for metric, _ in self.parts) else "tokens"

    @property
    def signature(self) -> str:
        """The definition in one line."""
        return "+".join(f"{weight:g}*({metric.signature})" for metric, weight in self.parts)

    def of_sentences(self) -> Mixture:
        """Return the metric for scoring single sentences."""
        return self._with(lambda metric: metric.of_sentences())

    def as_reward(self) -> Mixture:
        """Return the metric of rewards, which scores single sentences."""
        return self._with(lambda metric: metric.as_reward())

    def _with(self, change: Callable[[Metric], Metric]) -> Mixture:
        return Mixture(tuple((change(metric), weight) for metric, weight in self.parts))

    @property
    def cost(self) -> int:  # type: ignore[override]
        """The cost of counting a token; 0 if one of the metrics is in Python."""
        costs = [metric.cost for metric, _ in self.parts]
        return sum(costs) if all(costs) else 0

    def raw(self, kind: Kind) -> None:
        """Check that each metric reads texts of this kind, which it tokenises itself.

        :param kind: the kind of the texts
        """
        for metric, _ in self.parts:
            metric.raw(kind)

    def count(self, hypothesis: Any, references: Sequence[Any]) -> list[float]:  # type: ignore[override]
        """Count a segment.

        :param hypothesis: a text that all the metrics accept
        :param references: one or more references, likewise
        """
        return self.rows([hypothesis], [references])[0].tolist()  # type: ignore[no-any-return]

    def counter(self, corpus: Corpus) -> Counter:
        """Read a corpus, and return a function `(start, stop, rows)` that writes the rows of these segments.

        :param corpus: texts and references that have been read
        """
        counters = [metric.counter(corpus) for metric, _ in self.parts]

        def count(start: int, stop: int, rows: Any) -> None:
            for counter, (metric, _, part) in zip(counters, self._of_each(np.asarray(rows))):
                table = np.zeros(part.shape, dtype=metric.dtype)
                counter(start, stop, table)
                part[start:stop] = table[start:stop]

        return count

    def _of_each(self, rows: NDArray[Any]) -> Iterator[tuple[Metric, float, NDArray[Any]]]:
        """Each metric, its weight and its columns of rows."""
        start = 0
        for metric, weight in self.parts:
            end = start + len(metric.columns)
            yield metric, weight, rows[:, start:end]
            start = end

    def _fill_pairs(self, texts: Batch, others: Batch, scores: NDArray[np.float64], *settings: Any) -> None:
        for metric, weight in self.parts:
            part = np.zeros_like(scores)
            metric._fill_pairs(texts, others, part, *settings)
            scores += weight * _as_share(metric, part)

    def evaluate(self, row: Sequence[float]) -> float:
        """Score a row or a sum of rows.

        :param row: a number for each column
        :raises StatisticsError: the row is not valid
        """
        return float(self.scores([row])[0])

    def scores_of(self, rows: NDArray[Any]) -> NDArray[np.float64]:
        """Score rows that are valid.

        :param rows: float64 `(n, columns)`
        """
        total = np.zeros(len(rows))
        for metric, weight, part in self._of_each(rows):
            total += weight * _as_share(metric, metric.scores_of(np.ascontiguousarray(part, dtype=metric.dtype)))
        return total


def _as_share(metric: Metric, scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """Scores from 0 to 1, where 1 is a perfect match."""
    if not metric.higher_is_better:
        scores = np.maximum(metric.scale - scores, 0.0)
    return scores / metric.scale
