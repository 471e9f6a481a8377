"""`weaklink watch --serve`: the page beside the terminal, in a process of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest

from tests.cli.logs import call_here, healthy_log, sick_log
from tests.growing import PROVEN
from tests.patience import no_hang
from tests.served import PATIENCE, Ear, growing, is_alert, served, shows
from tests.unwrapping import unwrapped

WITHOUT = """
import sys
sys.modules["starlette"] = None
sys.argv = ["weaklink", "watch", sys.argv[1], "--serve", "0"]
from weaklink.cli import main
main()
"""


def test_what_a_run_proves_reaches_the_browser_and_the_terminal_goes_on_telling(tmp_path):
    with served(tmp_path / "run", "--wait") as watch:
        ears = [Ear(watch) for _ in range(3)]
        with growing("recording", tmp_path / "run", "--every", 0.05, "--finding-after", 40):
            for ear in ears:
                ear.wait_for(is_alert(PROVEN))
                ear.wait_for(shows(PROVEN))
            (page,) = watch.document()["pages"]
        assert (page["verdict"], page["growing"]) == ("broken", True)
        with no_hang():  # open connections hold nothing up
            code, out, errors = watch.interrupted()
        assert (code, errors) == (1, "")
        assert f"WARN  {PROVEN}" in out
        assert "BROKEN" in out
        for ear in ears:
            ear.wait_for(lambda one: one["event"] == "end")
            ear.close()


def test_a_port_alone_stays_on_this_machine_and_its_other_users_need_the_token(tmp_path):
    with served(healthy_log(tmp_path), "-f", "json", "--idle-exit", 1) as watch:
        assert watch.url == f"http://127.0.0.1:{watch.port}/?token={watch.token}"
        assert watch.ask("/")[0] == 200
        assert watch.ask("/document", Authorization="")[0] == 401
        assert watch.ask("/", Host="evil.example")[0] == 421
        out, errors = watch.process.communicate(timeout=PATIENCE)
    assert (watch.process.returncode, errors) == (0, "")
    assert [json.loads(line)["event"] for line in out.splitlines()] == ["run", "verdict"]


def test_where_others_can_reach_it_a_token_is_needed(tmp_path):
    with served(healthy_log(tmp_path), serve="0.0.0.0:0") as watch:
        (token,) = parse_qs(urlsplit(watch.url).query)["token"]
        assert len(token) >= 40
        asked = [watch.ask(path, Authorization="")[0] for path in ("/", "/events", "/document", "/health")]
        assert asked == [401] * 4
        assert watch.ask(f"/?token={token}", Authorization="")[0] == 303
        assert watch.ask("/document", Authorization="", Cookie=f"weaklink-{watch.port}={token}")[0] == 200


def test_the_token_may_stand_in_the_environment_and_protects_this_machine_too(tmp_path):
    with served(healthy_log(tmp_path), environment={"WEAKLINK_TOKEN": "from-the-environment"}) as watch:
        assert watch.url.endswith("?token=from-the-environment")
        assert watch.ask("/", Authorization="")[0] == 401


def test_a_taken_port_is_misuse(tmp_path):
    log = healthy_log(tmp_path)
    with served(log) as watch:
        done = call_here("watch", log, "--serve", watch.port, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == (
        f"weaklink: Cannot serve at 127.0.0.1:{watch.port}: port {watch.port} is taken."
        " Name another one, or 0 for any that is free.\n"
    )


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (("--serve", "nowhere"), "--serve takes a port"),
        (("--serve", "0", "--token", "short"), "--token takes 16 to 512"),
        (("--serve", "0", "--once"), "leave out --once or --serve"),
        (("--open",), "Add --serve 8765"),
        (("-f", "html"), "--serve for the page"),
    ],
)
def test_misuse(tmp_path, options, says):
    done = call_here("watch", sick_log(tmp_path), *options, cwd=tmp_path)
    assert done.returncode == 2
    assert done.stderr.startswith("weaklink: ")
    assert says in done.stderr


def test_a_missing_extra_is_named_with_its_command(tmp_path):
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT, str(healthy_log(tmp_path))], capture_output=True, text=True, check=False
    )
    assert done.returncode == 2
    assert done.stderr == "weaklink: --serve needs starlette, which is not installed: pip install 'weaklink[live]'\n"


def test_open_opens_the_browser_that_is_wished_for(tmp_path):
    seen = tmp_path / "seen"
    browser = tmp_path / "browser"
    browser.write_text(f'#!/bin/sh\nprintf %s "$1" > {seen}\n')
    browser.chmod(0o755)
    with served(healthy_log(tmp_path / "run"), "--open", environment={"BROWSER": f"{browser} %s"}) as watch:
        ends = time.monotonic() + PATIENCE
        while not seen.exists() or not seen.read_text():
            assert time.monotonic() < ends
            time.sleep(0.05)
        assert seen.read_text() == watch.url


def test_without_a_screen_no_browser_takes_the_terminal(tmp_path):
    none = dict.fromkeys(("BROWSER", "DISPLAY", "WAYLAND_DISPLAY"), "")
    environment = {key: value for key, value in os.environ.items() if key not in none}
    command = [sys.executable, "-m", "weaklink", "watch", str(healthy_log(tmp_path)), "--serve", "0", "--open"]
    done = subprocess.run(
        [*command, "--idle-exit", "0.5"], capture_output=True, text=True, check=False, env=environment, cwd=Path.cwd()
    )
    assert done.returncode == 0
    assert "no browser could be opened from here" in unwrapped(done.stderr)
