"""Files of n-best lists, read as a stream of segments or into an :class:`cybleu.nbest.NBest`, and written.

The formats, by name:

- ``moses``: ``id ||| tokens ||| Name= v v Other= v sparse_name= v ||| score``. Fields after the score, such as alignments,
  are skipped. The values of a name are the features ``Name_0``, ``Name_1`` ..., as Moses's extractor names them; if the name
  comes again they go on. A name with ``_`` is one sparse feature. Old labels, ``name:``, are read likewise; values without
  labels are ``f0``, ``f1`` ... All lines have the same features, sparse ones aside.
- ``joshua``: ``id ||| tokens ||| name=v other=v ||| score``, as Joshua and cdec write. A feature that a line does not have is
  0 there, as it is for these decoders.
- ``plain``: the tokens alone; each segment has `size` lines. Features come from another file: numbers separated by white
  space, as many in every line.

``|||`` separates fields, with or without blanks around it, and cannot be part of a token. Files are UTF-8; gzip is
recognised by its first bytes; ``-`` is standard input. Files whose names end in ``.gz`` are written compressed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from os import PathLike, fspath
from typing import TYPE_CHECKING, Any, NamedTuple

from ..text import tokenizers
from .._runtime.arrays import np
from .lines import Block, FieldReader, PlainReader, open_reader
from .._runtime.parallel import bar
from ..errors import ArrayValueError, FeatureError, LengthMismatchError, UnknownNameError
from .container import NBest, SparseFeatures
from ..stats.references import LineCounter, References
from .._files.text import SPLITS, Lines, writing

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Path = str | PathLike[str]
    Split = Callable[[str], list[str]]

__all__ = ["Segment", "read_segments"]


class Segment(NamedTuple):
    """Hypotheses of one segment that follow each other in a file.

    :param id: as in the file
    :param texts: one for each of n hypotheses
    :param features: float64 `(n, F)`
    :param names: of the features in the lines so far. In the ``joshua`` format later lines may bring more
    :param model_scores: what the decoder gave each hypothesis, float64 `(n,)`; None in the ``plain`` format
    :param sparse: the sparse features, None where there is none

    >>> import pathlib, tempfile
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


def read_segments(
    path: Path,
    format: str | None = None,  # noqa: A002
    *,
    size: int | None = None,
    features: Path | None = None,
    names: Sequence[str] | None = None,
    progress: bool = False,
) -> Iterator[Segment]:
    """The segments of an n-best list in the order of the file, one at a time.

    A segment whose lines do not stand together comes once for each group of them. An empty file has no segment.

    :param path: gzip is recognised; ``-`` is standard input
    :param format: ``moses``, ``joshua`` or ``plain``; by default one of the first two, as the first lines look
    :param size: of the ``plain`` format: how many lines each segment has
    :param features: of the ``plain`` format: the file with the features
    :param names: of these features, by default ``f0``, ``f1`` ...
    :param progress: show a progress bar (needs tqdm)
    :raises InputFileError: a file cannot be read, or a line of it; the message names file, line and reason

    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "nbest"
    >>> _ = path.write_text("0 ||| it rains ||| lm= -1 ||| -1\\n1 ||| so it is ||| lm= -2 ||| -2\\n")
    >>> [(segment.id, segment.texts) for segment in read_segments(path)]
    [(0, ['it rains']), (1, ['so it is'])]
    """
    with (
        open_reader(path, format, size, features, names) as reader,
        bar(reader.file.size, progress, "B", unit_scale=True, delay=1, leave=False) as advance,
    ):
        position = 0
        parts: list[Block] = []
        for block in reader.blocks():
            advance(reader.file.position() - position)
            position = reader.file.position()
            changes = (np.flatnonzero(np.diff(block.ids)) + 1).tolist()
            for start, stop in zip([0, *changes], [*changes, len(block.ids)]):
                if parts and parts[0].ids[0] != block.ids[start]:
                    yield _segment(parts, reader)
                    parts.clear()
                parts.append(block.part(start, stop))
        if parts:
            yield _segment(parts, reader)


def _segment(parts: list[Block], reader: FieldReader | PlainReader) -> Segment:
    texts = [text for part in parts for text in part.texts()]
    return Segment(
        int(parts[0].ids[0]),
        texts,
        joined_features([part.features for part in parts], len(reader.names)),
        reader.names,
        _joined_scores([part.model_scores for part in parts]),
        joined_sparse([(len(part.ids), part.sparse) for part in parts], reader.sparse_names),
    )


def read(
    path: Path,
    references: Any,
    format: str | None = None,  # noqa: A002
    *,
    first_id: int = 0,
    size: int | None = None,
    features: Path | None = None,
    names: Sequence[str] | None = None,
    tokenize: str | Split = "unicode",
    max_order: int | None = None,
    reference_length: str | None = None,
    texts: bool = True,
    progress: bool = False,
) -> NBest:
    """See :meth:`cybleu.nbest.NBest.from_files`."""
    split = splitter(tokenize)
    prepared = prepare(references, split, max_order, reference_length)
    by_bytes = split in (SPLITS["unicode"], SPLITS["ascii"])
    counter = LineCounter(prepared, split == SPLITS["unicode"]) if by_bytes else None
    blocks: list[Block] = []
    owners: list[NDArray[np.int64]] = []
    stats: list[NDArray[np.int64]] = []
    kept: list[str] = []
    first_line = None
    with open_reader(path, format, size, features, names) as reader:
        file = reader.file
        with bar(file.size, progress, "B", unit_scale=True, delay=1, leave=False) as advance:
            position = 0
            for block in reader.blocks():
                first_line = block.ids[0] if first_line is None else first_line
                owners.append(_owners(block, first_id, len(prepared), reader, first_line))
                block_texts = block.texts() if texts or counter is None else []
                if counter is None:
                    stats.append(prepared.stats([split(text) for text in block_texts], owners[-1]))
                else:
                    stats.append(counter.rows(block.bytes, block.begins, block.ends, owners[-1]))
                if texts:
                    kept += block_texts
                blocks.append(block._replace(bytes=b"", begins=_NOTHING, ends=_NOTHING))
                advance(file.position() - position)
                position = file.position()
    return in_segments(
        np.concatenate(owners),
        len(prepared),
        joined_features([block.features for block in blocks], len(reader.names)),
        np.concatenate(stats),
        reader.names,
        kept if texts else None,
        joined_sparse([(len(block.ids), block.sparse) for block in blocks], reader.sparse_names),
        _joined_scores([block.model_scores for block in blocks]),
        first_id,
    )


_NOTHING = np.zeros(0, dtype=np.int64)


def _owners(
    block: Block, first_id: int, segments: int, reader: FieldReader | PlainReader, first_line: int
) -> NDArray[np.int64]:
    """The numbers of the segments; an error for an id that is beyond the references.

    :param first_line: the id in the first line of the file
    """
    owners = block.ids - first_id
    wrong = (owners < 0) | (owners >= segments)
    if wrong.any():
        row = int(wrong.argmax())
        number = int(block.ids[row])
        from_one = first_id == 0 and first_line > 0 and number == segments
        raise reader.error(
            f"the id is {number}, and the references are of {segments} segments, so ids go from {first_id} to "
            f"{first_id + segments - 1}; "
            + (
                "they seem to start at 1 here: give first_id=1"
                if from_one
                else "give first_id= if they start elsewhere"
            ),
            block.first_line + row,
        )
    return owners


# -------------------------------------------------------------------------------------------------- parts of a container


def splitter(tokenize: str | Split) -> Split:
    """The function from a text to its tokens."""
    if isinstance(tokenize, str):
        return SPLITS[tokenize] if tokenize in SPLITS else tokenizers.find(tokenize)
    return tokenize


def prepare(references: Any, split: Split, max_order: int | None, reference_length: str | None) -> References:
    """References from files, from texts or from tokens."""
    if isinstance(references, References):
        for name, value in (("max_order", max_order), ("reference_length", reference_length)):
            if value is not None and value != getattr(references, name):
                raise ArrayValueError(
                    f"{name}={value!r} does not fit the References, which were made with {getattr(references, name)!r}"
                )
        return references
    if isinstance(references, (str, PathLike)):
        references = [references]
    if isinstance(references, (list, tuple)) and references:
        if all(isinstance(path, (str, PathLike)) for path in references):
            references = _sets_of_files(references, split)
        elif all(isinstance(texts, (list, tuple)) for texts in references):
            references = [[split(text) if isinstance(text, str) else text for text in texts] for texts in references]
    return References(references, max_order or 4, reference_length or "closest")


def _sets_of_files(paths: Sequence[Path], split: Split) -> list[tuple[list[str], ...]]:
    columns = []
    for path in paths:
        with Lines(fspath(path)) as file:
            columns.append([split(line) for line in file])
    if len(set(map(len, columns))) > 1:
        counts = ", ".join(f"{path}: {len(column)}" for path, column in zip(paths, columns))
        raise LengthMismatchError(f"the references have different numbers of lines, and a line is a segment: {counts}")
    return list(zip(*columns))


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
) -> NBest:
    """The hypotheses brought into the order of the segments that own them."""
    index = np.arange(len(owners))
    if (owners[1:] < owners[:-1]).any():
        index = np.argsort(owners, kind="stable")
        features, stats = features[index], stats[index]
        texts = None if texts is None else [texts[row] for row in index.tolist()]
        sparse = None if sparse is None else sparse.rows(index)
        model_scores = None if model_scores is None else model_scores[index]
    offsets = np.append(0, np.cumsum(np.bincount(owners, minlength=segments)))
    ids = np.arange(segments) + first_id
    return NBest(offsets, features, stats, names, texts, None, sparse, ids, index=index, model_scores=model_scores)


def joined_features(parts: list[NDArray[np.float64]], width: int) -> NDArray[np.float64]:
    """All rows; features that came later are 0 in those before."""
    rows = np.zeros((sum(map(len, parts)), width))
    start = 0
    for part in parts:
        rows[start : start + len(part), : part.shape[1]] = part
        start += len(part)
    return rows


def _joined_scores(parts: list[NDArray[np.float64] | None]) -> NDArray[np.float64] | None:
    known = [part for part in parts if part is not None]
    return np.concatenate(known) if known else None


def joined_sparse(
    parts: list[tuple[int, list[tuple[int, list[tuple[int, float]]]]]], names: tuple[str, ...]
) -> SparseFeatures | None:
    """From the number of hypotheses and what some of them have."""
    if not names:
        return None
    counts = np.zeros(sum(count for count, _ in parts), dtype=np.int64)
    pairs: list[tuple[int, float]] = []
    start = 0
    for count, rows in parts:
        for row, found in rows:
            counts[start + row] = len(found)
            pairs += found
        start += count
    columns = np.array([column for column, _ in pairs], dtype=np.int64)
    values = np.array([value for _, value in pairs], dtype=np.float64)
    return SparseFeatures(np.append(0, np.cumsum(counts)), columns, values, names)


# ------------------------------------------------------------------------------------------------------------- writing


def write(nbest: NBest, path: Path, format: str = "moses") -> None:  # noqa: A002
    """See :meth:`cybleu.nbest.NBest.write`."""
    lines = lines_of(nbest, format)
    with writing(fspath(path)) as file:
        file.writelines(lines)


def lines_of(nbest: NBest, format: str) -> Iterator[str]:  # noqa: A002
    """The lines of the list in a format; everything is checked before the first one."""
    if format not in ("moses", "joshua"):
        raise UnknownNameError(f"unknown format {format!r}; use moses or joshua")
    if nbest.texts is None or nbest.model_scores is None:
        raise ArrayValueError("to write an n-best list, its texts and model_scores must be known")
    sparse_names = () if nbest.sparse is None else nbest.sparse.names
    _check_fields([*nbest.names, *sparse_names], "the name of a feature")
    _check_fields(nbest.texts, "a text")
    if format == "moses":
        before = _labels_of(nbest.names, bool(sparse_names))
        sparse_before = [f"{_sparse_name(name)}= " for name in sparse_names]
    else:
        before = [f"{name}=" for name in nbest.names]
        sparse_before = [f"{name}=" for name in sparse_names]
    return _lines(nbest, before, sparse_before)


def _lines(nbest: NBest, before: list[str], sparse_before: list[str]) -> Iterator[str]:
    row = 0
    for segment, count in zip(nbest.ids.tolist(), np.diff(nbest.offsets).tolist()):
        for values in nbest.features[row : row + count].tolist():
            features = [f"{label}{value!r}" for label, value in zip(before, values)]
            if nbest.sparse is not None:
                place = slice(nbest.sparse.indptr[row], nbest.sparse.indptr[row + 1])
                pairs = zip(nbest.sparse.columns[place].tolist(), nbest.sparse.values[place].tolist())
                features += [f"{sparse_before[column]}{value!r}" for column, value in pairs]
            text = "" if nbest.texts is None else nbest.texts[row]
            score = 0.0 if nbest.model_scores is None else float(nbest.model_scores[row])
            yield f"{segment} ||| {text} ||| {' '.join(features)} ||| {score!r}\n"
            row += 1


def _labels_of(names: Sequence[str], more: bool) -> list[str]:
    """Moses's label before each value, or nothing, so that the names are read back as they are.

    :param more: whether labels of sparse features follow
    """
    if not more and list(names) == [f"f{column}" for column in range(len(names))]:
        return [""] * len(names)
    labels: list[str] = []
    counts: dict[str, int] = {}
    base = ""
    for name in names:
        before, base = base, name.rpartition("_")[0]
        if not base or "_" in base or name != f"{base}_{counts.get(base, 0)}":
            raise FeatureError(
                f"the name {name!r} cannot be written in Moses's format, where the values of a name without '_' are "
                "name_0, name_1 ... in this order; rename the features, or use format='joshua'"
            )
        counts[base] = counts.get(base, 0) + 1
        labels.append("" if base == before else f"{base}= ")
    return labels


def _sparse_name(name: str) -> str:
    if "_" not in name:
        raise FeatureError(f"the sparse feature {name!r} cannot be written in Moses's format: its name has no '_'")
    return name


def _check_fields(texts: Sequence[str], what: str) -> None:
    for text in texts:
        if "|||" in text or "\n" in text or text.strip(" \t") != text:
            raise ArrayValueError(
                f"{what} cannot be written between ' ||| ': {text!r}; '|||', a line break or blanks at an end would be "
                "read as something else"
            )
