"""Plot the score along a line with Matplotlib."""

from __future__ import annotations

from io import BytesIO
from os import PathLike, fspath
from typing import BinaryIO

from .._files.pictures import figure_class, kind_of_picture, write_picture
from .._runtime.arrays import np
from .._runtime.scales import percent
from .results import LineSearch

__all__ = ["check_plot", "plot_surface"]


def check_plot(path: str) -> str:
    """Check that a plot can be drawn and written, before a long search.

    :param path: of the image
    :return: the kind of file: ``png`` or ``svg``
    :raises UnknownNameError: its name does not end in .png or .svg
    :raises InputFileError: it cannot be written there
    :raises MissingExtraError: Matplotlib is not installed

    >>> check_plot("surface.pdf")
    Traceback (most recent call last):
    cybleu.errors.UnknownNameError: the plot 'surface.pdf' must be a .png or .svg file
    """
    return kind_of_picture(path, "png", "svg")


def plot_surface(
    path: str | PathLike[str],
    found: LineSearch,
    name: str,
    weight: float,
    metric: str,
    *,
    file: BinaryIO | None = None,
) -> None:
    """Plot the score against the weight of a feature in the range of most thresholds, and mark the current weight.

    :param path: of the image, a .png or .svg file. If there is an error, an existing file is not changed
    :param found: a line search along the feature's axis, from that weight, with its surface
    :param name: of the feature
    :param weight: of the feature, where the line search began
    :param metric: the name of the score; if its scale is known, it is drawn from 0 to 100
    :param file: an open binary file to write to instead; the path then only selects the file format
    :raises CybleuError: as for :func:`check_plot`

    >>> import pathlib, tempfile
    >>> from cybleu.nbest import NBest
    >>> from cybleu.tuning import line_search
    >>> nbest = NBest([0, 2], [[0.0, 2.0], [1.0, 0.0]], [[1.0], [0.0]], ["a", "b"])
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "surface.svg"
    >>> plot_surface(str(path), line_search(nbest, [1.0, 0.0], "b", surface=True), "b", 0.0, "score")
    >>> path.exists()
    True
    """
    path = fspath(path)
    kind = check_plot(path)
    figure = figure_class()(figsize=(8, 4.5), layout="constrained")
    assert found.surface is not None
    starts, scores = found.surface
    thresholds = starts[np.isfinite(starts)]
    low, high = np.quantile(thresholds, [0.05, 0.95]) if len(thresholds) else (0.0, 0.0)
    low, high = min(low, found.step, 0.0), max(high, found.step, 0.0)
    margin = 0.05 * (high - low) or 1.0
    low, high = low - margin, high + margin
    ends = np.concatenate([[low], np.clip(thresholds, low, high), [high]])
    if np.isfinite(starts[0]):
        ends = ends[1:]
    axes = figure.add_subplot()
    axes.stairs(percent(scores, found.scale or 100), weight + ends, baseline=None)
    axes.axvline(weight, color="0.6", linestyle=":", label=f"{weight:.6g}")
    axes.set(xlabel=f"weight of {name}", ylabel=metric)
    axes.legend()
    picture = BytesIO()
    figure.savefig(picture, format=kind)
    if file is not None:
        file.write(picture.getvalue())
    else:
        write_picture(path, picture.getvalue())
