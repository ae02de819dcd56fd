"""chrF, chrF+ and chrF++ (Popović 2015, 2017), the F-score of n-grams of characters and words, as in sacreBLEU."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

from .._backend import CharacterF, CharacterTexts
from .._definitions.chrf import f_score
from .._definitions.ngrams import MOST_ORDERS
from .._runtime.lazy_arrays import Array, Floats
from .._runtime.numbers import check_flags, check_whole, plain_number
from .._runtime.parallel import run
from ..chrf_score import LARGEST_BETA
from ..errors import OrderError, StatisticsError
from ..text.batches import Corpus
from .base import BuiltinMetric, Counter, Score, Signature
from .counting import segments_of_corpus
from .names import score_texts
from .operations import scores_by


@dataclass(frozen=True)
class Chrf(BuiltinMetric):
    """chrF of raw text, from 0 to 100 (Popović 2015 and 2017). The scores are equal to those of sacreBLEU 2.6.

    Texts are str, or bytes in UTF-8, and are not tokenised. A row has three numbers for each order: the n-grams of the
    hypothesis, the n-grams of the reference, and the matches. The orders of characters come first, then those of words.
    If a segment has several references, only the first one with the best score counts. Rows can be
    added: the row of a corpus is the sum of the rows of its segments.

    :param char_order: the largest character n-gram order
    :param word_order: the largest word n-gram order: 0 for chrF, 1 for chrF+, 2 for chrF++. A punctuation mark
        at the end of a word, or otherwise at its beginning, is a separate word
    :param beta: the weight of recall relative to precision
    :param whitespace: keep white space in the n-grams of characters; by default it is removed
    :param eps_smoothing: take the mean of the F-scores of the orders, with 1e-16 instead of dividing by 0,
        as chrF++.py and Moses do. By default the score is the F-score of the mean precision and the mean recall, over
        the orders for which both texts have n-grams
    :param lowercase: convert the texts to lower case first
    :raises OrderError: an order is not valid
    :raises StatisticsError: `beta` is not a finite number

    >>> from cybleu.metrics import find, score, scores
    >>> metric = find("chrf++")
    >>> rows = metric.rows(["The cat sits.", "It rains."], ["The cat sat.", "It rains."])
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

    scale = 100
    reads = "text"
    cost = 4

    def __post_init__(self) -> None:
        super().__post_init__()
        check_flags(self, "whitespace", "eps_smoothing")
        for name in ("char_order", "word_order"):
            check_whole(getattr(self, name), name, 0, MOST_ORDERS, error=OrderError)
        if not self.char_order + self.word_order:
            raise OrderError("char_order and word_order are both 0, so there is nothing to count")
        beta = plain_number(self.beta)
        if isinstance(self.beta, bool) or not abs(beta) <= LARGEST_BETA:
            raise StatisticsError(f"beta is {self.beta!r}; it must be a finite number")
        object.__setattr__(self, "beta", beta)

    @property
    def name(self) -> str:  # type: ignore[override]
        """``chrf``, ``chrf+`` or ``chrf++``."""
        return "chrf" + "+" * min(self.word_order, 2)

    @property
    def papers(self) -> tuple[str, ...]:  # type: ignore[override]
        """The papers that define chrF, and chrF+ and chrF++."""
        return ("popovic-2015", "popovic-2017") if self.word_order else ("popovic-2015",)

    @cached_property
    def columns(self) -> tuple[str, ...]:  # type: ignore[override]
        """The names of the numbers in a row."""
        orders = [f"{n}" for n in range(1, self.char_order + 1)] + [f"word_{n}" for n in range(1, self.word_order + 1)]
        return tuple(f"{what}_{order}" for order in orders for what in ("hyp", "ref", "match"))

    @cached_property
    def signature(self) -> Signature:
        """The options in one line, with sacreBLEU's names."""
        return Signature(
            {
                "metric": self.name,
                "nc": self.char_order,
                "nw": self.word_order,
                "beta": f"{self.beta:g}",
                "eff": "no" if self.eps_smoothing else "yes",
                "space": "yes" if self.whitespace else "no",
                "case": "lc" if self.lowercase else "mixed",
            }
        )

    @cached_property
    def measure(self) -> CharacterF:
        """The backend's object that counts and scores."""
        space = "kept" if self.whitespace else "dropped"
        return CharacterF(self.char_order, self.word_order, self.beta, space, self.eps_smoothing)

    def count(self, hypothesis: str | bytes, references: Sequence[str | bytes]) -> list[int]:
        """Count a segment, and return its row.

        :param hypothesis: a text
        :param references: one or more texts
        """
        plain = not self.lowercase and type(hypothesis) is str and type(references) is list
        if plain and set(map(type, references)) == {str}:
            return self.measure.row(hypothesis, references)  # type: ignore[arg-type]
        return super().count(hypothesis, references)

    def counter(self, corpus: Corpus) -> Counter:
        return partial(self.measure.rows, segments_of_corpus(self, corpus))

    def fill_pairs(self, pairs: Corpus, scores: Floats, threads: int | None, progress: bool) -> None:
        references: Any = pairs.sets.texts
        hypotheses: Any = None if pairs.texts is references else pairs.texts
        prepared = CharacterTexts(self.measure, references, hypotheses)
        cost = 64 * scores.size
        run(lambda start, stop: prepared.fill(start, stop, scores), len(scores), cost, threads, progress, "hypotheses")

    def formula(self, row: Sequence[int]) -> float:
        score = self.measure.evaluate(row)
        return f_score(row, self.beta, self.eps_smoothing) if score is None else score

    def evaluate_rows(self, rows: Array) -> Floats:
        return scores_by(self.measure, rows, self.formula)  # type: ignore[no-any-return]


def chrf(hypotheses: Any, references: Any, *, threads: int | None = None, **options: Any) -> Score:
    """Score a corpus of raw text by sacreBLEU's chrF, from 0 to 100.

    The other parameters are those of :func:`cybleu.bleu`.

    :param options: options of :class:`cybleu.metrics.Chrf`, for example ``word_order=2`` for chrF++

    >>> round(chrf(["The cat sat on a mat."], ["The cat sat on the mat."]).score, 2)
    65.8
    """
    return score_texts("chrf", hypotheses, references, threads, options)  # type: ignore[no-any-return]
