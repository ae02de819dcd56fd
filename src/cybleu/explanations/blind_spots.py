"""Texts that BLEU cannot distinguish from a hypothesis (Callison-Burch, Osborne and Koehn 2006)."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Hashable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain, pairwise, permutations
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from .._definitions.bleu import smoothed
from ..errors import CybleuError, SmoothingParameterError, UnknownNameError
from ..metrics import Bleu, Metric, Variant, find
from ..metrics.counting import segments_of
from ..metrics.operations import corpus_for
from ..text.reading import read_corpus

if TYPE_CHECKING:
    from .._definitions.ngrams import NGram

# Words of messages about a list of segments, and what they are called by a function that takes one segment.
IN_MESSAGES = {
    "the hypotheses are": "the hypothesis is",
    "hypotheses[0]": "hypothesis",
    "hypotheses": "hypothesis",
    "references[0]": "references",
    " for each segment": "",
}


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
        # equal blocks get equal ranks, so that no text comes twice
        first: dict[NGram, int] = {}
        order = [first.setdefault(block, rank) for rank, block in enumerate(self.blocks)]
        for _ in range(self.count):
            yield tuple(chain.from_iterable(self.blocks[rank] for rank in order))
            _permute(order)


def _permute(order: list[int]) -> None:
    """Replace an order in place by the next permutation, and the last one by the first."""
    last = len(order) - 1
    falls = next((place for place in reversed(range(last)) if order[place] < order[place + 1]), None)
    if falls is None:
        order.reverse()
        return
    larger = next(place for place in range(last, falls, -1) if order[place] > order[falls])
    order[falls], order[larger] = order[larger], order[falls]
    order[falls + 1 :] = reversed(order[falls + 1 :])


def blind_spots(
    hypothesis: str | bytes | Collection[Hashable],
    references: str | bytes | Collection[Any],
    metric: str | Metric | Variant | None = None,
    **choices: Any,
) -> BlindSpots:
    """Find texts that BLEU scores at least as high as a hypothesis, regardless of their meaning.

    :param hypothesis: one text: raw text (str or UTF-8 bytes), a list of hashable tokens, or an array of token ids
    :param references: one reference of the same kind, or a list of several
    :param metric: a definition of BLEU, in any form that :func:`cybleu.metrics.find` accepts; by default NLTK's
    :param choices: options of :class:`cybleu.metrics.Bleu`, such as ``tokenize="13a"`` for raw text, which is split as
        the tool of the metric does it, for NLTK's BLEU at white space
    :return: the blocks whose order does not matter, how many orders there are, and the tokens that can be replaced
    :raises NoReferencesError: there is no reference
    :raises SequenceTypeError: an argument is not a text, or the arguments are swapped
    :raises MixedTokensError: the hypothesis is raw text and a reference is not, or the other way round
    :raises UnknownNameError: the metric is not BLEU; or `tokenize` or `lowercase` is given for tokens, or for a metric
        object, which has its own
    :raises SmoothingParameterError: the weights or the smoothing let a match lower the score, and reordering the blocks
        can create a match

    >>> blind_spots("The cat on the mat slept.", "The cat sat on the mat.", "sacrebleu").blocks
    (('The', 'cat'), ('on', 'the', 'mat'), ('slept',), ('.',))
    """
    bleu, tokens, of_references = read_segment(hypothesis, references, metric, **choices)
    Bleu("nltk", max_order=1).count(tokens, of_references)  # raises an error for tokens that cannot be counted
    rules = bleu.rules()
    spots = find_blind_spots(tokens, of_references, rules.order, is_monotone(rules, len(tokens)))
    if spots is None:
        raise SmoothingParameterError(
            f"with this smoothing or these weights, an additional match can lower the score of {rules.name}, so the "
            "order of the blocks matters; use another smoothing, and no negative weights"
        )
    return spots


def find_blind_spots(
    hypothesis: Sequence[Hashable], references: Sequence[Sequence[Hashable]], order: int, monotone: bool
) -> BlindSpots | None:
    """Find the blind spots of a score of clipped matches and lengths.

    :param order: the largest order of its n-grams
    :param monotone: whether no match can lower the score
    :return: None if a match can lower the score, and blocks in another order can have one
    """
    known = set(chain.from_iterable(references))
    joined = set(chain.from_iterable(map(pairwise, references))) if order > 1 else set()
    blocks: list[list[Hashable]] = []
    for token in hypothesis:
        if blocks and (blocks[-1][-1], token) in joined:
            blocks[-1].append(token)
        else:
            blocks.append([token])
    # Blocks in another order keep their matches, and can gain one only where two of them meet.
    if not monotone and any((left[-1], right[0]) in joined for left, right in permutations(blocks, 2)):
        return None
    cut = tuple(map(tuple, blocks))
    of_equal_blocks = math.prod(map(math.factorial, Counter(cut).values()))
    replaceable = [place for place, token in enumerate(hypothesis) if token not in known]
    return BlindSpots(cut, math.factorial(len(cut)) // of_equal_blocks, tuple(replaceable))


def is_monotone(rules: SimpleNamespace, length: int) -> bool:
    """Return whether no match can lower the score; blocks in another order can form new matches."""
    totals = (max(length, 1),) * 2
    without, with_match = [
        smoothed(rules.smoothing, (1, matched), totals, rules.value, scale=1, length=length)[1:] for matched in (0, 1)
    ]
    # a mean leaves out an order that smoothing skips, the exact mean also a precision of 0
    left_out = not without or (rules.mean == "exact" and 0 in without)
    return not left_out and without <= with_match and min(rules.weights or (0,)) >= 0


def read_segment(
    hypothesis: Any, references: Any, metric: Any, **choices: Any
) -> tuple[Bleu, Sequence[Hashable], Sequence[Sequence[Hashable]]]:
    """Return the BLEU that scores single sentences, and the tokens of a hypothesis and of its references.

    :param choices: options of the metric
    :raises UnknownNameError: the metric is not BLEU, or it has a tokeniser and the texts are tokens
    """
    bleu = find(metric, default="nltk", **choices)
    if not isinstance(bleu, Bleu):
        raise UnknownNameError(f"the metric is {bleu.name}, but only BLEU can be explained; use a definition of BLEU")
    try:
        corpus = read_corpus([hypothesis], [references])
        tokens, of_references = segments_of(bleu, corpus_for(bleu, corpus))[0]
    except CybleuError as error:
        # The readers speak of lists of segments, and this caller has passed one.
        message = str(error)
        for of_segments, of_one in IN_MESSAGES.items():
            message = message.replace(of_segments, of_one)
        error.args = (message,)
        raise
    return replace(bleu, tokenize=None, lowercase=False).of_sentences(), tokens, of_references
