"""Memories for these tests, and what was issued by one that a producer drove."""

from __future__ import annotations

from dataclasses import replace

from tachograph.simulation.dram import Memory
from tachograph.simulation.dram.engine import layout as at
from tachograph.simulation.dram.runner import table


def memory_with(name, timings, **options):
    """A memory with some of its standard's timings changed."""
    memory = Memory(name, **options)
    memory.standard = replace(memory.standard, timings={**memory.standard.timings, **timings})
    return memory


def logged(memory, state):
    """The commands in the log of a memory's array."""
    parts = []
    for channel, block in enumerate(at.blocks(state)):
        lines = block[at.LOG : at.LOG + block[at.LOGGED] * at.LOG_WORDS].reshape(-1, at.LOG_WORDS)
        parts.append((channel, lines))
    return table(parts, memory)
