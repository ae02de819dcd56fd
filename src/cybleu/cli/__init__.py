"""The command line: arguments, files and printing. What it computes has its own rooms."""

from .score import cli

__all__ = ["cli"]
