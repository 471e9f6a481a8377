"""From an environment to a Survey: samples it stage by stage, in a process of its own where it can."""

from weaklink.collect.survey.plan import Plan
from weaklink.collect.survey.surveyed import surveyed

__all__ = ["Plan", "surveyed"]
