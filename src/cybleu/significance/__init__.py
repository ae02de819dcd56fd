"""Significance tests and confidence intervals, computed from the statistics of segments.

The tests resample rows of statistics, so texts are counted only once. They work for every metric that scores sums of
rows: BLEU as any tool defines it, a metric of your own, or a function of the sum. For metrics that score segments, such
as COMET, they compare the mean.

Sums are exact or rounded only once, and the metric itself computes every score from them. The results therefore depend
only on the seed, not on the number of threads, the blocks, or the library that multiplies matrices. A shuffle that
exchanges all segments of two systems changes only the sign of their difference.
"""

from .comparison import compare_systems
from .paired import Bootstrap, PairedTest, bootstrap, paired_test
from .results import SystemComparison, SystemDifference, SystemScore, format_comparisons
from .sacrebleu import SacrebleuResult, confidence, paired_ar, paired_bs
from .settings import Settings

__all__ = [
    "Bootstrap",
    "PairedTest",
    "SacrebleuResult",
    "Settings",
    "SystemComparison",
    "SystemDifference",
    "SystemScore",
    "bootstrap",
    "compare_systems",
    "confidence",
    "format_comparisons",
    "paired_ar",
    "paired_bs",
    "paired_test",
]
