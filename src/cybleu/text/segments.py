"""Token lists and references in any containers: convert them to lists, and refuse what is none."""

from __future__ import annotations

from collections.abc import Sized
from itertools import chain

from .._backend import types_within
from .._runtime.sequences import (
    LINE,
    LISTS,
    by_position,
    check_ordered,
    check_unmasked,
    has_no_dimension,
    is_missing,
    is_sized,
)
from ..errors import LengthMismatchError, MixedTokensError, SequenceTypeError, TokensError, UnhashableTokenError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any

REFERENCES = "a list of references, each a list of tokens"


# ----------------------------------------------------------------------------------------------------------- conversion


def container_of(text: Any, name: str) -> Any:
    """Convert a tokenised text to a sequence that is indexed by position: a list, or an array of numbers as it is.

    :raises SequenceTypeError: it is a str, whose characters are not tokens; it is unordered, such as a set; or it has no length
    """
    refuse_text(text, name)
    check_ordered(text, name, "tokens")
    check_unmasked(text, name)
    text = by_position(text)
    length_of(text, name, "a list of tokens")
    return text


def plain_text(text: Any, name: str) -> Sequence[Any]:
    """Convert a text to a list of tokens, if :func:`container_of` accepts it; a tuple stays one."""
    tokens: Sequence[Any] = text if type(text) in LISTS else list(container_of(text, name))
    refuse_arrays(tokens, name)
    return tokens


def plain_segment(references: Any, hypothesis: Any, first: str = "references") -> tuple[Any, Sequence[Any]]:
    """Convert the texts of a segment to lists of tokens.

    :param first: what the caller's function takes first, for messages
    :return: the references, which are returned as they are if they can be read only once; and the hypothesis
    :raises SequenceTypeError: the references are one text, or its tokens; or a text is none that :func:`container_of` accepts
    """
    references = by_position(references)
    check_references(references)
    refuse_text(references, "the set of references", REFERENCES)
    if looks_like_tokens(references):
        advice = f"put it in a list: [[{references[0]!r}, ...]]"
        if type(hypothesis) is list and any(type(token) is list for token in hypothesis):
            advice = f"the hypothesis is a list of lists, so the arguments look swapped: give the {first} first"
        raise SequenceTypeError(
            f"the set of references looks like the token list of one reference, not like a list of references; {advice}"
        )
    if is_sized(references):
        references = [plain_text(text, f"reference {number}") for number, text in enumerate(references)]
    return references, plain_text(hypothesis, "the hypothesis")


# ------------------------------------------------------------------------------------------------------------- mistakes


def length_of(sequence: Any, name: str, wanted: str = "a list") -> int:
    """Return the length of a sequence.

    :raises SequenceTypeError: it has none
    """
    if not hasattr(type(sequence), "__len__") or has_no_dimension(sequence):
        raise SequenceTypeError(
            f"{name} must be {wanted} or another sequence that has a length and can be read again, not "
            f"{described(sequence, 'turn it into a list first')}"
        )
    return len(sequence)


def described(value: Any, advice: str | None = None) -> str:
    """Return the type of a value that is no text with its article, for messages, and how to fix it.

    :param advice: the fix, if the value is neither missing nor a frame that is not computed yet
    """
    kind = type(value).__name__
    told = f"{'an' if kind[0] in 'aeiou' else 'a'} {kind}"
    if is_missing(value):
        told = repr(value)
        advice = "leave out the segment, or fill in the text that is missing"
    elif kind == "LazyFrame":
        advice = "collect it first, with .collect()"
    return f"{told}; {advice}" if advice else told


def looks_like_tokens(texts: Any) -> bool:
    """Return whether a list has several words, and no text with white space; or ids."""
    if not isinstance(texts, (list, tuple)) or len(texts) < 2:  # a single word may be a text
        return False
    return all(map(_looks_like_token, texts))


def _looks_like_token(value: Any) -> bool:
    if isinstance(value, (str, bytes)):
        return len(value.split()) == 1
    return hasattr(type(value), "__index__") and not is_sized(value)


def check_references(references: Any) -> None:
    """:raises SequenceTypeError: references cannot be iterated, such as None"""
    kind = type(references)
    if not (hasattr(kind, "__iter__") or hasattr(kind, "__getitem__")) or has_no_dimension(references):
        told = described(references, "turn them into a list first")
        raise SequenceTypeError(f"the references must be {REFERENCES}, not {told}")


def check_numbers(hypotheses: Any, references: Any, what: str = "lists of references") -> int:
    """Return the number of hypotheses, each of which must have its references.

    :raises LengthMismatchError: there are not as many
    """
    number = length_of(hypotheses, "the hypotheses")
    others = length_of(references, f"the {what}")
    if number == others:
        return number
    advice = "each hypothesis needs one"
    # tokens of one reference can have the length of the hypotheses by chance
    lists = [group for group in references if isinstance(group, (list, tuple)) and not looks_like_tokens(group)]
    if others and list(map(len, lists)) == [number] * others:
        advice = "they look transposed, as sacreBLEU takes them; give list(zip(*references))"
    raise LengthMismatchError(f"there are {number} hypotheses and {others} {what}; {advice}")


def refuse_missing(list_of_references: Any, hypotheses: Any) -> None:
    """Reject segments in which a text, or all references, are missing, for functions in which counting them has failed.

    :raises SequenceTypeError: one is None, NaN or another missing value
    """
    for position, (references, hypothesis) in enumerate(zip(list_of_references, hypotheses)):
        texts = {"the hypothesis is": hypothesis, "the references are": references}
        if isinstance(references, (list, tuple)):
            texts |= {f"reference {number} is": reference for number, reference in enumerate(references)}
        for name, text in texts.items():
            if is_missing(text):
                place = f"segment {position}: " if len(hypotheses) > 1 else ""
                raise SequenceTypeError(f"{place}{name} {described(text)}")


def refuse_text(value: Any, name: str, wanted: str = "a list of tokens") -> None:
    """Reject a text that is not split into tokens.

    :param wanted: description of the expected value
    :raises SequenceTypeError: the value is a str or bytes, whose items are not tokens
    """
    if isinstance(value, LINE):
        decoded = "" if isinstance(value, str) else ".decode()"
        raise SequenceTypeError(
            f"{name} is a {type(value).__name__}, not {wanted}; split it, for example with {decoded}.split(), or with a tokeniser: "
            "cybleu.text.tokenizer('13a')"
        )


def is_array_type(kind: type) -> bool:
    """Return whether this is the type of an array or a tensor, one of which without dimensions is like an int."""
    return hasattr(kind, "__index__") and issubclass(kind, Sized)


def refuse_arrays(text: Iterable[Any], name: str) -> None:
    """Reject arrays among tokens, as in ``list(tensor)``, which as dict keys are never equal.

    :raises TokensError: a token is an array
    """
    if not any(map(is_array_type, set(map(type, text)))):
        return
    for position, token in enumerate(text):
        if is_array_type(type(token)):
            raise TokensError(
                f"token {position} of {name} is a {type(token).__name__}, not a number or a str; turn the text into a list "
                "with .tolist(), and check that it is not nested one level too deep"
            )


def refuse_unhashable(text: Iterable[Any], name: str) -> None:
    """:raises UnhashableTokenError: a token cannot be hashed"""
    for position, token in enumerate(text):
        try:
            hash(token)
        except TypeError as error:
            raise UnhashableTokenError(
                f"token {position} of {name} is {described(token)}, which cannot be hashed; "
                "use a str, a number or a tuple for it (is the text nested one level too deep?)"
            ) from error


def check_not_mixed(references: Any, hypotheses: Any) -> None:
    """:raises MixedTokensError: one side has ids and the other strings, or only one has tuples, so that nothing can match"""
    try:
        kinds = list(map(types_within, (hypotheses, chain.from_iterable(references))))
    except TypeError:
        return  # they were changed while they were counted
    if {int} in kinds and any(side and all(issubclass(kind, str) for kind in side) for side in kinds):
        raise MixedTokensError(
            "one of hypotheses and references holds token ids and the other strings; give both as ids or both as tokens"
        )
    of_hypotheses, of_references = kinds
    if of_hypotheses == {tuple} and of_references and tuple not in of_references:
        raise MixedTokensError(
            "every token of the hypotheses is a tuple, and no token of the references is; pass the hypotheses first, then the "
            "references, and tokens of one kind"
        )
