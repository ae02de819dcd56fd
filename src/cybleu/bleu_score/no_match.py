"""Warnings about orders without a match, issued as NLTK issues its own."""

from __future__ import annotations

import sys
import warnings
from functools import cache

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

# The module that filters attribute warnings to, which `install` replaces by NLTK's. The output shows the caller's line.
warning_module = "cybleu.bleu_score"

# The module and the filters at the last check, and the sets of orders for which they ignore the warnings. The result is cached because a
# corpus can warn for every segment, and a check costs more than a score. Filters are tuples, so equal lists give equal results.
_silence: tuple[str, list[Any], dict[int, bool]] = ("", [], {})

# `warnings.warn` may already be replaced when this module is imported.
try:
    from _warnings import warn as _WARN
except ImportError:
    _WARN = warnings.warn

# Some Pythons keep the filters in a context, which only a function that is not public returns. If it is gone, no filter is known.
_CONTEXTS = getattr(sys.flags, "context_aware_warnings", False)
_filters_of_context = getattr(warnings, "_get_filters", list)


def warn_no_match(unmatched: int) -> bool:
    """Warn of each order without a match, and return whether the filters ignore all these warnings.

    :param unmatched: a bit for each order without a match, the lowest one for order 1
    """
    global _silence
    if warnings.warn is _WARN:
        filters = _filters_of_context() if _CONTEXTS else warnings.filters
        silence = _silence  # another thread may replace it
        if silence[1] != filters or silence[0] != warning_module:
            silence = _silence = warning_module, list(filters), {}
        ignored = silence[2].get(unmatched)
        if ignored is None:
            ignored = all(_is_ignored(text, silence[1]) for text in _texts(unmatched))
            silence[2][unmatched] = ignored
        if ignored:
            return True
    texts = _texts(unmatched)
    if warnings.warn is not _WARN:  # NLTK would call the replacement
        for text in texts:
            warnings.warn(text)  # noqa: B028
        return False
    frame = sys._getframe(1)
    while str(frame.f_globals.get("__name__")).startswith("cybleu.") and frame.f_back is not None:
        frame = frame.f_back
    path = frame.f_code.co_filename
    registry = frame.f_globals.setdefault("__warningregistry__", {})
    for text in texts:
        warnings.warn_explicit(text, UserWarning, path, frame.f_lineno, warning_module, registry)
    return False


def _texts(unmatched: int) -> list[str]:
    orders = range(1, unmatched.bit_length() + 1)
    return [_warning_text(order) for order in orders if unmatched >> (order - 1) & 1]


@cache
def _warning_text(order: int) -> str:
    return (
        f"\nThe hypothesis contains 0 counts of {order}-gram overlaps.\n"
        f"Its {order}-gram precision is taken as the smallest positive float, so the score is practically 0.\n"
        "Use a lower n-gram order in the weights, or a smoothing function such as SmoothingFunction().method1"
    )


def _is_ignored(text: str, filters: list[Any]) -> bool:
    """Return whether the first matching filter of :mod:`warnings` ignores this warning, at whatever line."""
    for action, message, category, module, line in filters:
        patterns_match = all(
            pattern is None or (pattern == value if isinstance(pattern, str) else pattern.match(value))
            for pattern, value in ((message, text), (module, warning_module))
        )
        if patterns_match and issubclass(UserWarning, category):
            return bool(action == "ignore" and line == 0)
    return False
