from __future__ import annotations

import numpy as np

from weaklink.base.evidence.performance import Performance
from weaklink.base.evidence.run import Run
from weaklink.base.evidence.series import Series
from weaklink.base.stats import find_departure, find_lasting_above, level, trend
from weaklink.judge.rules._allowance import compute_largest_value, find_extreme
from weaklink.judge.rules._course import start_of
from weaklink.judge.rules._critic import keeps_to_zero, never_learned
from weaklink.judge.rules.writing import HIGH, MEDIUM, Answer, CannotTell, Evidence, Finding, Level, Link, rule

# points of a curve that is judged over most of the run
FEWEST_POINTS = 30

# points that begin at the largest return of all, each of them that return exactly
FIRST = 3

# of the largest value that the rewards allow: errors below are small, however much they have grown
SMALL = 0.001

# of the run: a loss that diverges beyond any value ends in NaN soon after
SOON = 0.1

# of the root of the value loss: its gradient at the bias of the last layer alone is about that root
OF_ROOT = 0.1

# of its largest: a norm that is logged after it was clipped lies at its limit mostly
AT_LIMIT = 0.9

# every return that a log may tell, and how many times the largest of them values end beyond
EXTREMES = ("reward.episode_return", "reward.episode_return_min", "reward.episode_return_max")
AWAY = 3.0

# residual variance up to here is that of a constant prediction, noise included
NO_WORSE = 1.05


@rule(
    "VAL304",
    link=Link.VALUE,
    level=Level.WARN,
    needs=(("value.residual_variance", "value.explained_variance", "value.loss", "value.q_loss"),),
    leads_to=("VAL302", "VAL303", "RET301", "POL305", "EXP303", "REW301", "REW302", "REW303", "REW304"),
    tree=1,
    symptoms={"reward flat": 7, "about as good as random": 6, "q-values diverge": 3},
    checks={"critic": "decides"},
    experiment="the critic alone",
)
def critic_not_learning(run: Run, *, residual: float = 0.95, share: float = 0.7, growth: float = 10.0) -> Answer:
    """The critic does not learn to predict the returns.

    ## What it sees
    The residual variance (1 minus explained variance) stays near 1 for most of the run while the return does not
    improve. Or the value loss grows to ten times its early level and stays there while the return falls, or, under a
    flat return, to a hundred times and beyond the square of the largest value that the rewards allow. Or the loss and
    the size of the values rise all the time, to ten times the square of the largest return and three times that return,
    while no return improves. Errors below a
    thousandth of that value are small, whatever their growth. Whatever the return does: explained variance about 0 and
    a value loss that was never below its first value, beside a norm of the gradient that is less than a tenth of the
    root of that loss; without the norm this is info, and the run is not called healthy. Or the mean value stays at 0,
    beside an explained variance of 0, a loss that tells of errors many times as large, and returns that are all above
    or all below 0.

    ## Why it is bad
    Without a useful baseline advantages are plain returns, with high variance. A value loss that diverges means that
    its targets diverge.

    ## What to do
    1. Check the size of the returns: a critic starts near 0 and hardly reaches targets in the thousands.
    2. Check that gradients reach the value head (no detach, parameters in the optimizer, a value coefficient above 0)
       and that values and targets have the same shape in the loss.
    3. Check done masks and bootstrapping in the targets.
    4. Give the critic a separate learning rate and more updates.

    ## How to prove it
    Freeze the policy, take one fixed rollout and train only the critic on its returns: if it cannot fit them, the
    fault is in the critic or in its targets. `weaklink confirm VAL304 my_project.py` does this.

    ## When it is wrong
    Sparse tasks have no variance to explain before the first success, and value losses grow with growing returns. So
    the rule asks for a return that does not improve, over most of the run, or for a gradient that is too small to be
    that of the value loss. A norm of the actor's gradient alone is small by right.

    ## References
    Jones, Debugging RL, Without the Agonizing Pain, 2021 (residual variance).
    """
    course = run.performance
    if course is None:
        return CannotTell(("reward.episode_return",), "no return or success rate to compare with")
    if keeps_to_zero(run):
        return _find_at_zero(run, course)
    if course.improved:
        return _find_no_gradient(run, course) if never_learned(run) else None
    return (
        _find_no_fit(run, course, residual, share)
        or _find_diverging_loss(run, course, growth)
        or _find_way_off(run, course, growth)
    )


def _find_at_zero(run: Run, course: Performance) -> Finding:
    """A critic whose mean stays at nothing although all returns lie on one side of it."""
    values, loss = run["value.mean"], run["value.loss"]
    furthest, error = float(np.abs(values.values).max()), level(loss.values) ** 0.5
    return Finding(
        message=f"{values.name} is never further than {furthest:.2g} from 0 and explained variance stays at "
        f"{level(run['value.explained_variance'].values):.2g}, although {loss.name} means an error of {error:.3g} and "
        f"all returns have the same sign: the critic is not being trained, and {course.told}.",
        onset=values.first_step,
        onset_within=values.last_step - values.first_step,
        confidence=HIGH,
        evidence=(Evidence(metric=values.name, value=furthest, limit=error, step=values.last_step),),
    )


def _find_no_gradient(run: Run, course: Performance) -> Finding:
    """A critic that never learned although the return improves; a break where its loss does not reach the weights."""
    explained, loss, norm = run["value.explained_variance"], run["value.loss"], run.get("optimizer.gradient_norm")
    limit = OF_ROOT * level(loss.values) ** 0.5
    known = norm is not None and level(norm.values) < AT_LIMIT * float(norm.highs.max())
    unreached = known and norm is not None and level(norm.values) < limit
    told = f", and a gradient norm of {level(norm.values):.2g} is not that of such a loss" if unreached and norm else ""
    return Finding(
        message=f"{explained.name} stays at {level(explained.values):.2g} and {loss.name} goes from "
        f"{float(loss.values[0]):.3g} to {level(loss.values[-5:]):.3g} without ever falling{told}; {course.told}.",
        level=Level.WARN if unreached else Level.INFO,
        onset=explained.first_step,
        onset_within=explained.last_step - explained.first_step,
        confidence=MEDIUM,
        evidence=(
            Evidence(metric=explained.name, value=level(explained.values), limit=0.1, step=explained.first_step),
            *([Evidence(metric=norm.name, value=level(norm.values), limit=limit)] if unreached and norm else []),
        ),
    )


def _find_no_fit(run: Run, course: Performance, residual: float, share: float) -> Finding | None:
    explained, left = run.get("value.explained_variance"), run.get("value.residual_variance")
    series = left or explained
    if series is None or len(series) < FEWEST_POINTS:
        return None
    values = series.values if left is not None else 1.0 - series.values
    # VAL301 judges a critic that is worse than a constant; returns that never vary leave nothing to explain
    inside = values[(values > residual) & (values < NO_WORSE)]
    if len(inside) < share * len(values) or course.best == course.lowest or _begins_at_ceiling(run, course):
        return None
    step, shown = series.first_step, level(series.values)
    return Finding(
        message=f"{series.name} stays at {shown:.2g} over {len(series)} points: the critic predicts no better than the "
        f"mean, and {course.told}.",
        onset=step,
        onset_within=series.last_step - step,  # a critic that never learned has no onset
        confidence=HIGH if len(inside) > 0.9 * len(values) else MEDIUM,
        evidence=(
            Evidence(metric=series.name, value=shown, limit=residual if left is not None else 1 - residual, step=step),
        ),
    )


def _begins_at_ceiling(run: Run, course: Performance) -> bool:
    """Whether all episodes earn one return at first and never more, as where a solved policy is trained on: they leave
    a critic nothing to explain."""
    returns = run[course.metric].values
    return len(returns) > FIRST and bool(np.all(returns[:FIRST] == returns.max()))


def _find_way_off(run: Run, course: Performance, growth: float) -> Finding | None:
    """A critic that moves away from its targets all the time: no return changed so much as values and their loss."""
    loss, values = run.get("value.loss", "value.q_loss"), run.get("value.mean", "value.q_mean")
    returns = [run[name] for name in EXTREMES if name in run]
    if loss is None or values is None or not returns or min(len(loss), len(values)) < FEWEST_POINTS:
        return None
    size = np.abs(values.values)
    largest = max(find_extreme(series) for series in returns)
    rising = all(trend(part).monotone and trend(part).rises for part in (loss.values, size))
    now, early = level(loss.values[-max(len(loss) // 5, 5) :]), start_of(loss.values)
    if not rising or now < growth * max(early, largest * largest) or level(size[-5:]) < AWAY * largest:
        return None
    return Finding(
        message=f"{loss.name} rises all the time, from {early:.3g} to {now:.3g}, with {values.name}, which reaches "
        f"{level(values.values[-5:]):.3g} where no return was beyond {largest:.3g}; {course.told}: the critic moves "
        "away from its targets.",
        onset=loss.first_step,
        onset_within=loss.interval,
        confidence=MEDIUM,
        evidence=(
            Evidence(metric=loss.name, value=now, limit=growth * max(early, largest * largest), step=loss.last_step),
            Evidence(metric=values.name, value=level(values.values[-5:]), limit=largest, step=values.last_step),
        ),
    )


def _find_diverging_loss(run: Run, course: Performance, growth: float) -> Finding | None:
    loss: Series | None = run.get("value.loss", "value.q_loss")
    if loss is None or len(loss) < FEWEST_POINTS or not course.stuck:
        return None
    early = level(loss.values[: max(len(loss) // 5, 5)])
    largest = compute_largest_value(run) or 0.0
    if course.declined:
        limit = max(growth * max(early, 1e-12), SMALL * largest * SMALL * largest)
    else:
        limit = max(growth * growth * max(early, 1e-12), largest * largest)
    held = find_lasting_above(loss.values, limit, window=0.2 if course.declined else SOON)
    if held is None or (not course.declined and not (largest and held.to_end)):
        return None
    step = float(loss.steps[find_departure(loss.values, held.start)])
    return Finding(
        message=f"{loss.name} grows from {early:.3g} to {held.level:.3g} from step {step:,.0f} on and stays there, "
        f"while {course.told}.",
        onset=step,
        onset_within=loss.interval,
        confidence=MEDIUM,
        evidence=(Evidence(metric=loss.name, value=held.level, limit=limit, step=step),),
    )
