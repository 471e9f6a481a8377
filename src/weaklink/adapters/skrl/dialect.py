"""skrl: tags with spaces, such as `Reward / Total reward (mean)`; its steps count steps of all environments at once.

Losses carry their scales. `Loss / Entropy loss` is minus the entropy times its scale in PPO and A2C, and the loss of
the temperature in SAC.
"""

from __future__ import annotations

from weaklink.base.evidence.dialect import UNNAMED, Alias, Dialect

_INTERVAL = "mean of the write interval"
_TEMPERATURE_LOSS = {"Loss / Entropy loss": Alias("exploration.temperature_loss", aggregation=_INTERVAL)}

DIALECT = Dialect(
    framework="skrl",
    names={
        "Reward / Total reward (mean)": Alias("reward.episode_return", aggregation="mean of the last 100 episodes"),
        "Reward / Total reward (min)": Alias("reward.episode_return_min"),
        "Reward / Total reward (max)": Alias("reward.episode_return_max"),
        "Reward / Instantaneous reward (mean)": Alias("reward.mean", aggregation="mean over the environments"),
        "Reward / Instantaneous reward (min)": Alias("reward.min"),
        "Reward / Instantaneous reward (max)": Alias("reward.max"),
        "Episode / Total timesteps (mean)": Alias("task.episode_length", aggregation="mean of the last 100 episodes"),
        "Episode / Total timesteps (min)": Alias("task.episode_length_min"),
        "Episode / Total timesteps (max)": Alias("task.episode_length_max"),
        "Loss / Policy loss": Alias("policy.loss", aggregation=_INTERVAL),
        "Loss / Value loss": Alias("value.loss", aggregation="times its scale"),
        "Loss / Critic loss": Alias("value.q_loss", aggregation=_INTERVAL),
        "Loss / Q-network loss": Alias("value.q_loss", aggregation=_INTERVAL),
        "Loss / Entropy loss": Alias(
            "exploration.entropy", scale=-1.0, aggregation="mean of the whole update", divide_by="entropy_coefficient"
        ),
        "Policy / Standard deviation": Alias("exploration.action_std"),
        "Coefficient / Entropy coefficient": Alias("exploration.temperature"),
        "Coefficient / Mean discounted returns": Alias("returns.target_mean"),
        "Exploration / Exploration epsilon": Alias("exploration.epsilon"),
        "Q-network / Q1 (mean)": Alias("value.q_mean", aggregation="first critic"),
        "Q-network / Q1 (max)": Alias("value.q_max", aggregation="first critic"),
        "Q-network / Q1 (min)": Alias("value.q_min", aggregation="first critic"),
        "Q-network / Q2 (mean)": Alias("value.q2_mean", aggregation="second critic"),
        "Target / Target (mean)": Alias("returns.target_mean"),
        "Target / Target (max)": Alias("returns.target_max"),
        "Target / Target (min)": Alias("returns.target_min"),
        "Learning / Learning rate": Alias("optimizer.learning_rate"),
        "Learning / Policy learning rate": Alias("optimizer.learning_rate"),
        "Learning / Critic learning rate": Alias("optimizer.critic_learning_rate"),
        "Learning / Value learning rate": Alias("optimizer.critic_learning_rate"),
        "Stats / Algorithm update time (ms)": UNNAMED,  # of a whole update, beside the time of a single step:
        "Stats / Env stepping time (ms)": UNNAMED,  # the two do not compare
    },
    patterns=((r"(?:Info / )?Episode_Reward/(.+)", Alias(r"reward.component.\1")),),
    algorithms={"sac": _TEMPERATURE_LOSS},
    tells={"Coefficient / Entropy coefficient": "sac"},
)
