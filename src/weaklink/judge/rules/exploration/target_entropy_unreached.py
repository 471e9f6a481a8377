from __future__ import annotations

from weaklink.base.evidence.run import Run
from weaklink.base.stats import level, mann_kendall
from weaklink.judge.rules._course import FEWEST, start_of
from weaklink.judge.rules._suspicions import BEARS_OUT
from weaklink.judge.rules.writing import HIGH, Answer, CannotTell, Evidence, Finding, Level, Link, rule

# mann-Kendall's tau of a temperature that only grows
STEADY = 0.9


@rule(
    "EXP312",
    link=Link.EXPLORATION,
    level=Level.WARN,
    needs=("exploration.temperature", "exploration.entropy"),
    leads_to=(*BEARS_OUT, "EXP307"),
    checks={"exploration": "fails"},
)
def target_entropy_unreached(run: Run, *, times: float = 3.0, short: float = 1.0) -> Answer:
    """The temperature grows and grows for an entropy that no policy has.

    ## What it sees
    The configured target entropy lies at least one nat above all that the entropy ever was, and the temperature rises
    steadily to more than three times its start.

    ## Why it is bad
    The entropy of actions within bounds has a maximum: log(2) for each dimension from -1 to 1, log(n) for n choices.
    Above it the temperature grows for ever, until values hold nothing but the entropy bonus and the policy is random.

    ## What to do
    1. Set the target to minus the number of action dimensions; for n choices to a share of log(n).
    2. A positive target for continuous actions is mostly a missing minus.

    ## How to prove it
    Repeat a short run with the usual target: the temperature must settle.

    ## When it is wrong
    A policy that has collapsed far below its target is brought back by a growing temperature; its entropy then rises
    towards the target, which a target that it has met before shows.

    ## References
    Haarnoja et al., Soft Actor-Critic Algorithms and Applications, 2018, section 5.
    """
    temperature, entropy = run["exploration.temperature"], run["exploration.entropy"]
    target = run.config.number("target_entropy")
    if target is None:
        return CannotTell(("target_entropy",), "no target entropy is configured")
    if min(len(temperature), len(entropy)) < FEWEST:
        return CannotTell((temperature.name,), f"fewer than {FEWEST} points")
    highest = float(entropy.highs.max())
    start, end = start_of(temperature.values), level(temperature.values[-max(len(temperature) // 10, 3) :])
    if target < highest + short or end < times * start or mann_kendall(temperature.values)[0] < STEADY:
        return None
    return Finding(
        message=f"The target entropy is {target:g}, and the entropy never was above {highest:.3g}: the temperature "
        f"grows from {start:.3g} to {end:.3g} and cannot settle.",
        onset=temperature.first_step,
        onset_within=temperature.interval,
        confidence=HIGH,
        evidence=(
            Evidence(metric=entropy.name, value=highest, limit=target, step=entropy.last_step),
            Evidence(metric=temperature.name, value=end, limit=times * start, step=temperature.last_step),
        ),
    )
