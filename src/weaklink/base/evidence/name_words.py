"""What a name says by its words, where no table has it: `policy_net_gradnorm`, `act_clip_frac` or `frac_invalid_moves`.

A row asks for one word of each of its groups and for none of the words that would make it another quantity. Words are
compared after abbreviations are written out, so that few rows stand for many names.
"""

from __future__ import annotations

from collections.abc import Iterator

from weaklink.base.evidence.metrics import ACTION_SHARE, MEMBER_RETURN, OBSERVATION_MEAN, OBSERVATION_STD
from weaklink.base.patterns import compile_late

_SPLIT = compile_late(r"[^a-z]+")
_NUMBERED = compile_late(r"(.+)[/_.\[](\d{1,4})\]?")
_AMONG = compile_late(r"(\D+?)[/_.\[]?(\d{1,4})\]?[/_.](\D+)")
_HUMP = compile_late(r"(?<=[a-z0-9])(?=[A-Z])")

# abbreviations and inflections of a word; one of several words stands for all of them
_SHORT = {
    "observation": "obs ob observations state states inputs",
    "action": "act acts actions a u",
    "saturated": "sat saturation saturating saturate",
    "clipped": "clip clips clipping clipfrac",
    "share": "frac fraction rate pct percent percentage prop proportion freq frequency",
    "invalid": "illegal invalids",
    "return": "ret score scores",
    "reward": "rew rewards",
    "length": "len lens lengths",
    "completion": "completions response responses resp",
    "truncated": "trunc truncation",
    "success": "succ successes successful",
    "total": "tot",
    "episode": "ep episodes episodic",
    "episode length": "eplen eplens",
    "episode return": "epret eprew",
    "gradient": "grad grads gradients",
    "norm": "norms l2",
    "value loss": "vloss vfloss",
    "policy loss": "ploss piloss pgloss",
    "temporal difference error": "tderr tderror",
    "gradient norm": "gradnorm gnorm",
    "value": "val vals values v vf vfn critic baseline",
    "q": "qf qs qval qvals qvalue qvalues",
    "policy": "pi pg actor pol",
    "entropy": "ent entropies",
    "temporal difference": "td tde bellman",
    "loss": "losses mse huber",
    "std": "stddev sd sigma stdev deviation",
    "variance": "var",
    "mean": "avg average mu",
    "max": "maximum highest absmax maxabs",
    "min": "minimum lowest",
    "nan": "nans nonfinite inf infs",
    "explained": "expl",
    "explained variance": "ev",
    "age": "ages",
    "replay": "buffer buf memory",
    "evaluation": "eval test greedy heldout",
    "accuracy": "acc",
    "learning rate": "lr",
    "kl": "apxkl",
    "approximate": "apx approx",
    "coefficient": "coef coeff",
}
_WHOLE = {short: whole for whole, shorts in _SHORT.items() for short in shorts.split()}

_SETTINGS = "evaluation target coefficient limit threshold weight budget schedule penalty"
"""Words of settings, and of what is not the quantity of the training itself."""

# metric, groups of words of which a name must have one each, words that it must not have
_ROWS: tuple[tuple[str, tuple[str, ...], str], ...] = (
    ("observation.non_finite", ("observation", "nan"), ""),
    ("evaluation.observation_std", ("evaluation", "observation", "std variance spread"), "return reward loss action"),
    ("evaluation.observation_mean", ("evaluation", "observation", "mean"), "return reward loss action max min"),
    (
        "observation.clipped_fraction",
        ("observation", "clipped", "share"),
        "return reward loss gradient action evaluation " + _SETTINGS,
    ),
    (
        "observation.std",
        ("observation", "std variance spread"),
        "evaluation return reward loss gradient action visited",
    ),
    ("observation.max", ("observation", "max"), "evaluation return reward loss gradient action visited value q"),
    ("observation.min", ("observation", "min"), "evaluation return reward loss gradient action visited value q"),
    ("observation.mean", ("observation", "mean"), "evaluation return reward loss gradient action visited value q"),
    (
        "action.saturated_fraction",
        ("action", "saturated clipped bound bounds edge edges"),
        "gradient loss return reward norm",
    ),
    ("action.saturated_fraction", ("saturated", "share tanh"), "gradient loss return reward norm units"),
    ("action.invalid_fraction", ("invalid", "action move moves share count"), "format tool json loss"),
    (
        "data.staleness",
        ("lag staleness stale", "policy rollout weight weights version actor behaviour behavior learner"),
        "max loss kl time seconds target",
    ),
    ("data.staleness", ("staleness",), "max loss kl time seconds target std min " + _SETTINGS),
    (
        "system.env_steps_per_second",
        ("step steps frame frames", "second seconds sec secs"),
        "gradient update updates learner train optimizer policy time loss token tokens max min std " + _SETTINGS,
    ),
    (
        "data.terminal_fraction",
        ("done dones terminal terminals terminated", "share", "batch minibatch sample sampled replay"),
        "truncated reward return loss",
    ),
    (
        "policy.first_ratio_deviation",
        ("ratio", "first initial", "std dev maxdev maxdeviation off", "batch minibatch"),
        "clipped value epoch",
    ),
    ("policy.first_kl", ("kl", "first", "batch minibatch"), "ref reference loss epoch"),
    ("policy.optimal_share", ("optimal best", "action arm arms", "share"), "reward return regret loss value"),
    (
        "value.target_distance",
        ("target", "distance dist gap diff", "network net networks nets params parameters weights online"),
        "gradient temporal reward return kl",
    ),
    ("data.sample_age", ("age", "sample batch replay data transition"), "max episode"),
    ("optimizer.critic_gradient_norm", ("gradient", "norm", "value q"), "clipped max after " + _SETTINGS),
    ("optimizer.gradient_norm", ("gradient", "norm"), "clipped max after value q temperature alpha " + _SETTINGS),
    ("value.explained_variance", ("explained", "variance"), ""),
    (
        "policy.clip_fraction",
        ("clipped", "share"),
        "action gradient value return reward observation length " + _SETTINGS,
    ),
    ("policy.kl", ("kl",), "ref reference loss stop early beta " + _SETTINGS),
    (
        "exploration.entropy",
        ("entropy",),
        "loss bonus alpha temperature max relative normalized normalised " + _SETTINGS,
    ),
    ("value.q_loss", ("q difference", "loss"), "policy " + _SETTINGS),
    ("value.loss", ("value", "loss"), "policy q " + _SETTINGS),
    ("policy.loss", ("policy", "loss"), "value q entropy kl " + _SETTINGS),
    ("evaluation.return", ("evaluation", "return returns reward"), "std min max best loss scale target"),
    ("exploration.action_std", ("policy action", "std"), "loss gradient return reward observation value advantage"),
    ("task.success_rate", ("success solved", "share"), "loss reward return tool format " + _SETTINGS),
)

# metric, words that a name must have, where all its other words only say whose it is or how it was averaged
_PLAIN: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("evaluation.length", ("evaluation", "length")),
    ("reward.episode_return", ("return",)),
    ("task.episode_length", ("episode", "length")),
    ("value.q_mean", ("q",)),
    ("value.td_error", ("temporal", "difference", "error")),
    ("exploration.epsilon", ("epsilon",)),
    ("exploration.epsilon", ("random", "share")),
)
_FILLERS = frozenset(
    [
        "mean",
        "train",
        "training",
        "stats",
        "rollout",
        "episode",
        "last",
        "running",
        "smooth",
        "smoothed",
        "raw",
        "undiscounted",
        "undisc",
        "agent",
        "env",
        "charts",
        "metrics",
        "info",
        "log",
        "value",
        "pred",
        "predicted",
        "absolute",
        "abs",
        "explore",
        "exploration",
        "current",
        "per",
    ]
)

_BINDING = frozenset(("of", "the", "a", "an", "per", "by", "in", "at", "to", "over", "for", "and"))
_DIGITS = compile_late(r"[^a-z0-9@]+")

_MEMBERS = frozenset(("env", "envs", "environment", "worker", "member"))
_COLUMNS = {frozenset(("observation", "std")): OBSERVATION_STD, frozenset(("action", "share")): ACTION_SHARE}


def find_column_by_words(key: str) -> str | None:
    """The column of the observations, or the action, that a numbered key tells the spread or the share of, or None."""
    numbered, among = _NUMBERED.fullmatch(key), _AMONG.fullmatch(key)
    if numbered is not None:
        name, number = numbered[1], numbered[2]
    elif among is not None:
        name, number = f"{among[1]}_{among[3]}", among[2]
    else:
        return None
    said = set(_list_words(name)) - {""}
    words = said - _FILLERS
    prefix = _COLUMNS.get(frozenset(words))
    if prefix is None and words == {"observation"} and "mean" in said:
        prefix = OBSERVATION_MEAN
    if prefix is None and "return" in said and said & _MEMBERS and said <= _MEMBERS | _FILLERS | {"return"}:
        prefix = MEMBER_RETURN
    return None if prefix is None else f"{prefix}{int(number)}"


def find_metric_by_words(key: str) -> str | None:
    """The metric that the words of a key make it, or None."""
    words = set(_list_words(key)) - {""}
    for metric, groups, others in _ROWS:
        if not words & set(others.split()) and all(words & set(group.split()) for group in groups):
            return metric
    core = words - _FILLERS
    return next((metric for metric, named in _PLAIN if core == set(named) - _FILLERS and words >= set(named)), None)


def write_out(key: str) -> tuple[str, ...]:
    """The words of a key written out and in order of the alphabet, without those that say nothing of what it is.

    `vf_loss`, `lossV` and `loss_of_value` are one.
    """
    words = [word for word in _DIGITS.split(_HUMP.sub("_", key).lower()) if word]
    out = {part for word in words for part in _WHOLE.get(word, word).split()}
    return tuple(sorted(out - _BINDING - {"mean", "standard"}))


def _list_words(key: str) -> Iterator[str]:
    for word in _SPLIT.split(_HUMP.sub("_", key).lower()):
        yield from _WHOLE.get(word, word).split()
