"""Randomize and Select at the same time: one on the host, one on the device.

The consumer begins when all but the last ``overlap`` percent are produced, and goes through the work
list behind the producer. When that has produced all, it helps from the other end of the list.
"""

from __future__ import annotations

from ..decisions.placement.state import Call
from ..devices.cores import apart
from .independent_rounds import Rounds
from .placed import Placed

__all__ = ["Overlap", "worth"]

# A consumer looks at an empty word, with a rest of about half a microsecond after each look, at most
# LOOKS_AT_LEAST times and a share of the vertices more, so that about as long as producing takes is
# lost; LOOKS_AT_MOST keeps that below a second.
LOOKS_AT_LEAST, LOOKS_PER_VERTEX, LOOKS_AT_MOST = 256, 1 / 256, 1 << 17
OVERLAP_FROM_WORK = 3 << 14  # below it, beginning two kernels costs more than is saved
HOST_BELOW_LEFT = 1 << 14  # vertices left waiting: the host selects fewer than these


def worth(vertices: int, arcs: int) -> bool:
    """Return whether a round is large enough; most vertices look at few of their arcs."""
    return vertices + arcs // 16 >= OVERLAP_FROM_WORK


class Overlap:
    """How a run overlaps: from which share on, which vertices first, who produces."""

    def __init__(self, overlap: int, producer: str) -> None:
        self.overlap, self.producer = overlap, producer
        self.hot = -1  # vertices that are produced first: not selected yet
        self.pays = True

    def __call__(self, rounds: Rounds, placed: Placed, call: Call) -> bool:
        """Run both kernels of a round, unless it is too small, or an earlier one did not pay."""
        from ..kernels.runtime.launch import clock

        if not (worth(call.vertices, call.arcs) and self.pays):
            return False
        assert rounds.device is not None
        begin = clock()
        both = call._replace(kernel="randomize+select")
        places = "host+device" if self.producer == "host" else "device+host"
        if not (rounds.arrays.shared and rounds.device.capabilities.svm_atomics):
            self._in_turns(rounds, call.vertices)
            note = "bulk-synchronous: host and device share no atomic memory"
            placed.note(both, places, clock() - begin, note=note)
            return True
        if rounds.arrays.host("hot")[0].size:
            self._find_hot(rounds, placed, call)
            begin = clock()
        with apart(rounds.device.workers):  # only as long: others begin sooner where they ended
            polls, left = self._at_once(rounds, call.vertices)
        note = f"{left} vertices were left waiting and selected afterwards" if left else ""
        if 2 * left > call.vertices:  # producer and consumer do not run at the same time
            self.pays = False
            note += "; from now on one kernel after the other"
        placed.note(both, places, clock() - begin, polls=polls, note=note)
        return True

    def _in_turns(self, rounds: Rounds, count: int) -> None:
        assert rounds.device is not None
        kernels = (rounds.host, rounds.there)
        produce, consume = kernels if self.producer == "host" else kernels[::-1]
        produce("randomize", 0, count)
        rounds.device.finish()
        consume("select", 0, count)
        rounds.device.finish()

    def _at_once(self, rounds: Rounds, count: int) -> tuple[int, int]:
        """Return how often the consumer looked at empty words, and how many vertices it left."""
        from ..kernels.independent_set.rounds import LEFT, POLLS, REAR

        device = rounds.device
        assert device is not None
        begun = count * (100 - self.overlap) // 100
        patience = min(LOOKS_AT_LEAST + int(LOOKS_PER_VERTEX * count), LOOKS_AT_MOST)
        (tally,) = rounds.arrays.host("tally")
        tally[:] = 0
        tally[REAR] = count
        produce = rounds.host if self.producer == "host" else rounds.there
        if self.hot > 0:
            produce("randomize", 0, self.hot, "hot")
        produce("randomize", 0, begun)
        if self.producer == "host":
            rounds.there_shared(count, False, patience)
            rounds.host("randomize", begun, count)
            rounds.host_shared(count, True, 0)
        else:
            device.finish()
            rounds.there("randomize", begun, count)
            rounds.there_shared(count, True, 0)
            rounds.host_shared(count, False, patience)
        device.finish()
        polls, left = int(tally[POLLS]), int(tally[LEFT])
        if left < HOST_BELOW_LEFT:  # all is produced now: nobody waits
            rounds.host("select", 0, left, rounds.kept)
        else:
            rounds.there("select", 0, left, rounds.kept)
            device.finish()
        return polls, left

    def _find_hot(self, rounds: Rounds, placed: Placed, call: Call) -> None:
        """Find the undecided vertices of high degree, in every round."""
        from ..kernels.independent_set.rounds import front, remaining
        from ..kernels.runtime.launch import clock, run

        begin = clock()
        degree, state, hot = rounds.arrays.host("degree", "state", "hot")
        if self.hot < 0:
            self.hot = int(run(front, [(degree, hot)], brief=True)[0])
        else:
            self.hot = int(run(remaining, [(self.hot, hot, state)], brief=True)[0])
        found = call._replace(kernel="hot vertices", vertices=self.hot)
        placed.note(found, "host", clock() - begin)
