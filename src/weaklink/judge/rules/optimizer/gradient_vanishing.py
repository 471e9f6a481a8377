from __future__ import annotations

from weaklink.base.evidence.run import Run
from weaklink.base.stats import find_lasting_below, level
from weaklink.judge.rules._course import FEWEST, has_improved
from weaklink.judge.rules.writing import HIGH, MEDIUM, Answer, CannotTell, Evidence, Finding, Level, Link, rule


@rule(
    "OPT302",
    link=Link.OPTIMIZER,
    level=Level.WARN,
    needs=(("optimizer.gradient_norm", "optimizer.critic_gradient_norm"),),
    leads_to=("POL302", "POL308", "VAL304", "EXP303", "REW301", "REW302"),
    tree=3,
    symptoms={"reward flat": 9, "about as good as random": 3},
    checks={"gradients and numbers": "fails"},
)
def gradient_vanishing(run: Run, *, limit: float = 1e-6) -> Answer:
    """No gradient reaches the network.

    ## What it sees
    The gradient norm stays below one millionth although there is something to learn: the return does not improve and,
    for groups of completions, rewards do differ. Or the norm of the critic alone is exactly zero in every row although
    its loss is not, whatever the return does.

    ## Why it is bad
    Parameters do not move. All other curves are those of an untrained network.

    ## What to do
    1. Look for a detach, a no_grad or a conversion to numpy between the parameters and the loss.
    2. Check that the parameters are in the optimizer and require gradients (frozen layers, adapters that were never
       enabled).
    3. Replace saturated activations: inputs far outside [-10, 10] make tanh and sigmoid flat.

    ## How to prove it
    Take one batch, call backward once and list the parameters whose gradient is None or zero: the first of them along
    the network is where the gradient stops.

    ## When it is wrong
    A solved task, a collapsed policy and groups of equal rewards rightly have no gradient; other rules report those.

    ## References
    Glorot and Bengio, Understanding the Difficulty of Training Deep Feedforward Neural Networks, 2010.
    """
    critic = _find_dead_critic(run)
    if critic is not None:
        return critic
    norm = run.get("optimizer.gradient_norm", "optimizer.critic_gradient_norm")
    assert norm is not None
    if len(norm) < FEWEST:
        return CannotTell((norm.name,), f"fewer than {FEWEST} points")
    held = find_lasting_below(norm.values, limit)
    if held is None or has_improved(run):
        return None
    spread = run.get("reward.group_std", "reward.std")
    if run.family == "language" and (spread is None or level(spread.values) < 1e-6):
        return CannotTell(("reward.group_std",), "where all rewards are equal there is rightly no gradient")
    step = float(norm.steps[held.start])
    return Finding(
        message=f"{norm.name} stays at {held.level:.2g} from step {step:,.0f} on (limit {limit:g}).",
        onset=step,
        onset_within=norm.interval,
        confidence=HIGH if run.performance is not None else MEDIUM,
        evidence=(Evidence(metric=norm.name, value=held.level, limit=limit, step=step),),
    )


def _find_dead_critic(run: Run) -> Finding | None:
    """The finding, if the critic never has a gradient although its loss asks for one; an actor may improve without."""
    norm, loss = run.get("optimizer.critic_gradient_norm"), run.get("value.loss", "value.q_loss")
    if norm is None or loss is None or min(len(norm), len(loss)) < FEWEST or float(norm.highs.max()) != 0.0:
        return None
    if float(norm.lows.min()) != 0.0 or float(loss.lows.min()) <= 0.0:
        return None
    return Finding(
        message=f"{norm.name} is exactly 0 in all {len(norm)} rows, while {loss.name} is never below "
        f"{float(loss.lows.min()):.3g}: the critic's loss does not reach its parameters.",
        link=Link.VALUE,
        onset=norm.first_step,
        onset_within=norm.interval,
        confidence=HIGH,
        evidence=(Evidence(metric=norm.name, value=0.0, step=norm.first_step),),
    )
