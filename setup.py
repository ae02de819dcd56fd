"""Build the kernels, or with CYBLEU_PURE=1 the pure-Python package. The metadata is in pyproject.toml, but for links.

CYBLEU_BUILD chooses a profile: `release` (the default), `checked`, which turns every check of Cython on, or `coverage`,
which tells coverage.py of every line that runs (docs/coverage.md).
"""

import os
import re
import sys
from pathlib import Path

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

MODULES = (
    "interrupts",
    "tokens",
    "tokenizing",
    "arrow",
    "arrow_values",
    "raw_texts",
    "raw_tokens",
    "raw",
    "ngrams",
    "unit_ngrams",
    "chrf_texts",
    "chrf",
    "chrf_pairs",
    "formula",
    "segments",
    "gleu",
    "scores",
    "definitions",
    "prepared",
    "self_bleu",
    "pairwise",
    "number_lines",
    "named_values",
    "nbest_lines",
    "feature_rows",
    "mira",
    "weighing",
    "envelope",
    "sweep",
    "reranking",
)

# What every kernel with a typed array would bring again, three quarters of its C: Cython writes this module by itself.
SHARED = "_shared"

COMMON = {"language_level": 3, "embedsignature": False, "auto_pickle": False}
PROFILES = {
    "release": {"boundscheck": False, "wraparound": False, "cdivision": True, "initializedcheck": False},
    "checked": {
        "boundscheck": True,
        "wraparound": True,
        "cdivision": False,
        "initializedcheck": True,
        "nonecheck": True,
        "overflowcheck": True,
    },
}
PROFILES["coverage"] = {**PROFILES["release"], "linetrace": True}


def switch(name, default, allowed):
    value = os.environ.get(name, default)
    if value not in allowed:
        sys.exit(f"{name}={value!r} is not known; use one of {', '.join(allowed)}")
    return value


PROFILE = switch("CYBLEU_BUILD", "release", tuple(PROFILES))
# The kernels read CPython's objects; other interpreters run the mirror.
PURE = switch("CYBLEU_PURE", "0", ("0", "1")) == "1" or sys.implementation.name != "cpython"
# A fused multiply-add would give other bits than the separate operations of the mirror.
FLAGS = ["/O2", "/fp:precise"] if sys.platform == "win32" else ["-O3", "-ffp-contract=off"]
LINK_FLAGS = []
# Released kernels carry no symbols for debuggers. Who sets CFLAGS has a use for them, or strips the files later.
if PROFILE == "release" and sys.platform != "win32" and not os.environ.get("CFLAGS"):
    FLAGS += ["-g0"]
    LINK_FLAGS += ["-Wl,-x" if sys.platform == "darwin" else "-Wl,-s"]
PROCESSORS = os.cpu_count() or 1
TRACING = [("CYTHON_TRACE_NOGIL", "1"), ("CYTHON_USE_SYS_MONITORING", "0")]


class BuildKernels(build_ext):
    """Runs Cython when it compiles: the other commands, of which installing runs several, need the metadata alone."""

    def build_extensions(self):
        from Cython.Build import cythonize

        generated = cythonize(
            self.extensions,
            # beside the source, where coverage.py looks for the C of a line
            build_dir=None if PROFILE == "coverage" else "build/cython",
            force=True,
            nthreads=PROCESSORS,
            compiler_directives={**COMMON, **PROFILES[PROFILE]},
            shared_utility_qualified_name=f"cybleu._kernels.{SHARED}",
        )
        for extension, other in zip(self.extensions, generated, strict=True):
            extension.sources = other.sources
        # The longest first, so that no processor has the longest left when the others are done.
        self.extensions.sort(key=lambda extension: -os.path.getsize(extension.sources[0]))
        super().build_extensions()


def extension(name, source):
    return Extension(
        f"cybleu._kernels.{name}",
        [f"src/cybleu/_kernels/{source}"],
        define_macros=TRACING if PROFILE == "coverage" else [],
        extra_compile_args=FLAGS,
        extra_link_args=LINK_FLAGS,
    )


def of_the_repository():
    """The README and the addresses of the project.

    The package index has no file beside the README. Where it is known from which repository on GitHub this is built, the
    README's links and pictures lead there.
    """
    text = (Path(__file__).parent / "README.md").read_text(encoding="utf-8")
    urls = {}
    if "GITHUB_REPOSITORY" in os.environ:
        server = os.environ.get("GITHUB_SERVER_URL", "https://github.com")
        repository = f"{server}/{os.environ['GITHUB_REPOSITORY']}"
        urls = {
            "Repository": repository,
            "Documentation": f"{repository}/tree/main/docs",
            "Changes": f"{repository}/blob/main/CHANGELOG.md",
            "Issues": f"{repository}/issues",
        }
        text = re.sub(r"(!\[[^\]]*\]\()(?!\w+:|#)", rf"\g<1>{repository}/raw/main/", text)
        text = re.sub(r"((?<!!)\[[^\]]*\]\()(?!\w+:|#)", rf"\g<1>{repository}/blob/main/", text)
    return {"long_description": text, "long_description_content_type": "text/markdown", "project_urls": urls}


kernels = [extension(SHARED, f"{SHARED}.c"), *(extension(name, f"{name}.pyx") for name in MODULES)]
if __name__ == "__main__":  # not in the processes that run Cython
    setup(
        ext_modules=[] if PURE else kernels,
        cmdclass={"build_ext": BuildKernels},
        # Always anew: what an earlier build left may be of another profile, which no time stamp tells.
        options={"build_ext": {"force": True, "parallel": PROCESSORS}},
        **of_the_repository(),
    )
