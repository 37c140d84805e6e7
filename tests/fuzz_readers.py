"""Coverage-guided fuzzing of a reader, by hand (needs ``pip install atheris``).

    python tests/fuzz_readers.py mtx -max_total_time=300
    python tests/fuzz_readers.py any -max_total_time=300

The first argument is a format's name or ``any`` (recognised by content); the others go to libFuzzer.
Every input must give a well-formed graph or a TachographError; anything else stops the run and
leaves the input in a file ``crash-...``. Set NUMBA_BOUNDSCHECK=1 and an own NUMBA_CACHE_DIR to have
the compiled loops' accesses checked, too.
"""

from __future__ import annotations

import sys
import tempfile
import warnings
from pathlib import Path

import atheris

with atheris.instrument_imports(include=["tachograph.graph"]):
    import tachograph as tg
    from tachograph.graph.files import FORMATS
    from tachograph.util import memory

memory.available = lambda: 200_000_000  # so that one large id does not end the run

warnings.simplefilter("ignore")
DIRECTORY = Path(tempfile.mkdtemp())
FORMAT = sys.argv.pop(1)


def corpus() -> Path:
    """Small valid files of the format to begin with."""
    directory = DIRECTORY / "corpus"
    directory.mkdir()
    g = tg.Graph.from_edges([0, 1, 1, 2], [1, 2, 1, 0], [3, 4, 5, 6], directed=False)
    for made in (g, g._replace(weights=None), tg.star(3)):
        for f in FORMATS.values():
            if FORMAT in (f.name, "any"):
                path = directory / f"{made.m}-{made.weighted}{f.suffixes[0]}"
                try:
                    tg.write(made.with_meta(source=0, sink=1), path)
                except tg.TachographError:
                    path.unlink(missing_ok=True)
    return directory


def one(data: bytes) -> None:
    path = DIRECTORY / "fuzzed"
    path.write_bytes(data)
    options = {"relabel": bool(data[:1] > b"\x80"), "directed": [None, True, False][len(data) % 3]}
    try:
        g = tg.read(path, format=None if FORMAT == "any" else FORMAT, **options)
    except tg.TachographError:
        return
    assert g.indptr[0] == 0
    assert g.indptr[-1] == g.arcs
    assert g.indices.min(initial=0) >= 0
    assert g.indices.max(initial=-1) < g.n


if __name__ == "__main__":
    atheris.Setup([*sys.argv, str(corpus())], one)
    atheris.Fuzz()
