"""Run the tests on the backend that CYBLEU_BACKEND chooses: they require the kernels unless it is `python`."""

import gc
import os
from collections import defaultdict
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

import cybleu

# Assertions in what tests share say as much as theirs.
pytest.register_assert_rewrite("nbest_lists")

# pytest keeps many objects, which a collection visits; tests leave few cycles behind.
gc.set_threshold(100_000, 10, 100)

settings.register_profile(
    "cybleu",
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
    max_examples=3,
)
settings.register_profile("more", parent=settings.get_profile("cybleu"), max_examples=25)
settings.register_profile("full", parent=settings.get_profile("cybleu"), max_examples=100)
settings.register_profile("thorough", parent=settings.get_profile("cybleu"), max_examples=2000)
settings.load_profile(os.environ.get("CYBLEU_HYPOTHESIS_PROFILE", "cybleu"))


def pytest_addoption(parser):
    parser.addoption(
        "--no-skips", action="store_true", help="fail if a test is skipped: deselect it where it cannot run"
    )


def pytest_sessionfinish(session):
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")  # none in xdist's workers
    if reporter and session.config.getoption("--no-skips") and "skipped" in reporter.stats:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def pytest_configure(config):
    if cybleu.BACKEND == "python" and os.environ.get("CYBLEU_BACKEND") != "python":
        raise pytest.UsageError("there is no compiled extension; set CYBLEU_BACKEND=python to test the mirror alone")


def pytest_unconfigure(config):
    gc.freeze()  # Python's last collection visits all that pytest keeps, and the process ends anyway


def pytest_report_header(config):
    return f"cybleu {cybleu.__version__} from {Path(cybleu.__file__).parent}, backend {cybleu.BACKEND}"


@pytest.fixture
def backend():
    """The name of the backend."""
    return cybleu.BACKEND


ROOT = Path(__file__).parent.parent
PACKAGES = ("pandas", "polars", "pyarrow", "datasets", "duckdb", "matplotlib", "sentencepiece", "jiwer", "rouge_score")
FRAMEWORKS = ("evaluate", "ignite", "pycocoevalcap", "tensor2tensor", "torchmetrics", "torchtext", "trl")
HARNESSES = ("joeynmt", "lm_eval", "sockeye")
DATA = Path(os.environ.get("CYBLEU_DATA", ROOT.parent / "shared" / "data"))


def pytest_itemcollected(item):
    if "data" in item.fixturenames:
        item.add_marker("real_data")
    if cybleu.BACKEND == "python" and item.get_closest_marker("long_in_mirror"):
        item.add_marker("long")


def pytest_collection_modifyitems(config, items):
    """Deselect tests that cannot run here, so that a skipped test is a missing part."""
    absent = {item for item in items if cybleu.BACKEND == "python" and "kernels" in item.fixturenames}
    if not _slots_are_counted():
        absent |= {item for item in items if "probed" in item.fixturenames}
    if not DATA.is_dir():
        absent |= {item for item in items if item.get_closest_marker("real_data")}
    for library in (*PACKAGES, *FRAMEWORKS, *HARNESSES, "scipy", "jinja2", "playwright"):
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
    """The compiled module, for tests that compare it with the mirror."""
    return import_module("cybleu._kernels.kernels")


def _package(name):
    """A package that a nox session installs; without it the tests that require it are deselected."""
    return pytest.fixture(lambda: import_module(name), scope="session", name=name)


pandas, polars, pyarrow, datasets, duckdb, matplotlib, sentencepiece, jiwer, rouge_score = map(_package, PACKAGES)
evaluate, ignite, pycocoevalcap, tensor2tensor, torchmetrics, torchtext, trl = map(_package, FRAMEWORKS)
joeynmt, lm_eval, sockeye = map(_package, HARNESSES)


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
