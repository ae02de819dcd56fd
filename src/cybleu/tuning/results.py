"""Results of searches as data classes, which ``print`` formats."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from .._runtime.html import html_table
from ..metrics.operations import percent

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


def as_read(scale: float | None, *scores: float) -> str:
    """Format a score for display, or a first and a last one with an arrow between: from 0 to 100 if the scale is known."""
    return " -> ".join(f"{score:.6g}" if scale is None else f"{percent(score, scale):.4f}" for score in scores)


@dataclass(frozen=True, kw_only=True)
class Tuned:
    """Weights with their score.

    :param weights: the weights by name, with sparse features after the dense ones
    :param score: the score of these weights, on the scale of the metric; `start_score` is that of the start
    :param metric: the name of the metric
    :param scale: the score of a perfect match, or None if it is not known; if it is known, ``print`` shows scores from
        0 to 100
    """

    weights: dict[str, float]
    score: float
    start_score: float
    metric: str
    scale: float | None

    def __str__(self) -> str:
        weights = [f"{name} {weight!r}" for name, weight in self.weights.items()]
        return "\n".join([as_read(self.scale, self.start_score, self.score), *weights])

    def _repr_html_(self) -> str:
        return html_table(str(self).partition("\n")[0], ["feature", "weight"], self.weights.items())


@dataclass(frozen=True, kw_only=True)
class LineSearch(Tuned):
    """The optimum on a line.

    :param step: the position of the optimum, which is at weights + step * direction
    :param score: the score of the weights at the optimum, on the scale of the metric
    :param stats: the sum of the statistics of the hypotheses that these weights choose
    :param left: the start of the interval with these statistics, and `right` is its end; nan if the step is not the
        result of a search: at 0, where hypotheses tie, or if no other step can be searched, as with `lower` equal to
        `upper`
    :param start_score: the score of the start weights; nan if 0 is not between `lower` and `upper`
    :param weights: the weights at the optimum, by name
    :param surface: the error surface, if requested: where each interval begins, and its score
    :param scale: the score of a perfect match, or None for a function or a plain sum; if it is known, ``print`` shows
        scores from 0 to 100

    >>> from cybleu.nbest import NBest
    >>> from cybleu.tuning import line_search
    >>> nbest = NBest([0, 2], [[0.0, 2.0], [1.0, 0.0]], [[1.0], [0.0]], ["a", "b"])
    >>> found = line_search(nbest, [1.0, 0.0], "b")
    >>> found.step, found.left, found.right, found.weights
    (0.5625, 0.5, inf, {'a': 1.0, 'b': 0.5625})
    """

    step: float
    stats: tuple[float, ...]
    left: float
    right: float
    surface: tuple[NDArray[np.float64], NDArray[np.float64]] | None = field(compare=False)  # arrays have no truth value

    def __str__(self) -> str:
        score = as_read(self.scale, self.score)
        start = as_read(self.scale, self.start_score)
        return f"{score} at {self.step:.6g}, in {self.left:.6g} to {self.right:.6g}, from {start}"


@dataclass(frozen=True)
class Move:
    """A move of a climb.

    :param direction: the name of the feature whose weight moved; ``perturbed`` if all weights moved at once
    :param step: the change of the weight; 0 for ``perturbed``
    :param score: the score after the move, on the scale of the metric

    >>> from cybleu.nbest import NBest
    >>> from cybleu.tuning import tune
    >>> nbest = NBest([0, 2], [[0.0, 2.0], [1.0, 0.0]], [[1.0], [0.0]], ["a", "b"])
    >>> tune(nbest, [1.0, 0.0], restarts=0).history
    (Move(direction='a', step=-1.125, score=1.0),)
    """

    direction: str
    step: float
    score: float


@dataclass(frozen=True, kw_only=True)
class Restart(Tuned):
    """A climb from one start, or two climbs that begin near the end of an earlier restart.

    :param number: the number of the restart; 0 is the climb from the given start
    :param start_score: the score of the weights at the start
    :param score: the score of the weights at the end
    :param weights: the weights at the end, by name
    :param moves: the moves from the start to the end
    :param line_searches: the number of line searches
    :param scale: see :class:`LineSearch`
    :param origin: the number of the restart at whose end this one began; None if it began at random weights or at the
        given start

    >>> from cybleu.nbest import NBest
    >>> from cybleu.tuning import tune
    >>> nbest = NBest([0, 2], [[0.0, 2.0], [1.0, 0.0]], [[1.0], [0.0]], ["a", "b"])
    >>> restart = tune(nbest, [1.0, 0.0], restarts=0).restarts[0]
    >>> restart.number, restart.score
    (0, 1.0)
    """

    number: int
    moves: tuple[Move, ...]
    line_searches: int
    origin: int | None

    def __str__(self) -> str:
        scores = as_read(self.scale, self.start_score, self.score)
        near = "" if self.origin is None else f", from near the end of {self.origin}"
        return f"{self.number:3} {scores}, {len(self.moves)} moves, {self.line_searches} line searches{near}"


@dataclass(frozen=True, kw_only=True)
class Tuning(Tuned):
    """The result of :func:`tune`.

    :param weights: the weights by name
    :param score: the score of these weights, on the scale of the metric; `start_score` is the score of the start
    :param stats: the sum of the statistics of the chosen hypotheses
    :param chosen: the index in the input of the best hypothesis of each segment, int64 `(segments,)`; -1 for a segment
        without hypotheses
    :param restarts: all climbs; the first one is from the given start
    :param best: the number of the restart that ended with these weights
    :param metric: the name of the metric
    :param scale: see :class:`LineSearch`

    >>> from cybleu.nbest import NBest
    >>> from cybleu.tuning import tune
    >>> nbest = NBest([0, 2, 2], [[0.0, 2.0], [1.0, 0.0]], [[1.0], [0.0]], ["a", "b"])
    >>> result = tune(nbest, [1.0, 0.0], restarts=0)
    >>> result.score, result.start_score, result.chosen
    (1.0, 0.0, array([ 0, -1]))
    """

    stats: tuple[float, ...]
    chosen: NDArray[np.int64] = field(compare=False)
    restarts: tuple[Restart, ...]
    best: int

    @property
    def history(self) -> tuple[Move, ...]:
        """All moves from the given or random start to these weights, including those of the restarts in between."""
        number: int | None = self.best
        moves: tuple[Move, ...] = ()
        # from the end back to the start, because each restart knows only where it began
        while number is not None:
            moves = self.restarts[number].moves + moves
            number = self.restarts[number].origin
        return moves

    @property
    def line_searches(self) -> int:
        """The number of line searches of all climbs."""
        return sum(restart.line_searches for restart in self.restarts)

    def __str__(self) -> str:
        return f"{self.metric} {super().__str__()}"


@dataclass(frozen=True)
class Iteration:
    """An iteration of a tuning loop: decoding and tuning.

    :param number: the number of the iteration, from 1
    :param weights: the tuned weights, by name
    :param start_score: the score of the weights that the decoder was called with, on the lists of all iterations so far
    :param score: the score of the tuned weights on the same lists
    :param hypotheses: the number of hypotheses in these lists, without duplicates; `new` is the number of those that
        earlier lists did not have
    :param scale: the score of a perfect match, or None if it is not known; if it is known, ``print`` shows scores from
        0 to 100
    :param decoded: the weights that the decoder was called with, by name
    :param decoded_score: the score of these weights on the list of this iteration alone

    >>> print(Iteration(1, {"lm": 1.0}, 0.25, 0.5, 200, 200, scale=None, decoded={"lm": 0.5}, decoded_score=0.25))
      1 decoded 0.25, 0.25 -> 0.5, 200 hypotheses, 200 of them new
    """

    number: int
    weights: dict[str, float]
    start_score: float
    score: float
    hypotheses: int
    new: int
    scale: float | None
    decoded: dict[str, float]
    decoded_score: float

    def __str__(self) -> str:
        scores = as_read(self.scale, self.start_score, self.score)
        decoded = as_read(self.scale, self.decoded_score)
        return f"{self.number:3} decoded {decoded}, {scores}, {self.hypotheses} hypotheses, {self.new} of them new"


@dataclass(frozen=True)
class Loop:
    """The result of :func:`mert_loop`; ``print`` shows it.

    :param iterations: all iterations, including those of earlier calls
    :param reason: the reason why the loop stopped

    >>> first = Iteration(1, {"lm": 1.0}, 0.25, 0.5, 200, 200, None, decoded={"lm": 0.5}, decoded_score=0.25)
    >>> second = Iteration(2, {"lm": 2.0}, 0.5, 0.5, 200, 0, None, decoded={"lm": 1.0}, decoded_score=0.5)
    >>> run = Loop((first, second), "stopped")
    >>> run.weights, run.score, run.best.decoded, run.reason
    ({'lm': 2.0}, 0.5, {'lm': 1.0}, 'stopped')
    """

    iterations: tuple[Iteration, ...]
    reason: str

    @property
    def weights(self) -> dict[str, float]:
        """The weights tuned last, by name."""
        return self.iterations[-1].weights

    @property
    def score(self) -> float:
        """The score of these weights, on the lists of all iterations."""
        return self.iterations[-1].score

    @property
    def best(self) -> Iteration:
        """The iteration with the best decoder output.

        Its `decoded` are the weights that the decoder used, and its `decoded_score` is their score.

        If several are equally good, it is the last of them. The weights tuned last are not considered, because the
        decoder was not run with them.
        """
        # `max` returns the first of equal ones, and a later iteration has seen more lists
        return max(reversed(self.iterations), key=lambda iteration: iteration.decoded_score)

    def __str__(self) -> str:
        return "\n".join([*map(str, self.iterations), self.reason])
