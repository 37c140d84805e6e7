"""Many simulations of one graph: side by side in processes, kept in the journal."""

from __future__ import annotations

import hashlib
import importlib
import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from ...graph.graph import Graph
from ...journal.campaign import Campaign, Executor, code_hash
from ...journal.processes import Local
from ...kernels.runtime.launch import threads_available
from ...util.errors import InputError
from ..dram import Memory
from .accugraph import AccuGraph
from .base import Accelerator
from .hitgraph import HitGraph
from .simulate import Simulation, simulate

__all__ = ["ACCELERATORS", "Job", "compare", "design", "jobs", "record"]

ACCELERATORS: dict[str, type[Accelerator]] = {"hitgraph": HitGraph, "accugraph": AccuGraph}
KIND = "simulation"
SMALL = 1 << 22  # edges of all jobs together below which starting processes would take longer


def design(name: str) -> type[Accelerator]:
    """An accelerator by its name, or as ``package.module:Class``."""
    if ":" in name:
        module, _, attribute = name.partition(":")
        try:
            found = getattr(importlib.import_module(module), attribute)
        except (ImportError, AttributeError) as error:
            raise InputError(f"accelerator {name!r}: {error}") from None
        if not (isinstance(found, type) and issubclass(found, Accelerator)):
            raise InputError(f"accelerator {name!r} is not a subclass of Accelerator")
        return found
    if name.lower() not in ACCELERATORS:
        raise InputError(
            f"unknown accelerator {name!r}; known: {', '.join(ACCELERATORS)}, or your own as "
            "package.module:Class"
        )
    return ACCELERATORS[name.lower()]


@dataclass(frozen=True)
class Job:
    """One simulation; everything in it is plain data."""

    algorithm: str
    accelerator: str
    settings: dict[str, Any] = field(default_factory=dict)
    memory: str | None = None
    memory_settings: dict[str, Any] = field(default_factory=dict)
    options: dict[str, Any] = field(default_factory=dict)

    def run(self, graph: Graph) -> Simulation:
        """Simulate it."""
        made = design(self.accelerator)(**self.settings)
        memory = None if self.memory is None else Memory(self.memory, **self.memory_settings)
        return simulate(self.algorithm, graph, made, memory, **self.options)


def jobs(
    algorithm: str,
    accelerators: Sequence[str],
    memories: Sequence[str | None] = (None,),
    *,
    settings: Mapping[str, Sequence[Any]] | None = None,
    memory_settings: Mapping[str, Sequence[Any]] | None = None,
    sources: Sequence[int | None] = (None,),
    **options: Any,
) -> list[Job]:
    """Every combination: accelerators, memories, values of their settings, sources.

    A setting goes to those accelerators that declare it; one that none declares is an error.

    >>> len(jobs("wcc", ["hitgraph", "accugraph"], settings={"pipelines": [8, 16]}))
    3
    """
    wanted = {k: list(v) for k, v in (settings or {}).items()}
    classes = {name: design(name) for name in accelerators}
    known = sorted({p for c in classes.values() for p in c.declared()})
    for name in wanted:
        if name not in known:
            raise InputError(
                f"no accelerator here has a parameter {name!r}; known: {', '.join(known)}"
            )
    made = []
    for name, kind in classes.items():
        declared = kind.declared()
        own = {k: [declared[k].checked(v) for v in values] for k, values in wanted.items()
               if k in declared}  # fmt: skip
        for values in itertools.product(*own.values()):
            given = dict(zip(own, values, strict=True))
            for memory in memories:
                kinds = dict(memory_settings or {}) if memory is not None else {}
                for more in itertools.product(*kinds.values()):
                    for source in sources:
                        extra = {**options, **({} if source is None else {"source": source})}
                        made.append(Job(algorithm, name, given, memory,
                                        dict(zip(kinds, more, strict=True)), extra))  # fmt: skip
    return made


def record(result: Simulation) -> dict[str, Any]:
    """The numbers of a simulation as plain data."""
    return {
        "seconds": result.seconds,
        "expected_error": result.expected_error,
        "iterations": result.iterations,
        "requests": result.requests,
        "reps": result.reps,
        "teps": result.teps,
        "bytes": result.memory.bytes,
        "gbps": result.memory.gbps,
        "peak_share": result.memory.peak_share,
        "row_hit_rate": result.memory.row_hit_rate,
        "memory": result.memory.memory,
        "parameters": result.parameters,
        "phases": result.trace.summary(),
        "series": result.memory.timeline(),
        "rate": result.rate,
        "provenance": result.provenance,
    }


def _fingerprint(graph: Graph) -> str:
    contents = hashlib.sha256(str((graph.n, graph.directed, graph.weighted)).encode())
    for array in (graph.indptr, graph.indices, graph.weights):
        if array is not None:
            contents.update(array.data)
    return contents.hexdigest()[:16]


def work(graph: Graph, **job: Any) -> dict[str, Any]:
    """The record of one job: a task of the campaign."""
    return record(Job(**job).run(graph))


def compare(
    graph: Graph, todo: Sequence[Job], executor: Executor | None = None
) -> Iterator[tuple[int, dict[str, Any]]]:
    """Run jobs, or take their results from the journal; (number of the job, record) as they end.

    Every result is in the journal when it is given, so that a comparison that was interrupted goes
    on where it was. By default they run side by side on all cores, if that pays.

    >>> import tachograph as tg
    >>> g = tg.kronecker(7, rng=1)
    >>> found = dict(compare(g, jobs("wcc", ["hitgraph", "accugraph"])))
    >>> found[1]["seconds"] < found[0]["seconds"], found[0]["provenance"]
    (True, 'simulated')
    """
    campaign = Campaign(
        KIND, f"{__name__}:work", [asdict(job) for job in todo],
        mark=f"{code_hash('simulation')} {_fingerprint(graph)}", shared=graph, label="simulating",
    )  # fmt: skip
    if executor is None:
        small = graph.arcs * len(todo) < SMALL
        executor = Local(1 if small else min(threads_available(), len(todo)))
    return campaign.results(executor)
