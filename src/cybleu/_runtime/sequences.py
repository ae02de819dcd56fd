"""Normalise containers of texts, without importing NumPy."""

from __future__ import annotations

from collections.abc import Mapping, MappingView, Set

from ..errors import ArrayValueError, LengthMismatchError, SequenceTypeError, TokensError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

NO_NUMBERS = ("O", "T", "U", "S")  # dtype kinds of NumPy: objects, and three kinds of text

# Descriptions of the expected value, for the error about an untokenised text.
TOKENS = "a list of tokens"
REFERENCES = "a list of references, each a list of tokens"
TEXTS = "a list of token lists"


def by_position(values: Any) -> Any:
    """Convert a sequence whose ``[]`` is not positional, such as a data frame column, to a list.

    :param values: any value; arrays of numbers and values of other types are returned unchanged
    """
    if isinstance(values, (list, tuple, str, bytes, bytearray)) or _is_array_of_numbers(values):
        return values
    kind = type(values)
    if not (hasattr(kind, "__len__") and hasattr(kind, "__iter__")):
        return values
    if isinstance(values, (Mapping, Set)) and not isinstance(values, MappingView):  # views are ordered
        return values
    of_texts = getattr(getattr(values, "dtype", None), "kind", None) in ("U", "S")
    return values.tolist() if of_texts or kind is memoryview else list(values)


def _is_array_of_numbers(values: Any) -> bool:
    kind = getattr(getattr(values, "dtype", None), "kind", None)
    if isinstance(kind, str):
        return kind not in NO_NUMBERS
    if hasattr(values, "__dlpack_device__"):  # a tensor, which may not be in main memory
        return hasattr(values, "__array__")
    return hasattr(values, "__array__") and bool(values.__array__().dtype.kind in "biufc")


def is_array(value: Any) -> bool:
    """Return whether the value is an array of any library."""
    return hasattr(value, "__array__")


def any_array(values: Iterable[Any]) -> bool:
    """Return whether any of the values is an array."""
    of_each_type = {type(value): value for value in values}
    return any(map(is_array, of_each_type.values()))


def advice_for(value: Any) -> str | None:
    """Return how to fix a value that is missing, or not computed yet, where texts are expected; None for other values."""
    if is_missing(value):
        return "leave out the segment, or fill in the text that is missing"
    return "collect it first, with .collect()" if type(value).__name__ == "LazyFrame" else None


def length_of(sequence: Any, name: str) -> int:
    """Return the length of a sequence.

    :raises SequenceTypeError: it has none
    """
    if type(sequence) is list:
        return len(sequence)
    if not hasattr(type(sequence), "__len__"):
        raise SequenceTypeError(
            f"{name} must be a list or another sequence that has a length, not {type(sequence).__name__}"
        )
    return len(sequence)


def check_references(references: Any) -> None:
    """Check that references can be read, with an error that names them.

    :raises SequenceTypeError: they cannot be iterated, such as None
    """
    kind = type(references)
    if not (hasattr(kind, "__iter__") or hasattr(kind, "__getitem__")):
        advice = advice_for(references)
        raise SequenceTypeError(
            f"the references must be {REFERENCES}, not {kind_of(references)}" + (f"; {advice}" if advice else "")
        )


def refuse_missing(list_of_references: Any, hypotheses: Any) -> None:
    """Reject segments in which a text, or all references, are missing, for functions in which counting them has failed.

    :raises SequenceTypeError: one is None, NaN or another missing value
    """
    for position, (references, hypothesis) in enumerate(zip(list_of_references, hypotheses)):
        place = f"segment {position}: " if len(hypotheses) > 1 else ""
        texts = references if isinstance(references, (list, tuple)) else ()
        names = ["the hypothesis is", "the references are", *(f"reference {number} is" for number in range(len(texts)))]
        for name, text in zip(names, (hypothesis, references, *texts)):
            if is_missing(text):
                what = "None" if text is None else kind_of(text)
                raise SequenceTypeError(f"{place}{name} {what}; {advice_for(text)}")


def is_missing(value: Any) -> bool:
    """Return whether this is None, NaN, or one of the missing values of pandas."""
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return True
    return isinstance(value, float) and value != value


def kind_of(value: Any) -> str:
    """Return the type of a value that is no text, for messages."""
    return "NaN (a float)" if isinstance(value, float) and is_missing(value) else type(value).__name__


def described(value: Any) -> str:
    """Return the type of a value with its article, for messages, and how to fix a value that is missing."""
    advice = advice_for(value)
    kind = kind_of(value)
    if value is None:
        kind = "None"
    elif not kind.startswith("NaN"):
        kind = f"{'an' if kind[0] in 'aeiou' else 'a'} {kind}"
    return f"{kind}; {advice}" if advice else kind


def looks_like_tokens(texts: Any) -> bool:
    """Return whether a list of str or bytes has several words, and no text with white space."""
    if not isinstance(texts, (list, tuple)) or len(texts) < 2:  # a single word may be a text
        return False
    return all(isinstance(text, (str, bytes)) and len(text.split()) == 1 for text in texts)


def refuse_tokens_of_one(references: Any, name: str) -> None:
    """Reject the tokens of one reference where a list of references is expected.

    :raises SequenceTypeError: these are words, so that each would be a reference
    """
    if looks_like_tokens(references):
        raise SequenceTypeError(
            f"{name} looks like the tokens of one reference, not like {REFERENCES}; put it in a list: [[{references[0]!r}, ...]]"
        )


def refuse_text(value: Any, name: str, wanted: str = TOKENS, tokenizes: bool = False) -> None:
    """Reject a text that is not split into tokens.

    :param wanted: description of the expected value
    :param tokenizes: the function takes a tokeniser
    :raises SequenceTypeError: the value is a str or bytes, whose items are not tokens
    """
    if not isinstance(value, (str, bytes, bytearray)):
        return
    is_str = isinstance(value, str)
    advice = f"split it, for example with {'.split()' if is_str else '.decode().split()'}"
    if wanted != TOKENS:
        advice = f"put it in a list, and {advice}"
    if is_str and tokenizes:
        advice += ", or name a tokeniser to split it, for example tokenize='13a'"
    raise SequenceTypeError(f"{name} is a {type(value).__name__}, not {wanted}; {advice}")


def refuse_unordered(text: Any, name: str) -> None:
    """Reject containers without an order.

    :raises SequenceTypeError: the value is a set or a mapping
    """
    if isinstance(text, (Set, Mapping)):
        raise SequenceTypeError(
            f"{name} is a {type(text).__name__}, which has no order of tokens or no repeated ones; give a list"
        )


def check_ordered(values: Any, name: str) -> None:
    """Reject containers of segments that have no order of them, or whose items are not the texts.

    :raises SequenceTypeError: the value is a mapping, or a set that is no view of a mapping
    """
    if isinstance(values, Mapping):
        raise SequenceTypeError(
            f"{name} is a {type(values).__name__}, whose keys would be read as texts; give a list in the order of the segments, "
            f"such as list({name}.values())"
        )
    if isinstance(values, Set) and not isinstance(values, MappingView):
        raise SequenceTypeError(
            f"{name} is a {type(values).__name__}, which has no order of segments and no equal ones; give a list"
        )


def container_of(text: Any, name: str, tokenizes: bool = False) -> Any:
    """Convert a tokenised text to a sequence that is indexed by position.

    :param tokenizes: as for :func:`refuse_text`
    :raises SequenceTypeError: it is a str, whose characters are not tokens; or it is unordered, such as a set
    """
    refuse_text(text, name, tokenizes=tokenizes)
    refuse_unordered(text, name)
    check_unmasked(text, name)
    if getattr(text, "ndim", None) == 0:
        raise SequenceTypeError(f"{name} is an array without a dimension, not a list of tokens")
    return by_position(text)


def check_numbers(hypotheses: int, references: int, what: str = "lists of references") -> None:
    """Check that each hypothesis has its references.

    :raises LengthMismatchError: there are not as many
    """
    if hypotheses != references:
        raise LengthMismatchError(
            f"there are {hypotheses} hypotheses and {references} {what}; each hypothesis needs one"
        )


def check_unmasked(values: Any, name: str) -> None:
    """:raises ArrayValueError: an array (``numpy.ma``) has masked entries, which would be counted"""
    if hasattr(values, "filled") and values.mask.any():
        raise ArrayValueError(
            f"{name} has masked entries; leave them out, or fill them with .filled(...), and for texts give pad_id"
        )


def is_array_type(kind: type) -> bool:
    """Return whether this is the type of an array or a tensor, one of which without dimensions is like an int."""
    return hasattr(kind, "__index__") and hasattr(kind, "__len__")


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


def plain_text(text: Any, name: str, tokenizes: bool = False) -> Any:
    """Convert a text to a list of tokens, if :func:`container_of` accepts it."""
    text = container_of(text, name, tokenizes)
    if not (hasattr(type(text), "__len__") and hasattr(type(text), "__iter__")):
        return text
    if not isinstance(text, (list, tuple)):
        text = list(text)
    refuse_arrays(text, name)
    return text


def plain_segment(references: Any, hypothesis: Any, tokenizes: bool = False) -> tuple[Any, Any]:
    """Normalise the texts of a segment.

    :param tokenizes: as for :func:`refuse_text`
    """
    references = by_position(references)
    refuse_text(references, "the set of references", REFERENCES, tokenizes)
    check_references(references)
    if (
        looks_like_tokens(references)
        and type(hypothesis) is list
        and any(isinstance(token, list) for token in hypothesis)
    ):
        raise SequenceTypeError(
            "the hypothesis is a list of lists and the references are tokens, so the arguments look swapped; give the "
            "references first, or both by keyword"
        )
    refuse_tokens_of_one(references, "the set of references")
    if isinstance(references, (list, tuple)):
        references = [plain_text(text, f"reference {number}", tokenizes) for number, text in enumerate(references)]
    return references, plain_text(hypothesis, "the hypothesis", tokenizes)
