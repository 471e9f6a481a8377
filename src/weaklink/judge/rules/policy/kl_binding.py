from __future__ import annotations

from weaklink.base.evidence.run import Run
from weaklink.base.proving import FALLS, MEAN, RETURN_RISES, Change, Intervention, Promise
from weaklink.base.stats import find_lasting_above
from weaklink.judge.rules._course import FEWEST
from weaklink.judge.rules._hyperparameters import find_key, read_positive
from weaklink.judge.rules.writing import MEDIUM, Answer, CannotTell, Evidence, Finding, Level, Link, rule


@rule(
    "POL306",
    link=Link.POLICY,
    level=Level.INFO,
    on=Run,
    needs=("policy.kl",),
    symptoms={"reward plateaus": 4},
    experiment=Intervention(
        change=Change(setting="learning_rate", times=0.5),
        promise=Promise(metrics=("policy.kl",), then=FALLS, measure=MEAN),
        if_confirmed="The step was too large for the target KL: keep the smaller learning rate.",
        if_refuted="The learning rate does not hold the KL at its target: look at the number of epochs and the batch.",
        also=(RETURN_RISES,),
    ),
)
def kl_binding(run: Run, *, near: float = 0.9, far: float = 3.0) -> Answer:
    """The target KL stops nearly every update early.

    ## What it sees
    For half of the run the KL of nine updates in ten is at or above 0.9 times `target_kl`, and below three times it.
    Trainers stop early at the target (CleanRL) or at 1.5 times the target (Stable-Baselines3, Spinning Up), and the
    KL that they log lies between the two.

    ## Why it is bad
    If every update is stopped, the limit and not the learning rate decides its size: most of the planned epochs never
    happen, and the gradient steps that do happen are too large.

    ## What to do
    1. Lower the learning rate by a factor of 2 to 3, so that all epochs run.
    2. Or use fewer epochs per rollout.
    3. Or raise the target KL, towards 0.03 to 0.05, if the return does not suffer.

    ## How to prove it
    Count the gradient steps per update (`n_updates` of two rows): fewer than epochs times minibatches means that the
    update was stopped. Halve the learning rate: the KL must then stay below the target.
    `weaklink confirm POL306 my_project.py` does the latter.

    ## When it is wrong
    TRPO, and trainers that adapt the learning rate or a penalty to a desired KL (rsl_rl, RLlib, skrl), stay at their
    target by design and are not judged. A tight limit with which the agent learns well can stay.

    ## References
    Schulman et al., Trust Region Policy Optimization, 2015; the early stopping of OpenAI Spinning Up and SB3.
    """
    kl = run["policy.kl"]
    target = read_positive(run.config, "target_kl")
    if target is None:
        return CannotTell(("target_kl",), "no target KL is known")
    if len(kl) < FEWEST:
        return CannotTell(("policy.kl",), f"fewer than {FEWEST} points")
    if run.config.algorithm == "trpo" or find_key(run.config, "target_kl") != "target_kl":
        return None
    held = find_lasting_above(kl.values, near * target, share=0.9, window=0.5)
    if held is None or held.level > far * target:
        return None
    step = float(kl.steps[held.start])
    return Finding(
        message=f"The KL stays at {held.level:.3g}, {held.level / target:.2g} times its target of {target:g}, from "
        f"step {step:,.0f} on: nearly every update is stopped early.",
        onset=step,
        onset_within=kl.interval,
        confidence=MEDIUM,
        evidence=(Evidence(metric=kl.name, value=held.level, limit=target, step=step),),
    )
