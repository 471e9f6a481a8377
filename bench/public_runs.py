"""Public training scripts under `weaklink run`, unmodified: what is said of each, and whether that is known of it.

    python bench/public_runs.py FOLDER [NAME ...] [--seconds 75] [--jobs 2] [--path FOLDER ...] [--old FOLDER ...]

FOLDER holds clones of the repositories, which are not part of the project; a script that is not there is left out. A
training that is not over after so many seconds is ended by SIGTERM, and diagnosed as far as it went. Scripts of older
libraries get them from build/older, where `make test` has put them. `--path` are folders with packages that scripts
need beside those of this Python (tyro, for CleanRL), `--old` those that scripts of the old gym need besides, such as a
numpy below 2. `known` are the codes of faults that a script really has; any other alarm is counted as a false one.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

OLDER = Path(__file__).parents[1] / "build" / "older"
NEW, FIVE, FOUR = "gymnasium==0.29.1", "gym==0.26.2", "gym==0.25.2"
GRACE = 120
"""Seconds for the diagnosis of a script that was ended."""

NOTHING: Mapping[str, str] = {}
LIMIT, PAST = {"RET203": "a time limit is taken for an end"}, {"ENV201": "a time limit is overlooked: no reset"}


class PublicScript(NamedTuple):
    """A script by its place below the folder, its arguments, the library it was written for, and its known faults."""

    place: str
    words: str = ""
    library: str = ""
    known: Mapping[str, str] = NOTHING


CLEANRL = "cleanrl/cleanrl/"
PENDULUM, OFF_POLICY = "--env-id Pendulum-v1 ", "--total-timesteps 9000 --learning-starts 1000"
DRL = "DRL-Pytorch/"
SCRIPTS = (
    PublicScript("examples/reinforcement_learning/reinforce.py"),
    PublicScript("examples/reinforcement_learning/actor_critic.py"),
    PublicScript(CLEANRL + "ppo.py", "--total-timesteps 40000", NEW, LIMIT),
    PublicScript(CLEANRL + "dqn.py", "--total-timesteps 20000 --learning-starts 2000", NEW),
    PublicScript(CLEANRL + "c51.py", "--total-timesteps 20000 --learning-starts 2000", NEW),
    PublicScript(CLEANRL + "pqn.py", "--total-timesteps 40000", NEW),
    PublicScript(CLEANRL + "ppo_continuous_action.py", PENDULUM + "--total-timesteps 30000", NEW, LIMIT),
    PublicScript(CLEANRL + "rpo_continuous_action.py", PENDULUM + "--total-timesteps 30000", NEW, LIMIT),
    PublicScript(CLEANRL + "sac_continuous_action.py", PENDULUM + OFF_POLICY, NEW),
    PublicScript(CLEANRL + "td3_continuous_action.py", PENDULUM + OFF_POLICY, NEW),
    PublicScript(CLEANRL + "ddpg_continuous_action.py", PENDULUM + OFF_POLICY, NEW),
    PublicScript(DRL + "2.1_Duel-Double-DQN/main.py", "--dvc cpu --Max_train_steps 30000"),
    PublicScript(DRL + "2.4_Categorical-DQN_C51/main.py", "--dvc cpu --Max_train_steps 30000"),
    PublicScript(DRL + "2.5_NoisyNet-DQN/main.py", "--dvc cpu --Max_train_steps 30000"),
    PublicScript(DRL + "3.1 PPO-Discrete/main.py", "--dvc cpu --Max_train_steps 40000"),
    PublicScript(DRL + "3.2 PPO-Continuous/main.py", "--dvc cpu --Max_train_steps 40000"),
    PublicScript(DRL + "4.2 TD3/main.py", "--dvc cpu --Max_train_steps 15000"),
    PublicScript(DRL + "5.1 SAC-Discrete/main.py", "--dvc cpu --Max_train_steps 15000 --random_steps 2000"),
    PublicScript(DRL + "5.2 SAC-Continuous/main.py", "--dvc cpu --Max_train_steps 15000"),
    PublicScript("minimalRL/REINFORCE.py", "", FIVE, PAST),
    PublicScript("minimalRL/actor_critic.py", "", FIVE, PAST),
    PublicScript("minimalRL/ppo.py", "", FIVE, PAST),
    PublicScript("minimalRL/ppo-lstm.py", "", FIVE, PAST),
    PublicScript("minimalRL/ppo-continuous.py", "", FIVE, PAST),
    PublicScript("minimalRL/dqn.py", "", FIVE, PAST),
    PublicScript("minimalRL/ddpg.py", "", FIVE, PAST),
    PublicScript("minimalRL/sac.py", "", FIVE, PAST),
    PublicScript("minimalRL/acer.py", "", FIVE, PAST),
    PublicScript("minimalRL/vtrace.py", "", FIVE, {**PAST, "RET203": "advantages go on at terminal steps"}),
    PublicScript("TD3/main.py", "--env Pendulum-v1 --start_timesteps 1000 --max_timesteps 12000", FOUR),
    PublicScript("pytorch-soft-actor-critic/main.py", "--env-name Pendulum-v1 --start_steps 1000", FOUR),
)


def run_script(script: PublicScript, options: argparse.Namespace) -> tuple[str, dict[str, Any] | None]:
    """What is said of one script: the last line of its standard error, and the diagnosis of its training."""
    file = options.folder.resolve() / script.place
    paths = [*options.path, *([OLDER / script.library / "site-packages"] if script.library else [])]
    paths += options.old if script.library.startswith("gym==") else []
    with tempfile.TemporaryDirectory() as place:
        words = [sys.executable, "-W", "ignore", "-m", "weaklink", "run", "--format", "json", "--out", f"{place}/out"]
        words += ["--output", f"{place}/answer.json", str(file), *script.words.split()]
        found = os.pathsep.join(filter(None, (*map(str, paths), os.environ.get("PYTHONPATH", ""))))
        process = subprocess.Popen(
            words,
            cwd=place,
            env={**os.environ, "PYTHONPATH": found, "OMP_NUM_THREADS": "1"},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )
        try:
            said = process.communicate(timeout=options.seconds)[1]
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGTERM)
            said = process.communicate(timeout=GRACE)[1]
        answer = Path(place, "answer.json")
        told = [json.loads(line) for line in answer.read_text().splitlines()] if answer.exists() else []
        last = said.strip().splitlines()[-1:] or ["nothing"]
        return last[0], next((one for one in told if "first_break" in one), None)


def summarise(script: PublicScript, last: str, answer: dict[str, Any] | None) -> tuple[str, int, int]:
    """A line of the table, how many of its alarms are of known faults, and how many of none."""
    if answer is None:
        return f"{script.place:48} was not watched: {last[:100]}", 0, 0
    alarms = [one for one in answer["findings"] if one["level"] in ("warn", "error") and not one["consequence_of"]]
    codes = list(dict.fromkeys(one["code"] for one in alarms))
    told = [f"{code} ({script.known.get(code, 'FALSE ALARM?')})" for code in codes]
    unread = any("could not be read whole" in note for note in answer.get("notes", ()))
    line = f"{script.place:48} {answer['verdict']:8} {'in part' if unread else 'read':8} {', '.join(told)}"
    known = sum(code in script.known for code in codes)
    return line, known, len(codes) - known


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("names", nargs="*", help="parts of places; all where none is given")
    parser.add_argument("--seconds", type=float, default=75.0)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--path", type=Path, action="append", default=[])
    parser.add_argument("--old", type=Path, action="append", default=[])
    options = parser.parse_args()
    wanted = [
        script
        for script in SCRIPTS
        if (options.folder / script.place).is_file()
        and (not options.names or any(name in script.place for name in options.names))
    ]
    known = wrong = 0
    with ThreadPoolExecutor(options.jobs) as pool:
        for script, found in zip(wanted, pool.map(lambda each: run_script(each, options), wanted), strict=True):
            line, right, false = summarise(script, *found)
            known, wrong = known + right, wrong + false
            print(line, flush=True)
    print(f"\n{len(wanted)} scripts, {known} alarms of known faults, {wrong} others")


if __name__ == "__main__":
    main()
