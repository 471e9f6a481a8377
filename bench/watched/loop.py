"""Loops written by hand in torch, watched by a monitor that is handed what docs/attach.md says."""

from __future__ import annotations

from . import Fault, loop_ppo, loop_replay
from .estimates import NAMES

PPO = ("ppo", "ppo-box")
REPLAY = ("dqn", "sac")
TRAINERS = (*PPO, *REPLAY)

FAULTS = (
    Fault("E01/recursion", PPO, ("RET201",), NAMES["E01/recursion"], "the recursion ignores done"),
    Fault("E01/target", REPLAY, ("RET202",), "done ignored", "the target ignores done"),
    Fault("E01", REPLAY, unseen="the loop hands over the flags that it stored: what the environment said is not seen"),
    Fault("E02", PPO, ("RET201",), "truncation treated as termination", "a time limit is a terminal"),
    Fault("E02", REPLAY, ("RET202",), "truncation treated as termination", "a time limit is a terminal"),
    Fault("E04", PPO, ("DAT201",), "only resets", "the reset step is stored (next-step autoreset)"),
    Fault("R02", TRAINERS, unseen="the loop hands over the rewards that it stored: those given are not seen"),
    Fault("R03", TRAINERS, unseen="the loop hands over the rewards that it stored: those given are not seen"),
    Fault("O01", PPO, ("DAT202",), "one memory", "stored observations are one array"),
    Fault("A03", ("ppo-box",), ("POL202", "POL201"), "clipped", "the clipped action is stored"),
    Fault("A04", ("sac",), unseen="which range the actions have is not handed over, so every entropy is possible"),
    Fault("B05", PPO, ("POL201",), "", "the memory is not cleared"),
    Fault("B06", PPO, ("DAT201",), "other indices", "advantages of other rows"),
    *(Fault(name, PPO, ("RET201",), NAMES[name]) for name in ("G01", "G02", "G04", "G10", "V02", "V10")),
    Fault("G02", REPLAY, ("RET202",), "gamma ignored"),
    Fault("V02", REPLAY, ("RET202",), "bootstrap from s"),
    Fault("V04", REPLAY, ("RET202",), "gamma times reward less", "g (r - max Q)"),
    Fault("V09", ("sac",), unseen="the loop hands over the next value that it used: the other twin is not seen"),
    Fault("V10", REPLAY, ("RET202",), "mask inverted"),
    Fault("L02", PPO, ("POL203",), "recomputed in every epoch", "ratio always 1"),
    Fault("L04", PPO, unseen="the loss is one number: the sign of one of its parts does not show in it"),
    Fault("L07", ("sac",), ("EXP201",), "the sign of its loss", "the sign of alpha's loss"),
    Fault("L10", ("sac",), unseen="a second step of the critic may be meant, and its gradient does not tell its loss"),
    Fault("T02", TRAINERS, ("OPT201",), "no optimizer holds them", "stale parameters in the optimizer"),
    Fault("T08", TRAINERS, ("OPT201",), "never get a gradient", "a network under no_grad"),
    Fault("N03", TRAINERS, ("OPT201",), "never get a gradient", "detach behind the first layer"),
    Fault("K02", REPLAY, ("OPT202",), "has not moved", "the target network is never updated"),
    Fault("K03", REPLAY, ("OPT202",), "no copy", "the target network is the online one"),
    Fault("D01", PPO, ("POL201",), "", "collected with old weights"),
    Fault(
        "T07", PPO, unseen="gradients are thrown away by right, too: those that one loss leaves in another's network"
    ),
)


def train(trainer, fault, folder, seed):
    if trainer in PPO:
        return loop_ppo.train(folder, seed, fault, discrete=trainer == "ppo")
    return getattr(loop_replay, trainer)(folder, seed, fault)
