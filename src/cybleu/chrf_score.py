"""chrF with the names, arguments and values of ``nltk.translate.chrf_score``.

If you replace that import by this one, only the speed changes. NLTK's chrF differs from sacreBLEU's
(:class:`cybleu.metrics.Chrf`): beta is 3, there is only one reference, and the score is the mean of the F-scores of all
orders and segments. chrF is from Popović (2015), "chrF: character n-gram F-score for automatic MT evaluation".
"""

from __future__ import annotations

from array import array
from collections import Counter
from functools import lru_cache

from . import _backend
from ._runtime.sequences import check_numbers, length_of, refuse_missing
from ._runtime.shapes import mistake_in_segments, warn_of
from .errors import EmptyCorpusError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any

__all__ = ["chrf_precision_recall_fscore_support", "corpus_chrf", "sentence_chrf"]

EPSILON = 1e-16
MOST_ORDERS = 64
LARGEST_BETA = 1e100  # its square is finite
BLOCK = 4096  # segments counted at a time


def sentence_chrf(
    reference: str | Iterable[str],
    hypothesis: str | Iterable[str],
    min_len: int = 1,
    max_len: int = 6,
    beta: float = 3.0,
    ignore_whitespace: bool = True,
) -> float:
    """Compute chrF of a hypothesis against a reference: the mean of the F-scores of the orders.

    :param reference: a str, or tokens, which are joined by blanks
    :param hypothesis: the same
    :param min_len: the smallest order of n-grams of characters
    :param max_len: the largest order
    :param beta: how many times as much recall weighs as precision
    :param ignore_whitespace: leave white space out
    :return: from 0 to 1. An order that one of the texts is too short for, or that has no match, counts as 1e-16
    :raises EmptyCorpusError: there is no order from `min_len` to `max_len`

    >>> round(sentence_chrf("the cat is on the mat".split(), "the the the the the the the".split()), 4)
    0.1468
    """
    return corpus_chrf([reference], [hypothesis], min_len, max_len, beta=beta, ignore_whitespace=ignore_whitespace)


def corpus_chrf(
    references: Sequence[str | Iterable[str]],
    hypotheses: Sequence[str | Iterable[str]],
    min_len: int = 1,
    max_len: int = 6,
    beta: float = 3.0,
    ignore_whitespace: bool = True,
) -> float:
    """Compute chrF of a corpus: the mean of the F-scores of all orders and segments.

    :param references: the reference of each segment: a str, or tokens, which are joined by blanks
    :param hypotheses: the hypothesis of each segment, in the same form
    :param min_len: the smallest order of n-grams of characters
    :param max_len: the largest order
    :param beta: how many times as much recall weighs as precision
    :param ignore_whitespace: leave white space out
    :return: from 0 to 1
    :raises LengthMismatchError: there are not as many references as hypotheses
    :raises EmptyCorpusError: there are no segments, or no orders

    >>> round(corpus_chrf(["the cat sat", "it rains"], ["the cat sits", "it rains"]), 12)
    0.837988737422
    """
    check_numbers(length_of(hypotheses, "the hypotheses"), length_of(references, "the references"), "references")
    warn_of(mistake_in_segments(references, hypotheses))
    scores: list[list[float]] = [[] for _ in range(min_len, max_len + 1)]
    try:
        _count(references, hypotheses, min_len, max_len, beta, ignore_whitespace, scores)
    except TypeError:
        refuse_missing([[reference] for reference in references], hypotheses)
        raise
    if not scores or not scores[0]:
        raise EmptyCorpusError(
            "there is no segment to score; give at least one hypothesis with its reference"
            if scores
            else f"there is no order from min_len={min_len} to max_len={max_len}"
        )
    return (sum([sum(of_order) for of_order in scores]) / len(scores)) / len(hypotheses)


def chrf_precision_recall_fscore_support(
    reference: Iterable[Any], hypothesis: Iterable[Any], n: int, beta: float = 3.0, epsilon: float = 1e-16
) -> tuple[float, float, float, int]:
    """Compute precision, recall and F-score of the n-grams of one order, and the number of matches.

    :param reference: a str, whose characters are counted, or any hashable tokens
    :param hypothesis: the same
    :param n: the order of n-grams
    :param beta: how many times as much recall weighs as precision
    :param epsilon: the value of all three if one of the texts is too short, or nothing matches

    >>> chrf_precision_recall_fscore_support("abcd", "abce", 2, beta=1)
    (0.6666666666666666, 0.6666666666666666, 0.6666666666666666, 2)
    """
    of_reference, of_hypothesis = _counted(reference, n), _counted(hypothesis, n)
    shared = sum((of_reference & of_hypothesis).values())
    ngrams, wanted = sum(of_hypothesis.values()), sum(of_reference.values())
    return *_of_counts(shared, ngrams, wanted, beta, epsilon), shared


def _count(
    references: Sequence[Any],
    hypotheses: Sequence[Any],
    min_len: int,
    max_len: int,
    beta: Any,
    ignore_whitespace: bool,
    scores: list[list[float]],
) -> None:
    """Append the F-scores of all segments to those of each order."""
    if not _are_orders(min_len, max_len):
        return _count_any_orders(references, hypotheses, min_len, beta, ignore_whitespace, scores)
    measure = _measure(_backend.BACKEND, max_len, bool(ignore_whitespace))
    # like NLTK, accept iterables that cannot be indexed
    references, hypotheses = list(references), list(hypotheses)
    for start in range(0, len(hypotheses), BLOCK):
        block = slice(start, start + BLOCK)
        numbers = _numbers(measure, max_len, references[block], hypotheses[block])
        for place, of_order in enumerate(scores):
            first = 3 * (min_len + place - 1)
            ngrams, wanted, shared = (numbers[first + column :: 3 * max_len] for column in range(3))
            of_order += _fscores(ngrams, wanted, shared, beta)


@lru_cache
def _measure(backend: str, max_len: int, ignore_whitespace: bool) -> Any:
    """Return the backend's object that counts; its scoring is not used."""
    space = "dropped but separators" if ignore_whitespace else "kept"
    return _backend.chosen.CharacterF(max_len, 0, 1, space, False)


def _are_orders(min_len: Any, max_len: Any) -> bool:
    return type(min_len) is int and type(max_len) is int and 1 <= min_len <= max_len <= MOST_ORDERS


def _text(given: str | Iterable[str]) -> str:
    return given if type(given) is str else " ".join(given)  # as NLTK, which also joins instances of subclasses of str


def _numbers(measure: Any, max_len: int, references: Sequence[Any], hypotheses: Sequence[Any]) -> list[int]:
    """Count for each segment and each order the n-grams of the hypothesis, those of the reference, and the matches."""
    texts = _backend.chosen.RawTexts([_text(text) for text in hypotheses])
    others = _backend.chosen.RawTexts([_text(text) for text in references])
    count, width = len(texts), 3 * max_len
    if not count:
        return []
    rows = array("q", bytes(8 * count * width))
    measure.rows(
        texts, others, array("q", range(count + 1)), 0, count, memoryview(rows).cast("B").cast("q", (count, width))
    )
    return rows.tolist()


def _fscores(ngrams: list[int], wanted: list[int], shared: list[int], beta: Any) -> list[float]:
    """Compute the F-scores of all segments. If there is a match, no divisor is 0."""
    if type(beta) not in (int, float) or not abs(beta) < LARGEST_BETA:
        return [_of_counts(*counts, beta, EPSILON)[2] for counts in zip(shared, ngrams, wanted)]
    factor = beta**2
    top = 1 + factor
    return [
        top
        * ((precision := matched / of_hypothesis) * (recall := matched / of_reference))
        / (factor * precision + recall)
        if matched
        else EPSILON
        for of_hypothesis, of_reference, matched in zip(ngrams, wanted, shared)
    ]


def _of_counts(shared: int, ngrams: int, wanted: int, beta: Any, epsilon: float) -> tuple[float, float, float]:
    """Compute precision, recall and F-score; all are `epsilon` if a divisor is 0."""
    try:
        precision, recall, factor = shared / ngrams, shared / wanted, beta**2
        return precision, recall, (1 + factor) * (precision * recall) / (factor * precision + recall)
    except ZeroDivisionError:
        return epsilon, epsilon, epsilon


# ---------------------------------------------------------------------------------------------- orders that cannot be rows


def _count_any_orders(
    references: Sequence[Any],
    hypotheses: Sequence[Any],
    min_len: int,
    beta: Any,
    ignore_whitespace: bool,
    scores: list[list[float]],
) -> None:
    measure_of = (lambda text: "".join(_without_space(text))) if ignore_whitespace else (lambda text: text)
    for reference, hypothesis in zip(references, hypotheses):
        reference, hypothesis = measure_of(_text(reference)), measure_of(_text(hypothesis))
        for n, of_order in enumerate(scores, min_len):
            of_order.append(chrf_precision_recall_fscore_support(reference, hypothesis, n, beta)[2])


def _without_space(text: str) -> list[str]:
    """Remove white space as NLTK's regular expression does, which keeps U+001C to U+001F."""
    return [one for one in text if one in "\x1c\x1d\x1e\x1f" or not one.isspace()]


def _counted(sequence: Iterable[Any], n: int) -> Counter[Any]:
    """Count n-grams as NLTK does. N-grams of order 0 are empty; there is one more of them than tokens."""
    items = list(sequence)
    if n < 0:
        raise ValueError(f"n is {n}; an order is a whole number from 0")
    if n == 0:
        return Counter({(): len(items) + 1})
    return Counter(zip(*[items[place:] for place in range(n)]))
