"""Parse texts and references, in every form that the public functions take, into the values of :mod:`cybleu.text.values`.

A public function parses each of its arguments once, here. What it calls takes only those values. Needs no NumPy, except for
token ids in arrays.
"""

from __future__ import annotations

from array import array
from itertools import accumulate, chain, pairwise

from .. import _backend
from .._runtime.lazy_arrays import np
from .._runtime.sequences import (
    REFERENCES,
    TEXTS,
    TOKENS,
    advice_for,
    any_array,
    by_position,
    container_of,
    is_array,
    is_missing,
    kind_of,
    refuse_text,
    refuse_tokens_of_one,
    refuse_unordered_segments,
)
from ..errors import ArrayValueError, NoReferencesError, NotUtf8Error, SequenceTypeError
from .arrays import ids_of_lists, ids_of_ragged, ids_of_rows, integers, one_each, references_of_array
from .columns import ReferenceColumns, TextColumn, column_of, columns_of_references, is_column, lists_of_column
from .ragged import Ragged
from .raw import parse_line
from .values import (
    GivenTexts,
    RawReferences,
    RawText,
    ReferenceIds,
    ReferenceLists,
    Segments,
    TokenIds,
    TokenLists,
    place_in_sets,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from .raw import Line, Raw
    from .values import ParsedReferences, ParsedTexts

__all__ = [
    "parse_given",
    "parse_group",
    "parse_grouped_tokens",
    "parse_groups",
    "parse_list",
    "parse_raw_references",
    "parse_raw_segment",
    "parse_raw_texts",
    "parse_references",
    "parse_segments",
    "parse_texts",
    "parse_tokens",
    "segments_of",
    "tokenise",
    "tokenise_sets",
]

LISTS: set[type] = {list, tuple}
LISTS_OF_REFERENCES = "references for each segment, [[reference] for reference in references] if each has one"
OF_EACH_SEGMENT = "lists, with the references of one segment each"


def parse_texts(
    values: Any, name: str = "hypotheses", raw: Raw | None = None, *, lengths: Any = None, tokens_too: bool = False
) -> ParsedTexts:
    """A batch of texts.

    :param name: of the argument, for messages
    :param raw: the texts are raw text, to be tokenised in this way
    :param lengths: of the texts in a 2-D array
    :param tokens_too: texts may be token lists even if `raw` is given
    :raises CybleuError: one of its subclasses, whose message names the place
    """
    if raw is None and lengths is None and _are_lists(values):
        return TokenLists(values, name)
    if raw is not None and lengths is None:
        lines = raw.strings(values)  # a list of str, as is most common
        if lines is not None:
            return RawText(lines, name)
    if isinstance(values, (TokenIds, TokenLists)):
        return values  # of a public function that calls another one
    if isinstance(values, Ragged):
        return _ids_of_ragged(values, name, lengths)
    column = column_of(values, name)
    if raw is not None and not (tokens_too and _holds_token_lists(column)):
        check_no_lengths(lengths, name, "raw text")
        return parse_raw_texts(column, raw, name)
    if isinstance(column, TextColumn):
        found = column.ids()
        if found is not None:
            check_no_lengths(lengths, name, "a column")
            return found
        column = column.entries()
    if is_array(column):
        rows: TokenIds = ids_of_rows(column, name, lengths)
        return rows
    return parse_tokens(_batch(column, name, lengths), name)


def parse_references(
    values: Any,
    name: str = "references",
    raw: Raw | None = None,
    *,
    lengths: Any = None,
    split: Callable[[str], Any] | None = None,
) -> ParsedReferences:
    """Sets of references, one for each segment or prompt.

    The other parameters are those of :func:`parse_texts`.

    :param values: also a table with a column for each reference, or a list or tuple of columns
    :param split: makes the tokens of a str; token lists may stand between the str then
    """
    if raw is None and lengths is None and are_lists_of(values, LISTS):
        return ReferenceLists(values, name)
    if raw is not None:
        return parse_raw_references(values, raw, name)
    if isinstance(values, Ragged):
        return one_each(_ids_of_ragged(values, name, lengths))
    columns = columns_of_references(values, split is not None, name)
    if isinstance(columns, ReferenceColumns):
        found = columns.ids()
        if found is not None:
            check_no_lengths(lengths, name, "a column")
            return found
        columns = columns.sets()
    if is_array(columns):
        return references_of_array(columns, name, lengths)
    sets = [_set_of(group, f"{name}[{owner}]") for owner, group in enumerate(_batch(columns, name, lengths))]
    if split is not None:
        sets = [[split(text) if isinstance(text, str) else text for text in group] for group in sets]
    return _sets_of_tokens(sets, name)


def parse_given(values: Any, name: str) -> GivenTexts:
    """A batch of texts that are left as they are."""
    column = column_of(values, name)
    texts = column.entries() if isinstance(column, TextColumn) else column
    refuse_text(texts, name, TEXTS)
    return GivenTexts(texts if isinstance(texts, (list, tuple)) else list(texts))


def parse_raw_texts(values: Any, raw: Raw, name: str = "hypotheses") -> RawText:
    """A batch of texts that are not tokenised. The parameters are those of :func:`parse_texts`."""
    column = column_of(values, name)
    if isinstance(column, TextColumn):
        if not raw.lowercase:
            return RawText(column.raw_texts(), name)
        column = column.entries()
    lines = _lines(column, name)
    return RawText(_read(raw, lines, lambda number: f"{name}[{number}]"), name)


def parse_raw_references(values: Any, raw: Raw, name: str = "references") -> RawReferences:
    """Sets of references that are not tokenised. The parameters are those of :func:`parse_references`.

    :param values: likewise; or raw references that are read already
    """
    if isinstance(values, ReferenceLists):
        groups: Any = values.sets
    else:
        columns = columns_of_references(values, True, name)
        if isinstance(columns, ReferenceColumns):
            if not raw.lowercase:
                lines, bounds = columns.raw_sets()
                return RawReferences(RawText(lines, name), bounds, in_columns=True)
            columns = columns.sets()
        groups = _sequence(columns, name, OF_EACH_SEGMENT)
        if not are_lists_of(groups, {str, bytes}):
            groups = [_lines(group, f"{name}[{owner}]", LISTS_OF_REFERENCES) for owner, group in enumerate(groups)]
            for owner, group in enumerate(groups):
                if not group:
                    raise NoReferencesError(f"{name}[{owner}] has no reference; give at least one for each segment")
    bounds = array("q", accumulate(map(len, groups), initial=0))
    lines = _read(raw, list(chain.from_iterable(groups)), lambda number: place_in_sets(name, bounds, number))
    return RawReferences(RawText(lines, name), bounds)


def parse_group(references: Any) -> Any:
    """The references of one segment, as a list if they are in a column of Arrow or a ragged pair."""
    if isinstance(references, Ragged):
        return _by_position(references, "references")
    if not is_column(references):
        return references
    column = column_of(references, "references")
    return column.entries() if isinstance(column, TextColumn) else column


def parse_raw_segment(references: Any, hypothesis: Any) -> tuple[Sequence[Line], Line]:
    """One segment of raw text."""
    lines = _lines(parse_group(references), "references")
    if not lines:
        raise NoReferencesError("there is no reference for the hypothesis; give at least one")
    return lines, parse_line(hypothesis, "the hypothesis")


def parse_segments(references: Any, hypotheses: Any, raw: Raw | None = None, *, name: str = "references") -> Segments:
    """A corpus for functions that read each text themselves: only what holds the texts becomes lists.

    :param raw: the texts are raw text; they become tokens in this way
    :param name: of `references`, for messages
    """
    if raw is not None:
        sets = tokenise_sets(raw, parse_raw_references(references, raw, name))
        return Segments(sets.lists(), tokenise(raw, parse_raw_texts(hypotheses, raw)).lists())
    if isinstance(references, Ragged):
        references = [[text] for text in _ids_of_ragged(references, name).lists()]
    if isinstance(hypotheses, Ragged):
        hypotheses = _ids_of_ragged(hypotheses, "hypotheses")
    columns = columns_of_references(references, False, name)
    parsed = isinstance(hypotheses, (TokenIds, TokenLists))
    column = hypotheses.lists() if parsed else column_of(hypotheses, "hypotheses")
    for what, value in ((name, columns), ("hypotheses", column)):
        if not hasattr(type(value), "__len__"):
            raise SequenceTypeError(_no_tokens(value, what, "a list or another sequence that has a length"))
    groups = columns.sets() if isinstance(columns, ReferenceColumns) else columns
    refuse_text(groups, name, f"a list with, for each segment, {REFERENCES}")
    found = column.entries() if isinstance(column, TextColumn) else column
    refuse_text(found, "hypotheses", TEXTS)
    if not _are_lists(groups):
        groups = [_by_position(group, f"{name}[{owner}]") for owner, group in enumerate(groups)]
    return Segments(groups, found)


def segments_of(references: Any, hypotheses: Any, raw: Raw | None = None) -> Segments:
    """A corpus for metrics that read each text themselves, as lists of tokens.

    :param raw: the texts are raw text; they become tokens in this way
    """
    if raw is not None:
        return parse_segments(references, hypotheses, raw)
    sets, texts = parse_references(references), parse_texts(hypotheses)
    assert not isinstance(sets, RawReferences) and not isinstance(texts, RawText)
    return Segments(sets.lists(), texts.lists())


def parse_list(values: Any, name: str, what: str) -> list[Any]:
    """The entries of a list, column or other iterable, as they are.

    :param what: of which it is a list, for messages
    """
    refuse_unordered_segments(values, name)
    if isinstance(values, (str, bytes)) or not (hasattr(values, "__iter__") or is_column(values)):
        raise SequenceTypeError(_no_list(values, name, what))
    return list(_ids_of_ragged(values, name).lists() if isinstance(values, Ragged) else lists_of_column(values, name))


def parse_groups(values: Any, name: str) -> tuple[list[Any], list[int]]:
    """For each segment a list of texts: all texts as the caller gave them, and where those of each segment begin, and the end."""
    refuse_unordered_segments(values, name)
    if isinstance(values, (str, bytes)) or not (hasattr(values, "__len__") or is_column(values)):
        raise SequenceTypeError(f"{name} must be a list of texts for each segment, not {type(values).__name__}")
    groups = []
    for position, group in enumerate(lists_of_column(values, name)):
        if isinstance(group, (str, bytes)) or not hasattr(group, "__len__"):
            raise SequenceTypeError(
                f"{name}[{position}] must be a list of texts, not {type(group).__name__}; "
                "the texts of one segment alone are a list in a list"
            )
        groups.append(_by_position(group, f"{name}[{position}]"))
    return list(chain.from_iterable(groups)), list(accumulate(map(len, groups), initial=0))


def parse_grouped_tokens(
    texts: Sequence[Any], bounds: Sequence[int], name: str, split: Callable[[str], Any] | None
) -> TokenLists | TokenIds:
    """The tokens of texts that :func:`parse_groups` has found.

    :param split: makes the tokens of a str; without it a str is an error
    """
    if split is not None:
        texts = [split(text) if isinstance(text, str) else text for text in texts]
    return _lists_or_ids(texts, lambda number: place_in_sets(name, bounds, number), name, bounds)


def tokenise(raw: Raw, texts: RawText) -> TokenLists | TokenIds:
    """The tokens of raw texts, which a function of the caller's may return in any form."""
    return parse_tokens(raw.split(texts.lines.strings()), texts.name)


def tokenise_sets(raw: Raw, references: RawReferences) -> ReferenceLists | ReferenceIds:
    """The same for references."""
    lists, bounds = raw.split(references.texts.lines.strings()), references.bounds
    return _sets_of_tokens([lists[begin:end] for begin, end in pairwise(bounds)], references.texts.name)


# ---------------------------------------------------------------------------------------------------- lists of tokens


def parse_tokens(texts: Sequence[Any], name: str) -> TokenLists | TokenIds:
    """A list of texts, each of which holds tokens in some way."""
    return _lists_or_ids(texts, lambda number: f"{name}[{number}]", name)


def _batch(values: Any, name: str, lengths: Any) -> Sequence[Any]:
    """Something like a list, which is not a text."""
    check_no_lengths(lengths, name, "a list")
    refuse_text(values, name, TEXTS, tokenizes=True)
    if not (hasattr(values, "__len__") and hasattr(values, "__getitem__")):
        raise SequenceTypeError(_no_tokens(values, name, "a list of token lists or an array of token ids"))
    sequence: Sequence[Any] = values
    return sequence


def _ids_of_ragged(values: Ragged, name: str, lengths: Any = None) -> TokenIds:
    check_no_lengths(lengths, name, "a ragged pair")
    return ids_of_ragged(values, name)


def _by_position(group: Any, name: str) -> Any:
    """The texts of one segment, as a sequence that is indexed by position."""
    return _ids_of_ragged(group, name).lists() if isinstance(group, Ragged) else by_position(group)


def _lists_or_ids(
    texts: Sequence[Any], place: Callable[[int], str], name: str, bounds: Sequence[int] | None = None
) -> TokenLists | TokenIds:
    """Texts, of which some may be in other containers than lists and tuples."""
    if set(map(type, texts)) <= LISTS:
        return TokenLists(texts, name, bounds)
    texts = [container_of(text, place(number), tokenizes=True) for number, text in enumerate(texts)]
    for number, text in enumerate(texts):
        if not hasattr(text, "__len__"):
            raise SequenceTypeError(_no_tokens(text, place(number), TOKENS))
    if any_array(texts):
        return ids_of_lists(texts, [place(number) for number in range(len(texts))])
    return TokenLists([text if isinstance(text, (list, tuple)) else list(text) for text in texts], name, bounds)


def _set_of(group: Any, name: str) -> list[Any]:
    """The references of a segment: a list of texts, or an array with a text in each row."""
    if type(group) is not list:
        refuse_text(group, name, REFERENCES, tokenizes=True)
        group = _by_position(group, name)
    if is_array(group):
        group = integers(group, name, (2,))
    elif not hasattr(group, "__len__"):
        raise SequenceTypeError(_no_tokens(group, name, REFERENCES))
    texts = list(group)
    if not texts:
        raise NoReferencesError(f"{name} has no reference; give at least one for each segment")
    return texts


def _sets_of_tokens(sets: list[list[Any]], name: str) -> ReferenceLists | ReferenceIds:
    if are_lists_of(sets, LISTS):
        return ReferenceLists(sets, name)
    for owner, group in enumerate(sets):
        refuse_tokens_of_one(group, f"{name}[{owner}]")
    bounds = list(accumulate(map(len, sets), initial=0))
    texts = _lists_or_ids(list(chain.from_iterable(sets)), lambda number: place_in_sets(name, bounds, number), name)
    if isinstance(texts, TokenLists):
        return ReferenceLists([texts.texts[begin:end] for begin, end in pairwise(bounds)], name)
    return ReferenceIds(texts, np.array(bounds, dtype=np.int64))


def _are_lists(groups: Any) -> bool:
    return type(groups) in LISTS and set(map(type, groups)) <= LISTS


def are_lists_of(groups: Any, kinds: set[type]) -> bool:
    """Whether these are lists and tuples with at least one text each, and the texts of these types, as is most common."""
    return _are_lists(groups) and all(groups) and set(map(type, chain.from_iterable(groups))) <= kinds


def _no_tokens(value: Any, name: str, wanted: str) -> str:
    advice = None if is_missing(value) and not name.endswith("]") else advice_for(value)
    return f"{name} must be {wanted}, not {kind_of(value)}" + (f"; {advice}" if advice else "")


def _no_list(value: Any, name: str, what: str) -> str:
    advice = None if is_missing(value) and not name.endswith("]") else advice_for(value)
    return f"{name} is one {kind_of(value)}; {advice or f'give a list of {what}'}"


def check_no_lengths(lengths: Any, name: str, form: str) -> None:
    """:raises ArrayValueError: lengths are given for texts that have their own"""
    if lengths is not None:
        raise ArrayValueError(f"lengths are for a 2-D array, and {name} is {form}, which has its own")


# ----------------------------------------------------------------------------------------------------------- raw text


def _holds_token_lists(texts: Any) -> bool:
    if isinstance(texts, TextColumn):
        return texts.depth > 0
    return isinstance(texts, (list, tuple)) and bool(texts) and isinstance(texts[0], (list, tuple))


def _read(raw: Raw, lines: Sequence[Line], place: Callable[[int], str]) -> Any:
    """The lines as the backend reads them, in place where they need not be put in lower case."""
    try:
        return _backend.chosen.RawTexts(raw.lowered(lines))
    except NotUtf8Error as error:
        raise NotUtf8Error(error.line, error.position, error.byte, place(error.line)) from None


def _sequence(values: Any, name: str, what: str) -> Sequence[Any]:
    if isinstance(values, (str, bytes, bytearray)) or not (hasattr(values, "__len__") and hasattr(values, "__iter__")):
        raise SequenceTypeError(_no_list(values, name, what))
    sequence: Sequence[Any] = values
    return sequence


def _lines(values: Any, name: str, what: str = "lines") -> Sequence[Line]:
    """A list or tuple of exact str and bytes."""
    lines = _sequence(by_position(values), name, what)
    if set(map(type, lines)) <= {str, bytes}:
        return lines if type(lines) in LISTS else list(lines)
    return [parse_line(line, f"{name}[{number}]") for number, line in enumerate(lines)]
