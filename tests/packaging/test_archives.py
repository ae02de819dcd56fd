"""Contents of the archives that users install."""

import os
import shutil
import tarfile
import zipfile
from pathlib import Path

import pytest

import cybleu
from command_line import python

pytestmark = pytest.mark.long

ROOT = Path(__file__).parent.parent.parent
KERNELS = ROOT / "src" / "cybleu" / "_kernels"


def build(kind, source, target, **environment):
    """Build one archive and return its path; CYBLEU_ARCHIVES is a folder with two archives of this tree."""
    if "CYBLEU_ARCHIVES" in os.environ and not environment:
        (archive,) = Path(os.environ["CYBLEU_ARCHIVES"]).glob({"sdist": "*.tar.gz", "wheel": "*.whl"}[kind])
        return archive
    target.mkdir()
    command = ["-m", "build", "--no-isolation", f"--{kind}", "--outdir", target, source]
    python(*command, variables=environment, check=True)
    (archive,) = target.iterdir()
    return archive


@pytest.fixture(scope="session")
def sdist(tmp_path_factory):
    return build("sdist", ROOT, tmp_path_factory.mktemp("sdist") / "out")


@pytest.fixture(scope="session")
def unpacked(sdist, tmp_path_factory):
    """The tree of the sdist, from which wheels are built, so that they contain nothing of this checkout."""
    folder = tmp_path_factory.mktemp("unpacked")
    with tarfile.open(sdist) as archive:
        # the last installers of CPython 3.10 have no filters, and leave them out by this name
        archive.extraction_filter = getattr(tarfile, "data_filter", None)
        archive.extractall(folder)
    (tree,) = folder.iterdir()
    return tree


@pytest.fixture(scope="session")
def wheel(unpacked, tmp_path_factory):
    return build("wheel", unpacked, tmp_path_factory.mktemp("wheel") / "out")


@pytest.fixture(scope="session")
def pure_wheel(unpacked, tmp_path_factory):
    return build("wheel", unpacked, tmp_path_factory.mktemp("pure") / "out", CYBLEU_PURE="1")


def suffixes(names):
    return {Path(name).suffix for name in names}


def test_the_sdist_brings_sources_and_no_generated_file(unpacked):
    names = {path.relative_to(unpacked).as_posix() for path in unpacked.rglob("*") if path.is_file()}
    for path in KERNELS.rglob("*"):
        if path.suffix in (".py", ".pyi", ".pyx", ".pxi", ".h"):
            assert f"src/cybleu/_kernels/{path.relative_to(KERNELS).as_posix()}" in names
    assert {"setup.py", "pyproject.toml", "README.md", "LICENSE", "tests/conftest.py", "examples/mark.web.txt"} <= names
    assert not {".c", ".so", ".pyd", ".o"} & suffixes(names)


def test_the_wheel_brings_the_extensions_and_no_source(wheel):
    names = zipfile.ZipFile(wheel).namelist()
    extensions = {Path(name).name.split(".")[0] for name in names if Path(name).suffix in (".so", ".pyd")}
    assert extensions == {"kernels"}
    assert not {".c", ".pyx", ".pxi", ".h"} & suffixes(names)
    modules = {path.relative_to(ROOT / "src").as_posix() for path in (ROOT / "src").rglob("*.py")}
    assert {name for name in names if name.endswith(".py")} == modules
    assert {"cybleu/py.typed", "cybleu/_kernels/kernels.pyi"} <= {*names}
    assert {*(f"cybleu/report/page.{kind}" for kind in ("html", "css", "js"))} <= {*names}
    assert not wheel.name.endswith("-none-any.whl")
    assert {name.split("/")[0] for name in names} == {"cybleu", f"cybleu-{cybleu.__version__}.dist-info"}


def test_the_extension_is_small(wheel):
    (size,) = (
        entry.file_size for entry in zipfile.ZipFile(wheel).infolist() if entry.filename.endswith((".so", ".pyd"))
    )
    assert size < 1_200_000
    assert wheel.stat().st_size < 2_000_000


def test_the_pure_wheel_is_for_every_platform(pure_wheel):
    assert pure_wheel.name == f"cybleu-{cybleu.__version__}-py3-none-any.whl"
    names = zipfile.ZipFile(pure_wheel).namelist()
    assert not {".c", ".so", ".pyd", ".pyx", ".pxi", ".h"} & suffixes(names)


def test_the_pure_wheel_works(pure_wheel, tmp_path):
    zipfile.ZipFile(pure_wheel).extractall(tmp_path)
    code = "import cybleu; print(cybleu.__file__, cybleu.BACKEND, cybleu.sentence_bleu([['a']], ['a'], (1,)))"
    done = python(
        "-W", "error", "-c", code, variables={"CYBLEU_BACKEND": "", "PYTHONPATH": str(tmp_path)}, cwd=tmp_path
    )
    assert done.stdout == f"{tmp_path / 'cybleu' / '__init__.py'} python 1.0\n"


def test_a_development_build_compiles_only_what_has_changed(unpacked, tmp_path):
    tree = shutil.copytree(unpacked, tmp_path / "tree")
    kernels = tree / "src" / "cybleu" / "_kernels"

    def build_time():
        command = ["setup.py", "-q", "build_ext", "--inplace"]
        python(*command, variables={"CYBLEU_BUILD": "development"}, cwd=tree, check=True)
        return max(path.stat().st_mtime_ns for path in kernels.glob("kernels.*") if path.suffix in (".so", ".pyd"))

    built = build_time()
    assert build_time() == built
    for changed in ("counting/ngrams.pxi", "counting/alike.h"):
        before = built
        (kernels / changed).touch()
        built = build_time()
        assert built > before


def test_a_failed_compiler_is_an_error_with_advice(unpacked, tmp_path):
    tree = shutil.copytree(unpacked, tmp_path / "tree")
    done = python("setup.py", "-q", "build_ext", variables={"CC": "no-such-compiler"}, cwd=tree)
    assert done.returncode
    assert "set CYBLEU_PURE=1" in done.stderr


def test_the_core_needs_nothing(wheel):
    metadata = zipfile.ZipFile(wheel).read(f"cybleu-{cybleu.__version__}.dist-info/METADATA").decode()
    required = [line for line in metadata.splitlines() if line.startswith("Requires-Dist:") and "extra ==" not in line]
    assert required == []
