"""Read files of n-best lists, as a stream of segments or into an :class:`cybleu.nbest.NBest`.

Formats:

- ``moses``: ``id ||| tokens ||| Name= v v Other= v sparse_name= v ||| score``. Fields after the score, such as alignments,
  are skipped. The values of a name are the features ``Name_0``, ``Name_1`` ..., as Moses's extractor names them; if a name
  appears again, the numbers continue. A name with ``_`` is one sparse feature. Old labels, ``name:``, are accepted, too;
  values without labels are ``f0``, ``f1`` ... All lines must have the same dense features.
- ``joshua``: ``id ||| tokens ||| name=v other=v ||| score``, as Joshua and cdec write. A feature that is missing in a
  line is 0, as in these decoders.
- ``plain``: the tokens alone; each segment has `size` lines. Features come from another file: numbers separated by white
  space, the same number in every line.

- ``fairseq``: the output of ``fairseq-generate`` and ``fairseq-interactive``: ``H-id``, a tab, the score, a tab, the tokens,
  with segments in any order. The score is the only feature, ``score``. Lines that do not begin with ``H-`` are ignored.
- ``json``: JSON lines of model servers, and Sockeye's; see :func:`read_segments`.

``|||`` separates fields, with or without blanks around it, and cannot be part of a token. Files are UTF-8; gzip is
recognised by its first bytes; ``-`` is standard input. Files whose names end in ``.gz`` are written compressed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from os import PathLike
from typing import TYPE_CHECKING, Any

from .._files.text import shown
from .._runtime.arrays import bincount, np
from .._runtime.exclusive import exclusive
from ..errors import ArrayValueError, UnknownNameError
from ..text.batches import Place
from ..text.raw import Raw
from ..text.reading import token_lists
from .counted import LineCounter
from .fairseq import FairseqReader
from .growing import GrowingRows
from .json_lines import JsonReader
from .json_lines import segments as segments_of_json
from .lines import Block, FieldReader, Reader
from .plain import PlainReader
from .segment import Segment
from .sparse import SparseFeatures, SparseRows

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from .counted import CountedReferences

    Path = str | PathLike[str]

__all__ = ["read_segments"]

FORMATS = ("moses", "joshua", "plain", "fairseq", "json")


@exclusive
def read_segments(
    path: Path,
    format: str | None = None,  # noqa: A002
    *,
    size: int | None = None,
    features: Path | None = None,
    names: Sequence[str] | None = None,
    progress: bool = False,
) -> Iterator[Segment]:
    """Read the segments of an n-best list in a file, one at a time, in the order of the file.

    If the lines of a segment are not consecutive, each group of them is yielded as a segment. An empty file has no
    segments.

    :param path: of the file, which may be compressed by gzip; ``-`` is standard input
    :param format: ``moses``, ``joshua``, ``plain``, ``fairseq`` or ``json``; by default one of the first
        two, detected from the first lines
    :param size: in the ``plain`` format: how many lines each segment has
    :param features: in the ``plain`` format: the file with the features
    :param names: of these features, by default ``f0``, ``f1`` ...
    :param progress: show a progress bar (requires tqdm)
    :raises InputFileError: a file cannot be read, or a line is wrong; the message names file, line and reason
    :raises ValueError: two threads read one iterator at the same time

    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "nbest"
    >>> _ = path.write_text("0 ||| it rains ||| lm= -1 ||| -1\\n1 ||| so it is ||| lm= -2 ||| -2\\n")
    >>> [(segment.id, segment.texts) for segment in read_segments(path)]
    [(0, ['it rains']), (1, ['so it is'])]
    """
    if format == "json" and size is None and features is None and names is None:
        yield from segments_of_json(path, progress)
        return
    with open_reader(path, format, size, features, names) as reader:
        parts: list[Block] = []
        for block in reader.file.watched(reader.blocks(), progress):
            changes = (np.flatnonzero(np.diff(block.ids)) + 1).tolist()
            for start, stop in zip([0, *changes], [*changes, len(block.ids)]):
                if parts and parts[0].ids[0] != block.ids[start]:
                    yield _segment(parts, reader)
                    parts.clear()
                parts.append(block.part(start, stop))
        if parts:
            yield _segment(parts, reader)


def _segment(parts: list[Block], reader: Reader) -> Segment:
    texts = [text for part in parts for text in part.texts()]
    return Segment(
        int(parts[0].ids[0]),
        texts,
        joined_features([part.features for part in parts], len(reader.names)),
        reader.names,
        _joined_scores([part.model_scores for part in parts]),
        joined_sparse(parts, reader.sparse_names),
    )


def open_reader(
    path: Path, name: str | None, size: int | None, features: Path | None, names: Sequence[str] | None
) -> Reader:
    """Create the reader of a format. `size`, `features` and `names` are for the plain format."""
    if name is not None and name not in FORMATS:
        raise UnknownNameError(f"unknown format {shown(name)}; use one of {', '.join(FORMATS)}")
    if name == "plain" or (name is None and size is not None):
        if type(size) is not int or size < 1:
            raise ArrayValueError(
                f"size is {size!r}; the plain format needs the number of lines of each segment, from 1"
            )
        return PlainReader(path, size, features, names)
    if size is not None or features is not None or names is not None:
        raise ArrayValueError("size, features and names are for the plain format, a file without fields")
    if name == "fairseq":
        return FairseqReader(path)
    if name == "json":
        return JsonReader(path)
    return FieldReader(path, name)


class BlockCounter:
    """Count the texts of blocks against references; threads may share an instance."""

    def __init__(self, prepared: CountedReferences, raw: Raw, reader: Reader):
        self._prepared = prepared
        self._raw = raw
        self._with_blanks = reader.has_bars and raw.tokenize == "space"
        self._lines = LineCounter(prepared, raw) if raw.own else None

    def stats(self, block: Block, owners: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the statistics rows of a block.

        :param owners: the numbers of their segments
        """
        if self._with_blanks:
            block = block.with_blanks()
        if self._lines is None:
            lines = [line.lower() for line in block.texts()] if self._raw.lowercase else block.texts()
            return self._prepared.rows(token_lists(self._raw.split(lines), Place("hypotheses")), owners)
        spans = _lowered(block) if self._raw.lowercase else (block.bytes, block.begins, block.ends)
        return self._lines.rows(*spans, owners)


def _lowered(block: Block) -> tuple[bytes, NDArray[np.int64], NDArray[np.int64]]:
    """Return the texts of a block in lower case as bytes, and where each begins and ends."""
    if block.bytes.isascii():
        return block.bytes.lower(), block.begins, block.ends
    texts = [text.lower().encode() for text in block.texts()]
    ends = np.cumsum([len(text) for text in texts], dtype=np.int64)
    return b"".join(texts), ends - np.array([len(text) for text in texts], dtype=np.int64), ends


def read(
    reader: Reader, prepared: CountedReferences, raw: Raw, first_id: int, texts: bool, progress: bool
) -> dict[str, Any]:
    """Read the arguments of the container; see :meth:`cybleu.nbest.NBest.from_files`."""
    counter = BlockCounter(prepared, raw, reader)
    owners, stats = GrowingRows(reader.file, np.int64), GrowingRows(reader.file, np.int64)
    features, scores = GrowingRows(reader.file, np.float64), GrowingRows(reader.file, np.float64)
    sparse = SparseRows()
    kept: list[str] = []
    first_line, scored = None, False
    for block in reader.file.watched(reader.blocks(), progress):
        first_line = block.ids[0] if first_line is None else first_line
        of_block = owners_of(block, first_id, len(prepared), reader, first_line)
        owners.add(of_block[:, None])
        stats.add(counter.stats(block, of_block))
        features.add(block.features)
        if block.model_scores is not None:
            scores.add(block.model_scores[:, None])
            scored = True
        sparse.append(len(block.ids), block.sparse)
        if texts:
            kept += block.texts()
    return in_segments(
        owners.column(),
        len(prepared),
        features.rows(len(reader.names)),
        stats.rows(2 + 2 * prepared.max_order),
        reader.names,
        kept if texts else None,
        sparse.features(reader.sparse_names),
        scores.column() if scored else None,
        first_id,
    )


def owners_of(block: Block, first_id: int, segments: int, reader: Reader, first_line: int) -> NDArray[np.int64]:
    """Convert ids to the numbers of segments; an id beyond the references is an error.

    :param first_line: the id in the first line of the file
    """
    owners = block.ids - first_id
    wrong = (owners < 0) | (owners >= segments)
    if wrong.any():
        row = int(wrong.argmax())
        number = int(block.ids[row])
        from_one = first_id == 0 and first_line > 0 and number == segments
        advice = (
            "they seem to start at 1 here: give first_id=1" if from_one else "give first_id= if they start elsewhere"
        )
        raise reader.error(
            f"the id is {number}, and the references are of {segments} segments, so ids go from {first_id} to "
            f"{first_id + segments - 1}; {advice}",
            block.line_of(row),
        )
    return owners


# -------------------------------------------------------------------------------------------------- parts of a container


def in_segments(
    owners: NDArray[np.int64],
    segments: int,
    features: NDArray[np.float64],
    stats: Any,
    names: Sequence[str],
    texts: list[str] | None,
    sparse: SparseFeatures | None,
    model_scores: NDArray[np.float64] | None,
    first_id: int,
) -> dict[str, Any]:
    """Sort hypotheses by segment, and return the arguments of the container."""
    index = np.arange(len(owners), dtype=np.int64)
    if (owners[1:] < owners[:-1]).any():
        index = np.argsort(owners, kind="stable")
        features, stats = features[index], stats[index]
        texts = None if texts is None else [texts[row] for row in index.tolist()]
        sparse = None if sparse is None else sparse.rows(index)
        model_scores = None if model_scores is None else model_scores[index]
    return {
        "offsets": np.append(0, np.cumsum(bincount(owners, minlength=segments))),
        "features": features,
        "stats": stats,
        "names": names,
        "texts": texts,
        "sparse": sparse,
        "ids": np.arange(segments, dtype=np.int64) + first_id,
        "index": index,
        "model_scores": model_scores,
    }


def joined_features(parts: list[NDArray[np.float64]], width: int) -> NDArray[np.float64]:
    """Concatenate rows; features that were added later are 0 in earlier rows."""
    rows = np.zeros((sum(map(len, parts)), width))
    start = 0
    for part in parts:
        rows[start : start + len(part), : part.shape[1]] = part
        start += len(part)
    return rows


def _joined_scores(parts: list[NDArray[np.float64] | None]) -> NDArray[np.float64] | None:
    known = [part for part in parts if part is not None]
    return np.concatenate(known) if known else None


def joined_sparse(parts: Iterable[Block], names: tuple[str, ...]) -> SparseFeatures | None:
    """Concatenate the sparse features of all blocks."""
    joined = SparseRows()
    for part in parts:
        joined.append(len(part.ids), part.sparse)
    return joined.features(names)
