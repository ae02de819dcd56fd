"""Figures of a comparison report. Each part is computed when it is first accessed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeAlias

from .._runtime.arrays import np
from .._runtime.collector import collector_paused
from .._runtime.numbers import check_whole
from .._runtime.samples import check_samples
from .._version import __version__
from ..errors import LengthMismatchError, OrderError, UnknownNameError
from ..metrics import Bleu, Chrf, find, tool_tokenizer
from ..significance.defaults import ALPHA, CONFIDENCE, RESAMPLES, SEED
from ..significance.paired import interval
from ..significance.products import Columns
from ..significance.resampling import scores_of_resamples
from ..significance.systems import check_share
from ..text import tokenizer_signature
from .buckets import word_frequencies
from .by_metric import MetricFigures
from .contributions import contributions, mean_of
from .figures import (
    Contributions,
    NGramMiss,
    OutputFigures,
    PairFigures,
    Precisions,
    WordFrequencies,
    shares,
)
from .ngrams import NGrams, Pair
from .texts import Splitting, Texts, digest_of, texts_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ..metrics import Metric, Variant
    from ..significance import SystemComparison

    MetricLike: TypeAlias = "str | Metric | Variant | None"

LARGEST_N = 9  # the default for the largest order of the precisions
MOST_MARKED = 4  # the longest n-grams that are marked and listed
LABELS = {"ter": "TER", "nist": "NIST", "gleu": "GLEU"}


class Report(MetricFigures):
    """Figures of a comparison report, as :func:`analyse` returns them. Its own scores are those of its first corpus BLEU.

    :ivar metric: the first corpus BLEU; precisions and n-grams are those of its tokens
    :ivar label: its name on the page
    :ivar comparison: the scores, intervals and tests of the systems; None if there is only one system
    :ivar systems: the scores of the systems, the best first; if there is a baseline, it comes before the others
    :ivar segments: how many segments there are
    :ivar confidence: the confidence of all intervals
    :ivar signature: the definition of the score in one line
    :ivar title: the title of the page
    :ivar command: a command that repeats the report, or None
    :ivar files: a mapping from the names of the files, or of the texts, to their SHA-256

    >>> references = [["the cat sat on the mat"], ["it rains a lot in May"]]
    >>> report = analyse(references, {"mine": ["the cat sat on a mat", "it rains a lot in May"]})
    >>> [(output.name, round(output.bleu.score, 2)) for output in report.outputs]
    [('mine', 77.82)]
    """

    metric: Bleu

    def __init__(
        self,
        texts: Texts,
        runs: dict[str, list[int]],
        metrics: Sequence[tuple[Metric, Splitting]],
        *,
        lowercase: bool,
        n_end: int,
        title: str | None,
        command: str | None,
        files: Mapping[str, str] | None,
        **compared: Any,
    ):
        self._place = next(place for place, (metric, _) in enumerate(metrics) if is_corpus_bleu(metric))
        labels = labels_of_metrics([metric for metric, _ in metrics])
        metric, splitting = metrics[self._place]
        assert isinstance(metric, Bleu)
        self.lowercase = lowercase
        self._seed = compared["seed"]
        self.n_end = max(n_end, metric.order)
        threads = compared["threads"]
        every = self._every_order = texts.rows(
            Bleu(max_order=self.n_end, reference_length=metric.definition.reference_length), threads
        )
        order, most = metric.order, self.n_end
        # the rows from which the score of each output is computed
        rows = [
            np.ascontiguousarray(np.concatenate([rows[:, : 2 + order], rows[:, 2 + most : 2 + most + order]], axis=1))
            for rows in every
        ]
        lengths = [rows[:, 0] - rows[:, 1] for rows in every]
        super().__init__(
            texts,
            runs,
            metric,
            rows,
            lengths,
            label=labels[self._place],
            described=_described(texts, metric, splitting),
            first=None,
            compared=compared,
        )
        self._resamples = self.comparison.resamples if self.comparison else compared["resamples"]
        self._options = compared
        # how the others are counted, without a tokeniser where the tokens are those of the first
        self._given = [
            (other, None if how == splitting else how, label, _described(texts, other, how))
            for (other, how), label in zip(metrics, labels)
            if other is not metric
        ]
        by = " and ".join(", ".join([self.label, *(label for _, _, label, _ in self._given)]).rsplit(", ", 1))
        self.title = title or f"{by} of " + (next(iter(runs)) if len(runs) == 1 else f"{len(runs)} systems")
        self.command = command
        self.files = dict(files) if files is not None else self._digests()

    @cached_property
    def others(self) -> tuple[MetricFigures, ...]:
        """The figures by the other metrics."""
        texts, found = self._texts, []
        for given, splitting, label, described in self._given:
            metric = texts.weighed(given)
            figures = MetricFigures(
                texts,
                self._runs,
                metric,
                texts.rows_by(metric, splitting, self._options["threads"]),
                self._lengths,
                label=label,
                described=described,
                first=self,
                compared=self._options,
            )
            found.append(figures)
        return tuple(found)

    @property
    def by_metric(self) -> tuple[MetricFigures, ...]:
        """The figures by each metric, in the order in which the metrics were given."""
        return (*self.others[: self._place], self, *self.others[self._place :])

    @property
    def comparisons(self) -> list[SystemComparison]:
        """The comparison by each metric, in the same order; empty if there is only one system."""
        return [figures.comparison for figures in self.by_metric if figures.comparison is not None]

    def _digests(self) -> dict[str, str]:
        found = {text.name: text.digest for text in self._texts.outputs}
        of_segments = {text.name: text.digest for text in self._texts.references}
        if self.source is not None:
            of_segments["source"] = digest_of(self.source)
        return found | {
            f"{name} (of the segments)" if name in found else name: of_segments[name] for name in of_segments
        }

    @property
    def source(self) -> Sequence[str] | None:
        """The source text of each segment, if it was given."""
        return self._texts.source

    @cached_property
    def outputs(self) -> tuple[OutputFigures, ...]:
        """Scores, lengths and chrF of each output."""
        chrf = Chrf(lowercase=self.lowercase)
        sums = sum(rows.sum(axis=1) for _, rows in self._texts.pieces(chrf))
        found = {}
        for system, numbers in self._runs.items():
            for output in numbers:
                text = self._texts.outputs[output]
                found[output] = OutputFigures(
                    text.name,
                    system,
                    self.metric.score(self._rows[output]),
                    chrf.score(sums[output].tolist()).score,
                    text.digest,
                )
        return tuple(found[output] for output in self._order)

    @cached_property
    def precisions(self) -> tuple[Precisions, ...]:
        """The precision of each order up to `n_end`, for each output, with bootstrap intervals of the same samples."""
        most = self.n_end
        columns = Columns([self._every_order[output] for output in self._order])
        sampled = scores_of_resamples(
            columns,
            np.random.default_rng(self._seed),
            self._resamples,
            lambda sums: shares(sums[:, 2 : 2 + most], sums[:, 2 + most :]),
        )
        found = []
        for place, output in enumerate(self._order):
            sums = self._every_order[output].sum(axis=0)
            values = shares(sums[2 : 2 + most], sums[2 + most :])
            ends = [_interval_of_known(scores, self.confidence) for scores in sampled[place]]
            found.append(
                Precisions(
                    self.names[place],
                    tuple(range(1, most + 1)),
                    tuple(values.tolist()),
                    tuple(low for low, _ in ends),
                    tuple(high for _, high in ends),
                )
            )
        return tuple(found)

    @cached_property
    def word_frequencies(self) -> WordFrequencies:
        """Recall and precision of words by how often they are in the references."""
        return word_frequencies(self._ngrams, self.names, self._order)

    # ---------------------------------------------------------------------------------------------------------- n-grams

    def _found(self, pairs: Sequence[tuple[str, str]]) -> NGrams:
        """Find the n-grams of all texts, up to four tokens, and compare those of these pairs of systems."""
        of_pairs = [self._outputs_of(*pair) for pair in pairs]
        return NGrams(self._texts, min(self.metric.order, MOST_MARKED), of_pairs)

    @cached_property
    def _ngrams(self) -> NGrams:
        return self._found(self.looked_at)

    @property
    def over_generated(self) -> tuple[tuple[tuple[NGramMiss, ...], ...], ...]:
        """The n-grams that outputs have too often, for each output and each order, the most salient first.

        The salience is (a + 1) / (a + b + 2) for a occurrences without a match and b matches.
        """
        return tuple(self._ngrams.over[output] for output in self._order)

    @property
    def under_generated(self) -> tuple[tuple[tuple[NGramMiss, ...], ...], ...]:
        """The n-grams that outputs do not have often enough, for each output and each order, the most salient first.

        The salience is (a + 1) / (a + b + 2) for a missing matches and b matches.
        """
        return tuple(self._ngrams.under[output] for output in self._order)

    @cached_property
    def pairs(self) -> tuple[PairFigures, ...]:
        """The differences between the systems of each pair in :attr:`looked_at`."""
        return tuple(self.between(*pair) for pair in self.looked_at)

    def contributions(self, first: str, second: str) -> Contributions | None:
        """Compute what the orders and the brevity penalty contribute to the difference between two systems.

        For several runs it is the mean over all pairs of runs. If a score is 0, the result is None.

        :param first: the name of a system
        :param second: the name of another system
        :raises UnknownNameError: there is no such system

        >>> systems = {"mine": ["the cat sat on a mat"] * 2, "theirs": ["the cat sat on the mat", "the cat sat"]}
        >>> found = analyse([["the cat sat on the mat"]] * 2, systems).contributions("mine", "theirs")
        >>> round(found.difference, 3), round(sum(found.orders) + found.penalty, 3)
        (-17.925, -17.925)
        """
        runs = [self._runs_of(name) for name in (first, second)]
        scores = [[self.metric.score(self._rows[output]) for output in outputs] for outputs in runs]
        return mean_of([contributions(self.metric, one, other) for one in scores[0] for other in scores[1]])

    def between(self, first: str, second: str) -> PairFigures:
        """Compare two systems in detail.

        :param first: the name of a system
        :param second: the name of another system
        :raises UnknownNameError: there is no such system

        >>> systems = {"mine": ["a b c d", "e f g h"], "theirs": ["a b c d", "e f x h"]}
        >>> found = analyse([["a b c d"], ["e f g h"]], systems).between("mine", "theirs")
        >>> found.equal, found.confirmed[0][0].tokens
        (1, ('g',))
        """
        runs = self._outputs_of(first, second)
        if (first, second) in self.looked_at:
            influence, ngrams = self._influences[self.looked_at.index((first, second))], self._ngrams
        else:
            influence, ngrams = self.influence(first, second), self._found([(first, second)])
        better, worse = ngrams.differences[runs]
        lines = [self._texts.outputs[output].lines for outputs in runs for output in outputs]
        equal = sum(len(set(of_segment)) == 1 for of_segment in zip(*lines))
        parts = self.contributions(first, second)
        return PairFigures(first, second, parts, better, worse, influence, equal)

    def _outputs_of(self, first: str, second: str) -> Pair:
        return tuple(self._runs_of(first)), tuple(self._runs_of(second))

    # --------------------------------------------------------------------------------------------------------- as text

    def format(self, width: int = 2) -> str:
        """Format the scores by each metric as text: the tables of the comparison, or the score of a single system.

        :param width: the number of decimals of scores
        """
        return "\n\n".join(MetricFigures.format(figures, width) for figures in self.by_metric)


def analyse(
    references: Any,
    systems: Mapping[str, Any],
    metric: MetricLike | Sequence[MetricLike] = None,
    *,
    tokenize: Any = None,
    lowercase: bool = False,
    n_end: int = LARGEST_N,
    source: Any = None,
    baseline: str | None = None,
    test: str = "randomization",
    samples: int | None = None,
    resamples: int = RESAMPLES,
    seed: int = SEED,
    confidence: float = CONFIDENCE,
    alpha: float = ALPHA,
    threads: int | None = None,
    progress: bool = False,
    title: str | None = None,
    command: str | None = None,
    files: Mapping[str, str] | None = None,
    **choices: Any,
) -> Report:
    """Compare the outputs of one or more systems with references, and find where they differ.

    :param references: raw text: for each segment a list of references, or a str if there is only one
    :param systems: a mapping from the name of each system to its list of texts, one for each segment; or to a list of
        such lists, one for each run
    :param metric: a corpus BLEU, as for :func:`cybleu.metrics.find`, by default ``sacrebleu``; or a list of metrics with
        at least one
    :param tokenize: as for :func:`cybleu.text.tokenizer`, or a list with one for each metric; by default the tokeniser of
        the tool of each metric. Metrics of raw text take none
    :param lowercase: convert the texts to lower case first, as the tool does
    :param n_end: the largest order of the precisions
    :param source: the source text of each segment, which the page shows; a list of str
    :param baseline: the name of a system; each other system is compared only with this one
    :param test: as for :func:`cybleu.significance.compare_systems`; so are the next seven parameters
    :param samples: the number of samples of the test
    :param resamples: the number of bootstrap samples of the intervals
    :param seed: the seed of all samples
    :param confidence: the confidence of the intervals
    :param alpha: the level of significance
    :param threads: the number of threads; None is one
    :param progress: show progress bars (needs tqdm)
    :param title: the title of the page
    :param command: a command that repeats the report, which the page shows
    :param files: the names of files with their digests, which the page shows; by default those of the texts
    :param choices: options of :class:`cybleu.metrics.Bleu`, for each BLEU among the metrics
    :return: the figures; scores of segments and groups are from 0 to 100
    :raises UnknownNameError: no metric is a corpus BLEU, two metrics have one name, or there is no such metric, baseline,
        test or tokeniser
    :raises LengthMismatchError: the number of lines of a system, or of the source, is not that of the segments
    :raises SampleError: there are fewer than two segments
    :raises CybleuError: one of its subclasses, for texts that are not valid

    >>> references = [["the cat sat on the mat"], ["it rains a lot in May"], ["so it is said"]]
    >>> systems = {"mine": [line for line, in references], "theirs": ["the cat sat", "it rains in May", "so it was said"]}
    >>> report = analyse(references, systems)
    >>> [(system.name, round(system.score, 2)) for system in report.systems]
    [('mine', 100.0), ('theirs', 26.06)]
    """
    metrics = _metrics(metric, choices)
    check_whole(n_end, "n_end", 1, 64, error=OrderError)
    check_samples(resamples, seed)
    check_share(confidence, "confidence")
    check_share(alpha, "alpha")
    asked = list(tokenize) if isinstance(tokenize, (list, tuple)) else [tokenize] * len(metrics)
    if len(asked) != len(metrics):
        raise LengthMismatchError(
            f"there are {len(asked)} tokenisers and {len(metrics)} metrics; give one for each metric"
        )
    splittings = [
        Splitting(tool_tokenizer(one.name) if name is None else name, lowercase, of_mteval=one.name == "mteval-v13a")
        for one, name in zip(metrics, asked)
    ]
    metrics = [one.with_choices(lowercase=True) if lowercase and one.reads == "text" else one for one in metrics]
    with collector_paused():
        first = next(splitting for one, splitting in zip(metrics, splittings) if is_corpus_bleu(one))
        texts, runs = texts_of(references, systems, first, source)
    if baseline is not None and baseline not in runs:
        raise UnknownNameError(f"there is no system {baseline!r} to be the baseline; there are {', '.join(runs)}")
    return Report(
        texts,
        runs,
        list(zip(metrics, splittings)),
        lowercase=lowercase,
        n_end=n_end,
        baseline=baseline,
        test=test,
        samples=samples,
        resamples=resamples,
        seed=seed,
        confidence=confidence,
        alpha=alpha,
        threads=threads,
        progress=progress,
        title=title,
        command=command,
        files=files,
    )


def _metrics(given: Any, choices: Mapping[str, Any]) -> list[Metric]:
    """Return the metrics of a report.

    :raises UnknownNameError: none is a corpus BLEU, or two have one name
    """
    if not isinstance(given, (list, tuple)):
        metrics = [find(given, **choices)]
    else:
        metrics = [find(one) for one in given]
        metrics = [find(one, **choices) if isinstance(one, Bleu) else one for one in metrics]
    names = [metric.name for metric in metrics]
    if len({*names}) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise UnknownNameError(f"two metrics are called {twice!r}; give each once")
    if not any(map(is_corpus_bleu, metrics)):
        why = [
            f"{metric.name} is {'a mean of segment scores' if isinstance(metric, Bleu) else 'not BLEU'}"
            for metric in metrics
        ]
        raise UnknownNameError(
            f"a report requires a corpus BLEU, and {', '.join(why) or 'there is no metric'}; add one, such as sacrebleu"
        )
    return metrics


def is_corpus_bleu(metric: Metric) -> bool:
    """Whether precisions and n-grams of a page can be those of this metric."""
    return isinstance(metric, Bleu) and metric.level != "mean"


def labels_of_metrics(metrics: Sequence[Metric]) -> list[str]:
    """Return the names of metrics on a page."""
    several = sum(isinstance(metric, Bleu) for metric in metrics) > 1
    return [
        "BLEU"
        if isinstance(metric, Bleu) and not several
        else LABELS.get(metric.name, metric.name.replace("chrf", "chrF"))
        for metric in metrics
    ]


def _described(texts: Texts, metric: Metric, splitting: Splitting) -> str:
    """Describe what a metric counted, for signatures."""
    case, tokens = "lc" if splitting.lowercase else "mixed", tokenizer_signature(splitting.tokenize)
    of_tokens = "" if metric.reads == "text" else f"|case:{case}|tok:{tokens}"
    return f"nrefs:{len(texts.references)}{of_tokens}|version:{__version__}"


def _interval_of_known(scores: NDArray[np.float64], confidence: float) -> tuple[float, float]:
    known = scores[~np.isnan(scores)]
    return interval(known, confidence) if len(known) else (float("nan"), float("nan"))
