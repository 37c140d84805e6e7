"""The one door to simulated machines: accelerators and GPUs by name."""

from __future__ import annotations

import os
from typing import Any

from numpy import ndarray

from ..graph.convert import as_graph
from ..graph.graph import Graph
from ..util.errors import InputError
from ..util.text import did_you_mean
from .accelerators.problem import Simulation
from .accelerators.simulate import ACCELERATORS
from .accelerators.simulate import simulate as on_accelerator
from .dram.memory import Memory
from .gpus.gpu import GPU, is_gpu, known_gpus
from .gpus.result import GpuSimulation
from .gpus.simulate import simulate as on_gpu

__all__ = ["simulate"]


def simulate(
    task: str, graph: Graph, machine: Any, memory: Any = None, **options: Any
) -> Simulation | GpuSimulation:
    """Run a task on a simulated accelerator or GPU, by its memory requests.

    Parameters
    ----------
    task
        What to run, such as ``"bfs"``. Accelerators run ``bfs``, ``sssp``, ``connected_components``,
        ``pagerank`` and ``spmv``; GPUs ``bfs``, ``sssp``, similarities such as ``jaccard``,
        ``maximal_independent_set`` and ``maximum_flow``.
    graph
        The graph to run it on.
    machine
        An accelerator such as ``tg.AccuGraph()`` or its name, a GPU such as ``tg.GPU("v100")`` or its
        name (``tacho gpus`` lists them), or the path of a TOML file that describes a GPU.
    memory
        The memory of an accelerator: a :class:`tachograph.Memory` or its name; a GPU has its own.
    options
        Of accelerators: ``source``, ``iterations``, ``along_arcs``, ``damping``, ``verify`` (compare
        the values with those of the exact algorithm). Of GPUs: ``source``,
        ``sink``, ``direction``, ``balance``, ``approximation``, ``rng``.

    Returns
    -------
    Simulation or GpuSimulation
        Exact values, simulated seconds, what is known of their error, and a trace.

    Raises
    ------
    InputError
        If the machine is not known, cannot run that, or its memory is too small for the graph.

    Examples
    --------
    >>> import tachograph as tg
    >>> g = tg.kronecker(scale=8, rng=1)
    >>> result = tg.simulate("wcc", g, "accugraph", memory="DDR4-2400R")
    >>> bool((result.labels == tg.connected_components(g).labels).all())
    True
    >>> tg.simulate("bfs", g, "v100", source=1).provenance
    'simulated'
    """
    if not (memory is None or isinstance(memory, str | Memory)):
        raise InputError(
            f"memory = {memory!r:.200}: the name of a memory, or a tg.Memory, is needed"
        )
    machine = os.fspath(machine) if isinstance(machine, os.PathLike) else machine
    graph = as_graph(graph, "simulate")
    if graph.named:
        ends = {k: options[k] for k in ("source", "sink") if options.get(k) is not None}
        options |= {name: _ids(graph, given) for name, given in ends.items()}
    if isinstance(machine, GPU) or (isinstance(machine, str) and is_gpu(machine)):
        if memory is not None:
            raise InputError(f"memory = {memory!r} is for accelerators: a GPU has its own")
        known = ("source", "sink", "direction", "balance", "approximation", "rng")
        if others := [name for name in options if name not in known]:
            raise InputError(f"a simulated GPU takes no {others[0]}; it takes {', '.join(known)}")
        return on_gpu(task, graph, machine, **options)
    named = isinstance(machine, str) and ":" not in machine
    if named and machine.lower() not in ACCELERATORS:
        raise InputError(
            f"unknown accelerator {machine!r}; known: {', '.join(ACCELERATORS)}, or your own as "
            f"package.module:Class; GPUs: {', '.join(known_gpus())}, or a TOML file"
            f"{did_you_mean(machine.lower(), (*ACCELERATORS, *known_gpus()))}"
        )
    return on_accelerator(task, graph, machine, memory, **options)


def _ids(graph: Graph, given: Any) -> Any:
    """Return the ids of one vertex, or of several, by their names."""
    return graph.ids_of(given) if isinstance(given, list | tuple | ndarray) else graph.id_of(given)
