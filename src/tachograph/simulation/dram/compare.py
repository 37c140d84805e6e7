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


def work(
    trace: str, memory: str, settings: dict[str, Any], rate: float | None, ports: str
) -> dict[str, Any]:
    """What a memory did with the trace: a task of the campaign."""
    return Memory(memory, **settings).run(trace, rate=rate, ports=ports).to_record()


def compare(
    trace: str | os.PathLike[str],
    memories: Sequence[str],
    settings: dict[str, Any] | None = None,
    *,
    rate: float | None = None,
    ports: str = "shared",
    executor: Executor | None = None,
) -> dict[str, MemoryResult]:
    """What each memory does with a trace; what the journal has is not simulated again.

    Parameters
    ----------
    trace
        A file that all workers can read.
    memories
        Their names, or .toml files.
    settings
        Of every memory: further arguments of :class:`Memory`.
    rate, ports
        As in :meth:`Memory.run`.

    >>> import numpy as np
    >>> from tachograph.simulation.dram import write_trace
    >>> write_trace("a.npz", np.arange(1000) * 64, np.zeros(1000, bool))
    >>> found = compare("a.npz", ["DDR3-1600K", "HBM"])
    >>> found["HBM-1000"].seconds < found["DDR3-1600K"].seconds
    True
    """
    names = [
        Memory(memory, **(settings or {})).standard.name for memory in memories
    ]  # all are right
    path = Path(trace).resolve()
    if not path.is_file():
        raise MissingFileError(f"{trace}: there is no such file")
    files = [path, *(Path(memory) for memory in memories if Path(memory).is_file())]
    contents = [hashlib.sha256(file.read_bytes()).hexdigest()[:16] for file in files]
    tasks = [
        {"trace": str(path), "memory": memory, "settings": settings or {}, "rate": rate,
         "ports": ports}
        for memory in memories
    ]  # fmt: skip
    campaign = Campaign(
        "dram", f"{__name__}:work", tasks, label="simulating",
        mark=f"{code_hash('simulation')} {' '.join(contents)}",
    )  # fmt: skip
    results = dict(campaign.results(executor))
    return {names[i]: MemoryResult.from_record(results[i]) for i in sorted(results)}
