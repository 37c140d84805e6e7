"""The panel What if in a real browser."""

from __future__ import annotations

import re

from tachograph.lab.jobs import AT_WORK
from tachograph.simulation.gpus.gpu import GPU, known_gpus
from tests.lab.conftest import at, until


def test_a_click_simulates_and_a_slider_sweeps(page, client):
    at(page, client, "what_if", graph="kronecker?scale=7&rng=1", memories="DDR4-2400R,HBM-1000")
    page.get_by_role("button", name="AccuGraph with HBM-1000: ").click()
    page.get_by_text("DRAM bandwidth over time").first.wait_for()
    page.get_by_role("button", name=re.compile("AccuGraph with HBM-1000: .*, simulated")).wait_for()
    page.get_by_label("Parameter", exact=True).select_option("edge_pipelines")
    slider = page.get_by_label("edge pipelines", exact=True)
    slider.focus()
    page.keyboard.press("Home")
    page.get_by_role("heading", name="at edge pipelines 8").wait_for()
    page.keyboard.press("ArrowRight")  # it is drawn anew, and still has the focus
    page.get_by_role("heading", name="at edge pipelines 16").wait_for()
    page.keyboard.press("ArrowLeft")
    page.get_by_role("heading", name="at edge pipelines 8").wait_for()
    page.get_by_role("button", name="Simulate all values").click()
    page.get_by_role("button", name="Simulate all values").wait_for(state="detached")
    page.reload()  # the address knows the machine, its memory, and the value
    page.get_by_role("heading", name="AccuGraph with HBM-1000 at edge pipelines 8").wait_for()
    page.get_by_text("DRAM bandwidth over time").first.wait_for()
    page.get_by_label("Task").select_option("pagerank")
    page.get_by_text(re.compile("Cannot do it: .*Tesla K40c")).wait_for()


def test_a_simulation_is_followed_by_who_comes_later_and_stopped(page, client):
    at(page, client, "what_if", graph="kronecker?scale=7&rng=1", memories="DDR4-2400R,HBM-1000")
    waiting = page.get_by_text("Waiting for what runs before it")
    with AT_WORK:  # something else runs
        page.get_by_role("button", name="AccuGraph with HBM-1000: ").click()
        waiting.wait_for()
        page.get_by_role("button", name="HitGraph with HBM-1000: ").click()
        page.get_by_role("heading", name="HitGraph with HBM-1000").wait_for()
        waiting.wait_for()
        page.reload()
        page.get_by_role("heading", name="HitGraph with HBM-1000").wait_for()
        waiting.wait_for()
        page.get_by_role("button", name="Stop").click()
        page.get_by_role("button", name="Simulate it").wait_for()
        page.get_by_role("button", name="AccuGraph with HBM-1000: ").click()
        waiting.wait_for()
    page.get_by_role("button", name=re.compile("AccuGraph with HBM-1000: .*, simulated")).wait_for()
    page.get_by_text("DRAM bandwidth over time").first.wait_for()
    assert [j.status for j in client.lab.kept["simulation"].jobs.values()] == ["done", "stopped"]


def test_the_matrix_is_one_stop_of_the_tab_key(page, client):
    at(page, client, "what_if", graph="kronecker?scale=7&rng=1", memories="HBM-1000,HBM2-2400")
    page.get_by_role("button", name=f"{GPU(known_gpus()[-1]).title}: ").wait_for()
    page.get_by_role("checkbox").last.focus()
    for key in ("Tab", "Tab", "ArrowDown", "ArrowRight", "ArrowRight", "ArrowDown", "ArrowLeft"):
        page.keyboard.press(key)
    chosen = page.locator("button.cell:focus")
    assert chosen.get_attribute("aria-label").startswith("AccuGraph with HBM-1000: ")
    assert page.locator('button.cell[tabindex="0"]').count() == 1
    page.keyboard.press("Enter")
    page.get_by_role("button", name=re.compile("AccuGraph with HBM-1000: .*, simulated")).wait_for()
    page.get_by_text("DRAM bandwidth over time").first.wait_for()
    assert "simulated" in chosen.get_attribute("aria-label")  # it still has the focus
    page.keyboard.press("Tab")
    assert page.evaluate("() => document.activeElement.closest('.matrix')") is None


def test_on_a_phone_the_names_of_machines_stay_in_view(page, client):
    page.set_viewport_size({"width": 390, "height": 844})
    at(page, client, "what_if", graph="kronecker?scale=7&rng=1")
    page.get_by_role("button", name="AccuGraph with HBM-1000: ").scroll_into_view_if_needed()
    assert page.evaluate("() => document.querySelector('.matrix').scrollLeft") > 100
    name = page.get_by_role("rowheader", name="AccuGraph").bounding_box()
    assert name["x"] >= 0


def test_a_press_counts_though_another_row_arrives_meanwhile(page, client):
    held = []

    def hold(route):
        """Let the rows of this machine and of accelerators through; those of GPUs wait."""
        asked = route.request.post_data_json["machine"]
        held.append(route) if asked == known_gpus()[0] else route.continue_()

    page.route("**/what_if/row", hold)
    at(page, client, "what_if", graph="kronecker?scale=7&rng=1", memories="HBM-1000")
    page.get_by_role("button", name="AccuGraph with HBM-1000: ").hover()
    until(lambda: page.wait_for_timeout(10) or held, "a row that is held")
    page.mouse.down()
    held.pop().continue_()
    page.get_by_role("button", name=f"{GPU(known_gpus()[-1]).title}: ").wait_for()
    page.mouse.up()
    page.get_by_role("heading", name="AccuGraph with HBM-1000").wait_for()
