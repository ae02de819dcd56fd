"""Random samples in blocks. The stream of a seed does not depend on the size of the blocks."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import permutations
from typing import TYPE_CHECKING, Any

from .._runtime.arrays import np

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
        # of the type that bincount takes as it is; numbers of 32 bits come from the same stream as those of 64
        drawn: Any = generator.integers(0, segments, size=counts.shape, dtype=np.intp)
        for row, places in zip(counts, drawn):
            row[:] = np.bincount(places, minlength=segments)
        yield start, stop, counts


def halves(generator: np.random.Generator, samples: int, segments: int) -> Iterator[NDArray[np.uint8]]:
    """Draw shuffles of two runs, as :func:`orders`, but only which run is in the first place.

    They are drawn as by ``generator.integers(2, size=(samples, segments), dtype=bool)``, which consumes whole words.
    """
    left = np.empty(0, dtype=np.uint8)
    for start, stop in blocks(samples, segments):
        count = (stop - start) * segments
        words = -(-(count - len(left)) // WORD)
        bits = np.unpackbits(np.frombuffer(generator.bytes(WORD // 8 * words), np.uint8), bitorder="little")
        drawn, left = np.split(np.concatenate([left, bits]), [count])
        yield drawn.reshape(1, -1, segments)


def orders(generator: np.random.Generator, samples: int, segments: int, runs: int) -> Iterator[NDArray[np.uint8]]:
    """Draw which run is in each place, for each segment of each shuffle: `(places, shuffles, segments)`."""
    every = tabulated(runs) if runs <= MOST_TABULATED else None
    for start, stop in blocks(samples, segments * runs):
        shape = stop - start, segments
        if every is not None:
            yield np.take(every.T, generator.integers(len(every), size=shape), axis=1)
        else:
            each = np.broadcast_to(np.arange(runs, dtype=np.uint8), (*shape, runs))
            yield np.moveaxis(generator.permuted(each, axis=2), 2, 0)


def all_orders(places: NDArray[np.int64], segments: int, runs: int) -> Iterator[NDArray[np.uint8]]:
    """Enumerate the shuffles of the segments at these positions, as :func:`orders`; other segments stay."""
    every = tabulated(runs)
    for start, stop in blocks(len(every) ** len(places), segments * runs):
        shuffles = np.arange(start, stop, dtype=np.int64)
        block = np.empty((runs, stop - start, segments), dtype=np.uint8)
        block[:] = every[0][:, None, None]
        for place in places.tolist():
            shuffles, chosen = np.divmod(shuffles, len(every))
            block[:, :, place] = every[chosen].T
        yield block


def tabulated(runs: int) -> NDArray[np.uint8]:
    """Return a table of all permutations of this many items, the identity first."""
    return np.array(list(permutations(range(runs))), dtype=np.uint8)
