"""From texts of any kind to tokens and integers."""

from .tokenizers import tokenize_lines, tokenizer, tokenizer_signature

__all__ = ["tokenize_lines", "tokenizer", "tokenizer_signature"]
