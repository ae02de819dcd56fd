"""A comparison of systems, as an object and as data. People read scores from 0 to 100."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from .._runtime.scales import percent
from ..errors import UnknownNameError
from . import tables

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from .._runtime.arrays import np
    from .systems import Systems


@dataclass(frozen=True)
class SystemScore:
    """A system in a comparison. All numbers are on the metric's scale.

    :param name: the name of the system
    :param score: of its segments, or the mean of several runs
    :param low: the lower end of the bootstrap interval
    :param high: its upper end
    :param s_sel: the standard deviation of the bootstrap samples' scores, or the mean of those of several runs: how
        much the score varies with the choice of segments (Clark and others 2011)
    :param s_opt: the standard deviation of the runs' scores, None for one run: how much the score varies if the system
        is trained again
    :param runs: the score of each run
    :param rank: from 1; systems that are not significantly different share a rank. None if there is a baseline

    >>> SystemScore("mine", 0.3, 0.25, 0.35, 0.02, None, (0.3,), 1).name
    'mine'
    """

    name: str
    score: float
    low: float
    high: float
    s_sel: float
    s_opt: float | None
    runs: tuple[float, ...]
    rank: int | None


@dataclass(frozen=True)
class SystemDifference:
    """Two systems of a comparison.

    :param first: the better system, or the one that is compared with the baseline
    :param second: the other, or the baseline
    :param difference: the first one's score minus the second one's, on the metric's scale
    :param low: the lower end of the bootstrap interval of the difference
    :param high: its upper end
    :param p: the p of the test
    :param p_holm: p after Holm's correction for the number of tests in the comparison
    :param significant: whether the p on which the comparison is based is at most its alpha
    :param samples: how many shuffles or bootstrap samples `p` is based on
    :param enumerated: whether these are all possible shuffles, so that `p` is exact
    :param wins: the number of segments in which the first is better, as the metric scores single sentences; for a
        function of the sum, the number of segments whose influence is above 0
    :param losses: the number of segments in which the second is better
    :param ties: the number of segments in which they are equal

    >>> SystemDifference("mine", "theirs", 0.01, -0.01, 0.03, 0.2, 0.4, False, 10000, False, 9, 7, 84).ties
    84
    """

    first: str
    second: str
    difference: float
    low: float
    high: float
    p: float
    p_holm: float
    significant: bool
    samples: int
    enumerated: bool
    wins: int
    losses: int
    ties: int


@dataclass(frozen=True)
class SystemComparison:
    """The result of :func:`compare_systems`; ``print`` shows it as tables, with scores from 0 to 100 if the scale is
    known.

    :param systems: the best first; if there is a baseline, it comes before the others
    :param differences: of all pairs, or of each system and the baseline
    :param baseline: the name of the baseline; None if all pairs were compared
    :param test: the name of the test
    :param samples: of the test
    :param resamples: how many bootstrap samples the intervals have
    :param seed: of all samples
    :param confidence: of the intervals
    :param alpha: the level of significance
    :param correction: ``holm`` or ``none``; `significant` and the ranks are based on it
    :param segments: how many segments the systems have
    :param metric: the name of the metric
    :param scale: the score of a perfect match, or None if it is not known
    :param signature: definition, test, samples and seed in one line

    >>> import numpy
    >>> ratings = {"one": numpy.arange(40) % 7 / 7, "two": numpy.arange(40) % 5 / 7, "three": numpy.arange(40) % 7 / 7}
    >>> result = compare_systems(ratings, scale=1)
    >>> [(system.name, system.rank) for system in result.systems]
    [('one', 1), ('three', 1), ('two', 1)]
    """

    systems: tuple[SystemScore, ...]
    differences: tuple[SystemDifference, ...]
    baseline: str | None
    test: str
    samples: int
    resamples: int
    seed: int
    confidence: float
    alpha: float
    correction: str
    segments: int
    metric: str
    scale: float | None
    signature: str
    _rows: Systems = field(repr=False, compare=False)

    def influence(self, first: str, second: str) -> NDArray[np.float64]:
        """How much each segment adds to the difference between two systems.

        Entry i is the score of the first system minus the score that it would have with the second system's output for
        segment i. So it says how many points of the difference come from this segment alone. For several runs it is the
        mean over all pairs of runs.

        :param first: the name of a system
        :param second: that of another
        :return: float64 `(segments,)`, on the metric's scale
        :raises UnknownNameError: there is no such system

        >>> import numpy
        >>> rows = {"one": numpy.array([0.5, 0.75, 0.25]), "two": numpy.array([0.5, 0.25, 0.5])}
        >>> compare_systems(rows).influence("one", "two").round(3)
        array([ 0.   ,  0.167, -0.083])
        """
        return self._rows.influence(*(self._number(name) for name in (first, second)))

    def between(self, first: str, second: str) -> SystemDifference:
        """The difference between two systems: the first minus the second.

        :param first: the name of a system
        :param second: that of another
        :raises UnknownNameError: they were not compared

        >>> import numpy
        >>> rows = {"one": numpy.array([0.5, 0.75, 0.25]), "two": numpy.array([0.5, 0.25, 0.25])}
        >>> compare_systems(rows).between("two", "one").losses
        1
        """
        for found in self.differences:
            if (found.first, found.second) == (first, second):
                return found
            if (found.first, found.second) == (second, first):
                values = vars(found) | {
                    "first": first,
                    "second": second,
                    "difference": -found.difference,
                    "low": -found.high,
                    "high": -found.low,
                    "wins": found.losses,
                    "losses": found.wins,
                }
                return SystemDifference(**values)
        raise UnknownNameError(f"{first!r} and {second!r} were not compared with each other")

    def as_dict(self, influence: bool = False) -> dict[str, Any]:
        """Everything, for JSON; scores are from 0 to 100 if the scale is known.

        :param influence: also how much every segment adds to each difference

        >>> import numpy
        >>> found = compare_systems({"one": numpy.array([0.5, 0.75]), "two": numpy.array([0.5, 0.25])}, scale=1)
        >>> found.as_dict()["systems"][0]["score"]
        62.5
        """
        scale = self.scale or 100

        def scaled(item: SystemScore | SystemDifference, *names: str) -> dict[str, Any]:
            values = dict(vars(item))
            return values | {name: percent(values[name], scale) for name in names if values[name] is not None}

        systems = []
        for system in self.systems:
            systems.append(scaled(system, "score", "low", "high", "s_sel", "s_opt"))
            systems[-1]["runs"] = [percent(score, scale) for score in system.runs]
        differences = []
        for pair in self.differences:
            differences.append(scaled(pair, "difference", "low", "high"))
            if influence:
                differences[-1]["influence"] = percent(self.influence(pair.first, pair.second), scale).tolist()
        named = (
            "signature",
            "metric",
            "scale",
            "segments",
            "test",
            "samples",
            "resamples",
            "seed",
            "confidence",
            "alpha",
        )
        return {
            **{name: getattr(self, name) for name in (*named, "correction", "baseline")},
            "scale": 100 if self.scale else None,
            "systems": systems,
            "differences": differences,
        }

    def to_json(self, influence: bool = False) -> str:
        """The same as text in JSON.

        :param influence: also how much every segment adds to each difference

        >>> import numpy
        >>> found = compare_systems({"one": numpy.array([0.5, 0.75]), "two": numpy.array([0.5, 0.25])}, scale=1)
        >>> found.to_json()[:45]
        '{"signature": "mean|test:randomization|sample'
        """
        return json.dumps(self.as_dict(influence), ensure_ascii=False)

    def to_csv(self) -> str:
        """A line for each difference, with the scores of both systems. Numbers have all their digits.

        >>> import numpy
        >>> found = compare_systems({"one": numpy.array([0.5, 0.75]), "two": numpy.array([0.5, 0.25])}, scale=1)
        >>> found.to_csv().splitlines()[1].partition(",1.0")[0]
        'one,62.5,50.0,75.0,1,two,37.5,25.0,50.0,1,25.0,0.0,50.0'
        """
        data = self.as_dict()
        systems = {system["name"]: system for system in data["systems"]}
        of_system = ["score", "low", "high", "rank"]
        of_test = ["p", "p_holm", "significant", "samples", "enumerated", "wins", "losses", "ties"]
        written = io.StringIO()
        writer = csv.writer(written, lineterminator="\n")
        writer.writerow(
            [part for side in ("first", "second") for part in (side, *(f"{side}_{name}" for name in of_system))]
            + ["difference", "difference_low", "difference_high", *of_test]
        )
        for pair in data["differences"]:
            sides = [[pair[side], *(systems[pair[side]][name] for name in of_system)] for side in ("first", "second")]
            writer.writerow([*sides[0], *sides[1], *(pair[name] for name in ("difference", "low", "high", *of_test))])
        return written.getvalue()

    def to_markdown(self, width: int = 2) -> str:
        """The tables in Markdown.

        :param width: decimals of scores

        >>> import numpy
        >>> found = compare_systems({"one": numpy.array([0.5, 0.75]), "two": numpy.array([0.5, 0.25])}, scale=1)
        >>> found.to_markdown().splitlines()[2]
        '| 1 | one | 62.50 | 50.00 to 75.00 |'
        """
        return tables.as_markdown(self, width)

    def to_latex(self, width: int = 2) -> str:
        """The tables in LaTeX, for the package booktabs.

        :param width: decimals of scores

        >>> import numpy
        >>> found = compare_systems({"one": numpy.array([0.5, 0.75]), "two": numpy.array([0.5, 0.25])}, scale=1)
        >>> found.to_latex().splitlines()[2]
        '\\\\toprule'
        """
        return tables.as_latex(self, width)

    def format(self, width: int = 2) -> str:
        """The tables as text.

        :param width: decimals of scores

        >>> import numpy
        >>> found = compare_systems({"one": numpy.array([0.5, 0.75]), "two": numpy.array([0.5, 0.25])}, scale=1)
        >>> found.format(1).splitlines()[1]
        '   1  one     62.5   50.0 to 75.0'
        """
        return tables.as_text(self, width)

    def __str__(self) -> str:
        return self.format()

    def _number(self, name: str) -> int:
        if name not in self._rows.names:
            raise UnknownNameError(f"there is no system {name!r}; there are {', '.join(self._rows.names)}")
        return self._rows.names.index(name)
