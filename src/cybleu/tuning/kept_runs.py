"""The files in the folder of a tuning loop: the arguments of the run, and the results of iterations, validated when read."""

from __future__ import annotations

import json
import os
from collections.abc import Collection, Mapping, Set
from functools import partial
from math import isfinite, isnan
from pathlib import Path
from typing import Any

from .._files.text import shown
from .._files.writing import writing
from .._runtime.arrays import np
from ..errors import InputFileError
from ..metrics import Metric
from ..nbest import NBest
from .results import Iteration


def check_run(path: Path, run: dict[str, Any]) -> None:
    """Write the arguments of a run, or check that they are those of the run in the folder."""
    text = json.dumps(run, indent=1, sort_keys=True) + "\n"
    if not path.exists():
        with writing(os.fspath(path)) as file:
            file.write(text)
        return
    try:
        begun = json.loads(path.read_text(encoding="utf-8"))
        if not isinstance(begun, dict):
            raise ValueError("it is not an object")
    except (ValueError, RecursionError) as error:
        raise InputFileError(f"{path} does not describe a run: {error}") from error
    now = json.loads(text)
    for name in sorted({*begun, *now}):
        if begun.get(name) != now.get(name) or (name in begun) != (name in now):
            what = (
                "other references"
                if name == "references"
                else f"{name}={shown(begun.get(name))}, not {name}={shown(now.get(name))}"
            )
            raise InputFileError(
                f"{path}: the run in this folder was started with {what}; use its arguments, or another folder"
            )


def described(value: Any) -> Any:
    """Convert an argument to JSON values, equal for equal arguments."""
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, Metric):
        return value.signature
    if isinstance(value, Mapping):
        return {str(name): described(value[name]) for name in sorted(value, key=str)}
    if isinstance(value, Set):
        return sorted(map(described, value))
    if isinstance(value, (np.ndarray, np.generic)):
        return described(value.tolist())
    if isinstance(value, (list, tuple)):
        return list(map(described, value))
    if isinstance(value, partial):
        return [described(value.func), described(value.args), described(value.keywords)]
    if callable(value):
        return f"{getattr(value, '__module__', '')}.{getattr(value, '__qualname__', type(value).__qualname__)}"
    return repr(value)


def read_result(path: Path, number: int, pool: NBest, before: Collection[str]) -> Iteration:
    needed = set(pool.names)
    known = needed if pool.sparse is None else {*needed, *pool.sparse.names, *before}
    try:
        iteration = Iteration(**json.loads(path.read_text(encoding="utf-8")))
        wrong = _wrong_field(iteration, number, needed, known)
    except (ValueError, TypeError, RecursionError) as error:
        raise InputFileError(f"{path} is not the result of an iteration: {error}; remove it to tune again") from error
    if wrong:
        raise InputFileError(
            f"{path} is not the result of iteration {number}: {wrong} is {str(getattr(iteration, wrong))[:80]!r}; "
            "remove it to tune again"
        )
    return iteration


def _wrong_field(iteration: Iteration, number: int, needed: Set[str], known: Set[str]) -> str:
    """The name of a field whose value is invalid, or an empty string.

    :param needed: names that must have weights
    :param known: names that may have weights
    """
    wrong = {
        "number": type(iteration.number) is not int or iteration.number != number,
        "weights": not _are_weights(iteration.weights, needed, known),
        "start_score": not _is_number(iteration.start_score),
        "score": not _is_number(iteration.score),
        "hypotheses": type(iteration.hypotheses) is not int or iteration.hypotheses < 0,
        "new": type(iteration.new) is not int or iteration.new < 0,
        "scale": iteration.scale is not None and not (_is_number(iteration.scale) and iteration.scale > 0),
        "decoded": iteration.decoded is not None and not _are_weights(iteration.decoded, needed, known),
        "decoded_score": iteration.decoded_score is not None and not _is_number(iteration.decoded_score),
    }
    return next((name for name, is_wrong in wrong.items() if is_wrong), "")


def _are_weights(weights: object, needed: Set[str], known: Set[str]) -> bool:
    return (
        isinstance(weights, dict)
        and needed <= set(weights) <= known
        and all(_is_number(weight) and isfinite(weight) for weight in weights.values())
    )


def _is_number(value: object) -> bool:
    return type(value) in (int, float) and not isnan(value)  # type: ignore[arg-type]
