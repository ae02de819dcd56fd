"""Tables and texts for notebooks."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any


def html_table(title: str, columns: Iterable[str], rows: Iterable[Iterable[Any]]) -> str:
    """Format a table as HTML, with all text escaped.

    It has no colours of its own, so that it has those of a light or a dark notebook.

    :param columns: the title of each column
    :param rows: the cells of each row
    """
    from html import escape  # only notebooks need it

    def line(tag: str, cells: Iterable[Any]) -> str:
        return "<tr>" + "".join([f"<{tag}>{escape(str(cell))}</{tag}>" for cell in cells]) + "</tr>"

    lines = [line("th", columns), *[line("td", row) for row in rows]]
    return f"<table><caption>{escape(title)}</caption>{''.join(lines)}</table>"


def html_text(text: object) -> str:
    """Format a text as HTML that keeps its lines, with all of it escaped."""
    from html import escape  # only notebooks need it

    return f"<pre>{escape(str(text))}</pre>"
