"""The segments of a corpus as tokens and as numbers of 32 bits, equal for equal tokens, and the alignment of all pairs of such texts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from .._backend import Alignments, RawTexts
from .._runtime.lazy_arrays import Floats, np
from .._runtime.parallel import run
from ..text.batches import Batch, Corpus, Place, Sets, TokenIds, TokenLists
from ..text.ids import number_others, number_texts, number_together
from ..text.reading import token_lists
from ..text.tokenizers import Tokenization


def segments_of(metric: Any, corpus: Corpus) -> list[tuple[Any, Sequence[Any]]]:
    """Return the hypothesis and the references of each segment, as ``count`` of a metric takes them."""
    if corpus.kind == "raw text" and metric.reads != "text":
        corpus = tokenised(corpus, metric.tokenization)
    for batch in (corpus.texts, corpus.sets.texts):
        if isinstance(batch, TokenLists):
            batch.types()  # an error if one is an array
    return list(zip(corpus.texts.lists(), corpus.references()))


def tokenised(corpus: Corpus, tokenization: Tokenization) -> Corpus:
    """The corpus of raw text as tokens. A function of the caller's may return them in any form."""
    return changed_by(corpus, tokenization, tokens_of)


def changed_by(
    corpus: Corpus, tokenization: Tokenization, change: Callable[[Any, Tokenization, Place], Batch]
) -> Corpus:
    """The corpus with its texts changed; what prepared references become is kept."""
    bounds = corpus.sets.bounds

    def changed_sets() -> Sets:
        return Sets(change(corpus.sets.texts, tokenization, Place("references", list(bounds))), bounds)

    sets = corpus.made(("changed", tokenization), changed_sets)
    same = corpus.texts is corpus.sets.texts
    texts = sets.texts if same else change(corpus.texts, tokenization, Place("hypotheses"))
    return Corpus(texts, sets, corpus.owners, corpus.made, changed=True)


def tokens_of(texts: Batch, tokenization: Tokenization, place: Place) -> TokenLists | TokenIds:
    """Raw texts as tokens."""
    assert isinstance(texts, RawTexts)
    return token_lists(tokenization.split(texts.lists()), place)


# -------------------------------------------------------------------------------------------------------------- numbers


def numbered(metric: Any, corpus: Corpus) -> tuple[TokenIds, TokenIds]:
    """Hypotheses and references as numbers; twice the same object if they are the same texts.

    A token of a hypothesis that no reference has is -1. Requires NumPy, except for raw text.
    """
    if corpus.kind == "raw text":
        lines = corpus.sets.texts
        tokenization = metric.tokenization
        key = "words", tokenization
        words, vocabulary = corpus.made(key, lambda: number_texts(lines, tokenization.backend))
        return words if corpus.texts is lines else number_others(corpus.texts, vocabulary), words
    references, hypotheses = number_together(corpus.sets.texts, corpus.texts)
    return hypotheses, references


def in_pairs(texts: Batch, others: Batch) -> Corpus:
    """Texts, and others each of which is a set of its own, to score each text with each of the others."""
    return Corpus(texts, Sets(others, np.arange(others.size + 1, dtype=np.int64)))


# ----------------------------------------------------------------------------------------------------------- alignments


def align_pairs(
    metric: Any, pairs: Corpus, scores: Floats, are_rates: bool, threads: int | None, progress: bool
) -> None:
    """Write the score of each hypothesis against each reference; one alignment serves two scores if they are the same texts.

    :param are_rates: whether scores are word error rates; otherwise they are F-measures of ROUGE-L
    """
    hypotheses, references = numbered(metric, pairs)
    lengths = np.subtract(references.ends, references.begins)
    # several alignments at once take least if they are of similar lengths; on some platforms, indices have 32 bits
    alignments = Alignments(hypotheses, references, np.argsort(lengths).astype(np.int64))

    def work(start: int, stop: int) -> None:
        alignments.fill(are_rates, start, stop, scores)

    run(work, len(scores), 64 * scores.size, threads, progress, "hypotheses")
