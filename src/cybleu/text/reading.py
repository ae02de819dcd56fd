"""Read texts and references by one rule: what they hold, and how many references a segment has.

A str or bytes is raw text, which the metric tokenises; another sequence is a list of tokens; an array of integers has token ids. The
references of a segment are one or several, which the nesting shows. All public functions of this package's own read texts by
this rule; those with the name of another tool take what the tool takes. What is read is in one of the forms of
:mod:`cybleu.text.batches`.
"""

from __future__ import annotations

from array import array
from itertools import accumulate, chain, pairwise

from .._backend import RawTexts, trim, types_within
from .._runtime.lazy_arrays import np
from .._runtime.sequences import LINE, LISTS, by_position, is_array, is_missing, is_sized
from ..errors import ArrayValueError, MixedTokensError, NoReferencesError, NotUtf8Error, SequenceTypeError
from .batches import PLAIN_TYPES, AnySets, Batch, Corpus, Kind, ListSets, Place, Sets, TokenIds, TokenLists
from .columns import ReferenceColumns, column_of, columns_of_references, entries_of, is_column, tokens_in
from .ids import (
    NO_IDS,
    OF_ONE_SEGMENT,
    UNKNOWN,
    SpecialIds,
    check_none_empty,
    ids_of_lists,
    ids_of_ragged,
    only_ids,
    owners_given,
    sets_of_array,
    sets_of_arrays,
    texts_of_array,
)
from .ragged import Ragged
from .segments import container_of, described
from .shapes import warn_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any

NO_TEXTS = (*LINE, frozenset)
SPLIT = "split them into tokens, for example with .split()"
FOR_IDS = "pad_id, eos_id and unk_id are for token ids"


# -------------------------------------------------------------------------------------------------- the common types


def plain_texts(values: Any) -> Batch | None:
    """Read texts of the types that nearly all calls pass: a list of str, or an array of integers, or a list of these.

    Types are exact, so nothing has to be converted or checked. Return None for all else, which the functions below read.
    """
    if type(values) is not list:
        # The name first, because NumPy is imported when its class is asked for.
        if type(values).__name__ == "ndarray":
            return texts_of_array(values)
        return values if isinstance(values, (TokenLists, TokenIds, RawTexts)) else None  # which have been read
    if values and type(values[0]) is str:
        return RawTexts(values) if set(map(type, values)) == {str} else None
    sets = sets_of_arrays(values, several=False)
    return None if sets is None else sets.texts


def plain_sets(references: Any, texts: Batch | None) -> Sets | None:
    """Read references of these types, one for each segment or a list of several; return None for all else.

    :param texts: the hypotheses, if there are any
    """
    if isinstance(texts, TokenLists):
        return None
    may_be_arrays = type(references) is list and references and type(references[0]) is not str
    sets = sets_of_arrays(references, several=True) if may_be_arrays else None
    if sets is None:
        one_each = plain_texts(references)
        if isinstance(one_each, TokenIds):
            sets = Sets(one_each, np.arange(one_each.size + 1, dtype=np.int64))
        elif isinstance(one_each, RawTexts):
            sets = Sets(one_each, array("q", range(one_each.size + 1)))
        elif type(references) is list:
            sets = _sets_of_lines(references, texts)
    # Beside tokens, lists of str are tokens too, and beside ids, they are mistakes.
    return sets if sets is not None and (texts is None or type(texts) is type(sets.texts)) else None


def _sets_of_lines(references: list[Any], texts: Batch | None) -> Sets | None:
    """Lists or tuples of str, at least one in each."""
    if isinstance(texts, TokenIds) or not LISTS.issuperset(map(type, references)) or not all(references):
        return None
    # Flattening lists of tokens would be in vain, and take as long as reading them.
    if not references or type(references[0][0]) is not str:
        return None
    lines = list(chain.from_iterable(references))
    if set(map(type, lines)) != {str}:
        return None
    if len(references[0]) > 1:  # otherwise not each segment has several
        _warn_of_words(references, texts)
    return Sets(RawTexts(lines), array("q", [0, *accumulate(map(len, references))]))


# ---------------------------------------------------------------------------------------------- any types, and mistakes


def read_corpus(
    hypotheses: Any,
    references: Any,
    owner: Any = None,
    *,
    lengths: Any = None,
    reference_lengths: Any = None,
    **special_ids: int,
) -> Corpus:
    """Read hypotheses and their references.

    :param owner: for each hypothesis the number of its set of references; None if hypothesis i has set i
    :param lengths: the lengths of the hypotheses in a 2-D array
    :param reference_lengths: the lengths of the references in an array
    :param special_ids: `pad_id`, `eos_id` and `unk_id`
    :raises CybleuError: one of its subclasses, whose message names the argument and the place
    """
    special = SpecialIds(**special_ids) if special_ids else NO_IDS
    texts = read_texts(hypotheses, "hypotheses", lengths=lengths, special=special)
    size = texts.size
    # An empty list of hypotheses does not say whether they would be raw text, tokens or ids.
    sets = read_references(references, texts=texts if size else None, lengths=reference_lengths, special=special)
    one_each = owner is None and size == sets.size
    return Corpus(texts, sets, None if one_each else owners_given(owner, sets, size))


def read_list(values: Any, name: str, what: str) -> Sequence[Any]:
    """Return a list or tuple as it is, and the entries of any other ordered container, a column for example, as a list.

    :param name: of the argument, for messages
    :param what: the entries, for messages
    :raises SequenceTypeError: it is a str, has no length, or has no order
    """
    if type(values) in LISTS:
        return values  # type: ignore[no-any-return]
    entries = entries_of(values, name)
    if isinstance(entries, LINE) or not is_sized(entries):
        advice = f"give a list of {what}"
        told = f"None; {advice}" if entries is None else described(entries, advice)
        raise SequenceTypeError(f"{name} is {told}")
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
    texts: Batch | None = plain_texts(values) if lengths is None else None
    if texts is None:
        texts = _texts_of_any(values, name, lengths, bounds)
    if special is not NO_IDS and special.given:
        texts = ids = _with_special(texts, special, name)
        if special.unk_id is not None and (ids.ids == UNKNOWN).any():
            raise ArrayValueError(f"{name} have the id {UNKNOWN}, which cannot be scored with unk_id")
    return texts


def _texts_of_any(values: Any, name: str, lengths: Any, bounds: Sequence[int] | None) -> Batch:
    """See :func:`read_texts`."""
    values = ids_of_ragged(values, name) if isinstance(values, Ragged) else column_of(values, name)
    _check_lengths(lengths, values, name)
    if is_array(values):
        if getattr(values, "ndim", 2) == 1 and len(values):
            raise SequenceTypeError(f"{name} is one array with one dimension; pass a list: [ids]")
        return sets_of_array(values, name, lengths).texts
    if isinstance(values, (TokenLists, TokenIds, RawTexts)):
        return values
    what = f"texts, {OF_ONE_SEGMENT}" if name == "hypotheses" else "texts"
    return batch_of(read_list(values, name, what), Place(name, bounds))


def batch_of(texts: Sequence[Any], place: Place) -> Batch:
    """The texts of a list, all of one kind."""
    types = set(map(type, texts))
    if types <= LISTS:
        return TokenLists(texts, place)
    if types not in ({str}, {bytes}):
        kinds = list(map(_kind_of, texts))
        for number, (text, kind) in enumerate(zip(texts, kinds)):
            if kind is list and not _is_text(text):
                raise SequenceTypeError(
                    f"{place.of(number)} must be raw text, a list of tokens or an array of token ids, not {described(text)}"
                )
            if kind is not kinds[0]:
                raise MixedTokensError(
                    f"{place.of(number)} is {described(text)} and {place.of(0)} {described(texts[0])}; pass texts of one kind"
                )
        if kinds[0] is list:
            return token_lists(texts, place)
        texts = [str.__str__(text) if isinstance(text, str) else bytes(text) for text in texts]  # also of subclasses
    try:
        return RawTexts(texts)
    except NotUtf8Error as error:
        raise NotUtf8Error(error.line, error.position, error.byte, place.of(error.line)) from None


def _kind_of(text: Any) -> type:
    if isinstance(text, LINE):
        return str if isinstance(text, str) else bytes
    return list


def _is_text(value: Any) -> bool:
    """Whether a value is a list of tokens in any container, and not a token."""
    if type(value) in PLAIN_TYPES or isinstance(value, NO_TEXTS):
        return False
    return is_sized(value) or (is_array(value) and getattr(value, "ndim", 1) != 0)


def token_lists(texts: Sequence[Any], place: Place) -> TokenLists | TokenIds:
    """Texts that hold tokens in any container; ids where one of them is an array."""
    types = set(map(type, texts))
    if types <= LISTS:
        return TokenLists(texts, place)
    if any(hasattr(kind, "to_pylist") for kind in types):
        texts = [tokens_in(text, place.of(number)) for number, text in enumerate(texts)]
    texts = [container_of(text, place.of(number)) for number, text in enumerate(texts)]
    if any(map(is_array, texts)):
        return ids_of_lists(texts, place)
    return TokenLists([text if isinstance(text, (list, tuple)) else list(text) for text in texts], place)


def _check_lengths(lengths: Any, texts: Any, name: str) -> None:
    """:raises ArrayValueError: lengths are given for texts that have their own"""
    if lengths is not None and not is_array(texts):
        raise ArrayValueError(f"lengths are for a 2-D array, and {name} is none, so that each text has its own")


def _with_special(texts: Batch, special: SpecialIds, name: str) -> TokenIds:
    """Texts of ids without padding and what follows their end.

    :raises ArrayValueError: the texts are raw text
    :raises MixedTokensError: the texts are other tokens than ids
    """
    special.check()
    if isinstance(texts, RawTexts):
        raise ArrayValueError(f"{FOR_IDS}, and {name} are raw text")
    if isinstance(texts, TokenLists):
        texts = only_ids(texts, f"{FOR_IDS}: ")
    if special.pad_id is not None or special.eos_id is not None:
        # Moves the bounds in place, which were made for this call; the ids stay the caller's.
        trim(texts.ids, texts.begins, texts.ends, special.pad_id, special.eos_id)
        return TokenIds(texts.ids, texts.begins, texts.ends)  # the backend measures texts when it gets them
    return texts


def check_same_kind(kind: Kind, name: str, other: Kind, name_of_other: str) -> None:
    """:raises MixedTokensError: one is raw text, and the other is not"""
    if "nothing" not in (kind, other) and (kind == "raw text") != (other == "raw text"):
        raise MixedTokensError(f"{name} are {kind}, and {name_of_other} {other}; pass both in one form, or {SPLIT}")


# ----------------------------------------------------------------------------------------------------------- references


def read_references(
    references: Any,
    *,
    texts: Batch | None = None,
    lengths: Any = None,
    special: SpecialIds = NO_IDS,
) -> AnySets:
    """Read the references of segments.

    :param texts: the hypotheses. Without them a list of str has several raw references, and tokens are str at the third level only
    :param lengths: the lengths of the references in an array
    """
    sets: AnySets | None = plain_sets(references, texts) if lengths is None else None
    if sets is None:
        sets = _sets_of_any(references, texts, lengths)
    if special is not NO_IDS and special.given:
        read = _with_special(sets.texts, special, "references")
        if special.unk_id is not None:
            # An unknown token of the hypothesis keeps its id, so that it matches no unknown token of a reference.
            ids = np.where(read.ids == special.unk_id, np.int64(UNKNOWN), read.ids)  # UNKNOWN does not fit int32
            read = TokenIds(ids, read.begins, read.ends)
        sets = Sets(read, np.asarray(sets.bounds, dtype=np.int64))
    # An array of three dimensions can also hold objects, which are read as lists.
    if isinstance(sets.texts, TokenIds) and getattr(references, "ndim", 0) == 3:
        check_none_empty(sets.texts, sets.size)
    return sets


def _sets_of_any(references: Any, texts: Batch | None, lengths: Any) -> AnySets:
    """See :func:`read_references`."""
    references = columns_of_references(references, "references")
    references = ids_of_ragged(references, "references") if isinstance(references, Ragged) else by_position(references)
    _check_lengths(lengths, references, "references")
    sets: AnySets
    if isinstance(references, ReferenceColumns):
        sets = references.sets(None if texts is None else texts.kind)
        if references.one_each and isinstance(sets, ListSets):
            _refuse_raw_references([group[0] for group in sets.sets], texts)
    elif isinstance(references, TokenIds):
        sets = Sets(references, np.arange(references.size + 1, dtype=np.int64))
    elif is_array(references):
        sets = sets_of_array(references, "references", lengths, "reference_lengths", (2, 3))
    else:
        what = "references for each segment" if texts is None else f"references for each segment, {OF_ONE_SEGMENT}"
        sets = _sets_of_list(read_list(references, "references", what), texts)
    if texts is not None and sets.size:
        check_same_kind(texts.kind, "the hypotheses", sets.kind, "references[0]")
    return sets


def _sets_of_list(references: Any, texts: Batch | None) -> AnySets:
    """The references in a list, which has one or several for each segment.

    The depth of a text is 0 if it is a str, and 1 if it has tokens. A deeper entry has several texts.
    """
    raw = (texts is None or isinstance(texts, RawTexts)) and _are_raw(references)
    several = _are_several(references, raw)
    if several is None:
        references, several = _entries(references, texts, raw)
    if not several:
        _refuse_swapped(references, texts)
    # From here on each segment has a list of references, whatever the caller wrote.
    groups = references if several else [[entry] for entry in references]
    kinds = types_within(groups if several else [references])
    if not kinds <= {*LISTS, str, bytes}:
        groups = list(map(_present, groups))
    if several and _are_tuples(kinds) and has_tuples(texts):
        raise MixedTokensError("tokens of hypotheses are tuples, and so are texts of references; pass these as lists")
    counts = list(map(len, groups))
    check_all_have_one(counts, "references")
    # Only token lists stay as they are, because counting checks them.
    if not kinds <= LISTS:
        bounds = list(accumulate(counts, initial=0))
        batch = batch_of(list(chain.from_iterable(groups)), Place("references", bounds if raw or several else None))
        if not isinstance(batch, TokenLists):
            if isinstance(batch, RawTexts):
                _warn_of_words(groups, texts)
            return Sets(batch, array("q", bounds))
        groups = [batch.texts[begin:end] for begin, end in pairwise(bounds)]
    if not several:
        _refuse_raw_references([words for (words,) in groups], texts)
    return ListSets(groups, "references")


def _present(group: Any) -> Any:
    """The references of a segment without missing ones, which an array cannot hold."""
    return group if is_array(group) else [text for text in group if not is_missing(text)]


def _are_several(references: Any, raw: bool) -> bool | None:
    """Whether plain entries of a list may have several references; None for other entries. Much faster than one by one.

    The first item of an entry of tokens decides.
    """
    types = set(map(type, references))
    if types in ({str}, {bytes}):
        return False
    if raw or not types <= LISTS:
        return None
    firsts = {type(entry[0]) for entry in references if entry}
    if firsts == {list}:
        return True
    return False if firsts in ({str}, {int}) else None


def _entries(references: Any, texts: Batch | None, raw: bool) -> tuple[list[Any], bool]:
    """The references of each segment as a text, a list or an array, and whether these may be several."""
    check_all_have_one([not is_missing(entry) for entry in references], "references")
    entries = [_entry(entry, f"references[{number}]") for number, entry in enumerate(references)]
    tuples = has_tuples(texts)
    if tuples:
        _check_tuples(entries, texts)  # type: ignore[arg-type]
    depths = [_depth(entry, tuples) for entry in entries]
    depth_of_text = 0 if raw else 1
    single = [number for number, depth in enumerate(depths) if depth is not None and depth <= depth_of_text]
    several = [number for number, depth in enumerate(depths) if depth is not None and depth > depth_of_text]
    if single and several:
        raise SequenceTypeError(
            f"references[{single[-1]}] is one reference, and references[{several[-1]}] a list of references; "
            "pass a list for each segment"
        )
    # Where no entry shows its depth, all are empty: as entries of tokens they would be empty references.
    if not several and (raw or not single):
        check_all_have_one([isinstance(entry, LINE) for entry in entries], "references")
    return entries, bool(several)


def _entry(entry: Any, place: str) -> Any:
    """The references of a segment as a text, a list or an array."""
    if isinstance(entry, LINE) or type(entry) in LISTS:
        return entry
    if not (_is_text(entry) or is_column(entry)):
        raise SequenceTypeError(f"{place} must be a reference or a list of several, not {described(entry)}")
    return entries_of(entry, place)


def _depth(entry: Any, tuples: bool) -> int | None:
    """How deep the lists of an entry are: 0 for a str, 2 for a list of texts; None if it is empty."""
    if isinstance(entry, LINE):
        return 0
    if is_array(entry):
        return getattr(entry, "ndim", 1) if len(entry) else None
    items = _present(entry)
    # Beside an item that can only be a token, tuples are tokens, too.
    texts = [item for item in items if _is_text(item) and not (tuples and isinstance(item, tuple))]
    of_tokens = len(texts) < len(items) and all(isinstance(text, tuple) for text in texts)
    if not items:
        return None
    return 1 if of_tokens else 2


def check_all_have_one(counts: Sequence[int], name: str) -> None:
    """:raises NoReferencesError: a segment has no reference"""
    if 0 in counts:
        raise NoReferencesError(f"{name}[{counts.index(0)}] has no reference; give at least one for each segment")


def has_tuples(texts: Batch | None) -> bool:
    """Whether a token of the hypotheses is a tuple, so that a tuple among references is a token, too."""
    return isinstance(texts, TokenLists) and _are_tuples(texts.types())


def _are_tuples(kinds: Iterable[type]) -> bool:
    return any(issubclass(kind, tuple) for kind in kinds)


def _nestings(texts: Iterable[Any]) -> set[int]:
    """How deep tuples in the tokens of texts are: 0 for a token that is no tuple, 1 for a tuple that has none."""
    texts = list(texts)
    kinds = types_within(texts)
    if _are_tuples(kinds):
        return set(map(_nesting, chain.from_iterable(texts)))
    return {0} if kinds else set()


def _nesting(token: Any) -> int:
    return 1 + max(map(_nesting, token), default=0) if isinstance(token, tuple) else 0


def _check_tuples(entries: Sequence[Any], texts: TokenLists) -> None:
    """:raises MixedTokensError: tuples of an entry can be references: they are empty, or have tuples like those of the hypotheses"""
    tuples = [item for item in chain.from_iterable(entries) if isinstance(item, tuple)]
    if all(tuples) and _nestings(tuples) <= {0}:
        return
    of_hypotheses = _nestings(texts.texts)
    for number, entry in enumerate(entries):
        if all(isinstance(item, tuple) for item in entry):
            inner = _nestings(entry)
            if inner <= of_hypotheses and (any(inner) or not all(entry)):
                raise MixedTokensError(
                    f"tokens of hypotheses are tuples, and the tuples in references[{number}] can be tokens or references; "
                    "pass each reference as a list: [[token, ...], ...]"
                )


def _are_raw(references: Any) -> bool:
    """Whether the first text in references is raw text, if the hypotheses are, or if there are none."""
    texts = chain.from_iterable(
        [entry] if isinstance(entry, LINE) or not is_sized(entry) else entry for entry in references
    )
    return isinstance(next((text for text in texts if not is_missing(text)), None), LINE)


def _refuse_raw_references(references: Sequence[Any], texts: Batch | None) -> None:
    """:raises MixedTokensError: the only reference of a segment is a list of raw references, and not the tokens of one"""
    # Tokens have no blanks, which one look at all first words together shows faster than a look at each.
    firsts = [words[0] for words in references if words and type(words[0]) is str]
    if not isinstance(texts, TokenLists) or not _has_blank("".join(firsts)):
        return
    for number, (words, hypothesis) in enumerate(zip(references, texts.texts)):
        if words and all(map(_has_blank, words)) and hypothesis and not any(map(_has_blank, hypothesis)):
            raise MixedTokensError(f"references[{number}] holds raw text, and hypotheses[{number}] tokens; {SPLIT}")


def _refuse_swapped(references: Any, texts: Batch | None) -> None:
    """:raises SequenceTypeError: the hypotheses are nested deeper than the references, of which each segment has one"""
    if not isinstance(texts, TokenLists) or not references:
        return
    tokens = texts.texts[0]
    if isinstance(references[0], LINE):
        deeper = any(map(_has_blank, tokens))  # they are texts, and not tokens
    else:
        deeper = bool(tokens) and isinstance(tokens[0], list)
    if deeper:
        raise SequenceTypeError(
            "the hypotheses are nested deeper than the references, so the arguments look swapped; pass the hypotheses first, "
            "then the references"
        )


def _has_blank(text: Any) -> bool:
    return isinstance(text, (str, bytes)) and len(text.split(None, 1)) > 1


def _warn_of_words(groups: Any, texts: Batch | None) -> None:
    """Warn if each segment has several references that look like the tokens of one."""
    if any(len(group) < 2 or not all(group) or any(map(_has_blank, group)) for group in groups):
        return
    if groups and texts is not None and texts.size and all(map(_has_blank, texts.lists())):
        warn_of(
            f"no reference has more than one word, and the first segment has {len(groups[0])} of them, which looks like the tokens "
            "of one reference; pass the reference as a str"
        )


# ---------------------------------------------------------------------------------------- for functions of other tools


def read_lines(values: Any, name: str = "hypotheses", bounds: Sequence[int] | None = None) -> RawTexts:
    """Read a batch of raw texts, of a tool that knows no other kind.

    :param bounds: as for :func:`read_texts`
    :raises SequenceTypeError: they have tokens
    """
    texts = read_texts(values, name, bounds=bounds)
    if isinstance(texts, RawTexts):
        return texts
    if texts.size:
        raise SequenceTypeError(
            f"{Place(name, bounds).of(0)} is {described(texts.lists()[0])}; with tokenize each text must be raw text, a str or "
            "bytes in UTF-8"
        )
    return RawTexts()


def read_sets_of_lines(values: Any, name: str = "references") -> Sets:
    """Read lists of raw references, one list for each segment."""
    columns = columns_of_references(values, name)
    if isinstance(columns, ReferenceColumns):
        return columns.sets("raw text")  # type: ignore[return-value]
    texts, bounds = read_groups(columns, name)
    check_all_have_one([end - begin for begin, end in pairwise(bounds)], name)
    return Sets(read_lines(texts, name, bounds), array("q", bounds))


def read_groups(values: Any, name: str) -> tuple[list[Any], list[int]]:
    """For each segment a list of texts: all texts as the caller gave them, and where those of each segment begin, and the end."""
    what = "texts: [[text] for text in texts] if each segment has one, [texts] if there is one segment"
    groups = [
        read_list(group, f"{name}[{position}]", what)
        for position, group in enumerate(read_list(values, name, "texts for each segment"))
    ]
    return list(chain.from_iterable(groups)), list(accumulate(map(len, groups), initial=0))


def segments_of_lists(references: Any, hypotheses: Any, name: str = "references") -> tuple[Any, Any]:
    """Read references and hypotheses of a function of NLTK's: only what holds the texts becomes a list.

    :param name: of `references`, for messages
    """
    sets = columns_of_references(references, name)
    sets = sets.sets("tokens").lists() if isinstance(sets, ReferenceColumns) else sets
    sets = read_list(sets, name, "lists with the references of one segment each")
    return sets, read_list(hypotheses, "hypotheses", "token lists")
