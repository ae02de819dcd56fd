"""NumPy, for the modules that cannot do without it."""

from __future__ import annotations

from .errors import MissingExtraError

try:
    import numpy as np
except ImportError as error:
    raise MissingExtraError(
        "batches need NumPy, which is not installed; install it with: pip install 'cybleu[numpy]'"
    ) from error

__all__ = ["np"]
