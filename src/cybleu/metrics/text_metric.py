"""Base class of metrics that read raw text without a tokeniser of the caller's."""

from __future__ import annotations

from abc import abstractmethod
from array import array
from typing import TYPE_CHECKING, Any, TypeAlias

from ..errors import UnknownNameError
from ..stats.prepared import are_prepared
from ..text.parsing import parse_raw_references, parse_raw_texts
from ..text.raw import Raw
from .metric import Metric

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ..text.values import RawReferences, RawText

    Lines: TypeAlias = tuple[Any, Any, Any]


class TextMetric(Metric):
    """A metric that reads raw text as it is, str or bytes, without a tokeniser of the caller's."""

    of_raw_text = True
    reads_raw_text = True
    #: Texts are put in lower case before they are read.
    lowercase: bool = False

    def _raw(self, tokenize: Any = None, lowercase: bool = False) -> Raw:
        if tokenize is not None:
            raise UnknownNameError(f"{self.name} counts raw text as it is, so it takes no tokeniser")
        return Raw("none", self.lowercase or bool(lowercase))

    def _parsed_corpus(
        self, references: Any, hypotheses: Any, tokenize: Any, lowercase: bool, of_ids: dict[str, Any]
    ) -> tuple[RawText, RawReferences]:
        """Parse hypotheses and their references, which may be prepared."""
        self._refuse_ids(of_ids, "raw text")
        if are_prepared(references):
            raw, sets = self._prepared(references)
            counted = {"lowercase": True} if self.lowercase else {}
            references._check(self.name, counted, tokenize=tokenize, lowercase=lowercase)
        else:
            raw = self._raw(tokenize, lowercase)
            sets = parse_raw_references(references, raw)
        return parse_raw_texts(hypotheses, raw), sets

    def _prepared(self, references: Any) -> tuple[Raw, RawReferences]:
        """The raw text of prepared references, and how hypotheses are read."""
        from ..stats.references import prepared_lines

        return prepared_lines(references, self.name)

    def rows(
        self,
        references: Any,
        hypotheses: Any,
        *,
        owner: Any = None,
        threads: int | None = None,
        progress: bool = False,
        tokenize: Any = None,
        lowercase: bool = False,
        **of_ids: Any,
    ) -> NDArray[Any]:
        """Count segments, and return the row of each.

        The other parameters are those of :meth:`cybleu.metrics.Metric.rows`.

        :param references: for each segment a list of texts; or prepared :class:`cybleu.References` of raw text, with
            any tokeniser
        :param hypotheses: texts, str or bytes
        :param tokenize: must be None
        :param of_ids: not accepted
        :raises ArrayValueError: the references were prepared for another metric
        """
        from .._runtime.arrays import np
        from ..text.arrays import parse_owners

        texts, sets = self._parsed_corpus(references, hypotheses, tokenize, lowercase, of_ids)
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

    def _parsed_pair(self, references: Any, hypotheses: Any, of_ids: dict[str, Any]) -> tuple[RawText, RawText]:
        raw = self._raw(None, bool(of_ids.pop("lowercase", False)))
        self._refuse_ids(of_ids, "raw text")
        texts = parse_raw_texts(references, raw, "references")
        return texts, texts if hypotheses is None else parse_raw_texts(hypotheses, raw)

    def _parsed(self, texts: Any, name: str) -> RawText:
        return parse_raw_texts(texts, self._raw(), name)
