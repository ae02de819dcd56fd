"""Read n-best lists as a stream, segment by segment, and extract their features and statistics."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from .._files.text import Path
from .._runtime.arrays import NDArray, np
from .container import NBest
from .features import SparseFeatures
from .merging import merge
from .parts import Part, joined_parts
from .reading import Reading, prepare_references


class Segment(NamedTuple):
    """Consecutive hypotheses of one segment in a file.

    :param id: the id in the file
    :param texts: a text for each of the n hypotheses
    :param features: float64 `(n, F)`
    :param names: the names of the features in the lines so far. In the ``joshua`` format, later lines may add more
    :param model_scores: the scores of the hypotheses by the decoder, float64 `(n,)`; None in the ``plain`` format
    :param sparse: the sparse features; None if there are none

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


def read_segments(path: Path, format: str | None = None, **reading: Any) -> Iterator[Segment]:  # noqa: A002
    """Read the segments of an n-best list in a file, one at a time, in the order of the file.

    If the lines of a segment are not consecutive, each run of consecutive lines is yielded as a segment.

    :param path: the path of the file, which may be compressed by gzip; ``-`` is standard input
    :param format: ``moses``, ``joshua``, ``plain``, ``fairseq`` or ``json``; by default ``plain`` if `size` is given,
        and otherwise ``moses`` or ``joshua``, detected from the first lines
    :param reading: `progress`, and in the ``plain`` format `size`, `features` and `names`; see
        :meth:`cybleu.nbest.NBest.from_files`
    :raises InputFileError: a file cannot be read, or a line is invalid; the message names the file, line and reason
    :raises ValueError: two threads read one iterator at the same time

    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "nbest"
    >>> _ = path.write_text("0 ||| it rains ||| lm= -1 ||| -1\\n1 ||| so it is ||| lm= -2 ||| -2\\n")
    >>> [(segment.id, segment.texts) for segment in read_segments(path)]
    [(0, ['it rains']), (1, ['so it is'])]
    """
    for chunk in chunks(path, format, **reading):
        scores = chunk.model_scores
        sparse = chunk.sparse
        for number, identity in enumerate(chunk.ids.tolist()):
            rows = chunk.segment(number)
            yield Segment(
                identity,
                (chunk.texts or [])[rows],
                chunk.features[rows],
                chunk.names,
                None if scores is None else scores[rows],
                None if sparse is None else sparse.rows(rows),
            )


def chunks(
    path: Path,
    format: str | None = None,  # noqa: A002
    references: Any = None,
    **reading: Any,
) -> Iterator[NBest]:
    """Read an n-best list in a file as a sequence of smaller lists of whole segments, in the order of the file.

    If the lines of a segment are not consecutive, each run of consecutive lines is a segment. The `names` of a list are
    the names in the lines so far.

    :param path: the path of the file, see :func:`read_segments`
    :param format: see :func:`read_segments`
    :param references: the references; None if you need no statistics, and then `stats` has no columns
    :param reading: options for reading and counting the list, see :meth:`cybleu.nbest.NBest.from_files`
    :raises InputFileError: a file cannot be read, or a line is invalid; the message names the file, line and reason
    :raises ValueError: two threads read one iterator at the same time

    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "nbest"
    >>> _ = path.write_text("0 ||| it rains ||| lm= -1 ||| -1\\n1 ||| so it is ||| lm= -2 ||| -2\\n")
    >>> [(chunk.ids.tolist(), chunk.texts) for chunk in chunks(path)]
    [([0], ['it rains']), ([1], ['so it is'])]
    """
    prepared = None if references is None else prepare_references(references)
    held: list[Part] = []  # the last segment, which may continue
    for part in Reading(**reading).parts(path, format, prepared):
        last = len(part.ids) - 1
        # a segment is whole when the next one begins
        if last > 0 or (held and held[-1].ids[-1] != part.ids[0]):
            yield NBest.unchecked(joined_parts([*held, _whole_segments(part, 0, last)]))
            held = []
        held.append(_whole_segments(part, last, last + 1))
    yield NBest.unchecked(joined_parts(held))


def _whole_segments(part: Part, start: int, stop: int) -> Part:
    """Return the segments from `start` to before `stop`."""
    first = int(part.offsets[start])
    last = int(part.offsets[stop])
    return part.taken(slice(first, last), part.offsets[start : stop + 1] - first, part.ids[start:stop])


def extract(
    path: Path,
    references: Any,
    features_file: Path,
    scores_file: Path,
    format: str | None = None,  # noqa: A002
    *,
    unique: bool = False,
    **reading: Any,
) -> None:
    """Write the two text files of Moses's extractor for an n-best list in a file.

    The result is the same as that of :meth:`cybleu.nbest.NBest.from_files` followed by
    :meth:`cybleu.nbest.NBest.to_moses`.

    The other parameters are those of :meth:`cybleu.nbest.NBest.from_files`.

    :param features_file: the path of the feature file; compressed if its name ends in ``.gz``
    :param scores_file: the path of the file of BLEU statistics; compressed if its name ends in ``.gz``
    :param unique: drop hypotheses that have the same features and statistics as an earlier one of the segment, like
        :func:`cybleu.nbest.merge`
    :param reading: options for reading and counting the list, see :meth:`cybleu.nbest.NBest.from_files`
    :raises InputFileError: a file cannot be read or written, or a line is invalid; existing files are then not changed

    >>> import pathlib, tempfile
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> _ = (folder / "nbest").write_text("0 ||| it rains ||| lm= -1.5 ||| -1\\n")
    >>> extract(folder / "nbest", [["it rains"]], folder / "features", folder / "scores", tokenize=str.split)
    >>> (folder / "scores").read_text().splitlines()
    ['SCORES_TXT_BEGIN_0 0 1 9 BLEU', '2 2 1 1 0 0 0 0 2 ', 'SCORES_TXT_END_0']
    """
    nbest = NBest.from_files(path, references, format, texts=False, **reading)
    (merge(nbest) if unique else nbest).to_moses(features_file, scores_file)
