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
    LINE,
    LISTS,
    advice_for,
    by_position,
    check_ordered,
    container_of,
    described,
    is_array,
    is_missing,
    is_sized,
    kind_of,
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
from .columns import ReferenceColumns, are_columns, column_of, columns_of_references, is_column, lists_of_column
from .ids import (
    NO_IDS,
    UNKNOWN,
    SpecialIds,
    ids_of_lists,
    ids_of_ragged,
    ids_of_rows,
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

BATCHES = (TokenLists, TokenIds, RawText)
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
    :param lengths: the lengths of the hypotheses in a 2-D array
    :param reference_lengths: the lengths of the references in an array
    :raises CybleuError: one of its subclasses, whose message names the argument and the place
    """
    special.check()
    texts = read_texts(hypotheses, "hypotheses", lengths=lengths, special=special)
    nothing = type(texts) is TokenLists and not texts.size
    sets = read_references(
        references,
        texts=None if nothing else texts,
        number=texts.size if owner is None else None,
        lengths=reference_lengths,
        special=special,
    )
    return Corpus(texts, sets, owners_given(owner, sets.size, texts.size))


def read_list(values: Any, name: str, what: str) -> Any:
    """Return a list or tuple as it is, and the entries of any other ordered container, a column for example, as a list.

    :param name: of the argument, for messages
    :param what: the entries, for messages
    :raises SequenceTypeError: it is a str, has no length, or has no order
    """
    if type(values) in LISTS:
        return values
    if isinstance(values, Ragged):
        return ids_of_ragged(values, name).lists()
    check_ordered(values, name)
    entries = lists_of_column(values, name)
    if isinstance(entries, LINE) or not is_sized(entries):
        advice = None if entries is None else advice_for(entries)
        raise SequenceTypeError(f"{name} is one {kind_of(entries)}; {advice or f'give a list of {what}'}")
    return entries if type(entries) in LISTS else list(entries)


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
    :param lengths: the lengths of the texts in a 2-D array
    :param bounds: of texts that were in several lists: where those of each list begin, and the end
    """
    if type(values) not in LISTS and not isinstance(values, BATCHES):
        if isinstance(values, LINE):
            raise SequenceTypeError(f"{name} is one {type(values).__name__}; pass a list: [text]")
        values = ids_of_ragged(values, name) if isinstance(values, Ragged) else column_of(values, name)
    texts: Batch
    if is_array(values):
        if getattr(values, "ndim", 2) == 1 and len(values):
            raise SequenceTypeError(f"{name} is one array with one dimension; pass a list: [ids]")
        texts, lengths = ids_of_rows(values, name, lengths), None
    elif isinstance(values, BATCHES):
        texts = values
    else:
        texts = batch_of(read_list(values, name, "texts"), Place(name, bounds))
    if special.given or lengths is not None:
        texts = ids = _with_special(texts, special, name, lengths)
        if special.unk_id is not None and (ids.ids == UNKNOWN).any():
            raise ArrayValueError(f"{name} have the id {UNKNOWN}, which cannot be scored with unk_id")
    return texts


def batch_of(texts: Sequence[Any], place: Place) -> Batch:
    """The texts of a list, all of one kind."""
    types = set(map(type, texts))
    if types <= LISTS:
        return TokenLists(texts, place)
    if types in ({str}, {bytes}):
        return raw_text(texts, place)
    if all(map(_is_id, texts)):
        whole = place.of(0).rpartition("[")[0]
        raise SequenceTypeError(f"{whole} is one list of token ids; pass a list of texts: [ids]")
    first: dict[bool, int] = {}
    for number, text in enumerate(texts):
        line = isinstance(text, LINE)
        if not line and (is_missing(text) or _is_id(text) or not (is_sized(text) or is_array(text))):
            raise SequenceTypeError(
                f"{place.of(number)} must be raw text, a list of tokens or an array of token ids, not {described(text)}"
            )
        first.setdefault(line, number)
    if len(first) > 1:
        raise MixedTokensError(_different_kinds(texts, first[True], first[False], place))
    return raw_text(texts, place) if True in first else token_lists(texts, place)


def _different_kinds(texts: Sequence[Any], one: int, other: int, place: Place) -> str:
    return (
        f"{place.of(one)} is {described(texts[one])} and {place.of(other)} {described(texts[other])}; "
        "pass texts of one kind"
    )


def _is_id(text: Any) -> bool:
    return hasattr(type(text), "__index__") and getattr(text, "ndim", 0) == 0


def token_lists(texts: Sequence[Any], place: Place) -> TokenLists | TokenIds:
    """Texts that hold tokens in any container; ids where one of them is an array."""
    if set(map(type, texts)) <= LISTS:
        return TokenLists(texts, place)
    texts = [container_of(text, place.of(number)) for number, text in enumerate(texts)]
    for number, text in enumerate(texts):
        if not hasattr(text, "__len__"):
            raise SequenceTypeError(f"{place.of(number)} must be a list of tokens, not {kind_of(text)}")
    if any(map(is_array, texts)):
        return ids_of_lists(texts, place)
    return TokenLists([text if isinstance(text, (list, tuple)) else list(text) for text in texts], place)


def raw_text(texts: Sequence[Any], place: Place) -> RawText:
    """Lines as the backend reads them."""
    types = set(map(type, texts))
    if not types <= {str, bytes}:
        texts = [line_of(text, place.of(number)) for number, text in enumerate(texts)]
        types = set(map(type, texts))
    if len(types) > 1:
        other = next(number for number, text in enumerate(texts) if type(text) is not type(texts[0]))
        raise MixedTokensError(_different_kinds(texts, other, 0, place))
    try:
        return RawText(_backend.chosen.RawTexts(texts))
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
    raise SequenceTypeError(
        f"{place} is a {kind_of(line)}; with tokenize each text must be raw text, a str or bytes in UTF-8{advice}"
    )


def _with_special(texts: Batch, special: SpecialIds, name: str, lengths: Any) -> TokenIds:
    """Texts of ids without padding and what follows their end.

    :param lengths: of texts that have their own, which is an error
    :raises ArrayValueError: the texts are raw text
    :raises MixedTokensError: the texts are other tokens than ids
    """
    if isinstance(texts, RawText):
        given = next((key for key, value in special._asdict().items() if value is not None), "lengths")
        raise ArrayValueError(f"{given} is for token ids, and {name} are raw text")
    if lengths is not None:
        raise ArrayValueError(f"lengths are for a 2-D array, and {name} is none, so that each text has its own")
    if isinstance(texts, TokenLists):
        found = ids_of_tokens(texts)
        if found is None:
            raise MixedTokensError(f"pad_id, eos_id and unk_id are for token ids: {where_not_an_id(texts)}")
        texts = found
    return special.trimmed(texts)


def check_same_kind(kind: Kind, name: str, other: Kind, name_of_other: str) -> None:
    """:raises MixedTokensError: one is raw text, and the other is not"""
    if "nothing" not in (kind, other) and (kind == "raw text") != (other == "raw text"):
        raise MixedTokensError(f"{name} are {kind}, and {name_of_other} {other}; pass both in one form")


# ----------------------------------------------------------------------------------------------------------- references


def read_references(
    references: Any,
    name: str = "references",
    *,
    texts: Batch | None = None,
    number: int | None = None,
    lengths: Any = None,
    special: SpecialIds = NO_IDS,
) -> AnySets:
    """Read the references of segments.

    :param texts: the hypotheses. Without them a list of str has several raw references, and tokens are str at the third level only
    :param number: of entries that there must be; None for any
    :param lengths: the lengths of the references in an array
    """
    if isinstance(references, (Sets, ListSets)):
        return references
    columns = columns_of_references(references, name) if are_columns(references) else references
    columns = ids_of_ragged(columns, name) if isinstance(columns, Ragged) else by_position(columns)
    sets: AnySets
    if isinstance(columns, ReferenceColumns):
        sets = columns.sets(None if texts is None else texts.kind)
        if columns.one_each and isinstance(sets, ListSets):
            _refuse_raw_references(sets.sets, texts, name)
    elif isinstance(columns, TokenIds) or is_array(columns):
        check_same_kind("nothing" if texts is None else texts.kind, "the hypotheses", "ids", name)
        sets = one_each(columns) if isinstance(columns, TokenIds) else sets_of_array(columns, name, lengths)
        lengths = lengths if isinstance(columns, TokenIds) else None
    else:
        sets = _sets_of_list(read_list(columns, name, "references for each segment"), texts, name, number)
    if special.given or lengths is not None:
        ids, begins, ends = _with_special(sets.texts, special, name, lengths)
        if special.unk_id is not None:
            ids = np.where(ids == special.unk_id, UNKNOWN, ids)
        padded = isinstance(sets, Sets) and sets.padded
        sets = Sets(TokenIds(ids, begins, ends), np.asarray(sets.bounds, dtype=np.int64), padded)
    if isinstance(sets, Sets) and sets.padded:
        check_none_empty(sets)
    return sets


def _sets_of_list(references: Any, texts: Batch | None, name: str, number: int | None) -> AnySets:
    """The references in a list, which has one or several for each segment."""
    raw = _are_raw(references) if texts is None else isinstance(texts, RawText)
    usual = _usual_groups(references, raw)
    groups, several = usual or _groups(references, raw, texts, name)
    if number is not None and len(groups) != number:
        raise LengthMismatchError(_different_numbers(references, number, name))
    if raw:
        _warn_of_words(groups, texts, name)
        return sets_of_lines(groups, name)
    if not several:
        _refuse_raw_references(groups, texts, name)
    if usual or are_lists_of(groups, LISTS):
        return ListSets(groups, name)
    bounds = list(accumulate(map(len, groups), initial=0))
    batch = token_lists(list(chain.from_iterable(groups)), Place(name, bounds if several else None))
    if isinstance(batch, TokenIds):
        return Sets(batch, np.array(bounds, dtype=np.int64))
    return ListSets([batch.texts[begin:end] for begin, end in pairwise(bounds)], name)


def _usual_groups(references: Any, raw: bool) -> tuple[Any, bool] | None:
    """What :func:`_groups` returns for lists of str or of int whose first items show their form, or None. Much faster."""
    first = references[0] if references else None
    several = str if raw else list
    if type(first) in LISTS and first and type(first[0]) is several and are_lists_of(references, {several}):
        return references, True
    types = set(map(type, references))
    if raw:
        one_each = types in ({str}, {bytes})
    else:
        one_each = types <= LISTS and {type(entry[0]) for entry in references if entry} in ({str}, {int})
    return ([[entry] for entry in references], False) if one_each else None


def _groups(references: Any, raw: bool, texts: Batch | None, name: str) -> tuple[list[Any], bool]:
    """For each segment the list of its references, and whether an entry may have several.

    The depth of a text is 0 if it is a str, and 1 if it has tokens. A deeper entry has several texts.
    """
    one = 0 if raw else 1
    entries = [_entry(entry, f"{name}[{number}]") for number, entry in enumerate(references)]
    tuples = not raw and _any_tuple(texts)
    depths = [_depth(entry, tuples, f"{name}[{number}]") for number, entry in enumerate(entries)]
    known = [(number, depth) for number, depth in enumerate(depths) if depth is not None]
    for number, depth in known:
        if depth < one:
            raise MixedTokensError(f"{name}[{number}] is raw text, and the hypotheses are not; {SPLIT}")
        if raw and depth and not all(isinstance(text, LINE) or is_missing(text) for text in entries[number]):
            raise MixedTokensError(
                f"the hypotheses are raw text, and {name}[{number}] holds tokens; pass both in one form"
            )
        if depth != known[0][1]:
            (deep, _), (flat, _) = sorted([known[0], (number, depth)], key=lambda found: -found[1])
            raise SequenceTypeError(
                f"{name}[{flat}] is one reference, and {name}[{deep}] a list of references; pass a list for each segment"
            )
    several = bool(known) and known[0][1] > one
    if several or raw:
        groups = [[entry] if isinstance(entry, LINE) else [] if entry is None else entry for entry in entries]
        groups = [group if is_array(group) else [text for text in group if not is_missing(text)] for group in groups]
    else:
        groups = [[entry] if known and entry is not None else [] for entry in entries]
    _check_none_empty(groups, name)
    return groups, several


def _check_none_empty(groups: Sequence[Any], name: str) -> None:
    """:raises NoReferencesError: a segment has no reference"""
    for number, group in enumerate(groups):
        if not len(group):
            raise NoReferencesError(f"{name}[{number}] has no reference; give at least one for each segment")


def _entry(entry: Any, place: str) -> Any:
    """The references of a segment as a text, a list or an array; None if they are missing."""
    if isinstance(entry, LINE) or type(entry) in LISTS:
        return entry
    if is_missing(entry):
        return None
    if isinstance(entry, Ragged):
        return ids_of_ragged(entry, place).lists()
    if not is_column(entry) and not _is_text(entry):
        raise SequenceTypeError(f"{place} must be a reference or a list of several, not {described(entry)}")
    return lists_of_column(entry, place)


def _is_text(value: Any) -> bool:
    """Whether a value is a list of tokens in any container, and not a token."""
    kind = type(value)
    if kind in LISTS:
        return True
    if kind in PLAIN_TYPES or isinstance(value, (*LINE, frozenset)):
        return False
    return is_sized(value) or (is_array(value) and getattr(value, "ndim", 1) != 0)


def _depth(entry: Any, tuples: bool, place: str) -> int | None:
    """How deep the lists of an entry are: 0 for a str, 2 for a list of texts; None if it is empty.

    :param tuples: whether a tuple is a token
    :raises MixedTokensError: it has texts and tokens
    """
    if entry is None or isinstance(entry, LINE):
        return None if entry is None else 0
    if is_array(entry):
        return getattr(entry, "ndim", 1) if len(entry) else None
    depths = {
        2 if _is_text(token) and not (tuples and isinstance(token, tuple)) else 1: number
        for number, token in enumerate(entry)
        if not is_missing(token)
    }
    if len(depths) == 2 and not isinstance(entry[depths[2]], tuple):
        raise MixedTokensError(_different_kinds(entry, depths[1], depths[2], Place(place)))
    return min(depths, default=None)


def _are_raw(references: Any) -> bool:
    """Whether the first text in references without hypotheses is raw text."""
    for _ in range(2):
        entries = [entry for entry in references if not is_missing(entry) and (not _is_text(entry) or len(entry))]
        if not entries or isinstance(entries[0], LINE):
            return bool(entries)
        references = by_position(entries[0])
        if is_array(references) or not is_sized(references):
            return False
    return False


def sets_of_lines(groups: Any, name: str) -> Sets:
    """Lists of str or bytes as sets of raw references."""
    bounds = array("q", accumulate(map(len, groups), initial=0))
    return Sets(raw_text(list(chain.from_iterable(groups)), Place(name, bounds)), bounds)


def _any_tuple(texts: Batch | None) -> bool:
    """Whether a token of the hypotheses is a tuple, so that a tuple among references may be a token, too."""
    if not isinstance(texts, TokenLists):
        return False
    return any(issubclass(kind, tuple) for kind in set(map(type, chain.from_iterable(texts.texts))))


def _refuse_raw_references(groups: Any, texts: Batch | None, name: str) -> None:
    """:raises MixedTokensError: the only reference of a segment is a list of raw references, and not the tokens of one"""
    lists = [group[0] for group in groups if type(group[0]) in LISTS]
    firsts = [words[0] for words in lists if words and type(words[0]) is str]
    if not isinstance(texts, TokenLists) or not _has_blank("".join(firsts)):
        return
    for number, (words, hypothesis) in enumerate(zip([group[0] for group in groups], texts.texts)):
        if not (isinstance(words, (list, tuple)) and words and all(map(_has_blank, words))):
            continue
        if hypothesis and not any(map(_has_blank, hypothesis)):
            raise MixedTokensError(f"{name}[{number}] holds raw text, and hypotheses[{number}] tokens; {SPLIT}")


def _has_blank(text: Any) -> bool:
    return isinstance(text, (str, bytes)) and len(text.split(None, 1)) > 1


def _warn_of_words(groups: Any, texts: Batch | None, name: str) -> None:
    """Warn if each segment has several references that look like the tokens of one."""
    for group in groups:
        if len(group) < 2 or not all(group) or any(map(_has_blank, group)):
            return
    if groups and texts is not None and texts.size and all(map(_has_blank, texts.lists())):
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
    texts = read_texts(values, name)
    if isinstance(texts, RawText):
        return texts
    return raw_text(texts.lists()[:1], Place(name))  # an error if there is one


def read_sets_of_lines(values: Any, name: str = "references") -> Sets:
    """Read lists of raw references, one list for each segment."""
    columns = columns_of_references(values, name) if are_columns(values) else values
    if isinstance(columns, ReferenceColumns):
        return columns.sets("raw text")  # type: ignore[return-value]
    advice = "references for each segment, [[reference] for reference in references] if each has one"
    groups = [
        read_list(group, f"{name}[{owner}]", advice)
        for owner, group in enumerate(read_list(columns, name, "lists, with the references of one segment each"))
    ]
    _check_none_empty(groups, name)
    return sets_of_lines(groups, name)


def read_groups(values: Any, name: str) -> tuple[list[Any], list[int]]:
    """For each segment a list of texts: all texts as the caller gave them, and where those of each segment begin, and the end."""
    groups = [
        read_list(group, f"{name}[{position}]", "texts; the texts of one segment alone are a list in a list")
        for position, group in enumerate(read_list(values, name, "texts for each segment"))
    ]
    return list(chain.from_iterable(groups)), list(accumulate(map(len, groups), initial=0))


def segments_of_lists(references: Any, hypotheses: Any, name: str = "references") -> tuple[Any, Any]:
    """Read references and hypotheses of a function of NLTK's: only what holds the texts becomes a list.

    :param name: of `references`, for messages
    """
    if isinstance(references, Ragged):
        references = [[text] for text in read_list(references, name, "texts")]
    sets = columns_of_references(references, name) if are_columns(references) else references
    sets = sets.sets("tokens").lists() if isinstance(sets, ReferenceColumns) else sets
    sets = read_list(sets, name, "lists with the references of one segment each")
    texts = read_list(hypotheses, "hypotheses", "token lists")
    if not set(map(type, sets)) <= LISTS:
        sets = [
            read_list(group, f"{name}[{owner}]", "references") if isinstance(group, Ragged) else by_position(group)
            for owner, group in enumerate(sets)
        ]
    return sets, texts
