"""Gymnasium environments: made by id, described, checked by Gymnasium's own checker."""

from __future__ import annotations

import contextlib
import inspect
import re
import warnings
from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import Any

from weaklink.adapters.described import describe_space
from weaklink.adapters.gymnasium.layers import listen_at_layers
from weaklink.base.errors import UsageError
from weaklink.base.evidence.protocols import BrokenContract, LayerLog, Stepped
from weaklink.base.evidence.survey import NOT_FINITE, NOT_REPEATABLE, OUT_OF_BOUNDS, CheckerComplaint
from weaklink.base.outside.named import suggest_names

STANDARD_WRAPPERS = frozenset(
    {"PassiveEnvChecker", "OrderEnforcing", "TimeLimit", "RecordEpisodeStatistics", "Monitor"}
)
"""Wrappers that change neither observation, nor action, nor reward."""

NO_COMPLAINT = (
    "different from the unwrapped version",
    "render",
    "metadata",
    "Casting input",
    "infinity",
    "RecordConstructorArgs",
)
"""What the checker says of every wrapped environment, of pictures and of remaking: nothing that training would meet."""

JUDGED_ELSEWHERE = (
    (r"\bnan\b", NOT_FINITE),
    (r"not within the observation space|observation.*out of bounds|match the bounds of its", OUT_OF_BOUNDS),
    (r"deterministic|(non-|not )equivalent", NOT_REPEATABLE),
)
"""How complaints are worded about what a rule looks at for longer than the checker does."""


class GymnasiumEnvironment:
    """A Gymnasium environment with its wrappers."""

    def __init__(self, env: Any) -> None:
        self.env = env
        self.observation = describe_space(env.observation_space)
        self.action = describe_space(env.action_space)
        self.inner = getattr(env, "unwrapped", env)
        self.facts = read_facts(env)
        self.step = env.step
        self._paid: list[float] | None = None
        self._own_step: Any = None

    def reset(self, seed: int | None = None) -> tuple[Any, Mapping[str, Any]]:
        """Begins an episode."""
        result = self.env.reset(seed=seed)
        if not isinstance(result, tuple) or len(result) != 2:
            size = f"{len(result)} values" if isinstance(result, tuple) else type(result).__name__
            raise BrokenContract(f"reset must return an observation and a dict of info; it returned {size}")
        return result

    def raw_rewards(self) -> list[float] | None:
        """Collects what the innermost environment pays, where a wrapper of the user's could change it."""
        if set(self.facts["wrappers"]) <= STANDARD_WRAPPERS or self.inner is self.env:
            return None
        if self._paid is None and not self._listen():
            return None
        self._paid = []
        return self._paid

    def _listen(self) -> bool:
        """Puts an ear between the innermost environment and its wrappers; whether that could be done."""
        step = self.inner.step
        self._own_step = getattr(self.inner, "__dict__", {}).get("step")

        def recorded(action: Any) -> Stepped:
            result: Stepped = step(action)
            if self._paid is not None:
                self._paid.append(result[1])
            return result

        try:
            self.inner.step = recorded
        except AttributeError:
            return False
        return True

    def release(self) -> None:
        """Puts back what was changed in an environment that is somebody else's."""
        if self._own_step is not None:
            self.inner.step = self._own_step
        elif self._paid is not None:
            del self.inner.step

    @contextlib.contextmanager
    def layers(self) -> Iterator[list[LayerLog]]:
        """Listens at every wrapper as long as the context lasts."""
        step = self.step
        with listen_at_layers(self.env) as logs:
            self.step = self.env.step
            try:
                yield logs
            finally:
                self.step = step

    @contextlib.contextmanager
    def shortened(self, steps: int) -> Iterator[None]:
        """Has the time limits of Gymnasium come after so few steps as long as the context lasts."""
        limits = _list_limits(self.env)
        usual = [each._max_episode_steps for each in limits]
        for each, most in zip(limits, usual, strict=True):
            each._max_episode_steps = min(steps, most)
        try:
            yield
        finally:
            for each, most in zip(limits, usual, strict=True):
                each._max_episode_steps = most

    def complaints(self) -> tuple[CheckerComplaint, ...]:
        """What Gymnasium's own checker says."""
        return tuple(list_complaints(self.env))

    def close(self) -> None:
        """Closes the environment; whatever it says about that is of no interest."""
        with contextlib.suppress(Exception):
            self.env.close()


def environment(env: Any) -> GymnasiumEnvironment:
    """The adapter of one environment."""
    return GymnasiumEnvironment(env)


def read_facts(env: Any) -> dict[str, Any]:
    """What an environment says of itself."""
    spec = getattr(env, "spec", None)
    wrappers = tuple(type(each).__name__ for each in _list_wrappers(env))
    limit = next((int(each._max_episode_steps) for each in _list_limits(env)), None)
    facts = {
        "framework": "gymnasium",
        "wrappers": wrappers,
        "standard": set(wrappers) <= STANDARD_WRAPPERS,
        "max_episode_steps": getattr(spec, "max_episode_steps", None) or limit,
        "reward_threshold": getattr(spec, "reward_threshold", None),
        "nondeterministic": bool(getattr(spec, "nondeterministic", False)),
    }
    return {name: value for name, value in facts.items() if value is not None}


def _list_wrappers(env: Any) -> Iterator[Any]:
    """Each wrapper, from the outermost to the innermost."""
    inner = getattr(env, "unwrapped", env)
    while env is not inner and hasattr(env, "env"):
        yield env
        env = env.env


def _list_limits(env: Any) -> list[Any]:
    """The time limits of Gymnasium; a wrapper of the user's may have the name without the number."""
    named = (each for each in _list_wrappers(env) if type(each).__name__ == "TimeLimit")
    return [each for each in named if isinstance(vars(each).get("_max_episode_steps"), int)]


def make_environment(word: str, arguments: Mapping[str, Any]) -> Any:
    """The environment of an id; a package that registers it is imported where its name gives it away."""
    try:
        import gymnasium
    except ImportError:
        raise UsageError(
            f"Making {word} needs Gymnasium, which is not installed. `pip install gymnasium` brings it."
        ) from None
    if word.endswith(".py"):
        raise UsageError(
            f"{word} is a file, and which thing in it makes the environment is not said. {suggest_names(word)}"
        )
    if word.startswith("weaklink/"):
        word = f"weaklink.envs:{word}"  # Gymnasium imports what stands before the colon, which registers the probes
    _register(word)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return gymnasium.make(word, **arguments)
    except (gymnasium.error.UnregisteredEnv, gymnasium.error.DeprecatedEnv) as error:
        raise UsageError(
            f"Gymnasium knows no environment {word}: {error} An environment of your own is given as module:factory."
        ) from None
    except (gymnasium.error.DependencyNotInstalled, ImportError) as error:
        raise UsageError(f"{word} needs a package that is not installed: {error}") from None


def _register(word: str) -> None:
    """Imports the package that an id begins with (`MiniGrid-Empty-5x5-v0`, `ALE/Pong-v5`), if there is one."""
    import gymnasium

    if ":" in word or word in gymnasium.registry:
        return
    name = word.partition("/")[0] if "/" in word else word.partition("-")[0]
    packages = {"ALE": "ale_py", "BabyAI": "minigrid", "dm_control": "shimmy"}
    with contextlib.suppress(ImportError):
        module = import_module(packages.get(name, name.lower()))
        if hasattr(gymnasium, "register_envs"):
            gymnasium.register_envs(module)


def list_complaints(env: Any) -> Iterator[CheckerComplaint]:
    """What Gymnasium's own checker says of the environment: its errors as errors, its advice as worth knowing."""
    from gymnasium.utils.env_checker import check_env

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            check_env(_fix_reset_signature(env), skip_render_check=True)
        except Exception as error:
            if not any(word in str(error) for word in NO_COMPLAINT):
                yield make_complaint("Gymnasium's checker", "error", str(error) or type(error).__name__)
    for warning in caught:
        text = str(warning.message).replace("\x1b[33mWARN: ", "").replace("\x1b[0m", "")
        if not any(word in text for word in NO_COMPLAINT):
            yield make_complaint("Gymnasium's checker", "info", text)


def _fix_reset_signature(env: Any) -> Any:
    """The environment, its `reset(**anything)` spelled as the checker wants it: it looks for a parameter `kwargs`."""
    import gymnasium

    kinds = {parameter.kind for parameter in inspect.signature(env.reset).parameters.values()}
    return gymnasium.Wrapper(env) if inspect.Parameter.VAR_KEYWORD in kinds else env


def make_complaint(source: str, level: str, text: str) -> CheckerComplaint:
    """A complaint on one line, with what it is about where a rule judges the same thing."""
    line = " ".join(text.split())
    about = next((subject for words, subject in JUDGED_ELSEWHERE if re.search(words, line, re.IGNORECASE)), "")
    return CheckerComplaint(source=source, level=level, text=line, about=about)
