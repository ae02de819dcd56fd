"""Base class of metrics that read raw text without a tokeniser of the caller's."""

from __future__ import annotations

from abc import abstractmethod
from array import array
from typing import TYPE_CHECKING, Any, TypeAlias

from ..errors import UnknownNameError
from ..text.parsing import parse_raw_references, parse_raw_texts
from ..text.raw import Raw
from .metric import Metric, refuse_given

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ..text.values import Kind, RawReferences, RawText
    from .references import References

    Lines: TypeAlias = tuple[Any, Any, Any]


class TextMetric(Metric):
    """A metric that reads raw text as it is, str or bytes, without a tokeniser of the caller's."""

    reads = "text"
    reads_raw_text = True

    def _refuse_tokenizer(self) -> None:
        """:raises UnknownNameError: a tokeniser is given"""
        if self.tokenize is not None:
            raise UnknownNameError(f"{self.name} reads raw text as it is, so it takes no tokeniser")

    def _count_prepared(self, references: References, hypotheses: Any, **arguments: Any) -> NDArray[Any]:
        self._raw_for(references.kind)
        return self._counted_rows(references._raw_sets(self._raw()), hypotheses, **arguments)

    def _count_rows(self, references: Any, hypotheses: Any, raw: Raw | None, **arguments: Any) -> NDArray[Any]:
        return self._counted_rows(parse_raw_references(references, self._raw()), hypotheses, **arguments)

    def _counted_rows(
        self,
        sets: RawReferences,
        hypotheses: Any,
        *,
        owner: Any = None,
        threads: int | None = None,
        progress: bool = False,
        **of_ids: Any,
    ) -> NDArray[Any]:
        from .._runtime.arrays import np
        from ..text.arrays import parse_owners

        refuse_given(of_ids, f"the metric {self.name} reads text")
        texts = parse_raw_texts(hypotheses, self._raw())
        owners = parse_owners(owner, sets.size, texts.size)
        rows = np.empty((texts.size, len(self.columns)), self.dtype)
        lines = texts.lines, sets.texts.lines, sets.bounds
        self._fill(lines, rows, threads, progress, None if owner is None else owners)
        return rows

    def rows_of_raw(
        self, raw: Raw, texts: Any, references: Any, bounds: Any, threads: int | None = None
    ) -> list[list[Any]]:
        """Count texts that the backend has read, and return their rows. Does not require NumPy.

        The other parameters are those of :meth:`cybleu.metrics.Metric.rows_of_raw`.
        """
        count, width = len(texts), len(self.columns)
        if not count:
            return []
        code: Any = "d" if self.takes_fractions else "q"
        rows: Any = memoryview(array(code, bytes(8 * count * width))).cast("B").cast(code, (count, width))
        self._fill((texts, references, bounds), rows, threads)
        found: list[list[Any]] = rows.tolist()
        return found

    @abstractmethod
    def _fill(self, lines: Lines, rows: Any, threads: int | None, progress: bool = False, owners: Any = None) -> None:
        """Write the rows of texts that the backend has read.

        :param lines: the hypotheses, the references, and where those of each set begin and the last ones end
        :param owners: the set of references of each text; None if text i has set i
        """

    def _parsed(self, texts: Any, name: str, kind: Kind) -> RawText:
        self._raw_for(kind)
        return parse_raw_texts(texts, self._raw(), name)
