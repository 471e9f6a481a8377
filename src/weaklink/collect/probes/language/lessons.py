"""The rungs that need learning: what the policy over tokens became."""

from __future__ import annotations

import numpy as np

from weaklink.base.evidence.outcome import Measure
from weaklink.base.evidence.series import Array
from weaklink.base.evidence.tokens import TokenTraining
from weaklink.collect.probes.language.advantages import RAW, measure_fits
from weaklink.collect.probes.language.divergence import measure_kl_weight
from weaklink.collect.probes.language.gradients import list_updates
from weaklink.collect.probes.language.problem import LanguageProbe

PAID = "blue"
OWN = ("red", "green", "blue", "grey")
ENOUGH = 0.6
"""The probability that a paid token must come to, from about one in nine."""

MORE_THAN_BLIND = 0.4
"""The same where each prompt has its own: whoever answers all alike comes to a quarter, and a right trainer may settle
on a wrong word for one prompt or two."""


class TokenDrift(LanguageProbe):
    """Every completion is paid 1: there is nothing to learn, and the policy must stay where it is."""

    name = "token-drift"
    adds = "an advantage that is zero where all is equal"

    def reward(self, prompt: tuple[str, ...], completion: tuple[str, ...]) -> float:
        return 1.0

    def measures(self, seen: TokenTraining) -> tuple[Measure, ...]:
        moved = float(0.5 * np.abs(seen.after - seen.before).sum(1).max())
        return (
            Measure(
                what="drift",
                where="of the first token's distribution",
                measured=moved,
                right=0.0,
                low=0.0,
                high=0.01,
                mistakes=self._explained(seen),
            ),
        )

    def _explained(self, seen: TokenTraining) -> dict[str, float]:
        update = self.first(seen)
        if update is None or len(seen.payments) < len(update.rows):
            return {}
        return {RAW: measure_fits(seen, update)[1][RAW]}


class EndingToken(LanguageProbe):
    """Every word costs: the right completion ends at once, and the end is a token like any other."""

    name = "ending-token"
    adds = "the end of a completion inside the loss"
    effort = 1.0

    def reward(self, prompt: tuple[str, ...], completion: tuple[str, ...]) -> float:
        return -float(len(completion))

    def measures(self, seen: TokenTraining) -> tuple[Measure, ...]:
        likely = float(seen.after[:, seen.vocabulary.end].mean())
        learned = Measure(
            what="probability", where="of ending at once", measured=likely, right=1.0, low=ENOUGH, high=1.0
        )
        weight = self._weight(seen)
        if weight is None:
            return (learned,)
        scored = Measure(
            what="weight of the end", where="against other tokens", measured=weight, right=1.0, low=0.5, high=2.0
        )
        return scored, learned

    def _weight(self, seen: TokenTraining) -> float | None:
        """How much the end weighs, in units of the other tokens of the same completions."""
        update = self.first(seen)
        ends = others = 0.0
        for row in update.rows if update is not None else ():
            if row.ids[row.at[-1]] == seen.vocabulary.end and row.length > 1:
                weights = np.abs(row.weights(self.temperature))
                ends += float(weights[-1])
                others += float(weights[:-1].mean())
        return ends / others if others > 0.0 else None


class RewardedToken(LanguageProbe):
    """A completion that begins with one certain word is paid 1, any other nothing."""

    name = "rewarded-token"
    adds = "the update that follows the advantage"
    effort = 1.0

    def reward(self, prompt: tuple[str, ...], completion: tuple[str, ...]) -> float:
        return float(completion[:1] == (PAID,))

    def measures(self, seen: TokenTraining) -> tuple[Measure, ...]:
        return (_measure_probability(seen, [seen.words.index(PAID)] * len(seen.prompts), "of the paid token", ENOUGH),)


class PromptToken(LanguageProbe):
    """Each prompt pays for a word of its own."""

    name = "prompt-token"
    adds = "the pairing of prompts with their completions"
    effort = 1.5
    group = 16
    longest = 1

    def reward(self, prompt: tuple[str, ...], completion: tuple[str, ...]) -> float:
        return float(completion[:1] == (OWN[len(prompt) % 4],))

    def measures(self, seen: TokenTraining) -> tuple[Measure, ...]:
        wanted = [seen.words.index(OWN[len(prompt) % 4]) for prompt in seen.prompts]
        return (_measure_probability(seen, wanted, "of each prompt's own token", MORE_THAN_BLIND),)


def _measure_probability(seen: TokenTraining, tokens: list[int], where: str, low: float) -> Measure:
    chosen: Array = seen.after[np.arange(len(tokens)), tokens]
    return Measure(what="probability", where=where, measured=float(chosen.mean()), right=1.0, low=low, high=1.0)


class ReferenceHold(LanguageProbe):
    """The policy starts away from its reference, and a strong KL must pull it back."""

    name = "reference-hold"
    adds = "the KL to the reference"
    beta = 4.0
    learning_rate = 0.005
    displaced = True
    effort = 1.0

    def measures(self, seen: TokenTraining) -> tuple[Measure, ...]:
        found = [
            Measure(
                what="KL left",
                where="of the distance at the start",
                measured=_measure_distance(seen, seen.after) / _measure_distance(seen, seen.before),
                right=0.0,
                low=0.0,
                high=0.8,
            )
        ]
        updates = [update for update in list_updates(seen) if update.own > 0.0]
        for where, update in (("first update", updates[:1]), ("last update", updates[-1:])):
            weight, explained = measure_kl_weight(seen, update[0]) if update else (0.0, 0.0)
            if explained > 0.8:
                found.append(
                    Measure(what="weight of the KL", where=where, measured=weight, right=1.0, low=0.7, high=1.4)
                )
        return tuple(found)


def _measure_distance(seen: TokenTraining, policy: Array) -> float:
    """The KL of the first token's distribution from the reference's, over all prompts."""
    logits = np.array([rows[-1] for rows in seen.reference(seen.prompts)])
    reference = np.exp(logits - logits.max(1, keepdims=True))
    reference /= reference.sum(1, keepdims=True)
    return float((policy * np.log(np.maximum(policy, 1e-30) / np.maximum(reference, 1e-30))).sum())
