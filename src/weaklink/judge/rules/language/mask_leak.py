from __future__ import annotations

import numpy as np

from weaklink.base.evidence.rollout import COMPLETION, PADDING, PROMPT, TOOL, LossTokenMask, Rollout
from weaklink.judge.rules.writing import HIGH, Answer, CannotTell, Evidence, Finding, Level, Link, rule

OUTSIDE = {PROMPT: "prompt", TOOL: "tool output", PADDING: "padding"}
FEWEST_ENDS = 2
"""EOS tokens: a single one may be masked for another reason."""


@rule(
    "LLM203",
    link=Link.POLICY,
    level=Level.ERROR,
    on=Rollout,
    needs=("tokens",),
    leads_to=("POL303", "POL305", "LLM302", "LLM303", "LLM309", "LLM310", "EXP301", "REW301", "REW304"),
)
def mask_leak(rollout: Rollout) -> Answer:
    """The loss includes tokens that the model did not generate, or leaves out its EOS token.

    ## What it sees
    Which tokens the loss depends on, and what each token is. Prompt, tool output and padding must not count. The
    end-of-sequence (EOS) token that the model generated must: it is reported where it is left out in every row that has
    one.

    ## Why it is bad
    A reward for an answer then raises the probability of the question, of a tool's output or of padding. Ratios and KL
    are computed over tokens that the policy never sampled, and diverge. Without its EOS token the model is never taught
    when to stop, and answers grow up to the length cap.

    ## What to do
    1. Multiply the completion mask by the tool mask before it is applied to the loss.
    2. Build the mask from the lengths and not from `ids != pad`: the padding token is often the EOS token as well.
    3. Let the mask include the first EOS token: up to and including it.

    ## How to prove it
    Take the gradient of the loss with respect to the log-probability of each token: it must be 0 for every token that
    the model did not generate.

    ## When it is wrong
    Training on the prompt on purpose, with an additional language-modelling loss.

    ## References
    Search-R1 issue #21; verl issue #1037; TRL issue #4975; unsloth issue #5673.
    """
    tokens = rollout.tokens
    if tokens is None:
        return CannotTell(("tokens",))
    counted = np.asarray(tokens.counted, bool)
    if not counted.any():
        return CannotTell(("tokens",), "the loss includes no token of this batch")
    leaks = {
        name: (int((counted & (tokens.kinds == kind)).sum()), int((tokens.kinds == kind).sum()))
        for kind, name in OUTSIDE.items()
    }
    leaks = {name: found for name, found in leaks.items() if found[0]}
    if leaks:
        said = " and ".join(f"{some} of {total} {name} tokens" for name, (some, total) in leaks.items())
        return _finding(rollout, f"The loss includes {said}.", sum(some for some, _ in leaks.values()))
    missed = _ends_left_out(tokens)
    if missed:
        return _finding(rollout, f"The loss includes none of the {missed} EOS tokens that the model generated.", missed)
    return None


def _ends_left_out(tokens: LossTokenMask) -> int:
    """How many EOS tokens the loss leaves out, where it leaves out all of them and includes the tokens before them."""
    if tokens.ends is None:
        return 0
    counted = np.asarray(tokens.counted, bool)
    written = tokens.kinds == COMPLETION
    ends = np.asarray(tokens.ends, bool) & written
    whole = (counted | ends | ~written).all(axis=1) & counted.any(axis=1)
    ends = ends & whole[:, None]
    found = int(ends.sum())
    return found if found >= FEWEST_ENDS and not (ends & counted).any() else 0


def _finding(rollout: Rollout, message: str, tokens: int) -> Finding:
    return Finding(
        message=message,
        onset=rollout.step,
        confidence=HIGH,
        evidence=(Evidence(metric="tokens with the wrong mask", value=float(tokens), limit=0.0, step=rollout.step),),
    )
