"""Spinning Up and what descends from it (safety-starter-agents): `progress.txt` with one row an epoch."""

from __future__ import annotations

from weaklink.base.evidence.dialect import MEAN_LOG_RATIO, Alias, Dialect

_EPOCH = "mean of the episodes of an epoch"
_TEST = "mean of the test episodes of an epoch"

DIALECT = Dialect(
    framework="spinningup",
    names={
        "AverageEpRet": Alias("reward.episode_return", aggregation=_EPOCH),
        "EpRet": Alias("reward.episode_return", aggregation=_EPOCH),
        "StdEpRet": Alias("reward.episode_return_std"),
        "MinEpRet": Alias("reward.episode_return_min"),
        "MaxEpRet": Alias("reward.episode_return_max"),
        "EpLen": Alias("task.episode_length", aggregation=_EPOCH),
        "AverageEpCost": Alias("task.cost", aggregation=_EPOCH),
        "EpCost": Alias("task.cost", aggregation=_EPOCH),
        "AverageTestEpRet": Alias("evaluation.return", aggregation=_TEST),
        "StdTestEpRet": Alias("evaluation.return_std"),
        "TestEpLen": Alias("evaluation.length", aggregation=_TEST),
        "AverageVVals": Alias("value.mean"),
        "VVals": Alias("value.mean"),
        "StdVVals": Alias("value.std"),
        "MinVVals": Alias("value.min"),
        "MaxVVals": Alias("value.max"),
        "AverageQVals": Alias("value.q_mean"),
        "QVals": Alias("value.q_mean"),
        "AverageQ1Vals": Alias("value.q_mean", aggregation="first critic"),
        "AverageQ2Vals": Alias("value.q2_mean", aggregation="second critic"),
        "MaxQVals": Alias("value.q_max"),
        "MaxQ1Vals": Alias("value.q_max", aggregation="first critic"),
        "MinQVals": Alias("value.q_min"),
        "MinQ1Vals": Alias("value.q_min", aggregation="first critic"),
        "LossPi": Alias("policy.loss", aggregation="before the update"),
        "LossV": Alias("value.loss", aggregation="before the update"),
        "LossQ": Alias("value.q_loss"),
        "LossQ1": Alias("value.q_loss", aggregation="first critic"),
        "KL": Alias("policy.kl", aggregation=MEAN_LOG_RATIO),
        "ClipFrac": Alias("policy.clip_fraction", aggregation="last pass over the batch"),
        "Entropy": Alias("exploration.entropy", aggregation="before the update"),
        "AverageAlpha": Alias("exploration.temperature"),
        "Alpha": Alias("exploration.temperature"),
        "LossAlpha": Alias("exploration.temperature_loss"),
        "TotalEnvInteracts": Alias("system.env_steps"),
        "TotalGradientSteps": Alias("optimizer.updates"),
        "Time": Alias("system.elapsed"),
    },
    ignore=(r"Epoch", r"DeltaLoss\w+"),
    plain=frozenset({"VVals", "QVals", "KL", "Entropy", "Alpha", "Time", "EpRet", "EpLen", "EpCost"}),
)
