"""The command line: arguments, files and printing. What it computes has its own rooms."""

from .main import cli

__all__ = ["cli"]
