"""NumPy, for the modules that cannot do without it."""

from __future__ import annotations

from .errors import MissingExtraError

try:
    import numpy as np
except ImportError as error:
    raise MissingExtraError(
        "batches need NumPy, which is not installed; install it with: pip install 'cybleu[numpy]'"
    ) from error

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from numpy.typing import NDArray

__all__ = ["in_place", "np"]


def in_place(array: NDArray[Any], dtype: Any = None) -> NDArray[Any]:
    """The array as the kernels read it: contiguous and with aligned numbers; a copy only where it is not."""
    return np.require(array, dtype, ["C", "ALIGNED"])
