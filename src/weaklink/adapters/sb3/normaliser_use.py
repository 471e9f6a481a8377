"""How often Stable-Baselines3's running normaliser counts: in training, in evaluations, after a resume."""

from __future__ import annotations

from typing import Any

from weaklink.base.evidence.rollout import NormaliserUse


def find_normaliser(environment: Any) -> Any:
    """The VecNormalize among the wrappers of a vector environment, or None."""
    while environment is not None:
        if "obs_rms" in vars(environment) or "ret_rms" in vars(environment):
            return environment
        environment = vars(environment).get("venv")
    return None


def tells_episodes(environment: Any) -> bool:
    """Whether a wrapper within the normaliser reports the returns of episodes, as they are before it."""
    from stable_baselines3.common.monitor import Monitor

    inner = find_normaliser(environment)
    inside = vars(inner).get("venv")
    while inside is not None:
        if "episode_returns" in vars(inside):  # VecMonitor
            return True
        inside = vars(inside).get("venv")
    return bool(all(environment.env_is_wrapped(Monitor)))


class NormaliserCounts:
    """What the normaliser of a training counted between two looks."""

    def __init__(self) -> None:
        self._counts: dict[str, float] = {}
        self._steps = 0
        self._evaluation, self._lacking = 0.0, 0.0
        self._resumed, self._restored = False, None

    def begin(self, model: Any) -> None:
        """Takes note at the start of a training."""
        normaliser = model.get_vec_normalize_env()
        if normaliser is None:
            return
        self._counts, self._steps = _read_counts(normaliser), int(model.num_timesteps)
        self._evaluation, self._lacking = 0.0, 0.0
        self._resumed = int(getattr(model, "_n_updates", 0)) > 0
        least = min(self._counts.values(), default=0.0)
        self._restored = least > model.n_envs + 1 if self._resumed and self._counts else None  # a reset counts too

    def evaluated(self, model: Any, environment: Any) -> None:
        """Takes note right after an evaluation, which began with the training's own statistics."""
        normaliser, own = find_normaliser(environment), model.get_vec_normalize_env()
        if normaliser is None or own is None or not own.norm_obs or not normaliser.norm_obs:
            return
        more = _read_counts(normaliser).get("observations", 0.0) - _read_counts(own).get("observations", 0.0)
        self._evaluation += max(more, 0.0)
        if normaliser is not own:
            self._lacking = max(self._lacking, -more)

    def looked(self, model: Any) -> tuple[NormaliserUse, ...] | None:
        """What was counted since the last look; None without a normaliser."""
        normaliser = model.get_vec_normalize_env()
        if normaliser is None or not self._counts:
            return None
        counts, steps = _read_counts(normaliser), int(model.num_timesteps)
        uses = tuple(
            NormaliserUse(
                name=f"VecNormalize of {name}",
                counted=round(count - self._counts.get(name, 0.0), 6),
                steps=steps - self._steps,
                evaluation_counted=self._evaluation if name == "observations" else 0.0,
                evaluation_lacks=self._lacking if name == "observations" else 0.0,
                resumed=self._resumed,
                restored=self._restored,
            )
            for name, count in counts.items()
        )
        self._counts, self._steps, self._resumed, self._restored = counts, steps, False, None
        self._evaluation, self._lacking = 0.0, 0.0
        return uses


def _read_counts(normaliser: Any) -> dict[str, float]:
    found = {}
    if normaliser.norm_obs:
        statistics = normaliser.obs_rms
        several = statistics.values() if isinstance(statistics, dict) else [statistics]
        found["observations"] = min(float(each.count) for each in several)
    if normaliser.norm_reward:
        found["rewards"] = float(normaliser.ret_rms.count)
    return found
