from __future__ import annotations

import json
from pathlib import Path

import pyarrow.parquet as pq
import pytest

import tachograph as tg
from tachograph.cli.run import app
from tests.cli.command import tacho


def test_bfs_writes_values_and_trace():
    g = tg.kronecker(9, rng=1)
    tg.write(g, "k.tgraph")
    done = tacho("run", "bfs", "k.tgraph", "--source", "3", "--verify", "--json", "--deterministic",
                 "-o", "out.parquet", "--trace", "trace.parquet", "--threads", "2")  # fmt: skip
    assert done.returncode == 0, done.stderr
    said = json.loads(done.stdout)
    result = tg.bfs(g, 3, deterministic=True)
    assert said["reached"] == int((result.levels >= 0).sum())
    assert said["verified"] is True
    values = pq.read_table("out.parquet")
    assert values["levels"].to_pylist() == result.levels.tolist()
    assert values["parents"].to_pylist() == result.parents.tolist()
    assert (
        pq.read_table("trace.parquet").num_rows == len(result.trace) == said["trace"]["iterations"]
    )
    people = tacho("run", "bfs", "k.tgraph", "--source", "3")
    assert "deepest" in people.stdout


def test_bfs_by_name_and_wrong_sources():
    Path("n.txt").write_text("rome oslo\noslo bonn\n")
    done = tacho(
        "run", "bfs", "n.txt", "--relabel", "--source", "rome", "-o", "o.parquet", "--json"
    )
    assert done.returncode == 0, done.stderr
    table = pq.read_table("o.parquet").to_pydict()
    assert dict(zip(table["vertex"], table["levels"], strict=True)) == {
        "rome": 0,
        "oslo": 1,
        "bonn": 2,
    }
    for source, message in (("paris", "no vertex named 'paris'"),):
        wrong = tacho("run", "bfs", "n.txt", "--relabel", "--source", source)
        assert (wrong.returncode, message in wrong.stderr) == (1, True)
    tg.write(tg.path(3), "p.txt")
    for source, message in (("7", "there is no vertex 7"), ("x", "not a vertex id")):
        wrong = tacho("run", "bfs", "p.txt", "--source", source)
        assert (wrong.returncode, message in wrong.stderr) == (1, True)


def test_a_result_without_values_by_vertex_is_one_row():
    tg.write(tg.complete(5), "c.tgraph")
    done = tacho("run", "triangles", "c.tgraph", "--output", "t.parquet", "--verify")
    assert done.returncode == 0, done.stderr
    assert pq.read_table("t.parquet").to_pylist() == [{"count": 10}]


@pytest.mark.parametrize("command", [c.name for c in app.registered_commands])
def test_every_algorithm_has_the_shared_options(command):
    words = tacho("run", command, "--help").stdout
    for option in ("--directed", "--threads", "--verify", "--output", "--trace", "--json"):
        assert option in words


def test_names_are_printed_as_they_are():
    Path("names.txt").write_text("[/a] [red]b 1\n[red]b c 2\nd d 1\n")
    options = ("run", "sssp", "names.txt", "--relabel", "--source", "[/a]", "--target")
    assert "[/a], [red]b, c\n" in tacho(*options, "c").stdout
    hops = [word.replace("sssp", "bfs") for word in options]
    assert "[/a], [red]b, c\n" in tacho(*hops, "c").stdout
    for asked in (options, hops):
        done = tacho(*asked, "d")
        assert done.returncode
        assert "no path to vertex 'd'" in done.stderr


def test_problems_of_shortest_paths():
    Path("cycle.txt").write_text("x y 1\ny z -3\nz x 1\n")
    done = tacho("run", "sssp", "cycle.txt", "--relabel", "--source", "x")
    assert done.returncode
    assert "x -> y -> z -> x" in done.stderr
    Path("plain.txt").write_text("0 1 1\n")
    done = tacho("run", "sssp", "plain.txt", "--source", "²")
    assert done.returncode
    assert "not a vertex id" in done.stderr


def test_an_independent_set_is_a_mask():
    g = tg.kronecker(8, rng=1)
    tg.write(g, "k.tgraph")
    done = tacho("run", "mis", "k.tgraph", "--rng", "2", "--verify", "--json", "-o", "s.parquet")
    assert done.returncode == 0, done.stderr
    result = tg.maximal_independent_set(g, rng=2)
    assert json.loads(done.stdout)["size"] == result.vertices.size
    assert pq.read_table("s.parquet").column_names == ["vertex", "mask"]
    assert pq.read_table("s.parquet")["mask"].to_pylist() == result.mask.tolist()


def test_a_flow_has_a_row_for_each_arc():
    g = tg.Graph.from_edges([0, 0, 1, 2], [1, 2, 3, 3], [3, 5, 9, 2]).with_meta(source=0, sink=3)
    tg.write(g, "f.max")
    done = tacho("run", "maxflow", "f.max", "--verify", "--json", "-o", "f.parquet")
    assert done.returncode == 0, done.stderr
    assert (json.loads(done.stdout)["value"], json.loads(done.stdout)["status"]) == (5, "optimal")
    rows = pq.read_table("f.parquet").to_pydict()
    assert rows == {"source": [0, 0, 1, 2], "target": [1, 2, 3, 3], "flow": [3, 2, 3, 2]}
    wrong = tacho("run", "maxflow", "f.max", "--sink", "0")
    assert (wrong.returncode, "the same vertex" in wrong.stderr) == (1, True)


def test_short_answers_are_printed():
    Path("pipes.csv").write_text("source,target,weight\nwell,town,7\nwell,farm,2\nfarm,town,5\n")
    cut = tacho("run", "minimum_cut", "pipes.csv", "--source", "well", "--sink", "town").stdout
    rows = [line.split() for line in cut.splitlines()]
    assert ["source", "side", "1"] in rows
    assert ["well", "town", "7"] in rows
    assert ["well", "farm", "2"] in rows
    star = [f"hub,leaf{k}" for k in range(13)]
    Path("star.csv").write_text("\n".join(["source,target", *star]))
    options = "run", "similar_to", "star.csv", "--undirected", "--source", "leaf0"
    alike = tacho(*options, "--k", "12").stdout
    assert alike.count("leaf0 ") == 10
    assert "... and 2 more: --output FILE writes all" in alike
    assert "more:" not in tacho(*options, "--k", "10").stdout


def test_ids_are_names_not_amounts():
    tg.write(tg.star(3000), "star.txt")
    alike = tacho("run", "similar_to", "star.txt", "--undirected", "--source", "2500").stdout
    assert "2500" in alike
    assert "2,500" not in alike
    tg.write(tg.disjoint_union(tg.path(2000), tg.star(3000)), "hub.txt")
    central = tacho("run", "betweenness_centrality", "hub.txt", "--undirected").stdout.splitlines()
    assert "vertex   2000" in central
    chain = "run", "minimum_cut", "chain.csv", "--source", "1500", "--sink", "1501"
    Path("chain.csv").write_text("source,target,weight\n1500,1501,7000\n")
    assert ["1500", "1501", "7,000"] in [line.split() for line in tacho(*chain).stdout.splitlines()]
