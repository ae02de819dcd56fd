"""Build the kernels, or with CYBLEU_PURE=1 the pure-Python package. All metadata is in pyproject.toml.

CYBLEU_BUILD chooses a profile: `release` (the default), or `checked`, which turns every check of Cython on.
"""

import os
import sys

from setuptools import Extension, setup

MODULES = (
    "tokens",
    "ngrams",
    "formula",
    "segments",
    "definitions",
    "prepared",
    "leave_one_out",
    "pairwise",
    "nbest_lines",
    "envelope",
    "reranking",
)

COMMON = {"language_level": 3, "embedsignature": False}
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


def switch(name, default, allowed):
    value = os.environ.get(name, default)
    if value not in allowed:
        sys.exit(f"{name}={value!r} is not known; use one of {', '.join(allowed)}")
    return value


def extensions():
    from Cython.Build import cythonize

    profile = switch("CYBLEU_BUILD", "release", tuple(PROFILES))
    # A fused multiply-add would give other bits than the separate operations of the mirror.
    flags = ["/O2", "/fp:precise"] if sys.platform == "win32" else ["-O3", "-ffp-contract=off"]
    return cythonize(
        [
            Extension(f"cybleu._kernels.{name}", [f"src/cybleu/_kernels/{name}.pyx"], extra_compile_args=flags)
            for name in MODULES
        ],
        build_dir="build/cython",
        force=True,
        compiler_directives={**COMMON, **PROFILES[profile]},
    )


# The kernels read CPython's objects; other interpreters run the mirror.
pure = switch("CYBLEU_PURE", "0", ("0", "1")) == "1" or sys.implementation.name != "cpython"
# Always anew: what an earlier build left may be of another profile, which no time stamp tells.
setup(ext_modules=[] if pure else extensions(), options={"build_ext": {"force": True}})
