"""Which settings give a score that was reported for some texts."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from decimal import Decimal, InvalidOperation
from itertools import chain, product
from operator import ne
from typing import Any, NamedTuple

from .._runtime.html import html_text
from .._runtime.numbers import check_whole, counted
from .._runtime.system import command_line
from ..errors import ArrayValueError, CybleuError, EmptyCorpusError
from ..metrics import VARIANTS, find
from ..metrics.operations import rows_of_corpus
from ..metrics.variants import tool_tokenizer
from ..text.batches import Corpus
from ..text.reading import read_corpus

# The most usual first.
USUAL = ("sacrebleu", "nltk", "multi-bleu")
TOKENIZERS = ("13a", "none", "intl", "zh", "char", "ascii", "space", "codexglue", "tensor2tensor")
# What the hypotheses and the references can have been, as Python arguments.
ARGUMENTS = {
    "as given": "hypotheses, references",
    "swapped": "[texts[0] for texts in references], hypotheses",
    "transposed": "hypotheses[:len(references[0])], list(zip(*references))",
}
ORDER = 4  # of BLEU, if nothing else is said
SHOWN = 3  # rows
WIDTH = 110
INDENT = " " * 10


class Setting(NamedTuple):
    """How a corpus can be scored.

    :ivar metric: a definition of BLEU, followed by its smoothing if that is not the default: ``nltk:method1``
    :ivar tokenize: the tokeniser of raw text; None for tokens
    :ivar lowercase: whether raw text is converted to lower case first
    :ivar arguments: ``as given``; ``swapped``, the first reference scored against the hypothesis; or ``transposed``,
        which scores only as many segments as there are references for each, as sacreBLEU does with a list for each
        segment
    :ivar level: ``mean`` for the mean of the scores of segments, or ``corpus``
    :ivar max_order: the largest n-gram order
    """

    metric: str
    tokenize: str | None
    lowercase: bool
    arguments: str
    level: str = "corpus"
    max_order: int = ORDER

    @property
    def rank(self) -> tuple[int, int]:
        """How unusual the setting is: by the arguments, and by the options that are not the tool's defaults."""
        definition, colon, _ = self.metric.partition(":")
        other_tokens = self.tokenize not in (None, tool_tokenizer(definition))
        other_score = 2 * (self.level == "mean") + 2 * (self.max_order != ORDER)
        others = 2 * (definition not in USUAL) + len(colon) + other_tokens + self.lowercase + other_score
        return [*ARGUMENTS].index(self.arguments), others

    @property
    def call(self) -> str:
        """The Python call; for mistaken arguments, `references` is to have a list for each segment."""
        options = "" if self.tokenize is None else f", tokenize={self.tokenize!r}"
        if self.lowercase:
            options += ", lowercase=True"
        if self.max_order != ORDER:
            options += f", max_order={self.max_order}"
        rows = f"cybleu.rows({ARGUMENTS[self.arguments]}, {self.metric!r}{options})"
        level = ", level='mean'" if self.level == "mean" else ""
        lists = "" if self.arguments == "as given" else "  # references: a list for each segment"
        return f"cybleu.score({rows}, {self.metric!r}{level}){lists}"

    def command(self, hypothesis: str, references: Sequence[str]) -> str:
        """The command for these files; there is none for transposed references."""
        files = [references[0], hypothesis] if self.arguments == "swapped" else [hypothesis, *references]
        words = ["cybleu", "score", *files, "-m", *self.metric.replace(":", " --smoothing ").split()]
        if self.tokenize:
            words += ["--tokenize", self.tokenize]
        if self.lowercase:
            words.append("--lowercase")
        if self.max_order != ORDER:
            words += ["--max-order", str(self.max_order)]
        if self.level == "mean":
            words += ["--level", "mean"]
        return command_line(words)


class SameScore(NamedTuple):
    """Settings that give the same score on a corpus, at the digits that were reported.

    :ivar score: that of the first setting, from 0 to 100
    :ivar settings: the first is the most usual
    """

    score: float
    settings: list[Setting]

    def alternatives(self) -> Iterator[str]:
        """Yield what else gives the score in place of a value of the first setting, such as ``tokenize intl, zh``."""
        first = self.settings[0]
        alone = [setting for setting in self.settings if distance(first, setting) == 1]
        for name, usual in first._asdict().items():
            values = [str(getattr(setting, name)) for setting in alone if getattr(setting, name) != usual]
            if values:
                yield f"{name} {', '.join(values)}"
        if several := len(self.settings) - len(alone) - 1:
            yield f"{counted(several, 'setting')} with several of these"


def distance(one: Setting, other: Setting) -> int:
    """Return how many values of two settings differ."""
    return sum(map(ne, one, other))


@dataclass(frozen=True)
class FoundSettings:
    """The settings that give a score, or those that give the nearest ones; ``print`` shows the first.

    :param rows: settings that give the same number are one row. The most usual come first; or the nearest, if no score
        rounds to the one that was given
    :param found: whether the scores round to it

    >>> result = settings_of(["a cat sat there"], ["A cat sat there"], "59.46")
    >>> first = result.rows[0].settings[0]
    >>> result.found, first.metric, first.tokenize
    (True, 'sacrebleu', '13a')
    """

    rows: tuple[SameScore, ...] = field(repr=False)
    found: bool

    def format(self, hypothesis: str = "", references: Sequence[str] = ()) -> str:
        """Format the first rows, with the call of each, and the command.

        :param hypothesis: the file of the hypotheses; without it, there is no command
        :param references: the files of the references
        """
        lines = [] if self.found else ["no settings give this score; the nearest are:"]
        for row in self.rows[:SHOWN]:
            first = row.settings[0]
            lines.append(f"{row.score:<8.4f}  {first.call}")
            if hypothesis and first.arguments != "transposed":
                lines.append(INDENT + first.command(hypothesis, references))
            others = "; ".join(row.alternatives()) or "nothing else"
            lines += textwrap.wrap(
                f"the same: {others}", WIDTH, initial_indent=INDENT, subsequent_indent=INDENT, break_on_hyphens=False
            )
        if not self.found:
            lines.append(
                "not tried: other weights and smoothing values, and texts that are scored as lists of characters"
            )
        elif len(self.rows) > SHOWN:
            lines.append(f"{len(self.rows) - SHOWN} more rows have less usual settings")
        return "\n".join(lines)

    def __str__(self) -> str:
        return self.format()

    def _repr_html_(self) -> str:
        return html_text(self)


def settings_of(hypotheses: Any, references: Any, score: float | str, digits: int | None = None) -> FoundSettings:
    """Find the settings that give a reported score.

    Definitions, smoothings, tokenisers, case, n-gram orders from 1 to 4 and the mean of the scores of segments are
    tried, and swapped or transposed arguments. The tokenisers ``none``, ``ascii`` and ``space`` are also the habits of
    reading white space. Not tried are other weights, other values of a smoothing, and texts that nobody split into
    tokens, which :func:`cybleu.check` finds.

    :param hypotheses: a batch of texts, in any form that :func:`cybleu.rows` accepts
    :param references: for each segment one reference or a list of references
    :param score: the score, from 0 to 100 or from 0 to 1; a str keeps zeros at its end: ``"27.90"``
    :param digits: the number of its decimals, by default those of `score`
    :return: the settings whose score rounds to it; if there is none, all but those of transposed references, the
        nearest first
    :raises ArrayValueError: the score is not a number, or `digits` is not a whole number from 0 to 17
    :raises CybleuError: as :func:`cybleu.rows`

    >>> print(settings_of(["a cat sat there"], ["A cat sat there"], "59.46"))
    59.4604   cybleu.score(cybleu.rows(hypotheses, references, 'sacrebleu', tokenize='13a'), 'sacrebleu')
              the same: metric nltk:method3, mteval-v13a, tensor2tensor; tokenize none, intl, zh, ascii, space,
              tensor2tensor; arguments swapped; level mean; 60 settings with several of these
    """
    try:
        number = Decimal(str(score))
    except InvalidOperation:
        number = Decimal("nan")
    if not number.is_finite():
        raise ArrayValueError(f"the score is {score!r}; give a number such as 27.9")
    if digits is None:
        digits = max(0, -int(number.as_tuple().exponent))
    digits = check_whole(digits, "digits", 0, 17, error=ArrayValueError)
    value = float(number)
    half = 0.5 * 10**-digits
    scales = (1, 100) if value <= 1 else (1,)  # a number up to 1 can also be a score from 0 to 1

    def off(row: SameScore) -> float:
        return float(min(max(abs(row.score - scale * value) - scale * half, 0) for scale in scales))

    # digits beyond these differ by the order of float operations only
    rows: dict[str, SameScore] = {}
    for setting, one in sorted(_scores_by_setting(hypotheses, references), key=lambda pair: pair[0].rank):
        rows.setdefault(f"{one:.10g}", SameScore(one, [])).settings.append(setting)
    found = [row for row in rows.values() if off(row) < 1e-9]
    # few lines of transposed references come near by chance
    others = [row for row in rows.values() if row.settings[0].arguments != "transposed"]
    shown = list(_joined(found)) or sorted(others, key=off)
    return FoundSettings(tuple(shown), bool(found))


def _joined(rows: list[SameScore]) -> Iterator[SameScore]:
    """Join scores that round to the same number, if one change of the first setting leads from one to the other."""
    while rows:
        first = rows[0].settings[0]
        near = [row for row in rows if any(distance(first, setting) <= 1 for setting in row.settings)]
        yield SameScore(rows[0].score, [*chain(*(row.settings for row in near))])
        rows = [row for row in rows if row not in near]


def _scores_by_setting(hypotheses: Any, references: Any) -> Iterator[tuple[Setting, float]]:
    """Yield each setting and its score from 0 to 100, except where the tool fails."""
    metrics = []
    for definition in dict.fromkeys(("sacrebleu", *VARIANTS)):
        others = VARIANTS[definition].smoothings[1:]
        metrics += [definition, *(f"{definition}:{name}" for name, _, _ in others)]
    for arguments, corpus in _corpora_meant(read_corpus(hypotheses, references)):
        tokenizers: Sequence[str | None] = TOKENIZERS
        cases = [False, True]
        orders = [ORDER, 1, 2, 3]
        if arguments != "as given":
            # who mistakes the arguments rarely has other unusual settings as well
            tokenizers = TOKENIZERS[:4]
            orders = [ORDER]
        if corpus.kind != "raw text":
            tokenizers = [None]
            cases = [False]
        one_each = corpus.sets.bounds[-1] == corpus.size
        counts: dict[Any, Any] = {}
        for metric, tokenize, lowercase, max_order in product(metrics, tokenizers, cases, orders):
            bleu: Any = find(metric, tokenize=tokenize, lowercase=lowercase or None, max_order=max_order)
            # definitions have the same counts of the same tokens, but for the length of one of several references
            tokenization = None if tokenize is None else bleu.tokenization
            key = tokenization, None if one_each else bleu.definition.reference_length
            if key not in counts:
                # a score by NLTK's definition applies NLTK's rule of short segments to these rows
                plain = replace(bleu, max_order=ORDER, variant=replace(bleu.definition, short_segments_count=False))
                counts[key] = rows_of_corpus(plain, corpus)
            # the columns of the lengths, the matches and the n-grams
            rows = counts[key].take([0, 1, *range(2, 2 + max_order), *range(2 + ORDER, 2 + ORDER + max_order)], 1)
            setting = Setting(metric, tokenize, lowercase, arguments, "corpus", max_order)
            with suppress(CybleuError, ArithmeticError):
                yield setting, bleu.score(rows).percent
            may_fail = bleu.definition.fails != "never" and not rows[:, :2].all()
            if arguments == "as given" and not may_fail and not bleu.averages:
                scores = bleu.of_sentences().scores(rows)
                yield setting._replace(level="mean"), float(scores.mean()) * 100 / bleu.scale


def _corpora_meant(corpus: Corpus) -> Iterator[tuple[str, Corpus]]:
    """Yield the corpus as given, and as it is if the arguments are mistaken."""
    if not corpus.size:
        raise EmptyCorpusError("there is no segment to score; give at least one hypothesis with its references")
    yield "as given", corpus
    texts: Sequence[Any] = corpus.texts.lists()
    sets: Sequence[Sequence[Any]] = corpus.sets.lists()
    yield "swapped", read_corpus([several[0] for several in sets], [[text] for text in texts])
    width = len(sets[0])
    if width < corpus.size and {*map(len, sets)} == {width}:
        yield "transposed", read_corpus(texts[:width], [[*several] for several in zip(*sets)])
