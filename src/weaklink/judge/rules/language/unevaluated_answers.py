from __future__ import annotations

from weaklink.base.evidence.samples import Samples
from weaklink.judge.rules._marked import measure_marked
from weaklink.judge.rules._tricks import compare_pay
from weaklink.judge.rules.writing import HIGH, Answer, CannotTell, Evidence, Finding, Level, Link, rule


@rule(
    "LLM365",
    link=Link.REWARD,
    level=Level.WARN,
    on=Samples,
    needs=("unevaluated", "reward"),
    leads_to=("LLM301", "LLM302", "LLM304", "LLM307", "LLM311", "LLM338", "LLM347", "LLM368"),
)
def unevaluated_answers(samples: Samples, *, limit: float = 0.05) -> Answer:
    """The final answer is the expression of the question, not worked out, and it is paid.

    ## What it sees
    The reference is a number, and in more than 0.05 of the last completions the final answer is an arithmetic
    expression that stands in the prompt to the letter; and these get no less reward than others.

    ## Why it is bad
    A verifier that compares by value (with sympy, say) works the expression out itself and finds it equal. The policy
    learns to copy the question into the box, and no longer computes anything.

    ## What to do
    1. Accept numbers only where the reference is a number: reject operators before the answer is parsed.
    2. Compare texts in a normal form first, and by value only where both sides are in simplest form.
    3. Go back to a checkpoint from before the share rose.

    ## How to prove it
    Hand the question itself to the verifier as an answer: it must be rejected. `weaklink audit --verifier` does so.

    ## When it is wrong
    Tasks that ask for an expression and have its value as reference.

    ## References
    Reinforcement Learning Training Debug Guide, on verifiers.
    """
    found = measure_marked(samples, "unevaluated", "reward")
    if isinstance(found, CannotTell):
        return found
    paid = compare_pay(found.late, "unevaluated")
    if not found.over(limit) or paid is None or paid < 0.0:
        return None
    return Finding(
        message=f"{found.share:.0%} of the final answers are an unevaluated expression of the question "
        f"(limit {limit:.0%}{found.since}), where the reference is a number, and they get {paid:+.2g} reward compared "
        "with the others: the verifier does the arithmetic that was asked for.",
        confidence=HIGH,
        evidence=(Evidence(metric="unevaluated", value=found.share, limit=limit),),
    )
