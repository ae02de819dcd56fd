"""TER: the translation edit rate (Snover and others 2006), as sacreBLEU computes it."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from dataclasses import dataclass
from math import isfinite
from typing import TYPE_CHECKING, Any

from .. import _backend
from .._runtime.numbers import check_flags
from ..errors import StatisticsError
from ..text.parsing import parse_raw_references, parse_raw_texts
from ..text.tercom import edits
from ..text.tokenizers import own_tokenizer
from .words_metric import WordsMetric

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from ..text.raw import Raw
    from .formula import Formula
    from .words_metric import FillRows, Words

_FIRST = array("q", (0,))


@dataclass(frozen=True)
class Ter(WordsMetric):
    """TER of raw text in percent (Snover and others 2006). The scores are equal to those of sacreBLEU 2.6.

    Lower is better: 0 is a perfect match, and a score can be above 100. Texts are str, or bytes in UTF-8. A row has two
    numbers: the edits and shifts that turn the hypothesis into a reference, of the reference that needs the fewest, and the
    average length of the references. Rows can be added: the row of a corpus is the sum of the rows of its segments.

    :param normalized: tokenise punctuation, as Tercom does; by default white space alone separates words
    :param no_punct: remove punctuation
    :param asian_support: with `normalized`, each Chinese or Japanese character is a word; with `no_punct`, their punctuation
        is removed, too
    :param case_sensitive: do not put the texts in lower case first

    >>> from cybleu.metrics import find, score, scores
    >>> metric = find("ter")
    >>> rows = metric.rows(["the cat sits", "today it rains"], ["the cat sat", "it rains today"])
    >>> rows.tolist(), scores(rows, metric).round(2)
    ([[1.0, 3.0], [1.0, 3.0]], array([33.33, 33.33]))
    >>> print(score(rows, metric))
    metric:ter|case:lc|tok:tercom|norm:no|punct:yes|asian:no = 33.33
    """

    normalized: bool = False
    no_punct: bool = False
    asian_support: bool = False
    case_sensitive: bool = False

    name = "ter"
    scale = 100
    columns = ("edits", "ref_len")
    higher_is_better = False
    _cost = 32

    def __post_init__(self) -> None:
        check_flags(self)
        self._refuse_tokenizer()
        if self.lowercase:
            object.__setattr__(self, "case_sensitive", False)
            object.__setattr__(self, "lowercase", False)

    @property
    def signature(self) -> str:
        """The definition in one line."""
        said = {True: "yes", False: "no"}
        return (
            f"metric:ter|case:{'mixed' if self.case_sensitive else 'lc'}|tok:tercom|norm:{said[bool(self.normalized)]}|"
            f"punct:{said[not self.no_punct]}|asian:{said[bool(self.asian_support)]}"
        )

    # --------------------------------------------------------------------------------------------------------- counting

    def count(self, hypothesis: str | bytes, references: Sequence[str | bytes]) -> list[float]:  # type: ignore[override]
        """Count a segment, and return its row.

        :param hypothesis: a text
        :param references: one or more texts
        """
        if type(hypothesis) is str and references is not None and set(map(type, references)) == {str}:
            *words, fill_rows = self._numbered(
                _backend.chosen.RawTexts([hypothesis]), _backend.chosen.RawTexts(list(references))
            )
            rows = memoryview(array("d", (0, 0))).cast("B").cast("d", (1, 2))
            fill_rows(*words[0], *words[1], array("q", (0, len(references))), _FIRST, _FIRST, 0, 1, rows)
            return [rows[0, 0], rows[0, 1]]
        raw = self._raw()
        texts, sets = parse_raw_texts([hypothesis], raw), parse_raw_references([references], raw)
        (row,) = self.rows_of_raw(raw, texts.lines, sets.texts.lines, sets.bounds)
        return row

    def sum_of_raw(  # type: ignore[override]
        self, raw: Raw, texts: Any, references: Any, bounds: Any, threads: int | None = None
    ) -> tuple[list[float], None]:
        """Add the rows one after the other, as sacreBLEU does.

        The other parameters are those of :meth:`cybleu.metrics.Metric.rows_of_raw`.
        """
        total, length = 0.0, 0.0
        for row in self.rows_of_raw(raw, texts, references, bounds, threads):
            total += row[0]
            length += row[1]
        return [total, length], None

    def _numbered(self, hypotheses: Any, references: Any) -> tuple[Words, Words, FillRows]:
        """Number the words; sacreBLEU tokenises references twice, which can split normalised words further."""
        edited = edits(self.normalized, self.no_punct, self.asian_support, self.case_sensitive)
        tokenizer = own_tokenizer("tercom" if self.normalized else "none")
        vocabulary = _backend.chosen.RawVocabulary(tokenizer)

        def numbered(texts: Any, twice: bool) -> Words:
            if edited is not None:
                lines = list(map(edited, texts.strings()))
                if twice:
                    # edits change an edited line only where an entity has become a mark
                    again = [" ".join(tokenizer.tokens(line)) for line in lines]
                    lines = [edited(line) if "&" in line else line for line in again]
                texts = _backend.chosen.RawTexts(lines)
            ends = array("q", bytes(8 * len(texts)))
            return memoryview(vocabulary.add(texts, ends)).cast("i"), ends

        words = numbered(hypotheses, False), numbered(references, self.normalized)
        return *words, _backend.chosen.edit_rows

    # ---------------------------------------------------------------------------------------------------------- scoring

    def evaluate(self, row: Sequence[float]) -> float:
        """Score a row or a sum of rows.

        :param row: edits and the average length of the references, finite numbers from 0
        :raises StatisticsError: the row is not valid
        """
        self._check_width(len(row))
        if not all(isfinite(number) and number >= 0 for number in row):
            raise StatisticsError(f"a row of ter has two finite numbers from 0, and this is {list(row)}")
        total, length = row
        return 100 * (total / length if length > 0 else float(total > 0))

    def formula(self, width: int) -> Formula:
        """Return the formula that scores rows with this many columns in searches.

        :param width: the number of columns
        """
        from .formula import ArrayScores, FormulaOfRows

        self._check_width(width)
        return FormulaOfRows(self.evaluate, ArrayScores(_scores))


def _scores(rows: NDArray[Any]) -> NDArray[np.float64]:
    """Score each row."""
    from .._runtime.arrays import np

    wrong = np.flatnonzero(~(np.isfinite(rows) & (rows >= 0)).all(axis=1))
    if len(wrong):
        raise StatisticsError(f"a row of ter has two finite numbers from 0, and this is {rows[wrong[0]].tolist()}")
    total, length = rows.T
    rates: NDArray[np.float64] = (total > 0).astype(np.float64)
    np.divide(total, length, out=rates, where=length > 0)
    rates *= 100
    return rates
