"""The command ``python -m tests.fuzz``: shares out inputs to processes, watches them, counts."""

from __future__ import annotations

import argparse
import faulthandler
import json
import math
import mmap
import os
import random
import resource
import signal
import struct
import subprocess
import sys
import tempfile
import threading
import time
import traceback
import warnings
from collections import Counter, defaultdict
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

from . import BLOCKED_SECONDS, HANG_SECONDS, MOST_BYTES, Use

FORMATS = ("tgraph", "parquet", "arrow", "npz", "mtx", "tntp", "max", "gr", "sg", "wsg", "metis", "csv", "el", "wel", "edgelist")  # fmt: skip
#: How many of a thousand inputs are of each kind.
SHARES = {
    **dict.fromkeys(FORMATS, 54.0),
    "compressed": 35.0,
    "names": 30.0,
    "coordinates": 10.0,
    "table": 35.0,
    "calibration": 35.0,
    "model": 20.0,
    "journal": 10.0,
    "requests": 18.0,
    "report": 4.0,
    "partition": 3.0,
    "edges": 5.0,
    "checkpoint": 2.0,
    "published": 5.0,
    "gpu": 5.0,
    "memory": 5.0,
    "hints": 10.0,
    "list": 5.0,
    "lab": 5.0,
}
SAID = 500  # inputs after which a process says what became of them
BATCH = 20_000  # inputs of one kind for a process
#: The job and the input that a process is at, since when, and the processor's seconds until then.
PLACE = struct.Struct("<qqdd")
STARTING = -1
SHARED_MEMORY = (
    "/dev/shm" if Path("/dev/shm").is_dir() else None
)  # no disk has to write all the files
POLL_SECONDS = 0.25
START_SECONDS = 300.0  # imports, compiling


class Job(NamedTuple):
    """Inputs of a kind, from ``first`` to before ``last``."""

    kind: str
    first: int
    last: int


def made(kind: str, place: Path) -> Use:
    """Return what makes and uses inputs of a kind."""
    if kind in FORMATS:
        from .readers import Reader

        return Reader(kind, place)
    from . import directories, own_files, partitions, readers, requests, settings, tables, traces

    kinds: dict[str, Any] = {
        "compressed": readers.Compressed,
        "names": readers.Names,
        "coordinates": readers.Coordinates,
        "table": tables.Tables,
        "calibration": own_files.Calibrations,
        "model": own_files.Models,
        "journal": own_files.Journals,
        "requests": traces.Requests,
        "report": traces.Reports,
        "partition": partitions.Partitions,
        "edges": directories.Edges,
        "checkpoint": directories.Checkpoints,
        "published": directories.Published,
        "gpu": settings.GPUs,
        "memory": settings.Memories,
        "hints": settings.Hints,
        "list": settings.Lists,
        "lab": requests.Asked,
    }
    found: Use = kinds[kind](place)
    return found


def outcome(use: Use, seed: int, kind: str, at: int) -> tuple[str, str]:
    """Use an input; return what became of it, and a traceback if it failed."""
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    begin, used = time.monotonic(), time.process_time()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            what = "accepted" if use(random.Random(f"{seed} {kind} {at}")) else "refused"
    except AssertionError:
        return "wrong", traceback.format_exc()
    except Exception:
        return "raw", traceback.format_exc()
    used, waited = time.process_time() - used, time.monotonic() - begin
    if used > HANG_SECONDS or waited > BLOCKED_SECONDS:
        return "hang", f"{used:.1f} s of the processor in {waited:.1f} s"
    more = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) * 1024
    return ("memory", f"{more:,} bytes") if more > MOST_BYTES else (what, "")


def child(jobs: list[Job], seed: int, path: str, seconds: float = math.inf) -> None:
    """Do the jobs; say where in the file ``path``, and what was found on standard output.

    A job that has used the processor for so many ``seconds`` is done.

    The place is copied at once: ``pack_into`` would write zeros first, which others may see.
    """
    faulthandler.enable()
    with open(path, "r+b") as file:
        place = mmap.mmap(file.fileno(), PLACE.size)
    for number, (kind, first, last) in enumerate(jobs):
        place[:] = PLACE.pack(number, STARTING, time.monotonic(), time.process_time())
        counts: Counter[str] = Counter()
        with tempfile.TemporaryDirectory() as directory:
            use = made(kind, Path(directory))
            end = time.process_time() + seconds
            for at in range(first, last):
                place[:] = PLACE.pack(number, at, time.monotonic(), time.process_time())
                what, told = outcome(use, seed, kind, at)
                if what == "hang":  # once more: something may have been compiled
                    what, told = outcome(use, seed, kind, at)
                counts[what] += 1
                if told:
                    say(kind=kind, at=at, what=what, told=told)
                over = at + 1 == last or time.process_time() > end
                if over or (at + 1 - first) % SAID == 0:
                    say(kind=kind, counts=counts, job=number, upto=last if over else at + 1)
                    counts.clear()
                if over:
                    break
    place[:] = PLACE.pack(len(jobs), STARTING, time.monotonic(), time.process_time())


def say(**entry: object) -> None:
    print(json.dumps(entry), flush=True)


class Totals:
    """What was found, by kind."""

    def __init__(self, seed: int) -> None:
        self.seed, self.lock = seed, threading.Lock()
        self.counts: dict[str, Counter[str]] = defaultdict(Counter)
        self.seconds: dict[str, float] = defaultdict(float)
        self.failures: list[str] = []
        self.hung: set[tuple[str, int]] = set()
        self._known: set[str] = set()

    def failed(self, kind: str, at: int, what: str, told: str) -> None:
        """Keep the first failure of each sort."""
        lines = [line for line in told.splitlines() if line.startswith("  File")]
        ours = [line for line in lines if "/tachograph/" in line] or lines or [told[:60]]
        last = told.splitlines()[-1][:20] if told else ""
        sort = f"{kind} {what} {ours[-1]} {last}"
        if sort not in self._known:
            self._known.add(sort)
            again = f"python -m tests.fuzz {kind} --seed {self.seed} --at {at}"
            self.failures.append(f"{what}: {again}\n{told[-1500:]}")
            print(self.failures[-1], file=sys.stderr, flush=True)

    def so_far(self, kind: str) -> str:
        with self.lock:
            each, every = self.counts[kind], sum(self.counts.values(), Counter())
            bad = each.total() - each["accepted"] - each["refused"]
        return f"{kind}: {each.total():,} inputs, {bad} failures; all: {every.total():,} inputs"

    def table(self) -> str:
        bad = ("raw", "wrong", "hang", "memory", "crash")
        heads = ["kind", "inputs", "accepted", "refused", *bad, "per second"]
        rows = []
        for kind in [*self.counts, "all"]:
            each = self.counts[kind] if kind != "all" else sum(self.counts.values(), Counter())
            seconds = self.seconds[kind] if kind != "all" else sum(self.seconds.values())
            cells = [each.total(), *(each[name] for name in ("accepted", "refused", *bad))]
            rows.append(
                [kind, *(f"{n:,}" for n in cells), f"{each.total() / max(seconds, 0.1):,.0f}"]
            )
        widths = [max(len(row[k]) for row in [heads, *rows]) for k in range(len(heads))]
        lines = [
            "  ".join(c.rjust(w) for c, w in zip(row, widths, strict=True))
            for row in [heads, *rows]
        ]
        return "\n".join(lines)


def perform(jobs: list[Job], seed: int, totals: Totals, seconds: float = math.inf) -> None:
    """Do jobs in a process, each for ``seconds`` at most; after a crash or a hang, the rest in another one."""
    # Whatever a process that is killed leaves goes with this directory.
    home_of = tempfile.TemporaryDirectory(dir=SHARED_MEMORY)
    with tempfile.NamedTemporaryFile() as file, home_of as home:
        while jobs:
            file.seek(0)
            file.write(PLACE.pack(0, STARTING, time.monotonic(), 0.0))
            file.flush()
            words = [sys.executable, "-m", "tests.fuzz", "--jobs", json.dumps(jobs)]
            words += ["--seed", str(seed), "--place", file.name, "--seconds", str(seconds)]
            with tempfile.TemporaryFile("w+") as out, tempfile.TemporaryFile("w+") as errors:
                environment = {**os.environ, "TACHOGRAPH_HOME": home, "TMPDIR": home}
                begin = time.monotonic()
                process = subprocess.Popen(words, stdout=out, stderr=errors, env=environment)
                try:
                    hung = watch(process, file.name)
                finally:
                    process.kill()
                    process.wait()
                taken = time.monotonic() - begin
                out.seek(0)
                errors.seek(0)
                with totals.lock:
                    jobs = after(jobs, file.name, totals, hung, out.read(), errors.read(), taken)


def watch(process: subprocess.Popen[bytes], path: str) -> bool:
    """Wait for the end of a process; return whether it hangs."""
    while process.poll() is None:
        time.sleep(POLL_SECONDS)
        _, at, since, before = PLACE.unpack(Path(path).read_bytes()[: PLACE.size])
        starting = at == STARTING
        used, waited = seconds_of(process.pid) - before, time.monotonic() - since
        most = START_SECONDS if starting else 3 * HANG_SECONDS  # it may try twice
        if used > most or waited > 3 * (START_SECONDS if starting else BLOCKED_SECONDS):
            return True
    return False


def seconds_of(process: int) -> float:
    """The processor's seconds that another process has used."""
    try:
        words = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    except OSError:  # it has ended, or there is no such directory
        return 0.0
    return (int(words[11]) + int(words[12])) / os.sysconf("SC_CLK_TCK")


def after(jobs: list[Job], path: str, totals: Totals, hung: bool, out: str, errors: str, taken: float) -> list[Job]:  # fmt: skip
    """Count what a process said; return what is left to do."""
    number, at, _, _ = PLACE.unpack(Path(path).read_bytes()[: PLACE.size])
    done: Counter[str] = Counter()
    upto: dict[int, int] = {}  # by job, what the process has told of
    for line in out.splitlines():
        entry = json.loads(line)
        if "counts" in entry:
            totals.counts[entry["kind"]] += Counter(entry["counts"])
            done[entry["kind"]] += sum(entry["counts"].values())
            upto[entry["job"]] = entry["upto"]
        else:
            totals.failed(entry["kind"], entry["at"], entry["what"], entry["told"])
    for kind, count in done.items():
        totals.seconds[kind] += taken * count / max(done.total(), 1)
    if number == len(jobs):
        return []
    kind, first, last = jobs[number]
    told = upto.get(number, first)
    at = at if at == STARTING else min(max(at, told), last - 1)
    if told == last:  # it had done everything
        return jobs[number + 1 :]
    if at == STARTING:
        raise SystemExit(f"{kind} cannot be started:\n{errors[-3000:]}")
    totals.counts[kind]["unsaid"] += at - told  # were used, but nobody knows what became of them
    left = [Job(kind, at + 1, last), *jobs[number + 1 :]] if at + 1 < last else jobs[number + 1 :]
    if hung and (kind, at) not in totals.hung:  # the machine may have been busy: once more, alone
        totals.hung.add((kind, at))
        return [Job(kind, at, at + 1), *left]
    totals.counts[kind]["hang" if hung else "crash"] += 1
    totals.failed(kind, at, "hang" if hung else "crash", errors)
    return left


def shared_out(kinds: list[str], inputs: int) -> Iterator[Job]:
    """Yield jobs for so many inputs in all."""
    total = sum(SHARES[kind] for kind in kinds)
    for kind in kinds:
        count = max(1, round(inputs * SHARES[kind] / total))
        for first in range(0, count, BATCH):
            yield Job(kind, first, min(first + BATCH, count))


def main() -> int:
    options = argparse.ArgumentParser(
        prog="python -m tests.fuzz", description="Damaged inputs of every kind."
    )
    options.add_argument("kinds", nargs="*", metavar="KIND", help=", ".join(SHARES))
    options.add_argument("--inputs", type=int, default=1_000_000, help="in all")
    options.add_argument("--seconds", type=float, help="of the processor for each kind at most")
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--at", type=int, help="use this input only, in this process")
    options.add_argument("--processes", type=int, default=1)
    options.add_argument("--together", action="store_true", help="one process for all kinds")
    for hidden in ("--jobs", "--place"):
        options.add_argument(hidden, help=argparse.SUPPRESS)
    told = options.parse_args()
    if told.jobs:
        child([Job(*job) for job in json.loads(told.jobs)], told.seed, told.place, told.seconds)
        return 0
    kinds = told.kinds or list(SHARES)
    if wrong := set(kinds) - set(SHARES):
        options.error(f"no kind is called {', '.join(sorted(wrong))}")
    if told.at is not None:
        with tempfile.TemporaryDirectory() as directory:
            os.environ["TACHOGRAPH_HOME"] = directory
            what = outcome(made(kinds[0], Path(directory)), told.seed, kinds[0], told.at)
            print(*what)
            return 0
    totals, jobs = Totals(told.seed), list(shared_out(kinds, told.inputs))
    seconds = math.inf
    if told.seconds is not None:
        jobs, seconds = [Job(kind, 0, told.inputs) for kind in kinds], told.seconds
    batches = [jobs] if told.together else [[job] for job in jobs]
    with ThreadPoolExecutor(told.processes) as pool:
        for batch, _ in zip(
            batches,
            pool.map(lambda b: perform(b, told.seed, totals, seconds), batches),
            strict=True,
        ):
            print(totals.so_far(batch[-1].kind), file=sys.stderr, flush=True)
    print(totals.table())
    return 1 if totals.failures else 0


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    sys.exit(main())
