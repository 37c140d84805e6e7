"""Every panel in light and dark, and on a phone: nothing is cut off, and all of it can be read."""

from __future__ import annotations

import pytest

from tests.lab.conftest import WAIT, at, watch

PANELS = {  # what is there when a panel has drawn itself
    "graph": "Features", "ask": "Candidates", "run": "Candidates", "what_if": "Machines and memories",
    "journal": "Journal", "learn": "Times",
}  # fmt: skip
MODES = {
    "light": {"viewport": {"width": 1280, "height": 900}, "color_scheme": "light"},
    "dark": {"viewport": {"width": 1280, "height": 900}, "color_scheme": "dark"},
    "phone": {"viewport": {"width": 390, "height": 844}, "is_mobile": True, "has_touch": True},
}
WIDER = "() => document.documentElement.scrollWidth - document.documentElement.clientWidth"
#: Text whose contrast with what is behind it is below 4.5 (WCAG 2, level AA).
FAINT = """() => {
    const pen = document.createElement("canvas").getContext("2d", {willReadFrequently: true});
    const over = (colours) => { // painted one on the other
        pen.clearRect(0, 0, 1, 1);
        for (const c of colours) { pen.fillStyle = c; pen.fillRect(0, 0, 1, 1); }
        return [...pen.getImageData(0, 0, 1, 1).data].slice(0, 3);
    };
    const light = (rgb) => { // relative luminance
        const [r, g, b] = rgb.map((v) => (v / 255 <= 0.04045 ? v / 255 / 12.92 : ((v / 255 + 0.055) / 1.055) ** 2.4));
        return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    };
    const faint = new Set();
    for (const node of document.querySelectorAll("body *:not(option)")) {
        const own = [...node.childNodes].some((n) => n.nodeType === 3 && n.textContent.trim());
        if (!own || !node.checkVisibility() || node.closest("svg") || node.disabled) continue;
        const behind = [];
        for (let n = node; n; n = n.parentElement) behind.unshift(getComputedStyle(n).backgroundColor);
        const ground = over(behind), ink = over([...behind, getComputedStyle(node).color]);
        const [a, b] = [light(ground), light(ink)].sort((x, y) => y - x);
        if ((a + 0.05) / (b + 0.05) < 4.5) faint.add(`${node.className || node.tagName}: ${node.textContent.slice(0, 30)}`);
    }
    return [...faint];
}"""


CONTROLS = {
    "button", "checkbox", "combobox", "image", "link", "main", "progressbar", "region", "slider", "table", "textbox",
}  # fmt: skip


def unnamed(page):
    """What a screen reader has no name for."""
    seen = page.context.new_cdp_session(page).send("Accessibility.getFullAXTree")["nodes"]
    told = [(n["role"]["value"], n["name"]["value"].strip()) for n in seen if not n["ignored"]]
    assert {role for role, _ in told} >= {"button", "link", "main"}
    return [role for role, name in told if role in CONTROLS and not name]


@pytest.mark.parametrize("mode", MODES)
def test_every_panel(browser, client, mode):
    context = browser.new_context(**MODES[mode])
    context.set_default_timeout(1000 * WAIT)
    page = context.new_page()
    complaints: list[str] = []
    watch(page, complaints)
    for panel, heading in PANELS.items():
        at(page, client, panel, graph="kronecker?scale=7&rng=1&weights=true", task="bfs")
        page.get_by_role("heading", name=heading, exact=True).wait_for()
        assert page.evaluate(WIDER) == 0, panel
        assert page.evaluate(FAINT) == [], panel
        assert unnamed(page) == [], panel
        for link in page.get_by_role("navigation").get_by_role("link").all():
            box = link.bounding_box()
            assert 0 <= box["x"] < box["x"] + box["width"] <= page.viewport_size["width"], panel
    context.close()
    assert complaints == []
