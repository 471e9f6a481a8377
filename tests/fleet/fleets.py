"""A judged fleet without logs: summaries made of diagnoses, as many as are wanted."""

from __future__ import annotations

import numpy as np

from tests.show.made import broken, healthy
from weaklink.base.evidence.fleet import PeerRun
from weaklink.base.evidence.run import Run
from weaklink.base.evidence.series import Series
from weaklink.show.subjects.fleet import KeptRuns
from weaklink.verbs.diagnose import Diagnosed
from weaklink.verbs.fleet.settings import find_settings
from weaklink.verbs.fleet.summary import RunSummary
from weaklink.verbs.targets import Failure


def make_fleet(runs: int = 500, failures: int = 1) -> tuple[Diagnosed, KeptRuns]:
    draw = np.random.default_rng(0)
    summaries = [make_summary(number, draw) for number in range(runs)]
    failed = tuple(Failure(f"runs/lost_{number}", f"runs/lost_{number} is empty.") for number in range(failures))
    done = Diagnosed(
        results=(*(one.diagnosis for one in summaries), *failed),
        runs=runs,
        summaries=tuple(summaries),
        patterns=find_settings(summaries),
    )
    kept = KeptRuns()
    for one in summaries[:2]:
        curve = Series.of("reward.episode_return", np.arange(len(one.curve)), one.curve)
        kept.keep(Run(one.peer.name, {curve.name: curve}, source=one.diagnosis.target), one.diagnosis)
    return done, kept


def make_summary(number: int, draw: np.random.Generator) -> RunSummary:
    rate = float(draw.choice([1e-4, 3e-4, 1e-3, 1e-2]))
    target, ill = f"runs/run_{number:03d}", rate > 1e-3 and draw.random() < 0.9
    diagnosis = broken(target=target) if ill else healthy(target=target)
    curve = np.cumsum(draw.normal(0.0 if ill else 1.0, 1.0, 48))
    return RunSummary(
        diagnosis=diagnosis,
        peer=PeerRun(f"run_{number:03d}", "ppo", "CartPole", "v1", str(number % 5), final=float(curve[-1])),
        settings={"learning_rate": rate, "batch_size": int(draw.choice([32, 64, 128])), "gamma": float(draw.random())},
        metric="reward.episode_return",
        curve=tuple(curve.round(3).tolist()),
    )
