"""NLTK's sentence and corpus BLEU: the public functions, and the fallback for any containers, tokens and smoothing."""

from __future__ import annotations

import math
from collections.abc import Mapping
from itertools import chain

from .. import bleu_score
from .._backend import Scorer, answered, sentence_bleu as compiled
from .._runtime.sequences import check_unmasked, is_sized
from ..errors import CybleuError, EmptyCorpusError, LengthMismatchError, SmoothingTypeError, WeightsError
from ..text.segments import check_numbers, length_of, looks_like_tokens
from ..text.shapes import mistake_in_tokens, warn_of
from .no_match import warn_no_match
from .parts import brevity_penalty, nltk_row
from .smoothing import METHODS, SmoothingFunction, smoothed_counts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Sequence
    from typing import Any, TypeAlias

    from .parts import Tokens

    Weights: TypeAlias = Collection[float] | Sequence[Collection[float]]
    SmoothingCallable: TypeAlias = Callable[..., Iterable[Any]]

QUARTERS = (0.25, 0.25, 0.25, 0.25)

SCORER = Scorer(SmoothingFunction, METHODS, warn_no_match)  # of plain lists

# The score of several weight vectors is a list; as in NLTK, that of a list of a single vector is a float, which types cannot
# express.


def sentence_bleu(
    references: Collection[Tokens],
    hypothesis: Tokens,
    weights: Weights = QUARTERS,
    smoothing_function: SmoothingCallable | None = None,
    auto_reweigh: bool = False,
) -> Any:
    """Score a hypothesis against its references.

    The score is the corpus score of this segment.

    :param references: one or more reference translations, each a sequence of hashable tokens
    :param hypothesis: the translation to score, a sequence of hashable tokens
    :param weights: the weights of the n-gram orders from 1, by default 1/4 for orders 1 to 4; or a sequence of such
        vectors to get several scores at once
    :param smoothing_function: a method of :class:`SmoothingFunction`, or any function that takes the list of precisions
        as fractions and the keyword arguments `references`, `hypothesis` and `hyp_len`, and returns the smoothed
        precisions. Without smoothing, the precision of an order without a match is the smallest positive float, a
        warning is issued, and the score is practically 0
    :param auto_reweigh: if the weights are the default and the hypothesis has fewer than 4 tokens, use uniform weights
        for as many orders as there are tokens
    :return: BLEU from 0 to 1 as a float; the int 0 if no token matches or the hypothesis is empty; a list of scores if
        there are several weight vectors, but a single score for a list of one vector
    :raises NoReferencesError: there is no reference
    :raises TypeError: an argument that must be a sequence is not one, or a token is not hashable

    >>> sentence_bleu([["the", "cat", "is", "on", "the", "mat"]], ["the", "cat", "is", "on", "a", "mat"])
    0.537284965911771
    """
    return _general_bleu([references], [hypothesis], weights, smoothing_function, auto_reweigh)


# The kernel calls this function for arguments that it declines: a call through Python would take longer than a short sentence.
sentence_bleu = compiled(sentence_bleu, SmoothingFunction, METHODS, warn_no_match)


def corpus_bleu(
    list_of_references: Sequence[Collection[Tokens]],
    hypotheses: Sequence[Tokens],
    weights: Weights = QUARTERS,
    smoothing_function: SmoothingCallable | None = None,
    auto_reweigh: bool = False,
) -> Any:
    """Score a corpus: sum matches, n-grams and lengths over its segments, and compute BLEU from the sums.

    As in NLTK, a segment shorter than an n-gram order adds 1 to the denominator of that order. Other tools add 0. The
    reference length of a segment is that of the closest reference, or of the shorter one if two are equally close.

    :param list_of_references: for each segment one or more references, each a sequence of hashable tokens
    :param hypotheses: for each segment the translation to score, a sequence of hashable tokens
    :param weights: the weights of the n-gram orders from 1, or a sequence of such vectors to get several scores at once
    :param smoothing_function: a method of :class:`SmoothingFunction`, or any function that takes the list of precisions
        as fractions and the keyword arguments `references`, `hypothesis` (of the last segment) and `hyp_len` (of the
        corpus), and returns the smoothed precisions. Without smoothing, the precision of an order without a match is
        the smallest positive float, a warning is issued, and the score is practically 0
    :param auto_reweigh: if the weights are the default and the hypotheses have fewer than 4 tokens in all, use uniform
        weights for as many orders as there are tokens
    :return: BLEU from 0 to 1 as a float; the int 0 if no token matches; a list of scores if there are several weight
        vectors
    :raises LengthMismatchError: the number of lists of references differs from the number of hypotheses
    :raises EmptyCorpusError: there is no segment
    :raises NoReferencesError: a segment has no reference
    :raises TypeError: an argument that must be a sequence is not one, or a token is not hashable

    >>> corpus_bleu([[["a", "b", "c", "d"]], [["e", "f", "g", "h"]]], [["a", "b", "c", "d"], ["e", "f", "g", "i"]])
    0.7231269021297695
    """
    found = SCORER.corpus(list_of_references, hypotheses, weights, smoothing_function, auto_reweigh)
    return answered(found, _general_bleu, list_of_references, hypotheses, weights, smoothing_function, auto_reweigh)


# ------------------------------------------------------------------------------------------------------- general path


def _general_bleu(
    list_of_references: Sequence[Collection[Tokens]],
    hypotheses: Sequence[Tokens],
    weights: Weights,
    smoothing_function: SmoothingCallable | None,
    auto_reweigh: bool,
) -> float | list[float]:
    """Score any containers, tokens, weights and smoothing, segment by segment."""
    number = number_of_segments(list_of_references, hypotheses)
    vectors, max_order = weight_vectors(weights)
    rows = []
    references: Collection[Tokens] = ()
    hypothesis: Tokens = ()
    for position, (references, hypothesis) in enumerate(zip(list_of_references, hypotheses)):
        try:
            rows.append(nltk_row(references, hypothesis, max_order))
        except CybleuError as error:
            if number == 1:
                raise
            raise type(error)(f"segment {position}: {error}") from error.__cause__
    if number == 0 and max_order > 0:
        raise EmptyCorpusError("there is no segment to score; give at least one hypothesis with its references")
    warn_of(mistake_in_tokens(list_of_references, hypotheses))
    columns = [*zip(*rows)] or [()] * (2 + 2 * max_order)
    row = [*map(sum, columns)]
    # NLTK's rule: a segment that is too short for an order counts as one n-gram without a match
    denominators = [sum(column) + column.count(0) for column in columns[2 + max_order :]]
    precisions = smoothed_precisions(smoothing_function, row, denominators, references, hypothesis)
    return score_of_precisions(precisions, row, vectors, auto_reweigh)


def number_of_segments(list_of_references: Sequence[Collection[Tokens]], hypotheses: Sequence[Tokens]) -> int:
    number = length_of(hypotheses, "the hypotheses")
    sets = length_of(list_of_references, "the lists of references")
    if number > 1 and sets == 1 and looks_like_tokens(hypotheses):
        raise LengthMismatchError(
            f"there are {number} hypotheses, which look like the tokens of one, and 1 list of references; put the "
            "hypothesis in a list: [hypothesis]"
        )
    return check_numbers(hypotheses, list_of_references)


def score_of_precisions(
    precisions: Iterable[Any], row: Sequence[int], vectors: Sequence[Any], auto_reweigh: bool
) -> float | list[float]:
    """Compute NLTK's score from smoothed precisions.

    :param row: both lengths, and the matches of each order
    """
    length = row[0]
    if not any(row[2:3]):
        return 0 if len(vectors) == 1 else [0] * len(vectors)
    penalty = brevity_penalty(row[1], length)
    scores = []
    for vector in vectors:
        if auto_reweigh and length < 4 and vector == QUARTERS:
            vector = (1 / length,) * length
        logs = (weight * math.log(precision) for weight, precision in zip(vector, precisions) if precision > 0)
        try:
            total = math.fsum(logs)
        except TypeError:
            _check_numbers_of(vectors)
            raise
        scores.append(penalty * math.exp(total))
    return scores[0] if len(vectors) == 1 else scores


def _check_numbers_of(vectors: Sequence[Any]) -> None:
    """:raises WeightsError: a weight is not a number"""
    try:
        for weight in chain.from_iterable(vectors):
            weight * 1.0
    except TypeError:
        given = vectors[0] if type(vectors) is list and len(vectors) == 1 else vectors
        raise WeightsError(_NO_WEIGHTS.format(given)) from None


_NO_WEIGHTS = "weights must be a sequence of numbers, one for each n-gram order, not {!r}"


def weights_given(weights: Any) -> Any:
    """Convert weights, a vector or several, to lists, for functions that NLTK does not have.

    :raises ArrayValueError: entries are masked
    :raises WeightsError: they have no order
    """
    check_unmasked(weights, "weights")
    of_texts = isinstance(weights, (list, tuple)) and any(isinstance(weight, (str, bytes)) for weight in weights)
    if of_texts or isinstance(weights, (str, bytes, Mapping)) or getattr(weights, "ndim", 1) == 0:
        raise WeightsError(_NO_WEIGHTS.format(weights))
    weights = _as_list(weights)
    return list(map(_as_list, weights)) if type(weights) is list else weights


def _as_list(weights: Any) -> Any:
    return list(weights) if is_sized(weights) and type(weights) is not tuple else weights


def weight_vectors(weights: Any) -> tuple[Sequence[Any], int]:
    """Return the weight vectors, and the largest order."""
    try:
        weights[0][0]
        vectors = weights
    except (TypeError, IndexError):
        vectors = [weights]
    for vector in vectors:
        if not hasattr(type(vector), "__len__"):
            raise WeightsError(
                f"weights must be a sequence of numbers, or a list of such sequences; {type(vector).__name__} has no "
                "length"
            )
    return vectors, max(len(vector) for vector in vectors)


def smoothed_precisions(
    smoothing_function: SmoothingCallable | None,
    row: Sequence[int],
    denominators: Sequence[int],
    references: Collection[Tokens],
    hypothesis: Tokens,
) -> Iterable[Any]:
    """Apply a smoothing of NLTK, unless no token matches, which is a score of 0 by any smoothing.

    :param row: both lengths, and the matches of at least as many orders as there are denominators
    :param references: the references of the last segment, which the smoothing may read
    :param hypothesis: the hypothesis of the last segment
    """
    length, _, *matches = row[: 2 + len(denominators)]
    if not any(matches[:1]):
        return [0] * len(matches)
    smoothing_function = smoothing_function or SmoothingFunction().method0
    precisions = smoothed_counts(smoothing_function, matches, denominators, length)
    if precisions is not None:
        return precisions
    if not callable(smoothing_function) or smoothing_function in (SmoothingFunction, *METHODS):
        raise SmoothingTypeError(
            f"smoothing_function is {smoothing_function!r}; give a method such as SmoothingFunction().method1, or a "
            "function"
        )
    fractions = [bleu_score.Fraction(matched, denominator) for matched, denominator in zip(matches, denominators)]
    return smoothing_function(fractions, references=references, hypothesis=hypothesis, hyp_len=length)
