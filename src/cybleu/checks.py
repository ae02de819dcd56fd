"""Detect arguments of the wrong shape, which scoring would accept.

A str is also a sequence of characters, a token list looks like a list of references, and a transposed list is a list.
BLEU can be computed from all of these, but it is wrong.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Mapping, Sequence, Set
from itertools import pairwise
from typing import Any, NoReturn

from ._runtime.sequences import (
    REFERENCES,
    advice_for,
    check_ordered,
    refuse_arrays,
    refuse_text,
)
from ._runtime.shapes import is_written_without_blanks
from .errors import (
    LengthMismatchError,
    MixedTokensError,
    NoReferencesError,
    OneShotReferencesError,
    SequenceTypeError,
    TokensError,
    UnhashableTokenError,
)
from .metrics.tokens import tokenised
from .text.batches import Corpus
from .text.ragged import Ragged
from .text.raw import Raw, raw_of
from .text.reading import read_lines, read_sets_of_lines, segments_of_lists

__all__ = ["check"]

HASHABLE = {str, int, bytes, float, bool}


def check(
    references: Sequence[Collection[Collection[Hashable]]] | Sequence[Sequence[str | bytes]],
    hypotheses: Sequence[Collection[Hashable]] | Sequence[str | bytes],
    *,
    tokenize: str | Callable[[str], Sequence[Hashable]] | None = None,
    lowercase: bool = False,
) -> None:
    """Raise an error for the first mistake in the arguments of :func:`cybleu.corpus_bleu`, or return None.

    It checks the hypotheses, then the references. An empty hypothesis and an empty corpus are not mistakes. An array of
    ids with one dimension is a token list, and one with two dimensions is a list of token lists.

    It cannot find two mistakes: transposed references if each segment has as many references as there are segments, and
    a text of one word that is split into characters.

    :param references: for each segment a list of its references, each a list of tokens
    :param hypotheses: for each segment a list of tokens
    :param tokenize: the texts are raw text, str or bytes in UTF-8, and this says how to split them: a name that
        :func:`cybleu.text.tokenizer` knows, or a function from a str to its tokens
    :param lowercase: put raw text in lower case first
    :raises SequenceTypeError: something is not a list, or a list of the wrong depth: a str, None, an iterator, a set or
        a dict instead of a token list, one reference instead of a list of references, or the arguments in the other
        order
    :raises LengthMismatchError: the number of lists of references is not that of the hypotheses; the message says if
        they look transposed
    :raises NoReferencesError: a segment has no reference
    :raises OneShotReferencesError: a segment's references can be read only once
    :raises UnhashableTokenError: a token cannot be hashed
    :raises TokensError: a reference has no token, a token is None, or the tokens are the characters of a text with blanks
    :raises MixedTokensError: one side has ids and the other text

    >>> check([[["the", "cat"]]], [["the", "cat"]])
    >>> check([["The cat."]], ["A cat."], tokenize="13a")
    >>> check([[["the", "cat"]]], ["the cat"])
    Traceback (most recent call last):
    cybleu.errors.SequenceTypeError: hypotheses[0] is a str, not a list of tokens; split it, for example with .split(), or ...
    """
    if tokenize is not None or lowercase or Ragged in (type(references), type(hypotheses)):
        for name, value in (("references", references), ("hypotheses", hypotheses)):
            _check_corpus(value, name)
        references, hypotheses = _tokens(references, hypotheses, raw_of(tokenize, lowercase))
    _check_corpus(references, "references")
    in_hypotheses = check_texts(hypotheses, "hypotheses", references)
    if len(references) != len(hypotheses):
        _raise_mismatch(references, hypotheses)
    _check_same_kind(check_references(references), in_hypotheses)


def _tokens(references: Any, hypotheses: Any, raw: Raw | None) -> tuple[Any, Any]:
    if raw is None:
        return segments_of_lists(references, hypotheses)
    corpus = tokenised(Corpus(read_lines(hypotheses), read_sets_of_lines(references)), raw)
    return corpus.sets.lists(), corpus.texts.lists()


def check_texts(texts: Any, name: str, references: Any = ()) -> set[type]:
    """The same for texts alone, and the types of their tokens."""
    _check_corpus(texts, name)
    types: set[type] = set()
    for position, text in enumerate(texts):
        if isinstance(text, (str, bytes)) and _are_words(texts):
            raise SequenceTypeError(
                f"{name}[{position}] is a {_name(text)}, not a list of tokens; split it, for example with "
                f".split(), or, if {name} is the token list of one segment, give [hypotheses] and [references]"
            )
        try:
            types |= _token_types(text, name, position)
        except UnhashableTokenError as error:
            if all(isinstance(token, list) for token in text) and any(map(_are_words, references)):
                raise SequenceTypeError(
                    f"{name}[{position}] is a list of lists and the references are token lists, so the arguments "
                    "look swapped; give the references first, or both by keyword"
                ) from error
            raise
    return types


def check_references(references: Any) -> set[type]:
    """The same for references alone."""
    _check_corpus(references, "references")
    types: set[type] = set()
    for position, group in enumerate(references):
        _check_group(group, position)
        for number, reference in enumerate(group):
            types |= _token_types(reference, "references", position, number)
            if len(reference) == 0:
                raise TokensError(
                    f"references[{position}][{number}] has no token; leave it out, or fix the text that it comes from"
                )
    return types


def _check_corpus(corpus: Any, name: str) -> None:
    wanted = "hypotheses" if name == "hypotheses" else "lists of references"
    if isinstance(corpus, (str, bytes, Set, Mapping)) or not _is_sized(corpus):
        raise SequenceTypeError(
            f"{name} is {_described(corpus)}, not a list of {wanted}; "
            f"{(corpus is not None and advice_for(corpus)) or 'give a list with one entry for each segment'}"
        )


def _check_group(group: Any, position: int) -> None:
    """Check that this is a list of references of any kind."""
    if type(group) is list and group and type(group[0]) is list:
        return
    name = f"references[{position}]"
    if hasattr(type(group), "__next__"):
        raise OneShotReferencesError(
            f"{name} is {_described(group)}, but references are read more than once; turn it into a list"
        )
    refuse_text(group, name, True, REFERENCES)
    if isinstance(group, Mapping) or not _is_sized(group):
        raise SequenceTypeError(
            f"{name} is {_described(group)}, not a list of references; "
            f"{advice_for(group) or 'give a list of one or more token lists'}"
        )
    if len(group) == 0:
        raise NoReferencesError(f"{name} is empty; give at least one reference for each segment")
    if _are_words(group):
        raise SequenceTypeError(
            f"{name} looks like the token list of one reference, not like a list of references; "
            f"put it in a list: [{name}]"
        )


def _raise_mismatch(references: Any, hypotheses: Any) -> NoReturn:
    count, wanted = len(references), len(hypotheses)
    advice = "; each hypothesis needs one list"
    if count and all(map(_are_words, references)):
        advice = ", which look like token lists; give for each hypothesis a list of its references, each a token list"
    elif count and all(_is_sized(document) and len(document) == wanted for document in references):
        advice = (
            f" of {wanted} entries, which look transposed, as sacreBLEU takes them; "
            "give for each hypothesis a list of its references: [list(group) for group in zip(*references)]"
        )
    raise LengthMismatchError(f"there are {wanted} hypotheses and {count} lists of references{advice}")


def _token_types(tokens: Any, name: str, *place: int) -> set[type]:
    """The types of the tokens of a text, which is named only when needed."""
    if type(tokens) is not list and type(tokens) is not tuple:
        kind = getattr(getattr(tokens, "dtype", None), "kind", None)
        if kind is not None and getattr(tokens, "ndim", None) == 1 and kind in "iu":
            return {int} if len(tokens) else set()
        tokens = _as_list(tokens, _place(name, place))
    types = set(map(type, tokens))
    if types != {str} and not types <= HASHABLE:
        _check_odd_tokens(tokens, _place(name, place))
    if str in types and " " in tokens and _is_split_into_characters(tokens):
        raise TokensError(
            f"{_place(name, place)} is the characters of a text with its blanks, as list() makes them of a str; "
            "split it into words, for example with .split()"
        )
    return types


def _as_list(tokens: Any, name: str) -> list[Any]:
    """The tokens of some other sequence than a list or a tuple."""
    refuse_text(tokens, name, tokenizes=True)
    check_ordered(tokens, name, "tokens")
    if hasattr(tokens, "dtype") and hasattr(tokens, "ndim"):
        if tokens.ndim != 1:
            raise SequenceTypeError(
                f"{name} is {_described(tokens)} of {tokens.ndim} dimensions, not a list of tokens; give one of 1"
            )
        if not hasattr(tokens.dtype, "kind"):
            raise SequenceTypeError(
                f"{name} is {_described(tokens)}, whose items are not numbers that are equal to others; "
                "turn it into a list with .tolist()"
            )
        return list(tokens.tolist())
    if not _is_sized(tokens):
        raise SequenceTypeError(
            f"{name} is {_described(tokens)}, not a list of tokens; {advice_for(tokens) or 'give a list'}"
        )
    return list(tokens)


def _check_odd_tokens(tokens: Sequence[Any], name: str) -> None:
    refuse_arrays(tokens, name)
    for position, token in enumerate(tokens):
        if token is None:
            raise TokensError(f"token {position} of {name} is None; leave it out")
        try:
            hash(token)
        except TypeError as error:
            raise UnhashableTokenError(
                f"token {position} of {name} is a {_name(token)}, which cannot be hashed and so not be counted; "
                "use a str, a number or a tuple for it (is the text nested one level too deep?)"
            ) from error


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


def _check_same_kind(in_references: set[type], in_hypotheses: set[type]) -> None:
    theirs, ours = _kind(in_references), _kind(in_hypotheses)
    if theirs and ours and theirs != ours:
        raise MixedTokensError(
            f"every token of the hypotheses is {ours} and every one of the references {theirs}, so none can match; "
            "give both as the same"
        )


def _kind(types: set[type]) -> str | None:
    for name, base in (("a str", str), ("bytes", bytes)):
        if types and all(issubclass(kind, base) for kind in types):
            return name
    return "an id (int)" if types and all(hasattr(kind, "__index__") for kind in types) else None


def _are_words(items: Any) -> bool:
    """Whether these are tokens, not texts or token lists."""
    if not _is_sized(items) or isinstance(items, (str, bytes, Mapping)):
        return False
    if getattr(items, "ndim", 1) != 1 or len(items) == 0:
        return False
    if all(isinstance(item, (str, bytes)) for item in items):
        return not any(len(item.split()) > 1 for item in items)
    return all(hasattr(type(item), "__index__") and not _is_sized(item) for item in items)


def _is_sized(value: Any) -> bool:
    shaped = getattr(value, "ndim", 1) > 0
    return shaped and hasattr(type(value), "__len__") and hasattr(type(value), "__iter__")


def _described(value: Any) -> str:
    if value is None:
        return "None"
    once = ", which can be read only once" if hasattr(type(value), "__next__") else ""
    article = "an" if _name(value)[0] in "aeiou" else "a"
    return f"{article} {_name(value)}{once}"


def _name(value: Any) -> str:
    return type(value).__name__


def _place(name: str, place: tuple[int, ...]) -> str:
    return name + "".join(f"[{number}]" for number in place)
