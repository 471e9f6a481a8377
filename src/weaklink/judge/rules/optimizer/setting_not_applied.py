from __future__ import annotations

from collections.abc import Iterator

from weaklink.base.evidence.recovered import STATE_VALUES, RecoveredUpdate, RecoveredValues
from weaklink.base.evidence.rollout import Rollout
from weaklink.base.finding import answer_with
from weaklink.judge.rules.writing import HIGH, MEDIUM, Answer, CannotTell, Evidence, Finding, Level, Link, rule

# rates are read to at least four digits where the rewards are known as they are, and to two behind a running scale
RATE = 1e-3

# another gamma is one whose horizon, 1 / (1 - gamma), differs by more than this share
HORIZON = 0.1

# targets of up to so many steps have a power of gamma
LONGEST_STEPS = 20

# the interval in which clipping begins must be known this well
NARROW = 0.05

# schedules lower coefficients and early stopping saves epochs; neither makes more of them than was set
MORE = 1.25


@rule(
    "OPT203",
    link=Link.OPTIMIZER,
    level=Level.WARN,
    on=Rollout,
    needs=("recovered",),
    leads_to=("VAL301", "VAL302", "POL301", "POL302", "POL303", "EXP303", "REW302", "REW304"),
)
def setting_not_applied(rollout: Rollout, *, more: float = MORE) -> Answer:
    """The update does something else than the trainer was set to.

    ## What it sees
    What the update itself shows, read off its gradients, beside the hyper-parameters: the gamma and lambda that make
    its targets, the distance of the ratio from 1 at which rows lose their weight, the weight of the entropy bonus, and
    how often a row was learned from. Of a loop by hand, the hyper-parameters are those in its own variables while it
    steps its optimizer: constants, arguments, attributes and configurations under their usual names; one that is found
    with two numbers is left out. Reported are another gamma or lambda, and the others where they are `more` times
    what was set.

    ## Why it is bad
    Every experiment on that setting compares something else than its name says.

    ## What to do
    1. Follow the setting from the command line to the line that uses it; a default often wins on the way.
    2. Check the order of arguments: gamma and lambda are easily swapped.

    ## How to prove it
    Set it to an extreme value, such as a gamma of 0: the targets must then equal the rewards.

    ## When it is wrong
    Schedules lower a clip range and an entropy coefficient with time and early stopping saves epochs, so less than what
    was set is not reported. A critic may have targets of its own: lambda 1 and 0 are right, and so is a power of gamma
    for targets of several steps. A variable of a usual name that has nothing to do with this update.

    ## References
    Henderson et al., Deep reinforcement learning that matters (2018); Engstrom et al., Implementation matters in deep
    policy gradients (2020).
    """
    part = rollout.recovered
    if part is None or not part.settings:
        return CannotTell(("settings",), "the hyper-parameters are not known")
    found = list(_compare(part, more))
    if not found:
        return CannotTell(("recovered",), "nothing that was set could be read off the update")
    return answer_with(each for each in found if each is not None)


def _compare(part: RecoveredUpdate, more: float) -> Iterator[Finding | None]:
    """One answer for each setting that could be compared."""
    gamma, lam = part.settings.get("gamma"), part.settings.get("gae_lambda")
    surely = "gamma" not in part.variables
    for critic in part.values:
        # nothing bootstrapped at all is not another gamma but another target
        if gamma is not None and critic.gamma is not None and critic.soft is None and critic.gamma > RATE:
            yield _compare_gamma(critic, gamma, surely=surely)
        if lam is not None and critic.lam is not None and critic.kind == STATE_VALUES:
            yield _compare_lambda(critic, lam)
    clip, bonus = part.settings.get("clip_range"), part.settings.get("entropy_coefficient")
    for policy in part.policies:
        seen = policy.clip_range
        if clip is not None and seen is not None and seen[1] - seen[0] < NARROW and (policy.correlation or 0.0) > 0.9:
            yield _describe("clip range", clip, seen[0], Link.POLICY, more) if seen[0] > more * clip else None
        if bonus is not None and policy.entropy_weight is not None and (policy.unexplained or 0.0) < RATE:
            weight = policy.entropy_weight
            over = weight > more * max(bonus, RATE)
            yield _describe("entropy coefficient", bonus, weight, Link.EXPLORATION, more) if over else None
    epochs = part.settings.get("epochs")
    if epochs is not None and part.epochs is not None:
        yield _describe("epochs", epochs, part.epochs, Link.DATA, more) if part.epochs > more * epochs else None


def _compare_gamma(critic: RecoveredValues, gamma: float, *, surely: bool) -> Finding | None:
    seen = critic.gamma or 0.0
    right = [gamma] if critic.kind == STATE_VALUES else [gamma**steps for steps in range(1, LONGEST_STEPS + 1)]
    if any(abs(seen - each) <= max(RATE, HORIZON * (1.0 - each)) for each in right):
        return None
    # a variable of that name may be another one's
    return _describe("gamma", gamma, seen, Link.RETURNS, None, Level.ERROR if surely else Level.WARN)


def _compare_lambda(critic: RecoveredValues, lam: float) -> Finding | None:
    seen = critic.lam or 0.0
    if any(abs(seen - each) <= 10 * RATE for each in (lam, 1.0, 0.0)):
        return None
    return _describe("lambda", lam, seen, Link.RETURNS, None)


def _describe(
    name: str, was_set: float, seen: float, link: Link, more: float | None, level: Level = Level.WARN
) -> Finding:
    return Finding(
        message=f"The {name} was set to {was_set:g}, but the update shows {seen:.4g}.",
        link=link,
        level=level,
        confidence=HIGH if more is None else MEDIUM,
        evidence=(Evidence(metric=name, value=seen, limit=was_set if more is None else more * was_set),),
    )
