"""Validate the number of random samples, seeds and repeat counts."""

from __future__ import annotations

from numbers import Integral

from ..errors import SampleError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

#: Bootstrap samples take 8 bytes each, and larger numbers of samples are impractically slow.
MOST_SAMPLES = 100_000_000

#: Restarts and passes over a whole list take longer than a sample.
MOST_REPEATS = 1_000_000


def check_samples(samples: Any, seed: Any, name: str = "samples") -> None:
    """Validate a number of samples and a seed.

    :raises SampleError: either is out of range
    """
    if not _is_whole(samples) or not 1 <= samples <= MOST_SAMPLES:
        raise SampleError(f"{name} is {samples!r}; it must be a whole number from 1 to {MOST_SAMPLES:,}")
    if not _is_whole(seed) or seed < 0:
        raise SampleError(f"seed is {seed!r}; it must be a whole number from 0")


def _is_whole(number: Any) -> bool:
    return isinstance(number, Integral) and not isinstance(number, bool)
