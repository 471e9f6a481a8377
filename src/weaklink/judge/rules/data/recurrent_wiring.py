from __future__ import annotations

import re

from weaklink.base.evidence.config import Config
from weaklink.base.finding import HIGH, MEDIUM, Answer, CannotTell, Evidence, Finding, Level
from weaklink.base.loop import Link
from weaklink.judge.rules._hyperparameters import declared, positive, stated
from weaklink.judge.rules._registry import rule

MEMORYLESS = ("ppo", "a2c", "dqn", "sac", "td3", "ddpg", "trpo", "qrdqn", "tqc")
_RECURRENT = re.compile(r"lstm|gru|rnn|recurrent|r2d2")


@rule(
    "DAT103",
    link=Link.DATA,
    level=Level.INFO,
    on=Config,
    leads_to=("VAL301", "VAL304", "REW301", "REW302"),
)
def recurrent_wiring(config: Config) -> Answer:
    """A recurrent policy that cannot remember, or that remembers the last episode.

    ## What it sees
    A recurrent policy with episode-start flags switched off, trained on sequences of one step, on sequences
    shorter than what the task asks to remember, or on sequences longer than the rollout that they are cut
    from.

    ## Why it is bad
    Without the flags, hidden state leaks from one episode into the next. With sequences that are too short,
    no gradient ever connects a cue with the choice that needs it, and the network is an expensive memoryless
    one.

    ## What to do
    1. Pass the episode-start flags, in training and in evaluation, and reset the hidden state where they are
       set.
    2. Make sequences longer than the longest time between a cue and its use.
    3. Make a rollout at least as long as a sequence.

    ## How to prove it
    Train on a task whose first observation tells the right last action: a policy with working memory beats chance. Then
    make the cue of the previous episode visible in its hidden state only: it must not matter.

    ## When it is wrong
    State that is stored with each sequence and carried over (as in R2D2) stretches memory beyond the
    sequence.

    ## References
    sb3-contrib issues #169 and #239; Mava issue #1006.
    """
    kind = _recurrent(config)
    if kind is None:
        return CannotTell(("policy",), "nothing says whether the policy is recurrent")
    if not kind:
        return None
    flags = declared(config, "episode_starts", "episode_start", "use_episode_starts", "reset_on_done", "reset_states")
    length = positive(config, "sequence_length")
    memory = stated(config, "task_memory", "memory_length", "cue_delay")
    if flags is False:
        return _trouble("episode_starts", 0.0, 1.0, "its state is never reset at episode starts", Level.WARN)
    if length == 1:
        return _trouble(
            "sequence_length",
            1.0,
            2.0,
            "it trains on sequences of 1 step, so no memory is learned",
            Level.WARN,
        )
    rollout = positive(config, "rollout_steps")
    reach = min(filter(None, (length, rollout)), default=None)
    if memory is not None and reach is not None and reach < memory:
        words = f"it sees {reach:,.0f} steps at a time where the task asks for a memory of {memory:,.0f}"
        return _trouble("sequence_length", reach, memory, words, Level.INFO)
    if length is not None and rollout is not None and rollout < length:
        words = f"sequences of {length:,.0f} steps are cut from rollouts of {rollout:,.0f}"
        return _trouble("sequence_length", length, rollout, words, Level.INFO)
    if memory is None or reach is None:
        missing = ("task_memory",) if reach is not None else ("sequence_length", "task_memory")
        return CannotTell(missing, "how long the task asks to remember is not stated")
    return None


def _recurrent(config: Config) -> bool | None:
    """Whether the policy is recurrent, or None where nothing says so."""
    used = [value for name in ("use_lstm", "use_rnn", "recurrent") if (value := declared(config, name)) is not None]
    if any(used):
        return True
    policy = config.values.get("policy")
    if _RECURRENT.search(f"{policy or ''} {config.algorithm}".lower()):
        return True
    return False if used or policy is not None or config.algorithm in MEMORYLESS else None


def _trouble(name: str, value: float, limit: float, words: str, level: Level) -> Finding:
    return Finding(
        message=f"The policy is recurrent and {words}.",
        level=level,
        confidence=HIGH if level is Level.WARN else MEDIUM,
        evidence=(Evidence(metric=name, value=value, limit=limit),),
    )
