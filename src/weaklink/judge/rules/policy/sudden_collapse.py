from __future__ import annotations

from weaklink.base.evidence.run import Run
from weaklink.base.proving import RETURN_RISES, Change, Intervention
from weaklink.judge.rules._course import may_be_luck
from weaklink.judge.rules._jumps import OF_THE_POLICY, find_cliff, measure_jump
from weaklink.judge.rules.writing import HIGH, Answer, CannotTell, Evidence, Finding, Level, Link, rule

SIGNS = (
    "exploration.entropy",
    "policy.kl",
    "policy.loss",
    "value.loss",
    "value.q_loss",
    "policy.clip_fraction",
    "optimizer.gradient_norm",
)
# points of a curve that show its usual scatter
FEWEST_POINTS = 20

# jumps belong to a collapse within a twentieth of the run
AROUND = 0.05


@rule(
    "POL307",
    link=Link.POLICY,
    level=Level.ERROR,
    needs=(("reward.episode_return", "evaluation.return", "reward.mean"),),
    leads_to=("EXP301", "EXP302", "POL302", "VAL301", "VAL304", "VAL307", "REW303", "REW304"),
    symptoms={"reward declines": 5},
    checks={"size of the updates": "fails"},
    experiment=Intervention(
        change=Change(setting="learning_rate", times=1 / 3),
        promise=RETURN_RISES,
        if_confirmed="The update was too large: keep the smaller learning rate, with a target KL as a brake.",
        if_refuted="The collapse comes with a smaller step too: look at the data of the batches before it and at the "
        "task.",
    ),
)
def sudden_collapse(run: Run, *, jump: float = 8.0, together: int = 2) -> Answer:
    """One update destroyed the policy.

    ## What it sees
    The return drops within a few points and does not recover. At the same step at least two of entropy, KL, losses,
    clip fraction and gradient norm jump by many times their usual scatter, and twice as far as their recent extremes.
    Where entropy, KL or clip fraction is logged, one of them must jump: losses alone jump whenever returns change.
    Where KL or clip fraction is logged and neither jumps, no update was larger than others: then the environment is
    blamed, in whose new states the entropy is another.

    ## Why it is bad
    A policy that took long to learn is gone in one step. It now collects its own bad data, so it rarely recovers.

    ## What to do
    1. Roll back to the last checkpoint before the onset.
    2. Stop updates at a target KL of 0.02 to 0.05, and clip the gradient norm to 0.5.
    3. Inspect the batch of that update: the usual trigger is an outlier in rewards or advantages.

    ## How to prove it
    Resume from the checkpoint before the onset with a third of the learning rate: if the collapse does not recur,
    the update was too large for that batch. `weaklink confirm POL307 my_project.py` does this from the first step on.

    ## When it is wrong
    A change of the task (curriculum, new opponent) makes all curves jump too. Where every small update is logged, as
    with A2C, losses jump all the time, so a jump no larger than earlier ones does not count.

    ## References
    Engstrom et al., Implementation Matters in Deep RL, 2020.
    """
    course = run.performance
    if course is None:
        return CannotTell(("reward.episode_return",), "there are too few points")
    signs = [run[name] for name in SIGNS if name in run and len(run[name]) >= FEWEST_POINTS]
    if len(signs) < together:
        return CannotTell(SIGNS[:3], "too few curves of the update are logged")
    if not course.declined or may_be_luck(run[course.metric], course):
        return None
    step = find_cliff(run[course.metric], course.best - course.final)
    if step is None:
        return None
    slack = AROUND * (run[course.metric].last_step - run[course.metric].first_step)
    jumped = [(sign, value) for sign in signs if (value := measure_jump(sign, step, slack, jump)) is not None]
    names = [sign.name for sign, _ in jumped]
    logged = {sign.name for sign in signs} & {*OF_THE_POLICY}
    if len(jumped) < together or (logged and logged.isdisjoint(names)):
        return None
    sizes = logged & {"policy.kl", "policy.clip_fraction"}
    usual = bool(sizes) and sizes.isdisjoint(names)
    told = (
        f"; the updates there are as small as before ({', '.join(sorted(sizes))}): the world changed" if usual else ""
    )
    return Finding(
        link=Link.ENVIRONMENT if usual else None,
        message=f"{course.metric} falls from {course.best:.4g} to {course.final:.4g} around step "
        f"{step:,.0f}, where {', '.join(names)} jump{told}.",
        onset=step,
        onset_within=slack,
        confidence=HIGH,
        evidence=(
            Evidence(metric=course.metric, value=course.final, limit=course.best, step=run[course.metric].last_step),
            *(Evidence(metric=sign.name, value=value, step=step) for sign, value in jumped),
        ),
    )
