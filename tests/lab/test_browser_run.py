"""The panel Run in a real browser: watched, stopped, in two tabs, and when the server is lost."""

from __future__ import annotations

from tests.lab.conftest import at, watch
from tests.lab.test_browser import forgive
from tests.lab.test_run import LONG, SMALL

RESULT = ".card h2"


def run_it(page):
    page.get_by_role("button", name="Run it").click()


def test_a_run_its_prediction_and_the_others(page, client):
    page.add_init_script("""{
        const usual = EventSource;
        window.opened = [];
        window.EventSource = class extends usual {
            constructor(url) { super(url); window.opened.push(this); }
        };
    }""")
    page.reload()
    at(page, client, "run", graph=SMALL, task="bfs")
    page.get_by_role("heading", name="Candidates").wait_for()
    run_it(page)
    page.get_by_text("It took").wait_for()
    assert "Predicted" in page.locator(".notice").first.inner_text()
    assert "run=1" in page.url
    page.get_by_role("button", name="Run the others too").click()
    page.get_by_role("button", name="Run the others too").wait_for(state="detached")
    rows = page.get_by_role("region", name="Candidates;").locator("tbody tr")
    assert rows.count() >= 4
    page.get_by_role("link", name="1: bfs").wait_for()  # and they are listed
    assert all("measured" in rows.nth(k).inner_text() for k in range(rows.count()))
    # or the browser would ask for them again and again, and say that the server was lost
    closed = "() => window.opened.length > 1 && window.opened.every((s) => s.readyState === 2)"
    page.wait_for_function(closed)
    page.get_by_role("button", name="Watch it in slow motion").click()
    page.get_by_text("slower than it was").wait_for()
    # the address is the state: a second tab shows the same run
    other = page.context.new_page()
    complaints: list[str] = []
    watch(other, complaints)
    other.goto(page.url)
    other.get_by_text("It took").wait_for()
    assert complaints == []


def test_names_and_sentences_can_be_read(page, client):
    at(page, client, "run", graph=SMALL, task="betweenness_centrality", max_error="0.3")
    run_it(page)
    page.get_by_role("heading", name="betweenness centrality: ").wait_for()
    page.get_by_role("link", name="1: betweenness centrality").wait_for()
    budget = page.locator(".facts div", has_text="confidence")
    assert budget.bounding_box()["width"] > 500  # as wide as the card
    assert page.get_by_text("Times are predictions").count() == 0  # nothing was predicted


def test_a_long_run_is_watched_in_two_tabs_and_stopped_in_one(page, client):
    at(page, client, "run", graph=LONG, task="betweenness_centrality")
    run_it(page)
    stop = page.get_by_role("button", name="Stop")
    stop.wait_for()
    page.get_by_text("running …").wait_for()  # of the one candidate that there is
    assert page.get_by_role("button", name="Run the others too").count() == 0
    page.get_by_text("betweenness", exact=False).last.wait_for()
    other = page.context.new_page()
    other.goto(page.url)
    other.get_by_role("button", name="Stop").click()
    for tab in (other, page):
        tab.get_by_text("The run was stopped").wait_for()
    page.get_by_label("Task").select_option("bfs")  # and the lab goes on
    run_it(page)
    page.get_by_text("It took").wait_for()


def test_a_run_that_fails_says_why(page, client):
    client.upload("cycle.txt", b"0 1 -5\n1 0 2\n1 2 1\n")
    at(page, client, "run", graph="file:cycle.txt", task="sssp", source="0")
    run_it(page)
    page.get_by_text("negative weight").wait_for()
    page.get_by_label("From vertex").fill("nowhere")
    page.get_by_label("From vertex").press("Tab")
    page.get_by_text("is not a vertex").wait_for()
    forgive(page, 400)


def test_without_a_graph_it_says_what_to_do(page, client):
    at(page, client, "run")
    page.get_by_role("link", name="Open a graph").click()
    page.get_by_role("heading", name="Graph", exact=True).wait_for()


def test_the_server_is_lost_while_it_runs(page, client):
    at(page, client, "run", graph=LONG, task="betweenness_centrality")
    run_it(page)
    page.get_by_role("button", name="Stop").wait_for()
    client.stop()
    page.locator("#lost").get_by_text("does not answer").wait_for()
    page.complaints.clear()  # the browser logs that connections are refused
