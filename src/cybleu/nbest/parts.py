"""Arrays of hypotheses that readers and mergers put together, before they become an :class:`cybleu.nbest.NBest`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING

from .._runtime.arrays import Array, Floats, Integers, np, repeat
from .features import SparseFeatures

if TYPE_CHECKING:
    from .container import NBest


@dataclass(frozen=True, eq=False)
class Part:
    """Hypotheses of consecutive lines. Nothing is validated, and the arrays may be views.

    :param offsets: the hypotheses of run r are ``offsets[r]:offsets[r + 1]``
    :param ids: the segment of each run; the last run may continue in the next part
    :param index: the index of each hypothesis in the input; None if they are in the order of the input
    """

    offsets: Integers
    ids: Integers
    features: Floats
    names: tuple[str, ...]
    stats: Array | None = None
    texts: list[str] | None = None
    sparse: SparseFeatures | None = None
    model_scores: Floats | None = None
    index: Integers | None = None

    def taken(self, rows: Integers | slice, offsets: Integers, ids: Integers, index: Integers | None = None) -> Part:
        """Select some hypotheses.

        :param rows: their indices, in the order of the new part; or a slice of consecutive ones
        :param index: the `index` of the new part
        """
        texts = self.texts
        if texts:
            texts = texts[rows] if isinstance(rows, slice) else [texts[row] for row in rows.tolist()]
        return Part(
            offsets=offsets,
            ids=ids,
            features=self.features[rows],
            names=self.names,
            stats=None if self.stats is None else self.stats[rows],
            texts=texts,
            sparse=None if self.sparse is None else self.sparse.rows(rows),
            model_scores=None if self.model_scores is None else self.model_scores[rows],
            index=index,
        )


def part_of(nbest: NBest) -> Part:
    """Return the arrays of a list."""
    return Part(**{field.name: getattr(nbest, field.name) for field in fields(Part)})


def _grown(array: Array, count: int, rows: Array) -> Array:
    """Write rows after the first `count` rows of an array, and return it, or a larger copy if they have no room in it.

    Memory that is reserved and not written to is not used. Earlier rows have 0 in the columns that only later rows have,
    as in Joshua's format.
    """
    end = count + len(rows)
    if end > len(array) or rows.shape[1:] != array.shape[1:]:
        # twice the rows, so that all copies together take linear time
        larger = np.zeros((2 * end, *rows.shape[1:]), rows.dtype)
        larger[(slice(count), *map(slice, array.shape[1:]))] = array[:count]
        array = larger
    array[count:end] = rows
    return array


def joined_parts(parts: Iterable[Part]) -> Part:
    """Concatenate parts. A run that continues the last one of the part before becomes one run with it."""
    # each part is copied at once and can be freed: all parts and their union would take twice the memory
    growing: dict[str, Array] = {}
    written: Counter[str] = Counter()  # rows of each array so far
    texts: list[str] = []
    for part in parts:
        arrays = {
            "features": part.features,
            "stats": part.stats,
            "model_scores": part.model_scores,
            "index": part.index,
            "ids": part.ids,
            "sizes": np.diff(part.offsets),
        }
        if part.sparse is not None:
            arrays["sparse_sizes"] = np.diff(part.sparse.indptr)
            arrays["columns"] = part.sparse.columns
            arrays["values"] = part.sparse.values
        for name, array in arrays.items():
            if array is not None:
                growing[name] = _grown(growing.get(name, array[:0].copy()), written[name], array)
                written[name] += len(array)
        texts += part.texts or ()
    found = {name: array[: written[name]] for name, array in growing.items()}
    ids = found["ids"]
    bounds = np.append(0, np.cumsum(found["sizes"]))
    # a run with the id of the run before continues it; there may be no run
    starts = np.append(True, ids[1:] != ids[:-1])[: len(ids)]
    sparse = None
    # a reader does not know before the end whether the file has sparse features
    if part.sparse is not None and part.sparse.names:
        indptr = np.append(0, np.cumsum(found["sparse_sizes"]))
        sparse = SparseFeatures(indptr, found["columns"], found["values"], part.sparse.names)
    return Part(
        offsets=np.append(bounds[:-1][starts], bounds[-1]),
        ids=ids[starts],
        features=found["features"],
        names=part.names,  # of the last part, because in Joshua's format later lines may add features
        stats=found.get("stats"),
        texts=None if part.texts is None else texts,
        sparse=sparse,
        model_scores=found.get("model_scores"),
        index=found.get("index"),
    )


def by_segment(part: Part, segments: int, first_id: int) -> Part:
    """Sort hypotheses by segment, of which some may have none.

    :param segments: the number of segments
    """
    owners = repeat(part.ids - first_id, np.diff(part.offsets))
    order = None
    # most decoders write the segments in order, and nothing has to be copied
    if (owners[1:] < owners[:-1]).any():
        # stable: the hypotheses of a segment keep the order of the input
        order = np.argsort(owners, kind="stable")
        owners = owners[order]
    offsets = np.searchsorted(owners, np.arange(segments + 1, dtype=np.int64)).astype(np.int64)
    ids = np.arange(segments, dtype=np.int64) + first_id
    if order is None:
        return replace(part, offsets=offsets, ids=ids)
    return part.taken(order, offsets, ids, order if part.index is None else part.index[order])
