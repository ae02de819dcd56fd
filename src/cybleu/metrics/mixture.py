"""A weighted sum of metrics."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from .._runtime.numbers import finite_numbers
from ..errors import UnknownNameError, WeightsError
from ..text.parsing import parse_given
from ..text.values import GivenTexts
from .metric import Metric
from .names import named

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from ..text.corpora import Corpus
    from ..text.values import Kind
    from .formula import Formula
    from .references import References


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

    def of_corpus(self, references: Any) -> Mixture:
        """Return the mixture of the metrics with the weights of a corpus.

        :param references: for each segment a list of references
        """
        return Mixture(tuple((metric.of_corpus(references), weight) for metric, weight in self.parts))

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

    def for_rewards(self, brevity_penalty: bool = True) -> Mixture:
        """Return the metric that :func:`cybleu.reward_scores` uses.

        :param brevity_penalty: False leaves out the brevity penalty, which only BLEU has
        """
        return self._with(lambda metric: metric.for_rewards(brevity_penalty))

    def _with(self, change: Callable[[Metric], Metric]) -> Mixture:
        return Mixture(tuple((change(metric), weight) for metric, weight in self.parts))

    def count(self, hypothesis: Any, references: Sequence[Any]) -> list[float]:  # type: ignore[override]
        """Count a segment.

        :param hypothesis: a text that all the metrics accept
        :param references: one or more references, likewise
        """
        return self.rows([hypothesis], [references])[0].tolist()  # type: ignore[no-any-return]

    def _count_corpus(self, corpus: Corpus, **arguments: Any) -> NDArray[np.float64]:
        return self._side_by_side(metric._count_corpus(corpus, **arguments) for metric, _ in self.parts)

    def _count_prepared(self, references: References, hypotheses: Any, **arguments: Any) -> NDArray[np.float64]:
        return self._side_by_side(
            metric._count_prepared(references, hypotheses, **arguments) for metric, _ in self.parts
        )

    def _side_by_side(self, rows: Iterable[NDArray[Any]]) -> NDArray[np.float64]:
        from .._runtime.arrays import np

        return np.hstack(list(rows)).astype(np.float64, copy=False)

    def _parsed(self, texts: Any, name: str, kind: Kind) -> GivenTexts:
        return parse_given(texts, name)

    def _fill_pairs(
        self,
        references: GivenTexts,
        hypotheses: GivenTexts,
        result: NDArray[np.float64],
        threads: int | None,
        progress: bool,
    ) -> NDArray[np.float64]:
        others = None if references is hypotheses else references.texts
        result[:] = 0.0
        for metric, weight in self.parts:
            result += weight * self._of_one(metric, metric.pairs(hypotheses.texts, others, threads=threads))
        return result

    @staticmethod
    def _of_one(metric: Metric, scores: NDArray[np.float64]) -> NDArray[np.float64]:
        """Scores from 0 to 1, where 1 is a perfect match."""
        from .._runtime.arrays import np

        if not metric.higher_is_better:
            scores = np.maximum(metric.scale - scores, 0.0)
        return scores / metric.scale

    def evaluate(self, row: Sequence[float]) -> float:
        """Score a row or a sum of rows.

        :param row: a number for each column
        """
        from .._runtime.arrays import np

        self._check_width(len(row))
        return float(self._scores(np.array([row], dtype=np.float64))[0])

    def formula(self, width: int) -> Formula:
        """Return the formula that scores rows with this many columns in searches.

        :param width: the number of columns
        """
        from .formula import ArrayScores, FormulaOfRows

        self._check_width(width)
        return FormulaOfRows(self.evaluate, ArrayScores(self._scores))

    def _scores(self, rows: NDArray[np.float64]) -> NDArray[np.float64]:
        from .._runtime.arrays import np

        total = np.zeros(len(rows))
        start = 0
        for metric, weight in self.parts:
            end = start + len(metric.columns)
            part = np.ascontiguousarray(rows[:, start:end], dtype=metric.dtype)
            total += weight * self._of_one(metric, metric.formula(end - start).score_rows(part))
            start = end
        return total
