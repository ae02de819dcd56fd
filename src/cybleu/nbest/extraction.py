"""Convert an n-best list to the files of Moses's extractor, some segments at a time.

The output is the same as that of :meth:`cybleu.nbest.NBest.to_moses` for the whole list. If the ids of the segments do
not ascend, or a later line has a new feature, the list is read again as a whole.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from os import PathLike, fspath
from typing import TYPE_CHECKING, Any

from .._files.text import STANDARD_INPUT
from .._files.writing import may_be_a_file, writing_all
from .._runtime.arrays import np
from .._runtime.parallel import checked_threads, in_order
from ..text.raw import Raw
from .container import whole_number
from .extractor import rows_of_bleu, segment_texts
from .lists import NBest
from .merging import first_ones, merge
from .reading import BlockCounter, joined_features, joined_sparse, open_reader, owners_of, read
from .references import prepare_references
from .sparse import SparseFeatures

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from .counted import CountedReferences
    from .lines import Block, Reader

    Path = str | PathLike[str]

__all__ = ["extract"]


def extract(
    path: Path,
    references: Any,
    features_file: Path,
    scores_file: Path,
    format: str | None = None,  # noqa: A002
    *,
    first_id: int = 0,
    size: int | None = None,
    features: Path | None = None,
    names: Sequence[str] | None = None,
    tokenize: str | Callable[[str], list[str]] = "unicode",
    lowercase: bool = False,
    max_order: int | None = None,
    reference_length: str | None = None,
    unique: bool = False,
    threads: int | None = None,
    progress: bool = False,
) -> None:
    """Write the two text files of Moses's extractor for an n-best list in a file, as a stream.

    The files are the same as those of :meth:`cybleu.nbest.NBest.from_files` and :meth:`cybleu.nbest.NBest.to_moses`.
    Only the hypotheses of some segments are in memory at a time. All of them are in memory only if `path` is standard
    input or a pipe, if the ids of segments do not ascend from line to line, or if a line has a feature that no earlier
    line has, as in lists of Joshua.

    :param features_file: the path of the file of features; compressed if its name ends in ``.gz``
    :param scores_file: the path of the file of BLEU statistics, likewise
    :param unique: leave out hypotheses that have the same features and statistics as an earlier one of the segment, as
        :func:`cybleu.nbest.merge` does
    :param threads: how many threads work at the same time; None is one. The files are the same
    :raises InputFileError: a file cannot be read or written, or a line is wrong; then files that were there are not
        changed

    The other parameters are those of :meth:`cybleu.nbest.NBest.from_files`.

    >>> import pathlib, tempfile
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> _ = (folder / "nbest").write_text("0 ||| it rains ||| lm= -1.5 ||| -1\\n")
    >>> extract(folder / "nbest", [["it rains"]], folder / "features", folder / "scores", tokenize=str.split)
    >>> (folder / "scores").read_text().splitlines()
    ['SCORES_TXT_BEGIN_0 0 1 9 BLEU', '2 2 1 1 0 0 0 0 2 ', 'SCORES_TXT_END_0']
    """
    first_id = whole_number(first_id, "first_id")
    threads = checked_threads(threads)
    raw = Raw("unicode" if tokenize is str.split else tokenize, lowercase)
    prepared = prepare_references(references, tokenize, max_order, reference_length, lowercase)
    paths = fspath(features_file), fspath(scores_file)
    if path != STANDARD_INPUT and os.path.isfile(path) and all(map(may_be_a_file, paths)):
        try:
            with open_reader(path, format, size, features, names) as reader, writing_all(*paths) as files:
                pieces = _Pieces(reader, prepared, raw, first_id, unique)
                # a tokeniser that the caller passed runs in the caller's thread
                for texts in in_order(pieces.texts, pieces.parts(progress), threads if raw.own else 1):
                    for file, text in zip(files, texts):
                        file.write(text)
                pieces.check()
            return
        except _NotInOrder:
            pass
    with open_reader(path, format, size, features, names) as reader:
        nbest = NBest(**read(reader, prepared, raw, first_id, False, progress))
    (merge(nbest) if unique else nbest).to_moses(*paths)


class _NotInOrder(Exception):
    """A line contradicts the output so far, so the list must be read as a whole."""


class _Pieces:
    """Iterate over complete, consecutive segments of a file, some at a time."""

    def __init__(self, reader: Reader, prepared: CountedReferences, raw: Raw, first_id: int, unique: bool):
        self._reader = reader
        self._prepared = prepared
        self._counter = BlockCounter(prepared, raw, reader)
        self._first_id = first_id
        self._unique = unique
        self._names: tuple[str, ...] = ()

    def parts(self, progress: bool) -> Iterator[list[tuple[Block, NDArray[np.int64]]]]:
        """Yield blocks with the numbers of their segments, so that the last segment is complete."""
        parts: list[tuple[Block, NDArray[np.int64]]] = []
        first_line, last = None, -1
        for block in self._reader.file.watched(self._reader.blocks(), progress):
            if first_line is None:
                first_line, self._names = block.ids[0], self._reader.names
            owners = owners_of(block, self._first_id, len(self._prepared), self._reader, first_line)
            rises = np.diff(owners, prepend=last)
            if rises.min() < 0 or self._reader.names != self._names:
                raise _NotInOrder
            begins = np.flatnonzero(rises)
            if len(begins) and (parts or begins[-1]):
                cut = int(begins[-1])
                yield [*parts, (block.part(0, cut), owners[:cut])]
                parts = []
                block, owners = block.part(cut, len(owners)), owners[cut:]
            parts.append((block, owners))
            last = int(owners[-1])
        if parts:
            yield parts

    def texts(self, parts: list[tuple[Block, NDArray[np.int64]]]) -> tuple[str, str]:
        """Format some segments for the two files."""
        blocks = [block for block, _ in parts]
        owners = np.concatenate([owners for _, owners in parts])
        features = joined_features([block.features for block in blocks], len(self._names))
        stats = np.concatenate([self._counter.stats(*part) for part in parts])
        sparse = joined_sparse(blocks, self._reader.sparse_names)
        if self._unique:
            rows = np.array(
                first_ones(owners, features, stats, sparse, np.arange(len(owners), dtype=np.int64)), dtype=np.int64
            )
            owners, features, stats = owners[rows], features[rows], stats[rows]
            sparse = None if sparse is None else sparse.rows(rows)
        begins = np.flatnonzero(np.diff(owners, prepend=-1))
        ids, offsets = owners[begins] + self._first_id, np.append(begins, len(owners))
        texts = segment_texts(ids, offsets, self._names, features, rows_of_bleu(stats), sparse)
        of_features, of_scores = zip(*texts)
        return "".join(of_features), "".join(of_scores)

    def check(self) -> None:
        """Validate the names of a list without hypotheses."""
        names, sparse_names = self._reader.names, self._reader.sparse_names
        stats = np.zeros((0, 2 + 2 * self._prepared.max_order), dtype=np.int64)
        nothing = np.zeros(0, dtype=np.int64)
        sparse = SparseFeatures(np.zeros(1, dtype=np.int64), nothing, np.zeros(0), sparse_names)
        NBest([0], np.zeros((0, len(names))), stats, names, sparse=sparse)
