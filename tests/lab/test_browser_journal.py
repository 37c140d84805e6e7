"""The panel Journal in a real browser."""

from __future__ import annotations

from tests.lab.conftest import at
from tests.lab.test_journal import EVIL, kept

__all__ = ["kept"]


def test_runs_are_filtered_compared_and_exported(page, client, kept):
    at(page, client, "journal")
    page.get_by_text("6 runs, the last ones first").wait_for()
    assert EVIL.removesuffix("\u202e") in page.locator("main").inner_text()  # as text
    assert page.locator("main img").count() == 0
    page.get_by_label("Task", exact=True).select_option("bfs")
    page.get_by_text("2 runs, the last ones first").wait_for()
    page.set_viewport_size({"width": 1280, "height": 400})
    page.get_by_label("Compare run 1").check()
    page.get_by_label("Compare run 2").check()
    page.locator("main").get_by_text("Run 2 took 0.5× the time of run 1.").wait_for()
    title = 'document.querySelector("h2 + .tools").parentNode.getBoundingClientRect().top'
    page.wait_for_function(f"() => {title} > 0 && {title} < 300")  # it comes into view
    page.wait_for_url("**run=1%2C2**")
    with page.expect_download() as download:
        page.get_by_label("Export as csv").click()
    assert download.value.suggested_filename == "runs.csv"
    page.reload()
    page.get_by_role("heading", name="Compared").wait_for()
    page.get_by_role("button", name="Close").click()
    assert not page.get_by_role("heading", name="Compared").is_visible()
    page.get_by_role("button", name="Open run 2").click()
    page.get_by_role("heading", name="run 2: bfs on roads").wait_for()
