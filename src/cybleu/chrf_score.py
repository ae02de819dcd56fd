"""chrF with the names, arguments and values of ``nltk.translate.chrf_score``.

If you replace that import with this one, only the speed changes. NLTK's chrF differs from sacreBLEU's
(:class:`cybleu.metrics.Chrf`): beta is 3, there is only one reference, and the score is the mean of the F-scores of all
orders and segments. chrF is from Popović (2015), "chrF: character n-gram F-score for automatic MT evaluation".
"""

from __future__ import annotations

from array import array

from ._backend import CharacterF, RawTexts, Segments, Tokenizer
from ._definitions.ngrams import MOST_ORDERS, count_ngrams
from .errors import EmptyCorpusError, OrderError
from .text.segments import check_numbers, refuse_missing
from .text.shapes import mistake_in_segments, warn_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any

__all__ = ["chrf_precision_recall_fscore_support", "corpus_chrf", "sentence_chrf"]

EPSILON = 1e-16
_TOKENIZER = Tokenizer("none")  # of segments, which chrF reads by characters
LARGEST_BETA = 1e100  # its square is finite
SEPARATORS = "\x1c\x1d\x1e\x1f"  # white space for str.isspace, but not for NLTK


def sentence_chrf(
    reference: str | Iterable[str],
    hypothesis: str | Iterable[str],
    min_len: int = 1,
    max_len: int = 6,
    beta: float = 3.0,
    ignore_whitespace: bool = True,
) -> float:
    """Compute chrF of a hypothesis against a reference: the mean of the F-scores of the orders.

    :param reference: a str, or tokens, which are joined with spaces
    :param hypothesis: a str or tokens
    :param min_len: the smallest character n-gram order
    :param max_len: the largest character n-gram order
    :param beta: the weight of recall relative to precision
    :param ignore_whitespace: remove white space first
    :return: the score from 0 to 1. The F-score of an order is 1e-16 if a text is too short for it, or nothing matches
    :raises EmptyCorpusError: there is no order from `min_len` to `max_len`
    :raises OrderError: an order is negative

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

    :param references: the reference of each segment: a str, or tokens, which are joined with spaces
    :param hypotheses: the hypothesis of each segment, in the same form
    :param min_len: the smallest character n-gram order
    :param max_len: the largest character n-gram order
    :param beta: the weight of recall relative to precision
    :param ignore_whitespace: remove white space first
    :return: the score from 0 to 1
    :raises LengthMismatchError: the number of references differs from the number of hypotheses
    :raises EmptyCorpusError: there are no segments, or no orders
    :raises OrderError: an order is negative

    >>> round(corpus_chrf(["the cat sat", "it rains"], ["the cat sits", "it rains"]), 12)
    0.837988737422
    """
    number = check_numbers(hypotheses, references, "references")
    warn_of(mistake_in_segments(references, hypotheses))
    orders = range(min_len, max_len + 1)
    if not orders:
        raise EmptyCorpusError(f"there is no order from min_len={min_len} to max_len={max_len}")
    if number == 0:
        raise EmptyCorpusError("there is no segment to score; give at least one hypothesis with its reference")
    if orders[0] < 0:
        raise OrderError(f"min_len is {min_len}; an order is a whole number from 0")
    # The backends do not count order 0, and orders above 64; other numbers have their own arithmetic.
    of_backend = orders[0] > 0 and orders[-1] <= MOST_ORDERS and type(beta) in (int, float) and abs(beta) < LARGEST_BETA
    scores_of = _scores if of_backend else _scores_of_any_orders
    try:
        scores = scores_of(list(references), list(hypotheses), orders, beta, bool(ignore_whitespace))
    except TypeError:
        refuse_missing([[reference] for reference in references], hypotheses)
        raise
    return (sum([sum(of_order) for of_order in scores]) / len(orders)) / number


def chrf_precision_recall_fscore_support(
    reference: Iterable[Any], hypothesis: Iterable[Any], n: int, beta: float = 3.0, epsilon: float = 1e-16
) -> tuple[float, float, float, int]:
    """Compute precision, recall and F-score of the n-grams of one order, and the number of matches.

    :param reference: a str, whose characters are the tokens, or any hashable tokens
    :param hypothesis: a str or any hashable tokens
    :param n: the n-gram order; order 0 has an empty n-gram before each token and at the end
    :param beta: the weight of recall relative to precision
    :param epsilon: the value of precision, recall and F-score if a text is too short or nothing matches
    :raises OrderError: the order is negative

    >>> chrf_precision_recall_fscore_support("abcd", "abce", 2, beta=1)
    (0.6666666666666666, 0.6666666666666666, 0.6666666666666666, 2)
    """
    if n < 0:
        raise OrderError(f"n is {n}; an order is a whole number from 0")
    of_reference = count_ngrams(list(reference), n)
    of_hypothesis = count_ngrams(list(hypothesis), n)
    shared = sum((of_reference & of_hypothesis).values())
    ngrams = sum(of_hypothesis.values())
    wanted = sum(of_reference.values())
    try:
        precision = shared / ngrams
        recall = shared / wanted
        factor = beta**2
        return precision, recall, (1 + factor) * (precision * recall) / (factor * precision + recall), shared
    except ZeroDivisionError:
        return epsilon, epsilon, epsilon, shared


def _scores(
    references: list[Any], hypotheses: list[Any], orders: range, beta: Any, ignore_whitespace: bool
) -> list[list[float]]:
    """Compute the F-scores of all segments, for each order."""
    texts = RawTexts([_text(text) for text in hypotheses])
    others = RawTexts([_text(text) for text in references])
    count = texts.size
    # for each order the n-grams of the hypothesis, those of the reference, and the matches
    width = 3 * orders[-1]
    rows = memoryview(bytearray(8 * count * width))
    segments = Segments(_TOKENIZER, texts, others, array("q", range(count + 1)))
    measure = CharacterF(orders[-1], 0, 1, "dropped but separators" if ignore_whitespace else "kept", False)
    measure.rows(segments, 0, count, rows.cast("q", (count, width)))
    numbers = rows.cast("q").tolist()
    return [
        _fscores(numbers[3 * n - 3 :: width], numbers[3 * n - 2 :: width], numbers[3 * n - 1 :: width], beta)
        for n in orders
    ]


def _scores_of_any_orders(
    references: list[Any], hypotheses: list[Any], orders: range, beta: Any, ignore_whitespace: bool
) -> list[list[float]]:
    """Compute the F-scores of all segments, for each order, of any orders and beta."""
    texts = [_without_space(text, ignore_whitespace) for text in references]
    others = [_without_space(text, ignore_whitespace) for text in hypotheses]
    scores = []
    for n in orders:
        pairs = zip(texts, others)
        scores.append([chrf_precision_recall_fscore_support(text, other, n, beta, EPSILON)[2] for text, other in pairs])
    return scores


def _without_space(given: str | Iterable[str], ignore_whitespace: bool) -> str:
    text = _text(given)
    if not ignore_whitespace:
        return text
    return "".join(character for character in text if not character.isspace() or character in SEPARATORS)


def _text(given: str | Iterable[str]) -> str:
    return given if type(given) is str else " ".join(given)  # as NLTK, which also joins instances of subclasses of str


def _fscores(ngrams: list[int], wanted: list[int], shared: list[int], beta: float) -> list[float]:
    """Compute the F-scores of all segments. If there is a match, no divisor is 0."""
    factor = beta**2
    top = 1 + factor
    scores = []
    for of_hypothesis, of_reference, matched in zip(ngrams, wanted, shared):
        score = EPSILON
        if matched:
            precision = matched / of_hypothesis
            recall = matched / of_reference
            score = top * (precision * recall) / (factor * precision + recall)
        scores.append(score)
    return scores
