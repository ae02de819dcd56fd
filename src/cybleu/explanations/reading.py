"""Parse the texts of a single segment."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .._runtime.sequences import plain_segment
from ..text.parsing import parse_raw_segment

if TYPE_CHECKING:
    from collections.abc import Collection, Hashable, Sequence

    from ..text.raw import Raw


def token_segment(
    references: Any, hypothesis: Any, raw: Raw | None
) -> tuple[Sequence[Collection[Hashable]], Collection[Hashable]]:
    """Return the references and the hypothesis as token lists, after tokenising raw text."""
    if raw is not None:
        lines, line = parse_raw_segment(references, hypothesis)
        references = [raw.tokens(text, f"references[{number}]") for number, text in enumerate(lines)]
        hypothesis = raw.tokens(line, "the hypothesis")
    return plain_segment(references, hypothesis, tokenizes=True)
