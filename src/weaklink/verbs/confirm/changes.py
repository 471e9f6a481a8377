"""What is changed to prove each finding, and what must then happen: a table, as the pages of the rules promise it."""

from __future__ import annotations

from typing import NamedTuple

from weaklink.verbs.confirm.experiment import FALLS, LOWEST, MEAN, MOVES, RISES, SPREAD, Change, Promise

KL, CLIPPED, RETURN = "policy.kl", "policy.clip_fraction", "reward.episode_return"
ENTROPY = ("exploration.relative_entropy", "exploration.entropy")
EXPLAINED = "value.explained_variance"

FROM_FINDING = "from the finding"
"""A change whose size the finding itself names."""


class Row(NamedTuple):
    """One code: the change, the promise, what else is compared, and what each answer would mean."""

    change: Change
    promise: Promise
    if_confirmed: str
    if_refuted: str
    also: tuple[Promise, ...] = ()
    sized: str = ""


def _row(
    setting: str,
    promise: Promise,
    if_confirmed: str,
    if_refuted: str,
    *,
    times: float | None = None,
    to: float | bool | None = None,
    also: tuple[Promise, ...] = (),
    sized: str = "",
) -> Row:
    return Row(Change(setting=setting, times=times, to=to), promise, if_confirmed, if_refuted, also, sized)


# a policy that has died of too large a step has a KL of 0 ever after, so the KL is taken over the whole run
BETTER = (Promise(metrics=(RETURN,), then=RISES),)

TABLE: dict[str, Row] = {
    "POL303": _row(
        "learning_rate",
        Promise(metrics=(KL,), then=FALLS, level=0.02, measure=MEAN),
        "The step was too large: keep the smaller learning rate, or stop the update at a target KL of 0.02.",
        "The learning rate does not drive the KL: look at the number of epochs, at advantage normalisation and at old "
        "log-probabilities.",
        times=0.1,
        also=(Promise(metrics=ENTROPY, then=RISES), *BETTER),
    ),
    "POL301": _row(
        "learning_rate",
        Promise(metrics=(CLIPPED,), then=FALLS, level=0.2, measure=MEAN),
        "The step was too large for the clip range: keep the smaller learning rate, or make fewer epochs.",
        "The learning rate does not drive the clipping: look at the number of epochs, the batch and the clip range.",
        times=1 / 3,
        also=BETTER,
    ),
    "POL302": _row(
        "learning_rate",
        Promise(metrics=(KL,), then=RISES, measure=MEAN),
        "The update reaches the policy and was only too small: raise the learning rate.",
        "The update never reaches the policy: look at the optimizer's parameters, a detach, or advantages of 0.",
        times=10.0,
    ),
    "POL306": _row(
        "learning_rate",
        Promise(metrics=(KL,), then=FALLS, measure=MEAN),
        "The step was too large for the target KL: keep the smaller learning rate.",
        "The learning rate does not hold the KL at its target: look at the number of epochs and the batch.",
        times=0.5,
        also=BETTER,
    ),
    "POL307": _row(
        "learning_rate",
        Promise(metrics=(RETURN,), then=RISES),
        "The update was too large: keep the smaller learning rate, with a target KL as a brake.",
        "The collapse comes with a smaller step too: look at the data of the batches before it and at the task.",
        times=1 / 3,
    ),
    "POL308": _row(
        "learning_rate",
        Promise(metrics=(KL,), then=RISES, measure=MEAN),
        "The step was smaller than it need be: the larger learning rate moves the policy.",
        "The policy does not move with the rate: look at advantages, gradient clipping and a target KL.",
        times=3.0,
        also=BETTER,
    ),
    "POL101": _row(
        "target_kl",
        Promise(metrics=(RETURN,), then=RISES),
        "The brakes were the cause: keep the larger target KL.",
        "The brakes are not what holds the return: look at the learning rate and the reward.",
        times=2.0,
        also=(Promise(metrics=(KL,), then=RISES, measure=MEAN),),
    ),
    "EXP301": _row(
        "ent_coef",
        Promise(metrics=ENTROPY, then=RISES, level=0.1),
        "Too little held exploration up: keep the entropy bonus.",
        "The bonus does not hold the entropy: the step is too large or the advantages push one action. Look at the KL.",
        to=0.02,
        also=BETTER,
    ),
    "EXP101": _row(
        "ent_coef",
        Promise(metrics=ENTROPY, then=RISES),
        "The coefficient was too small to matter: keep 0.01.",
        "The entropy does not follow the coefficient: leave it and look at the step size.",
        to=0.01,
        also=BETTER,
    ),
    "EXP303": _row(
        "ent_coef",
        Promise(metrics=ENTROPY, then=FALLS),
        "The entropy bonus held the policy at random: keep it small.",
        "The bonus is not what keeps the policy random: its gradient is the break. Look at advantages and the reward.",
        to=0.0,
        also=BETTER,
    ),
    "EXP304": _row(
        "learning_rate",
        Promise(metrics=ENTROPY, then=FALLS, measure=SPREAD),
        "The step was too large: keep the smaller learning rate.",
        "The swings do not come from the step: look at the batch, a schedule, or tasks that alternate.",
        times=1 / 3,
        also=BETTER,
    ),
    "EXP305": _row(
        "ent_coef",
        Promise(metrics=ENTROPY, then=RISES, measure=LOWEST),
        "More exploration makes the dip shallower: keep the larger bonus for the early part.",
        "The dip does not follow the bonus: look at the horizon (gamma) and at the reward of the first steps.",
        to=0.02,
    ),
    "EXP306": _row(
        "ent_coef",
        Promise(metrics=("exploration.action_std", "exploration.entropy"), then=FALLS),
        "The bonus blew the spread up: keep it at 0 or small.",
        "The spread grows without the bonus too: the advantages push it. Look at their scale and at the bounds.",
        to=0.0,
    ),
    "VAL101": _row(
        "clip_range_vf",
        Promise(metrics=(EXPLAINED,), then=RISES),
        "Value clipping held the critic back: leave it out.",
        "Value clipping is not what holds the critic: look at its targets and its learning rate.",
        to=None,
        also=BETTER,
    ),
    "RET301": _row(
        "reward_scale",
        Promise(metrics=(KL, CLIPPED), then=FALLS, measure=MEAN),
        "The size of the advantages was the cause: scale or normalise the rewards.",
        "The size of the rewards is not the cause: advantages are normalised, or the explosion comes from the critic.",
        times=0.1,
    ),
    "REW307": _row(
        "reward_scale",
        Promise(metrics=(EXPLAINED,), then=RISES),
        "The rewards were too large to learn from: divide them by this size, or normalise them.",
        "The critic does not get better with smaller rewards: look at the critic (`weaklink fit-critic`) and at what "
        "it sees.",
        times=0.01,
        sized=FROM_FINDING,
    ),
    "OPT301": _row(
        "reward_scale",
        Promise(metrics=("optimizer.gradient_norm", "optimizer.critic_gradient_norm"), then=FALLS),
        "The size of the rewards made the gradient explode: scale or normalise them.",
        "The gradient is as large with small rewards: look at the loss, the targets and the learning rate.",
        times=0.01,
    ),
    "OPT101": _row(
        "learning_rate",
        Promise(metrics=(KL, "value.q_loss", "value.loss"), then=MOVES, measure=MEAN),
        "The updates follow the rate: choose one within the usual range.",
        "Nothing follows the rate: a schedule, a clip or a broken update hides it.",
        times=0.1,
        also=BETTER,
        sized=FROM_FINDING,
    ),
    "OBS103": _row(
        "normalise_observations",
        Promise(metrics=(RETURN,), then=RISES),
        "The unlike scales held learning back: normalise the observations.",
        "Normalised observations learn no faster: this network copes with the scales.",
        to=True,
    ),
}
"""By the code of the finding."""
