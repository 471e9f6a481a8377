"""A healthy trainer that learns nothing: reward first, then environment, then task, in this order."""

from __future__ import annotations

from collections.abc import Sequence

from weaklink.base.evidence.config import Config
from weaklink.base.evidence.run import Run
from weaklink.base.finding import Finding, Level
from weaklink.base.loop import Link
from weaklink.judge.rules._registry import Rule, load_rules_on

TRAINER = frozenset({Link.DATA, Link.RETURNS, Link.VALUE, Link.POLICY, Link.EXPLORATION, Link.OPTIMIZER})
ENOUGH_CLEAN = 3

TIERS = (
    "1. Reward: `weaklink preflight ENV --all --select REW`. A component over 90 % of the variance, or a mean under a "
    "tenth of the spread, is the first suspect.",
    "2. Environment: `weaklink preflight ENV --all --select ENV,OBS,ACT --automaton module:policy`. If a simple policy "
    "is no better than random play, the environment, its observations or its actions are broken.",
    "3. Task: `weaklink preflight ENV --all --select TSK`. If the simple policy does well and no random episode ever "
    "meets a reward, start from easier goals or shape the reward with a potential.",
)


TIERS_OF_LANGUAGE = (
    "1. Reward: `weaklink audit --verifier module:reward`. A verifier that refuses right answers, or pays for wrong "
    "ones, is the first suspect.",
    "2. What is written: `weaklink audit SAMPLES --run LOG`. Completions that are cut off, or in a form that the "
    "reward does not read, earn nothing however right they are.",
    "3. Task: sample 64 completions for each of 50 prompts before training. Where none is ever right there is nothing "
    "to learn from: take easier prompts, or a model that is right now and then.",
)


def list_tiers(run: Run) -> tuple[str, ...]:
    """What to ask of reward, environment and task, in this order."""
    return TIERS_OF_LANGUAGE if run.family == "language" else TIERS


def list_next_tiers(run: Run, findings: Sequence[Finding], clean: Sequence[str]) -> tuple[str, ...]:
    """The tiers to walk, where the return does not improve although nothing in the trainer is ill."""
    alarms = [finding for finding in findings if finding.severity >= Level.WARN]
    trainer_ill = any(finding.link in TRAINER for finding in alarms)
    known = _list_asked(run)
    trainer_clean = [code for code in clean if code in known and known[code].link in TRAINER]
    no_learning = run.performance is not None and not run.performance.improved
    if not no_learning or trainer_ill or not alarms or len(trainer_clean) < ENOUGH_CLEAN:
        return ()
    opening = (
        f"{len(trainer_clean)} checks of the trainer are clean and the return does not improve: the trainer works, so "
        "look outside it."
    )
    return (opening, *list_tiers(run))


def _list_asked(run: Run) -> dict[str, Rule]:
    """The rules that a run could be asked; those on rollouts, which take time to load, where it was watched inside."""
    if not run.checked:
        return load_rules_on(Run, Config)
    from weaklink.base.evidence.rollout import Rollout

    return load_rules_on(Run, Config, Rollout)
