"""A weighted sum of metrics."""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from .._runtime.numbers import finite_numbers
from ..errors import UnknownNameError, WeightsError
from ..stats.prepared import are_prepared
from .metric import Metric

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from .formula import Formula


@dataclass(frozen=True)
class Mixture(Metric):
    """A weighted sum of metrics, each from 0 to 1. References are read and prepared once for all of them.

    A row has the rows of the metrics one after the other, as float64. An error rate such as TER counts as 1 minus the rate, or 0
    where it is above 1. The scale is 1, and the score of a perfect match is the sum of the weights.

    :param parts: metrics, which are added up in this order, and a weight for each; metrics of raw text, such as chrF, can only be
        mixed with others if the texts are raw text with `tokenize`
    :raises WeightsError: there is no metric, or not a finite weight for each

    >>> from cybleu.metrics import Mixture, find
    >>> metric = Mixture(((find("sacrebleu"), 0.5), (find("chrf"), 0.5)))
    >>> rows = metric.rows([["The cat sat on the mat."]], ["The cat sat on a mat."], tokenize="13a")
    >>> metric.scores(rows).round(3)
    array([0.573])
    """

    parts: tuple[tuple[Metric, float], ...]

    scale = 1
    takes_fractions = True

    def __post_init__(self) -> None:
        try:
            parts = tuple((metric, weight) for metric, weight in self.parts)
        except (TypeError, ValueError):
            parts = ()
        weights = finite_numbers([weight for _, weight in parts], "the weights")
        if not parts or weights is None:
            raise WeightsError(
                f"a mixture requires pairs of a metric and a finite weight, and these are {self.parts!r}"
            )
        for metric, _ in parts:
            if not isinstance(metric, Metric):
                raise UnknownNameError(f"a mixture requires metrics, and this is {metric!r}; use cybleu.metrics.find")
        object.__setattr__(self, "parts", tuple((metric, weight) for (metric, _), weight in zip(parts, weights)))

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
    def of_raw_text(self) -> bool:  # type: ignore[override]
        """Whether all the metrics read raw text."""
        return all(metric.of_raw_text for metric, _ in self.parts)

    @property
    def signature(self) -> str:
        """The definition in one line."""
        return "+".join(f"{weight:g}*({metric.signature})" for metric, weight in self.parts)

    def of_sentences(self) -> Mixture:
        """Return the metric for scoring single sentences."""
        return self._with(lambda metric: metric.of_sentences())

    def for_rewards(self, brevity_penalty: bool = True) -> Mixture:
        """Return the metric that :func:`cybleu.bleu_rewards` uses.

        :param brevity_penalty: False leaves out the brevity penalty, which only BLEU has
        """
        return self._with(lambda metric: metric.for_rewards(brevity_penalty))

    def _with(self, change: Callable[[Metric], Metric]) -> Mixture:
        return Mixture(tuple((change(metric), weight) for metric, weight in self.parts))

    def row(self, references: Sequence[Collection[Hashable]], hypothesis: Collection[Hashable]) -> list[float]:  # type: ignore[override]
        """Count a segment.

        :param references: one or more references, each in the form that all the metrics accept
        :param hypothesis: a text of the same form
        """
        return [float(number) for metric, _ in self.parts for number in metric.row(references, hypothesis)]

    def rows(
        self,
        references: Any,
        hypotheses: Any,
        *,
        tokenize: str | Callable[[str], Sequence[Hashable]] | None = None,
        lowercase: bool = False,
        **arguments: Any,
    ) -> NDArray[np.float64]:
        """Count segments, and return the row of each.

        The other parameters are those of :meth:`cybleu.metrics.Metric.rows`.

        :param references: for each segment a list of references, or prepared :class:`cybleu.References`
        :param hypotheses: a batch of texts
        :param tokenize: the tokeniser of raw text, for the metrics that count tokens
        :param lowercase: convert raw text to lower case first
        :param arguments: other arguments of the metrics' own method
        """
        from .._runtime.arrays import np

        raw = [metric.of_raw_text for metric, _ in self.parts]
        if any(raw) and not all(raw) and not are_prepared(references):
            from ..stats.references import References

            if tokenize is None:
                raise UnknownNameError(
                    f"{self.name} counts raw text and tokens, so it requires tokenize=, such as '13a'"
                )
            prepared = References(references, **self._reference_rules(), tokenize=tokenize, lowercase=lowercase)
            return self.rows(prepared, hypotheses, **arguments)
        found = [
            metric.rows(
                references,
                hypotheses,
                tokenize=None if metric.of_raw_text else tokenize,
                lowercase=lowercase,
                **arguments,
            )
            for metric, _ in self.parts
        ]
        return np.hstack(found).astype(np.float64, copy=False)

    def _reference_rules(self) -> dict[str, Any]:
        """How BLEU requires the references to be counted, the first if there are several."""
        from .bleu import Bleu

        for metric, _ in self.parts:
            if isinstance(metric, Bleu):
                return {"max_order": metric.order, "reference_length": metric.definition.reference_length}
        return {}

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
            scores = metric.formula(end - start).score_rows(part)
            if not metric.higher_is_better:
                scores = np.maximum(metric.scale - scores, 0.0)
            total += weight * (scores / metric.scale)
            start = end
        return total
