"""Proof from inside the loop: how it is written, read, and how it outranks what curves show."""

from __future__ import annotations

from dataclasses import replace

import msgspec
import numpy as np
import pytest
from typer.testing import CliRunner

from tests.curves import noisy, ramp, rising, run_of, step_change
from tests.rollouts import estimated, experience, look
from tests.unwrapping import unwrapped
from weaklink.base.evidence.rollout import LossCall
from weaklink.base.evidence.store import Recording
from weaklink.base.finding import HIGH, LOW, Evidence, Finding, Level, decode_finding, encode_finding
from weaklink.base.loop import Link
from weaklink.cli import app
from weaklink.collect.readers import read
from weaklink.judge.diagnosis.causes import fold_consequences, order_findings, place_proof
from weaklink.judge.diagnosis.diagnosis import Verdict
from weaklink.judge.diagnosis.engine import diagnose, judge_rollout
from weaklink.judge.diagnosis.settings import RuleSettings
from weaklink.judge.rules._registry import find_rule

ALWAYS_SO = [(("OPT206", Level.ERROR, 0.0), ("VAL207", Level.WARN, 512.0))]


def proof(rollout) -> Finding:
    fired = judge_rollout(rollout).fired
    assert len(fired) == 1
    return fired[0][1]


def wrong_advantages(step: float = 2048.0) -> Finding:
    made = experience()
    right = estimated(made)
    return proof(replace(estimated(made, advantages=-right.estimates.advantages, returns=None), step=step))


def broadcast_loss(step: float = 2048.0) -> Finding:
    return proof(replace(look(losses=(LossCall(name="mse_loss", left=(64, 1), right=(64,)),)), step=step))


def recorded(folder, *found: Finding, checked: tuple[str, ...] = (), curves: dict | None = None):
    curves = {"reward.episode_return": noisy(20, 2), "policy.kl": noisy(0.01, 0.001)} if curves is None else curves
    with Recording(folder, context={"framework": "sb3"}) as recording:
        for row in range(100):
            recording.write(2048 * (row + 1), {name: float(values[row]) for name, values in curves.items()})
        for finding in found:
            recording.add("finding", encode_finding(finding))
        for code in checked:
            recording.add("checked", {"code": code, "step": 2048})
    return read(folder)


def test_a_finding_survives_the_recording(tmp_path):
    finding = wrong_advantages()
    assert finding.onset == 2048.0
    assert finding.code == "RET201"
    assert decode_finding(encode_finding(finding)) == finding
    strange = msgspec.structs.replace(finding, evidence=(Evidence(metric="x", value=float("inf")),))
    run = recorded(tmp_path, strange)
    assert run.proven == (strange,)
    assert run.framework == "sb3"


@pytest.mark.parametrize(
    "broken",
    [
        {},
        {"code": "RET201"},
        {"code": "RET201", "level": "terrible", "message": "x", "link": "returns"},
        {"code": "RET201", "level": "error", "message": "x", "link": "nowhere"},
        {"code": "RET201", "level": "error", "message": 3, "link": "returns"},
        {"code": "RET201", "level": "error", "message": "x", "link": "returns", "evidence": "much"},
        {"code": ["RET201"], "level": "error", "message": "x", "link": "returns"},
        {"code": "POL301", "level": "warn", "message": "a pattern is no proof", "link": "policy"},
        {"code": "XYZ999", "level": "error", "message": "x", "link": "returns"},
    ],
)
def test_what_is_no_proof_is_passed_over(tmp_path, broken):
    with Recording(tmp_path) as recording:
        recording.write(1, {"policy.kl": 0.01})
        recording.add("finding", broken)
        recording.add("finding", "nonsense")
        recording.add("checked", 7)
        recording.add("checked", {"code": 7})
    run = read(tmp_path)
    assert run.proven == ()
    assert run.checked == ()


def test_the_first_finding_of_a_rule_counts(tmp_path):
    early, late = wrong_advantages(2048.0), wrong_advantages(40960.0)
    assert recorded(tmp_path, early, late).proven == (early,)


def test_proof_is_the_first_break_whatever_the_curves_say(tmp_path):
    # gradients explode at a twentieth of the run; the monitor looked only at its end
    curves = {
        "optimizer.gradient_norm": step_change(1.0, 1e6, at=0.05, spread=0.1),
        "reward.episode_return": noisy(20, 2),
    }
    assert diagnose(run_of(curves)).first_break.code == "OPT301"
    diagnosis = diagnose(recorded(tmp_path, broadcast_loss(190_000.0), curves=curves))
    assert diagnosis.verdict is Verdict.BROKEN
    assert diagnosis.first_break.code == "VAL201"
    assert diagnosis.first_break.link is Link.VALUE
    assert diagnosis.first_break.step == 190_000.0


def test_patterns_that_follow_are_folded_under_it(tmp_path):
    curves = {
        "value.explained_variance": step_change(0.1, -0.9, at=0.2, spread=0.02),
        "policy.clip_fraction": step_change(0.1, 0.7, at=0.5, spread=0.01),
        "optimizer.gradient_norm": step_change(1.0, 1e6, at=0.7, spread=0.1),
        "system.env_steps_per_second": ramp(1000, 100, 5),
        "reward.episode_return": noisy(20, 2),
    }
    diagnosis = diagnose(recorded(tmp_path, wrong_advantages(), curves=curves))
    alarms = [finding for finding in diagnosis.findings if finding.severity >= Level.WARN]
    under = {finding.code for finding in diagnosis.under("RET201")}
    assert {"VAL301", "POL301", "OPT301", "REW301"} <= under
    # a slow machine follows from no wrong sum
    assert {finding.code for finding in alarms if finding.consequence_of is None} == {"RET201", "SYS301"}


def test_what_began_upstream_or_before_stands_on_its_own(tmp_path):
    curves = {"policy.clip_fraction": step_change(0.1, 0.7, at=0.1, spread=0.01), "reward.episode_return": noisy(20, 2)}
    late = msgspec.structs.replace(broadcast_loss(150_000.0))
    diagnosis = diagnose(recorded(tmp_path, late, curves=curves))
    assert diagnosis.first_break.code == "VAL201"
    alone = {finding.code for finding in diagnosis.causes if finding.severity >= Level.WARN}
    assert alone == {"VAL201", "POL301"}


def test_of_two_proofs_the_earlier_comes_first(tmp_path):
    first = diagnose(recorded(tmp_path / "a", broadcast_loss(2048.0), wrong_advantages(90_000.0)))
    second = diagnose(recorded(tmp_path / "b", broadcast_loss(90_000.0), wrong_advantages(2048.0)))
    assert first.first_break.code == "VAL201"
    assert second.first_break.code == "RET201"


def test_together_the_loop_decides(tmp_path):
    diagnosis = diagnose(recorded(tmp_path, broadcast_loss(), wrong_advantages()))
    assert diagnosis.first_break.code == "RET201"


def test_a_suspicion_is_no_proof(tmp_path):
    curves = {
        "optimizer.gradient_norm": step_change(1.0, 1e6, at=0.05, spread=0.1),
        "reward.episode_return": noisy(20, 2),
    }
    unsure = msgspec.structs.replace(wrong_advantages(150_000.0), confidence=LOW, level=Level.WARN)
    assert diagnose(recorded(tmp_path, unsure, curves=curves)).first_break.code == "OPT301"


def test_what_was_checked_is_clean(tmp_path):
    checked = ("RET201", "POL201", "DAT201", "VAL201", "OPT201", "XYZ999")
    curves = {"reward.episode_return": rising(20, 400)}
    diagnosis = diagnose(recorded(tmp_path, wrong_advantages(), checked=checked, curves=curves))
    assert {"POL201", "DAT201", "VAL201", "OPT201"} <= set(diagnosis.clean)
    assert not {"RET201", "XYZ999"} & set(diagnosis.clean)
    clean = diagnose(recorded(tmp_path / "clean", checked=checked, curves=curves))
    assert clean.verdict is Verdict.HEALTHY
    assert "RET201" in clean.clean


def test_a_clean_trainer_that_learns_nothing_is_sent_outside(tmp_path):
    checked = ("RET201", "POL201", "DAT201", "VAL201")
    curves = {"reward.episode_return": noisy(20, 2)}
    diagnosis = diagnose(recorded(tmp_path, checked=checked, curves=curves))
    assert "the trainer works" in diagnosis.advice[0]


def test_selection_holds_for_proof_too(tmp_path):
    run = recorded(tmp_path, wrong_advantages(), broadcast_loss(), checked=("POL201", "DAT201"))
    diagnosis = diagnose(run, RuleSettings.of(ignore=["RET", "POL201"]))
    assert diagnosis.first_break.code == "VAL201"
    assert "POL201" not in diagnosis.clean
    assert "DAT201" in diagnosis.clean


def test_a_run_without_numbers_is_judged_by_its_proof(tmp_path):
    with Recording(tmp_path) as recording:
        recording.add("finding", encode_finding(broadcast_loss()))
    assert diagnose(read(tmp_path)).first_break.code == "VAL201"


def test_a_look_is_judged_by_its_rules_alone():
    made = experience()
    answers = judge_rollout(estimated(made))
    assert not answers.fired
    assert not answers.unable
    assert {"RET201", "RET202"} <= set(answers.clean)
    assert "POL201" in answers.blind
    assert not any(code.endswith("301") for code in answers.blind)
    assert judge_rollout(estimated(made), RuleSettings.of(select=["RET201"])).clean == ["RET201"]


def test_a_look_at_nothing():
    answers = judge_rollout(look())
    assert not answers.fired
    assert not answers.clean
    assert not answers.unable


def test_the_terminal_shows_it(tmp_path):
    recorded(tmp_path, wrong_advantages())
    shown = CliRunner().invoke(app, ["diagnose", str(tmp_path)])
    assert shown.exit_code == 1
    assert "RET201" in shown.output
    assert "sign flipped" in unwrapped(shown.output)
    as_json = CliRunner().invoke(app, ["diagnose", str(tmp_path), "--format", "json"])
    assert msgspec.json.decode(as_json.stdout)["first_break"] == {"link": "returns", "code": "RET201", "step": 2048}


def test_a_message_from_a_file_cannot_command_the_terminal(tmp_path):
    rude = msgspec.structs.replace(broadcast_loss(), message="red \x1b[31malarm\x07.")
    recorded(tmp_path, rude)
    shown = CliRunner().invoke(app, ["diagnose", str(tmp_path)])
    assert "\x1b[31m" not in shown.output
    assert "\x07" not in shown.output
    assert np.isfinite(diagnose(read(tmp_path)).steps)


def limits_as_ends(step: float = 2048.0) -> Finding:
    """The warning that a time limit was taken for an end."""
    return Finding(
        code="RET203", name="wrong-continuation", level=Level.WARN, link=Link.RETURNS, message="x.", onset=step
    )


def test_what_is_certainly_wrong_stands_before_a_warning_that_began_with_it(tmp_path):
    """A time limit taken for an end is in nearly all older code: it would hide what else was proven."""
    wrong = Finding(code="VAL203", name="x", level=Level.ERROR, link=Link.VALUE, message="y.", onset=2048.0)
    assert diagnose(recorded(tmp_path / "both", limits_as_ends(), wrong)).first_break.code == "VAL203"
    assert diagnose(recorded(tmp_path / "alone", limits_as_ends())).first_break.code == "RET203"


@pytest.mark.parametrize(
    ("cause", "effect"), [(("ACT201", Level.WARN, 512.0), ("OPT205", Level.ERROR, 512.0)), *ALWAYS_SO]
)
def test_of_proofs_the_cause_is_named_before_what_it_leads_to(cause, effect):
    run = run_of({"reward.episode_return": noisy(20, 2)})
    placed = [
        place_proof(Finding(message=code, code=code, level=level, onset=onset, confidence=HIGH), find_rule(code), run)
        for code, level, onset in (effect, cause)
    ]
    first, second = fold_consequences(order_findings(placed))
    assert (first.code, second.code, second.consequence_of) == (cause[0], effect[0], cause[0])


def test_a_warning_that_was_read_first_does_not_hide_what_is_certainly_wrong():
    run = run_of({"reward.episode_return": noisy(20, 2)})

    def name_first(*given: tuple[str, Level, float]) -> str:
        findings = [Finding(message="", code=code, level=level, onset=at, confidence=HIGH) for code, level, at in given]
        return order_findings([place_proof(each, find_rule(each.code), run) for each in findings])[0].rule.code

    limits, stale = ("RET203", Level.WARN, 240.0), ("EVA201", Level.ERROR, 12_288.0)
    assert name_first(limits, stale) == "EVA201"
    assert name_first(limits, ("EVA201", Level.WARN, 12_288.0)) == "RET203"  # of two warnings the earlier one
    assert name_first(("OPT205", Level.ERROR, 2_000.0), ("ACT201", Level.WARN, 512.0)) == "ACT201"  # which leads to it
