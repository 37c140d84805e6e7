"""Work of the lab that takes long: one piece after the other, so that times count; it can be stopped.

Work is stopped as Ctrl-C stops it: the same exception is raised in its thread.
"""

from __future__ import annotations

import ctypes
import queue
import threading
import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from ..tasks.watch import Watch
from ..util.errors import InputError, TachographError
from ..util.text import plain

__all__ = ["J", "Jobs", "Queued"]

OVER = ("done", "failed", "stopped")
#: Seconds after which a job that goes on is stopped again: code may swallow an exception.
STOP_AGAIN_SECONDS = 3.0
AT_WORK = threading.Lock()  # held by what runs now, of whichever queue


@dataclass(kw_only=True)
class Queued:
    """Work that was asked for: waiting, running, done, failed or stopped."""

    number: int
    status: str = "waiting"
    error: str = ""
    began: float = 0.0
    watch: Watch | None = None
    ended: threading.Event = field(default_factory=threading.Event)

    @property
    def over(self) -> bool:
        """Whether it has ended."""
        return self.status in OVER

    def perform(self) -> None:
        """Do it; set ``watch`` for those who look on."""
        raise NotImplementedError

    def let_go(self) -> None:
        """Forget what is not needed when it is over, such as the graph."""


J = TypeVar("J", bound=Queued)


class Jobs(Generic[J]):
    """A queue of jobs, and the thread that does them."""

    what = "job"
    kept = 200  # that are over; what was run is in the journal

    def __init__(self) -> None:
        self.jobs: dict[int, J] = {}
        self._queue: queue.Queue[J | None] = queue.Queue()
        self._lock = threading.RLock()
        self._thread: threading.Thread | None = None
        self._next = 1

    def add(self, make: Callable[[int], J]) -> J:
        """Add the job that is made with its number; it runs when those before it have ended."""
        with self._lock:
            job = make(self._next)
            self._next += 1
            self.jobs[job.number] = job
            for old in [j for j in self.jobs.values() if j.over][: -self.kept]:
                del self.jobs[old.number]
            if self._thread is None:
                self._thread = threading.Thread(target=self._work, name="lab-jobs", daemon=True)
                self._thread.start()
        self._queue.put(job)
        return job

    def job(self, number: int) -> J:
        """Return a job by its number.

        Raises
        ------
        InputError
            If there is none.
        """
        if number not in self.jobs:
            raise InputError(
                f"this lab has no {self.what} {number}: the panel Journal has earlier ones"
            )
        return self.jobs[number]

    def stop(self, number: int) -> J:
        """Stop a job: raise in its thread what Ctrl-C raises, or take it from the queue."""
        job = self.job(number)
        self._stop(job)
        return job

    def _stop(self, job: J) -> None:
        with self._lock:
            if job.status == "waiting":
                self._end(job, "stopped")
            elif job.status == "running" and self._thread is not None:
                thread = ctypes.c_ulong(self._thread.ident or 0)
                raised = ctypes.py_object(KeyboardInterrupt)
                ctypes.pythonapi.PyThreadState_SetAsyncExc(thread, raised)
                again = threading.Timer(STOP_AGAIN_SECONDS, self._stop, (job,))
                again.daemon = True
                again.start()

    def close(self) -> None:
        """Stop everything; the thread ends."""
        self._queue.put(None)
        for number in [j.number for j in self.jobs.values() if not j.over]:
            self.stop(number)
        if self._thread is not None:
            self._thread.join(2)

    def _work(self) -> None:
        while True:
            try:
                job = self._queue.get()
                if job is None:
                    return
                with AT_WORK:
                    self._run(job)
            except KeyboardInterrupt:  # it came when the run had just ended
                continue

    def _run(self, job: J) -> None:
        status, error = "stopped", ""
        try:
            with self._lock:
                if job.over:  # it was taken from the queue
                    return
                job.began, job.status = time.monotonic(), "running"
            job.perform()
            status = "done"
        except KeyboardInterrupt:
            pass
        except TachographError as problem:
            status, error = "failed", plain(problem)
        except Exception as problem:
            traceback.print_exc()
            status, error = "failed", f"{type(problem).__name__}: {plain(problem)}"
        finally:
            try:
                self._end(job, status, error)
            except KeyboardInterrupt:  # it was stopped when it had just ended
                self._end(job, status, error)

    def _end(self, job: J, status: str, error: str = "") -> None:
        with self._lock:
            job.error, job.status = error, status
            job.let_go()
            job.ended.set()
