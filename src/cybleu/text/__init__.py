"""Convert texts of any kind to tokens and integers."""

from __future__ import annotations

from .._runtime.later import later

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .ragged import Ragged as Ragged
    from .tokenizers import tokenizer as tokenizer

__getattr__, __dir__, __all__ = later(__name__, {"tokenizers": "tokenizer", "ragged": "Ragged"})
