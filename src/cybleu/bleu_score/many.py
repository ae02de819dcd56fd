"""NLTK's sentence BLEU of many segments in a single call."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING

from .._backend import go_on
from .._runtime.arrays import Floats, np
from .._runtime.parallel import run
from ..errors import CybleuError
from ..text.reading import segments_of_lists
from ..text.segments import plain_segment
from .scores import QUARTERS, SCORER, number_of_segments, sentence_bleu, weight_vectors, weights_given

if TYPE_CHECKING:
    from .parts import Tokens
    from .scores import SmoothingCallable, Weights


def sentence_bleu_many(
    list_of_references: Sequence[Collection[Tokens]],
    hypotheses: Sequence[Tokens],
    weights: Weights = QUARTERS,
    smoothing_function: SmoothingCallable | None = None,
    auto_reweigh: bool = False,
    *,
    progress: bool = False,
) -> Floats:
    """Score many segments with :func:`cybleu.sentence_bleu`: the same scores, warnings and errors in a single call.

    The other parameters are those of :func:`cybleu.corpus_bleu`.

    :param list_of_references: for each segment a list of its references, each a list of tokens
    :param hypotheses: for each segment a list of tokens
    :param progress: show a progress bar (requires tqdm)
    :return: float64 of shape `(n,)`, or `(n, vectors)` if the weights are a list of vectors, from 0 to 1; empty if
        there are no segments
    :raises LengthMismatchError: the number of lists of references differs from the number of hypotheses
    :raises CybleuError: a segment cannot be scored, or is a str instead of a token list; the message names the segment

    >>> references = [[["the", "cat", "sat", "down"]], [["it", "rains", "a", "lot"]]]
    >>> sentence_bleu_many(references, [["the", "cat", "sat", "down"], ["it", "rains"]], weights=(0.5, 0.5)).round(4)
    array([1.    , 0.3679])
    """
    list_of_references, hypotheses = segments_of_lists(list_of_references, hypotheses, "list_of_references")
    weights = weights_given(weights)
    count = number_of_segments(list_of_references, hypotheses)
    vectors = len(weight_vectors(weights)[0])
    scores = np.empty((count, vectors))

    def general(position: int) -> None:
        # Texts become lists first, because this function also takes arrays and columns, and NLTK's does not.
        try:
            references, hypothesis = plain_segment(list_of_references[position], hypotheses[position])
            scores[position] = sentence_bleu(references, hypothesis, weights, smoothing_function, auto_reweigh)
        except CybleuError as error:
            raise type(error)(f"segment {position}: {error}") from error.__cause__

    def work(start: int, stop: int) -> None:
        def score(position: int) -> int:
            return SCORER.sentences(
                list_of_references, hypotheses, weights, smoothing_function, auto_reweigh, position, scores[:stop]
            )

        go_on(score, start, stop, general)

    run(work, count, 0, None, progress, "segments")
    return scores if vectors > 1 else scores[:, 0]
