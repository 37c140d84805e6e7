"""The panel Learn in a real browser."""

from __future__ import annotations

from tachograph.lab import recordings
from tachograph.lab.jobs import AT_WORK
from tests.lab.conftest import at
from tests.lab.test_learn import without_end


def test_a_slider_flips_levels_and_the_address_keeps_it(page, client):
    at(page, client, "learn", graph="kronecker?scale=8&rng=1")
    page.get_by_role("heading", name="surf takes").wait_for()
    page.get_by_label("pull if the network gives more").focus()
    page.keyboard.press("End")
    page.get_by_role("heading", name="levels flip").wait_for()
    page.wait_for_url("**set=threshold**")
    title = page.get_by_role("heading", name="levels flip").inner_text()
    page.reload()
    page.get_by_role("heading", name=title).wait_for()  # replayed, not measured again
    page.get_by_role("button", name="Reset").click()
    page.get_by_role("heading", name="surf takes").wait_for()
    page.get_by_label("Who chooses", exact=True).select_option("cost")
    page.get_by_text("push predicted").wait_for()
    page.get_by_label("Level", exact=True).select_option("1")
    page.get_by_role("heading", name="Level 1 close up").wait_for()
    page.get_by_role("button", name="The level before").click()
    page.get_by_role("heading", name="Level 0 close up").wait_for()
    page.wait_for_url("**level=0")


def test_a_recording_can_be_stopped(page, client, monkeypatch):
    with AT_WORK:  # something else runs, so that the recording waits
        at(page, client, "learn", graph="kronecker?scale=8&rng=1")
        page.get_by_role("heading", name="Recording").wait_for()
        page.get_by_role("button", name="Stop").click()
        page.get_by_text("The recording was stopped").wait_for()
    page.get_by_role("button", name="Record it", exact=True).click()
    page.get_by_role("heading", name="surf takes").wait_for()
    monkeypatch.setattr(recordings, "recorded", without_end)
    at(page, client, "learn", graph="kronecker?scale=9&rng=1")
    page.get_by_text("so far").wait_for()
    page.get_by_role("button", name="Stop").click()
    page.get_by_text("The recording was stopped").wait_for()
    statuses = [job.status for job in client.lab.kept["recording"].jobs.values()]
    assert statuses == ["stopped", "done", "stopped"]
