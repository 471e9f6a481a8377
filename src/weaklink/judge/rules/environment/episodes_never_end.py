from __future__ import annotations

from weaklink.base.evidence.run import Run
from weaklink.judge.rules._course import FEWEST
from weaklink.judge.rules.writing import HIGH, MEDIUM, Answer, CannotTell, Evidence, Finding, Level, Link, rule

# of the training: an episode that takes longer has no second one to compare with
MOST = 0.3


@rule(
    "ENV301",
    link=Link.ENVIRONMENT,
    level=Level.WARN,
    leads_to=("VAL301", "VAL302", "VAL304", "EXP303", "OPT300", "REW301", "RET302"),
    symptoms={"reward flat": 13},
)
def episodes_never_end(run: Run, *, steps: float = 5_000) -> Answer:
    """No episode ends.

    ## What it sees
    Thousands of steps in which no episode ended: monitors that hold no row, returns and lengths of episodes that are
    never a number, or episodes that take three tenths of the whole training and 5,000 steps.

    ## Why it is bad
    Without an end there is no return to learn from and none to compare, and what happens after a failure fills the
    data: the agent lies on the ground for the rest of the training.

    ## What to do
    1. Check that `step` returns `terminated` where the task is done or failed, and that nothing swallows it.
    2. Set a time limit: `gymnasium.make(..., max_episode_steps=1000)` or the wrapper `TimeLimit`.

    ## How to prove it
    `weaklink preflight ENV --all --select TSK,ENV` plays random actions and says whether an episode ends.

    ## When it is wrong
    Continuing tasks have no episodes. Then the reward of a step is what to log.

    ## References
    Pardo et al., Time Limits in Reinforcement Learning, 2018.
    """
    ended = run.series.get("task.episodes")
    if ended is not None and len(ended) and float(ended.highs.max()) <= 0 and run.last_step >= steps:
        return _describe("task.episodes", 0.0, 1.0, f"In {run.last_step:,.0f} steps no episode has ended.")
    length = run.series.get("task.episode_length")
    if length is None:
        return CannotTell(("task.episode_length",), "no length of episodes is logged")
    if not len(length):
        rows = length.count
        if rows < FEWEST or run.last_step < steps:
            return CannotTell((length.name,), "it holds no number yet")
        told = f"Of {rows} rows none holds the length of an episode, up to step {run.last_step:,.0f}: none has ended."
        return _describe(length.name, float(rows), 1.0, told)
    longest = float(length.highs.max())
    counted = length.provenance.axis == "env_steps"
    if not counted or longest < max(steps, MOST * length.last_step):
        return None
    told = f"An episode takes {longest:,.0f} of the {length.last_step:,.0f} steps of the training."
    return _describe(length.name, longest, MOST * length.last_step, told)


def _describe(metric: str, value: float, limit: float, told: str) -> Finding:
    return Finding(
        message=told,
        confidence=HIGH if metric == "task.episodes" else MEDIUM,
        evidence=(Evidence(metric=metric, value=value, limit=limit),),
    )
