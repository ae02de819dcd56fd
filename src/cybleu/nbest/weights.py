"""Convert weights by name to vectors, and features to the rows that the backend weighs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from .._backend import FeatureRows
from .._files.text import listed, shown
from .._runtime.arrays import Array, Floats, first_not_finite, floats_given, np
from ..errors import FeatureError, WeightsError
from .sparse import SparseFeatures, no_features

if TYPE_CHECKING:
    from .container import NBest


Weights = Mapping[str, float] | Sequence[float] | Array


def rows_of(dense: Floats, sparse: SparseFeatures | None) -> Any:
    """Convert features to the backend's `FeatureRows`."""
    indptr, columns, values, names = sparse or no_features(len(dense))
    return FeatureRows(dense, indptr, columns, values, len(names))


def weighed(rows: Any, weights: Floats, size: int) -> Floats:
    """Return the weighted sum of each of the `size` rows of the backend."""
    sums = np.empty(size)
    rows.weigh(weights, sums)
    return sums


def weights_of(
    nbest: NBest, weights: Weights, name: str, error: type[FeatureError | WeightsError] = WeightsError
) -> Floats:
    """Return one finite weight for each feature, sparse ones after dense ones.

    Weights by name may omit sparse features, whose weights are then 0.

    :param name: the argument, for messages
    :param error: raised for a weight that is not finite
    :raises FeatureError: the weights do not match the features
    """
    names = nbest.names
    every = nbest.all_names
    if isinstance(weights, Mapping):
        known = set(every)
        unknown = [key for key in weights if key not in known]
        missing = [key for key in names if key not in weights]
        if unknown:
            raise FeatureError(
                f"{name} has {shown(unknown[0])}, which is not a feature; the features are "
                f"{listed(every)}{_hint(unknown[0], missing)}"
            )
        if missing:
            raise FeatureError(f"{name} has no weight for the feature {shown(missing[0])}; use 0 to ignore the feature")
        weights = [weights.get(key, 0.0) for key in every]
    vector = floats_given(weights, name).copy()
    if vector.shape != (len(every),):
        sparse = f", of which {len(every) - len(names)} are sparse" if len(every) > len(names) else ""
        raise FeatureError(
            f"{name} has the shape {vector.shape}; give one number for each of the {len(every)} features{sparse}"
        )
    if (place := first_not_finite(vector)) is not None:
        raise error(f"{name} is {vector[place]} for {shown(every[place])}; it must be finite")
    return vector


def _hint(name: str, names: Sequence[str]) -> str:
    """Suggest a name that differs only in the number that Moses's format adds, or in the case of its letters."""

    def core(name: Any) -> str:
        return str(name).removesuffix("_0").casefold()

    # only if there is no doubt
    near = [other for other in names if core(other) == core(name)]
    return f"; is {shown(near[0])} meant?" if len(near) == 1 else ""
