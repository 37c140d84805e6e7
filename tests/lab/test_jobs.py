"""Jobs of the lab: stopped at any moment, they end, and the next one goes on."""

from __future__ import annotations

import time
from dataclasses import dataclass, field

import pytest

from tachograph.lab import jobs
from tachograph.lab.jobs import Jobs, Queued
from tests.lab.conftest import WAIT, until


@dataclass
class Busy(Queued):
    """Works until it is stopped; ``deaf`` is how many exceptions it swallows."""

    deaf: int = 0
    heard: list[float] = field(default_factory=list)

    def perform(self) -> None:
        while True:
            try:
                while True:
                    time.sleep(0.001)
            except KeyboardInterrupt:
                self.heard.append(time.monotonic())
                if len(self.heard) > self.deaf:
                    raise


@dataclass
class Quick(Queued):
    def perform(self) -> None:
        pass


class StoppedAtOnce(Quick):
    """Is stopped in the very moment in which it begins."""

    queue: Jobs

    def __setattr__(self, name, value):
        super().__setattr__(name, value)
        if value == "running":
            self.queue.stop(self.number)


@pytest.fixture
def queue():
    made: Jobs = Jobs()
    yield made
    made.close()


def ended(job):
    assert job.ended.wait(WAIT)
    return job.status


def test_a_job_that_swallows_what_stops_it_is_stopped_again(queue, monkeypatch):
    monkeypatch.setattr(jobs, "STOP_AGAIN_SECONDS", 0.05)
    job = queue.add(lambda number: Busy(number=number, deaf=2))
    until(lambda: job.status == "running")
    queue.stop(job.number)
    assert ended(job) == "stopped"
    assert len(job.heard) == 3
    assert ended(queue.add(lambda number: Quick(number=number))) == "done"


def test_a_job_that_is_stopped_when_it_begins_ends(queue):
    def made(number):
        job = StoppedAtOnce(number=number)
        job.queue = queue
        return job

    for _ in range(5):
        assert ended(queue.add(made)) in ("stopped", "done")
    assert ended(queue.add(lambda number: Quick(number=number))) == "done"
