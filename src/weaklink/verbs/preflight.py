"""The whole of a preflight: survey, model check, judgement and checklist."""

from __future__ import annotations

import os
from collections.abc import Mapping
from importlib import import_module
from typing import Any

import msgspec

from weaklink.base.evidence.config import Config
from weaklink.base.evidence.model import ModelCheck
from weaklink.base.evidence.survey import POLICY, Survey
from weaklink.collect.readers import read_config
from weaklink.collect.survey.isolated import examined, isolated
from weaklink.collect.survey.plan import SurveyPlan
from weaklink.collect.survey.returns import recorded
from weaklink.collect.survey.session import Report
from weaklink.collect.survey.surveyed import surveyed
from weaklink.judge.diagnosis.checklists import Item, before_training
from weaklink.judge.diagnosis.diagnosis import Diagnosis
from weaklink.judge.diagnosis.preflight import first_match, judged
from weaklink.judge.diagnosis.settings import Settings


class Preflight(msgspec.Struct, frozen=True):
    """What was seen of an environment, what is wrong with it, and what is left to do before training.

    `diagnosis` holds everything that was found; `shown` stops at the first break, as the command does without --all.
    """

    survey: Survey
    diagnosis: Diagnosis
    checklist: tuple[Item, ...] = ()
    model: ModelCheck | None = None

    @property
    def shown(self) -> Diagnosis:
        """The diagnosis up to its first break."""
        return first_match(self.diagnosis)


def preflight(
    environment: Any,
    plan: SurveyPlan,
    *,
    config: Mapping[str, Any] | str | os.PathLike[str] | None = None,
    policies: Mapping[str, Any] | None = None,
    returns: str = "",
    model: Any = None,
    isolate: bool = True,
    settings: Settings | None = None,
    report: Report | None = None,
) -> Preflight:
    """Surveys and judges one environment.

    Args:
        environment: a Gymnasium id or `module:factory`, surveyed in a process of its own, or an object or a function
            that makes one, surveyed in this process.
        plan: how long and how thoroughly, and what is known of the environment.
        config: the hyper-parameters to train with, or a file that holds them.
        policies: the user's own policies as objects: `automaton`, `cheat`, `policy`.
        returns: a file with the returns of a trained policy.
        model: the model to train: an object, or `module:factory`.
        isolate: False surveys words in this process too.
        settings: which rules to ask and with which thresholds.
        report: called now and then with what is being done and the steps made so far.
    """
    hyper_parameters = _config(config)
    gamma = hyper_parameters.number("gamma")
    plan = plan if gamma is None else msgspec.structs.replace(plan, gamma=gamma)
    given = {name: thing for name, thing in (policies or {}).items() if thing is not None}
    trained = recorded(returns) if returns else None
    check = (
        examined(model, environment if isinstance(environment, str) else "", plan) if isinstance(model, str) else None
    )
    if isolate and isinstance(environment, str) and not given:
        survey = isolated(environment, plan, report)
    else:
        survey = surveyed(environment, plan, policies=given, report=report)
    survey = msgspec.structs.replace(survey, config=hyper_parameters)
    if trained is not None:
        survey = msgspec.structs.replace(survey, plays=survey.plays | {POLICY: trained})
    if check is None and model is not None:
        check = _examined(model, plan, survey)
    diagnosis = judged(survey, check, settings)
    return Preflight(survey, diagnosis, before_training(survey, diagnosis), check)


def _config(config: Mapping[str, Any] | str | os.PathLike[str] | None) -> Config:
    if config is None:
        return Config()
    return Config.of(config) if isinstance(config, Mapping) else read_config(os.fspath(config))


def _examined(model: Any, plan: SurveyPlan, survey: Survey) -> ModelCheck:
    play = survey.plays.get("random")
    check: ModelCheck = import_module("weaklink.adapters.models").examined(
        model, None if play is None else play.observations, seed=plan.seed
    )
    return check
