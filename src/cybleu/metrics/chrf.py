"""chrF, chrF+ and chrF++: the F-score of n-grams of characters, and of words (Popović 2015, 2017), as sacreBLEU has it."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any

from .. import _backend, _mirror
from .._runtime.numbers import check_whole
from .._runtime.parallel import run
from ..errors import OrderError, StatisticsError, UnknownNameError
from ..text.raw import Raw
from .metric import Metric

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from .formula import Formula

MOST_ORDERS = 64
LARGEST_BETA = 1e100  # its square is finite
_NAMES = {0: "chrf", 1: "chrf+", 2: "chrf++"}


@dataclass(frozen=True)
class Chrf(Metric):
    """chrF of raw text, from 0 to 100 (Popović 2015 and 2017). The scores are equal to those of sacreBLEU 2.6.

    Texts are str, or bytes in UTF-8, and are not tokenised. A row has three numbers for each order: the n-grams of the
    hypothesis, the n-grams of the reference, and the matches. The orders of characters come first, then those of words.
    If a segment has several references, only the one with the best score counts, or the first of these. Rows can be
    added: the row of a corpus is the sum of the rows of its segments.

    :param char_order: the largest order of n-grams of characters
    :param word_order: the largest order of n-grams of words: 0 for chrF, 1 for chrF+, 2 for chrF++. A punctuation mark
        at the end of a word, or otherwise at its beginning, is a word of its own
    :param beta: how many times as much recall weighs as precision
    :param whitespace: keep white space in the n-grams of characters; by default it is left out
    :param eps_smoothing: take the mean of the F-scores of the orders, with 1e-16 where there is nothing to divide by,
        as chrF++.py and Moses do. By default the score is the F-score of the mean precision and the mean recall, over
        the orders of which both texts have n-grams
    :param lowercase: put the texts in lower case first
    :raises OrderError: an order is not valid
    :raises StatisticsError: `beta` is not a finite number

    >>> from cybleu.metrics import find, score, scores
    >>> metric = find("chrf++")
    >>> rows = metric.rows([["The cat sat."], ["It rains."]], ["The cat sits.", "It rains."])
    >>> scores(rows, metric).round(2)
    array([ 58.18, 100.  ])
    >>> print(score(rows, metric))
    metric:chrf++|nc:6|nw:2|beta:2|eff:yes|space:no|case:mixed = 75.04
    """

    char_order: int = 6
    word_order: int = 0
    beta: float = 2
    whitespace: bool = False
    eps_smoothing: bool = False
    lowercase: bool = False
    _measures: dict[str, Any] = field(init=False, repr=False, compare=False)  # by backend

    scale = 100
    of_raw_text = True
    reads_raw_text = True

    def __post_init__(self) -> None:
        for name in ("char_order", "word_order"):
            check_whole(getattr(self, name), name, 0, MOST_ORDERS, error=OrderError)
        if not self.char_order + self.word_order:
            raise OrderError("char_order and word_order are both 0, so there is nothing to count")
        if isinstance(self.beta, bool) or not isinstance(self.beta, (int, float)) or not abs(self.beta) <= LARGEST_BETA:
            raise StatisticsError(f"beta is {self.beta!r}; it must be a finite number")
        object.__setattr__(self, "_measures", {})

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), tuple(getattr(self, choice.name) for choice in fields(self) if choice.init)

    @property
    def name(self) -> str:  # type: ignore[override]
        """``chrf``, ``chrf+`` or ``chrf++``."""
        return _NAMES.get(self.word_order, "chrf++")

    @property
    def columns(self) -> tuple[str, ...]:  # type: ignore[override]
        """The names of the numbers in a row."""
        orders = [f"{n}" for n in range(1, self.char_order + 1)] + [f"word_{n}" for n in range(1, self.word_order + 1)]
        return tuple(f"{what}_{order}" for order in orders for what in ("hyp", "ref", "match"))

    @property
    def signature(self) -> str:
        """The definition in one line."""
        return (
            f"metric:{self.name}|nc:{self.char_order}|nw:{self.word_order}|beta:{self.beta:g}|"
            f"eff:{'no' if self.eps_smoothing else 'yes'}|space:{'yes' if self.whitespace else 'no'}|"
            f"case:{'lc' if self.lowercase else 'mixed'}"
        )

    @property
    def measure(self) -> Any:
        """What counts and scores in the backend."""
        found = self._measures.get(_backend.BACKEND)
        if found is None:
            found = self._measures[_backend.BACKEND] = _backend.chosen.CharacterF(*self._arguments)
        return found

    @property
    def _arguments(self) -> tuple[Any, ...]:
        space = "kept" if self.whitespace else "dropped"
        return self.char_order, self.word_order, self.beta, space, self.eps_smoothing

    def _raw(self, tokenize: Any = None, lowercase: bool = False) -> Raw:
        if tokenize is not None:
            raise UnknownNameError(f"{self.name} counts the characters of raw text, so it takes no tokeniser")
        return Raw("none", self.lowercase or bool(lowercase))

    # --------------------------------------------------------------------------------------------------------- counting

    def row(self, references: Sequence[str | bytes], hypothesis: str | bytes) -> list[int]:  # type: ignore[override]
        """The row of one segment.

        :param references: one or more texts
        :param hypothesis: a text
        """
        if not self.lowercase and type(hypothesis) is str and set(map(type, references)) == {str}:
            found: list[int] = self.measure.row(hypothesis, references)
            return found
        raw = self._raw()
        row, _ = self.sum_of_raw(raw, raw.texts([hypothesis], "hypotheses"), *raw.sets([references]))
        return row

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
    ) -> NDArray[np.int64]:
        """The row of each segment.

        The other parameters are those of :meth:`cybleu.metrics.Metric.rows`.

        :param references: for each segment a list of texts; or prepared :class:`cybleu.References` of raw text, with
            any tokeniser
        :param hypotheses: texts, str or bytes
        :param tokenize: None, because there are no tokens
        :param of_ids: none of these
        :raises ArrayValueError: the references are prepared, and in another way than this metric counts
        """
        from .._runtime.arrays import np
        from ..stats.references import References, check_prepared, prepared_lines
        from ..text.batches import owners_given
        from ..text.columns import references_given

        self._refuse_ids(of_ids, "raw text")
        others: Any = None
        bounds: Any = None
        if isinstance(references, References):
            raw, others, bounds = prepared_lines(references, self.name)
            counted = {"lowercase": True} if self.lowercase else {}
            check_prepared(references, self.name, counted, tokenize=tokenize, lowercase=lowercase)
        else:
            raw = self._raw(tokenize, lowercase)
        texts = raw.texts(hypotheses, "hypotheses")
        if others is None:
            references = references_given(references, raw=True)
            if owner is not None and isinstance(references, (list, tuple)) and len(references) > len(texts):
                # those that nobody has are not read
                owners = owners_given(owner, len(references), len(texts))
                numbers, owner = np.unique(owners, return_inverse=True)
                references = [references[number] for number in numbers.tolist()]
            others, bounds = raw.sets(references)
        rows = np.empty((len(texts), len(self.columns)), dtype=np.int64)
        owners = owners_given(owner, len(bounds) - 1, len(texts))
        if owner is None:
            self._fill(texts, others, bounds, rows, threads, progress)
            return rows
        order = owners.argsort(kind="stable").astype(np.int64, copy=False)
        measure = self.measure

        def work(start: int, stop: int) -> None:
            measure.rows_of_owners(texts, others, bounds, owners, order, start, stop, rows)

        _run(work, texts, texts, threads, progress)
        return rows

    def _fill(
        self, texts: Any, references: Any, bounds: Any, rows: Any, threads: int | None, progress: bool = False
    ) -> None:
        measure = self.measure

        def work(start: int, stop: int) -> None:
            measure.rows(texts, references, bounds, start, stop, rows)

        _run(work, texts, references, threads, progress)

    def rows_of_raw(
        self, raw: Raw, texts: Any, references: Any, bounds: Any, threads: int | None = None
    ) -> list[list[int]]:
        """The rows of texts that the backend has read. Needs no NumPy.

        The other parameters are those of :meth:`cybleu.metrics.Metric.rows_of_raw`.
        """
        count, width = len(texts), 3 * (self.char_order + self.word_order)
        if not count:
            return []
        rows = memoryview(array("q", bytes(8 * count * width))).cast("B").cast("q", (count, width))
        self._fill(texts, references, bounds, rows, threads)
        found: Any = rows.tolist()  # as nested as the rows are
        return found  # type: ignore[no-any-return]

    def sum_of_raw(
        self, raw: Raw, texts: Any, references: Any, bounds: Any, threads: int | None = None
    ) -> tuple[list[int], None]:
        """The sum of these rows.

        The other parameters are those of :meth:`cybleu.metrics.Metric.rows_of_raw`.
        """
        sums: list[list[int]] = []
        measure = self.measure

        def work(start: int, stop: int) -> None:
            sums.append(measure.sum(texts, references, bounds, start, stop))

        _run(work, texts, references, threads)
        return [sum(column) for column in zip(*sums)] or [0] * len(self.columns), None

    def pairs(
        self,
        references: Sequence[Any],
        hypotheses: Sequence[Any] | None = None,
        *,
        out: NDArray[np.float64] | None = None,
        threads: int | None = None,
        progress: bool = False,
        **of_ids: Any,
    ) -> NDArray[np.float64]:
        """The score of every hypothesis against every reference alone.

        The other parameters are those of :meth:`cybleu.metrics.Metric.pairs`.

        :param references: R texts, str or bytes
        :param hypotheses: H texts, by default the references
        """
        from .._runtime.arrays import np
        from ..text.batches import separate_output

        lowercase = bool(of_ids.pop("lowercase", False))
        self._refuse_ids(of_ids, "raw text")
        raw = self._raw(None, lowercase)
        of_references = raw.texts(references, "references")
        of_hypotheses = None if hypotheses is None else raw.texts(hypotheses, "hypotheses")
        texts = _backend.chosen.CharacterTexts(self.measure, of_references, of_hypotheses)
        columns = len(of_references)
        shape = columns if of_hypotheses is None else len(of_hypotheses), columns
        scores = separate_output(out, shape, np.float64, references=references, hypotheses=hypotheses)

        def work(start: int, stop: int) -> None:
            texts.fill(start, stop, scores)

        run(work, shape[0], 64 * shape[0] * shape[1], threads, progress, "hypotheses")
        return scores

    # ---------------------------------------------------------------------------------------------------------- scoring

    def evaluate(self, row: Sequence[int]) -> float:
        """The score of a row or of a sum of rows.

        :param row: as many whole numbers from 0 as there are columns
        :raises StatisticsError: it is no such row
        """
        found: float | None = self.measure.evaluate(row)
        return _mirror.CharacterF(*self._arguments).score(self._counted(row)) if found is None else found

    def formula(self, width: int) -> Formula:
        """What turns rows of this many columns into numbers in searches.

        :param width: how many columns
        """
        from .formula import FormulaOfRows

        self._check_width(width)
        return FormulaOfRows(self.evaluate, self.measure)


def _run(work: Any, texts: Any, references: Any, threads: int | None, progress: bool = False) -> None:
    run(work, len(texts), texts.size + references.size + 64 * len(texts), threads, progress, "segments")
