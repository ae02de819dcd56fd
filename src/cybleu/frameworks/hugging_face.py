"""The metrics ``bleu``, ``sacrebleu``, ``google_bleu``, ``chrf`` and ``ter`` of `evaluate`, without downloads."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from inspect import signature
from itertools import zip_longest
from typing import Any

from .. import sacrebleu_compat
from ..errors import (
    EmptyCorpusError,
    LengthMismatchError,
    NoReferencesError,
    SequenceTypeError,
    UnknownNameError,
)
from ..gleu_score import corpus_gleu
from ..metrics import Bleu
from ..text import tokenizer as tokenizer_of
from ..text.batches import Corpus, ListSets, Place, TokenLists
from ..text.reading import read_list

Tokenizer = Callable[[str], Sequence[Any]]
Documents = list[list[Any]]


def load(name: str) -> EvaluationModule:
    """Return a metric with the interface and the results of ``evaluate.load(name)``.

    :param name: ``bleu``, ``sacrebleu``, ``google_bleu``, ``chrf`` or ``ter``
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
        self._references: list[list[str]] = []

    def __len__(self) -> int:
        """The number of texts added since the last score."""
        return len(self._predictions)

    def add(self, *, prediction: str, reference: str | Sequence[str]) -> None:
        """Add a text.

        :param prediction: a str
        :param reference: a str, or a list of them
        """
        self.add_batch(predictions=[prediction], references=[reference])

    def add_batch(self, *, predictions: Sequence[str], references: Sequence[str | Sequence[str]]) -> None:
        """Add texts.

        :param predictions: the texts, a list of str
        :param references: for each text a str, or for each text a list of str
        :raises LengthMismatchError: there are not as many references as predictions
        :raises SequenceTypeError: a prediction or a reference has another type
        :raises NoReferencesError: a text has no reference
        """
        given = (
            read_list(predictions, "predictions", "str"),
            read_list(references, "references", "those of each text"),
        )
        if len(given[0]) != len(given[1]):
            advice = "give one, or a list, for each"
            if all(isinstance(group, (list, tuple)) and len(group) == len(given[0]) for group in given[1]):
                advice = (
                    "they look transposed, as sacreBLEU takes them; give for each prediction the list of its references: "
                    "[list(group) for group in zip(*references)]"
                )
            raise LengthMismatchError(f"there are {len(given[0])} predictions and {len(given[1])} references; {advice}")
        for position, text in enumerate(given[0]):
            if not isinstance(text, str):
                raise SequenceTypeError(f"predictions[{position}] is a {type(text).__name__}; it must be a str")
        groups = []  # added only when all are checked, so that nothing of a rejected batch is scored
        for position, group in enumerate(given[1]):
            texts = [group] if isinstance(group, str) else read_list(group, f"references[{position}]", "str")
            if not texts:
                raise NoReferencesError(f"references[{position}] has no reference; give at least one")
            for text in texts:
                if not isinstance(text, str):
                    raise SequenceTypeError(f"references[{position}] holds a {type(text).__name__}; it must hold str")
            groups.append(texts)
        self._predictions += given[0]
        self._references += groups

    def compute(
        self,
        *,
        predictions: Sequence[str] | None = None,
        references: Sequence[str | Sequence[str]] | None = None,
        **options: Any,
    ) -> dict[str, Any]:
        """Score all texts that were added, and remove them.

        :param predictions: texts to add first
        :param references: the references of these texts
        :param options: the options of the metric. ``bleu`` takes `tokenizer`, `max_order` and `smooth`; ``google_bleu``
            takes `tokenizer`, `min_len` and `max_len`; ``sacrebleu`` takes `smooth_method`, `smooth_value`, `force`,
            `lowercase`, `tokenize` and `use_effective_order`; ``chrf`` takes `char_order`, `word_order`, `beta`,
            `lowercase`, `whitespace` and `eps_smoothing`; ``ter`` takes `normalized`, `ignore_punct`,
            `support_zh_ja_chars` and `case_sensitive`. ``sacrebleu``, ``chrf`` and ``ter`` require sacreBLEU
        :return: the dict that `evaluate` returns, on its scale: from 0 to 1 for ``bleu`` and ``google_bleu``, from 0 to
            100 for ``sacrebleu`` and ``chrf``, and in percent for ``ter``, where lower is better
        :raises TypeError: the metric has no such option; the texts are then kept
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


def _tokens(tokenizer: Tokenizer | None) -> Tokenizer:
    if tokenizer is not None:
        return tokenizer
    tokens_of = tokenizer_of("13a")

    def tokens(line: str) -> list[str]:
        # evaluate does not strip the line first, so it removes a hyphen before a line break at the end
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
    metric = Bleu("huggingface", smoothing="smooth" if smooth else "none", max_order=max_order)
    hypotheses, references = _tokenised(texts, groups, tokenizer)
    corpus = Corpus(TokenLists(hypotheses, Place("predictions")), ListSets(references, "references"))
    found = metric.score(metric.total(metric.rows_of(corpus)))
    return {
        "bleu": found.score,
        "precisions": list(found.precisions),
        "brevity_penalty": found.brevity_penalty,
        "length_ratio": found.ratio,
        "translation_length": found.hypothesis_length,
        "reference_length": found.reference_length,
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
    """Transpose references to the documents that sacreBLEU expects; None if segments have different numbers of references."""
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
    chosen: dict[str, Any] = {"tokenize": tokenize} if tokenize else {}
    found = sacrebleu_compat.corpus_bleu(
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
    metric = sacrebleu_compat.CHRF(char_order, word_order, beta, lowercase, whitespace, eps_smoothing)
    found = metric.corpus_score(texts, _documents(groups))
    return {name: getattr(found, name) for name in ("score", "char_order", "word_order", "beta")}


def _ter(
    texts: list[str],
    groups: list[list[str]],
    normalized: bool = False,
    ignore_punct: bool = False,
    support_zh_ja_chars: bool = False,
    case_sensitive: bool = False,
) -> dict[str, Any]:
    options = normalized, ignore_punct, support_zh_ja_chars, case_sensitive
    found = sacrebleu_compat.corpus_ter(texts, _documents(groups), *options)
    return {name: getattr(found, name) for name in ("score", "num_edits", "ref_length")}


_COMPUTE: dict[str, Callable[..., dict[str, Any]]] = {
    "bleu": _bleu,
    "sacrebleu": _sacrebleu,
    "google_bleu": _google_bleu,
    "chrf": _chrf,
    "ter": _ter,
}
