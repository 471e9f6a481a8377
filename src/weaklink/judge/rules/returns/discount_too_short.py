from __future__ import annotations

from weaklink.base.evidence.run import Run
from weaklink.base.stats import level
from weaklink.judge.rules.writing import HIGH, MEDIUM, Answer, CannotTell, Evidence, Finding, Level, Link, rule

# a horizon of two steps or less, a tenth of an episode at most: no usual discount is below a half
MYOPIC, TENTH = 2.0, 0.1

# a horizon of a step and a half that is so small a share of an episode sees no future that the task could have: what
# rises all the same is what the next reward alone teaches
BLIND, HARDLY = 1.5, 0.075


@rule(
    "RET102",
    link=Link.RETURNS,
    level=Level.WARN,
    needs=("task.episode_length",),
    leads_to=(
        "RET302", "VAL301", "VAL302", "VAL304", "VAL305", "OPT302", "EXP301", "EXP303", "POL308", "REW301", "REW302",
        "REW304", "TSK301",
    ),
    symptoms={"reward flat": 4, "about as good as random": 3},
)  # fmt: skip
def discount_too_short(run: Run, *, share: float = 0.02, fewest: float = 2.0) -> Answer:
    """The discount looks at a small part of an episode only.

    ## What it sees
    The discount that was set, or that targets show where updates were read: gamma is 0 although episodes have two steps
    or more, or its horizon, 1 / (1 - gamma) steps, is at most two and at most a tenth of an episode while the return
    does not improve, or was set to at most one and a half and a thirteenth. A horizon below a fiftieth is info.

    ## Why it is bad
    With a gamma of 0 every action is judged by its own reward alone: nothing that it leads to is ever credited to it.
    Values then equal rewards, the critic fits them at once, and the losses look excellent.

    ## What to do
    1. Choose gamma from the number of steps after which an action still matters: 1 / (1 - gamma), so 0.99 for 100.
    2. If the task is a bandit, end the episode after each decision.

    ## How to prove it
    Train twice for a short time with the same seed, as configured and with gamma = 0.99: the second must rise above the
    first.

    ## When it is wrong
    A task whose decisions are independent of one another, kept in one long episode, needs no future.

    ## References
    Sutton and Barto, Reinforcement Learning: An Introduction, 2018, section 3.3.
    """
    gamma = _read_gamma(run)
    if gamma is None or not 0.0 <= gamma < 1.0 or run.family == "language":
        return CannotTell(("gamma",), "no discount is configured")
    length = level(run["task.episode_length"].values)
    horizon = 1.0 / (1.0 - gamma)
    learns = run.performance is None or not run.performance.stuck  # what is not known is not held against it
    estimated = "returns.gamma" in run  # where updates were read
    short = horizon <= (min(BLIND, HARDLY * length) if learns else min(MYOPIC, TENTH * length))
    blind = (gamma == 0.0 and length >= fewest) or (short and not (learns and estimated))
    if not blind and horizon >= share * length:
        return None
    told = f"{horizon:.3g} of the {length:,.0f} steps of an episode"
    return Finding(
        message=f"With gamma {gamma:.4g} an action is judged by {told}"
        + (": by its own reward and next to nothing that follows." if blind else "."),
        level=Level.WARN if blind else Level.INFO,
        confidence=HIGH if blind else MEDIUM,
        evidence=(Evidence(metric="gamma", value=gamma, limit=1.0 - 1.0 / max(share * length, fewest)),),
    )


def _read_gamma(run: Run) -> float | None:
    """The discount that targets show where updates were read, else the one that was set."""
    shown = run.get("returns.gamma")
    return run.config.number("gamma") if shown is None else level(shown.values)
