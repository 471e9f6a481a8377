"""What is on the board, and what a browser is told of it."""

from __future__ import annotations

import asyncio
import json
import threading
from typing import Any

import msgspec

from tests.patience import PATIENCE, no_hang, wait_until
from weaklink.show.live.board import MOST_ALERTS, Board
from weaklink.show.live.stream import CHUNK, StreamMessages, stream

HEAD = {"title": msgspec.Raw(b'"runs"'), "live": msgspec.Raw(b"true")}


def page(name: str, text: str = "") -> bytes:
    return json.dumps({"id": name, "title": text}).encode()


def told(text: bytes) -> list[dict[str, Any]]:
    """The events of a stream as a browser would take it apart."""
    events = []
    for block in text.decode().split("\n\n"):
        fields = dict(line.split(": ", 1) for line in block.splitlines())
        if "event" in fields:
            events.append({**fields, "data": json.loads(fields["data"])})
    return events


def read(
    board: Board, happening=lambda: None, *, last_id: str = "", beat: float = 5.0, beats: int = 0
) -> list[dict[str, Any]]:
    """All that a browser is told until the board ends, while something happens in another thread."""
    seen = bytearray()

    async def reading() -> bytes:
        async for chunk in stream(board, StreamMessages(board), last_id, beat):
            assert len(chunk) <= CHUNK
            seen.extend(chunk)
        return bytes(seen)

    def happen() -> None:
        wait_until(lambda: b"event: document" in seen)
        happening()
        wait_until(lambda: seen.count(b"event: beat") >= beats and b"id: %s-%d\n" % current() in seen)
        board.end()

    def current() -> tuple[bytes, int]:
        return board.name.encode(), board.state.version

    thread = threading.Thread(target=happen)
    thread.start()
    text = asyncio.run(reading())
    thread.join()
    assert text.startswith(b"retry: 1000\n\n")
    return told(text)


def test_a_browser_gets_the_whole_document_first_and_then_what_changes():
    board = Board()
    first = page("a", "1")
    board.draw(HEAD, [("a", first), ("b", page("b", "1"))])

    def happening() -> None:
        board.draw(HEAD, [("b", page("b", "2")), ("a", first)])

    document, changes, end = read(board, happening)
    assert document["event"] == "document"
    assert document["data"] == {"title": "runs", "live": True, "pages": [json.loads(first), json.loads(page("b", "1"))]}
    assert changes["event"] == "pages"
    assert changes["data"] == {
        "title": "runs",
        "live": True,
        "order": ["b", "a"],
        "pages": [json.loads(page("b", "2"))],
    }
    assert end["event"] == "end"


def test_a_browser_that_looks_late_finds_only_the_latest():
    board = Board()

    def happening() -> None:
        for number in range(500):
            board.draw(HEAD, [("a", page("a", str(number)))])

    events = [event for event in read(board, happening) if event["event"] == "pages"]
    assert len(events) < 500
    assert events[-1]["data"]["pages"][0]["title"] == "499"


def test_alerts_are_told_at_once_and_the_oldest_are_forgotten():
    board = Board()

    def happening() -> None:
        for number in range(3):
            board.alert(b'{"code":%d}' % number)

    assert [event["data"]["code"] for event in read(board, happening) if event["event"] == "alert"] == [0, 1, 2]
    for number in range(1000):
        board.alert(b'{"code":%d}' % number)
    assert len(board.state.alerts) == MOST_ALERTS
    assert board.state.alerts[-1][1] == b'{"code":999}'


def test_a_browser_that_comes_back_is_told_what_it_missed_and_a_new_one_is_not():
    board = Board()
    board.draw(HEAD, [])
    board.alert(b'{"code":1}')
    seen = f"{board.name}-{board.state.version}"
    board.alert(b'{"code":2}')
    for last_id, missed in ((seen, [2]), ("", []), ("otherone-1", []), (f"{board.name}-x", [])):
        again = Board()
        again.name, again.state = board.name, board.state
        assert [event["data"]["code"] for event in read(again, last_id=last_id) if event["event"] == "alert"] == missed


def test_silence_is_told_too():
    events = read(Board(), beat=0.05, beats=2)
    assert [event["event"] for event in events].count("beat") >= 2


def test_a_long_page_travels_in_pieces():
    board = Board()
    board.draw(HEAD, [("a", page("a", "x" * 1_000_000))])
    document, end = read(board)
    assert len(document["data"]["pages"][0]["title"]) == 1_000_000
    assert end["event"] == "end"


def test_waiting_ends_with_the_next_change_and_not_before():
    board = Board()
    board.draw(HEAD, [])

    async def waiting() -> tuple[bool, int]:
        change = asyncio.ensure_future(board.beyond(board.state.version, PATIENCE))
        await asyncio.sleep(0.2)
        early = change.done()
        board.alert(b"{}")
        return early, (await change).version

    with no_hang(PATIENCE / 2):
        assert asyncio.run(waiting()) == (False, 2)
