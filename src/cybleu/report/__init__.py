"""What a score hides: one page, and plots, of how systems differ.

:func:`write` makes a file of HTML that needs nothing else: scores with intervals and tests, precisions, what makes each
difference, groups of segments, n-grams, and every segment of every system. :func:`analyse` gives the same as numbers, in a
:class:`Report`, from which :func:`plot_precisions` and the others draw.

The page needs Jinja2 and Matplotlib, the plots Matplotlib: ``pip install 'cybleu[report]'``.
"""

from .analysis import Report, analyse
from .figures import (
    Buckets,
    Contributions,
    NGramDifference,
    NGramMiss,
    OutputFigures,
    PairFigures,
    Precisions,
    WordFrequencies,
)
from .page import check_report, html, save_page, write
from .plots import (
    check_plot,
    plot_buckets,
    plot_contributions,
    plot_differences,
    plot_precisions,
    plot_scores,
    save_plot,
)

__all__ = [
    "Buckets",
    "Contributions",
    "NGramDifference",
    "NGramMiss",
    "OutputFigures",
    "PairFigures",
    "Precisions",
    "Report",
    "WordFrequencies",
    "analyse",
    "check_plot",
    "check_report",
    "html",
    "plot_buckets",
    "plot_contributions",
    "plot_differences",
    "plot_precisions",
    "plot_scores",
    "save_page",
    "save_plot",
    "write",
]
