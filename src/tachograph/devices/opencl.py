"""An OpenCL device: programs, buffers, launches.

Everything a driver complains about becomes a :class:`DeviceError` or, for memory, a
:class:`TooLargeError`, so that an algorithm can finish on the host.
"""

from __future__ import annotations

import copy
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from .. import kernels
from ..util.errors import DeviceError, TooLargeError
from ..util.memory import human
from .cores import thread_ids
from .discovery import Found, discover, select
from .host import cores
from .memory import Buffer, Room
from .probe import describe
from .probe import devices as loaded_devices

__all__ = ["GROUP", "OpenCL", "open_device"]

SOURCES = Path(kernels.__file__).parent  # programs lie beside their twins
LIMIT = "POCL_MAX_PTHREAD_COUNT"  # PoCL looks at it once, when it is loaded
GROUP = 64  # work-items of a group where a kernel does not care
LOG = 12  # lines of a build log that a message shows
_open: dict[str, OpenCL] = {}
_opening = threading.Lock()


class OpenCL:
    """A device that runs the OpenCL kernels of ``kernels``. :func:`open_device` makes it.

    ``capabilities`` says what it can do, ``threads`` how many of the host's cores it takes (0 if it has
    processors of its own), ``workers`` which threads these are, if known, ``room`` how much memory
    there is.
    """

    def __init__(self, found: Found, device: Any) -> None:
        import pyopencl as cl

        self.found = found
        self.id = found.id
        self.name = found.name
        self.kind = found.kind
        self.capabilities = found.capabilities
        self.threads = int(device.max_compute_units) if found.shares_cores else 0
        self.workers: tuple[int, ...] = ()
        self.units = int(device.max_compute_units)
        self.room = Room(found.name, found.memory, found.largest)
        self._programs: dict[tuple[str, ...], Any] = {}
        with self._failures("opening it"):
            self.context = cl.Context([device])
            self.queue = cl.CommandQueue(self.context)

    @property
    def key(self) -> str:
        """What its calibration is kept under: another driver or number of threads is another device."""
        return f"{self.name}, {self.found.driver}, {self.units} units"

    def masked(self, *names: str, memory: int | None = None, largest: int | None = None) -> OpenCL:
        """The same device with some capabilities, or part of its memory, taken away: for tests."""
        other = copy.copy(self)
        other.capabilities = self.capabilities.without(*names)
        other.room = Room(self.name, memory or self.room.memory, largest or self.room.largest)
        return other

    # -- kernels --------------------------------------------------------------------------------

    def kernel(self, program: str, name: str, *options: str) -> Any:
        """The kernel ``name`` of ``PROGRAM.cl``, built once for these options.

        Raises
        ------
        DeviceError
            If the driver cannot build it; has the beginning of the build log.
        """
        import pyopencl as cl

        key = (program, *options)
        if key not in self._programs:
            source = next(SOURCES.rglob(f"{program}.cl")).read_text(encoding="utf-8")
            self._programs[key] = self._built(program, source, options)
        with self._failures(f"the kernel {name}"):
            return cl.Kernel(self._programs[key], name)

    def _built(self, program: str, source: str, options: tuple[str, ...]) -> Any:
        import warnings

        import pyopencl as cl

        standard = () if any(o.startswith("-cl-std") for o in options) else ("-cl-std=CL1.2",)
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", cl.CompilerWarning)  # notes of drivers
                return cl.Program(self.context, source).build([*standard, *options])
        except cl.Error as problem:
            log = "\n".join(line for line in str(problem).splitlines() if line.strip())
            shown = "\n".join(log.splitlines()[:LOG])
            raise DeviceError(
                f"{program}.cl cannot be built for {self.name} ({self.found.driver}); use the host. "
                f"The driver says:\n{shown}"
            ) from None

    def launch(self, kernel: Any, size: Any, *arguments: Any, group: Any = GROUP) -> None:
        """Begin ``kernel`` on ``size`` work-items, or more: a multiple of ``group``.

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

    def _argument(self, given: Any) -> Any:
        import pyopencl as cl

        if isinstance(given, Buffer):
            return given.memory
        return cl.SVM(given) if isinstance(given, np.ndarray) else given

    def finish(self) -> None:
        """Wait until everything launched has ended."""
        with self._failures("a kernel"):
            self.queue.finish()

    # -- memory ---------------------------------------------------------------------------------

    def upload(self, array: np.ndarray, what: str = "an array") -> Buffer:
        """``array`` for kernels that only read it; not copied if memory is shared."""
        return self._buffer(np.ascontiguousarray(array), what, writes=False)

    def output(self, array: np.ndarray, what: str = "an array") -> Buffer:
        """A buffer that begins as ``array``; its ``fetch`` brings back what kernels wrote."""
        return self._buffer(array, what, writes=True)

    def _buffer(self, array: np.ndarray, what: str, writes: bool) -> Buffer:
        import pyopencl as cl

        flags = cl.mem_flags
        access = flags.READ_WRITE if writes else flags.READ_ONLY
        if not array.size:
            array = np.zeros(1, array.dtype)  # there are no empty buffers
        shared = self.capabilities.shares_memory
        if shared and array.nbytes > self.room.largest:
            self.room.take(array.nbytes, what)  # refuses
        size = 0 if shared else array.nbytes
        self.room.take(size, what)
        how = flags.USE_HOST_PTR if shared else flags.COPY_HOST_PTR
        try:
            with self._failures(what, size=array.nbytes):
                memory = cl.Buffer(self.context, access | how, hostbuf=array)
        except BaseException:
            self.room.give_back(size)
            raise
        return Buffer(self, memory, array, size)

    def scratch(self, size: int, kind: Any, what: str = "working memory") -> Buffer:
        """``size`` elements that only kernels use; their content is not defined."""
        import pyopencl as cl

        none = np.empty(0, kind)
        taken = max(1, size) * none.itemsize
        self.room.take(taken, what)
        try:
            with self._failures(what, size=taken):
                memory = cl.Buffer(self.context, cl.mem_flags.READ_WRITE, taken)
        except BaseException:
            self.room.give_back(taken)
            raise
        return Buffer(self, memory, none, taken)

    def fill(self, buffer: Buffer, value: Any, size: int) -> None:
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
        """What :meth:`Buffer.fetch` does: wait, and copy unless memory is shared."""
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

    def shared(self, size: int, kind: Any, what: str = "shared memory") -> np.ndarray:
        """An array that host and device use at the same time, by atomic operations where both write.

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
    """Let PoCL, if it is loaded in this block, use ``count`` threads; a user's own setting stays."""
    before = os.environ.get(LIMIT)
    os.environ[LIMIT] = before or str(count)
    try:
        yield
    finally:
        if before is None:
            del os.environ[LIMIT]


def open_device(wanted: str | Found = "opencl", threads: int | None = None) -> OpenCL:
    """An OpenCL device, opened once per process.

    Parameters
    ----------
    wanted
        What :func:`discover` found, its id, ``"opencl:"`` and part of a name; ``"opencl"``: the best.
    threads
        For a device that computes on the host's cores: how many it takes. Half of them unless told, and
        for the whole life of the process: PoCL asks once.

    Raises
    ------
    DeviceError
        If there is none, it does not work, or it was opened with another number of threads.
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
            f"change to {threads}: set {LIMIT}={threads} before Python starts"
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
    raise DeviceError(f"{found.id} ({found.name}) has gone: tacho devices shows what there is")
