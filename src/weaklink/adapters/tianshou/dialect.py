"""Tianshou: `training/` and `test/` by environment step, `update/` by gradient step, `info/` by epoch.

Covers 2.x, 1.x (`train/returns_stat/mean`) and 0.5 (`train/reward`, `update/loss/clip`). `ent_loss` is the entropy
itself, in spite of its name.
"""

from __future__ import annotations

from weaklink.base.evidence.dialect import UNNAMED, Alias, Dialect

_COLLECT = "mean of the episodes of a collect step"
_TEST = "mean of the episodes of a test"
_UPDATE = "mean of the whole update"


def _make_update_alias(metric: str, aggregation: str = _UPDATE) -> Alias:
    return Alias(metric, aggregation=aggregation, axis="updates")


_LEARNT = {
    "actor_loss": _make_update_alias("policy.loss"),
    "kl": _make_update_alias("policy.kl"),
    "vf_loss": _make_update_alias("value.loss"),
    "ent_loss": _make_update_alias("exploration.entropy"),
    "loss": _make_update_alias("optimizer.loss"),
}
_LOSS = {"update/loss": _make_update_alias("value.q_loss"), "update/loss/mean": _make_update_alias("value.q_loss")}

DIALECT = Dialect(
    framework="tianshou",
    names={
        "training/returns_stat/mean": Alias("reward.episode_return", aggregation=_COLLECT),
        "train/reward": Alias("reward.episode_return", aggregation=_COLLECT),
        "training/returns_stat/std": Alias("reward.episode_return_std"),
        "training/returns_stat/min": Alias("reward.episode_return_min"),
        "training/returns_stat/max": Alias("reward.episode_return_max"),
        "training/lens_stat/mean": Alias("task.episode_length", aggregation=_COLLECT),
        "train/length": Alias("task.episode_length", aggregation=_COLLECT),
        "training/lens_stat/std": Alias("task.episode_length_std"),
        "training/lens_stat/min": Alias("task.episode_length_min"),
        "training/lens_stat/max": Alias("task.episode_length_max"),
        "test/returns_stat/mean": Alias("evaluation.return", aggregation=_TEST),
        "test/reward": Alias("evaluation.return", aggregation=_TEST),
        "test/returns_stat/std": Alias("evaluation.return_std"),
        "test/reward_std": Alias("evaluation.return_std"),
        "test/lens_stat/mean": Alias("evaluation.length", aggregation=_TEST),
        "test/length": Alias("evaluation.length", aggregation=_TEST),
        **{f"update/{name}/mean": alias for name, alias in _LEARNT.items()},
        **{f"update/{name}": alias for name, alias in _LEARNT.items()},
        "update/loss/clip": _make_update_alias("policy.loss"),
        "update/loss/actor": _make_update_alias("policy.loss"),
        "update/loss/vf": _make_update_alias("value.loss"),
        "update/loss/ent": _make_update_alias("exploration.entropy"),
        "update/critic_loss": _make_update_alias("value.q_loss"),
        "update/critic1_loss": _make_update_alias("value.q_loss", "first critic"),
        "update/loss/critic": _make_update_alias("value.q_loss"),
        "update/loss/critic1": _make_update_alias("value.q_loss", "first critic"),
        "update/alpha": _make_update_alias("exploration.temperature"),
        "update/alpha_loss": _make_update_alias("exploration.temperature_loss"),
        "update/loss/alpha": _make_update_alias("exploration.temperature_loss"),
        "update/gradient_steps": UNNAMED,  # of one update: it does not count up
        "update/train_time": _make_update_alias("system.learn_time", "one update"),
        "training/collect_time": Alias("system.collect_time"),
        "training/collect_speed": Alias("system.env_steps_per_second", aggregation="while collecting"),
        "training/env_step": Alias("system.env_steps"),
        "info/update_step": Alias("optimizer.updates", axis="epochs"),
        "info/timing/total_time": Alias("system.elapsed", axis="epochs"),
        "info/timing/update_speed": Alias("system.env_steps_per_second", axis="epochs"),
    },
    rewrites=((r"train/(?=returns_stat|lens_stat|collect_|env_step)", "training/"),),
    ignore=(
        r"update/(?:update_step|gradient_step|smoothed_loss/.*)",
        r"test/env_step|info/epoch|save/.*|train/episode|train(?:ing)?/n_collected_.*|test/n_collected_.*",
    ),
    algorithms={"dqn": _LOSS, "rainbow": _LOSS, "c51": _LOSS, "qrdqn": _LOSS, "iqn": _LOSS, "fqf": _LOSS},
    plain=frozenset({"train/reward", "train/length", "test/reward", "test/reward_std", "test/length", "update/loss"}),
)
