"""TER: the translation edit rate (Snover et al. 2006), as sacreBLEU computes it."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

from .._backend import RawTexts, Segments, Tokenizer, edit_rows
from .._runtime.numbers import check_flags
from ..text.batches import Corpus
from ..text.tokenizers import own_tokenizer
from .base import BuiltinMetric, Counter, Score, Signature
from .names import score_texts


@dataclass(frozen=True)
class Ter(BuiltinMetric):
    """TER of raw text in percent (Snover et al. 2006). The scores are equal to those of sacreBLEU 2.6.

    Lower is better: 0 is a perfect match, and a score can be above 100. Texts are str, or bytes in UTF-8. A row has two
    numbers: the smallest number of edits and shifts that turn the hypothesis into one of the references, and the
    average length of the references. Rows can be added: the row of a corpus is the sum of the rows of its segments.

    :param normalized: tokenise punctuation, as Tercom does; by default white space alone separates words
    :param no_punct: remove punctuation
    :param asian_support: with `normalized`, each Chinese or Japanese character is a word; with `no_punct`, their
        punctuation is removed, too
    :param case_sensitive: do not convert the texts to lower case first

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
    papers = ("snover-2006",)
    scale = 100
    columns = ("edits", "ref_len")
    dtype = "float64"
    reads = "text"
    higher_is_better = False
    cost = 32

    def __post_init__(self) -> None:
        super().__post_init__()
        check_flags(self, "normalized", "no_punct", "asian_support", "case_sensitive")
        if self.lowercase:
            vars(self).update(case_sensitive=False, lowercase=False)

    @cached_property
    def signature(self) -> Signature:
        """The options in one line, with sacreBLEU's names."""
        return Signature(
            {
                "metric": "ter",
                "case": "mixed" if self.case_sensitive else "lc",
                "tok": "tercom",
                "norm": "yes" if self.normalized else "no",
                "punct": "no" if self.no_punct else "yes",
                "asian": "yes" if self.asian_support else "no",
            }
        )

    @cached_property
    def _rules(self) -> tuple[Tokenizer, Callable[[str], str] | None]:
        """The backend's tokeniser, and what prepares a line for it."""
        from ..text.tercom import edits  # compiles regular expressions

        edited = edits(self.normalized, self.no_punct, self.asian_support, self.case_sensitive)
        return own_tokenizer("tercom" if self.normalized else "none"), edited

    def count(self, hypothesis: str | bytes, references: Sequence[str | bytes]) -> list[Any]:
        """Count a segment, and return its row.

        :param hypothesis: a text
        :param references: one or more texts
        """
        lines = [hypothesis, *references] if type(references) is list and references else []
        if set(map(type, lines)) != {str}:
            return super().count(hypothesis, references)
        segments = self._segments(lines[:1], references, array("q", (0, len(references))))
        row = array("d", (0, 0))
        rows = memoryview(row).cast("B").cast("d", (1, 2))
        edit_rows(segments, 0, 1, rows)
        return row.tolist()

    def counter(self, corpus: Corpus) -> Counter:
        """Edit the lines of a corpus, and return a function `(start, stop, rows)` that writes the rows of these segments.

        :param corpus: raw texts and references
        """
        segments = self._segments(corpus.texts.lists(), corpus.sets.texts.lists(), corpus.sets.bounds, corpus.owners)
        return partial(edit_rows, segments)

    def _segments(self, hypotheses: Any, references: Any, sets: Any, owners: Any = None) -> Segments:
        """Edit the lines of hypotheses and of references.

        sacreBLEU tokenises references twice, which can split normalised words further.

        :param sets: where the references of each set begin, and the end
        :param owners: for each hypothesis the index of its set; None if hypothesis i has set i
        """
        tokenizer, edited = self._rules
        if edited is not None:
            hypotheses = list(map(edited, hypotheses))
            references = list(map(edited, references))
            if self.normalized:
                # edits change an edited line only where an entity has become a mark, or a word now ends after its 's
                again = [" ".join(tokenizer.tokens(line)) for line in references]
                references = [edited(line) if "&" in line or "'s" in line else line for line in again]
        return Segments(tokenizer, RawTexts(hypotheses), RawTexts(references), sets, owners)

    def formula(self, row: Sequence[float]) -> float:
        total, length = row
        return 100 * (total / length if length > 0 else float(total > 0))


def ter(hypotheses: Any, references: Any, *, threads: int | None = None, **options: Any) -> Score:
    """Score a corpus of raw text by sacreBLEU's TER in percent; lower is better.

    The other parameters are those of :func:`cybleu.bleu`.

    :param options: options of :class:`cybleu.metrics.Ter`, for example ``normalized=True``

    >>> round(ter(["The cat sat on a mat."], ["The cat sat on the mat."]).score, 2)
    16.67
    """
    return score_texts("ter", hypotheses, references, threads, options)  # type: ignore[no-any-return]
