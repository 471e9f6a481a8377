"""Sinks: every alert arrives, and a sink that fails or hangs harms nobody but itself."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest

from tests.monitor.findings import finding
from tests.patience import PATIENCE, wait_until
from weaklink.base.errors import UsageError
from weaklink.base.finding import Level, decode_finding
from weaklink.collect.monitor.sinks import CallbackSink, Sinks, TerminalSink, WebhookSink, sinks_from

ROOT = Path(__file__).parents[2]


class Screen(io.StringIO):
    encoding = "utf-8"

    def __init__(self, tty: bool) -> None:
        super().__init__()
        self._tty = tty

    def isatty(self) -> bool:
        return self._tty


@pytest.fixture
def server():
    """A webhook's other end: `answers` is what it says next, `got` what it was told."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):
            body = self.rfile.read(int(self.headers["Content-Length"]))
            made.got.append((self.path, self.headers["Content-Type"], json.loads(body)))
            time.sleep(made.pause)
            self.send_response(made.answers)
            self.end_headers()

        def log_message(self, *words):
            pass

    made = HTTPServer(("127.0.0.1", 0), Handler)
    made.got, made.answers, made.pause = [], 200, 0.0
    made.handle_error = lambda *words: None
    thread = threading.Thread(target=made.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    yield made
    made.shutdown()
    made.server_close()
    thread.join()


def address(server) -> str:
    return f"http://127.0.0.1:{server.server_port}/hook"


def test_a_line_for_the_terminal():
    screen = Screen(tty=False)
    TerminalSink(screen).tell(finding(), "runs/x")
    expected = "weaklink: WARN POL303 kl-spike in runs/x at step 12,288: KL 0.31 is over 0.05.\n"
    assert screen.getvalue() == expected


def test_colour_on_a_terminal_alone(monkeypatch):
    monkeypatch.delenv("NO_COLOR", raising=False)
    screen = Screen(tty=True)
    TerminalSink(screen).tell(finding(level=Level.ERROR), "x")
    assert "\x1b[31;1mERROR\x1b[0m" in screen.getvalue()
    monkeypatch.setenv("NO_COLOR", "1")
    plain = Screen(tty=True)
    TerminalSink(plain).tell(finding(level=Level.ERROR), "x")
    assert "\x1b" not in plain.getvalue()


def test_control_characters_do_not_reach_the_terminal():
    screen = Screen(tty=True)
    TerminalSink(screen).tell(finding(message="a\x1b[2Jb\nc\u202e"), "run\x07\r")
    line = screen.getvalue()
    assert line.count("\n") == 1
    assert "\x1b[2J" not in line
    assert not {"\x07", "\r", "\u202e"} & set(line)


def test_the_terminal_finds_the_stream_of_the_moment(capsys):
    sinks = Sinks(sinks_from("terminal"))
    sinks.tell(finding(), "x")
    sinks.close()
    assert "POL303" in capsys.readouterr().err


def test_functions_of_one_and_of_two():
    got = []
    sinks = Sinks(sinks_from([got.append, lambda found, run: got.append((found.code, run)), CallbackSink(got.append)]))
    sinks.tell(finding(), "x")
    sinks.close()
    assert sorted(map(str, got)) == sorted(map(str, [finding(), finding(), ("POL303", "x")]))


def test_a_webhook_gets_the_finding(server):
    sinks = Sinks(sinks_from([address(server)]))
    sinks.tell(finding(), "runs/x")
    sinks.close(wait=10)
    ((path, kind, body),) = server.got
    assert (path, kind) == ("/hook", "application/json")
    assert body["run"] == "runs/x"
    assert "POL303 kl-spike" in body["text"]
    assert body["finding"]["level"] == "warn"
    assert body["finding"]["evidence"][0] == {"metric": "policy.kl", "value": "nan", "limit": 0.05, "step": 12288.0}
    assert decode_finding({**body["finding"], "evidence": []}).message == finding().message


@pytest.mark.parametrize("trouble", ["refuses", "closed", "slow"])
def test_a_webhook_that_fails_rests_with_one_line(server, trouble):
    said, got = [], []
    url = address(server)
    if trouble == "refuses":
        server.answers = 500
    elif trouble == "slow":
        server.pause = 1.0
    else:
        url = "http://127.0.0.1:9/hook"
    asked_by = []

    class Seen(WebhookSink):
        def tell(self, found, run):
            asked_by.append(threading.get_ident())
            super().tell(found, run)

    sinks = Sinks([Seen(url, timeout=0.3), *sinks_from(got.append)], complain=said.append)
    for _ in range(5):
        sinks.tell(finding(), "x")
    sinks.close(wait=PATIENCE)
    assert asked_by
    assert threading.get_ident() not in asked_by, "the caller does not wait for an answer"
    assert len(got) == 5
    assert len(said) == 1
    assert said[0].startswith("the webhook at 127.0.0.1 failed and gets nothing for 10 s: ")
    assert len(server.got) <= 1


def test_a_sink_that_raises_rests_and_the_others_go_on():
    said, got = [], []

    def fails(found):
        raise SystemExit("no")

    sinks = Sinks(sinks_from([fails, got.append]), complain=said.append)
    for _ in range(3):
        sinks.tell(finding(), "x")
    sinks.close()
    assert len(got) == 3
    assert said == ["the function fails failed and gets nothing for 10 s: SystemExit: no."]


def test_a_sink_that_failed_is_tried_again(monkeypatch):
    monkeypatch.setattr("weaklink.collect.monitor.mailbox.FIRST_PAUSE", 0.05)
    said, got, wrong = [], [], [True]

    def fails(found):
        if wrong:
            wrong.pop()
            raise ConnectionError("no network")
        got.append(found)

    sinks = Sinks(sinks_from([fails]), complain=said.append)
    deadline = time.monotonic() + PATIENCE
    while not got and time.monotonic() < deadline:
        sinks.tell(finding(), "x")
        time.sleep(0.03)
    sinks.close()
    assert got
    assert said[-1] == "the function fails works again."


def test_a_sink_that_hangs_is_dropped_and_the_others_go_on():
    said, got, release, woke, busy = [], [], threading.Event(), [], []

    class Stuck:
        name, timeout = "a stuck sink", -0.9

        def tell(self, found, run):
            busy.append(found)
            woke.append(release.wait(PATIENCE))

    sinks = Sinks([Stuck(), *sinks_from(got.append)], complain=said.append)
    for _ in range(4):
        sinks.tell(finding(), "x")
    wait_until(lambda: len(got) == 4 and busy)
    time.sleep(0.2)  # longer than it may take
    sinks.tell(finding(), "x")
    sinks.close(wait=1)
    assert woke == [], "nobody waited for it"
    assert len(got) == 5
    assert said == ["a stuck sink gets nothing more: no answer."]
    release.set()


def test_an_alert_at_the_very_end_is_told(tmp_path):
    code = (
        "from tests.monitor.findings import finding; from weaklink.collect.monitor.sinks import Sinks, sinks_from\n"
        "Sinks(sinks_from('terminal')).tell(finding(), 'x')"
    )
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True, cwd=ROOT)
    assert "POL303" in done.stderr


def test_a_forked_child_tells_nothing(capfd):
    sinks = Sinks(sinks_from("terminal"))
    child = os.fork()
    if child == 0:
        sinks.tell(finding(), "child")
        sinks.close()
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0
    sinks.tell(finding(), "parent")
    sinks.close()
    said = capfd.readouterr().err
    assert "parent" in said
    assert "child" not in said


@pytest.mark.parametrize("word", ["slack", "ftp://x/y", "https://", 3, "file:///etc/passwd"])
def test_an_unknown_word(word):
    with pytest.raises(UsageError, match=r"terminal, wandb, mlflow, trackio, tensorboard|https://"):
        sinks_from([word])


def test_no_sinks_at_all():
    assert sinks_from(None) == []
    assert sinks_from(()) == []
    sinks = Sinks([])
    sinks.tell(finding(), "x")
    sinks.close()
