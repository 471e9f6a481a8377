"""The ladder of probes in the tests of a library: each rung that its PPO can take is a test case of its own.

    pytest examples/test_ladder_ppo.py

A rung fails with the component that it blames, and is skipped where the agent does not show what it asks for.
"""

from __future__ import annotations

from pathlib import Path

from weaklink.testing import parametrize_with_probes

TRAINER = f"{Path(__file__).with_name('probe_cleanrl_ppo.py')}:train"


@parametrize_with_probes(TRAINER, seeds=2)
def test_ppo_learns_what_is_known(check):
    check()


@parametrize_with_probes(TRAINER, actions="continuous", only=["continuous-target", "wide-action"])
def test_ppo_learns_continuous_actions(check):
    check()
