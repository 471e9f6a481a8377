"""Who may read the page: the door before the application.

Only reading is possible at all, and only with the token: the address printed at the start holds it, and from then on a
cookie. A page that stays on this machine needs one too, because other users of the machine can reach it as well; there
the name that a browser asked for has to be a name of this machine, so that no other site can have its own name lead
here (DNS rebinding).
"""

from __future__ import annotations

import secrets
from collections.abc import Collection
from urllib.parse import parse_qs

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import cookie_parser
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

READING = ("GET", "HEAD")
LONGEST_TOKEN = 1024
MOST_ANSWERS = 256
"""Requests that are answered at the same time, streams of events among them."""
SECURITY = {
    "Cache-Control": "no-store",
    "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}


class RequestGuard:
    """Refuses what may not be asked, and puts the security headers on every answer.

    Args:
        app: what answers the rest.
        hosts: the names that may be asked for; any, if there is none.
        token: what has to be known.
        cookie: the name under which a browser keeps the token.
    """

    def __init__(self, app: ASGIApp, *, hosts: Collection[str], token: str, cookie: str) -> None:
        self._app = app
        self._hosts = frozenset(hosts)
        self._token, self._cookie = token, cookie
        self._answering = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answers one request."""
        if scope["type"] != "http":
            return

        async def guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in SECURITY.items():
                    headers.setdefault(name, value)
            await send(message)

        self._answering += 1
        try:
            answer = self._refusal(scope) or self._app
            await answer(scope, receive, guarded)
        finally:
            self._answering -= 1

    def _refusal(self, scope: Scope) -> Response | None:
        headers = Headers(scope=scope)
        if scope["method"] not in READING:
            return PlainTextResponse("This page is only read.\n", 405, {"Allow": ", ".join(READING)})
        if self._hosts and _name_of(headers.get("host", "")) not in self._hosts:
            return PlainTextResponse("This is not a name of this machine: open the address that was printed.\n", 421)
        asked = parse_qs(scope["query_string"].decode("latin-1")).get("token", [""])[-1]
        if scope["path"] == "/" and self._fits(asked):
            return self._letting_in()
        cookie = cookie_parser(headers.get("cookie", "")).get(self._cookie, "")
        bearer = headers.get("authorization", "").removeprefix("Bearer ")
        if not any(self._fits(given) for given in (asked, cookie, bearer)):
            return PlainTextResponse("A token is needed: open the whole address that weaklink watch printed.\n", 401)
        if self._answering > MOST_ANSWERS:
            return PlainTextResponse("Too many browsers are looking: close some of them.\n", 503)
        return None

    def _letting_in(self) -> Response:
        """The token goes into a cookie and out of the address, where it would be seen and kept."""
        answer = RedirectResponse("/", 303)
        answer.set_cookie(self._cookie, self._token, httponly=True, samesite="lax")
        return answer

    def _fits(self, given: str) -> bool:
        return len(given) <= LONGEST_TOKEN and secrets.compare_digest(given.encode(), self._token.encode())


def _name_of(host: str) -> str:
    """The host without its port: a tunnel may give it another one."""
    name, colon, port = host.rpartition(":")
    whole = name if colon and port.isdigit() else host
    return whole.strip("[]").lower()


def name_cookie(port: int) -> str:
    """The cookie's name: browsers keep one jar for all the ports of a host."""
    return f"weaklink-{port}"


def list_host_names(host: str) -> frozenset[str]:
    """The names that a page which stays on this machine may be asked for by."""
    return frozenset(("localhost", "127.0.0.1", "::1", host.lower()))
