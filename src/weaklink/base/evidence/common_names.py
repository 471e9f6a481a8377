"""What a name means to most people: for hand-written loggers, and for the keys that a framework's dialect leaves over.

A key is brought into one form first, so that `train/MeanReward`, `reward_mean` and `reward/avg` are one. What could
mean two things is not here: a metric that is missing can be asked for, a wrong one misleads.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

import msgspec

from weaklink.base.evidence.config import OFF_POLICY, ON_POLICY
from weaklink.base.evidence.dialect import Alias, Dialect
from weaklink.base.evidence.metrics import COMPONENT
from weaklink.base.evidence.name_words import find_column_by_words, find_metric_by_words, write_out
from weaklink.base.evidence.usual_names import EVALUATION_NAMES, USUAL_NAMES
from weaklink.base.patterns import compile_late


def _split_names(names: str) -> frozenset[str]:
    return frozenset(names.split())


# whose sign differs from logger to logger
_EITHER_SIGN = {
    "exploration.entropy": "entropy_loss loss_entropy ent_loss loss_ent policy_entropy_loss",
    "reward.kl_penalty": "kl_penalty reward_kl_penalty",
}

# in a language run a KL without more words is the one to the reference
_TO_REFERENCE = ("kl", "kl_div", "kl_divergence")

# what is said of completions in a language run, and could be said of episodes in another
_OF_COMPLETIONS = {
    "truncated": "task.truncated_fraction",
    "truncation": "task.truncated_fraction",
    "gold": "reward.human_score",
}

# what stands below `reward/` and is no part of the reward
_NO_COMPONENT = _split_names(
    "mean avg average std var min max median total sum raw all step steps iter iteration time frame episode episodes "
    "epoch batch count scale weight loss lr kl accuracy accuracies chosen rejected margin margins baseline advantage "
    "return returns running best per_step per_episode normalized clipped shaped"
)

_PLUMBING = _split_names(
    "step steps global_step epoch epochs iteration iterations iter episode episodes num_episodes episode_count "
    "total_episodes timestamp seed rank pid done progress_epoch progress_step progress_done_frac date"
)

_HUMP = compile_late(r"(?<=[a-z0-9])(?=[A-Z][a-z])")
_BREAK = compile_late(r"[^a-z0-9@]+")
_LEADING = _split_names("train training charts losses metrics global")
_FOLDERS = _split_names("rollout update updates custom_metrics") | ON_POLICY | OFF_POLICY
_HELD_OUT = _split_names("eval evaluation test val valid validation heldout")
_MEAN = _split_names("mean avg average")
_STATISTIC = _split_names("std min max")
_PERCENT = 0.01
_SETTLED = "sign by the start of the run; a coefficient may be in it"

# W&B's own measurements of the first accelerator, in percent
_SYSTEM = {
    "system.gpu.0.gpu": Alias("system.accelerator_utilisation", scale=_PERCENT),
    "system.gpu.0.memoryAllocated": Alias("system.accelerator_memory", scale=_PERCENT),
}


def _list_aliases(table: dict[str, str]) -> Iterator[tuple[str, Alias]]:
    for metric, names in table.items():
        yield from dict.fromkeys(names.split(), Alias(metric)).items()


def list_common_names() -> Iterator[tuple[str, str]]:
    """Every usual name of a metric, with the metric."""
    for metric, names in USUAL_NAMES.items():
        yield from ((name, metric) for name in names.split())


def _split_key(key: str) -> list[str]:
    """The words of a key: `train/MeanReward` gives train, mean and reward."""
    return [word for word in _BREAK.split(_HUMP.sub("_", key).lower()) if word]


def _leave_folder(key: str) -> str:
    """A key without a folder that says only which part of the training wrote it."""
    folder, _, rest = key.partition("/")
    return rest if rest and folder.lower() in _FOLDERS else key


def _list_forms(key: str) -> Iterator[str]:
    """The forms in which the tables may have a key, the most telling first."""
    words = _split_key(key)
    yield "_".join(words)
    folder, words = "", _split_key(_leave_folder(key))
    while len(words) > 1 and words[0] in _LEADING:
        folder, words = words[0], words[1:]
    meanless = [word for word in words if word not in _MEAN]
    core = [word for word in meanless if word not in _STATISTIC]
    held_out = len(core) > 1 and core[0] in _HELD_OUT
    name = "_".join(core[held_out:] + [word for word in meanless if word in _STATISTIC])
    start = "evaluation " if held_out else ""
    if folder == "losses" and len(meanless) < len(words):
        yield "_".join(words)  # what says that it is a mean is no loss: `losses/value_mean`
    if folder == "losses":
        yield f"loss_{name}"
    yield "_".join(words)
    if len(meanless) < len(words):
        yield f"{start}{name}_mean"
    yield start + name


def _find_written_out(key: str) -> str:
    """The usual name that has the same words as a key, or nothing. What stands below `reward/` may be a part of it."""
    parts = key.strip().split("/")
    while len(parts) > 1 and parts[0].lower() in _LEADING | {"rollout"}:
        parts = parts[1:]
    below_reward = len(parts) > 1 and parts[0].lower().startswith("reward")
    return "" if below_reward else _list_written_out().get(write_out("/".join(parts)), "")


@cache
def _list_written_out() -> dict[tuple[str, ...], str]:
    """The usual names by their words, in whatever order and short form; words that two metrics share say nothing."""
    found: dict[tuple[str, ...], dict[str, str]] = {}
    for start, table in (("", USUAL_NAMES), ("evaluation ", EVALUATION_NAMES)):
        for metric, names in table.items():
            for name in names.split():
                found.setdefault(write_out(start + name), {}).setdefault(metric, start + name)
    return {words: next(iter(each.values())) for words, each in found.items() if len(words) > 1 and len(each) == 1}


def _find_component(key: str) -> str | None:
    """The part of a reward that a key such as `reward/distance` or `avg_r_distance` is, or None."""
    parts = [part.strip() for part in key.lower().split("/")]
    while parts and parts[0] in _LEADING:
        parts = parts[1:]
    if len(parts) == 3 and parts[2] in _MEAN:
        parts = parts[:2]
    if len(parts) == 2 and parts[0] in ("reward", "rewards", "reward_components", "reward_terms"):
        part = parts[1]
    elif len(parts) == 1 and parts[0].startswith(("avg_r_", "mean_r_")):
        part = parts[0].split("_r_", 1)[1]
    else:
        return None
    words = _split_key(part)
    if not words or "_".join(words) in _NO_COMPONENT or words[-1] in _STATISTIC or words[0] in _STATISTIC | _MEAN:
        return None
    return part.replace(" ", "_")


class CommonDialect(Dialect, frozen=True):
    """The dialect that looks a key up by its one form."""

    def meaning(self, key: str, algorithm: str = "") -> tuple[int, Alias] | None:
        """The meaning of a key and its rank; `algorithm` may be `language`."""
        if key in _SYSTEM:
            return 0, _SYSTEM[key]
        for name in _list_forms(key):
            if algorithm == "language" and name in _OF_COMPLETIONS:
                return len(self.names), Alias(_OF_COMPLETIONS[name])
            if name in self.names:
                return self._ranks[name], self._in_context(name, algorithm)
        column = find_column_by_words(_leave_folder(key))
        if column is not None:
            return len(self.names), Alias(column)
        name = _find_written_out(key)
        if name:
            return len(self.names), self._in_context(name, algorithm)
        component = _find_component(key)
        folder, _, rest = key.partition("/")
        own = rest if folder.lower() in _LEADING else ""  # what stands among losses need not be one
        metric = COMPONENT + component if component else find_metric_by_words(key) or find_metric_by_words(own)
        if algorithm == "language" and metric == "evaluation.return" and "score" in _split_key(key):
            metric = "evaluation.score"
        return None if metric is None else (len(self.names), Alias(metric))

    def ignores(self, key: str) -> bool:
        """Whether the key only keeps a row in its place."""
        return "_".join(_split_key(key)) in _PLUMBING or super().ignores(key)

    def _in_context(self, name: str, algorithm: str) -> Alias:
        return Alias("policy.kl_reference") if algorithm == "language" and name in _TO_REFERENCE else self.names[name]


DIALECT = CommonDialect(
    framework="common",
    names={
        **dict(_list_aliases(USUAL_NAMES)),
        **{f"evaluation {name}": alias for name, alias in _list_aliases(EVALUATION_NAMES)},
        **{
            name: msgspec.structs.replace(alias, aggregation=_SETTLED, flips=True)
            for name, alias in _list_aliases(_EITHER_SIGN)
        },
    },
    axis="step",
)
