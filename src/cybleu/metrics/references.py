"""References that are read once for many hypotheses."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from itertools import pairwise
from threading import RLock
from typing import TYPE_CHECKING, Any

from .. import _backend
from .._runtime.scales import counted
from ..stats.prepared import PreparedReferences
from ..stats.references import CountedReferences
from ..text.arrays import SpecialIds
from ..text.corpora import check_same_kind, read_references
from ..text.parsing import parse_raw_references, parse_references
from ..text.raw import Raw, raw_of
from ..text.values import RawReferences, ReferenceLists, TokenIds

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..stats.options import CountOptions
    from ..text.values import Kind, ParsedReferences

__all__ = ["References"]


class References(PreparedReferences):
    """Sets of references that are read once, for any number of hypotheses, metrics and orders. Immutable; threads can share them.

    What a metric makes of them is made once and kept.

    :param references: one or several references for each segment or prompt. A str is a raw reference, and a list of str has
        several of them; an array or a list of integers is one reference of token ids, and a list of these several;
        references of tokens are a list of lists of str for each segment. Columns are read as everywhere
    :param lengths: of the references in a 2-D or 3-D array: integers `(n,)` or `(n, k)`
    :param pad_id: an id that is removed from both ends of references and hypotheses
    :param eos_id: an id before which references and hypotheses end
    :param unk_id: an id that matches nothing, but counts as a token
    :raises CybleuError: one of its subclasses, whose message names the argument and the place

    >>> import cybleu
    >>> references = cybleu.References(["The cat sat.", ["It rains.", "Rain falls."]][1:])
    >>> samples = ["It rains.", "It snows."]
    >>> cybleu.reward_scores(samples, references, owner=[0, 0]).round(3)
    array([1.   , 0.347], dtype=float32)
    >>> cybleu.reward_scores(samples, references, owner=[0, 0], metric="chrf").round(3)
    array([1.   , 0.152], dtype=float32)
    """

    __slots__ = ("_ids", "_lock", "_made", "_sets", "kind")

    kind: Kind  #: ``raw text``, ``tokens`` or ``ids``
    _sets: ParsedReferences
    _ids: SpecialIds
    _made: dict[Any, Any]
    _lock: RLock

    def __init__(
        self,
        references: Any,
        *,
        lengths: Any = None,
        pad_id: int | None = None,
        eos_id: int | None = None,
        unk_id: int | None = None,
    ):
        special = SpecialIds(pad_id, eos_id, unk_id)
        special.check()
        kind, sets = read_references(references)
        if kind == "raw text":
            raw_of("none", lengths=lengths, **special._asdict())  # refuses them
            own: ParsedReferences = _own_lines(parse_raw_references(sets, Raw("none")))
        else:
            own = _own_tokens(parse_references(sets, lengths=lengths), special)
        for name, value in (("kind", kind), ("_sets", own), ("_ids", special), ("_made", {}), ("_lock", RLock())):
            object.__setattr__(self, name, value)

    def __setattr__(self, name: str, value: Any = None) -> None:
        raise AttributeError("References cannot be changed; make another from the changed references")

    __delattr__ = __setattr__

    def __reduce__(self) -> tuple[Any, ...]:
        return partial(References, **self._ids._asdict()), (self.lists(),)

    def __len__(self) -> int:
        """The number of sets."""
        return self._sets.size

    def __repr__(self) -> str:
        return (
            f"<References of {counted(len(self), 'segment')}, {counted(self._sets.texts.size, 'text')} of {self.kind}>"
        )

    def _check(self, kind: Kind) -> None:
        """Check that hypotheses of this kind can be counted.

        :raises MixedTokensError: one side is raw text, and the other is not
        """
        check_same_kind(kind, "the hypotheses", self.kind, "the prepared references")

    def lists(self) -> Any:
        """The references of each segment: str, token lists, or arrays of ids."""
        if isinstance(self._sets, ReferenceLists):
            return self._sets.lists()
        if isinstance(self._sets, RawReferences):
            texts = self._sets.texts.lines.strings()
        else:
            ids, begins, ends = self._sets.texts
            texts = [ids[begin:end] for begin, end in zip(begins.tolist(), ends.tolist())]
        bounds = list(self._sets.bounds)
        return [texts[begin:end] for begin, end in pairwise(bounds)]

    def _raw_sets(self, raw: Raw) -> RawReferences:
        """The raw references as the backend reads them, in lower case if that is wanted."""
        assert isinstance(self._sets, RawReferences)
        if not raw.lowercase:
            return self._sets
        key = raw.lower_block, _backend.BACKEND
        lowered: RawReferences = self._once(key, lambda: parse_raw_references(self.lists(), raw))
        return lowered

    def _counted(self, options: CountOptions, raw: Raw | None) -> CountedReferences:
        """The references as prepared for a number of orders and a rule of their length.

        :param options: of which the special ids are replaced by those of these references
        :param raw: how raw text is tokenised
        """
        ignored = None if options.ignored is None else tuple(options.ignored.texts)
        key = (
            options.max_order,
            options.reference_length,
            ignored,
            raw and (raw.tokenize, raw.lowercase, raw.of_mteval),
            _backend.BACKEND,
        )

        def make() -> CountedReferences:
            sets = self._sets if raw is None else self._raw_sets(raw)
            return CountedReferences(sets, replace(options, special=self._ids), raw)

        found: CountedReferences = self._once(key, make)
        return found

    def _once(self, key: Any, make: Callable[[], Any]) -> Any:
        with self._lock:
            found = self._made.get(key)
            if found is None:
                found = self._made[key] = make()
            return found


def _own_lines(sets: RawReferences) -> RawReferences:
    """The lines in memory of their own, because the memory of columns may be freed."""
    if not sets.in_columns:
        return sets
    lines = _backend.chosen.RawTexts(sets.texts.lines.strings())
    return replace(sets, texts=replace(sets.texts, lines=lines), in_columns=False)


def _own_tokens(sets: ParsedReferences, special: SpecialIds) -> ParsedReferences:
    """Copies, because the caller may change lists and arrays."""
    assert not isinstance(sets, RawReferences)
    if isinstance(sets, ReferenceLists):
        return ReferenceLists([[tuple(text) for text in group] for group in sets.sets], sets.name)
    ids, begins, ends = sets.texts
    return replace(sets, texts=special.trimmed(TokenIds(ids.copy(), begins.copy(), ends.copy())))
