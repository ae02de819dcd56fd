"""Why tools disagree: the rules and the segments behind the difference of their scores, on the same tokens or each on its own."""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from typing import TYPE_CHECKING, Any, TypeAlias

from .._runtime.numbers import check_whole
from .._runtime.sequences import by_position
from ..bleu_score.scores import number_of_segments
from ..errors import CybleuError, EmptyCorpusError, LengthMismatchError, OrderError, OrderTypeError
from ..metrics import Bleu, Variant, tool_tokenizer
from ..text.columns import references_given, texts_given
from ..text.raw import Raw, raw_of
from .causes import causes_of
from .comparison import Comparison, Difference
from .corpus_counts import Tokenised

if TYPE_CHECKING:
    from ..bleu_score.parts import Tokens

__all__ = ["TOOLS", "explain_blocks", "explain_difference"]

Choice: TypeAlias = "str | Variant | tuple[str | Variant, str]"

#: The variants that are explained unless others are asked for.
TOOLS = ("nltk", "sacrebleu", "mteval-v13a", "multi-bleu", "moses", "huggingface")

OF_TOOLS = "of-tools"
MOST_ORDERS = 64


def explain_difference(
    references: Sequence[Collection[Tokens]],
    hypotheses: Sequence[Tokens],
    variants: str | Variant | Iterable[Choice] = TOOLS,
    order: int = 4,
    weights: Sequence[float] | None = None,
    *,
    tokenize: str | Callable[[str], Sequence[Hashable]] | None = None,
    lowercase: bool = False,
) -> Comparison:
    """Score a corpus as several tools do, and say which rules and which segments make their scores differ.

    :param references: for each segment one or more references, each a sequence of hashable tokens
    :param hypotheses: for each segment the translation to score, a sequence of hashable tokens
    :param variants: names in :data:`cybleu.metrics.VARIANTS`, or variants, or one of these. Each has the default smoothing
        of its tool, unless another is named, as ``name:smoothing`` or (variant, smoothing)
    :param order: the largest n-gram order, at most 64
    :param weights: of the n-gram orders, by default uniform
    :param tokenize: the texts are raw text, str or bytes in UTF-8, and this says how to split them: a name that
        :func:`cybleu.text.tokenizer` knows, or a function from a str to its tokens; or ``of-tools``, which splits the
        texts for each variant as its tool does, like ``cybleu score``
    :param lowercase: put raw text in lower case first
    :return: a table of the scores of the corpus, and for each pair of variants that differ the rules that make the
        difference. Also a variant whose tool takes the mean of its segments' scores is scored as a corpus. If the tool
        of a variant fails, the table has the reason
    :raises LengthMismatchError: the number of lists of references is not that of the hypotheses
    :raises EmptyCorpusError: there is no segment
    :raises NoReferencesError: a segment has no reference
    :raises OrderError: the order is not from 1 to 64
    :raises UnknownNameError: there is no such variant or smoothing
    :raises StatisticsError: there are not as many weights as orders

    >>> references = [["a b c d e f".split()], ["g".split()]]
    >>> print(explain_difference(references, ["a b c d e f".split(), ["g"]], ("nltk", "sacrebleu")))
    variant      0 to 100  as the tool has it
    nltk          84.0896  0.8408964153
    sacrebleu    100.0000  100
    <BLANKLINE>
    sacrebleu is 15.9104 above nltk
       +15.9104  short_segments_count: a segment too short for an order counts as 0 n-grams in sacrebleu, 1 n-gram in nltk;
                 segment 1 is too short: 5 rather than 6 2-grams, 4 rather than 5 3-grams, 3 rather than 4 4-grams
    """
    references = by_position(references_given(references))
    hypotheses = by_position(texts_given(hypotheses))
    number = number_of_segments(references, hypotheses)
    if not number:
        _chosen(variants, order, weights)
        raise EmptyCorpusError("there is no segment to score; give at least one hypothesis with its references")
    try:
        return explain_blocks(
            [(references, hypotheses)], variants, order, weights, tokenize=tokenize, lowercase=lowercase
        )
    except CybleuError as error:
        if number == 1 and str(error).startswith("segment 0: "):
            raise type(error)(str(error).partition(": ")[2]) from error.__cause__
        raise


def explain_blocks(
    blocks: Iterable[tuple[Sequence[Collection[Tokens]], Sequence[Tokens]]],
    variants: str | Variant | Iterable[Choice] = TOOLS,
    order: int = 4,
    weights: Sequence[float] | None = None,
    *,
    tokenize: str | Callable[[str], Sequence[Hashable]] | None = None,
    lowercase: bool = False,
) -> Comparison:
    """:func:`explain_difference` for a corpus that comes some segments at a time; it keeps only their counts.

    The other parameters and the errors are those of :func:`explain_difference`.

    :param blocks: pairs of references and hypotheses, as that function takes them
    :return: as for :func:`explain_difference`; without any segment all scores are 0, or tools that fail

    >>> block = [["a b".split()]], ["a b".split()]
    >>> explain_blocks([block, block], ("sacrebleu", "moses")).segments
    2
    """
    chosen = _chosen(variants, order, weights)
    raw = raw_of("none" if tokenize == OF_TOOLS else tokenize, lowercase)
    if raw is not None and isinstance(raw.tokenize, str) and raw.own:
        names = {n: tool_tokenizer(v.name) if tokenize == OF_TOOLS else raw.tokenize for n, v in chosen.items()}
        raws = {name: Raw(name, lowercase) for name in names.values()}
        found = Tokenised(raws, order, weights)
        for references, hypotheses in _checked(blocks):
            found.add_raw(raws, raw.texts(hypotheses, "hypotheses"), *raw.sets(references))
        return _compared(found, names, chosen)
    found = Tokenised([None], order, weights)
    for references, hypotheses in _checked(blocks):
        if raw is not None:
            references, hypotheses = raw.sets_of_token_lists(references), raw.token_lists(hypotheses, "hypotheses")
        found.add_tokens(references, hypotheses)
    return _compared(found, dict.fromkeys(chosen), chosen)


def _checked(blocks: Iterable[tuple[Any, Any]]) -> Iterator[tuple[Any, Any]]:
    """The same blocks, each with a list of references for each hypothesis."""
    for number, (references, hypotheses) in enumerate(blocks):
        block = by_position(references_given(references)), by_position(texts_given(hypotheses))
        try:
            number_of_segments(*block)
        except LengthMismatchError as error:
            raise LengthMismatchError(f"block {number}: {error}") from None
        yield block


def _compared(found: Tokenised, names: Mapping[str, str | None], chosen: Mapping[str, Variant]) -> Comparison:
    """:param names: of the tokeniser of each variant"""
    scores = [found.counts[names[name]].scored(name, variant) for name, variant in chosen.items()]
    differences = []
    for scored, other in combinations(scores, 2):
        if scored.score != other.score and scored.bleu and other.bleu:
            lower, higher = sorted((scored, other), key=lambda one: one.score)
            differences.append(Difference(lower, higher, tuple(causes_of(found, lower, higher))))
    return Comparison(tuple(scores), tuple(differences), found.segments)


def _chosen(
    choices: str | Variant | Iterable[Choice], order: int, weights: Sequence[float] | None
) -> dict[str, Variant]:
    """The variants, each under a name of its own and with the one smoothing that it is to use."""
    if not isinstance(order, int):
        raise OrderTypeError(f"the n-gram order must be an int, not {type(order).__name__}")
    check_whole(order, "the largest n-gram order", 1, MOST_ORDERS, error=OrderError)
    chosen: dict[str, Variant] = {}
    for choice in [choices] if isinstance(choices, (str, Variant)) else choices:
        wanted, smoothing = choice if isinstance(choice, tuple) else (choice, None)
        if isinstance(wanted, str) and smoothing is None:
            wanted, _, named = wanted.partition(":")
            smoothing = named or None
        metric = Bleu(wanted, smoothing=smoothing, weights=weights)
        metric.rules(order)  # for its errors, before the work
        variant = metric.definition
        name = unique = variant.name if smoothing is None else f"{variant.name}:{smoothing}"
        number = 1
        while unique in chosen:
            number += 1
            unique = f"{name} ({number})"
        chosen[unique] = replace(variant, smoothings=(variant.smoothing(smoothing),))
    return chosen
