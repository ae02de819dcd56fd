"""The BLEU of captions: the interface and the numbers of pycocoevalcap's ``Bleu``."""

from __future__ import annotations

import math
from array import array
from itertools import accumulate, chain
from typing import Any

from .._mirror.definitions import SMALL, TINY
from .._runtime.numbers import check_whole
from ..errors import EmptyCorpusError, LengthMismatchError, NoReferencesError, OrderError, SequenceTypeError
from ..stats.raw import raw_numbers
from ..text.raw import Raw

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

MOST_ORDERS = 64


class CaptionBleu:
    """As ``pycocoevalcap.bleu.bleu.Bleu``: BLEU-1 to BLEU-n of all captions together and of each caption, from 0 to 1.

    Captions are split on white space. The tool expects the tokens of its own ``PTBTokenizer``, which runs Java.

    :param n: the largest order of n-grams
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
        """The scores for each order: of all captions together, and of each caption.

        :param gts: for each image a list of its reference captions
        :param res: for each image a list with one caption
        :param verbose: a number above 0 prints the sums, as the tool does
        :raises LengthMismatchError: `gts` and `res` do not have the same images
        :raises SequenceTypeError: an image of `res` does not have a list with one caption
        :raises NoReferencesError: an image has no reference caption
        :raises EmptyCorpusError: there are no images
        """
        if gts.keys() != res.keys():
            raise LengthMismatchError(
                f"gts has {len(gts)} images and res {len(res)}, and they are not the same; give both for each image"
            )
        if not gts:
            raise EmptyCorpusError("there is no image; give at least one with a caption and its references")
        references, captions = list(gts.values()), [res[image] for image in gts]
        if (
            {*map(type, captions), *map(type, references)} != {list}
            or {*map(len, captions)} != {1}
            or not all(references)
        ):
            _refuse(gts, res)
        raw = Raw("none")
        bounds = array("q", accumulate(map(len, references), initial=0))
        texts = _texts(raw, captions, "the captions")
        others = _texts(raw, references, "the references")
        numbers = raw_numbers(raw, texts, others, bounds, self._n)
        columns = [numbers[column :: 2 + 2 * self._n].tolist() for column in range(2 + 2 * self._n)]
        sums = [[sum(column)] for column in columns]
        of_all = [scores[0] for scores in self._scores(sums)]
        if verbose > 0:
            lengths = {"testlen": sums[0][0], "reflen": sums[1][0]}
            counts = {"guess": sums[2 + self._n :], "correct": sums[2 : 2 + self._n]}
            print({**lengths, **{name: [one[0] for one in column] for name, column in counts.items()}})
            print("ratio:", (sums[0][0] + TINY) / (sums[1][0] + SMALL))
        return of_all, self._scores(columns)

    def method(self) -> str:
        """Its name."""
        return "Bleu"

    def _scores(self, columns: list[list[int]]) -> list[list[float]]:
        """Of each order, from the columns of rows; the float operations of the tool in its order."""
        lengths, wanted = columns[:2]
        ratios = [(length + TINY) / (reference + SMALL) for length, reference in zip(lengths, wanted)]
        penalties = [math.exp(1 - 1 / ratio) if ratio < 1 else 1.0 for ratio in ratios]
        products = [(matched + TINY) / (total + SMALL) for matched, total in zip(columns[2], columns[2 + self._n])]
        found = [[product * penalty for product, penalty in zip(products, penalties)]]
        for k in range(1, self._n):
            matches, totals = columns[2 + k], columns[2 + self._n + k]
            products = [
                product * ((matched + TINY) / (total + SMALL))
                for product, matched, total in zip(products, matches, totals)
            ]
            root = 1.0 / (k + 1)
            found.append([product**root * penalty for product, penalty in zip(products, penalties)])
        return found


def _texts(raw: Raw, of_images: list[Sequence[str]], name: str) -> Any:
    lines = list(chain.from_iterable(of_images))
    texts = raw.strings(lines)
    return raw.texts(lines, name) if texts is None else texts


def _refuse(gts: Mapping[Any, Any], res: Mapping[Any, Any]) -> None:
    """Say what the first image has that cannot be."""
    for image, captions in res.items():
        if type(captions) is not list or len(captions) != 1:
            raise SequenceTypeError(f"res[{image!r}] must be a list with one caption, a str")
        if type(gts[image]) is not list:
            raise SequenceTypeError(f"gts[{image!r}] must be a list of captions, each a str")
        if not gts[image]:
            raise NoReferencesError(f"gts[{image!r}] has no caption; give at least one")
