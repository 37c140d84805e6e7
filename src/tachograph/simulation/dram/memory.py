"""A memory: a standard, how many channels and ranks, a mapping and a controller."""

from __future__ import annotations

import os

import numpy as np
import numpy.typing as npt

from ...util.arguments import checked, single
from ...util.arrays import native
from ...util.errors import InputError
from .controller import Controller, controller_for
from .engine import layout as at
from .engine.port import advance, drain, offer, take
from .mapping import Mapping, read_mapping
from .runner import LAST_ARRIVAL, Run, blocks_of, table
from .standards import Standard, standard
from .statistics import MemoryResult, collect

__all__ = ["Controller", "Memory"]

MAX_CHANNELS = 1024
USUAL = {"ranks": 1, "mapping": "RoBaRaCoCh", "hash_banks": False, "jedec": False}


class Memory:
    """A DRAM system, simulated command by command.

    ``name`` and ``given`` are what the caller chose, ``standard`` and ``controller`` what came of it.

    Parameters
    ----------
    name
        Such as ``"DDR4-2400R"``, ``"HBM"``, or the path of a TOML file: see
        :func:`tachograph.simulation.dram.names`.
    channels, ranks
        How many; the standard's usual number of channels, and one rank.
    density, width
        Of a device, such as ``"8Gb"`` and ``16``.
    mapping
        Fields of an address from the highest bits to the lowest: ``"RoBaRaCoCh"``, ``"ChRaBaRoCo"``
        or any other order; or ``"MOP4CLXOR"``.
    hash_banks
        Whether bank and bank group are exclusive-or'ed with the lowest bits of the row.
    jedec
        Take the timings of the JEDEC standard where the family's table, which follows a simulator to
        the cycle, departs from them.
    **settings
        Of :class:`~tachograph.simulation.dram.Controller`: ``scheduler``, ``cap``, ``rows``, ...

    Raises
    ------
    InputError
        For an unknown name or setting, or a size that the mapping cannot divide.

    >>> import numpy as np, tachograph as tg
    >>> memory = tg.Memory("DDR4-2400R", density="4Gb")
    >>> memory
    Memory(DDR4-2400R, 4Gb x16, 1 channel, 1 rank, RoBaRaCoCh, FRFCFS-Cap, open rows)
    >>> result = memory.run(np.arange(1000) * 64)
    >>> result.reads, result.row_hits + result.row_misses + result.row_conflicts
    (1000, 1000)
    """

    @checked
    def __init__(
        self,
        name: str,
        *,
        channels: int | None = None,
        ranks: int = 1,
        density: str | None = None,
        width: int | None = None,
        mapping: str = "RoBaRaCoCh",
        hash_banks: bool = False,
        jedec: bool = False,
        **settings: str | float,
    ) -> None:
        self.name = name
        self.standard: Standard = (s := standard(name, density, width, jedec))
        self.channels: int = s.default_channels if channels is None else channels
        self.ranks = ranks
        if not 1 <= self.channels <= MAX_CHANNELS:
            raise InputError(f"channels = {self.channels} must be 1 to {MAX_CHANNELS}")
        if not 1 <= ranks <= s.max_ranks:
            raise InputError(f"ranks = {ranks} must be 1 to {s.max_ranks} for {s.name}")
        groups = ranks * s.pseudo * s.stacks * s.groups
        if groups > at.MAX_GROUPS or groups * s.banks > at.MAX_BANKS:
            raise InputError(f"ranks = {ranks}: more than {at.MAX_BANKS} banks in a channel")
        self.controller: Controller = controller_for(s, settings)
        self.mapping: Mapping = read_mapping(mapping, hash_banks, s, self.channels, ranks)
        sizes = {"channels": channels, "ranks": ranks, "density": density, "width": width}
        chosen = {**sizes, "mapping": mapping, "hash_banks": hash_banks, "jedec": jedec, **settings}
        self.given: dict[str, object] = {k: v for k, v in chosen.items() if v != USUAL.get(k)}
        self.now: int = 0
        self._live: np.ndarray | None = None

    def __repr__(self) -> str:
        s, c = self.standard, self.controller
        channels = f"{self.channels} channel{'s' * (self.channels > 1)}"
        ranks = f"{self.ranks} rank{'s' * (self.ranks > 1)}"
        mapping = self.mapping.name + " hashed" * self.mapping.hashed
        device = f"{s.name}, {s.density} x{s.width}"
        return f"Memory({device}, {channels}, {ranks}, {mapping}, {c.scheduler}, {c.rows} rows)"

    def __str__(self) -> str:
        """Return what tells this memory from others: all settings, timings and currents."""
        s = self.standard
        return f"{self!r} {s} {s.timings} {s.currents} {self.controller}"

    @property
    def capacity(self) -> int:
        """Bytes; addresses beyond it wrap around and are counted."""
        return self.channels * self.ranks * self.standard.rank_bytes

    @property
    def peak(self) -> float:
        """Bytes per second if no data bus ever rests."""
        return self.channels * self.standard.peak

    def build(self, log: int = 0, collect: bool = False) -> np.ndarray:
        """Return the array of this memory at rest, for compiled producers (see the guide)."""
        return at.build(self, log, collect)

    @checked
    def run(
        self,
        addresses: npt.ArrayLike | os.PathLike[str],
        is_write: npt.ArrayLike | None = None,
        *,
        arrival: npt.ArrayLike | None = None,
        rate: float | None = None,
        ports: str = "shared",
        completion: bool = False,
        commands: bool = False,
    ) -> MemoryResult:
        """Simulate a list of requests until the last one is done.

        Parameters
        ----------
        addresses
            Byte addresses, or the path of a trace file, which is read as it is needed.
        is_write
            1 for writes, 0 for reads; all reads if left out.
        arrival
            The cycle before which each request is not offered; must not decrease. Left out, requests
            are offered one each cycle.
        rate
            Requests per cycle instead, at most 1.
        ports
            ``"shared"``: one request a cycle for the whole memory, in order; one that finds its queue
            full holds up the rest. ``"channel"``: each channel takes its own requests in order, one a
            cycle; channels do not wait for each other and run on several threads.
        completion
            Keep for every request the cycle in which its data were complete (reads) or its write
            command went.
        commands
            Keep every command that was issued.

        Raises
        ------
        InputError
            For an empty trace, negative addresses, or arrival times that decrease.

        >>> import tachograph as tg
        >>> result = tg.Memory("DDR3-1600K").run([0, 64, 8 << 20], [0, 1, 0], completion=True)
        >>> result.completion.tolist()
        [27, 22, 83]
        """
        run = Run(self, ports, rate, completion or commands)
        if isinstance(addresses, str | os.PathLike):
            if is_write is not None or arrival is not None:
                raise InputError("a trace file has its own writes and arrival times")
            from .traces import read_blocks

            run.consume(read_blocks(addresses))
        else:
            run.consume(blocks_of(native(addresses, "addresses"), is_write, arrival))
        cycles = run.finish()
        ends = run.completion() if completion else None
        issued = table(run.logs, self) if commands else None
        return collect(self, run.state, cycles, ends, issued, ports)

    @property
    def state(self) -> np.ndarray:
        """The array behind :meth:`offer` and :meth:`advance`."""
        if self._live is None:
            self._live = self.build(collect=True)
        return self._live

    def offer(self, address: int, is_write: bool = False, ident: int = 0) -> bool:
        """Offer one request now; return whether its channel had room for it.

        >>> import tachograph as tg
        >>> memory = tg.Memory("DDR3-1600K")
        >>> memory.offer(0, ident=7)
        True
        >>> memory.advance(26), memory.advance(1)
        ([], [7])
        """
        address, ident = single("address", address, "int"), single("ident", ident, "int")
        if not 0 <= address < 1 << 63:
            raise InputError(f"address {address} is not in 0 to 2^63 - 1")
        if not 0 <= ident < 1 << 63:
            raise InputError(f"ident {ident} is not in 0 to 2^63 - 1")
        is_write = single("is_write", is_write, "bool")
        return bool(offer(self.state, address, is_write, ident, self.now))

    def advance(self, cycles: int = 1) -> list[int]:
        """Let time pass; return the idents of the reads that finished, in order by channel."""
        cycles = single("cycles", cycles, "int")
        if cycles < 1:
            raise InputError(f"cycles = {cycles} must be 1 or more: time goes forward")
        if self.now + cycles > LAST_ARRIVAL:
            raise InputError(
                f"cycles = {cycles}: nothing is simulated after cycle {LAST_ARRIVAL:,}"
            )
        self.now += cycles
        advance(self.state, self.now)
        done = []
        for channel in range(self.channels):
            while (ident := take(self.state, channel, self.now)) >= 0:
                done.append(int(ident))
        return done

    def drain(self) -> list[int]:
        """Let all waiting requests be done; return the idents of the reads that finished."""
        self.now = int(drain(self.state, self.now))
        return self.advance(1)

    def statistics(self) -> MemoryResult:
        """Return what happened since :meth:`reset`, at the present cycle."""
        return collect(self, self.state, max(1, self.now))

    def reset(self) -> None:
        """Forget all requests and begin again at cycle 0."""
        self._live = None
        self.now = 0
