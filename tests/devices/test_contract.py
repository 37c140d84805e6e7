"""Every kernel on every device, whatever it can do, gives what the oracles give."""

from __future__ import annotations

import itertools
import re
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

import tachograph as tg
from tachograph.algorithms import (
    bfs_on_device,
    independent_on_device,
    independent_overlap,
    on_device,
    sssp_on_device,
)
from tachograph.algorithms.similarity_device import Apart, Job, _widths
from tachograph.devices import calibrate as room
from tachograph.devices import groups, memory
from tachograph.devices.discovery import discover
from tachograph.devices.opencl import GROUP, SOURCES, open_device, source_of
from tachograph.kernels.similarity.edges import Edges, edge_numbers
from tests.algorithms.test_bfs import GRAPHS
from tests.devices.searches import SEARCHES, label
from tests.devices.support import any_device, needs_pyopencl
from tests.graph.test_build import rows_of
from tests.oracles import similarity

pytestmark = needs_pyopencl
MASKS = {"all it can": (), "own memory": ("shares_memory", "svm")}
DEVICES = [found.id for found in discover() if found.problem is None] or ["none"]
OPTIONAL = ("svm", "svm_atomics", "int64_atomics", "double", "shares_memory")
SIMULATED: list[object] = []  # buffers that stay
GROUPS_TOO_MANY = 3  # of work-items that have nothing to do


@pytest.fixture(params=DEVICES)
def every_device(request):
    any_device()  # or skip
    return open_device(request.param)


def small_enough(device, g):
    """Whether a driver that ends loops is through with this graph before."""
    turns = device.found.turns
    return turns is None or (g.n + g.arcs) * memory.LOOPS_PER_ARC <= turns


@pytest.fixture(params=list(MASKS))
def device(request, every_device):
    return every_device.masked(*MASKS[request.param])


def intersect(device, g, monkeypatch):
    """Similarities of edges, by their owners and, as in a list, one by one."""
    listed = tg.jaccard(g, device=[device], algorithm="merge-or-search")
    assert np.array_equal(listed.values, tg.jaccard(g, device="host").values)
    if g.directed:
        return
    found = tg.jaccard(g, device=[device])
    rows = [{t: 1 for t, _ in row if t != v} for v, row in enumerate(rows_of(g))]
    assert np.array_equal(found.values, tg.jaccard(g, device="host").values)
    for k in range(0, found.values.size, 1 + found.values.size // 200):  # the oracle is slow
        u, v = found.source[k], found.target[k]
        assert found.values[k] == similarity("jaccard", rows[u], rows[v])


def micro_benchmarks(device, g, monkeypatch):
    """Their outcomes are checked where they are measured."""
    for name in ("STREAM_FLOATS", "GATHER_INTEGERS", "CHAINS"):
        monkeypatch.setattr(room, name, 256)
    assert room.calibrate(device)["stream"] > 0


def independent_set(device, g, monkeypatch):
    """The same set as on the host, which the verifier finds right."""
    if g.directed:
        return
    monkeypatch.setattr(independent_overlap, "OVERLAP_FROM_WORK", 1)
    expected = tg.maximal_independent_set(g, rng=1, device="host").to_dict()
    for options in (
        {},
        {"placement": by_kernel},
        {"overlap": 60},
        {"overlap": 60, "hot": 20, "producer": "device"},
    ):
        found = tg.maximal_independent_set(
            g, rng=1, device=device, verify=True, **{"placement": "device", **options}
        )
        assert_not_given_up(found)
        for name, value in found.to_dict().items():
            if isinstance(value, np.ndarray):
                assert np.array_equal(value, expected[name]), name


def assert_not_given_up(found):
    """The host would give the right answer, too."""
    assert not any("use the host" in note for note in found.trace["note"])


def by_kernel(call):
    """On the device, but as a function says: kernel by kernel."""
    return "device"


def flow(device, g, monkeypatch):
    """As much as on the host; the verifier compares it with a cut."""
    if g.n < 2 or g.n > 1000:
        return  # thousands of rounds
    ends = np.repeat(np.arange(g.n), g.degrees), g.indices
    network = tg.Graph.from_edges(*ends, (np.arange(g.arcs) % 9).astype(np.int32), n=g.n)
    found = tg.maximum_flow(network, 0, g.n - 1, device=device, placement="device", verify=True)
    assert_not_given_up(found)
    assert found.value == tg.maximum_flow(network, 0, g.n - 1, device="host").value


KERNELS = {
    **SEARCHES,
    intersect: ["similarity: by_marks", "similarity: by_search", "similarity: by_list"],
    independent_set: [*(f"independent_set: {name}" for name in
                        ("randomize", "select_", "select_shared", "deactivate", "compact", "count_bits",
                         "take_hot")),
                      *(f"greedy: {name}" for name in ("levels", "decide", "decide_alone"))],
    flow: [f"flow: {name}" for name in
           ("preflow", "adjust", "clear", "expand", "unmark", "checksum")],
    micro_benchmarks: [f"calibrate: {name}" for name in
                       ("nothing", "stream", "gather", "count", "scalar", "vector")],
}  # fmt: skip


@pytest.mark.parametrize("check", KERNELS, ids=lambda f: f.__name__)
@pytest.mark.parametrize("name", list(GRAPHS))
def test_the_contract(device, name, check, monkeypatch):
    g = GRAPHS[name]()
    if check is micro_benchmarks and name not in ("path", "star"):
        return  # the graph says nothing about it
    if not small_enough(device, g):
        with pytest.raises(tg.DeviceError, match="ends loops after"):
            tg.bfs(g, 0, device=device)
        return
    check(device, g, monkeypatch)
    assert_nothing_is_left(device)


def test_drivers_that_end_loops_get_small_graphs_only():
    """llvmpipe does, without a word, after 65,535 turns of all loops of a work-item."""
    device = any_device().masked()
    device.found = replace(device.found, turns=65_535)
    small, large = tg.path(3000, weights=(1, 5)), tg.path(9000, weights=(1, 5))
    assert tg.sssp(small, 0, device=device, verify=True).distances.size == 3000
    said = "ends loops after 65,535 turns"
    for task, given in (("bfs", (0,)), ("sssp", (0,)), ("connected_components", ()), ("pagerank", ())):  # fmt: skip
        with pytest.raises(tg.DeviceError, match=said):
            getattr(tg, task)(large, *given, device=device)
    with pytest.warns(tg.TachographWarning, match=said):  # the host does the device's part
        tg.jaccard(large, device=[device])
    found = tg.maximal_independent_set(large, device=device, placement="device", verify=True)
    assert any(said in note for note in found.trace["note"])


def assert_nothing_is_left(device):
    for graph in list(device.room.graphs.values()):
        graph.release()
    assert device.room.used == 0


@pytest.mark.parametrize("check", KERNELS, ids=lambda f: f.__name__)
@pytest.mark.parametrize("kind", ["cpu", "gpu"])
@pytest.mark.parametrize("most", [1, pytest.param(len(OPTIONAL), marks=pytest.mark.slow)])
def test_whatever_a_device_can_do_and_whatever_it_is(every_device, kind, most, check, monkeypatch):
    """Shared memory without shared cores, fine-grained memory without either: all combinations."""
    g = tg.kronecker(5, rng=1)
    for count in range(most + 1):
        for missing in itertools.combinations(OPTIONAL, count):
            device = every_device.masked(*missing, kind=kind)
            check(device, g, monkeypatch)
            assert_nothing_is_left(device)


@pytest.mark.parametrize("check", KERNELS, ids=lambda f: f.__name__)
def test_work_items_beyond_the_size_do_nothing(device, check, monkeypatch):
    """Drivers and later versions of ours may launch more than was asked for."""
    launch = device.launch

    def more(kernel, size, *arguments, group=GROUP):
        sizes, groups = (x if isinstance(x, tuple) else (x,) for x in (size, group))
        beyond = tuple(s + GROUPS_TOO_MANY * g for s, g in zip(sizes, groups, strict=True))
        return launch(kernel, beyond, *arguments, group=groups)

    monkeypatch.setattr(device, "launch", more)
    for name in ("path", "star"):
        check(device, GRAPHS[name](), monkeypatch)


@pytest.mark.parametrize("check", KERNELS, ids=lambda f: f.__name__)
def test_groups_follow_each_other_in_the_first_dimension(every_device, check, monkeypatch):
    """CUDA has at most 65,535 groups in the others; a piece of similarities has up to 2^20 arcs."""
    device = every_device.masked("shares_memory", "svm", kind="gpu")
    launch = device.launch

    def looked_at(kernel, size, *arguments, group=GROUP):
        if isinstance(size, tuple):
            assert size[1:] == group[1:], kernel.function_name
        return launch(kernel, size, *arguments, group=group)

    monkeypatch.setattr(device, "launch", looked_at)
    check(device, tg.kronecker(5, rng=1), monkeypatch)


def test_groups_as_deep_as_the_device_allows():
    """Apple's processor driver has groups of many work-items, but of one in the second dimension."""
    device = any_device().masked("shares_memory", "svm")
    flat = SimpleNamespace(max_work_item_sizes=[1024, 1, 1])
    device.context = SimpleNamespace(devices=[flat])
    assert _widths(device, tg.kronecker(5, rng=1))[1] == 1


@pytest.mark.parametrize("task", ["flow", "set"])
def test_kernels_in_any_places(device, task):
    """Each kernel on the host or on the device, all combinations: copies are never out of date."""
    g = tg.road(6, 6, rng=1)
    for count in range(2 ** len(PLACED[task])):
        there = [name for k, name in enumerate(PLACED[task]) if count >> k & 1]
        options = {"device": device, "verify": True}
        options["placement"] = lambda call, there=there: (
            "device" if call.kernel in there else "host"
        )
        if task == "flow":
            found = tg.maximum_flow(g, 0, 20, **options).value
            assert found == tg.maximum_flow(g, 0, 20, device="host").value, there
        else:
            found = tg.maximal_independent_set(g, rng=1, **options).mask
            expected = tg.maximal_independent_set(g, rng=1, device="host").mask
            assert np.array_equal(found, expected), there


PLACED = {"flow": ("preflow", "push-adjust", "bfs"), "set": ("randomize", "select", "deactivate")}
SHARING = tuple(f for f in KERNELS if f is not micro_benchmarks)  # whose groups share work


@pytest.mark.parametrize("check", SHARING, ids=lambda f: f.__name__)
@pytest.mark.parametrize(
    "group", [3, *(pytest.param(g, marks=pytest.mark.slow) for g in (1, 32, 64, 256))]
)
@pytest.mark.parametrize("graph", [tg.star(40), tg.kronecker(4, rng=1)], ids=repr)
def test_groups_of_any_size(every_device, group, graph, check, monkeypatch):
    """Also those that are no power of two, as on a device with processors of its own."""
    if group > every_device.context.devices[0].max_work_group_size:
        pytest.skip("the device has no groups of that size")
    device = every_device.masked("shares_memory", "svm", kind="gpu", group=group)
    check(device, graph, monkeypatch)
    assert_nothing_is_left(device)


@pytest.mark.parametrize(
    "check", [label, intersect, independent_set, flow, micro_benchmarks], ids=lambda f: f.__name__
)
def test_kernels_that_have_smaller_groups_than_the_device(every_device, check, monkeypatch):
    """A kernel takes registers and local memory, so a driver may say that fewer work-items fit."""
    device = every_device.masked("shares_memory", "svm", kind="gpu", group=3)
    launch = device.launch

    def refuses(kernel, size, *arguments, group=GROUP):
        assert np.prod(group) <= 2, kernel.function_name
        return launch(kernel, size, *arguments, group=group)

    for module in (groups, room):
        monkeypatch.setattr(module, "largest_group", lambda device, kernel: 2)
    monkeypatch.setattr(device, "launch", refuses)
    check(device, tg.star(5), monkeypatch)
    assert check is micro_benchmarks or device.group == 2
    assert_nothing_is_left(device)


@pytest.mark.parametrize("check", [f for f in KERNELS if f is not micro_benchmarks])
@pytest.mark.parametrize("kind", ["cpu", pytest.param("gpu", marks=pytest.mark.slow)])
def test_graphs_whose_arcs_32_bits_cannot_count(every_device, kind, check, monkeypatch):
    """Places of arcs have 64 bits then, and 32 wherever they suffice."""
    device = every_device.masked("shares_memory", "svm", kind=kind)
    g = tg.kronecker(5, rng=1)
    assert memory.whole(device, g).offset == "int"
    device.room.graphs.clear()
    monkeypatch.setattr(memory, "MOST_NARROW_ARCS", 10)
    assert memory.whole(device, g).offset == "long"
    check(device, g, monkeypatch)
    assert_nothing_is_left(device)


@pytest.mark.parametrize("check", KERNELS, ids=lambda f: f.__name__)
@pytest.mark.parametrize("graph", [tg.star(40), tg.kronecker(4, rng=1)], ids=repr)
def test_small_graphs(every_device, graph, check, monkeypatch):
    """For simulators of devices, which are slow and watch every access: few work-items, in two warps,
    and as little as possible by one group alone.
    """
    if every_device.found.shares_cores:
        pytest.skip("no simulator: it has time for larger graphs")
    if check is micro_benchmarks and graph.n != 40:
        return  # the graph says nothing about them
    monkeypatch.setattr(on_device, "_warp", lambda device: 8)
    for room_of_searches in (bfs_on_device, sssp_on_device):
        monkeypatch.setattr(room_of_searches, "ALONE_UP_TO_ARCS", 8)
    monkeypatch.setattr(sssp_on_device, "ALONE_UP_TO_VERTICES", 4)
    monkeypatch.setattr(independent_on_device, "ALONE_UP_TO_VERTICES", 4)
    device = every_device.masked("shares_memory", "svm", kind="gpu", group=16)
    kept, make = (
        [],
        device.cl.Buffer,
    )  # Oclgrind takes a new buffer for an old one at the same place
    monkeypatch.setattr(device.cl, "Buffer", lambda *a, **k: kept.append(make(*a, **k)) or kept[-1])
    check(device, graph, monkeypatch)
    SIMULATED.extend(kept)


def test_the_scope_of_what_host_and_device_change_together():
    """It has the host in it: no device here would show a narrower one by wrong results."""
    text = source_of("independent_set")
    atomics = re.findall(r"atomic_\w+_explicit\(([^;]*)\);", text)
    assert len(atomics) >= 5
    assert all(given.endswith("SCOPE") for given in atomics)
    scopes = re.findall(r"#define SCOPE (\w+)", text)
    assert scopes == [
        "memory_scope_all_svm_devices",
        "memory_scope_device",
    ]  # all memory the host's
    assert re.search(r"defined\(HOST_CORES\)\n#define SCOPE memory_scope_device", text)


def test_functions_that_compilers_may_inline_exist_where_they_do_not():
    """In C99 an inline function that is not static has no body of its own: linkers of drivers miss it."""
    for path in SOURCES.rglob("*.cl"):
        assert not re.search(r"(?<!static )\binline\b", path.read_text(encoding="utf-8")), path.name


def test_doubles_are_made_by_the_host_where_a_device_has_none():
    device, g = any_device().masked("double"), tg.complete(5)
    job = Job(g, 0, g.indices[:0], edge_numbers(*g.rows), Edges(g.indices, g.indices, np.empty(10)))
    assert isinstance(job.worker(device, 1), Apart)
    real = tg.path(4, weights=(0.5, 1.0))
    found = tg.maximum_flow(real, 0, 3, device=device, placement="device")
    assert "double precision" in found.trace["note"][-1]


def test_every_kernel_is_in_the_contract():
    written = {
        f"{path.stem}: {name}"
        for path in SOURCES.rglob("*.cl")
        for name in re.findall(r"__kernel void (\w+)", path.read_text(encoding="utf-8"))
    }
    assert written == {name for names in KERNELS.values() for name in names}


def test_what_a_device_cannot_do_is_said():
    device = any_device()
    g = tg.path(4, weights=(1, 5))
    far = tg.path(4, weights=(2**30, 2**30 + 5))
    with pytest.raises(tg.DeviceError, match="beyond 32 bits, .* no atomic minimum of 64 bits"):
        tg.sssp(far, 0, device=device.masked("int64_atomics"))
    with pytest.raises(tg.DeviceError, match="does not fit on .* as a whole"):
        tg.bfs(tg.kronecker(9, rng=1), 0, device=device.masked("shares_memory", memory=20_000))
    real = tg.path(4, weights=(0.5, 1.0))
    for lacks, said in (("int64_atomics", "atomic minimum of 64 bits"), ("double", "double prec")):
        if lacks == "int64_atomics" and not device.capabilities.double:
            continue  # which is missed first
        with pytest.raises(tg.DeviceError, match=f"not whole need {said}.*: use the host"):
            tg.sssp(real, 0, device=device.masked(lacks))
    if device.capabilities.double and device.capabilities.int64_atomics:
        negative = tg.Graph.from_edges([0, 1], [1, 2], np.array([0.5, -0.25]))
        with pytest.raises(tg.InputError, match="negative weights must be whole"):
            tg.sssp(negative, 0, device=device)
    with pytest.raises(tg.InputError, match="dijkstra runs on the host"):
        tg.sssp(g, 0, algorithm="dijkstra", device=device)
    with pytest.raises(tg.InputError, match="cutoff = -1"):
        tg.bfs(g, 0, cutoff=-1, device=device)
    with pytest.raises(tg.DeviceError, match="no device 'opencl:99'"):
        tg.bfs(g, 0, device="opencl:99")


def test_negative_weights_and_cycles_on_a_device():
    g = tg.Graph.from_edges([0, 1, 0], [1, 2, 2], np.array([5, -3, 4], np.int32))
    assert tg.sssp(g, 0, device=any_device(), verify=True).distances.tolist() == [0, 5, 2]
    loop = tg.Graph.from_edges([0, 1, 2], [1, 2, 0], np.array([1, 1, -3], np.int32))
    with pytest.raises(tg.NegativeCycleError):
        tg.sssp(loop, 0, device=any_device())
    assert tg.sssp(tg.path(4), 0, device=any_device()).distances.tolist() == [0, 1, 2, 3]
