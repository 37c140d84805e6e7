"""Who is answered, and what is served: without a browser."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path
from urllib.request import urlopen

import pytest

import tachograph as tg
from tachograph.lab.api import PANELS, endpoints
from tachograph.lab.server import PAGE, Lab, listen
from tachograph.util.errors import InputError
from tests.lab.conftest import WAIT

MOST_BYTES = 1_000_000  # of the whole page
SRC = Path(tg.__file__).parent.parent


def test_the_page_and_its_parts(client):
    status, headers, body = client.request("GET", "")
    assert status == 200
    assert b"Tachograph lab" in body
    assert "default-src 'none'" in headers["content-security-policy"]
    assert headers["x-content-type-options"] == "nosniff"
    assert client.request("GET", "page/main.js")[1]["content-type"].startswith("text/javascript")
    assert b"--s1:" in client.request("GET", "colours.css")[2]
    names = "nothing.js", "../server.py", "%2e%2e/server.py", "a" * 300 + ".js", "%00.js"
    for path in ("api/graph/none", *(f"page/{name}" for name in names)):
        assert client.request("GET", path)[0] == 404


@pytest.mark.parametrize(
    "path", ["/", "/page/main.js", "/api/graph/start", "/wrong/", "/wrong/api/graph/start"]
)
def test_without_the_token_nothing_is_answered(client, path):
    assert client.request("GET", path)[0] == 403
    assert client.request("POST", path, "{}")[0] == 403


def test_every_endpoint_wants_the_token(client):
    for panel in PANELS:
        for one in endpoints(panel):
            path = f"/api/{panel}/{one.name}"
            assert client.request(one.method, path)[0] == 403
            assert client.request(one.method, f"/{'x' * 24}{path}")[0] == 403


@pytest.mark.parametrize("number", ["%C2%B2", "9" * 5000, "-1", "x"])
def test_numbers_of_no_run_are_refused(client, number):
    for path in ("api/run/watch?run=", "api/what_if/watch?job=", "api/journal/run?run="):
        assert client.request("GET", path + number)[0] == 400


def test_requests_that_are_deeper_than_any_of_ours_are_refused(client):
    deep = '{"a":' * 20_000 + "1" + "}" * 20_000
    for panel in PANELS:
        for one in endpoints(panel):
            if one.method == "POST" and not one.streams:
                assert client.request("POST", f"api/{panel}/{one.name}", deep)[0] == 400


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:{port}", "127.0.0.1", "127.0.0.1:1", ""]
)
def test_another_host_is_refused(client, host):
    status, _, body = client.request("GET", "", headers={"Host": host.format(port=client.port)})
    assert status == 403
    assert b"another name" in body


@pytest.mark.parametrize(
    "origin", ["http://evil.example", "null", "https://127.0.0.1:{port}", "http://127.0.0.1:1"]
)
def test_another_origin_is_refused(client, origin):
    headers = {"Origin": origin.format(port=client.port)}
    assert client.request("POST", "api/graph/describe", "{}", headers)[0] == 403
    own = {"Origin": f"http://127.0.0.1:{client.port}"}
    assert client.request("GET", "api/graph/start", headers=own)[0] == 200


def test_requests_that_are_no_requests(client):
    for body in ("[1]", "{", "null", '{"source": 7}'):
        status, _, answer = client.request("POST", "api/graph/describe", body)
        assert status == 400, answer
    status, told = client.post("graph/describe", source="kronecker", colour="red")
    assert status == 400
    assert "colour" in told["error"]
    assert client.request("POST", "api/graph/describe", "x" * (2 << 20))[0] == 413


def test_only_the_loopback_interface():
    listening = listen(Lab())
    assert listening.socket.getsockname()[0] == "127.0.0.1"
    listening.socket.close()
    listening.lab.close()


def test_a_port_that_is_taken(client):
    with pytest.raises(InputError, match=f"port {client.port} is taken: give another --port"):
        listen(Lab(), client.port)


def test_all_assets_are_inside_and_small():
    files = [p for p in Path(str(PAGE)).rglob("*") if p.is_file()]
    assert sum(p.stat().st_size for p in files) < MOST_BYTES
    for path in files:
        text = path.read_text(encoding="utf-8").replace("http://www.w3.org/2000/svg", "")
        assert "http://" not in text, path
        assert "https://" not in text, path
        assert "innerHTML" not in text, path


def tacho_lab(*words, **environment):
    """Start the command; it is killed if a test should wait for it forever."""
    process = subprocess.Popen(
        [sys.executable, "-m", "tachograph", "lab", *words],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        env={**os.environ, "PYTHONPATH": str(SRC), **environment},
    )  # fmt: skip
    late = threading.Timer(WAIT, process.kill)
    late.daemon = True
    late.start()
    return process


def test_the_command_prints_the_address_and_ends_on_ctrl_c(client):
    tg.write(tg.star(9), "star.txt")
    taken = tacho_lab("--no-browser", "--port", str(client.port))
    # a browser that is not there: the address is printed all the same
    running = tacho_lab("star.txt", BROWSER="/nonexistent/browser", PATH="/nonexistent", DISPLAY="")
    try:
        url = running.stdout.readline().strip()
        assert url.startswith("http://127.0.0.1:")
        assert "open this address" in running.stderr.readline()
        assert b'data-first="file:star.txt"' in urlopen(url, timeout=WAIT).read()
        long = {"source": "kronecker?scale=14", "task": "betweenness_centrality", "told": {}}
        urlopen(f"{url}api/run/start", json.dumps(long).encode(), WAIT).read()
        watching = urlopen(f"{url}api/run/watch?run=1", timeout=WAIT)  # a page is open
        watching.readline()
        running.send_signal(signal.SIGINT)
        assert running.wait(WAIT) == 130
        said = running.stderr.read()
        assert said.endswith("tacho: stopped\n")
        assert "ERROR" not in said
        assert "Traceback" not in said
        assert taken.wait(WAIT) == 1
        assert "--port" in taken.stderr.read()
    finally:
        for process in (taken, running):
            process.kill()
            process.communicate()


def test_what_the_command_needs(monkeypatch):
    from typer.testing import CliRunner

    from tachograph.cli import app

    run = CliRunner().invoke(app, ["lab", "nothing.txt"])
    assert isinstance(run.exception, tg.MissingFileError)
    monkeypatch.setitem(sys.modules, "uvicorn", None)
    monkeypatch.delitem(sys.modules, "tachograph.lab.server")
    run = CliRunner().invoke(app, ["lab"])
    assert isinstance(run.exception, tg.MissingDependencyError)


STOPS_WHILE_IT_ANSWERS = """
import threading, time
from http.client import HTTPConnection
from urllib.parse import urlsplit
from tachograph.lab.api import graph
from tachograph.lab.server import Lab, listen

def slow(lab):
    made.stop()
    time.sleep(30)

def ask():
    there = HTTPConnection(urlsplit(made.url).netloc)
    there.request("GET", urlsplit(made.url).path + "api/graph/start")

graph.ENDPOINTS = (graph.Endpoint("start", slow),)
made = listen(Lab())
threading.Timer(0.2, ask).start()
made.run()
began = time.monotonic()
threading._shutdown()  # what the end of a process waits for
assert time.monotonic() - began < 15
"""


def test_a_process_ends_although_a_request_is_not_answered():
    subprocess.run([sys.executable, "-c", STOPS_WHILE_IT_ANSWERS], timeout=WAIT, check=True)
