from __future__ import annotations

from weaklink.base.evidence.run import Run
from weaklink.base.stats import find_lasting_below
from weaklink.judge.rules._course import FEWEST, is_language_run
from weaklink.judge.rules.writing import HIGH, Answer, CannotTell, Evidence, Finding, Level, Link, rule


@rule(
    "EXP308",
    link=Link.EXPLORATION,
    level=Level.WARN,
    needs=(("exploration.relative_entropy", "exploration.entropy"),),
    leads_to=("EXP301", "EXP304", "REW301", "REW303", "REW304"),
    checks={"exploration": "fails"},
)
def negative_entropy(run: Run, *, rounding: float = 0.01) -> Answer:
    """The entropy over tokens or choices is negative, which cannot be.

    ## What it sees
    The entropy of a language model, or an entropy relative to its maximum, stays below 0.

    ## Why it is bad
    Among finitely many choices no probability exceeds 1, so the entropy cannot be negative. What is logged under this
    name is something else: its sign is flipped, a loss with its coefficient, or a sum over tokens that are masked.
    With the sign flipped in the loss as well, training removes exploration instead of keeping it.

    ## What to do
    1. Check the sign: the entropy is -(p x log p).sum(), and its bonus is subtracted from a loss.
    2. Check that log-probabilities are normalised: exp() of them must sum to 1 over the choices.
    3. Check the mask: prompt and padding tokens must not count.

    ## How to prove it
    Compute the entropy of one stored batch by hand; for logits of zeros it must be log(n) for n choices.

    ## When it is wrong
    The entropy of continuous actions is differential and may well be negative: it is not judged. Where a key holds an
    entropy loss, its sign is turned by convention.

    ## References
    Schulman et al., Proximal Policy Optimization Algorithms, 2017 (entropy bonus).
    """
    entropy = run.get("exploration.relative_entropy", "exploration.entropy")
    assert entropy is not None
    if len(entropy) < FEWEST:
        return CannotTell((entropy.name,), f"fewer than {FEWEST} points")
    if not entropy.name.endswith("relative_entropy") and not is_language_run(run):
        return CannotTell(("exploration.relative_entropy",), "differential entropy may be negative")
    held = find_lasting_below(entropy.values, -rounding)
    if held is None:
        return None
    step = float(entropy.steps[held.start])
    return Finding(
        message=f"{entropy.name} stays at {held.level:.3g} from step {step:,.0f} on; among finitely many choices it "
        "cannot be below 0.",
        onset=step,
        onset_within=entropy.interval,
        confidence=HIGH,
        evidence=(Evidence(metric=entropy.name, value=held.level, limit=-rounding, step=step),),
    )
