"""From texts to statistics rows: the texts of a command are read once, and counted by all metrics, some segments at a time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from .._runtime.parallel import in_order
from ..errors import EmptyCorpusError
from ..metrics import Metric
from ..text.batches import Corpus
from .reading import Texts

NO_LINE = "the files have no line, so there is no segment to score"


class Block(NamedTuple):
    """Some segments of each text, and their rows, by metric and text."""

    corpora: list[Corpus]
    rows: list[list[Any]]


class Counting:
    """Counts the texts of a command block by block, in threads.

    :ivar metrics: the metrics, with the weights of all references if they take such weights; these are read first
    """

    def __init__(self, texts: Texts, metrics: Sequence[Metric], threads: int):
        self.metrics, self._threads = [*metrics], threads
        self._blocks = texts.blocks()
        if any(metric.weighs_by_call for metric in metrics):
            blocks = [*self._blocks]
            references = [lines for block in blocks for lines in block[0].sets.lists()]
            self.metrics = [one.with_weights_of(references) if one.weighs_by_call else one for one in metrics]
            self._blocks = iter(blocks)

    def __iter__(self) -> Iterator[Block]:
        """
        :raises EmptyCorpusError: there is no segment
        """
        segments = 0
        for block in in_order(self._count, self._blocks, self._threads):
            segments += block.corpora[0].size
            yield block
        if not segments:
            raise EmptyCorpusError(NO_LINE)

    def _count(self, corpora: list[Corpus]) -> Block:
        return Block(corpora, [[metric.rows_of(corpus) for corpus in corpora] for metric in self.metrics])
