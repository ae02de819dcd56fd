"""The names of the package: few, all there, and none hidden by a module of the same name; and where modules are imported."""

import ast
import importlib
import inspect
import pkgutil
from pathlib import Path

import pytest

import cybleu
from command_line import python

NAMES = """
    sentence_bleu corpus_bleu SmoothingFunction modified_precision closest_ref_length brevity_penalty Fraction sentence_bleu_many nltk_3_2
    install_as_nltk install_as_rouge_score install_as_sacrebleu uninstall bleu cer chrf rouge ter wer rows score scores References pairs self_bleu reward_scores Reward
    check explain explain_difference Ragged BACKEND __version__
""".split()


def test_names():
    assert sorted(cybleu.__all__) == sorted(NAMES)


def test_no_module_hides_a_name():
    """Also where the modules are imported first, which sets them as attributes of the package."""
    modules = [name for _, name, _ in pkgutil.iter_modules(cybleu.__path__) if not name.startswith("_")]
    for name in modules:
        importlib.import_module(f"cybleu.{name}")
    assert not {*modules} & {*NAMES}
    assert not any(inspect.ismodule(getattr(cybleu, name)) for name in NAMES)


def test_scores_of_raw_text_import_no_numpy():
    code = "import cybleu, sys; cybleu.bleu(['a b'], ['a b']), cybleu.chrf(['a'], [['a']]), cybleu.ter(['a'], ['a'])\n"
    code += "cybleu.rouge(['a b'], [['a b']]), cybleu.wer(['a b'], ['a b']), cybleu.cer(['a'], ['b'])\n"
    code += "cybleu.bleu([['a']], [['a']]); print('numpy' in sys.modules)"
    done = python("-c", code)
    assert done.stdout == "False\n"


@pytest.mark.parametrize("package", [cybleu, cybleu.metrics], ids=["cybleu", "metrics"])
def test_type_checkers_see_the_names_that_are_imported_later(package):
    """They read imports below `if TYPE_CHECKING`; at run time the names come from tables."""
    tree = ast.parse(Path(package.__file__).read_text(encoding="utf-8"))
    (block,) = (node for node in tree.body if isinstance(node, ast.If))
    seen = {alias.asname for node in block.body for alias in getattr(node, "names", ()) if alias.asname}
    at_once = {alias.name for node in tree.body if isinstance(node, ast.ImportFrom) for alias in node.names}
    modules = {name for name in seen if inspect.ismodule(getattr(package, name))}
    assert seen - modules == {*package.__all__} - at_once


# A child of `fork` waits forever for a module that a thread was importing.
SOURCE = Path(cybleu.__file__).parent

# The first runs while cybleu is imported; the second reads a batch alone, whose modules every function of batches has.
ALLOWED = {("_backend.py", "choose_backend"), ("text/ragged.py", "__iter__")}


def imports_in_functions(node, function=None):
    """Yield the innermost function of each import of a module of cybleu."""
    # expressions import nothing
    parts = [child for child in ast.iter_child_nodes(node) if not isinstance(child, (ast.expr, ast.arguments))]
    for child in parts:
        inside = child.name if isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef)) else function
        if isinstance(child, ast.ImportFrom):
            names = ["cybleu" if child.level else child.module]
        else:
            names = [alias.name for alias in child.names] if isinstance(child, ast.Import) else []
        if function is not None and any(name.split(".")[0] == "cybleu" for name in names):
            yield function
        yield from imports_in_functions(child, inside)


@pytest.mark.long
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
