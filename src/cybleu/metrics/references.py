"""References that are read once for many hypotheses."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from threading import RLock
from typing import Any

from .._runtime.lazy_arrays import Integers, np
from ..errors import ArrayValueError, MixedTokensError
from ..text.batches import Batch, Corpus, Kind, ListSets, Made, Sets, TokenIds
from ..text.ids import SpecialIds, ids_of_tokens, owners_given
from ..text.reading import check_same_kind, has_tuples, read_references, read_texts


class References:
    """Sets of references that are read once, for any number of hypotheses, metrics and orders. Immutable; threads can share them.

    What a metric prepares from them is computed once and cached.

    :param references: one or several references for each segment or prompt. A str is one raw reference, and a list of
        str is several. An array or a list of integers is one reference of token ids, and a list of these is several. A
        list of lists of str is several references of tokens. Columns of frames are accepted, as for :func:`cybleu.rows`
    :param lengths: the lengths of the references in a 2-D or 3-D array: integers `(n,)` or `(n, k)`
    :param pad_id: an id that is removed from both ends of references and hypotheses
    :param eos_id: an id before which references and hypotheses end
    :param unk_id: an id that matches nothing, but counts as a token
    :raises CybleuError: an argument is invalid; the message names the argument and the position

    >>> import cybleu
    >>> references = cybleu.References(["The cat sat.", ["It rains.", "Rain falls."]][1:])
    >>> samples = ["It rains.", "It snows."]
    >>> cybleu.reward_scores(samples, references, owner=[0, 0]).round(3)
    array([1.   , 0.347], dtype=float32)
    >>> cybleu.reward_scores(samples, references, owner=[0, 0], metric="chrf").round(3)
    array([1.   , 0.152], dtype=float32)
    """

    __slots__ = ("_has_tuples", "_ids", "_kind", "_lock", "_made", "_sets")

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
        sets = read_references(references, lengths=lengths, special=special)
        self._has_tuples = False
        # copies of lists and arrays, which the caller may change
        if isinstance(sets, ListSets):
            ids = ids_of_tokens(sets.texts)
            if ids is not None and len(ids.ids):
                sets = Sets(ids, np.array(sets.bounds, dtype=np.int64))
            else:
                self._has_tuples = any(isinstance(text, tuple) for text in sets.texts.texts)
                sets = ListSets([[tuple(text) for text in group] for group in sets.sets], sets.name)
        elif isinstance(sets.texts, TokenIds):
            texts = sets.texts
            sets = Sets(TokenIds(texts.ids.copy(), texts.begins.copy(), texts.ends.copy()), sets.bounds)
        self._sets = sets
        self._ids = special
        self._kind: Kind = sets.kind if sets.size else "nothing"
        self._made: dict[Any, Any] = {}
        self._lock = RLock()

    def __reduce__(self) -> tuple[Any, ...]:
        return partial(References, **self._ids._asdict()), (self.lists(),), (None, {"_has_tuples": self._has_tuples})

    def __len__(self) -> int:
        """The number of sets."""
        return self._sets.size

    @property
    def kind(self) -> Kind:
        """``raw text``, ``tokens`` or ``ids``; ``nothing`` if there are no sets."""
        return self._kind

    def lists(self) -> Any:
        """The references of each segment: str, or lists of tokens or ids."""
        return self._sets.lists()

    def corpus(self, hypotheses: Any, owner: Any = None, *, lengths: Any = None, **of_ids: Any) -> Corpus:
        """Read hypotheses for these references.

        :param hypotheses: a batch of texts of the kind of the references
        :param owner: for each hypothesis the index of its references; by default hypothesis i has references i
        :param lengths: the lengths of the hypotheses in a 2-D array
        :param of_ids: must be empty: the references already have `pad_id`, `eos_id` and `unk_id`
        :raises ArrayValueError: another argument for token ids is given
        :raises MixedTokensError: one side is raw text, and the other is not; or hypotheses have tuples as tokens, and
            references that were tuples were read as texts
        """
        for name in of_ids:
            raise ArrayValueError(f"{name} is for token ids, and the references are prepared; prepare them with it")
        texts = read_texts(hypotheses, "hypotheses", lengths=lengths, special=self._ids)
        check_same_kind(
            texts.kind if texts.size else "nothing", "the hypotheses", self._kind, "the prepared references"
        )
        # Where hypotheses have tuples, a reference that was one can be a token itself.
        if self._has_tuples and has_tuples(texts):
            raise MixedTokensError(
                "tokens of hypotheses are tuples, and the tuples in the prepared references can be tokens or references; "
                "prepare each reference as a list: References([[[token, ...], ...], ...])"
            )
        return self.corpus_of(texts, owners_given(owner, self._sets, texts.size))

    def corpus_of(self, texts: Batch, owners: Integers | None) -> Corpus:
        """Return the corpus of hypotheses that have been read.

        :param texts: the hypotheses
        :param owners: for each text the index of its references; None if text i has references i
        """
        return Corpus(texts, self._sets, owners, self._once)

    def _once(self, key: Any, make: Callable[[], Made]) -> Made:
        # Under the lock, so that threads that ask at the same time prepare the references once.
        with self._lock:
            if key not in self._made:
                self._made[key] = make()
            return self._made[key]  # type: ignore[no-any-return]
