"""The panel What if in a real browser."""

from __future__ import annotations

import re

import pytest

from tachograph.lab.jobs import AT_WORK
from tests.lab.conftest import at


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
    page.get_by_text(re.compile("Cannot do it: .*k40c")).wait_for()


@pytest.mark.slow  # one of six runs waited in vain; why is not known yet
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
