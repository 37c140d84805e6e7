"""The lab in a real browser: what a person does, and what they see when something is wrong."""

from __future__ import annotations

import pytest

import tachograph as tg
from tachograph.plots import numbers
from tachograph.util import memory
from tachograph.util.memory import human
from tests.lab.conftest import at
from tests.lab.test_graph import HOSTILE

FIRST_PAINT_SECONDS = 1.0


def drop(page, name, content):
    page.set_input_files("#file", {"name": name, "mimeType": "text/plain", "buffer": content})


def forgive(page, status):
    """The browser itself logs that an answer was an error."""
    page.complaints[:] = [c for c in page.complaints if f"a status of {status}" not in c]


def test_a_graph_is_generated_and_shown(page):
    page.get_by_role("button", name="Generate one").click()
    page.get_by_role("heading", name="kronecker(").wait_for()
    assert page.locator("figure svg").count() == 2
    assert "graph=kronecker" in page.url
    box = page.get_by_label("Kind")
    box.select_option("star")
    page.get_by_role("heading", name="star(n=60").wait_for()
    assert page.get_by_text("59").first.is_visible()
    page.go_back()
    page.get_by_role("heading", name="kronecker(").wait_for()
    assert box.input_value() == "kronecker"  # the sliders follow the address
    scale = page.get_by_role("slider", name="scale")
    scale.focus()
    page.keyboard.press("ArrowLeft")
    page.get_by_role("heading", name="scale=11").wait_for()
    page.keyboard.press("ArrowLeft")  # it still has the focus
    page.get_by_role("heading", name="scale=10").wait_for()


def test_a_dropped_file_then_a_broken_one(page):
    drop(page, "small.txt", b"0 1\n1 2\n2 0\n")
    page.get_by_role("heading", name="small.txt").wait_for()
    drop(page, "broken.mtx", b"%%MatrixMarket matrix coordinate real general\n3 3 9\n1 1\n")
    page.locator(".notice.bad").wait_for()
    assert "broken.mtx" in page.locator(".notice.bad").inner_text()
    forgive(page, "400")


def test_a_file_that_is_too_large_is_not_sent(page, client, monkeypatch):
    monkeypatch.setenv(memory.VARIABLE, "1 kB")
    page.reload()
    page.get_by_text("Drop a graph file here").wait_for()
    drop(page, "big.txt", b"0 1\n" * 1000)
    page.get_by_text("only 1.0 kB may be used").wait_for()


def test_hostile_names_are_only_text(page):
    page.on("dialog", lambda dialog: page.complaints.append(dialog.message))
    drop(
        page,
        HOSTILE,
        b"source,target\n<script>alert(2)</script>,7b\n7b,<img src=y onerror=alert(3)>\n",
    )
    page.get_by_text("names need relabel=True").wait_for()
    forgive(page, "400")
    page.get_by_label("Ids are names").check()
    page.get_by_role("heading", name="<img src=x").wait_for()
    page.locator("figure svg").first.focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")  # names are sorted: 7b is the first
    assert "<img src=y onerror=alert(3)>" in page.locator("#tip").inner_text()
    page.reload()  # now it comes from the address
    page.get_by_role("heading", name="<img src=x").wait_for()
    assert page.locator("main img").count() == 0
    assert page.locator("main script").count() == 0


def test_numbers_are_written_as_the_library_writes_them(page):
    values = [0, 1, 3, 999.4, 999.5, 1e-9, 2.5e-6, 0.01234, 0.9995, 0.99949, 75, 12345.678, 1e7, 3.5e6, 20000,
              0.25, 0.00071, 1e-5, 123456789, 5e-12, 31.4159, 0.1 + 0.2, 99.95, 1234567.0]  # fmt: skip
    script = """async (values) => {
        const n = await import(new URL("page/lib/numbers.js", location.href));
        return Object.fromEntries(["seconds", "count", "short", "percent", "factor", "bytes"].map(
            (name) => [name, values.map(n[name])]));
    }"""
    shown = page.evaluate(script, values)
    for name in ("seconds", "count", "short", "percent", "factor"):
        assert shown[name] == [getattr(numbers, name)(v) for v in values], name
    assert shown["bytes"] == [human(v) for v in values]


def test_the_first_paint_is_quick_and_all_can_be_reached_by_keys(page, client):
    """The bar is measured by benchmarks; here it must not be missed by far."""
    paint = "performance.getEntriesByName('first-contentful-paint')[0]"
    page.wait_for_function(f"() => {paint} !== undefined")  # a busy machine tells it later
    assert page.evaluate(f"() => {paint}.startTime / 1000") < 10 * FIRST_PAINT_SECONDS
    page.keyboard.press("Tab")
    assert page.evaluate("() => document.activeElement.className") == "skip"
    at(page, client, "graph", graph="star?n=20")
    page.get_by_role("heading", name="star(").wait_for()
    page.locator(".skip").focus()
    page.keyboard.press("Enter")
    assert page.evaluate("() => document.activeElement.id") == "panel"
    assert "star" in page.url  # and it is the same panel
    picture = page.locator("figure svg").first
    picture.focus()
    page.keyboard.press("ArrowRight")
    assert "vertex 0" in page.locator("#tip").inner_text()


def test_many_data_sets_are_one_stop_of_the_tab_key(page):
    def more(route):
        told = route.fetch().json()
        sets = [{"name": f"set {k}", "source": f"star?n={k}", "vertices": k} for k in range(5, 65)]
        route.fulfill(json={**told, "data_sets": sets})

    page.route("**/graph/start*", more)
    page.reload()
    page.get_by_role("button", name="set 5", exact=True).focus()
    page.keyboard.press("Tab")
    assert page.evaluate("() => document.activeElement.textContent") == "Generate one"
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowUp")
    page.keyboard.press("Enter")
    page.get_by_role("heading", name="star(n=6").wait_for()
    assert "star(n=6" in page.locator("#said").inner_text()  # what a screen reader says


@pytest.mark.parametrize("kind", ["python", "command"])
def test_what_is_shown_can_be_copied(page, client, kind):
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    at(page, client, "graph", graph="tree?n=7")
    page.get_by_role("heading", name="tree(n=7)").wait_for()
    page.locator(f"[data-copy={kind}]").click()
    page.get_by_text("Copied").wait_for()
    text = page.evaluate("() => navigator.clipboard.readText()")
    if kind == "command":
        assert text == "tacho generate tree --n 7 graph.tgraph\ntacho info graph.tgraph"
    else:
        names: dict = {}
        exec(text, names)
        assert names["g"].m == tg.tree(7).m


def test_a_lost_server_is_said(page, client):
    at(page, client, "graph", graph="star?n=20")
    page.get_by_role("heading", name="star(").wait_for()
    client.stop()
    page.get_by_label("Kind").select_option("tree")
    page.locator("#lost").get_by_text("does not answer").wait_for()
    page.complaints.clear()  # the browser logs that connections are refused
