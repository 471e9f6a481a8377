"""The server as a browser, a script and a stranger meet it: real requests over a real socket."""

from __future__ import annotations

import contextlib
import http.client
import json
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

import msgspec
import pytest

from tests.patience import PATIENCE, no_hang
from weaklink.show.live import connection
from weaklink.show.live.address import ServerAddress, bound
from weaklink.show.live.board import Board
from weaklink.show.live.guard import MOST_ANSWERS, SECURITY
from weaklink.show.live.server import BoardServer

HEAD = {"title": msgspec.Raw(b'"runs"')}
TOKEN = "a-token-that-nobody-guesses"


class Served:
    """A server that runs, and requests to it."""

    def __init__(self, host: str = "127.0.0.1", token: str = TOKEN, content: bytes = b'{"id":"a"}') -> None:
        self.board = Board()
        self.board.draw(HEAD, [("a", content)])
        listener = bound(ServerAddress("127.0.0.1", 0))
        self.port = listener.getsockname()[1]
        self.server = BoardServer(self.board, listener, ServerAddress(host, self.port), token)
        self.server.start()

    def ask(self, path: str, method: str = "GET", **headers: str) -> tuple[http.client.HTTPResponse, bytes]:
        client = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        try:
            client.request(method, path, headers={"Authorization": f"Bearer {TOKEN}", **headers})
            answer = client.getresponse()
            return answer, answer.read()
        finally:
            client.close()

    def listen(self, receive_buffer: int = 0) -> socket.socket:
        """A connection to the stream of events of which nothing was read yet."""
        client = socket.socket()
        if receive_buffer:
            client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
        client.settimeout(PATIENCE)
        client.connect(("127.0.0.1", self.port))
        client.sendall(f"GET /events?token={TOKEN} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
        return client


@contextmanager
def serving(**options) -> Iterator[Served]:
    served = Served(**options)
    try:
        yield served
    finally:
        served.server.close()


def until(client: socket.socket, wanted: bytes) -> bytes:
    seen = b""
    while wanted not in seen:
        piece = client.recv(1 << 16)
        assert piece, f"the connection ended before {wanted!r}: {seen[-200:]!r}"
        seen += piece
    return seen


@pytest.fixture(autouse=True)
def _unhurried(monkeypatch) -> None:
    """Who asks may take as long as this machine takes."""
    monkeypatch.setattr(connection, "HEAD_WITHIN", PATIENCE)


@pytest.fixture(scope="module")
def page() -> Iterator[Served]:
    with serving() as served:
        yield served


@pytest.fixture(scope="module", params=["0.0.0.0", "127.0.0.1"])
def locked(request) -> Iterator[Served]:
    with serving(host=request.param) as served:
        yield served


@pytest.mark.parametrize(
    ("path", "kind"),
    [("/", "text/html; charset=utf-8"), ("/document", "application/json"), ("/health", "application/json")],
)
def test_what_is_answered(page, path, kind):
    answer, body = page.ask(path)
    assert (answer.status, answer.headers["Content-Type"]) == (200, kind)
    assert body
    answer, body = page.ask(path, "HEAD")
    assert (answer.status, body) == (200, b"")


def test_the_document_and_the_health(page):
    assert json.loads(page.ask("/document")[1]) == {"title": "runs", "pages": [{"id": "a"}]}
    assert json.loads(page.ask("/health")[1])["status"] == "ok"


def test_the_page_asks_for_events_and_lets_nothing_else_in(page):
    answer, body = page.ask("/")
    assert b'data-events="events"' in body
    assert b"default-src 'none'" in body
    assert answer.headers["Content-Security-Policy"] == "frame-ancestors 'none'"


@pytest.mark.parametrize(
    "path", ["/", "/document", "/events/", "/../../etc/passwd", "/%2e%2e/%2e%2e/etc/passwd", "/static/"]
)
def test_every_answer_is_closed_to_other_sites_and_no_file_is_ever_given(page, path):
    answer, body = page.ask(path)
    assert answer.status == (200 if path in ("/", "/document") else 404)
    for name, value in SECURITY.items():
        assert answer.headers[name] == value or (name, path) == ("Content-Security-Policy", "/")
    assert "Access-Control-Allow-Origin" not in answer.headers
    assert "Server" not in answer.headers
    assert b"root:x:0" not in body


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH", "OPTIONS"])
@pytest.mark.parametrize("path", ["/", "/events", "/document", "/nothing"])
def test_nothing_but_reading(page, method, path):
    answer, _ = page.ask(path, method)
    assert (answer.status, answer.headers["Allow"]) == (405, "GET, HEAD")


@pytest.mark.parametrize("host", ["localhost", "LOCALHOST:9", "127.0.0.1", "127.0.0.1:80", "[::1]:80"])
def test_names_of_this_machine(page, host):
    assert page.ask("/health", Host=host)[0].status == 200


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:80", "localhost.evil.example", "127.0.0.1.evil.example", "[::2]", "", "1"]
)
@pytest.mark.parametrize("path", ["/", "/events", "/document", "/health"])
def test_no_other_name_leads_here(page, host, path):
    assert page.ask(path, Host=host)[0].status == 421


def test_a_stream_that_only_its_head_is_asked_of_ends(page):
    answer, body = page.ask("/events", "HEAD")
    assert (answer.status, answer.headers["Content-Type"], body) == (200, "text/event-stream; charset=utf-8", b"")


@pytest.mark.parametrize("path", ["/", "/events", "/document", "/health", "/nothing"])
@pytest.mark.parametrize(
    "given", ["", "?token=wrong", f"?token={TOKEN}x", "?token=", f"?token={TOKEN[:-1]}", "?token=%ff"]
)
def test_nothing_is_told_without_the_token(locked, path, given):
    answer, body = locked.ask(path + given, Authorization="")
    assert answer.status == 401
    assert TOKEN.encode() not in body
    assert "Set-Cookie" not in answer.headers


def test_the_token_goes_into_a_cookie_and_out_of_the_address(locked):
    answer, _ = locked.ask(f"/?token={TOKEN}", Authorization="")
    assert (answer.status, answer.headers["Location"]) == (303, "/")
    cookie = answer.headers["Set-Cookie"]
    assert cookie.startswith(f"weaklink-{locked.port}={TOKEN};")
    assert "HttpOnly" in cookie
    assert "SameSite=lax" in cookie
    kept = cookie.partition(";")[0]
    for path in ("/", "/document", "/health"):
        assert locked.ask(path, Authorization="", Cookie=f"other=1; {kept}")[0].status == 200
    assert locked.ask("/document", Authorization="", Cookie=f"weaklink-{locked.port}=wrong")[0].status == 401
    assert locked.ask("/document", Authorization="", Cookie=f"other={TOKEN}")[0].status == 401


def test_where_others_may_come_any_name_leads_here():
    with serving(host="0.0.0.0") as served:
        assert served.ask("/health", Host="any.name.at.all")[0].status == 200


@pytest.mark.parametrize(
    "given",
    [
        {"path": f"/document?token={TOKEN}", "Authorization": ""},
        {"path": "/document", "Authorization": f"Bearer {TOKEN}"},
    ],
)
def test_a_script_may_give_the_token_itself(locked, given):
    assert locked.ask(**given)[0].status == 200


def test_an_alert_reaches_twenty_browsers_at_once():
    with serving(content=b'{"id":"a","title":"%s"}' % (b"x" * 300_000)) as served:
        clients = [served.listen() for _ in range(20)]
        for client in clients:
            until(client, b'"}]}\n\n')
        served.board.alert(b'{"code":"RET201"}')
        with no_hang():
            for client in clients:
                assert b"event: alert\ndata: " in until(client, b'{"code":"RET201"}\n\n')
        for client in clients:
            client.close()


def test_browsers_that_do_not_read_cost_little_and_hold_nobody_up():
    large = 4_000_000
    with serving(content=b'{"title":"%s"}' % (b"x" * large)) as served:
        idle = [served.listen(receive_buffer=4096) for _ in range(20)]
        for client in idle:
            until(client, b"event: document")
        before = resident()
        for number in range(50):
            served.board.draw(HEAD, [("a", b'{"title":"%s"}' % (b"%d" % (number % 10) * large))])
            time.sleep(0.01)
        assert served.ask("/health")[0].status == 200
        assert resident() - before < 15 * large, "a document for each of them would be 80 MB, a queue 4 GB"
        with no_hang():
            served.server.close()
        for client in idle:
            client.close()


def test_closing_ends_the_streams_at_once_and_says_so():
    threads = threading.active_count()
    with serving() as served:
        clients = [served.listen() for _ in range(5)]
        for client in clients:
            until(client, b"}]}\n\n")
        with no_hang():
            served.server.close()
        for client in clients:
            assert b"event: end" in until(client, b"\r\n0\r\n\r\n")
            client.close()
        assert threading.active_count() == threads


def test_too_many_connections_are_refused_and_then_all_is_well():
    with serving() as served:
        clients = [served.listen() for _ in range(MOST_ANSWERS + 5)]
        refused = sum(b"503" in client.recv(20) for client in clients)
        assert refused >= 5
        for client in clients:
            client.close()
        ends = time.monotonic() + PATIENCE
        while served.ask("/health")[0].status != 200:
            assert time.monotonic() < ends
            time.sleep(0.05)


def half_open(port: int, sent: bytes) -> socket.socket:
    """A connection whose request never comes to its end."""
    client = socket.create_connection(("127.0.0.1", port), timeout=PATIENCE)
    client.sendall(sent)
    return client


def listen_in_time(served: Served) -> socket.socket:
    """A stream whose request came before its time was up, however often this machine stands still meanwhile."""
    while True:
        stream = served.listen()
        with contextlib.suppress(AssertionError, OSError):
            until(stream, b"}]}\n\n")
            return stream
        stream.close()


def keep_sending(client: socket.socket, line: bytes) -> None:
    """Sends until the other end has had enough."""
    with contextlib.suppress(OSError):
        while True:
            client.sendall(line)
            time.sleep(0.05)


@pytest.mark.parametrize("sent", [b"", b"GET / HTTP/1.1\r\nHost: localhost\r\nX-Slow: "])
def test_three_hundred_half_sent_requests_hold_nobody_up(sent):
    with serving() as served:
        stream = served.listen()
        until(stream, b"}]}\n\n")
        slow = []
        with no_hang():
            for _ in range(300):
                slow.append(half_open(served.port, sent))
                if len(slow) % 20 == 0:
                    assert served.ask("/health")[0].status == 200
        served.board.alert(b'{"code":"RET201"}')
        until(stream, b'{"code":"RET201"}\n\n')
        for client in (*slow, stream):
            client.close()


def test_beyond_a_bound_the_oldest_of_those_that_wait_makes_room(monkeypatch):
    monkeypatch.setattr(connection, "MOST_WAITING", 20)
    with serving() as served:
        slow = [half_open(served.port, b"GET / HTTP/1.1\r\n") for _ in range(60)]
        assert served.ask("/health")[0].status == 200
        ended = 0
        for client in slow:
            client.settimeout(0.05)
            with contextlib.suppress(TimeoutError):
                try:
                    ended += client.recv(1) == b""
                except ConnectionResetError:
                    ended += 1
            client.close()
        assert ended >= 40


def test_a_request_that_comes_too_slowly_is_ended(monkeypatch):
    monkeypatch.setattr(connection, "HEAD_WITHIN", 0.3)
    with serving() as served:
        client = half_open(served.port, b"GET / HTTP/1.1\r\n")
        drip = threading.Thread(target=lambda: keep_sending(client, b"X: 1\r\n"))
        drip.start()
        drip.join(PATIENCE)
        assert not drip.is_alive()
        client.close()
        stream = listen_in_time(served)
        time.sleep(0.6)  # a stream asked in time, and has all the time there is
        served.board.alert(b'{"code":"RET201"}')
        until(stream, b'{"code":"RET201"}\n\n')
        stream.close()


def test_a_connection_that_is_kept_may_ask_again():
    with serving() as served:
        client = http.client.HTTPConnection("127.0.0.1", served.port, timeout=PATIENCE)
        for _ in range(3):
            client.request("GET", "/health", headers={"Authorization": f"Bearer {TOKEN}"})
            answer = client.getresponse()
            assert (answer.status, bool(answer.read())) == (200, True)
        client.close()


def resident() -> int:
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * 4096
