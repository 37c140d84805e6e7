"""An OpenCL device: programs, buffers, launches.

Every error of a driver becomes a :class:`DeviceError` or, for memory, a :class:`TooLargeError`, so
that an algorithm can finish on the host.
"""

from __future__ import annotations

import copy
import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
import numpy.typing as npt

from .. import kernels
from ..util.errors import DeviceError, TooLargeError
from ..util.memory import human
from .cores import thread_ids
from .discovery import Capabilities, Found, discover, select
from .host import cores
from .memory import Buffer, Room
from .probe import describe
from .probe import devices as loaded_devices

if TYPE_CHECKING:
    import pyopencl as cl

__all__ = ["GROUP", "OpenCL", "open_device"]

SOURCES = Path(kernels.__file__).parent  # programs are beside the loops of the host
POCL_THREADS = "POCL_MAX_PTHREAD_COUNT"  # PoCL reads this variable once, when it is loaded
GROUP = 64  # work-items of a group, for kernels that work with any size
LOG_LINES = 12  # of a build log that an error message shows
Size: TypeAlias = int | tuple[int, ...]
_open: dict[str, OpenCL] = {}
_opening = threading.Lock()


class OpenCL:
    """A device that runs the OpenCL kernels of ``kernels``. :func:`open_device` makes it.

    ``capabilities`` says what it can do, ``threads`` how many of the host's cores it takes (0 if it has
    processors of its own), ``workers`` which threads these are, if known, and ``room`` how much of its
    memory is free.
    """

    def __init__(self, found: Found, device: cl.Device) -> None:
        import pyopencl as cl

        self.found = found
        self.id: str = found.id
        self.name: str = found.name
        self.kind: str = found.kind
        self.capabilities: Capabilities = found.capabilities
        self.threads: int = int(device.max_compute_units) if found.shares_cores else 0
        self.workers: tuple[int, ...] = ()
        self.units: int = int(device.max_compute_units)
        self.room: Room = Room(found.name, found.memory, found.largest)
        self._programs: dict[tuple[str, ...], cl.Program] = {}
        with self._failures("opening it"):
            self.context: cl.Context = cl.Context([device])
            self.queue: cl.CommandQueue = cl.CommandQueue(self.context)

    @property
    def key(self) -> str:
        """The key of its calibration: with another driver or number of threads it is another device."""
        return f"{self.name}, {self.found.driver}, {self.units} units"

    def masked(self, *names: str, memory: int | None = None, largest: int | None = None) -> OpenCL:
        """Return the same device without some capabilities, or with less memory: for tests."""
        other = copy.copy(self)
        other.capabilities = self.capabilities.without(*names)
        other.room = Room(self.name, memory or self.room.memory, largest or self.room.largest)
        return other

    # -- kernels --------------------------------------------------------------------------------

    def kernel(self, program: str, name: str, *options: str) -> cl.Kernel:
        """Return the kernel ``name`` of ``PROGRAM.cl``, which is built once for these options.

        Raises
        ------
        DeviceError
            If the driver cannot build it; the message shows the beginning of the build log.
        """
        import pyopencl as cl

        key = (program, *options)
        if key not in self._programs:
            source = next(SOURCES.rglob(f"{program}.cl")).read_text(encoding="utf-8")
            self._programs[key] = self._built(program, source, options)
        with self._failures(f"the kernel {name}"):
            return cl.Kernel(self._programs[key], name)

    def _built(self, program: str, source: str, options: tuple[str, ...]) -> cl.Program:
        import warnings

        import pyopencl as cl

        standard = () if any(o.startswith("-cl-std") for o in options) else ("-cl-std=CL1.2",)
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", cl.CompilerWarning)  # notes of drivers
                return cl.Program(self.context, source).build([*standard, *options])
        except cl.Error as problem:
            log = "\n".join(line for line in str(problem).splitlines() if line.strip())
            shown = "\n".join(log.splitlines()[:LOG_LINES])
            raise DeviceError(
                f"{program}.cl cannot be built for {self.name} ({self.found.driver}); use the host. "
                f"The driver says:\n{shown}"
            ) from None

    def launch(
        self, kernel: cl.Kernel, size: Size, *arguments: object, group: Size = GROUP
    ) -> None:
        """Start ``kernel`` on ``size`` work-items, rounded up to a multiple of ``group``.

        Sizes of several dimensions are tuples. Arguments are buffers, shared arrays, NumPy scalars.
        """
        sizes = size if isinstance(size, tuple) else (size,)
        groups = group if isinstance(group, tuple) else (group,)
        whole = tuple(-(-s // g) * g for s, g in zip(sizes, groups, strict=True))
        if 0 in whole:
            return
        with self._failures(f"the kernel {kernel.function_name}"):
            kernel(self.queue, whole, groups, *(self._argument(a) for a in arguments))
            self.queue.flush()

    def _argument(self, given: object) -> object:
        import pyopencl as cl

        if isinstance(given, Buffer):
            return given.memory
        return cl.SVM(given) if isinstance(given, np.ndarray) else given

    def finish(self) -> None:
        """Wait until all launched kernels have ended."""
        with self._failures("a kernel"):
            self.queue.finish()

    # -- memory ---------------------------------------------------------------------------------

    def upload(self, array: np.ndarray, what: str = "an array") -> Buffer:
        """Return a buffer of ``array`` that kernels only read; not copied if memory is shared."""
        return self._buffer(np.ascontiguousarray(array), what, writes=False)

    def output(self, array: np.ndarray, what: str = "an array") -> Buffer:
        """Return a buffer that begins as ``array``; its ``fetch`` gets what kernels wrote."""
        return self._buffer(array, what, writes=True)

    def _buffer(self, array: np.ndarray, what: str, writes: bool) -> Buffer:
        import pyopencl as cl

        flags = cl.mem_flags
        access = flags.READ_WRITE if writes else flags.READ_ONLY
        if not array.size:
            array = np.zeros(1, array.dtype)  # there are no empty buffers
        shared = self.capabilities.shares_memory
        if shared and array.nbytes > self.room.largest:
            self.room.take(array.nbytes, what)  # raises
        how = flags.USE_HOST_PTR if shared else flags.COPY_HOST_PTR
        make = partial(cl.Buffer, self.context, access | how, hostbuf=array)
        return self._allocated(make, array, 0 if shared else array.nbytes, what)

    def scratch(self, size: int, kind: npt.DTypeLike, what: str = "working memory") -> Buffer:
        """Return a buffer of ``size`` elements that only kernels use; its content is undefined."""
        import pyopencl as cl

        none = np.empty(0, kind)
        taken = max(1, size) * none.itemsize
        make = partial(cl.Buffer, self.context, cl.mem_flags.READ_WRITE, taken)
        return self._allocated(make, none, taken, what)

    def _allocated(
        self, make: Callable[[], cl.Buffer], array: np.ndarray, taken: int, what: str
    ) -> Buffer:
        """Allocate a buffer that takes ``taken`` bytes of the device's memory."""
        self.room.take(taken, what)
        try:
            with self._failures(what, size=taken or array.nbytes):
                return Buffer(self, make(), array, taken)
        except BaseException:
            self.room.give_back(taken)
            raise

    def fill(self, buffer: Buffer, value: np.generic, size: int) -> None:
        """Set the first ``size`` elements of a buffer to ``value``, a NumPy scalar."""
        import pyopencl as cl

        with self._failures("filling a buffer"):
            cl.enqueue_fill_buffer(self.queue, buffer.memory, value, 0, size * value.itemsize)

    def write(self, buffer: Buffer, array: np.ndarray, at: int = 0) -> None:
        """Copy ``array`` into a buffer, from element ``at`` on."""
        import pyopencl as cl

        with self._failures("writing a buffer"):
            cl.enqueue_copy(self.queue, buffer.memory, array, dst_offset=at * array.itemsize)

    def copy_back(self, buffer: Buffer, part: np.ndarray, offset: int) -> None:
        """Wait, and copy a part of a buffer unless memory is shared; see :meth:`Buffer.fetch`."""
        import pyopencl as cl

        with self._failures("reading a buffer"):
            if self.capabilities.shares_memory:
                mapped, _ = cl.enqueue_map_buffer(
                    self.queue, buffer.memory, cl.map_flags.READ, offset, part.shape, part.dtype
                )
                mapped.base.release(self.queue)
                self.queue.finish()
            else:
                cl.enqueue_copy(self.queue, part, buffer.memory, src_offset=offset)

    def shared(self, size: int, kind: npt.DTypeLike, what: str = "shared memory") -> np.ndarray:
        """Return an array that host and device can use at the same time, with atomic writes.

        Raises
        ------
        DeviceError
            If the device has no fine-grained shared memory.
        """
        import pyopencl as cl

        if self.capabilities.svm != "fine":
            raise DeviceError(
                f"{self.name} has no memory that it and the host can use at the same time"
            )
        flags = cl.svm_mem_flags.READ_WRITE | cl.svm_mem_flags.SVM_FINE_GRAIN_BUFFER
        if self.capabilities.svm_atomics:
            flags |= cl.svm_mem_flags.SVM_ATOMICS
        with self._failures(what, size=size * np.dtype(kind).itemsize):
            made: np.ndarray = cl.svm_empty(self.context, flags, (max(1, size),), kind)
        return made[:size]

    # -- what drivers say -----------------------------------------------------------------------

    @contextmanager
    def _failures(self, what: str, size: int | None = None) -> Iterator[None]:
        import pyopencl as cl

        try:
            yield
        except cl.MemoryError as problem:
            shown = "" if size is None else f" ({human(size)})"
            raise TooLargeError(
                f"{self.name} has no memory for {what}{shown}: {problem}; use the host"
            ) from None
        except cl.Error as problem:
            raise DeviceError(f"{self.name} failed at {what}: {problem}; use the host") from None

    def __repr__(self) -> str:
        cores = f", {self.threads} of the host's cores" if self.threads else ""
        return f"OpenCL({self.name}, {self.kind}, {human(self.room.memory)}{cores})"


@contextmanager
def _threads_for_pocl(count: int) -> Iterator[None]:
    """Let PoCL, if this block loads it, use ``count`` threads, unless the user has set a number."""
    before = os.environ.get(POCL_THREADS)
    os.environ[POCL_THREADS] = before or str(count)
    try:
        yield
    finally:
        if before is None:
            del os.environ[POCL_THREADS]


def open_device(wanted: str | Found = "opencl", threads: int | None = None) -> OpenCL:
    """Open an OpenCL device, once per process.

    Parameters
    ----------
    wanted
        A device that :func:`discover` found, its id, ``"opencl:"`` and part of its name, or
        ``"opencl"`` for the best device.
    threads
        The cores that a device which computes on the host's cores takes: half of them by default. PoCL
        reads the number once, so it holds until the process ends.

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
        if device is None or device.found.driver != found.driver:
            device = _open[found.id] = _opened(found, threads)
    if threads is not None and device.threads not in (0, threads):
        raise DeviceError(
            f"{device.name} was started with {device.threads} threads in this process and cannot "
            f"change to {threads}: set {POCL_THREADS}={threads} before Python starts"
        )
    return device


def _opened(found: Found, threads: int | None) -> OpenCL:
    before = thread_ids()
    with _threads_for_pocl(threads or max(1, cores() // 2)):
        for platform in loaded_devices():
            for device in platform:
                facts = describe(device)
                if facts["name"] == found.name and facts["platform"] == found.platform:
                    if facts["driver"] != found.driver:  # updated since it was tested
                        current = [d for d in discover(again=True) if d.name == found.name]
                        made = OpenCL(current[0], device)
                    else:
                        made = OpenCL(replace(found, units=facts["units"]), device)
                    started = tuple(sorted(thread_ids() - before))
                    made.workers = started if len(started) == made.threads else ()
                    return made
    raise DeviceError(f"{found.id} ({found.name}) is no longer there: tacho devices lists devices")
