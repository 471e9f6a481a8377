"""Several runs as evidence: a light summary of each, grouped by what may be compared."""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from math import isfinite

from weaklink.base.evidence.config import Config, normalise_name, parse_value
from weaklink.base.evidence.performance import MEASURES
from weaklink.base.evidence.run import Run
from weaklink.base.evidence.series import Series
from weaklink.base.stats import level, noise

LONGEST_VALUE = 80
LAST_PART = 10  # the final level is taken over the last tenth of a series

_VERSION = re.compile(r"(.+?)[-_]v(\d+)")
# "seed" and a number, or the "_s0" at the end of a Spinning Up run
_SEED = re.compile(r"(?<![a-z])seed[-_=]?(\d+)|_s(\d+)(?=$|/)", re.IGNORECASE)

# hyper-parameters that may differ between runs whose results are still replicates of each other
_NOT_SETTINGS = frozenset(("seed", "total_steps"))

_ABOUT_EVALUATION = frozenset(("eval", "evaluation", "evaluate", "val", "validation", "test"))
# words that tell how an evaluation is carried out, each alone or all of a tuple together
_PROTOCOL = (
    ("temperature",),
    ("top", "p"),
    ("top", "k"),
    ("max", "tokens"),
    ("max", "length"),
    ("prompt",),
    ("template",),
    ("shots",),
    ("fewshot",),
    ("tools",),
    ("timeout",),
    ("pass",),
    ("samples",),
    ("episodes",),
    ("duration",),
    ("deterministic",),
    ("explore",),
    ("greedy",),
    ("stochastic",),
    ("sample",),
    ("split",),
    ("dataset",),
    ("version",),
    ("limit",),
)
# settings of how often, where and with which machinery: they do not change what is measured
_MACHINERY = {
    *("freq", "frequency", "interval", "every", "steps", "start", "delay", "strategy", "unit", "seed"),
    *("path", "dir", "directory", "file", "files", "log", "save", "best", "callback", "verbose", "render", "video"),
    *("batch", "workers", "parallel", "device"),
}
# names that concern evaluation without saying so
_BY_NAME = {
    *("pass_at_k", "pass@k", "pass_k", "prompt_template", "system_prompt", "chat_template"),
    *("env_version", "environment_version", "repeat_action_probability"),
}


@dataclass(frozen=True, slots=True)
class PeerRun:
    """One run in short.

    `settings` is a fingerprint of its hyper-parameters without the seed, `protocol` how it was evaluated, `final`
    the level of `metric`, its measure of success, at the end, and `noise` the scatter of that level. `items` is how
    many items of a benchmark that level is a mean over; 0 for a run.
    """

    name: str
    algorithm: str = ""
    environment: str = ""
    version: str = ""
    seed: str = ""
    settings: int = 0
    protocol: Mapping[str, str] = field(default_factory=dict)
    evaluated: bool = False
    metric: str = ""
    start: float | None = None
    final: float | None = None
    noise: float = 0.0
    steps: float = 0.0
    items: int = 0

    @classmethod
    def of(cls, run: Run) -> PeerRun:
        """Summarises a run; nothing of its series is kept."""
        environment, version = split_version(str(run.config.values.get("environment", "")))
        metric, start, final, scatter = _measure_outcome(run)
        return cls(
            name=run.name,
            algorithm=normalise_name(strip_seed(str(run.config.values.get("algorithm", "")))),
            environment=environment,
            version=version,
            seed=_find_seed(run),
            settings=_compute_fingerprint(run.config),
            protocol=find_evaluation_settings(run.config),
            evaluated=any(True for _ in run.matching("evaluation.")),
            metric=metric,
            start=start,
            final=final,
            noise=scatter,
            steps=run.last_step,
        )


@dataclass(frozen=True, slots=True)
class RunGroup:
    """Runs of one algorithm in one environment, whatever the environment's version."""

    algorithm: str
    environment: str
    peers: tuple[PeerRun, ...]

    @property
    def title(self) -> str:
        """The group as users would name it."""
        return f"{self.algorithm or 'the runs'} on {self.environment}"

    @property
    def members(self) -> str:
        """The runs of the group in words."""
        return f"the runs of {self.title}" if self.algorithm else self.title

    def replicates(self) -> list[tuple[PeerRun, ...]]:
        """The runs of the group that share all hyper-parameters but the seed, and the version of the environment."""
        found: dict[tuple[int, str], list[PeerRun]] = {}
        for peer in self.peers:
            found.setdefault((peer.settings, peer.version), []).append(peer)
        return [tuple(peers) for peers in found.values()]


@dataclass(frozen=True, slots=True)
class Fleet:
    """Several runs, in short."""

    peers: tuple[PeerRun, ...] = ()

    @classmethod
    def of(cls, runs: Iterable[Run]) -> Fleet:
        """Summarises runs one by one, so that an iterator over thousands of logs never holds two of them."""
        return cls(tuple(PeerRun.of(run) for run in runs))

    def __len__(self) -> int:
        return len(self.peers)

    def __iter__(self) -> Iterator[PeerRun]:
        return iter(self.peers)

    @property
    def groups(self) -> tuple[RunGroup, ...]:
        """What may be compared; runs whose environment is not known are in no group."""
        found: dict[tuple[str, str], list[PeerRun]] = {}
        for peer in self.peers:
            if peer.environment:
                found.setdefault((peer.algorithm, peer.environment), []).append(peer)
        return tuple(
            RunGroup(algorithm, environment, tuple(peers)) for (algorithm, environment), peers in found.items()
        )


def split_version(environment: str) -> tuple[str, str]:
    """The name of an environment and its version apart: `Hopper-v5` is `Hopper` and `v5`."""
    match = _VERSION.fullmatch(environment.strip())
    return (match.group(1), f"v{match.group(2)}") if match else (environment.strip(), "")


def find_evaluation_settings(config: Config) -> dict[str, str]:
    """How a run was evaluated, by the names found in its configuration."""
    found: dict[str, str] = {}
    for key, value in config.raw.items():
        name = str(key).strip().lower()
        if value is not None and _is_protocol(name):
            found[name] = shorten_value(value)
    return found


def _is_protocol(name: str) -> bool:
    if re.split(r"[./]", name)[-1] in _BY_NAME:
        return True
    words = set(re.split(r"[^a-z0-9@]+", name))
    if not words & _ABOUT_EVALUATION or words & _MACHINERY:
        return False
    return any(words.issuperset(kind) for kind in _PROTOCOL)


def shorten_value(value: object) -> str:
    """A value as text: numbers alike however they were written, long texts by their beginning and a checksum."""
    known = parse_value(value)
    if isinstance(known, bool):
        return str(known)
    if isinstance(known, int | float):
        return f"{float(known):g}"
    text = str(known)
    return text if len(text) <= LONGEST_VALUE else f"{text[:40]}... #{zlib.crc32(text.encode()):08x}"


def strip_seed(text: str) -> str:
    """A text without the seed that is a part of it: `ppo-seed3` and `ppo-seed4` are one and the same experiment."""
    return _SEED.sub("", text)


def _find_seed(run: Run) -> str:
    """The seed from the configuration, else from the run's name or place."""
    seed = run.config.values.get("seed")
    if seed is not None:
        return shorten_value(seed)
    match = _SEED.search(run.name) or _SEED.search(run.source)
    return next(filter(None, match.groups()), "") if match else ""


def _compute_fingerprint(config: Config) -> int:
    settings = sorted(
        (name, strip_seed(shorten_value(value))) for name, value in config.values.items() if name not in _NOT_SETTINGS
    )
    return zlib.crc32(repr(settings).encode())


def _measure_outcome(run: Run) -> tuple[str, float | None, float | None, float]:
    """The measure of success with its level at the start and at the end, and the scatter of the latter."""
    name = run.performance.metric if run.performance is not None else next((one for one in MEASURES if one in run), "")
    return (name, *measure_ends(run[name])) if name else ("", None, None, 0.0)


def measure_ends(series: Series) -> tuple[float | None, float | None, float]:
    """The level of a series at its start and at its end, and the scatter of the latter; None where it has none."""
    values = series.values
    part = max(len(values) // LAST_PART, 1)
    start, final = level(values[:part]), level(values[-part:])
    scatter = noise(values) / part**0.5
    return (start, final, scatter) if isfinite(start) and isfinite(final) else (None, None, 0.0)
