from __future__ import annotations

from weaklink.base.evidence.samples import Samples
from weaklink.judge.rules._marked import measure_marked
from weaklink.judge.rules.writing import HIGH, MEDIUM, Answer, CannotTell, Evidence, Finding, Level, Link, rule


@rule(
    "LLM361",
    link=Link.REWARD,
    level=Level.WARN,
    on=Samples,
    needs=("hides_answer", "reward"),
    leads_to=("LLM301", "LLM304", "LLM311", "LLM347"),
)
def hidden_answers(samples: Samples, *, limit: float = 0.1) -> Answer:
    """The place for the answer holds none: the right one stands in the reasoning alone, and is paid.

    ## What it sees
    In more than 0.1 of the last completions the answer tag (or the box) after the reasoning holds no number, while the
    reasoning names the reference, and these became more during training or get at least half of the reward of the
    others.

    ## Why it is bad
    The grader searches the whole text. What is trained is then to mention numbers while thinking, not to give an
    answer, and whoever reads the answer tag alone gets a placeholder.

    ## What to do
    1. Have the grader read the answer tag alone, and pay nothing where it holds no answer.
    2. Read ten such rows: what stands in the tag?

    ## How to prove it
    Grade ten of them by what stands in the answer tag: none must be right.

    ## When it is wrong
    Answers in words ("twelve") where the reference is a figure.

    ## References
    DeepSeek-AI, DeepSeek-R1, 2025 (rewards for accuracy and for format).
    """
    found = measure_marked(samples, "hides_answer", "reward")
    if isinstance(found, CannotTell):
        return found
    marked = found.late["hides_answer"] == 1.0
    if not found.over(limit) or not marked.any() or marked.all():
        return None
    reward = found.late["reward"]
    paid = float(reward[marked].mean()) >= 0.5 * float(reward[~marked].mean())
    if not paid:
        return None
    return Finding(
        message=f"In {found.share:.0%} of the completions the answer tag holds a placeholder and no answer, while the "
        f"right one stands in the thinking (limit {limit:.0%}{found.since}), and they get "
        f"{reward[marked].mean():.2g} reward, the others {reward[~marked].mean():.2g}: the grader reads the whole "
        "text and not the final answer.",
        onset=found.onset,
        confidence=HIGH if found.rose else MEDIUM,
        evidence=(Evidence(metric="hides_answer", value=found.share, limit=limit),),
    )
