from __future__ import annotations

import re

from weaklink.base.evidence.config import Config, infer_family
from weaklink.base.proving import MEAN, RETURN_RISES, RISES, Change, Intervention, Promise
from weaklink.judge.rules._hyperparameters import find_key, read_number, read_positive
from weaklink.judge.rules.writing import LOW, MEDIUM, Answer, CannotTell, Evidence, Finding, Level, Link, rule

# targets that adapt a penalty or the learning rate; they never stop an update
NOT_A_STOP = ("kl_target", "desired_kl", "kl_threshold")


@rule(
    "POL101",
    link=Link.POLICY,
    level=Level.INFO,
    on=Config,
    needs=("target_kl", "clip_range"),
    leads_to=("POL302", "POL306", "POL308", "REW301", "REW302"),
    checks={"target KL": "decides"},
    experiment=Intervention(
        change=Change(setting="target_kl", times=2.0),
        promise=RETURN_RISES,
        if_confirmed="The brakes were the cause: keep the larger target KL.",
        if_refuted="The brakes are not what holds the return: look at the learning rate and the reward.",
        also=(Promise(metrics=("policy.kl",), then=RISES, measure=MEAN),),
    ),
)
def tight_update(config: Config, *, kl: float = 0.03, clip: float = 0.1) -> Answer:
    """A low target KL together with a narrow clip range hardly lets the policy move.

    ## What it sees
    A target KL below 0.03 that stops updates, together with a clip range of at most 0.1, or one that is scheduled to
    fall that low.

    ## Why it is bad
    Either one limits the step. Together they end most updates before the data is used, and the policy cannot leave a
    local optimum.

    ## What to do
    1. Loosen one limit: a clip range of 0.2 with a target KL of 0.03 to 0.05, or no target KL.
    2. Let a clip schedule end at 0.1 rather than at zero.

    ## How to prove it
    Count how many of the planned epochs each update completes, then repeat a short run with the target KL doubled: the
    return must rise faster if the limits were the cause. `weaklink confirm POL101 my_project.py` does the latter.

    ## When it is wrong
    Fine-tuning a policy that is already good needs small steps. Trainers whose KL target only adapts a penalty or the
    learning rate do not stop updates and are not judged.

    ## References
    Schulman et al., Proximal Policy Optimization Algorithms, 2017.
    """
    if infer_family(config, ()) in ("off-policy", "language"):
        return None
    target, start = read_positive(config, "target_kl"), read_positive(config, "clip_range")
    if target is None:
        return None  # set to off
    if find_key(config, "target_kl") in NOT_A_STOP:
        return None
    if start is None:
        return CannotTell(("clip_range",), "it is not a number")
    end = read_number(config, "clip_range_final", "final_clip_range", "clip_range_end")
    narrow = min(start, end) if end is not None else 0.0 if _is_linear(config) else start
    if target >= kl or narrow > clip:
        return None
    shown = f"{start:g}" if narrow == start else f"a range that falls from {start:g} to {narrow:g}"
    return Finding(
        message=f"Updates stop at a KL of {target:g} and are also clipped at {shown}: the policy can hardly move.",
        confidence=MEDIUM if start <= clip else LOW,
        evidence=(
            Evidence(metric="target_kl", value=target, limit=kl),
            Evidence(metric="clip_range", value=narrow, limit=clip),
        ),
    )


def _is_linear(config: Config) -> bool:
    """Whether the clip range is a linear schedule down to zero, such as `lin_0.2` of RL Zoo."""
    return any(
        re.fullmatch(r"(.*[./])?clip_range", key.lower()) and str(value).strip().startswith(("lin_", "linear"))
        for key, value in config.raw.items()
    )
