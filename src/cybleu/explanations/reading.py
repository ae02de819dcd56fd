"""Parse the texts of a single segment."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .._runtime.sequences import plain_segment
from ..errors import NoReferencesError
from ..metrics.tokens import tokens_of
from ..text.batches import Place
from ..text.reading import read_lines

if TYPE_CHECKING:
    from collections.abc import Collection, Hashable, Sequence

    from ..text.raw import Raw


def token_segment(
    references: Any, hypothesis: Any, raw: Raw | None
) -> tuple[Sequence[Collection[Hashable]], Collection[Hashable]]:
    """Return the references and the hypothesis as token lists, after tokenising raw text."""
    if raw is not None:
        texts, line = read_lines(references, "references"), read_lines([hypothesis], "hypothesis")
        if not texts.size:
            raise NoReferencesError("there is no reference for the hypothesis; give at least one")
        references = tokens_of(texts, raw, Place("references")).lists()
        (hypothesis,) = tokens_of(line, raw, Place("hypothesis")).lists()
    return plain_segment(references, hypothesis, tokenizes=True)
