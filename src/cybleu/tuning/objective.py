"""What tuners of a linear model share: how sums of statistics are scored, and weights by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from math import isnan
from typing import TYPE_CHECKING, Any

from .. import _backend, _mirror
from ..metrics import bleu as variants
from .._runtime.arrays import np
from ..errors import FeatureError, StatisticsError, WeightsError
from ..nbest.container import NBest
from ..metrics.bleu import Variant

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Metric = str | Variant | Callable[[NDArray[Any]], float] | None
    Weights = Mapping[str, float] | Sequence[float] | NDArray[Any]


class Objective:
    """How a sum of statistics is scored.

    :param stats: the rows to be added up, which are not always those given: NLTK's BLEU counts an order that a segment
        is too short for as one n-gram
    """

    def __init__(self, nbest: NBest, metric: Metric):
        self.stats = nbest.stats
        self.rules: Variant | None = None
        self.definition: Any = None
        self.plateau: Objective | None = None
        function = nbest.score if metric is None else metric
        if callable(function) and not isinstance(function, (str, Variant)):
            self.name = getattr(function, "__name__", "score")
            self.function: Callable[[Any], float] = function
        elif nbest.stats.dtype == np.float64:
            if metric is not None or nbest.stats.shape[1] != 1:
                raise StatisticsError(
                    f"the statistics are {nbest.stats.shape[1]} float columns, which are not BLEU's; give a function of "
                    "their sum as metric"
                )
            self.name = "sum"
            self.function = _only
        else:
            rules = variants.find("moses" if function is None else function)
            self._fill(rules)
            smoothed = replace(self.rules or rules, smoothings=(("add", "add-all", 1.0),), no_match_at_all="smoothed")
            self.plateau = object.__new__(Objective)
            self.plateau.stats = self.stats
            self.plateau._fill(smoothed)

    def _fill(self, rules: Variant) -> None:
        order = self.stats.shape[1] // 2 - 1
        self.name = rules.name
        if rules.short_segments_count:
            self.stats = self.stats.copy()
            np.maximum(self.stats[:, 2 + order :], 1, out=self.stats[:, 2 + order :])
        # A tool that stops at an empty text has no score for one; here it is the worst.
        self.rules = replace(rules, short_segments_count=False, empty_hypothesis="zero")
        choices = variants.definition_of(self.rules, order)
        self.definition, self.general = _backend.chosen.Definition(*choices), _mirror.Definition(*choices)
        self.function = self._bleu

    def _bleu(self, row: NDArray[Any]) -> float:
        assert self.rules is not None
        return variants.score(row.tolist(), self.rules).score

    def score(self, row: NDArray[Any]) -> float:
        number = float(self.function(row))
        if isnan(number):
            raise StatisticsError(f"the metric {self.name} gave nan for the sum {row.tolist()}")
        return number

    def scores(self, rows: NDArray[Any]) -> NDArray[np.float64]:
        if self.rules is None:
            return np.array([self.score(row) for row in rows])
        return variants.scores(rows, self.rules)

    def merit(self, row: NDArray[Any]) -> tuple[float, float]:
        """What is compared: the score, and where that is 0 a smoothed one, so that a search can leave a plateau."""
        score = self.score(row)
        return score, self.plateau.score(row) if self.plateau and score == 0 else 0.0


def _only(row: NDArray[Any]) -> float:
    return float(row[0])


def weights_of(names: Sequence[str], weights: Weights, name: str) -> NDArray[np.float64]:
    """One finite number for each feature, in the order of their names."""
    if isinstance(weights, Mapping):
        unknown = [key for key in weights if key not in names]
        missing = [key for key in names if key not in weights]
        if unknown or missing:
            raise FeatureError(
                f"{name} names {unknown[0]!r}, which is no feature; there are {', '.join(names)}"
                if unknown
                else f"{name} has nothing for the feature {missing[0]!r}; give each feature one"
            )
        weights = [weights[key] for key in names]
    vector = np.array(weights, dtype=np.float64)
    if vector.shape != (len(names),):
        raise FeatureError(f"{name} has the shape {vector.shape}; give one for each of the {len(names)} features")
    if not np.isfinite(vector).all():
        place = int(np.isfinite(vector).argmin())
        raise WeightsError(f"{name} is {vector[place]} for {names[place]!r}; it must be finite")
    return vector
