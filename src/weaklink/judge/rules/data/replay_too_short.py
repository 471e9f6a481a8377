from __future__ import annotations

from weaklink.base.evidence.config import Config, infer_family
from weaklink.judge.rules._hyperparameters import read_positive
from weaklink.judge.rules.writing import MEDIUM, Answer, CannotTell, Evidence, Finding, Level, Link, rule

# so few batches of it are no choice but the whole buffer again and again
BATCHES = 2


@rule(
    "DAT104",
    link=Link.DATA,
    level=Level.INFO,
    on=Config,
    leads_to=("VAL304", "VAL305", "REW301", "REW303", "REW304", "REW305", "POL308"),
    marks=("suspect",),
)
def replay_too_short(config: Config, *, smallest: int = 1000, share: float = 0.02) -> Answer:
    """The replay buffer holds only the last few episodes.

    ## What it sees
    A replay buffer of less than 1,000 transitions that holds less than 2 % of the training. It is information, and a
    warning where the curves show what it leads to: a critic that diverges, a return that does not rise or falls again.
    A buffer that holds no more than two batches is a warning in any case: every batch is nearly all of it.

    ## Why it is bad
    Batches are drawn from a few episodes of one policy, so that they are alike, and the network forgets what it has
    learned of all other states.

    ## What to do
    1. Keep at least 10,000 transitions, usually 100,000 to 1,000,000.

    ## How to prove it
    Repeat the run with a buffer that is a hundred times larger and nothing else changed: the loss of the critic must
    become steadier.

    ## When it is wrong
    Environments with a handful of states, and methods that are made for short buffers.

    ## References
    Fedus et al., Revisiting Fundamentals of Experience Replay, 2020.
    """
    if infer_family(config, ()) != "off-policy":
        return None
    buffer, budget = read_positive(config, "buffer_size"), read_positive(config, "total_steps")
    if buffer is None or budget is None:
        return CannotTell(("buffer_size", "total_steps"), "how much of the training is kept is not known")
    if buffer >= smallest or buffer >= share * budget:
        return None
    batch = read_positive(config, "batch_size")
    return Finding(
        level=Level.WARN if batch is not None and buffer <= BATCHES * batch else None,
        message=f"The replay buffer holds {buffer:,.0f} transitions, {buffer / budget:.1%} of the training (usually "
        f"{smallest:,} and more).",
        confidence=MEDIUM,
        evidence=(Evidence(metric="buffer_size", value=buffer, limit=float(smallest)),),
    )
