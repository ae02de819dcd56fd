"""Choose hypotheses by weighted features."""

from __future__ import annotations

from .._runtime.arrays import first_not_finite
from ..errors import FeatureError
from ..nbest import NBest
from ..nbest.container import check_nbest
from ..nbest.weights import Weights, weighed, weights_of
from .selection import Selection, chosen


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
    sums = weighed(nbest.feature_rows, weights_of(nbest, weights, "weights", FeatureError), len(nbest.features))
    if (row := first_not_finite(sums)) is not None:
        raise FeatureError(f"the weighted sum of hypothesis {row} is {sums[row]}; the weights are too large")
    return chosen(nbest, nbest.offsets, sums)
