"""The segments of a corpus as tokens, for metrics that count texts in Python, and for tokenisers that are not the backend's."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from .._backend import RawTexts
from ..text.batches import Batch, Corpus, Place, Sets, TokenIds, TokenLists
from ..text.reading import token_lists
from ..text.tokenizers import Tokenization


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
        corpus = Corpus(lines, Sets(references, bounds), corpus.owners)
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

    bounds = corpus.sets.bounds

    def sets_of_tokens() -> Sets:
        return Sets(tokens_of(corpus.sets.texts, tokenization, Place("references", list(bounds))), bounds)

    sets = corpus.made(("tokens", tokenization), sets_of_tokens)
    same = corpus.texts is corpus.sets.texts
    texts = sets.texts if same else tokens_of(corpus.texts, tokenization, Place("hypotheses"))
    return Corpus(texts, sets, corpus.owners, corpus.once)


def tokens_of(texts: Batch, tokenization: Tokenization, place: Place) -> TokenLists | TokenIds:
    """Raw texts as tokens."""
    assert isinstance(texts, RawTexts)
    return token_lists(tokenization.split(texts.lists()), place)
