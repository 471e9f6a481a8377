"""What `weaklink debug` is to say of each project of examples/projects: the one place where that is written down."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

PROJECTS = Path(__file__).parents[2] / "examples" / "projects"

PREFLIGHT, PROBE, DIAGNOSE, QUESTION = "preflight", "probe", "diagnose", "question"


@dataclass(frozen=True)
class Expected:
    """The first break of a broken project: any of the links, any of the codes, found by any of the stages.

    There is more than one code where two rules tell the same fault, and more than one link where the rules put it at
    either of them. A healthy project has none of the three.
    """

    links: tuple[str, ...] = ()
    codes: tuple[str, ...] = ()
    stages: tuple[str, ...] = ()

    @property
    def healthy(self) -> bool:
        """Whether nothing is to be found."""
        return not self.links


def broken(links: str, codes: str, stages: str) -> Expected:
    return Expected(tuple(links.split()), tuple(codes.split()), tuple(stages.split()))


EXPECTED: dict[str, Expected] = {
    "greenhouse": broken("environment", "ENV103", PREFLIGHT),
    "docking": broken("environment", "ENV107", PREFLIGHT),
    "elevator": broken("environment", "ENV111", PREFLIGHT),
    "sailing": broken("observation", "OBS104", PREFLIGHT),
    "conveyor": broken("observation", "OBS107", PREFLIGHT),
    "rover": broken("action", "ACT102", PREFLIGHT),
    "telescope": broken("action", "ACT104", PREFLIGHT),
    "cartpole_dropout": broken("evaluation", "EVA110", PREFLIGHT),
    "cartpole_points": broken("reward", "REW104 REW307", QUESTION),
    "parking": broken("reward", "REW109", QUESTION),
    "lighthouse": broken("task", "TSK103", QUESTION),
    "acrobot_dqn": broken("data", "DAT101", f"{PREFLIGHT} {DIAGNOSE}"),
    "frozen_lake": broken("data", "PRB101 PRB102 PRB103 PRB105 PRB109", PROBE),
    "blind_cartpole": broken("data", "DAT110 DAT204 PRB113", f"{PREFLIGHT} {PROBE} {DIAGNOSE}"),
    # the vocabulary of the ladder counts what becomes of an episode's end to the environment
    "ppo_by_hand": broken("returns environment", "RET201 RET202 PRB106", PROBE),
    "ppo_watched": broken("returns", "RET201", DIAGNOSE),
    "actor_critic": broken("value", "VAL203 PRB102", PROBE),
    # the rate itself, and what it does to the policy
    "acrobot_ppo": broken("optimizer policy", "OPT101 OPT303 POL303", DIAGNOSE),
    "ppo_normalised": broken("policy", "POL201", DIAGNOSE),
    "cartpole_entropy": broken("exploration", "EXP301 EXP101", DIAGNOSE),
    "sac_by_hand": broken("exploration", "EXP201 PRB110 PRB118", f"{PROBE} {DIAGNOSE}"),
    "cartpole_schedule": broken("optimizer", "OPT111 OPT201", f"{PREFLIGHT} {DIAGNOSE}"),
    "grpo_words": broken("reward", "LLM308 LLM312", QUESTION),
    "cartpole_random_features": broken("system", "SYS110", PREFLIGHT),
    "cartpole": Expected(),
    "hover": Expected(),
    "dqn_by_hand": Expected(),
    "grpo_digits": Expected(),
}
