"""The pages of environments, trainers, samples and comparisons; between them every kind of block is used."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import msgspec
import numpy as np
import pytest

import weaklink
from tests.outcomes import climbed, mistaken, rung
from tests.rules.probe.contests import contest, normal
from tests.show.made import HOSTILE
from tests.show.pages.reading import KINDS, blocks, charts, curve, read_back
from tests.show.test_audit_views import made as made_samples
from tests.worlds import world
from weaklink.base.evidence.kernels import RIGHT, WRONG, KernelCheck, KernelChecks
from weaklink.base.evidence.samples import ShownSample
from weaklink.base.evidence.standing import compute_curve as level_curve
from weaklink.base.loop import Link
from weaklink.judge.diagnosis.checklists import check_before_training
from weaklink.judge.diagnosis.comparing import judge_comparison as judged_against
from weaklink.judge.diagnosis.preflight import judge_survey as judged_survey
from weaklink.judge.diagnosis.probing import judge_kernels
from weaklink.judge.diagnosis.probing import judge_outcome as judged_outcome
from weaklink.show.document import bind_pages
from weaklink.show.figures import make_figures
from weaklink.show.renderers.html import write_document
from weaklink.show.subjects import against, compare, kernels, preflight, probe
from weaklink.show.subjects import audit as auditing
from weaklink.show.subjects.findings import make_chart_id
from weaklink.verbs.against import Against
from weaklink.verbs.audit import Audited
from weaklink.verbs.compare import Compared
from weaklink.verbs.kernels import CheckedKernels
from weaklink.verbs.preflight import Preflight
from weaklink.verbs.probe import Probed

EXAMPLES = Path(__file__).parents[3] / "examples"
SICK = climbed(rung("ConstantReward"), rung("DelayedReward", mistaken("only the immediate reward")))
BELOW = contest(normal(40.0, 8.0), normal(400.0, 30.0), seeds=5)


@pytest.fixture(scope="module")
def flown() -> Preflight:
    survey = world()
    diagnosis = judged_survey(survey)
    return Preflight(survey, diagnosis, check_before_training(survey, diagnosis))


@pytest.fixture(scope="module")
def audited() -> Audited:
    return weaklink.audit(str(EXAMPLES / "broken_samples.jsonl"))


@pytest.fixture(scope="module")
def compared(tmp_path_factory) -> Compared:
    root = tmp_path_factory.mktemp("seeds")
    for name, mean in (("first", 1.0), ("second", 3.0)):
        scores = np.random.default_rng(len(name)).normal(mean, 0.3, 6)
        weaklink.evaluation(root / name, scores=scores, seeds=range(6), task="Maze", episodes=20, split="dev")
    return weaklink.compare(root / "first", root / "second")


def of(page) -> dict:
    return read_back(page)["pages"][0]


def test_an_environment_shows_what_was_seen(flown):
    page, drawn = of(preflight.build(flown)), make_figures(flown.survey)
    boxes = next(blocks(page, "boxes"))
    assert [row["label"] for row in boxes["rows"]] == [one.policy for one in drawn.baselines.plays]
    assert [row["mean"] for row in boxes["rows"]] == [one.mean for one in drawn.baselines.plays]
    histogram = next(blocks(page, "histogram"))
    counted = sum(one["count"] for one in histogram["bins"])
    assert counted == drawn.rewards.steps - drawn.rewards.not_finite
    seen = next(block for block in blocks(page, "strips") if block["title"] == "What is seen")
    assert [tuple(row["highs"]) for row in seen["rows"]] == [trace.highs for trace in drawn.traces.traces]
    checklist = next(blocks(page, "checklist"))
    assert [item["state"] for item in checklist["items"]] == [item.state for item in flown.checklist]


def test_an_environment_stops_at_its_first_break_unless_asked(flown):
    few, all_of_it = of(preflight.build(flown)), of(preflight.build(flown, everything=True))
    assert len(few["findings"]) == len(flown.shown.findings)
    assert len(all_of_it["findings"]) == len(flown.diagnosis.findings)


def test_a_ladder_is_a_table_with_its_states():
    page = of(probe.build(Probed(SICK, judged_outcome(SICK))))
    rungs = next(block for block in blocks(page, "table") if block["title"] == "The ladder")
    assert [row["state"] for row in rungs["rows"]] == ["clean", "broken"]
    assert rungs["rows"][0]["cells"][-1] == "3/3"
    measured = [block for block in blocks(page, "table") if "a right trainer's lies in" in block["columns"]]
    assert sum(len(block["rows"]) for block in measured) == sum(
        len(trial.measures) for each in SICK.rungs for trial in each.trials
    )
    assert page["headline"].startswith("returns, PRB103")


def test_kernels_are_a_table():
    checks = KernelChecks(
        name="mine.py",
        checks=(
            KernelCheck(kernel="gae", function="gae", link=Link.RETURNS, verdict=WRONG, cases=9, failing=9),
            KernelCheck(kernel="kl", function="kl", link=Link.POLICY, verdict=RIGHT, cases=9),
        ),
        unrecognised=("helper",),
    )
    page = of(kernels.build(CheckedKernels(checks, judge_kernels(checks))))
    table = next(block for block in blocks(page, "table") if block["title"] == "Kernels")
    assert [row["state"] for row in table["rows"]] == ["broken", "clean"]
    assert page["verdict"] == "broken"


def test_a_reference_stands_beside_the_trainer():
    page = of(against.build(Against(BELOW, judged_against(BELOW))))
    lines = charts(page)["returns"]["lines"]
    assert [line["name"] for line in lines] == ["mine.py:train", "sb3:PPO"]
    levels = level_curve(BELOW.trainer, BELOW.steps).levels
    assert np.allclose(curve(lines[0]), [level.mean for level in levels], rtol=1e-6)
    assert np.allclose(curve(lines[0], "highs"), [level.high for level in levels], rtol=1e-6)
    assert len(next(blocks(page, "boxes"))["rows"]) >= 2


def test_samples_stand_side_by_side(audited):
    page = of(auditing.build(audited))
    sides = next(blocks(page, "sides"))["sides"]
    assert [side["title"] for side in sides] == ["high reward", "low reward", "at random"]
    best = audited.samples.best[0]
    shown = sides[0]["texts"][0]
    assert shown["body"] == best.completion[: len(shown["body"])]
    assert ["reward", f"{best.reward:g}"] in shown["facts"]
    assert page["findings"][0]["role"] == "first"


def test_a_huge_and_hostile_completion_is_cut_and_kept_as_text():
    text = "</script><script>alert(1)</script>" + "x" * 1_000_000 + HOSTILE
    samples = replace(made_samples(), best=(ShownSample(prompt=HOSTILE, completion=text, reward=float("nan")),))
    made = auditing.build(Audited(judged_survey(world()), samples))
    shown = next(blocks(of(made), "sides"))["sides"][0]["texts"][0]
    assert len(shown["body"]) < 5000
    assert len(shown["body"]) + shown["cut"] == len(text)
    assert "<script>alert" not in write_document(bind_pages([made]))


def test_trends_of_an_audit_are_its_tables():
    made = Audited(judged_survey(world()), made_samples())
    drawn = charts(of(auditing.build(made)))
    for trend in made.tables.trends:
        assert np.allclose(curve(drawn[make_chart_id(trend.name)]["lines"][0]), trend.values, rtol=1e-6)


def test_what_an_audit_found_points_at_its_curves(audited):
    page = of(auditing.build(audited))
    proof = next(proof for proof in page["findings"][0]["proofs"] if proof["metric"] == "length")
    chart = charts(page)[proof["chart"]]
    assert chart["proves"]
    assert [mark["code"] for mark in chart["marks"]] == [page["findings"][0]["code"]]


def test_scores_have_their_intervals(compared):
    page = of(compare.build(compared))
    rows = next(blocks(page, "boxes"))["rows"]
    assert [row["mean_low"] for row in rows] == [score.interval.low for score in compared.scores.parties]
    assert "second is better than first" in json.dumps(page)


def test_what_may_not_be_compared_has_no_scores(tmp_path):
    for name, episodes in (("one", 10), ("two", 20)):
        weaklink.evaluation(
            tmp_path / name, scores=[1.0, 2.0, 3.0], seeds=range(3), task="Maze", episodes=episodes, split="dev"
        )
    found = weaklink.compare(tmp_path / "one", tmp_path / "two")
    page = of(compare.build(found))
    assert not list(blocks(page, "boxes"))
    assert "may not be compared" in json.dumps(page)


def test_every_kind_of_block_is_used(flown, audited):
    used = {block["kind"] for page in (preflight.build(flown), auditing.build(audited)) for block in blocks(of(page))}
    assert used == set(KINDS)


def test_an_environment_of_which_nothing_was_seen():
    survey = msgspec.structs.replace(world(), plays={})
    diagnosis = judged_survey(survey)
    page = of(preflight.build(Preflight(survey, diagnosis, check_before_training(survey, diagnosis))))
    assert not list(blocks(page, "boxes"))
    assert list(blocks(page, "checklist"))
