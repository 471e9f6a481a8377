from __future__ import annotations

from weaklink.base.evidence.rollout import Rollout
from weaklink.judge.rules.writing import HIGH, Answer, CannotTell, Evidence, Finding, Level, Link, rule


@rule(
    "LLM202",
    link=Link.DATA,
    level=Level.ERROR,
    on=Rollout,
    needs=("sampler",),
    leads_to=("LLM201", "DAT302", "POL303", "POL305", "POL307", "LLM310", "REW301", "REW303", "REW304"),
)
def weights_not_pushed(rollout: Rollout, *, updates: int = 2) -> Answer:
    """The sampler still uses the weights from before the update.

    ## What it sees
    A checksum of the sampler's weights that is identical after two updates in a row, while the trainer's weights
    changed in each of them.

    ## Why it is bad
    The policy that is trained never samples, and the one that samples never learns. Loss, reward and its spread look
    normal; only the gap between sampler and trainer grows, which is easily mistaken for staleness.

    ## What to do
    1. Check what is pushed: for adapters, that they are merged or sent at all, and under the names the engine uses.
    2. Check when it is pushed: after the optimizer step, with the engine awake and its prefix cache cleared.
    3. Check that the engine loads into the weights it uses for inference, and not into a copy.

    ## How to prove it
    Set all weights of the trainer to zero for one push: a sampler that still generates sensible text did not get them.

    ## When it is wrong
    Asynchronous training that pushes every few updates on purpose: set `updates` above that number. A learning rate so
    small that no weight changes in the sampler's precision.

    ## References
    verl issue #7495; TRL issue #5312; unsloth issue #8701.
    """
    sampler = rollout.sampler
    if sampler is None or len(sampler.checksums) < updates + 1:
        return CannotTell(("sampler",), "the sampler's weights are those of the trainer, or were not seen often enough")
    steps = zip(sampler.checksums[:-1], sampler.checksums[1:], sampler.trainer_moved, strict=False)
    moves = [(before == after, moved) for before, after, moved in steps if moved > 0.0]
    if len(moves) < updates:
        return CannotTell(("sampler",), "the trainer's weights did not move")
    standing = 0
    for same, _ in reversed(moves):
        if not same:
            break
        standing += 1
    if standing < updates:
        return None
    moved = sum(distance for _, distance in moves[-standing:])
    return Finding(
        message=f"The sampler's weights stayed the same over {standing} updates that moved the trainer's.",
        onset=rollout.step,
        confidence=HIGH,
        evidence=(
            Evidence(metric="updates without a push", value=float(standing), limit=float(updates), step=rollout.step),
            Evidence(metric="change of the trainer's weights", value=moved, limit=0.0, step=rollout.step),
        ),
    )
