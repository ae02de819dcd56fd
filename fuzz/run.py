"""Run property tests on input that libFuzzer chooses: ``python fuzz/run.py TESTS.py... [libFuzzer's options]``, see CONTRIBUTING.md."""

from __future__ import annotations

import itertools
import sys
import warnings
from functools import partial
from importlib import import_module
from inspect import signature
from pathlib import Path
from random import Random
from tempfile import mkdtemp
from types import SimpleNamespace

import atheris

with atheris.instrument_imports(include=["cybleu"]):
    import cybleu
    from cybleu import bleu_score, metrics, nbest, pairwise, rerank, rewards, tuning  # noqa: F401

from hypothesis import given, settings
from hypothesis.stateful import RuleBasedStateMachine, get_state_machine_test

sys.path.append(str(Path(__file__).parent.parent / "tests" / "helpers"))
FOLDER = Path(mkdtemp(prefix="cybleu-fuzz-"))
FIXTURES = {
    "backend": lambda: cybleu.BACKEND,
    **({"kernels": partial(import_module, "cybleu._kernels.kernels")} if cybleu.BACKEND == "cython" else {}),
    "pandas": partial(import_module, "pandas"),
    "tmp_path_factory": lambda: SimpleNamespace(
        getbasetemp=lambda: FOLDER, mktemp=lambda name: Path(mkdtemp(dir=FOLDER))
    ),
}


def cases(test):
    """The arguments of each case of a parametrised test."""
    made = []
    for mark in getattr(test, "pytestmark", ()):
        if mark.name == "parametrize":
            names, values = mark.args
            names = [name.strip() for name in names.split(",")] if isinstance(names, str) else names
            values = [getattr(value, "values", value if len(names) > 1 else (value,)) for value in values]
            made.append([dict(zip(names, value)) for value in values])
    return [{name: value for part in parts for name, value in part.items()} for parts in itertools.product(*made)]


def targets(path):
    """Functions of bytes, one for each case of the property tests of a file that requires no other fixtures."""
    sys.path.insert(0, str(Path(path).parent))
    for test in vars(import_module(Path(path).stem)).values():
        if isinstance(test, type) and issubclass(test, RuleBasedStateMachine) and test is not RuleBasedStateMachine:
            yield get_state_machine_test(test, settings=settings(stateful_step_count=50)).hypothesis.fuzz_one_input
        elif hasattr(test, "hypothesis"):
            inner, strategies = test.hypothesis.inner_test, test.hypothesis._given_kwargs
            for case in cases(test):
                required = signature(inner).parameters.keys() - strategies.keys() - case.keys()
                if required <= FIXTURES.keys():
                    yield target(inner, strategies, {**case, **{name: FIXTURES[name]() for name in required}})
                else:
                    print(f"left out: {test.__name__} requires {', '.join(required - FIXTURES.keys())}")


def target(test, strategies, arguments):
    @given(**strategies)
    def of_case(**drawn):
        test(**arguments, **drawn)

    return of_case.hypothesis.fuzz_one_input


def main():
    paths = [argument for argument in sys.argv[1:] if argument.endswith(".py")]
    found = [target for path in paths for target in targets(path)]
    print(f"{len(found)} properties of {len(paths)} files", flush=True)

    def one(data):
        """The first bytes choose a property; Hypothesis makes arguments of the others and of what follows from them."""
        if len(data) > 2:
            with warnings.catch_warnings(action="ignore"):  # properties look at those that matter
                found[int.from_bytes(data[:2], "little") % len(found)](data[2:] + Random(data).randbytes(2048))

    atheris.Setup([argument for argument in sys.argv if argument not in paths], one)
    atheris.Fuzz()


main()
