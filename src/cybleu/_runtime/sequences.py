"""Containers of texts, without importing NumPy: convert them to lists, and reject what cannot be one."""

from __future__ import annotations

from collections.abc import Mapping, MappingView, Set

from ..errors import ArrayValueError, LengthMismatchError, SequenceTypeError, TokensError, UnhashableTokenError

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


def _has_no_dimension(value: Any) -> bool:
    return getattr(value, "ndim", 1) == 0 and not isinstance(value, LINE)  # NumPy's texts have 0


def is_array(value: Any) -> bool:
    """Return whether the value is an array of any library, and no text of NumPy's."""
    return hasattr(value, "__array__") and not isinstance(value, LINE)


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


def plain_text(text: Any, name: str) -> Any:
    """Convert a text to a list of tokens, if :func:`container_of` accepts it."""
    if type(text) not in LISTS:
        text = list(container_of(text, name))
    refuse_arrays(text, name)
    return text


def plain_segment(references: Any, hypothesis: Any, first: str = "references") -> tuple[Any, Any]:
    """Convert the texts of a segment to lists of tokens.

    :param first: what the caller's function takes first, for messages
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


def length_of(sequence: Any, name: str, wanted: str = "a list") -> int:
    """Return the length of a sequence.

    :raises SequenceTypeError: it has none
    """
    if not hasattr(type(sequence), "__len__") or _has_no_dimension(sequence):
        raise SequenceTypeError(
            f"{name} must be {wanted} or another sequence that has a length and can be read again, not "
            f"{described(sequence, 'turn it into a list first')}"
        )
    return len(sequence)


# ------------------------------------------------------------------------------------------------------------- mistakes


def is_missing(value: Any) -> bool:
    """Return whether this is None, NaN, or one of the missing values of pandas."""
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return True
    return isinstance(value, float) and value != value


def described(value: Any, advice: str | None = None) -> str:
    """Return the type of a value that is no text with its article, for messages, and how to fix it.

    :param advice: the fix, if the value is neither missing nor a frame that is not computed yet
    """
    kind = type(value).__name__
    told = f"{'an' if kind[0] in 'aeiou' else 'a'} {kind}"
    if is_missing(value):
        told, advice = repr(value), "leave out the segment, or fill in the text that is missing"
    elif kind == "LazyFrame":
        advice = "collect it first, with .collect()"
    return f"{told}; {advice}" if advice else told


def looks_like_tokens(texts: Any) -> bool:
    """Return whether a list has several words, and no text with white space; or ids."""
    if not isinstance(texts, (list, tuple)) or len(texts) < 2:  # a single word may be a text
        return False
    ids = [hasattr(type(text), "__index__") and not is_sized(text) for text in texts]
    return all(len(text.split()) == 1 if isinstance(text, (str, bytes)) else is_id for text, is_id in zip(texts, ids))


def check_references(references: Any) -> None:
    """:raises SequenceTypeError: references cannot be iterated, such as None"""
    kind = type(references)
    if not (hasattr(kind, "__iter__") or hasattr(kind, "__getitem__")) or _has_no_dimension(references):
        told = described(references, "turn them into a list first")
        raise SequenceTypeError(f"the references must be {REFERENCES}, not {told}")


def check_numbers(hypotheses: Any, references: Any, what: str = "lists of references") -> int:
    """Return the number of hypotheses, each of which must have its references.

    :raises LengthMismatchError: there are not as many
    """
    number, others = length_of(hypotheses, "the hypotheses"), length_of(references, f"the {what}")
    if number == others:
        return number
    advice = "each hypothesis needs one"
    lists = [group for group in references if isinstance(group, (list, tuple)) and not looks_like_tokens(group)]
    if others and list(map(len, lists)) == [number] * others:
        advice = "they look transposed, as sacreBLEU takes them; give list(zip(*references))"
    raise LengthMismatchError(f"there are {number} hypotheses and {others} {what}; {advice}")


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


def _is_unordered(values: Any) -> bool:
    return isinstance(values, (Mapping, Set)) and not isinstance(values, MappingView)  # views are ordered


def check_ordered(values: Any, name: str, what: str = "entries") -> None:
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
