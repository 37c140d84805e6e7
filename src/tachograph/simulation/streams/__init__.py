"""Streams of memory requests: producers, mergers and mappers, played with a memory in one loop.

>>> from tachograph.simulation.dram import Memory
>>> from tachograph.simulation.streams import Engine, Phase, Port, Priority, Stream, lines
>>> edges = Stream("edges", lines(0, 6400, 64), rate=1)
>>> writes = Stream("writes", lines(8192, 640, 64), write=True).after(edges, 50)
>>> phase = Phase("both", [Port(Priority(writes, edges))], drain=True)
>>> Engine(Memory("DDR3-1600K"), clock_mhz=200).run(phase).requests
{'writes': 10, 'edges': 100}
"""

from .engine import Engine, PhaseResult, ticks_per_cycle
from .stream import (
    Direct,
    Merger,
    Phase,
    Port,
    Priority,
    RoundRobin,
    Runs,
    Stream,
    buffered,
    joined,
    lines,
)

__all__ = [
    "Direct",
    "Engine",
    "Merger",
    "Phase",
    "PhaseResult",
    "Port",
    "Priority",
    "RoundRobin",
    "Runs",
    "Stream",
    "buffered",
    "joined",
    "lines",
    "ticks_per_cycle",
]
