from __future__ import annotations

from itertools import combinations
from typing import NamedTuple

import numpy as np

from weaklink.evidence.series import Array
from weaklink.evidence.survey import GIVEN, RANDOM, Play, Survey
from weaklink.finding import LOW, MEDIUM, Answer, CannotTell, Evidence, Finding, Level
from weaklink.loop import Link
from weaklink.rules._registry import rule
from weaklink.rules.reward._components import Parts, parts_of
from weaklink.rules.reward._plays import best_of, beyond_chance, correlation, held, sound_baselines, sound_plays, summed
from weaklink.rules.reward._task_metric import measured


class _Split(NamedTuple):
    """What each episode got from the part that dominates, and from all others."""

    ruling: Array
    rest: Array


@rule(
    "REW106",
    link=Link.REWARD,
    level=Level.WARN,
    on=Survey,
    needs=(RANDOM,),
    leads_to=("REW108", "REW109", "REW302", "REW305", "REW306", "TSK102"),
)
def dominating_component(
    survey: Survey, *, alert: float = 0.9, notable: float = 0.8, crushing: float = 0.98, opposed: float = 0.95
) -> Answer:
    """One part of the reward drowns the others, or two parts cancel out.

    ## What it sees
    One component has over 80 % of the variance of all of them in random play (worth knowing). Over 90 % is a warning
    where the others would matter: a penalty with 98 % and more that the best policy found only dodges, without doing
    better in anything else; a part that the best policy does not improve while it improves the others; a part that
    falls as the task metric rises, or of which your own policy gets less. So is a pair of parts that cancel out.

    ## Why it is bad
    The learner follows what varies most. If that is a control cost, it learns to hold still; if it is noise, it learns
    late. Two parts that cancel out teach nothing and hide in every plot of the total.

    ## What to do
    1. Print the mean and the standard deviation of every part over random play and bring their sizes within a factor
       of ten, the task itself first.
    2. Lower the weight of a penalty until a policy that does the task earns more than one that does nothing.
    3. Take out one of two parts that cancel.

    ## How to prove it
    `weaklink preflight ENV --components KEYS --metric KEY` with the weight divided by ten: the best policy found must
    now do better in the task metric.

    ## When it is wrong
    The part that varies most is often the task itself: forward speed has 99 % of the variance in HalfCheetah, and that
    is as it should be. A large penalty may be right where safety comes first. Constant parts have no variance and are
    not seen this way, although a bonus for staying alive can rule through the length of episodes.

    ## References
    Practice. Pan et al., The Effects of Reward Misspecification, 2022.
    """
    play = sound_plays(survey).get(RANDOM)
    parts = None if play is None else parts_of(play)
    if play is None or parts is None or len(parts.shares) < 2 or len(play.rewards) < 100:
        return CannotTell(("components",), "fewer than two parts of the reward are told")
    cancelling = _cancelling(parts, float(play.rewards.std()), opposed)
    if cancelling is not None:
        return cancelling
    variances = {key: float(values.var()) for key, values in parts.shares.items()}
    total = sum(variances.values())
    if total <= 0.0:
        return CannotTell(("a component that varies",), "no part of the reward varies in random play")
    name = max(variances, key=lambda key: variances[key])
    share = variances[name] / total
    if share <= notable:
        return None
    reason = _reason(survey, name, share, crushing, alert) if share > alert and parts.add_up else ""
    others = ", ".join(f"'{key}'" for key in variances if key != name)
    return Finding(
        message=f"Component '{name}' has {share:.1%} of the variance of all components in random play, beside {others}"
        f"{reason}.",
        level=Level.WARN if reason else Level.INFO,
        confidence=MEDIUM if parts.add_up else LOW,
        evidence=(Evidence(metric=f"reward.component.{name}.share", value=share, limit=alert if reason else notable),),
    )


def _cancelling(parts: Parts, spread: float, opposed: float) -> Finding | None:
    """Two parts of the same size and opposite sign that both enter the reward."""
    if not parts.plain:
        return None
    for (one, first), (other, second) in combinations(parts.shares.items(), 2):
        sizes = float(first.std()), float(second.std())
        if min(sizes) < max(0.5 * max(sizes), 0.1 * spread) or min(sizes) == 0.0:
            continue
        together = correlation(first, second)
        if together < -opposed:
            return Finding(
                message=f"Components '{one}' and '{other}' cancel out: their correlation is {together:.3f}, and their "
                f"standard deviations are {sizes[0]:.3g} and {sizes[1]:.3g}.",
                confidence=MEDIUM,
                evidence=(Evidence(metric=f"reward.component.{one}.correlation", value=together, limit=-opposed),),
            )
    return None


def _reason(survey: Survey, name: str, share: float, crushing: float, alert: float) -> str:
    """Why this part ought not to rule, or nothing."""
    plays = sound_baselines(survey)
    if RANDOM not in plays:
        return ""
    splits = {key: split for key, play in plays.items() if (split := _split(play, name)) is not None}
    untrained = splits.get(RANDOM)
    if untrained is None:
        return ""
    for given in GIVEN:
        less = given in splits and held(splits[given].ruling, untrained.ruling).worse
        if less and held(splits[given].rest, untrained.rest).better:
            return f", and {given} play, which does better in the rest, is paid less of it than random play"
    against = _against_metric(survey, plays[RANDOM], untrained.ruling)
    if against:
        return against
    best = best_of({key: plays[key] for key in splits})
    if best == RANDOM or not held(plays[best].returns, plays[RANDOM].returns).better:
        return ""
    dodges, improves = (held(one, other) for one, other in zip(splits[best], untrained, strict=True))
    penalty = all(_never_pays(play, name) for play in plays.values())
    if penalty and share >= crushing and dodges.better and not improves.better:
        return f", and {best} play, the best policy found, only dodges it and does no better in anything else"
    if not dodges.better and improves.better and _share_in(plays[best], name) > alert:
        return f", and {best} play, the best policy found, improves the others and not this one"
    return ""


def _split(play: Play, name: str) -> _Split | None:
    shares = parts_of(play).shares
    ruling = shares.get(name)
    if ruling is None:
        told = play.components.get(name)
        if told is None or len(told) != len(play.rewards) or np.any(told):
            return None
        ruling = told
    rest = sum((values for key, values in shares.items() if key != name), np.zeros(len(play.rewards)))
    return _Split(summed(play, ruling), summed(play, rest))


def _never_pays(play: Play, name: str) -> bool:
    shares = parts_of(play).shares
    return name not in shares or float(shares[name].max()) <= 0.0


def _share_in(play: Play, name: str) -> float:
    variances = {key: float(values.var()) for key, values in parts_of(play).shares.items()}
    total = sum(variances.values())
    return variances.get(name, 0.0) / total if total > 0 else 0.0


def _against_metric(survey: Survey, play: Play, ruling: Array) -> str:
    for key, values in measured(survey, play):
        fine = np.isfinite(values)
        if int(fine.sum()) < 20:
            continue
        together = correlation(ruling[fine], values[fine])
        if together < -0.5 and beyond_chance(together, int(fine.sum())):
            return f", and it falls as '{key}' rises (correlation {together:.2f} over {int(fine.sum())} episodes)"
    return ""
