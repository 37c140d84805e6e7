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

from ..errors import InputError
from ..graph.files import write
from .peers import ITERATIONS, TOLERANCE, Case, Facts, Job, Peer

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
        self, binary: str, pattern: str, read: Callable[[Any], Facts], *options: str
    ) -> Case | None:
        """The median of three trials; ``pattern`` finds what it says about the outcome."""
        program = Path(os.environ["GAPBS"]) / binary
        if not program.is_file():
            return None
        command = [str(program), "-f", str(self.file), "-n", "3", "-a", *options]
        environment = {**os.environ, "OMP_NUM_THREADS": str(self.job.threads)}

        def run() -> tuple[float, Any]:
            done = subprocess.run(
                command, check=False, capture_output=True, text=True, env=environment
            )
            said = done.stdout
            trials = re.findall(r"Trial Time:\s*([\d.]+)", said)
            if done.returncode or not trials:
                raise InputError(f"{' '.join(command)} failed: {done.stderr.strip()}")
            seconds = statistics.median(float(t) for t in trials)
            return max(seconds, SHORTEST), re.findall(pattern, said)

        return Case(run, read, trials=1)  # which makes three

    def bfs(self) -> Case | None:
        source = str(self.job.source)
        return self._case(
            "bfs", r"Tree has (\d+) nodes", lambda found: {"reached": int(found[0])}, "-r", source
        )

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
