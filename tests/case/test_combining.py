"""Evidence of several stages in one diagnosis: the best proof first, and no illness twice."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from tests.curves import noisy, rising, run_of
from weaklink.base.evidence.run import Run
from weaklink.base.finding import HIGH, Finding, Level
from weaklink.judge.diagnosis.diagnosis import Diagnosis, Verdict
from weaklink.judge.diagnosis.settings import RuleSettings
from weaklink.judge.rules._registry import find_rule
from weaklink.verbs.debug.case import DIAGNOSE, PREFLIGHT, PROBE, QUESTION, WATCH
from weaklink.verbs.debug.combining import CombinedDiagnosis, StageEvidence, combine_evidence, cut_after_break, learns


def told(code: str, level: Level = Level.WARN) -> Finding:
    """A finding as the rule of this code would tell it."""
    rule = find_rule(code)
    return Finding(
        message=f"{rule.name} was seen.", code=code, name=rule.name, link=rule.link, level=level, confidence=HIGH
    )


def stage(*findings: Finding, clean: int = 30) -> Diagnosis:
    """What one stage found."""
    broken = any(one.severity >= Level.WARN for one in findings)
    verdict = Verdict.BROKEN if broken else Verdict.HEALTHY
    return Diagnosis(target="", verdict=verdict, findings=findings, clean=tuple(f"ENV{100 + n}" for n in range(clean)))


def a_run(config: Mapping[str, Any] | None = None, **curves: Any) -> Run:
    """A run of PPO that learns, with other curves where they are given."""
    usual = {
        "reward.episode_return": rising(20, 400),
        "policy.kl": noisy(0.01, 0.001),
        "policy.clip_fraction": noisy(0.1, 0.01),
        "exploration.entropy": rising(0.69, 0.3, 0.01),
        "value.explained_variance": rising(0.1, 0.9),
        "optimizer.gradient_norm": noisy(1.0, 0.1),
    }
    given = {name.replace("__", "."): values for name, values in curves.items()}
    return run_of({**usual, **given}, {"algorithm": "PPO", **(config or {})})


def judged(**gathered: Any) -> CombinedDiagnosis:
    return combine_evidence("project", StageEvidence(**gathered), RuleSettings())


def order(found: CombinedDiagnosis) -> list[str]:
    return [one.code for one in found.diagnosis.findings if one.severity >= Level.WARN]


def test_proof_outranks_a_probe_a_survey_and_a_pattern() -> None:
    ill = a_run(policy__clip_fraction=noisy(0.7, 0.02), reward__episode_return=noisy(20, 3))
    run = replace(ill, proven=(told("RET201", Level.ERROR),))
    found = judged(preflight=stage(told("OBS101")), probe=stage(told("PRB106")), run=run)
    causes = [one.code for one in found.diagnosis.causes if one.severity >= Level.WARN]
    assert causes == ["RET201", "OBS101"]
    assert {"PRB106", "POL301"} <= {one.code for one in found.diagnosis.under("RET201")}
    assert found.diagnosis.first_break is not None
    assert found.diagnosis.first_break.code == "RET201"
    assert (found.origins["RET201"], found.origins["PRB106"], found.origins["OBS101"]) == (DIAGNOSE, PROBE, PREFLIGHT)


def test_a_probe_outranks_a_survey_and_that_a_pattern() -> None:
    ill = a_run(policy__clip_fraction=noisy(0.7, 0.02), reward__episode_return=noisy(20, 3))
    codes = order(judged(preflight=stage(told("ENV102")), probe=stage(told("PRB106")), run=ill))
    assert codes.index("PRB106") < codes.index("ENV102")
    assert codes.index("PRB106") < codes.index("POL301")


def test_what_is_wrong_with_the_goal_belongs_to_the_last_stage() -> None:
    found = judged(preflight=stage(told("REW106")), run=a_run())
    assert found.diagnosis.first_break is not None
    assert found.diagnosis.first_break.code == "REW106"
    assert found.origins["REW106"] == QUESTION


def test_what_is_wrong_with_the_goal_waits_for_what_breaks_before_it() -> None:
    whole = judged(preflight=stage(told("OBS101"), told("TSK108")))
    assert order(whole) == ["OBS101", "TSK108"]
    shown = cut_after_break(whole)
    assert [one.code for one in shown.findings] == ["OBS101"]
    assert "TSK108" in shown.advice[0]
    alone = judged(preflight=stage(told("TSK108")))
    assert cut_after_break(alone) == alone.diagnosis


def test_the_course_of_the_return_follows_from_any_break() -> None:
    flat = a_run({"total_timesteps": 204_800}, reward__episode_return=noisy(20, 1))
    found = judged(preflight=stage(told("ACT101")), run=flat, enough=True)
    course = next(one for one in found.diagnosis.findings if one.code == "REW301")
    assert course.severity is Level.WARN
    assert course.consequence_of == "ACT101"


def test_a_flat_return_is_no_alarm_where_we_made_the_training_short() -> None:
    flat = a_run({"total_timesteps": 204_800}, reward__episode_return=noisy(20, 1))
    assert "REW301" in order(judged(run=flat, enough=True))
    found = judged(run=flat, enough=False)
    assert order(found) == []
    assert found.diagnosis.verdict is Verdict.UNCLEAR


def test_an_odd_learning_rate_is_the_break_where_the_curves_bear_it_out() -> None:
    odd = {"learning_rate": 0.1}
    found = judged(run=a_run(odd, policy__kl=noisy(3.0, 0.3), policy__clip_fraction=noisy(0.7, 0.02)))
    assert found.diagnosis.first_break is not None
    assert found.diagnosis.first_break.code == "OPT101"
    assert {"POL301", "POL303"} <= {one.code for one in found.diagnosis.under("OPT101")}
    calm = judged(run=a_run(odd))
    assert calm.diagnosis.first_break is None
    assert calm.diagnosis.verdict is Verdict.HEALTHY


def test_one_code_is_told_once() -> None:
    odd = a_run({"learning_rate": 0.1})
    found = judged(preflight=stage(told("OPT101", Level.INFO)), run=odd)
    assert [one.code for one in found.diagnosis.findings].count("OPT101") == 1


def test_a_crash_comes_last_and_follows_from_what_broke() -> None:
    ill = a_run(policy__clip_fraction=noisy(0.7, 0.02), reward__episode_return=noisy(20, 3))
    found = judged(run=ill, crash=stage(told("PRB120", Level.ERROR), clean=0))
    crash = next(one for one in found.diagnosis.findings if one.code == "PRB120")
    assert crash.consequence_of == "POL301"
    alone = judged(run=a_run(), crash=stage(told("PRB120", Level.ERROR), clean=0))
    assert alone.diagnosis.first_break is not None
    assert alone.diagnosis.first_break.code == "PRB120"
    assert alone.origins["PRB120"] == WATCH


def test_few_points_that_clearly_rise_count_as_learning() -> None:
    few = run_of({"reward.episode_return": [20, 25, 40, 60, 50, 90, 150, 220, 180, 300, 345]})
    assert few.performance is not None
    assert learns(few)
    assert not learns(run_of({"reward.episode_return": noisy(20, 3, points=11)}))


def test_a_ladder_that_was_cut_short_clears_nothing() -> None:
    whole = {"preflight": stage(), "probe": stage(), "run": a_run()}
    assert judged(**whole).diagnosis.verdict is Verdict.HEALTHY
    assert judged(**whole, cut_short=True).diagnosis.verdict is Verdict.UNCLEAR
