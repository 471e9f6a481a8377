"""`weaklink mcp`, driven by the SDK's own client over standard input and output."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import anyio
import pytest

from tests.cli.logs import healthy_log, sick_log
from tests.growing import curves, into_table
from tests.patience import PATIENCE, no_hang
from tests.test_architecture import FRAMEWORKS

if TYPE_CHECKING:
    from mcp import Client

ROOT = Path(__file__).parents[2]
SERVER = [sys.executable, "-m", "weaklink", "mcp"]
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
TOOLS = {"debug", "diagnose", "watch", "preflight", "probe", "confirm", "audit", "explain"}

NOISY = """
import os
import gymnasium

print("while it is loaded")

def make_env():
    print("while it is made", flush=True)
    os.write(1, b"past Python's own streams\\n")
    return gymnasium.make("CartPole-v1")
"""

SLOW_STEPS = """
import time
import gymnasium

class Slow(gymnasium.Wrapper):
    def step(self, action):
        time.sleep(0.01)
        return super().step(action)

def make_env():
    return Slow(gymnasium.make("CartPole-v1"))
"""


def talk(conversation: Callable[[Client], Awaitable[None]], folder: Path = ROOT) -> None:
    """Starts the server as an agent does, and leaves it again."""
    from mcp import Client, StdioServerParameters
    from mcp.client.stdio import stdio_client

    server = StdioServerParameters(command=SERVER[0], args=SERVER[1:], env=ENVIRONMENT, cwd=folder)

    async def converse() -> None:
        async with Client(stdio_client(server)) as client:
            await conversation(client)

    anyio.run(converse)


@pytest.fixture
def talk_inside(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Talks to a server within this process, in some folder: what a tool answers does not depend on the way to it."""
    from mcp import Client

    from weaklink.cli.mcp_server.server import make_server

    def talk_to_it(conversation: Callable[[Client], Awaitable[None]], folder: Path = ROOT) -> None:
        monkeypatch.chdir(folder)

        async def converse() -> None:
            async with Client(make_server()) as client:
                await conversation(client)

        anyio.run(converse)

    return talk_to_it


async def ask(client: Client, tool: str, **arguments: Any) -> dict[str, Any]:
    answer = await client.call_tool(tool, arguments)
    assert not answer.is_error, answer.content
    assert json.loads(answer.content[0].text) == answer.structured_content
    return answer.structured_content


async def refuse(client: Client, tool: str, **arguments: Any) -> str:
    answer = await client.call_tool(tool, arguments)
    assert answer.is_error
    return str(answer.content[0].text)


def test_every_tool_says_what_it_takes_and_what_it_answers(talk_inside):
    async def conversation(client: Client) -> None:
        tools = (await client.list_tools()).tools
        assert {tool.name for tool in tools} == TOOLS
        for tool in tools:
            assert tool.description
            assert tool.output_schema["properties"]
            wanted = tool.input_schema["properties"]
            assert "context" not in wanted
            assert [name for name, field in wanted.items() if not field.get("description")] == []

    talk_inside(conversation)


def test_a_log_is_diagnosed_and_the_answer_is_typed(talk_inside):
    async def conversation(client: Client) -> None:
        found = await ask(client, "diagnose", paths=["examples/broken_run"])
        (run,) = found["runs"]
        assert run["verdict"] == "broken"
        assert run["first_break"] == {"link": "optimizer", "code": "OPT101", "step": None}
        assert run["findings"][0]["evidence"][0] == {
            "metric": "learning_rate",
            "value": 0.1,
            "limit": 0.01,
            "step": None,
        }
        assert {one["code"] for one in run["findings"] if one["consequence_of"] == "OPT101"} >= {"POL303", "EXP301"}
        assert run["coverage"]["asked"] >= run["coverage"]["judged"] + run["blind"] > 0
        assert run["says"]
        assert run["next"].startswith("weaklink confirm OPT101")
        assert (found["left_out"], found["together"], found["unreadable"]) == (0, None, [])

    talk_inside(conversation)


def test_several_runs_and_what_cannot_be_read(tmp_path, talk_inside):
    sick_log(tmp_path / "sick")
    healthy_log(tmp_path / "well")
    (tmp_path / "no.csv").write_text("nothing\n", encoding="utf-8")

    async def conversation(client: Client) -> None:
        found = await ask(client, "diagnose", paths=["well", "sick", "no.csv"])
        assert len(found["runs"]) == 2
        assert found["runs"][0]["verdict"] == "broken"
        assert [one["target"] for one in found["unreadable"]] == ["no.csv"]

    talk_inside(conversation, tmp_path)


def test_wrong_use_is_an_error_that_says_what_to_do(talk_inside):
    async def conversation(client: Client) -> None:
        assert "No rule is called 'POL999'" in await refuse(client, "explain", name="POL999")
        assert "Give one of: a trainer" in await refuse(client, "probe")
        assert "Give SAMPLES" in await refuse(client, "audit")
        assert "POL301 has no setting 'nothing'" in await refuse(
            client, "diagnose", paths=["x"], thresholds=["POL301.nothing=1"]
        )
        assert "There is no no-such-folder" in await refuse(client, "watch", paths=["no-such-folder"])
        assert (await ask(client, "explain", name="kl-spike"))["page"].startswith("# POL303")

    talk_inside(conversation)


def test_the_settings_of_the_project_are_in_force(tmp_path, talk_inside):
    settings = "[tool.weaklink]\nignore = ['POL', 'OPT']\n[tool.weaklink.map]\nmine = 'reward.episode_return'\n"
    (tmp_path / "pyproject.toml").write_text(settings, encoding="utf-8")
    sick_log(tmp_path / "sick")
    rows = "".join(f"{1000 * place},{place % 7}\n" for place in range(60))
    (tmp_path / "own.csv").write_text(f"step,mine\n{rows}", encoding="utf-8")

    async def conversation(client: Client) -> None:
        (run,) = (await ask(client, "diagnose", paths=["sick"]))["runs"]
        assert not {one["code"][:3] for one in run["findings"]} & {"POL", "OPT"}
        assert (await ask(client, "watch", paths=["own.csv"]))["runs"][0]["measure"] == "reward.episode_return"

    talk_inside(conversation, tmp_path)


def test_pages_are_resources(talk_inside):
    from mcp import MCPError

    async def conversation(client: Client) -> None:
        assert {str(one.uri) for one in (await client.list_resources()).resources} == {
            "weaklink://rules",
            "weaklink://skill",
        }
        (template,) = (await client.list_resource_templates()).resource_templates
        assert template.uri_template == "weaklink://pages/{name}"
        (page,) = (await client.read_resource("weaklink://pages/OPT101")).contents
        assert page.text.startswith("# OPT101 learning-rate")
        (listed,) = (await client.read_resource("weaklink://rules")).contents
        assert "- OPT101 learning-rate: " in listed.text
        (skill,) = (await client.read_resource("weaklink://skill")).contents
        assert skill.text == (ROOT / "SKILL.md").read_text(encoding="utf-8")
        with pytest.raises(MCPError, match="No rule is called 'NO999'"):
            await client.read_resource("weaklink://pages/NO999")

    talk_inside(conversation)


def test_a_run_that_grows_is_told_call_by_call(tmp_path):
    write, rows = into_table(tmp_path), curves(60, sick_from=30)
    for place, row in enumerate(rows[:30]):
        write(place, row)

    async def conversation(client: Client) -> None:
        first = await ask(client, "watch", paths=["."])
        (run,) = first["runs"]
        assert run["verdict"] != "broken"
        assert run["measure"] == "reward.episode_return"
        assert [one["event"] for one in first["events"]] == ["run"]
        again = await ask(client, "watch", paths=["."])
        assert again["events"] == []
        for place, row in enumerate(rows[30:], 30):
            write(place, row)
        later = await ask(client, "watch", paths=["."], seconds=30.0)
        assert "finding" in {one["event"] for one in later["events"]}
        assert later["runs"][0]["verdict"] == "broken"
        assert later["runs"][0]["steps"] > run["steps"]

    talk(conversation, tmp_path)


def test_starting_it_loads_no_framework():
    listed = "from weaklink.cli.mcp_server.server import make_server; make_server(); import sys; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", listed], capture_output=True, text=True, check=True, env=ENVIRONMENT)
    assert not {name.partition(".")[0] for name in done.stdout.split()} & (FRAMEWORKS | {"numpy"})


def test_without_the_package_it_says_what_to_install(tmp_path):
    (tmp_path / "hide.py").write_text(
        "import sys, importlib.util as found\nreal = found.find_spec\n"
        "found.find_spec = lambda name, *rest: None if name == 'mcp' else real(name, *rest)\n"
        "sys.argv = ['weaklink', 'mcp']\nfrom weaklink.cli import main\nmain()\n",
        encoding="utf-8",
    )
    done = subprocess.run([sys.executable, tmp_path / "hide.py"], capture_output=True, text=True, env=ENVIRONMENT)
    assert done.returncode == 2
    assert "pip install 'weaklink[mcp]'" in done.stderr
    assert done.stdout == ""


class RawServer:
    """The server by its bare streams, to see every byte that it writes."""

    def __init__(self, folder: Path) -> None:
        pipe = subprocess.PIPE
        self.process = subprocess.Popen(SERVER, stdin=pipe, stdout=pipe, stderr=pipe, cwd=folder, env=ENVIRONMENT)
        self.send(
            id=1,
            method="initialize",
            params={
                "protocolVersion": "2025-06-18",
                "capabilities": {},
                "clientInfo": {"name": "test", "version": "1"},
            },
        )
        self.answer_to(1)
        self.send(method="notifications/initialized")

    def send(self, **message: Any) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
        self.process.stdin.flush()

    def call(self, number: int, tool: str, **arguments: Any) -> None:
        asked = {"name": tool, "arguments": arguments, "_meta": {"progressToken": number}}
        self.send(id=number, method="tools/call", params=asked)

    def messages(self) -> Iterator[dict[str, Any]]:
        """What it writes: every line must be a message of the protocol."""
        assert self.process.stdout is not None
        for line in self.process.stdout:
            message = json.loads(line)
            assert message["jsonrpc"] == "2.0"
            yield message

    def answer_to(self, number: int) -> dict[str, Any]:
        return next(one for one in self.messages() if one.get("id") == number)


@pytest.mark.slow
def test_nothing_but_the_protocol_is_written(tmp_path):
    (tmp_path / "noisy.py").write_text(NOISY, encoding="utf-8")
    server = RawServer(tmp_path)
    server.call(2, "preflight", environment="noisy.py:make_env", seconds=2)
    answer = server.answer_to(2)["result"]
    assert answer["structuredContent"]["verdict"] in ("broken", "healthy", "unclear")
    rest, _ = server.process.communicate(timeout=PATIENCE)
    assert rest == b""
    assert server.process.returncode == 0


@pytest.mark.slow
def test_a_client_that_leaves_ends_the_work(tmp_path):
    server = RawServer(tmp_path)
    server.call(2, "probe", trainer="sb3:PPO")
    told = next(one for one in server.messages() if one.get("method") == "notifications/progress")
    assert told["params"]["message"]
    with no_hang():
        server.process.communicate(timeout=PATIENCE)
    assert server.process.returncode == 0


@pytest.mark.slow
def test_work_that_is_given_up_makes_room_for_the_next(tmp_path):
    (tmp_path / "fine.py").write_text(SLOW_STEPS, encoding="utf-8")

    async def conversation(client: Client) -> None:
        with anyio.move_on_after(PATIENCE) as given_up:

            async def give_up(progress: float, total: float | None, message: str | None) -> None:
                given_up.cancel()

            asked = {"environment": "fine.py:make_env", "seconds": 3600}
            await client.call_tool("preflight", asked, progress_callback=give_up)
        assert given_up.cancel_called
        with anyio.fail_after(PATIENCE):
            found = await ask(client, "preflight", environment="fine.py:make_env", seconds=2)
        assert found["seconds"] < PATIENCE

    talk(conversation, tmp_path)


@pytest.mark.whole
def test_from_a_broken_project_to_the_first_break_and_its_proof(tmp_path):
    """An agent's way: debug, read the page of what broke, prove it, and see nothing repeated that is known."""
    told: list[str] = []

    async def listen(progress: float, total: float | None, message: str | None) -> None:
        told.append(message or "")

    async def conversation(client: Client) -> None:
        asked = {"target": str(ROOT / "examples" / "projects" / "conveyor.py"), "case": "case", "seconds": 150}
        answer = await client.call_tool("debug", asked, progress_callback=listen)
        found = answer.structured_content
        assert (found["verdict"], found["stage_of_break"]) == ("broken", "preflight")
        code = found["first_break"]["code"]
        assert code == "OBS107"
        assert [stage["stage"] for stage in found["stages"] if stage["state"] == "broken"] == ["preflight"]
        assert any(message.startswith("preflight") for message in told)
        assert found["next"] == f"weaklink confirm {code} case"
        assert code in (await ask(client, "explain", name=code))["page"]
        proof = await ask(client, "confirm", code=code, target="case", seeds=2, seconds=300)
        assert (proof["code"], proof["verdict"]) == (code, "confirmed")
        again = await ask(client, "debug", **asked)
        assert all(stage["resumed"] for stage in again["stages"])

    talk(conversation, tmp_path)
    assert (tmp_path / "case" / "case.md").is_file()
