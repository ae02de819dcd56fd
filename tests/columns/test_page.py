"""Examples of the page on columns, if all its packages are installed."""

from __future__ import annotations

import doctest
import re
from pathlib import Path

import pytest

PAGE = Path(__file__).parents[2] / "docs/columns.md"


@pytest.mark.usefixtures("polars", "pandas", "pyarrow", "duckdb")
def test_what_the_page_shows(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"^```python\n(>>> .*?)^```$", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    assert len(blocks) == 6
    examples = doctest.DocTestParser().get_doctest("\n".join(blocks), {}, "columns.md", str(PAGE), 0)
    printed = []
    assert doctest.DocTestRunner().run(examples, out=printed.append).failed == 0, "".join(printed)
