"""The panel Learn: replays of a recorded search. Without a browser."""

from __future__ import annotations

from urllib.parse import quote

import numpy as np
import pytest

import tachograph as tg
from tachograph.decisions.direction.levels import Levels
from tachograph.decisions.direction.replay import recorded
from tachograph.lab import recordings as recordings_
from tachograph.lab.jobs import AT_WORK
from tests.lab.conftest import WAIT, until
from tests.lab.test_graph import HOSTILE

GRAPH = "kronecker?scale=8&rng=1"


def replayed(client, source=GRAPH, again=False, **told):
    """Ask until the search is recorded."""
    status, answer = client.post("learn/replay", source=source, told=told, again=again)
    if "recording" in answer:
        job = client.lab.kept["recording"].job(answer["recording"])
        assert job.ended.wait(WAIT)
        assert job.status == "done", job.error
        status, answer = client.post("learn/replay", source=source, told=told)
    return status, answer


def recordings(client):
    return [job.levels for job in client.lab.kept["recording"].jobs.values()]


def score(told, name):
    return next(s for s in told["scores"] if s["name"] == name)


def test_a_search_is_recorded_once_and_replayed(client):
    status, told = replayed(client)
    assert status == 200
    g = tg.kronecker(8, rng=1)
    assert told["levels"] == tg.bfs(g, int(told["start"])).levels.max() + 1
    assert told["flips"] == []
    assert told["scores"][0]["name"] == "surf"
    (kept,) = recordings(client)
    assert isinstance(kept, Levels)
    status, never = replayed(client, changes={"threshold": 1e9})
    assert recordings(client) == [kept]  # not recorded again
    assert never["scores"][0] == score(told, "push") | {"name": "changed"}
    assert "(pull if above +1000000000.00)" in never["state"]["why"]
    _, level = replayed(client, level=never["level"])
    assert never["state"]["output"] == level["state"]["output"]  # a threshold changes no output
    assert never["flips"] == [r["level"] for r in told["rows"] if r["now"] == "pull"]
    assert score(never, "best")["seconds"] <= min(s["seconds"] for s in never["scores"])


def test_times_are_sums_of_what_was_recorded(client):
    _, told = replayed(client)
    (kept,) = recordings(client)
    assert score(told, "push")["seconds"] == pytest.approx(kept.push.sum() / 1e9)
    all_pulled = kept.to_bitmap[0] + kept.pull.sum()
    assert score(told, "pull")["seconds"] == pytest.approx(all_pulled / 1e9)


@pytest.mark.parametrize("policy", ["surf", "surf-paper", "cost"])
def test_every_learned_policy_can_be_watched(client, policy):
    status, told = replayed(client, policy=policy, level=1, start="3")
    assert status == 200
    assert len(told["state"]["features"]) == 6
    graph = tg.kronecker(8, rng=1)
    assert told["state"]["features"][0][2].partition(" → ")[0] == f"{graph.arcs / graph.n:.4g}"
    assert bool(told["network"]) == (policy != "cost")
    assert bool(told["state"]["predicted"]) == (policy == "cost")
    names: dict = {}
    exec(told["python"], names)
    assert np.array_equal(names["result"].levels, tg.bfs(names["g"], 3).levels)
    assert told["command"].splitlines()[-1].endswith(f"--source 3 --direction {policy}")


def test_a_weight_of_a_unit_changes_what_the_network_gives(client):
    _, usual = replayed(client, level=1, unit=2)
    knob = next(k for k in usual["knobs"] if k["name"] == "2.output")
    _, same = replayed(client, level=1, unit=2, changes={"2.output": knob["value"]})
    assert same["state"]["output"] == usual["state"]["output"]
    blind = dict.fromkeys(("m_d", "p_h", "s_f", "c_f", "r_f", "r_u"), 0.0)
    outputs = {
        replayed(client, level=k, changes=blind)[1]["state"]["output"]
        for k in range(usual["levels"])
    }
    assert len(outputs) == 1  # it sees nothing


@pytest.mark.parametrize(
    "told",
    [{"policy": "gapbs"}, {"policy": 3}, {"start": "no"}, {"changes": {"x": 1}}, {"changes": [1]},
     {"changes": {"threshold": "much"}}, {"changes": {"99.r_f": 1}}, {"unit": 99}, {"unit": -1},
     {"policy": "cost", "changes": {"threshold": 1}}, {"policy": "cost", "changes": {"team": -1}},
     {"colour": 1}, {"source": "none"}],
)  # fmt: skip
def test_bad_input_is_explained(client, told):
    status, answer = replayed(client, **told)
    assert status == 400, answer
    assert answer["error"]
    assert "recording" not in client.lab.kept  # nothing was recorded for it


def test_odd_graphs(client):
    assert replayed(client, "uniform?n=0")[0] == 400
    for source in ("path?n=1", "star?n=2", "path?n=300", "kronecker?scale=6&directed=true"):
        status, told = replayed(client, source, changes={"threshold": -100})
        assert status == 200, told
        assert "nan" not in told["times"].lower()
    _, file = client.upload(quote(HOSTILE), b"source,target\n<b>x</b>,'y\"\n'y\",z\n")
    status, told = replayed(client, file["source"] + "?relabel=true", start="'y\"")
    assert status == 200
    assert told["start"] == "'y\""


def without_end(graph, vertex):
    """Record a search until somebody stops it."""
    while True:
        recorded(graph, vertex)


def test_a_recording_is_followed_and_stopped_and_nothing_of_it_is_kept(client, monkeypatch):
    monkeypatch.setattr(recordings_, "recorded", without_end)
    with AT_WORK:  # something else runs, so it has to wait
        _, first = client.post("learn/replay", source=GRAPH)
        _, same = client.post("learn/replay", source=GRAPH)
        assert first == same == {"recording": 1}  # two tabs watch one recording
        assert client.post("learn/stop", recording=1) == (200, {"status": "stopped"})
    _, second = client.post("learn/replay", source=GRAPH)  # begins anew
    job = client.lab.kept["recording"].job(second["recording"])
    until(lambda: job.status == "running")
    client.post("learn/stop", recording=2)
    assert job.ended.wait(WAIT / 4)  # at once on a machine that is not busy
    assert (job.status, job.levels, job.opened) == ("stopped", None, None)
    status, _, events = client.request("GET", "api/learn/watch?recording=2")
    assert status == 200
    assert b'event: end\nid: 0\ndata: {"status": "stopped"' in events
    assert client.get("learn/watch?recording=9")[0] == 400
    assert client.post("learn/stop", recording=9)[0] == 400


def test_recording_again_keeps_the_old_one_until_it_is_done(client):
    replayed(client)
    (old,) = recordings(client)
    with AT_WORK:
        _, again = client.post("learn/replay", source=GRAPH, again=True)
        assert again == {"recording": 2}
        assert "scores" in replayed(client, changes={"threshold": 1})[1]  # sliders still answer
    client.lab.kept["recording"].job(2).ended.wait(WAIT)
    assert recordings(client)[0] is old
    assert recordings(client)[1] is not None
