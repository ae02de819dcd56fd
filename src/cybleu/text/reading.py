"""Read texts and references by one rule: what they hold, and how many references a segment has.

A str or bytes is raw text, which the metric tokenises; another sequence is a list of tokens; an array of integers has token ids. The
references of a segment are one or several, which the nesting shows. All public functions of this package's own read texts by
this rule; those with the name of another tool take what the tool takes. What is read is in one of the forms of
:mod:`cybleu.text.batches`.
"""

from __future__ import annotations

import warnings
from array import array
from itertools import accumulate, chain, pairwise

from .. import _backend
from .._runtime.lazy_arrays import np
from .._runtime.scales import counted
from .._runtime.sequences import (
    REFERENCES,
    TEXTS,
    advice_for,
    any_array,
    by_position,
    check_ordered,
    container_of,
    described,
    is_array,
    is_missing,
    kind_of,
    refuse_text,
    refuse_tokens_of_one,
)
from ..errors import (
    ArrayValueError,
    LengthMismatchError,
    MixedTokensError,
    NoReferencesError,
    NotUtf8Error,
    SequenceTypeError,
    ShapeWarning,
)
from .batches import PLAIN_TYPES, Corpus, ListSets, Place, RawText, Sets, TokenIds, TokenLists
from .columns import (
    ReferenceColumns,
    are_columns,
    column_of,
    columns_of_references,
    is_column,
    lists_of_column,
)
from .ids import (
    NO_IDS,
    UNKNOWN,
    SpecialIds,
    ids_of_lists,
    ids_of_ragged,
    ids_of_rows,
    integers,
    one_each,
    owners_given,
    sets_of_array,
)
from .numbering import check_none_empty, ids_of_tokens, where_not_an_id
from .ragged import Ragged

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from .batches import AnySets, Batch, Kind
    from .raw import Line

__all__ = [
    "batch_of",
    "check_same_kind",
    "line_of",
    "read_corpus",
    "read_groups",
    "read_lines",
    "read_list",
    "read_references",
    "read_sets_of_lines",
    "read_texts",
    "token_lists",
]

LISTS: set[type] = {list, tuple}
BATCHES = (TokenLists, TokenIds, RawText)
LINE = (str, bytes, bytearray)
LISTS_OF_REFERENCES = "references for each segment, [[reference] for reference in references] if each has one"
OF_EACH_SEGMENT = "lists, with the references of one segment each"
SPLIT = "split them into tokens, for example with .split()"


def read_corpus(
    hypotheses: Any,
    references: Any,
    owner: Any = None,
    *,
    lengths: Any = None,
    reference_lengths: Any = None,
    special: SpecialIds = NO_IDS,
) -> Corpus:
    """Read hypotheses and their references.

    :param owner: for each hypothesis the number of its set of references; None if hypothesis i has set i
    :param lengths: of the hypotheses in a 2-D array
    :param reference_lengths: of the references in an array
    :raises CybleuError: one of its subclasses, whose message names the argument and the place
    """
    special.check()
    texts = read_texts(hypotheses, "hypotheses", lengths=lengths, special=special)
    nothing = type(texts) is TokenLists and not texts.size
    sets = read_references(
        references,
        texts=None if nothing else texts,
        one_each=0 if nothing and owner is None else None if owner is not None else texts.size,
        lengths=reference_lengths,
        special=special,
    )
    return Corpus(texts, sets, owners_given(owner, sets.size, texts.size))


# ---------------------------------------------------------------------------------------------------------------- texts


def read_texts(
    values: Any,
    name: str,
    *,
    lengths: Any = None,
    special: SpecialIds = NO_IDS,
    bounds: Sequence[int] | None = None,
) -> Batch:
    """Read a batch of texts.

    :param name: of the argument, for messages
    :param lengths: of the texts in a 2-D array
    :param bounds: of texts that were in several lists: where those of each list begin, and the end
    """
    texts = _texts_of(values, Place(name, bounds), lengths)
    if special.given or lengths is not None:
        texts = _with_special(texts, special, name)
        if special.unk_id is not None and isinstance(texts, TokenIds) and (texts.ids == UNKNOWN).any():
            raise ArrayValueError(f"{name} have the id {UNKNOWN}, which cannot be scored with unk_id")
    return texts


def _texts_of(values: Any, place: Place, lengths: Any) -> Batch:
    name = place.name
    if type(values) not in LISTS:
        if isinstance(values, BATCHES):
            return values  # of a public function that calls another one
        if isinstance(values, Ragged):
            check_no_lengths(lengths, name, "a ragged pair")
            return ids_of_ragged(values, name)
        if isinstance(values, LINE):
            raise SequenceTypeError(f"{name} is one {type(values).__name__}; pass a list: [text]")
        column = column_of(values, name)
        if isinstance(column, BATCHES):
            check_no_lengths(lengths, name, "a column")
            return column
        if is_array(column):
            if getattr(column, "ndim", 2) == 1 and len(column):
                raise SequenceTypeError(f"{name} is one array with one dimension; pass a list: [ids]")
            return ids_of_rows(column, name, lengths)
        if not (hasattr(type(column), "__len__") and hasattr(type(column), "__iter__")):
            raise SequenceTypeError(f"{name} must be a list of texts, not {described(column)}")
        values = list(column)
    batch = batch_of(values, place)
    if not isinstance(batch, RawText):
        check_no_lengths(lengths, name, "a list")
    return batch


def batch_of(texts: Sequence[Any], place: Place) -> Batch:
    """The texts of a list, all of one kind."""
    types = set(map(type, texts))
    if types <= LISTS:
        return TokenLists(texts, place)
    if types in ({str}, {bytes}):
        return raw_text(texts, place)
    kinds = [_kind_of_text(text, place.of(number)) for number, text in enumerate(texts)]
    if "id" in kinds:
        first = kinds.index("id")
        if set(kinds) == {"id"}:
            whole = place.of(first).rpartition("[")[0]
            raise SequenceTypeError(f"{whole} is one list of token ids; pass a list of texts: [ids]")
        raise SequenceTypeError(_no_text(texts[first], place.of(first)))
    if "raw text" not in kinds:
        return token_lists(texts, place)
    of_each = [kind if kind != "raw text" else isinstance(text, str) for text, kind in zip(texts, kinds)]
    if len(set(of_each)) > 1:
        first = kinds.index("raw text")
        other = next(number for number, kind in enumerate(of_each) if kind != of_each[first])
        raise MixedTokensError(
            f"{place.of(first)} is {described(texts[first])} and {place.of(other)} {described(texts[other])}; "
            "pass texts of one kind"
        )
    return raw_text(texts, place)


def _kind_of_text(text: Any, place: str) -> str:
    if isinstance(text, LINE):
        return "raw text"
    if isinstance(text, (list, tuple)):
        return "tokens"
    if not is_missing(text) and hasattr(type(text), "__len__") and hasattr(type(text), "__iter__"):
        return "tokens"
    if hasattr(type(text), "__index__") and getattr(text, "ndim", 0) == 0:
        return "id"
    if is_array(text):
        return "tokens"
    raise SequenceTypeError(_no_text(text, place))


def _no_text(text: Any, place: str) -> str:
    return f"{place} must be raw text, a list of tokens or an array of token ids, not {described(text)}"


def token_lists(texts: Sequence[Any], place: Place) -> TokenLists | TokenIds:
    """Texts that hold tokens in any container; ids where one of them is an array."""
    if set(map(type, texts)) <= LISTS:
        return TokenLists(texts, place)
    texts = [container_of(text, place.of(number)) for number, text in enumerate(texts)]
    for number, text in enumerate(texts):
        if not hasattr(text, "__len__"):
            raise SequenceTypeError(f"{place.of(number)} must be a list of tokens, not {kind_of(text)}")
    if any_array(texts):
        return ids_of_lists(texts, [place.of(number) for number in range(len(texts))])
    return TokenLists([text if isinstance(text, (list, tuple)) else list(text) for text in texts], place)


def raw_text(texts: Sequence[Any], place: Place) -> RawText:
    """Lines as the backend reads them."""
    if not set(map(type, texts)) <= {str, bytes}:
        texts = [line_of(text, place.of(number)) for number, text in enumerate(texts)]
    try:
        return RawText(_backend.chosen.RawTexts(texts if type(texts) in LISTS else list(texts)))
    except NotUtf8Error as error:
        raise NotUtf8Error(error.line, error.position, error.byte, place.of(error.line)) from None


def line_of(line: Any, place: str) -> Line:
    """A text as an exact str or bytes.

    :raises SequenceTypeError: it is something else
    """
    if type(line) is str or type(line) is bytes:
        return line
    if isinstance(line, str):
        return str.__str__(line)
    if isinstance(line, (bytes, bytearray)):
        return bytes(line)
    advice = f"; {advice_for(line)}" if advice_for(line) else ""
    article = "" if isinstance(line, float) and is_missing(line) else "a "
    raise SequenceTypeError(
        f"{place} is {article}{kind_of(line)}; with tokenize each text must be raw text, a str or bytes in UTF-8{advice}"
    )


def _with_special(texts: Batch, special: SpecialIds, name: str) -> Batch:
    """Texts of ids without padding and what follows their end.

    :raises ArrayValueError: the texts are raw text
    :raises MixedTokensError: the texts are other tokens than ids
    """
    if isinstance(texts, RawText):
        given = next((key for key, value in special._asdict().items() if value is not None), "lengths")
        raise ArrayValueError(f"{given} is for token ids, and {name} are raw text")
    if isinstance(texts, TokenLists) and special.given:
        found = ids_of_tokens(texts)
        if found is None:
            raise MixedTokensError(f"pad_id, eos_id and unk_id are for token ids: {where_not_an_id(texts)}")
        texts = found
    return special.trimmed(texts) if isinstance(texts, TokenIds) else texts


def check_same_kind(kind: Kind, name: str, other: Kind, name_of_other: str) -> None:
    """:raises MixedTokensError: one is raw text, and the other is not"""
    if "nothing" not in (kind, other) and (kind == "raw text") != (other == "raw text"):
        raise MixedTokensError(f"{name} are {kind}, and {name_of_other} {other}; pass both in one form")


def check_no_lengths(lengths: Any, name: str, form: str) -> None:
    """:raises ArrayValueError: lengths are given for texts that have their own"""
    if lengths is not None:
        raise ArrayValueError(f"lengths are for a 2-D array, and {name} is {form}, which has its own")


# ----------------------------------------------------------------------------------------------------------- references


def read_references(
    references: Any,
    name: str = "references",
    *,
    texts: Batch | None = None,
    one_each: int | None = None,
    lengths: Any = None,
    special: SpecialIds = NO_IDS,
) -> AnySets:
    """Read the references of segments.

    :param texts: the hypotheses. Without them a list of str has several raw references, and tokens are str at the third level only
    :param one_each: the number of entries that there must be; None for any
    :param lengths: of the references in an array
    """
    sets = _sets_of(references, name, texts, one_each, lengths)
    if isinstance(sets, Sets) and isinstance(sets.texts, RawText):
        if special.given or lengths is not None:
            _with_special(sets.texts, special, name)
        return sets
    if special.given:
        ids, begins, ends = _with_special(sets.texts, special, name)  # type: ignore[misc]
        if special.unk_id is not None:
            ids = np.where(ids == special.unk_id, UNKNOWN, ids)
        padded = isinstance(sets, Sets) and sets.padded
        sets = Sets(TokenIds(ids, begins, ends), np.asarray(sets.bounds, dtype=np.int64), padded)
    if isinstance(sets, Sets) and sets.padded:
        check_none_empty(sets)
    return sets


def _sets_of(references: Any, name: str, texts: Batch | None, one_each: int | None, lengths: Any) -> AnySets:
    if isinstance(references, (Sets, ListSets)):
        return references
    kind = None if texts is None else texts.kind
    if are_columns(references):
        references = columns_of_references(references, name)
    if isinstance(references, ReferenceColumns):
        check_no_lengths(lengths, name, "a column")
        return _sets_of_columns(references, texts, name)
    references = _sequence(references, name)
    if isinstance(references, (TokenIds, Ragged)) or is_array(references):
        if kind == "raw text":
            raise MixedTokensError(f"the hypotheses are raw text, and {name} token ids; pass both in one form")
        if is_array(references):
            return sets_of_array(references, name, lengths)
        check_no_lengths(lengths, name, "a ragged pair")
        return one_each_of(references, name)
    check_no_lengths(lengths, name, "a list")
    kind = _kind_within(references) if kind is None else kind
    groups = _raw_sets(references, name) if kind == "raw text" else _token_sets(references, texts, name)
    if one_each is not None and len(groups) != one_each:
        raise LengthMismatchError(_different_numbers(references, one_each, name))
    if kind != "raw text":
        return ListSets(groups, name) if groups is references else _sets_of_tokens(groups, name)
    _warn_of_words(groups, texts, name)
    return sets_of_lines(groups, name)


def one_each_of(references: TokenIds | Ragged, name: str) -> Sets:
    """Ids of one reference for each segment."""
    return one_each(references if isinstance(references, TokenIds) else ids_of_ragged(references, name))


def sets_of_lines(groups: Any, name: str) -> Sets:
    """Lists of str or bytes as sets of raw references."""
    bounds = array("q", accumulate(map(len, groups), initial=0))
    return Sets(raw_text(list(chain.from_iterable(groups)), Place(name, bounds)), bounds)


def _sets_of_columns(columns: ReferenceColumns, texts: Batch | None, name: str) -> AnySets:
    sets = columns.sets(None if texts is None else texts.kind)
    if columns.one_each and isinstance(sets, ListSets):
        _refuse_raw_references([text for group in sets.sets for text in group], texts, name)
    return sets


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
    if type(references) in LISTS or isinstance(references, (TokenIds, Ragged)):
        return references
    check_ordered(references, name)
    references = by_position(references)
    if is_array(references):
        return references
    if isinstance(references, LINE) or not hasattr(type(references), "__len__"):
        raise SequenceTypeError(
            f"{name} must be a list with the references of each segment, not {described(references)}"
        )
    return list(references)


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


def _token_sets(references: Any, texts: Batch | None, name: str) -> Any:
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
    if not _several_texts(entries, texts, name):
        _refuse_raw_references(entries, texts, name)
        return _none_empty([[] if entry is None else [entry] for entry in entries], name)
    return _none_empty([_without_missing(entry) for entry in entries], name)


def _sets_of_tokens(groups: Any, name: str) -> AnySets:
    if are_lists_of(groups, LISTS):
        return ListSets(groups, name)
    groups = [
        list(integers(group, f"{name}[{owner}]", (2,)) if is_array(group) else group)
        for owner, group in enumerate(groups)
    ]
    for owner, group in enumerate(groups):
        refuse_tokens_of_one(group, f"{name}[{owner}]")
    bounds = list(accumulate(map(len, groups), initial=0))
    texts = token_lists(list(chain.from_iterable(groups)), Place(name, bounds))
    if isinstance(texts, TokenIds):
        return Sets(texts, np.array(bounds, dtype=np.int64))
    return ListSets([texts.texts[begin:end] for begin, end in pairwise(bounds)], name)


def _several_texts(entries: Any, texts: Batch | None, name: str) -> bool:
    """Whether the entries are lists of texts, and not one text each."""
    firsts: set[Any] = {
        type(entry[0]) if type(entry) in LISTS else None
        for entry in entries
        if (entry if type(entry) in LISTS else _is_given(entry))
    }
    if firsts and firsts <= {str, int}:
        return False
    tuples = any(kind is not None and issubclass(kind, tuple) for kind in firsts) and _any_tuple(texts)
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
    if isinstance(entry, Ragged):
        return ids_of_ragged(entry, place).lists()
    if not is_column(entry) and not _is_sequence(entry):
        raise SequenceTypeError(f"{place} must be a reference or a list of several, not {described(entry)}")
    return lists_of_column(entry, place)


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
        found = list(map(described, entry))
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
            raise NoReferencesError(f"{name}[0] has no reference; give at least one for each segment")
        return False
    first = next(iter(found))
    for number, many in found.items():
        if many != found[first]:
            one, other = (number, first) if many else (first, number)
            raise SequenceTypeError(
                f"{name}[{other}] is one reference, and {name}[{one}] a list of references; pass a list for each segment"
            )
    return found[first]


def _any_tuple(texts: Batch | None) -> bool:
    """Whether a token of the hypotheses is a tuple, so that a tuple among references may be a token, too."""
    if not isinstance(texts, TokenLists):
        return False
    return any(issubclass(kind, tuple) for kind in set(map(type, chain.from_iterable(texts.texts))))


def _refuse_raw_references(entries: Any, texts: Batch | None, name: str) -> None:
    """:raises MixedTokensError: an entry holds raw references and not the tokens of one"""
    firsts = [entry[0] for entry in entries if type(entry) in LISTS and entry and type(entry[0]) is str]
    if not isinstance(texts, TokenLists) or not _has_blank("".join(firsts)):
        return
    for number, (entry, hypothesis) in enumerate(zip(entries, texts.texts)):
        words = (
            isinstance(entry, (list, tuple))
            and entry
            and all(type(token) is str and _has_blank(token) for token in entry)
        )
        if words and len(hypothesis) and not any(isinstance(token, str) and _has_blank(token) for token in hypothesis):
            raise MixedTokensError(f"{name}[{number}] holds raw text, and hypotheses[{number}] tokens; {SPLIT}")


def _has_blank(text: str | bytes) -> bool:
    return len(text.split(None, 1)) > 1


def _warn_of_words(groups: Any, texts: Batch | None, name: str) -> None:
    """Warn if each segment has several references that look like the tokens of one."""
    for group in groups:
        if len(group) < 2 or not all(group) or any(map(_has_blank, group)):
            return
    if groups and texts is not None and texts.size and all(map(_has_blank, texts.lists())):  # type: ignore[arg-type]
        warnings.warn(
            f"no reference has more than one word, and {name}[0] has {len(groups[0])} of them, which looks like the tokens of "
            "one reference; pass the reference as a str",
            ShapeWarning,
            stacklevel=2,
        )


def _different_numbers(references: Any, count: int, name: str) -> str:
    """Why hypothesis i cannot have the references i."""
    sets = len(references)
    found = f"there are {counted(count, 'hypothesis', 'hypotheses')} and {counted(sets, 'entry', 'entries')} of {name}"
    if count == 1 and all(isinstance(entry, LINE) for entry in references):
        return f"{found}; for one hypothesis with several references pass [{name}]"
    if all(isinstance(entry, (list, tuple)) and len(entry) == count for entry in references):
        return f"{found}, each with {counted(count, 'text')}, as sacreBLEU takes them; pass list(zip(*{name}))"
    return f"{found}; give an entry for each hypothesis, or owner=, the number of its entry for each hypothesis"


def are_lists_of(groups: Any, kinds: set[type]) -> bool:
    """Whether these are lists and tuples with at least one text each, and the texts of these types, as is most common."""
    return (
        type(groups) in LISTS
        and set(map(type, groups)) <= LISTS
        and all(groups)
        and set(map(type, chain.from_iterable(groups))) <= kinds
    )


# ---------------------------------------------------------------------------------------- for functions of other tools


def read_lines(values: Any, name: str = "hypotheses") -> RawText:
    """Read a batch of raw texts, of a tool that knows no other kind."""
    if isinstance(values, RawText):
        return values
    column = column_of(values, name)
    if isinstance(column, RawText):
        return column
    if isinstance(column, BATCHES):
        raise SequenceTypeError(f"{name} is a column of {column.kind}, and raw text is a str, or bytes in UTF-8")
    return raw_text(_lines(column, name), Place(name))


def read_sets_of_lines(values: Any, name: str = "references") -> Sets:
    """Read lists of raw references, one list for each segment."""
    if isinstance(values, Sets):
        return values
    if are_columns(values):
        values = columns_of_references(values, name)
    if isinstance(values, ReferenceColumns):
        return values.sets("raw text")  # type: ignore[return-value]
    check_ordered(values, name)
    groups = [
        _lines(group, f"{name}[{owner}]", LISTS_OF_REFERENCES)
        for owner, group in enumerate(_lines(values, name, OF_EACH_SEGMENT))
    ]
    return sets_of_lines(_none_empty(groups, name), name)


def _lines(values: Any, name: str, what: str = "lines") -> Sequence[Any]:
    """A list or tuple of lines, or of what is in its place.

    :param what: of which it is a list, for messages
    """
    lines = by_position(values)
    if isinstance(lines, LINE) or not (hasattr(lines, "__len__") and hasattr(lines, "__iter__")):
        raise SequenceTypeError(f"{name} is one {kind_of(lines)}; {advice_for(lines) or f'give a list of {what}'}")
    return lines if type(lines) in LISTS else list(lines)


def read_list(values: Any, name: str, what: str) -> list[Any]:
    """The entries of a list, column or other iterable, as they are.

    :param what: of which it is a list, for messages
    """
    check_ordered(values, name)
    if isinstance(values, Ragged):
        return ids_of_ragged(values, name).lists()
    if isinstance(values, (str, bytes)) or not (hasattr(values, "__iter__") or is_column(values)):
        advice = None if is_missing(values) and not name.endswith("]") else advice_for(values)
        raise SequenceTypeError(f"{name} is one {kind_of(values)}; {advice or f'give a list of {what}'}")
    return list(lists_of_column(values, name))


def read_groups(values: Any, name: str) -> tuple[list[Any], list[int]]:
    """For each segment a list of texts: all texts as the caller gave them, and where those of each segment begin, and the end."""
    check_ordered(values, name)
    if isinstance(values, (str, bytes)) or not (hasattr(values, "__len__") or is_column(values)):
        raise SequenceTypeError(f"{name} must be a list of texts for each segment, not {type(values).__name__}")
    groups = []
    for position, group in enumerate(lists_of_column(values, name)):
        if isinstance(group, (str, bytes)) or not hasattr(group, "__len__"):
            raise SequenceTypeError(
                f"{name}[{position}] must be a list of texts, not {type(group).__name__}; "
                "the texts of one segment alone are a list in a list"
            )
        groups.append(_lists_of_ragged(group, f"{name}[{position}]"))
    return list(chain.from_iterable(groups)), list(accumulate(map(len, groups), initial=0))


def _lists_of_ragged(group: Any, name: str) -> Any:
    """The texts of one segment, as a sequence that is indexed by position."""
    return ids_of_ragged(group, name).lists() if isinstance(group, Ragged) else by_position(group)


def segments_of_lists(references: Any, hypotheses: Any, name: str = "references") -> tuple[Any, Any]:
    """Read references and hypotheses of a function of NLTK's: only what holds the texts becomes a list.

    :param name: of `references`, for messages
    """
    if isinstance(references, Ragged):
        references = [[text] for text in ids_of_ragged(references, name).lists()]
    check_ordered(references, name)
    sets = columns_of_references(references, name) if are_columns(references) else by_position(references)
    if isinstance(sets, ReferenceColumns):
        sets = sets.sets("tokens").lists()
    texts = _lists_of_ragged(hypotheses, "hypotheses")
    if not isinstance(hypotheses, Ragged):
        column = column_of(hypotheses, "hypotheses")
        texts = column.lists() if isinstance(column, BATCHES) else column
    for what, value in ((name, sets), ("hypotheses", texts)):
        if not hasattr(type(value), "__len__"):
            advice = None if is_missing(value) else advice_for(value)
            raise SequenceTypeError(
                f"{what} must be a list or another sequence that has a length, not {described(value)}"
                + (f"; {advice}" if advice else "")
            )
    refuse_text(sets, name, f"a list with, for each segment, {REFERENCES}")
    refuse_text(texts, "hypotheses", TEXTS)
    if not (type(sets) in LISTS and set(map(type, sets)) <= LISTS):
        sets = [_lists_of_ragged(group, f"{name}[{owner}]") for owner, group in enumerate(sets)]
    return sets, texts
