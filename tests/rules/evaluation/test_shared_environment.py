from __future__ import annotations

from weaklink.base.evidence.config import Config
from weaklink.base.finding import CannotTell
from weaklink.judge.rules._registry import find_rule

RULE = find_rule("EVA101")


def sick():
    return Config.of({"eval_env_shared": True})


def healthy():
    return [Config.of({"eval_env_shared": False}), Config.of({"gamma": 0.99})]


def test_where_nothing_is_said_it_cannot_tell():
    assert isinstance(RULE.ask(Config.of({"gamma": 0.99})), CannotTell)
