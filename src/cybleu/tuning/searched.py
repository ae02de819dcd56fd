"""Convert lists with sparse features for line searches: sparse features off the line become one weighted sum."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING

from .._files.text import listed, shown
from .._runtime.arrays import floats_given, np, repeat
from ..errors import FeatureError, WeightsError
from ..nbest import NBest
from ..nbest.weights import rows_of, weights_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ..nbest.weights import Weights

    Fixed = Mapping[str, float] | Collection[str]


class Searched:
    """View of a list without sparse features.

    Its features are the dense ones, the sparse ones that are searched and, if other sparse features have weights, their
    weighted sum as an additional feature with the weight 1. A list without sparse features is not changed.

    :param weights: of all features
    :param names: sparse features to search
    :ivar nbest: the list without sparse features
    :ivar names: its features, without that of the sum
    """

    def __init__(self, nbest: NBest, weights: NDArray[np.float64], names: Collection[str]):
        self.nbest, self.names, self._weights = nbest, nbest.names, weights
        self._places: NDArray[np.intp] = np.arange(len(nbest.names), dtype=np.intp)
        if nbest.sparse is None:
            return
        sparse, width = nbest.sparse, len(nbest.names)
        numbers = {name: number for number, name in enumerate(sparse.names)}
        for name in names:
            if name not in numbers:
                raise FeatureError(f"there is no sparse feature {shown(name)}; there are {listed(sparse.names)}")
        columns = sorted({numbers[name] for name in names})
        self.names = (*nbest.names, *(sparse.names[column] for column in columns))
        if not self.names:
            raise FeatureError("all features of the list are sparse; tune their weights with kbmira or pro")
        self._places = np.append(self._places, np.array(columns, dtype=np.intp) + width)
        others = weights.copy()
        others[self._places] = 0.0
        has_sum = bool(others.any())
        features = np.zeros((len(nbest.features), len(self.names) + has_sum))
        features[:, :width] = nbest.features
        owners = repeat(np.arange(len(features), dtype=np.intp), np.diff(sparse.indptr))
        for place, column in enumerate(columns, width):
            found = np.flatnonzero(sparse.columns == column)
            features[owners[found], place] = sparse.values[found]
        if has_sum:
            sums = np.empty(len(features))
            rows_of(nbest).weigh(others, sums)
            if not np.isfinite(sums).all():
                raise WeightsError("these weights of sparse features are more than a float can hold")
            features[:, -1] = sums
        name = "held"
        while name in numbers or name in nbest.names:
            name += "_"
        self.nbest = NBest(
            nbest.offsets,
            features,
            nbest.stats,
            (*self.names, name)[: features.shape[1]],
            score=nbest.score,
            index=nbest.index,
            inputs=nbest.inputs,
        )

    @property
    def _name_of_sum(self) -> tuple[str, ...]:
        return self.nbest.names[len(self.names) :]

    def part(self, weights: NDArray[np.float64], of_sum: float = 1.0) -> NDArray[np.float64]:
        """Select the weights of this list's features.

        :param weights: of all features
        :param of_sum: the weight of the sum
        """
        return np.append(weights[self._places], [of_sum] * len(self._name_of_sum))

    def fixed(self, fixed: Fixed) -> Fixed:
        """Add the weight of the sum."""
        if not self._name_of_sum or not isinstance(fixed, Collection):
            return fixed
        return {**fixed, self._name_of_sum[0]: 1.0} if isinstance(fixed, Mapping) else [*fixed, self._name_of_sum[0]]

    def whole(self, weights: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the weights of all features.

        :param weights: of this list's features
        """
        every = self._weights.copy()
        every[self._places] = weights[: len(self.names)]
        return every


def searched_list(nbest: NBest, start: Weights | None, fixed: Fixed) -> tuple[Searched, Weights | None, Fixed]:
    """Return the list to search, the start weights if given, and the fixed weights.

    :param start: of all dense features and any sparse ones; by default 1 for dense features and 0 for sparse ones
    :param fixed: features of either kind
    """
    if nbest.sparse is None:
        return Searched(nbest, np.zeros(len(nbest.names)), ()), start, fixed
    known = set(nbest.sparse.names)
    if start is None:
        weights = np.array([1.0] * len(nbest.names) + [0.0] * len(nbest.sparse.names))
    else:
        weights = weights_of(nbest.names, start, "start", nbest.sparse.names)
    if isinstance(fixed, str):
        fixed = [fixed]
    if isinstance(fixed, Mapping):
        numbers = {name: number for number, name in enumerate(nbest.sparse.names, len(nbest.names))}
        for name in set(fixed) & known:
            number = floats_given(fixed[name], f"the weight of {shown(name)}")
            if number.ndim or not np.isfinite(number):
                raise WeightsError(f"the weight of {shown(name)} is {fixed[name]!r}; it must be a finite number")
            weights[numbers[name]] = float(number)
        fixed = {name: weight for name, weight in fixed.items() if name not in known}
    elif isinstance(fixed, Collection):
        fixed = [name for name in fixed if name not in known]
    found = Searched(nbest, weights, ())
    return found, None if start is None else found.part(weights), found.fixed(fixed)
