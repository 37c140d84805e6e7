"""Fuzzing of the readers of graph files: damaged files give an error, or the graph they describe.

    python -m tests.fuzz_readers mtx --seconds 300         # random damage to the stored corpus
    python -m tests.fuzz_readers mtx -max_total_time=300   # guided by coverage: pip install atheris

A failure is an exception that is not ours, a graph that differs from what the slow reader in
``graph/files/reference.py`` finds, more than five seconds for one file (compiling apart), or the end of the process. The
file is left as ``fuzz-failure`` beside the format's name. Set NUMBA_BOUNDSCHECK=1 and an own
NUMBA_CACHE_DIR to have the compiled loops' accesses checked, too.
"""

from __future__ import annotations

import argparse
import faulthandler
import math
import random
import sys
import tempfile
import time
import warnings
import zlib
from collections import Counter
from pathlib import Path

import tachograph as tg
from tachograph.graph.files import FORMATS
from tachograph.kernels.runtime.launch import clock
from tests.graph.files import reference

CORPUS = Path(__file__).resolve().parent / "graph" / "files" / "corpus"
MEMORY = "100 MB"  # so that one large id does not end the run
HANG_SECONDS = 5.0
WORDS = (b"\n", b" ", b"-1", b"999999999999", b"nan", b"\0", b"#", b"%", b"1e400", b"\r", b",", b"0x1",
         b"2147483648", b"\xff", b"9007199254740993", b"007", b"1_0", b"1.0")  # fmt: skip
NUMBERS = (0, 1, 2, 255, 2**31 - 1, 2**31, 2**32 - 1, 2**40, 2**63 - 1, 2**64 - 1)


def damage(raw: bytes, rng: random.Random) -> bytes:
    """Return a file with a few places changed."""
    made = bytearray(raw)
    for _ in range(rng.choice((1, 1, 1, 2, 3, 6))):
        at = rng.randrange(len(made) + 1)
        kind = rng.randrange(6)
        if kind == 0 and at < len(made):
            made[at] = rng.choice((0, 1, 127, 128, 255, rng.randrange(256)))
        elif kind == 1:
            made[at : at + rng.choice((0, 1))] = rng.choice(WORDS)
        elif kind == 2:
            width = rng.choice((1, 4, 8))
            value = rng.choice(NUMBERS) % 2 ** (8 * width)
            made[at : at + width] = value.to_bytes(width, "little")
        elif kind == 3:
            del made[at : at + rng.randint(1, 40)]
        elif kind == 4:
            made[at:at] = made[at : at + rng.randint(1, 40)]
        elif at < len(made):
            made[at] ^= 1 << rng.randrange(8)
    return mended(bytes(made)) if rng.random() < 0.7 else bytes(made)


def mended(raw: bytes) -> bytes:
    """Return a ``.tgraph`` file with the checksum of its header made right, anything else as it is."""
    if not raw.startswith(b"\x89TGRAPH\n") or len(raw) < 20:
        return raw
    length = int.from_bytes(raw[12:16], "little")
    return raw[:16] + zlib.crc32(raw[20 : 20 + length]).to_bytes(4, "little") + raw[20:]


def differs(path: Path, name: str) -> str:
    """Return how the package and the slow reader disagree about a file, or ''."""
    raw = path.read_bytes()
    begin = clock()
    try:
        with tg.limits(memory=MEMORY):
            g = tg.read(path, format=name)
            source, target, weights = g.to_edges()
    except tg.TachographError:
        g = None
    if clock() - begin > HANG_SECONDS:
        return f"{clock() - begin:.1f} seconds"
    if g is None:
        return ""
    if g.names is not None:
        return ""
    values = [None] * g.m if weights is None else weights.astype(float).tolist()
    found = Counter(zip(source.tolist(), target.tolist(), values, strict=True))
    try:
        expected = reference.READERS[name](raw).plain()
    except Exception as error:  # the slow reader does not refuse, it fails
        return f"accepted {g!r}, but: {type(error).__name__} {error}"
    return "" if (g.n, g.directed, found) == expected else f"{g!r} {found}, not {expected}"


def check(raw: bytes, name: str, directory: Path) -> None:
    path = directory / f"fuzzed-{name}"
    path.write_bytes(raw)
    problem = differs(path, name)
    if problem:
        path.replace(f"fuzz-failure-{name}")
        raise AssertionError(f"{name}: {problem}"[:2000])


def fuzz(name: str, seconds: float, seed: int, most: float = math.inf) -> int:
    """Damage files of the corpus until the time is over or ``most`` were read; return how many were."""
    rng, count = random.Random(seed), 0
    seeds = [path.read_bytes() for path in sorted((CORPUS / name).iterdir())]
    tg.read(next((CORPUS / name).iterdir()), format=name)  # what it imports does not count
    with tempfile.TemporaryDirectory() as directory:
        for raw in seeds:
            check(raw, name, Path(directory))
        end = time.monotonic() + seconds
        while time.monotonic() < end and count < most:
            check(damage(rng.choice(seeds), rng), name, Path(directory))
            count += 1
    return count


def guided(name: str, options: list[str]) -> None:
    import atheris

    atheris.instrument_all()
    directory = Path(tempfile.mkdtemp())
    arguments = [sys.argv[0], *options, str(CORPUS / name)]
    atheris.Setup(arguments, lambda data: check(data, name, directory))
    atheris.Fuzz()


if __name__ == "__main__":
    faulthandler.enable()
    warnings.simplefilter("ignore")
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("format", choices=FORMATS)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--most", type=float, default=math.inf)
    parser.add_argument("--seed", type=int, default=time.time_ns())
    given, rest = parser.parse_known_args()
    if rest:
        guided(given.format, rest)
    print(f"{given.format}: seed {given.seed}", flush=True)
    print(f"{given.format}: {fuzz(given.format, given.seconds, given.seed, given.most):,} files")
