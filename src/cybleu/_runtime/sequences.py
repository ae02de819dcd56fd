"""Texts and lists of texts in other containers than lists, and tokens that are arrays without a dimension. Needs no NumPy."""

from __future__ import annotations

from collections.abc import Mapping, Set
from operator import index

from ..errors import ArrayTypeError, SequenceTypeError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

NO_NUMBERS = ("O", "T", "U", "S")  # kinds of NumPy's arrays: objects, and three of texts

# What was expected where a text that is not split was found.
TOKENS = "a list of tokens"
REFERENCES = "a list of references, each a list of tokens"
TEXTS = "a list of token lists"


def by_position(values: Any) -> Any:
    """A sequence with an idea of its own of ``[]``, such as a column of a table, as a list; anything else as it is.

    :param values: what a list is expected for; arrays of numbers stay arrays
    """
    if isinstance(values, (list, tuple, str, bytes, bytearray, memoryview, Mapping, Set)):
        return values
    kind = type(values)
    if not (hasattr(kind, "__len__") and hasattr(kind, "__iter__")) or _is_array_of_numbers(values):
        return values
    of_texts = getattr(getattr(values, "dtype", None), "kind", None) in ("U", "S")
    return values.tolist() if of_texts else list(values)


def _is_array_of_numbers(values: Any) -> bool:
    kind = getattr(getattr(values, "dtype", None), "kind", None)
    if isinstance(kind, str):
        return kind not in NO_NUMBERS
    if hasattr(values, "__dlpack_device__"):
        return True
    if hasattr(values, "__array__"):
        return bool(values.__array__().dtype.kind in "biufc")
    try:
        memoryview(values)
    except TypeError:
        return False
    return True


def refuse_text(value: Any, name: str, wanted: str = TOKENS) -> None:
    """
    :param wanted: what should be in its place
    :raises SequenceTypeError: the value is a text, whose characters or bytes are no tokens
    """
    if not isinstance(value, (str, bytes, bytearray)):
        return
    is_str = isinstance(value, str)
    advice = f"split it, for example with {'.split()' if is_str else '.decode().split()'}"
    if wanted != TOKENS:
        advice = f"put it in a list, and {advice}"
    if is_str:
        advice += ", or name a tokeniser if the function takes one, for example tokenize='13a'"
    raise SequenceTypeError(f"{name} is a {type(value).__name__}, not {wanted}; {advice}")


def refuse_unordered(text: Any, name: str) -> None:
    """:raises SequenceTypeError: this is a set or a mapping"""
    if isinstance(text, (Set, Mapping)):
        raise SequenceTypeError(
            f"{name} is a {type(text).__name__}, which has no order of tokens or no repeated ones; give a list"
        )


def container_of(text: Any, name: str) -> Any:
    """A text as something that can be read by position.

    :raises SequenceTypeError: it is a str, whose characters are no tokens; or it has no order, such as a set
    """
    refuse_text(text, name)
    refuse_unordered(text, name)
    if getattr(text, "ndim", None) == 0:
        raise SequenceTypeError(f"{name} is an array without a dimension, not a list of tokens")
    return by_position(text)


def refuse_masked(values: Any, name: str) -> None:
    """:raises ArrayTypeError: entries are masked, as in arrays of ``numpy.ma``; read as an array they would count.

    :param values: also lists of such arrays, nested as they may be
    """
    place = _place_of_mask(values)
    if place is not None:
        raise ArrayTypeError(
            f"{name}{''.join(f'[{number}]' for number in place)} has masked entries; leave them out, or fill them with "
            ".filled(...), and for texts give pad_id"
        )


def _place_of_mask(values: Any) -> tuple[int, ...] | None:
    if isinstance(values, (list, tuple)):
        if any(issubclass(kind, (list, tuple)) or hasattr(kind, "filled") for kind in set(map(type, values))):
            for position, part in enumerate(values):
                place = _place_of_mask(part)
                if place is not None:
                    return position, *place
        return None
    if hasattr(values, "filled") and hasattr(values, "mask"):
        mask = values.mask
        if mask.any() if hasattr(mask, "any") else mask:
            return ()
    return None


def with_ids(text: Any, name: str) -> Any:
    """The tokens, with ids for those that are arrays without a dimension, as ``list(tensor)`` makes them.

    Such an array is equal to no other as the key of a dict.

    :raises ArrayTypeError: one is no whole number
    """
    if not any(map(is_array_without_dimension, {type(token): token for token in text}.values())):
        return text
    refuse_masked(list(text), name)
    tokens = []
    for position, token in enumerate(text):
        try:
            tokens.append(index(token) if is_array_without_dimension(token) else token)
        except TypeError as error:
            raise ArrayTypeError(
                f"token {position} of {name} is a {type(token).__name__}, equal to no other, and no id: {error}"
            ) from error
    return tokens


def is_array_without_dimension(token: Any) -> bool:
    """Whether this is a number that has an array's or an object's hash."""
    if isinstance(token, int) or not hasattr(type(token), "__index__"):
        return False
    try:
        found = hash(token)
    except TypeError:
        return getattr(token, "ndim", None) == 0
    return found in (id(token), object.__hash__(token))


def plain_text(text: Any, name: str) -> Any:
    """A text as NLTK would count it, if that is what was meant: see :func:`container_of` and :func:`with_ids`."""
    text = container_of(text, name)
    refuse_masked(text, name)
    if not (hasattr(type(text), "__len__") and hasattr(type(text), "__iter__")):
        return text
    if not isinstance(text, (list, tuple)):
        text = list(text)
    return with_ids(text, name)


def plain_segment(references: Any, hypothesis: Any) -> tuple[Any, Any]:
    """The same for a segment."""
    references = by_position(references)
    refuse_text(references, "the set of references", REFERENCES)
    if isinstance(references, (list, tuple)):
        references = [plain_text(text, f"reference {number}") for number, text in enumerate(references)]
    return references, plain_text(hypothesis, "the hypothesis")


def plain_segments(list_of_references: Iterable[Any], hypotheses: Iterable[Any]) -> tuple[list[Any], list[Any]]:
    """The same for a corpus."""
    segments = [plain_segment(*segment) for segment in zip(list_of_references, hypotheses)]
    return [references for references, _ in segments], [hypothesis for _, hypothesis in segments]
