"""One trace through several memories: a campaign, kept in the journal."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ...journal.campaign import Campaign, Executor, code_hash
from ...util.errors import MissingFileError
from .memory import Memory
from .statistics import MemoryResult

__all__ = ["compare"]


def work(trace: str, memory: Memory, rate: float | None, ports: str) -> dict[str, Any]:
    """Return what a memory does with the trace: a task of the campaign."""
    return memory.run(trace, rate=rate, ports=ports).to_record()


def compare(
    trace: str | os.PathLike[str],
    memories: Sequence[Memory],
    *,
    rate: float | None = None,
    ports: str = "shared",
    executor: Executor | None = None,
) -> dict[str, MemoryResult]:
    """Return what each memory does with a trace; what the journal has is not simulated again.

    ``trace`` is a file that all workers can read; ``rate`` and ``ports`` are those of
    :meth:`Memory.run`.

    >>> import numpy as np
    >>> from tachograph.simulation.dram import write_trace
    >>> write_trace("a.npz", np.arange(1000) * 64, np.zeros(1000, bool))
    >>> found = compare("a.npz", [Memory("DDR3-1600K"), Memory("HBM")])
    >>> found["HBM-1000"].seconds < found["DDR3-1600K"].seconds
    True
    """
    path = Path(trace).resolve()
    if not path.is_file():
        raise MissingFileError(f"{trace}: there is no such file")
    content = hashlib.sha256(path.read_bytes()).hexdigest()[:16]
    given = {"trace": str(path), "rate": rate, "ports": ports}
    tasks = [{**given, "memory": memory} for memory in memories]
    mark = f"{code_hash('simulation')} {content}"
    campaign = Campaign("dram", f"{__name__}:work", tasks, label="simulating", mark=mark)
    results = dict(campaign.results(executor))
    return {
        memories[i].standard.name: MemoryResult.from_record(results[i]) for i in sorted(results)
    }
