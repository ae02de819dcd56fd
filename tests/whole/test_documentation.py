"""Run every code block of the pages and docstrings, and compare every output.

The blocks of a page run in order: ``python`` blocks share a namespace, ``sh`` blocks a folder with the files of a typical reader,
and a ``text`` or ``json`` block is the output of the block before it. A block that cannot be run has
``<!-- not run: reason -->`` above it, and is counted below.
"""

import ast
import contextlib
import doctest
import gzip
import importlib
import inspect
import io
import json
import os
import pkgutil
import re
import shutil
import subprocess
import sys
import textwrap
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

import cybleu
import ten_cases
from marks import long

pytestmark = pytest.mark.thread_unsafe(reason="examples write to the standard output and the folder of the process")

ROOT = Path(__file__).parents[2]
SEARCH = [os.path.abspath(entry) for entry in os.environ.get("PYTHONPATH", "").split(os.pathsep) if entry]
PAGES = sorted(
    path.relative_to(ROOT).as_posix()
    for pattern in ("*.md", "benchmarks/*.md", "docs/**/*.md")
    for path in ROOT.glob(pattern)
)
NOT_RUN = {
    "CONTRIBUTING.md": 1,
    "README.md": 3,
    "benchmarks/README.md": 1,
    "docs/columns.md": 7,
    "docs/evaluate.md": 1,
    "docs/installation.md": 1,
    "docs/moses.md": 4,
    "docs/reranking.md": 1,
    "docs/metrics.md": 1,
    "docs/rewards.md": 1,
    "docs/tuning.md": 1,
}
ENGINES = ("cybleu.columns.ray", "cybleu.columns.spark")  # tests/columns/test_engines.py runs their examples
TORCH = "cybleu.frameworks.torch_metrics"
REQUIRED = {  # what the examples of a module, or the blocks of a page, require
    "cybleu.report.plots": "matplotlib",
    "cybleu.report.page": "matplotlib",
    "docs/report.md": "matplotlib",
    TORCH: "torchmetrics",
    **dict.fromkeys((*ENGINES, "cybleu.columns.engines"), "no package"),
}
# what starts many commands, imports NLTK, draws pictures, or tries all settings
LONG = {
    f"docs/{name}.md" for name in ("command-line", "nltk", "report", "reranking", "sacrebleu", "significance", "tuning")
}
LONG |= {"cybleu.explanations.settings", "cybleu.report.page"}

BLOCK = re.compile(
    r"^(?:<!-- not run: (?P<reason>[^\n]+) -->\n)?(?P<indent> *)```(?P<language>[^\n]*)\n(?P<code>.*?)^(?P=indent)```$",
    re.MULTILINE | re.DOTALL,
)


def can_run(name):
    return find_spec(REQUIRED.get(name, "cybleu")) is not None


def marked(name):
    """A page or a module as a parameter."""
    return long(name) if name in LONG else name


def can_run_for(reason):
    """Whether a block requires only packages, by the names that Python has for them, and all are installed."""
    packages = re.fullmatch(r"needs ((?:[a-z]+(?: and )?)+)", reason)
    return packages is not None and all(map(find_spec, packages[1].split(" and ")))


@dataclass
class Block:
    language: str
    code: str
    line: int
    reason: str | None


def blocks_of(page):
    text = (ROOT / page).read_text(encoding="utf-8")
    return [
        Block(
            found["language"], textwrap.dedent(found["code"]), text.count("\n", 0, found.start()) + 1, found["reason"]
        )
        for found in BLOCK.finditer(text)
        if not found["language"].startswith("{")  # directives, which the site checks
    ]


def lines_of(name, count):
    return (ROOT / "examples" / f"mark.{name}.txt").read_text(encoding="utf-8").splitlines()[:count]


def make_files(folder):
    """Write the files of a typical reader: the examples, and the output of decoders in every format, of 6 verses."""
    shutil.copytree(ROOT / "examples", folder / "examples")
    candidates = list(zip(*(lines_of(name, 6) for name in ("kjv", "asv", "ylt"))))
    moses = []
    fairseq = []
    responses = []
    sockeye = []
    for segment, texts in enumerate(candidates):
        for text in texts:
            score = -0.1 * len(text.split())
            moses.append(f"{segment} ||| {text} ||| lm= {score:.3f} length= {len(text.split())} ||| {score:.3f}\n")
            fairseq.append(f"H-{segment}\t{score:.3f}\t{text}\n")
        responses.append(json.dumps({"choices": [{"message": {"content": text}} for text in texts]}) + "\n")
        translations = {"sentence_id": segment + 1, "translations": texts, "scores": [[1.5] for _ in texts]}
        sockeye.append(json.dumps(translations) + "\n")
    for name in ("dev.nbest.gz", "test.nbest.gz"):
        (folder / name).write_bytes(gzip.compress("".join(moses).encode()))
    (folder / "generate.txt").write_text("S-0\tsource\n" + "".join(reversed(fairseq)), encoding="utf-8")
    (folder / "responses.jsonl").write_text("".join(responses), encoding="utf-8")
    (folder / "translations.jsonl").write_text("".join(sockeye), encoding="utf-8")
    (folder / "dev.ref").write_text("\n".join(lines_of("web", 6)) + "\n", encoding="utf-8")
    (folder / "texts").write_text("\n".join(lines_of("web", 16)) + "\n", encoding="utf-8")
    (folder / "weights.txt").write_text("lm_0 0.5\nlength_0 0.1\n", encoding="utf-8")


def environment(folder, backend):
    """Variables of a shell in which `python` and `cybleu` are those of the tests."""
    programs = folder / "programs"
    programs.mkdir()
    for name, arguments in (("python", ""), ("cybleu", "-m cybleu")):
        (programs / name).write_text(f'#!/bin/sh\nexec "{sys.executable}" {arguments} "$@"\n')
        (programs / name).chmod(0o755)
    return {
        **os.environ,
        "PATH": os.pathsep.join([str(programs), os.environ["PATH"]]),
        "PYTHONPATH": os.pathsep.join(SEARCH),
        "CYBLEU_BACKEND": backend,
    }


class Checker(doctest.OutputChecker):
    """Where NumPy's default integers have 32 bits, it prints the type of others, which the pages do not show."""

    def check_output(self, want, got, optionflags):
        if np.dtype(int) != np.int64:
            got = re.sub(r",\s+dtype=int64\b", "", got)
        return super().check_output(want, got, optionflags)


def run_python(block, names, page):
    """Run the code of a block and return its output; compare the output of examples with prompts."""
    printed = io.StringIO()
    if ">>> " not in block.code:
        with contextlib.redirect_stdout(printed):
            exec(compile(block.code, f"{page}:{block.line}", "exec"), names)
        return printed.getvalue()
    examples = doctest.DocTestParser().get_doctest(block.code, names, page, page, block.line)
    result = doctest.DocTestRunner(Checker()).run(examples, out=printed.write, clear_globs=False)
    names.update(examples.globs)
    assert result.failed == 0, printed.getvalue()
    return None


def run_shell(block, folder, variables):
    done = subprocess.run(
        ["bash", "-eo", "pipefail", "-c", block.code],
        cwd=folder,
        env=variables,
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def without_version(text):
    return re.sub(r"version:[^ \"|]+", "version:", text)


@pytest.mark.long_in_mirror
@pytest.mark.parametrize(
    "page",
    [marked(page) for page in PAGES if blocks_of(page) and can_run(page)],
)
def test_what_a_page_shows(page, backend, folder):
    # on Windows only what needs no POSIX shell
    shell = sys.platform != "win32"
    make_files(folder)
    variables = environment(folder, backend)
    names = {"__name__": "__main__"}
    printed = None
    for block in blocks_of(page):
        if block.reason and not can_run_for(block.reason):
            printed = None
        elif block.language == "python":
            printed = run_python(block, names, page)
        elif block.language == "sh":
            printed = run_shell(block, folder, variables) if shell else ""
        elif block.language in ("text", "json"):
            assert printed is not None, f"{page}:{block.line}: no block before this one prints it"
            read = json.loads if block.language == "json" else str
            if shell:
                assert read(without_version(printed)) == read(without_version(block.code)), f"{page}:{block.line}"
            printed = None
        else:
            pytest.fail(f"{page}:{block.line}: a block of {block.language!r}; use python, sh, text or json")


def test_every_block_is_run_or_counted():
    reasons = {page: [block.reason for block in blocks_of(page) if block.reason] for page in PAGES}
    assert {page: len(found) for page, found in reasons.items() if found} == NOT_RUN
    for page in PAGES:
        text = (ROOT / page).read_text(encoding="utf-8")
        assert text.count("```") == 2 * len(BLOCK.findall(text)) and "~~~" not in text, page


def test_the_ten_cases_on_their_page_are_those_of_the_code():
    assert ten_cases.parts()[1] == ten_cases.tables()


def test_the_tests_that_keep_promises_exist():
    named = re.findall(r"`(tests/\S+?\.py)?((?:::\w+)?)`", (ROOT / "SECURITY.md").read_text(encoding="utf-8"))
    file = ""
    for path, test in named:
        file = (ROOT / path).read_text(encoding="utf-8") if path else file
        assert f"def {test.removeprefix('::')}" in file, (path, test)
    assert len([path for path, _ in named if path]) >= 8


def test_files_that_contributing_names_exist():
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    for name in re.findall(r"`([\w.]+/[\w./]+\.(?:py|pxi|pyx|toml|yml))`", text):
        assert any((ROOT / folder / name).is_file() for folder in ("", "src/cybleu", "tests")), name


@pytest.mark.parametrize("page", ["CHANGELOG.md", "CONTRIBUTING.md"])
def test_no_line_is_longer_than_editors_are_told(page):
    (most,) = re.findall(r"^max_line_length = (\d+)$", (ROOT / ".editorconfig").read_text(), re.MULTILINE)
    for line in (ROOT / page).read_text(encoding="utf-8").splitlines():
        assert len(line) <= int(most), line


# ---------------------------------------------------------------------------------------------------------- docstrings

# of every package except the backends; walking imports them
MODULES = [
    name
    for _, name, _ in pkgutil.walk_packages(cybleu.__path__, "cybleu.")
    if not name.startswith(("cybleu._kernels", "cybleu._mirror", "cybleu.__"))
]

# Public modules: a package exports the names in its `__all__`; the modules in it are private.
PUBLIC = [name for name in MODULES if re.fullmatch(r"cybleu\.[a-z]\w*", name) and name != "cybleu.cli"]
PUBLIC += ENGINES


def has_examples(name):
    return ">>> " in Path(find_spec(name).origin).read_text(encoding="utf-8")


def examples_of(module):
    """Yield the examples of all docstrings in the source, including names that other packages export.

    They use the names that the package of the module exports, as on its page.
    """
    package = importlib.import_module(module.__spec__.parent)
    names = {name: getattr(package, name) for name in getattr(package, "__all__", ())} if package is not cybleu else {}
    names |= vars(module)
    source = Path(module.__file__).read_text(encoding="utf-8")
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef)) and (docstring := ast.get_docstring(node)):
            name = f"{module.__name__}.{getattr(node, 'name', '__doc__')}"
            line = node.body[0].lineno - 1
            yield doctest.DocTestParser().get_doctest(docstring, names.copy(), name, module.__file__, line)


@pytest.mark.long_in_mirror
@pytest.mark.parametrize("name", [marked(name) for name in MODULES if can_run(name) and has_examples(name)])
def test_examples_in_docstrings(name, folder):
    module = importlib.import_module(name)
    printed = []
    runner = doctest.DocTestRunner(Checker(), optionflags=doctest.ELLIPSIS)
    for examples in examples_of(module):
        runner.run(examples, out=printed.append)
    assert runner.failures == 0, "".join(printed)
    assert runner.tries == len(re.findall(r"^ *>>> ", Path(module.__file__).read_text(encoding="utf-8"), re.MULTILINE))


def public_objects():
    """The public functions and classes except exceptions, each once."""
    found = {}
    for name in ("cybleu", *PUBLIC):
        module = importlib.import_module(name)
        for public in getattr(module, "__all__", ()):
            value = getattr(module, public)
            if inspect.isroutine(value) or inspect.isclass(value):
                found[value] = f"{name}.{public}"
    return [pytest.param(value, id=name) for value, name in found.items()]


@pytest.mark.parametrize("value", public_objects())
def test_what_is_public_has_an_example(value):
    assert ">>> " in inspect.getdoc(value)


OF_ANOTHER = re.compile(r"other (?:parameters|arguments)[^.]* are those\s+of\s+:(?:func|class|meth):`([\w.]+)`")


def described_parameters(value):
    """The parameters that a docstring describes, or that it refers to in that of another function."""
    documentation = inspect.getdoc(value)
    found = set(re.findall(r":param (\w+):", documentation))
    for name in OF_ANOTHER.findall(documentation):
        other = pkgutil.resolve_name(name) if "." in name else vars(sys.modules[value.__module__])[name]
        found |= described_parameters(other)
    return found


def public_functions():
    """Public functions, and methods and properties of public classes; the classes of NLTK and numbers describe theirs."""
    for parameter in public_objects():
        value = parameter.values[0]
        if inspect.isroutine(value):  # a compiled function, too
            yield parameter
        elif value not in (cybleu.SmoothingFunction, cybleu.Fraction):
            for name, member in vars(value).items():
                method = getattr(member, "fget", None) or getattr(member, "__func__", member)
                if inspect.isfunction(method) and not name.startswith("_"):
                    yield pytest.param(method, id=f"{parameter.id}.{name}")


@pytest.mark.parametrize("value", list(public_functions()))
def test_what_is_public_describes_its_parameters(value):
    assert set(inspect.signature(value).parameters) - {"self", "cls", "args", "kwargs"} <= described_parameters(value)


def test_facts_under_the_title_are_those_of_the_package():
    project = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    first, *_, last = re.findall(r'"Programming Language :: Python :: (3\.\d+)"', project)
    assert '"Typing :: Typed"' in project and 'license = "MIT"' in project
    assert not re.search(r"^dependencies\b", project, re.MULTILINE)
    facts = f"Python {first} to {last} · typed · no dependencies · MIT licence"
    assert (ROOT / "README.md").read_text(encoding="utf-8").splitlines()[2] == facts


def test_every_public_module_has_a_page():
    pages = {f"cybleu.{path.stem}": path.read_text(encoding="utf-8") for path in ROOT.glob("docs/api/*.md")}
    index = pages.pop("cybleu.index")
    assert {*pages} == {*PUBLIC, TORCH}
    for name, page in pages.items():
        assert re.findall(r"^\.\. automodule:: (\S+)$", page, re.MULTILINE) == [name]
        assert f"\n{name.removeprefix('cybleu.')}\n" in index
    table = set(re.findall(r"^(?:   |\.\. py:data:: )(\w+)$", index, re.MULTILINE))
    assert table == set(cybleu.__all__)
