"""The GAP benchmark suite as a peer: programs that read the graph from a file and time themselves."""

from __future__ import annotations

import os
import re
import statistics
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import numpy as np

from ..graph.files import write
from ..util.errors import InputError
from .facts import Facts
from .peer import MAX_ITER, SEVERAL_SECONDS, TOL, TRIALS, Case, Job, Peer

__all__ = ["Gapbs"]

SHORTEST_SECONDS = 5e-6  # times are printed in steps of ten microseconds


class Said(NamedTuple):
    """What a program printed: the median of its times, and what it says about the outcome."""

    seconds: float
    found: list[str]


class Gapbs(Peer):
    """The binaries in the directory $GAPBS."""

    name = "GAPBS"

    @classmethod
    def installed(cls) -> bool:
        return (Path(os.environ.get("GAPBS") or os.devnull) / "bfs").is_file()

    @classmethod
    def version(cls) -> str:
        return "as built"

    def __init__(self, job: Job) -> None:
        super().__init__(job)
        self.file: Path = job.directory / "graph.sg"
        write(job.graph, self.file)

    def _said(self, words: list[str], pattern: str, trials: int = 1) -> Said:
        """Run a program; ``pattern`` finds what it says about the outcome."""
        program, file, *options = words
        place = Path(os.environ["GAPBS"]) / program
        command = [str(place), "-f", file, "-n", str(trials), "-a", *options]
        environment = {**os.environ, "OMP_NUM_THREADS": str(self.job.threads)}
        done = subprocess.run(command, check=False, capture_output=True, text=True, env=environment)
        times = re.findall(r"Trial Time:\s*([\d.]+)", done.stdout)
        if done.returncode or not times:
            raise InputError(f"{' '.join(command)} failed: {done.stderr.strip()}")
        seconds = statistics.median(float(t) for t in times)
        return Said(max(seconds, SHORTEST_SECONDS), re.findall(pattern, done.stdout))

    def _case(
        self, words: list[str], pattern: str, facts: Callable[[list[str]], Facts]
    ) -> Case | None:
        if not (Path(os.environ["GAPBS"]) / words[0]).is_file():
            return None
        last = SEVERAL_SECONDS

        def call() -> Said:  # makes all trials of a turn
            nonlocal last
            said = self._said(words, pattern, TRIALS if last < SEVERAL_SECONDS else 1)
            last = said.seconds
            return said

        return Case(call, lambda said: facts(said.found), lambda said: said.seconds, 1)

    def bfs(self) -> Case | None:
        words = ["bfs", str(self.file), "-r", str(self.job.source)]
        return self._case(words, r"Tree has (\d+) nodes", _number("reached"))

    def sssp(self) -> Case | None:
        """Time it with the width of buckets that suits it best, of a few tried."""
        file, pattern = self.job.directory / "graph.wsg", r"reaches (\d+) nodes"
        write(self.job.lengths, file)
        words = ["sssp", str(file), "-r", str(self.job.source), "-d"]
        case = self._case(words, pattern, _number("reached"))
        if case is None:
            return None
        mean = (self.job.lengths.features.weights or {"mean": 1.0})["mean"]
        widths = [2**k for k in range(32) if 1 / 32 <= 2**k / mean <= 64][::2]
        tried = {w: self._said([*words, str(w)], pattern, trials=2).seconds for w in widths}
        best = min(tried, key=tried.__getitem__)
        return self._case([*words, str(best)], pattern, _number("reached"))

    def connected_components(self) -> Case | None:
        return self._case(["cc", str(self.file)], r"There are (\d+) components", _number("count"))

    def pagerank(self) -> Case | None:
        def top(found: list[str]) -> Facts:
            scores = np.array(found, np.float64)
            return {"top": scores / scores[0]} if scores.size == 5 else {}

        words = ["pr", str(self.file), "-t", str(TOL), "-i", str(MAX_ITER)]
        return self._case(words, r"\n\d+:([\d.e-]+)", top)

    def triangles(self) -> Case | None:
        return self._case(["tc", str(self.file)], r"(\d+) triangles", _number("count"))


def _number(name: str) -> Callable[[list[str]], Facts]:
    """Return a reader of one whole number."""
    return lambda found: {name: int(found[0])}
