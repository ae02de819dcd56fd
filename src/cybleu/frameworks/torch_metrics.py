"""Corpus BLEU, chrF and GLEU as a metric of torchmetrics with an exact state."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .._runtime.extras import extra
from ..metrics import find
from ..metrics.operations import check_parts, check_summable
from ..text.tokenizers import Tokenize

with extra("torch", "this metric requires PyTorch", "torchmetrics"):
    import torch
with extra("torchmetrics", "this metric requires torchmetrics", "torchmetrics"):
    import torchmetrics


class ExactScore(torchmetrics.Metric):  # type: ignore[misc]
    """A corpus score as a ``torchmetrics.Metric``: BLEU by the definition of any tool, chrF or GLEU.

    The state is the sum of the statistics as int64. Processes add up their sums, so the score does not depend on how
    the texts are divided into batches and processes. The score is on the scale of the metric. In contrast,
    ``torchmetrics.text.BLEUScore`` counts in single precision and is wrong above 2**24 tokens.

    :param metric: the metric, in any form that :func:`cybleu.metrics.find` accepts
    :param tokenize: the tokeniser, by default that of the metric
    :param lowercase: convert the texts to lower case first
    :param arguments: arguments of ``torchmetrics.Metric``
    :raises StatisticsError: the metric is the mean of the scores of segments, which cannot be computed from a sum
    :raises UnknownNameError: there is no such metric or tokeniser

    >>> metric = ExactScore()
    >>> metric.update(["The cat sat.", "It rains."], [["The cat sits.", "A cat sat."], ["It rains."]])
    >>> metric.compute()
    tensor(75.9836, dtype=torch.float64)
    """

    is_differentiable = False
    full_state_update = False

    def __init__(
        self,
        metric: Any = "bleu",
        tokenize: Tokenize | None = None,
        lowercase: bool = False,
        **arguments: Any,
    ):
        super().__init__(**arguments)
        self.metric = find(metric, tokenize=tokenize, lowercase=lowercase or None)
        check_summable(self.metric)
        check_parts(self.metric)
        row = torch.zeros(len(self.metric.columns), dtype=getattr(torch, self.metric.dtype))
        self.add_state("row", row, dist_reduce_fx="sum")

    @property
    def higher_is_better(self) -> bool:
        """Whether a higher score is better, a property of the metric: torchmetrics does not let instances set it."""
        return self.metric.higher_is_better

    def update(self, preds: str | Sequence[str], target: Sequence[str | Sequence[str]]) -> None:
        """Add segments.

        :param preds: the texts, or a single text
        :param target: for each text a reference or a list of references; for a single text its references
        :raises CybleuError: for the same reasons as :func:`cybleu.rows`
        """
        if isinstance(preds, str):
            preds = [preds]
            target = [target]  # type: ignore[list-item]
        rows = self.metric.rows(preds, target)
        self.row += torch.from_numpy(rows.sum(axis=0)).to(self.row.device)

    def compute(self) -> torch.Tensor:
        """Compute the score of all segments, float64, on the metric's scale; without segments, score an empty text."""
        return torch.tensor(self.metric.score(self.row.tolist()).score, dtype=torch.float64)

    def set_dtype(self, dst_type: Any) -> ExactScore:
        """Do nothing: counts remain integers.

        :param dst_type: ignored
        """
        return self
