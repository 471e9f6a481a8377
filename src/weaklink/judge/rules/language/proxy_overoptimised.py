from __future__ import annotations

import numpy as np

from weaklink.base.evidence.run import Run
from weaklink.base.evidence.samples import Samples
from weaklink.base.evidence.series import Array, Series
from weaklink.base.stats import block_means, level, noise, trend
from weaklink.judge.rules._course import FEWEST, is_language_run
from weaklink.judge.rules._draws import average_by_draw, find_steps, select_complete
from weaklink.judge.rules._samples import (
    LATE,
    OUTCOMES,
    WISHED_DRAWS,
    SampleSplit,
    ends,
    find_onset,
    measure_course,
    split,
)
from weaklink.judge.rules.writing import HIGH, MEDIUM, Answer, CannotTell, Evidence, Finding, Level, Link, rule

DRIFT, STEADY = 8.0, 0.9
"""How many times its spread within a step the reward must rise while success does not, and the share of its blocks that
lie above the one before: what a policy learns moves its outcomes within a step too, while a moving scale does not."""

FLOOR, TOP = 0.05, 0.95
"""Outcomes from 0 to 1 that stay below or above these cannot show whether anything got better."""

BOTH = 3.0
"""Standard errors by which the outcome must fall and the reward rise: both together are as rare as one at four."""

GOLD = ("reward.human_score", "evaluation.score", "evaluation.success_rate")


@rule(
    "LLM311",
    link=Link.REWARD,
    level=Level.WARN,
    on=Run,
    needs=(GOLD, ("reward.mean", "reward.episode_return")),
    samples=("outcome", "reward", ("step", "policy_version")),
    leads_to=("REW305", "EVA303", "EVA305", "LLM317"),
    symptoms={"high reward, bad behaviour": 2},
)
def proxy_overoptimised(run: Run | Samples, *, latest: float = 0.8, clear: float = 4.0) -> Answer:
    """The reward keeps rising after the true score has passed its peak.

    ## What it sees
    A human or gold score, or a held-out score, that peaks in the first four fifths of the run and then falls by more
    than its own noise, while the training reward keeps rising from the peak on. The message names the step of the peak.
    In samples the same is measured for the true outcome, by blocks of training steps, with equal prompts and
    difficulties as far as they are known. There it is an alarm too where the reward rises steadily by more than eight
    times its spread within a step and no outcome rises: the scale of the reward drifts.

    ## Why it is bad
    A learned reward is right only near the answers it was trained on. Past the peak, more optimisation makes the policy
    worse at the task and better at the proxy.

    ## What to do
    1. Use the checkpoint at the peak.
    2. Read the samples with the highest reward after the peak and find what the reward mistakes for quality.
    3. Retrain the reward model with those samples, raise the KL coefficient, or stop at that KL.

    ## How to prove it
    Let the gold judge score one fixed set of prompts at the peak's checkpoint and at the last one: the peak must win by
    more than chance.

    ## When it is wrong
    An evaluation whose protocol changed after the peak, or gold scores from few samples. A score that only stops rising
    does not count as a fall.

    ## References
    Gao et al., Scaling Laws for Reward Model Overoptimization, 2022.
    """
    if isinstance(run, Samples):
        return _in_samples(run, latest)
    if not is_language_run(run):
        return None  # classic control has its own rules for this gap
    proxy = run.get("reward.mean", "reward.episode_return")
    golds = [run[name] for name in GOLD if name in run and len(run[name]) >= FEWEST]
    if proxy is None or len(proxy) < FEWEST or not golds:
        return CannotTell(("evaluation.score",), f"fewer than {FEWEST} points of the reward or of the score")
    for gold in golds:
        peak = _peak(gold, latest, clear)
        if peak is None:
            continue
        top, place, best, final = peak
        first = min(0.0, proxy.first_step)
        places = (proxy.steps - first) / max(proxy.last_step - first, 1e-12)
        since = proxy.values[places >= place]
        if len(since) < 6 or not trend(since).rises or level(since[-3:]) <= level(since[:3]):
            continue
        step = float(gold.steps[top])
        return Finding(
            message=f"{gold.name} peaked at {best:.3g} at step {step:,.0f} and fell to {final:.3g}, while "
            f"{proxy.name} kept rising from {level(since[:3]):.3g} to {level(since[-3:]):.3g}.",
            onset=step,
            onset_within=max(gold.interval, 0.05 * (gold.last_step - gold.first_step)),
            confidence=HIGH if len(gold) >= 3 * FEWEST else MEDIUM,
            evidence=(
                Evidence(metric=gold.name, value=final, limit=best, step=step),
                Evidence(metric=proxy.name, value=level(since[-3:]), limit=level(since[:3])),
            ),
        )
    return None


def _peak(gold: Series, latest: float, clear: float) -> tuple[int, float, float, float] | None:
    """Index, place in the run and height of the peak and the final level, where a clear fall follows."""
    count = int(np.clip(len(gold) // 3, 5, 20))
    means = block_means(gold.values, count)
    ends = ((np.arange(count) + 1) * len(gold)) // count - 1
    highest = int(np.argmax(means))
    top = int(ends[highest])
    final = float(np.mean(means[-max(1, count // 5) :]))
    scatter = max(noise(means), noise(gold.values) / np.sqrt(len(gold) / count))
    after = gold.values[top:]
    if (highest + 1) / count > latest or means[highest] - final <= clear * scatter or len(after) < 5:
        return None
    if not trend(after).falls or means[highest] - final < 0.05 * max(abs(float(means[highest])), 1e-12):
        return None
    first = min(0.0, gold.first_step)
    place = (float(gold.steps[top]) - first) / max(gold.last_step - first, 1e-12)
    return top, place, float(means[highest]), final


def _in_samples(samples: Samples, latest: float) -> Answer:
    told = False
    for name in OUTCOMES:
        over = measure_course(samples, name) if name in samples else None
        if over is None or len(over.steps) < 5:
            continue
        told = True
        smooth = np.convolve(np.pad(over.means, 1, mode="edge"), np.ones(3) / 3, mode="valid")
        top = int(np.argmax(smooth))
        first, last = float(over.steps[0]), float(over.steps[-1])
        if (over.steps[top] - first) / max(last - first, 1e-12) > latest:
            continue
        peak = _frame_peak(samples, name, over.steps, top, latest)
        answer = _past(
            samples, name, float(over.steps[top]), peak, _find_late(samples, name, last - LATE * (last - first))
        )
        if answer is not None:
            return answer
    if not told:
        return CannotTell(("step",), "too few training steps with an outcome to find a peak")
    return _drifted(samples)


def _frame_peak(samples: Samples, name: str, blocks: Array, top: int, latest: float) -> tuple[float, float]:
    """The steps around a peak: its block and those beside it, and more of them until they hold rows enough."""
    steps = find_steps(samples)
    last = min(int(latest * len(blocks)), len(blocks) - 1)
    for wide in range(1, last + 1):
        low = float(blocks[top - wide - 1]) if top > wide else -np.inf
        high = float(blocks[min(top + wide, last)])
        inside = None if steps is None else samples.where((steps > low) & (steps <= high))
        drawn = None if inside is None else average_by_draw(inside, name)
        if inside is None or (drawn is not None and len(drawn.means) >= WISHED_DRAWS / 2):
            break
    return low, high


def _find_late(samples: Samples, name: str, usual: float) -> float:
    """The step at which the end of training begins: earlier than usual where draws are few."""
    rows = select_complete(samples, name)
    steps, parts = find_steps(rows), ends(rows)
    return usual if steps is None or parts is None else min(usual, float(steps[parts[1]].min()))


def _drifted(samples: Samples) -> Finding | None:
    """A reward that rises far beyond its spread within a step while no outcome rises."""
    parts, over = split(samples, "reward"), measure_course(samples, "reward")
    paid = None if parts is None else parts.shift("reward")
    name = samples.outcome
    gold = None if parts is None or name is None or name not in parts.before else parts.shift(name)
    if parts is None or over is None or paid is None or gold is None or name is None or parts.better is not False:
        return None
    level = gold.before / 2 + gold.after / 2
    spread = _measure_spread(samples)
    steady = float((np.diff(over.means) > 0).mean()) if len(over.means) > 1 else 0.0
    if not paid.rose or paid.change < DRIFT * spread or steady < STEADY or not FLOOR <= level <= TOP:
        return None
    return Finding(
        message=f"The reward drifts: it rose from {paid.before:.3g} to {paid.after:.3g}, over {DRIFT:g} times its "
        f"spread within a step ({spread:.2g}), while {name} went from {gold.before:.2g} to {gold.after:.2g}.",
        confidence=HIGH if gold.change <= 0 else MEDIUM,
        evidence=(
            Evidence(metric="reward", value=paid.after, limit=paid.before + DRIFT * spread),
            Evidence(metric=name, value=gold.after, limit=gold.before),
        ),
    )


def _measure_spread(samples: Samples) -> float:
    """The spread of rewards of one step, over all steps with several rows."""
    steps = find_steps(samples)
    rows = np.isfinite(samples["reward"]) & (np.zeros(len(samples), bool) if steps is None else np.isfinite(steps))
    if steps is None or not rows.any():
        return np.inf
    _, owner, counts = np.unique(steps[rows], return_inverse=True, return_counts=True)
    reward = samples["reward"][rows]
    inside = reward - (np.bincount(owner, reward) / counts)[owner]
    freedom = int((counts - 1).sum())
    return float(np.sqrt((inside**2).sum() / freedom)) if freedom > 0 else np.inf


def _past(samples: Samples, name: str, step: float, peak: tuple[float, float], late: float) -> Finding | None:
    """The outcome's fall and the reward's rise from around the peak to the end, where both are beyond chance."""
    steps = find_steps(samples)
    if steps is None:
        return None
    parts = SampleSplit(
        samples.where((steps > peak[0]) & (steps <= peak[1])), samples.where(steps >= max(late, peak[1])), "at the peak"
    )
    gold, proxy = parts.shift(name), parts.shift("reward")
    if gold is None or proxy is None or gold.z > -BOTH or not gold.sizeable:
        return None
    if proxy.z < BOTH or not proxy.sizeable or -gold.change < 0.1 * gold.deviation:
        return None
    # the fall begins somewhere between the peak and the step from which on half of it is done
    halfway = find_onset(samples, name, gold) or step
    return Finding(
        message=f"{name} peaked at {gold.before:.3g} around step {step:,.0f} and fell to {gold.after:.3g}, while the "
        f"reward kept rising from {proxy.before:.3g} to {proxy.after:.3g}.",
        onset=step,
        onset_within=max(peak[1] - step, halfway - step, 0.0),
        confidence=HIGH,
        evidence=(
            Evidence(metric=name, value=gold.after, limit=gold.before, step=step),
            Evidence(metric="reward", value=proxy.after, limit=proxy.before),
        ),
    )
