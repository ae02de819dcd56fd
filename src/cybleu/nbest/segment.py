"""Segment of an n-best list that is read as a stream."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from .sparse import SparseFeatures


class Segment(NamedTuple):
    """Consecutive hypotheses of one segment in a file.

    :param id: as in the file
    :param texts: a text for each of the n hypotheses
    :param features: float64 `(n, F)`
    :param names: of the features in the lines so far. In the ``joshua`` format later lines may add more
    :param model_scores: the scores that the decoder gave the hypotheses, float64 `(n,)`; None in the ``plain`` format
    :param sparse: the sparse features, None if there are none

    >>> import pathlib, tempfile
    >>> from cybleu.nbest import read_segments
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "nbest"
    >>> _ = path.write_text("0 ||| it rains ||| lm= -1 ||| -1\\n0 ||| rain falls ||| lm= -2 ||| -2\\n")
    >>> segment = next(read_segments(path))
    >>> segment.id, segment.features.tolist(), segment.names, segment.model_scores
    (0, [[-1.0], [-2.0]], ('lm_0',), array([-1., -2.]))
    """

    id: int
    texts: list[str]
    features: NDArray[np.float64]
    names: tuple[str, ...]
    model_scores: NDArray[np.float64] | None
    sparse: SparseFeatures | None
