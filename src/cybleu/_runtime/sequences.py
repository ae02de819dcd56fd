"""Containers of texts, without importing NumPy: convert them to lists, and reject what cannot be one."""

from __future__ import annotations

from collections.abc import Mapping, MappingView, Set

from ..errors import ArrayValueError, LengthMismatchError, SequenceTypeError, TokensError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

LISTS: set[type] = {list, tuple}
LINE = (str, bytes, bytearray)
REFERENCES = "a list of references, each a list of tokens"


# ----------------------------------------------------------------------------------------------------------- containers


def is_sized(value: Any) -> bool:
    """Return whether the value is a container that can be read more than once."""
    kind = type(value)
    return hasattr(kind, "__len__") and hasattr(kind, "__iter__") and getattr(value, "ndim", 1) != 0


def is_array(value: Any) -> bool:
    """Return whether the value is an array of any library."""
    return hasattr(value, "__array__")


def by_position(values: Any) -> Any:
    """Convert a sequence whose ``[]`` is not positional, such as a data frame column, to a list.

    :param values: any value; arrays of numbers and values of other types are returned unchanged
    """
    if isinstance(values, (list, tuple, *LINE)) or not is_sized(values) or _is_unordered(values):
        return values
    kind = getattr(getattr(values, "dtype", None), "kind", None)
    if is_array(values):
        if kind is None and not hasattr(values, "__dlpack_device__"):  # a tensor may not be in main memory
            kind = values.__array__().dtype.kind
        if kind not in ("O", "T", "U", "S"):  # objects, and three kinds of text
            return values
    return values.tolist() if kind in ("U", "S") and hasattr(values, "tolist") else list(values)


def container_of(text: Any, name: str, tokenizes: bool = False) -> Any:
    """Convert a tokenised text to a sequence that is indexed by position: a list, or an array of numbers as it is.

    :param tokenizes: as for :func:`refuse_text`
    :raises SequenceTypeError: it is a str, whose characters are not tokens; it is unordered, such as a set; or it has no length
    """
    refuse_text(text, name, tokenizes)
    check_ordered(text, name, "tokens")
    check_unmasked(text, name)
    text = by_position(text)
    length_of(text, name, "a list of tokens")
    return text


def plain_text(text: Any, name: str, tokenizes: bool = False) -> Any:
    """Convert a text to a list of tokens, if :func:`container_of` accepts it."""
    if type(text) not in LISTS:
        text = list(container_of(text, name, tokenizes))
    refuse_arrays(text, name)
    return text


def plain_segment(references: Any, hypothesis: Any, tokenizes: bool = False) -> tuple[Any, Any]:
    """Convert the texts of a segment to lists of tokens.

    :param tokenizes: as for :func:`refuse_text`
    """
    references = by_position(references)
    check_references(references)
    refuse_swapped(references, hypothesis)
    refuse_one_reference(references, "the set of references", tokenizes)
    if is_sized(references):
        references = [plain_text(text, f"reference {number}", tokenizes) for number, text in enumerate(references)]
    return references, plain_text(hypothesis, "the hypothesis", tokenizes)


def length_of(sequence: Any, name: str, wanted: str = "a list") -> int:
    """Return the length of a sequence.

    :raises SequenceTypeError: it has none
    """
    no_dimension = getattr(sequence, "ndim", 1) == 0 and not isinstance(sequence, (str, bytes))  # NumPy's texts have 0
    if not hasattr(type(sequence), "__len__") or no_dimension:
        raise SequenceTypeError(
            f"{name} must be {wanted} or another sequence that has a length and can be read again, not {kind_of(sequence)}; "
            f"{advice_for(sequence) or 'turn it into a list first'}"
        )
    return len(sequence)


# ------------------------------------------------------------------------------------------------------------- mistakes


def is_missing(value: Any) -> bool:
    """Return whether this is None, NaN, or one of the missing values of pandas."""
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return True
    return isinstance(value, float) and value != value


def advice_for(value: Any) -> str | None:
    """Return how to fix a value that is missing, or not computed yet, where texts are expected; None for other values."""
    if is_missing(value):
        return "leave out the segment, or fill in the text that is missing"
    return "collect it first, with .collect()" if type(value).__name__ == "LazyFrame" else None


def kind_of(value: Any) -> str:
    """Return the type of a value that is no text, for messages."""
    return "NaN (a float)" if isinstance(value, float) and is_missing(value) else type(value).__name__


def described(value: Any) -> str:
    """Return the type of a value with its article, for messages, and how to fix a value that is missing."""
    advice = advice_for(value)
    kind = "None" if value is None else kind_of(value)
    if kind not in ("None", "NaN (a float)"):
        kind = f"{'an' if kind[0] in 'aeiou' else 'a'} {kind}"
    return f"{kind}; {advice}" if advice else kind


def is_id(value: Any) -> bool:
    """Return whether this is an integer of any library."""
    return hasattr(type(value), "__index__") and getattr(value, "ndim", 0) == 0


def looks_like_tokens(texts: Any) -> bool:
    """Return whether a list has several words, and no text with white space; or ids."""
    if not isinstance(texts, (list, tuple)) or len(texts) < 2:  # a single word may be a text
        return False
    return all(len(text.split()) == 1 if isinstance(text, (str, bytes)) else is_id(text) for text in texts)


def refuse_swapped(references: Any, hypothesis: Any) -> None:
    """:raises SequenceTypeError: the references of a segment are tokens, and the hypothesis has lists of them"""
    if looks_like_tokens(references) and type(hypothesis) is list and any(type(token) is list for token in hypothesis):
        raise SequenceTypeError(
            "the hypothesis is a list of lists and the references are tokens, so the arguments look swapped; give the "
            "references first, or both by keyword"
        )


def refuse_one_reference(references: Any, name: str, tokenizes: bool) -> None:
    """:raises SequenceTypeError: the references of a segment are one text, or its tokens"""
    refuse_text(references, name, tokenizes, REFERENCES)
    if looks_like_tokens(references):
        raise SequenceTypeError(
            f"{name} looks like the token list of one reference, not like a list of references; put it in a list: "
            f"[[{references[0]!r}, ...]]"
        )


def check_references(references: Any) -> None:
    """:raises SequenceTypeError: references cannot be iterated, such as None"""
    kind = type(references)
    if not (hasattr(kind, "__iter__") or hasattr(kind, "__getitem__")):
        advice = advice_for(references) or "turn them into a list first"
        raise SequenceTypeError(f"the references must be {REFERENCES}, not {kind_of(references)}; {advice}")


def check_numbers(hypotheses: Any, references: Any, what: str = "lists of references") -> int:
    """Return the number of hypotheses, each of which must have its references.

    :raises LengthMismatchError: there are not as many
    """
    number, others = length_of(hypotheses, "the hypotheses"), length_of(references, f"the {what}")
    if number != others:
        raise LengthMismatchError(f"there are {number} hypotheses and {others} {what}; each hypothesis needs one")
    return number


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
                raise SequenceTypeError(f"{place}{name} {described(text)}")


def refuse_text(value: Any, name: str, tokenizes: bool = False, wanted: str = "a list of tokens") -> None:
    """Reject a text that is not split into tokens.

    :param tokenizes: the function takes a tokeniser
    :param wanted: description of the expected value
    :raises SequenceTypeError: the value is a str or bytes, whose items are not tokens
    """
    if not isinstance(value, LINE):
        return
    is_str = isinstance(value, str)
    advice = "put it in a list, and " if wanted == REFERENCES else ""
    advice += f"split it, for example with {'.split()' if is_str else '.decode().split()'}"
    if is_str and tokenizes:
        advice += ", or name a tokeniser to split it, for example tokenize='13a'"
    raise SequenceTypeError(f"{name} is a {type(value).__name__}, not {wanted}; {advice}")


def _is_unordered(values: Any) -> bool:
    return isinstance(values, (Mapping, Set)) and not isinstance(values, MappingView)  # views are ordered


def check_ordered(values: Any, name: str, what: str = "segments") -> None:
    """Reject containers without an order.

    :param what: the entries, for messages
    :raises SequenceTypeError: the value is a mapping, or a set that is no view of a mapping
    """
    if _is_unordered(values):
        advice = f", such as list({name}.values())" if isinstance(values, Mapping) else ""
        raise SequenceTypeError(
            f"{name} is a {type(values).__name__}, which has no order of {what} and no equal ones; give a list{advice}"
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
