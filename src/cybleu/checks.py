"""Detect arguments of the wrong shape, which scoring would accept.

A str is also a sequence of characters, a token list looks like a list of references, and a transposed list is a list.
BLEU can be computed from all of these, but it is wrong.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Sequence
from itertools import pairwise
from typing import Any, SupportsIndex

from ._runtime.sequences import by_position
from .bleu_score.scores import number_of_segments
from .errors import MixedTokensError, TokensError, UnknownNameError
from .metrics import Bleu
from .metrics.counting import tokens_of
from .metrics.operations import rows_without_numpy
from .text.batches import Corpus, ListSets, Place, TokenLists
from .text.reading import read_lines, read_sets_of_lines, segments_of_lists
from .text.shapes import is_written_without_blanks
from .text.tokenizers import Tokenization, Tokenize

__all__ = ["check"]


def check(
    references: Sequence[Collection[Collection[Hashable]]] | Sequence[Sequence[str | bytes]],
    hypotheses: Sequence[Collection[Hashable]] | Sequence[str | bytes],
    *,
    tokenize: Tokenize | None = None,
    lowercase: bool = False,
) -> None:
    """Raise an error for the first mistake in the arguments of :func:`cybleu.corpus_bleu`, or return None.

    It checks shapes, then tokens. An empty hypothesis and an empty corpus are not mistakes. An array of
    ids with one dimension is a token list, and one with two dimensions is a list of token lists.

    Two mistakes cannot be detected: transposed references if each segment has as many references as there are segments,
    and a text of a single word that is split into characters.

    :param references: for each segment a list of its references, each a list of tokens
    :param hypotheses: for each segment a list of tokens
    :param tokenize: the tokeniser of raw text (str or UTF-8 bytes): a name that :func:`cybleu.text.tokenizer` accepts,
        or a function from a str to its tokens
    :param lowercase: convert raw text to lower case first
    :raises SequenceTypeError: an argument is not a list, or has the wrong depth: a str, None, an iterator, a set or a
        dict instead of a token list, or a single reference instead of a list of references; or the arguments are
        swapped
    :raises LengthMismatchError: the number of lists of references differs from the number of hypotheses; the message
        says if the references look transposed
    :raises NoReferencesError: a segment has no reference
    :raises OneShotReferencesError: a segment's references can be read only once
    :raises UnhashableTokenError: a token cannot be hashed
    :raises TokensError: a reference has no token, a token is None, or the tokens are the characters of a text with
        spaces
    :raises MixedTokensError: one side has ids and the other side has text

    >>> check([[["the", "cat"]]], [["the", "cat"]])
    >>> check([["The cat."]], ["A cat."], tokenize="13a")
    >>> check([[["the", "cat"]]], ["the cat"])
    Traceback (most recent call last):
    cybleu.errors.SequenceTypeError: segment 0: the hypothesis is a str, not a list of tokens; split it, for example with .split(), ...
    """
    if tokenize is None:
        if lowercase:
            raise UnknownNameError("lowercase is for raw text; name a tokeniser too, for example tokenize='13a'")
        sets, texts = segments_of_lists(references, hypotheses)
    else:
        tokenization = Tokenization(tokenize, lowercase)
        corpus = Corpus(read_lines(hypotheses), read_sets_of_lines(references)).changed_by(tokenization, tokens_of)
        sets = corpus.sets.lists()
        texts = corpus.texts.lists()
    number_of_segments(sets, texts)
    corpus = Corpus(TokenLists(texts, Place("hypotheses")), ListSets(sets, "references"))
    # Counting raises an error for what is no text or no list of references; unigrams are enough for that.
    rows_without_numpy(Bleu("nltk", max_order=1), corpus)
    kind = _kind_of_tokens(corpus.texts)
    of_references = _kind_of_tokens(corpus.sets.texts, may_be_empty=False)
    if kind and of_references and kind != of_references:
        raise MixedTokensError(
            f"every token of the hypotheses is {kind}, but every token of the references is {of_references}, so no "
            "token can match; use the same type for both"
        )


def _kind_of_tokens(batch: Any, may_be_empty: bool = True) -> str | None:
    """Return what all tokens are; None if not all are the same. Check that none is None, and that they are no characters."""
    lists = [list(by_position(text)) for text in batch.texts]
    for number, tokens in enumerate(lists):
        place = batch.place.of(number)
        if not tokens and not may_be_empty:
            raise TokensError(f"{place} has no token; leave it out, or fix the text that it comes from")
        types = list(map(type, tokens))
        if type(None) in types:
            raise TokensError(f"token {types.index(type(None))} of {place} is None; leave it out")
        if " " in tokens and _is_split_into_characters(tokens):
            raise TokensError(
                f"{place} is a list of the characters of a text, as returned by list() for a str; "
                "split the text into words, for example with .split()"
            )
    kinds = TokenLists(lists, batch.place).types()
    for base, name in {str: "a str", bytes: "bytes", SupportsIndex: "an id (int)"}.items():
        if kinds and all(issubclass(kind, base) for kind in kinds):
            return name
    return None


def _is_split_into_characters(tokens: Sequence[Any]) -> bool:
    """Whether this is the list of a str's characters.

    Tokenised text has no blanks among its tokens. Where they are kept, as for program code (`x = 1`), words are tokens;
    so all tokens must be characters, with two letters next to each other. In scripts without blanks between words,
    characters are valid tokens, and may come with blanks around a foreign word, so no token may be of such a script.
    """
    if not all(isinstance(token, str) and len(token) == 1 for token in tokens):
        return False
    letters = [token.isalpha() for token in tokens]
    return any(first and second for first, second in pairwise(letters)) and not any(
        map(is_written_without_blanks, tokens)
    )
