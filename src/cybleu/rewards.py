"""Rewards for reinforcement learning and minimum-risk training, for batches of samples.

Rewards are from 0 to 1. The default metric is sacreBLEU's sentence BLEU.
"""

from __future__ import annotations

import warnings
from collections.abc import Hashable, Sequence
from itertools import chain
from math import inf
from operator import index
from typing import TYPE_CHECKING, Any

from ._definitions.ngrams import ngrams
from ._runtime.arrays import np
from ._runtime.numbers import as_number, check_whole
from ._runtime.parallel import checked_threads
from ._runtime.sequences import by_position, is_missing, is_sized
from .errors import LengthMismatchError, OrderError, SequenceTypeError, UnknownNameError, WeightsError, _printable
from .metrics import find
from .metrics.counting import FEW_EACH
from .metrics.operations import as_shares, check_parts
from .text.ids import SpecialIds
from .text.reading import read_list
from .text.segments import plain_text

if TYPE_CHECKING:
    from numpy.typing import NDArray


__all__ = ["RepetitionPenalty", "Reward", "reward_scores"]


def reward_scores(
    hypotheses: Any,
    references: Any,
    owner: Any = None,
    *,
    metric: Any = "bleu",
    lengths: Any = None,
    reference_lengths: Any = None,
    pad_id: int | None = None,
    eos_id: int | None = None,
    unk_id: int | None = None,
    threads: int | None = None,
    **options: Any,
) -> NDArray[np.float32]:
    """Score each hypothesis against the references of its prompt, from 0 to 1. An empty hypothesis scores 0.

    :param hypotheses: a batch of texts, in any form that :func:`cybleu.rows` accepts
    :param references: the references of each prompt, in any form that :func:`cybleu.rows` accepts, or prepared
        :class:`cybleu.References`. Pass `pad_id`, `eos_id` and `unk_id` to these when you prepare them, not to this
        function
    :param owner: the index of the prompt of each hypothesis; by default, hypothesis i belongs to prompt i. For groups
        of G consecutive hypotheses, use ``numpy.arange(prompts).repeat(G)``
    :param metric: the metric, in any form that :func:`cybleu.metrics.find` accepts, including a dict of names and
        weights. BLEU scores each hypothesis as the tool scores a single sentence
    :param lengths: the lengths of the hypotheses in a 2-D array
    :param reference_lengths: the lengths of the references in an array
    :param pad_id: a padding id, removed from both ends of a text
    :param eos_id: an end id; a text ends before its first occurrence
    :param unk_id: an id that matches nothing, but counts as a token
    :param threads: the number of threads, by default one; it does not affect the result
    :param options: options of the metric, such as ``smoothing="add-k"`` or ``tokenize="zh"``. With BLEU's
        ``brevity_penalty=False``, short hypotheses can score highest
    :return: float32 of shape `(hypotheses,)`, from 0 to 1. For an error rate such as ``ter``, it is 1 minus the rate,
        but at least 0
    :raises UnknownNameError: there is no such metric or option, or the metric has no upper limit, such as NIST
    :raises CybleuError: an argument is invalid; the message names the argument and the position. Arrays on a device
        other than the CPU also raise an error, and are never copied implicitly

    >>> import numpy
    >>> completions = numpy.array([[5, 6, 7, 8, 2, 0], [5, 6, 9, 2, 0, 0], [7, 3, 4, 2, 0, 0], [3, 4, 2, 0, 0, 0]])
    >>> reward_scores(completions, [[5, 6, 7, 8], [3, 4]], owner=[0, 0, 1, 1], pad_id=0, eos_id=2).round(3)
    array([1.   , 0.394, 0.55 , 1.   ], dtype=float32)
    """
    scoring = find(metric, **options).as_reward()
    rows = scoring.rows(
        hypotheses,
        references,
        owner=owner,
        lengths=lengths,
        reference_lengths=reference_lengths,
        pad_id=pad_id,
        eos_id=eos_id,
        unk_id=unk_id,
        threads=threads,
    )
    return as_shares(scoring, scoring.evaluate_rows(rows)).astype(np.float32)


class Reward:
    """Wrap :func:`reward_scores` as a reward function for TRL's trainers (GRPO, RLOO). TRL is not imported.

    TRL calls it with a flat batch: `completions`, each a str or a list of chat messages, `completion_ids`, and one list
    for each column of the dataset. Messages with the role ``assistant`` or without a role are joined with line breaks
    and scored. Messages of other roles, such as users and tools, are ignored. The content of a message is a str, None,
    or a list of text parts. Each row of the reference column has a str, a list of token ids, or a list of either. If it
    has token ids, `completion_ids` are scored. A call returns a list of floats from 0 to 1, one for each completion.
    None, NaN and empty references are left out. If a row has no other, its reward is None, which TRL ignores, and the
    first such row issues a warning. TRL leaves the end token in `completion_ids`, so pass its id as `eos_id`; the first
    call in which all completions end with an id with which no reference ends issues a warning. Options are validated
    when the object is created.

    :param metric: the metric: a name, a dict of names and weights, or another form that :func:`cybleu.metrics.find`
        accepts
    :param column: the dataset column that contains the references
    :param name: the `__name__` of the object, under which trainers log the reward; by default the metric and the
        column, such as ``bleu_references``
    :param missing: the reward of a completion without a reference; None to leave it out
    :param pad_id: a padding id, removed from both ends of a text
    :param eos_id: an end id; a text ends before its first occurrence
    :param unk_id: an id that matches nothing, but counts as a token
    :param threads: the number of threads, by default one; it does not affect the result
    :param options: options of the metric, such as ``smoothing="add-k"`` or ``tokenize="zh"``
    :raises UnknownNameError: there is no such metric, option or smoothing

    >>> reward = Reward(column="reference", tokenize=str.split)
    >>> reward(
    ...     prompts=["p", "p"], completions=["the cat sat", "a cat"], completion_ids=[[1], [2]], reference=["the cat sat"] * 2
    ... )
    [1.0, 0.30326...]
    """

    def __init__(
        self,
        metric: Any = "bleu",
        column: str = "references",
        *,
        name: str | None = None,
        missing: float | None = None,
        pad_id: int | None = None,
        eos_id: int | None = None,
        unk_id: int | None = None,
        threads: int | None = None,
        **options: Any,
    ):
        ids = SpecialIds(pad_id, eos_id, unk_id)
        ids.check()
        self.metric = find(metric, **options)
        self.metric.as_reward()
        check_parts(self.metric)
        self.column = column
        self.missing = missing
        self.ids = ids._asdict()
        checked_threads(threads)
        self.threads = threads
        label = metric.replace(":", "_") if isinstance(metric, str) else self.metric.name
        self.__name__ = f"{label}_{column}" if name is None else str(name)  # under which trainers log it
        self._warned = False
        self._warned_of_end = False

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.__name__}: {self.metric.of_sentences().signature}>"

    def __call__(
        self, prompts: Any = None, completions: Any = None, completion_ids: Any = None, **columns: Any
    ) -> list[float | None]:
        if self.column not in columns:
            raise UnknownNameError(
                f"there is no column {self.column!r} with references; the dataset's columns here are "
                f"{', '.join(map(repr, columns)) or 'none'}. Name the right one: Reward(column=...)"
            )
        column = columns[self.column]
        if _are_plain(completions, column):
            return self._rewards(completions, column, {})
        column = read_list(column, self.column, "references for each completion")
        are_empty = list(map(_is_empty, column))
        if any(are_empty):
            self._warn_once(are_empty.index(True))
        there = [place for place, is_empty in enumerate(are_empty) if not is_empty]
        groups = [self._references(column[place], place) for place in there]
        of_ids = bool(groups) and not isinstance(groups[0][0], str)
        hypotheses: Any
        if of_ids:
            hypotheses = read_list(completion_ids, "completion_ids", "token ids")
        else:
            texts = read_list(completions, "completions", "texts")
            hypotheses = [_text_of(text, position) for position, text in enumerate(texts)]
        if len(column) != len(hypotheses):
            raise LengthMismatchError(
                f"{'completion_ids' if of_ids else 'completions'} has length {len(hypotheses)}, but the column "
                f"{self.column!r} has length {len(column)}; each completion requires its references"
            )
        scored = [hypotheses[place] for place in there]
        scores = self._rewards(scored, groups, self.ids if of_ids else {})
        if of_ids:
            self._warn_of_end(scored, groups)
        of_scored = iter(scores)
        return [self.missing if is_empty else next(of_scored) for is_empty in are_empty]

    def _rewards(self, hypotheses: Any, references: Sequence[Any], of_ids: dict[str, Any]) -> list[Any]:
        """Score hypotheses that have references: each a str, or several in a list or tuple."""
        owner = None
        # Of fewer, looking for equal references takes longer than reading them again.
        if len(references) > FEW_EACH:  # a row of the dataset comes once for each of its completions
            numbers: dict[Any, int] = {}
            keys = [group if isinstance(group, str) else tuple(group) for group in references]
            owner = [numbers.setdefault(key, len(numbers)) for key in keys]
            references = list(numbers)
        metric = self.metric.as_reward()
        rows = metric.rows(hypotheses, references, owner=owner, threads=self.threads, **of_ids)
        return as_shares(metric, metric.evaluate_rows(rows)).astype(np.float32).tolist()  # type: ignore[no-any-return]

    def _warn_once(self, position: int) -> None:
        if not self._warned:
            self._warned = True
            treated = "left out" if self.missing is None else f"given the reward {self.missing}"
            warnings.warn(
                f"{self.column}[{position}] has no reference, so the completion is {treated}; later ones are not "
                "reported",
                stacklevel=3,
            )

    def _warn_of_end(self, completions: Sequence[Any], sets: Sequence[Any]) -> None:
        """Warn once if all completions end with an id with which no reference ends, as TRL leaves the end token in them."""
        if self._warned_of_end or self.ids["eos_id"] is not None or len(completions) < 2:
            return
        if not all(len(ids) > 0 and ids[-1] == completions[0][-1] for ids in completions):
            return
        end = int(completions[0][-1])
        if end != self.ids["pad_id"] and not any(ids[-1:] == (end,) for ids in chain.from_iterable(sets)):
            self._warned_of_end = True
            warnings.warn(
                f"every completion ends with the id {end}, and no reference does, so none is a perfect match; if it is the "
                f"end token, pass eos_id={end}. Later calls are not reported",
                stacklevel=3,
            )

    def _references(self, group: Any, position: int) -> tuple[Any, ...]:
        """The references of a row, str or tuples of ids."""
        group = by_position(group)
        if isinstance(group, (dict, set)) or not is_sized(group):
            raise SequenceTypeError(
                f"{self.column}[{position}] must be a str, token ids, or a list of either, not {type(group).__name__}"
            )
        single = isinstance(group, str) or (len(group) > 0 and hasattr(next(iter(group)), "__index__"))
        texts = [group] if single else [text for text in group if not _is_empty(text)]
        if any(isinstance(text, (bytes, bytearray)) for text in texts):  # which hold integers, too
            raise SequenceTypeError(f"{self.column}[{position}] has a reference of type bytes; decode it")
        try:
            return tuple(text if isinstance(text, str) else tuple(map(index, text)) for text in texts)
        except TypeError as error:
            raise SequenceTypeError(
                f"{self.column}[{position}] has a reference that is neither a str nor a list of token ids: {error}"
            ) from None


class RepetitionPenalty:
    """Penalise repeated n-grams, with the values of ``get_repetition_penalty_reward`` of TRL 1.7 and later.

    The reward of a completion is the fraction of its n-grams that repeat an earlier one, multiplied by the penalty (Yeo
    et al. 2025, "Demystifying Long Chain-of-Thought Reasoning in LLMs", appendix C.2). A completion that is too short
    for an n-gram has the reward 0.0.

    :param ngram_size: the n-gram order, at least 1
    :param max_penalty: the reward if all n-grams were repeated, at most 0
    :raises OrderError: the order is not a whole number from 1
    :raises WeightsError: the penalty is not a finite number of at most 0

    >>> penalty = RepetitionPenalty(ngram_size=2)
    >>> penalty(completion_ids=[[1, 2, 3, 4], [5, 5, 5, 5, 5]])
    [0.0, -0.75]
    """

    def __init__(self, ngram_size: int = 3, max_penalty: float = -1.0):
        check_whole(ngram_size, "ngram_size", 1, error=OrderError)
        if not -inf < as_number(max_penalty) <= 0:
            raise WeightsError(f"max_penalty is {max_penalty!r}; it must be a finite number of at most 0")
        self.ngram_size = ngram_size
        self.max_penalty = max_penalty
        self.__name__ = "repetition_penalty_reward"  # under which trainers log it

    def __repr__(self) -> str:
        return f"{type(self).__name__}(ngram_size={self.ngram_size}, max_penalty={self.max_penalty!r})"

    def __call__(
        self, prompts: Any = None, completions: Any = None, completion_ids: Any = None, **columns: Any
    ) -> list[float]:
        # numbers of any kind, as TRL accepts
        rows = completion_ids.tolist() if hasattr(completion_ids, "tolist") else completion_ids
        texts = read_list(rows, "completion_ids", "token ids")
        return [self._penalty(plain_text(text, f"completion_ids[{place}]")) for place, text in enumerate(texts)]

    def _penalty(self, ids: Sequence[Hashable]) -> float:
        count = len(ids) - self.ngram_size + 1
        if count < 1:
            return 0.0
        repeated = 1 - len(set(ngrams(ids, self.ngram_size))) / count
        return repeated * self.max_penalty if repeated else 0.0


def _are_plain(completions: Any, column: Any) -> bool:
    """Whether these are lists of str, or of lists of str for the references, none of which is missing or empty."""
    if type(column) is not list or type(completions) is not list or len(column) != len(completions):
        return False
    references = list(chain.from_iterable(column)) if set(map(type, column)) == {list} else column
    return set(map(type, completions)) == set(map(type, references)) == {str} and "" not in references and all(column)


def _is_empty(group: Any) -> bool:
    """Whether these are no references: None, NaN, an empty str or list, or a list of those."""
    group = by_position(group)
    if is_missing(group):
        return True
    if isinstance(group, (str, bytes)) or not (hasattr(group, "__len__") and hasattr(group, "__iter__")):
        return group in ("", b"")
    return len(group) == 0 or (isinstance(group, (list, tuple)) and all(map(_is_empty, group)))


def _text_of(completion: Any, position: int) -> str:
    """The text of a completion, which may be a list of chat messages, of which only those of the assistant are scored."""
    if isinstance(completion, str):
        return completion
    if isinstance(completion, list) and all(isinstance(message, dict) for message in completion):
        roles = [message.get("role") or "assistant" for message in completion]
        if roles and "assistant" not in roles:
            raise SequenceTypeError(
                f"completions[{position}] has no message with the role 'assistant', and only these are scored; the "
                f"first role is {_printable(repr(roles[0]), 80)}"
            )
        generated = [message for message, role in zip(completion, roles) if role == "assistant"]
        contents = [_content(message.get("content"), position) for message in generated]
        return "\n".join(content for content in contents if content is not None)
    raise SequenceTypeError(
        f"completions[{position}] must be a str or a list of chat messages, not {type(completion).__name__}"
    )


def _content(content: Any, position: int) -> str | None:
    """The text of a message: a str, parts of text, or none, as where a tool is called."""
    if content is None or isinstance(content, str):
        return content
    parts = content if isinstance(content, (list, tuple)) else [content]
    texts: list[str] = []
    for part in parts:
        text = part.get("text") if isinstance(part, dict) and part.get("type") == "text" else None
        if not isinstance(text, str):
            raise SequenceTypeError(
                f"completions[{position}] has a message with {_printable(repr(part), 80)}; only a str or a list of "
                "parts of "
                'text, {"type": "text", "text": ...}, can be scored'
            )
        texts.append(text)
    return "".join(texts)
