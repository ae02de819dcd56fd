"""Choose and sort hypotheses by weighted features."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .._runtime.arrays import first_not_finite, floats_given
from ..errors import FeatureError, LengthMismatchError
from ..nbest import NBest
from ..nbest.container import check_nbest
from ..nbest.weights import rows_of, weighed, weights_of
from .selection import Selection, chosen

if TYPE_CHECKING:
    from ..nbest.weights import Weights


def linear(nbest: NBest, weights: Weights) -> Selection[str]:
    """Choose the hypothesis of each segment with the largest weighted sum of its features.

    :param nbest: any list; for a segment without hypotheses the result is -1
    :param weights: the weights by name, for every dense feature and any of the sparse ones; or as numbers, in the order
        of `nbest.names`, followed by those of the sparse features if the list has any
    :return: a selection whose `scores` are the weighted sums, added up in the order of the features. If several are
        equally good, the lowest index is chosen
    :raises FeatureError: the weights do not match the features, or are not finite

    >>> nbest = NBest([0, 2, 4], [[1.0, 2.0], [2.0, 1.0], [0.0, 0.0], [0.0, 0.0]], [[0.0]] * 4, ["lm", "length"])
    >>> linear(nbest, {"lm": 1.0, "length": 0.5}).rows
    array([1, 2])
    """
    check_nbest(nbest)
    # added in the order of the features, so that equal features have equal sums
    sums = weighed(rows_of(nbest), weights_of(nbest, weights, "weights", FeatureError), len(nbest.features))
    if (row := first_not_finite(sums)) is not None:
        raise FeatureError(f"the weighted sum of hypothesis {row} is {sums[row]}; the weights are too large")
    return chosen(nbest, nbest.offsets, sums)


def nbest_sorted(nbest: NBest, weights: Weights | None = None, *, scores: Any = None) -> NBest:
    """Sort the hypotheses of each segment from the best to the worst.

    Equally good hypotheses keep their order. The `index` of the result is the position of each hypothesis in the input,
    and its `model_scores` are the scores by which it is sorted.

    :param nbest: any list
    :param weights: see :func:`linear`
    :param scores: scores to sort by instead of `weights`, finite numbers `(N,)`, such as those of a :class:`Selection`;
        higher is better
    :raises FeatureError: the weights do not match the features, or are not finite

    >>> nbest = NBest([0, 2, 3], [[1.0], [2.0], [0.5]], [[0.0]] * 3, ["lm"])
    >>> nbest_sorted(nbest, [1.0]).index
    array([1, 0, 2])
    """
    check_nbest(nbest)
    if (weights is None) == (scores is None):
        raise FeatureError("give either weights or scores to sort by")
    if weights is not None:
        return linear(nbest, weights).best_first()
    values = floats_given(scores, "scores")
    if values.shape != (len(nbest.features),):
        raise LengthMismatchError(
            f"scores has the shape {values.shape}, but there are {len(nbest.features)} hypotheses"
        )
    return chosen(nbest, nbest.offsets, nbest._check_finite(values, "score")).best_first()
