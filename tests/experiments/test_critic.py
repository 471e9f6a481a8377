"""Critics alone: sound ones, blind ones and spoilt ones, on one rollout that does not change."""

from __future__ import annotations

import numpy as np
import pytest

from weaklink.base.errors import UsageError
from weaklink.base.evidence.critic import CriticFit, PlayedRollout, measure_linear_fit, measure_lookup_fit
from weaklink.verbs.confirm.critic import explain_fit, fit_agent_critic, fit_model_critic, judge_fit


def rollout(
    rewards: list[float], ends: list[bool], cuts: list[bool] | None = None, gamma: float = 0.5
) -> PlayedRollout:
    column = np.array(rewards)[:, None]
    return PlayedRollout(
        observations=np.arange(len(rewards), dtype=float)[:, None, None],
        actions=np.zeros_like(column),
        rewards=column,
        ends=np.array(ends)[:, None],
        cuts=np.array(cuts or [False] * len(rewards))[:, None],
        gamma=gamma,
    )


def test_returns_are_discounted_within_their_episode():
    rows, returns, _ = rollout([1.0, 1.0, 1.0, 1.0], [False, False, True, True]).returns()
    assert rows.tolist() == [0, 1, 2, 3]
    assert returns.tolist() == [1.75, 1.5, 1.0, 1.0]


def test_returns_of_a_rollout_that_was_cut_are_known_only_well_before_its_end():
    whole = rollout([1.0] * 400, [False] * 400, gamma=0.9)
    rows, returns, remark = whole.returns()
    assert rows.max() < 400 - 20
    assert np.allclose(returns, 10.0, atol=1.1)
    assert not remark


def test_time_limits_are_told():
    rows, _, remark = rollout([1.0] * 4, [False, True, False, True], [False, True, False, True]).returns()
    assert len(rows) == 4
    assert "time limit" in remark


def test_lines_and_tables_explain_what_they_can():
    rng = np.random.default_rng(0)
    seen = rng.normal(size=(400, 3))
    assert measure_linear_fit(seen, seen @ [1.0, 2.0, 3.0]) == pytest.approx(1.0, abs=1e-3)
    assert measure_linear_fit(seen, rng.normal(size=400)) < 0.1
    assert measure_linear_fit(rng.normal(size=(20, 3)), rng.normal(size=20)) is None
    repeated = np.arange(400)[:, None] % 4
    assert measure_lookup_fit(repeated, repeated[:, 0] ** 2.0) == pytest.approx(1.0)
    assert measure_lookup_fit(seen, seen[:, 0]) is None


@pytest.mark.parametrize(
    ("fit", "cannot", "word"),
    [
        (CriticFit(before=-0.1, own=(0.0, 0.9), fresh=(0.9,), rows=500, updates=40), False, "targets or the policy"),
        (CriticFit(before=0.0, own=(0.0, 0.1), fresh=(0.9,), rows=500, updates=40), True, "training spoilt"),
        (CriticFit(before=0.0, own=(0.0,), fresh=(0.1,), linear=0.8, rows=500, updates=40), True, "how it is made"),
        (CriticFit(before=0.0, own=(0.2,), fresh=(0.2,), taught=(0.95,), rows=500, updates=40), False, "not broken"),
        (CriticFit(before=0.0, own=(0.2,), fresh=(0.2,), taught=(0.1,), rows=500, updates=40), True, "how it is made"),
        (CriticFit(before=0.3, linear=0.4, rows=500, missing="Give it a critic."), None, "Nothing follows"),
    ],
)
def test_what_is_said_of_a_fit(fit, cannot, word):
    said, says = judge_fit(fit)
    assert said is cannot
    assert "500 rows" in says
    assert word in explain_fit(fit, cannot)


def model(**policy):
    sb3 = pytest.importorskip("stable_baselines3")
    gymnasium = pytest.importorskip("gymnasium")
    return sb3.PPO(
        "MlpPolicy",
        gymnasium.make("CartPole-v1"),
        n_steps=64,
        batch_size=64,
        seed=0,
        device="cpu",
        policy_kwargs=policy,
    )


def test_a_sound_critic_is_not_blamed_for_returns_that_are_luck():
    fit = fit_model_critic(model(), rows=512, seconds=1.0)
    cannot, says = judge_fit(fit)
    assert cannot is False, says


def test_a_critic_that_sees_nothing_cannot_fit():
    torch = pytest.importorskip("torch")
    from stable_baselines3.common.torch_layers import FlattenExtractor

    class Blind(FlattenExtractor):
        def forward(self, observations):
            return torch.zeros_like(super().forward(observations))

    fit = fit_model_critic(model(features_extractor_class=Blind), rows=512, seconds=0.3)
    cannot, says = judge_fit(fit)
    assert cannot is True, says
    assert "how it is made" in explain_fit(fit, cannot)


def test_a_critic_of_choices_is_fitted_too():
    sb3 = pytest.importorskip("stable_baselines3")
    gymnasium = pytest.importorskip("gymnasium")
    deep = sb3.DQN("MlpPolicy", gymnasium.make("CartPole-v1"), buffer_size=100, seed=0, device="cpu")
    fit = fit_model_critic(deep, rows=600, seconds=0.5)
    assert fit.own
    assert judge_fit(fit)[0] is False


class Agent:
    """Acts at random and values by a rule of thumb."""

    gamma = 0.9

    def __init__(self) -> None:
        self._rng = np.random.default_rng(0)

    def act(self, observation):
        return int(self._rng.integers(2))

    def value(self, observation):
        return 5.0 - abs(float(observation[2]))


def test_an_agent_shows_its_critic_as_far_as_it_does():
    gymnasium = pytest.importorskip("gymnasium")
    torch = pytest.importorskip("torch")
    make = lambda: gymnasium.make("CartPole-v1")  # noqa: E731
    agent = Agent()
    alone = fit_agent_critic(agent, make, rows=600, seconds=0.5)
    assert alone.before is not None
    assert not alone.own
    assert "`critic`" in judge_fit(alone)[1]
    agent.critic = torch.nn.Linear(4, 1).double().float()
    assert fit_agent_critic(agent, make, rows=600, seconds=0.5).own
    with pytest.raises(UsageError, match="act"):
        fit_agent_critic(object(), make)
