"""NIST with the names, arguments and values of ``nltk.translate.nist_score``.

If you replace that import with this one, only the speed changes. The definition is that of Doddington (2002),
"Automatic evaluation of machine translation quality using n-gram co-occurrence statistics", as NLTK 3.10.4 computes it:
for each order only the best reference of a segment counts. The script ``mteval-v13a.pl`` clips by all references of a
segment and has its own tokeniser; the metric ``nist`` reproduces its scores.
"""

from __future__ import annotations

from ._backend import answered, corpus_nist as of_plain_lists
from ._definitions import nist
from .text.shapes import of_any_tokens

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

__all__ = ["corpus_nist", "nist_length_penalty", "sentence_nist"]


def sentence_nist(references: Sequence[Sequence[Any]], hypothesis: Sequence[Any], n: int = 5) -> float:
    """Compute NIST of one hypothesis.

    The information weights are computed from the references of this call, so the scores of single sentences are not
    comparable with the score of a corpus.

    :param references: one or more references, each a sequence of hashable tokens
    :param hypothesis: a sequence of hashable tokens
    :param n: the largest n-gram order
    :return: from 0; there is no largest score
    :raises ShortTextsError: the hypothesis has no n-gram of an order, or the references have no token. It is a
        ZeroDivisionError, as NLTK raises
    :raises NoReferencesError: there is no reference

    >>> reference = "the cat sat on the mat with a hat".split()
    >>> round(sentence_nist([reference], "the cat sat on a mat with a hat".split()), 4)
    2.8316
    """
    return corpus_nist([references], [hypothesis], n)


def corpus_nist(
    list_of_references: Sequence[Sequence[Sequence[Any]]], hypotheses: Sequence[Sequence[Any]], n: int = 5
) -> float:
    """Compute NIST of a corpus: sum information and n-grams over its segments, and divide the sums.

    The weight of an n-gram is log2(count of its first n - 1 tokens / count of the n-gram), with counts from the
    references. The weight of a single token is log2(number of tokens / count of the token). For each segment and each
    order, only the reference with the largest precision counts; on a tie, the longest one.

    :param list_of_references: for each segment one or more references
    :param hypotheses: for each segment one hypothesis
    :param n: the largest n-gram order
    :return: from 0; there is no largest score
    :raises LengthMismatchError: the number of lists of references differs from that of the hypotheses
    :raises ShortTextsError: no hypothesis has an n-gram of an order, or the references have no token. It is a
        ZeroDivisionError, as NLTK raises
    :raises NoReferencesError: a segment has no reference

    >>> corpus_nist([[["a", "b", "c"]], [["d", "e", "f"]]], [["a", "b", "x"], ["d", "e", "f"]], 2)
    2.15413541726763
    """
    found = of_plain_lists(list_of_references, hypotheses, n)
    score: float = answered(found, of_any_tokens, nist.nist_of_corpus, list_of_references, hypotheses, n)
    return score


def nist_length_penalty(ref_len: float, hyp_len: float) -> float:
    """Compute the factor by which NIST lowers the score of short hypotheses.

    :param ref_len: the length of the references
    :param hyp_len: the length of the hypotheses
    :return: from 0 to 1; 0.5 if the hypotheses have two thirds of the length of the references
    :raises ShortTextsError: the references have length 0. It is a ZeroDivisionError, as NLTK raises

    >>> nist_length_penalty(9, 6)
    0.4999999999999999
    """
    return nist.length_penalty(ref_len, hyp_len)
