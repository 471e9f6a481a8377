"""Pages made of real evidence, opened in a real browser: every kind is drawn and none complains."""

from __future__ import annotations

from pathlib import Path

from tests.outcomes import climbed, mistaken, rung
from tests.rules.probe.contests import contest, normal
from tests.show.made import HOSTILE, hostile
from tests.worlds import world
from weaklink import audit
from weaklink.base.evidence.run import Run
from weaklink.base.evidence.series import Series
from weaklink.collect.readers import discover, read
from weaklink.judge.diagnosis.checklists import check_before_training
from weaklink.judge.diagnosis.comparing import judge_comparison as judged_against
from weaklink.judge.diagnosis.engine import diagnose
from weaklink.judge.diagnosis.preflight import judge_survey as judged_survey
from weaklink.judge.diagnosis.probing import judge_outcome as judged_outcome
from weaklink.show.rendering import build_document
from weaklink.show.subjects.fleet import KeptRuns
from weaklink.verbs.against import Against
from weaklink.verbs.diagnose import Diagnosed
from weaklink.verbs.preflight import Preflight
from weaklink.verbs.probe import Probed

ROOT = Path(__file__).parents[2]
SICK = ROOT / "tests" / "quality" / "sick" / "runs"
LADDER = climbed(rung("ConstantReward"), rung("DelayedReward", mistaken("only the immediate reward")))
AGAINST = contest(normal(40.0, 8.0), normal(400.0, 30.0), seeds=3)


def test_a_real_run_is_drawn_and_its_broken_link_leads_to_its_finding(opened):
    run = read(SICK / "learning-rate-cartpole")
    diagnosis = diagnose(run)
    shown = opened(build_document(diagnosis, run=run))
    shown.wait_for_selector("canvas")
    shown.click(f"[data-link={diagnosis.first_break.link.value}]")
    codes = [card.get_attribute("data-code") for card in shown.locator(".findings .finding").all()]
    assert diagnosis.first_break.code in codes


def test_several_real_runs_have_their_table_and_their_pages(opened):
    kept = KeptRuns()
    for found in discover(SICK)[:4]:
        for run in found.read():
            kept.keep(run, diagnose(run))
    results = tuple(one.diagnosis for one in kept)
    shown = opened(build_document(Diagnosed(results=results, runs=len(kept)), kept=kept))
    shown.wait_for_selector("canvas")
    assert shown.locator("tbody tr").count() >= 4


def test_environments_trainers_and_samples(opened):
    survey = world()
    flown = judged_survey(survey)
    audited = audit(str(ROOT / "examples" / "broken_samples.jsonl"))
    for made in (
        build_document(Preflight(survey, flown, check_before_training(survey, flown)), everything=True),
        build_document(Probed(LADDER, judged_outcome(LADDER))),
        build_document(Against(AGAINST, judged_against(AGAINST))),
        build_document(audited),
    ):
        shown = opened(made)
        assert shown.locator(".pill").count() == 13
        assert shown.locator("h1").inner_text() == made.pages[0].headline


def test_hostile_evidence_is_inert(opened):
    run = Run(name=HOSTILE, unknown={HOSTILE: Series.of(HOSTILE, [1, 2, 3], [1.0, 2.0, 3.0])}, context={"x": HOSTILE})
    shown = opened(build_document(hostile(), run=run))
    assert shown.locator("b", has_text="code").count() == 0
    assert shown.locator("a[href='http://x']").count() == 0
