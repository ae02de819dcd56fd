"""Rules of C that hold for every compiler, and the order of the files, checked in the sources of the kernels."""

import os
import re
import shutil
import subprocess
import sys
import sysconfig
from itertools import groupby
from pathlib import Path

import pytest

KERNELS = Path(__file__).parent.parent.parent / "src" / "cybleu" / "_kernels"


def source(name):
    return (KERNELS / name).read_text(encoding="utf-8")


def code_of(name):
    """Return a file without strings and comments."""
    return re.sub(r'"""[\s\S]*?"""|#.*|[bc]?"[^"\n]*"', "", source(name))


def defined_in(code):
    """Return what a file defines at its top level: functions, types, variables, enumerators, declarations of C."""
    code = re.sub(r"(ctypedef struct .*)\n(?: {8}.*\n)+", r"\1\n", code)
    code = re.sub(r"\(\*(\w+) *\)", r" \1", code)
    blocks = re.findall(r"^cdef (?:enum|extern).*\n((?: {4}.*\n|\n)+)", code, re.MULTILINE)
    lines = re.findall(r"^(?:(?:cdef|def|ctypedef)\b.*|[A-Z_]+ =)", code, re.MULTILINE)
    lines += re.findall(r"^ {4}(?: {4})?(\w.*)", "\n".join(blocks), re.MULTILINE)
    return {re.match(r"(?:[^(=:]|\[.*?\])*?(\w+) *(?:[(=:]|$)", line)[1] for line in lines} - {"enum", "from"}


def used_in(code):
    methods = r"(?:\bdef|\bcdef .*?)\b\w+(?=\(self)"
    return set(re.findall(r"(?<![.\w])[A-Za-z]\w*", re.sub(methods, "", code)))


INCLUDED = re.findall(r'^include "(.+)"', source("kernels.pyx"), re.MULTILINE)
CODE = {name: code_of(name) for name in INCLUDED}
DEFINED = {name: defined_in(CODE[name]) for name in INCLUDED}
USED = {name: used_in(CODE[name]) for name in INCLUDED}


def test_enumerators_fit_the_int_that_msvc_makes_them():
    values = {}
    for code in CODE.values():
        for body in re.findall(r"^cdef enum.*:\n((?:    .*\n)+)", code, re.MULTILINE):
            values |= dict(re.findall(r"^    (\w+) = (\S+)", body, re.MULTILINE))
    assert [name for name, value in values.items() if not -(2**31) <= int(value, 0) < 2**31] == []
    assert values["MOST_DIGITS"] == "18"


def test_each_file_is_included_once_and_folder_by_folder():
    folders = [folder for folder, _ in groupby(Path(name).parent for name in INCLUDED)]
    assert len(folders) == len({*folders})
    assert sorted(INCLUDED) == sorted(path.relative_to(KERNELS).as_posix() for path in KERNELS.rglob("*.pxi"))
    assert sum(map(len, DEFINED.values())) == len(set().union(*DEFINED.values()))


@pytest.mark.parametrize("name", INCLUDED)
def test_a_file_uses_only_those_above_it(name):
    later = INCLUDED[INCLUDED.index(name) + 1 :]
    assert [USED[name] & DEFINED[other] for other in later if USED[name] & DEFINED[other]] == []


@pytest.mark.parametrize("name", INCLUDED)
def test_the_list_of_files_says_what_a_file_needs(name):
    (needed,) = re.findall(rf'^include "{name}" +#[^;\n]*(?:; needs )?(.*)', source("kernels.pyx"), re.MULTILINE)
    others = [other for other in INCLUDED if other != name and not re.search("common|declarations", other)]
    assert needed == ", ".join(Path(other).stem for other in others if USED[name] & DEFINED[other])


@pytest.mark.parametrize("name", INCLUDED)
def test_the_first_comment_names_what_later_files_use(name):
    comment = source(name).partition("\n\n")[0]
    later = INCLUDED[INCLUDED.index(name) + 1 :]
    offered = set().union(*(DEFINED[name] & USED[other] for other in later))
    assert {word for word in offered if not word.isupper()} <= set(re.findall(r"\w+", comment))


COMPILER = os.environ.get("CC", "cc").split()
PYTHON = ["-isystem", sysconfig.get_path("include")]


@pytest.mark.long
def test_the_generated_code_has_nothing_that_msvc_refuses(tmp_path):
    generated = tmp_path / "kernels.c"
    subprocess.run([sys.executable, "-m", "cython", "-3", KERNELS / "kernels.pyx", "-o", generated], check=True)
    code = generated.read_text(encoding="utf-8")
    assert max(map(len, re.findall(r'"(?:[^"\\\n]|\\.)*"', code))) <= 16_380
    # of enumerators that are no int, and of pointers to functions that become pointers to objects
    options = ["-fsyntax-only", "-Wpedantic", "-Wno-overlength-strings", "-I", KERNELS, *PYTHON]
    done = subprocess.run([*COMPILER, *options, generated], check=True, capture_output=True, text=True)
    lines = [code.split("\n")[int(number) - 1] for number in re.findall(r"c:(\d+):\d+: warning", done.stderr)]
    assert [line for line in lines if not line.strip().startswith("{Py_")] == []  # CPython wants the slots so


HEADERS = sorted(path.relative_to(KERNELS).as_posix() for path in KERNELS.rglob("*.h"))
# What Python.h and clang's own headers need of a C library, where there is none for Windows.
LIBRARY = """
#pragma once
#include <stddef.h>
#include <stdint.h>
#define _POSIX_THREADS
#define assert(condition) ((void)0)
typedef ptrdiff_t ssize_t;
typedef int FILE, jmp_buf, time_t, pthread_t, pthread_key_t, pthread_cond_t, pthread_mutex_t;
struct stat;
struct timeval;
void *malloc(size_t), free(void *), *_aligned_malloc(size_t, size_t), _aligned_free(void *);
void *memcpy(void *, const void *, size_t), *memset(void *, int, size_t);
"""
LIBRARY_HEADERS = """assert ctype errno inttypes malloc math pthread setjmp stdio stdlib string time unistd wchar sys/select
    sys/stat sys/time sys/types"""
WARNINGS = "-Wall -Wextra -Wconversion -Wshadow".split()


def compile_alone(header, compiler, folder):
    (folder / "alone.c").write_text(f'#include "{header}"\nint more;\n')
    subprocess.run([*compiler, "-I", KERNELS, folder / "alone.c"], check=True)


@pytest.mark.long
@pytest.mark.parametrize("header", HEADERS)
def test_headers_compile_alone_without_warnings(header, tmp_path):
    compile_alone(header, [*COMPILER, "-fsyntax-only", "-Werror", *WARNINGS, *PYTHON], tmp_path)


@pytest.mark.long
@pytest.mark.skipif(shutil.which("clang") is None, reason="clang is not installed")
@pytest.mark.parametrize("header", HEADERS)
def test_headers_compile_alone_as_by_msvc_without_warnings(header, tmp_path):
    for name in LIBRARY_HEADERS.split():
        path = tmp_path / f"{name}.h"
        path.parent.mkdir(exist_ok=True)
        path.write_text(LIBRARY)
    own = subprocess.run(["clang", "-print-resource-dir"], check=True, capture_output=True, text=True).stdout.strip()
    compiler = "clang --driver-mode=cl --target=x86_64-pc-windows-msvc /Zs /W4 /WX /X".split()
    for folder in (f"{own}/include", tmp_path, sysconfig.get_path("include")):
        compiler += ["-imsvc", folder]
    compile_alone(header, [*compiler, *(f"/clang:{warning}" for warning in WARNINGS)], tmp_path)
