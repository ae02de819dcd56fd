"""Shared by the targets: input made from the fuzzer's bytes, both backends under the public API, outcomes compared.

Run a target with ``python fuzz/TARGET.py [CORPUS] [libFuzzer's options]``; see docs/fuzzing.md.
"""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path
from typing import Any, NamedTuple

import atheris

with atheris.instrument_imports(include=["cybleu"]):
    import cybleu  # noqa: F401
    from cybleu import (  # noqa: F401
        _backend,
        _mirror,
        bleu_score,
        metrics,
        nbest,
        pairwise,
        rerank,
        rewards,
        tuning,
    )

import numpy as np

sys.path.append(str(Path(__file__).parent.parent / "tests"))
from inputs import called

BACKENDS = ("cython", "python")


def run(target):
    """Run a function of :class:`Input` under libFuzzer."""
    atheris.Setup(sys.argv, lambda data: target(Input(data)))
    atheris.Fuzz()


class Input:
    """Choices determined by the fuzzer's bytes."""

    def __init__(self, data: bytes):
        provider = atheris.FuzzedDataProvider(data)
        self.number = provider.ConsumeIntInRange
        self.float = provider.ConsumeFloat
        self.flag = provider.ConsumeBool
        self.bytes = provider.ConsumeBytes
        self.left = provider.remaining_bytes

    def below(self, size: int) -> int:
        return self.number(0, size - 1)

    def choice(self, options):
        return options[self.below(len(options))]

    def list(self, size: int, make) -> list[Any]:
        return [make() for _ in range(self.number(0, size))]


class Outcome(NamedTuple):
    """Outcome of a call."""

    value: Any
    error: BaseException | None
    warned: list[str]


def outcome(function, *args, **kwargs) -> Outcome:
    value, error, caught = called(function, *args, **kwargs)
    return Outcome(value, error, [f"{warning.category.__name__}: {warning.message}" for warning in caught])


def on_both(function, *args, **kwargs) -> Outcome:
    """Return the outcome of a call, which must be the same on both backends: value, exception and message, warnings."""
    results = []
    for name in BACKENDS:
        _backend.choose(name)
        results.append(outcome(function, *args, **kwargs))
    ours, mirrors = results
    same = type(ours.error) is type(mirrors.error) and str(ours.error) == str(mirrors.error)
    if not (same and same_value(ours.value, mirrors.value) and ours.warned == mirrors.warned):
        raise AssertionError(f"the kernels give {ours}\nthe mirror gives {mirrors}") from ours.error or mirrors.error
    return ours


def same_value(one, other) -> bool:
    """Whether two values are equal in type and bits; nan equals nan."""
    if type(one) is not type(other):
        return False
    if isinstance(one, np.ndarray):
        return one.dtype == other.dtype and one.shape == other.shape and one.tobytes() == other.tobytes()
    if isinstance(one, (list, tuple)):
        return len(one) == len(other) and all(map(same_value, one, other))
    if isinstance(one, dict):
        return list(one) == list(other) and all(map(same_value, one.values(), other.values()))
    return one == other or (one != one and other != other)


def expect_error(found: Outcome, *kinds: type[BaseException]) -> None:
    """Assert that invalid input raises only exceptions of these classes."""
    if found.error is not None and not isinstance(found.error, kinds):
        raise found.error
    if found.warned:
        raise AssertionError(f"warnings: {found.warned}")


def counted_row(references, hypothesis, max_order: int) -> list[int]:
    """Statistics of a segment by the definition of the paper, without cybleu."""

    def ngrams(text, n):
        return Counter(tuple(text[start : start + n]) for start in range(len(text) - n + 1))

    orders = range(1, max_order + 1)
    clipped = []
    for n in orders:
        most: Counter[Any] = Counter()
        for reference in references:
            most |= ngrams(reference, n)
        clipped.append((ngrams(hypothesis, n) & most).total())
    closest = min((abs(len(reference) - len(hypothesis)), len(reference)) for reference in references)[1]
    return [len(hypothesis), closest, *clipped, *(max(0, len(hypothesis) - n + 1) for n in orders)]
