from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tachograph.simulation.dram import Memory
from tachograph.simulation.streams import (
    Direct,
    Phase,
    Port,
    Priority,
    RoundRobin,
    Runs,
    Stage,
    Stream,
    buffered,
    joined,
    lines,
    prefetched,
)
from tachograph.simulation.streams.engine import Engine, ticks_per_cycle
from tachograph.util.errors import InputError
from tests.simulation.streams.naive import play

MEMORIES = [("DDR3-1600K", 1), ("DDR4-2400R", 2), ("HBM", 4)]


@st.composite
def streams(draw, channels):
    """A few streams that wait for earlier ones, or not."""
    made, stages = [], []
    for i in range(draw(st.integers(1, 5))):
        many = draw(st.integers(0, 6))
        runs = Runs(
            np.array(
                draw(st.lists(st.integers(0, 1 << 18), min_size=many, max_size=many)), np.int64
            ),
            np.array(draw(st.lists(st.integers(0, 9), min_size=many, max_size=many)), np.int64),
        )
        s = Stream(
            f"s{i}", runs,
            write=draw(st.booleans()),
            channel=draw(st.sampled_from([None, *range(channels)])),
            rate=draw(st.sampled_from([None, 1, 2, Fraction(1, 2), Fraction(3, 4), 1.5])),
            window=draw(st.sampled_from([None, 1, 3])),
            latency=draw(st.sampled_from([0, 0, 1, 7])),
            burst=draw(st.sampled_from([0, 0, 3, 4])),
        )  # fmt: skip
        if not s.write and draw(st.booleans()):
            s.items_each = draw(st.integers(1, 4))
            s.items = np.arange(s.total * s.items_each, dtype=np.int32) * draw(st.integers(0, 3))
            s.items -= draw(st.sampled_from([0, 4]))  # negative ones need no bank
        for other in draw(st.permutations([*made, *stages]))[: draw(st.integers(0, 4))]:
            need = sorted(draw(st.integers(0, other.total)) for _ in range(many))
            when = draw(st.sampled_from(["sent", "arrived", "done"]))
            s.after(other, draw(st.sampled_from([None, need])), when=when,
                    delay=draw(st.sampled_from([0, 0, 5])))  # fmt: skip
        made.append(s)
        if draw(st.booleans()):
            stages.append(draw(stage(made, stages)))
    return made


@st.composite
def stage(draw, streams, stages):
    """A stage that is fed by some streams and waits for some stages."""
    words, banks, each = draw(st.integers(0, 8)), draw(st.integers(1, 3)), draw(st.integers(1, 4))
    items = None
    if draw(st.booleans()):
        many = words * each
        drawn = draw(st.lists(st.integers(-1, banks - 1), min_size=many, max_size=many))
        items = np.array(drawn, np.int32)
    made = Stage(
        f"g{len(stages)}", words, items=items, items_each=each, banks=banks,
        interval=draw(st.integers(0, 3)), cycles_each=draw(st.integers(0, 3)),
        depth=draw(st.sampled_from([None, 1, 2])), lockstep=draw(st.booleans()),
        latency=draw(st.sampled_from([0, 1, 6])),
    )  # fmt: skip
    for other in draw(st.permutations([*streams, *stages]))[: draw(st.integers(0, 3))]:
        need = sorted(draw(st.integers(0, other.total)) for _ in range(words))
        room = None
        if isinstance(other, Stream) and not any(w.room for g in other.fed for w in g.waits if w.stream is other):  # fmt: skip
            room = draw(st.sampled_from([None, 1, 9]))
        made.after(other, need, room=room, when=draw(st.sampled_from(["sent", "done"])))
    return made


@st.composite
def mergers(draw, what, depth=2):
    kind = draw(st.sampled_from([Direct, RoundRobin, Priority]))
    if depth == 0 or len(what) < 2 or draw(st.booleans()):
        return kind(*what)
    cut = draw(st.integers(1, len(what) - 1))
    return kind(draw(mergers(what[:cut], depth - 1)), draw(mergers(what[cut:], depth - 1)))


@settings(max_examples=150, deadline=None)
@given(st.data())
def test_the_loop_does_what_a_naive_one_does(data):
    """Every cycle played in Python gives the same end and the same commands: nothing is skipped wrongly."""
    name, channels = data.draw(st.sampled_from(MEMORIES))
    depth = data.draw(st.sampled_from([1, 2, 32]))
    clock = data.draw(st.sampled_from([100, 200, 333.3, 1000]))
    kinds = {"channels": channels, "read_queue": depth, "write_queue": depth}
    parts = data.draw(streams(channels))
    cut = data.draw(st.integers(0, len(parts) - 1))
    rates = data.draw(st.tuples(*[st.sampled_from([None, 1, 2])] * 2))
    ports = [Port(data.draw(mergers(p)), r)
             for p, r in zip((parts[:cut], parts[cut:]), rates, strict=True) if p]  # fmt: skip
    phase = Phase("test", ports)
    engine = Engine(Memory(name, **kinds), clock, banks=3)
    slow = Memory(name, **kinds)
    expected = play(slow, clock, phase, banks=3)
    if expected is None:
        with pytest.raises(InputError, match="wait for each other"):
            engine.run(phase)
        return
    done = engine.run(phase)
    end, requests = expected
    assert done.end == end
    assert {k: n for k, n in done.requests.items() if n} == requests
    slow.drain()
    engine.finish()
    assert engine.now == slow.now - 1  # statistics() looks one tick later
    kept = slow.statistics()
    counted = engine._counts()
    assert (counted["reads"], counted["writes"]) == (kept.reads, kept.writes)
    assert counted["row_hits"] == kept.row_hits
    assert counted["row_conflicts"] == kept.row_conflicts


def test_phases_go_on_where_the_last_one_ended():
    memory = Memory("DDR3-1600K")
    engine = Engine(memory, 200)
    first = engine.run(Phase("a", [Port(Priority(Stream("x", lines(0, 6400, 64))))], drain=True))
    second = engine.run(Phase("b", [Port(Priority(Stream("y", lines(0, 6400, 64))))], 1))
    assert second.begin == first.end
    assert second.end > first.end
    assert (first.reads, second.reads, second.iteration) == (100, 100, 1)


def test_a_rate_is_kept():
    """A line in four cycles of 10 ns: the last of 100 is asked for in cycle 396."""
    engine = Engine(Memory("DDR4-2400R"), 100)
    done = engine.run(Phase("a", [Port(Priority(Stream("x", lines(0, 6400, 64), rate=0.25)))]))
    assert 396 * 12 < done.end < 410 * 12


def test_banks_serve_one_item_in_a_cycle():
    """64 lines of 16 items that all need bank 0: 1,024 cycles at least."""

    def run(items):
        s = Stream("x", lines(0, 4096, 64), items=items, items_each=16)
        return Engine(Memory("DDR4-2400R"), 200, banks=16).run(Phase("a", [Port(Priority(s))])).end

    same = run(np.zeros(1024, np.int32))
    spread = run(np.arange(1024, dtype=np.int32))
    assert 1024 * 6 < same < 1044 * 6
    assert spread < 100 * 6


def cycles(streams, clock=200, memory="DDR4-2400R"):
    """Cycles of the accelerator until a phase of these streams ends; 6 ticks of DDR4-2400 are one."""
    return Engine(Memory(memory), clock).run(Phase("a", [Port(Priority(*streams))])).end / 6


def test_a_stage_holds_back_its_reader():
    """100 lines, a word of each takes 50 cycles: 4 of them are in front, so the last goes late."""
    reader = Stream("x", lines(0, 6400, 64))
    Stage("slow", 100, interval=50).after(reader, range(1, 101), room=4)
    behind = Stream("y", lines(1 << 20, 64, 64)).after(reader)
    assert 95 * 50 < cycles([reader, behind]) < 101 * 50


def test_delays_need_no_requests():
    first = Stream("x", lines(0, 64, 64))
    second = Stream("y", lines(64, 64, 64)).after(first, delay=1000)
    assert 1000 < cycles([first, second]) < 1040
    assert cycles([Stream("x", lines(0, 64, 64), write=True, latency=500)]) == pytest.approx(
        500, abs=2
    )


def test_banks_of_a_stage():
    """8 items of one bank take 8 cycles; in step, the next word waits for that; with a queue it does not."""

    def run(**how):
        reader = Stream("x", lines(0, 64, 64))
        items = np.array([[0] * 8, [1, 2, 3, 4, 5, 6, 7, 8]] * 50, np.int32).ravel()
        stage = Stage("g", 100, items=items, items_each=8, banks=9, **how).after(reader)
        return cycles([reader, Stream("y", lines(64, 64, 64)).after(stage)])

    assert run(lockstep=True) == pytest.approx(50 * 9, abs=40)
    assert run() == pytest.approx(50 * 8, abs=40)
    assert run(cycles_each=2) == pytest.approx(50 * 16, abs=40)


def test_bursts_stay_together():
    """Two arrays in two rows of one bank: line by line nearly nothing hits, in bursts of 64 most do."""

    def run(burst):
        both = [
            Stream(str(i), lines(i << 26, 64 * 256, 64), burst=burst, window=64) for i in (0, 1)
        ]
        memory = Memory("DDR4-2400R", read_queue=1)
        return Engine(memory, 200).run(Phase("a", [Port(RoundRobin(*both), 1)])).row_hits

    assert run(0) < 0.1 * 512 < 0.95 * 512 < run(64)


def test_a_pause_comes_first():
    one = Phase("a", [Port(Priority(Stream("x", lines(0, 64, 64))))], pause=300)
    done = Engine(Memory("DDR4-2400R"), 200).run(one)
    assert (done.begin, done.end // 6) == (0, pytest.approx(306, abs=8))


@given(st.lists(st.integers(0, 60), max_size=30).map(sorted), st.integers(1, 9), st.integers(0, 3))
def test_a_prefetcher_reads_every_block_once(wanted, block, ahead):
    runs, need = prefetched(np.array(wanted, np.int64), block, ahead)
    blocks = sorted({line // block + more for line in wanted for more in range(ahead + 1)})
    assert (runs.first // block).tolist() == blocks
    assert runs.count.tolist() == [block] * len(blocks)
    assert need.tolist() == [sum(b <= line // block for b in blocks) for line in wanted]


def test_lines_and_buffers():
    assert lines(0, 0, 64).total == 0
    assert lines(63, 2, 64).total == 2
    both = joined(lines(0, 64, 64), lines(640, 128, 64))
    assert both.total == 3
    assert joined().total == 0
    runs, need = buffered(np.zeros(0, np.int64), 64, np.zeros(0, np.int64), last=True)
    assert runs.total == need.size == 0
    first = buffered(np.array([0, 60, 64, 0]), 64, np.array([1, 2, 3, 4]))
    assert (first[0].first.tolist(), first[1].tolist()) == ([0, 1, 0], [1, 3, 4])


@given(st.lists(st.integers(0, 300), max_size=40))
def test_a_buffer_makes_one_request_of_neighbouring_accesses(addresses):
    runs, need = buffered(np.array(addresses, np.int64), 64, np.arange(len(addresses)), last=True)
    expected = []
    for i, a in enumerate(addresses):
        if expected and expected[-1][0] == a // 64:
            expected[-1] = (a // 64, i)
        else:
            expected.append((a // 64, i))
    assert list(zip(runs.first.tolist(), need.tolist(), strict=True)) == expected


def test_clocks():
    assert ticks_per_cycle(0.8333333333333334, 200) == 6
    assert ticks_per_cycle(1.25, 200) == 4
    assert ticks_per_cycle(2.0, 1000) == Fraction(1, 2)
    with pytest.raises(InputError, match="clock_mhz = 0"):
        Engine(Memory("HBM"), 0)


def test_mistakes_are_explained():
    engine = Engine(Memory("DDR3-1600K"), 200)
    a, b = Stream("a", lines(0, 64, 64)), Stream("b", lines(64, 64, 64))
    a.after(b)
    b.after(a)
    with pytest.raises(InputError, match="the streams a, b wait for each other"):
        engine.run(Phase("x", [Port(Priority(a, b))]))
    with pytest.raises(InputError, match="waits for 'b', which is not in the phase"):
        engine.run(Phase("x", [Port(Priority(a))]))
    with pytest.raises(InputError, match="merged twice"):
        engine.run(Phase("x", [Port(Priority(a, a))]))
    with pytest.raises(InputError, match="channel 2, but there are 1"):
        engine.run(Phase("x", [Port(Priority(Stream("c", lines(0, 64, 64), channel=2)))]))
    with pytest.raises(InputError, match="when = 'soon' must be one of sent, arrived, done"):
        Stream("c", lines(0, 64, 64)).after(a, when="soon")
    with pytest.raises(InputError, match="delay = -1"):
        Stream("c", lines(0, 64, 64)).after(a, delay=-1)
    with pytest.raises(InputError, match="latency and burst"):
        Stream("c", lines(0, 64, 64), latency=-1)
    with pytest.raises(InputError, match="words = -1 must be 0 or more"):
        Stage("g", -1)
    with pytest.raises(InputError, match="item 2, but 2 banks"):
        Stage("g", 1, items=np.array([2], np.int32), items_each=1, banks=2)
    with pytest.raises(InputError, match="2 items, but only 1 words of 1"):
        Stage("g", 1, items=np.array([0, 0], np.int32), items_each=1)
    with pytest.raises(InputError, match="held back by a stage already"):
        Stage("h", 1).after(Stage("g", 1).after(a, room=1).waits[0].stream, room=1)
    with pytest.raises(InputError, match="would wait for request 3 of 'a', which has 1"):
        Stream("c", lines(0, 64, 64)).after(a, 3)
    with pytest.raises(InputError, match="2 needs for 1 runs"):
        Stream("c", lines(0, 64, 64)).after(a, [0, 1])
    with pytest.raises(InputError, match="rate = 0"):
        Stream("c", lines(0, 64, 64), rate=0)
    with pytest.raises(InputError, match="window = 0"):
        Stream("c", lines(0, 64, 64), window=0)
    with pytest.raises(InputError, match="nothing to merge"):
        Priority()
    with pytest.raises(InputError, match="3 items, but only 1 lines of 2"):
        Stream("c", lines(0, 64, 64), items=np.zeros(3, np.int32), items_each=2)
