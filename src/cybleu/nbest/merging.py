"""Merge the lists of several decoder runs."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from typing import Any

from .._files.text import shown
from .._runtime.arrays import Integers, np
from ..errors import EmptyCorpusError, FeatureError, LengthMismatchError, StatisticsError
from .container import NBest, check_nbest
from .features import SparseFeatures, no_features, owners_of
from .parts import Part, by_segment, joined_parts, part_of


def merge(*nbests: NBest) -> NBest:
    """Merge the lists of several decoder runs on the same segments, and drop duplicates.

    The hypotheses of a segment are in the order of the lists. A hypothesis is dropped if an earlier one of the segment
    has the same statistics and bitwise equal features, including sparse features. The `index` of the result numbers the
    hypotheses of all inputs, list after list, so ``merge(merge(a, b), c)`` equals ``merge(a, b, c)``. Texts and model
    scores are kept if all lists have them.

    :param nbests: one or more lists
    :return: a new list; the arguments are not changed
    :raises FeatureError: the lists have different dense features; only their order may differ
    :raises EmptyCorpusError: there is no list
    :raises CybleuError: the lists have different segments or kinds of statistics

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
    numbers: dict[str, int] = {}
    any_sparse = any(nbest.sparse is not None for nbest in nbests)
    have_texts = all(nbest.texts is not None for nbest in nbests)
    have_scores = all(nbest.model_scores is not None for nbest in nbests)
    segments = np.arange(len(first), dtype=np.int64)
    parts = []
    inputs = 0
    for nbest in nbests:
        # the order of the first list
        columns = [nbest.names.index(name) for name in first.names]
        features = nbest.features if nbest.names == first.names else nbest.features[:, columns]
        sparse = _renumbered(nbest.sparse or no_features(len(features)), numbers) if any_sparse else None
        part = replace(
            part_of(nbest),
            ids=segments,
            features=features,
            names=first.names,
            texts=nbest.texts if have_texts else None,
            sparse=sparse,
            model_scores=nbest.model_scores if have_scores else None,
            index=nbest.index + inputs,
        )
        parts.append(part)
        inputs += nbest.inputs  # not its hypotheses, of which an earlier merge may have dropped some
    every = by_segment(joined_parts(parts), len(first), 0)
    rows = _first_of_equal(every)
    offsets = np.searchsorted(rows, every.offsets).astype(np.int64)
    index = None if every.index is None else every.index[rows]
    return NBest.unchecked(every.taken(rows, offsets, first.ids, index), first.score, inputs)


def _first_of_equal(part: Part) -> Integers:
    """Return the indices of hypotheses that equal no earlier one of their segment."""
    features: Any = part.features
    stats: Any = part.stats
    sparse = part.sparse
    kept: list[int] = []
    for first, last in pairwise(part.offsets.tolist()):
        # a dict keeps the first of equal keys, in order
        seen: dict[bytes, int] = {}
        for row in range(first, last):
            # bytes, because 0.0 is not bitwise equal to -0.0
            key: bytes = features[row].tobytes() + stats[row].tobytes()
            if sparse is not None:
                own = slice(sparse.indptr[row], sparse.indptr[row + 1])
                key += sparse.columns[own].tobytes() + sparse.values[own].tobytes()
            seen.setdefault(key, row)
        kept += seen.values()
    return np.array(kept, dtype=np.int64)


def _check_alike(first: NBest, nbest: NBest, number: int) -> None:
    name = f"list {number} of those to merge"
    if not np.array_equal(first.ids, nbest.ids):
        raise LengthMismatchError(
            f"{name} has {len(nbest)} segments, but list 0 has {len(first)}, or their ids differ; only lists of the "
            "same segments can be merged"
        )
    if first.stats.shape[1] != nbest.stats.shape[1] or first.stats.dtype != nbest.stats.dtype:
        raise StatisticsError(
            f"{name} has {nbest.stats.shape[1]} statistics of {nbest.stats.dtype}, but list 0 has "
            f"{first.stats.shape[1]} of {first.stats.dtype}"
        )
    if first.score != nbest.score:
        raise StatisticsError(f"{name} has another score function than list 0")
    for feature in sorted({*first.names} ^ {*nbest.names}):
        where = name if feature in first.names else "list 0 of those to merge"
        raise FeatureError(
            f"{where} has no feature {shown(feature)}; only lists with the same dense features can be merged"
        )


def _renumbered(sparse: SparseFeatures, numbers: dict[str, int]) -> SparseFeatures:
    """Give the features their columns in the union of all names.

    :param numbers: the columns of the names so far, to which new ones are added
    """
    own = np.array([numbers.setdefault(name, len(numbers)) for name in sparse.names], dtype=np.int64)
    columns = own[sparse.columns]
    # columns must ascend within a hypothesis
    order = np.lexsort((columns, owners_of(sparse.indptr)))
    return SparseFeatures(sparse.indptr, columns[order], sparse.values[order], tuple(numbers))
