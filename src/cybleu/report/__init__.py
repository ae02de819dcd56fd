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
]
