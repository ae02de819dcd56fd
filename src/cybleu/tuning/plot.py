"""A picture of the score along a line, for which Matplotlib is needed."""

from __future__ import annotations

from pathlib import Path

from .._runtime.arrays import np
from ..errors import MissingExtraError, UnknownNameError
from .climb import LineSearch

try:
    from matplotlib.figure import Figure
except ImportError as error:
    raise MissingExtraError(
        "plots need Matplotlib, which is not installed; install it with: pip install 'cybleu[plot]'"
    ) from error


def check_plot(path: str) -> None:
    """:raises UnknownNameError: the name of the file does not end in .png or .svg"""
    if Path(path).suffix.lower() not in (".png", ".svg"):
        raise UnknownNameError(f"the plot {path!r} must be a .png or .svg file")


def plot_surface(path: str, found: LineSearch, name: str, weight: float, metric: str) -> None:
    """Draw the score for weights of a feature around where most thresholds are, and mark the weight.

    :param found: a line search along the feature's axis, from that weight, with its surface
    """
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
    figure = Figure(figsize=(8, 4.5), layout="constrained")
    axes = figure.add_subplot()
    axes.stairs(scores, weight + ends, baseline=None)
    axes.axvline(weight, color="0.6", linestyle=":", label=f"{weight:.6g}")
    axes.set(xlabel=f"weight of {name}", ylabel=metric)
    axes.legend()
    figure.savefig(path)
