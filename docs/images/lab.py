"""Make the picture of the lab in the README: python docs/images/lab.py (needs Chromium, the extra dev).

It shows a plan, so it takes no time that a busy machine would spoil.
"""

from __future__ import annotations

import os
import shutil
import tempfile
import threading
from pathlib import Path
from urllib.parse import urlencode

HERE = Path(__file__).parent
SIZE = {"width": 1240, "height": 800}
SHOWN = {
    "graph": "kronecker?scale=16&rng=1",
    "task": "bfs",
    "device": "k40c,v100,rtx3080",
}


def main() -> None:
    """Serve a lab with an empty journal, and take a picture of its panel Ask."""
    from playwright.sync_api import sync_playwright

    with tempfile.TemporaryDirectory() as home:
        os.environ["TACHOGRAPH_HOME"] = home
        os.environ.pop("TACHOGRAPH_DATA", None)
        from tachograph.lab.server import Lab, listen

        listening = listen(Lab())
        threading.Thread(target=listening.run, daemon=True).start()
        chromium = shutil.which("chromium") or shutil.which("google-chrome")
        with sync_playwright() as started:
            browser = started.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
            page = browser.new_page(viewport=SIZE)
            page.goto(f"{listening.url}#/ask?{urlencode(SHOWN)}")
            page.get_by_role("region", name="Ways to run it").wait_for(timeout=300_000)
            page.wait_for_timeout(500)
            page.screenshot(path=HERE / "lab.png")
            browser.close()
        listening.stop()


if __name__ == "__main__":
    main()
