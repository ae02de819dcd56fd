"""The weights of a linear model by name: read and write them in text files, check and normalise them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from math import fsum, inf, isfinite

from .._files.text import Lines, Naming, Path, keyword, listed, number_of, shown
from .._files.writing import writing
from .._runtime.arrays import np
from .._runtime.numbers import as_number
from ..errors import InputFileError, UnknownNameError, WeightsError
from .formats import on_line

FORMS = ("names", "moses", "dense", "numbers")  # the commands name them, too, without importing this module
NORMALISED = ("sum", "largest")
_HEADING = re.compile(r"\s*\[([\w-]+)\]\s*")
_NAME = re.compile(r"[^\s=#]+")
_LABEL = "([^_]+)_(0|[1-9][0-9]*)"
# The sections of old moses.ini files, and the labels of their features in n-best lists.
_OLD_SECTIONS = {f"weight-{name}": name for name in "d w u e lr lex glm dlm slm wt pp pb bl".split()} | {
    "weight-l": "lm",
    "weight-t": "tm",
    "weight-generation": "g",
    "weight-i": "I",
}


def read_weights(path: Path, names: Sequence[str] | None = None) -> dict[str, float]:
    """Read the weights in a file.

    The file has a feature and its weight on each line: ``lm 0.5`` or ``lm=0.5``, or as Moses writes it ``lm= 0.5 0.2``,
    the weights of ``lm_0`` and ``lm_1``. If a label of Moses appears again, the numbers continue. A ``#`` begins a
    comment. Empty lines are ignored. Of a `moses.ini` the section ``[weight]`` is read, or the old sections such as
    ``[weight-l]``. The weights of a section ``[weight-file]`` are in another file, so such a section is an error.

    :param path: the path of a UTF-8 file; gzip is recognised
    :param names: the names of the dense features, in their order. They are required for files of Moses that have no
        names: a number for each feature, as in `weights.txt` or, with a line of lower and a line of upper ends, which
        are ignored, in `init.opt`; and the weights of ``F0``, ``F1`` ... from its kbmira
    :raises InputFileError: the file cannot be read, a line is not valid, a name appears twice, or there is no weight;
        the message names file and line

    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "weights"
    >>> write_weights(path, {"lm_0": 0.5, "tm_0": 0.1})
    >>> read_weights(path)
    {'lm_0': 0.5, 'tm_0': 0.1}
    >>> _ = path.write_text("0.5 0.1")
    >>> read_weights(path, names=["lm_0", "tm_0"])
    {'lm_0': 0.5, 'tm_0': 0.1}
    """
    with Lines(path) as file:
        lines = [line.partition("#")[0] for line in file]
    # first, because a number may be a name, too
    numbers = _without_names(lines, names)
    if numbers is not None:
        return _by_place(numbers, names, file.name)
    weights: dict[str, float] = {}
    counts: Counter[str] = Counter()
    for number, line in _weight_lines(lines, file):
        with on_line(file, number):
            for name, value in _weights_in(line, counts):
                if name in weights:
                    raise InputFileError(f"the weight of {shown(name)} appears twice")
                weights[name] = number_of(value, "the weight", name)
    if not weights:
        raise InputFileError(f"{file.name}: has no weight")
    # Moses's kbmira calls the dense features F0, F1 ...
    places = {f"F{place}": name for place, name in enumerate(names or ())}
    if "F0" in places and "F0" not in places.values() and weights.keys() >= places.keys():
        weights = {places.get(name, name): weight for name, weight in weights.items()}
    return weights


def _without_names(lines: Sequence[str], names: Sequence[str] | None) -> list[float] | None:
    """Return the numbers of a file of numbers alone. None for lines of two tokens of which the first may be a name."""
    numbers: list[float] = []
    named = True
    for line in lines:
        tokens = line.split()
        try:
            numbers += [number_of(token) for token in tokens]
        except InputFileError:
            return None
        # two tokens may be a name that is a number, and its weight
        named &= not tokens or (len(tokens) == 2 and (names is None or tokens[0] in names))
    return None if named else numbers


def _by_place(numbers: list[float], names: Sequence[str] | None, file: str) -> dict[str, float]:
    """Return weights that have a place instead of a name."""
    if names is None:
        raise InputFileError(
            f"{file}: has numbers without the names of features, which are known only with a list; write a name before each"
        )
    if len(numbers) not in (len(names), 3 * len(names)):
        raise InputFileError(
            f"{file}: has {len(numbers)} numbers without names, and there are {len(names)} features: {listed(names)}"
        )
    return dict(zip(names, numbers))


def _weight_lines(lines: Sequence[str], file: Lines) -> Iterator[tuple[int, str]]:
    """Yield the lines with weights and their numbers. Those of old sections get their labels."""
    section = "weight"
    for number, line in enumerate(lines, 1):
        if heading := _HEADING.fullmatch(line):
            section = heading[1]
        elif section == "weight":
            yield number, line
        elif section in _OLD_SECTIONS and line.strip():
            yield number, f"{_OLD_SECTIONS[section]}= {line}"
        elif section == "weight-file" and line.strip():
            with on_line(file, number):
                raise InputFileError(
                    f"the weights in {shown(line.strip())} would be ignored; append its lines to the section [weight], "
                    "and delete the section [weight-file]"
                )


def _weights_in(line: str, counts: Counter[str]) -> list[tuple[str, str]]:
    """Split a line into names and the text of their weights.

    :param counts: how many weights each label of Moses has so far
    """
    tokens = line.replace("=", "= ").split()
    if not tokens:
        return []
    name = tokens[0].removesuffix("=")
    values = tokens[1:]
    if not name or not values or (len(values) > 1 and tokens[0] == name):
        raise InputFileError(f"{shown(line)} is not a name and its weight")
    if tokens[0] != name and line.partition("=")[2][:1].isspace() and "_" not in name:
        first = counts[name]
        counts[name] += len(values)
        return [(f"{name}_{place}", value) for place, value in enumerate(values, first)]
    return [(name, value) for value in values]


def write_weights(path: Path, weights: Mapping[str, float], form: str = "names") -> None:
    """Write weights by name. Numbers have all their digits.

    :param path: the path of the file. If there is an error, a file that was there is not changed
    :param weights: the weights by name, finite numbers
    :param form: ``names`` writes a line ``name weight`` for each feature. The others are for Moses: ``moses`` writes
        ``lm= 0.5 0.2`` for ``lm_0`` and ``lm_1``, as in the section ``[weight]`` of `moses.ini`; ``dense`` writes ``lm=
        0.5`` and ``lm= 0.2``, as ``--dense-init`` of its kbmira requires; in both, features with other names, such as
        sparse ones, follow on lines ``name weight``. ``numbers`` writes one line of numbers, as in `weights.txt`
    :raises InputFileError: it cannot be written
    :raises WeightsError: they are not by name, a weight is not finite, or a name would be read as something else, because it has ``=``, ``#``
        or white space

    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "weights"
    >>> write_weights(path, {"lm_0": 0.5})
    >>> path.read_text()
    'lm_0 0.5\\n'
    >>> write_weights(path, {"lm_0": 0.5, "lm_1": 0.2}, "moses")
    >>> path.read_text()
    'lm= 0.5 0.2\\n'
    """
    if form not in FORMS:
        raise UnknownNameError(f"unknown form {shown(form)}; use one of {', '.join(FORMS)}")
    check_weights(weights)
    with writing(path) as file:
        file.writelines(weight_lines(weights, form))


def without_sparse_zeros(weights: Mapping[str, float], dense: Collection[str]) -> dict[str, float]:
    """Leave out sparse features with the weight 0: there may be millions, and one that is absent counts as 0.

    :param dense: the names of the dense features
    """
    dense = set(dense)
    return {name: weight for name, weight in weights.items() if weight or name in dense}


def check_weights(weights: Mapping[str, float]) -> None:
    """Check that weights are finite numbers by names that a file of weights can have."""
    if not isinstance(weights, Mapping):
        raise WeightsError(
            f"the weights must be by name, such as {{'lm': 0.5}}, and they are a {type(weights).__name__}"
        )
    for name, weight in weights.items():
        if not isinstance(name, str) or not _NAME.fullmatch(name):
            raise WeightsError(
                f"the weight of {shown(name)} cannot be written, because the name would be read as something else; rename the "
                "feature so that there is no '=', '#' or white space in its name"
            )
        if not isfinite(as_number(weight)):
            raise WeightsError(f"the weight of {shown(name)} is {weight!r}; weights are finite numbers")


def weight_lines(weights: Mapping[str, float], form: str) -> list[str]:
    """The lines of valid weights."""
    texts = {name: repr(float(weight)) for name, weight in weights.items()}
    if form == "numbers":
        return [" ".join(texts.values()) + "\n"]
    labelled: dict[str, list[str]] = {}
    if form != "names":
        # lm_1 before lm_0 would be read back as lm_0, so it keeps its name
        for name in weights:
            label = re.fullmatch(_LABEL, name)
            if label and int(label[2]) == len(labelled.get(label[1], ())):
                labelled.setdefault(label[1], []).append(texts.pop(name))
    blank = "\n{}= " if form == "dense" else " "
    lines = [f"{label}= {blank.format(label).join(values)}\n" for label, values in labelled.items()]
    return [*lines, *(f"{name} {text}\n" for name, text in texts.items())]


# ----------------------------------------------------------------------------------------------------- normalised weights


def normalised(weights: Mapping[str, float], how: str | None) -> dict[str, float]:
    """Divide weights by a positive number, which does not change the chosen hypotheses, except by rounding.

    :param weights: the weights by name
    :param how: ``sum`` divides by the sum of their absolute values, and ``largest`` by the largest absolute value; with
        None the weights are not divided
    :raises WeightsError: `how` is unknown, or the weights are not finite numbers by name

    >>> normalised({"lm": 1.0, "tm": -3.0}, "sum")
    {'lm': 0.25, 'tm': -0.75}
    """
    if how is not None and how not in NORMALISED:
        raise WeightsError(f"normalise is {how!r}; it must be one of {', '.join(NORMALISED)}, or None")
    numbers_by_name(weights, "the weights")
    sizes = [abs(weight) for weight in weights.values()]
    largest = max(sizes, default=0.0)
    if how is None or largest == 0.0:
        return dict(weights)
    # the sum of the largest floats overflows
    total = fsum(size / largest for size in sizes) if how == "sum" else 1.0
    return {name: weight / largest / total for name, weight in weights.items()}


def numbers_by_name(weights: Mapping[str, float], name: str) -> dict[str, float]:
    """Validate weights by name, and convert them to floats.

    :param name: the argument, for the message
    :raises WeightsError: these are not finite numbers by name
    """
    by_name = isinstance(weights, Mapping)
    numbers = {feature: as_number(weight) for feature, weight in weights.items()} if by_name else {}
    if not by_name or not all(map(isfinite, numbers.values())):
        raise WeightsError(f"{name} must be finite numbers by name, such as {{'lm': 0.5}}, not {weights!r}")
    return numbers


def check_normalised(
    how: str | None,
    bounds: Mapping[str, tuple[float, float]] | None,
    fixed: Mapping[str, float] | Collection[str],
    naming: Naming = keyword,
) -> None:
    """Check that tuned weights can be :func:`normalised` by this rule.

    :param how: see :func:`normalised`
    :param bounds: see :func:`cybleu.tuning.tune`
    :param fixed: see :func:`cybleu.tuning.tune`
    :param naming: see :meth:`cybleu.nbest.NBest.from_files`
    :raises WeightsError: `how` is unknown, or a bound or a fixed weight would not be kept

    >>> check_normalised("sum", {"lm": (0.0, float("inf"))}, ())
    """
    normalised({}, how)  # raises an error if `how` is unknown
    ends = bounds.values() if isinstance(bounds, Mapping) else ()
    if how and (fixed or any(end not in (0, inf, -inf) for pair in ends for end in np.ravel(pair).tolist())):
        raise WeightsError(
            f"normalised weights cannot be held at a number; leave out {naming('normalise')}, or {naming('fixed')} and "
            "the bounds that are not 0 or infinite"
        )
