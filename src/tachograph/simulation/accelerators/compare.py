"""Many simulations of one graph: side by side in processes, kept in the journal."""

from __future__ import annotations

import functools
import hashlib
import importlib
import itertools
import signal
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import asdict, dataclass, field
from multiprocessing import active_children, get_context
from pathlib import Path
from typing import Any

from ...errors import InputError
from ...graph.graph import Graph
from ...journal import content_key, journal
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


@functools.cache
def _model() -> str:
    """A hash of the simulator itself: other code, other results."""
    contents = hashlib.sha256()
    for path in sorted(Path(__file__).parent.parent.rglob("*")):
        if path.suffix in (".py", ".toml"):
            contents.update(path.read_bytes())
    return contents.hexdigest()[:16]


def _fingerprint(graph: Graph) -> str:
    contents = hashlib.sha256(str((graph.n, graph.directed, graph.weighted)).encode())
    for array in (graph.indptr, graph.indices, graph.weights):
        if array is not None:
            contents.update(array.data)
    return contents.hexdigest()[:16]


_graph: Graph | None = None  # of a worker process


def _begin(graph: Graph) -> None:
    """What a process of the pool does first."""
    global _graph
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # Ctrl-C ends it at once, without a traceback
    _graph = graph


def _work(job: Job) -> dict[str, Any]:
    assert _graph is not None
    return record(job.run(_graph))


def compare(
    graph: Graph, todo: Sequence[Job], processes: int = 1
) -> Iterator[tuple[int, dict[str, Any]]]:
    """Run jobs, or take their results from the journal; (number of the job, record) as they end.

    Every result is in the journal when it is given, so that a comparison that was interrupted goes
    on where it was.

    >>> import tachograph as tg
    >>> g = tg.kronecker(7, seed=1)
    >>> found = dict(compare(g, jobs("wcc", ["hitgraph", "accugraph"])))
    >>> found[1]["seconds"] < found[0]["seconds"], found[0]["provenance"]
    (True, 'simulated')
    """
    if processes < 1:
        raise InputError(f"processes = {processes}: at least one is needed")
    kept, mark = journal(), _fingerprint(graph)
    keys = [content_key(_model(), mark, asdict(job)) for job in todo]
    missing = []
    for i, key in enumerate(keys):
        if (found := kept.get(KIND, key)) is not None:
            yield i, found
        else:
            missing.append(i)
    if processes == 1 or len(missing) < 2 or graph.arcs * len(missing) < SMALL:
        for i in missing:
            made = record(todo[i].run(graph))
            kept.put(KIND, keys[i], made)
            yield i, made
        return
    others = set(active_children())
    pool = ProcessPoolExecutor(
        min(processes, len(missing)), get_context("spawn"), initializer=_begin, initargs=(graph,)
    )
    try:
        running = {pool.submit(_work, todo[i]): i for i in missing}
        for done in as_completed(running):
            i, made = running[done], done.result()
            kept.put(KIND, keys[i], made)
            yield i, made
    except BaseException:
        for process in set(active_children()) - others:
            process.terminate()  # its simulation may take hours yet
        raise
    finally:
        pool.shutdown(wait=True, cancel_futures=True)
