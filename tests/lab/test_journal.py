"""The panel Journal: filters, promises and budgets, two runs side by side, export. Without a browser."""

from __future__ import annotations

import csv
import io
from urllib.parse import quote

import pyarrow.parquet
import pytest

from tachograph.journal import Run, journal
from tachograph.lab.runs import Runs
from tests.lab.conftest import WAIT

EVIL = "<img src=x onerror=alert(1)>,\"'=1+1\u202e"


@pytest.fixture
def kept(tmp_path, monkeypatch):
    """A journal with a few runs."""
    monkeypatch.setenv("TACHOGRAPH_HOME", str(tmp_path))
    monkeypatch.delenv("TACHOGRAPH_JOURNAL", raising=False)
    made = journal()
    graph = {"name": "roads", "n": 4, "m": 3, "directed": False, "mark": "a"}
    for way, seconds in (("auto", 0.2), ("push", 0.1)):
        chosen = {"name": way, "seconds": 0.1, "low": 0.05, "high": 0.15, "reason": "so"}
        plan = {"way": way, "reason": "it was asked for", "candidates": [chosen]}
        trace = {"direction": ["push"], "frontier_vertices": [1], "seconds": [seconds]}
        told = {"source": 0}
        made.record(Run("bfs", graph, seconds, told, plan, 0.1, facts={"reached": 4}, trace=trace))
    for allowed, bound, audit in ((0.1, 0.05, None), (0.1, 0.05, 0.2), (0.1, None, None)):
        facts = {"budget": {"bound": bound}, "audit": {"error": audit} if audit else None}
        made.record(Run("sssp", {"name": EVIL}, 1.0, {"max_error": allowed}, facts=facts))
    odd = {"way": 3, "candidates": [7, {"name": 3, "low": "x"}]}
    made.record(Run(EVIL, {"name": None}, 0.5, {"max_error": "much"}, odd, provenance="simulated"))
    return made


def listed(client, **told):
    return client.post("journal/runs", told=told)


def test_what_was_promised_and_kept(client, kept):
    status, told = listed(client)
    assert status == 200
    facts = dict(told["facts"])
    assert facts["runs"] == "6"
    assert facts["predictions within 35 %"] == "1 of 2"
    assert facts["90 % intervals kept"] == "1 of 2"
    assert facts["error budgets kept"] == "1 of 2"  # one was audited and broken, one is not known
    assert facts["mean time lost"] == "50 %"  # 100 % and 0 %
    assert [b[-1] for b in told["budgets"]] == ["not known", "broken", "kept"]
    assert [r["run"] for r in told["runs"]] == [6, 5, 4, 3, 2, 1]
    assert told["calibration"].startswith("<svg")


def test_tasks_have_readable_names_in_every_table_and_chart(client, kept):
    name = "independent_set"
    kept.record(Run(name, {}, 1.0, {"max_error": 0.1}, {"way": "auto"}, 0.9))
    told = listed(client, task=name)[1]
    assert told["summaries"][0][0] == told["budgets"][0][1] == "independent set"
    assert name not in told["calibration"] + told["regret"]


def test_an_exact_way_keeps_every_budget(client, kept):
    for stopped in ("", "at its deadline"):
        plan = {"way": "auto", "candidates": [{"name": "auto", "error_bound": 0.0}]}
        kept.record(Run("sssp", {}, 1.0, {"max_error": 0.1}, plan | {"stopped": stopped}))
    budgets = listed(client, way="auto", task="sssp")[1]["budgets"]
    assert [b[-1] for b in budgets] == ["not known", "kept"]


def test_filters(client, kept):
    assert listed(client, task="bfs")[1]["count"] == 2
    assert listed(client, way="push")[1]["count"] == 1
    assert listed(client, provenance="simulated")[1]["count"] == 1
    assert listed(client, graph="ROAD")[1]["count"] == 2
    _, none = listed(client, task="bfs", graph="nothing")
    assert none["count"] == 0
    assert "bfs" in none["choices"]["task"]
    assert listed(client, task="bfs")[1]["command"] == "tacho journal --last 200 --task bfs"


def test_one_run_and_two(client, kept):
    status, told = client.get("journal/run?run=1")
    assert status == 200
    assert told["sections"][0]["title"] == "run 1: bfs on roads"
    assert told["sections"][0]["figures"][0]["svg"].startswith("<svg")
    status, told = client.get("journal/run?run=1,2")
    assert told["seconds"] == [0.2, 0.1]
    rows = {name: (a, b, differ) for name, a, b, differ in told["compared"]}
    assert rows["time"] == ("200 ms, measured", "100 ms, measured", True)
    assert rows["reached"] == ("4", "4", False)
    assert told["command"] == "tacho report 1 2"
    assert told["together"] == ""  # one row each is no line
    for _ in range(2):
        kept.record(Run("k_core", {"name": "ca_Gr"}, 1.0, trace={"seconds": [0.5, 0.4]}))
    many = client.get("journal/run?run=7,8")[1]
    assert many["together"].startswith("<svg")
    assert many["sections"][0]["title"] == "run 7: k core on ca_Gr"
    names: dict = {}
    exec(told["python"], names)
    assert names["second"].seconds == 0.1


def test_export(client, kept):
    status, headers, body = client.request("GET", "api/journal/export?format=csv")
    assert status == 200
    assert headers["content-disposition"] == 'attachment; filename="runs.csv"'
    rows = list(csv.DictReader(io.StringIO(body.decode())))
    assert [r["task"] for r in rows][:2] == ["bfs", "bfs"]
    assert rows[2]["graph_name"] == EVIL
    query = f"api/journal/export?format=parquet&graph={quote(EVIL[:5])}"
    status, _, body = client.request("GET", query)
    assert pyarrow.parquet.read_table(io.BytesIO(body)).num_rows == 3
    assert client.request("GET", "api/journal/export?format=exe")[0] == 400


@pytest.mark.parametrize(
    "run", ["", "x", "99", "1,2,3", "1,", "-1", "1;2", "9" * 30, "../1", "last", "a.parquet"]
)
def test_runs_that_are_none(client, kept, run):
    status, told = client.get(f"journal/run?run={run}")
    assert status == 400
    assert told["error"]


def test_a_journal_that_is_off_or_damaged(client, kept, monkeypatch, tmp_path):
    assert listed(client, colour="red")[0] == 400
    monkeypatch.setenv("TACHOGRAPH_JOURNAL", "off")
    status, told = listed(client)
    assert status == 400
    assert "TACHOGRAPH_JOURNAL" in told["error"]
    monkeypatch.delenv("TACHOGRAPH_JOURNAL")
    monkeypatch.setenv("TACHOGRAPH_HOME", str(tmp_path / "other"))
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "journal.db").write_bytes(b"this is not a journal" * 100)
    status, told = listed(client)
    assert status == 400
    assert "journal" in told["error"]


def test_a_run_names_its_vertices(client, kept):
    client.upload("towns.csv", b"source,target\nUlm,Bern\nBern,Graz\n")
    source = "file:towns.csv?relabel=true"
    asked = {"source": source, "task": "bfs", "told": {"source": "Ulm"}}
    number = client.post("run/start", **asked)[1]["run"]
    assert client.lab.queue(Runs).job(number).ended.wait(WAIT)
    last = listed(client)[1]["runs"][0]["run"]
    shown = dict(client.get(f"journal/run?run={last}")[1]["sections"][0]["facts"])
    assert shown["source"] == "Ulm"
