"""Pages made of real evidence, opened in a real browser: every kind is drawn and none complains."""

from __future__ import annotations

from pathlib import Path

from tests.outcomes import climbed, mistaken, rung
from tests.rules.probe.contests import contest, normal
from tests.views.made import HOSTILE, hostile
from tests.worlds import world
from weaklink import audit
from weaklink.base.evidence.run import Run
from weaklink.base.evidence.series import Series
from weaklink.collect.readers import discover, read
from weaklink.judge.diagnosis.checklists import before_training
from weaklink.judge.diagnosis.comparing import judged as judged_against
from weaklink.judge.diagnosis.engine import diagnose
from weaklink.judge.diagnosis.preflight import judged as judged_survey
from weaklink.judge.diagnosis.probing import judged as judged_outcome
from weaklink.show.page.against import against_page
from weaklink.show.page.audit import audit_page
from weaklink.show.page.document import document
from weaklink.show.page.ladder import ladder_page
from weaklink.show.page.run import run_page
from weaklink.show.page.survey import survey_page
from weaklink.show.page.together import Gathered
from weaklink.verbs.preflight import Preflight

ROOT = Path(__file__).parents[2]
SICK = ROOT / "tests" / "quality" / "sick" / "runs"
LADDER = climbed(rung("ConstantReward"), rung("DelayedReward", mistaken("only the immediate reward")))
AGAINST = contest(normal(40.0, 8.0), normal(400.0, 30.0), seeds=3)


def test_a_real_run_is_drawn_and_its_broken_link_leads_to_its_finding(opened):
    run = read(SICK / "learning-rate-cartpole")
    diagnosis = diagnose(run)
    shown = opened(document([run_page(run, diagnosis)]))
    shown.wait_for_selector("canvas")
    shown.click(f"[data-link={diagnosis.first_break.link.value}]")
    codes = [card.get_attribute("data-code") for card in shown.locator(".findings .finding").all()]
    assert diagnosis.first_break.code in codes


def test_several_real_runs_have_their_table_and_their_pages(opened):
    gathered = Gathered()
    for found in discover(SICK)[:4]:
        for run in found.read():
            gathered.add(run, diagnose(run))
    shown = opened(gathered.document())
    shown.wait_for_selector("canvas")
    assert shown.locator("tbody tr").count() >= 4


def test_environments_trainers_and_samples(opened):
    survey = world()
    flown = judged_survey(survey)
    audited = audit(str(ROOT / "examples" / "broken_samples.jsonl"))
    for page in (
        survey_page(Preflight(survey, flown, before_training(survey, flown)), everything=True),
        ladder_page(LADDER, judged_outcome(LADDER)),
        against_page(AGAINST, judged_against(AGAINST)),
        audit_page(audited),
    ):
        shown = opened(document([page]))
        assert shown.locator(".pill").count() == 13
        assert shown.locator("h1").inner_text() == page.headline


def test_hostile_evidence_is_inert(opened):
    run = Run(name=HOSTILE, unknown={HOSTILE: Series.of(HOSTILE, [1, 2, 3], [1.0, 2.0, 3.0])}, context={"x": HOSTILE})
    shown = opened(document([run_page(run, hostile())]))
    assert shown.locator("b", has_text="code").count() == 0
    assert shown.locator("a[href='http://x']").count() == 0
