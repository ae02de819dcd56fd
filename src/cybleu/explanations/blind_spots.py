"""Texts that BLEU cannot distinguish from a hypothesis (Callison-Burch, Osborne and Koehn 2006)."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from itertools import pairwise, permutations
from typing import TYPE_CHECKING, Any

from .._mirror.scoring.definitions import smoothed
from .._runtime.sequences import length_of, plain_segment
from ..errors import NoReferencesError, SmoothingParameterError, UnknownNameError
from ..metrics import Bleu, find
from ..metrics.tokens import tokens_of
from ..text.batches import Place
from ..text.raw import raw_of
from ..text.reading import read_lines

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Hashable, Iterator, Mapping, Sequence
    from types import SimpleNamespace

    from .._mirror.counting.segments import NGram
    from ..metrics import Metric, Variant

__all__ = ["BlindSpots", "blind_spots"]


@dataclass(frozen=True)
class BlindSpots:
    """Reorderings and replacements of a hypothesis that BLEU does not penalise.

    :param blocks: the hypothesis, split where a bigram is in no reference. Any order of the blocks scores at least as
        high as the hypothesis: the n-grams that match lie within the blocks, and the length is the same
    :param count: the number of distinct orders of the blocks, including the order of the hypothesis
    :param replaceable: positions of the tokens that are in no reference. Any other token that is in no reference can
        replace one of them, and the score stays the same

    >>> spots = blind_spots("the cat on the mat slept".split(), ["the cat sat on the mat".split()])
    >>> spots.blocks
    (('the', 'cat'), ('on', 'the', 'mat'), ('slept',))
    >>> spots.count, spots.replaceable
    (6, (5,))
    >>> [" ".join(text) for text in spots.texts()][:2]
    ['the cat on the mat slept', 'the cat slept on the mat']
    """

    blocks: tuple[NGram, ...]
    count: int
    replaceable: tuple[int, ...]

    def texts(self) -> Iterator[NGram]:
        """Yield the text of each order of the blocks, the hypothesis first."""
        first = {block: rank for rank, block in reversed([*enumerate(self.blocks)])}
        order = [first[block] for block in self.blocks]
        for _ in range(self.count):
            yield tuple(token for rank in order for token in self.blocks[rank])
            _permute(order)


def _permute(order: list[int]) -> None:
    """Replace an order in place by the next permutation, and the last one by the first."""
    falls = next((place for place in reversed(range(len(order) - 1)) if order[place] < order[place + 1]), None)
    if falls is not None:
        larger = next(place for place in reversed(range(len(order))) if order[place] > order[falls])
        order[falls], order[larger] = order[larger], order[falls]
    start = 0 if falls is None else falls + 1
    order[start:] = reversed(order[start:])


def blind_spots(
    hypothesis: Collection[Hashable],
    references: Sequence[Collection[Hashable]],
    metric: str | Metric | Variant | None = None,
    *,
    tokenize: str | Callable[[str], Sequence[Hashable]] | None = None,
    lowercase: bool = False,
    **choices: Any,
) -> BlindSpots:
    """Find texts that BLEU scores at least as high as a hypothesis, regardless of their meaning.

    :param hypothesis: a sequence of hashable tokens
    :param references: one or more references, each a sequence of hashable tokens
    :param metric: a definition of BLEU, in any form that :func:`cybleu.metrics.find` accepts; by default NLTK's
    :param tokenize: the tokeniser of raw text (str or UTF-8 bytes): a name that :func:`cybleu.text.tokenizer` accepts,
        or a function from a str to its tokens
    :param lowercase: convert raw text to lower case first
    :param choices: options of :class:`cybleu.metrics.Bleu`
    :return: the blocks whose order does not matter, how many orders there are, and the tokens that can be replaced
    :raises NoReferencesError: there is no reference
    :raises UnknownNameError: the metric is not BLEU
    :raises SmoothingParameterError: the weights or the smoothing let a match lower the score, and reordering the blocks
        can create a match

    >>> blind_spots("the cat on the mat slept".split(), ["the cat sat on the mat".split()]).blocks
    (('the', 'cat'), ('on', 'the', 'mat'), ('slept',))
    """
    bleu, hypothesis, references = read_segment(hypothesis, references, metric, tokenize, lowercase, choices)
    rules = bleu.rules()
    spots = find_blind_spots(hypothesis, references, rules.order, is_monotone(rules, len(hypothesis)))
    if spots is None:
        raise SmoothingParameterError(
            f"with this smoothing or these weights, an additional match can lower the score of {rules.name}, so the "
            "order of the blocks matters; use another smoothing, and no negative weights"
        )
    return spots


def find_blind_spots(
    hypothesis: Collection[Hashable], references: Sequence[Collection[Hashable]], order: int, monotone: bool
) -> BlindSpots | None:
    """Find the blind spots of a score of clipped matches and lengths.

    :param order: the largest order of its n-grams
    :param monotone: whether no match can lower the score
    :return: None if a match can lower the score, and blocks in another order can have one
    """
    known = {token for reference in references for token in reference}
    joined = {pair for reference in references for pair in pairwise(reference)} if order > 1 else set()
    blocks: list[list[Hashable]] = []
    for token in hypothesis:
        if blocks and (blocks[-1][-1], token) in joined:
            blocks[-1].append(token)
        else:
            blocks.append([token])
    if not monotone and any((left[-1], right[0]) in joined for left, right in permutations(blocks, 2)):
        return None
    cut = tuple(map(tuple, blocks))
    count = math.factorial(len(cut)) // math.prod(map(math.factorial, Counter(cut).values()))
    return BlindSpots(cut, count, tuple(place for place, token in enumerate(hypothesis) if token not in known))


def is_monotone(rules: SimpleNamespace, length: int) -> bool:
    """Return whether no match can lower the score; blocks in another order can form new matches."""
    # a mean leaves out an order that smoothing skips, the exact mean also a precision of 0
    totals = (max(length, 1),) * 2
    without, with_one = (smoothed(rules.smoothing, (1, found), totals, rules.value, 1, length)[1:] for found in (0, 1))
    left_out = not without or (rules.mean == "exact" and 0 in without)
    return not left_out and without <= with_one and min(rules.weights or (0,)) >= 0


def read_segment(
    hypothesis: Any, references: Any, metric: Any, tokenize: Any, lowercase: bool, choices: Mapping[str, Any]
) -> tuple[Bleu, Collection[Hashable], Sequence[Collection[Hashable]]]:
    """Return the BLEU that scores single sentences, the hypothesis and its references, as token lists.

    :raises UnknownNameError: the metric is not BLEU
    :raises NoReferencesError: there is no reference
    """
    found = find(metric, default="nltk", **choices)
    if not isinstance(found, Bleu):
        raise UnknownNameError(f"the metric is {found.name}, but only BLEU can be explained; use a definition of BLEU")
    raw = raw_of(tokenize, lowercase) and found.with_choices(tokenize=tokenize, lowercase=lowercase).raw("raw text")
    if raw is not None:
        references = tokens_of(read_lines(references, "references"), raw, Place("references")).lists()
        (hypothesis,) = tokens_of(read_lines([hypothesis], "hypothesis"), raw, Place("hypothesis")).lists()
    references, hypothesis = plain_segment(references, hypothesis)
    if not length_of(references, "the references"):
        raise NoReferencesError("there is no reference for the hypothesis; give at least one")
    return found.of_sentences(), hypothesis, references
