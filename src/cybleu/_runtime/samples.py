"""Validate the number of random samples, seeds and repeat counts."""

from __future__ import annotations

from ..errors import SampleError
from .numbers import check_whole

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

#: Bootstrap samples take 8 bytes each, and larger numbers of samples are impractically slow.
MOST_SAMPLES = 100_000_000

#: Restarts and passes over a whole list take longer than a sample.
MOST_REPEATS = 1_000_000


def check_samples(samples: Any, seed: Any) -> None:
    """Validate a number of samples and a seed.

    :raises SampleError: either is out of range
    """
    check_whole(samples, "samples", 1, MOST_SAMPLES, error=SampleError)
    check_whole(seed, "seed", 0, error=SampleError)
