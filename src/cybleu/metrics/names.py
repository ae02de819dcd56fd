"""Metrics by name."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from ..errors import UnknownNameError
from .base import Metric
from .bleu import Bleu
from .chrf import Chrf
from .gleu import Gleu
from .nist import Nist
from .ter import Ter
from .variants import VARIANTS

__all__ = ["METRICS", "named"]

#: The metrics by name: sacreBLEU's BLEU, each tool's BLEU, chrF, GLEU, NIST and TER.
METRICS: dict[str, Metric] = {
    "bleu": Bleu(),
    **{name: Bleu(name) for name in VARIANTS},
    "chrf": Chrf(),
    "chrf+": Chrf(word_order=1),
    "chrf++": Chrf(word_order=2),
    "gleu": Gleu(),
    "nist": Nist(),
    "ter": Ter(),
}


def named(metric: str, **options: Any) -> Metric:
    """Return the metric with this name and these options.

    :param metric: a name in :data:`METRICS` in any case, to which ``:`` and the name of a smoothing can be added
    :raises UnknownNameError: there is no such metric, or it has no such option
    """
    refuse_variant(options)
    name, colon, smoothing = metric.partition(":")
    found = METRICS.get(name) or METRICS.get(name.lower())
    if found is None:
        raise UnknownNameError(f"unknown metric {name!r}; use one of {', '.join(METRICS)}")
    if colon:
        options.setdefault("smoothing", smoothing)
    if not options:
        return found
    if {*map(type, options.values())} <= {str, bool, int}:
        return _chosen(found, **options)
    return found.with_choices(**options)


@lru_cache(64, typed=True)  # what a metric derives from its fields is made once
def _chosen(metric: Metric, **options: Any) -> Metric:
    return metric.with_choices(**options)


def refuse_variant(options: dict[str, Any]) -> None:
    """:raises UnknownNameError: the definition is given as an option, and not as the metric"""
    if "variant" in options:
        raise UnknownNameError("variant is no option of a metric; pass the definition itself as metric=")
