"""Sentence BLEU of all pairs of texts, and of each text against all others (self-BLEU).

Texts are token lists, token ids or raw text, as for :func:`cybleu.rows`.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from random import Random
from typing import TYPE_CHECKING, Any

from ._backend import go_on, leave_one_out
from ._runtime.arrays import Floats, Integers, np
from ._runtime.numbers import check_whole
from .bleu_score.scores import QUARTERS, SCORER, score_of_precisions, smoothed_precisions, weight_vectors, weights_given
from .bleu_score.smoothing import method_number
from .errors import NoReferencesError, SampleError
from .metrics import Bleu, find
from .metrics.counting import numbered, tokens_of
from .metrics.operations import corpus_for
from .text.batches import in_pairs
from .text.ids import SpecialIds
from .text.reading import read_texts
from .text.tokenizers import Tokenize

if TYPE_CHECKING:
    from .bleu_score.scores import SmoothingCallable, Weights

__all__ = ["pairs", "self_bleu"]


def pairs(
    texts: Any,
    others: Any = None,
    *,
    metric: Any = "bleu",
    pad_id: int | None = None,
    eos_id: int | None = None,
    threads: int | None = None,
    progress: bool = False,
    **options: Any,
) -> Floats:
    """Score each text with each other text as its only reference, as the tool scores single sentences.

    :param texts: the hypotheses, a batch of texts in any form that :func:`cybleu.rows` accepts
    :param others: the references, a batch of texts of the same kind; by default `texts`
    :param metric: the metric, in any form that :func:`cybleu.metrics.find` accepts
    :param pad_id: a padding id, removed from both ends of a text
    :param eos_id: an end id; a text ends before its first occurrence
    :param threads: the number of threads, by default one; it does not affect the result
    :param progress: show a progress bar (requires tqdm)
    :param options: options of the metric, such as ``tokenize="zh"``
    :return: float64 of shape `(texts, others)`, on the tool's scale; entry `[i, j]` is the score of text i against
        other j. An empty text scores 0, even if the tool fails. The array is empty if there are no texts
    :raises CybleuError: an argument is invalid; the message names the argument and the position

    >>> pairs([["a", "b", "c"], ["a", "b"]], metric="moses", smoothing="add").round(3)
    array([[1.   , 0.707],
           [0.607, 1.   ]])
    """
    scoring = find(metric, **options).of_sentences()
    return scoring.pairs(texts, others, threads=threads, progress=progress, pad_id=pad_id, eos_id=eos_id)


def self_bleu(
    texts: Any,
    weights: Weights = QUARTERS,
    smoothing_function: SmoothingCallable | None = None,
    auto_reweigh: bool = False,
    *,
    sample: int | None = None,
    seed: int = 0,
    pad_id: int | None = None,
    eos_id: int | None = None,
    tokenize: Tokenize | None = None,
    lowercase: bool = False,
) -> Floats:
    """Score each text with all the other texts as its references, by NLTK's BLEU.

    Lower scores mean more diverse texts.

    Self-BLEU (Zhu et al. 2018, "Texygen") is the mean of the result. Each score equals ``sentence_bleu(others, text,
    weights, smoothing_function, auto_reweigh)``. N-grams are clipped to their largest count in any one other text. The
    reference length is the length of the other text that is closest in length; on a tie, the shorter one. The running
    time grows with the number of tokens, not with the number of pairs.

    :param texts: at least two texts
    :param weights: see :func:`cybleu.sentence_bleu`; several vectors are allowed
    :param smoothing_function: see :func:`cybleu.sentence_bleu`
    :param auto_reweigh: see :func:`cybleu.sentence_bleu`
    :param sample: the number of texts to score, drawn without replacement, each still against all other texts; by
        default all texts. For the Self-BLEU within a sample, pass ``random.sample(texts, k)`` as `texts`
    :param seed: the seed of the sample; the same seed draws the same texts
    :param pad_id: a padding id, removed from both ends of a text
    :param eos_id: an end id; a text ends before its first occurrence
    :param tokenize: the tokeniser of raw text (str or UTF-8 bytes): a name that :func:`cybleu.text.tokenizer` accepts,
        or a function from a str to its tokens; by default raw text is split at white space
    :param lowercase: convert raw text to lower case first
    :return: float64 of shape `(n,)`, or `(n, vectors)`, from 0 to 1, in the order of the texts
    :raises NoReferencesError: there are fewer than two texts

    >>> scores = self_bleu([["a", "b", "c"], ["a", "b", "d"], ["x", "y", "z"]], weights=(0.5, 0.5))
    >>> scores.round(3), float(scores.mean().round(3))
    (array([0.577, 0.577, 0.   ]), 0.385)
    """
    special = SpecialIds(pad_id, eos_id)
    batch = read_texts(texts, "texts", special=special)
    metric = Bleu("nltk", tokenize=tokenize, lowercase=lowercase)
    corpus = corpus_for(metric, in_pairs(batch, batch))
    if corpus.kind == "raw text" and smoothing_function is not None:  # which may read the tokens
        corpus = corpus.changed_by(metric.tokenization, tokens_of)
    weights = weights_given(weights)
    if batch.size < 2:
        raise NoReferencesError(
            f"self-BLEU compares each text with the others; there are {batch.size} texts, and at least two are required"
        )
    numbers, _ = numbered(metric, corpus)
    vectors, max_order = weight_vectors(weights)
    order = max(1, max_order, 5 if method_number(smoothing_function) in (5, 6, 7) else 0)  # they read 5-grams
    stats = np.zeros((numbers.size, 2 + 2 * order), dtype=np.int64)
    leave_one_out(numbers, order, stats)
    stats[:, 1] = _closest_other_length(np.subtract(numbers.ends, numbers.begins))
    scored: Sequence[int] = range(numbers.size)
    if sample is not None:
        check_whole(sample, "sample", 1, numbers.size, error=SampleError)
        scored = sorted(Random(check_whole(seed, "seed", 0, error=SampleError)).sample(scored, sample))
        stats = stats[scored]
    scores = np.empty((len(stats), len(vectors)))

    @cache
    def lists() -> list[list[Any]]:
        return list(map(list, corpus.texts.lists()))

    def general(position: int) -> None:
        row = stats[position].tolist()
        denominators = [total or 1 for total in row[2 + order : 2 + order + max_order]]
        others = list(lists())
        hypothesis = others.pop(scored[position])
        precisions = smoothed_precisions(smoothing_function, row, denominators, others, hypothesis)
        scores[position] = score_of_precisions(precisions, row[: 2 + max_order], vectors, auto_reweigh)

    go_on(
        lambda position: SCORER.rows(stats, weights, smoothing_function, auto_reweigh, position, scores),
        0,
        len(stats),
        general,
    )
    return scores if len(vectors) > 1 else scores[:, 0]


def _closest_other_length(lengths: Integers) -> Integers:
    """For each of at least two texts the length of another that is closest, the shorter of two."""
    ordered = np.sort(lengths)
    places = np.searchsorted(ordered, lengths)
    far = 2**62
    padded = np.concatenate([[-far], ordered, [far]])
    shorter = padded[places]
    longer = padded[places + 2]  # the next one may have the same length
    return np.where(lengths - shorter <= longer - lengths, shorter, longer)
