"""n-step returns (Sutton, 1988) and V-trace (Espeholt et al., 2018), and the usual ways to get them wrong.

Arrays are (T,) or (T, N). `following` is the value of the observation after each step, whatever its episode does then.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from weaklink.base.reference.discounting import Array, Flags, Variants, fold_backwards, take_next, take_previous


def n_step_returns(
    rewards: Array, following: Array, terminated: Flags, truncated: Flags, gamma: float, n: int
) -> Array:
    """The rewards of the next n steps of the episode, discounted, then the value of where they lead.

    At the end of the record there are fewer than n steps, and the value after the last of them continues the return.
    """
    return _n_step(rewards, following, terminated, truncated, gamma, n)


def _n_step(
    rewards: Array,
    following: Array,
    terminated: Flags,
    ended: Flags,
    gamma: float,
    n: int,
    *,
    power: Callable[[int, int], int] = lambda steps, n: steps,
) -> Array:
    stops, result, length = terminated | ended, np.zeros_like(rewards), len(rewards)
    for start in range(length):
        alive = np.ones_like(rewards[0], dtype=bool)
        for step in range(start, min(start + n, length)):
            taken = step - start + 1
            result[start] += alive * gamma ** (taken - 1) * rewards[step]
            final = stops[step] | (taken == n) | (step == length - 1)
            result[start] += (alive & final & ~terminated[step]) * gamma ** power(taken, n) * following[step]
            alive = alive & ~stops[step]
    return result


def _with_mask(mask: Callable[[Flags], Flags]) -> Callable[..., Array]:
    def wrong(rewards: Array, following: Array, terminated: Flags, truncated: Flags, gamma: float, n: int) -> Array:
        changed = mask(terminated | truncated)
        return _n_step(rewards, following, changed, changed, gamma, n)

    return wrong


def _with_power(power: Callable[[int, int], int]) -> Callable[..., Array]:
    def wrong(rewards: Array, following: Array, terminated: Flags, truncated: Flags, gamma: float, n: int) -> Array:
        return _n_step(rewards, following, terminated, truncated, gamma, n, power=power)

    return wrong


def _with_steps(change: int) -> Callable[..., Array]:
    def wrong(rewards: Array, following: Array, terminated: Flags, truncated: Flags, gamma: float, n: int) -> Array:
        return _n_step(rewards, following, terminated, truncated, gamma, max(n + change, 1))

    return wrong


def _through_terminal(
    rewards: Array, following: Array, terminated: Flags, truncated: Flags, gamma: float, n: int
) -> Array:
    return _n_step(rewards, following, np.zeros_like(terminated), terminated | truncated, gamma, n)


def _unconditional_bootstrap(
    rewards: Array, following: Array, terminated: Flags, truncated: Flags, gamma: float, n: int
) -> Array:
    """Rewards stop at the end of the episode, the value n steps ahead is added all the same."""
    ended, none = terminated | truncated, np.zeros_like(terminated)
    inside = _n_step(rewards, np.zeros_like(following), ended, ended, gamma, n)
    ahead = _n_step(np.zeros_like(rewards), following, none, none, gamma, n)
    return inside + ahead


def _n_step_without_bootstrap(
    rewards: Array, following: Array, terminated: Flags, truncated: Flags, gamma: float, n: int
) -> Array:
    return _n_step(rewards, np.zeros_like(following), terminated, truncated, gamma, n)


def _truncation_as_termination(
    rewards: Array, following: Array, terminated: Flags, truncated: Flags, gamma: float, n: int
) -> Array:
    return _n_step(rewards, following, terminated | truncated, truncated, gamma, n)


def _n_step_without_gamma(
    rewards: Array, following: Array, terminated: Flags, truncated: Flags, gamma: float, n: int
) -> Array:
    return _n_step(rewards, following, terminated, truncated, 1.0, n)


N_STEP_VARIANTS: Variants = {
    "episode boundary crossed": (_with_mask(np.zeros_like),),
    "bootstrap through a terminal": (_through_terminal, _unconditional_bootstrap),
    "done mask shifted by one": (
        _with_mask(take_next),
        _with_mask(take_previous),
        _with_mask(lambda e: take_next(e, e[-1])),
    ),
    "mask inverted": (_with_mask(np.logical_not),),
    "truncation treated as termination": (_truncation_as_termination,),
    "no bootstrap after n steps": (_n_step_without_bootstrap,),
    "bootstrap discounted once instead of n times": (_with_power(lambda steps, n: 1),),
    "bootstrap discounted one step too few": (_with_power(lambda steps, n: steps - 1),),
    "bootstrap discounted one step too many": (_with_power(lambda steps, n: steps + 1),),
    "gamma ignored": (_n_step_without_gamma,),
    "n off by one": (_with_steps(1), _with_steps(-1)),
}


def vtrace(
    ratios: Array,
    rewards: Array,
    values: Array,
    following: Array,
    terminated: Flags,
    truncated: Flags,
    gamma: float,
    rho_clip: float = 1.0,
    c_clip: float = 1.0,
    lam: float = 1.0,
) -> tuple[Array, Array]:
    """V-trace targets and the advantages for the policy gradient, from ratios of target to behaviour policy."""
    return _vtrace(ratios, rewards, values, following, terminated, truncated, gamma, rho_clip, c_clip, lam)


def _vtrace(
    ratios: Array,
    rewards: Array,
    values: Array,
    following: Array,
    terminated: Flags,
    truncated: Flags,
    gamma: float,
    rho_clip: float,
    c_clip: float,
    lam: float,
    *,
    ahead: str = "targets",
    weighted: bool = True,
    traced: bool = True,
) -> tuple[Array, Array]:
    rho, trace = np.minimum(ratios, rho_clip), np.minimum(ratios, c_clip) * lam
    ended = terminated | truncated
    continued = np.where(terminated, 0.0, following)
    errors = rho * (rewards + gamma * continued - values)
    corrections = fold_backwards(errors, gamma * (trace if traced else lam) * ~ended)
    targets = values + corrections
    next_targets = np.concatenate([targets[1:], following[-1:]])
    next_targets = np.where(ended, continued, next_targets)
    after = next_targets if ahead == "targets" else continued
    advantages = (rho if weighted else 1.0) * (rewards + gamma * after - values)
    return targets, advantages


def _vtrace_ratios(change: Callable[[Array], Array]) -> Callable[..., tuple[Array, Array]]:
    def wrong(ratios: Array, *rest: Array) -> tuple[Array, Array]:
        return vtrace(change(ratios), *rest)  # type: ignore[arg-type]

    return wrong


def _vtrace_clips(change: Callable[[float, float], tuple[float, float]]) -> Callable[..., tuple[Array, Array]]:
    def wrong(*inputs: Array) -> tuple[Array, Array]:
        rho_clip, c_clip = change(float(inputs[7]), float(inputs[8]))
        return _vtrace(*inputs[:7], rho_clip, c_clip, *inputs[9:])  # type: ignore[arg-type, call-arg]

    return wrong


def _vtrace_masks(mask: Callable[[Flags], Flags]) -> Callable[..., tuple[Array, Array]]:
    def wrong(
        ratios: Array,
        rewards: Array,
        values: Array,
        following: Array,
        terminated: Flags,
        truncated: Flags,
        *rest: float,
    ) -> tuple[Array, Array]:
        changed = mask(terminated | truncated)
        return vtrace(ratios, rewards, values, following, changed, changed, *rest)

    return wrong


def _vtrace_part(
    ahead: str = "targets", weighted: bool = True, traced: bool = True
) -> Callable[..., tuple[Array, Array]]:
    def wrong(*inputs: Array) -> tuple[Array, Array]:
        return _vtrace(*inputs, ahead=ahead, weighted=weighted, traced=traced)  # type: ignore[arg-type]

    return wrong


def _vtrace_without_gamma(*inputs: Array) -> tuple[Array, Array]:
    return _vtrace(*inputs[:6], 1.0, *inputs[7:])  # type: ignore[arg-type, call-arg]


VTRACE_VARIANTS: dict[str, tuple[Callable[..., tuple[Array, Array]], ...]] = {
    "ratio inverted": (_vtrace_ratios(lambda ratios: 1.0 / ratios),),
    "log-ratio used as ratio": (_vtrace_ratios(lambda ratios: np.log(ratios)),),
    "importance weights not clipped": (_vtrace_clips(lambda rho, c: (np.inf, np.inf)),),
    "rho not clipped": (_vtrace_clips(lambda rho, c: (np.inf, c)),),
    "trace not clipped": (_vtrace_clips(lambda rho, c: (rho, np.inf)),),
    "trace coefficient left out": (_vtrace_part(traced=False),),
    "clips of rho and c swapped": (_vtrace_clips(lambda rho, c: (c, rho)),),
    "importance weights ignored": (_vtrace_ratios(np.ones_like),),
    "policy advantage from V(s') instead of the target": (_vtrace_part(ahead="values"),),
    "policy advantage without its weight": (_vtrace_part(weighted=False),),
    "done mask shifted by one": (
        _vtrace_masks(take_next),
        _vtrace_masks(lambda e: take_next(e, e[-1])),
        _vtrace_masks(take_previous),
    ),
    "done ignored": (_vtrace_masks(np.zeros_like),),
    "mask inverted": (_vtrace_masks(np.logical_not),),
    "gamma ignored": (_vtrace_without_gamma,),
}
