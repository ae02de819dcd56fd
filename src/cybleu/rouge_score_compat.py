"""A drop-in replacement for Google's rouge_score, and its installation in unchanged programs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ._runtime.extras import extra
from ._runtime.replacing import Installation, places_in
from .metrics.rouge import CODES, Rouge, RougeKinds, Shares

if TYPE_CHECKING:
    from .metrics import Metric

__all__ = ["RougeScorer", "install_as_rouge_score"]


KINDS = {f"rouge{kind}": kind for kind in CODES}


class RougeScorer:
    """ROUGE with the interface and the numbers of ``rouge_score.rouge_scorer.RougeScorer``.

    :param rouge_types: ``rouge1`` to ``rouge9``, ``rougeL`` and ``rougeLsum``
    :param use_stemmer: stem words with NLTK's Porter stemmer
    :param split_summaries: for ``rougeLsum``, split texts into sentences with NLTK instead of at line breaks
    :param tokenizer: an object with a method `tokenize` from a str to a list of tokens

    >>> scorer = RougeScorer(["rouge1", "rougeL"])
    >>> scorer.score("the cat sat on the mat", "the cat sat on a mat")["rouge1"].recall
    0.8333333333333334
    """

    def __init__(
        self,
        rouge_types: Sequence[str],
        use_stemmer: bool = False,
        split_summaries: bool = False,
        tokenizer: Any = None,
    ):
        self.rouge_types = rouge_types
        self._options = bool(use_stemmer), bool(split_summaries)
        self._tokenizer = tokenizer
        self._metrics: dict[tuple[str, ...], list[Metric]] = {}

    def score(self, target: str, prediction: str) -> dict[str, Shares]:
        """Score a text.

        :param target: the reference
        :param prediction: the hypothesis
        :return: for each type precision, recall and F-measure, from 0 to 1
        :raises ValueError: there is no such type
        """
        return self.score_multi([target], prediction)

    def score_multi(self, targets: Sequence[str], prediction: str) -> dict[str, Shares]:
        """Score a text against several references; each type takes the one with its largest F-measure.

        :param targets: the references
        :param prediction: the hypothesis
        :return: as for :meth:`score`
        :raises ValueError: there is no such type, or no reference
        """
        names = tuple(self.rouge_types)
        if names not in self._metrics:
            self._metrics[names] = self._metrics_of(names)
        row = []
        for metric in self._metrics[names]:
            if metric.reads == "text":
                row += metric.count(prediction, targets)
            else:
                split = self._tokenizer.tokenize
                row += metric.count(split(prediction), [split(target) for target in targets])
        return dict(zip(names, map(Shares, row[::4], row[1::4], row[2::4])))

    def _metrics_of(self, names: Sequence[str]) -> list[Metric]:
        stemmer, split_summaries = self._options
        for name in names:
            if name not in KINDS:
                raise ValueError(f"Invalid rouge type: {name}")
        kinds = tuple([KINDS[name] for name in names])
        if not self._tokenizer:
            return [RougeKinds("Lsum", stemmer, split_summaries, kinds=kinds)]
        of_lines = Rouge("Lsum", False, split_summaries, tokenize=self._tokenizer.tokenize)
        return [of_lines if kind == "Lsum" else Rouge(kind) for kind in kinds]


def install_as_rouge_score() -> Installation:
    """Replace rouge_score's ``RougeScorer`` with cybleu's in the whole process, with the same numbers.

    Code that imported the class earlier with ``from ... import`` keeps rouge_score's, so install first. You can install
    again.

    :return: an object whose `undo` reverts the installation; it is also a context manager
    :raises MissingExtraError: rouge_score is not installed

    >>> from rouge_score import rouge_scorer
    >>> with install_as_rouge_score():
    ...     rouge_scorer.RougeScorer.__module__
    'cybleu.rouge_score_compat'
    """
    with extra("rouge_score", "install_as_rouge_score replaces a class of rouge_score", "rouge-score"):
        import rouge_score.rouge_scorer  # noqa: F401
    places = places_in("rouge_score", {"RougeScorer": RougeScorer})
    return Installation("rouge_score", places, "ROUGE")
