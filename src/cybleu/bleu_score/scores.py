"""BLEU with the names, arguments and values of ``nltk.translate.bleu_score``.

Replacing that import by this one changes nothing but the speed: the same call gives the same value of the same type,
and where NLTK raises, the error raised here is also of NLTK's type. The definition is Papineni, Roukos, Ward and Zhu
(2002), "BLEU: a method for automatic evaluation of machine translation"; the rules about it that are NLTK's own are
those of NLTK 3.10.4.
"""

from __future__ import annotations

import math
import sys
import warnings

from .. import _backend
from ..errors import (
    CybleuError,
    EmptyCorpusError,
    LengthMismatchError,
    NoReferencesError,
    OrderError,
    OrderTypeError,
    SequenceTypeError,
    SmoothingParameterError,
    TooFewOrdersError,
    WeightsTypeError,
    ZeroPrecisionError,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Hashable, Iterable, Sequence
    from types import ModuleType
    from typing import Any, TypeAlias

    from .fraction import Fraction as Fraction

    Tokens: TypeAlias = Collection[Hashable]
    Weights: TypeAlias = Collection[float] | Sequence[Collection[float]]
    SmoothingCallable: TypeAlias = Callable[..., Iterable[Any]]

__all__ = [
    "Fraction",
    "SmoothingFunction",
    "brevity_penalty",
    "closest_ref_length",
    "corpus_bleu",
    "modified_precision",
    "nltk_3_3",
    "sentence_bleu",
]

QUARTERS = (0.25, 0.25, 0.25, 0.25)


def __getattr__(name: str) -> Any:
    # `fractions` takes longer to import than all the rest, and few programs need it
    if name == "Fraction":
        from .fraction import Fraction

        return Fraction
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


# ------------------------------------------------------------------------------------------------------------- scores


def sentence_bleu(
    references: Collection[Tokens],
    hypothesis: Tokens,
    weights: Weights = QUARTERS,
    smoothing_function: SmoothingCallable | None = None,
    auto_reweigh: bool = False,
) -> float | list[float]:
    """Score one hypothesis against its references.

    It is the corpus score of this one segment. The other parameters, and the errors, are those of :func:`corpus_bleu`.

    :param references: one or more reference translations, each a sequence of hashable tokens
    :param hypothesis: the translation to score, a sequence of hashable tokens
    :return: BLEU from 0 to 1, a float; the int 0 where no token matches, so for an empty hypothesis; a list for several
        weight vectors
    :raises NoReferencesError: there is no reference

    >>> sentence_bleu([["the", "cat", "is", "on", "the", "mat"]], ["the", "cat", "is", "on", "a", "mat"])
    0.537284965911771
    """
    score = _score_sentence(references, hypothesis, weights, smoothing_function, auto_reweigh)
    if score is None:
        return _general_bleu([references], [hypothesis], weights, smoothing_function, auto_reweigh)
    return score


def corpus_bleu(
    list_of_references: Sequence[Collection[Tokens]],
    hypotheses: Sequence[Tokens],
    weights: Weights = QUARTERS,
    smoothing_function: SmoothingCallable | None = None,
    auto_reweigh: bool = False,
) -> float | list[float]:
    """Score a corpus: matches and lengths are summed over its segments before anything is divided.

    As in NLTK, a segment shorter than an n-gram order adds 1 to the denominator of that order. Other tools add 0. The
    reference length of a segment is that of the closest reference, the shorter of two equally close.

    :param list_of_references: for each segment one or more references, each a sequence of hashable tokens
    :param hypotheses: for each segment the translation to score, a sequence of hashable tokens
    :param weights: weights of the n-gram orders from 1, or a sequence of such vectors for several scores at once
    :param smoothing_function: a method of :class:`SmoothingFunction`, or any callable that is given the list of
        precisions as fractions, and by keyword `references`, `hypothesis` (of the last segment) and `hyp_len` (of the
        corpus), and returns the precisions to use. Without one an order that has no match counts as the smallest
        positive float, with a warning, and the score is practically 0
    :param auto_reweigh: with the default weights and fewer than 4 hypothesis tokens in all, use uniform weights over as
        many orders as there are tokens
    :return: BLEU from 0 to 1, a float; the int 0 where no token matches at all; a list for several weight vectors
    :raises LengthMismatchError: hypotheses and reference lists are not equally many
    :raises EmptyCorpusError: there is no segment
    :raises NoReferencesError: a segment has no reference
    :raises TypeError: what should be a sequence is not one, or a token cannot be hashed

    >>> corpus_bleu([[["a", "b", "c", "d"]], [["e", "f", "g", "h"]]], [["a", "b", "c", "d"], ["e", "f", "g", "i"]])
    0.7231269021297695
    """
    score = _score_corpus(list_of_references, hypotheses, weights, smoothing_function, auto_reweigh)
    if score is None:
        return _general_bleu(list_of_references, hypotheses, weights, smoothing_function, auto_reweigh)
    return score


def modified_precision(references: Collection[Tokens], hypothesis: Tokens, n: int) -> Fraction:
    """The clipped n-gram precision of one hypothesis (Papineni et al. 2002, section 2.1), as the fraction of its two counts.

    :param references: one or more references, each a sequence of hashable tokens
    :param hypothesis: a sequence of hashable tokens
    :param n: the n-gram order. Order 0 counts the empty n-gram, once more than there are tokens
    :return: clipped matches / n-grams of the hypothesis, not reduced; 0/1 where it is shorter than n
    :raises NoReferencesError: there is no reference, and the hypothesis has an n-gram
    :raises OrderError: n is negative or not a whole number
    :raises OrderTypeError: n is not a number

    >>> modified_precision([["the", "cat", "is", "on", "the", "mat"]], ["the", "the", "the", "cat"], 1)
    Fraction(3, 4)
    """
    from .fraction import Fraction

    if type(n) is not int or not 0 <= n <= sys.maxsize:
        references = list(references)
        n = _checked_order(n, hypothesis, *references)
    counts = _backend.clipped_matches(references, hypothesis, n)
    if counts is None:
        counts = _backend.any_clipped_matches(references, hypothesis, n)
    return Fraction(counts[0], max(1, counts[1]))


def closest_ref_length(references: Iterable[Tokens], hyp_len: int) -> int:
    """The length of the reference that is closest to a hypothesis length; the shorter of two equally close.

    :param references: one or more references, of which only the length is looked at
    :param hyp_len: the length of the hypothesis, in tokens
    :raises NoReferencesError: there is no reference

    >>> closest_ref_length([["a"] * 13, ["a"] * 11], 12)
    11
    """
    closest = None
    for number, reference in enumerate(references):
        length = _length_of(reference, f"reference {number}")
        distance = abs(length - hyp_len)
        if closest is None or (distance, length) < closest:
            closest = distance, length
    if closest is None:
        raise NoReferencesError("there is no reference to take a length from; give at least one")
    return closest[1]


def brevity_penalty(closest_ref_len: float, hyp_len: float) -> float:
    """The factor for hypotheses shorter than their references (Papineni et al. 2002, section 2.3).

    :param closest_ref_len: (sum of) closest reference lengths
    :param hyp_len: (sum of) hypothesis lengths
    :return: the int 1 for a longer hypothesis, the int 0 for an empty one, else exp(1 - reference / hypothesis)

    >>> brevity_penalty(13, 12)
    0.9200444146293233
    """
    if hyp_len > closest_ref_len:
        return 1
    if hyp_len == 0:
        return 0
    return math.exp(1 - closest_ref_len / hyp_len)


# ---------------------------------------------------------------------------------------------------------- smoothing


class SmoothingFunction:
    """The smoothing techniques of Chen and Cherry (2014), "A systematic comparison of smoothing techniques for
    sentence-level BLEU", as NLTK numbers and computes them.

    Give one of the methods, not the object, as `smoothing_function`. They take the list of precisions, fractions with
    `numerator` and `denominator`; methods 3 to 7 change that list and return it. Methods 4 to 7 also need the
    `references`, the `hypothesis` or its length `hyp_len`, which the scores give them by keyword.

    :param epsilon: what method 1 counts for an order without a match
    :param alpha: the weight of the prior in method 6
    :param k: the divisor in method 4

    >>> sentence_bleu([["a", "b", "c", "d"]], ["a", "b", "c", "e"], smoothing_function=SmoothingFunction().method2)
    0.6580370064762462
    """

    def __init__(self, epsilon: float = 0.1, alpha: float = 5, k: float = 5):
        self.epsilon = epsilon
        self.alpha = alpha
        self.k = k

    def method0(self, p_n: Sequence[Any], *args: Any, **kwargs: Any) -> list[Any]:
        """No smoothing: an order without a match becomes the smallest positive float, with a warning."""
        precisions = []
        for order, precision in enumerate(p_n, start=1):
            if precision.numerator != 0:
                precisions.append(precision)
            else:
                _warn_no_match(order)
                precisions.append(sys.float_info.min)
        return precisions

    def method1(self, p_n: Sequence[Any], *args: Any, **kwargs: Any) -> list[Any]:
        """An order without a match counts `epsilon` of them."""
        return [
            precision if precision.numerator != 0 else (precision.numerator + self.epsilon) / precision.denominator
            for precision in p_n
        ]

    def method2(self, p_n: Sequence[Any], *args: Any, **kwargs: Any) -> list[Any]:
        """One more match and one more n-gram for every order but the first (Lin and Och 2004)."""
        from .fraction import Fraction

        return [
            Fraction(precision.numerator + 1, precision.denominator + 1) if n > 0 else precision
            for n, precision in enumerate(p_n)
        ]

    def method3(self, p_n: list[Any], *args: Any, **kwargs: Any) -> list[Any]:
        """The k-th order without a match counts 1 / 2**k of one (NIST's mteval-v13a)."""
        zeros = 0
        for n, precision in enumerate(p_n):
            if precision.numerator == 0:
                zeros += 1
                p_n[n] = 1 / (2**zeros * precision.denominator)
        return p_n

    def method4(
        self, p_n: list[Any], references: Any, hypothesis: Any, hyp_len: int | None = None, *args: Any, **kwargs: Any
    ) -> list[Any]:
        """As method 3, less for shorter hypotheses: 1 / (2**j * k / log(length)) for the j-th order without a match."""
        length = hyp_len if hyp_len else len(hypothesis)
        zeros = 0
        for n, precision in enumerate(p_n):
            if precision.numerator == 0 and length > 1:
                zeros += 1
                p_n[n] = _method4_count(zeros, self.k, length) / precision.denominator
        return p_n

    def method5(
        self, p_n: list[Any], references: Any, hypothesis: Any, hyp_len: int | None = None, *args: Any, **kwargs: Any
    ) -> list[Any]:
        """Each precision becomes the mean of itself, the smoothed one before and the one after.

        Before the first stands the first plus 1, after the last the 5-gram precision of the given segment.
        """
        following = [*p_n[1:], modified_precision(references, hypothesis, 5)]
        previous = p_n[0] + 1
        for n, precision in enumerate(p_n):
            previous = p_n[n] = (previous + precision + following[n]) / 3
        return p_n

    def method6(
        self, p_n: list[Any], references: Any, hypothesis: Any, hyp_len: int | None = None, *args: Any, **kwargs: Any
    ) -> list[Any]:
        """Interpolate orders from 3 with a prior, p(n-1)**2 / p(n-2), worth `alpha` n-grams (Gao and He 2013).

        :raises TooFewOrdersError: there are fewer than 3 orders
        :raises ZeroPrecisionError: the trigram precision is 0
        """
        _check_method6(p_n)
        length = len(tuple(hypothesis))
        for n, precision in enumerate(p_n):
            if n < 2:
                continue
            before, before_that = p_n[n - 1], p_n[n - 2]
            prior = 0 if before_that == 0 else before**2 / before_that
            ngrams = max(0, length - n)
            if ngrams + self.alpha == 0:
                raise SmoothingParameterError(
                    f"method6 with alpha={self.alpha} divides by zero: the hypothesis has {ngrams} n-grams of order "
                    f"{n + 1}; use an alpha above 0"
                )
            p_n[n] = (precision.numerator + self.alpha * prior) / (ngrams + self.alpha)
        return p_n

    def method7(
        self, p_n: list[Any], references: Any, hypothesis: Any, hyp_len: int | None = None, *args: Any, **kwargs: Any
    ) -> list[Any]:
        """Method 4, then method 5."""
        length = hyp_len if hyp_len else len(hypothesis)
        p_n = self.method4(p_n, references, hypothesis, length)
        return self.method5(p_n, references, hypothesis, length)


def nltk_3_3(p_n: Sequence[Any], *args: Any, **kwargs: Any) -> list[Any]:
    """The rule of NLTK up to 3.3, as a `smoothing_function`: orders without a match are skipped.

    The orders that are left take the first weights, so scores are higher than today's. It reproduces the numbers of
    tutorials written then.

    :param p_n: the precisions, which BLEU gives it
    :return: those above 0

    >>> sentence_bleu([["it", "is", "ship"]], ["it", "ship"], smoothing_function=nltk_3_3)
    0.6065306597126334
    """
    return [precision for precision in p_n if precision.numerator != 0]


def _method4_count(zeros: int, k: float, length: int) -> float:
    divisor: float = 2**zeros * k / math.log(length)
    if divisor == 0:
        raise SmoothingParameterError(f"method4 with k={k} divides by zero; use another k")
    return 1 / divisor


def _check_method6(p_n: Sequence[Any]) -> None:
    if len(p_n) < 3:
        raise TooFewOrdersError(f"method6 needs weights for at least 3 n-gram orders, not {len(p_n)}")
    if not p_n[2]:
        raise ZeroPrecisionError(
            "method6 needs a trigram match, and there is none; use another method for this hypothesis, such as method1"
        )


# ------------------------------------------------------------------------------------------------------------ warning

# The module that warnings are attributed to, by its namespace; see as_nltk.
_warning_home = globals()

# The filters when they were last asked, and for which orders they ignore the warning. A corpus can warn in every
# segment, and asking costs more than a whole score. Filters are tuples, so the same ones in one order decide the same.
_silence: tuple[list[Any], dict[int, bool]] = ([], {})

# Where filters are also kept in a context variable, the list is not all of them.
_FILTERS_ARE_A_LIST = not getattr(sys.flags, "context_aware_warnings", False)


def _warn_no_match(order: int) -> None:
    global _silence
    if _FILTERS_ARE_A_LIST:
        silence = _silence  # another thread may replace it
        if silence[0] != warnings.filters:
            silence = _silence = list(warnings.filters), {}
        ignored = silence[1].get(order)
        if ignored is None:
            ignored = silence[1][order] = _is_ignored(_warning_text(order), silence[0])
        if ignored:
            return
    home = _warning_home
    warnings.warn_explicit(
        _warning_text(order),
        UserWarning,
        home.get("__file__") or "<cybleu>",
        _WARNING_LINE,
        home["__name__"],
        home.setdefault("__warningregistry__", {}),
    )


def attribute_warnings_to(module: ModuleType) -> None:
    """Let warnings come from this module for the filters and for the reader."""
    global _warning_home, _silence
    _warning_home = vars(module)
    _silence = ([], {})


_WARNING_LINE = _warn_no_match.__code__.co_firstlineno


def _warning_text(order: int) -> str:
    return (
        f"\nThe hypothesis contains 0 counts of {order}-gram overlaps.\n"
        f"Its {order}-gram precision is taken as the smallest positive float, so the score is practically 0.\n"
        "Use a lower n-gram order in the weights, or a smoothing function such as SmoothingFunction().method1"
    )


def _is_ignored(text: str, filters: list[Any]) -> bool:
    """What the first matching filter says, as :mod:`warnings` reads them."""
    values = (text, _warning_home["__name__"])
    for action, message, category, module, line in filters:
        patterns_match = all(
            pattern is None or (pattern == value if isinstance(pattern, str) else pattern.match(value))
            for pattern, value in zip((message, module), values)
        )
        if patterns_match and issubclass(UserWarning, category) and line in (0, _WARNING_LINE):
            return bool(action == "ignore")
    return False


# ------------------------------------------------------------------------------------------------------- general path

_METHODS = tuple(getattr(SmoothingFunction, f"method{number}") for number in range(8))

_scorer = _backend.Scorer(SmoothingFunction, _METHODS, _warn_no_match)
_score_sentence = _scorer.sentence
_score_corpus = _scorer.corpus


def _general_bleu(
    list_of_references: Sequence[Collection[Tokens]],
    hypotheses: Sequence[Tokens],
    weights: Weights,
    smoothing_function: SmoothingCallable | None,
    auto_reweigh: bool,
) -> float | list[float]:
    """What the backend's scorer declines: any containers, tokens, weights and smoothing."""
    number, wanted = _length_of(hypotheses, "the hypotheses"), _length_of(list_of_references, "the lists of references")
    if number != wanted:
        raise LengthMismatchError(
            f"there are {number} hypotheses and {wanted} lists of references; each hypothesis needs one list"
        )
    vectors, max_order = _weight_vectors(weights)
    matches, denominators = [0] * max_order, [0] * max_order
    length = reference_length = 0
    references: Collection[Tokens] = ()
    hypothesis: Tokens = ()
    for position, (references, hypothesis) in enumerate(zip(list_of_references, hypotheses)):
        try:
            row = _backend.segment_counts(references, hypothesis, max_order)
            if row is None:
                row = _backend.any_segment_counts(references, hypothesis, max_order)
        except CybleuError as error:
            if number == 1:
                raise
            raise type(error)(f"segment {position}: {error}") from error.__cause__
        length += row[0]
        reference_length += row[1]
        matches = [total + count for total, count in zip(matches, row[2:])]
        # NLTK's rule: a segment that is too short for an order counts as one n-gram without a match
        denominators = [total + (count or 1) for total, count in zip(denominators, row[2 + max_order :])]
    if number == 0 and max_order > 0:
        raise EmptyCorpusError("there is no segment to score; give at least one hypothesis with its references")
    return score_counts(
        matches,
        denominators,
        length,
        reference_length,
        references,
        hypothesis,
        vectors,
        smoothing_function,
        auto_reweigh,
    )


def score_counts(
    matches: list[int],
    denominators: list[int],
    length: int,
    reference_length: int,
    references: Collection[Tokens],
    hypothesis: Tokens,
    vectors: Sequence[Any],
    smoothing_function: SmoothingCallable | None,
    auto_reweigh: bool,
) -> float | list[float]:
    """NLTK's score from its counts; `references` and `hypothesis` are the last segment's, which smoothing may want."""
    if not matches or matches[0] == 0:
        return 0 if len(vectors) == 1 else [0] * len(vectors)
    precisions = _smooth(smoothing_function, matches, denominators, references, hypothesis, length)
    penalty = brevity_penalty(reference_length, length)
    scores = []
    for vector in vectors:
        if auto_reweigh and length < 4 and vector == QUARTERS:
            vector = (1 / length,) * length
        logs = (weight * math.log(precision) for weight, precision in zip(vector, precisions) if precision > 0)
        scores.append(penalty * math.exp(math.fsum(logs)))
    return scores[0] if len(vectors) == 1 else scores


def methods_of_five_grams(smoothing_function: SmoothingCallable | None) -> bool:
    """Whether this is a method that looks at the 5-grams of the last segment."""
    if smoothing_function is None:
        return False
    return _backend.recognised(smoothing_function, SmoothingFunction, _METHODS) in (5, 6, 7)


def _weight_vectors(weights: Any) -> tuple[Sequence[Any], int]:
    """The weight vectors, one or several, and the largest order."""
    if type(weights) is tuple and weights and type(weights[0]) is float:
        return [weights], len(weights)
    try:
        weights[0][0]
        vectors = weights
    except (TypeError, IndexError):
        vectors = [weights]
    for vector in vectors:
        if not hasattr(type(vector), "__len__"):
            raise WeightsTypeError(
                f"weights must be a sequence of numbers, one for each n-gram order, or a list of such sequences; "
                f"{type(vector).__name__} has no length"
            )
    return vectors, max(len(vector) for vector in vectors)


def _smooth(
    smoothing_function: SmoothingCallable | None,
    matches: list[int],
    denominators: list[int],
    references: Collection[Tokens],
    hypothesis: Tokens,
    length: int,
) -> Iterable[Any]:
    if not smoothing_function:
        smoothing_function = SmoothingFunction().method0
    number = _backend.recognised(smoothing_function, SmoothingFunction, _METHODS)
    if number is not None:
        instance = getattr(smoothing_function, "__self__", None)
        if number == 0:
            for order, matched in enumerate(matches, start=1):
                if matched == 0:
                    _warn_no_match(order)

        def five_grams() -> tuple[int, int]:
            precision = modified_precision(references, hypothesis, 5)
            return precision.numerator, precision.denominator

        precisions = _backend.smoothed(number, instance, matches, denominators, length, hypothesis, five_grams)
        if precisions is not None:
            return precisions
    from .fraction import Fraction

    fractions = [Fraction(matched, denominator) for matched, denominator in zip(matches, denominators)]
    return smoothing_function(fractions, references=references, hypothesis=hypothesis, hyp_len=length)


def _length_of(sequence: Any, name: str) -> int:
    if type(sequence) is list:
        return len(sequence)
    if not hasattr(type(sequence), "__len__"):
        raise SequenceTypeError(
            f"{name} must be a list or another sequence that has a length, not {type(sequence).__name__}"
        )
    return len(sequence)


def _checked_order(n: Any, *sequences: Tokens) -> int:
    """An order that n-grams can be counted for. As in NLTK it is looked at where a sequence is long enough for it."""
    try:
        if not any(_length_of(sequence, "a text") >= n for sequence in sequences):
            return sys.maxsize
    except TypeError as error:
        if isinstance(error, CybleuError):
            raise
        raise OrderTypeError(f"the n-gram order must be a whole number, not {type(n).__name__}") from None
    if not isinstance(n, int):
        if hasattr(type(n), "__index__"):
            raise OrderTypeError(f"the n-gram order must be an int, not {type(n).__name__}; convert it with int()")
        raise OrderError(f"the n-gram order must be a whole number, not {n!r}")
    if n < 0:
        raise OrderError(f"the n-gram order must not be negative, and it is {n}")
    return min(int(n), sys.maxsize)
