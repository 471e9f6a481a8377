"""`weaklink watch` in a process of its own, beside a process that writes the run."""

from __future__ import annotations

import json
import os
import pty
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pytest

from tests.cli.logs import call, call_here, healthy_log, sick_log
from tests.growing import PROVEN
from tests.sparing import spare

ROOT = Path(__file__).parents[2]
PATIENCE = 30.0


class Watch:
    """A running `weaklink watch -f json`, its events with the moment at which each was read."""

    def __init__(self, *arguments: object) -> None:
        self.events: list[dict[str, Any]] = []
        self.process = subprocess.Popen(
            [sys.executable, "-m", "weaklink", "watch", "-f", "json", *map(str, arguments)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        self._thread = threading.Thread(target=self._read)
        self._thread.start()

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.events.append(json.loads(line))

    def wait_for(self, wanted: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
        ends = time.monotonic() + PATIENCE
        while time.monotonic() < ends:
            found = next((event for event in self.events if wanted(event)), None)
            if found is not None:
                return found
            time.sleep(0.02)
        raise AssertionError(f"not told in {PATIENCE} s: {self.events}")

    def of(self, kind: str) -> list[dict[str, Any]]:
        return [event for event in self.events if event["event"] == kind]

    def ended(self) -> tuple[int, str]:
        code = self.process.wait(timeout=PATIENCE)
        self._thread.join()
        assert self.process.stderr is not None
        return code, self.process.stderr.read()

    def interrupted(self) -> tuple[int, str]:
        self.process.send_signal(signal.SIGINT)
        return self.ended()


@contextmanager
def watching(*arguments: object) -> Iterator[Watch]:
    watch = Watch(*arguments)
    try:
        yield watch
    finally:
        watch.process.kill()
        watch.process.wait()
        watch._thread.join()
        for stream in (watch.process.stdout, watch.process.stderr):
            if stream is not None:
                stream.close()


def write(kind: str, folder: Path, *options: object) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "tests.growing", kind, str(folder), *map(str, options)]
    return subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)


def printed(process: subprocess.Popen[str]) -> str:
    out, _ = process.communicate(timeout=PATIENCE)
    assert process.returncode == 0
    return out


def is_finding(code: str) -> Callable[[dict[str, Any]], bool]:
    return lambda event: event["event"] == "finding" and event["finding"]["code"] == code


def test_what_a_run_proves_itself_is_told_while_it_is_followed(tmp_path):
    with watching(tmp_path / "run", "--wait") as watch:
        writer = write("recording", tmp_path / "run", "--rows", 120, "--every", 0.05, "--finding-after", 80)
        printed(writer)
        told = watch.wait_for(is_finding(PROVEN))
        assert told["finding"]["link"] == "returns"
        code, errors = watch.interrupted()
        assert (code, errors) == (1, "")
        (verdict,) = watch.of("verdict")
        assert verdict["first_break"]["code"] == PROVEN
        assert [event["finding"]["code"] for event in watch.of("finding")].count(PROVEN) == 1


@pytest.mark.parametrize("kind", spare(["recording", "table", "events"], lambda kind: kind == "recording"))
def test_a_run_that_breaks_is_told_and_its_healthy_twin_is_not(tmp_path, kind):
    with watching(tmp_path, "--wait", "--idle-exit", 10) as watch:
        sick = write(kind, tmp_path / "sick", "--rows", 120, "--every", 0.02, "--sick-from", 50)
        healthy = write(kind, tmp_path / "healthy", "--rows", 120, "--every", 0.02)
        printed(sick), printed(healthy)
        code, errors = watch.ended()
    assert (code, errors) == (1, "")
    told = [(Path(event["target"]).name, event["finding"]["code"]) for event in watch.of("finding")]
    assert len(told) == len(set(told))
    alarms = {event["target"] for event in watch.of("finding") if event["finding"]["level"] != "info"}
    assert {Path(target).name for target in alarms} == {"sick"}
    assert {code for name, code in told if name == "sick"} & {"POL301", "POL303"}
    assert {Path(event["target"]).name for event in watch.of("run")} == {"sick", "healthy"}
    assert {Path(event["target"]).name: event["steps"] for event in watch.of("verdict")} == {
        "sick": 245760,
        "healthy": 245760,
    }


@pytest.mark.parametrize("make", [sick_log, healthy_log])
def test_once_finds_what_diagnose_finds(tmp_path, make):
    log = make(tmp_path / "run")
    watched, diagnosed = (
        call_here(command, log, "-f", "json", *more, cwd=tmp_path)
        for command, *more in (["watch", "--once"], ["diagnose"])
    )
    *events, verdict = map(json.loads, watched.stdout.splitlines())
    diagnosis = json.loads(diagnosed.stdout)
    assert watched.returncode == diagnosed.returncode
    assert {key: verdict[key] for key in diagnosis if key != "command"} == {
        key: value for key, value in diagnosis.items() if key != "command"
    }
    assert [event["finding"] for event in events if event["event"] == "finding"] == diagnosis["findings"]


def test_once_of_what_cannot_be_read(tmp_path):
    (tmp_path / "run").mkdir()
    done = call_here("watch", tmp_path / "run", "--once", "-f", "json", cwd=tmp_path)
    assert done.returncode == 2
    assert json.loads(done.stdout.splitlines()[-1])["error"].startswith("No reader knows")


@pytest.mark.parametrize(("options", "code"), [((), 1), (("--fail-on", "error"), 0), (("--ignore", "POL"), 0)])
def test_exit_codes_of_a_sick_run(tmp_path, options, code):
    done = call_here("watch", sick_log(tmp_path), "--idle-exit", "0.5", *options, cwd=tmp_path)
    assert done.returncode == code


def test_a_healthy_run_passes(tmp_path):
    done = call("watch", healthy_log(tmp_path), "--idle-exit", "0.5")
    assert (done.returncode, done.stderr) == (0, "")
    assert "HEALTHY" in done.stdout


def test_a_path_that_does_not_exist_is_misuse(tmp_path):
    done = call_here("watch", tmp_path / "none", cwd=tmp_path)
    assert done.returncode == 2
    assert done.stderr.startswith("weaklink: There is no ")
    assert "--wait" in done.stderr


@pytest.mark.parametrize("options", [("-f", "markdown"), ("--webhook", "nowhere"), ("--select", "NONE999")])
def test_misuse(tmp_path, options):
    done = call_here("watch", healthy_log(tmp_path), "--once", *options, cwd=tmp_path)
    assert done.returncode == 2
    assert done.stderr.startswith("weaklink: ")


def test_events_are_never_written_into_what_is_followed(tmp_path):
    log = healthy_log(tmp_path / "run")
    for output in (log, tmp_path / "run" / "events.jsonl"):
        assert call_here("watch", tmp_path / "run", "--once", "-o", output, cwd=tmp_path).returncode == 2
    done = call_here("watch", "run", "--once", "-f", "json", "-o", "events.jsonl", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (0, "")
    lines = (tmp_path / "events.jsonl").read_text().splitlines()
    assert [json.loads(line)["event"] for line in lines] == ["run", "verdict"]


def test_a_log_that_is_cut_off_while_it_is_followed(tmp_path):
    log = sick_log(tmp_path)
    os.utime(log, (0, 0))
    with watching(log) as watch:
        watch.wait_for(lambda event: event["event"] == "finding")
        whole = log.read_bytes()
        log.write_bytes(whole[: len(whole) // 4])
        watch.wait_for(lambda event: event["event"] == "note" and "begun anew" in event["message"])
        log.write_bytes(b"\x00\xff" * 50)
        time.sleep(2.0)
        log.write_bytes(whole)
        time.sleep(2.0)
        log.write_bytes(whole + b"\n")
        watch.wait_for(lambda event: is_finding("POL301")(event) and event["time"] > watch.of("note")[0]["time"])
        code, errors = watch.interrupted()
    assert (code, errors) == (1, "")


def test_alarms_are_posted(tmp_path):
    posted: list[dict[str, Any]] = []

    class Hook(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            posted.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
            self.send_response(204)
            self.end_headers()

        def log_message(self, *_: object) -> None:
            pass

    server = HTTPServer(("127.0.0.1", 0), Hook)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        address = f"http://127.0.0.1:{server.server_port}/hook"
        done = call_here("watch", sick_log(tmp_path), "--once", "--webhook", address, cwd=tmp_path)
        assert done.returncode == 1
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
    assert {one["finding"]["code"] for one in posted} == {"POL301", "POL303"}


def test_an_address_that_does_not_answer_is_told_in_one_line(tmp_path):
    done = call_here("watch", sick_log(tmp_path), "--once", "--webhook", "http://127.0.0.1:9/hook", cwd=tmp_path)
    assert done.returncode == 1
    assert len(done.stderr.splitlines()) == 1
    assert "BROKEN" in done.stdout


def test_a_person_sees_how_the_run_stands(tmp_path):
    log = sick_log(tmp_path / "run")
    leader, follower = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "weaklink", "watch", str(tmp_path / "run"), "--idle-exit", "1.5"],
        stdin=follower, stdout=follower, stderr=follower,
        env={**os.environ, "COLUMNS": "100", "LINES": "30", "TERM": "xterm-256color", "PYTHONIOENCODING": "utf-8"},
    )  # fmt: skip
    os.close(follower)
    seen = b""
    while True:
        try:
            part = os.read(leader, 4096)
        except OSError:
            break
        if not part:
            break
        seen += part
    os.close(leader)
    assert process.wait(timeout=PATIENCE) == 1
    text = seen.decode()
    assert "verdict so far" in text
    assert "122,880" in text
    assert "broken: POL301 excessive-clipping" in text
    assert "verdict so far" not in call_here("watch", log, "--idle-exit", "0.5", cwd=tmp_path).stdout


def test_a_reader_that_goes_away_ends_it(tmp_path):
    log = sick_log(tmp_path)
    reader, writer = os.pipe()
    os.close(reader)
    process = subprocess.run(
        [sys.executable, "-m", "weaklink", "watch", str(log)],
        stdout=writer, stderr=subprocess.PIPE, check=False, timeout=PATIENCE,
    )  # fmt: skip
    os.close(writer)
    assert (process.returncode, process.stderr) == (1, b"")
