"""Small sweeps on disk: PPO runs with their configurations, of which those with a large learning rate are broken."""

from __future__ import annotations

import json
from pathlib import Path

from tests.cli.logs import healthy_log, sick_log
from weaklink.judge.diagnosis.settings import RuleSettings
from weaklink.verbs.diagnose import DiagnoseOptions
from weaklink.verbs.fleet.crew import FleetCrew

RATES = (1e-4, 3e-4, 1e-3, 1e-2)


def make_sweep(root: Path, runs: int = 20) -> Path:
    for number in range(runs):
        rate = RATES[number % len(RATES)]
        folder = root / f"run_{number:03d}"
        (sick_log if rate > 1e-3 else healthy_log)(folder)
        settings = {"algo": "ppo", "env_id": "CartPole-v1", "seed": number, "learning_rate": rate, "batch_size": 64}
        (folder / "config.json").write_text(json.dumps(settings))
    return root


def options(*paths: Path, **crew: object) -> DiagnoseOptions:
    return DiagnoseOptions(paths=tuple(map(str, paths)), settings=RuleSettings(), crew=FleetCrew(**crew))
