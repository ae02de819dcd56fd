"""`cybleu tune`: weights by line searches, or by pairs of hypotheses, in a loop with the decoder; and files for other tuners."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from click import Choice, Context, FloatRange, IntRange, Parameter, UsageError, argument, command, echo, option

from .._definitions.ngrams import MOST_ORDERS
from .._files.text import listed, number_of, shown
from .._runtime.numbers import MOST_REPEATS, MOST_SAMPLES, counted
from ..errors import FeatureError, InputFileError, WeightsError
from ..metrics.operations import percent
from .command import (
    Command,
    Decorator,
    FilePath,
    Files,
    Gathered,
    as_option,
    from_command_line,
    gathered,
    metric_of,
    references_argument,
    say,
    say_same_score,
    section,
    shows_progress,
)
from .options import (
    check_numbers,
    first_id_option,
    metric_option,
    nbest_argument,
    orders_option,
    output_format_option,
    reading_options,
    reference_length_option,
    scoring_section,
    seed_option,
    threads_option,
    tokenize_option,
)

if TYPE_CHECKING:
    from ..nbest import NBest
    from ..tuning import Mira


NORMALISATIONS = {"l1": "sum", "largest": "largest", "none": None}
# What options of Moses's tuners are here.
MOSES = {"--restarts": "-n", "--passes": "-J --iters --iterations", "--step": "-C"}

# ------------------------------------------------------------------------------------------------- options of each tuner


def _bounds(context: Context, parameter: Parameter, values: Files) -> dict[str, Any]:
    bounds = {}
    for value in values:
        name, _, text = value.rpartition("=")
        if name in bounds:
            raise UsageError(f"--bounds is given twice for {shown(name)}; give it once")
        low, colon, high = text.partition(":")
        try:
            bounds[name] = float(low or "-inf"), float(high or "inf")
        except ValueError:
            colon = ""
        if not (name and colon):
            raise UsageError(f"--bounds {shown(value)} is not NAME=LOW:HIGH, such as lm_0=0:1 or lm_0=0:")
    return bounds


mert_section = section(
    "Line searches (mert)",
    option(
        "--restarts",
        type=IntRange(0, MOST_REPEATS),
        help="Number of restarts after the climb from the start weights.  [default: 20, or 60 below 20,000 hypotheses]",
    ),
    option(
        "--bounds",
        metavar="NAME=LOW:HIGH",
        multiple=True,
        callback=_bounds,
        help="The bounds of a weight, such as lm_0=0:1; repeatable.",
    ),
    option("--fixed", metavar="NAME", multiple=True, help="Keep this weight at its start value; repeatable."),
    threads_option,
)


def mira_section(*more: Decorator) -> Decorator:
    """Declare the options of batch MIRA.

    :param more: those that the loop does not have
    """
    return section(
        "Batch MIRA (kbmira)",
        option(
            "--step",
            type=FloatRange(0, min_open=True),
            default=0.01,
            help="The maximum step size of the weights (C).",
        ),
        option(
            "--decay",
            type=FloatRange(0, 1),
            default=0.999,
            help="The factor by which the background decays with each segment.",
        ),
        option(
            "--shuffle/--no-shuffle",
            default=True,
            show_default=False,
            help="Visit the segments in a random order in each pass, or in the order of the list.",
        ),
        option("--safe-hope", is_flag=True, help="Limit the influence of the model score on the choice of hope."),
        option(
            "--model-background",
            is_flag=True,
            help="Add the model's best hypothesis to the background instead of hope.",
        ),
        option(
            "--rules",
            type=Choice(["best", "paper", "moses"]),
            default="best",
            help="Follow the paper, Moses's kbmira, or both, and use the weights that score higher.",
        ),
        option(
            "--passes",
            type=IntRange(1, MOST_REPEATS),
            default=60,
            help="Number of passes over the segments.",
        ),
        *more,
    )


pro_section = section(
    "Pairwise ranked optimisation (pro)",
    option(
        "--samples",
        type=IntRange(1, MOST_SAMPLES),
        default=5000,
        help="Number of pairs drawn from each segment.",
    ),
    option("--keep", type=IntRange(1), default=50, help="Maximum number of pairs kept from each segment."),
    option(
        "--minimum",
        type=FloatRange(0),
        default=5.0,
        help="Minimum difference of a pair, in BLEU from 0 to 100.",
    ),
    option(
        "--regularisation",
        type=FloatRange(0, min_open=True),
        default=1.0,
        help="Strength of the L2 regularisation.",
    ),
    option(
        "--interpolation",
        type=FloatRange(0, 1, min_open=True),
        default=1.0,
        help="Share of the new weights in the result; the rest comes from the start weights.",
    ),
)

# ------------------------------------------------------------------------------------------------ options of all tuners

metric_options = scoring_section(
    metric_option("moses", of_bleu=True, of_sums=True),
    gathered("reading", orders_option, reference_length_option),
)


def weights_section(start: Decorator) -> Decorator:
    """Declare the options of weights."""
    return section(
        "Weights",
        start,
        gathered(
            "written",
            option(
                "--output",
                "-o",
                metavar="FILE",
                type=FilePath(written=True),
                help="Also write the weights to this file.",
            ),
            output_format_option("json"),
        ),
        option(
            "--normalise",
            type=Choice([*NORMALISATIONS]),
            default="l1",
            help="Divide all weights by the sum of their absolute values (l1), or by the largest absolute value "
            "(largest). Moses sums the absolute values of the dense weights only. With --bounds or --fixed, the default "
            "is none.",
        ),
        seed_option,
    )


def normalisation(normalise: str, bounds: Mapping[str, Any], fixed: Sequence[str]) -> str | None:
    """Return the argument of :func:`cybleu.tuning.normalised`."""
    how = NORMALISATIONS[normalise]
    if not (bounds or fixed):
        return how
    if not from_command_line("normalise"):
        return None
    from ..nbest.weights import check_normalised

    check_normalised(how, bounds, fixed, as_option)
    return how


def _with_commas(context: Context, parameter: Parameter, values: Files) -> Files:
    """Split lists of files at commas, as Moses's commands do. A file whose name has a comma is one file."""
    parts = [[value] if os.path.exists(value) else value.split(",") for value in values]
    return tuple(path for part in parts for path in part)


def moses_files_option(name: str, text: str) -> Decorator:
    return option(name, metavar="FILE,...", type=FilePath(), multiple=True, callback=_with_commas, help=text)


def tuner_options(function: Any) -> Any:
    """Declare the options of all tuners, which :class:`Task` takes."""
    decorators = (
        argument("file", metavar="[NBEST", required=False, type=FilePath()),
        metric_options,
        section(
            "Lists",
            gathered("reading", first_id_option, tokenize_option),
            option(
                "--more",
                metavar="NBEST",
                type=FilePath(),
                multiple=True,
                help="Another list of the same segments to merge with NBEST; repeatable.",
            ),
            gathered(
                "reading",
                option(
                    "--format",
                    type=Choice(["moses", "joshua", "fairseq", "json"]),
                    help="The format of NBEST.  [default: moses or joshua, detected from the first lines]",
                ),
            ),
            moses_files_option(
                "--features-file",
                "Features written by Moses's extractor, instead of NBEST and REF; repeatable, each with a --scores-file.",
            ),
            moses_files_option("--scores-file", "Statistics written by Moses's extractor, for each --features-file."),
            option("--quiet", is_flag=True, help="Do not show progress on standard error."),
        ),
        references_argument("REF...]", required=False),
        weights_section(
            option(
                "--start",
                metavar="FILE|W,W,...",
                type=FilePath(),
                help="The start weights: a file with a name and a weight on each line, a weight file of Moses such as "
                "moses.ini, or a list of the dense weights.  [default: 1, and 0 for sparse features]",
            )
        ),
    )
    for decorator in reversed(decorators):
        function = decorator(function)
    return function


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
        from ..nbest import NBest, merge
        from ..nbest.reading import prepare_references
        from ..nbest.weights import check_weights

        self.progress = shows_progress() and not self.quiet
        self.scored_by = metric_of(self.scoring)
        self._best: Any = None  # of the results so far
        # lists of a decoder with their references, or files of Moses's extractor
        if bool(self.file) == bool(self.features_file) or len(self.features_file) != len(self.scores_file):
            raise UsageError("give an n-best list and its references, or --features-file and --scores-file in pairs")
        if self.file:
            if not self.references:
                raise UsageError("an n-best list requires a file of references after it")
            prepared = prepare_references(self.references)
            lists = [
                NBest.from_files(path, prepared, texts=False, progress=self.progress, naming=_naming, **self.reading)
                for path in (self.file, *self.more)
            ]
        else:
            lists = self._lists_of_moses()
        self.nbest = merge(*lists) if len(lists) > 1 else lists[0]
        missing = (self.nbest.offsets[1:] == self.nbest.offsets[:-1]).sum()
        if missing:
            say(f"segments without a hypothesis in the list are ignored: {missing} of {len(self.nbest)}")
        if self.written["output"] is not None:  # names that cannot be written are an error before the work, not after
            check_weights(dict.fromkeys(self.nbest.all_names, 0.0))
        self._start: dict[str, float] | None = None
        unlisted: dict[str, float] = {}
        if self.start is not None:
            self._start, unlisted = _start_weights(self.start, self.nbest)
        self._unlisted = unlisted
        if self.written["output_format"] == "numbers":
            check_numbers(self.nbest)
            self._unlisted = {}  # numbers have no names, so they are only those of the features of the list

    def _lists_of_moses(self) -> list[NBest]:
        """Read files of Moses's extractor."""
        from ..nbest import NBest

        reading = self.reading
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

    def show(self, result: Any, **details: str) -> None:
        """Print the result and its weights.

        :param details: more entries of the JSON object, and the attributes of the result that are their values
        """
        from ..tuning.results import as_read

        if not self.quiet:
            echo(f"{result.metric} {as_read(result.scale, result.start_score, result.score)}", err=True)
        weights = self._weights(result)
        found = {}
        if self.written["output_format"] == "json":
            found = self._found(result, weights)
            found.update({name: getattr(result, attribute) for name, attribute in details.items()})
        print_weights(found, weights, **self.written)
        if not self.quiet and self.references:
            say_same_score(self.references, **self.scoring, **self.reading)

    def _found(self, result: Any, weights: dict[str, float]) -> dict[str, Any]:
        """Return the entries of the JSON object that the results of all tuners have."""
        from ..tuning.problem import Problem, score_of

        score = result.score
        if self.normalise is not None:  # products that are rounded differently may break ties differently
            score = score_of(Problem(self.nbest, self.scored_by), weights)
        return {
            "score": score,
            "start_score": result.start_score,
            "scale": result.scale,
            "metric": result.metric,
            "segments": len(self.nbest),
            "hypotheses": len(self.nbest.features),
        }

    def _weights(self, result: Any) -> dict[str, float]:
        from ..nbest.weights import normalised, without_sparse_zeros

        weights = {**(self._start or {}), **result.weights}
        return normalised({**without_sparse_zeros(weights, self.nbest.names), **self._unlisted}, self.normalise)


def _naming(name: str, value: Any = None) -> str:
    """Name the option of an argument; none of all tuners sets the number of lines or of segments."""
    return "" if name in ("size", "segments") else as_option(name, value)


def _start_weights(start: str, nbest: NBest) -> tuple[dict[str, float], dict[str, float]]:
    """Return the start weights of features of the list, and those of other sparse features.

    :param start: a file of weights, or a list of numbers
    """
    from ..tuning import read_weights

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

    :param found: further entries of the JSON object, which may be data classes
    """
    from ..nbest.weights import weight_lines
    from ..tuning import write_weights

    form = "names" if output_format == "json" else output_format
    if output_format == "json":
        echo(json.dumps({**found, "weights": weights}, default=asdict))
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

    # whoever interrupts the search gets the best of the restarts that ended
    result = task.tune(tune, **search, progress=task.progress, trace=lambda restart: task.follow(restart, str(restart)))
    task.show(result, line_searches="line_searches", climbs="restarts")


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
    task.show(result, rules="rules", scores="scores")


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
    task.show(result, pairs="pairs")


@command("loop", cls=Command, other_tools=MOSES)
@argument("folder", metavar="FOLDER", type=FilePath())
@metric_options
@section("Lists", gathered("reading", first_id_option, tokenize_option))
@references_argument()
@weights_section(
    option(
        "--start",
        metavar="FILE",
        type=FilePath(),
        required=True,
        help="The initial weights: a file with a name and a weight on each line, or moses.ini.",
    )
)
@gathered("pro", pro_section)
@gathered("kbmira", mira_section())
@gathered("mert", mert_section)
@section(
    "Loop",
    gathered(
        "stopping",
        option("--iterations", type=IntRange(1), default=20, help="Maximum number of iterations."),
        option(
            "--weights-settle",
            type=FloatRange(0),
            default=1e-5,
            help="Stop when no weight changes by more than this.",
        ),
        option(
            "--score-settles",
            type=FloatRange(0),
            help="Stop when BLEU, from 0 to 100, improves by no more than this.  "
            "[default: 0; off with pro and with --rules moses]",
        ),
    ),
    gathered(
        "reading",
        option(
            "--format",
            type=Choice(["moses", "joshua"]),
            help="The format of the lists.  [default: detected from the first lines]",
        ),
    ),
    option(
        "--decoder",
        metavar="COMMAND",
        required=True,
        help="The decoder command, split as in a shell. {weights} is replaced by the weights file, and {nbest} by the "
        "file to write the list to.",
    ),
    option(
        "--tuner",
        type=Choice(["mert", "kbmira", "pro"]),
        default="mert",
        help="The tuner. Options of the other tuners are errors.",
    ),
    option(
        "--return-best-dev",
        is_flag=True,
        help="Print the weights with which the decoder scored best, not those tuned last.",
    ),
)
def loop_command(
    folder: str,
    references: Files,
    scoring: Gathered,
    reading: Gathered,
    start: str,
    written: Gathered,
    normalise: str,
    seed: int,
    stopping: Gathered,
    decoder: str,
    tuner: str,
    return_best_dev: bool,
    **of_tuners: Gathered,
) -> None:
    """Decode and tune repeatedly until convergence.

    FOLDER keeps every iteration. To resume an interrupted loop, run the same command again. Prints one line with the
    name and weight of each feature. After each iteration, prints a line on standard error, with BLEU from 0 to 100.

    \b
    Examples:
      cybleu tune loop run dev.ref --decoder "./decode.sh {weights} {nbest}" --start moses.ini
      cybleu tune loop run dev.ref --decoder "./decode.sh {weights} {nbest}" --start moses.ini --tuner kbmira
    """
    from ..nbest.weights import check_weights
    from ..tuning import DecoderCommand, Stopping, Tuner, mert_loop, read_weights

    chosen = metric_of(scoring)
    for name, options in of_tuners.items():
        for parameter in options:
            if name != tuner and from_command_line(parameter):
                raise UsageError(f"{as_option(parameter)} is an option of {name}, but the tuner is {tuner}")
    own = of_tuners[tuner]
    # users give differences of BLEU from 0 to 100, and the library takes those of the metric's scale
    if tuner == "pro":
        own["minimum"] *= chosen.scale / 100
    if stopping["score_settles"] is not None:
        stopping["score_settles"] *= chosen.scale / 100
    weights = read_weights(start)
    check_weights(weights)  # before the decoder runs, which may take hours

    result = mert_loop(
        folder,
        DecoderCommand(decoder),
        references,
        weights,
        Tuner(
            tuner,
            metric=chosen,
            seed=seed,
            normalise=normalisation(normalise, own.get("bounds", {}), own.get("fixed", ())),
            **own,
        ),
        Stopping(**stopping),
        trace=lambda iteration: echo(str(iteration), err=True),
        **reading,
    )
    echo(result.reason, err=True)
    score = result.score
    tuned = result.weights
    if return_best_dev:
        best = result.best
        score = best.decoded_score
        tuned = best.decoded or result.weights
    found = {
        "score": score,
        "scale": result.iterations[-1].scale,
        "reason": result.reason,
        "iterations": result.iterations,
    }
    print_weights(found, tuned, **written)
    say_same_score(references, **scoring, **reading)


@command("extract", cls=Command)
@nbest_argument
@section("Lists", first_id_option, tokenize_option, *reading_options)
@references_argument()
@section(
    "Counts",
    option("--max-order", type=IntRange(1, MOST_ORDERS), default=4, help="The maximum n-gram order."),
    reference_length_option,
    option("--lowercase", is_flag=True, help="Convert the texts to lower case first."),
    option(
        "--unique",
        is_flag=True,
        help="Skip hypotheses with the same features and statistics as an earlier one of their segment.",
    ),
    threads_option,
)
@section(
    "Output",
    option(
        "--features-file",
        metavar="FILE",
        type=FilePath(written=True),
        required=True,
        help="The output file for the features.",
    ),
    option(
        "--scores-file",
        metavar="FILE",
        type=FilePath(written=True),
        required=True,
        help="The output file for the BLEU statistics.",
    ),
)
def extract_command(nbest: str, references: Files, features_file: str, scores_file: str, **reading: Any) -> None:
    """Write the features and statistics of an n-best list.

    The two output files have the text format that Moses's tuners read. Input files are UTF-8; gzip is recognised. One
    of them may be -, which means standard input. An output file is compressed if its name ends in .gz.

    \b
    Examples:
      cybleu tune extract dev.nbest.gz dev.ref --features-file features.dat --scores-file scores.dat
      cybleu tune extract hyps.txt dev.ref --format plain --size 10 --features-file f.gz --scores-file s.gz
    """
    # NumPy would start threads for products of matrices, of which there are none here; they keep a processor busy at first
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    from ..nbest import extract as extract_from

    extract_from(nbest, references, features_file, scores_file, progress=shows_progress(), naming=as_option, **reading)
