from __future__ import annotations

from weaklink.base.evidence.performance import Performance
from weaklink.base.evidence.run import Run
from weaklink.base.evidence.series import Series
from weaklink.base.finding import HIGH, MEDIUM, Answer, CannotTell, Evidence, Finding, Level
from weaklink.base.loop import Link
from weaklink.base.stats import lasting_above, level
from weaklink.judge.rules._registry import rule


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
    The residual variance (1 minus explained variance) stays near 1 for most of the run, or the value loss grows to
    many times its early level and stays there, while the return does not improve.

    ## Why it is bad
    A critic that knows nothing gives advantages that are mere returns: high in variance, blind to the state. A value
    loss that runs away means that its targets do.

    ## What to do
    1. Look at the size of the returns: a critic starts at 0 and cannot reach targets in the thousands.
    2. Check that gradients reach the value head (no detach, parameters in the optimizer, a value coefficient above 0)
       and that values and targets have the same shape in the loss.
    3. Check done masks and bootstrapping in the targets.
    4. Give the critic its own learning rate and more updates.

    ## How to prove it
    Freeze the policy, take one fixed rollout and train the critic alone on its returns: if it cannot fit them, the
    break is in the critic or in its targets. `weaklink confirm VAL304 my_project.py` does this.

    ## When it is wrong
    Sparse tasks before the first success have nothing to explain, and value losses grow with growing returns. The rule
    asks for a return that does not improve, over most of the run.

    ## References
    Jones, Debugging RL, Without the Agonizing Pain, 2021 (residual variance).
    """
    course = run.performance
    if course is None:
        return CannotTell(("reward.episode_return",), "no measure of success to compare with")
    if course.improved:
        return None
    return _blind(run, course, residual, share) or _diverging(run, course, growth)


def _blind(run: Run, course: Performance, residual: float, share: float) -> Finding | None:
    explained, left = run.get("value.explained_variance"), run.get("value.residual_variance")
    series = left or explained
    if series is None or len(series) < 30:
        return None
    values = series.values if left is not None else 1.0 - series.values
    # worse than a constant is another illness, and returns that never vary leave nothing to explain
    inside = values[(values > residual) & (values < 1.05)]
    if len(inside) < share * len(values) or course.best == course.lowest:
        return None
    step, shown = series.first_step, level(series.values)
    return Finding(
        message=f"{series.name} stays at {shown:.2g} over {len(series)} points: the critic predicts no better than the "
        f"mean, and {course.told}.",
        onset=step,
        onset_within=series.last_step - step,  # what never began to learn has no onset of its own
        confidence=HIGH if len(inside) > 0.9 * len(values) else MEDIUM,
        evidence=(
            Evidence(metric=series.name, value=shown, limit=residual if left is not None else 1 - residual, step=step),
        ),
    )


def _diverging(run: Run, course: Performance, growth: float) -> Finding | None:
    loss: Series | None = run.get("value.loss", "value.q_loss")
    if loss is None or len(loss) < 30 or not course.declined:
        return None
    early = level(loss.values[: max(len(loss) // 5, 5)])
    limit = growth * max(early, 1e-12)
    held = lasting_above(loss.values, limit)
    if held is None:
        return None
    step = float(loss.steps[held.start])
    return Finding(
        message=f"{loss.name} grows from {early:.3g} to {held.level:.3g} and stays there from step {step:,.0f} on, "
        f"while {course.metric} falls from {course.best:.4g} to {course.final:.4g}.",
        onset=step,
        onset_within=loss.interval,
        confidence=MEDIUM,
        evidence=(Evidence(metric=loss.name, value=held.level, limit=limit, step=step),),
    )
