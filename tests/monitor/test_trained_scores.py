"""Returns that are printed in training beside those that were played."""

from __future__ import annotations

import gymnasium
import pytest

from tests.monitor.scoring import Walk, print_training
from weaklink.base.evidence.flaw_kinds import BEST_AS_MEAN, GROWING_TOTALS
from weaklink.collect.monitor.trained_scores import has_other_rewards


@pytest.mark.parametrize(("fault", "kind"), [("never set back", GROWING_TOTALS), ("best", BEST_AS_MEAN)])
@pytest.mark.parametrize(
    "line", ["episode {episode} mean return {mean:.2f}", "{episode}: avg_reward={mean:.3f} loss=0.1"]
)
def test_what_is_no_return_is_known(fault: str, kind: str, line: str) -> None:
    (flaw,), _ = print_training(fault, line).find_flaws()
    assert (flaw.kind, flaw.count) == (kind, 120)


@pytest.mark.parametrize(
    ("fault", "line"),
    [
        ("", "episode {episode} mean return {mean:.2f}"),
        ("never set back", "episode {episode} cumulative reward {mean:.2f}"),
        ("never set back", "episode {episode} loss {mean:.2f}"),
        ("best", "episode {episode} best return {mean:.2f}"),
        ("best", "episode {episode} return {mean:.2f}"),  # nobody calls it a mean
    ],
)
def test_right_returns_and_other_numbers_are_left_alone(fault: str, line: str) -> None:
    assert print_training(fault, line).find_flaws()[0] == ()


def test_a_few_lines_tell_nothing() -> None:
    assert print_training("never set back", lines=2).find_flaws() == ((), frozenset())


def test_wrappers_that_change_rewards_are_known() -> None:
    class Halved(gymnasium.RewardWrapper):
        def reward(self, reward):
            return 0.5 * reward

    plain = gymnasium.wrappers.TimeLimit(Walk(), 50)
    assert not has_other_rewards(plain)
    assert has_other_rewards(gymnasium.wrappers.TimeLimit(Halved(Walk()), 50))
    assert not has_other_rewards(gymnasium.vector.SyncVectorEnv([lambda: plain]))
    assert has_other_rewards(gymnasium.vector.SyncVectorEnv([lambda: Halved(Walk())]))
