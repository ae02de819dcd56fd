"""Line searches on lists with sparse features: a few of them are searched, the others held at their weights."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING

from .._files.text import listed, shown
from .._runtime.arrays import floats_given, np
from ..errors import FeatureError, WeightsError
from ..nbest import NBest
from .model import rows_of
from .space import weights_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from .space import Weights


class Held:
    """A list with sparse features as one that has none, for searches.

    Its features are the dense ones, those of the sparse ones that are searched, and where others have weights the sum of
    these, weighted, as one more feature whose weight is 1.

    :param weights: of all features
    :param searched: the names of sparse features
    :ivar nbest: the list without sparse features
    :ivar names: of its features, without the last one if that is a sum
    :ivar has_sum: whether it is
    """

    def __init__(self, nbest: NBest, weights: NDArray[np.float64], searched: Collection[str]):
        assert nbest.sparse is not None
        sparse = nbest.sparse
        numbers = {name: number for number, name in enumerate(sparse.names)}
        for name in searched:
            if name not in numbers:
                raise FeatureError(f"there is no sparse feature {shown(name)}; there are {listed(sparse.names)}")
        self.width = len(nbest.names)
        self.weights = weights
        self._columns = sorted({numbers[name] for name in searched})
        self.names = (*nbest.names, *(sparse.names[column] for column in self._columns))
        others = weights.copy()
        others[: self.width] = 0.0
        others[self._places[self.width :]] = 0.0
        self.has_sum = bool(others.any())
        if not self.names:
            raise FeatureError("all features of the list are sparse, and none of them is searched; give searched=")
        features = np.zeros((len(nbest.features), len(self.names) + self.has_sum))
        features[:, : self.width] = nbest.features
        owners = np.repeat(np.arange(len(features)), np.diff(sparse.indptr))
        for place, column in enumerate(self._columns, self.width):
            found = np.flatnonzero(sparse.columns == column)
            features[owners[found], place] = sparse.values[found]
        if self.has_sum:
            sums = np.empty(len(features))
            rows_of(nbest).weigh(others, sums)
            if not np.isfinite(sums).all():
                raise WeightsError("these weights of sparse features are more than a float can hold")
            features[:, -1] = sums
        name = "held"
        while name in numbers or name in nbest.names:
            name += "_"
        names = (*self.names, name)[: features.shape[1]]
        self.nbest = NBest(
            nbest.offsets, features, nbest.stats, names, score=nbest.score, index=nbest.index, inputs=nbest.inputs
        )

    @property
    def _places(self) -> NDArray[np.int64]:
        """Where the weights that are searched are among all."""
        return np.append(np.arange(self.width), self.width + np.array(self._columns, dtype=np.int64))

    def part(self, weights: NDArray[np.float64], of_sum: float) -> NDArray[np.float64]:
        """Of weights of all features those of the list without sparse ones.

        :param of_sum: that of the sum
        """
        searched = weights[self._places]
        return np.append(searched, of_sum) if self.has_sum else searched

    def fixed(self, fixed: Mapping[str, float] | Collection[str]) -> Mapping[str, float] | Collection[str]:
        """These, and the weight of the sum."""
        if not self.has_sum or not isinstance(fixed, Collection):
            return fixed
        name = self.nbest.names[-1]
        return {**fixed, name: 1.0} if isinstance(fixed, Mapping) else [*fixed, name]

    def whole(self, searched: NDArray[np.float64]) -> NDArray[np.float64]:
        """The weights of all features, from those of the list without sparse ones."""
        weights = self.weights.copy()
        weights[self._places] = searched[: len(self.names)]
        return weights


def held_by(
    nbest: NBest,
    start: Weights | None,
    fixed: Mapping[str, float] | Collection[str],
    searched: Collection[str],
) -> tuple[Held, NDArray[np.float64] | None, Mapping[str, float] | Collection[str]]:
    """The list for a climb, the start of its weights if one is given, and which of them are fixed.

    :param start: of all dense features and any sparse ones; by default 1 for what is searched and 0 for the others
    :param fixed: features of either kind
    """
    assert nbest.sparse is not None
    known = set(nbest.sparse.names)
    searched = [searched] if isinstance(searched, str) else list(searched)
    if start is None:
        weights = np.repeat([1.0, 0.0], [len(nbest.names), len(nbest.sparse.names)])
        chosen = set(searched)
        weights[len(nbest.names) :] = [float(name in chosen) for name in nbest.sparse.names]
    else:
        weights = weights_of(nbest.names, start, "start", nbest.sparse.names)
    if isinstance(fixed, str):
        fixed = [fixed]
    both = [name for name in searched if isinstance(fixed, Collection) and name in fixed]
    if both:
        raise FeatureError(f"the feature {shown(both[0])} is to be searched and to be fixed; name it once")
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
    held = Held(nbest, weights, searched)
    return held, None if start is None else held.part(weights, 1.0), held.fixed(fixed)
