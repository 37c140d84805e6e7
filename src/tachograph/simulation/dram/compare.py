"""One trace through several memories: a campaign, kept in the journal."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ...journal.campaign import Campaign, Executor, code_hash
from ...util.errors import InputError, MissingFileError
from ...util.files import is_file
from .memory import Memory
from .runner import Block, Run
from .statistics import MemoryResult, collect
from .traces import read_blocks

__all__ = ["LINE_BYTES", "compare"]

LINE_BYTES = 64  # that an address of a trace stands for, if memories are compared on equal bytes
EQUAL = ("bytes", "requests")


def split(blocks: Iterable[Block], size: int) -> Iterator[Block]:
    """Yield blocks with a request for every ``size`` bytes of a line, one after the other."""
    pieces = max(1, LINE_BYTES // size)
    for addresses, writes, times in blocks:
        whole = np.asarray(addresses, np.int64) & -LINE_BYTES if pieces > 1 else addresses
        parts = (np.repeat(whole, pieces).reshape(-1, pieces) + np.arange(pieces) * size).ravel()
        yield parts, np.repeat(writes, pieces), np.repeat(times, pieces)


def work(trace: str, memory: Memory, rate: float | None, ports: str, equal: str) -> dict[str, Any]:
    """Return what a memory does with the trace: a task of the campaign."""
    run = Run(memory, ports, rate, False)
    size = memory.standard.request_bytes if equal == "bytes" else LINE_BYTES
    run.consume(split(read_blocks(trace), size))
    return collect(memory, run.state, run.finish(), ports=ports).to_record()


def compare(
    trace: str | os.PathLike[str],
    memories: Sequence[Memory],
    *,
    rate: float | None = None,
    ports: str = "shared",
    equal: str = "bytes",
    executor: Executor | None = None,
) -> dict[str, MemoryResult]:
    """Return what each memory does with a trace; what the journal has is not simulated again.

    ``trace`` is a file that all workers can read; ``rate`` and ``ports`` are those of
    :meth:`Memory.run`. On ``equal="bytes"`` an address stands for the 64 bytes around it, so a memory
    whose requests move 32 bytes gets two for each; on ``"requests"`` every memory gets the same ones.

    >>> import numpy as np
    >>> from tachograph.simulation.dram import write_trace
    >>> write_trace("a.npz", np.arange(1000) * 64, np.zeros(1000, bool))
    >>> found = compare("a.npz", [Memory("DDR3-1600K"), Memory("HBM2")])
    >>> [(r.requests, r.bytes) for r in found.values()]
    [(1000, 64000), (2000, 64000)]
    """
    if not is_file(trace):
        raise MissingFileError(f"{trace}: there is no such file")
    path = Path(trace).resolve()
    if equal not in EQUAL:
        raise InputError(f"unknown equal {equal!r}; known: {', '.join(EQUAL)}")
    with path.open("rb") as file:
        content = hashlib.file_digest(file, "sha256").hexdigest()[:16]
    given = {"trace": str(path), "rate": rate, "ports": ports, "equal": equal}
    tasks = [{**given, "memory": memory} for memory in memories]
    mark = f"{code_hash('simulation')} {content}"
    campaign = Campaign("dram", f"{__name__}:work", tasks, label="simulating", mark=mark)
    results = dict(campaign.results(executor))
    labels = _labels(memories)
    return {labels[i]: MemoryResult.from_record(results[i]) for i in sorted(results)}


def _labels(memories: Sequence[Memory]) -> list[str]:
    """Return names, with the settings of memories whose names are equal."""
    names = [memory.standard.name for memory in memories]
    labels: list[str] = []
    for name, memory in zip(names, memories, strict=True):
        file = [memory.name] if memory.name.endswith(".toml") else []
        told = ", ".join([*file, *(f"{k}={v}" for k, v in memory.given.items())])
        labels.append(f"{name} ({told})" if names.count(name) > 1 and told else name)
    return labels
