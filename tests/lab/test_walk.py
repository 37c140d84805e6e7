"""The walk of docs/lab.md, step by step, in a real browser."""

from __future__ import annotations

import re
from pathlib import Path

DOCUMENT = Path(__file__).parents[2] / "docs" / "lab.md"


def test_the_walk_of_the_document(page):
    text = DOCUMENT.read_text(encoding="utf-8")
    walk = text.split("## See it decide")[1].split("## Panels")[0]
    done = []

    def named(label):
        """A label, which the document must have in bold."""
        assert f"**{label}**" in " ".join(walk.split()), label
        done.append(label)
        return label

    page.get_by_role("navigation").get_by_role("link", name=named("Graph")).wait_for()
    page.get_by_role("button", name=named("Generate one")).click()
    page.get_by_role("heading", name="kronecker(").wait_for()
    assert "**scale** to 16" in walk
    page.get_by_role("slider", name=named("scale")).fill("16")
    page.get_by_role("heading", name="scale=16").wait_for()
    page.get_by_role("link", name=named("Ask how to run it")).click()
    page.get_by_role("region", name="Ways to run it").wait_for()
    page.get_by_role("slider", name=named("Threads")).fill("1")
    page.get_by_label(named("GeForce RTX 3080")).check()
    page.get_by_text("rtx3080 (simulated)").first.wait_for()
    page.get_by_label("GeForce RTX 3080").uncheck()
    page.get_by_text("rtx3080 (simulated)").first.wait_for(state="detached")
    page.get_by_role("link", name=named("Run it")).click()
    page.get_by_role("button", name=named("Run it")).click()
    page.get_by_text("It took").wait_for()
    page.get_by_role("button", name=named("Watch it in slow motion")).click()
    page.get_by_text("slower than it was").wait_for()
    page.get_by_role("button", name=named("Run the others too")).click()
    page.get_by_role("button", name="Run the others too").wait_for(state="detached")
    page.get_by_role("link", name=named("Learn"), exact=True).click()
    page.get_by_role("heading", name="Learn", exact=True).wait_for()
    page.get_by_label("pull if the network gives more than this").focus()
    page.keyboard.press("End")
    page.get_by_role("heading", name="levels flip").wait_for()
    page.get_by_role("button", name=named("Copy as Python")).click()
    page.get_by_text("Copied").wait_for()
    bold = [" ".join(label.split()) for label in re.findall(r"\*\*([^*]+)\*\*", walk)]
    assert set(bold) == set(done)
