"""The commands are made of public names only, so that whatever they do a program can do, too."""

from __future__ import annotations

import ast
import importlib
from pathlib import Path

import pytest

import cybleu
from cybleu import cli

FOLDER = Path(cli.__file__).parent
# How files are opened, how threads and arrays are looked after, and what the version says is the package's own affair.
INTERNAL = ("cybleu._files", "cybleu._runtime", "cybleu._about")
# Their public names are everything in them.
WHOLE = ("cybleu.errors",)


def imports_of(path):
    """The module and the name of everything that is imported from the package, wherever in the file, for types too."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from ((alias.name, None, None) for alias in node.names if alias.name.split(".")[0] == "cybleu")
        elif isinstance(node, ast.ImportFrom):
            parts = ["cybleu", "cli"][: 3 - node.level] if node.level else []
            module = ".".join([*parts, *filter(None, [node.module])])
            if module.split(".")[0] == "cybleu":
                yield from ((module, alias.name, alias.asname or alias.name) for alias in node.names)


def attributes_of(path, name):
    """What a file takes from a module that it has under this name."""
    return {
        node.attr
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == name
    }


def private_names(path):
    for module, name, here in imports_of(path):
        if module.startswith((*INTERNAL, "cybleu.cli")) or module in WHOLE:
            continue
        if name is None:
            yield f"import {module}: take names from it instead"
        elif module == "cybleu" and name not in cybleu.__all__:
            room = importlib.import_module(f"cybleu.{name}")
            yield from (f"{room.__name__}.{used}" for used in attributes_of(path, here) - {*room.__all__})
        elif module != "cybleu" and name not in importlib.import_module(module).__all__:
            yield f"{module}.{name}"


@pytest.mark.thread_unsafe(reason="up to CPython 3.12 reading source in several threads at once can fail")
@pytest.mark.parametrize("name", sorted(path.name for path in FOLDER.glob("*.py")))
def test_commands_use_public_names_only(name):
    assert list(private_names(FOLDER / name)) == []
