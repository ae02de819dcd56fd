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
from collections.abc import Callable, Iterator, Mapping, Set
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import asdict, dataclass
from functools import partial
from itertools import count
from math import inf
from pathlib import Path
from typing import Any

from .._files.text import shown
from .._files.writing import errors_named, writing
from .._runtime.extras import extra
from .._runtime.system import WINDOWS
from ..errors import CybleuError, DecoderError, InputFileError, WeightsError
from ..metrics import Metric
from ..nbest import NBest, merge
from ..nbest.features import weights_of
from ..nbest.reading import digest, prepare_references
from ..nbest.weights import numbers_by_name, read_weights, write_weights
from .loop_parts import Stopping, Tuner
from .problem import Problem, score_of
from .results import Iteration, Loop

Decoder = Callable[[dict[str, float], Path], Any]
# The arguments of `NBest.from_files` that a loop can have.
READING: dict[str, Any] = {
    "format": None,
    "first_id": 0,
    "tokenize": "unicode",
    "max_order": None,
    "reference_length": None,
}


def mert_loop(
    folder: str | os.PathLike[str],
    decode: Decoder,
    references: Any,
    start: Mapping[str, float],
    tuner: Tuner | None = None,
    stopping: Stopping | None = None,
    *,
    trace: Callable[[Iteration], Any] | None = None,
    **reading: Any,
) -> Loop:
    """Decode and tune repeatedly until convergence.

    To continue an interrupted run, call the function again with the same folder.

    Sparse features may differ from list to list. A feature that is not in any list so far keeps its weight. A sparse
    feature whose tuned weight is 0 is not written to the file. `tune` keeps the start weights of sparse features.

    A list of the decoder gets its final name only after it was read successfully. The folder stores a digest of the
    references, the tuner and the options of a run; a call with others is an error. Only `decode`, `stopping`, `trace`,
    and the options `threads` and `progress` of the tuner may change.

    :param folder: the folder of the iterations; it is created if it does not exist
    :param decode: a function that takes the weights by name and a path, and writes an n-best list to this path; or a
        :class:`DecoderCommand`
    :param references: see :meth:`cybleu.nbest.NBest.from_files`
    :param start: the initial weights by name, for every dense feature and any of the sparse ones
    :param tuner: the tuner with its options, by default ``Tuner("mert")``
    :param stopping: when to stop, by default ``Stopping()``
    :param trace: called with each iteration when it ends
    :param reading: `format`, `first_id`, `tokenize`, `max_order` and `reference_length`, see
        :meth:`cybleu.nbest.NBest.from_files`
    :return: all iterations, with their weights and scores, and the reason why the loop stopped
    :raises DecoderError: the decoder fails, writes no list, or writes a list that cannot be read
    :raises InputFileError: another loop works in the folder, or a file cannot be written
    :raises CybleuError: an argument is invalid, or tuning fails. The folder keeps all complete files

    >>> import pathlib, tempfile
    >>> def decode(weights, path):
    ...     path.write_text("0 ||| a b ||| lm=-1 tm=-2 ||| 0\\n0 ||| a c ||| lm=-2 tm=-1 ||| 0\\n")
    >>> folder = pathlib.Path(tempfile.mkdtemp()) / "run"
    >>> print(mert_loop(folder, decode, [["a c"]], {"lm": 1.0, "tm": 0.5}, max_order=2))
      1 decoded 0.0000, 0.0000 -> 100.0000, 2 hypotheses, 2 of them new
      2 decoded 100.0000, 100.0000 -> 100.0000, 2 hypotheses, 0 of them new
    stopped: the decoder brought no new hypothesis
    """
    for name in reading:
        if name not in READING:
            raise TypeError(f"{name} is no argument of mert_loop; pass the options of a tuner to Tuner")
    reading = READING | reading
    tuner = tuner or Tuner()
    stopping = stopping or Stopping()
    folder = Path(folder)
    prepared = prepare_references(references)
    weights = numbers_by_name(start, "start")
    read = partial(NBest.from_files, references=prepared, texts=False, **reading)
    run = _Run(folder, decode, read, tuner)
    done: list[Iteration] = []
    with _locked(folder):
        # before the first iteration: weights of another run would be mixed with those of this one
        _check_run(folder / "run.json", {"references": digest(prepared), **reading, **tuner.settings})
        for number in count(1):
            iteration = run.iteration(number, weights)
            done.append(iteration)
            if trace:
                trace(iteration)
            reason = stopping.reason(iteration, tuner.never_lowers)
            if reason is not None:
                break
            weights = iteration.weights
    return Loop(tuple(done), f"stopped: {reason}")


@dataclass
class _Run:
    """The iterations of a run so far.

    :ivar pool: the merged lists, None before the first
    """

    folder: Path
    decode: Decoder
    read: Callable[[Path], NBest]
    tuner: Tuner
    pool: NBest | None = None

    def iteration(self, number: int, weights: dict[str, float]) -> Iteration:
        """Decode with these weights and tune, except for what is in the folder already."""
        place = self.folder / f"iteration-{number}"
        with errors_named(str(place)):
            place.mkdir(exist_ok=True)
        known = len(self.pool.features) if self.pool else 0
        nbest, self.pool = self._decoded(place, weights)
        result = place / "result.json"
        if not result.exists():
            problem = Problem(self.pool, self.tuner.metric)
            alone = Problem(nbest, self.tuner.metric)
            tuned = self.tuner.weights(self.pool, weights, number)
            iteration = Iteration(
                number,
                tuned,
                start_score=score_of(problem, weights),
                score=score_of(problem, tuned),
                hypotheses=len(self.pool.features),
                new=len(self.pool.features) - known,
                scale=problem.objective.scale,
                decoded=weights,
                decoded_score=score_of(alone, weights),
            )
            with writing(result) as file:
                file.write(json.dumps(asdict(iteration), indent=1) + "\n")
        # from the file, so that a run that was interrupted and one that was not continue alike
        return _read_result(result)

    def _decoded(self, place: Path, weights: dict[str, float]) -> tuple[NBest, NBest]:
        """Return the list of an iteration, alone and merged with the earlier ones; decode unless there is a list.

        :param place: the folder of the iteration
        """
        file = place / "weights"  # written first: a decoder reads it
        nbest = place / "nbest"
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
        # a copy, which the decoder may change
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
        # more weights than features are right: sparse features may appear in later lists, and decoders have weights that
        # are not tuned
        if not weights.keys() >= set(nbest.names):
            weights_of(nbest, weights, "start")  # an error that names the feature without a weight
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


def _check_run(path: Path, run: dict[str, Any]) -> None:
    """Write the arguments of a run, or check that they are those of the run in the folder."""
    # compared as JSON, because tuples come back as lists
    text = json.dumps(run, indent=1, sort_keys=True, default=_as_json) + "\n"
    if not path.exists():
        with writing(path) as file:
            file.write(text)
    try:
        begun = {**json.loads(path.read_text(encoding="utf-8"))}
        now = json.loads(text)
    except (TypeError, ValueError, RecursionError) as error:
        raise InputFileError(f"{path} does not describe a run: {error}") from error
    # an argument that only one of them has differs: `inf` is no value of JSON
    for name in sorted(name for name in {*begun, *now} if begun.get(name, inf) != now.get(name, inf)):
        what = f"{name}={shown(begun.get(name))}, not {name}={shown(now.get(name))}"
        raise InputFileError(
            f"{path}: the run in this folder was started with {'other references' if name == 'references' else what}; "
            "use its arguments, or another folder"
        )


def _as_json(value: Any) -> Any:
    """Convert an argument that JSON does not know to values that are equal for equal arguments."""
    if isinstance(value, Metric):
        return value.signature
    if isinstance(value, Set):
        return sorted(value)
    if callable(value):
        return f"{getattr(value, '__module__', '')}.{getattr(value, '__qualname__', type(value).__qualname__)}"
    return repr(value)


def _read_result(path: Path) -> Iteration:
    try:
        iteration = Iteration(**json.loads(path.read_text(encoding="utf-8")))
        numbers_by_name(iteration.weights, "its weights")
        numbers_by_name(iteration.decoded, "its decoded")
    except (TypeError, ValueError, RecursionError) as error:
        raise InputFileError(f"{path} is not the result of an iteration: {error}; remove it to tune again") from error
    return iteration
