"""`cybleu tune mert`, `kbmira` and `pro`: weights by line searches, or by pairs of hypotheses."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from dataclasses import asdict, dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from click import UsageError, command, echo, option

from .._files.text import listed, number_of, shown
from .._runtime.scales import counted, percent
from ..errors import FeatureError, InputFileError, WeightsError
from .command import Command, Files, Gathered, gathered, say
from .lists import check_form, metric_of, say_same_score, told
from .options import as_option, from_command_line, shows_progress
from .tuner_options import MOSES, NORMALISATIONS, mert_section, mira_section, normalisation, pro_section, tuner_options

if TYPE_CHECKING:
    from ..nbest import NBest
    from ..tuning import Mira, Restart


@dataclass(kw_only=True)
class Task:
    """What a tuner works on, and where its weights go. The parameters are the options that all tuners have.

    :param normalise: see :func:`normalisation`
    :param written: the file and the format of the weights, see :func:`print_weights`
    :param reading: `format`, `first_id`, `tokenize`, `max_order` and `reference_length`
    :ivar nbest: the merged lists
    :ivar progress: whether there are progress bars
    """

    file: str | None
    references: Files
    more: Files
    features_file: Files
    scores_file: Files
    scoring: Gathered
    start: str | None
    normalise: str | None
    written: Gathered
    seed: int
    quiet: bool
    reading: Gathered

    def __post_init__(self) -> None:
        from ..nbest import merge
        from ..nbest.weight_files import check_weights

        self.progress = shows_progress() and not self.quiet
        self.scored_by = metric_of(self.scoring)
        self._best: Any = None  # of the results so far
        lists = self._lists()
        self.nbest = merge(*lists) if len(lists) > 1 else lists[0]
        missing = (self.nbest.offsets[1:] == self.nbest.offsets[:-1]).sum()
        if missing:
            say(f"segments without a hypothesis in the list are ignored: {missing} of {len(self.nbest)}")
        if self.written["output"] is not None:  # names that cannot be written are an error before the work, not after
            check_weights(dict.fromkeys(self.nbest.all_names, 0.0))
        self._start, unlisted = _start_weights(self.start, self.nbest)
        form = self.written["output_format"]
        check_form(form, self.nbest)
        # numbers have no names, so they are only those of the features of the list
        self._unlisted = {} if form == "numbers" else unlisted

    def _lists(self) -> list[NBest]:
        """Read lists of a decoder, or files of Moses's extractor."""
        from ..nbest import NBest
        from ..nbest.reading import prepare_references

        reading = self.reading
        if bool(self.file) == bool(self.features_file) or len(self.features_file) != len(self.scores_file):
            raise UsageError("give an n-best list and its references, or --features-file and --scores-file in pairs")
        if self.file:
            if not self.references:
                raise UsageError("an n-best list requires a file of references after it")
            prepared = prepare_references(self.references)
            return [
                NBest.from_files(path, prepared, texts=False, progress=self.progress, naming=_naming, **reading)
                for path in (self.file, *self.more)
            ]
        of_texts = [self.references, self.more, reading["format"], reading["max_order"], reading["reference_length"]]
        if any(of_texts) or from_command_line("tokenize"):
            raise UsageError(
                "--features-file cannot be combined with --more, with references or with options of the list"
            )
        read = partial(NBest.from_moses, first_id=reading["first_id"], naming=_naming)
        pairs = [*zip(self.features_file, self.scores_file)]
        parts = [read(*pair) for pair in pairs]
        # the last segments of a list may have no hypothesis, so that only the other files tell how many there are
        segments = max(map(len, parts))
        return [part if len(part) == segments else read(*pair, segments) for part, pair in zip(parts, pairs)]

    def tune(self, tuner: Callable[..., Any], **options: Any) -> Any:
        """Return the result of a tuner. If the user interrupts it, print the best weights so far."""
        try:
            return tuner(self.nbest, self._start, metric=self.scored_by, seed=self.seed, **options)
        except KeyboardInterrupt:
            best = self._best
            if best is not None:
                say("interrupted; these are the best weights so far")
                found = {"score": best.score, "scale": best.scale, "interrupted": True}
                print_weights(found, self._weights(best), **self.written)
            raise

    def follow(self, result: Any, described: str) -> None:
        """Keep the best result so far, and print a line about this one beside the progress bar."""
        if self._best is None or result.score > self._best.score:
            self._best = result
        if not self.quiet and sys.stderr is not None:
            from tqdm import tqdm

            tqdm.write(described, file=sys.stderr)

    def show(self, result: Any, **details: Any) -> None:
        """Print the result and its weights.

        :param details: more entries of the JSON object
        """
        from ..tuning.problem import Problem, score_of
        from ..tuning.results import rise

        if not self.quiet:
            echo(f"{result.metric} {rise(result.start_score, result.score, result.scale)}", err=True)
        weights = self._weights(result)
        score = result.score
        if self.normalise is not None:  # products that are rounded differently may break ties differently
            score = score_of(Problem(self.nbest, self.scored_by), weights)
        found = {
            "score": score,
            "start_score": result.start_score,
            "scale": result.scale,
            "metric": result.metric,
            "segments": len(self.nbest),
            "hypotheses": len(self.nbest.features),
            **details,
        }
        print_weights(found, weights, **self.written)
        if not self.quiet and self.references:
            say_same_score(self.references, **self.scoring, **self.reading)

    def _weights(self, result: Any) -> dict[str, float]:
        from ..tuning import normalised

        weights = {**(self._start or {}), **result.weights}
        return normalised({**told(self.nbest, weights), **self._unlisted}, self.normalise)


def _naming(name: str, value: Any = None) -> str:
    """Name the option of an argument; none of all tuners sets the number of lines or of segments."""
    return "" if name in ("size", "segments") else as_option(name, value)


def _start_weights(start: str | None, nbest: NBest) -> tuple[dict[str, float] | None, dict[str, float]]:
    """Return the start weights of features of the list, if any are given, and those of other sparse features.

    :param start: a file of weights, or a list of numbers
    """
    from ..tuning import read_weights

    if start is None:
        return None, {}
    if os.path.exists(start):  # of a text longer than any path, too
        weights = read_weights(start, nbest.names)
        if not weights.keys() >= set(nbest.names):
            return weights, {}  # the tuner reports the feature without a weight
        names = set(nbest.all_names)
        others = {name: weight for name, weight in weights.items() if name not in names}
        if others:
            say(f"weights of features that are not in the list are not tuned: {listed([*others])}")
        return {name: weight for name, weight in weights.items() if name in names}, others
    try:
        numbers = [number_of(word) for word in start.replace(",", " ").split()]
    except InputFileError:
        raise WeightsError(f"--start {shown(start)} is neither a file nor a list of numbers such as 1,0.5,-1") from None
    if len(numbers) != len(nbest.names):
        raise FeatureError(
            f"--start has {len(numbers)} numbers, but there are {len(nbest.names)} features: {listed(nbest.names)}"
        )
    return dict(zip(nbest.names, numbers)), {}


def print_weights(found: dict[str, Any], weights: dict[str, float], output: str | None, output_format: str) -> None:
    """Print weights, and write them to a file.

    :param found: further entries of the JSON object
    """
    from ..nbest.weight_files import weight_lines
    from ..tuning import write_weights

    form = "names" if output_format == "json" else output_format
    if output_format == "json":
        echo(json.dumps({**found, "weights": weights}))
    else:
        echo("".join(weight_lines(weights, form)), nl=False)
    if output is not None:  # after printing, because a disk may be full
        write_weights(output, weights, form)


# ----------------------------------------------------------------------------------------------------------- the commands


@command("mert", cls=Command, other_tools=MOSES)
@tuner_options
@gathered("search", mert_section)
def mert_command(search: Gathered, normalise: str, **shared: Any) -> None:
    """Tune weights by exact line search (MERT).

    Finds the weights with the best BLEU on n-best lists by line searches from many starting points. Weights of sparse
    features keep their start values. Prints one line with the name and weight of each feature. On standard error, BLEU
    is from 0 to 100.

    The input is an n-best list from a decoder, or files from Moses's extractor.

    \b
    Examples:
      cybleu tune mert dev.nbest.gz dev.ref --start moses.ini
      cybleu tune mert run1.nbest dev.ref --more run2.nbest --bounds lm_0=0: --output-format moses
    """
    from ..tuning import tune

    task = Task(normalise=normalisation(normalise, search["bounds"], search["fixed"]), **shared)
    sparse = task.nbest.sparse
    if sparse is not None and not task.quiet:
        say(
            f"the weights of {counted(len(sparse.names), 'sparse feature')} are not tuned: they keep their start "
            "values, by default 0; use cybleu tune kbmira or cybleu tune pro to tune them"
        )

    def trace(restart: Restart) -> None:
        # whoever interrupts the search gets the best of these
        task.follow(restart, str(restart))

    result = task.tune(tune, **search, progress=task.progress, trace=trace)
    climbs = [asdict(restart) for restart in result.restarts]
    task.show(result, line_searches=result.line_searches, climbs=climbs)


@command("kbmira", cls=Command, other_tools=MOSES)
@tuner_options
@gathered(
    "search",
    mira_section(
        option(
            "--return-best-dev/--return-last",
            default=True,
            show_default=False,
            help="Print the average weights after the pass that scored best, or after the last pass.  [default: best]",
        ),
    ),
)
def kbmira_command(search: Gathered, normalise: str, **shared: Any) -> None:
    """Tune many features by batch MIRA.

    Tunes the weights of dense and sparse features on n-best lists (Cherry and Foster 2012). Prints one line with the
    name and weight of each feature, except sparse features with weight 0. On standard error, BLEU is from 0 to 100.

    The input is an n-best list from a decoder, or files from Moses's extractor.

    \b
    Examples:
      cybleu tune kbmira dev.nbest.gz dev.ref --start moses.ini
      cybleu tune kbmira dev.nbest.gz dev.ref1 dev.ref2 --passes 30 --output-format moses --output sparse.ini
    """
    from ..tuning import kbmira

    task = Task(normalise=NORMALISATIONS[normalise], **shared)

    def trace(result: Mira) -> None:
        score = percent(result.scores[-1], result.scale or 1)
        task.follow(result, f"{len(result.scores):3} {score:.4f} ({result.rules})")

    result = task.tune(kbmira, **search, trace=trace)
    task.show(result, rules=result.rules, scores=[*result.scores])


@command("pro", cls=Command, other_tools=MOSES)
@tuner_options
@gathered("search", pro_section)
def pro_command(search: Gathered, normalise: str, **shared: Any) -> None:
    """Tune many features by pairwise ranked optimisation.

    Tunes the weights of dense and sparse features on n-best lists (PRO, Hopkins and May 2011). Prints one line with the
    name and weight of each feature, except sparse features with weight 0. On standard error, BLEU is from 0 to 100.

    The input is an n-best list from a decoder, or files from Moses's extractor.

    \b
    Examples:
      cybleu tune pro dev.nbest.gz dev.ref --start moses.ini
      cybleu tune pro --features-file run1.dat --scores-file run1.scores --samples 1000
    """
    from ..tuning import pro

    task = Task(normalise=NORMALISATIONS[normalise], **shared)
    # the library takes the minimum on the scale of the metric
    search["minimum"] *= task.scored_by.scale / 100
    result = task.tune(pro, **search)
    task.show(result, pairs=result.pairs)
