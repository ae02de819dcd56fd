"""The metrics ``bleu``, ``sacrebleu``, ``google_bleu`` and ``chrf`` of Hugging Face's `evaluate`, without loading anything."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from inspect import signature
from itertools import zip_longest
from typing import Any

from ..errors import (
    EmptyCorpusError,
    EmptyHypothesisError,
    LengthMismatchError,
    NoReferencesError,
    SequenceTypeError,
    UnknownNameError,
)
from ..gleu_score import corpus_gleu
from ..metrics import Bleu
from ..text import tokenizer as tokenizer_of

Tokenizer = Callable[[str], Sequence[Any]]
Documents = list[list[Any]]


def load(name: str) -> EvaluationModule:
    """A metric with the interface and the results of ``evaluate.load(name)``.

    :param name: ``bleu``, ``sacrebleu``, ``google_bleu`` or ``chrf``
    :raises UnknownNameError: cybleu does not have this metric

    >>> bleu = load("bleu")
    >>> result = bleu.compute(predictions=["the cat sat down"], references=[["the cat sat down", "a cat"]])
    >>> result["bleu"], result["reference_length"]
    (1.0, 2)
    """
    if name not in _COMPUTE:
        raise UnknownNameError(f"unknown metric {name!r}; use one of {', '.join(_COMPUTE)}")
    return EvaluationModule(name)


class EvaluationModule:
    """A metric with the interface of `evaluate`: add texts, then compute their score.

    :param name: as for :func:`load`

    >>> chrf = EvaluationModule("chrf")
    >>> chrf.add(prediction="the cat", reference=["a cat"])
    >>> chrf.add_batch(predictions=["it rains"], references=["it rains"])
    >>> chrf.compute(word_order=2)
    {'score': 81.84..., 'char_order': 6, 'word_order': 2, 'beta': 2}
    """

    def __init__(self, name: str):
        self.name = name
        self._predictions: list[str] = []
        self._references: list[str | list[str]] = []

    def __len__(self) -> int:
        """How many texts were added since the last score."""
        return len(self._predictions)

    def add(self, *, prediction: str, reference: str | Sequence[str]) -> None:
        """Add one text.

        :param prediction: a str
        :param reference: a str, or a list of them
        """
        self.add_batch(predictions=[prediction], references=[reference])

    def add_batch(self, *, predictions: Sequence[str], references: Sequence[str | Sequence[str]]) -> None:
        """Add texts.

        :param predictions: the texts, a list of str
        :param references: for each text a str, or for each text a list of str
        :raises LengthMismatchError: there are not as many references as predictions
        :raises SequenceTypeError: one of them is something else
        :raises NoReferencesError: a text has no reference
        """
        given = _list(predictions, "predictions"), _list(references, "references")
        if len(given[0]) != len(given[1]):
            raise LengthMismatchError(
                f"there are {len(given[0])} predictions and {len(given[1])} references; give one, or a list, for each"
            )
        for position, text in enumerate(given[0]):
            if not isinstance(text, str):
                raise SequenceTypeError(f"predictions[{position}] is a {type(text).__name__}; it must be a str")
        for position, group in enumerate(given[1]):
            texts = [group] if isinstance(group, str) else _list(group, f"references[{position}]")
            if not texts:
                raise NoReferencesError(f"references[{position}] has no reference; give at least one")
            for text in texts:
                if not isinstance(text, str):
                    raise SequenceTypeError(f"references[{position}] holds a {type(text).__name__}; it must hold str")
            self._references.append(texts)
        self._predictions += given[0]

    def compute(
        self,
        *,
        predictions: Sequence[str] | None = None,
        references: Sequence[str | Sequence[str]] | None = None,
        **options: Any,
    ) -> dict[str, Any]:
        """Score all texts that were added, and forget them.

        :param predictions: texts to add first
        :param references: the references of these texts
        :param options: the options of the metric. ``bleu`` takes `tokenizer`, `max_order` and `smooth`; ``google_bleu``
            takes `tokenizer`, `min_len` and `max_len`; ``sacrebleu`` takes `smooth_method`, `smooth_value`, `force`,
            `lowercase`, `tokenize` and `use_effective_order`; ``chrf`` takes `char_order`, `word_order`, `beta`,
            `lowercase`, `whitespace` and `eps_smoothing`. ``sacrebleu`` and ``chrf`` need sacreBLEU
        :return: the dict that `evaluate` returns, on its scale: from 0 to 1 for ``bleu`` and ``google_bleu``, from 0 to
            100 for ``sacrebleu`` and ``chrf``
        :raises TypeError: the metric has no such option; the texts are not forgotten then
        :raises EmptyCorpusError: there are no texts
        :raises EmptyHypothesisError: with ``bleu``: all predictions, or all references, are empty
        """
        _, _, *names = signature(_COMPUTE[self.name]).parameters
        for name in options:
            if name not in names:
                raise TypeError(
                    f"compute() got an unexpected keyword argument {name!r}; the metric {self.name} takes {', '.join(names)}"
                )
        if predictions is not None or references is not None:
            self.add_batch(
                predictions=() if predictions is None else predictions,
                references=() if references is None else references,
            )
        texts, groups = self._predictions, self._references
        self._predictions, self._references = [], []
        if not texts:
            raise EmptyCorpusError("there is no text to score; give predictions with their references")
        return _COMPUTE[self.name](texts, groups, **options)


def _list(values: Any, name: str) -> list[Any]:
    if isinstance(values, (str, bytes)) or not hasattr(values, "__iter__"):
        raise SequenceTypeError(f"{name} is a {type(values).__name__}; give a list")
    return list(values)


def _tokens(tokenizer: Tokenizer | None) -> Tokenizer:
    if tokenizer is not None:
        return tokenizer
    tokens_of = tokenizer_of("13a")

    def tokens(line: str) -> list[str]:
        # white space at the end is not taken off first there: it may follow a hyphen, and then both go
        return tokens_of(line + "<skipped>" if "\n" in line else line)

    return tokens


def _tokenised(texts: list[str], groups: list[list[str]], tokenizer: Tokenizer | None) -> tuple[list[Any], list[Any]]:
    tokens = _tokens(tokenizer)
    return [tokens(text) for text in texts], [[tokens(text) for text in group] for group in groups]


def _bleu(
    texts: list[str],
    groups: list[list[str]],
    tokenizer: Tokenizer | None = None,
    max_order: int = 4,
    smooth: bool = False,
) -> dict[str, Any]:
    """The float operations are those of the tool, from TensorFlow's NMT, in their order."""
    hypotheses, references = _tokenised(texts, groups, tokenizer)
    row, _ = Bleu("huggingface", max_order=max_order).sum_of(references, hypotheses)
    length, wanted, matches, totals = row[0], row[1], row[2 : 2 + max_order], row[2 + max_order :]
    if smooth:
        precisions = [(matched + 1.0) / (total + 1.0) for matched, total in zip(matches, totals)]
    else:
        precisions = [matched / total if total else 0.0 for matched, total in zip(matches, totals)]
    mean = math.exp(sum([1.0 / max_order * math.log(p) for p in precisions])) if min(precisions) > 0 else 0
    if not wanted or not length:
        raise EmptyHypothesisError(
            f"the {'predictions' if wanted else 'references'} have no token, and the metric bleu divides by their number"
        )
    ratio = float(length) / wanted
    penalty = 1.0 if ratio > 1.0 else math.exp(1 - 1.0 / ratio)
    return {
        "bleu": mean * penalty,
        "precisions": precisions,
        "brevity_penalty": penalty,
        "length_ratio": ratio,
        "translation_length": length,
        "reference_length": wanted,
    }


def _google_bleu(
    texts: list[str],
    groups: list[list[str]],
    tokenizer: Tokenizer | None = None,
    min_len: int = 1,
    max_len: int = 4,
) -> dict[str, float]:
    hypotheses, references = _tokenised(texts, groups, tokenizer)
    return {"google_bleu": corpus_gleu(references, hypotheses, min_len, max_len)}


def _documents(groups: list[list[str]]) -> Documents:
    """The references as sacreBLEU takes them; None where a segment has fewer than another."""
    return [list(document) for document in zip_longest(*groups)]


def _sacrebleu(
    texts: list[str],
    groups: list[list[str]],
    smooth_method: str = "exp",
    smooth_value: float | None = None,
    force: bool = False,
    lowercase: bool = False,
    tokenize: str | None = None,
    use_effective_order: bool = False,
) -> dict[str, Any]:
    from ..sacrebleu_compat import sacrebleu_corpus_bleu

    chosen: dict[str, Any] = {"tokenize": tokenize} if tokenize else {}
    found = sacrebleu_corpus_bleu(
        texts,
        _documents(groups),
        smooth_method,
        smooth_value,
        force,
        lowercase,
        **chosen,
        use_effective_order=use_effective_order,
    )
    return {
        name: getattr(found, name) for name in ("score", "counts", "totals", "precisions", "bp", "sys_len", "ref_len")
    }


def _chrf(
    texts: list[str],
    groups: list[list[str]],
    char_order: int = 6,
    word_order: int = 0,
    beta: int = 2,
    lowercase: bool = False,
    whitespace: bool = False,
    eps_smoothing: bool = False,
) -> dict[str, Any]:
    from ..sacrebleu_compat import CHRF

    metric = CHRF(char_order, word_order, beta, lowercase, whitespace, eps_smoothing)
    found = metric.corpus_score(texts, _documents(groups))
    return {name: getattr(found, name) for name in ("score", "char_order", "word_order", "beta")}


_COMPUTE: dict[str, Callable[..., dict[str, Any]]] = {
    "bleu": _bleu,
    "sacrebleu": _sacrebleu,
    "google_bleu": _google_bleu,
    "chrf": _chrf,
}
