"""Merge the lists of several decoder runs."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from typing import TYPE_CHECKING

from .._files.text import shown
from .._runtime.arrays import bincount, np, repeat
from ..errors import EmptyCorpusError, FeatureError, LengthMismatchError, StatisticsError
from .container import NBest, check_nbest
from .sparse import SparseFeatures, no_features

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["merge"]


def merge(*nbests: NBest) -> NBest:
    """Merge the lists of several decoder runs on the same segments, without duplicates.

    The hypotheses of a segment are in the order of the lists. A hypothesis is dropped if an earlier one of the segment
    has the same features (bit for bit, sparse ones included) and the same statistics. The `index` of the result numbers
    the hypotheses of all inputs, list after list, so ``merge(merge(a, b), c)`` is ``merge(a, b, c)``. Texts and
    model scores are kept if all lists have them.

    :param nbests: one list or more
    :return: a new list; the lists given are not changed
    :raises FeatureError: the lists do not have the same dense features; their order may differ
    :raises EmptyCorpusError: there is no list
    :raises CybleuError: the lists do not have the same segments, or the same kind of statistics

    >>> from cybleu.nbest import NBest
    >>> first = NBest([0, 1], [[0.5, 2.0]], [[3.0]], ["lm", "length"])
    >>> second = NBest([0, 2], [[2.0, 0.5], [1.0, 0.5]], [[3.0], [1.0]], ["length", "lm"])
    >>> merge(first, second).index
    array([0, 2])
    """
    if not nbests:
        raise EmptyCorpusError("there is no list to merge")
    for nbest in nbests:
        check_nbest(nbest)
    first = nbests[0]
    for number, nbest in enumerate(nbests):
        _check_alike(first, nbest, number)
    owners = np.concatenate([repeat(np.arange(len(nbest), dtype=np.int64), np.diff(nbest.offsets)) for nbest in nbests])
    features = np.concatenate([nbest.features[:, _columns(first.names, nbest.names)] for nbest in nbests])
    stats = np.concatenate([nbest.stats for nbest in nbests])
    sparse = _joined_sparse(nbests)
    bases = np.cumsum([0, *(nbest.inputs for nbest in nbests)], dtype=np.int64)
    index = np.concatenate([nbest.index + base for nbest, base in zip(nbests, bases)])
    order = np.argsort(owners, kind="stable")
    scores = [nbest.model_scores for nbest in nbests if nbest.model_scores is not None]
    every = NBest._of(
        offsets=first.offsets,
        features=features,
        stats=stats,
        names=first.names,
        texts=None
        if any(nbest.texts is None for nbest in nbests)
        else list(chain.from_iterable(nbest.texts or () for nbest in nbests)),
        score=first.score,
        sparse=sparse,
        ids=first.ids,
        index=index,
        model_scores=np.concatenate(scores) if len(scores) == len(nbests) else None,
        inputs=int(bases[-1]),
    )
    rows = order[_first_ones(every, owners[order], order)]
    return every._take(rows, np.append(0, np.cumsum(bincount(owners[rows], minlength=len(first)))))


def _check_alike(first: NBest, nbest: NBest, number: int) -> None:
    name = f"list {number} of those to merge"
    if not np.array_equal(first.ids, nbest.ids):
        raise LengthMismatchError(
            f"{name} has {len(nbest)} segments, and list 0 has {len(first)}, or their ids differ; lists of the same "
            "segments can be merged"
        )
    if first.stats.shape[1] != nbest.stats.shape[1] or first.stats.dtype != nbest.stats.dtype:
        raise StatisticsError(
            f"{name} has {nbest.stats.shape[1]} statistics of {nbest.stats.dtype}, and list 0 has "
            f"{first.stats.shape[1]} of {first.stats.dtype}"
        )
    if first.score != nbest.score:
        raise StatisticsError(f"{name} has another score function than list 0")
    for one, other, where in ((first, nbest, name), (nbest, first, "list 0 of those to merge")):
        missing = [feature for feature in one.names if feature not in set(other.names)]
        if missing:
            raise FeatureError(
                f"{where} has no feature {shown(missing[0])}; lists with the same dense features can be merged"
            )


def _columns(names: tuple[str, ...], others: tuple[str, ...]) -> list[int] | slice:
    return slice(None) if names == others else [others.index(name) for name in names]


def _joined_sparse(nbests: Sequence[NBest]) -> SparseFeatures | None:
    """Concatenate sparse features, with the union of their names."""
    if all(nbest.sparse is None for nbest in nbests):
        return None
    numbers: dict[str, int] = {}
    sizes, columns, values = [], [], []
    for nbest in nbests:
        sparse = nbest.sparse or no_features(len(nbest.features))
        own = np.array([numbers.setdefault(name, len(numbers)) for name in sparse.names], dtype=np.int64)
        of_size = np.diff(sparse.indptr)
        renumbered = own[sparse.columns]
        order = np.lexsort((renumbered, repeat(np.arange(len(of_size), dtype=np.int64), of_size)))
        sizes.append(of_size)
        columns.append(renumbered[order])
        values.append(sparse.values[order])
    indptr = np.append(0, np.cumsum(np.concatenate(sizes)))
    return SparseFeatures(indptr, np.concatenate(columns), np.concatenate(values), tuple(numbers))


def _first_ones(nbest: NBest, owners: NDArray[np.int64], order: NDArray[np.int64]) -> list[int]:
    """Return the positions in an order of hypotheses of the first of equal ones within each segment.

    :param owners: the segment of each in this order
    """
    seen: set[tuple[bytes, ...]] = set()
    found = []
    last = -1
    for position, (owner, row) in enumerate(zip(owners.tolist(), order.tolist())):
        if owner != last:
            seen.clear()
            last = owner
        key: tuple[bytes, ...] = nbest.features[row].tobytes(), nbest.stats[row].tobytes()
        if nbest.sparse is not None:
            place = slice(nbest.sparse.indptr[row], nbest.sparse.indptr[row + 1])
            key += (nbest.sparse.columns[place].tobytes(), nbest.sparse.values[place].tobytes())
        if key not in seen:
            seen.add(key)
            found.append(position)
    return found
