"""Types for the figures of a report.

Scores, precisions and shares are from 0 to 100; they are NaN or None where the divisor is 0.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from .._runtime.arrays import Array, Floats, Integers, np

if TYPE_CHECKING:
    from ..metrics import BleuScore


class OutputFigures(NamedTuple):
    """An output: the texts of one run of a system for all segments.

    :param name: the name of the system, with the number of the run if there are several
    :param bleu: the score by the first BLEU, on its scale, with precisions, brevity penalty and lengths; None if there
        is no such metric
    :param chrf: chrF as sacreBLEU computes it by default, or of lower-cased text if the report is; from 0 to 100

    >>> from cybleu.report import analyse
    >>> references = [["the cat sat on the mat"], ["it rains a lot"]]
    >>> report = analyse({"mine": ["the cat sat on a mat", "it rains a lot"], "other": ["a cat sat", "it rains"]}, references)
    >>> [(output.name, output.bleu.hypothesis_length) for output in report.outputs]
    [('mine', 10), ('other', 5)]
    """

    name: str
    bleu: BleuScore | None
    chrf: float


class Precisions(NamedTuple):
    """The n-gram precisions of an output, without smoothing, with bootstrap intervals, all from 0 to 100.

    :param name: the name of the output
    :param n: the orders
    :param values: matches / n-grams of the output
    :param low: the lower ends of the intervals
    :param high: the upper ends of the intervals

    >>> from cybleu.report import analyse
    >>> references = [["the cat sat on the mat"], ["it rains a lot"]]
    >>> report = analyse({"mine": ["the cat sat on a mat", "it rains a lot"], "other": ["a cat sat", "it rains"]}, references)
    >>> [round(value, 1) for value in report.precisions[0].values[:4]]
    [90.0, 75.0, 66.7, 50.0]
    """

    name: str
    n: tuple[int, ...]
    values: tuple[float, ...]
    low: tuple[float, ...]
    high: tuple[float, ...]


class Contributions(NamedTuple):
    """The parts of the difference between two scores, in points from 0 to 100. They add up to the difference.

    The logarithm of BLEU is a sum: the logarithm of the brevity penalty plus the weighted logarithms of the precisions.
    The part of each term is its difference times the logarithmic mean of both scores (the decomposition of Ang 2004).
    If the two systems are exchanged, only the signs change.

    :param difference: the first score minus the second one
    :param penalty: the part of the brevity penalties
    :param orders: for each order the part of the precisions

    >>> parts = Contributions(difference=3.0, penalty=-1.0, orders=(0.5, 1.0, 1.25, 1.25))
    >>> sum(parts.orders) + parts.penalty == parts.difference
    True
    """

    difference: float
    penalty: float
    orders: tuple[float, ...]


class Buckets(NamedTuple):
    """Scores of groups of segments. Each group is scored as a corpus.

    A group by length contains the same segments for each output. A group by difference or score contains different
    ones, so its scores do not compare outputs.

    :param by: how the segments are grouped, as for :meth:`MetricFigures.buckets`
    :param labels: the labels of the groups
    :param names: the names of the outputs
    :param segments: how many segments each group has, integers `(outputs, groups)`
    :param scores: the score of each group, from 0 to 100 (of TER and NIST also higher), NaN if it has no segment,
        float64 `(outputs, groups)`

    >>> from cybleu.report import analyse
    >>> references = [["the cat sat on the mat"], ["it rains a lot"]]
    >>> report = analyse({"mine": ["the cat sat on a mat", "it rains a lot"], "other": ["a cat sat", "it rains"]}, references)
    >>> report.metrics[0].buckets("length").segments[0].tolist()
    [2, 0, 0, 0, 0, 0, 0]
    """

    by: str
    labels: tuple[str, ...]
    names: tuple[str, ...]
    segments: Integers
    scores: Floats


class WordFrequencies(NamedTuple):
    """The number of words that match, by the frequency of the words in the references.

    :param labels: the labels of the groups, which say how often a word is in the references
    :param names: the names of the outputs
    :param wanted: the number of words of the references that can match, `(groups,)`
    :param produced: the number of words of the outputs, `(outputs, groups)`
    :param confirmed: the number of matches, `(outputs, groups)`
    :param recall: matches / words of the references, from 0 to 100, float64 `(outputs, groups)`; NaN if there are no
        words
    :param precision: matches / words of the outputs, likewise

    >>> from cybleu.report import analyse
    >>> references = [["the cat sat on the mat"], ["it rains a lot"]]
    >>> report = analyse({"mine": ["the cat sat on a mat", "it rains a lot"], "other": ["a cat sat", "it rains"]}, references)
    >>> words = report.word_frequencies
    >>> words.labels[:3], words.recall[0, 1:3].tolist()
    (('0', '1', '2'), [100.0, 50.0])
    """

    labels: tuple[str, ...]
    names: tuple[str, ...]
    wanted: Integers
    produced: Integers
    confirmed: Integers
    recall: Floats
    precision: Floats


def shares(part: Array, whole: Array) -> Floats:
    """Return shares from 0 to 100; NaN where the whole is 0."""
    with np.errstate(divide="ignore", invalid="ignore"):
        found: Floats = np.where(whole > 0, 100 * part / whole, np.nan)
    return found


class NGram(NamedTuple):
    """An n-gram with two counts that differ.

    Of two systems: how often it matches the references in each, the mean of several runs. Of an output: how often it
    occurs without a match, or is missing, and how often it matches.

    :param tokens: the tokens of the n-gram
    :param first: the larger count, or the occurrences without a match
    :param second: the other count

    >>> NGram(("the", "cat"), first=8, second=0).salience
    0.9
    """

    tokens: tuple[str, ...]
    first: float
    second: float

    @property
    def salience(self) -> float:
        """(first + 1) / (first + second + 2): from 0 to 1, and 0.5 if both counts are equal."""
        return (self.first + 1) / (self.first + self.second + 2)


NGramLists: TypeAlias = tuple[tuple[NGram, ...], ...]  # of each order


class PairFigures(NamedTuple):
    """The difference between two systems.

    :param first: the name of the first system
    :param second: the name of the second system
    :param contributions: the parts of the difference; None if a score is 0, or is not a product of a penalty and
        precisions
    :param confirmed: for each order the n-grams that match more often in the first system, sorted from the largest
        salience; among equals from the largest difference
    :param unconfirmed: the same for the second system, sorted from the smallest salience
    :param influence: how many points each segment adds to the difference by the first metric, from 0 to 100, float64
        `(segments,)`
    :param equal: the number of segments for which both have the same text

    >>> from cybleu.report import analyse
    >>> references = [["the cat sat on the mat"], ["it rains a lot"]]
    >>> report = analyse({"mine": ["the cat sat on a mat", "it rains a lot"], "other": ["a cat sat", "it rains"]}, references)
    >>> (pair,) = report.pairs
    >>> pair.first, pair.second, pair.influence.round(1).tolist()
    ('mine', 'other', [15.3, 25.4])
    """

    first: str
    second: str
    contributions: Contributions | None
    confirmed: NGramLists
    unconfirmed: NGramLists
    influence: Floats
    equal: int
