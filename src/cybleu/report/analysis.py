"""Figures of a comparison report. Each part is computed when it is first accessed."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import cache, cached_property
from itertools import chain, combinations, product
from typing import TYPE_CHECKING, Any, TypeAlias

from .._runtime.arrays import Floats, Integers, bincount, np
from .._runtime.numbers import check_whole
from ..errors import OrderError, UnknownNameError
from ..metrics import Bleu, Mixture, find
from ..metrics.operations import percent, with_options
from ..significance import Settings, SystemComparison, SystemScore
from ..significance.comparison import compare_counts
from ..significance.resampling import interval, resamples
from ..significance.results import written_name
from ..significance.settings import refuse_settings
from .figures import (
    Buckets,
    Contributions,
    NGram,
    NGramLists,
    OutputFigures,
    PairFigures,
    Precisions,
    WordFrequencies,
    shares,
)
from .texts import NGrams, Outputs, Tokens, read_outputs

if TYPE_CHECKING:
    from ..metrics import BleuScore, Metric, Variant

    MetricLike: TypeAlias = "str | Metric | Variant | None"

LARGEST_N = 9  # the default for the largest order of the precisions
LONGEST = 4  # the longest n-grams that are marked and listed
ALL_PAIRS = 4  # systems; with more, only some pairs are shown in detail
# where the groups of segments and of words begin, without the first one, and what all are called
EDGES = {
    "length": (10, 20, 30, 40, 50, 60),
    "difference": (-10, -5, -2, 0, 1, 3, 6, 11),
    "score": (10, 20, 30, 40, 50, 60, 70, 80, 90),
}
FREQUENCIES = (1, 2, 3, 4, 5, 10, 100, 1000)
LABELS = {
    "length": "0 to 9, 10 to 19, 20 to 29, 30 to 39, 40 to 49, 50 to 59, 60 and more",
    "difference": "below -10, -10 to -6, -5 to -3, -2 to -1, 0, 1 to 2, 3 to 5, 6 to 10, 11 and more",
    "score": "0 to 10, 10 to 20, 20 to 30, 30 to 40, 40 to 50, 50 to 60, 60 to 70, 70 to 80, 80 to 90, 90 and more",
    "frequency": "0, 1, 2, 3, 4, 5 to 9, 10 to 99, 100 to 999, 1000 and more",
}


class MetricFigures:
    """Figures of a comparison report by one metric.

    :ivar metric: the metric that scores the systems
    :ivar sign: 1 if higher scores are better, otherwise -1
    :ivar label: its name on the page
    :ivar title: the label, and whether lower scores are better
    :ivar comparison: the scores, intervals and tests of the systems
    :ivar systems: the scores of the systems, in the order of the report: a baseline comes first, then the others from
        the best to the worst by the first metric
    :ivar differences: the tests of all pairs, or of the pairs with the baseline, in the order of the report
    :ivar looked_at: the pairs of systems that are shown in detail: with a baseline, all pairs that were compared;
        otherwise all pairs of up to four systems, or of more systems the pairs with the best one
    :ivar names: the names of the outputs, in the order of the systems. A system with several runs has several outputs
    :ivar rows: the statistics of each output, from which its score is computed, `(segments, columns)`: int64, or
        float64 if the metric takes fractions
    :ivar bootstrap_scores: the scores of each system in the bootstrap samples that give the intervals, from 0 to 100

    >>> from cybleu.report import analyse
    >>> references = [["the cat sat on the mat"], ["it rains a lot in May"]]
    >>> report = analyse({"mine": ["the cat sat on a mat", "it rains a lot in May"]}, references, ["sacrebleu", "ter"])
    >>> [(figures.label, round(figures.systems[0].score, 2)) for figures in report.metrics]
    [('BLEU', 77.82), ('TER', 8.33)]
    """

    def __init__(
        self,
        counter: Metric,
        comparison: SystemComparison,
        label: str,
        runs: Mapping[str, Sequence[str]],
        lengths: Mapping[str, Mapping[str, Integers]],
    ):
        """
        :param counter: the metric with its tokeniser
        :param comparison: the comparison of the systems by this metric
        :param runs: the names of the outputs of each system, in the order of the report
        :param lengths: those of the segments, by what :meth:`buckets` groups and for each output
        """
        metric = counter if counter.reads == "text" else with_options(counter, tokenize=None, lowercase=False)
        self.metric = metric
        self.label = label
        # what is better is above 0 after this factor, also for error rates
        self.sign = 1 if metric.higher_is_better else -1
        self.title = label if metric.higher_is_better else f"{label} (lower is better)"
        self.comparison = comparison
        self._lengths = lengths
        statistics = comparison.statistics
        if len(runs) == 1:
            for table in statistics.tables:  # the tool has no score for some texts
                metric.score(table)
        self.bootstrap_scores = {name: self.percent(scores) for name, scores in comparison.bootstrap_scores.items()}
        scores = {system.name: system for system in comparison.systems}
        self.systems: tuple[SystemScore, ...] = tuple(scores[name] for name in runs)
        # the first is the baseline, if there is one
        best, *others = runs
        pairs = [*combinations(runs, 2)]
        shown = pairs
        if comparison.baseline is not None:
            pairs = shown = [(name, best) for name in others]
        elif len(runs) > ALL_PAIRS:
            shown = [(best, name) for name in others]
        self.differences = tuple(comparison.between(*pair) for pair in pairs)
        self.looked_at: tuple[tuple[str, str], ...] = tuple(shown)
        self.names = tuple(chain.from_iterable(runs.values()))
        # the statistics are in the order in which the systems were given
        rows = dict(zip(chain.from_iterable(runs[name] for name in statistics.names), statistics.tables))
        self.rows = {run: rows[run] for run in self.names}

    @cached_property
    def sentence_scores(self) -> Floats:
        """The score of each segment, as the tool scores single sentences: float64 `(outputs, segments)`.

        Scores are from 0 to 100; those of TER and NIST can be higher.
        """
        scoring = self.comparison.statistics.scoring
        return np.array([self.percent(scoring.of_segments(rows)) for rows in self.rows.values()])

    def buckets(self, by: str) -> Buckets:
        """Score groups of segments.

        :param by: ``length`` groups by the length of the first reference; ``difference`` by how much longer the output
            is than the reference that sets the reference length; ``score`` by the score of each segment
        :raises UnknownNameError: `by` is none of these

        >>> from cybleu.report import analyse
        >>> report = analyse({"mine": ["a b c d e", "a b c d e"]}, [["a b c d e"], ["a b c d"]])
        >>> found = report.metrics[0].buckets("difference")
        >>> [(label, int(n)) for label, n in zip(found.labels, found.segments[0]) if n]
        [('0', 1), ('1 to 2', 1)]
        """
        if by not in EDGES:
            raise UnknownNameError(f"unknown groups {by!r}; use one of {', '.join(EDGES)}")
        labels = tuple(LABELS[by].split(", "))
        if by == "score":
            values = [*self.sentence_scores]
            # error rates can exceed 100, and then the last group is open
            labels = labels if round(float(np.max(values)), 6) > 100 else (*labels[:-1], "90 to 100")
        else:
            values = [self._lengths[by][name] for name in self.names]
        segments = np.zeros((len(self.names), len(labels)), dtype=np.int64)
        scores = np.full(segments.shape, np.nan)
        for output, (rows, of_segments) in enumerate(zip(self.rows.values(), values)):
            group = np.searchsorted(EDGES[by], of_segments, side="right")
            segments[output] = bincount(group, minlength=len(labels))
            for place in segments[output].nonzero()[0].tolist():
                with suppress(ZeroDivisionError):  # some tools fail on empty texts
                    scores[output, place] = self.metric.score(rows[group == place]).percent
        return Buckets(by, labels, self.names, segments, scores)

    # ------------------------------------------------------------------------------------------------------------ pairs

    def influence(self, first: str, second: str) -> Floats:
        """Compute how many points each segment adds to the difference of the scores: float64 `(segments,)`.

        If lower is better, points below 0 are in favour of the first system.

        :param first: the name of a system
        :param second: the name of another system
        :raises UnknownNameError: there is no such system
        """
        return percent(self.comparison.influence(first, second), self.metric.scale)

    def percent(self, value: Any) -> Any:
        """Convert scores to the scale from 0 to 100.

        :param value: a score of the metric, or an array of scores
        """
        return percent(value, self.metric.scale)

    def improvement(self, first: str, second: str) -> tuple[float, float, float]:
        """Return by how many points the first of two systems that were compared is better, and the interval.

        :param first: the name of a system
        :param second: the name of another system
        :raises UnknownNameError: they were not compared
        """
        found = self.comparison.between(*(first, second)[:: self.sign])  # a lower error rate is better
        return self.percent(found.difference), self.percent(found.low), self.percent(found.high)

    @cached_property
    def gains(self) -> Floats:
        """The points of each segment in favour of the first system of each pair in :attr:`looked_at`: float64
        `(pairs, segments)`. They are above 0 if the segment is better there, also if lower scores are better. For one system
        they are the scores of the segments, with the sign that makes the worst the largest."""
        if not self.looked_at:
            return -self.sign * self.sentence_scores[:1]
        return np.array([self.percent(self.sign * self.comparison.influence(*pair)) for pair in self.looked_at])


class Report:
    """Figures of a comparison report, as :func:`analyse` returns them.

    :ivar metrics: the figures by each metric. The first metric sorts the systems
    :ivar comparisons: the comparison by each metric
    :ivar bleu: the figures by the first BLEU; None if there is none. The tokens are those of this BLEU
    :ivar names: the names of the outputs, in the order of the systems. A system with several runs has several outputs
    :ivar looked_at: the pairs of systems that are shown in detail, as in :attr:`MetricFigures.looked_at`
    :ivar segments: the number of segments
    :ivar source: the source text of each segment, or None
    :ivar n_end: the largest order of the precisions
    :ivar subject: the names of the metrics and of the systems as text
    :ivar title: the title of the page
    :ivar command: a command that repeats the report, or None
    :ivar files: a mapping from the names of the files, or of the texts, to their SHA-256

    >>> references = [["the cat sat on the mat"], ["it rains a lot in May"]]
    >>> report = analyse({"mine": ["the cat sat on a mat", "it rains a lot in May"]}, references)
    >>> [(output.name, round(output.bleu.score, 2)) for output in report.outputs]
    [('mine', 77.82)]
    """

    def __init__(
        self,
        metrics: Sequence[Metric],
        comparisons: Sequence[SystemComparison],
        texts: Outputs,
        lowercase: bool = False,
        n_end: int = LARGEST_N,
    ):
        """
        :param metrics: the metrics with their tokenisers
        :param comparisons: the comparison of the systems by each metric
        :param texts: the texts that the metrics have counted
        :param lowercase: whether tokens are in lower case if no metric counts tokens
        """
        self._texts = texts
        bleus = [metric for metric in metrics if isinstance(metric, Bleu)]
        # the tokens on the page are those of the first BLEU, or else of the first metric that counts tokens, or of sacreBLEU's
        of_tokens = [metric for metric in metrics if metric.reads != "text"]
        first: Any = [*bleus, *of_tokens, find("sacrebleu", lowercase=lowercase)][0]
        reading = first.tokenization
        # counted to a larger order than the scores, and without NLTK's n-grams of texts that are too short
        counting: Any = find(
            "mteval-v13a" if first.name == "mteval-v13a" else "sacrebleu",
            max_order=max(n_end, first.order) if bleus else n_end,
            reference_length=first.definition.reference_length if bleus else None,
            tokenize=None if reading is None else reading.tokenize,
            lowercase=first.lowercase,
        )
        self._tokens = Tokens(texts, counting.tokenization)
        self.n_end: int = counting.order
        self._threads = comparisons[0].settings.threads
        self._rows = texts.rows(counting, self._threads)
        first_references = self._tokens.firsts[:-1] + len(texts.outputs)
        lengths = {
            "length": dict.fromkeys(texts.outputs, np.diff(self._tokens.bounds)[first_references]),
            "difference": {name: rows[:, 0] - rows[:, 1] for name, rows in self._rows.items()},
        }
        runs = {system.name: texts.runs[system.name] for system in comparisons[0].systems}
        found = []
        for metric, comparison in zip(metrics, comparisons):
            label = written_name(comparison.metric if len(bleus) == 1 else metric.name)
            found.append(MetricFigures(metric, comparison, label, runs, lengths))
        self.metrics = tuple(found)
        self.comparisons = [*comparisons]
        self.names = found[0].names
        self.looked_at = found[0].looked_at
        self.segments = len(texts.references)
        self.source = texts.source
        self.bleu = found[metrics.index(bleus[0])] if bleus else None
        self._longest = min(bleus[0].order, LONGEST) if bleus else LONGEST
        systems = [*texts.runs]
        if len(systems) > 5:
            systems[4:] = [f"{len(systems) - 4} others"]
        self.subject = f"{in_words([one.label for one in found])} of {in_words(systems)}"
        self.title = self.subject
        self.command: str | None = None
        self.files: Mapping[str, str] = {}

    @cached_property
    def outputs(self) -> tuple[OutputFigures, ...]:
        """The scores of each output by the first BLEU and by chrF."""
        chrf = find("chrf", lowercase=self._tokens.lowercase)
        rows = self._texts.rows(chrf, self._threads)
        found = []
        for name in self.names:
            bleu, _ = self._by_bleu.get(name, (None, None))
            found.append(OutputFigures(name, bleu, chrf.formula(rows[name].sum(axis=0).tolist())))
        return tuple(found)

    @cached_property
    def _by_bleu(self) -> dict[str, tuple[BleuScore, list[float] | None]]:
        """By output its score by the first BLEU, and the terms of the logarithm of this score: that of the penalty, and those of
        the precisions times their weights. There are no terms (None) if the score is 0, or is not a product of these."""
        if self.bleu is None:  # a report by other metrics alone, whose page has no table of these parts
            return {}
        found = {}
        metric: Any = self.bleu.metric
        for name, rows in self.bleu.rows.items():
            score = metric.score(rows)
            orders = len(score.precisions)
            weights = metric.weights or (1 / orders,) * orders
            factors = [score.brevity_penalty, *(precision / metric.scale for precision in score.precisions)]
            terms = None
            if score.score > 0 and min(factors) > 0:
                terms = [weight * math.log(factor) for weight, factor in zip((1, *weights), factors)]
                # the mean of the scores of sentences, for example, is no product of these
                if not math.isclose(math.exp(math.fsum(terms)), score.score / metric.scale, rel_tol=1e-9):
                    terms = None
            found[name] = score, terms
        return found

    @cached_property
    def precisions(self) -> tuple[Precisions, ...]:
        """The precision of each order up to `n_end`, for each output, with bootstrap intervals of the same samples."""
        settings = self.comparisons[0].settings
        # the columns of all outputs in one product, so that they share the samples
        counts = np.concatenate([self._rows[name][:, 2:] for name in self.names], axis=1).astype(np.float64)
        drawn = resamples(np.random.default_rng(settings.seed), settings.resamples, self.segments, counts.dtype)
        sums = [counts.sum(axis=0, keepdims=True), *(weights @ counts for weights in drawn)]
        found = []
        for name, of_output in zip(self.names, np.split(np.concatenate(sums), len(self.names), axis=1)):
            values, *samples = shares(of_output[:, : self.n_end], of_output[:, self.n_end :])
            ends = []
            for of_order in np.transpose(samples):
                known = of_order[~np.isnan(of_order)]
                # a sample of short segments may have no n-gram of a large order
                ends.append(interval(known, settings.confidence) if len(known) else (np.nan, np.nan))
            low, high = zip(*ends)
            found.append(Precisions(name, tuple(range(1, self.n_end + 1)), tuple(values.tolist()), low, high))
        return tuple(found)

    @cached_property
    def word_frequencies(self) -> WordFrequencies:
        """Recall and precision of words by how often they are in the references."""
        labels = tuple(LABELS["frequency"].split(", "))
        words = self._ngrams  # of the last order that was counted, 1
        group = np.searchsorted(FREQUENCIES, words.frequency, side="right")
        size = len(labels)
        wanted = bincount(group, words.wanted, size).astype(np.int64)
        produced = np.array([bincount(group, words.produced[name], size) for name in self.names]).astype(np.int64)
        confirmed = np.array([bincount(group, words.confirmed[name], size) for name in self.names]).astype(np.int64)
        recall = shares(confirmed, wanted)
        return WordFrequencies(labels, self.names, wanted, produced, confirmed, recall, shares(confirmed, produced))

    # ---------------------------------------------------------------------------------------------------------- n-grams

    @cached_property
    def _ngrams(self) -> NGrams:
        return NGrams(self._texts, self._tokens, self._longest, self.looked_at)

    @property
    def over_generated(self) -> tuple[NGramLists, ...]:
        """The n-grams that outputs have too often, for each output and each order, the most salient first: how often they occur
        without a match, at least twice, and how often they match."""
        return tuple(self._ngrams.over[name] for name in self.names)

    @property
    def under_generated(self) -> tuple[NGramLists, ...]:
        """The n-grams that outputs do not have often enough, likewise: how often they are missing, and how often they match."""
        return tuple(self._ngrams.under[name] for name in self.names)

    @cached_property
    def pairs(self) -> tuple[PairFigures, ...]:
        """The differences between the systems of each pair in :attr:`looked_at`."""
        return tuple(self.between(*pair) for pair in self.looked_at)

    def contributions(self, first: str, second: str) -> Contributions | None:
        """Compute what the orders and the brevity penalty contribute to the difference of two systems by the first BLEU.

        For several runs it is the mean over all pairs of runs. If a score is 0, or there is no BLEU, the result is
        None.

        :param first: the name of a system
        :param second: the name of another system
        :raises UnknownNameError: there is no such system

        >>> systems = {"mine": ["the cat sat on a mat"] * 2, "theirs": ["the cat sat on the mat", "the cat sat"]}
        >>> found = analyse(systems, [["the cat sat on the mat"]] * 2).contributions("mine", "theirs")
        >>> round(found.difference, 3), round(sum(found.orders) + found.penalty, 3)
        (-17.925, -17.925)
        """
        of_systems = self._texts.runs
        for name in (first, second):
            if name not in of_systems:
                raise UnknownNameError(f"there is no system {name!r}; there are {', '.join(of_systems)}")
        if self.bleu is None:
            return None
        parts = []
        for one, other in product(of_systems[first], of_systems[second]):
            score, ones = self._by_bleu[one]
            other_score, others = self._by_bleu[other]
            if ones is None or others is None:
                return None
            high = score.percent
            low = other_score.percent
            # the logarithmic mean is the factor between a difference of logarithms and one of scores
            mean = high if high == low else (high - low) / (math.log(high) - math.log(low))
            parts.append([high - low, *(mean * (term - below) for term, below in zip(ones, others))])
        difference, penalty, *orders = (math.fsum(part) / len(parts) for part in zip(*parts))
        return Contributions(difference, penalty, tuple(orders))

    def between(self, first: str, second: str) -> PairFigures:
        """Compare two systems in detail.

        :param first: the name of a system
        :param second: the name of another system
        :raises UnknownNameError: there is no such system

        >>> systems = {"mine": ["a b c d", "e f g f", "g"], "theirs": ["a b c d", "e f x f", "x"]}
        >>> found = analyse(systems, [["a b c d"], ["e f g f"], ["g"]]).between("mine", "theirs")
        >>> found.equal, found.confirmed[0][0].tokens
        (1, ('g',))
        """
        contributions = self.contributions(first, second)  # raises what the names have against them
        # a pair that is not shown in detail has n-grams that were not compared yet
        ngrams = self._ngrams
        if (first, second) not in self.looked_at:
            ngrams = NGrams(self._texts, self._tokens, self._longest, [(first, second)])
        unconfirmed = []
        for of_order in ngrams.differences[second, first]:
            unconfirmed.append(tuple(NGram(one.tokens, one.second, one.first) for one in of_order))
        return PairFigures(
            first,
            second,
            contributions=contributions,
            confirmed=ngrams.differences[first, second],
            unconfirmed=tuple(unconfirmed),
            influence=self.metrics[0].influence(first, second),
            equal=self._texts.alike(first, second),
        )

    # --------------------------------------------------------------------------------------------------------- as text

    def format(self, width: int = 2) -> str:
        """Format the comparison by each metric as text.

        :param width: the number of decimals of scores
        """
        return "\n\n".join(comparison.format(width) for comparison in self.comparisons)

    def __str__(self) -> str:
        return self.format()


def analyse(
    systems: Mapping[str, Any],
    references: Any,
    metric: MetricLike | Sequence[MetricLike] = None,
    *,
    tokenize: Any = None,
    lowercase: bool = False,
    n_end: int = LARGEST_N,
    source: Any = None,
    baseline: str | None = None,
    settings: Settings | None = None,
    title: str | None = None,
    command: str | None = None,
    files: Mapping[str, str] | None = None,
    **choices: Any,
) -> Report:
    """Compare the outputs of one or more systems with references, and find where they differ.

    :param systems: a mapping from the name of each system to its list of texts, one for each segment; or to a list of
        such lists, one for each run
    :param references: raw text: for each segment a list of references, or a str if there is only one
    :param metric: the metric, in any form that :func:`cybleu.metrics.find` accepts, by default ``sacrebleu``; or a list
        of metrics, the first of which sorts the systems
    :param tokenize: see :func:`cybleu.text.tokenizer`; by default the tokeniser of each metric, or of its tool. It does
        not apply to metrics of raw text, and a mixture refuses it and `lowercase`, because its metrics have their own
    :param lowercase: convert the texts to lower case first, as the tool does
    :param n_end: the maximum n-gram order of the precisions
    :param source: the source text of each segment, a list of str; it is shown on the page
    :param baseline: the name of a system; all other systems are compared only with this one
    :param settings: the test, the samples and the threads, by default ``cybleu.significance.Settings()``
    :param title: the title of the page; by default the names of the metrics and the systems
    :param command: the command that repeats the report, shown on the page
    :param files: the names of files with their digests, shown on the page; by default the digests of the texts
    :param choices: options of :class:`cybleu.metrics.Bleu`, for each BLEU among the metrics
    :return: the figures; scores of segments and groups are from 0 to 100
    :raises UnknownNameError: two metrics have the same name, or a metric, baseline, test or tokeniser is unknown
    :raises LengthMismatchError: the number of lines of a system or of the source differs from the number of segments
    :raises SampleError: there are fewer than two segments
    :raises CybleuError: a text is invalid

    >>> references = [["the cat sat on the mat"], ["it rains a lot in May"], ["so it is said"]]
    >>> systems = {"mine": [line for line, in references], "theirs": ["the cat sat", "it rains in May", "so it was said"]}
    >>> report = analyse(systems, references)
    >>> [(system.name, round(system.score, 2)) for system in report.metrics[0].systems]
    [('mine', 100.0), ('theirs', 26.06)]
    """
    refuse_settings(choices)
    counters = _counters(metric, tokenize, lowercase, choices)
    check_whole(n_end, "n_end", 1, 64, error=OrderError)
    settings = settings or Settings()
    texts = read_outputs(systems, references, source)
    counters = [one.with_weights_of(texts.references) if one.weighs_by_call else one for one in counters]
    comparisons = []
    for counter in counters:
        rows = texts.rows(counter, settings.threads)
        of_systems = {name: [rows[run] for run in runs] for name, runs in texts.runs.items()}
        comparisons.append(compare_counts(of_systems, counter, texts.most_references, baseline, settings))
    report = Report(counters, comparisons, texts, lowercase, n_end)
    report.title = title or report.subject
    report.command = command
    report.files = files or texts.digests()
    return report


def _counters(given: Any, tokenize: Any, lowercase: bool, choices: Mapping[str, Any]) -> list[Metric]:
    """Return the metrics of a report with their tokenisers.

    :param given: a metric, or a list of metrics
    :param choices: options of a single metric, or of each BLEU in a list
    :raises UnknownNameError: there is no metric, or two have one name
    """
    # options of one metric may be those of any; in a list only BLEU shares its options with others
    several = isinstance(given, (list, tuple))
    remembered: dict[int, Any] = {}
    counters: dict[str, Metric] = {}
    for one in given if several else [given]:
        metric = find(one)
        if isinstance(metric, Bleu) or not several:
            metric = find(metric, **choices)
        if metric.name in counters:
            raise UnknownNameError(f"two metrics are called {metric.name!r}; give each once")
        fields: dict[str, Any] = {"lowercase": lowercase or metric.lowercase}
        if isinstance(metric, Mixture):
            fields["tokenize"] = tokenize  # if given, an error: each of its metrics has its own
        elif metric.reads != "text":
            own = metric.tokenization and metric.tokenization.tokenize
            name = (own if tokenize is None else tokenize) or "none"
            # a function is called once for each different line, though each metric counts the texts
            fields["tokenize"] = remembered.setdefault(id(name), cache(name)) if callable(name) else name
        counters[metric.name] = with_options(metric, **fields)
    if not counters:
        raise UnknownNameError("there is no metric; give one, such as bleu")
    return [*counters.values()]


def in_words(names: Sequence[str]) -> str:
    """Return a list of names as text."""
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)
