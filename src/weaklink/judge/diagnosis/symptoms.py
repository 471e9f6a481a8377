"""Where to start from what a person sees: the symptom, the rules that explain it, and the order to look in."""

from __future__ import annotations

import re

import msgspec

from weaklink.base.errors import UsageError
from weaklink.judge.rules._registry import all_rules


class Symptom(msgspec.Struct, frozen=True):
    """Something a person sees, the words for it, the rules to look at first and the advice that goes with it."""

    name: str
    words: tuple[str, ...]
    codes: tuple[str, ...]
    advice: str

    def rule_names(self) -> dict[str, str]:
        """The names of its rules by their codes."""
        return {code: all_rules()[code].name for code in self.codes}

    def score(self, text: str) -> int:
        """How much of it is in a text; words of its own name count double: `entropy` says more than `collapse`."""
        told = [word for word in self.words if re.search(rf"\b{re.escape(word)}", text)]
        return sum(2 if word in self.name else 1 for word in told) + 2 * len(self.words) * (text == self.name)


SYMPTOMS = (
    Symptom(
        "reward flat",
        (
            "flat",
            "stuck",
            "not learn",
            "no learning",
            "'t learn",
            "learns nothing",
            "constant",
            "zero",
            "never rises",
            "not improv",
            "'t improv",
        ),
        ("REW307", "REW301", "DAT101", "POL302", "POL303", "EXP301", "VAL304", "EXP303", "OPT302"),
        "Check how sparse the reward is, and compare with 100 random episodes: a return within one standard deviation "
        "of random play means that nothing was learnt.",
    ),
    Symptom(
        "reward plateaus",
        ("plateau", "plateaued", "stopped improving", "levels", "saturat"),
        ("REW302", "REW306", "EXP301", "POL306", "POL308"),
        "Log each reward component on its own: one term that pays for most of the return hides the rest.",
    ),
    Symptom(
        "reward oscillates",
        ("oscillat", "unstable", "wild", "noisy", "swing", "jump"),
        ("REW303", "REW307", "EXP304", "POL301", "POL303", "VAL301"),
        "Compare the mean of the reward with its spread, and run 100 steps of the zero action: drifting physics looks "
        "like an unstable learner.",
    ),
    Symptom(
        "high reward, bad behaviour",
        ("bad behav", "hack", "cheat", "exploit", "gaming", "looks wrong"),
        ("REW305", "LLM311", "LLM304", "LLM302", "REW306", "EVA305"),
        "Compare the reward with the true task metric, and look at the best-paid episodes or samples.",
    ),
    Symptom(
        "about as good as random",
        ("random", "untrained"),
        ("REW301", "DAT101", "OPT302", "POL302", "EXP303", "VAL304"),
        "Walk the whole environment tier: random against a simple policy, observations, actions, resets, physics.",
    ),
    Symptom(
        "reward declines",
        (
            "declin",
            "decreas",
            "worse",
            "drop",
            "fall",
            "degrad",
            "collapse",
            "forget",
            "goes down",
            "going down",
            "went down",
            "lower",
            "to zero",
        ),
        ("EXP301", "EXP302", "REW304", "REW305", "POL307", "POL303", "VAL302"),
        "Look at entropy again, then at reward hacking: reward is the last curve to show it.",
    ),
    Symptom(
        "evaluation worse than training",
        ("eval", "overfit", "generali", "held-out", "test set", "test return", "test reward"),
        ("EVA303", "REW305"),
        "Check that the evaluation uses the observation normaliser of the training, frozen; run it once with the "
        "deterministic flag and once without; then see whether more levels or seeds in training close the gap, "
        "which would make it overfitting.",
    ),
    Symptom(
        "nan",
        ("nan", "inf", "non-finite", "overflow"),
        ("OPT300", "OPT301", "OPT305", "VAL302", "RET301"),
        "Find the first number that was not finite; the gradient norm, log-probabilities, rewards and value targets "
        "just before it tell why.",
    ),
    Symptom(
        "entropy collapsed",
        ("entropy", "exploration", "deterministic", "action std"),
        ("EXP301", "EXP302", "VAL307", "POL301", "POL303", "REW307"),
        "See what came first: an update too large, or rewards that drown the entropy bonus.",
    ),
    Symptom(
        "q-values diverge",
        ("q-value", "q value", "qvalue", "critic", "value loss", "overestimat"),
        ("VAL302", "VAL303", "VAL304", "VAL301", "VAL305", "REW307"),
        "Compare Q with the largest return that the rewards and gamma allow.",
    ),
    Symptom(
        "too slow",
        ("slow", "throughput", "fps", "gpu", "memory"),
        ("SYS301", "SYS302"),
        "See whether actor or learner waits; throughput that decays usually means logging or a growing buffer.",
    ),
)


def symptom(text: str) -> Symptom:
    """The symptom that these words mean."""
    wanted = re.sub(r"\s+", " ", text.strip().lower().replace("\u2019", "'"))
    scored = [(each.score(wanted), each) for each in SYMPTOMS]
    best = max(score for score, _ in scored)
    if not wanted or best == 0:
        known = "; ".join(each.name for each in SYMPTOMS)
        raise UsageError(f"No symptom is known by '{text}'. Known are: {known}.")
    return next(each for score, each in scored if score == best)
