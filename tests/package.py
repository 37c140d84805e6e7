"""``make package``: build a wheel and a source distribution, and try each in an empty environment.

The source distribution goes to the Python that runs this, with the lowest versions that
``pyproject.toml`` permits; the wheel goes to the newest Python at hand, with the newest versions.
Neither sees the source tree: ``smoke.py`` runs from a copy.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).parent.parent
NEWER = ("3.14", "3.13", "3.12")  # Pythons to look for, the newest first


def lowest() -> list[str]:
    """Return the lowest version of every dependency."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return [re.sub(">=", "==", text) for text in project["dependencies"]]


def newest_python() -> str:
    """Return the newest Python here that the classifiers promise; say so if there is only this one."""
    promised = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    for version in (v for v in NEWER if f"Python :: {v}" in promised):
        kept = sorted((Path.home() / ".pyenv" / "versions").glob(f"{version}.*/bin/python"))
        for python in (f"python{version}", *map(str, kept)):
            if not shutil.which(python):
                continue
            if not subprocess.run([python, "-c", ""], capture_output=True).returncode:
                return python
    print(
        f"WARNING: no Python of {', '.join(NEWER)} is here, so the wheel is tried on this one only"
    )
    return sys.executable


def tried(python: str, made: Path, versions: list[str], where: Path) -> str:
    """Install a distribution into an empty environment, and use it there; return what happened."""
    environment = where / "environment"
    subprocess.run([python, "-m", "venv", "--without-pip", environment], check=True)
    inside = environment / "bin" / "python"
    install = [
        sys.executable,
        "-m",
        "pip",
        "--python",
        inside,
        "install",
        "--quiet",
        "--no-compile",
    ]
    subprocess.run([*install, made, *versions], check=True)
    smoke = shutil.copy(ROOT / "tests" / "smoke.py", where)
    own = {**os.environ, "TACHOGRAPH_HOME": str(where / "home")}
    own = {k: v for k, v in own.items() if k not in ("PYTHONPATH", "NUMBA_CACHE_DIR")}
    ended = subprocess.run(
        [inside, "-I", smoke], cwd=where, env=own, text=True, capture_output=True, check=False
    )
    if ended.returncode:
        sys.exit(f"{made.name} on {python}: {ended.stdout}{ended.stderr}")
    return f"{made.name} with {', '.join(versions) or 'the newest versions'}: {ended.stdout}"


def main() -> None:
    """Build both, then try both side by side."""
    out = ROOT / "dist"
    shutil.rmtree(out, ignore_errors=True)
    subprocess.run(
        [sys.executable, "-m", "build", "--no-isolation", "--outdir", out, ROOT],
        check=True,
        stdout=subprocess.DEVNULL,
    )
    (wheel,), (source,) = out.glob("*.whl"), out.glob("*.tar.gz")
    with tempfile.TemporaryDirectory() as directory, ThreadPoolExecutor() as pool:
        places = [Path(directory, name) for name in ("source", "wheel")]
        for place in places:
            place.mkdir()
        todo = [
            pool.submit(tried, sys.executable, source, lowest(), places[0]),
            pool.submit(tried, newest_python(), wheel, [], places[1]),
        ]
        for done in todo:
            print(done.result(), end="")


if __name__ == "__main__":
    main()
