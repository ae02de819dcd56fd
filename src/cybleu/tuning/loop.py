"""The loop around tuning: decode, read, merge, tune, and again, until nothing changes.

Every iteration is kept in a folder, so that a run that was interrupted goes on where it stopped:

``run.json``
    what the run was begun with: a digest of the references, the metric, the options
``iteration-1/weights``
    what the decoder is called with, a line ``name weight`` for each feature
``iteration-1/nbest``
    what it wrote. The decoder writes to ``nbest.partial``, which is renamed when it has ended without an error and was read
``iteration-1/result.json``
    the weights tuned on the lists of all iterations so far, their score, and what was compared to stop

Files are renamed into place when they are complete, so that what is there is whole.
"""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from functools import partial
from math import inf
from pathlib import Path
from typing import Any

from .._files.text import shown
from .._files.weights import read_weights, write_weights
from .._files.writing import writing
from .._runtime.arrays import np
from .._runtime.numbers import check_whole
from ..errors import CybleuError, DecoderError, InputFileError, UnknownNameError, WeightsError
from ..nbest import NBest, merge, prepare_references
from ..stats.references import digest
from .climb import tune
from .kept_runs import check_run, described, read_result
from .mira import kbmira
from .model import Model
from .pro import pro
from .results import Iteration, Loop
from .space import check_normalised, normalised, weights_of

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

    If it is called again with the same folder, it goes on where it stopped.

    It stops when the decoder brings no new hypothesis; when no weight changes by more than `weights_settle`, relative
    to the sum of the absolute values of the weights; when tuning raises the score of the weights that decoded by no
    more than `score_settles`; or after `iterations`.

    Sparse features come and go from list to list. A feature that no list has so far keeps its weight. A weight of 0 is
    not written to the file. `tune` leaves the weights of sparse features as they are in the start, except those that
    are `searched`.

    A list of the decoder gets its final name only after it was read without an error. The folder keeps the references,
    the metric and the options of a run, and a call with others is refused. Only `iterations`, `weights_settle`,
    `score_settles`, `decode`, `trace`, `threads` and `progress` may change.

    :param folder: where the iterations are kept; it is made if it does not exist
    :param decode: a function that takes the weights by name and a path, and writes an n-best list to this path. Or a
        command, as a list of arguments or as one text that is split as a shell does it, in which ``{weights}`` stands
        for the path of a file of weights and ``{nbest}`` for the path of the list to write. What it prints goes to
        standard error
    :param references: as for :meth:`cybleu.nbest.NBest.from_files`
    :param start: the first weights, by name, of all dense features and any sparse ones
    :param iterations: how many iterations, at most
    :param weights_settle: the largest change with which a weight counts as unchanged
    :param score_settles: the largest gain that counts as none. By default 0 with ``mert`` and ``kbmira``. Any other
        tuner may end with a lower score than it began with, and by default the loop does not stop for that
    :param tuner: ``mert`` (:func:`tune`), ``kbmira`` or ``pro``; or a function, such as ``functools.partial(kbmira,
        iterations=30)``. It gets the list, the start and `seed`, and returns an object that has `weights`, by name
    :param normalise: ``sum`` divides the tuned weights by the sum of their absolute values, as Moses does; ``largest``
        divides them by the largest absolute value. Weights that are not normalised may grow or shrink from iteration to
        iteration, but the thresholds by which a decoder prunes do not change with them
    :param historic_best: begin each tuning at the weights that score best on the lists so far, of all that decoded, and
        not at the last weights
    :param seed: iteration i tunes with seed + i
    :param trace: called with each iteration when it ends
    :param options: of the tuner
    :return: all iterations, with their weights and scores, and the reason why the loop stopped
    :raises DecoderError: the decoder fails, writes no list, or writes a list that cannot be read
    :raises CybleuError: one of its subclasses. The folder keeps everything that was complete

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
        ends_no_lower = (found_by.func if isinstance(found_by, partial) else found_by) in (tune, kbmira)
        score_settles = 0.0 if ends_no_lower else -inf
    if not callable(decode):
        decode = _words(decode)
    folder = Path(folder)
    prepared = prepare_references(references, tokenize, max_order, reference_length)
    weights = {name: float(weight) for name, weight in start.items()}
    _make(folder)
    check_run(
        folder / "run.json",
        {
            "references": digest(prepared),
            "max_order": prepared.max_order,
            "reference_length": prepared.reference_length,
            "format": format,
            "first_id": first_id,
            "tokenize": described(tokenize),
            "normalise": normalise,
            "historic_best": historic_best,
            "seed": seed,
            "tuner": described(tuner),
            **{name: described(options[name]) for name in sorted(options) if name not in ("threads", "progress")},
        },
    )
    pool: NBest | None = None
    done: list[Iteration] = []
    for number in range(1, iterations + 1):
        place = folder / f"iteration-{number}"
        _make(place)
        read = partial(
            _read_list,
            weights=weights,
            pool=pool,
            references=prepared,
            format=format,
            first_id=first_id,
            tokenize=tokenize,
        )
        nbest, merged = _decoded(place, decode, weights, read)
        before = 0 if pool is None else len(pool.features)
        pool = merged
        if (place / "result.json").exists():
            iteration = read_result(place / "result.json", number, pool, weights)
        else:
            model = Model(pool, options.get("metric"))
            tried = [*(previous.decoded for previous in done if previous.decoded), weights]
            scores = np.array([_score(model, one) for one in tried])
            # of equal ones the last
            best = len(tried) - 1 - int(scores[::-1].argmax()) if historic_best else -1
            tuning = found_by(pool, _known(model, tried[best]), seed=seed + number, **options)
            # what the lists do not have stays, and what is 0 need not be named
            every = {**tried[best], **tuning.weights}
            dense = set(pool.names)
            tuned = normalised({name: weight for name, weight in every.items() if weight or name in dense}, normalise)
            iteration = Iteration(
                number,
                tuned,
                float(scores[-1]),
                # a tie may be broken otherwise where a product is rounded otherwise
                _score(model, tuned),
                len(pool.features),
                len(pool.features) - before,
                model.objective.scale,
                weights,
                _score(Model(nbest, options.get("metric")), weights),
            )
            with writing(os.fspath(place / "result.json")) as file:
                file.write(json.dumps(asdict(iteration), indent=1) + "\n")
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


def _read_list(
    path: Path, weights: dict[str, float], pool: NBest | None, references: Any, **how: Any
) -> tuple[NBest, NBest]:
    """The list of an iteration, and all lists so far."""
    nbest = NBest.from_files(path, references, texts=False, **how)
    merged = merge(nbest) if pool is None else merge(pool, nbest)
    # for its error: a name that is no feature, unless it is of a sparse one that may come
    if merged.sparse is None or not weights.keys() >= set(nbest.names):
        weights_of(nbest.names, weights, "start")
    return nbest, merged


def _known(model: Model, weights: Mapping[str, float]) -> dict[str, float]:
    """Those of features that the list has."""
    names = set(model.names)
    return {name: weight for name, weight in weights.items() if name in names}


def _score(model: Model, weights: Mapping[str, float]) -> float:
    return model.score(model.start(_known(model, weights)))


def _words(command: str | Sequence[str]) -> list[str]:
    try:
        words = shlex.split(command) if isinstance(command, str) else list(command)
    except ValueError as error:
        raise DecoderError(
            f"the command of the decoder cannot be split into words: {error}: {shown(command)}"
        ) from None
    if not words:
        raise DecoderError("the command of the decoder is empty; give the program and its arguments")
    return words


def _make(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputFileError(f"{folder}: cannot be made a folder: {error.strerror or error}") from error


def _decoded(
    place: Path, decode: Decoder, weights: dict[str, float], read: Callable[[Path], tuple[NBest, NBest]]
) -> tuple[NBest, NBest]:
    """What is read of the list of an iteration, which is decoded unless it is there."""
    file, nbest, partial_list = place / "weights", place / "nbest", place / "nbest.partial"
    if file.exists():
        if read_weights(file) != weights:
            raise WeightsError(
                f"{file} holds other weights than those that this run begins with; give the folder of the same run, or a "
                "new one"
            )
    else:
        write_weights(file, weights)
    if nbest.exists():
        return read(nbest)
    partial_list.unlink(missing_ok=True)
    if callable(decode):
        decode(dict(weights), partial_list)
    else:
        command = [word.replace("{weights}", str(file)).replace("{nbest}", str(partial_list)) for word in decode]
        try:
            # what it prints is not among the results of a program that prints them
            output = None if sys.__stderr__ is None else 2
            status = subprocess.run(command, check=False, stdout=output).returncode
        except OSError as error:
            raise DecoderError(f"the decoder cannot be run: {shlex.join(command)}: {error}") from error
        if status:
            raise DecoderError(f"the decoder ended with status {status}: {shlex.join(command)}")
    if not partial_list.exists():
        raise DecoderError(f"the decoder wrote no list to {partial_list}")
    try:
        lists = read(partial_list)
    except CybleuError as error:
        raise DecoderError(
            f"the list that the decoder wrote cannot be used: {error}; mend the decoder, and call again with the same folder: "
            "this iteration is decoded again"
        ) from error
    os.replace(partial_list, nbest)
    return lists


def _largest_change(before: Mapping[str, float], after: Mapping[str, float]) -> float:
    scales = [sum(map(abs, weights.values())) or 1.0 for weights in (before, after)]
    return max(abs(before.get(name, 0.0) / scales[0] - after.get(name, 0.0) / scales[1]) for name in {*before, *after})
