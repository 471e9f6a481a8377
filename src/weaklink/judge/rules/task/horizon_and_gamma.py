from __future__ import annotations

from weaklink.base.evidence.survey import CUT, POLICY, RANDOM, Survey
from weaklink.base.stats import level as middle
from weaklink.judge.rules.task._standing import read_returns, select_recorded
from weaklink.judge.rules.writing import LOW, MEDIUM, Answer, CannotTell, Evidence, Finding, Level, Link, rule

# usual discounts of short and long episodes: horizons of 20 to 50 and of 100 to 200 steps
SHORT = (0.95, 0.98)
LONG = (0.99, 0.995)

# over fewer steps even a discount of 0.95 keeps 60 % of a reward, so a higher one changes little
TOO_SHORT_TO_MATTER = 10

FEWEST = 3  # episodes that are enough for a median length


@rule("TSK107", link=Link.TASK, level=Level.INFO, on=Survey, needs=(RANDOM,), leads_to=("VAL304", "REW302"))
def horizon_and_gamma(survey: Survey, *, short: int = 100, long: int = 500) -> Answer:
    """The discount horizon is much longer, or much shorter, than an episode.

    ## What it sees
    A discount of gamma has a horizon of about 1 / (1 - gamma) steps. This is compared with the episode length of the
    best play: under 100 steps 0.95 to 0.98 is usual, over 500 steps 0.99 to 0.995, in between anything from 0.95 to
    0.995. Episodes of fewer than 10 steps are judged only where gamma is lower than that.

    ## Why it is bad
    A horizon that is shorter than the delay of the reward cannot see it: after five horizons less than a hundredth of
    it is left. A horizon that is much longer than an episode adds up noise from many steps, and the critic needs longer
    to converge.

    ## What to do
    1. Choose gamma so that 1 / (1 - gamma) is about the number of steps between a decision and its reward.
    2. If a long horizon is needed, repeat each action for several steps.
    3. Give the reward normaliser the same discount.

    ## How to prove it
    Train twice for a short time, with the current gamma and with the usual one for this length: the return must rise
    faster with the latter.

    ## When it is wrong
    0.99 is the default of most libraries and works for most tasks, short ones too: this is never a warning. What counts
    is the delay between action and reward, which may be much shorter than an episode. Gamma 1 is right for bandits and
    for language models.

    ## References
    Andrychowicz et al., What Matters In On-Policy Reinforcement Learning?, 2020; practice.
    """
    gamma = survey.config.number("gamma")
    if gamma is None or not 0.0 <= gamma <= 1.0:
        return CannotTell(("gamma",), "no discount between 0 and 1 is configured")
    name, length = _find_typical(survey)
    if not name:
        return CannotTell((RANDOM,), "no play has enough whole episodes")
    low = LONG[0] if length > long else SHORT[0]
    high = SHORT[1] if length < short else LONG[1]
    is_low = gamma < low
    if not is_low and (gamma <= high or length < TOO_SHORT_TO_MATTER):
        return None
    limit, sure = (low, MEDIUM) if is_low else (high, LOW)
    ahead = "infinitely far ahead" if gamma >= 1.0 else f"about {1 / (1 - gamma):,.0f} steps ahead"
    return Finding(
        message=f"A discount of {gamma:g} looks {ahead}, an episode of {name} lasts {length:,.0f}: "
        f"usual for that are {low:g} to {high:g}.",
        confidence=sure,
        evidence=(Evidence(metric="gamma", value=gamma, limit=limit),),
    )


def _find_typical(survey: Survey) -> tuple[str, float]:
    """The trained policy, or else the best baseline, and the median length of its episodes."""
    plays = {name: play for name, play in select_recorded(survey).items() if len(read_returns(play)) >= FEWEST}
    if not plays:
        return "", 0.0
    best = max(plays, key=lambda name: (name == POLICY, float(read_returns(plays[name]).mean())))
    return best, middle(plays[best].lengths[plays[best].ends != CUT])
