"""Run every test of the public API on both backends."""

import os
from collections import defaultdict
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

import cybleu
from cybleu import _backend
from inputs import using_backend

# Assertions in what tests share say as much as theirs.
pytest.register_assert_rewrite("nbest_lists")

# The backend stays the same for all examples of one test.
settings.register_profile(
    "cybleu",
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
    max_examples=10,
)
settings.register_profile("more", parent=settings.get_profile("cybleu"), max_examples=25)
settings.register_profile("full", parent=settings.get_profile("cybleu"), max_examples=100)
settings.register_profile("thorough", parent=settings.get_profile("cybleu"), max_examples=2000)
settings.load_profile(os.environ.get("CYBLEU_HYPOTHESIS_PROFILE", "cybleu"))


def pytest_addoption(parser):
    parser.addoption(
        "--pure", action="store_true", help="there is no compiled extension on purpose: test the mirror only"
    )
    parser.addoption(
        "--no-skips", action="store_true", help="fail if a test is skipped: deselect it where it cannot run"
    )


def pytest_sessionfinish(session):
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")  # none in xdist's workers
    if reporter and session.config.getoption("--no-skips") and "skipped" in reporter.stats:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def pytest_configure(config):
    config.cache_of_nltk = {}  # NLTK's scores of real data, slow to compute, for both backends


def pytest_report_header(config):
    return f"cybleu {cybleu.__version__} from {Path(cybleu.__file__).parent}, backend {cybleu.BACKEND}"


def pytest_generate_tests(metafunc):
    if "backend" in metafunc.fixturenames:
        names = ["python"] if metafunc.config.getoption("--pure") else ["cython", "python"]
        if "cython" in names:
            long = metafunc.definition.get_closest_marker("long_in_mirror")
            names[1] = pytest.param("python", marks=[pytest.mark.mirror, *([pytest.mark.long] if long else [])])
        metafunc.parametrize("backend", names, indirect=True)


@pytest.fixture
def backend(request):
    with using_backend(request.param) as chosen:
        yield chosen


ROOT = Path(__file__).parent.parent
PACKAGES = ("pandas", "polars", "pyarrow", "datasets", "duckdb", "matplotlib", "sentencepiece")
FRAMEWORKS = ("evaluate", "ignite", "pycocoevalcap", "tensor2tensor", "torchmetrics", "torchtext", "trl")
DATA = Path(os.environ.get("CYBLEU_DATA", ROOT.parent / "shared" / "data"))


def pytest_itemcollected(item):
    if "data" in item.fixturenames:
        item.add_marker("real_data")


def pytest_collection_modifyitems(config, items):
    """Deselect tests that cannot run here, so that a skipped test is a missing part."""
    mirror = config.getoption("--pure") or cybleu.BACKEND == "python"
    absent = {item for item in items if mirror and "kernels" in item.fixturenames}
    if not _slots_are_counted():
        absent |= {item for item in items if "probed" in item.fixturenames}
    if not DATA.is_dir():
        absent |= {item for item in items if item.get_closest_marker("real_data")}
    for library in (*PACKAGES, *FRAMEWORKS, "scipy", "jinja2", "playwright"):
        if find_spec(library) is None:
            absent |= {item for item in items if library in item.fixturenames}
    for engine, library in (("spark", "pyspark"), ("ray", "ray")):
        if find_spec(library) is None:
            absent |= {
                item for item in items if hasattr(item, "callspec") and item.callspec.params.get("engine") == engine
            }
    config.hook.pytest_deselected(items=list(absent))
    items[:] = [item for item in items if item not in absent]


def _slots_are_counted():
    """Whether this is a build with all checks, which counts the slots of tables that are probed."""
    return cybleu.BACKEND == "cython" and import_module("cybleu._kernels.kernels").slots_probed() is not None


def pytest_terminal_summary(terminalreporter):
    if not DATA.is_dir():
        terminalreporter.write_line(
            "The optional texts of third parties are not here (CYBLEU_DATA), so their tests are left out."
        )


@pytest.fixture(scope="session")
def kernels():
    """The compiled modules, for tests that compare them with the mirror."""
    return _backend.load("cython")[1]


def _package(name):
    """A package that a nox session installs; without it the tests that require it are deselected."""
    return pytest.fixture(lambda: import_module(name), scope="session", name=name)


pandas, polars, pyarrow, datasets, duckdb, matplotlib, sentencepiece = map(_package, PACKAGES)
evaluate, ignite, pycocoevalcap, tensor2tensor, torchmetrics, torchtext, trl = map(_package, FRAMEWORKS)


@pytest.fixture(scope="session")
def scipy():
    """Sparse matrices and optimisation, likewise."""
    import_module("scipy.optimize")
    import_module("scipy.sparse")
    return import_module("scipy")


@pytest.fixture(scope="session")
def jinja2(matplotlib):
    """The template engine of reports, likewise."""
    return import_module("jinja2")


@pytest.fixture
def no_pictures(jinja2, monkeypatch):
    """Pages of reports without pictures, which take most of their time."""
    monkeypatch.setattr("cybleu.report.page._pictures", lambda report: defaultdict(str))


@pytest.fixture(scope="session")
def playwright():
    """The library that drives a browser, likewise."""
    return import_module("playwright.sync_api")


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A new folder, which is the current one."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture(scope="session")
def data():
    """The folder of third-party texts; without it the tests that read them are deselected."""
    return DATA
