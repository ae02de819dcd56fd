"""From texts of any kind to tokens and integers."""

from .tokenizers import tokenizer

__all__ = ["tokenizer"]
