"""Figures of a comparison report. Each part is computed when it is first accessed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from .._runtime.arrays import np
from .._runtime.collector import collector_paused
from .._runtime.numbers import check_whole
from .._runtime.samples import check_samples
from .._runtime.scales import percent
from .._version import __version__
from ..errors import OrderError, UnknownNameError, printable
from ..metrics import Bleu, Chrf, find, tool_tokenizer
from ..significance import SystemComparison, compare_systems
from ..significance.comparison import system_score
from ..significance.defaults import ALPHA, CONFIDENCE, RESAMPLES, SEED
from ..significance.paired import interval
from ..significance.products import Columns
from ..significance.resampling import bootstrap_scores, scores_of_resamples
from ..significance.systems import Rows, Systems, check_share, mean_of_runs
from ..stats.options import CountOptions
from ..text import tokenizer_signature
from .buckets import DIFFERENCES, LENGTHS, TENTHS, bucketed, labels_of, word_frequencies
from .contributions import contributions, mean_of
from .figures import (
    Buckets,
    Contributions,
    NGramMiss,
    OutputFigures,
    PairFigures,
    Precisions,
    WordFrequencies,
    shares,
)
from .ngrams import NGrams, Pair
from .texts import Texts, digest_of, texts_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ..metrics import Metric, Variant

LARGEST_N = 9  # the default for the largest order of the precisions
MOST_MARKED = 4  # the longest n-grams that are marked and listed
ALL_PAIRS = 4  # systems; with more, only some pairs are shown in detail
BY = ("length", "difference", "score")


class Report:
    """Figures of a comparison report, as :func:`analyse` returns them.

    :ivar comparison: the scores, intervals and tests of the systems; None if there is only one system
    :ivar systems: the scores of the systems, the best first; if there is a baseline, it comes before the others
    :ivar metric: the metric that scores the systems
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

    def __init__(
        self,
        texts: Texts,
        runs: dict[str, list[int]],
        metric: Bleu,
        *,
        tokenize: Any,
        lowercase: bool,
        n_end: int,
        title: str | None,
        command: str | None,
        files: Mapping[str, str] | None,
        **compared: Any,
    ):
        self._texts, self._runs, self.metric, self.segments = texts, runs, metric, texts.segments
        self.lowercase = lowercase
        self._resamples, self._seed = compared["resamples"], compared["seed"]
        self.confidence: float = compared["confidence"]
        self.n_end = max(n_end, metric.order)
        options = CountOptions.checked(self.n_end, metric.definition.reference_length)
        every = self._every_order = texts.rows(options, compared["threads"])
        order, most = metric.order, self.n_end
        # the rows from which the score of each output is computed
        self._rows = [
            np.ascontiguousarray(np.concatenate([rows[:, : 2 + order], rows[:, 2 + most : 2 + most + order]], axis=1))
            for rows in every
        ]
        case, tokens = "lc" if lowercase else "mixed", tokenizer_signature(tokenize)
        details = f"nrefs:{len(texts.references)}|case:{case}|tok:{tokens}|version:{__version__}"
        self.comparison: SystemComparison | None = None
        if len(runs) > 1:
            of_systems = {name: [self._rows[output] for output in outputs] for name, outputs in runs.items()}
            found = compare_systems(of_systems, metric, **compared)
            self.comparison = replace(found, signature=f"{found.signature}|{details}")
            self.systems, self._compared = found.systems, found._rows
            self._bootstrapped, self._resamples = found._samples, found.resamples
            self.signature = self.comparison.signature
        else:
            (name,) = runs
            _check_scores(metric, self._rows)
            self._compared = Systems({name: [Rows(name, rows) for rows in self._rows]}, metric, None)
            self._bootstrapped = bootstrap_scores(self._compared, self._resamples, self._seed)
            samples = mean_of_runs(self._bootstrapped)
            self.systems = (system_score(self._compared, 0, samples, self._bootstrapped, self.confidence, 1),)
            self.signature = f"{metric.signature}|resamples:{self._resamples}|seed:{self._seed}|{details}"
        self.title = title or ("BLEU of " + (next(iter(runs)) if len(runs) == 1 else f"{len(runs)} systems"))
        self.command = command
        self.files = dict(files) if files is not None else self._digests()

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

    # ------------------------------------------------------------------------------------------------------ of outputs

    @property
    def rows(self) -> dict[str, NDArray[np.int64]]:
        """The statistics of each output, from which its score is computed: int64 `(segments, 2 + 2 * orders)`."""
        return {name: self._rows[output] for name, output in zip(self.names, self._order)}

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The names of the outputs, in the order of the systems. A system with several runs has several outputs."""
        return tuple(self._texts.outputs[output].name for output in self._order)

    @cached_property
    def _order(self) -> list[int]:
        return [output for system in self.systems for output in self._runs[system.name]]

    @cached_property
    def outputs(self) -> tuple[OutputFigures, ...]:
        """Scores, lengths and chrF of each output."""
        chrf = Chrf(lowercase=self.lowercase)
        columns = [
            [line for line in lines if line is not None]
            for lines in zip(*(text.lines for text in self._texts.references))
        ]
        found = {}
        for system, numbers in self._runs.items():
            for output in numbers:
                text = self._texts.outputs[output]
                found[output] = OutputFigures(
                    text.name,
                    system,
                    self.metric.score(self._rows[output]),
                    chrf.score(chrf.rows(columns, list(text.lines))).score,
                    text.digest,
                )
        return tuple(found[output] for output in self._order)

    @cached_property
    def sentence_scores(self) -> NDArray[np.float64]:
        """BLEU of each segment, as the tool scores single sentences, from 0 to 100: float64 `(outputs, segments)`."""
        metric = self.metric.of_sentences()
        scored = []
        for output in self._order:
            rows, summable = metric.summable(self._rows[output])
            scored.append(percent(summable.formula(rows.shape[1]).score_rows(rows), metric.scale))
        return np.array(scored)

    # ---------------------------------------------------------------------------------------------------- bootstrapping

    @cached_property
    def bootstrap_scores(self) -> dict[str, NDArray[np.float64]]:
        """The scores of each system in the bootstrap samples that give the intervals, from 0 to 100."""
        return {
            system.name: percent(mean_of_runs(self._bootstrapped[self._runs[system.name]]), self.metric.scale)
            for system in self.systems
        }

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

    # ---------------------------------------------------------------------------------------------------------- buckets

    def buckets(self, by: str) -> Buckets:
        """Compute BLEU of groups of segments.

        :param by: ``length`` groups by the length of the first reference; ``difference`` by how much longer the output
            is than the reference that sets the reference length; ``score`` by the BLEU of each segment
        :raises UnknownNameError: `by` is none of these

        >>> report = analyse([["a b c d e"], ["a b c d"]], {"mine": ["a b c d e", "a b c d e"]})
        >>> found = report.buckets("difference")
        >>> [(label, int(n)) for label, n in zip(found.labels, found.segments[0]) if n]
        [('0', 1), ('1 to 2', 1)]
        """
        rows = [self._rows[output] for output in self._order]
        if by == "length":
            values = [self._texts.references[0].lengths] * len(rows)
            return bucketed(by, labels_of(LENGTHS, 0), LENGTHS, values, self.names, rows, self.metric)
        if by == "difference":
            values = [table[:, 0] - table[:, 1] for table in rows]
            return bucketed(by, labels_of(DIFFERENCES), DIFFERENCES, values, self.names, rows, self.metric)
        if by == "score":
            labels = tuple(f"{low} to {low + 10}" for low in range(0, 100, 10))
            return bucketed(by, labels, TENTHS, list(self.sentence_scores), self.names, rows, self.metric)
        raise UnknownNameError(f"unknown groups {by!r}; use one of {', '.join(BY)}")

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

    # ------------------------------------------------------------------------------------------------------------ pairs

    @cached_property
    def looked_at(self) -> tuple[tuple[str, str], ...]:
        """The pairs of systems that are shown in detail.

        These are all pairs of up to four systems. If there are more, or a baseline, they are the pairs of the baseline,
        or of the best system, with each other system.
        """
        if self.comparison is None:
            return ()
        pairs = [(pair.first, pair.second) for pair in self.comparison.differences]
        if self.comparison.baseline is not None or len(self.systems) <= ALL_PAIRS:
            return tuple(pairs)
        return tuple(pair for pair in pairs if pair[0] == self.systems[0].name)

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
        assert self.comparison is not None
        influence = percent(self.comparison.influence(first, second), self.metric.scale)
        ngrams = self._ngrams if (first, second) in self.looked_at else self._found([(first, second)])
        better, worse = ngrams.differences[runs]
        lines = [self._texts.outputs[output].lines for outputs in runs for output in outputs]
        equal = sum(len(set(of_segment)) == 1 for of_segment in zip(*lines))
        parts = self.contributions(first, second)
        return PairFigures(first, second, parts, better, worse, influence, equal)

    def _outputs_of(self, first: str, second: str) -> Pair:
        return tuple(self._runs_of(first)), tuple(self._runs_of(second))

    def _runs_of(self, name: str) -> list[int]:
        if name not in self._runs:
            raise UnknownNameError(f"there is no system {name!r}; there are {', '.join(self._runs)}")
        return self._runs[name]

    # --------------------------------------------------------------------------------------------------------- as text

    def format(self, width: int = 2) -> str:
        """Format the scores as text: the tables of the comparison, or the score of a single system.

        :param width: the number of decimals of scores
        """
        if self.comparison is not None:
            return self.comparison.format(width)
        (system,) = self.systems
        score, low, high = (
            f"{percent(value, self.metric.scale):.{width}f}" for value in (system.score, system.low, system.high)
        )
        interval_is = f"{100 * self.confidence:g} % interval {low} to {high}"
        return f"{printable(system.name)}: BLEU {score}, {interval_is}\n{self.signature}"

    def __str__(self) -> str:
        return self.format()


def analyse(
    references: Any,
    systems: Mapping[str, Any],
    metric: str | Metric | Variant | None = None,
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
    :param metric: a BLEU, as for :func:`cybleu.metrics.find`; by default ``sacrebleu``
    :param tokenize: as for :func:`cybleu.text.tokenizer`; by default the tokeniser of the metric's tool
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
    :param choices: options of :class:`cybleu.metrics.Bleu`
    :return: the figures; scores of segments and groups are from 0 to 100
    :raises UnknownNameError: the metric is not a corpus BLEU, or there is no such metric, baseline, test or tokeniser
    :raises LengthMismatchError: the number of lines of a system, or of the source, is not that of the segments
    :raises SampleError: there are fewer than two segments
    :raises CybleuError: one of its subclasses, for texts that are not valid

    >>> references = [["the cat sat on the mat"], ["it rains a lot in May"], ["so it is said"]]
    >>> systems = {"mine": [line for line, in references], "theirs": ["the cat sat", "it rains in May", "so it was said"]}
    >>> report = analyse(references, systems)
    >>> [(system.name, round(system.score, 2)) for system in report.systems]
    [('mine', 100.0), ('theirs', 26.06)]
    """
    found = find(metric, **choices)
    if not isinstance(found, Bleu) or found.level == "mean":
        why = "with these options a mean of segment scores" if isinstance(found, Bleu) else "not BLEU"
        raise UnknownNameError(
            f"a report requires a corpus BLEU, and {found.name} is {why}; use a corpus BLEU such as sacrebleu, with "
            "which the report also shows chrF"
        )
    check_whole(n_end, "n_end", 1, 64, error=OrderError)
    check_samples(resamples, seed)
    check_share(confidence, "confidence")
    check_share(alpha, "alpha")
    if tokenize is None:
        tokenize = tool_tokenizer(found.name)
    with collector_paused():
        texts, runs = texts_of(references, systems, tokenize, lowercase, found.name == "mteval-v13a", source)
    if baseline is not None and baseline not in runs:
        raise UnknownNameError(f"there is no system {baseline!r} to be the baseline; there are {', '.join(runs)}")
    return Report(
        texts,
        runs,
        found,
        tokenize=tokenize,
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


def _check_scores(metric: Bleu, runs: list[NDArray[np.int64]]) -> None:
    """Check that the tool can score each run.

    :raises EmptyHypothesisError: the texts of a run are empty, and the tool has no score for them
    """
    for rows in runs:
        metric.score(rows)


def _interval_of_known(scores: NDArray[np.float64], confidence: float) -> tuple[float, float]:
    known = scores[~np.isnan(scores)]
    return interval(known, confidence) if len(known) else (float("nan"), float("nan"))
