"""BLEU of captions, with the interface and the results of pycocoevalcap's ``Bleu``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from .._definitions.ngrams import MOST_ORDERS
from .._runtime.lazy_arrays import Integers
from .._runtime.numbers import check_whole
from ..errors import EmptyCorpusError, LengthMismatchError, NoReferencesError, OrderError, SequenceTypeError
from ..metrics import Bleu
from ..metrics.operations import rows_of_corpus
from ..text.batches import Corpus
from ..text.reading import read_lines, read_sets_of_lines


class CaptionBleu:
    """BLEU-1 to BLEU-n of captions, compatible with ``pycocoevalcap.bleu.bleu.Bleu``.

    It scores all captions together and each caption, from 0 to 1. It requires NumPy. Captions are split on white space.
    pycocoevalcap expects the tokens of its own ``PTBTokenizer``, which runs Java.

    :param n: the maximum n-gram order
    :raises OrderError: `n` is not valid

    >>> captions = CaptionBleu(2)
    >>> of_all, of_each = captions.compute_score({7: ["a cat sat", "the cat sat"]}, {7: ["the cat sits"]})
    >>> [round(score, 4) for score in of_all], captions.method()
    ([0.6667, 0.5774], 'Bleu')
    """

    def __init__(self, n: int = 4):
        check_whole(n, "n", 1, MOST_ORDERS, error=OrderError)
        self._n = n

    def compute_score(
        self, gts: Mapping[Any, Sequence[str]], res: Mapping[Any, Sequence[str]], verbose: int = 0
    ) -> tuple[list[float], list[list[float]]]:
        """Score captions: return, for each order, the score of all captions together and the scores of each caption.

        :param gts: a mapping from images to lists of reference captions
        :param res: a mapping from images to lists with a single caption
        :param verbose: ignored; pycocoevalcap prints the sums
        :raises LengthMismatchError: `gts` and `res` have different images
        :raises SequenceTypeError: an entry of `res` is not a list with a single caption
        :raises NoReferencesError: an image has no reference caption
        :raises EmptyCorpusError: there are no images
        """
        if gts.keys() != res.keys():
            raise LengthMismatchError(
                f"gts has {len(gts)} images and res has {len(res)}, and their keys differ; give both for each image"
            )
        if not gts:
            raise EmptyCorpusError("there is no image; give at least one with a caption and its references")
        for image, captions in res.items():
            if type(captions) is not list or len(captions) != 1:
                raise SequenceTypeError(f"res[{image!r}] must be a list with one caption, a str")
            if type(gts[image]) is not list:
                raise SequenceTypeError(f"gts[{image!r}] must be a list of captions, each a str")
            if not gts[image]:
                raise NoReferencesError(f"gts[{image!r}] has no caption; give at least one")
        texts = read_lines([res[image][0] for image in gts], "the captions")
        corpus = Corpus(texts, read_sets_of_lines(list(gts.values()), "the references"))
        rows = rows_of_corpus(Bleu("coco", max_order=self._n), corpus)
        return [score for (score,) in self._scores(rows.sum(axis=0, keepdims=True))], self._scores(rows)

    def method(self) -> str:
        """Return the name of the metric."""
        return "Bleu"

    def _scores(self, rows: Integers) -> list[list[float]]:
        """Score rows of all orders, for each order."""
        # A row has the counts of all lower orders, so that texts are counted once.
        scores = []
        for order in range(1, self._n + 1):
            columns = [*range(2 + order), *range(2 + self._n, 2 + self._n + order)]
            scores.append(Bleu("coco", max_order=order).evaluate_rows(rows.take(columns, axis=1)).tolist())
        return scores
