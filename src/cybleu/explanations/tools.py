"""Explanations of differences between tools: the rules and segments that cause them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from typing import TYPE_CHECKING, Any, TypeAlias

from .._runtime.numbers import check_whole
from .._runtime.sequences import check_numbers
from ..bleu_score.scores import number_of_segments
from ..errors import CybleuError, EmptyCorpusError, LengthMismatchError, OrderError
from ..metrics import Bleu, Variant, tool_tokenizer
from ..metrics.tokens import tokenised
from ..text.batches import Corpus, ListSets, Place, TokenLists
from ..text.raw import Raw, raw_of
from ..text.reading import read_lines, read_sets_of_lines, segments_of_lists
from .causes import causes_of
from .comparison import Comparison, Difference
from .corpus_counts import Tokenised

if TYPE_CHECKING:
    from ..bleu_score.parts import Tokens

__all__ = ["TOOLS", "explain_blocks", "explain_difference"]

Choice: TypeAlias = "str | Variant | tuple[str | Variant, str]"

#: The variants that are compared by default.
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
    """Score a corpus as several tools do, and find the rules and segments that cause the differences.

    :param references: for each segment one or more references, each a sequence of hashable tokens
    :param hypotheses: for each segment the translation to score, a sequence of hashable tokens
    :param variants: one or several names in :data:`cybleu.metrics.VARIANTS`, or variants. Each has the default smoothing
        of its tool, unless you name another, as ``name:smoothing`` or (variant, smoothing)
    :param order: the largest n-gram order, at most 64
    :param weights: of the n-gram orders, by default uniform
    :param tokenize: the tokeniser, if the texts are raw text (str, or bytes in UTF-8): a name, as for
        :func:`cybleu.text.tokenizer`, or a function from a str to its tokens; or ``of-tools``, which tokenises the
        texts for each variant as its tool does, like ``cybleu score``
    :param lowercase: convert raw text to lower case first
    :return: a table of the scores of the corpus, and for each pair of variants that differ the rules that cause the
        difference. If a tool's score is the mean of its segments' scores, so is that of the variant, as for
        :func:`cybleu.score`. If the tool of a variant fails, the table has the reason
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
    chosen = _chosen(variants, order, weights)
    raw = raw_of("none" if tokenize == OF_TOOLS else tokenize, lowercase)
    block = _parsed(references, hypotheses, raw)
    if not block.size:
        raise EmptyCorpusError("there is no segment to score; give at least one hypothesis with its references")
    try:
        return _explained([block], chosen, raw, order, weights, of_tools=tokenize == OF_TOOLS)
    except CybleuError as error:
        if block.size == 1 and str(error).startswith("segment 0: "):
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
    """Explain differences between tools on a corpus that is read in blocks; only the counts are kept.

    The other parameters and the errors are those of :func:`explain_difference`.

    :param blocks: pairs of references and hypotheses, as :func:`explain_difference` accepts them
    :return: as for :func:`explain_difference`; without segments all scores are 0, or the tool fails

    >>> block = [["a b".split()]], ["a b".split()]
    >>> explain_blocks([block, block], ("sacrebleu", "moses")).segments
    2
    """
    chosen = _chosen(variants, order, weights)
    raw = raw_of("none" if tokenize == OF_TOOLS else tokenize, lowercase)
    return _explained(_blocks(blocks, raw), chosen, raw, order, weights, of_tools=tokenize == OF_TOOLS)


def _parsed(references: Any, hypotheses: Any, raw: Raw | None) -> Corpus:
    """Read segments, each of which must have a list of references. Each variant has its own lower case."""
    if raw is None:
        sets, texts = segments_of_lists(references, hypotheses)
        number_of_segments(sets, texts)
        return Corpus(TokenLists(texts, Place("hypotheses")), ListSets(sets, "references"))
    corpus = Corpus(read_lines(hypotheses), read_sets_of_lines(references))
    check_numbers(corpus.size, corpus.sets.size)
    return corpus if isinstance(raw.tokenize, str) else tokenised(corpus, raw)


def _blocks(blocks: Iterable[tuple[Any, Any]], raw: Raw | None) -> Iterator[Corpus]:
    for number, (references, hypotheses) in enumerate(blocks):
        try:
            yield _parsed(references, hypotheses, raw)
        except LengthMismatchError as error:
            raise LengthMismatchError(f"block {number}: {error}") from None


def _explained(
    blocks: Iterable[Corpus],
    chosen: Mapping[str, Variant],
    raw: Raw | None,
    order: int,
    weights: Sequence[float] | None,
    of_tools: bool,
) -> Comparison:
    names: dict[str, Any] = dict.fromkeys(chosen)
    raws: dict[Any, Raw] = {}
    if raw is not None and isinstance(raw.tokenize, str):
        for name, variant in chosen.items():
            tokenizer = tool_tokenizer(variant.name) if of_tools else raw.tokenize
            reading = Raw(tokenizer, raw.lowercase, of_mteval=variant.name == "mteval-v13a")
            names[name] = f"{tokenizer} (mteval)" if reading.of_mteval else tokenizer
            raws[names[name]] = reading
    keep_rows = any(variant.level == "mean" for variant in chosen.values())
    found = Tokenised(raws or [None], order, weights, keep_rows)
    for block in blocks:
        if raws:
            found.add_raw(raws, block.texts.lines, block.sets.texts.lines, block.sets.bounds)  # type: ignore[union-attr]
        else:
            found.add_tokens(block.sets.lists(), block.texts.lists())
    return _compared(found, names, chosen)


def _compared(found: Tokenised, names: Mapping[str, str | None], chosen: Mapping[str, Variant]) -> Comparison:
    """Compare the scores of variants.

    :param names: the name of the tokeniser of each variant
    """
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
    """Return the variants under unique names, each with only the smoothing to use."""
    if not isinstance(order, int):
        raise OrderError(f"the n-gram order must be an int, not {type(order).__name__}")
    check_whole(order, "the largest n-gram order", 1, MOST_ORDERS, error=OrderError)
    chosen: dict[str, Variant] = {}
    for choice in [choices] if isinstance(choices, (str, Variant)) else choices:
        wanted, smoothing = choice if isinstance(choice, tuple) else (choice, None)
        if isinstance(wanted, str) and smoothing is None:
            wanted, _, named = wanted.partition(":")
            smoothing = named or None
        metric = Bleu(wanted, smoothing=smoothing, weights=weights)
        metric.check_order(order)
        variant = metric.definition
        name = unique = variant.name if smoothing is None else f"{variant.name}:{smoothing}"
        number = 1
        while unique in chosen:
            number += 1
            unique = f"{name} ({number})"
        chosen[unique] = replace(variant, smoothings=(variant.smoothing(smoothing),))
    return chosen
