from __future__ import annotations

from weaklink.base.evidence.run import Run
from weaklink.base.proving import ENTROPY, RETURN_RISES, RISES, Change, Intervention, Promise
from weaklink.base.stats import find_lasting_below
from weaklink.judge.rules._course import FEWEST, has_improved, measure_gain_before, tell_unsolved
from weaklink.judge.rules.writing import (
    HIGH,
    MEDIUM,
    Answer,
    BareLimit,
    CannotTell,
    Evidence,
    Finding,
    Level,
    Link,
    rule,
)

# A policy that had made this much of its gain before it became deterministic was on a good way
MOSTLY_LEARNED = 0.3


@rule(
    "EXP301",
    link=Link.EXPLORATION,
    level=Level.WARN,
    needs=(("exploration.relative_entropy", "exploration.entropy"),),
    leads_to=("POL302", "POL308", "VAL301", "VAL304", "VAL307", "REW301", "REW302", "REW304", "EXP302"),
    tree=2,
    symptoms={"reward flat": 6, "reward plateaus": 3, "reward declines": 1, "entropy collapsed": 1},
    checks={"exploration": "decides"},
    experiment=Intervention(
        change=Change(setting="ent_coef", to=0.02),
        promise=Promise(metrics=ENTROPY, then=RISES, level=0.1),
        if_confirmed="Too little held exploration up: keep the entropy bonus.",
        if_refuted="The bonus does not hold the entropy: the step is too large or the advantages push one action. "
        "Look at the KL.",
        also=(RETURN_RISES,),
    ),
    alert=BareLimit(
        side="below",
        limit=0.01,
        metrics=("exploration.entropy", "entropy", "entropy_proxy"),
        meaning="the policy may have stopped exploring",
    ),
)
def entropy_collapse(run: Run, *, limit: float = 0.01, early: float = 0.25) -> Answer:
    """The policy became deterministic before it learned anything good.

    ## What it sees
    Entropy (relative to its maximum where that is known) falls below 0.01 and stays there, and the return is poor: it
    does not improve, it falls, nearly all of its gain was still to come when the policy stopped exploring, or hardly
    any episode reaches the goal, no more than at first.

    ## Why it is bad
    A deterministic policy sees only the results of what it already does. It cannot find better actions, and without
    variation in its actions the gradient has nothing to compare.

    ## What to do
    1. Find out what came first: too large an update (KL, clip fraction), or rewards that drown the entropy bonus.
    2. Raise the entropy coefficient to 0.01-0.03 and lower the learning rate.
    3. Roll back to the last checkpoint that still had entropy.

    ## How to prove it
    Repeat a short run with the entropy coefficient at 0.02 and nothing else changed: entropy must stay above a tenth of
    its maximum and the return must be better. `weaklink confirm EXP301 my_project.py` does this.

    ## When it is wrong
    A solved task may well end with a deterministic policy. The entropy of continuous actions is differential and may be
    negative, so their standard deviation is judged instead. Language models work at low token entropy: there the rule
    asks for a fall to a hundredth of the start.

    ## References
    Jones, Debugging RL, Without the Agonizing Pain, 2021 (relative policy entropy).
    """
    relative = run.get("exploration.relative_entropy")
    entropy = relative or run["exploration.entropy"]
    if len(entropy) < FEWEST:
        return CannotTell((entropy.name,), f"fewer than {FEWEST} points")
    if relative is None and (run.get("exploration.action_std") is not None or entropy.lows.min() < -1e-6):
        return CannotTell(("exploration.relative_entropy",), "differential entropy has no lower limit")
    bound = limit * float(entropy.values[0]) if run.family == "language" else limit
    held = find_lasting_below(entropy.values, bound)
    if held is None or not held.to_end:
        return None
    step = float(entropy.steps[held.start])
    harm = _describe_harm(run, step, early)
    if harm is None:
        return None
    return Finding(
        message=f"{entropy.name} stays at {held.level:.2g} from step {step:,.0f} on (limit {bound:.2g}), and {harm}.",
        onset=step,
        onset_within=entropy.interval,
        confidence=MEDIUM if has_improved(run) else HIGH,
        evidence=(Evidence(metric=entropy.name, value=held.level, limit=bound, step=step),),
    )


def _describe_harm(run: Run, step: float, early: float) -> str | None:
    """What became of the return; None where a good policy had simply finished exploring."""
    course = run.performance
    if course is None:
        return None
    if not course.improved:
        return course.told
    if unsolved := tell_unsolved(run):
        return unsolved
    series = run[course.metric]
    if run.progress(series.name, step) > early:
        return None
    gained = measure_gain_before(run, step)
    if gained > MOSTLY_LEARNED:
        return None
    return f"only {max(gained, 0):.0%} of the gain in {course.metric} had been made by then"
