"""What takes long to import, and not every program uses: columns of texts, and the metrics of cybleu for chrF and TER."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from typing import Any

from .. import metrics
from .._backend import RawTexts
from ..metrics.operations import rows_without_numpy
from ..text.batches import Corpus, Sets
from ..text.columns import lists_of_documents as lists_of_documents


class MetricCounter:
    """Counts lines by a metric of cybleu.

    :param name: of its class in `cybleu.metrics`
    :param settings: its arguments
    :raises CybleuError: the metric does not support them
    """

    def __init__(self, name: str, settings: Sequence[Any]):
        self._metric = getattr(metrics, name)(*settings)
        self.total = self._metric.total

    def row(self, lines: Sequence[str]) -> list[Any]:
        """Count a hypothesis and the references after it."""
        return self._metric.count(lines[0], lines[1:])  # type: ignore[no-any-return]

    def rows(self, hypotheses: RawTexts, references: RawTexts, bounds: array[int]) -> memoryview:
        """Count a corpus.

        :param bounds: where the references of each hypothesis begin, and the end
        """
        corpus = Corpus(hypotheses, Sets(references, bounds))
        return rows_without_numpy(self._metric, corpus)  # type: ignore[no-any-return]
