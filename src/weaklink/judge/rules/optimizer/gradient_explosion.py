from __future__ import annotations

from weaklink.base.evidence.run import Run
from weaklink.base.evidence.series import Series
from weaklink.base.proving import FALLS, Change, Intervention, Promise
from weaklink.base.stats import find_lasting_above, level
from weaklink.judge.rules._course import FEWEST, has_improved
from weaklink.judge.rules.writing import (
    HIGH,
    LOW,
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

# times its first level: gradients that add up from update to update, or that nothing brings back
GROWN = 10.0


@rule(
    "OPT301",
    link=Link.OPTIMIZER,
    level=Level.ERROR,
    needs=(("optimizer.gradient_norm", "optimizer.critic_gradient_norm"),),
    leads_to=(
        "OPT300",
        "OPT303",
        "OPT305",
        "EXP301",
        "VAL301",
        "VAL302",
        "VAL304",
        "POL301",
        "POL303",
        "POL307",
        "REW303",
        "REW304",
    ),
    tree=3,
    symptoms={"nan": 2},
    checks={"gradients and numbers": "decides"},
    experiment=Intervention(
        change=Change(setting="reward_scale", times=0.01),
        promise=Promise(metrics=("optimizer.gradient_norm", "optimizer.critic_gradient_norm"), then=FALLS),
        if_confirmed="The size of the rewards made the gradient explode: scale or normalise them.",
        if_refuted="The gradient is as large with small rewards: look at the loss, the targets and the learning rate.",
    ),
    alert=BareLimit(
        side="above",
        limit=1e4,
        metrics=("optimizer.gradient_norm", "grad_norm", "actor_grad_norm"),
        meaning="the gradient explodes",
    ),
    marks=("settled at once",),
)
def gradient_explosion(
    run: Run, *, limit: float = 1e4, growth: float = 100.0, usual_low: float = 0.01, usual_high: float = 10.0
) -> Answer:
    """Gradient norms are thousands of times larger than usual.

    ## What it sees
    The gradient norm before clipping stays above 10,000, or grows to a hundred times its early level while the return
    falls, or to ten times its first level and above 1,000 while it does not rise. A norm that is merely outside 0.01 to
    10 is only information.

    ## Why it is bad
    If it is clipped, the largest loss term, mostly the critic's, decides the direction of every step. If it is not
    clipped, it ruins the parameters at once.

    ## What to do
    1. Scale the rewards so that returns lie within [-3, 3].
    2. Clip the gradient norm to 0.5 (10 for Q-learning) and lower the learning rate.
    3. For SAC use spectral normalisation in the critic; for recurrent policies shorten the sequences.

    ## How to prove it
    Repeat a short run with all rewards divided by 100: if the norm falls by as much, the reward scale was the cause.
    `weaklink confirm OPT301 my_project.py` does this.

    ## When it is wrong
    Single spikes that clipping absorbs do no harm. If the return improves all the same, this is only information.

    ## References
    Pascanu et al., On the Difficulty of Training Recurrent Neural Networks, 2013.
    """
    norm = run.get("optimizer.gradient_norm", "optimizer.critic_gradient_norm")
    assert norm is not None
    if len(norm) < FEWEST:
        return CannotTell((norm.name,), f"fewer than {FEWEST} points")
    improving = has_improved(run)
    declined = run.performance is not None and run.performance.declined
    early = level(norm.values[: max(len(norm) // 5, 3)])
    if declined and early > 0:
        limit = min(limit, max(growth * early, usual_high * 10))
    elif run.performance is not None and not improving and _has_grown(norm):
        limit = min(limit, usual_high * 100)
    held = find_lasting_above(norm.highs, limit, window=0.1 if declined else 0.2)
    if held is None:
        return _find_unusual(norm, usual_low, usual_high)
    step = float(norm.steps[held.start])
    return Finding(
        message=f"{norm.name} stays at {held.level:.3g} from step {step:,.0f} on (limit {limit:g}).",
        onset=step,
        onset_within=norm.interval,
        level=Level.INFO if improving else Level.ERROR,
        confidence=MEDIUM if improving else HIGH,
        evidence=(Evidence(metric=norm.name, value=held.level, limit=limit, step=step),),
    )


def _has_grown(norm: Series) -> bool:
    """Whether the norm left its first level for good, by an order of magnitude."""
    return level(norm.values[len(norm) // 2 :]) > GROWN * level(norm.values[:3])


def _find_unusual(norm: Series, usual_low: float, usual_high: float) -> Finding | None:
    """A median outside the usual range, without any further sign."""
    usual = level(norm.values)
    if usual_low <= usual <= usual_high or usual == 0:
        return None
    return Finding(
        message=f"{norm.name} has a median of {usual:.3g}, outside the usual {usual_low:g} to {usual_high:g}.",
        level=Level.INFO,
        confidence=LOW,
        onset=norm.first_step,
        onset_within=norm.interval,
        evidence=(Evidence(metric=norm.name, value=usual, limit=usual_high if usual > usual_high else usual_low),),
    )
