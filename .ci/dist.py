"""Contents of a release, and checks of its archives. `identifiers` requires cibuildwheel.

python .ci/dist.py identifiers          cibuildwheel builds exactly the supported wheels
python .ci/dist.py archives FILE ...    check contents and size of archives
python .ci/dist.py release FOLDER       the folder has every archive of a release, and nothing else
python .ci/dist.py tag NAME             the tag is that of this version
"""

from __future__ import annotations

import re
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path, PurePosixPath

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
LARGEST_EXTENSION = 500_000  # bytes
LARGEST_WHEEL = 2_000_000

ROOT = Path(__file__).parent.parent
SOURCES = ROOT / "src"
GENERATED = {".c", ".so", ".pyd", ".o", ".obj", ".pyc"}


def promised(tags: tuple[str, ...]) -> set[str]:
    return {f"{python}-{tag}" for python in PYTHONS for tag in tags}


def version() -> str:
    """Read the version from the package, the only place that has it."""
    return re.search(r'^__version__ = "(.+)"$', (SOURCES / "cybleu" / "_version.py").read_text("utf-8"), re.M)[1]


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


def check_wheel(path: Path) -> None:
    with zipfile.ZipFile(path) as archive:
        members = {member.filename: member.file_size for member in archive.infolist() if not member.is_dir()}
    extensions = {name: size for name, size in members.items() if PurePosixPath(name).suffix in (".so", ".pyd")}
    kernels = {file.stem for file in SOURCES.rglob("*.pyx")} | {"_shared"} if identifier(path.name) != "py3" else set()
    compare(f"extensions of {path.name}", {PurePosixPath(name).name.split(".")[0] for name in extensions}, kernels)
    modules = {file.relative_to(SOURCES).as_posix() for file in SOURCES.rglob("*.py")} | {"cybleu/py.typed"}
    modules |= {f"cybleu/report/page.{kind}" for kind in ("html", "css", "js")}
    others = {name for name in members if ".dist-info/" not in name} - set(extensions)
    compare(f"files of {path.name}", others, modules)
    largest = max(extensions, key=members.get, default=None)
    print(f"{path.name}: {path.stat().st_size:,} bytes", end="")
    print(f"; the largest extension is {largest}, {members[largest]:,}" if largest else "")
    for name, size in extensions.items():
        print(f"  {size:>9,}  {name}")
        if size >= LARGEST_EXTENSION:
            sys.exit(f"{name} in {path.name} must be under {LARGEST_EXTENSION:,} bytes, not {size:,}")
    if path.stat().st_size >= LARGEST_WHEEL:
        sys.exit(f"{path.name} must be under {LARGEST_WHEEL:,} bytes")


def check_sdist(path: Path) -> None:
    top = f"cybleu-{version()}"
    if path.name != f"{top}.tar.gz":
        sys.exit(f"{path.name} is not of version {version()}")
    with tarfile.open(path) as archive:
        names = {name.removeprefix(f"{top}/") for name in archive.getnames()}
    # files that build and test it; the session `sdist`, which runs its tests, detects other missing files
    tracked = subprocess.run(
        ["git", "ls-files", "src", "tests", "setup.py", "pyproject.toml", "README.md", "LICENSE"],
        cwd=ROOT,
        check=True,
        stdout=subprocess.PIPE,
        text=True,
    ).stdout.split()
    compare(f"sources in {path.name}", names & set(tracked), set(tracked))
    compare(
        f"generated files in {path.name}", {name for name in names if PurePosixPath(name).suffix in GENERATED}, set()
    )
    print(f"{path.name}: {path.stat().st_size:,} bytes, {len(names)} files")


def check_archives(*paths: str) -> None:
    for path in map(Path, paths):
        (check_wheel if path.suffix == ".whl" else check_sdist)(path)


def check_release(folder: str) -> None:
    paths = sorted(Path(folder).iterdir())
    check_archives(*map(str, paths))
    wheels = [identifier(path.name) for path in paths if path.suffix == ".whl"]
    expected = promised(tuple(tag for tags in PLATFORMS.values() for tag in tags)) | {"py3"}
    compare("wheels of the release", set(wheels), expected)
    if len(paths) != len(expected) + 1:
        sys.exit(f"{folder} has {len(paths)} files, not {len(expected)} wheels and the source archive")


def check_tag(name: str) -> None:
    if name != f"v{version()}":
        sys.exit(f"the tag {name} is not that of version {version()}")


if __name__ == "__main__":
    commands = {
        "identifiers": check_identifiers,
        "archives": check_archives,
        "release": check_release,
        "tag": check_tag,
    }
    commands[sys.argv[1]](*sys.argv[2:])
