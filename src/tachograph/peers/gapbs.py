"""The GAP benchmark suite as a peer: programs that read the graph from a file and time themselves."""

from __future__ import annotations

import os
import re
import statistics
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from ..graph.files import write
from ..util.errors import InputError
from .libraries import ITERATIONS, TOLERANCE, Case, Facts, Job, Peer

__all__ = ["Gapbs"]

SHORTEST = 5e-6  # seconds: times are printed in steps of ten microseconds


class Gapbs(Peer):
    """The binaries in the directory $GAPBS; they read the graph from a file and time themselves."""

    name = "GAPBS"

    @classmethod
    def installed(cls) -> bool:
        return (Path(os.environ.get("GAPBS") or os.devnull) / "bfs").is_file()

    @classmethod
    def version(cls) -> str:
        return "as built"

    def __init__(self, job: Job) -> None:
        super().__init__(job)
        self.file = job.directory / "graph.sg"
        write(job.graph, self.file)

    def _case(
        self, binary: str, pattern: str, read: Callable[[Any], Facts], *options: str,
        file: Path | None = None, trials: int = 3,
    ) -> Case | None:  # fmt: skip
        """The median of some trials; ``pattern`` finds what it says about the outcome."""
        program = Path(os.environ["GAPBS"]) / binary
        if not program.is_file():
            return None
        command = [str(program), "-f", str(file or self.file), "-n", str(trials), "-a", *options]
        environment = {**os.environ, "OMP_NUM_THREADS": str(self.job.threads)}

        def run() -> tuple[float, Any]:
            done = subprocess.run(
                command, check=False, capture_output=True, text=True, env=environment
            )
            said = done.stdout
            times = re.findall(r"Trial Time:\s*([\d.]+)", said)
            if done.returncode or not times:
                raise InputError(f"{' '.join(command)} failed: {done.stderr.strip()}")
            seconds = statistics.median(float(t) for t in times)
            return max(seconds, SHORTEST), re.findall(pattern, said)

        return Case(run, read, trials=1)  # which makes three

    def bfs(self) -> Case | None:
        source = str(self.job.source)
        return self._case(
            "bfs", r"Tree has (\d+) nodes", lambda found: {"reached": int(found[0])}, "-r", source
        )

    def sssp(self) -> Case | None:
        """With the width of buckets that suits it best, of a few tried."""
        file = self.job.directory / "graph.wsg"
        write(self.job.lengths, file)
        known = self.job.lengths.features.weights or {"mean": 1.0}
        widths = [2**k for k in range(32) if 1 / 32 <= 2**k / known["mean"] <= 64][::2]

        def case(width: int, trials: int) -> Case | None:
            return self._case(
                "sssp", r"reaches (\d+) nodes", lambda found: {"reached": int(found[0])},
                "-r", str(self.job.source), "-d", str(width), file=file, trials=trials,
            )  # fmt: skip

        tried = {width: case(width, 1) for width in widths}
        times = {width: made.run()[0] for width, made in tried.items() if made is not None}
        return case(min(times, key=times.__getitem__), 3) if times else None

    def components(self) -> Case | None:
        return self._case(
            "cc", r"There are (\d+) components", lambda found: {"count": int(found[0])}
        )

    def pagerank(self) -> Case | None:
        def top(found: list[str]) -> Facts:
            scores = np.array(found, np.float64)
            return {"top": scores / scores[0]} if scores.size == 5 else {}

        limits = "-t", str(TOLERANCE), "-i", str(ITERATIONS)
        return self._case("pr", r"\n\d+:([\d.e-]+)", top, *limits)

    def triangles(self) -> Case | None:
        return self._case("tc", r"(\d+) triangles", lambda found: {"count": int(found[0])})
