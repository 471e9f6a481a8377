from __future__ import annotations

from weaklink.base.evidence.config import Config
from weaklink.base.patterns import compile_late
from weaklink.judge.rules._hyperparameters import read_flag, read_number, read_positive
from weaklink.judge.rules.writing import HIGH, MEDIUM, Answer, CannotTell, Evidence, Finding, Level, Link, rule

# algorithms whose usual policies have no memory
MEMORYLESS = ("ppo", "a2c", "dqn", "sac", "td3", "ddpg", "trpo", "qrdqn", "tqc")
_RECURRENT = compile_late(r"lstm|gru|rnn|recurrent|r2d2")


@rule(
    "DAT103",
    link=Link.DATA,
    level=Level.INFO,
    on=Config,
    leads_to=("VAL301", "VAL304", "REW301", "REW302"),
)
def recurrent_wiring(config: Config) -> Answer:
    """A recurrent policy that cannot remember, or that remembers the previous episode.

    ## What it sees
    A recurrent policy whose episode-start flags are switched off, or which trains on sequences of one step, on
    sequences shorter than the memory that the task needs, or on sequences longer than the rollout they are cut from.

    ## Why it is bad
    Without the flags, hidden state leaks from one episode into the next. With sequences that are too short, no gradient
    ever connects a cue with the action that depends on it, and the recurrent layer is useless.

    ## What to do
    1. Pass the episode-start flags in training and in evaluation, and reset the hidden state where they are set.
    2. Make sequences longer than the longest delay between a cue and the action that depends on it.
    3. Make the rollout at least as long as a sequence.

    ## How to prove it
    Train on a task whose first observation decides the right last action: a policy with a working memory beats chance.
    Then carry the cue of the previous episode over in the hidden state alone: it must not matter.

    ## When it is wrong
    Hidden state that is stored with each sequence (as in R2D2) extends the memory beyond the sequence.

    ## References
    sb3-contrib issues #169 and #239; Mava issue #1006.
    """
    recurrent = _is_recurrent(config)
    if recurrent is None:
        return CannotTell(("policy",), "it is not known whether the policy is recurrent")
    if not recurrent:
        return None
    flags = read_flag(config, "episode_starts", "episode_start", "use_episode_starts", "reset_on_done", "reset_states")
    if flags is False:
        return _describe("episode_starts", 0.0, 1.0, "its state is never reset at episode starts", Level.WARN)
    length = read_positive(config, "sequence_length")
    if length == 1:
        words = "it trains on sequences of 1 step, so it learns no memory"
        return _describe("sequence_length", 1.0, 2.0, words, Level.WARN)
    return _judge_lengths(config, length)


def _judge_lengths(config: Config, length: float | None) -> Answer:
    """Sequences beside the memory that the task needs and the rollouts that they are cut from."""
    memory, rollout = (
        read_number(config, "task_memory", "memory_length", "cue_delay"),
        read_positive(config, "rollout_steps"),
    )
    reach = min(filter(None, (length, rollout)), default=None)
    if memory is not None and reach is not None and reach < memory:
        words = f"it sees {reach:,.0f} steps at a time and the task needs a memory of {memory:,.0f}"
        return _describe("sequence_length", reach, memory, words, Level.INFO)
    if length is not None and rollout is not None and rollout < length:
        words = f"its sequences of {length:,.0f} steps are cut from rollouts of {rollout:,.0f}"
        return _describe("sequence_length", length, rollout, words, Level.INFO)
    if memory is not None and reach is not None:
        return None
    missing = ("task_memory",) if reach is not None else ("sequence_length", "task_memory")
    return CannotTell(missing, "the memory that the task needs is not known")


def _is_recurrent(config: Config) -> bool | None:
    """Whether the policy is recurrent; None where the configuration does not say."""
    used = [value for name in ("use_lstm", "use_rnn", "recurrent") if (value := read_flag(config, name)) is not None]
    policy = config.values.get("policy")
    if any(used) or _RECURRENT.search(f"{policy or ''} {config.algorithm}".lower()):
        return True
    return False if used or policy is not None or config.algorithm in MEMORYLESS else None


def _describe(name: str, value: float, limit: float, words: str, level: Level) -> Finding:
    return Finding(
        message=f"The policy is recurrent, but {words}.",
        level=level,
        confidence=HIGH if level is Level.WARN else MEDIUM,
        evidence=(Evidence(metric=name, value=value, limit=limit),),
    )
