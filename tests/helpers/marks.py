"""Mark single rows of a table of parameters."""

import pytest


def long(*values):
    """A row that takes long, or repeats in another way what the rows beside it show."""
    return pytest.param(*values, marks=pytest.mark.long)
