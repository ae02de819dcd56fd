"""Raw text, and what makes tokens of it: the one way in for whatever takes `tokenize` and `lowercase`.

Where the tokeniser is one of the backend's, lines go to it as they are. A function of the caller's, and those of sacreBLEU that
need more than characters, give token lists, which go on as token lists do.
"""

from __future__ import annotations

from array import array
from itertools import accumulate, chain, islice

from .. import _backend
from ..errors import ArrayValueError, NoReferencesError, NotUtf8Error, SequenceTypeError, UnknownNameError
from .columns import ReferenceColumns, TextColumn, references_given, texts_given
from .tokenizers import OWN, own_tokenizer, tokenize_lines, tokenizer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Sequence
    from typing import Any

    Tokenize = str | Callable[[str], Sequence[Hashable]]
    Line = str | bytes

__all__ = ["Raw", "lowered_block", "raw_of"]

LISTS_OF_REFERENCES = "references for each segment, [[reference] for reference in references] if each has one"


def raw_of(tokenize: Tokenize | None, lowercase: bool = False, **of_ids: Any) -> Raw | None:
    """What the arguments of these names ask for; None where the texts are tokens already.

    :param of_ids: arguments that do not go with raw text
    :raises UnknownNameError: there is no such tokeniser
    :raises ArrayValueError: something is given that is for token ids
    """
    if tokenize is None:
        if lowercase:
            raise UnknownNameError("lowercase is for raw text; name a tokeniser too, for example tokenize='13a'")
        return None
    for name, value in of_ids.items():
        if value is not None:
            raise ArrayValueError(f"{name} is for token ids, and with tokenize the texts are str or bytes")
    return Raw(tokenize, lowercase)


class Raw:
    """A tokeniser, and whether lines are put in lower case first.

    :ivar own: the tokeniser is one of the backend's
    """

    __slots__ = ("_tokens_of", "lowercase", "own", "tokenize")

    def __init__(self, tokenize: Tokenize, lowercase: bool = False):
        self.tokenize = tokenize
        self.lowercase = bool(lowercase)
        self.own = isinstance(tokenize, str) and tokenize in OWN
        self._tokens_of = tokenizer(tokenize, self.lowercase)  # for its errors

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.tokenize, self.lowercase)

    @property
    def backend(self) -> Any:
        """The backend's tokeniser."""
        assert isinstance(self.tokenize, str)
        return own_tokenizer(self.tokenize)

    # ------------------------------------------------------------------------------------------------------ token lists

    def tokens(self, line: Any, name: str) -> Sequence[Hashable]:
        """The tokens of one line."""
        return self._tokens_of(_decoded(_line(line, name), name))

    def token_lists(self, lines: Any, name: str) -> list[Sequence[Hashable]]:
        """The tokens of each line."""
        return self._split(_strings(lines, name))

    def sets_of_token_lists(self, references: Any) -> list[list[Sequence[Hashable]]]:
        """The same for lists of references."""
        groups = [
            _strings(group, f"references[{position}]", LISTS_OF_REFERENCES)
            for position, group in enumerate(_sets(references))
        ]
        lists = iter(self._split(list(chain.from_iterable(groups))))
        return [list(islice(lists, len(group))) for group in groups]

    def _split(self, texts: list[str]) -> list[Sequence[Hashable]]:
        if self.own or not isinstance(self.tokenize, str):
            return list(map(self._tokens_of, texts))
        different = list(dict.fromkeys(texts))  # sacreBLEU's others are slow
        each = dict(zip(different, tokenize_lines(different, self.tokenize, self.lowercase)))
        return [each[text] for text in texts]

    # ------------------------------------------------------------------------------------------------ for own tokenisers

    def texts(self, lines: Any, name: str) -> Any:
        """The lines as the backend reads them."""
        lines = texts_given(lines, name)
        if isinstance(lines, TextColumn) and not self.lowercase:
            return lines.raw_texts()
        return self._raw_texts(_lines(lines, name), lambda position: f"{name}[{position}]")

    def strings(self, lines: Any) -> Any:
        """The same of anything; None where it is not a list or tuple of nothing but str."""
        if self.lowercase and type(lines) in (list, tuple):
            lines = [line.lower() if type(line) is str else line for line in lines]
        return _backend.chosen.RawTexts.of_strings(lines)

    def sets(self, references: Any) -> tuple[Any, array[int]]:
        """All references one after the other, as the backend reads them; where each set begins, and the end."""
        references = references_given(references, raw=True)
        if isinstance(references, ReferenceColumns) and not self.lowercase:
            return references.raw_sets()
        groups = _sets(references)
        if not _are_lists_of_lines(groups):
            groups = [
                _lines(group, f"references[{position}]", LISTS_OF_REFERENCES) for position, group in enumerate(groups)
            ]
            for position, group in enumerate(groups):
                if not group:
                    raise NoReferencesError(
                        f"references[{position}] has no reference; give at least one for each segment"
                    )
        lines = list(chain.from_iterable(groups))
        bounds = array("q", accumulate(map(len, groups), initial=0))

        def where(place: int) -> str:
            owner = next(owner for owner, end in enumerate(bounds[1:]) if end > place)
            return f"references[{owner}][{place - bounds[owner]}]"

        return self._raw_texts(lines, where), bounds

    def row(self, references: Any, hypothesis: Any, max_order: int, reference_length: str) -> list[int]:
        """The statistics row of one segment."""
        lines = self._lowered(_lines(references, "references"))
        if not lines:
            raise NoReferencesError("there is no reference for the hypothesis; give at least one")
        (line,) = self._lowered([_line(hypothesis, "the hypothesis")])
        try:
            found: list[int] = _backend.chosen.raw_row(self.backend, line, lines, max_order, reference_length)
        except NotUtf8Error:
            for number, text in enumerate(lines):
                _decoded(text, f"reference {number}")
            _decoded(line, "the hypothesis")
            raise
        return found

    def _lowered(self, lines: Sequence[Line]) -> Sequence[Line]:
        return [_lower(line) for line in lines] if self.lowercase else lines

    def _raw_texts(self, lines: Sequence[Line], where: Callable[[int], str]) -> Any:
        try:
            return _backend.chosen.RawTexts(self._lowered(lines))
        except NotUtf8Error as error:
            raise NotUtf8Error(error.line, error.position, error.byte, where(error.line)) from None


def lowered_block(block: bytes) -> bytes:
    """Lines in bytes in lower case, as `str.lower` puts each: nothing looks beyond the end of a line. What is not UTF-8 stays."""
    if block.isascii():
        return block.lower()
    try:
        return block.decode().lower().encode()
    except UnicodeDecodeError:
        return block


def _lower(line: Line) -> Line:
    return line.lower() if isinstance(line, str) else lowered_block(line)


def _decoded(line: Line, name: str) -> str:
    if isinstance(line, str):
        return line
    try:
        return line.decode()
    except UnicodeDecodeError as error:
        raise NotUtf8Error(0, error.start, line[error.start], name) from None


def _line(line: Any, name: str) -> Line:
    """The line as an exact str or bytes."""
    if type(line) is str or type(line) is bytes:
        return line
    if isinstance(line, str):
        return str.__str__(line)
    if isinstance(line, (bytes, bytearray)):
        return bytes(line)
    raise SequenceTypeError(
        f"{name} is a {type(line).__name__}; with tokenize each text must be raw text, a str or bytes in UTF-8"
    )


def _lines(lines: Any, name: str, what: str = "lines") -> Sequence[Line]:
    """A list or tuple of exact str and bytes."""
    lines = _sequence(lines, name, what)
    if set(map(type, lines)) <= {str, bytes}:
        return lines if type(lines) in (list, tuple) else list(lines)
    return [_line(line, f"{name}[{position}]") for position, line in enumerate(lines)]


def _are_lists_of_lines(groups: Sequence[Any]) -> bool:
    """Whether nothing is to be said of any, as is most often so: lists and tuples of exact str and bytes, none empty."""
    return (
        type(groups) in (list, tuple)
        and set(map(type, groups)) <= {list, tuple}
        and all(groups)
        and set(map(type, chain.from_iterable(groups))) <= {str, bytes}
    )


def _strings(lines: Any, name: str, what: str = "lines") -> list[str]:
    return [
        line if isinstance(line, str) else _decoded(line, f"{name}[{position}]")
        for position, line in enumerate(_lines(lines, name, what))
    ]


def _sets(references: Any) -> Sequence[Any]:
    references = references_given(references, raw=True)
    return _sequence(references, "references", "lists, with the references of one segment each")


def _sequence(values: Any, name: str, what: str) -> Sequence[Any]:
    if not isinstance(values, ReferenceColumns):
        values = texts_given(values, name)
    if isinstance(values, (str, bytes, bytearray)) or not (hasattr(values, "__len__") and hasattr(values, "__iter__")):
        raise SequenceTypeError(f"{name} is one {type(values).__name__}; give a list of {what}")
    sequence: Sequence[Any] = values
    return sequence
