"""What has seen which graph: models by their cards, constants by their lines. Tests have been seen by none."""

from __future__ import annotations

import ast
from pathlib import Path

import numpy as np
import pytest

import tachograph as tg
from tachograph.decisions import generators, graphs
from tachograph.decisions.model_file import read, shipped_model
from tachograph.decisions.trainer import FORKS
from tachograph.papers import surf

PACKAGE = Path(tg.__file__).parent
#: Rooms whose numbers may decide how a task runs: all of their modules, and some of simulated GPUs.
ROOMS = ("kernels", "algorithms", "devices", "tasks", *(f"decisions/{fork}" for fork in FORKS))
SIMULATED = ("policy.py", "analytic.py", "constants.py", "simulate.py", "validation/fit.py")
MODULES = [
    *(
        str(path.relative_to(PACKAGE))
        for room in ROOMS
        for path in sorted((PACKAGE / room).rglob("*.py"))
    ),
    *(f"simulation/gpus/{name}" for name in SIMULATED),
]


def number(node):
    """Whether an expression is a number, or a tuple or a table of numbers."""
    if isinstance(node, ast.Tuple | ast.Dict):
        parts = node.elts if isinstance(node, ast.Tuple) else node.values
        return bool(parts) and all(map(number, parts))
    try:
        value = eval(compile(ast.Expression(node), "", "eval"), {"__builtins__": {}})
    except Exception:
        return False
    return isinstance(value, int | float)


def numbers_of(module):
    """The constants of a module that are numbers, by name."""
    for node in ast.parse((PACKAGE / module).read_text(encoding="utf-8")).body:
        if isinstance(node, ast.Assign):
            target, value = node.targets[0], node.value
            several = isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple)
            pairs = zip(target.elts, value.elts, strict=True) if several else [(target, value)]
            for name, part in pairs:
                if isinstance(name, ast.Name) and name.id.isupper() and number(part):
                    yield name.id


def test_every_constant_has_a_line_and_every_line_a_constant():
    there = {f"{module} {name}" for module in MODULES for name in numbers_of(module)}
    listed = [c.constant for c in graphs.constants()]
    assert len(set(listed)) == len(listed)
    assert there - set(listed) == set(), "add lines to decisions/constants.csv"
    assert set(listed) - there == set(), "remove lines from decisions/constants.csv"


@pytest.mark.parametrize("constant", graphs.constants(), ids=lambda c: c.constant)
def test_every_line_says_what_was_seen(constant):
    assert constant.fork in FORKS
    assert constant.why
    if constant.graphs not in (("none",), ("not recorded",)):
        for name in constant.graphs:
            assert graphs.registry()[name].parts[constant.fork] in ("fit", "tune"), name


@pytest.mark.parametrize("fork", FORKS)
def test_cards_list_graphs_to_fit(fork):
    """What a shipped model saw is to fit, so nothing is tested on it."""
    if shipped_model(fork).exists():
        seen = read(shipped_model(fork), fork).card["graphs"]
        assert len(seen) >= 8
        assert set(seen) <= set(graphs.names_of(fork, "fit"))


@pytest.mark.parametrize("fork", FORKS)
def test_graphs_to_test_on_were_seen_by_nothing(fork):
    names = graphs.names_of(fork, "test")
    assert len(names) >= 4
    assert {name: seen for name in names if (seen := graphs.seen_by(fork, name))} == {}


def test_one_content_has_one_part():
    """A graph is not fitted to under one name and tested on under another."""
    parts: dict[tuple[str, str], set[str]] = {}
    for row in graphs.registry().values():
        for fork, part in row.parts.items():
            parts.setdefault((fork, row.hash), set()).add(part)
    assert {key: found for key, found in parts.items() if len(found) > 1} == {}


def test_what_was_seen_is_told():
    assert graphs.seen_by("direction", "soc-Slashdot0902") == ["the model"]
    assert graphs.seen_by("direction", "p2p-Gnutella31") == ["PULL_ARCS_PER_PUSH_ARC"]
    assert graphs.seen_by("approximation", "cnr-2000") == ["FLAT_HOPS", "TRIES_IN_VAIN"]


@pytest.mark.parametrize("full", [False, True])
def test_the_evaluation_of_directions_uses_graphs_to_test_on(full):
    names = surf.unseen_graphs(full)
    assert len(names) >= 5
    assert set(names) <= set(graphs.names_of("direction", "test"))


def test_new_families_are_among_the_tests():
    families = {graphs.family(name) for name in graphs.names_of("direction", "test")}
    assert {*generators.TEST_FAMILIES, "small_world", "bipartite"} <= families


def check_hashes(names):
    for name in names:
        assert graphs.hash_of(graphs.graph_named(name)) == graphs.registry()[name].hash, name


SMALL = {"kronecker 12 8", "uniform 16000 6", "road 120 120", "power_law 30000 2.1 2", "tree 50000 3",
         "preferential_attachment 20000 8", "small_world 30000 5 0.1", "bipartite 20000 20000 20",
         "geometric 100000 8", "block_model 20000 10 8 2", "layers 8 256", "kronecker_flow 10",
         "kronecker-11", "grid-60"}  # fmt: skip


def test_hashes_are_those_of_the_graphs():
    check_hashes(SMALL)


@pytest.mark.slow
def test_all_hashes_are_those_of_the_graphs():
    check_hashes(graphs.present(graphs.registry()))


def test_every_row_has_a_hash():
    assert [row.name for row in graphs.registry().values() if len(row.hash) != 16] == []


def test_hyperbolic_graphs_are_those_of_all_pairs():
    """Beside every distance, computed."""
    n, degree, exponent = 300, 8, 2.6
    random = np.random.default_rng(3)
    alpha = (exponent - 1) / 2
    limit = 2 * np.log(n / (degree * np.pi * (alpha - 0.5) ** 2 / (2 * alpha**2)))
    r = np.arccosh(1 + (np.cosh(alpha * limit) - 1) * random.random(n)) / alpha
    angle = random.random(n) * 2 * np.pi
    apart = np.cosh(r)[:, None] * np.cosh(r)
    apart -= np.sinh(r)[:, None] * np.sinh(r) * np.cos(angle[:, None] - angle)
    wanted = apart <= np.cosh(limit)
    np.fill_diagonal(wanted, False)
    found = generators.hyperbolic(n, degree, exponent, rng=3).to_scipy().toarray() != 0
    assert np.array_equal(found, wanted)


def test_blocks_and_planes():
    g = generators.block_model(1000, 10, 12, 1, rng=1)
    source, target, _ = g.to_edges()
    assert 0.85 < np.mean(source // 100 == target // 100) < 0.97
    d = generators.delaunay(500, rng=1)
    assert d.m <= 3 * d.n - 6  # planar
    assert tg.connected_components(d).count == 1


def test_a_file_is_a_graph_by_its_name(tmp_path):
    path = str(tmp_path / "g.tgraph")
    tg.write(tg.kronecker(6, rng=1), path)
    assert graphs.graph_named(path).n == 64
    assert graphs.present([path, "no such graph"]) == [path]
    assert graphs.family(path) == "other"
