"""From texts of any kind to tokens and integers."""

from .tokenizers import tokenize_lines, tokenizer, tokenizer_signature
from .values import Ragged

__all__ = ["Ragged", "tokenize_lines", "tokenizer", "tokenizer_signature"]
