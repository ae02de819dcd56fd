"""Extract features and statistics from an n-best list, as Moses's extractor does."""

from __future__ import annotations

from os import PathLike
from typing import Any

from .container import NBest
from .merging import merge

Path = str | PathLike[str]

__all__ = ["extract"]


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
