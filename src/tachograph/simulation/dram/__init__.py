"""A DRAM timing simulator: exact to the cycle, compiled, skipping from command to command.

>>> import numpy as np
>>> from tachograph.simulation.dram import Memory
>>> result = Memory("DDR4-2400R", channels=2).run(np.arange(10_000) * 64)
>>> result.row_hit_rate > 0.9, result.gbps < result.peak_gbps
(True, True)
"""

from .checker import check
from .memory import Controller, Memory
from .runner import Commands
from .standards import Standard, names, standard
from .statistics import MemoryResult
from .traces import read_trace, write_trace

__all__ = [
    "Commands",
    "Controller",
    "Memory",
    "MemoryResult",
    "Standard",
    "check",
    "names",
    "read_trace",
    "standard",
    "write_trace",
]
