from __future__ import annotations

from weaklink.base.evidence.samples import Samples
from weaklink.judge.rules._marked import measure_marked
from weaklink.judge.rules.writing import HIGH, Answer, CannotTell, Evidence, Finding, Level, Link, rule


@rule(
    "AGT315",
    link=Link.DATA,
    level=Level.WARN,
    on=Samples,
    needs=("trains_on_results",),
    leads_to=("AGT303", "AGT305", "AGT306", "AGT307", "LLM302", "LLM309", "LLM310", "POL303", "POL305"),
)
def results_in_loss(samples: Samples, *, limit: float = 0.05) -> Answer:
    """The loss is taken over what tools answered, as if the agent had written it.

    ## What it sees
    Messages say whether they are trained on. In more than 0.05 of the last trajectories those of tools are, beside
    those of the agent.

    ## Why it is bad
    The policy never sampled these tokens. A reward for the task raises the probability of search results and logs,
    ratios and KL are computed over text of the environment, and training becomes unstable. The agent learns to write
    results itself.

    ## What to do
    1. Set the loss of all messages of tools to 0, in a mask by roles and not by the first token of the completion.
    2. Check the tokens between messages too: headers of a tool's turn are not the agent's.
    3. Print one trajectory, token by token, with its mask.

    ## How to prove it
    Take the gradient of the loss with respect to the log-probability of each token: it must be 0 on results.

    ## When it is wrong
    Models of the world that are meant to predict results.

    ## References
    Jin et al., Search-R1, 2025 (masking of retrieved tokens); verl issue #1037.
    """
    found = measure_marked(samples, "trains_on_results")
    if isinstance(found, CannotTell):
        return found
    if not found.over(limit):
        return None
    return Finding(
        message=f"In {found.share:.0%} of the trajectories the loss mask covers tool messages (limit "
        f"{limit:.0%}{found.since}): tool output is trained on as if the agent had written it.",
        onset=found.onset,
        confidence=HIGH,
        evidence=(Evidence(metric="trains_on_results", value=found.share, limit=limit),),
    )
