from __future__ import annotations

import pytest

from weaklink.base.evidence.config import Config
from weaklink.base.finding import CannotTell, Level
from weaklink.judge.rules._registry import find_rule

RULE = find_rule("DAT103")
LSTM = {"algo": "ppo_lstm", "policy": "MlpLstmPolicy"}


def sick():
    return [
        Config.of({**LSTM, "episode_starts": False}),
        Config.of({**LSTM, "max_seq_len": 1}),
        Config.of({**LSTM, "n_steps": 16, "task_memory": 100}),
        Config.of({"algo": "PPO", "use_lstm": True, "max_seq_len": 20, "memory_length": 50}),
        Config.of({**LSTM, "sequence_length": 64, "n_steps": 32}),
    ]


def healthy():
    return [
        Config.of({"algo": "ppo", "policy": "MlpPolicy", "max_seq_len": 1}),
        Config.of({"algo": "PPO", "use_lstm": False, "max_seq_len": 20, "memory_length": 50}),
        Config.of({**LSTM, "n_steps": 128, "task_memory": 20, "episode_starts": True}),
        Config.of({**LSTM, "n_steps": 128}),
    ]


@pytest.mark.parametrize(("at", "level"), [(0, Level.WARN), (1, Level.WARN), (2, Level.INFO), (4, Level.INFO)])
def test_only_certain_faults_are_alarms(at, level):
    assert RULE.ask(sick()[at]).level is level


@pytest.mark.parametrize("raw", [{"seed": 1}, LSTM])
def test_says_what_is_missing(raw):
    assert isinstance(RULE.ask(Config.of(raw)), CannotTell)
