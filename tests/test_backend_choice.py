"""The choice of the backend, in new processes."""

import platform
import re
import shutil
import sys
import sysconfig
from pathlib import Path

import pytest

import cybleu
from command_line import python

pytestmark = pytest.mark.thread_unsafe(reason="each test breaks a copy of the package")

PACKAGE = Path(cybleu.__file__).parent


def run(code, choice="", path=PACKAGE.parent, *options):
    variables = {"CYBLEU_BACKEND": choice, "PYTHONPATH": str(path)}
    return python(*options, "-c", code, variables=variables, timeout=60)


SHOW = "import cybleu; print(cybleu.BACKEND, cybleu.sentence_bleu([['a', 'b']], ['a', 'b'], (0.5, 0.5)))"


@pytest.fixture
def copy(tmp_path):
    """A copy of the installed package, to damage."""
    shutil.copytree(PACKAGE, tmp_path / "cybleu", ignore=shutil.ignore_patterns("__pycache__"))
    return tmp_path


def extensions(folder):
    return [path for path in (folder / "cybleu" / "_kernels").rglob("*") if path.suffix in (".so", ".pyd")]


def test_choices(kernels):
    for choice in ("auto", "", "cython"):
        assert run(SHOW, choice).stdout == "cython 1.0\n"
    assert run(SHOW, "python").stdout == "python 1.0\n"


def test_a_missing_extension(copy):
    for path in extensions(copy):
        path.unlink()
    done = run(SHOW, "", copy, "-W", "error")
    assert (done.stdout, done.stderr) == ("python 1.0\n", "")
    done = run(SHOW, "cython", copy)
    assert (
        "ImportError: CYBLEU_BACKEND=cython, but this installation of cybleu has no compiled extension" in done.stderr
    )


def test_a_broken_extension(copy, kernels):
    for path in extensions(copy):
        path.write_bytes(b"not a library")
    done = run(SHOW, "", copy)
    assert done.stdout == "python 1.0\n"
    assert (
        "RuntimeWarning: the compiled extension of cybleu does not load, so the slower pure-Python backend"
        in done.stderr
    )
    done = run(SHOW, "cython", copy)
    assert done.returncode != 0
    assert "ImportError" in done.stderr
    assert run(SHOW, "python", copy).stderr == ""


def test_the_kernels_leave_the_gil_off(kernels):
    free_threaded = bool(sysconfig.get_config_var("Py_GIL_DISABLED"))
    # before CPython 3.13 there is always a GIL
    code = "import sys, cybleu; print(cybleu.BACKEND, getattr(sys, '_is_gil_enabled', bool)() or sys.version_info < (3, 13))"
    done = run(code, "cython", PACKAGE.parent, "-W", "error")
    assert (done.stdout, done.stderr) == (f"cython {not free_threaded}\n", "")


SUBINTERPRETER = """
import sys
import sysconfig
try:
    import _interpreters
except ModuleNotFoundError:  # before CPython 3.13
    import _xxsubinterpreters as _interpreters

def run(kind):
    if sys.version_info < (3, 13):
        interpreter = _interpreters.create(isolated=kind == "isolated")
    else:
        interpreter = _interpreters.create(kind)
    try:
        error = _interpreters.run_string(interpreter, CODE)
    finally:
        _interpreters.destroy(interpreter)
    assert error is None, error

CODE = '''
import sys, warnings
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    try:
        import cybleu
    except ImportError as error:
        print("ImportError", "interpreter" in str(error))
    else:
        score = cybleu.corpus_bleu([[["a", "b", "c"]]] * 20_000, [["a", "b", "d"]] * 20_000, (0.5, 0.5))
        print(cybleu.BACKEND, score, ["does not load" in str(warning.message) for warning in caught])
sys.stdout.flush()
'''
"""
KINDS = ["legacy", "isolated"]


@pytest.mark.long
@pytest.mark.parametrize("first", ["", "import cybleu"], ids=["before", "after"])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.skipif(sys.version_info >= (3, 15), reason="the module of the interpreter's own tests may be another")
def test_a_subinterpreter_has_the_mirror_or_an_error(kernels, kind, first):
    """The kernels load into the main interpreter. Others raise or use the mirror, with equal scores."""
    expected = cybleu.sentence_bleu([["a", "b", "c"]], ["a", "b", "d"], (0.5, 0.5))
    code = f"{SUBINTERPRETER}\n{first}\nfor _ in range(3): run({kind!r})\n{SHOW}"
    done = run(code, "auto")
    assert done.stdout == f"python {expected} [True]\n" * 3 + "cython 1.0\n", done.stderr
    done = run(code, "cython")
    assert done.stdout == "ImportError True\n" * 3 + "cython 1.0\n", done.stderr
    done = run(code, "python")
    assert done.stdout == f"python {expected} []\n" * 3 + "python 1.0\n", done.stderr


def test_the_version_says_what_runs(backend):
    done = run("from cybleu.__main__ import version; print(version())", backend)
    python = f"{platform.python_implementation()} {platform.python_version()}( free-threaded.*)?"
    expected = rf"cybleu {cybleu.__version__}, {backend} backend, {python}, characters of (regex|Unicode) [0-9.]+, {platform.platform()}\n"
    assert re.fullmatch(expected, done.stdout), done
