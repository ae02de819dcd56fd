"""Is one system better than another? Intervals and tests on the statistics of segments.

What is resampled is rows, so nothing is counted twice, and any metric that scores sums of rows is tested: BLEU as any tool
defines it, a metric of your own, a function of the sum. Scores of segments, such as COMET's, are tested by their mean.

Sums are exact or rounded once, and every score is computed from them by the metric itself. So what :func:`paired_test` and
the others say depends on the seed alone, not on threads, on blocks or on the library that multiplies matrices; and a shuffle
that exchanges two systems completely has the statistic of the systems to the last bit.
"""

from .comparison import compare_systems
from .paired import Bootstrap, PairedTest, bootstrap, paired_test
from .results import SystemComparison, SystemDifference, SystemScore
from .sacrebleu import SacrebleuResult, paired_ar, paired_bs

__all__ = [
    "Bootstrap",
    "PairedTest",
    "SacrebleuResult",
    "SystemComparison",
    "SystemDifference",
    "SystemScore",
    "bootstrap",
    "compare_systems",
    "paired_ar",
    "paired_bs",
    "paired_test",
]
