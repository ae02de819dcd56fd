"""Where functions import modules of cybleu. A child of `fork` waits forever for a module that a thread was importing."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import cybleu

SOURCE = Path(cybleu.__file__).parent

ALLOWED = {("_backend.py", "load")}  # which runs while cybleu is imported


def imports_in_functions(node, function=None):
    """Yield the innermost function of each import of a module of cybleu."""
    for child in ast.iter_child_nodes(node):
        inside = child.name if isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef)) else function
        if isinstance(child, ast.ImportFrom):
            names = ["cybleu" if child.level else child.module]
        else:
            names = [alias.name for alias in child.names] if isinstance(child, ast.Import) else []
        if function is not None and any(name.split(".")[0] == "cybleu" for name in names):
            yield function
        yield from imports_in_functions(child, inside)


@pytest.mark.thread_unsafe(reason="up to CPython 3.12 reading source in several threads at once can fail")
def test_functions_import_no_module_of_cybleu():
    """The commands may: they are programs. In metrics some still do."""
    found = {
        (path.relative_to(SOURCE).as_posix(), function)
        for path in SOURCE.rglob("*.py")
        for function in imports_in_functions(ast.parse(path.read_text(encoding="utf-8")))
    }
    assert {
        (name, function) for name, function in found if not name.startswith(("__main__", "cli/", "metrics/"))
    } == ALLOWED
