"""The archives of a release; tests/packaging checks their contents. `identifiers` requires cibuildwheel.

python .ci/dist.py identifiers        cibuildwheel builds exactly the supported wheels
python .ci/dist.py release FOLDER     the folder has every archive of a release, and nothing else
python .ci/dist.py tag NAME           the tag is that of this version
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

# The supported wheels. The tests that cibuildwheel runs on each wheel are in pyproject.toml.
PYTHONS = ("cp310", "cp311", "cp312", "cp313", "cp314", "cp314t", "cp315", "cp315t")
PLATFORMS = {
    ("linux", "x86_64"): ("manylinux_x86_64", "musllinux_x86_64"),
    ("linux", "aarch64"): ("manylinux_aarch64", "musllinux_aarch64"),
    ("macos", "arm64"): ("macosx_arm64",),
    ("macos", "x86_64"): ("macosx_x86_64",),
    ("windows", "AMD64"): ("win_amd64",),
    ("windows", "ARM64"): ("win_arm64",),
}
ROOT = Path(__file__).parent.parent


def promised(tags: tuple[str, ...]) -> set[str]:
    return {f"{python}-{tag}" for python in PYTHONS for tag in tags}


def version() -> str:
    """Read the version from the package, the only place that has it."""
    return re.search(r'^__version__ = "(.+)"$', (ROOT / "src" / "cybleu" / "_version.py").read_text("utf-8"), re.M)[1]


def compare(what: str, found: set[str], expected: set[str]) -> None:
    if found != expected:
        sys.exit(f"{what}: missing {sorted(expected - found)}, not expected {sorted(found - expected)}")


def check_identifiers() -> None:
    for (platform, architecture), tags in PLATFORMS.items():
        command = ["cibuildwheel", "--print-build-identifiers", "--platform", platform, "--archs", architecture]
        found = subprocess.run([*command, str(ROOT)], check=True, stdout=subprocess.PIPE, text=True).stdout.split()
        compare(f"wheels for {platform} on {architecture}", set(found), promised(tags))
        print(f"{platform} {architecture}: {' '.join(found)}")


def identifier(wheel: str) -> str:
    """cibuildwheel's name for a wheel; `py3` for the pure one."""
    name, number, python, abi, tags = wheel.removesuffix(".whl").split("-")
    if (name, number) != ("cybleu", version()):
        sys.exit(f"{wheel} is not of version {version()}")
    if (python, abi, tags) == ("py3", "none", "any"):
        return python
    # auditwheel names every policy that a wheel meets; all are of one system and architecture
    found = re.fullmatch(r"(manylinux|musllinux|macosx|win)\d*(?:_\d+)*_(\w+)", tags.split(".")[0])
    if not found:
        sys.exit(f"{wheel} is for this machine only")
    return f"{abi}-{found[1]}_{found[2]}"


def check_release(folder: str) -> None:
    names = {path.name for path in Path(folder).iterdir()}
    sources = {name for name in names if name.endswith(".tar.gz")}
    compare("source archives of the release", sources, {f"cybleu-{version()}.tar.gz"})
    expected = promised(tuple(tag for tags in PLATFORMS.values() for tag in tags)) | {"py3"}
    compare("wheels of the release", {identifier(name) for name in names if name.endswith(".whl")}, expected)
    if len(names) != len(expected) + 1:
        sys.exit(f"{folder} has {len(names)} files, not {len(expected)} wheels and the source archive")


def check_tag(name: str) -> None:
    if name != f"v{version()}":
        sys.exit(f"the tag {name} is not that of version {version()}")


if __name__ == "__main__":
    commands = {
        "identifiers": check_identifiers,
        "release": check_release,
        "tag": check_tag,
    }
    commands[sys.argv[1]](*sys.argv[2:])
