"""From an environment to a Survey: samples it stage by stage, in a process of its own where it can."""

from weaklink.collect.survey.plan import SurveyPlan
from weaklink.collect.survey.surveyed import surveyed

__all__ = ["SurveyPlan", "surveyed"]
