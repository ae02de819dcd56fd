"""Lay out a CPython for Windows that runs in Wine, with cybleu and what its tests require: `nox -s windows`.

usage: python windows.py FOLDER    in a checkout, with CPython 3.11, Cython and setuptools, MinGW and Wine

FOLDER gets `python.exe`. The interpreter is genuine: its library comes from a wheel for Windows that embeds it. The
library in Python and the headers are those of the CPython that runs this script. MinGW compiles the kernels, as GCC and
with the code for MSVC. Standard streams of this Python must be pipes: a file is an invalid handle in Wine 8.
"""

import os
import re
import shutil
import subprocess
import sys
import sysconfig
from collections import Counter
from pathlib import Path

import tomllib

MINGW = "x86_64-w64-mingw32-"
# Wheels are of the platform that pip is told, but markers are of the platform that pip runs on.
ONLY_ON_WINDOWS = ("colorama", "tzdata")
FOR_MORE_TESTS = "absl-py jiwer pandas pyarrow scipy sentencepiece six".split()
WITHOUT_WHEEL = ("rouge-score",)  # pure Python
LAUNCHER = """
#include <wchar.h>
__declspec(dllimport) int Py_Main(int, wchar_t **);
int wmain(int count, wchar_t **words) { return Py_Main(count, words); }
"""
PYCONFIG = """
#pragma once
#define MS_WIN32
#define MS_WIN64
#define MS_WINDOWS
#define NT_THREADS
#define WITH_THREAD
#define HAVE_DECLSPEC_DLL
#define Py_ENABLE_SHARED
#define PLATLIBDIR "lib"
#define STDC_HEADERS 1
#define HAVE_DYNAMIC_LOADING
#define HAVE_ERRNO_H 1
#define HAVE_STDDEF_H 1
#define HAVE_STDARG_PROTOTYPES
#define HAVE_SYS_STAT_H 1
#define HAVE_SYS_TYPES_H 1
#define HAVE_WCHAR_H 1
#define SIZEOF_SHORT 2
#define SIZEOF_INT 4
#define SIZEOF_LONG 4
#define SIZEOF_LONG_LONG 8
#define SIZEOF_FLOAT 4
#define SIZEOF_DOUBLE 8
#define SIZEOF_FPOS_T 8
#define SIZEOF_OFF_T 4
#define SIZEOF_TIME_T 8
#define SIZEOF_WCHAR_T 2
#define SIZEOF_SIZE_T 8
#define SIZEOF_VOID_P 8
#define ALIGNOF_SIZE_T 8
#define WITH_DOC_STRINGS 1
"""
# Included before all other code: system headers in GNU's dialect, and what follows as for MSVC.
AS_MSVC = """
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include "structmember.h"
#include "frameobject.h"
#include <float.h>
#include <limits.h>
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <emmintrin.h>
#include <intrin.h>
#undef __GNUC__
#undef __GNUC_MINOR__
#undef __MINGW32__
#undef __MINGW64__
#undef __x86_64__
#undef __SIZEOF_INT128__
#undef __BYTE_ORDER__
#define _MSC_VER 1938
#define _M_X64 100
#define _M_AMD64 100
"""
# Tests that fail in Wine, and why.
NOT_IN_WINE = {
    "tests/whole/test_documentation.py::test_what_a_page_shows[docs/columns.md]": "Polars does not load",
}
# MinGW has its own versions of these, which differ by rounding from those that Python calls.
OF_UCRT = "exp expm1 fmod log log1p log2 pow".split()
MATH = b"api-ms-win-crt-math-l1-1-0.dll"
OWN_MATH = b"own-ms-win-crt-math-l1-1-0.dll"  # of the same length, because it is replaced in binaries
COMPLEX = "cacos cacosh casin casinh catan catanh ccos ccosh cexp clog conj cproj csin csinh csqrt ctan ctanh".split()
OF_COMPLEX = "cabs carg cimag creal".split()


def run(*command: str | Path, **env: str) -> None:
    subprocess.run([*map(str, command)], check=True, env={**os.environ, **env})


def pip(folder: Path, *words: str) -> None:
    platform = "--platform win_amd64 --python-version 3.11 --implementation cp --only-binary :all:"
    run(sys.executable, "-m", "pip", "install", "-q", "--target", folder, *platform.split(), *words)


def lay_out_interpreter(folder: Path, work: Path) -> None:
    """Make `python.exe` with the standard library; Panda3D is a game engine whose games carry their Python."""
    pip(work / "panda", "--no-deps", "panda3d")
    parts = next(work.glob("panda/**/python311.dll")).parent
    library = folder / "DLLs"
    library.mkdir(parents=True)
    for file in parts.iterdir():
        if file.suffix == ".pyd" or re.match("lib(crypto|ffi|ssl)|sqlite3", file.name):
            shutil.copy(file, library)
    for name in ("python311.dll", "VCRUNTIME140.dll"):
        shutil.copy(parts / name, folder)
    left_out = ("site-packages", "lib-dynload", "config-*", "test", "idlelib", "turtledemo", "__pycache__")
    shutil.copytree(sysconfig.get_path("stdlib"), folder / "Lib", ignore=shutil.ignore_patterns(*left_out))
    (work / "python.c").write_text(LAUNCHER)
    run(f"{MINGW}gcc", "-municode", "-o", folder / "python.exe", work / "python.c", folder / "python311.dll")


def install_packages(site: Path) -> None:
    project = tomllib.loads(Path("pyproject.toml").read_text())["project"]
    extras = project["optional-dependencies"]
    wanted = ["cybleu[report,test]"]
    requirements = [*ONLY_ON_WINDOWS, *FOR_MORE_TESTS]
    while wanted:
        requirement = wanted.pop()
        if own := re.fullmatch(r"cybleu\[(.*)\]", requirement):
            wanted += [other for extra in own[1].split(",") for other in extras[extra]]
        elif not requirement.startswith(WITHOUT_WHEEL):
            requirements.append(requirement)
    pip(site, *requirements)
    run(sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--target", site, *WITHOUT_WHEEL)


def add_complex_functions(folder: Path, work: Path) -> None:
    """Give modules of NumPy and SciPy a library with complex functions, which Wine's has not."""
    code = ["#include <complex.h>", "typedef struct { double r, i; } D;", "typedef struct { float r, i; } F;"]
    own = set()
    for suffix, pair, real in (("", "D", "double"), ("f", "F", "float"), ("l", "D", "double")):
        of_gcc = "f" if suffix == "f" else ""  # long double is double in UCRT
        z = f"({real} _Complex)__builtin_complex(a.r, a.i)"
        for name in COMPLEX:
            own.add(name + suffix)
            code.append(
                f"{pair} x_{name}{suffix}({pair} a) {{ {real} _Complex z = {name}{of_gcc}({z}); "
                f"return ({pair}){{__real__ z, __imag__ z}}; }}"
            )
        for name in OF_COMPLEX:
            own.add(name + suffix)
            code.append(f"{real} x_{name}{suffix}({pair} a) {{ return {name}{of_gcc}({z}); }}")
        own.add(f"cpow{suffix}")
        code.append(
            f"{pair} x_cpow{suffix}({pair} a, {pair} b) {{ {real} _Complex z = "
            f"cpow{of_gcc}({z}, ({real} _Complex)__builtin_complex(b.r, b.i)); return ({pair}){{__real__ z, __imag__ z}}; }}"
        )
    used = set()
    for module in [*folder.rglob("*.pyd"), *folder.rglob("*.dll")]:
        data = module.read_bytes()
        if MATH in data:
            command = [f"{MINGW}objdump", "-p", str(module)]
            text = subprocess.run(command, check=True, capture_output=True, text=True).stdout
            imported = re.search(r"DLL Name: api-ms-win-crt-math.*?\n(.*?)\n\n", text, re.DOTALL)
            names = {line.split()[-1] for line in imported[1].splitlines()[1:] if line.split()} if imported else set()
            if names & own:
                used |= names
                module.write_bytes(data.replace(MATH, OWN_MATH))
    exports = [f" {name} = x_{name}" if name in own else f" {name} = ucrtbase.{name}" for name in sorted(used)]
    (work / "math.c").write_text("\n".join(code))
    (work / "math.def").write_text("\n".join([f"LIBRARY {OWN_MATH.decode()}", "EXPORTS", *exports, ""]))
    output = folder / OWN_MATH.decode()
    run(f"{MINGW}gcc", "-O2", "-shared", "-static-libgcc", "-o", output, work / "math.c", work / "math.def")


def build_kernels(folder: Path, work: Path, as_msvc: bool) -> Path:
    """Compile the kernels, and return the module."""
    include = work / "include"
    if not include.exists():
        shutil.copytree(sysconfig.get_path("include"), include)
        (include / "pyconfig.h").write_text(PYCONFIG)
        (work / "as_msvc.h").write_text(AS_MSVC)
        (work / "ucrt.def").write_text("\n".join(["LIBRARY ucrtbase.dll", "EXPORTS", *OF_UCRT, ""]))
        run(f"{MINGW}dlltool", "-d", work / "ucrt.def", "-l", work / "libucrt.a")
    output = work / ("msvc" if as_msvc else "gcc")
    flags = f"-I{include} -mlong-double-64 -w"
    if as_msvc:
        flags += f" -msse2 -include {work / 'as_msvc.h'}"
    compiler = {
        "CC": f"{MINGW}gcc",
        "LDSHARED": f"{MINGW}gcc -shared -static-libgcc -Wl,-s",
        "CFLAGS": flags,
        "CYBLEU_BUILD": "release",
    }
    libraries = f"--link-objects={work / 'libucrt.a'} {folder / 'python311.dll'}"
    places = [f"--build-lib={output}", f"--build-temp={output}"]
    run(sys.executable, "setup.py", "-q", "build_ext", libraries, *places, **compiler)
    return next(output.glob("cybleu/**/kernels.*"))


def install_cybleu(site: Path, kernels: Path) -> None:
    left_out = shutil.ignore_patterns("*.pyx", "*.pxi", "*.h", "*.so", "__pycache__")
    shutil.copytree("src/cybleu", site / "cybleu", ignore=left_out)
    shutil.copy(kernels, site / "cybleu" / "_kernels" / "kernels.cp311-win_amd64.pyd")
    version = re.search('"(.*)"', Path("src/cybleu/_version.py").read_text().partition("__version__ = ")[2])
    info = site / f"cybleu-{version[1]}.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: cybleu\nVersion: {version[1]}\n")
    (info / "entry_points.txt").write_text("[console_scripts]\ncybleu = cybleu.__main__:main\n")


def test(folder: Path, place: str, **env: str) -> Counter[str]:
    """Run tests in a process of their own, so that one that ends early takes no others with it; return their numbers."""
    chosen = [option for name in NOT_IN_WINE for option in ("--deselect", name)]
    options = ["-q", "-n", "0", "-p", "no:cacheprovider", *chosen, place]
    done = subprocess.run(
        ["wine", str(folder / "python.exe"), "-m", "pytest", *options],
        env={**os.environ, **env},
        input=b"",
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        check=False,
    )
    lines = done.stdout.decode(errors="replace").splitlines()
    print(place, *(lines if done.returncode else lines[-1:]), sep="\n    ", flush=True)
    numbers = Counter({what: int(number) for number, what in re.findall(r"(\d+) ([a-z]+)", lines[-1] if lines else "")})
    numbers["processes with failures"] += done.returncode != 0
    return numbers


def main() -> None:
    folder = Path(sys.argv[1]).resolve() / "python"
    work = folder.with_name("work")
    work.mkdir(parents=True)
    lay_out_interpreter(folder, work)
    site = folder / "Lib" / "site-packages"
    install_packages(site)
    add_complex_functions(folder, work)
    install_cybleu(site, build_kernels(folder, work, as_msvc=False))
    as_msvc = folder.with_name("msvc")
    install_cybleu(as_msvc, build_kernels(folder, work, as_msvc=True))
    prefix = folder.with_name("prefix")
    prefix.mkdir()
    os.environ.update(WINEPREFIX=str(prefix), WINEARCH="win64", WINEDEBUG="-all")
    # before the tests, because Wine's services keep the standard streams of the process that starts them
    run("wineserver", "--persistent")
    null = subprocess.DEVNULL
    subprocess.run(["wine", "wineboot"], stdin=null, stdout=null, stderr=null, check=True)
    places = sys.argv[2:] or sorted(
        path.as_posix()
        for path in Path("tests").iterdir()
        if path.match("test_*.py") or (any(path.glob("test_*.py")) and path.name not in ("browser", "packaging"))
    )
    total = sum((test(folder, place) for place in places), Counter())
    total += test(folder, "tests/parity", PYTHONPATH=str(as_msvc))
    subprocess.run(["wineserver", "--kill"], check=False)
    print("total:", *(f"{number} {what}" for what, number in total.items()), sep="\n    ")
    sys.exit(total["processes with failures"] > 0)


main()
