"""Metrics of `evaluate`, without downloads: BLEU, sacreBLEU's metrics, GLEU, ROUGE and error rates."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from itertools import zip_longest
from types import SimpleNamespace
from typing import Any

from .. import sacrebleu_compat
from .._runtime.lazy_arrays import Floats, np
from ..errors import EmptyCorpusError, LengthMismatchError, UnknownNameError
from ..metrics import Bleu, Cer, Gleu, Metric, Wer
from ..metrics.operations import rows_without_numpy
from ..rouge_score_compat import RougeScorer
from ..text.batches import Corpus
from ..text.columns import entries_of
from ..text.reading import read_lines, read_list, read_sets_of_lines

SAMPLES_OF_ROUGE = 1000


def load(name: str) -> EvaluationModule:
    """Return a metric with the interface and the results of ``evaluate.load(name)``.

    :param name: ``bleu``, ``sacrebleu``, ``google_bleu``, ``chrf``, ``ter``, ``rouge``, ``wer`` or ``cer``
    :raises UnknownNameError: cybleu does not have this metric

    >>> bleu = load("bleu")
    >>> result = bleu.compute(predictions=["the cat sat down"], references=[["the cat sat down", "a cat"]])
    >>> result["bleu"], result["reference_length"]
    (1.0, 2)
    """
    if name not in _METRICS:
        raise UnknownNameError(f"unknown metric {name!r}; use one of {', '.join(_METRICS)}")
    return EvaluationModule(name)


class EvaluationModule:
    """A metric with the interface of `evaluate`: add texts, then compute their score.

    :param name: see :func:`load`

    >>> chrf = load("chrf")
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
        :param reference: a str, or a list of str
        """
        self.add_batch(predictions=[prediction], references=[reference])

    def add_batch(self, *, predictions: Sequence[str], references: Sequence[str | Sequence[str]]) -> None:
        """Add texts.

        :param predictions: the texts, a list of str
        :param references: for each text a str or a list of str
        :raises LengthMismatchError: the number of references differs from the number of predictions
        :raises SequenceTypeError: a prediction or a reference has another type
        :raises NoReferencesError: a text has no reference
        """
        texts = read_lines(read_list(predictions, "predictions", "str"), "predictions").lists()
        entries = read_list(references, "references", "those of each text")
        groups = [[entry] if isinstance(entry, str) else entries_of(entry, "references") for entry in entries]
        groups = read_sets_of_lines(groups).lists()
        if len(texts) != len(groups):
            advice = "give a reference or a list of references for each prediction"
            if {*map(len, groups)} == {len(texts)}:
                advice = (
                    "they look transposed, as sacreBLEU takes them; give for each prediction the list of its "
                    "references: [list(group) for group in zip(*references)]"
                )
            raise LengthMismatchError(f"there are {len(texts)} predictions, but {len(groups)} references; {advice}")
        self._predictions += texts
        self._references += groups

    def compute(
        self,
        *,
        predictions: Sequence[str] | None = None,
        references: Sequence[str | Sequence[str]] | None = None,
        **options: Any,
    ) -> Any:
        """Score all texts that were added, and remove them.

        :param predictions: texts to add first
        :param references: the references of these texts
        :param options: options of the metric. ``bleu`` accepts `tokenizer`, `max_order` and `smooth`; ``google_bleu``
            accepts `tokenizer`, `min_len` and `max_len`; ``sacrebleu`` accepts `smooth_method`, `smooth_value`,
            `force`, `lowercase`, `tokenize` and `use_effective_order`; ``chrf`` accepts `char_order`, `word_order`,
            `beta`, `lowercase`, `whitespace` and `eps_smoothing`; ``ter`` accepts `normalized`, `ignore_punct`,
            `support_zh_ja_chars` and `case_sensitive`; ``rouge`` accepts `rouge_types`, `use_aggregator`, `use_stemmer`
            and `tokenizer`; ``wer`` and ``cer`` accept `concatenate_texts`, which changes nothing. ``sacrebleu``, ``chrf``
            and ``ter`` require sacreBLEU
        :return: the dict that `evaluate` returns, on its scale: from 0 to 1 for ``bleu``, ``google_bleu`` and ``rouge``,
            from 0 to 100 for ``sacrebleu`` and ``chrf``, and in percent for ``ter``, where lower is better; for ``wer``
            and ``cer`` a number, of which 0 is a perfect match. The aggregator of ``rouge`` returns the median of random
            samples, drawn by ``numpy.random``
        :raises TypeError: the metric has no such option; the texts are kept in this case
        :raises EmptyCorpusError: there are no texts
        :raises EmptyHypothesisError: with ``bleu``: all predictions, or all references, are empty
        """
        function, names = _METRICS[self.name]
        for name in options:
            if name not in names:
                raise TypeError(
                    f"compute() got an unexpected keyword argument {name!r}; the metric {self.name} accepts "
                    f"{', '.join(names)}"
                )
        self.add_batch(
            predictions=() if predictions is None else predictions, references=() if references is None else references
        )
        # Gone also if scoring fails, so that the next score does not mix them with others.
        texts = self._predictions
        groups = self._references
        self._predictions = []
        self._references = []
        if not texts:
            raise EmptyCorpusError("there is no text to score; give predictions with their references")
        return function(texts, groups, **options)


def _score_of_texts(metric: Metric, texts: list[str], groups: list[list[str]]) -> Any:
    if metric.tokenize is None:
        texts = _unstripped(texts)
        groups = list(map(_unstripped, groups))
    return metric.score(_sum_of_texts(metric, texts, groups))


def _sum_of_texts(metric: Metric, texts: list[str], groups: list[list[str]]) -> list[Any]:
    corpus = Corpus(read_lines(texts, "predictions"), read_sets_of_lines(groups))
    return metric.total(rows_without_numpy(metric, corpus))


def _unstripped(lines: list[str]) -> list[str]:
    """Mark lines that evaluate does not strip: ``13a`` then removes a hyphen before a line break at the end, as there."""
    return [line + "<skipped>" if "\n" in line else line for line in lines]


def _bleu_of_hugging_face(
    texts: list[str], groups: list[list[str]], *, tokenizer: Any = None, max_order: int = 4, smooth: bool = False
) -> dict[str, Any]:
    smoothing = "smooth" if smooth else "none"
    found = _score_of_texts(Bleu("huggingface", smoothing, max_order=max_order, tokenize=tokenizer), texts, groups)
    return {
        "bleu": found.score,
        "precisions": list(found.precisions),
        "brevity_penalty": found.brevity_penalty,
        "length_ratio": found.ratio,
        "translation_length": found.hypothesis_length,
        "reference_length": found.reference_length,
    }


def _google_bleu(
    texts: list[str], groups: list[list[str]], *, tokenizer: Any = None, min_len: int = 1, max_len: int = 4
) -> dict[str, float]:
    return {"google_bleu": _score_of_texts(Gleu(min_len, max_len, tokenize=tokenizer), texts, groups).score}


def _rouge(
    texts: list[str],
    groups: list[list[str]],
    *,
    rouge_types: Sequence[str] | None = None,
    use_aggregator: bool = True,
    use_stemmer: bool = False,
    tokenizer: Any = None,
) -> dict[str, Any]:
    names = ["rouge1", "rouge2", "rougeL", "rougeLsum"] if rouge_types is None else rouge_types
    scorer = RougeScorer(
        names, use_stemmer, tokenizer=None if tokenizer is None else SimpleNamespace(tokenize=tokenizer)
    )
    scores = [scorer.score_multi(group, text) for text, group in zip(texts, groups)]
    found: dict[str, Any] = {}
    for name in names:
        shares = [score[name] for score in scores]
        found[name] = [share.fmeasure for share in shares]
        if use_aggregator:
            found[name] = _median_of_samples(np.array(shares))[2]
    return found


def _median_of_samples(shares: Floats) -> Any:
    """The median of the means of random samples, drawn as rouge_score's aggregator draws them."""
    number = len(shares)
    means = [shares[np.random.choice(number, size=number)].mean(axis=0) for _ in range(SAMPLES_OF_ROUGE)]
    return np.percentile(means, 50, axis=0)


def _error_rate(metric: Metric, texts: list[str], groups: list[list[str]], concatenate_texts: bool = False) -> float:
    edits, length = _sum_of_texts(metric, texts, groups)
    return edits / length  # type: ignore[no-any-return]


# arguments of sacreBLEU's classes that have another name in evaluate
_RENAMED = {
    "use_effective_order": "effective_order",
    "ignore_punct": "no_punct",
    "support_zh_ja_chars": "asian_support",
}


def _by_sacrebleu(kind: str, results: str, texts: list[str], groups: list[list[str]], **options: Any) -> dict[str, Any]:
    """Score by a class of sacreBLEU, and return these attributes of the score."""
    given = {_RENAMED.get(name, name): value for name, value in options.items() if value is not None}
    # sacreBLEU takes references as documents, with None where a text has fewer references than another
    documents = [list(document) for document in zip_longest(*groups)]
    found = getattr(sacrebleu_compat, kind)(**given).corpus_score(texts, documents)
    return {name: getattr(found, name) for name in results.split()}


# The function of each metric, and the names of the options that it takes: its keywords, or some of those of sacreBLEU's class.
_METRICS: dict[str, Any] = {
    "bleu": (_bleu_of_hugging_face, _bleu_of_hugging_face.__kwdefaults__),
    "sacrebleu": (
        partial(_by_sacrebleu, "BLEU", "score counts totals precisions bp sys_len ref_len"),
        "smooth_method smooth_value force lowercase tokenize use_effective_order".split(),
    ),
    "google_bleu": (_google_bleu, _google_bleu.__kwdefaults__),
    "chrf": (
        partial(_by_sacrebleu, "CHRF", "score char_order word_order beta"),
        "char_order word_order beta lowercase whitespace eps_smoothing".split(),
    ),
    "ter": (
        partial(_by_sacrebleu, "TER", "score num_edits ref_length"),
        "normalized ignore_punct support_zh_ja_chars case_sensitive".split(),
    ),
    "rouge": (_rouge, _rouge.__kwdefaults__),
    "wer": (partial(_error_rate, Wer()), ["concatenate_texts"]),
    "cer": (partial(_error_rate, Cer()), ["concatenate_texts"]),
}
