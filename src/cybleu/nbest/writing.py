"""Write n-best lists in the formats of decoders, with numbers in full precision."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from os import PathLike, fspath
from typing import TYPE_CHECKING

from .._files.text import shown
from .._files.writing import writing
from .._runtime.arrays import np
from ..errors import ArrayValueError, FeatureError, UnknownNameError
from .container import NBest

if TYPE_CHECKING:
    Path = str | PathLike[str]


def write(nbest: NBest, path: Path, format: str = "moses") -> None:  # noqa: A002
    """Write an n-best list; see :meth:`cybleu.nbest.NBest.write`."""
    lines = nbest_lines(nbest, format)
    with writing(fspath(path)) as file:
        file.writelines(lines)


def nbest_lines(nbest: NBest, format: str) -> Iterator[str]:  # noqa: A002
    """Format the lines of a list. The whole list is validated before the first line is yielded.

    :param nbest: with texts and model scores
    :param format: ``moses`` or ``joshua``
    :raises CybleuError: texts or model scores are not known; a name or a text cannot be written in the format

    >>> from cybleu.nbest import NBest
    >>> nbest = NBest([0, 1], [[-1.5]], [[3.0]], ["lm"], ["it rains"], model_scores=[0.5])
    >>> list(nbest_lines(nbest, "joshua"))
    ['0 ||| it rains ||| lm=-1.5 ||| 0.5\\n']
    """
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
    """Return Moses's label before each value, or an empty string, so that names are read back unchanged.

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
                f"the name {shown(name)} cannot be written in Moses's format, where the values of a name without '_' are "
                "name_0, name_1 ... in this order; rename the features, or use format='joshua'"
            )
        counts[base] = counts.get(base, 0) + 1
        labels.append("" if base == before else f"{base}= ")
    return labels


def _sparse_name(name: str) -> str:
    if "_" not in name:
        raise FeatureError(f"the sparse feature {shown(name)} cannot be written in Moses's format: its name has no '_'")
    return name


def _check_fields(texts: Sequence[str], what: str) -> None:
    for text in texts:
        if "|||" in text or "\n" in text or text.strip(" \t") != text:
            raise ArrayValueError(
                f"{what} cannot be written between ' ||| ': {shown(text)}; '|||', a line break or blanks at an end would be "
                "read as something else"
            )
