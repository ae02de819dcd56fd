"""Sufficient statistics: the counts from which every BLEU is computed, as rows of int64."""

from __future__ import annotations

from .._runtime.later import later

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .accumulator import CorpusAccumulator as CorpusAccumulator
    from .references import References as References
    from .references import segment_stats as segment_stats
    from .references import short_segments as short_segments

__getattr__, __dir__, __all__ = later(
    __name__,
    {"accumulator": "CorpusAccumulator", "references": "References segment_stats short_segments"},
)
