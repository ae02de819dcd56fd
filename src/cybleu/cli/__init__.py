"""The command line: arguments, files and printing. Other packages compute."""

from .main import cli

__all__ = ["cli"]
