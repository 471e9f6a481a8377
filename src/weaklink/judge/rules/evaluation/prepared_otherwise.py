from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np

from weaklink.base.evidence.config import Config, parse_value
from weaklink.base.evidence.run import Run
from weaklink.base.stats import noise
from weaklink.judge.rules.writing import HIGH, MEDIUM, Answer, CannotTell, Evidence, Finding, Level, Link, rule

# what is done to observations before the policy sees them
_HOW = r"(?:norm|scal|standard|whiten|stack|clip)"
_PREPARES = re.compile(rf"{_HOW}.{{0,40}}obs|obs.{{0,40}}{_HOW}|frame_?stack")

# words for evaluation, before or behind the name of a setting
_OF_EVALUATION = re.compile(r"(?:^|[._/])(?:eval(?:uation)?|test)(?=[._/])|[._/](?:eval(?:uation)?|test)$")

# evaluations that tell, those of the last part of the run, and how many standard errors they lie below training
FEWEST, LAST, CLEAR = 5, 3, 3.0


@rule(
    "EVA306",
    link=Link.EVALUATION,
    level=Level.WARN,
    needs=("evaluation.return", "reward.episode_return"),
    leads_to=("EVA303",),
    symptoms={"evaluation worse than training": 3},
    checks={"return and evaluation": "fails"},
)
def prepared_otherwise(run: Run) -> Answer:
    """The configuration prepares observations for evaluation otherwise than for training.

    ## What it sees
    A setting of observations (normalising, scaling, stacking, clipping) that has one value for training and another one
    for evaluation, such as `normalize_obs: true` and `eval_normalize_obs: false`. It is a warning where the evaluations
    of the last third lie clearly below the training return at the same steps, and information otherwise.

    ## Why it is bad
    The policy knows the observations that it was trained on. On others its score says nothing about what was learned,
    and checkpoints that are chosen by it are chosen by chance.

    ## What to do
    1. Build both environments by one function, and load the statistics of training into the normaliser of evaluation.
    2. Freeze these statistics during evaluation; leave rewards as they are there.

    ## How to prove it
    Evaluate one checkpoint twice, as configured and with the setting of training: the second must be as good as
    training.

    ## When it is wrong
    An evaluation that is prepared elsewhere, by a wrapper that the configuration does not name. Rewards are normalised
    in training alone as a rule, and such settings are not read.

    ## References
    Stable-Baselines3 documentation, VecNormalize (evaluation environments share its statistics).
    """
    tested, trained = run["evaluation.return"], run["reward.episode_return"]
    pair = next(_list_pairs(run.config), None)
    if pair is None:
        return CannotTell(("evaluation settings",), "no setting of observations names training and evaluation")
    name, ours, theirs = pair
    if ours == theirs:
        return None
    if len(tested) < FEWEST or len(trained) < FEWEST:
        return CannotTell((tested.name,), f"fewer than {FEWEST} points")
    last = tested.steps >= tested.last_step - (tested.last_step - tested.first_step) / LAST
    gaps = np.interp(tested.steps[last], trained.steps, trained.values) - tested.values[last]
    doubt = CLEAR * (noise(tested.values) + noise(trained.values)) / float(np.sqrt(len(gaps)))
    behind = float(gaps.mean()) > max(doubt, 0.0) and bool((gaps > 0).all())
    after = float(tested.values[last].mean())
    step = float(tested.steps[last][0])
    return Finding(
        message=f"{name} is {ours} in training and {theirs} in evaluation"
        + (
            f", and from step {step:,.0f} on the evaluation return is {after:,.4g} while that of training is "
            f"{after + float(gaps.mean()):,.4g}."
            if behind
            else "."
        ),
        level=Level.WARN if behind else Level.INFO,
        confidence=HIGH if behind else MEDIUM,
        evidence=(Evidence(metric=tested.name, value=after, limit=after + float(gaps.mean()), step=step),),
    )


def _list_pairs(config: Config) -> Iterator[tuple[str, object, object]]:
    """Settings of observations that stand there for training and for evaluation, those that differ first."""
    raw = {key.strip().lower(): parse_value(value) for key, value in config.raw.items()}
    pairs = [
        (ours, raw[ours], value)
        for key, value in raw.items()
        if _PREPARES.search(key) and (ours := _OF_EVALUATION.sub("", key).lstrip("._/")) != key and ours in raw
    ]
    yield from sorted(pairs, key=lambda pair: pair[1] == pair[2])
