"""Every run of these tests goes through here: its commands are checked against the standard."""

from __future__ import annotations

from dataclasses import replace

from tachograph.simulation.dram import Memory, check


def checked(memory, addresses, is_write=None, **options):
    """Run a memory; its command stream must keep all rules."""
    result = memory.run(addresses, is_write, commands=True, **options)
    assert check(memory.standard, result.commands) == []
    return result


def memory_with(name, timings, **options):
    """A memory with some of its standard's timings changed."""
    memory = Memory(name, **options)
    memory.standard = replace(memory.standard, timings={**memory.standard.timings, **timings})
    return memory
