"""GLEU with the names, arguments and values of ``nltk.translate.gleu_score``.

If you replace that import with this one, only the speed changes. The definition is that of Wu et al. (2016), "Google's
neural machine translation system". The metrics of Mutton et al. (2007) and of Napoles et al. (2015) have the same name,
but they are different.
"""

from __future__ import annotations

from ._backend import answered, gleu_counts, sentence_gleu as compiled
from ._definitions import gleu
from .text.shapes import of_any_tokens

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any

__all__ = ["corpus_gleu", "sentence_gleu"]


def sentence_gleu(
    references: Iterable[Iterable[Any]], hypothesis: Iterable[Any], min_len: int = 1, max_len: int = 4
) -> float:
    """Compute GLEU of a hypothesis: the minimum of precision and recall over the n-grams of all orders.

    :param references: one or more references, each a sequence of hashable tokens; only the reference with the highest
        score counts
    :param hypothesis: a sequence of hashable tokens
    :param min_len: the smallest n-gram order
    :param max_len: the largest n-gram order
    :return: the score from 0 to 1; 0.0 if there are no n-grams

    >>> round(sentence_gleu(["the cat is on the mat".split()], "the the the the the the the".split()), 4)
    0.0909
    """
    return corpus_gleu([references], [hypothesis], min_len, max_len)


# The kernel calls this function for arguments that it declines: a call through Python would take longer than a short sentence.
sentence_gleu = compiled(sentence_gleu)


def corpus_gleu(
    list_of_references: Sequence[Iterable[Iterable[Any]]],
    hypotheses: Sequence[Iterable[Any]],
    min_len: int = 1,
    max_len: int = 4,
) -> float:
    """Compute GLEU of a corpus: sum matches and n-grams over its segments, and divide the sums.

    The GLEU of a segment is the number of matches, divided by the number of n-grams of the hypothesis or of the
    reference, whichever has more. For each segment, only the reference with the best score counts; on a tie, the first
    one.

    :param list_of_references: for each segment one or more references
    :param hypotheses: for each segment one hypothesis
    :param min_len: the smallest n-gram order
    :param max_len: the largest n-gram order
    :return: the score from 0 to 1; 0.0 if there are no n-grams or no segments
    :raises LengthMismatchError: the number of lists of references differs from the number of hypotheses
    :raises UnhashableTokenError: a token cannot be hashed

    >>> corpus_gleu([[["a", "b", "c"]], [["d", "e"]]], [["a", "b", "x"], ["d", "e"]])
    0.6666666666666666
    """
    found = gleu_counts(list_of_references, hypotheses, min_len, max_len)
    shared, ngrams = answered(found, of_any_tokens, gleu.gleu_counts, list_of_references, hypotheses, min_len, max_len)
    return float(shared / ngrams) if ngrams else 0.0
