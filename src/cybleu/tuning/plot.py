"""A picture of the score along a line, for which Matplotlib is needed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from .._runtime.arrays import np
from ..errors import InputFileError, MissingExtraError, UnknownNameError
from .results import LineSearch

__all__ = ["check_plot", "plot_surface"]


def check_plot(path: str) -> Any:
    """Whether a plot can be made there, before a long search for it.

    :param path: of the picture
    :raises UnknownNameError: its name does not end in .png or .svg
    :raises InputFileError: there is no such folder
    :raises MissingExtraError: Matplotlib is not installed

    >>> check_plot("surface.pdf")
    Traceback (most recent call last):
    cybleu.errors.UnknownNameError: the plot 'surface.pdf' must be a .png or .svg file
    """
    if Path(path).suffix.lower() not in (".png", ".svg"):
        raise UnknownNameError(f"the plot {path!r} must be a .png or .svg file")
    if not Path(path).parent.is_dir():  # which is better said before the work than after it
        raise InputFileError(f"{path}: cannot be written: there is no folder {str(Path(path).parent)!r}")
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise MissingExtraError(
            "plots need Matplotlib, which is not installed; install it with: pip install 'cybleu[plot]'"
        ) from None
    return Figure


def plot_surface(path: str, found: LineSearch, name: str, weight: float, metric: str) -> None:
    """Draw the score for weights of a feature around where most thresholds are, and mark the weight.

    :param path: of the picture, a .png or .svg file
    :param found: a line search along the feature's axis, from that weight, with its surface
    :param name: of the feature
    :param weight: of the feature, where the line search began
    :param metric: what the score is called; it is from 0 to 100 where its scale is known

    >>> import pathlib, tempfile
    >>> from cybleu.nbest import NBest
    >>> from cybleu.tuning import line_search
    >>> nbest = NBest([0, 2], [[0.0, 2.0], [1.0, 0.0]], [[1.0], [0.0]], ["a", "b"])
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "surface.svg"
    >>> plot_surface(str(path), line_search(nbest, [1.0, 0.0], "b", surface=True), "b", 0.0, "score")
    >>> path.exists()
    True
    """
    figure = check_plot(path)(figsize=(8, 4.5), layout="constrained")
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
    axes.stairs(scores * (100 / found.scale if found.scale else 1), weight + ends, baseline=None)
    axes.axvline(weight, color="0.6", linestyle=":", label=f"{weight:.6g}")
    axes.set(xlabel=f"weight of {name}", ylabel=metric)
    axes.legend()
    try:
        figure.savefig(path)
    except OSError as error:
        raise InputFileError(f"{path}: cannot be written: {error.strerror or error}") from error
