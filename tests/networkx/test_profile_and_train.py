"""``tacho nx-profile`` and ``tacho train networkx``."""

from __future__ import annotations

import json
import subprocess
import sys

import networkx as nx
import numpy as np
import pytest

from tachograph.cli import main
from tachograph.networkx import train
from tachograph.networkx.profile import profile
from tachograph.util.errors import InputError, MissingFileError, TachographWarning

SCRIPT = """
import random, sys
import networkx as nx
print("arguments", sys.argv[1:])
G = nx.gnm_random_graph(400, 3000, seed=1)
for source in range(5):
    nx.single_source_shortest_path_length(G, source)
dice = random.Random(3)
chosen = nx.maximal_independent_set(G, seed=dice)
print("dice", dice.random())
print(sum(len(c) for c in nx.connected_components(G)))
list(nx.bfs_edges(G, 0, sort_neighbors=sorted))
list(nx.jaccard_coefficient(G, iter([(0, 1)])))
nx.density(G)
"""


@pytest.fixture
def script(tmp_path):
    path = tmp_path / "script.py"
    path.write_text(SCRIPT)
    return str(path)


def test_calls_are_counted_timed_and_tried(script, capsys):
    plain = subprocess.run(
        [sys.executable, script, "a"], capture_output=True, text=True, check=True
    )
    found = {calls.name: calls for calls in profile(script, ["a"], sample=2)}
    assert capsys.readouterr().out == plain.stdout  # the script does not notice
    lengths = found["single_source_shortest_path_length"]
    assert (lengths.count, lengths.sampled) == (5, 2)
    assert lengths.seconds >= lengths.sampled_networkx > 0
    assert lengths.gain == lengths.sampled_networkx / lengths.sampled_tachograph
    assert found["connected_components"].sampled == 1
    assert found["maximal_independent_set"].sampled == 1
    assert "functions" in found["bfs_edges"].reason
    assert found["bfs_edges"].gain is found["bfs_edges"].saved is None
    assert "only once" in found["jaccard_coefficient"].reason
    assert "density" not in found
    assert nx.utils.backends._dispatchable.__call__.__name__ == "_call_if_any_backends_installed"


def test_the_command(script, capsys, monkeypatch):
    monkeypatch.setattr(
        sys, "argv", ["tacho", "nx-profile", "--json", "--sample", "1", script, "b"]
    )
    with pytest.raises(SystemExit) as end:
        main()
    assert not end.value.code
    captured = capsys.readouterr()
    assert "arguments ['b']" in captured.err
    rows = {row["name"]: row for row in json.loads(captured.out)}
    assert rows["single_source_shortest_path_length"]["count"] == 5


def test_mistakes(script):
    with pytest.raises(MissingFileError, match="no such script"):
        profile("nowhere.py", [])
    with pytest.raises(InputError, match="at least one"):
        profile(script, [], sample=0)


def test_coefficients_are_found_again():
    dice = np.random.default_rng(1)
    truth = np.array([1e-5, 2e-8, 0.0, 3e-9])
    rows = [
        {"terms": (1.0, n, n * d, n * d * d)} for n in (10, 100, 1000, 10_000) for d in (2, 8, 20)
    ]
    for row in rows:
        row["seconds"] = float(truth @ row["terms"] * dice.uniform(0.98, 1.02))
    found = np.array(train.fit(rows, "seconds"))
    assert (found >= 0).all()
    for row in rows:
        assert found @ row["terms"] == pytest.approx(row["seconds"], rel=0.1)


def test_training_writes_a_model(tmp_path):
    from tachograph.decisions.trainer import train as run_training
    from tachograph.networkx.decide import kept, the_model

    path = tmp_path / "model.json"
    done = run_training(train.Trainer(largest=10), path)
    made = kept.read(path)
    assert {"cost", "calls"} <= set(done.file.card["quality"][0])
    assert made.keys() == the_model().keys()
    for cost, kinds in made.items():
        assert kinds.keys() == the_model()[cost].keys()


@pytest.mark.parametrize("shipped_too", [False, True])
def test_a_damaged_model_does_not_break_networkx(monkeypatch, tmp_path, shipped_too):
    from tachograph.decisions import model_file
    from tachograph.networkx import decide

    wrong = tmp_path / "wrong.json"
    wrong.write_text("{")
    own = model_file.own_model("networkx")
    own.parent.mkdir(parents=True)
    own.write_text("[]")
    if shipped_too:
        monkeypatch.setattr(model_file, "_places", lambda *_: (own, wrong))
    decide.the_model.cache_clear()
    graph = nx.path_graph(50)
    with pytest.warns(TachographWarning, match="not a model of Tachograph"):
        answer = decide.should_run("pagerank", (graph,), {})
    assert isinstance(answer, str if shipped_too else bool | str)
    with nx.config(backend_priority=["tachograph"]):
        assert sum(nx.pagerank(graph).values()) == pytest.approx(1.0)
    decide.the_model.cache_clear()
