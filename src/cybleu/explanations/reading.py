"""Read the definition and the texts of a single segment."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .._runtime.sequences import plain_segment
from ..errors import NoReferencesError, UnknownNameError
from ..metrics import Bleu, find
from ..metrics.tokens import tokens_of
from ..text.batches import Place
from ..text.raw import raw_of
from ..text.reading import read_lines

if TYPE_CHECKING:
    from collections.abc import Collection, Hashable, Mapping, Sequence

    from ..text.raw import Raw


def bleu_of_sentences(
    function: str, metric: Any, tokenize: Any, lowercase: bool, choices: Mapping[str, Any]
) -> tuple[Bleu, Raw | None]:
    """Return the BLEU that scores single sentences, and how it reads raw text; None for token lists.

    :param function: its name, for errors
    :raises UnknownNameError: the metric is not BLEU
    """
    found = find(metric, **choices)
    if not isinstance(found, Bleu):
        raise UnknownNameError(f"{function} requires BLEU, and the metric is {found.name}; give a variant of BLEU")
    found = found.of_sentences()
    if raw_of(tokenize, lowercase) is None:
        return found, None
    return found, found.with_choices(tokenize=tokenize, lowercase=lowercase).raw("raw text")


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
