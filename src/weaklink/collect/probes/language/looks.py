"""The rungs that need no learning: what the loss of the first updates asks of each token."""

from __future__ import annotations

import numpy as np

from weaklink.base.evidence.outcome import Measure
from weaklink.base.evidence.series import Array
from weaklink.base.evidence.tokens import TokenTraining
from weaklink.collect.probes.language.advantages import measure_fits, measure_length_power
from weaklink.collect.probes.language.gradients import SeenUpdate, compute_log_probs, list_updates
from weaklink.collect.probes.language.problem import EXACT, LanguageProbe

TEMPERATURES = np.geomspace(0.2, 3.0, 109)


class ScoredToken(LanguageProbe):
    """Each completion is paid something of its own; the loss must score the tokens that were written."""

    name = "scored-token"
    adds = "the log-probability of the tokens that were written"

    def measures(self, seen: TokenTraining) -> tuple[Measure, ...]:
        update = self.first(seen)
        if update is None:
            return ()
        others = {
            word: update.explained(self.temperature, shift)
            for word, shift in (("the token before", -1), ("the token after", 1))
        }
        return (
            Measure(
                what="gradient explained",
                where="by the tokens written",
                measured=update.explained(self.temperature),
                right=1.0,
                low=0.9,
                high=1.001,
                mistakes=others,
            ),
        )


class TokenMask(LanguageProbe):
    """Prompts of different lengths; the loss must ask nothing of prompts and padding, which must change nothing."""

    name = "token-mask"
    adds = "the masks of prompts and of padding"

    def measures(self, seen: TokenTraining) -> tuple[Measure, ...]:
        update = self.first(seen)
        if update is None:
            return ()
        shares = (
            ("prompt tokens", sum(row.asked_of(row.asked) for row in update.rows)),
            ("padding", sum(row.asked_of(row.outside) for row in update.rows)),
        )
        return (
            *(_measure_share(where, amount / update.own) for where, amount in shares),
            Measure(
                what="log-probability off",
                where="with padding against without",
                measured=_measure_padding_effect(seen, update),
                right=0.0,
                low=0.0,
                high=0.02,
            ),
        )


def _measure_share(where: str, share: float) -> Measure:
    return Measure(what="gradient share", where=where, measured=share, right=0.0, low=0.0, high=EXACT)


def _measure_padding_effect(seen: TokenTraining, update: SeenUpdate) -> float:
    """How far the log-probabilities in the pass are from those of the same tokens alone, at most."""
    rows = [row for row in update.rows if not len(row.tools)]
    if not rows:
        return 0.0
    alone = seen.start([(*row.prompt, *row.completion) for row in rows])
    worst = 0.0
    for row, logits in zip(rows, alone, strict=True):
        tokens = np.array(row.completion)
        start = len(row.prompt) - 1
        there = compute_log_probs(logits[start : start + len(tokens)], tokens)
        worst = max(worst, float(np.abs(row.log_probs() - there).max()))
    return worst


class ToolMask(LanguageProbe):
    """A tool speaks in every longer completion; the loss must ask nothing of its words."""

    name = "tool-mask"
    adds = "the mask of what tools say"
    tools = True

    def measures(self, seen: TokenTraining) -> tuple[Measure, ...]:
        update = self.first(seen)
        if update is None or not any(len(row.tools) for row in update.rows):
            return ()
        amount = sum(row.asked_of(row.tools) for row in update.rows)
        return (_measure_share("tokens of tools", amount / update.own),)


class SamplingTemperature(LanguageProbe):
    """Completions are drawn at 0.6; the loss must score them at 0.6 too, with ratios of 1."""

    name = "sampling-temperature"
    adds = "the temperature in the log-probabilities"
    temperature = 0.6

    def measures(self, seen: TokenTraining) -> tuple[Measure, ...]:
        update = self.first(seen)
        if update is None:
            return ()
        explained = [update.explained(float(one)) for one in TEMPERATURES]
        return (
            Measure(
                what="temperature",
                where="of the scored log-probabilities",
                measured=float(TEMPERATURES[int(np.argmax(explained))]),
                right=self.temperature,
                low=0.55,
                high=0.66,
                mistakes={"not applied": 1.0, "applied twice": self.temperature**2},
            ),
            _make_unevenness_measure("first update", _measure_unevenness(update, self.temperature)),
        )


class GroupAdvantage(LanguageProbe):
    """Each prompt pays at another level; a completion must be weighed by its reward against its own group's."""

    name = "group-advantage"
    adds = "advantages: groups, their order, the baseline, the sign"

    def measures(self, seen: TokenTraining) -> tuple[Measure, ...]:
        update = self.first(seen)
        if update is None or len(seen.payments) < len(update.rows):
            return ()
        right, mistakes = measure_fits(seen, update)
        return (
            Measure(
                what="agreement",
                where="of weights with their own group's advantages",
                measured=right,
                right=1.0,
                low=0.97,
                high=1.001,
                mistakes=mistakes,
            ),
        )


class FreshRatio(LanguageProbe):
    """One update for each batch; then every ratio is 1 and all tokens of a completion weigh the same."""

    name = "fresh-ratio"
    adds = "the old log-probabilities"
    effort = 0.25

    def measures(self, seen: TokenTraining) -> tuple[Measure, ...]:
        updates = list_updates(seen)
        if len(updates) < 2 or updates[0].own <= 0.0:
            return ()
        later = [_measure_unevenness(update, self.temperature) for update in updates[1:] if update.own > 0.0]
        return (
            _make_unevenness_measure("first update", _measure_unevenness(updates[0], self.temperature)),
            *([_make_unevenness_measure("later updates", float(np.median(later)))] if later else ()),
        )


def _make_unevenness_measure(where: str, measured: float) -> Measure:
    return Measure(what="unevenness of weights", where=where, measured=measured, right=0.0, low=0.0, high=0.05)


def _measure_unevenness(update: SeenUpdate, temperature: float) -> float:
    """How far the weights of a completion's tokens lie from their mean, relative to it, over all completions."""
    apart = whole = 0.0
    for row in update.rows:
        weights: Array = row.weights(temperature)[: _count_scored(row.length)]
        apart += float(((weights - weights.mean()) ** 2).sum())
        whole += float((weights**2).sum())
    return float(np.sqrt(apart / whole)) if whole > 0.0 else 0.0


def _count_scored(length: int) -> int:
    """The end is left aside: whether it is scored is another rung's question."""
    return max(length - 1, 1)


class LengthWeight(LanguageProbe):
    """How a token's weight depends on the length of its completion: not at all, or by one over it."""

    name = "length-weight"
    adds = "the normalisation by length"

    def measures(self, seen: TokenTraining) -> tuple[Measure, ...]:
        update = self.first(seen)
        if update is None or len(seen.payments) < len(update.rows):
            return ()
        power = measure_length_power(seen, update)
        if power is None:
            return ()
        return (
            Measure(
                what="power of the length",
                where="in a token's weight",
                measured=power,
                right=0.0,
                low=-1.3,
                high=0.3,
                mistakes={"one over the length": -1.0},
            ),
        )
