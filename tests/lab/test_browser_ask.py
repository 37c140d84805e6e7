"""The panel Ask in a real browser."""

from __future__ import annotations

import tachograph as tg
from tests.lab.conftest import at
from tests.lab.test_browser import forgive


def test_sliders_rank_the_ways_again(page, client):
    at(page, client, "ask", graph="kronecker?scale=7&weights=true", task="sssp", source="3")
    page.get_by_role("heading", name="sssp from 3: auto").wait_for()
    slider = page.get_by_label("Error that is allowed")
    slider.focus()
    page.keyboard.press("ArrowRight")
    page.get_by_role("heading", name="within 0.005").wait_for()
    page.keyboard.press("End")
    page.get_by_role("heading", name="within 0.3").wait_for()
    page.wait_for_url("**max_error=0.3**")
    assert page.locator("figure svg").count() == 2  # and time against error
    page.get_by_label("Tesla V100").check()
    page.locator(".word.simulated").first.wait_for()
    page.reload()  # all of it is in the address
    page.get_by_role("heading", name="within 0.3").wait_for()
    assert page.locator("tbody .word.simulated").count() >= 1
    page.get_by_label("Task").select_option("core_number")
    page.get_by_role("heading", name="core number: auto").wait_for()
    assert not slider.is_visible()
    page.get_by_role("link", name="Run it").click()  # without what this task does not take
    page.wait_for_url("**#/run?graph=*&task=core_number")


def test_a_vertex_that_is_none_and_no_graph(page, client):
    at(page, client, "ask", graph="path?n=9", task="bfs", source="99")
    page.get_by_text("99 is not a vertex").wait_for()
    forgive(page, "400")
    page.get_by_label("From vertex").fill("8")
    page.keyboard.press("Enter")
    page.get_by_role("heading", name="bfs from 8: auto").wait_for()
    at(page, client, "ask")
    page.get_by_role("link", name="Open a graph").wait_for()


def test_the_graph_of_the_command_line_is_open_in_every_panel(page, client, monkeypatch, tmp_path):
    file = tmp_path / 'one "two" <three>.txt'
    tg.write(tg.star(9), file)
    monkeypatch.setattr(client.lab, "first", client.lab.sources.add_file(file.name, file))
    page.goto(client.url + "?#/ask")  # before anything is known of the graph
    page.get_by_role("heading", name="bfs from 0: auto").wait_for()
    assert page.locator("#graph").inner_text() == file.name


def test_what_nobody_can_predict_is_said(page, client):
    at(page, client, "ask", graph="kronecker?scale=7", task="betweenness_centrality")
    page.get_by_text("There is no prediction of its time.").wait_for()
    assert page.get_by_role("link", name="What would it take elsewhere?").count() == 0
    assert page.locator("figure svg").count() == 0


def test_a_deadline_shows_who_is_in_time(page, client):
    at(page, client, "ask", graph="kronecker?scale=7&weights=true", task="sssp", source="3")
    page.get_by_role("heading", name="sssp from 3: auto").wait_for()
    assert page.get_by_role("columnheader", name="in time").count() == 0
    slider = page.get_by_label("Answer within")
    assert slider.get_attribute("aria-valuetext") == "no deadline"
    slider.focus()
    page.keyboard.press("Home")
    page.get_by_role("columnheader", name="in time").wait_for()
    page.wait_for_url("**deadline=0.001**")
    page.get_by_role("link", name="Run it").click()  # the deadline goes with it
    page.get_by_label("Answer within seconds").wait_for()
    assert page.get_by_label("Answer within seconds").input_value() == "0.001"
