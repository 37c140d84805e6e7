"""Many simulations of one graph: side by side in processes, each kept in the journal as a run."""

from __future__ import annotations

import hashlib
import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import cast

import numpy as np

from ...graph.graph import Graph
from ...journal import Run, journal
from ...journal.campaign import Campaign, Executor, Record, code_hash
from ...kernels.runtime.launch import threads_available
from ...util.errors import InputError
from ...util.names import canonical
from ...util.processes import Local
from ..dram import Memory
from .problem import Question
from .simulate import Job, Numbers, accelerator_named

__all__ = ["PAPER_ROOTS", "PAPER_SEED", "compare", "jobs", "roots", "variation"]

ONE_PROCESS_BELOW_EDGES = 1 << 22  # of all jobs together: starting processes would take longer
PAPER_SEED, PAPER_ROOTS = 3483584297, 20


def jobs(
    question: Question,
    accelerators: Sequence[str],
    memories: Sequence[Memory | None] = (None,),
    *,
    settings: Mapping[str, Sequence[object]] | None = None,
    sources: Sequence[int] = (),
) -> list[Job]:
    """Return every combination of accelerators, values of their settings, memories and sources.

    A setting goes to those accelerators that declare it; one that none declares is an error.

    >>> len(jobs(Question("wcc"), ["hitgraph", "accugraph"], settings={"pipelines": [8, 16]}))
    3
    """
    wanted = dict(settings or {})
    classes = [accelerator_named(name) for name in accelerators]
    known = sorted({name for kind in classes for name in kind.declared()})
    for name in wanted:
        if name not in known:
            raise InputError(
                f"no accelerator here has a parameter {name!r}; known: {', '.join(known)}"
            )
    asked = replace(question, task=canonical(question.task))
    questions = [replace(asked, source=source) for source in sources] or [asked]
    machines = []
    for kind in classes:
        own = {name: values for name, values in wanted.items() if name in kind.declared()}
        for values in itertools.product(*own.values()):
            machines.append(kind(**dict(zip(own, values, strict=True))))
    every = itertools.product(machines, memories, questions)
    return [Job(asked, machine, memory) for machine, memory, asked in every]


@dataclass(frozen=True)
class Simulations(Campaign):
    """Jobs as a campaign; ``graph`` describes what they run on."""

    graph: Record = field(default_factory=dict)

    def known(self, key: str) -> Record | None:
        """Return the numbers of the run with this key."""
        run = journal().run_with_key(key)
        return None if run is None else {**run.facts, "run": run.id}

    def keep(self, task: Mapping[str, object], key: str, record: Record) -> None:
        """Record a run."""
        job = cast(Job, task["job"])
        run = Run(
            f"{job.question.task} on {job.name}",
            self.graph,
            record["seconds"],
            options={**job.accelerator.given, **job.question.options},
            provenance="simulated",
            facts=record,
            key=key,
        )
        record["run"] = journal().record(run)


def work(graph: Graph, job: Job) -> Numbers:
    """Return the numbers of one job: a task of the campaign."""
    return job.run(graph).numbers()


def compare(
    graph: Graph, todo: Sequence[Job], executor: Executor | None = None, name: str | None = None
) -> Iterator[tuple[int, Numbers]]:
    """Run jobs, or take their results from the journal; yield (number of the job, numbers) as they end.

    A result is in the journal when it is yielded, so that a comparison that was interrupted goes on
    where it was. By default jobs run side by side on all cores, if that pays. ``name`` is the graph's
    in the journal.

    >>> import tachograph as tg
    >>> g = tg.kronecker(7, rng=1)
    >>> found = dict(compare(g, jobs(Question("wcc"), ["hitgraph", "accugraph"])))
    >>> found[1]["seconds"] < found[0]["seconds"], found[0]["provenance"]
    (True, 'simulated')
    """
    if executor is None:
        small = graph.arcs * len(todo) < ONE_PROCESS_BELOW_EDGES
        executor = Local(1 if small else min(threads_available(), len(todo)))
    about = _about(graph, name)
    campaign = Simulations(
        "simulation",
        f"{__name__}:work",
        [{"job": job} for job in todo],
        mark=f"{code_hash('simulation')} {about['mark']}",
        shared=graph,
        label="simulating",
        graph=about,
    )
    return cast(Iterator[tuple[int, Numbers]], campaign.results(executor))


def _about(graph: Graph, name: str | None) -> dict[str, str | int]:
    """Return a graph's name and sizes, and a hash of its contents."""
    contents = hashlib.sha256(str((graph.n, graph.directed, graph.weighted)).encode())
    for array in (graph.indptr, graph.indices, graph.weights):
        if array is not None:
            contents.update(array.data)
    sizes = {k: getattr(graph, k) for k in ("n", "m", "arcs", "directed", "weighted")}
    return {"name": name or repr(graph), **sizes, "mark": contents.hexdigest()[:16]}


def roots(n: int, count: int = PAPER_ROOTS, rng: int = PAPER_SEED) -> list[int]:
    """Draw start vertices with C++'s mt19937, as ``uniform_int_distribution`` maps its numbers.

    The paper names generator and seed, not the mapping; this is that of today's libstdc++.

    >>> len(roots(1000)), roots(1000) == roots(1000)
    (20, True)
    """
    if n < 1 or count < 1:
        raise InputError(
            f"{count} roots of a graph with {n} vertices: at least one of each is needed"
        )
    twister = np.random.MT19937()
    twister._legacy_seeding(rng % 2**32)  # as C++ seeds it
    found: list[int] = []
    while len(found) < count:
        product = int(twister.random_raw()) * n
        if product % 2**32 >= 2**32 % n:  # the few that would make some vertices more likely
            found.append(product >> 32)
    return found


def variation(seconds: Sequence[float]) -> dict[str, float]:
    """Return mean, standard deviation and coefficient of variation (figure 10).

    >>> variation([1.0, 3.0])
    {'mean': 2.0, 'deviation': 1.0, 'coefficient': 0.5}
    """
    mean, deviation = float(np.mean(seconds)), float(np.std(seconds))
    return {"mean": mean, "deviation": deviation, "coefficient": deviation / mean if mean else 0.0}
