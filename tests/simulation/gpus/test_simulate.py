"""Simulated GPUs: values are exact, requests are those of a slow generator, bad input is refused."""

from __future__ import annotations

import numpy as np
import pytest

import tachograph as tg
from tachograph.simulation.gpus.analytic import demand_of, predict, predict_search
from tachograph.simulation.gpus.bfs import search
from tachograph.simulation.gpus.chip import Chip, Touch
from tachograph.simulation.gpus.constants import QUEUED_US, constants_of
from tachograph.simulation.gpus.gpu import gpu_named, known_gpus
from tachograph.simulation.gpus.result import Band
from tachograph.simulation.gpus.rounds import independent
from tachograph.simulation.gpus.similarity import Searches, sampled, searched
from tachograph.simulation.gpus.simulate import band_of, sent_bytes
from tachograph.simulation.gpus.sssp import masked_dijkstra
from tachograph.simulation.gpus.together import place, split

BALANCES = ("vertex", "warp", "balanced", "degree")


def odd_graphs():
    loops = tg.Graph.from_edges([0, 0, 1, 1, 2], [0, 1, 2, 2, 0], n=5, directed=True)
    apart = tg.Graph.from_edges([0, 2], [1, 3], n=6, directed=False)
    return {
        "one": tg.path(1),
        "path": tg.path(40),
        "star": tg.star(100),
        "loops": loops,
        "apart": apart,
        "kronecker": tg.kronecker(9, 8, rng=1),
        "directed": tg.uniform(300, 5, rng=2, directed=True),
    }


@pytest.mark.parametrize("balance", BALANCES)
@pytest.mark.parametrize("direction", ["push", "pull", "gunrock", "auto", "surf"])
def test_levels_are_exact(balance, direction):
    for name, graph in odd_graphs().items():
        found = tg.simulate("bfs", graph, "v100", source=0, balance=balance, direction=direction)
        assert (found.levels == tg.bfs(graph, 0).levels).all(), name
        assert found.seconds >= 0
        assert found.provenance == "simulated"


@pytest.mark.parametrize("balance", BALANCES)
def test_distances_are_exact(balance):
    graph = tg.kronecker(8, 8, rng=3, weights=True)
    found = tg.simulate("sssp", graph, "p4000", source=1, balance=balance)
    assert np.allclose(found.distances, tg.sssp(graph, 1).distances)


@pytest.mark.parametrize(
    "left_out", [{"iterations": 2}, {"min_degree": 4}, {"max_degree": 30}, {"fraction": 0.5}]
)
def test_approximations_are_those_of_the_host(left_out):
    graph = tg.kronecker(9, 8, rng=3, weights=True)
    approximation = tg.Approximation(**left_out)
    found = tg.simulate("sssp", graph, "p4000", source=1, approximation=approximation)
    # the two-step Dijkstra sees the distances of the round before, as a GPU does
    host = tg.sssp(graph, 1, algorithm="dijkstra", approximation=approximation)
    assert np.array_equal(found.distances, host.distances)
    exact = tg.simulate("sssp", graph, "p4000", source=1)
    assert found.trace["lanes"].sum() <= exact.trace["lanes"].sum()


def test_two_kernels_over_all_vertices():
    """Two launches a round; the first asks for all marks, the second reads and writes all distances."""
    graph = tg.kronecker(9, 8, rng=3, weights=True)
    for left_out in ({}, {"iterations": 2}, {"min_degree": 4}, {"fraction": 0.5}):
        approximation = tg.Approximation(**left_out)
        chip = Chip(tg.GPU("p4000"), graph)
        found = masked_dijkstra(chip, 1, approximation)
        host = tg.sssp(graph, 1, algorithm="dijkstra", approximation=approximation)
        assert np.allclose(found, host.distances)
    warps = graph.n // 32
    lowered = []
    for relax, take in zip(chip.rows[::2], chip.rows[1::2], strict=True):
        assert (relax["kernel"], take["kernel"]) == ("relax", "take over")
        assert relax["iteration"] == take["iteration"]
        picked = -(-relax["claims"] // 32)
        assert take["steps"] == warps + 2 * picked
        assert take["sectors"] >= 3 * 4 * graph.n // 32
        assert relax["sectors"] >= graph.n // 32
        lowered.append(relax["claims"])
    assert [row["frontier_vertices"] for row in chip.rows[2::2]] == lowered[:-1]
    assert lowered[-1] == 0


def test_other_tasks_are_exact():
    graph = tg.kronecker(8, 8, rng=1)
    same = tg.simulate("jaccard", graph, "a100")
    assert np.array_equal(same.source, tg.jaccard(graph).source)
    chosen = tg.simulate("mis", graph, "a10-7850k")
    assert (chosen.mask == tg.maximal_independent_set(graph).mask).all()
    assert set(chosen.trace["kernel"]) == {"randomize", "select", "deactivate"}
    network = tg.Graph.from_edges([0, 0, 1, 2], [1, 2, 3, 3], [3, 5, 9, 2])
    assert tg.simulate("maximum_flow", network, "a10-7850k", source=0, sink=3).value == 5


def slow_sectors(graph, source, warp=32):
    """Distinct sectors of labels, warp by warp, of a push whose arcs lie side by side."""
    seen, front, total = {source}, [source], 0
    while front:
        arcs, claims = [], []
        for first in range(0, len(front), warp):  # a group of items begins a new warp
            group = [int(v) for u in front[first : first + warp] for v in graph.neighbors(u)]
            arcs += [group[k : k + warp] for k in range(0, len(group), warp)]
        for lanes in arcs:
            total += len({4 * v // 32 for v in lanes})
            new = [v for k, v in enumerate(lanes) if v not in seen and v not in lanes[:k]]
            total += len({4 * v // 32 for v in new})  # written
            seen |= set(new)
            claims += new
        front = claims
    return total


def test_sectors_are_those_of_a_slow_generator():
    for graph in (tg.star(200), tg.kronecker(8, 8, rng=5), tg.road(12, 12, rng=1)):
        chip = Chip(gpu_named("v100"), graph)
        search(chip, 0, lambda state: "push")
        assert sum(row["far_sectors"] for row in chip.rows) == slow_sectors(graph, 0)


def slow_searches(graph, arcs, lanes, local):
    """Sectors and turns of ``by_search``, one warp after the other: entries, probes, a last look."""
    ptr, columns = graph.indptr.tolist(), graph.indices.tolist()
    sectors = turns = 0
    warps = {}
    for number, owner, end in zip(*map(np.ndarray.tolist, arcs), strict=True):
        warps.setdefault(number // (32 // lanes), []).append((owner, end))

    def ask(places):
        return len({place // 8 for place in places})

    for warp in warps.values():
        goes = {(a, lane): ptr[owner] for a, (owner, _) in enumerate(warp) for lane in range(lanes)}
        begins = [ptr[end] // 8 * 8 if lanes >= 8 else ptr[end] for _, end in warp]
        turn = 0
        while any(
            b + turn * lanes < ptr[end + 1] for b, (_, end) in zip(begins, warp, strict=True)
        ):
            now = {}
            for a, (owner, end) in enumerate(warp):
                for lane in range(lanes):
                    j = begins[a] + turn * lanes + lane
                    if ptr[end] <= j < ptr[end + 1]:
                        now[a, lane] = [columns[j], goes[a, lane], ptr[owner + 1], j]
            sectors += ask(each[3] for each in now.values())
            turns += 1
            probe = 0
            while not local and any(low < high for _, low, high, _ in now.values()):
                looked = []
                for each in now.values():
                    wanted, low, high, _ = each
                    if low < high:
                        looked.append(middle := (low + high) // 2)
                        each[1:3] = (
                            (middle + 1, high) if columns[middle] < wanted else (low, middle)
                        )
                turns += 1
                sectors += ask(looked) if probe >= 3 else 0
                probe += 1
            goes |= {key: each[1] for key, each in now.items()}
            ends = [each[1] for key, each in now.items() if each[1] < ptr[warp[key[0]][0] + 1]]
            if not local and ends:
                turns, sectors = turns + 1, sectors + ask(ends)
            turn += 1
    return sectors, turns


@pytest.mark.parametrize("local", [True, False])
@pytest.mark.parametrize("lanes", [4, 16])
def test_searches_are_those_of_a_slow_generator(lanes, local):
    for graph in (tg.kronecker(6, 8, rng=5), tg.road(7, 7, rng=1), tg.star(40)):
        found = sampled(graph, graph.degrees.astype(np.int64), 1 << 20)
        own = np.flatnonzero(found.owned)
        assert own.size == graph.arcs // 2  # every edge is counted once
        arcs = Searches(own, found.owner[own], found.end[own])
        chip = Chip(gpu_named("a100"), graph)
        searched(chip, graph, arcs, lanes, local)
        sectors, turns = slow_searches(graph, arcs, lanes, local)
        assert sum(row["sectors"] for row in chip.rows) == sectors
        steps = sum(row["steps"] for row in chip.rows)
        assert steps > turns if local else steps == turns  # probes of local memory count, too


def test_flows_push_what_the_host_pushes():
    """A diamond with two rooms of 5 and 2: the arcs that are written are those that were sent along."""
    network = tg.Graph.from_edges([0, 0, 1, 2], [1, 2, 3, 3], [5, 2, 5, 2])
    run = tg.simulate("maximum_flow", network, "a10-7850k", source=0, sink=3)
    assert run.value == 7
    trace = run.trace
    searches = trace["kernel"] == "bfs"
    assert searches[0]
    assert (
        trace["launch"][searches] > trace["launch"][~searches].max()
    ).all()  # levels are launches
    assert (trace["atomics"][trace["kernel"] == "preflow"] > 0).all()


def test_searches_of_a_flow_launch_each_level():
    """A path has as many levels as vertices; all but one launch of a search wait for nobody."""
    many = {}
    for n in (20, 40):
        ends = np.arange(n - 1), np.arange(1, n)
        line = tg.Graph.from_edges(*ends, np.full(n - 1, 3), n=n)
        run = tg.simulate("maximum_flow", line, "v100", source=0, sink=n - 1)
        searches = run.trace["kernel"] == "bfs"
        many[n] = run.trace["launch"][searches][0]
        assert (
            run.trace["items"][searches][0] == n - 1
        )  # every vertex on the way back but the source
    assert many[40] - many[20] == pytest.approx(20 * QUEUED_US * 1e-6)


def test_sets_share_rows_among_a_group():
    """Work-items of a group see late that a vertex is beaten: all arcs of a turn were looked at by then."""
    star = tg.star(1000)
    run = tg.simulate("mis", star, "v100")
    lanes = run.trace["lanes"][run.trace["kernel"] == "select"][0]
    beside = Chip(tg.GPU("v100"), star)
    independent(beside, 0, 4)
    alone = next(row["lanes"] for row in beside.rows if row["kernel"] == "select")
    centre_wins = bool(run.mask[0])
    assert lanes - alone == (0 if centre_wins else 255)


def test_work_of_balances():
    """A hub makes a warp of work-items as long as its row; 32 lanes share it otherwise."""
    star = tg.star(3200)
    steps = {
        b: tg.simulate("bfs", star, "v100", source=0, direction="push", balance=b).trace["steps"][0]
        for b in BALANCES
    }
    assert steps["vertex"] == 1 + 3199
    assert steps["warp"] == steps["balanced"] == steps["degree"] == 1 + 100
    mixed = tg.disjoint_union(tg.star(41), tg.path(5))  # a row of 40 arcs, others of 1 and 2
    chip = Chip(tg.GPU("v100"), mixed, "degree")
    whole = chip.launch("push", 0, np.arange(mixed.n), [Touch(chip.columns, "arc")])
    assert whole.counts["steps"] == 2 + 2 + 1 + 2  # two warps of items; 32 + 8 arcs; 1; then 2
    assert whole.counts["lanes"] == mixed.arcs


def test_smaller_caches_fetch_more_and_slower_memories_take_longer():
    graph = tg.kronecker(13, 16, rng=1)
    runs = {
        size: tg.simulate("bfs", graph, tg.GPU("v100", l2_bytes=size), source=1, direction="push")
        for size in (4096, 1 << 22)
    }
    fetched = {size: run.trace["far_fetched"].sum() for size, run in runs.items()}
    assert fetched[4096] > 5 * fetched[1 << 22]
    slow = tg.GPU("v100", l2_bytes=4096, memory_gbps=9.0)
    again = tg.simulate("bfs", graph, slow, source=1, direction="push")
    assert again.seconds > runs[4096].seconds


def test_shares_add_up():
    run = tg.simulate("bfs", tg.kronecker(12, 16, rng=1), "k40c", source=1)
    shares = run.shares()
    assert shares.pop("overlapped") >= 0
    assert sum(shares.values()) >= run.seconds
    assert run.interval[0] < run.seconds < run.interval[1]


@pytest.mark.parametrize("scale", [12, 14])
def test_fast_path_is_near_the_simulator(scale):
    graph = tg.kronecker(scale, 16, rng=1)
    source = int(graph.degrees.argmax())
    for size in (1 << 13, 1 << 15, 1 << 22):
        gpu = tg.GPU("v100", l2_bytes=size)
        run = tg.simulate("bfs", graph, gpu, source=source, direction="push")
        found = predict(graph, gpu, run.iterations)
        assert found["seconds"] == pytest.approx(run.seconds, rel=0.35)
    assert 0 <= demand_of(graph).missed(1 << 30) < 0.2


SEARCHED = {
    "kronecker": tg.kronecker(13, rng=1),
    "road": tg.road(30, 30, rng=1),
    "uniform": tg.uniform(4000, 8, rng=1),
    "two components": tg.disjoint_union(tg.path(40), tg.kronecker(9, rng=2)),
}


@pytest.mark.parametrize("name", SEARCHED)
def test_fast_path_of_whole_searches(name):
    """It counts the levels of the source, and lets each take the direction that the simulator takes."""
    graph = SEARCHED[name]
    source = int(graph.degrees.argmax())
    for gpu in ("v100", "k40c"):
        for direction in ("push", "auto"):
            run = tg.simulate("bfs", graph, gpu, source=source, direction=direction)
            found = predict_search(graph, tg.GPU(gpu), source, direction)
            assert found["levels"] == run.iterations
            assert found["seconds"] == pytest.approx(
                run.seconds, rel=0.05 if direction == "push" else 0.3
            )
            pulled = np.count_nonzero(run.trace["kernel"] == "pull")
            assert abs(found["pulled"] - pulled) <= 1
            anywhere = predict_search(graph, tg.GPU(gpu), direction=direction)
            assert 0.5 < anywhere["seconds"] / run.seconds < 2


def test_plans_know_that_the_fast_path_is_off_too():
    """Two errors of a factor of two, as logarithms: the root of 1 + 1 doublings."""
    both = Band("a", 1.0, 2.0).beside(Band("b", 1.5, 2.0))
    assert both.most == pytest.approx(2**2**0.5)
    assert both.median == pytest.approx(1.5)
    assert Band("a", None, None).beside(both).most is None
    graph = SEARCHED["kronecker"]
    (there,) = [c for c in tg.plan("bfs", graph, source=1, device="v100").candidates
                if c.name == "v100 (simulated)"]  # fmt: skip
    run = tg.simulate("bfs", graph, "v100", source=1)
    assert there.estimate.high / there.estimate.seconds > run.interval[1] / run.seconds


def test_only_what_was_validated_has_a_band():
    """Published runs of shortest paths mostly have weights of one; other tasks have no runs here."""
    graph = tg.kronecker(7, 8, rng=1)
    weighted = tg.kronecker(7, 8, rng=1, weights=True)
    assert tg.simulate("sssp", graph, "v100", source=1).interval is not None
    assert tg.simulate("sssp", weighted, "v100", source=1).interval is None
    assert tg.simulate("mis", graph, "v100").interval is None
    part = tg.Approximation(iterations=2)
    assert tg.simulate("sssp", graph, "v100", source=1, approximation=part).interval is None


@pytest.mark.parametrize("task", ["bfs", "sssp"])
def test_balances_without_published_runs_have_no_band(task):
    graph = tg.kronecker(7, 8, rng=1)
    for balance in BALANCES:
        run = tg.simulate(task, graph, "v100", source=1, balance=balance)
        assert (run.interval is None) == (balance != "balanced")
        assert ("not validated" in str(run.band)) == (balance != "balanced")


def test_errors_are_guessed_only_where_something_was_validated():
    graph = tg.kronecker(7, 8, rng=1)
    assert "guessed" in str(tg.simulate("bfs", graph, "a100", source=1).band)
    assert "guessed" not in str(tg.simulate("mis", graph, "a100").band)


def test_sets_walk_both_directions_of_arcs():
    """A star whose arcs lead to its centre: the centre looks at its neighbours all the same."""
    ends = np.arange(1, 65), np.zeros(64, np.int64)
    inward, star = (tg.Graph.from_edges(*ends, directed=d) for d in (True, False))
    one, other = (tg.simulate("mis", graph, "v100") for graph in (inward, star))
    assert one.trace["lanes"].tolist() == other.trace["lanes"].tolist()
    assert (one.mask == other.mask).all()


@pytest.mark.parametrize("task", ["jaccard", "mis"])
def test_runs_that_launch_nothing_have_shares(task):
    empty = tg.Graph.from_edges([], [], n=0, directed=False)
    for graph in (empty, tg.path(1)) if task == "jaccard" else (empty,):
        run = tg.simulate(task, graph, "v100")
        assert set(run.shares().values()) == {0.0}
        assert run.to_dict()["seconds"] == 0.0
        assert tg.plan(task, graph, device="v100").candidates


def test_fast_path_without_edges():
    graph = tg.Graph.from_edges([], [], n=3)
    assert predict_search(graph, tg.GPU("v100"))["levels"] == 1
    assert predict_search(graph, tg.GPU("v100"), source=2)["levels"] == 1


def test_catalogue_and_files(tmp_path):
    assert {"k40c", "titan-xp", "titan-v", "gv100", "v100", "p4000"} <= set(known_gpus())
    assert {"rtx3080", "a100", "a10-7850k"} <= set(known_gpus())
    for name in known_gpus():
        assert tg.GPU(name).source
        assert tg.GPU(name).title
    own = tmp_path / "mine.toml"
    own.write_text('like = "v100"\nname = "Mine"\nsms = 40\n')
    assert gpu_named(str(own)).sms == 40
    assert gpu_named(str(own)).name == "mine"
    assert tg.simulate("bfs", tg.path(3), own, source=0).gpu == "mine"
    assert tg.simulate("bfs", tg.path(3), str(own), source=0).gpu == "mine"


MINE = """name = "Mine"
sms = 20
clock_ghz = 1.5
l2_bytes = 3_000_000
memory_gbps = 400
memory_bytes = 8_000_000_000
"""


def test_a_gpu_of_ones_own(tmp_path):
    """What a file leaves out follows from the architecture, however it is written."""
    own = tmp_path / "mine.toml"
    own.write_text(MINE + 'architecture = "Pascal"\nmemory = "gddr5x"\n')
    assert (gpu_named(str(own)).cores, gpu_named(str(own)).architecture) == (128, "pascal")
    assert constants_of(gpu_named(str(own))) == constants_of(tg.GPU("p100"))
    own.write_text(MINE + 'architecture = "pascal"\ncores = 64\n')
    assert gpu_named(str(own)).cores == 64
    own.write_text(MINE)
    assert gpu_named(str(own)).cores == 64


def test_errors_are_those_of_gpus_like_it(tmp_path):
    """A name alone is no run: what a GPU has says how near it is to those that were measured."""
    graph = tg.kronecker(8, 8, rng=1)

    def band(gpu):
        return tg.simulate("bfs", graph, gpu, source=1).band

    assert "GPU seen" in band("v100").kind
    assert "GPU seen" in band(tg.GPU("v100", memory_bytes=1 << 30, bus_gbps=3.0)).kind
    assert "architecture seen" in band("titan-v").kind
    assert "architecture seen" in band(tg.GPU("v100", l2_bytes=4 << 20)).kind
    assert "GPU unseen" in band("rtx3080").kind
    own = tmp_path / "own.toml"
    own.write_text('like = "v100"\nname = "v100"\nsms = 2\nmemory_gbps = 12\n')
    far = band(str(own))
    assert "error guessed" in far.kind
    assert "error guessed" in band("a100").kind  # 40 MB of L2
    assert far.most > band("rtx3080").most > band("v100").most
    for launch in (0.9, 0.1):  # a GPU is not better known than one with runs of its own
        bands = [
            band_of("bfs", graph, tg.GPU(n), launch, 1.0) for n in ("v100", "titan-v", "p4000")
        ]
        assert sorted(b.most for b in bands) == [b.most for b in bands]


@pytest.mark.parametrize(
    ("text", "problem"),
    [("engines = 3", "unknown key 'engines'"), ("", "says nothing of sms, clock_ghz"),
     ("sms = 3\nclock_ghz = 1", "says nothing of l2_bytes"), ('like = "v100"\nname = ["a"]', "must be text"),
     ('like = "v100"\nname = "../x"', "must be words"), ('like = "v100"\nmemory = "cheese"', "one of DDR3"),
     ("like = 3", "must be text"), ("sms = 0", "at least 1"), ('like = "v100"\nclock_ghz = 1380', "too fast: is it in MHz?"), ("sms = ", "mine.toml"),
     ("clock_ghz = inf", "finite"), (f"clock_ghz = {10**400}", "finite"), ("a = " + "[" * 9999, "is not TOML"),
     (f"sms = {2**60}", "at most"), ("#" * 2_000_000, "no settings do"),
     ('like = "v101"', "no GPU")],
)  # fmt: skip
def test_bad_files(tmp_path, text, problem):
    own = tmp_path / "mine.toml"
    own.write_text(text)
    with pytest.raises((tg.InputError, tg.FileFormatError), match=problem):
        gpu_named(str(own))


@pytest.mark.parametrize(
    ("call", "problem"),
    [
        (lambda g: tg.GPU("v101"), "known: k40c"),
        (lambda g: tg.GPU(None), "name = None: text is needed"),
        (lambda g: gpu_named(""), "needs a name"),
        (lambda g: tg.simulate("bfs", g, "v101", source=0), "GPUs: k40c"),
        (lambda g: tg.simulate("pagerank", g, "v100"), "no GPU kernels"),
        (lambda g: tg.simulate("bfs", g, "v100"), "needs a source"),
        (lambda g: tg.simulate("bfs", g, "v100", source=99), "no vertex 99"),
        (lambda g: tg.simulate("bfs", g, "v100", source=0, balance="x"), "balance"),
        (lambda g: tg.simulate("bfs", g, "v100", source=0, direction="oracle"), "oracle"),
        (
            lambda g: tg.simulate("bfs", g, tg.GPU("v100", memory_bytes=100), source=0),
            "more memory",
        ),
        (lambda g: tg.GPU("v100", clock_ghz=0.0), "at least"),
        (lambda g: tg.GPU("v100", engines=3), "no parameter"),
        (lambda g: tg.simulate("bfs", g, "v100", source=0, bogus=1), "takes no bogus"),
        (lambda g: tg.simulate("bfs", g, "v100", "hbm", source=0), "for accelerators"),
        (lambda g: tg.simulate("mis", g, "v100", rng="x"), "whole number"),
        (lambda g: tg.simulate("sssp", g, "v100", source=0, approximation="x"), "Approximation"),
        (lambda g: tg.plan("bfs", g, source=0, device="v101"), "known: k40c"),
    ],
)
def test_bad_input(call, problem):
    with pytest.raises(tg.InputError, match=problem):
        call(tg.path(4))


def test_splits_and_placements():
    both = split(3.0, 1.0)
    assert both.seconds == pytest.approx(0.75) == pytest.approx(both.gpu_share * 1.0)
    graph, gpu = tg.kronecker(8, 8, rng=1), tg.GPU("a10-7850k")
    run = tg.simulate("mis", graph, gpu)
    placed = place(run, gpu, 8 * graph.n)
    assert placed.seconds <= min(placed.host_seconds, placed.gpu_seconds) + 1e-12
    assert len(placed.places) == len(run.trace)
    assert gpu.copy_seconds(1 << 30) == 0 < tg.GPU("v100").copy_seconds(1 << 30)


def test_a_directed_search_copies_both_directions():
    graph = tg.uniform(300, 5, rng=2, directed=True)
    size = graph.indptr.nbytes + graph.indices.nbytes
    assert sent_bytes("bfs", graph) == 2 * size
    assert sent_bytes("bfs", tg.path(9)) == tg.path(9).indptr.nbytes + tg.path(9).indices.nbytes
