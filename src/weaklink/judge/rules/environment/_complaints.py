"""Complaints of environment checkers in plain words: the cause, the fix, and the highest level it may have."""

from __future__ import annotations

import re
from typing import NamedTuple

from weaklink.base.evidence.spaces import Space
from weaklink.base.evidence.survey import CheckerComplaint, Survey, SurveyFault
from weaklink.base.finding import Level
from weaklink.judge.rules._words import shorten

ERROR, WARN, INFO = Level.ERROR, Level.WARN, Level.INFO
LEVELS = {level.word: level for level in Level}
LONGEST = 160  # characters of a complaint that a message quotes: about two lines of a terminal


class KnownComplaint(NamedTuple):
    """A complaint that is recognised by its words.

    `most` caps its level: advice and the limits of one library are not faults of the environment. None means that it is
    never reported, because it is an artefact of checking or because another rule covers it. `strict` marks what
    Stable-Baselines3 refuses although the API allows it, such as a numpy boolean for a flag.
    """

    pattern: str
    cause: str = ""
    cure: str = ""
    most: Level | None = ERROR
    strict: bool = False


_RESET = "Write `def reset(self, *, seed=None, options=None)`, call `super().reset(seed=seed)` in its first line"
_TRAINER = "Nothing to do unless you train with Stable-Baselines3; then add a wrapper that converts the space."

# first match wins; texts of Gymnasium 1.x (utils/env_checker.py, utils/passive_env_checker.py), Stable-Baselines3 2.x
# (common/env_checker.py) and weaklink's own look at reset and step
KNOWN = (
    # artefacts of checking: a wrapper that cannot be built again, and a numpy boolean that is not the object False
    KnownComplaint(
        r"different from the unwrapped|alternative render modes|check_env\(warn|closed environment", most=None
    ),
    KnownComplaint(r"RecordConstructorArgs|cannot be recreated|truncates after 1 step", most=None),
    KnownComplaint(r"encountered in \w+", most=None),  # a numerical warning: ENV106
    KnownComplaint(r"\.render\(\)|render_(modes|fps|mode)|render (modes|fps)|render mode|rendering should", most=None),
    # what other rules judge (ACT105, OBS109), and bounds at infinity, which are ordinary
    KnownComplaint(r"symmetric and normalized", most=None),
    KnownComplaint(r"is an image but|minimal resolution for an image|bounds are not in \[0, 255\]", most=None),
    KnownComplaint(r"Box observation space (min|max)imum value is -?infinity", most=None),
    # limits of one library
    KnownComplaint(
        r"require the observation space to be gymnasium\.spaces\.Dict",
        "it has a method `compute_reward`, by which Stable-Baselines3 recognises goal environments",
        "Rename `compute_reward`, or make the observation a dict with observation, achieved_goal and desired_goal.",
        INFO,
    ),
    KnownComplaint(
        r"not supported by Stable|currently not supported", "Stable-Baselines3 cannot train on it", _TRAINER, INFO
    ),
    KnownComplaint(
        r"finite lower and upper bound|Box action space (min|max)imum value is -?infinity",
        "the action has no bounds",
        "Give the action space the real limits of the actuators, ideally scaled to [-1, 1].",
        INFO,
    ),
    KnownComplaint(r"unconventional shape", "the observation is neither a vector nor an image", _TRAINER, INFO),
    KnownComplaint(
        r"action space has dtype", "the action space is not of dtype float32", "Declare it with dtype float32.", INFO
    ),
    # leftovers of older interfaces, which do no harm
    KnownComplaint(
        r"`seed` function|`return_info` is deprecated|is out of date",
        "a leftover of an older interface",
        "Remove it; seeds go to `reset`.",
        INFO,
    ),
    KnownComplaint(
        r"observation space maximum and minimum values are equal",
        "the bounds of a part of the observation allow only one value",
        "Correct the bounds, or leave that part out.",
        INFO,
    ),
    # reset
    KnownComplaint(
        r"argument '?(seed|options)|(provide an? |passed an? |accept an? )`(seed|options)`|passed `options`"
        r"|cannot be reset with",
        "`reset` does not take a seed or options",
        f"{_RESET}.",
    ),
    KnownComplaint(
        r"super\(\)\.reset\(seed=seed\)|`\.np_random`|initialized env\._np_random",
        "the seed given to `reset` does not reach the environment's random generator",
        f"{_RESET}, and draw from `self.np_random` only.",
    ),
    KnownComplaint(
        r"default seed argument",
        "`reset` has a default seed, so every episode starts the same",
        "Give the argument `seed` the default None.",
    ),
    KnownComplaint(
        r"second element (returned|of the tuple)|the info is of type",
        "the info that `reset` returns is not a dict",
        "End `reset` with `return observation, {}`.",
    ),
    KnownComplaint(
        r"`\(obs, info\)`|tuple \(obs, info\)|tuple of size 2|2-tuple|reset must return an observation"
        r"|values to unpack \(expected (at least )?2",
        "`reset` does not return an observation and a dict of info",
        "End `reset` with `return observation, {}`.",
    ),
    # step
    KnownComplaint(
        r"old step API|element tuple|must return five values|step result to be a tuple|step must return observation"
        r"|values to unpack",
        "`step` does not return five values",
        "End `step` with `return observation, reward, terminated, truncated, info`.",
    ),
    KnownComplaint(
        r"`?(terminated|truncated|done)`? (signal|must be a bool)",
        "`terminated` or `truncated` is not a boolean",
        "Wrap both flags in `bool(...)` and return them on every path through `step`.",
        strict=True,
    ),
    KnownComplaint(
        r"reward returned by `step|reward must be one number",
        "the reward is not a scalar",
        "Return `float(reward)`, on every path through `step`.",
        strict=True,
    ),
    KnownComplaint(
        r"`info` returned by|info of step",
        "the info that `step` returns is not a dict",
        "Return `{}` where there is no info.",
    ),
    # the observation against its space
    KnownComplaint(
        r"dtype|data type",
        "the dtype of the observation does not match its space",
        "Cast the observation with `.astype(self.observation_space.dtype)`.",
    ),
    KnownComplaint(
        r"match the shape|observation of shape|broadcast|reshape|inhomogeneous",
        "the shape of the observation does not match its space",
        "Give the space and the observation the same shape, without a batch axis.",
    ),
    KnownComplaint(
        r"\bkeys\b",
        "the keys of the observation do not match its space",
        "Return exactly the keys that the space declares.",
    ),
    KnownComplaint(
        r"(expecting|must be|should be|must return) an? (numpy array|array|int|whole number|tuple|dict|single value)",
        "the type of the observation does not match its space",
        "Return `np.asarray(observation, dtype=self.observation_space.dtype)`, or the type that the space requires.",
    ),
    KnownComplaint(
        r"not within the observation space|match the (bounds|given observation space)",
        "an observation is not a member of its space",
        "Cast it to the dtype of its space, and set the bounds of the space to the values that occur.",
    ),
    KnownComplaint(
        r"share an object",
        "two calls return the same object, so the second call changes what the first one returned",
        "Return a copy: `observation.copy()` and a new dict of info.",
    ),
    KnownComplaint(
        r"although similar",
        "the same seed gives numbers that differ in their last digits",
        "Look for sums over sets or threads, whose order varies.",
        INFO,
    ),
    # spaces and classes
    KnownComplaint(
        r"Gym is incompatible|inherit from",
        "it is not built on Gymnasium's classes",
        "Inherit from `gymnasium.Env` and take the spaces from `gymnasium.spaces`.",
    ),
    KnownComplaint(
        r"must specify an (action|observation) space",
        "a space is missing",
        "Set `self.action_space` and `self.observation_space` in `__init__`.",
    ),
    KnownComplaint(
        r"low shape|high shape|nvec|number of elements|shape should be empty|shape elements|An empty"
        r"|minimum values are equal|low value is greater",
        "a space is declared wrongly",
        "Check its shape, its bounds and its number of actions.",
    ),
    KnownComplaint(
        r"compute_reward|computation of reward|goal conditioned env",
        "the rewards of the goal environment do not match its `compute_reward`",
        "Call `compute_reward` from `step`, and make it accept batches.",
    ),
)

UNSUPPORTED = next(row for row in KNOWN if row.cause == "Stable-Baselines3 cannot train on it")
SHARED = next(row for row in KNOWN if row.pattern == "share an object")
MEMBER = next(row for row in KNOWN if row.cause == "an observation is not a member of its space")
# rows that explain why an observation is not a member of its space
ABOUT_OBSERVATION = tuple(row for row in KNOWN if row.cause.endswith("does not match its space"))

_ADVICE = re.compile(r"\brecommend|\bsuggest|\bconsider\b|probably too|you may\b|you might\b", re.IGNORECASE)
_COLOUR = re.compile(r"\x1b\[[0-9;]*m")
_SPACE = re.compile(r"of the given observation space .*?(?=Expected|$)")
_KEY = re.compile(r"key='?([\w.-]+)'?")


def recognise(text: str, source: str = "", space: Space | None = None) -> KnownComplaint | None:
    """Finds the row for a complaint of this checker about an environment with this observation space."""
    if _concerns_no_array(text, space):
        return UNSUPPORTED
    row = next((row for row in KNOWN if re.search(row.pattern, text, re.IGNORECASE)), None)
    if row is not None and row.strict and "Stable" in source:
        return row._replace(cause="it requires Python types where numpy types work as well", most=INFO)
    return row


def rate_complaint(complaint: CheckerComplaint, known: KnownComplaint | None, survey: Survey) -> Level | None:
    """The checker's level, lowered for advice and for limits of one library; None where it is not reported."""
    own = LEVELS.get(complaint.level, WARN)
    if known is SHARED and survey.in_place is not None:
        return None if survey.in_place else min(own, INFO)  # OBS107 reports what was really changed
    if known is not None:
        if known.most is None:
            return None
        own = min(own, known.most)
    return min(own, INFO) if _ADVICE.search(complaint.text) else own


def _concerns_no_array(text: str, space: Space | None) -> bool:
    """Whether a complaint is about a part of the observation that is not an array: text, a graph, a sequence."""
    key = _KEY.search(text)
    part = space.parts.get(key.group(1)) if key is not None and space is not None else None
    return part is not None and part.kind == "other"


def is_api_violation(fault: SurveyFault) -> bool:
    """Whether reset or step has the wrong signature or return value, as opposed to a crash inside it."""
    if fault.kind != "raised" or fault.call not in ("reset", "step"):
        return False
    if re.search(r"unexpected keyword argument '(seed|options)'", fault.message):
        return True
    known = recognise(fault.message)
    return not fault.where and known is not None and known.most is not None


def is_crash(fault: SurveyFault, survey: Survey) -> bool:
    """Whether the environment itself crashed, and not the survey because of an API violation."""
    if is_api_violation(fault):
        return False
    breached = any(one.level != "info" for one in survey.complaints or ())
    return fault.kind != "raised" or bool(fault.where) or not breached


def clean_complaint(text: str) -> str:
    """A complaint on one line without colours, labels and its final full stop, shortened where it is long."""
    line = " ".join(_COLOUR.sub("", text).split()).removeprefix("WARN: ")
    line = _SPACE.sub("of its space. ", line)
    line = shorten(line, LONGEST)
    return line if line.endswith("...") else line.rstrip(". ")
