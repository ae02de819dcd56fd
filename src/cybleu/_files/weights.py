"""Read and write the weights of a linear model by name, in text files."""

from __future__ import annotations

import math
from collections.abc import Mapping
from os import PathLike, fspath
from typing import Any

from .._runtime.sequences import refuse_masked
from ..errors import InputFileError, WeightsError
from .text import Lines, number_of, shown
from .writing import writing


def read_weights(path: str | PathLike[str]) -> dict[str, float]:
    """Read the weights in a file, which has a feature and its weight on each line: ``lm 0.5`` or ``lm=0.5``, or as Moses
    writes it ``lm= 0.5 0.2``, the weights of ``lm_0`` and ``lm_1``. A ``#`` begins a comment. Empty lines are ignored.

    :param path: of a UTF-8 file; gzip is recognised
    :raises InputFileError: the file cannot be read, a line is something else, a name appears twice, or there is no
        weight; the message names file and line

    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "weights"
    >>> write_weights(path, {"lm_0": 0.5, "tm_0": 0.1})
    >>> read_weights(path)
    {'lm_0': 0.5, 'tm_0': 0.1}
    """
    weights: dict[str, float] = {}
    with Lines(path) as file:
        for number, line in enumerate(file, 1):
            try:
                for name, value in _weights_in(line):
                    if name in weights:
                        raise InputFileError(f"the weight of {shown(name)} appears twice")
                    weights[name] = number_of(value, f"the weight of {shown(name)}")
            except InputFileError as error:
                raise InputFileError(f"{file.name}, line {number}: {error}") from None
    if not weights:
        raise InputFileError(f"{file.name}: has no weight")
    return weights


def _weights_in(line: str) -> list[tuple[str, str]]:
    """Split a line into names and the text of their weights."""
    tokens = line.partition("#")[0].replace("=", "= ").split()
    if not tokens:
        return []
    name = tokens[0].removesuffix("=")
    values = tokens[1:]
    if not name or not values or (len(values) > 1 and tokens[0] == name):
        raise InputFileError(f"{shown(line)} is not a name and its weight")
    if tokens[0] != name and line.partition("=")[2][:1].isspace() and "_" not in name:
        return [(f"{name}_{place}", value) for place, value in enumerate(values)]
    return [(name, value) for value in values]


def write_weights(path: str | PathLike[str], weights: Mapping[str, float]) -> None:
    """Write a line ``name weight`` for each feature. Numbers have all their digits.

    :param path: of the file. If there is an error, a file that was there is not changed
    :param weights: by name, finite numbers
    :raises InputFileError: it cannot be written
    :raises WeightsError: they are not by name, a weight is not finite, or a name would be read as something else, because it has ``=``, ``#``
        or white space

    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "weights"
    >>> write_weights(path, {"lm_0": 0.5})
    >>> path.read_text()
    'lm_0 0.5\\n'
    """
    lines = lines_of(weights)
    with writing(fspath(path)) as file:
        file.writelines(lines)


def lines_of(weights: Mapping[str, float]) -> list[str]:
    """The lines that :func:`write_weights` writes."""
    if not isinstance(weights, Mapping):
        raise WeightsError(
            f"the weights must be by name, such as {{'lm': 0.5}}, and they are a {type(weights).__name__}"
        )
    for name in weights:
        try:
            read_back = _weights_in(f"{name} 0")
        except InputFileError:
            read_back = []
        if read_back != [(name, "0")] or "\n" in name:
            raise WeightsError(
                f"the weight of {shown(name)} cannot be written, because the name would be read as something else; rename the "
                "feature so that there is no '=', '#' or white space in its name"
            )
    return [f"{name} {_number(name, weight)!r}\n" for name, weight in weights.items()]


def _number(name: str, weight: Any) -> float:
    refuse_masked(weight, f"the weight of {shown(name)}")
    try:
        number = math.nan if isinstance(weight, (str, bytes)) else float(weight)
    except (TypeError, ValueError, OverflowError):
        number = math.nan
    if not math.isfinite(number):
        raise WeightsError(f"the weight of {shown(name)} is {weight!r}; weights are finite numbers")
    return number
