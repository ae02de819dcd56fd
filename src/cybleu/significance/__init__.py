"""Significance tests and confidence intervals, computed from the statistics of segments.

The tests resample rows of statistics, so texts are counted only once. They work for every metric that scores sums of
rows: BLEU as any tool defines it, a metric of your own, or a function of the sum. For metrics that score segments, such
as COMET, they compare the mean.

Sums are exact or rounded only once, and the metric itself computes every score from them. The results therefore depend
only on the seed, not on the number of threads, the blocks, or the library that multiplies matrices. A shuffle that
exchanges all segments of two systems changes only the sign of their difference.
"""

from __future__ import annotations

from .._runtime.later import later

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .comparison import compare_systems as compare_systems
    from .paired import (
        Bootstrap as Bootstrap,
        PairedTest as PairedTest,
        bootstrap as bootstrap,
        paired_test as paired_test,
    )
    from .results import (
        SystemComparison as SystemComparison,
        SystemDifference as SystemDifference,
        SystemScore as SystemScore,
        format_comparisons as format_comparisons,
    )
    from .sacrebleu import (
        SacrebleuResult as SacrebleuResult,
        confidence as confidence,
        paired_ar as paired_ar,
        paired_bs as paired_bs,
    )
    from .settings import Settings as Settings

__getattr__, __dir__, __all__ = later(
    __name__,
    {
        "comparison": "compare_systems",
        "paired": "Bootstrap PairedTest bootstrap paired_test",
        "results": "SystemComparison SystemDifference SystemScore format_comparisons",
        "sacrebleu": "SacrebleuResult confidence paired_ar paired_bs",
        "settings": "Settings",
    },
)
