"""Is the world real? The survey of the target's environment; reward and task are kept for the last stage."""

from __future__ import annotations

import time

import msgspec

from weaklink.base.evidence.config import Config
from weaklink.base.evidence.model import ModelCheck
from weaklink.base.evidence.survey import Survey
from weaklink.base.finding import Finding, Level
from weaklink.collect.survey.isolated import examine_isolated, survey_isolated
from weaklink.collect.survey.plan import SurveyPlan
from weaklink.judge.diagnosis.checklists import check_before_training
from weaklink.judge.diagnosis.diagnosis import Diagnosis, Verdict
from weaklink.judge.diagnosis.preflight import judge_survey
from weaklink.judge.diagnosis.settings import RuleSettings
from weaklink.judge.rules._registry import load_rules
from weaklink.verbs.debug.case import BROKEN, CLEAN, PREFLIGHT, UNCLEAR, StageResult, describe_break
from weaklink.verbs.debug.combining import GOAL, WORLD
from weaklink.verbs.debug.folder import CaseFolder
from weaklink.verbs.debug.plain_script import NO_PARTS, SCRIPT
from weaklink.verbs.debug.work import CaseWork
from weaklink.verbs.preflight import Preflight

STEPS, EPISODES = 10_000, 100

EXAMINING = 60.0
"""Seconds that the model is examined for at the most, loading its framework counted."""


NO_ENVIRONMENT = "the target has no make_env, so there is no environment to look at"


def explain_skip(work: CaseWork) -> str:
    """Why the stage cannot be carried out; empty where it can."""
    if SCRIPT in work.look.parts:
        return NO_PARTS
    return "" if "make_env" in work.look.parts else NO_ENVIRONMENT


def gather_evidence(work: CaseWork) -> bool:
    """Surveys the environment and examines the model, unless that was done; whether it was done before."""
    key = work.key(PREFLIGHT, work.options.share(PREFLIGHT))
    plan = _make_plan(work)
    if work.folder.done(PREFLIGHT, key):
        _examine(work, plan)
        return True
    began = time.monotonic()
    survey = survey_isolated(
        work.part("make_env"), plan, lambda stage, steps: work.listener.doing(f"{stage}, {steps:,} steps")
    )
    work.folder.keep_survey(msgspec.structs.replace(survey, name=work.target.environment_word))
    work.folder.keep_check(None)
    work.stopped = survey.stopped
    _examine(work, plan)
    work.folder.finish(PREFLIGHT, "" if work.stopped else key, time.monotonic() - began)
    return False


def _make_plan(work: CaseWork) -> SurveyPlan:
    look, options = work.look, work.options
    return SurveyPlan(
        seconds=options.share(PREFLIGHT),
        steps=STEPS,
        episodes=EPISODES,
        seed=options.seed,
        components=look.components,
        metric=look.goal_metric,
        automaton=work.part("automaton") if "automaton" in look.parts else "",
        gamma=Config.of(look.config).number("gamma") or 0.99,
    )


def _examine(work: CaseWork, plan: SurveyPlan) -> None:
    """Looks at the target's model, unless that was done, where it can be examined and its environment is in order."""
    survey = work.folder.survey()
    if survey is None or survey.stopped or survey.faults or work.folder.check() is not None:
        return
    world = [one for one in _list_alarms(judge_survey(survey, None, work.options.settings)) if one.link in WORLD]
    if work.model.framework != "sb3" or work.model.fault or (world and not work.options.everything):
        return
    work.listener.doing(f"the model, {work.model.algorithm}")
    longer = msgspec.structs.replace(plan, seconds=max(plan.seconds, EXAMINING))
    try:
        work.folder.keep_check(examine_isolated(work.part("model"), work.part("make_env"), longer))
    except KeyboardInterrupt:
        work.stopped = True


def load_preflight(folder: CaseFolder, settings: RuleSettings) -> Preflight | None:
    """What was seen of the environment, judged with the settings of the target's own model."""
    survey = folder.survey()
    if survey is None or PREFLIGHT not in folder.index.seconds:
        return None
    survey = msgspec.structs.replace(survey, config=_read_model_config(folder))
    check = folder.check()
    diagnosis = judge_survey(survey, check, settings)
    return Preflight(survey, diagnosis, check_before_training(survey, diagnosis), check)


def _read_model_config(folder: CaseFolder) -> Config:
    model, look = folder.index.model, folder.index.look
    given = {**({} if model is None else model.settings), **({} if look is None else look.config)}
    return Config.of(given) if given else Config()


def conclude_stage(seen: Preflight, seconds: float) -> StageResult:
    """What the stage came to."""
    broken = [one for one in _list_alarms(seen.diagnosis) if _breaks(one, seen.diagnosis)]
    waiting = [one for one in _list_alarms(seen.diagnosis) if one.link in GOAL]
    return StageResult(
        stage=PREFLIGHT,
        state=_decide_state(seen, broken),
        why=_explain_state(seen, broken, waiting),
        seconds=seconds,
        diagnosis=seen.diagnosis,
        facts=_list_facts(seen.survey),
        stopped=seen.survey.stopped,
    )


def _breaks(finding: Finding, diagnosis: Diagnosis) -> bool:
    """Whether it ends the stage: the world or the model is wrong, and not merely because the reward or the task is."""
    causes = {one.code: one.link for one in diagnosis.findings}
    if causes.get(finding.consequence_of or "") in GOAL:
        return False
    return finding.link in WORLD or load_rules()[finding.code].on is ModelCheck


def _decide_state(seen: Preflight, broken: list[Finding]) -> str:
    if broken:
        return BROKEN
    few = seen.diagnosis.verdict is Verdict.UNCLEAR or seen.survey.stopped
    return UNCLEAR if few else CLEAN


def _explain_state(seen: Preflight, broken: list[Finding], waiting: list[Finding]) -> str:
    if broken:
        return describe_break(broken[0])
    if seen.survey.stopped:
        return "it was stopped before everything was seen"
    judged_rules = f"{seen.diagnosis.judged} of {seen.diagnosis.asked} rules could judge"
    clean = f"environment, observations and actions are in order; {judged_rules}"
    codes = ", ".join(f"{one.code} {one.name}" for one in waiting)
    return f"{clean}; kept for the last stage: {codes}" if waiting else clean


def _list_alarms(diagnosis: Diagnosis) -> list[Finding]:
    alarms = [one for one in diagnosis.findings if one.severity >= Level.WARN]
    return sorted(alarms, key=lambda one: one.consequence_of is not None)


def _list_facts(survey: Survey) -> tuple[tuple[str, str], ...]:
    random = survey.plays.get("random")
    facts = []
    if random is not None and random.episodes:
        facts.append(("random play", f"returns {random.returns.mean():.4g} over {random.episodes:,} episodes"))
    if survey.best and survey.best != "random":
        facts.append((survey.best, f"returns {survey.plays[survey.best].returns.mean():.4g}"))
    return tuple(facts)
