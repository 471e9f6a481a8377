from __future__ import annotations

from weaklink.base.evidence.model import ModelCheck, Normaliser
from weaklink.judge.rules.writing import HIGH, MEDIUM, Answer, CannotTell, Evidence, Finding, Level, Link, rule

SET = 2.0  # samples from which on statistics are more than the initial values of every normaliser

SETTLED = 1000.0  # samples after which a column that looks constant should be: about one rollout


@rule(
    "OBS121",
    link=Link.OBSERVATION,
    level=Level.WARN,
    on=ModelCheck,
    needs=("normalisers",),
    leads_to=("OBS120", "EVA303", "VAL301", "REW301", "REW304"),
)
def unset_normaliser(check: ModelCheck, *, far: float = 3.0, clip_share: float = 0.2) -> Answer:
    """The statistics of the observation normaliser do not fit the observations.

    ## What it sees
    A running normaliser without samples, on a model that is already trained or with its updates switched off, while
    normalised observations reach 3 or more. Or one with statistics that clips over 20 % of its inputs, or treats a
    column as constant that varies a hundred times more.

    ## Why it is bad
    The policy was trained on normalised observations. With missing or wrong statistics its inputs mean something else:
    the return of a good model falls to that of a random one, and nothing raises an error.

    ## What to do
    1. Load the statistics that belong to the model: `VecNormalize.load(path, env)`, or `init_stats` in TorchRL.
    2. Save them with every checkpoint; `model.save` does not.
    3. Before training, step the environment a thousand times with random actions, so that the first updates get
       reasonable inputs.
    4. Raise the clip, or fix the column that is clipped.

    ## How to prove it
    Run the same model with the statistics of its training and with fresh ones, ten episodes each: the returns differ.

    ## When it is wrong
    The observations come from random play. A trained policy visits other states, so a moderate misfit is natural; that
    is why only a large share counts.

    ## References
    Stable-Baselines3 issues #473 and #870; Stable-Baselines3 documentation, VecNormalize.
    """
    blind: list[str] = []
    for each in check.normalisers or ():
        if each.samples is not None and each.samples < SET:
            if _is_waiting(each, check):
                continue
            if each.centre is None and each.mean_largest is not None:
                blind.append(each.kind)
                continue
            finding = _judge_unset(each, check, far)
        else:
            finding = _judge_misfit(each, clip_share)
        if finding is not None:
            return finding
    return CannotTell(("observations",), f"no observations passed through {blind[0]}") if blind else None


def _is_waiting(each: Normaliser, check: ModelCheck) -> bool:
    """Whether a new normaliser of a new model still waits for training to begin."""
    return each.training is not False and not check.steps


def _judge_unset(each: Normaliser, check: ModelCheck, far: float) -> Finding | None:
    reason = "its updates are switched off" if each.training is False else f"the model has {check.steps:,} steps"
    if each.centre is None or each.scale is None:
        return Finding(
            message=f"{each.kind} has no statistics at all, and {reason}.",
            confidence=MEDIUM,
            evidence=(Evidence(metric="samples", value=each.samples or 0.0, limit=SET),),
        )
    off = max(each.centre, each.scale)
    if not off >= far:
        return None
    through = f"normalised observations reach {off:.3g} (limit {far:g})"
    return Finding(
        message=f"{each.kind} has seen no observation, {reason}, and {through}.",
        confidence=HIGH,
        evidence=(
            Evidence(metric="normalised observation", value=off, limit=far),
            Evidence(metric="samples", value=each.samples or 0.0, limit=SET),
        ),
    )


def _judge_misfit(each: Normaliser, clip_share: float) -> Finding | None:
    if each.clipped is not None and each.clipped > clip_share:
        return Finding(
            message=f"{each.kind} clips {each.clipped:.0%} of all observation values at {each.clip or 0.0:g} (limit "
            f"{clip_share:.0%}).",
            confidence=HIGH,
            evidence=(Evidence(metric="clipped share", value=each.clipped, limit=clip_share),),
        )
    if each.narrow and (each.samples or 0.0) >= SETTLED:
        shown = ", ".join(each.narrow[:5])
        return Finding(
            message=f"{each.kind} treats {len(each.narrow)} columns that vary as constants: {shown}.",
            confidence=MEDIUM,
            evidence=(Evidence(metric="columns", value=float(len(each.narrow)), limit=0.0),),
        )
    return None
