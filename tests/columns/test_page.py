"""Examples of pages with data frames, if all their packages are installed."""

from __future__ import annotations

import doctest
import re
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[2] / "docs"


@pytest.mark.usefixtures("polars", "pandas", "pyarrow", "duckdb")
@pytest.mark.parametrize(("page", "count"), [("columns.md", 7), ("recipes.md", 6)])
def test_what_the_page_shows(page, count, folder):
    text = (DOCS / page).read_text(encoding="utf-8")
    blocks = re.findall(r"^```python\n(>>> .*?)^```$", text, re.MULTILINE | re.DOTALL)
    assert len(blocks) == count
    examples = doctest.DocTestParser().get_doctest("\n".join(blocks), {}, page, str(DOCS / page), 0)
    printed = []
    assert doctest.DocTestRunner().run(examples, out=printed.append).failed == 0, "".join(printed)
