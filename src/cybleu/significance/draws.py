"""Random samples in blocks. The stream of a seed does not depend on the size of the blocks."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import permutations
from typing import TYPE_CHECKING, Any

from .._runtime.arrays import bincount, np

if TYPE_CHECKING:
    from numpy.typing import NDArray

CELLS = 1 << 20  # samples * segments in a block; bounds memory for any number of samples
MOST_ROWS = 512  # so that the results of a block stay in the processor's cache
WORD = 32  # the generator makes one boolean of each bit
MOST_TABULATED = 8  # the table has 8! permutations


def blocks(samples: int, segments: int) -> Iterator[tuple[int, int]]:
    """Yield where blocks of samples begin and end."""
    size = max(1, min(MOST_ROWS, CELLS // segments))
    for start in range(0, samples, size):
        yield start, min(samples, start + size)


def resamples(
    generator: np.random.Generator, samples: int, segments: int, dtype: np.dtype[Any]
) -> Iterator[tuple[int, int, NDArray[Any]]]:
    """Draw bootstrap samples: start, stop, and how often each contains each segment, `(stop - start, segments)`.

    The samples are those of ``generator.choice(segments, size=(samples, segments))``.
    """
    for start, stop in blocks(samples, segments):
        counts = np.empty((stop - start, segments), dtype=dtype)
        # numbers of 32 bits come from the same stream as those of 64
        drawn: Any = generator.integers(0, segments, size=counts.shape, dtype=np.uint32)
        for row, places in zip(counts, drawn):
            row[:] = bincount(places, minlength=segments)
        yield start, stop, counts


def halves(generator: np.random.Generator, samples: int, segments: int) -> Iterator[NDArray[np.bool_]]:
    """Draw shuffles of two runs, as :func:`orders`, in booleans.

    Whether each segment stays is drawn as by ``generator.integers(2, size=(samples, segments), dtype=bool)``, which consumes
    whole words.
    """
    left = np.empty(0, dtype=np.bool_)
    for start, stop in blocks(samples, segments):
        missing = (stop - start) * segments - len(left)
        words = generator.integers(2, size=max(0, -(-missing // WORD) * WORD), dtype=np.bool_)
        drawn, left = np.split(np.concatenate([left, words]), [(stop - start) * segments])
        stays = drawn.reshape(-1, segments)
        yield np.stack([~stays, stays], axis=2)


def orders(generator: np.random.Generator, samples: int, segments: int, runs: int) -> Iterator[NDArray[np.uint8]]:
    """Draw which run is in each place, for each segment of each shuffle: `(shuffles, segments, places)`."""
    every = tabulated(runs) if runs <= MOST_TABULATED else None
    for start, stop in blocks(samples, segments * runs):
        shape = stop - start, segments
        if every is not None:
            yield every[generator.integers(len(every), size=shape)]
        else:
            each = np.broadcast_to(np.arange(runs, dtype=np.uint8), (*shape, runs))
            yield generator.permuted(each, axis=2)


def all_orders(places: NDArray[np.int64], segments: int, runs: int) -> Iterator[NDArray[np.uint8]]:
    """Enumerate the shuffles of the segments at these positions, as :func:`orders`; other segments stay."""
    every = tabulated(runs)
    for start, stop in blocks(len(every) ** len(places), segments * runs):
        shuffles = np.arange(start, stop, dtype=np.int64)
        block = np.empty((stop - start, segments, runs), dtype=np.uint8)
        block[:] = every[0]
        for place in places.tolist():
            shuffles, chosen = np.divmod(shuffles, len(every))
            block[:, place] = every[chosen]
        yield block


def tabulated(runs: int) -> NDArray[np.uint8]:
    """Return a table of all permutations of this many items, the identity first."""
    return np.array(list(permutations(range(runs))), dtype=np.uint8)
