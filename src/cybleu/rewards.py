"""BLEU as a reward for reinforcement learning and minimum-risk training, for batches of samples.

Rewards are from 0 to 1, by sacreBLEU's definition of sentence BLEU unless you give another metric.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from math import inf
from operator import index
from typing import TYPE_CHECKING, Any

from ._runtime.arrays import np
from ._runtime.numbers import as_number, check_whole
from ._runtime.sequences import by_position
from ._runtime.state import ArgumentState, check_names
from .errors import (
    LengthMismatchError,
    NoReferencesError,
    OrderError,
    RewardColumnError,
    SequenceTypeError,
    WeightsError,
    printable,
)
from .metrics import find, of_text
from .text.arrays import separate_output
from .text.parsing import parse_list, parse_texts
from .text.raw import check_tokenizer

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from .metrics import Metric, Variant

__all__ = ["BleuReward", "RepetitionPenalty", "bleu_rewards"]


def bleu_rewards(
    references: Any,
    hypotheses: Any,
    owner: Any = None,
    *,
    lengths: Any = None,
    reference_lengths: Any = None,
    pad_id: int | None = None,
    eos_id: int | None = None,
    unk_id: int | None = None,
    metric: str | Metric | Variant | None = None,
    brevity_penalty: bool = True,
    out: Any = None,
    threads: int | None = None,
    tokenize: str | Callable[[str], Sequence[Hashable]] | None = None,
    lowercase: bool = False,
    **choices: Any,
) -> NDArray[np.float32]:
    """Sentence BLEU of each hypothesis against the references of its prompt. An empty hypothesis has 0.

    :param references: the references of each prompt, in any form that :mod:`cybleu.stats` describes; or prepared
        :class:`cybleu.References`, which were then given `pad_id`, `eos_id` and `unk_id`. For ``chrf`` they are raw text
    :param hypotheses: a batch of texts, in any form that :mod:`cybleu.stats` describes
    :param owner: for each hypothesis the index of its prompt; by default hypothesis i has prompt i. If G hypotheses for
        each prompt follow one another, it is ``numpy.arange(prompts).repeat(G)``
    :param lengths: of the hypotheses in a 2-D array
    :param reference_lengths: of the references in an array
    :param pad_id: an id that is removed from both ends of a text
    :param eos_id: a text stops before the first one
    :param unk_id: an id that matches nothing, but counts as a token
    :param metric: as for :func:`cybleu.metrics.find`, by default ``sacrebleu``; it scores as the tool scores single sentences
    :param brevity_penalty: False leaves out the brevity penalty; then short hypotheses can be the best. Only BLEU has
        it
    :param out: an array to write into, float32, contiguous, with one entry for each hypothesis; it must not overlap the
        input
    :param threads: how many threads work at the same time; None is one. The rewards are the same
    :param tokenize: the texts are raw text, str or bytes in UTF-8, and this says how to split them: a name that
        :func:`cybleu.text.tokenizer` knows, or a function from a str to its tokens. Metrics of raw text, such as
        ``chrf``, take str or bytes without it
    :param lowercase: put raw text in lower case first
    :param choices: of :class:`cybleu.metrics.Bleu`, for example ``smoothing="add-k"``
    :return: float32 of shape `(hypotheses,)`, from 0 to 1; for an error rate such as ``ter`` 1 minus the rate, or 0 where
        the rate is above 1
    :raises CybleuError: one of its subclasses, whose message names the argument and the place. An array on a device
        other than the CPU is an error, too; it is never copied implicitly

    >>> import numpy
    >>> completions = numpy.array([[5, 6, 7, 8, 2, 0], [5, 6, 9, 2, 0, 0], [7, 3, 4, 2, 0, 0], [3, 4, 2, 0, 0, 0]])
    >>> bleu_rewards([[[5, 6, 7, 8]], [[3, 4]]], completions, owner=[0, 0, 1, 1], pad_id=0, eos_id=2).round(3)
    array([1.   , 0.394, 0.55 , 1.   ], dtype=float32)
    """
    found = find(metric, **choices).for_rewards(brevity_penalty)
    arrays: dict[str, Any] = {"owner": owner, "lengths": lengths, "reference_lengths": reference_lengths}
    settings: dict[str, Any] = {"pad_id": pad_id, "eos_id": eos_id, "unk_id": unk_id, "threads": threads}
    settings |= {"tokenize": tokenize, "lowercase": lowercase or None, **arrays}
    given = {name: value for name, value in settings.items() if value is not None}
    rows = found.rows(references, hypotheses, **given)
    scores = found.formula(rows.shape[1]).score_rows(rows)
    arrays |= {"hypotheses": hypotheses, "references": references}
    rewards = separate_output(out, (len(rows),), np.float32, **arrays)
    if not found.higher_is_better:
        scores = np.maximum(found.scale - scores, 0.0)
    np.divide(scores, found.scale, out=rewards, casting="same_kind")
    return rewards


class BleuReward(ArgumentState):
    """:func:`bleu_rewards` as a reward function for TRL's trainers (GRPO, RLOO), which it does not import.

    TRL calls it with a flat batch: `completions`, each a str or a list of chat messages, `completion_ids`, and one list
    for each column of the dataset. Of the messages, those of the role ``assistant`` or without a role are scored, with a
    line break between them; those of others, such as users and tools, are left out. The content of a message may be
    None, or a list of parts, which must all be text. In each row the column of references has a str, a list of token
    ids, or a list of either. A call returns a list of floats from 0 to 1, one for each completion.

    :param column: the column of the dataset that has the references
    :param tokenize: how to split a str into tokens: a name that :func:`cybleu.text.tokenizer` knows, such as ``13a``,
        or a function from a str to its tokens. None scores `completion_ids`; the references are then token ids. A
        metric of raw text, such as ``chrf``, has no tokens and ignores this, so leave it as it is
    :param lowercase: put the texts in lower case first
    :param arguments: further arguments of :func:`bleu_rewards`, for example ``smoothing="add-k"`` or ``eos_id``

    >>> reward = BleuReward(column="reference", tokenize=str.split)
    >>> reward(
    ...     prompts=["p", "p"], completions=["the cat sat", "a cat"], completion_ids=[[1], [2]], reference=["the cat sat"] * 2
    ... )
    [1.0, 0.30326...]
    """

    def __init__(
        self,
        column: str = "references",
        tokenize: str | Callable[[str], Sequence[Hashable]] | None = "13a",
        lowercase: bool = False,
        **arguments: Any,
    ):
        self.column = column
        self.__name__ = f"bleu_{column}"  # under which trainers log it
        check_tokenizer(tokenize, lowercase)
        self._tokenize = tokenize
        self._lowercase = lowercase
        self._arguments = arguments
        metric = arguments.get("metric")
        find(metric).check_parts()
        self._of_raw_text = metric is not None and find(metric).of_raw_text
        if self._of_raw_text and tokenize != "13a":
            of_text(find(metric), "ids" if tokenize is None else tokenize)

    def __getstate__(self) -> dict[str, Any]:
        options = {"column": self.column, "tokenize": self._tokenize, "lowercase": self._lowercase}
        return {"options": {**options, **self._arguments}, "name": self.__name__}

    def _restore(self, state: Any) -> None:
        check_names(state, ("options", "name"))
        self.__init__(**state["options"])  # type: ignore[misc]
        self.__name__ = str(state["name"])

    def __repr__(self) -> str:
        lowercase = {"lowercase": True} if self._lowercase else {}
        arguments = {"column": self.column, "tokenize": self._tokenize, **lowercase, **self._arguments}
        return f"{type(self).__name__}({', '.join(f'{name}={value!r}' for name, value in arguments.items())})"

    def __call__(
        self, prompts: Any = None, completions: Any = None, completion_ids: Any = None, **columns: Any
    ) -> list[float]:
        if self.column not in columns:
            raise RewardColumnError(
                f"there is no column {self.column!r} with references; the dataset's columns here are "
                f"{', '.join(map(repr, columns)) or 'none'}. Name the right one: BleuReward(column=...)"
            )
        column = parse_list(columns[self.column], self.column, "references for each completion")
        hypotheses: Any
        if self._tokenize is None:
            name, hypotheses = "completion_ids", parse_texts(completion_ids, "completion_ids")
            count = hypotheses.size
        else:
            name, texts = "completions", parse_list(completions, "completions", "texts")
            hypotheses = [_text_of(text, position) for position, text in enumerate(texts)]
            count = len(texts)
        if len(column) != count:
            raise LengthMismatchError(
                f"the length of {name} is {count}, and that of the column {self.column!r} is "
                f"{len(column)}; each completion needs its references"
            )
        numbers: dict[tuple[Any, ...], int] = {}  # a row of the dataset comes once for each of its completions
        owner = [
            numbers.setdefault(self._references(group, position), len(numbers)) for position, group in enumerate(column)
        ]
        sets = [list(group) for group in numbers]
        tokenize = None if self._of_raw_text else self._tokenize
        arguments = {**self._arguments, "tokenize": tokenize, "lowercase": self._lowercase}
        return [float(reward) for reward in bleu_rewards(sets, hypotheses, owner, **arguments)]

    def _references(self, group: Any, position: int) -> tuple[Any, ...]:
        """The references of a row, str or tuples of ids."""
        group = by_position(group)
        if isinstance(group, dict) or not hasattr(group, "__getitem__"):
            raise SequenceTypeError(
                f"{self.column}[{position}] must be a str, token ids, or a list of either, not {type(group).__name__}"
            )
        single = isinstance(group, str) or (len(group) > 0 and hasattr(next(iter(group)), "__index__"))
        texts = [group] if single else list(group)
        if not texts:
            raise NoReferencesError(f"{self.column}[{position}] has no reference; give at least one")
        for text in texts:
            of_ids = self._tokenize is None
            fits = hasattr(text, "__getitem__") if of_ids else isinstance(text, str)
            if not fits or (of_ids and isinstance(text, (str, bytes, bytearray))):
                raise SequenceTypeError(
                    f"{self.column}[{position}] has a {type(text).__name__} as a reference; "
                    + (
                        "with tokenize=None it must be token ids; give tokenize= to score texts"
                        if of_ids
                        else "it must be a str"
                    )
                )
        try:
            return tuple(text if isinstance(text, str) else tuple(map(index, text)) for text in texts)
        except TypeError as error:
            raise SequenceTypeError(f"{self.column}[{position}] has a token that is no id: {error}") from None


class RepetitionPenalty(ArgumentState):
    """Penalise repeated n-grams, with the values of ``get_repetition_penalty_reward`` of TRL 1.7 and later.

    The reward of a completion is the share of its n-grams that repeat an earlier one, times the penalty (Yeo and others 2025,
    "Demystifying Long Chain-of-Thought Reasoning in LLMs", appendix C.2). A completion with fewer tokens than one n-gram has 0.0.

    :param ngram_size: the n-gram order, from 1
    :param max_penalty: the reward of a completion that repeats only, at most 0
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

    def _argument_names(self) -> tuple[str, ...]:
        return "ngram_size", "max_penalty"

    def __repr__(self) -> str:
        return f"{type(self).__name__}(ngram_size={self.ngram_size}, max_penalty={self.max_penalty!r})"

    def __call__(
        self, prompts: Any = None, completions: Any = None, completion_ids: Any = None, **columns: Any
    ) -> list[float]:
        texts: Any = parse_texts(completion_ids, "completion_ids")
        return list(map(self._penalty, texts.lists()))

    def _penalty(self, ids: Sequence[Hashable]) -> float:
        count = len(ids) - self.ngram_size + 1
        if count < 1:
            return 0.0
        repeated = 1 - len(set(zip(*(ids[start:] for start in range(self.ngram_size))))) / count
        return repeated * self.max_penalty if repeated else 0.0


def _text_of(completion: Any, position: int) -> str:
    """The text of a completion, which may be a list of chat messages, of which only those of the assistant are scored."""
    if isinstance(completion, str):
        return completion
    if isinstance(completion, list) and all(isinstance(message, dict) for message in completion):
        roles = [message.get("role") or "assistant" for message in completion]
        if roles and "assistant" not in roles:
            raise SequenceTypeError(
                f"completions[{position}] has no message of the role 'assistant', which alone is scored; the first is "
                f"{printable(repr(roles[0]), 80)}"
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
    if not isinstance(content, (list, tuple)):
        raise SequenceTypeError(
            f"completions[{position}] has a message whose content is a {type(content).__name__}; only a str or a list "
            "of parts of text can be scored"
        )
    texts = []
    for part in content:
        if not isinstance(part, dict):
            raise SequenceTypeError(
                f"completions[{position}] has a part that is a {type(part).__name__}; it must be "
                '{"type": "text", "text": ...}'
            )
        if part.get("type") != "text" or not isinstance(part.get("text"), str):
            found = f"{part.get('type')!r}"[:80]
            if part.get("type") == "text":
                found += f" whose text is a {type(part.get('text')).__name__}"
            raise SequenceTypeError(
                f"completions[{position}] has a part of the type {found}; only parts of text can be scored"
            )
        texts.append(part["text"])
    return "".join(texts)
