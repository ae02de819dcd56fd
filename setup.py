"""Build the compiled kernels, or with CYBLEU_PURE=1 the pure-Python package.

All metadata is in pyproject.toml.

CYBLEU_BUILD chooses a profile: `release` (the default), `development`, which compiles in seconds and only what has
changed, or `checked`, which enables all of Cython's checks (CONTRIBUTING.md).
"""

import os
import sys
from pathlib import Path

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext
from setuptools.errors import CompileError, PlatformError

COMMON = {"language_level": 3, "embedsignature": False, "auto_pickle": False, "freethreading_compatible": True}
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
PROFILES["development"] = PROFILES["release"]


def switch(name, default, allowed):
    value = os.environ.get(name, default)
    if value not in allowed:
        sys.exit(f"{name}={value!r} is not known; use one of {', '.join(allowed)}")
    return value


PROFILE = switch("CYBLEU_BUILD", "release", tuple(PROFILES))
# The kernels access CPython's object structs; other interpreters use the mirror.
PURE = switch("CYBLEU_PURE", "0", ("0", "1")) == "1" or sys.implementation.name != "cpython"
# Other profiles compile everything: files of an earlier build may have another profile, which timestamps do not show.
FORCE = PROFILE != "development"
# A fused multiply-add would round differently from the separate operations of the mirror.
FLAGS = ["/O2", "/fp:precise"] if sys.platform == "win32" else ["-O3" if FORCE else "-O0", "-ffp-contract=off"]
LINK_FLAGS = []
# Strip debug symbols from released kernels. If CFLAGS is set, leave them: the caller may want them or strip later.
if PROFILE == "release" and sys.platform != "win32" and not os.environ.get("CFLAGS"):
    FLAGS += ["-g0"]
    LINK_FLAGS += ["-Wl,-x" if sys.platform == "darwin" else "-Wl,-s"]
MACROS = {"checked": [("CYBLEU_COUNTS_SLOTS", "1"), ("CYBLEU_ROWS_AT_ONCE", "8")]}


class BuildKernels(build_ext):
    """Run Cython only when compiling: other commands, several of which run during installation, only read metadata."""

    def build_extensions(self):
        from Cython.Build import cythonize

        (generated,) = cythonize(
            self.extensions,
            build_dir=f"build/{PROFILE}",
            force=FORCE,
            emit_linenums=PROFILE == "development",  # for debuggers and gcov
            compiler_directives={**COMMON, **PROFILES[PROFILE]},
        )
        self.extensions[0].sources = generated.sources
        # Cython copies the headers there. Compilers that tell files by their paths must not find the originals, too.
        self.extensions[0].include_dirs = [str(Path(generated.sources[0]).parent)]
        try:
            super().build_extensions()
        except (CompileError, PlatformError) as error:
            advice = "without a C compiler, set CYBLEU_PURE=1, which installs a slower version in pure Python"
            raise CompileError(f"{error}; {advice}") from error


FOLDER = "src/cybleu/_kernels"
kernels = Extension(
    "cybleu._kernels.kernels",
    [f"{FOLDER}/kernels.pyx"],  # which includes the other files
    depends=[path.as_posix() for path in Path(FOLDER).glob("*/*") if path.suffix in (".h", ".pxi")],
    include_dirs=[FOLDER],
    define_macros=MACROS.get(PROFILE, []),
    extra_compile_args=FLAGS,
    extra_link_args=LINK_FLAGS,
)
setup(
    ext_modules=[] if PURE else [kernels],
    cmdclass={"build_ext": BuildKernels},
    options={"build_ext": {"force": FORCE}},
)
