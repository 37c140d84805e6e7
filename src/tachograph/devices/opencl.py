"""An OpenCL device: programs, buffers, launches.

Every error of a driver becomes a :class:`DeviceError` or, for memory, a :class:`TooLargeError`, so
that an algorithm can finish on the host.
"""

from __future__ import annotations

import copy
import functools
import gc
import re
import threading
import warnings
import weakref
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
import numpy.typing as npt

from .. import kernels
from ..util.errors import DeviceError
from ..util.memory import human
from .discovery import Capabilities, Found, discover, select
from .driver_threads import advice, limited
from .host import cores, thread_ids
from .memory import Buffer, Room
from .overlap import Overlap
from .probe import describe
from .probe import devices as loaded_devices
from .waiting import Line, Pulse

if TYPE_CHECKING:
    import pyopencl as cl

__all__ = ["GROUP", "OpenCL", "open_device"]

SOURCES = Path(kernels.__file__).parent  # programs are beside the loops of the host
GROUP = 64  # work-items of a group, for kernels that work with any size
GROUP_OF_MANY_THREADS = 256  # of kernels whose groups share work, if the device has many threads
LOG_LINES = 12  # of a build log that an error message shows
Size: TypeAlias = int | tuple[int, ...]
_open: dict[str, OpenCL] = {}
_opening = threading.Lock()


def source_of(program: str) -> str:
    """Return the text of ``PROGRAM.cl``, with what it includes."""
    text = next(SOURCES.rglob(f"{program}.cl")).read_text(encoding="utf-8")
    return re.sub(r'#include "(\w+)\.cl"', lambda found: source_of(found[1]), text)


@functools.cache
def arguments_of(program: str, kernel: str) -> tuple[str, ...]:
    """Return the names of a kernel's arguments, in their order in ``PROGRAM.cl``."""
    found = re.search(rf"__kernel void {kernel}\(([^)]*)\)", source_of(program))
    assert found is not None
    return tuple(re.findall(r"(\w+)\s*(?:,|$)", found[1]))


class OpenCL(Overlap):
    """A device that runs the OpenCL kernels of ``kernels``. :func:`open_device` makes it.

    ``capabilities`` says what it can do, ``threads`` how many of the host's cores it takes (0 if it has
    processors of its own), ``workers`` which threads these are, if known, ``group`` how many work-items
    are in a group whose work-items share work, and ``room`` how much of its memory is free.
    """

    def __init__(self, found: Found, device: cl.Device) -> None:
        import pyopencl

        self.cl = pyopencl  # which may not be installed: only here it is certain
        self.found = found
        self.id: str = found.id
        self.name: str = found.name
        self.kind: str = found.kind
        self.capabilities: Capabilities = found.capabilities
        self.units: int = int(device.max_compute_units)
        self.threads: int = min(self.units, cores()) if found.shares_cores else 0
        self.workers: tuple[int, ...] = ()
        best = GROUP if found.shares_cores else GROUP_OF_MANY_THREADS
        self.group: int = min(best, int(device.max_work_group_size))
        self.room: Room = Room(found.name, found.memory, found.largest)
        self._programs: dict[tuple[str, ...], cl.Program | str] = {}
        self._events: list[cl.Event] | None = None  # of kernels that are timed
        self._kernels = threading.local()  # to make one takes longer than many a launch
        self.pulse: Pulse = Pulse(found.name, spins=self.threads < cores())
        with self._failures("opening it"):
            self.context: cl.Context = self.cl.Context([device])
            timing = self.cl.command_queue_properties.PROFILING_ENABLE
            self.queue: cl.CommandQueue = self.cl.CommandQueue(self.context, properties=timing)
            beside = self.cl.CommandQueue(self.context)  # of kernels
        self.kernels: Line = Line(self.queue, self.pulse, self.cl.enqueue_marker)
        self.copies: Line = Line(beside, self.pulse, self.cl.enqueue_marker)

    @property
    def key(self) -> str:
        """The key of its calibration: with another driver or number of threads it is another device."""
        return f"{self.name}, {self.found.driver}, {self.units} units"

    @property
    def slug(self) -> str:
        """Its name as part of a file's name: models that were trained on it are for its like."""
        return re.sub(r"[^a-z0-9]+", "-", self.name.lower()).strip("-")

    def host_threads(self, wanted: int) -> int:
        """Return the threads left for the host while this device runs, at most ``wanted``."""
        return max(1, min(wanted, cores() - self.threads)) if self.threads else wanted

    def spares(self, threads: int) -> bool:
        """Return whether so many threads of the host have cores of their own while this device runs."""
        return not self.threads or cores() - self.threads >= threads

    def masked(
        self,
        *names: str,
        memory: int | None = None,
        largest: int | None = None,
        kind: str | None = None,
        group: int | None = None,
    ) -> OpenCL:
        """Return the same device without some capabilities, with less memory, as if it were of another
        kind, or with work-groups of another size: for tests.
        """
        other = copy.copy(self)
        other.capabilities = self.capabilities.without(*names)
        other.found = replace(self.found, kind=kind or self.kind)
        other.kind = other.found.kind
        other.group = group or self.group
        other.room = Room(self.name, memory or self.room.memory, largest or self.room.largest)
        return other

    # -- kernels --------------------------------------------------------------------------------

    @property
    def shape(self) -> tuple[str, ...]:
        """The options of programs whose groups share work: the size of a group, and whether a group
        shares the arcs of its rows, which suits processors with many threads.
        """
        return (f"-DGROUP={self.group}", *["-DBY_ARCS"] * (not self.found.shares_cores))

    def kernel(self, program: str, name: str, *options: str, written: str = "") -> cl.Kernel:
        """Return the kernel ``name`` of ``PROGRAM.cl``, which is built once for these options and for
        what was ``written`` to stand before it.

        Raises
        ------
        DeviceError
            If the driver cannot build it; the message shows the beginning of the build log.
        """
        key = (program, *options, written)
        if key not in self._programs:
            self._programs[key] = self._built(program, options, written)
            if isinstance(self._programs[key], str):
                gc.collect()  # pyopencl's errors and frames keep each other, and all that called them
        built = self._programs[key]
        if isinstance(built, str):
            raise DeviceError(built)
        kept: dict[object, cl.Kernel] = self._kernels.__dict__  # type: ignore[assignment]
        if (name, *key) not in kept:
            with self._failures(f"the kernel {name}"):
                kept[name, *key] = self.cl.Kernel(built, name)
        return kept[name, *key]

    def _built(self, program: str, options: tuple[str, ...], written: str) -> cl.Program | str:
        """Return the program, or why it cannot be built, which takes long to find out again."""
        standard = () if any(o.startswith("-cl-std") for o in options) else ("-cl-std=CL1.2",)
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", self.cl.CompilerWarning)  # notes of drivers
                return self.cl.Program(self.context, written + source_of(program)).build(
                    [*standard, *options]
                )
        except self.cl.Error as problem:
            log = [line for line in str(problem).splitlines() if line.strip()]
            shown = "\n".join(log[:LOG_LINES])
            return (
                f"{program}.cl cannot be built for {self.name} ({self.found.driver}); use the host. "
                f"The driver says:\n{shown}"
            )

    def launch(
        self, kernel: cl.Kernel, size: Size, *arguments: object, group: Size = GROUP
    ) -> cl.Event | None:
        """Start ``kernel`` on ``size`` work-items, rounded up to a multiple of ``group``; return the
        event of its end, or None if there was nothing to do.

        Sizes of several dimensions are tuples. Arguments are buffers, shared arrays, NumPy scalars.
        """
        sizes = size if isinstance(size, tuple) else (size,)
        groups = group if isinstance(group, tuple) else (group,)
        whole = tuple(-(-s // g) * g for s, g in zip(sizes, groups, strict=True))
        if 0 in whole:
            return None
        with self._failures(f"the kernel {kernel.function_name}"):
            svm = self.cl.SVM  # small flows launch hundreds of kernels of twenty arguments
            given = [
                a.memory if type(a) is Buffer else svm(a) if type(a) is np.ndarray else a
                for a in arguments
            ]
            try:  # as in Line.begins, which takes longer
                event = kernel(self.queue, whole, groups, *given)
            finally:
                self.kernels.begun += 1
        if self._events is not None:
            self._events.append(event)
        return event

    def flush(self) -> None:
        """See to it that launched kernels begin, although nobody waits for them yet."""
        with self._failures("a kernel"):
            self.queue.flush()

    # -- memory ---------------------------------------------------------------------------------

    def upload(self, array: np.ndarray, what: str = "an array") -> Buffer:
        """Return a buffer of ``array`` that kernels only read; not copied if memory is shared."""
        return self._buffer(np.ascontiguousarray(array), what, self.cl.mem_flags.READ_ONLY)

    def output(self, array: np.ndarray, what: str = "an array") -> Buffer:
        """Return a buffer that begins as ``array``; its ``fetch`` gets what kernels wrote."""
        return self._buffer(array, what, self.cl.mem_flags.READ_WRITE)

    def scratch(self, size: int, kind: npt.DTypeLike, what: str = "working memory") -> Buffer:
        """Return a buffer of ``size`` elements that only kernels use; its content is undefined."""
        taken = max(1, size) * np.dtype(kind).itemsize
        self.room.check(taken, what)
        flags = self.cl.mem_flags.READ_WRITE
        with self._failures(f"{what} ({human(taken)})"):
            make = functools.partial(self.cl.Buffer, self.context, flags, taken)
            return Buffer(self, make, np.empty(0, kind), taken, in_place=False)

    def result(self, size: int, kind: npt.DTypeLike, what: str = "results") -> Buffer:
        """Return a buffer for what kernels write and ``fetch`` returns; nothing is copied before."""
        array = np.empty(max(1, size), kind)
        if self.capabilities.shares_memory:
            return self.output(array, what)
        there = self.scratch(size, kind, what)
        there.array = array
        return there

    def _buffer(self, array: np.ndarray, what: str, access: int) -> Buffer:
        if not array.size:
            array = np.zeros(1, array.dtype)  # there are no empty buffers
        shared = self.capabilities.shares_memory
        if not shared or array.nbytes > self.room.largest:
            self.room.check(array.nbytes, what)
        flags = self.cl.mem_flags
        how = access | (flags.USE_HOST_PTR if shared else flags.COPY_HOST_PTR)
        with self._failures(f"{what} ({human(array.nbytes)})"):
            make = functools.partial(self.cl.Buffer, self.context, how, hostbuf=array)
            return Buffer(self, make, array, 0 if shared else array.nbytes, in_place=shared)

    def shared(self, size: int, kind: npt.DTypeLike, what: str = "shared memory") -> np.ndarray:
        """Return an array that host and device can use at the same time, with atomic writes.

        Raises
        ------
        DeviceError
            If the device has no fine-grained shared memory.
        """
        if self.capabilities.svm != "fine":
            raise DeviceError(
                f"{self.name} has no memory that it and the host can use at the same time"
            )
        flags = self.cl.svm_mem_flags
        how = flags.READ_WRITE | flags.SVM_FINE_GRAIN_BUFFER
        if self.capabilities.svm_atomics:
            how |= flags.SVM_ATOMICS
        taken = max(1, size) * np.dtype(kind).itemsize
        self.room.check(taken, what)
        with self._failures(f"{what} ({human(taken)})"):
            made: np.ndarray = self.cl.svm_empty(self.context, how, (max(1, size),), kind)
        self.room.used += taken
        self.pulse.memory[id(made)] = made
        weakref.finalize(made, _give_back, self, taken)  # before its memory is freed
        return made[:size]

    def __repr__(self) -> str:
        cores = f", {self.threads} of the host's cores" if self.threads else ""
        return f"OpenCL({self.name}, {self.kind}, {human(self.room.memory)}{cores})"


def check_count(device: OpenCL | None, found: int, most: int, least: int = 0) -> None:
    """Raise :class:`DeviceError` unless a number that a device has counted is possible.

    Every loop that goes on until a device counts 0 checks its counts, so that it ends.
    """
    if not least <= found <= most:
        name = "the host" if device is None else device.name
        raise DeviceError(
            f"{name} counted {found}, where {least} to {most} are possible: its results cannot be "
            "trusted; use the host"
        )


def _give_back(device: OpenCL, size: int) -> None:
    """Wait for kernels that may use memory which is about to be freed, and count it as free."""
    device.settle()
    device.room.used -= size


def open_device(wanted: str | Found = "opencl", threads: int | None = None) -> OpenCL:
    """Open an OpenCL device, once per process.

    Parameters
    ----------
    wanted
        A device that :func:`discover` found, its id, ``"opencl:"`` and part of its name, or
        ``"opencl"`` for the best device.
    threads
        The cores that a device which computes on the host's cores takes: half of them by default, and
        never more than there are. Drivers read the number once, so it holds until the process ends.

    Raises
    ------
    DeviceError
        If there is no such device, it does not work, or it was opened with other ``threads``.
    MissingDependencyError
        Without pyopencl.
    """
    found = select(wanted) if isinstance(wanted, str) else wanted
    if found.problem is not None:
        raise DeviceError(f"{found.id} ({found.name}) does not work: {found.problem}")
    with _opening:
        device = _open.get(found.id)
        if device is None or _identity(device.found) != _identity(found):
            device = _open[found.id] = _opened(found, threads)
    if threads is not None and device.threads not in (0, min(threads, cores())):
        raise DeviceError(
            f"{device.name} was started with {device.threads} threads in this process and cannot "
            f"change to {min(threads, cores())}: {advice(found.platform, min(threads, cores()))}"
        )
    return device


def _identity(found: Found) -> tuple[object, ...]:
    """Return what must stay for an open device to be used again."""
    return found.driver, found.place, found.capabilities


def _opened(found: Found, threads: int | None) -> OpenCL:
    before = thread_ids()
    platform, place = found.place
    with limited(threads):
        every = loaded_devices()
        if platform >= len(every) or place >= len(every[platform]):
            raise DeviceError(_gone(found))
        device = every[platform][place]
        facts = describe(device)
        if (facts["name"], facts["platform"]) != (found.name, found.platform):
            raise DeviceError(_gone(found))
        if facts["driver"] != found.driver:  # updated since it was tested
            found = next((d for d in discover(again=True) if d.place == found.place), found)
        made = OpenCL(replace(found, units=facts["units"]), device)
    started = tuple(sorted(thread_ids() - before))
    made.workers = started if len(started) == made.threads else ()
    return made


def _gone(found: Found) -> str:
    """Say that a device which was found, perhaps by an earlier process, is not there."""
    return f"{found.id} ({found.name}) is no longer there: tacho devices --again looks for devices"
