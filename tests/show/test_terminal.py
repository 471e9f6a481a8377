from __future__ import annotations

from dataclasses import replace

import numpy as np

from tests.curves import run_of
from tests.show.made import broken, broken_run, finding, healthy, healthy_run, hostile
from tests.unwrapping import unwrapped
from weaklink.base.evidence.config import Config
from weaklink.base.evidence.run import Run
from weaklink.base.finding import Evidence
from weaklink.base.loop import Link
from weaklink.judge.diagnosis.diagnosis import FirstBreak, Verdict
from weaklink.judge.diagnosis.symptoms import find_symptom
from weaklink.show.rendering import render
from weaklink.show.wording import describe_measured


def shown(diagnosis, run, **how) -> str:
    return render(diagnosis, "terminal", run=run, **how)


def test_the_answer_is_the_first_line():
    assert shown(broken(), broken_run()).startswith("BROKEN  policy  POL301 excessive-clipping  from step 61,440\n")
    assert shown(healthy(), healthy_run()).startswith(
        "HEALTHY  nothing is broken in the 6 of 6 rules that could judge\n"
    )


def test_everything_a_person_needs_is_there():
    text = shown(broken(), broken_run())
    for part in (
        "The clip fraction holds at 0.80",
        "warn, high confidence",
        "policy.clip_fraction  0.8 from step 61,440 on, limit 0.3",
        "▲ step 61,440",
        "1. Lower the learning rate",
        "weaklink diagnose runs/half_lr",
        "EXP301 entropy-collapse, exploration, from step 71,680",
        "Also broken  reward  REW302 one-term-dominates  from the start",
        "EVA304 no-evaluation",
        "- Reward: log each component.",
        "Judged 6 of 9 rules, 2 of them clean. 1 rule found no hyper-parameters.",
        "data.staleness  lets 1 more rule judge: log the learner step",
        "8 keys of the log are not known: custom/a",
        "and 2 more.",
        "SYS301 failed itself",
        "The last line was torn.",
    ):
        assert part in text


def test_it_fits_eighty_columns():
    assert max(map(len, shown(broken(), broken_run()).splitlines())) <= 80


def test_a_narrow_terminal_is_respected():
    assert max(map(len, shown(broken(), broken_run(), width=50).splitlines())) <= 60  # names and curves do not break


def test_without_unicode_it_is_ascii():
    assert shown(broken(), broken_run(), unicode=False).isascii()


def test_the_mark_stands_under_the_onset():
    lines = shown(broken(), broken_run()).splitlines()
    place = next(i for i, line in enumerate(lines) if "▲ step 61,440" in line)
    column = lines[place].index("▲")
    low, high = lines[place - 1][column - 2], lines[place - 1][column + 1]
    assert (low, high) < ("▃", "▅") or low < high


def test_a_late_onset_keeps_its_label_inside_the_page():
    late = broken(findings=(finding(onset=204800.0),))
    assert max(map(len, shown(late, broken_run()).splitlines())) <= 80


def test_nothing_of_a_log_reaches_the_terminal_raw():
    text = shown(hostile(), broken_run())
    assert "\x1b" not in text
    assert "\u202e" not in text
    text.encode()


def test_a_run_that_logged_nothing_useful():
    text = shown(healthy(verdict=Verdict.UNCLEAR, clean=(), blind={"POL301": ("policy.clip_fraction",)}), Run("empty"))
    assert text.startswith("UNCLEAR  none of 1 rule could judge")


def test_why_a_run_is_unclear():
    few = healthy(verdict=Verdict.UNCLEAR, clean=("POL301",))
    assert "too few to call it healthy" in unwrapped(shown(few, healthy_run()))
    assert "reward.episode_return does not clearly improve" in unwrapped(shown(few, broken_run()))
    assert "no return or success rate is logged" in unwrapped(shown(few, Run("empty")))
    halfway = replace(healthy_run(), config=Config(values={"environment": "Hopper-v4"}))
    many = healthy(verdict=Verdict.UNCLEAR)
    assert "not half of the way to the 3,800 that counts as solved" in unwrapped(shown(many, halfway))
    assert "too few to call it healthy" in unwrapped(shown(few, halfway))


def test_what_has_no_onset_of_its_own_is_told_as_such():
    flat = finding("REW301", name="reward-flat", link=Link.REWARD, onset=2048.0, onset_within=200000.0)
    text = shown(broken(findings=(flat,), first_break=FirstBreak(Link.REWARD, "REW301", 2048.0)), broken_run())
    assert text.startswith("BROKEN  reward  REW301 reward-flat  throughout\n")


def test_evidence_is_of_one_point_or_of_all_from_there_on():
    once = run_of({"policy.kl": np.where(np.arange(100) == 40, 9.0, 0.01)})
    step = float(once["policy.kl"].steps[40])
    proof = Evidence(metric="policy.kl", value=9.0, step=step)
    assert describe_measured(proof, step, once).startswith("9 at step")
    assert describe_measured(Evidence(metric="policy.kl", value=0.01, step=step), step, once).endswith(" on")
    assert describe_measured(proof, 0.0, once).startswith("9 at step")
    assert describe_measured(Evidence(metric="policy.kl", value=float("nan"), step=step), step, once).startswith(
        "NaN at step"
    )


def test_the_key_of_the_log_stands_beside_the_metric():
    run = broken_run()
    clipping = run["policy.clip_fraction"]
    renamed = replace(clipping, provenance=replace(clipping.provenance, key="train/clip_fraction"))
    named = replace(run, series={**run.series, "policy.clip_fraction": renamed})
    assert "policy.clip_fraction (train/clip_fraction)  0.8 from" in shown(broken(), named)
    assert "| `policy.clip_fraction (train/clip_fraction)` | 0.8 from" in render(broken(), "markdown", run=named)


def test_a_symptom_is_walked_through_in_its_order():
    text = shown(broken(), broken_run(), symptom=find_symptom("entropy collapsed"))
    assert "You see: entropy collapsed" in text
    assert text.index("EXP301 entropy-collapse  from") < text.rindex("POL301 excessive-clipping  from")


def test_a_finding_without_evidence_or_link_step():
    bare = finding(evidence=(), onset=None, fix=(), verify="", link=Link.REWARD)
    assert "from the start" in shown(broken(findings=(bare,)), Run("x"))
