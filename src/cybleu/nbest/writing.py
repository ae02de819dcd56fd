"""Write n-best lists in the formats of decoders, with numbers in full precision."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from .._files.text import Naming, keyword, shown
from ..errors import ArrayValueError, FeatureError, UnknownNameError
from .features import sparse_fields

if TYPE_CHECKING:
    from .container import NBest


def nbest_lines(nbest: NBest, format: str, naming: Naming = keyword) -> Iterator[str]:  # noqa: A002
    """Format the lines of a list. The whole list is validated before the first line is yielded.

    :param nbest: with texts and model scores
    :param format: ``moses`` or ``joshua``
    :param naming: see :meth:`cybleu.nbest.NBest.from_files`
    :raises CybleuError: texts or model scores are not known; a name or a text cannot be written in the format

    >>> from cybleu.nbest import NBest
    >>> nbest = NBest([0, 1], [[-1.5]], [[3.0]], ["lm"], ["it rains"], model_scores=[0.5])
    >>> list(nbest_lines(nbest, "joshua"))
    ['0 ||| it rains ||| lm=-1.5 ||| 0.5\\n']
    """
    if format not in ("moses", "joshua"):
        raise UnknownNameError(f"unknown format {format!r}; use moses or joshua")
    if nbest.texts is None or nbest.model_scores is None:
        raise ArrayValueError("writing an n-best list requires its texts and model_scores")
    sparse_names = () if nbest.sparse is None else nbest.sparse.names
    _check_fields([*nbest.names, *sparse_names], "the name of a feature")
    _check_fields(nbest.texts, "a text")
    if format == "joshua":
        return _list_lines(nbest, [f"{name}=" for name in nbest.names], [f"{name}=" for name in sparse_names])
    # readers of this format tell sparse features from dense ones by it
    for name in sparse_names:
        if "_" not in name:
            raise FeatureError(
                f"the sparse feature {shown(name)} cannot be written in Moses's format: its name has no '_'"
            )
    labels = _labels_of(nbest.names, bool(sparse_names), naming("format", "joshua"))
    return _list_lines(nbest, labels, [f"{name}= " for name in sparse_names])


def _list_lines(nbest: NBest, labels: list[str], sparse_labels: list[str]) -> Iterator[str]:
    texts = nbest.texts or []
    scores = [] if nbest.model_scores is None else nbest.model_scores.tolist()
    for number, segment in enumerate(nbest.ids.tolist()):
        rows = nbest.segment(number)
        for row, values in enumerate(nbest.features[rows].tolist(), rows.start):
            features = [f"{label}{value!r}" for label, value in zip(labels, values)]
            features += sparse_fields(nbest.sparse, row, sparse_labels)
            yield f"{segment} ||| {texts[row]} ||| {' '.join(features)} ||| {scores[row]!r}\n"


def _labels_of(names: Sequence[str], more: bool, joshua: str) -> list[str]:
    """Return Moses's label before each value, or an empty string, so that names are read back unchanged.

    :param more: whether labels of sparse features follow
    :param joshua: the argument for Joshua's format, for the message
    """
    # names that readers give to values without labels need no labels
    if not more and list(names) == [f"f{column}" for column in range(len(names))]:
        return [""] * len(names)
    labels: list[str] = []
    counts: dict[str, int] = {}
    base = ""
    for name in names:
        before = base
        base = name.rpartition("_")[0]
        if not base or "_" in base or name != f"{base}_{counts.get(base, 0)}":
            raise FeatureError(
                f"the name {shown(name)} cannot be written in Moses's format, which requires names such as lm_0, lm_1 "
                f"... in this order; rename the features, or use {joshua}"
            )
        counts[base] = counts.get(base, 0) + 1
        labels.append("" if base == before else f"{base}= ")
    return labels


def _check_fields(texts: Sequence[str], what: str) -> None:
    for text in texts:
        if "|||" in text or "\n" in text or text.strip(" \t") != text:
            raise ArrayValueError(
                f"{what} cannot be written between ' ||| ': {shown(text)}; it must not contain '|||' or a line break, "
                "or begin or end with a blank"
            )
