"""`preflight`: is the world real? A survey of an environment, the model to train, the judgement and the checklist."""

from __future__ import annotations

import os
from collections.abc import Mapping
from importlib import import_module

import msgspec

from weaklink.base.errors import UsageError
from weaklink.base.evidence.config import Config
from weaklink.base.evidence.model import ModelCheck
from weaklink.base.evidence.survey import POLICY, Survey
from weaklink.base.viewing import ViewedResult
from weaklink.collect.readers import read_config
from weaklink.collect.survey.isolated import examine_isolated, survey_isolated
from weaklink.collect.survey.plan import SurveyPlan, check_plan
from weaklink.collect.survey.returns import read_returns
from weaklink.collect.survey.session import Report
from weaklink.collect.survey.surveyed import surveyed
from weaklink.judge.diagnosis.checklists import ChecklistItem, check_before_training
from weaklink.judge.diagnosis.diagnosis import Diagnosis
from weaklink.judge.diagnosis.preflight import cut_after_break, judge_survey
from weaklink.judge.diagnosis.settings import RuleSettings

HyperParameters = Mapping[str, object] | str | os.PathLike[str]
"""Hyper-parameters, or the file that holds them."""


class PreflightOptions(msgspec.Struct, frozen=True, kw_only=True):
    """What `weaklink.preflight` is asked for.

    `environment` is a Gymnasium id or `module:factory`, surveyed in a process of its own, or an environment or a
    function that makes one, surveyed in this process. `automaton`, `cheat` and `policy` are policies: functions, or
    `module:name` words. `returns` is a file with the returns of a trained policy. `algorithm` and `total_steps` say of
    the training what `config` does not.
    """

    environment: object
    plan: SurveyPlan = SurveyPlan()
    config: HyperParameters | None = None
    algorithm: str = ""
    total_steps: int = 0
    automaton: object = None
    cheat: object = None
    policy: object = None
    returns: str = ""
    model: object = None
    isolate: bool = True
    settings: RuleSettings = RuleSettings()

    @property
    def policies(self) -> dict[str, object]:
        """The user's own policies, by what they are."""
        given = {"automaton": self.automaton, "cheat": self.cheat, "policy": self.policy}
        return {name: thing for name, thing in given.items() if thing is not None}


class Preflight(ViewedResult, msgspec.Struct, frozen=True):
    """What was seen of an environment, what is wrong with it, and what is left to do before training.

    `diagnosis` holds everything that was found; `shown` stops at the first break, as the command does without --all.
    """

    survey: Survey
    diagnosis: Diagnosis
    checklist: tuple[ChecklistItem, ...] = ()
    model: ModelCheck | None = None

    @property
    def shown(self) -> Diagnosis:
        """The diagnosis up to its first break."""
        return cut_after_break(self.diagnosis)


def run_preflight(options: PreflightOptions, report: Report | None = None) -> Preflight:
    """Surveys and judges one environment.

    Args:
        options: the environment, what is known of it, and how long to look.
        report: called now and then with what is being done and the steps made so far.

    Raises:
        UsageError: an option makes no sense, or the environment cannot be found.
    """
    hyper_parameters = _read_config(options)
    plan, objects = _make_plan(options, hyper_parameters)
    environment, model = options.environment, options.model
    trained = read_returns(options.returns) if options.returns else None
    check = (
        examine_isolated(model, environment if isinstance(environment, str) else "", plan)
        if isinstance(model, str)
        else None
    )
    if options.isolate and isinstance(environment, str) and not objects:
        survey = survey_isolated(environment, plan, report)
    else:
        survey = surveyed(environment, plan, policies=objects, report=report)
    survey = msgspec.structs.replace(survey, config=hyper_parameters)
    if trained is not None:
        survey = msgspec.structs.replace(survey, plays=survey.plays | {POLICY: trained})
    if check is None and model is not None:
        check = _examine_model(model, plan, survey)
    diagnosis = judge_survey(survey, check, options.settings)
    return Preflight(survey, diagnosis, check_before_training(survey, diagnosis), check)


def _make_plan(options: PreflightOptions, config: Config) -> tuple[SurveyPlan, dict[str, object]]:
    """The plan with the policies that are words, and those that are objects."""
    if isinstance(options.environment, str) and not options.environment.strip():
        raise UsageError("ENV is empty. Give a Gymnasium id such as CartPole-v1, or module:factory.")
    words = {name: thing for name, thing in options.policies.items() if isinstance(thing, str)}
    plan: SurveyPlan = msgspec.structs.replace(options.plan, **words)
    gamma = config.number("gamma")
    if gamma is not None:
        plan = msgspec.structs.replace(plan, gamma=gamma)
    check_plan(plan)
    if plan.policy.endswith(".zip"):
        _check_pickle(plan)
        plan = msgspec.structs.replace(plan, policy=os.path.abspath(plan.policy))
    return plan, {name: thing for name, thing in options.policies.items() if name not in words}


def _check_pickle(plan: SurveyPlan) -> None:
    if not plan.trust_pickle:
        raise UsageError(
            f"{plan.policy} holds a pickle, which can run any code when it is loaded. If you trust it, add "
            "--trust-pickle; otherwise give module:policy or --returns FILE."
        )
    if not plan.policy_algorithm:
        raise UsageError(f"Loading {plan.policy} needs the algorithm that it was trained with: add --algorithm PPO.")
    if not os.path.isfile(plan.policy):
        raise UsageError(f"There is no file {plan.policy}.")


def _read_config(options: PreflightOptions) -> Config:
    """The hyper-parameters, together with what the options say of the training."""
    if options.total_steps < 0:
        raise UsageError(f"--total-steps must be at least 0, not {options.total_steps}.")
    given = options.config or {}
    config = Config.of(given) if isinstance(given, Mapping) else read_config(os.fspath(given))
    said: dict[str, object] = {}
    if options.algorithm:
        said["algorithm"] = options.algorithm.rpartition(":")[2]
    if options.total_steps:
        said["total_steps"] = options.total_steps
    return Config.of({**config.raw, **said}) if said else config


def _examine_model(model: object, plan: SurveyPlan, survey: Survey) -> ModelCheck:
    play = survey.plays.get("random")
    check: ModelCheck = import_module("weaklink.adapters.models").examined(
        model, None if play is None else play.observations, seed=plan.seed
    )
    return check
