"""The wheel on other Pythons: built here, installed into a fresh environment of each, and used as the README says.

    python bench/wheels.py [PYTHON ...]

Without names, every python3.10, python3.12 and python3.13 that is on the path or that pyenv keeps. PyTorch is not
installed: what is tried needs none. A row a command: its exit status, and the one that it should have.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
VERSIONS = ("3.10", "3.12", "3.13")
EXTRAS = "gymnasium,samples,live,mcp"
SCRIPT = """
import gymnasium

env = gymnasium.make("CartPole-v1")
env.reset(seed=1)
for _ in range(2000):
    _, _, terminated, truncated, _ = env.step(env.action_space.sample())
    if terminated or truncated:
        env.reset()
"""
CLIENT = """
import asyncio, sys
from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client

async def main():
    served = stdio_client(StdioServerParameters(command=sys.argv[1], args=["mcp"]))
    async with served as (read, write), ClientSession(read, write) as session:
        await session.initialize()
        answer = await session.call_tool("diagnose", {"paths": ["examples/broken_run"]})
        assert "OPT101" in str(answer), answer

asyncio.run(main())
"""
COMMANDS: tuple[tuple[int, str], ...] = (
    (0, "weaklink --help"),
    (1, "weaklink diagnose examples/broken_run"),
    (0, "weaklink diagnose examples/ --fail-on never"),
    (0, "weaklink preflight CartPole-v1 --seconds 8"),
    (1, "weaklink preflight examples/broken_env.py:make --seconds 8"),
    (1, "weaklink audit examples/broken_samples.jsonl"),
    (1, "weaklink audit --verifier examples/leaky_verifier.py:reward"),
    (0, "weaklink report examples/broken_run --output page.html"),
    (0, "weaklink report examples/broken_run --bugreport"),
    (0, "weaklink explain POL303"),
    (1, "weaklink memory --parameters 7B --device-memory 80GB"),
    (1, "weaklink watch examples/broken_run --once"),
    (0, "weaklink run script.py"),
    (0, "python client.py weaklink"),
)


def build_wheel(folder: Path) -> Path:
    """The wheel of this tree."""
    subprocess.run([sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "-w", folder, ROOT], check=True)
    return next(folder.glob("*.whl"))


def list_pythons(named: list[str]) -> list[str]:
    """The interpreters that are asked for, or all that can be had."""
    kept = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv"), "versions")
    there = [(shutil.which(f"python{version}"), sorted(kept.glob(f"{version}.*/bin/python"))) for version in VERSIONS]
    return named or [str(found[-1]) if found else path for path, found in there if path or found]


def try_commands(python: str, wheel: Path, folder: Path) -> int:
    """How many commands ended otherwise than they should, each told in a row."""
    home = folder / "venv"
    subprocess.run([python, "-m", "venv", home], check=True)
    wanted = (f"{wheel}[{EXTRAS}]", "gymnasium[classic-control]")
    subprocess.run([home / "bin/python", "-m", "pip", "install", "--quiet", *wanted], check=True)
    shutil.copytree(ROOT / "examples", folder / "examples", ignore=shutil.ignore_patterns("__pycache__"))
    (folder / "script.py").write_text(SCRIPT, encoding="utf-8")
    (folder / "client.py").write_text(CLIENT, encoding="utf-8")
    environment = {**os.environ, "PATH": f"{home / 'bin'}{os.pathsep}{os.environ['PATH']}"}
    wrong = 0
    for status, command in COMMANDS:
        done = subprocess.run(
            command.split(), cwd=folder, env=environment, capture_output=True, text=True, check=False, timeout=600
        )
        told = done.stdout + done.stderr
        failed = done.returncode != status or "Traceback" in told
        wrong += failed
        print(f"  {'WRONG' if failed else 'ok':5}  exit {done.returncode}, {status} wanted  {command}", flush=True)
        if failed:
            print(told[-2000:])
    return wrong


def main() -> int:
    wrong = 0
    with tempfile.TemporaryDirectory() as place:
        wheel = build_wheel(Path(place))
        for number, python in enumerate(list_pythons(sys.argv[1:])):
            folder = Path(place, str(number))
            folder.mkdir()
            version = subprocess.run([python, "--version"], capture_output=True, text=True, check=True).stdout.strip()
            print(f"{wheel.name} on {version}")
            wrong += try_commands(python, wheel, folder)
    print(f"{wrong} commands ended otherwise than they should")
    return min(wrong, 1)


if __name__ == "__main__":
    sys.exit(main())
