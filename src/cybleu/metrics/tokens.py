"""The segments of a corpus as tokens, for metrics that count texts in Python, and for tokenisers that are not the backend's."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from ..text.batches import Corpus, ListSets, Place, RawText, Sets, TokenIds, TokenLists
from ..text.numbering import number_together
from ..text.reading import token_lists

if TYPE_CHECKING:
    from ..text.batches import AnySets, Batch
    from ..text.tokenization import Tokenization

__all__ = ["numbered_pair", "segments_of", "tokenised", "tokens_of"]


def segments_of(
    corpus: Corpus, tokenization: Tokenization | None, reads: str
) -> Callable[[int], tuple[Any, Sequence[Any]]]:
    """Return a function from the number of a segment to its hypothesis and its references, as ``count`` of a metric takes them.

    :param tokenization: how raw text is tokenised; None for tokens and ids
    :param reads: ``text`` for raw texts as they are
    """
    if tokenization is not None and reads != "text":
        corpus = tokenised(corpus, tokenization)
    elif tokenization is not None:
        lines, references, bounds = corpus.lines(tokenization)
        corpus = Corpus(RawText(lines), Sets(RawText(references), bounds), corpus.owners)
    texts = corpus.texts.lists()
    sets = corpus.sets.lists()
    owners = corpus.owners
    for batch in (corpus.texts, corpus.sets.texts):
        if isinstance(batch, TokenLists):
            batch.types()  # an error if one is an array

    def segment(position: int) -> tuple[Any, Sequence[Any]]:
        return texts[position], sets[position if owners is None else int(owners[position])]

    return segment


def tokenised(corpus: Corpus, tokenization: Tokenization) -> Corpus:
    """The corpus of raw text as tokens. A function of the caller's may return them in any form."""

    def sets_of_tokens() -> AnySets:
        bounds = list(corpus.sets.bounds)
        texts = tokens_of(corpus.sets.texts, tokenization, Place("references", bounds))
        if isinstance(texts, TokenIds):
            return Sets(texts, corpus.sets.bounds)  # type: ignore[arg-type]
        return ListSets([texts.texts[begin:end] for begin, end in itertools.pairwise(bounds)], "references")

    sets = corpus.made(("tokens", tokenization), sets_of_tokens)
    return Corpus(tokens_of(corpus.texts, tokenization, Place("hypotheses")), sets, corpus.owners, corpus.once)


def tokens_of(texts: Batch, tokenization: Tokenization, place: Place) -> TokenLists | TokenIds:
    """Raw texts as tokens."""
    assert isinstance(texts, RawText)
    return token_lists(tokenization.split(texts.lines.strings()), place)


def numbered_pair(first: Batch, second: Batch, tokenization: Tokenization | None) -> tuple[Any, Any]:
    """Two batches of texts as ids of one vocabulary, see :func:`number_together`.

    :param tokenization: how raw text is tokenised
    """

    def read(batch: Batch) -> Batch:
        if not isinstance(batch, RawText) or tokenization is None:
            return batch
        if not tokenization.own:
            return tokens_of(batch, tokenization, Place("texts"))
        return RawText(tokenization.lowered(batch.lines)) if tokenization.lowercase else batch

    numbered = read(first)
    return number_together(numbered, numbered if second is first else read(second), tokenization)
