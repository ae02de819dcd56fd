"""Choosing and sorting by weighted features."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from .._files.text import listed, shown
from .._runtime.arrays import first_not_finite, floats_given, np
from ..errors import FeatureError, LengthMismatchError
from ..nbest import NBest, Segment
from ..nbest.container import check_nbest
from .selection import Selection, chosen, owners_of, reordered

if TYPE_CHECKING:
    from numpy.typing import NDArray


def linear(nbest: NBest, weights: Sequence[float] | Mapping[str, float]) -> Selection[str]:
    """Choose the hypothesis of each segment with the largest weighted sum of its features.

    :param nbest: any list; for a segment without hypotheses the result is -1
    :param weights: by name, for every dense feature and any of the sparse ones; or as numbers, in the order of
        `nbest.names`, followed by those of the sparse features if the list has any
    :return: a selection whose `scores` are the weighted sums, added up in the order of the features. Of equally good
        hypotheses the lowest index is chosen
    :raises FeatureError: the weights are not those of the features, or are not finite

    >>> nbest = NBest([0, 2, 4], [[1.0, 2.0], [2.0, 1.0], [0.0, 0.0], [0.0, 0.0]], [[0.0]] * 4, ["lm", "length"])
    >>> linear(nbest, {"lm": 1.0, "length": 0.5}).rows
    array([1, 2])
    """
    check_nbest(nbest)
    return chosen(nbest, nbest.offsets, weighted_features(nbest, weights))


def nbest_sorted(
    nbest: NBest, weights: Sequence[float] | Mapping[str, float] | None = None, *, scores: Any = None
) -> NBest:
    """The list with the hypotheses of each segment sorted from the best to the worst.

    Equally good hypotheses stay in their order.

    Its `index` still says where each hypothesis was in the input. Its `model_scores` are the scores by which it is
    sorted.

    :param nbest: any list
    :param weights: as for :func:`linear`
    :param scores: scores to sort by instead of `weights`, finite numbers `(N,)`, such as those of a :class:`Selection`;
        higher is better
    :raises FeatureError: the weights are not those of the features, or are not finite

    >>> nbest = NBest([0, 2, 3], [[1.0], [2.0], [0.5]], [[0.0]] * 3, ["lm"])
    >>> nbest_sorted(nbest, [1.0]).index
    array([1, 0, 2])
    """
    check_nbest(nbest)
    if (weights is None) == (scores is None):
        raise FeatureError("give weights or scores to sort by, one of the two")
    values = weighted_features(nbest, weights) if weights is not None else floats_given(scores, "scores")
    if values.shape != (len(nbest.features),):
        raise LengthMismatchError(
            f"scores has the shape {values.shape}, and there are {len(nbest.features)} hypotheses"
        )
    order = np.lexsort((-values, owners_of(nbest.offsets)))
    return reordered(nbest, order, values[order])


def weighted_features(nbest: NBest | Segment, weights: Sequence[float] | Mapping[str, float]) -> NDArray[np.float64]:
    """The weighted sum of the features of each hypothesis, added up in their order: equal features give equal sums.

    The arguments and errors are those of :func:`linear`.
    """
    dense, of_sparse = split_weights(nbest.names, () if nbest.sparse is None else nbest.sparse.names, weights)
    with np.errstate(over="ignore", invalid="ignore"):
        sums = np.zeros(len(nbest.features))
        for column, weight in enumerate(dense):
            sums += nbest.features[:, column] * weight
        if nbest.sparse is not None and len(nbest.sparse.values):
            rows = owners_of(nbest.sparse.indptr)
            terms = nbest.sparse.values * np.array(of_sparse)[nbest.sparse.columns]
            sums += np.bincount(rows, terms, minlength=len(sums))
    if (row := first_not_finite(sums)) is not None:
        raise FeatureError(f"the weighted sum of hypothesis {row} is {sums[row]}; the weights are too large")
    return sums


def split_weights(
    names: Sequence[str], sparse_names: Sequence[str], weights: Sequence[float] | Mapping[str, float]
) -> tuple[list[float], list[float]]:
    """The weights of the dense and of the sparse features, checked."""
    if isinstance(weights, Mapping):
        known = {*names, *sparse_names}
        unknown = [name for name in weights if name not in known]
        if unknown:
            raise FeatureError(
                f"there is a weight of {shown(unknown[0])}, which is no feature of the list: {listed(names)}"
            )
        missing = [name for name in names if name not in weights]
        if missing:
            raise FeatureError(f"there is no weight of the feature {shown(missing[0])}; give 0 to leave it out")
        values = floats_given([weights.get(name, 0.0) for name in (*names, *sparse_names)], "weights")
    else:
        values = floats_given(weights, "weights")
        if values.ndim != 1:
            raise FeatureError(f"weights has {values.ndim} dimensions; give one for each feature, or by name")
        if len(values) != len(names) + len(sparse_names):
            sparse = f" and {len(sparse_names)} sparse ones" if sparse_names else ""
            raise FeatureError(
                f"there are {len(values)} weights for {len(names)} features{sparse}; give one for each, or by name"
            )
    if (place := first_not_finite(values)) is not None:
        name = (*names, *sparse_names)[place]
        raise FeatureError(f"the weight of {shown(name)} is {values[place]}; weights are finite numbers")
    numbers = values.tolist()
    return numbers[: len(names)], numbers[len(names) :]
