"""The rule by which a tuning loop stops."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf, isnan
from typing import TYPE_CHECKING

from .._runtime.numbers import as_number, check_whole
from ..errors import WeightsError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from .results import Iteration


@dataclass(frozen=True)
class Stopping:
    """The rule by which :func:`mert_loop` stops.

    It stops when the decoder finds no new hypothesis; when no weight changes by more than `weights_settle`, relative to
    the sum of the absolute values of the weights; when tuning raises the score of the weights that decoded by no more
    than `score_settles`; or after `iterations`.

    :param iterations: the maximum number of iterations
    :param weights_settle: the largest change for which a weight counts as unchanged
    :param score_settles: the largest gain that counts as no gain. By default 0 with a tuner that never lowers the
        score; with other tuners, the score does not stop the loop by default
    :raises WeightsError: a number is not valid

    >>> Stopping(iterations=5)
    Stopping(iterations=5, weights_settle=1e-05, score_settles=None)
    """

    iterations: int = 20
    weights_settle: float = 1e-5
    score_settles: float | None = None

    def __post_init__(self) -> None:
        check_whole(self.iterations, "iterations", 1, error=WeightsError)
        for name in ("weights_settle", "score_settles"):
            limit = getattr(self, name)
            if limit is not None and isnan(as_number(limit)):
                raise WeightsError(f"{name} is {limit!r}; it must be a number")

    def reason(self, iteration: Iteration, never_lowers: bool) -> str | None:
        """Return why the loop stops after an iteration, or None if it goes on.

        :param iteration: the iteration that ended
        :param never_lowers: see :class:`Tuner`
        """
        least_gain = self.score_settles
        if least_gain is None:
            least_gain = 0.0 if never_lowers else -inf
        if iteration.new == 0:
            return "the decoder brought no new hypothesis"
        if _largest_change(iteration.decoded, iteration.weights) <= self.weights_settle:
            return f"no weight changed by more than {self.weights_settle:g}"
        if iteration.score - iteration.start_score <= least_gain:
            return f"the score gained no more than {least_gain:g}"
        if iteration.number >= self.iterations:
            return f"after {self.iterations} iterations"
        return None


def _largest_change(before: Mapping[str, float], after: Mapping[str, float]) -> float:
    before_size = sum(map(abs, before.values())) or 1.0
    after_size = sum(map(abs, after.values())) or 1.0
    names = {*before, *after}
    return max(abs(before.get(name, 0.0) / before_size - after.get(name, 0.0) / after_size) for name in names)
