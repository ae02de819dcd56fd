"""A corpus as numbers of 32 bits, equal for equal tokens, which kernels align."""

from __future__ import annotations

from array import array
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

from .._backend import RawVocabulary, TokenTexts, fill_alignments
from .._runtime.lazy_arrays import np
from .._runtime.parallel import run
from ..text.batches import Corpus, ListSets, Sets, TokenIds, TokenLists
from ..text.numbering import number_together
from ..text.tokenizers import own_tokenizer
from .tokens import tokenised

if TYPE_CHECKING:
    from collections.abc import Hashable

    from numpy.typing import NDArray

    from ..text.batches import AnySets, Batch
    from ..text.tokenization import Tokenization

MOST_IN_PLACE = 1 << 22  # kernels make arrays by number; ids from this on are numbered


class Words(NamedTuple):
    """How raw text becomes words.

    :ivar name: of the tokeniser, for what is kept with prepared references
    :ivar tokenizer: the name of a tokeniser of the backend
    :ivar edited: a function from raw texts to those in which that tokeniser finds the words; None if it finds them as they are
    """

    name: Hashable
    tokenizer: str
    edited: Callable[[Any], Any] | None = None


def numbered(
    corpus: Corpus, tokenization: Tokenization | None, words: Words | None = None
) -> tuple[TokenIds, TokenIds]:
    """Hypotheses and references as numbers. A token of a hypothesis that no reference has is -1.

    Requires NumPy, except for raw text with words that a tokeniser of the backend finds.

    :param tokenization: how raw text is tokenised; None for tokens and ids
    :param words: how it becomes words, if not by this tokeniser alone
    """
    if words is None and tokenization is not None and tokenization.own:
        words = Words(tokenization.tokenize, str(tokenization.tokenize))
    if tokenization is not None and words is not None:
        return _numbered_words(corpus, tokenization, words)
    if tokenization is not None:
        corpus = tokenised(corpus, tokenization)
    references, hypotheses = _narrow(*number_together(corpus.sets.texts, corpus.texts))
    return hypotheses, references


def _numbered_words(corpus: Corpus, tokenization: Tokenization, words: Words) -> tuple[TokenIds, TokenIds]:
    texts, references, _ = corpus.lines(tokenization)

    edited = words.edited or (lambda lines: lines)

    def of_references() -> tuple[Any, TokenIds]:
        vocabulary = RawVocabulary(own_tokenizer(words.tokenizer))
        return vocabulary, word_ids(edited(references), vocabulary.add)

    vocabulary, ids = corpus.made((words.name, tokenization.lowercase, "words"), of_references)
    return word_ids(edited(texts), vocabulary.look_up), ids


def word_ids(texts: Any, number: Callable[[Any, Any], bytes]) -> TokenIds:
    """Raw texts as numbers of words.

    :param number: a function that numbers the words of all texts, one after the other, and writes where each text ends
    """
    bounds: Any = memoryview(array("q", bytes(8 * len(texts) + 8)))
    ids: Any = memoryview(number(texts, bounds[1:])).cast("i")
    return TokenIds(ids, bounds[:-1], bounds[1:])


def consecutive(ids: Any, ends: array[int]) -> TokenIds:
    """Texts that follow each other.

    :param ends: where each text ends
    """
    begins: Any = array("q", [0, *ends])[: len(ends)]
    return TokenIds(ids, begins, ends)  # type: ignore[arg-type]


def _narrow(first: TokenIds, second: TokenIds) -> tuple[TokenIds, TokenIds]:
    """Ids in 32 bits. Larger ones, and negative ones, become other numbers."""
    both = [first.ids, second.ids]
    # -1 in the second batch alone is a token without a number, and matches none of the first
    negative = first.ids.min(initial=0) < 0 or second.ids.min(initial=0) < -1
    if negative or max(ids.max(initial=0) for ids in both) >= MOST_IN_PLACE:
        _, numbers = np.unique(np.concatenate(both), return_inverse=True)
        both = np.split(numbers.reshape(-1), [len(first.ids)])
    narrow = [np.ascontiguousarray(ids, dtype=np.int32) for ids in both]
    return TokenIds(narrow[0], first.begins, first.ends), TokenIds(narrow[1], second.begins, second.ends)


def one_in_each(texts: Batch) -> AnySets:
    """Sets that have one reference each."""
    if isinstance(texts, TokenLists):
        return ListSets([[text] for text in texts.texts], texts.place.name)
    return Sets(texts, array("q", range(texts.size + 1)))


def align_pairs(
    ids: tuple[TokenIds, TokenIds],
    scores: NDArray[np.float64],
    *,
    are_rates: bool,
    same: bool,
    threads: int | None,
    progress: bool,
) -> None:
    """Write the score of each hypothesis against each reference.

    :param ids: of the hypotheses and of the references
    :param are_rates: whether scores are word error rates; otherwise they are F-measures of ROUGE-L
    :param same: whether both are the same texts, so that one alignment serves two scores
    """
    hypotheses, references = ids
    others = TokenTexts(*references)
    texts = others if same else TokenTexts(*hypotheses)

    def work(start: int, stop: int) -> None:
        fill_alignments(texts, others, are_rates, start, stop, scores)

    run(work, len(scores), 64 * scores.size, threads, progress, "hypotheses")


def bounds_of(corpus: Corpus) -> Any:
    """Where the references of each set begin, and the end, for kernels."""
    bounds = corpus.sets.bounds
    return array("q", bounds) if isinstance(bounds, list) else bounds
