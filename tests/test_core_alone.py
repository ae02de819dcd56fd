"""The core without extras: functions that require one raise one clear sentence, and all others work."""

import importlib.util
import shutil
from pathlib import Path

import pytest

import cybleu
from command_line import python
from marks import long

pytestmark = [pytest.mark.thread_unsafe(reason="it runs processes of its own")]

PACKAGE = Path(cybleu.__file__).parent


@pytest.fixture(scope="session")
def alone(tmp_path_factory):
    """A folder with the package."""
    folder = tmp_path_factory.mktemp("alone")
    shutil.copytree(PACKAGE, folder / "cybleu", ignore=shutil.ignore_patterns("__pycache__"))
    return folder


@pytest.fixture(scope="session")
def with_commands(alone, tmp_path_factory):
    """A folder with the package and the requirements of its commands, without NumPy."""
    folder = tmp_path_factory.mktemp("commands") / "packages"
    shutil.copytree(alone, folder)
    for name in ("click", "tqdm", "colorama"):
        spec = importlib.util.find_spec(name)
        if spec is not None:
            shutil.copytree(Path(spec.origin).parent, folder / name)
    return folder


def run(folder, backend, *arguments):
    """Run Python with only these packages: `-S` excludes installed ones."""
    variables = {"CYBLEU_BACKEND": backend, "PYTHONPATH": str(folder), "PYTHONDONTWRITEBYTECODE": ""}
    return python("-S", *arguments, variables=variables, cwd=folder.parent)


EVERY_NAME = """
import cybleu
for name in cybleu.__all__:
    try:
        getattr(cybleu, name)
    except ImportError as error:
        assert isinstance(error, cybleu.errors.MissingExtraError), error
        assert name not in dir(cybleu)
        print(name, error)
print(cybleu.sentence_bleu([["a", "b"]], ["a", "b"], (0.5, 0.5)), cybleu.BACKEND)
"""


def test_every_public_name(alone, backend):
    done = run(alone, backend, "-c", EVERY_NAME)
    *missing, score = done.stdout.splitlines()
    assert score == f"1.0 {backend}", done.stderr
    for line in missing:
        assert line.endswith('NumPy, which is not installed; install it with: pip install "cybleu[numpy]"')
    needs_arrays = {line.split()[0] for line in missing}
    assert {"pairs", "reward_scores", "Reward", "self_bleu"} <= needs_arrays
    assert not needs_arrays & {*"bleu chrf ter corpus_bleu explain check score install_as_nltk Fraction".split()}


@pytest.mark.parametrize("name", ["reward_scores", "nbest.NBest"])
def test_one_error_without_a_chain(alone, backend, name):
    done = run(alone, backend, "-c", f"import cybleu; cybleu.{name}")
    assert done.stderr.count("Error") == done.stderr.count("Traceback") == 1, done.stderr
    assert len(done.stderr.splitlines()) < 12
    assert done.stderr.endswith(
        "cybleu.errors.MissingExtraError: this requires NumPy, which is not installed; "
        'install it with: pip install "cybleu[numpy]"\n'
    )


COMMANDS = [
    ["score", "text", "text"],
    long(["score", "text", "text", "--tokenize", "ja-mecab"]),
    ["compare", "text", "b=text", "-r", "text"],
    long(["--help"]),
]


@pytest.mark.parametrize("arguments", COMMANDS, ids=lambda arguments: " ".join(arguments[:2]))
def test_commands_without_their_extra(alone, backend, arguments):
    done = run(alone, backend, "-m", "cybleu", *arguments)
    assert done.returncode != 0 and done.stdout == ""
    assert done.stderr == (
        'the cybleu command requires packages that are not installed; install them with: pip install "cybleu[cli]"\n'
    )


@pytest.mark.parametrize("arguments", COMMANDS, ids=lambda arguments: " ".join(arguments[:2]))
def test_commands_without_numpy(with_commands, backend, arguments):
    folder = with_commands.parent
    (folder / "text").write_text("the cat sat on the mat\n")
    done = run(with_commands, backend, "-m", "cybleu", *arguments)
    assert "Traceback" not in done.stderr
    if arguments[0] == "compare" or "ja-mecab" in arguments:
        assert (done.returncode, done.stdout) == (2, "")
        assert done.stderr.count("\n") == 1 and done.stderr.startswith("cybleu: error: ")
        assert ', which is not installed; install it with: pip install "cybleu[' in done.stderr
    elif arguments != ["--help"]:
        said = done.stderr.replace("cybleu: hypotheses: text; references: text\n", "")
        assert (done.returncode, said) == (0, "")
