from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from weaklink.base.evidence.run import Run
from weaklink.base.evidence.series import Array
from weaklink.base.proving import MEAN, RETURN_RISES, RISES, Change, Intervention, Promise
from weaklink.base.stats import find_lasting_below, level
from weaklink.judge.rules._course import FEWEST, has_improved
from weaklink.judge.rules._hyperparameters import read_positive
from weaklink.judge.rules.writing import LOW, MEDIUM, Answer, CannotTell, Evidence, Finding, Level, Link, rule

# below this share of its largest value a learning rate counts as annealed, and a low KL as its effect
ANNEALED = 0.2

# entropy, relative or in nats, of a policy that hardly ever samples another action
DETERMINISTIC = 0.02


@rule(
    "POL308",
    link=Link.POLICY,
    level=Level.INFO,
    on=Run,
    needs=("policy.kl",),
    leads_to=("POL302", "REW301", "EXP303"),
    symptoms={"reward plateaus": 5},
    experiment=Intervention(
        change=Change(setting="learning_rate", times=3.0),
        promise=Promise(metrics=("policy.kl",), then=RISES, measure=MEAN),
        if_confirmed="The step was smaller than it need be: the larger learning rate moves the policy.",
        if_refuted="The policy does not move with the rate: look at advantages, gradient clipping and a target KL.",
        also=(RETURN_RISES,),
    ),
)
def kl_very_low(run: Run, *, share_of_target: float = 0.1, least: float = 1e-4) -> Answer:
    """The policy hardly moves: the learning rate could be higher.

    ## What it sees
    For half of the run the KL stays under a tenth of its target, or under 0.0001 where no target is known, while the
    learning rate is not yet annealed and the return does not improve.

    ## Why it is bad
    The policy could learn more from each batch: the run costs the same and learns at a fraction of the speed that its
    trust region allows.

    ## What to do
    1. Raise the learning rate by a factor of 3.
    2. Or use more epochs per rollout.
    3. If nothing changes, check whether the gradient reaches the policy at all.

    ## How to prove it
    Repeat a short run with three times the learning rate and nothing else changed: the KL must rise, and the return
    must not get worse. `weaklink confirm POL308 my_project.py` does this.

    ## When it is wrong
    A converged policy has nothing left to learn, so runs that improved are not reported. Neither are policies without
    entropy, which cannot move for another reason. One gradient step per batch, as in GRPO with one inner iteration,
    gives a KL of 0 by definition; language-model runs are not judged.

    ## References
    Jones, Debugging RL, Without the Agonizing Pain, 2021.
    """
    kl = run["policy.kl"]
    if len(kl) < FEWEST:
        return CannotTell(("policy.kl",), f"fewer than {FEWEST} points")
    if has_improved(run) or run.family == "language" or _is_deterministic(run):
        return None
    target = read_positive(run.config, "target_kl")
    limit = least if target is None else max(share_of_target * target, least)
    live = _find_not_annealed(run, kl.steps)
    held = find_lasting_below(np.abs(kl.values[live]), limit, window=0.5)
    if held is None:
        return None
    step = float(kl.steps[live][held.start])
    bound = f"target {target:g}" if target is not None else f"limit {limit:g}"
    return Finding(
        message=f"The KL stays at {held.level:.2g} from step {step:,.0f} on ({bound}): the policy hardly moves.",
        onset=step,
        onset_within=kl.interval,
        confidence=MEDIUM if run.performance is not None else LOW,
        evidence=(Evidence(metric=kl.name, value=held.level, limit=limit, step=step),),
    )


def _find_not_annealed(run: Run, steps: Array) -> NDArray[np.bool_]:
    """The steps with more than a fifth of the largest learning rate; the first half where only a schedule is known."""
    rates = run.get("optimizer.learning_rate")
    if rates is not None:
        return np.asarray(np.interp(steps, rates.steps, rates.values) > ANNEALED * rates.highs.max())
    schedule = str(run.config.values.get("learning_rate_schedule", "")).lower()
    constant = schedule in ("", "constant", "none", "false")
    return np.arange(len(steps)) < (len(steps) if constant else (len(steps) + 1) // 2)


def _is_deterministic(run: Run) -> bool:
    """Whether the policy has next to no entropy left; differential entropy, which may be negative, cannot tell."""
    entropy = run.get("exploration.relative_entropy", "exploration.entropy")
    return (
        entropy is not None and entropy.lows.min() >= 0 and level(entropy.values[len(entropy) // 2 :]) < DETERMINISTIC
    )
