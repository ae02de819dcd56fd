"""Pages and plots that show how systems differ, which a score hides.

:func:`write` makes one file of HTML that needs no other file. It shows scores with intervals and tests, precisions, the
parts of each difference, groups of segments, n-grams, and every segment of every system. :func:`analyse` gives the
same as numbers, in a :class:`Report`. :func:`plot_precisions` and the other functions for plots draw it.

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
