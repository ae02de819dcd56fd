"""Installation in place of NLTK's scores."""

import multiprocessing
import re
import sys
import warnings
from pathlib import Path

import nltk
import nltk.translate.bleu_score as nltk_bleu
import nltk.translate.chrf_score as nltk_chrf
import nltk.translate.gleu_score as nltk_gleu
import nltk.translate.nist_score as nltk_nist
import pytest

import cybleu
from command_line import python
from cybleu import bleu_score, chrf_score, errors, gleu_score, nist_score
from marks import long

MODULES = [
    (
        nltk_bleu,
        bleu_score,
        "Fraction SmoothingFunction brevity_penalty closest_ref_length corpus_bleu modified_precision sentence_bleu",
    ),
    (nltk_chrf, chrf_score, "chrf_precision_recall_fscore_support corpus_chrf sentence_chrf"),
    (nltk_gleu, gleu_score, "corpus_gleu sentence_gleu"),
    (nltk_nist, nist_score, "corpus_nist nist_length_penalty sentence_nist"),
]
OURS = {(theirs, name): getattr(ours, name) for theirs, ours, names in MODULES for name in names.split()}
for package in (nltk, nltk.translate):
    OURS |= {
        (package, "bleu"): cybleu.sentence_bleu,
        (package, "chrf"): chrf_score.sentence_chrf,
        (package, "gleu"): gleu_score.sentence_gleu,
        (package, "nist"): nist_score.sentence_nist,
    }
ORIGINALS = {place: getattr(*place) for place in OURS}

pytestmark = pytest.mark.thread_unsafe(reason="NLTK is replaced for the whole process")


def is_installed():
    found = {place: getattr(*place) for place in OURS}
    assert found in (OURS, ORIGINALS)
    return found == OURS


def test_an_installation_lasts_until_each_is_undone():
    first = cybleu.install_as_nltk()
    second = cybleu.install_as_nltk()
    first.undo()
    first.undo()
    assert is_installed()
    second.undo()
    assert not is_installed()


def test_an_installation_says_whether_it_is_there():
    installation = cybleu.install_as_nltk()
    assert "; .undo() restores it" in repr(installation)
    installation.undo()
    assert "is its own again" in repr(installation)


def test_an_error_ends_an_installation():
    with pytest.raises(KeyError), cybleu.install_as_nltk(), cybleu.install_as_nltk() as inner:
        inner.undo()
        assert is_installed()
        raise KeyError
    assert not is_installed()


def test_a_function_has_the_name_of_the_package_that_it_is_from():
    with cybleu.install_as_nltk():
        assert nltk_bleu.sentence_bleu.__module__ == "cybleu.bleu_score"


def warned_from():
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("ignore")
        warnings.filterwarnings("always", module=r"nltk\.translate\.bleu_score")
        nltk_bleu.sentence_bleu([["a", "b"]], ["a"])
    return [warning.filename for warning in caught]


def test_filters_of_warnings_by_module_go_on_working():
    assert warned_from() == [nltk_bleu.__file__] * 3
    with cybleu.install_as_nltk():
        assert warned_from() == [__file__] * 3  # the line that called the function
    assert warned_from() == [nltk_bleu.__file__] * 3


def test_without_nltk(monkeypatch):
    for name in [name for name in sys.modules if name.split(".")[0] == "nltk"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setattr(sys, "path", [])
    with pytest.raises(errors.MissingExtraError, match="pip install nltk"):
        cybleu.install_as_nltk()


def run(*arguments, cwd):
    return python("-m", "cybleu", "run-as-nltk", *arguments, cwd=cwd)


SCRIPT = """
import sys
import helper
from nltk.translate.bleu_score import sentence_bleu
print(__name__, sys.argv, sentence_bleu.__module__, helper.VALUE)
sys.exit(3)
"""


def test_run_an_unchanged_script(tmp_path):
    (tmp_path / "scipy.py").write_text("raise ImportError")  # which NLTK imports, and does without
    folder = tmp_path / "scripts"
    folder.mkdir()
    (folder / "job.py").write_text(SCRIPT)
    (folder / "helper.py").write_text("VALUE = 7")
    arguments = "run-as-nltk", "scripts/job.py", "--flag", "x"
    done = python("-m", "cybleu", *arguments, cwd=tmp_path, variables={"PYTHONPATH": str(tmp_path)})
    assert done.stdout == "__main__ ['scripts/job.py', '--flag', 'x'] cybleu.bleu_score 7\n"
    assert (done.returncode, done.stderr) == (3, "")


def test_run_an_unchanged_module(tmp_path):
    (tmp_path / "job.py").write_text("import sacrebleu, sys; print(__name__, sys.argv[1:], sacrebleu.BLEU.__module__)")
    done = python("-m", "cybleu", "run-as-sacrebleu", "-m", "job", "y", cwd=tmp_path)
    assert done.stdout == "__main__ ['y'] cybleu.sacrebleu_compat.classes\n"


WHAT_A_SCRIPT_SEES = """
# coding: latin-1
import sys
text = "\xe9"
def function(): pass
places = __file__, function.__code__.co_filename, sys.modules["__main__"].__file__, sys.path[0]
print(ascii(places), sys.argv, __name__, __spec__, __package__, __loader__.path, ascii(text), vars() is vars(sys.modules["__main__"]))
"""


@pytest.mark.parametrize(
    "place",
    [
        "scripts/../job",
        long("./job.py"),
        long("absolute"),
    ],
)
def test_a_script_sees_what_python_shows_it(tmp_path, place):
    """All programs are run by one function, of which this one imports the smallest package."""
    (tmp_path / "scripts").mkdir()
    script = tmp_path / "job.py" if place == "absolute" else tmp_path / place
    script.write_text(WHAT_A_SCRIPT_SEES.lstrip(), encoding="latin-1")
    found, expected = (
        python(*started, script if place == "absolute" else place, "x", cwd=tmp_path)
        for started in (["-m", "cybleu", "run-as-sacrebleu"], [])
    )
    assert (expected.returncode, expected.stderr) == (0, "")
    assert (found.stdout, found.stderr) == (expected.stdout, "")
    assert {path.name for path in tmp_path.rglob("*")} == {"scripts", script.name}  # no bytecode


@pytest.mark.long
def test_the_path_of_a_script_is_normalised_on_windows(tmp_path):
    (tmp_path / "scripts").mkdir()
    (tmp_path / "job.py").write_text("print(__file__)")
    code = "from cybleu import __main__; from cybleu._runtime import system; system.WINDOWS = True; __main__.main()"
    done = python("-c", code, "run-as-sacrebleu", "scripts/.././job.py", cwd=tmp_path)
    assert (done.stdout, done.stderr) == (f"{tmp_path / 'job.py'}\n", "")


def test_run_nothing_or_a_missing_script(tmp_path):
    done = run(cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("usage: ")
    done = run("missing.py", cwd=tmp_path)
    assert done.returncode == 2
    assert done.stderr == "cybleu: error: there is no script 'missing.py' to run\n"


CHILDREN = """
import multiprocessing
import sys
import nltk
from nltk.translate.bleu_score import sentence_bleu

def work(number):
    return sentence_bleu.__module__, nltk.bleu.__module__, sys.argv

if __name__ == "__main__":
    with multiprocessing.get_context(sys.argv[1]).Pool(1) as pool:
        print(pool.map(work, [1])[0])
"""


@pytest.mark.long
@pytest.mark.parametrize("method", multiprocessing.get_all_start_methods())
def test_processes_that_a_script_starts(tmp_path, method):
    (tmp_path / "job.py").write_text(CHILDREN)
    done = run("job.py", method, cwd=tmp_path)
    assert done.stdout == f"('cybleu.bleu_score', 'cybleu.bleu_score', ['job.py', '{method}'])\n", done.stderr


ROOT = Path(__file__).parents[2]
ROW = re.compile(r"^\| (`[^|]*nltk[^|]*) \| (`[^|]*cybleu[^|]*) \|$", re.MULTILINE)


def functions_of(cell):
    """The function `sentence_bleu` by each expression in a cell."""
    names = {"cybleu": cybleu, "nltk": nltk}
    spans = re.findall(r"`([^`]+)`", cell)
    for span in spans:
        if span.startswith(("import ", "from ")):
            before = set(names)
            exec(span, names)
            for name in set(names) - before - {"__builtins__"}:
                value = names[name]
                yield getattr(value, "sentence_bleu", value)
        else:
            yield eval(span.removesuffix("(...)"), names)


def test_the_readme_says_what_to_write_instead_of_each_import():
    rows = ROW.findall((ROOT / "README.md").read_text(encoding="utf-8").partition("| before | after |\n")[2])
    assert len(rows) >= 5
    for before, after in rows:
        theirs = set(functions_of(before))
        ours = set(functions_of(after))
        assert theirs == {ORIGINALS[nltk_bleu, "sentence_bleu"]}, before
        assert ours == {cybleu.sentence_bleu}, after


@pytest.mark.thread_unsafe(reason="patches NLTK and sacreBLEU")
def test_uninstalling_without_the_objects():
    """Nested installations of both packages, of which the objects are lost."""
    import sacrebleu

    theirs = nltk.translate.bleu_score.sentence_bleu, sacrebleu.BLEU
    for install in (cybleu.install_as_nltk, cybleu.install_as_sacrebleu, cybleu.install_as_nltk):
        install()
    assert nltk.translate.bleu_score.sentence_bleu is cybleu.sentence_bleu
    assert sacrebleu.BLEU is not theirs[1]
    cybleu.uninstall()
    assert (nltk.translate.bleu_score.sentence_bleu, sacrebleu.BLEU) == theirs
    cybleu.uninstall()
