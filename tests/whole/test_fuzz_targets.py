"""Run each fuzz target on a few random inputs with a stub of atheris, so that the targets keep working."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from cybleu import BACKEND

FUZZ = Path(__file__).parents[2] / "fuzz"
TARGETS = sorted(path.stem for path in FUZZ.glob("*.py") if "run(" in path.read_text(encoding="utf-8"))
STAND_IN = """
    import random, sys
    from contextlib import nullcontext

    class FuzzedDataProvider:
        def __init__(self, data):
            self.random = random.Random(data)
        def ConsumeIntInRange(self, low, high):
            return self.random.randint(low, high) if low <= high else low
        def ConsumeFloat(self):
            kind = self.random.randrange(8)
            return [0.0, float("nan"), float("inf"), 1e308, 5e-324][kind] if kind < 5 else self.random.gauss(0, 10.0 ** kind)
        def ConsumeBool(self):
            return self.random.random() < 0.5
        def ConsumeBytes(self, count):
            return self.random.randbytes(min(count, self.remaining_bytes()))
        def remaining_bytes(self):
            return 200

    def instrument_imports(include):
        return nullcontext()

    def Setup(arguments, target):
        global chosen
        chosen = target

    def Fuzz():
        first, count = map(int, sys.argv[1:3])
        for number in range(first, first + count):
            try:
                chosen(b"%d" % number)
            except BaseException:
                print(f"input {number}", file=sys.stderr)
                raise
"""


@pytest.mark.long
@pytest.mark.thread_unsafe(reason="it runs a process of its own")
@pytest.mark.skipif(BACKEND != "cython", reason="the targets compare the kernels with the mirror")
@pytest.mark.parametrize("target", TARGETS)
def test_target(tmp_path, target, pandas):
    (tmp_path / "atheris.py").write_text(textwrap.dedent(STAND_IN), encoding="utf-8")
    arguments = [sys.executable, FUZZ / f"{target}.py", *os.environ.get("CYBLEU_FUZZ_INPUTS", "0 60").split()]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(tmp_path), *filter(None, sys.path)])}
    done = subprocess.run(arguments, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-3000:]


def test_there_are_targets():
    assert "forms" in TARGETS
