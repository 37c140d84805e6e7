"""Plans and results as widgets: what they are told, and that a browser shows it."""

from __future__ import annotations

import json
import sys

import pytest

import tachograph as tg
from tachograph.lab.bundle import script, style
from tests.lab.conftest import watch

pytest.importorskip("anywidget")

#: As the style sheet of a notebook has it for lists of what it shows.
NOTEBOOK = ".out dt{float:left;width:20%;font-weight:bold}.out dd{margin-left:24px}"


def heard(widget, message):
    """What a notebook does when the page sends a message."""
    widget._handle_custom_msg(message, [])


def test_candidates_are_run_from_the_widget_of_a_plan():
    plan = tg.plan("bfs", tg.kronecker(8, rng=1), source=3)
    widget = plan.widget()
    names = [c["name"] for c in widget.told["plan"]["candidates"]]
    assert names == [c.name for c in plan.candidates]
    heard(widget, {"run": [names[0], names[2]]})
    took = [c["actual"] for c in widget.told["plan"]["candidates"]]
    assert took[0] > 0
    assert took[2] > 0
    assert took[1] is None
    assert widget.told["outcome"]["way"] == names[2]
    heard(widget, {"show": names[0]})
    assert widget.told["outcome"]["way"] == names[0]
    heard(widget, {"run": ["99"]})
    assert "no candidate 99" in widget.told["error"]
    json.dumps(widget.told, allow_nan=False)


@pytest.mark.parametrize("task", ["pagerank", "maximal_independent_set", "jaccard", "triangles"])
def test_results_of_all_shapes_have_one(task):
    told = getattr(tg, task)(tg.kronecker(8, rng=1)).widget().told
    assert told["outcome"]["task"] == task
    json.dumps(told, allow_nan=False)


def test_without_anywidget_it_is_said_what_to_install(monkeypatch):
    from tachograph.lab import widget

    widget._kind.cache_clear()
    monkeypatch.setitem(sys.modules, "anywidget", None)
    with pytest.raises(tg.MissingDependencyError, match=r"tachograph\[lab\]"):
        tg.bfs(tg.path(3), 0).widget()


def test_a_browser_shows_it(browser):
    """The bundle in a page of its own, as a notebook would load it, with a model that only remembers."""
    plan = tg.plan("bfs", tg.kronecker(8, rng=1), source=3)
    widget = plan.widget()
    page = browser.new_page()
    complaints: list[str] = []
    watch(page, complaints)
    page.set_content(
        f"<!doctype html><style>{NOTEBOOK}{style()}</style><div class=out id=here></div>"
    )
    start = """async ([code, told]) => {
        const module = await import(URL.createObjectURL(new Blob([code], {type: "text/javascript"})));
        const heard = {}, sent = (window.sent = []);
        window.model = {
            told, get: () => window.model.told, on: (name, f) => { heard[name] = f; }, send: (m) => sent.push(m),
            set(value) { this.told = value; heard["change:told"](); },
        };
        module.default.render({model: window.model, el: document.getElementById("here")});
    }"""
    page.evaluate(start, [script("widget.js"), widget.told])
    assert page.locator("table tbody tr").count() == len(plan.candidates)
    page.get_by_role("button", name="Run surf").click()
    (message,) = page.evaluate("() => window.sent")
    heard(widget, message)
    page.evaluate("(told) => window.model.set(told)", widget.told)
    page.get_by_role("heading", name="bfs: ").wait_for()
    assert page.locator("figure svg").count() == 2
    name, value = page.locator("dt").first.bounding_box(), page.locator("dd").first.bounding_box()
    assert value["y"] >= name["y"] + name["height"]  # below its name, not on it
    background = "() => getComputedStyle(document.querySelector('.card')).backgroundColor"
    assert page.evaluate(background) == "rgb(255, 255, 255)"
    page.close()
    assert complaints == []
