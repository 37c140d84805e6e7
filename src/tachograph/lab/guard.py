"""What every request must have before anything else looks at it.

The server listens on the loopback interface only. Pages of other sites, which run in the same browser,
and other users of the machine are kept out by three checks: the token is the first part of every path,
``Host`` names this server (a name of somebody else may lead to 127.0.0.1), and ``Origin``, where the
browser sends it, is this server's own page.
"""

from __future__ import annotations

import hmac
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

from starlette.responses import PlainTextResponse

__all__ = ["Guard"]

Scope = MutableMapping[str, Any]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
HEADERS = [
    (b"content-security-policy", POLICY.encode()),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),  # the token is part of the path
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"cache-control", b"no-store"),
]
HINT = "open the whole address that tacho lab has printed: its token is part of it"


class Guard:
    """Answer 403 to what does not come from our own page, and pass the rest on without the token."""

    def __init__(self, app: App, token: str, port: int) -> None:
        self.app, self.token = app, token
        self.hosts = {f"{name}:{port}" for name in ("127.0.0.1", "localhost")}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Check a request, and give it to the app."""
        if scope["type"] != "http":
            return

        async def send_with_headers(message: MutableMapping[str, Any]) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message.get("headers", []), *HEADERS]
            await send(message)

        problem = self._problem(scope)
        if problem is not None:
            answer = PlainTextResponse(problem + "\n", 403)
            await answer(scope, receive, send_with_headers)
            return
        path = scope["path"][len(self.token) + 1 :]
        inner = {**scope, "path": path, "raw_path": path.encode()}
        await self.app(inner, receive, send_with_headers)

    def _problem(self, scope: Scope) -> str | None:
        """Return why a request is refused, or None."""
        headers = dict(scope["headers"])
        host = headers.get(b"host", b"").decode("latin-1")
        if host not in self.hosts:
            return "this server has another name"
        origin = headers.get(b"origin")
        if origin is not None and origin.decode("latin-1") not in {
            f"http://{h}" for h in self.hosts
        }:
            return "requests from other pages are not answered"
        token, slash, _ = scope["path"].removeprefix("/").partition("/")
        if not slash or not hmac.compare_digest(token.encode(), self.token.encode()):
            return HINT
        return None
