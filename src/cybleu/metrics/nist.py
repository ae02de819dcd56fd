"""NIST (Doddington 2002) as ``mteval-v13a.pl`` computes it: BLEU's relative with matches weighted by their information."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from itertools import accumulate
from typing import Any, NoReturn
from zlib import crc32

from .._backend import NgramInformation, RawTexts, Segments
from .._runtime.lazy_arrays import Array, Floats, np
from .._runtime.numbers import check_whole
from ..errors import OrderError, SequenceTypeError, UnknownNameError
from ..nist_score import nist_length_penalty
from ..text.batches import Corpus
from ..text.ids import number_others, number_texts
from ..text.reading import read_lines, read_references
from ..text.tokenizers import Tokenization, own_tokenizer
from .base import BuiltinMetric, Counter, Score, Signature
from .references import References

MOST_ORDERS_OF_MTEVAL = 9


@dataclass(frozen=True, repr=False)
class NistInformation:
    """Information weights of n-grams in a reference corpus, which :class:`Nist` can use for any texts.

    The weight of an n-gram is log2(count of its first n - 1 words / count of the n-gram), with the counts of the
    corpus; that of a single word is log2(number of words / count of the word). N-grams that are not in the corpus have
    weight 0.

    :param references: one or several references for each segment, str or bytes; or :class:`cybleu.References` of raw
        text; kept as a tuple of tuples of str
    :raises NoReferencesError: a segment has no reference

    >>> information = NistInformation([["the cat sat", "the dog"], ["the end"]])
    >>> information.weight("cat"), information.weight("the cat"), information.weight("a cat")
    (2.807..., 1.584..., 0.0)
    """

    references: Any
    _counted: dict[Any, tuple[Any, Any]] = field(default_factory=dict, init=False, compare=False)

    def __post_init__(self) -> None:
        references = self.references
        sets = read_references(references.lists() if isinstance(references, References) else references)
        if sets.kind != "raw text":
            raise SequenceTypeError(f"references hold {sets.kind if sets.size else 'nothing'}; NIST reads raw text")
        object.__setattr__(self, "references", tuple(map(tuple, sets.lists())))

    def __reduce__(self) -> tuple[Any, ...]:
        return NistInformation, (self.references,)  # without the tables, which belong to the backend

    def __repr__(self) -> str:
        return f"<NistInformation of {len(self.references)} segments, {self.signature}>"

    @property
    def signature(self) -> str:
        """A checksum of the corpus, for signatures of metrics."""
        return f"{crc32(repr(self.references).encode('utf-8', 'surrogatepass')):08x}"

    def weight(self, ngram: str, lowercase: bool = False) -> float:
        """The information of an n-gram in bits, 0 if it is not in the corpus.

        :param ngram: up to nine words, str or bytes, which are tokenised as the texts
        :param lowercase: use the weights of the corpus in lower case
        :raises SequenceTypeError: the n-gram is neither str nor bytes
        """
        vocabulary, counted = self.table(lowercase, MOST_ORDERS_OF_MTEVAL)
        line = read_lines([ngram], "ngram")
        return float(counted.weight(number_others(_of_script(lowercase).edited(line), vocabulary).ids))

    def table(self, lowercase: bool, max_order: int) -> tuple[Any, Any]:
        """Return the numbers of the words of the corpus, and the backend's table of its n-grams.

        :param lowercase: whether the corpus is in lower case
        :param max_order: the largest n-gram order
        """
        key = bool(lowercase), max_order
        if key not in self._counted:
            lines = [line for group in self.references for line in group]
            self._counted[key] = _counted(_of_script(lowercase).edited(RawTexts(lines)), max_order)
        return self._counted[key]


@dataclass(frozen=True)
class NistScore(Score):
    """A NIST score with its parts. Each part includes the length penalty, as ``mteval-v13a.pl`` prints it.

    :param cumulative: the score of the orders up to each order; the last one is the score
    :param individual: the score of each order alone
    :param length_penalty: the factor for short hypotheses, from 0 to 1

    >>> metric = Nist(max_order=2)
    >>> result = metric.score(metric.count("the cat sat on a mat", ["the cat sat on the mat"]))
    >>> [round(score, 2) for score in result.cumulative]
    [1.99, 2.19]
    """

    cumulative: tuple[float, ...]
    individual: tuple[float, ...]
    length_penalty: float


@dataclass(frozen=True)
class Nist(BuiltinMetric):
    """NIST of raw text (Doddington 2002). The scores are those of ``mteval-v13a.pl -c``, and with `lowercase` without ``-c``.

    For each order, NIST divides the information of the matches by the number of n-grams. The score is the sum over all
    orders, times a penalty for hypotheses that are shorter than the average reference. Scores begin at 0 and have no
    upper limit; `scale` is 100 so that they are printed unchanged. Matches are clipped by the largest count in one
    reference. The weights come from all references of a call, unless you pass `information`. Pass it if you count a
    corpus in parts, or compare scores of several calls, such as pairs or single segments.

    A row has the average length of the references, for each order the information of the matches, and for each order
    the number of n-grams. Rows with the same weights can be added.

    :param max_order: the largest n-gram order, from 1 to 9
    :param lowercase: convert letters of ASCII to lower case, as the script does without ``-c``
    :param information: the weights; None takes those of the references of each call
    :raises OrderError: the order is not valid

    >>> from cybleu.metrics import Nist, NistInformation, score
    >>> references = ["the cat sat on the mat", "it rains"]
    >>> metric = Nist(max_order=2, information=NistInformation(references))
    >>> rows = metric.rows(["the cat sat on a mat", "it rains"], references)
    >>> print(score(rows, metric))
    metric:nist|ngrams:2|case:mixed|tok:13a|info:0b787f29 = 2.67
    """

    max_order: int = 5
    information: NistInformation | None = None

    name = "nist"
    tokenizer = "13a"
    papers = ("doddington-2002",)
    scale = 100
    dtype = "float64"
    reads = "text"
    cost = 8

    def __post_init__(self) -> None:
        super().__post_init__()
        check_whole(self.max_order, "max_order", 1, MOST_ORDERS_OF_MTEVAL, error=OrderError)
        if not isinstance(self.information, NistInformation | None):
            raise UnknownNameError(f"information is {self.information!r}; give a NistInformation or None")
        parts = [f"{what}_{n}" for what in ("info", "total") for n in range(1, self.max_order + 1)]
        # without information, the weights are those of the references of each call
        vars(self).update(columns=("ref_len", *parts), weighs_by_call=self.information is None)

    @property
    def signature(self) -> str:
        """The options in one line, with a checksum of the weights."""
        return Signature(
            {
                "metric": "nist",
                "ngrams": self.max_order,
                "case": "lc" if self.lowercase else "mixed",
                "tok": self.tokenizer,
                "info": "references" if self.information is None else self.information.signature,
            }
        )

    @cached_property
    def tokenization(self) -> Tokenization:
        """The tokeniser of the script, and its lower case."""
        return _of_script(self.lowercase)

    def with_weights_of(self, references: Any) -> Nist:
        """Return the metric with the weights of a corpus.

        :param references: see :class:`NistInformation`
        """
        return replace(self, information=NistInformation(references))

    def as_reward(self) -> NoReturn:
        """Raise an error: rewards are from 0 to 1, and NIST has no upper limit.

        :raises UnknownNameError: always
        """
        raise UnknownNameError("nist has no upper limit, so it is no reward from 0 to 1; use its scores: cybleu.scores")

    # --------------------------------------------------------------------------------------------------------- counting

    def counter(self, corpus: Corpus) -> Counter:
        """Number the words of a corpus, and return a function `(start, stop, rows)` that writes the rows of these segments.

        :param corpus: raw texts and references
        """
        if self.information is None:
            vocabulary, weights = _counted(corpus.sets.texts, self.max_order)
            numbered_references = weights.corpus
        else:
            vocabulary, weights = self.information.table(self.lowercase, self.max_order)
            numbered_references = number_others(corpus.sets.texts, vocabulary)
        hypotheses = number_others(corpus.texts, vocabulary)
        segments = Segments(None, hypotheses, numbered_references, corpus.sets.bounds, corpus.owners)
        return partial(weights.fill_rows, segments)

    # ---------------------------------------------------------------------------------------------------------- scoring

    def formula(self, row: Sequence[float]) -> float:
        """Score a row that is valid.

        :param row: a number for each column
        :return: 0 if the references have no word, where the script stops
        """
        return self.score_of_row(row, "").score

    def score_of_row(self, row: Sequence[float], signature: str) -> NistScore:
        """Return the score of a row that is valid, with the scores of each order.

        :param row: a number for each column
        :param signature: the signature of the result
        """
        length = row[0]
        totals = row[1 + self.max_order :]
        penalty = nist_length_penalty(length, totals[0]) if length else 0.0
        # the information of the orders stands before their totals, which end the loop
        of_orders = [information / max(total, 1) for information, total in zip(row[1:], totals)]
        cumulative = tuple(total * penalty for total in accumulate(of_orders))
        individual = tuple(number * penalty for number in of_orders)
        return NistScore(cumulative[-1], self.scale, signature, cumulative, individual, penalty)

    def evaluate_rows(self, rows: Array) -> Floats:
        """Score rows that are valid, with the operations of :meth:`formula`.

        :param rows: float64 `(n, columns)`
        """
        lengths = rows[:, 0]
        information = rows[:, 1 : 1 + self.max_order]
        totals = rows[:, 1 + self.max_order :]
        scores: Floats = np.zeros(len(rows))
        for of_order in (information / np.maximum(totals, 1)).T:
            scores += of_order
        short = np.flatnonzero(totals[:, 0] < lengths)
        scores[short] *= list(map(nist_length_penalty, lengths[short].tolist(), totals[short, 0].tolist()))
        scores[lengths == 0] = 0
        return scores


def _of_script(lowercase: bool) -> Tokenization:
    return Tokenization(Nist.tokenizer, lowercase, of_mteval=True)


def _counted(lines: Any, max_order: int) -> tuple[Any, Any]:
    """The numbers of the words of lines, and the backend's table of their n-grams."""
    corpus, vocabulary = number_texts(lines, own_tokenizer(Nist.tokenizer))
    zero = number_others(RawTexts(["0"]), vocabulary).ids[0]
    return vocabulary, NgramInformation(corpus, max_order, zero)
