"""The server of the lab: the page, the requests of its panels, and where it listens."""

from __future__ import annotations

import errno
import json
import secrets
import socket
import traceback
from collections.abc import Awaitable, Callable
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import cached_property
from html import escape
from importlib.resources import files
from pathlib import Path
from typing import Any, TypeVar

import uvicorn
from starlette.applications import Starlette
from starlette.requests import ClientDisconnect, Request
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.routing import Route

from ..plots.report.page import colours
from ..util.errors import InputError, TachographError, TooLargeError
from ..util.files import is_file, scratch
from ..util.text import plain
from .api import PANELS, Endpoint, arguments, endpoints
from .guard import App, Guard
from .jobs import Jobs
from .sources import Sources
from .threads import on_thread

__all__ = ["Lab", "Listening", "listen"]

Q = TypeVar("Q", bound=Jobs[Any])

LOOPBACK = "127.0.0.1"
TOKEN_BYTES = 18
LARGEST_REQUEST_BYTES = 1 << 20  # of JSON; uploads have a limit of their own
CLOSING_SECONDS = 1  # for answers that are being sent when the server is stopped
KINDS = {
    ".html": "text/html",
    ".js": "text/javascript",
    ".css": "text/css",
    ".svg": "image/svg+xml",
}
PAGE = files(__package__) / "page"


@dataclass
class Lab:
    """What the panels share: the graphs, a directory for dropped files, and what each panel keeps."""

    sources: Sources = field(default_factory=Sources)
    first: str | None = None  # the source of the graph that was given on the command line
    kept: dict[str, Any] = field(default_factory=dict)  # a panel's own objects, by its name
    _scratch: ExitStack = field(default_factory=ExitStack)

    @cached_property
    def directory(self) -> Path:
        """Where dropped files are kept; swept by the next process if this one is killed."""
        return self._scratch.enter_context(scratch())

    def queue(self, kind: type[Q]) -> Q:
        """Return the lab's queue of a kind of jobs; the first who asks for it makes it."""
        made: Q = self.kept.setdefault(kind.what, kind())
        return made

    def close(self) -> None:
        """Stop what runs, and delete what was dropped."""
        for kept in self.kept.values():
            if isinstance(kept, Jobs):
                kept.close()
        self._scratch.close()


def make_app(lab: Lab, token: str, port: int) -> App:
    """Return the app with all routes, behind the guard."""
    routes = [Route("/", _index(lab)), Route("/colours.css", _colours)]
    routes.append(Route("/page/{path:path}", _file))
    for panel in PANELS:
        routes += [
            Route(f"/api/{panel}/{e.name}", _answer(lab, e), methods=[e.method])
            for e in endpoints(panel)
        ]
    return Guard(Starlette(routes=routes), token, port)


def _answer(lab: Lab, endpoint: Endpoint) -> Callable[[Request], Awaitable[Response]]:
    """Return what answers a request: with JSON, or with an error that says what to do."""

    async def answer(request: Request) -> Response:
        try:
            if endpoint.streams:
                made: Response = await endpoint.function(lab, request)
                return made
            told = dict(request.query_params) if endpoint.method == "GET" else await _body(request)
            given = arguments(endpoint.function, told)
            return JSONResponse(await on_thread(endpoint.function, lab, **given))
        except ClientDisconnect as error:  # nobody is there to read an answer
            return _problem(error, 400)
        except TooLargeError as error:
            return _problem(error, 413)
        except TachographError as error:
            return _problem(error, 400)
        except Exception as error:
            traceback.print_exc()
            return _problem(error, 500)

    return answer


def _problem(error: Exception, status: int) -> Response:
    text = plain(error) or type(error).__name__
    return JSONResponse({"error": text, "kind": type(error).__name__}, status)


async def _body(request: Request) -> dict[str, Any]:
    """Return the arguments in the JSON of a request, which must not be large."""
    taken = b""
    async for part in request.stream():
        taken += part
        if len(taken) > LARGEST_REQUEST_BYTES:
            raise TooLargeError("the request is too large")
    try:
        told = json.loads(taken or b"{}")
    except (ValueError, RecursionError):
        raise InputError("the request is not JSON") from None
    if not isinstance(told, dict):
        raise InputError("the request is not a JSON object")
    return told


def _index(lab: Lab) -> Callable[[Request], Awaitable[Response]]:
    """Return what sends the page itself, which knows the graph of the command line from the start."""

    async def index(request: Request) -> Response:
        page = PAGE.joinpath("index.html").read_text(encoding="utf-8")
        told = f' data-first="{escape(lab.first)}"' if lab.first else ""
        return HTMLResponse(page.replace("<html", f"<html{told}", 1))

    return index


async def _file(request: Request) -> Response:
    """Send a file of the page."""
    path = request.path_params["path"]
    wanted, suffix = PAGE.joinpath(*path.split("/")), Path(path).suffix
    if ".." in path.split("/") or suffix not in KINDS or not is_file(str(wanted)):
        return Response("there is no such page\n", 404)
    return Response(wanted.read_bytes(), media_type=KINDS[suffix])


async def _colours(request: Request) -> Response:
    return Response(colours(), media_type="text/css")


@dataclass
class Listening:
    """A server whose port is open: ``url`` is its address, ``run`` serves until it is stopped."""

    lab: Lab
    socket: socket.socket
    token: str
    server: Any

    @property
    def url(self) -> str:
        """The address of the page, with the token."""
        return f"http://{LOOPBACK}:{self.socket.getsockname()[1]}/{self.token}/"

    def run(self) -> None:
        """Serve until Ctrl-C, or until ``stop`` is called."""
        try:
            self.server.run(sockets=[self.socket])
        finally:
            self.lab.close()
            self.socket.close()

    def stop(self) -> None:
        """Let ``run``, which another thread is in, come to its end."""
        self.server.should_exit = True


def listen(lab: Lab, port: int = 0) -> Listening:
    """Open a port of the loopback interface; 0 takes one that is free.

    Raises
    ------
    InputError
        If the port is taken, or may not be used.
    """
    opened = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    opened.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        opened.bind((LOOPBACK, port))
        opened.listen()  # so that a browser that comes early waits
    except OSError as error:
        opened.close()
        why = (
            "is taken" if error.errno == errno.EADDRINUSE else f"cannot be used ({error.strerror})"
        )
        raise InputError(f"port {port} {why}: give another --port, or leave it out") from None
    token = secrets.token_urlsafe(TOKEN_BYTES)
    app = make_app(lab, token, opened.getsockname()[1])
    settings = uvicorn.Config(
        app,
        lifespan="off",
        ws="none",
        log_level="critical",  # our own code prints what goes wrong; Ctrl-C is no error
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=CLOSING_SECONDS,
    )
    return Listening(lab, opened, token, uvicorn.Server(settings))
