"""Diagnoses to show, made by hand so that views are tested apart from rules."""

from __future__ import annotations

import numpy as np

from tests.curves import noisy, rising, run_of, step_change
from weaklink.base.evidence.run import Run
from weaklink.base.evidence.series import Series
from weaklink.base.finding import HIGH, LOW, Evidence, Finding, Level
from weaklink.base.loop import Link
from weaklink.judge.diagnosis.diagnosis import Diagnosis, FirstBreak, MetricWish, Verdict

HOSTILE = "evil\x1b[31m | [link](http://x) <b>`code`</b> \u202e*star* _line_\nnext \udcff # ~"


def broken_run() -> Run:
    return run_of(
        {
            "policy.clip_fraction": step_change(0.1, 0.8, at=0.3, spread=0.02),
            "exploration.entropy": step_change(0.69, 0.01, at=0.35),
            "reward.episode_return": rising(200, 20),
        }
    )


def finding(code: str = "POL301", **changes) -> Finding:
    facts = dict(
        code=code,
        name="excessive-clipping",
        link=Link.POLICY,
        level=Level.WARN,
        message="The clip fraction holds at 0.80 from step 61,440 on (limit 0.3).",
        onset=61440.0,
        confidence=HIGH,
        evidence=(Evidence(metric="policy.clip_fraction", value=np.float64(0.8), limit=0.3, step=61440.0),),
        fix=("Lower the learning rate by a factor of 3 to 10.", "Use fewer epochs; see `target_kl`."),
        verify="weaklink diagnose runs/half_lr",
    )
    return Finding(**{**facts, **changes})


def consequence() -> Finding:
    return finding(
        "EXP301",
        name="entropy-collapse",
        link=Link.EXPLORATION,
        onset=71680.0,
        consequence_of="POL301",
        evidence=(Evidence(metric="exploration.entropy", value=0.01, limit=0.1, step=71680.0),),
    )


def broken(**changes) -> Diagnosis:
    facts = dict(
        target="runs/ppo_1",
        verdict=Verdict.BROKEN,
        first_break=FirstBreak(Link.POLICY, "POL301", 61440.0),
        findings=(
            finding(),
            consequence(),
            finding("REW302", name="one-term-dominates", link=Link.REWARD, level=Level.ERROR, onset=None, evidence=()),
            finding("EVA304", name="no-evaluation", link=Link.EVALUATION, level=Level.INFO, confidence=LOW),
        ),
        clean=("VAL301", "OPT300"),
        blind={"DAT301": ("data.staleness",), "OPT101": ("hyper-parameters",)},
        unable={"SYS301": "ValueError: boom"},
        wishes=(MetricWish("data.staleness", ("DAT301",), "log the learner step minus the actor step"),),
        advice=("The trainer works, so look outside it.", "1. Reward: log each component."),
        unknown_keys=tuple(f"custom/{letter}" for letter in "abcdefgh"),
        notes=("The last line was torn.",),
        framework="sb3",
        steps=204800.0,
    )
    return Diagnosis(**{**facts, **changes})


def healthy(**changes) -> Diagnosis:
    facts = dict(target="runs/ok", verdict=Verdict.HEALTHY, clean=tuple(f"POL30{n}" for n in range(6)), steps=204800.0)
    return Diagnosis(**{**facts, **changes})


def healthy_run() -> Run:
    return run_of({"policy.clip_fraction": noisy(0.1, 0.02), "reward.episode_return": rising(20, 400)})


def hostile() -> Diagnosis:
    return broken(
        target=HOSTILE,
        findings=(finding(message=HOSTILE, fix=(HOSTILE,), verify=HOSTILE, evidence=(_evidence(HOSTILE),)),),
        unknown_keys=(HOSTILE,),
        notes=(HOSTILE,),
        advice=(HOSTILE,),
        framework=HOSTILE,
        unable={"SYS301": HOSTILE},
    )


def _evidence(metric: str) -> Evidence:
    return Evidence(metric=metric, value=float("nan"), limit=float("inf"), step=float("-inf"))


def series(values) -> Series:
    return Series.of("made", np.arange(len(values)), values)
