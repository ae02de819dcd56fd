"""Measure what each kernel module costs: processor time to compile and link it, and size.

python setup.py -q build_ext --inplace && python benchmarks/build.py

Compiles the C files in build/cython again, with the flags of `setup.py`. For Linux and macOS.
"""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
import sysconfig
import tempfile
from collections import defaultdict
from pathlib import Path

from measure import cells, machine

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))
import setup  # noqa: E402

KERNELS = Path("src/cybleu/_kernels")


def flags_of(*names):
    return shlex.split(" ".join(sysconfig.get_config_var(name) or "" for name in names))


def cost(extension, folder):
    """Processor seconds and bytes."""
    (source,) = map(Path, extension.sources)
    c_file = (ROOT / "build" / "cython" / source).with_suffix(".c")
    made, linked = f"{folder}/module.o", f"{folder}/module.so"
    flags = [*flags_of("CFLAGS", "CCSHARED"), f"-I{sysconfig.get_path('include')}", *extension.extra_compile_args]
    before = os.times()
    subprocess.run([*flags_of("CC"), *flags, "-c", c_file, "-o", made], check=True, stderr=subprocess.DEVNULL)
    subprocess.run([*flags_of("LDSHARED"), made, "-o", linked, *extension.extra_link_args], check=True)
    after = os.times()
    seconds = after.children_user + after.children_system - before.children_user - before.children_system
    return seconds, os.path.getsize(linked), source.relative_to(KERNELS)


def main():
    os.environ["CCACHE_DISABLE"] = "1"
    os.chdir(ROOT)
    with tempfile.TemporaryDirectory() as folder:
        costs = sorted((cost(extension, folder) for extension in setup.kernels), reverse=True)
    print(f"{machine()}\n")
    cells("module", "processor time", "size")
    cells("---", "---", "---")
    packages = defaultdict(lambda: [0, 0.0, 0])
    for seconds, size, name in costs:
        cells(str(name), f"{seconds:.1f} s", f"{size / 1e3:.0f} kB")
        for key in (str(name.parent), "all"):
            packages[key] = [old + new for old, new in zip(packages[key], (1, seconds, size))]
    print()
    for name, (count, seconds, size) in sorted(packages.items()):
        cells(name, str(count), f"{seconds:.1f} s", f"{size / 1e3:.0f} kB")


if __name__ == "__main__":
    main()
