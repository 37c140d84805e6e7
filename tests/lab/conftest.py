"""A lab that listens, a client for it, and a real browser where there is one."""

from __future__ import annotations

import http.client
import json
import os
import shutil
import threading
import time
from urllib.parse import urlsplit

import pytest

try:
    from tachograph.lab.server import Lab, listen
except ImportError:  # without the extra there is nothing to test
    collect_ignore_glob = ["test_*.py"]

#: What Debian and others call it; $CHROMIUM names another.
CHROMIUM = os.environ.get("CHROMIUM") or next(
    filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None
)


#: Seconds after which something that should come is missing; a machine may be slow and compile first.
WAIT = 120.0


class Client:
    """A lab in a thread of this process, and plain requests to it."""

    def __init__(self, lab: Lab, port: int = 0) -> None:
        self.lab = lab
        self.listening = listen(lab, port)
        self.url = self.listening.url
        self.port = urlsplit(self.url).port
        self.base = urlsplit(self.url).path
        self.thread = threading.Thread(target=self.listening.run, daemon=True)
        self.thread.start()

    def request(self, method, path, body=None, headers=None):
        """Send a request; ``path`` is the whole path if it begins with a slash."""
        there = http.client.HTTPConnection("127.0.0.1", self.port, timeout=WAIT)
        there.request(method, path if path[:1] == "/" else self.base + path, body, headers or {})
        answer = there.getresponse()
        found = answer.status, dict(answer.getheaders()), answer.read()
        there.close()
        return found

    def get(self, path):
        """GET api/PATH; status and JSON."""
        status, _, body = self.request("GET", f"api/{path}")
        return status, json.loads(body)

    def post(self, path, **told):
        """POST api/PATH with arguments; status and JSON."""
        status, _, body = self.request("POST", f"api/{path}", json.dumps(told))
        return status, json.loads(body)

    def stream(self, path, headers=None):
        """GET api/PATH, events that come until what they are about has ended; blocks of lines."""
        there = http.client.HTTPConnection("127.0.0.1", self.port, timeout=WAIT)
        there.request("GET", f"{self.base}api/{path}", headers=headers or {})
        answer = there.getresponse()
        assert answer.headers["content-type"].startswith("text/event-stream")
        text, latest = "", time.monotonic() + WAIT
        for line in answer:
            assert time.monotonic() < latest, "it does not end"
            text += line.decode()
        there.close()
        return [block.splitlines() for block in text.split("\n\n") if block]

    def upload(self, name, content: bytes):
        status, _, body = self.request("POST", f"api/graph/upload?name={name}", content)
        return status, json.loads(body)

    def stop(self):
        self.listening.stop()
        self.thread.join(WAIT)
        assert not self.thread.is_alive()


@pytest.fixture
def client():
    """A lab without a graph."""
    made = Client(Lab())
    yield made
    made.stop()


@pytest.fixture(scope="session")
def browser():
    """Headless Chromium; tests are skipped where Playwright or Chromium is missing."""
    playwright = pytest.importorskip("playwright.sync_api")
    if CHROMIUM is None:
        pytest.skip("no Chromium: apt-get install chromium, or set CHROMIUM")
    with playwright.sync_playwright() as started:
        found = started.chromium.launch(
            executable_path=CHROMIUM,
            args=["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"],
        )
        yield found
        found.close()


@pytest.fixture
def page(browser, client):
    """A page of the lab. At the end of the test it must not have complained about anything."""
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    context.set_default_timeout(1000 * WAIT)
    made = context.new_page()
    complaints: list[str] = []
    watch(made, complaints)
    made.complaints = complaints
    made.goto(client.url)
    yield made
    context.close()
    assert complaints == []


def until(true, what="it"):
    """Wait until something is true."""
    latest = time.monotonic() + WAIT
    while not true():
        assert time.monotonic() < latest, f"{what} never was"
        time.sleep(0.01)


def watch(page, complaints):
    """Collect what a page complains about: errors in the console, and exceptions."""
    page.on("console", lambda m: m.type in ("error", "warning") and complaints.append(m.text))
    page.on("pageerror", lambda error: complaints.append(str(error)))


def at(page, client, panel, **params):
    """Go to a panel's address."""
    from urllib.parse import urlencode

    page.goto(f"{client.url}#/{panel}?{urlencode(params)}")
