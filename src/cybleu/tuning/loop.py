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
    the file that a running loop locks; it locks the folder, too, in case the file is deleted

Files get these names when they are complete.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import asdict, dataclass
from functools import partial
from math import inf, isnan
from pathlib import Path
from typing import Any

from .._files.text import shown
from .._files.writing import errors_named, writing
from .._runtime.extras import extra
from .._runtime.numbers import as_number, check_whole
from .._runtime.system import WINDOWS, command_line, words_of
from ..errors import CybleuError, DecoderError, InputFileError, UnknownNameError, WeightsError
from ..metrics import Metric
from ..nbest import NBest, merge
from ..nbest.references import digest, prepare_references
from ..nbest.weight_files import read_weights, write_weights
from ..nbest.weights import weights_of
from .climb import tune
from .mira import kbmira
from .pro import pro
from .problem import Problem, score_of
from .results import Iteration, Loop
from .space import check_normalised, normalised, numbers_by_name

Decoder = Callable[[dict[str, float], Path], Any] | str | Sequence[str]

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
    tuner: str | Callable[..., Any] = "mert",
    format: str | None = None,  # noqa: A002
    first_id: int = 0,
    tokenize: Any = "unicode",
    max_order: int | None = None,
    reference_length: str | None = None,
    normalise: str | None = None,
    seed: int = 0,
    trace: Callable[[Iteration], Any] | None = None,
    **options: Any,
) -> Loop:
    """Decode and tune repeatedly until convergence.

    To continue an interrupted run, call the function again with the same folder.

    The loop stops when the decoder finds no new hypothesis; when no weight changes by more than `weights_settle`,
    relative to the sum of the absolute values of the weights; when tuning raises the score of the weights that decoded
    by no more than `score_settles`; or after `iterations`.

    Sparse features may differ from list to list. A feature that is not in any list so far keeps its weight. A sparse
    feature whose tuned weight is 0 is not written to the file. `tune` keeps the start weights of sparse features.

    A list of the decoder gets its final name only after it was read successfully. The folder stores a digest of the
    references, the metric and the options of a run; a call with others is an error. Only `iterations`,
    `weights_settle`, `score_settles`, `decode`, `trace`, `threads` and `progress` may change.

    :param folder: the folder of the iterations; it is created if it does not exist
    :param decode: a function that takes the weights by name and a path, and writes an n-best list to this path; or a
        command, as a list of arguments or a string that is split like a shell command, but on Windows a backslash is an
        ordinary character. In a command, ``{weights}`` is replaced by the path of the weights file, and ``{nbest}`` by
        the path of the list to write. The output of a command goes to standard error
    :param references: see :meth:`cybleu.nbest.NBest.from_files`
    :param start: the initial weights by name, for every dense feature and any of the sparse ones
    :param iterations: the maximum number of iterations
    :param weights_settle: the largest change for which a weight counts as unchanged
    :param score_settles: the largest gain that counts as no gain; by default 0 with ``mert`` and ``kbmira``. Other
        tuners, and ``kbmira`` with the rules ``moses``, may lower the score, so by default the score does not stop the
        loop with these
    :param tuner: ``mert`` (:func:`tune`), ``kbmira`` or ``pro``; or a function, such as ``functools.partial(kbmira,
        iterations=30)``. It is called with the list, the start and `seed`, and returns an object with `weights` by name
    :param normalise: ``sum`` divides the tuned weights by the sum of their absolute values; ``largest``
        divides them by the largest absolute value. Weights that are not normalised may grow or shrink from iteration to
        iteration, but the thresholds by which a decoder prunes do not change with them
    :param seed: iteration i tunes with seed + i
    :param trace: called with each iteration when it ends
    :param options: options of the tuner
    :return: all iterations, with their weights and scores, and the reason why the loop stopped
    :raises DecoderError: the decoder fails, writes no list, or writes a list that cannot be read
    :raises InputFileError: another loop works in the folder, or a file cannot be written
    :raises CybleuError: an argument is invalid, or tuning fails. The folder keeps all complete files

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
    check_whole(seed, "seed", 0, error=WeightsError)
    check_normalised(normalise, options.get("bounds"), options.get("fixed", ()))
    if isinstance(tuner, str) and tuner not in TUNERS:
        raise UnknownNameError(f"unknown tuner {shown(tuner)}; use one of {', '.join(TUNERS)}, or a function")
    tuner_called = TUNERS[tuner] if isinstance(tuner, str) else tuner
    if score_settles is None:
        score_settles = 0.0 if _never_lowers(tuner_called, options) else -inf
    for name, limit in (("weights_settle", weights_settle), ("score_settles", score_settles)):
        if isnan(as_number(limit)):
            raise WeightsError(f"{name} is {limit!r}; it must be a number")
    decode = decode if callable(decode) else partial(_run_command, decode)
    folder = Path(folder)
    prepared = prepare_references(references)
    weights = numbers_by_name(start, "start")
    counting = {"tokenize": tokenize, "max_order": max_order, "reference_length": reference_length}
    reading = {"format": format, "first_id": first_id, **counting}
    begun: dict[str, Any] = {"references": digest(prepared), "normalise": normalise}
    begun |= {"seed": seed, "tuner": tuner, **reading, **options}
    read = partial(NBest.from_files, references=prepared, texts=False, **reading)
    run = _Run(folder, decode, read, tuner_called, options, normalise)
    done: list[Iteration] = []
    with _locked(folder):
        _check_run(folder / "run.json", {name: begun[name] for name in begun if name not in ("threads", "progress")})
        for number in range(1, iterations + 1):
            iteration = run.iteration(number, weights, seed + number)
            done.append(iteration)
            if trace:
                trace(iteration)
            if reason := _reason_to_stop(weights, iteration, weights_settle, score_settles):
                return Loop(tuple(done), f"stopped: {reason}")
            weights = iteration.weights
    return Loop(tuple(done), f"stopped: after {iterations} iterations")


@dataclass
class _Run:
    """The iterations of a run so far.

    :ivar pool: the merged lists, None before the first
    """

    folder: Path
    decode: Callable[[dict[str, float], Path], Any]
    read: Callable[[Path], NBest]
    tuner: Callable[..., Any]
    options: dict[str, Any]
    normalise: str | None
    pool: NBest | None = None

    def iteration(self, number: int, weights: dict[str, float], seed: int) -> Iteration:
        """Decode with these weights and tune, except for what is in the folder already."""
        place = self.folder / f"iteration-{number}"
        with errors_named(str(place)):
            place.mkdir(exist_ok=True)
        nbest, merged = self._decoded(place, weights)
        new = len(merged.features) - (len(self.pool.features) if self.pool else 0)
        self.pool = merged
        result = place / "result.json"
        if not result.exists():
            iteration = self._tuned(number, weights, nbest, merged, new, seed)
            with writing(os.fspath(result)) as file:
                file.write(json.dumps(asdict(iteration), indent=1) + "\n")
        return _read_result(result)

    def _tuned(
        self, number: int, weights: dict[str, float], nbest: NBest, merged: NBest, new: int, seed: int
    ) -> Iteration:
        """Tune on the merged list; features that it does not have keep their weights, and a sparse 0 is left out."""
        problem, alone = (Problem(part, self.options.get("metric")) for part in (merged, nbest))
        known = {name: weights[name] for name in merged.all_names if name in weights}
        every = {**weights, **self.tuner(merged, known, seed=seed, **self.options).weights}
        kept = {name: weight for name, weight in every.items() if weight or name in merged.names}
        tuned = normalised(kept, self.normalise)
        # products that are rounded differently may break ties differently
        scores = {"start_score": score_of(problem, weights), "score": score_of(problem, tuned)}
        scores["decoded_score"] = score_of(alone, weights)
        count, scale = len(merged.features), problem.objective.scale
        return Iteration(number, tuned, hypotheses=count, new=new, scale=scale, decoded=weights, **scores)

    def _decoded(self, place: Path, weights: dict[str, float]) -> tuple[NBest, NBest]:
        """Return the list of an iteration, alone and merged with the earlier ones; decode unless there is a list.

        :param place: the folder of the iteration
        """
        file, nbest = place / "weights", place / "nbest"
        if not file.exists():
            write_weights(file, weights)
        elif (read_weights(file) if file.stat().st_size else {}) != weights:  # none if all features are sparse
            raise WeightsError(
                f"{file} holds other weights than those that this run begins with; give the folder of the same run, "
                "or a new one"
            )
        if nbest.exists():
            return self._merged(nbest, weights)
        with errors_named(str(nbest)):
            for old in place.glob("nbest.*.partial"):
                old.unlink()
        # a unique name, because a decoder that outlives its loop may still write to it
        partial_list = place / f"nbest.{os.urandom(4).hex()}.partial"
        self.decode(dict(weights), partial_list)
        if not partial_list.exists():
            raise DecoderError(f"the decoder wrote no list to {partial_list}")
        try:
            found = self._merged(partial_list, weights)
        except CybleuError as error:
            raise DecoderError(
                f"the list that the decoder wrote cannot be used: {error}; fix the decoder, and call again with the same "
                "folder: this iteration is decoded again"
            ) from error
        with errors_named(str(nbest)):
            os.replace(partial_list, nbest)
        return found

    def _merged(self, path: Path, weights: dict[str, float]) -> tuple[NBest, NBest]:
        """Read the list that these weights decoded; return it alone, and merged with the earlier lists."""
        nbest = self.read(path)
        merged = merge(self.pool, nbest) if self.pool else merge(nbest)
        # other weights stay: sparse features may appear in later lists, and decoders have weights that are not tuned
        if not weights.keys() >= set(nbest.names):
            weights_of(nbest, weights, "start")
        return nbest, merged


@contextmanager
def _locked(folder: Path) -> Iterator[None]:
    """Create the folder and lock it; the system releases the lock when the process ends, however it ends."""
    with extra("filelock", "the tuning loop requires filelock", "cybleu[tuning]"):
        from filelock import FileLock, Timeout
    with ExitStack() as locks:
        with errors_named(str(folder)):
            folder.mkdir(parents=True, exist_ok=True)
            try:
                locks.enter_context(FileLock(folder / "cybleu.lock", timeout=0))
                locks.enter_context(_folder_locked(folder))
            except (Timeout, BlockingIOError):
                raise InputFileError(
                    f"{folder}: another loop is running in this folder; wait until it ends, or give another folder"
                ) from None
        yield


@contextmanager
def _folder_locked(folder: Path) -> Iterator[None]:
    """Lock the folder itself, because a locked file in it can be deleted, except on Windows.

    :raises BlockingIOError: another loop has locked it
    """
    if WINDOWS:
        yield
        return
    from fcntl import LOCK_EX, LOCK_NB, LOCK_UN, flock

    descriptor = os.open(folder, os.O_RDONLY)
    try:
        try:
            flock(descriptor, LOCK_EX | LOCK_NB)
        except BlockingIOError:
            raise
        except OSError:
            pass  # network file systems may lock only files
        yield
    finally:
        with suppress(OSError):
            flock(descriptor, LOCK_UN)  # closing it does not unlock it if a forked process still has it
        os.close(descriptor)


def _never_lowers(tuner: Callable[..., Any], options: Mapping[str, Any]) -> bool:
    """Whether a tuner returns the start unless other weights score higher."""
    function = getattr(tuner, "func", tuner)
    given = {**getattr(tuner, "keywords", {}), **options}
    return function is tune or (function is kbmira and given.get("rules") != "moses")


def _reason_to_stop(
    before: Mapping[str, float], iteration: Iteration, weights_settle: float, score_settles: float
) -> str | None:
    if iteration.new == 0:
        return "the decoder brought no new hypothesis"
    if _largest_change(before, iteration.weights) <= weights_settle:
        return f"no weight changed by more than {weights_settle:g}"
    if iteration.score - iteration.start_score <= score_settles:
        return f"the score gained no more than {score_settles:g}"
    return None


def _run_command(command: str | Sequence[str], weights: dict[str, float], path: Path) -> None:
    """Run the command of a decoder, with the names in braces replaced by paths."""
    try:
        words = words_of(command) if isinstance(command, str) else list(command)
    except ValueError as error:
        raise DecoderError(
            f"the command of the decoder cannot be split into words: {error}: {shown(command)}"
        ) from None
    if not words:
        raise DecoderError("the command of the decoder is empty; give the program and its arguments")
    paths = {"{weights}": str(path.parent / "weights"), "{nbest}": str(path)}
    # in one pass, because the path of the folder may have such a name in braces
    words = [re.sub("{weights}|{nbest}", lambda found: paths[found[0]], word) for word in words]
    try:
        # standard output is reserved for the results of the calling program
        output = None if sys.__stderr__ is None else 2
        status = subprocess.run(words, check=False, stdout=output).returncode
    except OSError as error:
        raise DecoderError(f"the decoder cannot be run: {command_line(words)}: {error}") from error
    if status:
        raise DecoderError(f"the decoder ended with status {status}: {command_line(words)}")


def _check_run(path: Path, run: dict[str, Any]) -> None:
    """Write the arguments of a run, or check that they are those of the run in the folder."""
    text = json.dumps(run, indent=1, sort_keys=True, default=_described) + "\n"
    if not path.exists():
        with writing(os.fspath(path)) as file:
            file.write(text)
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
    if isinstance(value, Set):
        return sorted(value)
    if isinstance(value, partial):
        return [value.func, value.args, value.keywords]
    if callable(value):
        return f"{getattr(value, '__module__', '')}.{getattr(value, '__qualname__', type(value).__qualname__)}"
    return repr(value)


def _read_result(path: Path) -> Iteration:
    try:
        iteration = Iteration(**json.loads(path.read_text(encoding="utf-8")))
        numbers_by_name(iteration.weights, "its weights")
    except (TypeError, ValueError, RecursionError) as error:
        raise InputFileError(f"{path} is not the result of an iteration: {error}; remove it to tune again") from error
    return iteration


def _largest_change(before: Mapping[str, float], after: Mapping[str, float]) -> float:
    scales = [sum(map(abs, weights.values())) or 1.0 for weights in (before, after)]
    return max(abs(before.get(name, 0.0) / scales[0] - after.get(name, 0.0) / scales[1]) for name in {*before, *after})
