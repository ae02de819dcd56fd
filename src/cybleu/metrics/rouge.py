"""ROUGE (Lin 2004), as Google's rouge_score computes it."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache, partial
from itertools import chain, islice
from string import ascii_letters, digits
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

from .._backend import RawTexts, Segments, rouge_rows
from .._runtime.extras import extra
from .._runtime.html import html_table
from .._runtime.numbers import check_flags
from ..errors import MissingExtraError, UnknownNameError
from ..text.batches import Corpus, Place
from ..text.reading import read_corpus, token_lists
from ..text.tokenizers import Tokenization
from .base import BuiltinMetric, Signature
from .counting import align_pairs, segments_of_corpus
from .operations import rows_without_numpy

if TYPE_CHECKING:
    from .._backend import Tokenizer
    from .._runtime.lazy_arrays import Floats
    from .base import Counter, Metric

SPACES = Tokenization("space")
MOST_STEMS = 1 << 20  # that are kept
# of kinds, for kernels: of n-grams their order
CODES = {**{f"{order}": order for order in range(1, 10)}, "L": 0, "Lsum": -1}
# For each byte of UTF-8 the same one in lower case if words have it, or if a line or a text ends; otherwise a blank.
_WORDS = bytes([code if chr(code) in f"{ascii_letters}{digits}\n\0" else 32 for code in range(256)]).lower()


def in_lines(texts: Sequence[str], lines: str) -> Sequence[str]:
    """Texts with the lines of ROUGE-Lsum.

    :param lines: ``given``, ``nltk`` for the sentences that NLTK finds, or empty if lines do not count
    """
    if lines != "nltk":
        return texts
    sentences_of = _sentence_splitter()
    return ["\n".join([sentence.replace("\n", " ") for sentence in sentences_of(text)]) for text in texts]


@dataclass(frozen=True)
class WordsOfRouge(Tokenization):
    """The words of rouge_score: runs of ASCII letters and digits in lower case.

    :param lines: if they count, a word that no text has, ``|``, begins each line
    :param stemmer: stem them
    """

    lines: str = ""
    stemmer: bool = False

    edits = True
    own = True

    @property
    def backend(self) -> Tokenizer:
        """The backend's tokeniser, for edited lines."""
        return SPACES.backend

    def edited(self, texts: RawTexts) -> RawTexts:
        """The words of each text with blanks between them."""
        strings = in_lines(texts.lists(), self.lines)
        # all at once, which is several times faster
        joined = "\n" + "\0\n".join([text.replace("\0", " ") for text in strings])
        # The only characters above ASCII of which a letter of ASCII is the lower case; converting any others takes longest.
        if "\u0130" in joined or "\u212a" in joined:
            joined = joined.lower()
        words = joined.encode("utf-8", "surrogatepass").translate(_WORDS)
        edited: list[Any] = words.replace(b"\n", b" | " if self.lines else b" ").split(b"\0")
        if self.stemmer:
            stem = _stemmer()
            edited = [" ".join(map(stem, text.decode().split())) for text in edited]
        return RawTexts(edited)


@dataclass(frozen=True)
class TokensOfLines(Tokenization):
    """The tokens of the lines of texts, with a line break in bytes, which no token of a str is, before each line.

    :param lines: see :func:`in_lines`
    """

    lines: str = ""

    own = False

    def split(self, texts: Sequence[str]) -> list[Any]:
        """The tokens of each text."""
        texts = in_lines(texts, self.lines)
        tokens = token_lists(super().split("\n".join(texts).split("\n")), Place("lines")).lists()
        lines = iter([[b"\n", *line] for line in tokens])
        return [list(chain.from_iterable(islice(lines, text.count("\n") + 1))) for text in texts]


@dataclass(frozen=True)
class Rouge(BuiltinMetric):
    """ROUGE of summaries (Lin 2004), from 0 to 1: the mean of the F-measures of the segments.

    The numbers are equal to those of Google's rouge_score 0.1.2. By default words are runs of ASCII letters and digits in
    lower case, so that text in other scripts scores 0; name another tokeniser for it, for example ``tokenize="unicode"``.

    A row has four numbers, float64: precision, recall and F-measure of the segment, and 1 for the segment. Of several
    references the one with the largest F-measure counts, the first at a tie. Rows can be added: the row of a corpus is the
    sum of the rows of its segments.

    :param kind: ``1`` to ``9`` for n-grams of this order; ``L`` for the longest common subsequence; ``Lsum`` for the union
        of those of the lines of a reference with each line of the hypothesis. ``Lsum`` reads raw text alone
    :param stemmer: stem words of more than three characters with NLTK's Porter stemmer
    :param split_summaries: for ``Lsum``, split texts into sentences with NLTK instead of at ``\\\\n``
    :param tokenize: the tokeniser of raw text, by default ``rouge``
    :param lowercase: convert raw text to lower case first, which ``rouge`` always does
    :raises UnknownNameError: there is no such kind, or an option does not apply to the kind or the tokeniser
    :raises MissingExtraError: an option requires NLTK, which is not installed

    >>> from cybleu.metrics import score
    >>> rows = Rouge("L").rows(["the cat sat down"], ["the cat sits down"])
    >>> rows
    array([[0.75, 0.75, 0.75, 1.  ]])
    >>> print(score(rows, "rougeL"))
    metric:rougeL|stem:no = 75.00
    """

    kind: str = "L"
    stemmer: bool = False
    split_summaries: bool = False

    scale = 1
    papers = ("lin-2004",)
    tokenizer = "rouge"
    columns = ("precision", "recall", "fmeasure", "segments")
    dtype = "float64"
    cost = 16

    kinds: ClassVar[tuple[str, ...]] = ()  # of a row, which has four columns for each
    codes: ClassVar[array[int]]  # of the kinds
    lines: ClassVar[str] = ""  # see :func:`in_lines`

    def __post_init__(self) -> None:
        name = self.kind.lower().removeprefix("rouge") if isinstance(self.kind, str) else None
        kind = next((known for known in CODES if known.lower() == name), None)
        if kind is None:
            raise UnknownNameError(f"unknown kind of ROUGE {self.kind!r}; use one of {', '.join(CODES)}")
        check_flags(self, "stemmer", "split_summaries", "lowercase")
        vars(self).update(kind=kind, reads="text" if kind == "Lsum" else "tokens")
        kinds = self.kinds or (kind,)
        vars(self).update(kinds=kinds, codes=array("q", [CODES[kind] for kind in kinds]))
        if len(kinds) > 1:
            vars(self)["columns"] = Rouge.columns * len(kinds)
        if "Lsum" in kinds:
            vars(self)["lines"] = "nltk" if self.split_summaries else "given"
        _ = self.tokenization  # raises UnknownNameError if there is no such tokeniser
        if self.stemmer and self.tokenize not in (None, "rouge"):
            raise UnknownNameError("stemmer is for the words of ROUGE's own tokeniser; leave out stemmer or tokenize")
        if self.split_summaries and self.kind != "Lsum":
            raise UnknownNameError(f"split_summaries is for rougeLsum, and this is {self.name}; leave it out")
        if self.stemmer:
            _stemmer()
        if self.split_summaries:
            _sentence_splitter()

    @property
    def name(self) -> str:  # type: ignore[override]
        """``rouge1`` to ``rouge9``, ``rougeL`` or ``rougeLsum``."""
        return f"rouge{self.kind}"

    @property
    def signature(self) -> Signature:
        """The kind and the options in one line."""
        fields = {"metric": self.name, "stem": "yes" if self.stemmer else "no"}
        if self.kind == "Lsum":
            fields["tok"] = self.tokenization.fields["tok"]
            fields["lines"] = self.lines
        return Signature(fields)

    @cached_property
    def tokenization(self) -> Tokenization:
        """How raw text is tokenised, by default by ``rouge``."""
        if self.tokenize in (None, "rouge"):
            return WordsOfRouge("rouge", self.lowercase, lines=self.lines, stemmer=self.stemmer)
        if self.lines:
            return TokensOfLines(self.tokenize, self.lowercase, lines=self.lines)
        return Tokenization(self.tokenize, self.lowercase)

    def counter(self, corpus: Corpus) -> Counter:
        return partial(rouge_rows, segments_of_corpus(self, corpus), self.codes)

    def formula(self, row: Sequence[float]) -> float:
        return row[2] / row[3] if row[3] else 0.0

    def fill_pairs(self, pairs: Corpus, scores: Floats, threads: int | None, progress: bool) -> None:
        if self.kind != "L":
            super().fill_pairs(pairs, scores, threads, progress)
            return
        align_pairs(self, pairs, scores, threads, progress)


@dataclass(frozen=True)
class RougeKinds(Rouge):
    """Several kinds of ROUGE in one row, four columns each, for texts that ROUGE's own tokeniser reads once.

    :param kinds: the kinds, see :class:`Rouge`
    """

    kinds: tuple[str, ...] = ()  # type: ignore[misc]

    def count(self, hypothesis: Any, references: Sequence[Any]) -> list[Any]:
        """Count a segment, and return its row.

        :param hypothesis: a text
        :param references: one or more texts
        """
        texts = [hypothesis, *references]
        count = len(texts)
        if count == 1 or {*map(type, texts)} != {str}:
            return super().count(hypothesis, references)
        # one list has the hypothesis and its references, so that they are edited at once
        lines = self.tokenization.edited(RawTexts(texts))
        segments = Segments(SPACES.backend, lines, lines, array("q", (1, count)), array("q", bytes(8 * count)))
        width = len(self.columns)
        rows = memoryview(bytearray(8 * count * width)).cast("d", (count, width))
        rouge_rows(segments, self.codes, 0, 1, rows)
        return rows[:1].tolist()[0]  # type: ignore[return-value]


class Shares(NamedTuple):
    """Precision, recall and F-measure, from 0 to 1.

    >>> Shares(precision=0.5, recall=1.0, fmeasure=2 / 3).recall
    1.0
    """

    precision: float
    recall: float
    fmeasure: float


@dataclass(frozen=True)
class RougeScore:
    """The means of ROUGE over the segments of a corpus; ``print`` shows the F-measures in percent.

    :param rouge1: precision, recall and F-measure of ROUGE-1
    :param rouge2: the same of ROUGE-2
    :param rougeL: the same of ROUGE-L
    :param rougeLsum: the same of ROUGE-Lsum

    >>> share = Shares(0.5, 0.5, 0.5)
    >>> print(RougeScore(share, share, share, share))
    rouge1 = 50.00, rouge2 = 50.00, rougeL = 50.00, rougeLsum = 50.00
    """

    rouge1: Shares
    rouge2: Shares
    rougeL: Shares
    rougeLsum: Shares

    def __str__(self) -> str:
        return ", ".join([f"{name} = {cell}" for name, cell in self._cells().items()])

    def _cells(self) -> dict[str, str]:
        return {name: f"{100 * shares.fmeasure:.2f}" for name, shares in vars(self).items()}

    def _repr_html_(self) -> str:
        cells = self._cells()
        return html_table("ROUGE", cells, [cells.values()])


@cache
def _stemmer() -> Callable[[str], str]:
    """The stem of a word, as rouge_score stems it; each distinct word is stemmed once.

    :raises MissingExtraError: NLTK is not installed
    """
    with extra("nltk", "stemmer=True requires NLTK", "nltk"):
        from nltk.stem.porter import PorterStemmer
    stem = PorterStemmer().stem
    return lru_cache(MOST_STEMS)(lambda word: stem(word) if len(word) > 3 else word)


@cache
def _sentence_splitter() -> Callable[[str], list[str]]:
    """NLTK's function from a text to its sentences.

    :raises MissingExtraError: NLTK, or its model, is not installed
    """
    with extra("nltk", "split_summaries=True requires NLTK", "nltk"):
        from nltk import sent_tokenize
    try:
        sent_tokenize("")
    except LookupError:
        raise MissingExtraError(
            "split_summaries=True requires NLTK's model of sentences; install it with: python -m nltk.downloader punkt_tab"
        ) from None
    return sent_tokenize  # type: ignore[no-any-return]


def rouge(
    hypotheses: Any, references: Any, *, stemmer: bool = False, tokenize: Any = None, threads: int | None = None
) -> RougeScore:
    """Score a corpus of raw text by Google's ROUGE, from 0 to 1: the means of the segments.

    Texts are read and tokenised once for ROUGE-1, ROUGE-2, ROUGE-L and ROUGE-Lsum. Of several references each kind takes
    the one with its largest F-measure.

    :param hypotheses: a list of str, one for each segment; ROUGE-Lsum compares their lines
    :param references: for each segment a str or a list of str
    :param stemmer: stem words with NLTK's Porter stemmer
    :param tokenize: the tokeniser; by default words are runs of ASCII letters and digits in lower case
    :param threads: the number of threads, by default one; it does not affect the result
    :return: precision, recall and F-measure of each kind; all are 0 without segments
    :raises CybleuError: an argument is invalid; the message names the argument and the position

    >>> result = rouge(["the cat sat on a mat"], ["the cat sat on the mat"])
    >>> result.rougeL.fmeasure, result.rouge2.precision
    (0.8333333333333334, 0.6)
    """
    corpus = read_corpus(hypotheses, references)
    kinds = ("1", "2", "L", "Lsum")
    metrics: list[Metric] = [Rouge(kind, stemmer, tokenize=tokenize) for kind in kinds]
    if tokenize is None:
        metrics = [RougeKinds("Lsum", stemmer, kinds=kinds)]
    totals: list[float] = []
    for metric in metrics:
        totals += metric.total(rows_without_numpy(metric, corpus, threads))
    shares = [total / max(corpus.size, 1) for total in totals]
    return RougeScore(*map(Shares, shares[::4], shares[1::4], shares[2::4]))
