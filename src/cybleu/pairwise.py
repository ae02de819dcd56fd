"""Sentence BLEU of all pairs of texts, and of each text against all others (self-BLEU).

Texts are token lists, token ids or raw text, in every form that :mod:`cybleu.stats` describes.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from random import Random
from typing import TYPE_CHECKING, Any

from . import _backend
from ._runtime.arrays import np
from .bleu_score.many import score_rows
from .bleu_score.scores import QUARTERS, methods_of_five_grams, weight_vectors, weights_given
from .errors import NoReferencesError, SampleError
from .metrics import Bleu, find, of_text
from .stats.counts import check_max_order
from .text.arrays import SpecialIds
from .text.numbering import number_together, refuse_arrays_in
from .text.parsing import parse_texts, tokenise
from .text.raw import raw_of
from .text.values import RawText, TokenLists

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from .bleu_score.scores import SmoothingCallable, Weights
    from .metrics import Metric, Variant
    from .text.raw import Raw
    from .text.values import ParsedTexts, TokenIds

__all__ = ["pairwise_bleu", "self_bleu", "self_stats"]


def pairwise_bleu(
    references: Any,
    hypotheses: Any = None,
    metric: str | Metric | Variant | None = None,
    *,
    pad_id: int | None = None,
    eos_id: int | None = None,
    threads: int | None = None,
    progress: bool = False,
    tokenize: str | Callable[[str], Sequence[Hashable]] | None = None,
    lowercase: bool = False,
    **choices: Any,
) -> NDArray[np.float64]:
    """Sentence BLEU, or another metric, of every hypothesis against every reference alone.

    Minimum Bayes risk decoding needs this. The scores are exact: each equals that of a call for this pair. The time
    grows with the number of n-grams that texts share. In memory are the matrix and the n-grams of the texts. Equal
    texts are scored once.

    :param references: R texts
    :param hypotheses: H texts, by default the references themselves
    :param metric: as for :func:`cybleu.metrics.find`, by default ``sacrebleu``; it scores as the tool scores single
        sentences. For ``chrf``, ``chrf+`` and ``chrf++`` the texts are str or bytes, without `tokenize`
    :param pad_id: an id that is removed from both ends of a text
    :param eos_id: a text stops before the first one
    :param threads: how many threads work at the same time; None is one. The scores are the same
    :param progress: show a progress bar (needs tqdm)
    :param tokenize: the texts are raw text, str or bytes in UTF-8, and this says how to split them: a name that
        :func:`cybleu.text.tokenizer` knows, or a function from a str to its tokens
    :param lowercase: put raw text in lower case first
    :param choices: of :class:`cybleu.metrics.Bleu`
    :return: float64 of shape `(H, R)`; entry `[i, j]` has hypothesis i and reference j, on the scale of
        the tool. An empty hypothesis has 0, or is an error where the tool fails; without texts the array is empty
    :raises CybleuError: one of its subclasses, whose message names the argument and the place

    >>> pairwise_bleu([["a", "b", "c"], ["a", "b"]], variant="moses", smoothing="add").round(3)
    array([[1.   , 0.707],
           [0.607, 1.   ]])
    """
    found = find(metric, **choices).of_sentences()
    if found.of_raw_text:
        found = of_text(found, tokenize, lowercase)
        tokenize, lowercase = None, False
    raw = found._raw_of(tokenize, lowercase, pad_id=pad_id, eos_id=eos_id)
    special = SpecialIds(pad_id, eos_id)
    special.check()
    texts, others = _parsed(references, hypotheses, found, raw)
    if isinstance(found, Bleu):
        texts, others = number_together(texts, others, raw, special)
    else:
        found._refuse_ids({"pad_id": pad_id, "eos_id": eos_id}, "raw text" if found.of_raw_text else "lists of tokens")
    return found._fill_pairs(texts, others, np.empty((others.size, texts.size)), threads, progress)


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
    tokenize: str | Callable[[str], Sequence[Hashable]] | None = None,
    lowercase: bool = False,
) -> NDArray[np.float64]:
    """BLEU of each text with all the others as its references, by NLTK's definition.

    Lower scores mean more diverse texts.

    Self-BLEU (Zhu et al. 2018, "Texygen") is the mean of the result. Each score equals ``sentence_bleu(others, text,
    weights, smoothing_function, auto_reweigh)``: n-grams are clipped to the largest count in any one other text, and
    the reference length is that of the other text closest in length, the shorter one if two are equally close. The time
    grows with the number of tokens, not with the number of pairs.

    :param texts: at least two texts
    :param weights: as for :func:`cybleu.sentence_bleu`, also several vectors
    :param smoothing_function: as for :func:`cybleu.sentence_bleu`
    :param auto_reweigh: as for :func:`cybleu.sentence_bleu`
    :param sample: how many texts to score, drawn without repetition, each still against all others; by default all. For
        the Self-BLEU of a sample among itself, give ``random.sample(texts, k)``
    :param seed: of the draw; the same seed draws the same texts
    :param pad_id: an id that is removed from both ends of a text
    :param eos_id: a text stops before the first one
    :param tokenize: the texts are raw text, str or bytes in UTF-8, and this says how to split them: a name that
        :func:`cybleu.text.tokenizer` knows, or a function from a str to its tokens
    :param lowercase: put raw text in lower case first
    :return: float64 of shape `(n,)`, or `(n, vectors)`, from 0 to 1, in the order of the texts
    :raises NoReferencesError: there are fewer than two texts

    >>> scores = self_bleu([["a", "b", "c"], ["a", "b", "d"], ["x", "y", "z"]], weights=(0.5, 0.5))
    >>> scores.round(3), float(scores.mean().round(3))
    (array([0.577, 0.577, 0.   ]), 0.385)
    """
    raw = raw_of(tokenize, lowercase, pad_id=pad_id, eos_id=eos_id)
    special = SpecialIds(pad_id, eos_id)
    special.check()
    in_place = smoothing_function is None  # which may read the tokens
    parsed = _tokens(texts, "texts", raw, in_place)
    weights = weights_given(weights)
    numbers, _ = number_together(parsed, parsed, raw, special)
    orders = max(1, weight_vectors(weights)[1], 5 if methods_of_five_grams(smoothing_function) else 0)
    stats = _stats(numbers, orders)
    count = len(stats)
    chosen = np.arange(count, dtype=np.int64)
    if sample is not None:
        if type(sample) is not int or not 1 <= sample <= count:
            raise SampleError(f"sample is {sample!r}; it must be a whole number from 1 to {count}, the number of texts")
        chosen = np.array(sorted(Random(seed).sample(range(count), sample)))

    lists: list[list[Any]] = []

    def segment(position: int) -> tuple[list[list[Any]], list[Any]]:
        if not lists:
            lists.extend(
                map(list, parsed.texts if isinstance(parsed, TokenLists) and not special.given else numbers.lists())
            )
        here = int(chosen[position])
        return lists[:here] + lists[here + 1 :], lists[here]

    return score_rows(stats[chosen], weights, smoothing_function, auto_reweigh, segment)


def self_stats(texts: Any, max_order: int = 4) -> NDArray[np.int64]:
    """The statistics row of each text with all the others as its references, for any definition of BLEU.

    :param texts: at least two texts
    :param max_order: the largest n-gram order
    :return: int64 of shape `(n, 2 + 2 * max_order)`; the reference length is that of the closest other text, the shorter of
        two. The row of an empty text has only a reference length
    :raises NoReferencesError: there are fewer than two texts

    >>> self_stats([["a", "b", "c"], ["a", "b", "d"], ["x", "y"]], max_order=2)
    array([[3, 3, 2, 1, 3, 2],
           [3, 3, 2, 1, 3, 2],
           [2, 3, 0, 0, 2, 1]])
    """
    check_max_order(max_order)
    parsed = parse_texts(texts, "texts")
    return _stats(number_together(parsed, parsed)[0], max_order)


def _stats(texts: TokenIds, max_order: int) -> NDArray[np.int64]:
    """The rows of :func:`self_stats`, of texts that have numbers in common."""
    if texts.size < 2:
        raise NoReferencesError(
            f"self-BLEU compares each text with the others; there are {texts.size}, give at least two"
        )
    stats = np.zeros((texts.size, 2 + 2 * max_order), dtype=np.int64)
    ids = np.ascontiguousarray(texts.ids, dtype=np.int64)
    _backend.chosen.leave_one_out(ids, texts.begins, texts.ends, max_order, stats)
    stats[:, 1] = _closest_other_length(texts.ends - texts.begins)
    return stats


def _closest_other_length(lengths: NDArray[np.int64]) -> NDArray[np.int64]:
    """For each of at least two texts the length of another that is closest, the shorter of two."""
    values, places, counts = np.unique(lengths, return_inverse=True, return_counts=True)
    shorter = values[np.maximum(places - 1, 0)]
    longer = values[np.minimum(places + 1, len(values) - 1)]
    to_shorter = np.where(places > 0, lengths - shorter, np.iinfo(np.int64).max)
    to_longer = np.where(places < len(values) - 1, longer - lengths, np.iinfo(np.int64).max)
    other = np.where(to_shorter <= to_longer, shorter, longer)
    result: NDArray[np.int64] = np.where(counts[places] > 1, lengths, other)
    return result


def _parsed(references: Any, hypotheses: Any, metric: Metric, raw: Raw | None) -> tuple[Any, Any]:
    """References and hypotheses as the metric reads them; the references twice without hypotheses."""
    if metric.of_raw_text:
        texts = metric._parsed(references, "references")
        return texts, texts if hypotheses is None else metric._parsed(hypotheses, "hypotheses")
    in_place = isinstance(metric, Bleu)
    tokens = _tokens(references, "references", raw, in_place)
    return tokens, tokens if hypotheses is None else _tokens(hypotheses, "hypotheses", raw, in_place)


def _tokens(values: Any, name: str, raw: Raw | None, in_place: bool) -> ParsedTexts:
    """
    :param in_place: raw text stays raw text if the backend has the tokeniser
    """
    texts = parse_texts(values, name, raw)
    if isinstance(texts, RawText):
        assert raw is not None
        if in_place and raw.own:
            return texts
        texts = tokenise(raw, texts)
    if isinstance(texts, TokenLists) and not in_place:
        refuse_arrays_in(texts)
    return texts
