"""Corpus BLEU, chrF and GLEU as a metric of torchmetrics with an exact state."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import TYPE_CHECKING, Any

from .._runtime.extras import extra
from ..metrics import Bleu, check_tokens, find
from ..stats import short_segments

with extra("torch", "this metric requires PyTorch", "torchmetrics"):
    import torch
with extra("torchmetrics", "this metric requires torchmetrics", "torchmetrics"):
    import torchmetrics

if TYPE_CHECKING:
    from ..metrics import Metric, Variant

    Tokenize = str | Callable[[str], Sequence[Hashable]] | None


class ExactScore(torchmetrics.Metric):  # type: ignore[misc]
    """Corpus score as a ``torchmetrics.Metric``: BLEU by the definition of any tool, chrF or GLEU.

    Its state is the sum of the statistics as int64. Processes add up their sums, so the score does not depend on
    how the texts are divided into batches and processes. It is on the scale of the metric. ``torchmetrics.text.BLEUScore`` counts
    in single precision, which is wrong above 2**24 tokens.

    :param metric: as for :func:`cybleu.metrics.find`, by default ``sacrebleu``
    :param tokenize: how to split the texts into tokens, by default ``13a``; chrF has no tokens
    :param lowercase: convert the texts to lower case first
    :param arguments: arguments of ``torchmetrics.Metric``
    :raises StatisticsError: the metric is the mean of the scores of segments, which cannot be computed from a sum
    :raises UnknownNameError: there is no such metric or tokeniser

    >>> metric = ExactScore("sacrebleu")
    >>> metric.update(["The cat sat.", "It rains."], [["The cat sits.", "A cat sat."], ["It rains."]])
    >>> metric.compute()
    tensor(75.9836, dtype=torch.float64)
    """

    is_differentiable = False
    full_state_update = False

    row: torch.Tensor
    short_segments: torch.Tensor

    def __init__(
        self,
        metric: str | Metric | Variant | None = None,
        tokenize: Tokenize = "13a",
        lowercase: bool = False,
        **arguments: Any,
    ):
        super().__init__(**arguments)
        self.metric = find(metric)
        self.metric.check_summable()
        self.metric.check_parts()
        self.tokenize = None if self.metric.of_raw_text and tokenize == "13a" else tokenize
        self.lowercase = lowercase
        check_tokens(self.metric, self.tokenize, lowercase)
        bleu = self.metric if isinstance(self.metric, Bleu) else None
        orders = bleu.order if bleu and bleu.definition.short_segments_count else 0
        kind = torch.float64 if self.metric.takes_fractions else torch.int64
        self.add_state("row", torch.zeros(len(self.metric.columns), dtype=kind), dist_reduce_fx="sum")
        self.add_state("short_segments", torch.zeros(orders, dtype=torch.int64), dist_reduce_fx="sum")

    @property
    def higher_is_better(self) -> bool:
        """Whether a higher score is better, a property of the metric: torchmetrics does not let instances set it."""
        return self.metric.higher_is_better

    def update(self, preds: str | Sequence[str], target: Sequence[str | Sequence[str]]) -> None:
        """Add segments.

        :param preds: the texts, or a single text
        :param target: for each text a reference or a list of references; for a single text its references
        :raises CybleuError: one of its subclasses, as for :func:`cybleu.segment_stats`
        """
        if isinstance(preds, str):
            preds, target = [preds], [target]  # type: ignore[list-item]
        sets = [[texts] if isinstance(texts, str) else texts for texts in target]
        rows = self.metric.rows(sets, preds, tokenize=self.tokenize, lowercase=self.lowercase)
        self.row += torch.from_numpy(rows.sum(axis=0)).to(self.row.device)
        if len(self.short_segments):
            self.short_segments += torch.tensor(short_segments(rows), device=self.short_segments.device)

    def compute(self) -> torch.Tensor:
        """Compute the score of all segments, float64, on the metric's scale; without segments, that of an empty text."""
        short = self.short_segments.tolist() if len(self.short_segments) else None
        return torch.tensor(self.metric.score(self.row.tolist(), short).score, dtype=torch.float64)

    def set_dtype(self, dst_type: Any) -> ExactScore:
        """Do nothing: counts remain integers.

        :param dst_type: ignored
        """
        return self
