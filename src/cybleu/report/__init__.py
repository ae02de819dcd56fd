"""Comparison reports: pages and plots that show how systems differ.

:func:`write` writes one self-contained HTML file. It shows scores with intervals and tests, precisions, the
parts of each difference, groups of segments, n-grams, and every segment of every system. :func:`analyse` returns the
same figures as a :class:`Report`, and :func:`plot_precisions` and the other plot functions draw them.

The page requires Jinja2 and Matplotlib, and the plots require Matplotlib: ``pip install "cybleu[report]"``.
"""

from .analysis import MetricFigures, Report, analyse
from .page import html, save_page, write
from .plots import plot_buckets, plot_contributions, plot_differences, plot_precisions, plot_scores

__all__ = [
    "MetricFigures",
    "Report",
    "analyse",
    "html",
    "plot_buckets",
    "plot_contributions",
    "plot_differences",
    "plot_precisions",
    "plot_scores",
    "save_page",
    "write",
]
