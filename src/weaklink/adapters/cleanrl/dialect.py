"""CleanRL: `charts/` and `losses/`, written at every update from its last minibatch."""

from __future__ import annotations

from weaklink.base.evidence.dialect import PER_EPISODE, UNNAMED, Alias, Dialect

_LAST_MINIBATCH = "last minibatch"
_OVER_ENVIRONMENTS = "mean over the environments"

DIALECT = Dialect(
    framework="cleanrl",
    names={
        "charts/episodic_return": Alias("reward.episode_return", aggregation=PER_EPISODE),
        "charts/avg_episodic_return": Alias("reward.episode_return", aggregation=_OVER_ENVIRONMENTS),
        "charts/episodic_length": Alias("task.episode_length", aggregation=PER_EPISODE),
        "charts/avg_episodic_length": Alias("task.episode_length", aggregation=_OVER_ENVIRONMENTS),
        "charts/learning_rate": Alias("optimizer.learning_rate"),
        "charts/SPS": Alias("system.env_steps_per_second", aggregation="mean since the start"),
        "charts/epsilon": Alias("exploration.epsilon"),
        "charts/entropy_coefficient": Alias("exploration.entropy_coefficient"),
        "charts/episode_curiosity_reward": Alias("reward.component.curiosity", aggregation=PER_EPISODE),
        # written after the training, its steps count the episodes of that one evaluation
        "eval/episodic_return": Alias("evaluation.final_return", aggregation=PER_EPISODE, axis="episodes"),
        "losses/approx_kl": Alias("policy.kl", aggregation=_LAST_MINIBATCH),
        "losses/old_approx_kl": UNNAMED,  # the mean log-ratio, where approx_kl is never negative
        "losses/clipfrac": Alias("policy.clip_fraction", aggregation="mean of the whole update"),
        "losses/entropy": Alias("exploration.entropy", aggregation=_LAST_MINIBATCH),
        "losses/explained_variance": Alias("value.explained_variance", aggregation="whole rollout, before the update"),
        "losses/policy_loss": Alias("policy.loss", aggregation=_LAST_MINIBATCH),
        "losses/actor_loss": Alias("policy.loss", aggregation=_LAST_MINIBATCH),
        "losses/value_loss": Alias("value.loss", aggregation="last minibatch, half the mean squared error"),
        "losses/loss": Alias("optimizer.loss", aggregation=_LAST_MINIBATCH),
        "losses/td_loss": Alias("value.q_loss", aggregation=_LAST_MINIBATCH),
        "losses/qf_loss": Alias("value.q_loss", aggregation="last minibatch, mean of the two critics"),
        "losses/qf1_loss": Alias("value.q_loss", aggregation="last minibatch, first critic"),
        "losses/q_values": Alias("value.q_mean", aggregation=_LAST_MINIBATCH),
        "losses/qf1_values": Alias("value.q_mean", aggregation="last minibatch, first critic"),
        "losses/qf2_values": Alias("value.q2_mean", aggregation="last minibatch, second critic"),
        "losses/alpha": Alias("exploration.temperature"),
        "losses/alpha_loss": Alias("exploration.temperature_loss"),
        "episode/value_mean": Alias("value.mean"),
        "episode/advantage_mean": Alias("returns.advantage_mean"),
    },
    algorithms={"c51": {"losses/loss": Alias("value.q_loss", aggregation=_LAST_MINIBATCH)}},
    plain=frozenset(
        {
            "eval/episodic_return",
            "episode/value_mean",
            "episode/advantage_mean",
            "losses/loss",
            "losses/entropy",
            "losses/policy_loss",
            "losses/value_loss",
            "losses/actor_loss",
            "losses/alpha",
            "losses/alpha_loss",
        }
    ),
)
