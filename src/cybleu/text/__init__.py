"""From texts of any kind to tokens and integers."""

from .tokenizers import find

__all__ = ["find"]
