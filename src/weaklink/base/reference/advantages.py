"""Generalised advantage estimation (Schulman et al., 2016), and the usual ways to get it wrong.

Arrays are (T,) or (T, N): time first, then environments. `values[t]` belongs to the observation before step t,
`last_value` to the one after the last step. `terminated` and `truncated` belong to the step that they end.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from weaklink.base.reference.discounting import Array, Flags, Variants, fold_backwards, take_next, take_previous


def successor_values(
    values: Array, last_value: float | Array, ended: Flags, final_values: Array | None = None
) -> Array:
    """The value of the observation after each step.

    Where an episode ended, that is the value of its last observation (`final_values`, read at such steps alone) and
    not that of the next row, which is the first observation of another episode.
    """
    following = np.concatenate(
        [values[1:], np.broadcast_to(np.asarray(last_value, dtype=np.float64), values[:1].shape)]
    )
    return following if final_values is None else np.where(ended, final_values, following)


def gae(
    rewards: Array,
    values: Array,
    terminated: Flags,
    truncated: Flags,
    last_value: float | Array,
    gamma: float,
    lam: float,
    final_values: Array | None = None,
) -> Array:
    """Advantages: discounted sums of one-step errors that stop at the end of each episode."""
    following = successor_values(values, last_value, terminated | truncated, final_values)
    errors = rewards + gamma * np.where(terminated, 0.0, following) - values
    return fold_backwards(errors, gamma * lam * ~(terminated | truncated))


def _general(
    *,
    bootstrap: Callable[[Flags, Flags], Flags] = lambda terminated, truncated: terminated,
    carry: Callable[[Flags, Flags], Flags] = lambda terminated, truncated: terminated | truncated,
    in_error: Callable[[float], float] = lambda gamma: gamma,
    decay: Callable[[float, float], float] = lambda gamma, lam: gamma * lam,
    subtract: float = 1.0,
    ahead: Callable[[Array, Array], Array] = lambda values, following: following,
    last: float = 1.0,
) -> Callable[..., Array]:
    """An estimator with one part changed: a mask, a discount, the baseline, or the value that it continues with."""

    def wrong(
        rewards: Array,
        values: Array,
        terminated: Flags,
        truncated: Flags,
        last_value: float | Array,
        gamma: float,
        lam: float,
        final_values: Array | None = None,
    ) -> Array:
        following = successor_values(values, last * np.asarray(last_value), terminated | truncated, final_values)
        following = ahead(values, following)
        open_ends = ~bootstrap(terminated, truncated)
        errors = rewards + in_error(gamma) * following * open_ends - subtract * values
        return fold_backwards(errors, decay(gamma, lam) * ~carry(terminated, truncated))

    return wrong


def _both(mask: Callable[[Flags], Flags]) -> Callable[..., Array]:
    def changed(terminated: Flags, truncated: Flags) -> Flags:
        return mask(terminated | truncated)

    return _general(bootstrap=changed, carry=changed)


def _before_but_last(ended: Flags) -> Flags:
    """The flag of the step before, except for the last step."""
    mask = take_previous(ended, True)
    mask[-1] = ended[-1]
    return mask


def _never(terminated: Flags, truncated: Flags) -> Flags:
    return np.zeros_like(terminated)


def _either(terminated: Flags, truncated: Flags) -> Flags:
    return terminated | truncated


def _of_result(change: Callable[[Array], Array]) -> Callable[..., Array]:
    def wrong(*inputs: Array) -> Array:
        return change(gae(*inputs))  # type: ignore[arg-type]

    return wrong


def _forwards(
    rewards: Array,
    values: Array,
    terminated: Flags,
    truncated: Flags,
    last_value: float | Array,
    gamma: float,
    lam: float,
    final_values: Array | None = None,
) -> Array:
    following = successor_values(values, last_value, terminated | truncated, final_values)
    errors = rewards + gamma * np.where(terminated, 0.0, following) - values
    return fold_backwards(errors[::-1], gamma * lam * ~(terminated | truncated)[::-1])[::-1]


def _scaled_over(axis: int) -> Callable[[Array], Array]:
    def change(advantages: Array) -> Array:
        if advantages.ndim < 2 or min(advantages.shape) < 2:
            return np.full_like(advantages, np.nan)
        spread = advantages.std(axis=axis, keepdims=True)
        return np.asarray((advantages - advantages.mean(axis=axis, keepdims=True)) / (spread + 1e-8))

    return change


def _of_the_next_row(advantages: Array) -> Array:
    return np.concatenate([advantages[1:], np.full_like(advantages[:1], np.nan)])


GAE_VARIANTS: Variants = {
    "done mask shifted by one": (
        _both(take_next),
        _both(lambda ended: take_next(ended, ended[-1])),
        _both(lambda ended: take_next(ended, True)),
        _both(take_previous),
        _both(lambda ended: take_previous(ended, True)),
        _both(_before_but_last),
        _general(bootstrap=lambda terminated, truncated: take_next(terminated | truncated)),
        _general(carry=lambda terminated, truncated: take_next(terminated | truncated)),
    ),
    "done ignored": (_general(bootstrap=_never, carry=_never),),
    "bootstrap through a terminal": (_general(bootstrap=_never),),
    "advantage carried across an episode's end": (
        _general(carry=_never),
        _general(carry=lambda terminated, truncated: terminated),
        _general(bootstrap=_either, carry=_never),
    ),
    "truncation treated as termination": (_general(bootstrap=_either),),
    "no bootstrap at the last step": (_general(last=0.0), _general(bootstrap=_either, last=0.0)),
    "mask inverted": (
        _both(np.logical_not),
        _general(
            bootstrap=lambda terminated, truncated: ~terminated,
            carry=lambda terminated, truncated: ~(terminated | truncated),
        ),
    ),
    "lambda ignored": (_general(decay=lambda gamma, lam: gamma),),
    "lambda taken as zero": (_general(decay=lambda gamma, lam: 0.0),),
    "lambda squared or used in place of gamma": (
        _general(decay=lambda gamma, lam: gamma * lam * lam),
        _general(decay=lambda gamma, lam: lam * lam),
    ),
    "gamma ignored": (_general(in_error=lambda gamma: 1.0, decay=lambda gamma, lam: lam),),
    "gamma left out of the recursion": (_general(decay=lambda gamma, lam: lam),),
    "gamma left out of the bootstrap": (_general(in_error=lambda gamma: 1.0),),
    "gamma applied twice": (
        _general(in_error=lambda gamma: gamma**2),
        _general(decay=lambda gamma, lam: gamma * gamma * lam),
        _general(in_error=lambda gamma: gamma**2, decay=lambda gamma, lam: gamma * gamma * lam),
    ),
    "bootstrap from s instead of s'": (_general(ahead=lambda values, following: values),),
    "value not subtracted": (_general(subtract=0.0),),
    "time not reversed": (_forwards,),
    "sign flipped": (_of_result(np.negative),),
    "normalised over the wrong axis": (_of_result(_scaled_over(0)), _of_result(_scaled_over(1))),
    "result shifted by one": (_of_result(_of_the_next_row),),
}
