"""Run tests/whole/test_state_machine.py for a number of seconds (default: 300) with new examples."""

from __future__ import annotations

import sys
import time
import warnings
from pathlib import Path

sys.path.append(str(Path(__file__).parent.parent / "tests"))
sys.path.append(str(Path(__file__).parent.parent / "tests" / "whole"))

from hypothesis import HealthCheck, settings
from hypothesis.stateful import run_state_machine_as_test
from test_state_machine import Objects


class Counted(Objects):
    """Counts machines and the rules they run."""

    machines = steps = 0

    def __init__(self):
        super().__init__()
        Counted.machines += 1

    def check_invariants(self, *args, **kwargs):
        Counted.steps += 1
        return super().check_invariants(*args, **kwargs)


def main(seconds: float) -> None:
    warnings.simplefilter("error")
    end = time.monotonic() + seconds
    options = settings(
        max_examples=10,
        stateful_step_count=50,
        deadline=None,
        database=None,
        suppress_health_check=list(HealthCheck),
        print_blob=True,
    )
    while time.monotonic() < end:
        run_state_machine_as_test(Counted, settings=options)
        print(f"{Counted.machines} machines, {Counted.steps} steps", flush=True)


main(float(sys.argv[1]) if len(sys.argv) > 1 else 300)
