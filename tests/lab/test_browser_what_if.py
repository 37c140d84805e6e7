"""The panel What if in a real browser."""

from __future__ import annotations

import re

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
    page.get_by_role("button", name="Simulate all values").click()
    page.get_by_role("button", name="Simulate all values").wait_for(state="detached")
    page.reload()  # the address knows the machine, its memory, and the value
    page.get_by_role("heading", name="AccuGraph with HBM-1000 at edge pipelines 8").wait_for()
    page.get_by_text("DRAM bandwidth over time").first.wait_for()
    page.get_by_label("Task").select_option("pagerank")
    page.get_by_text(re.compile("Cannot do it: .*k40c")).wait_for()
