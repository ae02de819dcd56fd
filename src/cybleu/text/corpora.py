"""Read hypotheses and references by one rule: what they hold, and how many references a segment has.

A str or bytes is raw text, which the metric tokenises; another sequence is a list of tokens; an array of integers has token ids. The
references of a segment are one or several, which the nesting shows. All public functions of this package's own read texts by
this rule; those with the name of another tool take what the tool takes.
"""

from __future__ import annotations

import warnings
from itertools import chain
from typing import NamedTuple

from .._runtime.scales import counted
from .._runtime.sequences import advice_for, by_position, is_array, is_missing, kind_of, refuse_unordered_segments
from ..errors import (
    LengthMismatchError,
    MixedTokensError,
    NoReferencesError,
    SequenceTypeError,
    ShapeWarning,
)
from .columns import ReferenceColumns, TextColumn, are_columns, column_of, columns_of_references, is_column
from .parsing import are_lists_of
from .ragged import Ragged
from .values import PLAIN_TYPES, ReferenceLists, TokenIds, TokenLists, place_in_sets

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from .values import Kind

__all__ = ["Corpus", "check_same_kind", "read_corpus", "read_references", "read_texts"]

LISTS: set[type] = {list, tuple}
LINE = (str, bytes, bytearray)
SPLIT = "split them into tokens, for example with .split()"


class Corpus(NamedTuple):
    """Hypotheses with references in one form: for each segment a list of references.

    Columns, arrays and ragged ids stay as they are where their form says the same.
    """

    kind: Kind
    hypotheses: Any
    references: Any


def read_corpus(hypotheses: Any, references: Any, owner: Any = None) -> Corpus:
    """Read hypotheses and their references.

    :param owner: for each hypothesis the number of its set of references; None if hypothesis i has set i
    :raises CybleuError: one of its subclasses, whose message names the argument and the place
    """
    kind, texts = read_texts(hypotheses, "hypotheses")
    if kind == "nothing":
        kind, references = read_references(references)
    return Corpus(kind, texts, references_of(references, kind, texts, owner is None))


# ---------------------------------------------------------------------------------------------------------------- texts


def read_texts(values: Any, name: str, bounds: Sequence[int] = ()) -> tuple[Kind, Any]:
    """Return what texts hold, and the texts as a list, an array, a column or ragged ids.

    :param name: of the argument, for messages
    :param bounds: of texts that were in several lists: where those of each list begin, and the end
    """
    if type(values) in LISTS:
        return _kind_of_list(values, name, bounds), values
    if isinstance(values, TokenLists):
        return "tokens", values
    if isinstance(values, (TokenIds, Ragged)):
        return "ids", values
    if isinstance(values, (str, bytes, bytearray)):
        raise SequenceTypeError(f"{name} is one {type(values).__name__}; pass a list: [text]")
    column = column_of(values, name)
    if isinstance(column, TextColumn):
        return _kind_of_column(column), column
    if is_array(column):
        if getattr(column, "ndim", 2) == 1 and len(column):
            raise SequenceTypeError(f"{name} is one array with one dimension; pass a list: [ids]")
        return "ids", column
    if not (hasattr(type(column), "__len__") and hasattr(type(column), "__iter__")):
        raise SequenceTypeError(f"{name} must be a list of texts, not {_described(column)}")
    texts = list(column)
    return _kind_of_list(texts, name), texts


def check_same_kind(kind: Kind, name: str, other: Kind, name_of_other: str) -> None:
    """:raises MixedTokensError: one is raw text, and the other is not"""
    if "nothing" not in (kind, other) and (kind == "raw text") != (other == "raw text"):
        raise MixedTokensError(f"{name} are {kind}, and {name_of_other} {other}; pass both in one form")


def _kind_of_column(column: TextColumn) -> Kind:
    if column.values.kind == "integers":
        return "ids"
    return "tokens" if column.depth else "raw text"


def _kind_of_list(texts: Sequence[Any], name: str, bounds: Sequence[int] = ()) -> Kind:
    types = set(map(type, texts))
    if not types:
        return "nothing"
    if types <= LISTS:
        return "tokens"
    if types == {str} or types == {bytes}:
        return "raw text"

    def place(number: int) -> str:
        return place_in_sets(name, bounds, number) if bounds else f"{name}[{number}]"

    kinds = [_kind_of_text(text, place(number)) for number, text in enumerate(texts)]
    if "id" in kinds:
        first = kinds.index("id")
        whole = place(first).rpartition("[")[0]
        if set(kinds) == {"id"}:
            raise SequenceTypeError(f"{whole} is one list of token ids; pass a list of texts: [ids]")
        raise SequenceTypeError(_no_text(texts[first], place(first)))
    if "raw text" not in kinds:
        return "ids" if set(kinds) == {"ids"} else "tokens"
    first = kinds.index("raw text")
    other = next((number for number, kind in enumerate(kinds) if kind != "raw text"), None)
    if other is None:
        other = next((n for n, text in enumerate(texts) if isinstance(text, str) != isinstance(texts[0], str)), None)
        if other is None:
            return "raw text"
        first = 0
    raise MixedTokensError(
        f"{place(first)} is {_described(texts[first])} and {place(other)} {_described(texts[other])}; pass texts of one kind"
    )


def _kind_of_text(text: Any, place: str) -> str:
    if isinstance(text, (str, bytes, bytearray)):
        return "raw text"
    if isinstance(text, (list, tuple)):
        return "tokens"
    if not is_missing(text) and hasattr(type(text), "__len__") and hasattr(type(text), "__iter__"):
        return "ids" if is_array(by_position(text)) else "tokens"
    if hasattr(type(text), "__index__") and getattr(text, "ndim", 0) == 0:
        return "id"
    if is_array(text):
        return "ids"
    raise SequenceTypeError(_no_text(text, place))


def _no_text(text: Any, place: str) -> str:
    return f"{place} must be raw text, a list of tokens or an array of token ids, not {_described(text)}"


def _described(value: Any) -> str:
    advice = advice_for(value)
    kind = kind_of(value)
    if value is None:
        kind = "None"
    elif not kind.startswith("NaN"):
        kind = f"{'an' if kind[0] in 'aeiou' else 'a'} {kind}"
    return f"{kind}; {advice}" if advice else kind


# ----------------------------------------------------------------------------------------------------------- references


def references_of(references: Any, kind: Kind, hypotheses: Any, one_each: bool = True, name: str = "references") -> Any:
    """References as a list of references for each segment, or as columns, arrays or ragged ids; raw ones as `ReferenceLists`.

    :param kind: what the hypotheses hold
    :param one_each: hypothesis i has the references i
    """
    if isinstance(references, ReferenceColumns) or are_columns(references):
        references = columns_of_references(references, kind == "raw text", name)
        if isinstance(references, ReferenceColumns):
            _check_columns(references, kind, hypotheses, name)
            return references
    references = _sequence(references, name)
    if isinstance(references, (TokenIds, Ragged)) or is_array(references):
        if kind == "raw text":
            raise MixedTokensError(f"the hypotheses are raw text, and {name} token ids; pass both in one form")
        return references
    groups = _raw_sets(references, name) if kind == "raw text" else _token_sets(references, hypotheses, name)
    if one_each and len(groups) != _number_of(hypotheses):
        raise LengthMismatchError(_different_numbers(references, hypotheses, name))
    if kind != "raw text":
        return groups
    _warn_of_words(groups, hypotheses, name)
    return ReferenceLists(groups, name)


def read_references(references: Any, name: str = "references") -> tuple[Kind, Any]:
    """Read references without hypotheses: a list of str has several raw references, and tokens are str at the third level only."""
    if are_columns(references):
        columns = columns_of_references(references, True, name)
        if isinstance(columns, ReferenceColumns):
            found: Kind = columns.kind
            references = columns.read_as(found == "raw text")  # a stream is read once
        else:
            found = _kind_within(columns)
    else:
        entries = _sequence(references, name)
        ids = isinstance(entries, (TokenIds, Ragged)) or is_array(entries)
        found = "ids" if ids else _kind_within(entries)
    return found, references_of(references, found, (), False, name)


def _kind_within(references: Any) -> Kind:
    """The kind of the first text in references that is not empty."""
    for level in ("raw text", "raw text", "tokens"):
        entries = [entry for entry in references if not is_missing(entry) and _is_given(entry)]
        if not entries:
            return "tokens" if len(references) else "nothing"
        if isinstance(entries[0], LINE):
            return level
        references = by_position(entries[0])
        if is_array(references) or not hasattr(type(references), "__iter__"):
            return "ids"
    return "tokens"


def _sequence(references: Any, name: str) -> Any:
    if isinstance(references, ReferenceLists):
        return references.sets
    if type(references) in LISTS or isinstance(references, (TokenIds, Ragged)):
        return references
    refuse_unordered_segments(references, name)
    references = by_position(references)
    if is_array(references):
        return references
    if isinstance(references, LINE) or not hasattr(type(references), "__len__"):
        raise SequenceTypeError(
            f"{name} must be a list with the references of each segment, not {_described(references)}"
        )
    return list(references)


def _check_columns(columns: ReferenceColumns, kind: Kind, hypotheses: Any, name: str) -> None:
    """:raises MixedTokensError: the columns hold raw text, and the hypotheses do not"""
    if kind != "raw text" and columns.kind == "raw text":
        raise MixedTokensError(f"{name} hold raw text, and the hypotheses {kind}; {SPLIT}")
    if kind == "tokens" and columns.number == 1 and columns.kind == "tokens":
        _refuse_raw_references([reference for (reference,) in columns.sets()], hypotheses, name)


def _raw_sets(references: Any, name: str) -> Any:
    """Lists of raw references. An entry is a text, or a list of texts."""
    if set(map(type, references)) in ({str}, {bytes}):
        return [[text] for text in references]
    if are_lists_of(references, {str}):
        return references
    entries = [_entry(entry, f"{name}[{number}]") for number, entry in enumerate(references)]
    several = _decide([not isinstance(entry, LINE) if _is_given(entry) else None for entry in entries], name)
    sets = [_without_missing(entry) if several or not isinstance(entry, LINE) else [entry] for entry in entries]
    for number, group in enumerate(sets):
        if is_array(group) or not all(isinstance(text, LINE) for text in group):
            raise MixedTokensError(
                f"the hypotheses are raw text, and {name}[{number}] holds tokens; pass both in one form"
            )
    first = {isinstance(text, str): number for number, group in reversed([*enumerate(sets)]) for text in group}
    if len(first) > 1:
        raise MixedTokensError(
            f"{name}[{first[True]}] holds a str and {name}[{first[False]}] a bytes; pass texts of one kind"
        )
    return _none_empty(sets, name)


def _token_sets(references: Any, hypotheses: Any, name: str) -> Any:
    """Lists of references that are tokens or ids. An entry is a text, or a list of texts."""
    if set(map(type, references)) <= LISTS:
        firsts = {type(entry[0]) for entry in references if entry}
        if firsts == {list} and are_lists_of(references, {list}):
            return references
        entries = references
    else:
        for number, entry in enumerate(references):
            if isinstance(entry, LINE):
                raise MixedTokensError(f"{name}[{number}] is raw text, and the hypotheses are not; {SPLIT}")
        entries = [_entry(entry, f"{name}[{number}]") for number, entry in enumerate(references)]
    if not _several_texts(entries, hypotheses, name):
        _refuse_raw_references(entries, hypotheses, name)
        return _none_empty([[] if entry is None else [entry] for entry in entries], name)
    return _none_empty([_without_missing(entry) for entry in entries], name)


def _several_texts(entries: Any, hypotheses: Any, name: str) -> bool:
    """Whether the entries are lists of texts, and not one text each."""
    firsts: set[Any] = {
        type(entry[0]) if type(entry) in LISTS else None
        for entry in entries
        if (entry if type(entry) in LISTS else _is_given(entry))
    }
    if firsts and firsts <= {str, int}:
        return False
    tuples = any(kind is not None and issubclass(kind, tuple) for kind in firsts) and _any_tuple(hypotheses)
    return _decide(
        [
            _holds_texts(entry, tuples, f"{name}[{number}]") if _is_given(entry) else None
            for number, entry in enumerate(entries)
        ],
        name,
    )


def _none_empty(sets: list[Any], name: str) -> list[Any]:
    """:raises NoReferencesError: a segment has no reference"""
    for number, group in enumerate(sets):
        if not len(group):
            raise NoReferencesError(f"{name}[{number}] has no reference; give at least one for each segment")
    return sets


def _entry(entry: Any, place: str) -> Any:
    """The references of a segment as a text, a list or an array; None if they are missing."""
    if isinstance(entry, LINE) or type(entry) in LISTS:
        return entry
    if is_missing(entry):
        return None
    if not is_column(entry) and not _is_sequence(entry):
        raise SequenceTypeError(f"{place} must be a reference or a list of several, not {_described(entry)}")
    return by_position(column_of(entry, place) if is_column(entry) else entry)


def _is_sequence(value: Any) -> bool:
    """Whether a value is a text or a list of texts in any container, and not a token."""
    kind = type(value)
    if kind in LISTS:
        return True
    if kind in PLAIN_TYPES or isinstance(value, (*LINE, frozenset)):
        return False
    sized = hasattr(kind, "__len__") and hasattr(kind, "__iter__")
    return (sized or is_array(value)) and getattr(value, "ndim", 1) != 0


def _without_missing(group: Any) -> Any:
    """A list of references without those that are missing."""
    if group is None:
        return []
    if isinstance(group, (list, tuple)) and any(map(is_missing, group)):
        return [text for text in group if not is_missing(text)]
    return group


def _is_given(entry: Any) -> bool:
    if type(entry) in LISTS:
        return len(entry) > 0
    return entry is not None and (isinstance(entry, LINE) or not _is_sequence(entry) or len(entry) > 0)


def _holds_texts(entry: Any, tuples: bool, place: str) -> bool | None:
    """Whether an entry is a list of texts, and not one text; None if it is nothing but missing.

    :param tuples: whether a tuple is a token
    :raises MixedTokensError: it has texts and tokens
    """
    if is_array(entry):
        return bool(getattr(entry, "ndim", 1) > 1)
    texts = [
        None if is_missing(token) else _is_sequence(token) and not (tuples and isinstance(token, tuple))
        for token in entry
    ]
    if False not in texts:
        return True if True in texts else None
    if any(not isinstance(token, tuple) for token, text in zip(entry, texts) if text):
        text, token = texts.index(True), texts.index(False)
        found = list(map(_described, entry))
        raise MixedTokensError(
            f"{place}[{token}] is {found[token]} and {place}[{text}] {found[text]}; pass texts of one kind"
        )
    return False


def _decide(several: list[bool | None], name: str) -> bool:
    """Whether the entries of references are lists of references.

    :param several: of each entry; None if it is empty
    """
    found = {number: many for number, many in enumerate(several) if many is not None}
    if not found:
        if several:
            raise NoReferencesError(f"{name} has no reference; give at least one for each segment")
        return False
    first = next(iter(found))
    for number, many in found.items():
        if many != found[first]:
            one, other = (number, first) if many else (first, number)
            raise SequenceTypeError(
                f"{name}[{other}] is one reference, and {name}[{one}] a list of references; pass a list for each segment"
            )
    return found[first]


def _any_tuple(hypotheses: Any) -> bool:
    """Whether a token of the hypotheses is a tuple, so that a tuple among references may be a token, too."""
    if not isinstance(hypotheses, (list, tuple)):
        return False
    return any(issubclass(kind, tuple) for kind in set(map(type, chain.from_iterable(hypotheses))))


def _refuse_raw_references(entries: Any, hypotheses: Any, name: str) -> None:
    """:raises MixedTokensError: an entry holds raw references and not the tokens of one"""
    firsts = [entry[0] for entry in entries if type(entry) in LISTS and entry and type(entry[0]) is str]
    if not _has_blank("".join(firsts)):
        return
    if isinstance(hypotheses, TextColumn):
        hypotheses = hypotheses.entries()
    if not isinstance(hypotheses, (list, tuple)):
        return
    for number, (entry, hypothesis) in enumerate(zip(entries, hypotheses)):
        words = (
            isinstance(entry, (list, tuple))
            and entry
            and all(type(token) is str and _has_blank(token) for token in entry)
        )
        if words and len(hypothesis) and not any(isinstance(token, str) and _has_blank(token) for token in hypothesis):
            raise MixedTokensError(f"{name}[{number}] holds raw text, and hypotheses[{number}] tokens; {SPLIT}")


def _has_blank(text: str | bytes) -> bool:
    return len(text.split(None, 1)) > 1


def _warn_of_words(groups: Any, hypotheses: Any, name: str) -> None:
    """Warn if each segment has several references that look like the tokens of one."""
    for group in groups:
        if len(group) < 2 or any(map(_has_blank, group)):
            return
    if groups and len(hypotheses) and all(map(_has_blank, hypotheses)):
        warnings.warn(
            f"no reference has more than one word, and {name}[0] has {len(groups[0])} of them, which looks like the tokens of "
            "one reference; pass the reference as a str",
            ShapeWarning,
            stacklevel=2,
        )


def _number_of(texts: Any) -> int:
    """How many texts there are."""
    if isinstance(texts, Ragged):
        return len(texts.offsets) - 1
    return texts.size if isinstance(texts, (TokenIds, TokenLists)) else len(texts)


def _different_numbers(references: Any, hypotheses: Any, name: str) -> str:
    """Why hypothesis i cannot have the references i."""
    count, sets = _number_of(hypotheses), len(references)
    found = f"there are {counted(count, 'hypothesis', 'hypotheses')} and {counted(sets, 'entry', 'entries')} of {name}"
    if count == 1 and all(isinstance(entry, LINE) for entry in references):
        return f"{found}; for one hypothesis with several references pass [{name}]"
    if all(isinstance(entry, (list, tuple)) and len(entry) == count for entry in references):
        return f"{found}, each with {counted(count, 'text')}, as sacreBLEU takes them; pass list(zip(*{name}))"
    return f"{found}; give an entry for each hypothesis, or owner=, the number of its entry for each hypothesis"
