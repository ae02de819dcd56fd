"""The tuning loop: decode, read, merge, tune, and repeat until nothing changes.

Every iteration is kept in a folder, so that an interrupted run continues where it stopped:

``run.json``
    the arguments of the run: a digest of the references, the metric, the options
``iteration-1/weights``
    the weights for the decoder, a line ``name weight`` for each feature
``iteration-1/nbest``
    the list of the decoder, which writes to ``nbest.*.partial``; the file is renamed after it was read successfully
``iteration-1/result.json``
    the weights tuned on the lists of all iterations so far, their score, and the values of the stopping criteria

``cybleu.lock``
    the file that a running loop locks

Files get these names when they are complete.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from dataclasses import asdict, dataclass
from functools import partial
from itertools import count, islice
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .._files.locks import locked
from .._files.text import shown
from .._files.weights import read_weights, write_weights
from .._files.writing import errors_named, writing
from .._runtime.arrays import np
from .._runtime.numbers import check_whole
from ..errors import CybleuError, DecoderError, InputFileError, UnknownNameError, WeightsError
from ..metrics import Metric
from ..nbest import NBest, merge
from ..nbest.references import digest, prepare_references
from ..nbest.weights import names_of, weights_of
from .climb import tune
from .mira import kbmira
from .pro import pro
from .problem import Problem
from .results import Iteration, Loop
from .space import check_normalised, normalised, numbers_by_name

if TYPE_CHECKING:
    from ..metrics.references import References

Decoder = Callable[[dict[str, float], Path], Any] | str | Sequence[str]
Tuner = str | Callable[..., Any]

TUNERS: dict[str, Callable[..., Any]] = {"mert": tune, "kbmira": kbmira, "pro": pro}


def mert_loop(
    folder: str | os.PathLike[str],
    decode: Decoder,
    references: Any,
    start: Mapping[str, float],
    *,
    iterations: int = 20,
    weights_settle: float = 1e-5,
    score_settles: float | None = None,
    tuner: Tuner = "mert",
    format: str | None = None,  # noqa: A002
    first_id: int = 0,
    tokenize: Any = "unicode",
    max_order: int | None = None,
    reference_length: str | None = None,
    normalise: str | None = None,
    historic_best: bool = False,
    seed: int = 0,
    trace: Callable[[Iteration], Any] | None = None,
    **options: Any,
) -> Loop:
    """Decode and tune in turn until nothing changes.

    A call with the same folder continues an interrupted run.

    The loop stops when the decoder finds no new hypothesis; when no weight changes by more than `weights_settle`, relative
    to the sum of the absolute values of the weights; when tuning raises the score of the weights that decoded by no
    more than `score_settles`; or after `iterations`.

    Sparse features may differ from list to list. A feature that no list has so far keeps its weight. A weight of 0 is
    not written to the file. `tune` keeps the weights of sparse features of the start.

    A list of the decoder gets its final name only after it was read successfully. The folder stores a digest of the
    references, the metric and the options of a run; a call with others is an error. Only `iterations`, `weights_settle`,
    `score_settles`, `decode`, `trace`, `threads` and `progress` may change.

    :param folder: the folder of the iterations; it is created if it does not exist
    :param decode: a function that takes the weights by name and a path, and writes an n-best list to this path. Or a
        command, as a list of arguments or as one string that is split like a shell command, in which ``{weights}`` is
        replaced by the path of a file of weights and ``{nbest}`` by the path of the list to write. Its output goes to
        standard error
    :param references: as for :meth:`cybleu.nbest.NBest.from_files`
    :param start: the first weights, by name, of all dense features and any sparse ones
    :param iterations: how many iterations, at most
    :param weights_settle: the largest change for which a weight counts as unchanged
    :param score_settles: the largest gain that counts as no gain. By default 0 with ``mert`` and ``kbmira``. Any other
        tuner may end with a lower score than it began with, and by default the loop does not stop for that
    :param tuner: ``mert`` (:func:`tune`), ``kbmira`` or ``pro``; or a function, such as ``functools.partial(kbmira,
        iterations=30)``. It gets the list, the start and `seed`, and returns an object that has `weights`, by name
    :param normalise: ``sum`` divides the tuned weights by the sum of their absolute values, as Moses does; ``largest``
        divides them by the largest absolute value. Weights that are not normalised may grow or shrink from iteration to
        iteration, but the thresholds by which a decoder prunes do not change with them
    :param historic_best: start each tuning from those weights of all decoder runs that score best on the lists so far, instead
        of the last weights
    :param seed: iteration i tunes with seed + i
    :param trace: called with each iteration when it ends
    :param options: of the tuner
    :return: all iterations, with their weights and scores, and the reason why the loop stopped
    :raises DecoderError: the decoder fails, writes no list, or writes a list that cannot be read
    :raises InputFileError: another loop works in the folder, or a file cannot be written
    :raises CybleuError: one of its subclasses. The folder keeps all complete files

    The other parameters are those of :meth:`cybleu.nbest.NBest.from_files`.

    >>> import pathlib, tempfile
    >>> def decode(weights, path):
    ...     path.write_text("0 ||| a b ||| lm=-1 tm=-2 ||| 0\\n0 ||| a c ||| lm=-2 tm=-1 ||| 0\\n")
    >>> folder = pathlib.Path(tempfile.mkdtemp()) / "run"
    >>> print(mert_loop(folder, decode, [["a c"]], {"lm": 1.0, "tm": 0.5}, max_order=2))
      1 decoded 0.0000, 0.0000 -> 100.0000, 2 hypotheses, 2 of them new
      2 decoded 100.0000, 100.0000 -> 100.0000, 2 hypotheses, 0 of them new
    stopped: the decoder brought no new hypothesis
    """
    check_whole(iterations, "iterations", 1, error=WeightsError)
    check_normalised(normalise, options.get("bounds"), options.get("fixed", ()))
    if isinstance(tuner, str) and tuner not in TUNERS:
        raise UnknownNameError(f"unknown tuner {shown(tuner)}; use one of {', '.join(TUNERS)}, or a function")
    found_by = TUNERS[tuner] if isinstance(tuner, str) else tuner
    if score_settles is None:
        score_settles = 0.0 if getattr(found_by, "func", found_by) in (tune, kbmira) else -inf
    decode = decode if callable(decode) else _words_of(decode)
    folder = Path(folder)
    prepared = prepare_references(references)
    weights = numbers_by_name(start, "start")
    reading = {
        "format": format,
        "first_id": first_id,
        "tokenize": tokenize,
        "max_order": max_order,
        "reference_length": reference_length,
    }
    begun = {
        "references": digest(prepared),
        **reading,
        "normalise": normalise,
        "historic_best": historic_best,
        "seed": seed,
        "tuner": tuner,
        **{name: options[name] for name in options if name not in ("threads", "progress")},
    }
    _make_folder(folder)
    with locked(folder) as check_lock:
        _check_run(folder / "run.json", begun)
        run = _Run(folder, decode, prepared, reading, found_by, options, normalise, historic_best, seed, check_lock)
        done: list[Iteration] = []
        for iteration in islice(run.iterations(weights), iterations):
            done.append(iteration)
            if trace:
                trace(iteration)
            moved = _largest_change(weights, iteration.weights)
            weights = iteration.weights
            if iteration.new == 0:
                return Loop(tuple(done), "stopped: the decoder brought no new hypothesis")
            if moved <= weights_settle:
                return Loop(tuple(done), f"stopped: no weight changed by more than {weights_settle:g}")
            if iteration.score - iteration.start_score <= score_settles:
                return Loop(tuple(done), f"stopped: the score gained no more than {score_settles:g}")
    return Loop(tuple(done), f"stopped: after {iterations} iterations")


def _words_of(command: str | Sequence[str]) -> list[str]:
    """Split the command of a decoder as a shell does."""
    try:
        words = shlex.split(command) if isinstance(command, str) else list(command)
    except ValueError as error:
        raise DecoderError(
            f"the command of the decoder cannot be split into words: {error}: {shown(command)}"
        ) from None
    if not words:
        raise DecoderError("the command of the decoder is empty; give the program and its arguments")
    return words


def _make_folder(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputFileError(f"{folder}: cannot be created: {error.strerror or error}") from error


def _check_run(path: Path, run: dict[str, Any]) -> None:
    """Write the arguments of a run, or check that they are those of the run in the folder."""
    text = json.dumps(run, indent=1, sort_keys=True, default=_described) + "\n"
    if not path.exists():
        with writing(os.fspath(path)) as file:
            file.write(text)
        return
    try:
        begun, now = {**json.loads(path.read_text(encoding="utf-8"))}, json.loads(text)
    except (TypeError, ValueError, RecursionError) as error:
        raise InputFileError(f"{path} does not describe a run: {error}") from error
    for name in sorted(name for name in {*begun, *now} if begun.get(name, inf) != now.get(name, inf)):
        what = f"{name}={shown(begun.get(name))}, not {name}={shown(now.get(name))}"
        raise InputFileError(
            f"{path}: the run in this folder was started with {'other references' if name == 'references' else what}; "
            "use its arguments, or another folder"
        )


def _described(value: Any) -> Any:
    """Convert an argument that JSON does not know to values that are equal for equal arguments."""
    if isinstance(value, Metric):
        return value.signature
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, Set):
        return sorted(value)
    if isinstance(value, (np.ndarray, np.generic)):
        return value.tolist()
    if isinstance(value, partial):
        return [value.func, value.args, value.keywords]
    if callable(value):
        return f"{getattr(value, '__module__', '')}.{getattr(value, '__qualname__', type(value).__qualname__)}"
    return repr(value)


@dataclass(frozen=True)
class _Run:
    """The arguments of a loop that each iteration uses.

    :param reading: the format of the lists, the first id and the tokeniser
    :param options: of the tuner
    :param check_lock: raises an error if the folder is no longer locked; called before files get their final names
    """

    folder: Path
    decode: Callable[..., Any] | list[str]
    references: References
    reading: Mapping[str, Any]
    tuner: Callable[..., Any]
    options: Mapping[str, Any]
    normalise: str | None
    historic_best: bool
    seed: int
    check_lock: Callable[[], None]

    def iterations(self, weights: dict[str, float]) -> Iterator[Iteration]:
        """Run iterations: read those that the folder has, and decode and tune the others."""
        pool: NBest | None = None
        tried: list[dict[str, float]] = []
        for number in count(1):
            place = self.folder / f"iteration-{number}"
            _make_folder(place)
            before = 0 if pool is None else len(pool.features)
            nbest, pool = self._decoded(place, weights, pool)
            tried.append(weights)
            result = place / "result.json"
            if result.exists():
                iteration = _read_result(result, number)
            else:
                iteration = self._tuned(number, tried, nbest, pool, before)
                self.check_lock()
                with writing(os.fspath(result)) as file:
                    file.write(json.dumps(asdict(iteration), indent=1) + "\n")
            weights = iteration.weights
            yield iteration

    def _decoded(self, place: Path, weights: dict[str, float], pool: NBest | None) -> tuple[NBest, NBest]:
        """Return the list of an iteration, and this list merged with the earlier ones; decode unless there is a list."""
        file, nbest = place / "weights", place / "nbest"
        if not file.exists():
            write_weights(file, weights)
        elif read_weights(file) != weights:
            raise WeightsError(
                f"{file} holds other weights than those that this run begins with; give the folder of the same run, or a "
                "new one"
            )
        if nbest.exists():
            return self._read(nbest, weights, pool)
        with errors_named(str(nbest)):
            for old in place.glob("nbest.*.partial"):
                old.unlink()
        # a unique name, because a decoder that outlives its loop may still write to it
        partial_list = place / f"nbest.{os.urandom(4).hex()}.partial"
        if callable(self.decode):
            self.decode(dict(weights), partial_list)
        else:
            _run_command(self.decode, {"{weights}": str(file), "{nbest}": str(partial_list)})
        if not partial_list.exists():
            raise DecoderError(f"the decoder wrote no list to {partial_list}")
        try:
            lists = self._read(partial_list, weights, pool)
        except CybleuError as error:
            raise DecoderError(
                f"the list that the decoder wrote cannot be used: {error}; fix the decoder, and call again with the same "
                "folder: this iteration is decoded again"
            ) from error
        self.check_lock()
        with errors_named(str(nbest)):
            os.replace(partial_list, nbest)
        return lists

    def _read(self, path: Path, weights: dict[str, float], pool: NBest | None) -> tuple[NBest, NBest]:
        """Read the list of an iteration, and merge it with the earlier lists."""
        nbest = NBest.from_files(path, self.references, texts=False, **self.reading)
        merged = merge(nbest) if pool is None else merge(pool, nbest)
        # other weights stay: sparse features may appear in later lists, and decoders have weights that are not tuned
        if not weights.keys() >= set(nbest.names):
            weights_of(nbest.names, weights, "start")
        return nbest, merged

    def _tuned(self, number: int, tried: list[dict[str, float]], nbest: NBest, pool: NBest, before: int) -> Iteration:
        """Tune on the lists of all iterations so far.

        :param tried: the weights of all decoder runs, the last ones for `nbest`
        :param before: the number of hypotheses without `nbest`
        """
        metric = self.options.get("metric")
        problem = Problem(pool, metric)
        scores = np.array([_score(problem, weights) for weights in tried])
        # the last of equally good weights
        best = len(tried) - 1 - int(scores[::-1].argmax()) if self.historic_best else -1
        tuning = self.tuner(pool, _known(problem, tried[best]), seed=self.seed + number, **self.options)
        # features that the lists do not have keep their weights, and a weight of 0 may be left out
        every = {**tried[best], **tuning.weights}
        dense = set(pool.names)
        kept = {name: weight for name, weight in every.items() if weight or name in dense}
        tuned = normalised(kept, self.normalise)
        return Iteration(
            number,
            tuned,
            float(scores[-1]),
            # products that are rounded differently may break ties differently
            _score(problem, tuned),
            len(pool.features),
            len(pool.features) - before,
            problem.objective.scale,
            tried[-1],
            _score(Problem(nbest, metric), tried[-1]),
        )


def _run_command(command: list[str], paths: dict[str, str]) -> None:
    """Run the command of a decoder, with paths in the place of their names in braces."""
    # in one pass, because the path of the folder may have such a name in braces
    words = [re.sub("{weights}|{nbest}", lambda found: paths[found[0]], word) for word in command]
    try:
        # standard output is reserved for the results of the calling program
        output = None if sys.__stderr__ is None else 2
        status = subprocess.run(words, check=False, stdout=output).returncode
    except OSError as error:
        raise DecoderError(f"the decoder cannot be run: {shlex.join(words)}: {error}") from error
    if status:
        raise DecoderError(f"the decoder ended with status {status}: {shlex.join(words)}")


def _read_result(path: Path, number: int) -> Iteration:
    try:
        iteration = Iteration(**json.loads(path.read_text(encoding="utf-8")))
        numbers_by_name(iteration.weights, "its weights")
        if iteration.number != number:
            raise ValueError(f"its number is {iteration.number!r}")
    except (TypeError, ValueError, RecursionError) as error:
        raise InputFileError(
            f"{path} is not the result of iteration {number}: {error}; remove it to tune again"
        ) from error
    return iteration


def _known(problem: Problem, weights: Mapping[str, float]) -> dict[str, float]:
    """Select the weights of features in the list."""
    names = set(names_of(problem.nbest))
    return {name: weight for name, weight in weights.items() if name in names}


def _score(problem: Problem, weights: Mapping[str, float]) -> float:
    return problem.point(problem.start(_known(problem, weights))).merit[0]


def _largest_change(before: Mapping[str, float], after: Mapping[str, float]) -> float:
    scales = [sum(map(abs, weights.values())) or 1.0 for weights in (before, after)]
    return max(abs(before.get(name, 0.0) / scales[0] - after.get(name, 0.0) / scales[1]) for name in {*before, *after})
