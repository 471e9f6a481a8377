"""The folder of a case: the evidence of each stage, so that a finished one is not repeated, and what it came to."""

from __future__ import annotations

import hashlib
import json
import math
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from weaklink._version import __version__
from weaklink.base.errors import CorruptLog, ReadError, UsageError
from weaklink.base.evidence.model import ModelCheck
from weaklink.base.evidence.outcome import Outcome
from weaklink.base.evidence.packing import pack_part, unpack_survey
from weaklink.base.evidence.run import Run
from weaklink.base.evidence.survey import Survey
from weaklink.base.evidence.verifier import VerifierCheck
from weaklink.base.limits import MOST_UNPACKED, read_bounded
from weaklink.collect.readers import read
from weaklink.verbs.debug.case import OUTPUT, PREFLIGHT, PROBE, RUN, WATCH, StageResult
from weaklink.verbs.debug.inside import FILE
from weaklink.verbs.debug.minimal.evidence import Minimal
from weaklink.verbs.debug.request import ModelLook, TargetLook, TrainingEnd
from weaklink.verbs.debug.target import CaseTarget
from weaklink.verbs.debug.worker import compute_digest

INDEX, SCHEMA = "case.json", 1
SURVEY, CHECK, OUTCOME, MINIMAL = "preflight.survey", "preflight.model", "probe.outcome", "minimal.json"
REWARDS = "question.rewards"
PAGE, TEXT = "report.html", "case.md"

UNREADABLE = (ValueError, RecursionError)
"""What JSON that is none, too deep, or of another shape raises; msgspec's errors are ValueErrors."""

Thing = TypeVar("Thing")


class CaseIndex(msgspec.Struct, kw_only=True):
    """What lies in the folder of a case.

    `keys` has for each stage that came to its end what it was carried out with; the same key means the same result.
    `stages` are those that the last call came to, `skipped` says why others were left out.
    """

    weaklink: str = __version__
    schema: int = SCHEMA
    target: CaseTarget
    options: dict[str, Any] = {}
    thresholds: dict[str, dict[str, Any]] = {}
    codes: tuple[str, ...] | None = None
    look: TargetLook | None = None
    model: ModelLook | None = None
    ended: TrainingEnd | None = None
    keys: dict[str, str] = {}
    seconds: dict[str, float] = {}
    stages: tuple[str, ...] = ()
    skipped: dict[str, str] = {}
    stopped: bool = False

    @property
    def environment_word(self) -> str:
        """What `weaklink preflight` is given to look at the target's environment, or what stands for one."""
        there = self.look is None or "make_env" in self.look.parts
        return self.target.environment_word if there else "ENV"


LEFT = frozenset({OUTPUT, FILE})
"""What is left in the folder of a target that could not be used."""


class CaseFolder:
    """One case on disk."""

    def __init__(self, path: Path, index: CaseIndex) -> None:
        self.path = path
        self.index = index

    @classmethod
    def opened(cls, path: Path, target: CaseTarget, *, fresh: bool) -> CaseFolder:
        """The folder of a target, made where there is none; what another target left in it is not touched."""
        index = None if fresh else _read_index(path)
        try:
            held = {each.name for each in path.iterdir()} if path.is_dir() else set()
            if index is None and INDEX not in held and held - LEFT:
                raise UsageError(f"{path} is no case: it holds other files. Name a folder of its own with --case.")
            path.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise UsageError(
                f"Cannot make the folder {path}: {error.strerror or error}. Name another with --case."
            ) from None
        same = index is not None and index.target == target and index.weaklink == __version__
        return cls(path, index if same and index is not None else CaseIndex(target=target))

    @classmethod
    def read(cls, path: Path) -> CaseFolder:
        """A folder that is a case.

        Raises:
            UsageError: it is none.
        """
        index = _read_index(path)
        if index is None:
            raise UsageError(f"{path} is no case: it has no {INDEX} of this version. Make one: weaklink debug TARGET.")
        return cls(path, index)

    @property
    def run(self) -> Path:
        """The recording of the watched training."""
        return self.path / RUN

    def output(self, stage: str) -> Path:
        """Where is kept what the user's own code printed in a stage."""
        return self.path / OUTPUT / f"{stage}.txt"

    def unchanged(self) -> bool:
        """Whether the files that the target is made of are as they were."""
        look = self.index.look
        if look is None or ("make_model" in look.parts and self.index.model is None):
            return False
        return all(compute_digest(Path(file)) == known for file, known in look.sources.items())

    def done(self, stage: str, key: str) -> bool:
        """Whether a stage came to its end with the same key."""
        return self.index.keys.get(stage) == key and self._holds(stage)

    def _holds(self, stage: str) -> bool:
        files = {PREFLIGHT: SURVEY, PROBE: OUTCOME}
        return (self.path / files[stage]).is_file() if stage in files else self.index.ended is not None

    def finish(self, stage: str, key: str, seconds: float) -> None:
        """Notes that a stage came to its end."""
        self.index.keys[stage] = key
        self.index.seconds[stage] = seconds
        self.save()

    def forget(self) -> None:
        """Forgets every stage: the target has changed."""
        self.index.keys.clear()
        self.index.seconds.clear()
        self.index.stages, self.index.ended = (), None

    def clear_run(self) -> None:
        """Makes room for a recording."""
        shutil.rmtree(self.run, ignore_errors=True)

    def save(self) -> None:
        """Writes the index, all of it or nothing."""
        _write_whole(self.path / INDEX, encode_struct(self.index))

    def keep(self, result: StageResult) -> None:
        """Writes what a stage came to."""
        _write_whole(self.path / f"{result.stage}.json", encode_struct(result))

    def keep_survey(self, survey: Survey) -> None:
        """Writes the survey of the environment, without the hyper-parameters, which lie in the index."""
        fields = {name: getattr(survey, name) for name in survey.__struct_fields__ if name != "config"}
        _write_whole(self.path / SURVEY, pack_part(fields))

    def survey(self) -> Survey | None:
        """The survey of the environment, where there is one."""
        return _read_part(self.path / SURVEY, lambda content: unpack_survey([content]))

    def keep_check(self, check: ModelCheck | None) -> None:
        """Writes what was seen of the target's model; None forgets what was seen of an earlier one."""
        if check is None:
            (self.path / CHECK).unlink(missing_ok=True)
        else:
            _write_whole(self.path / CHECK, msgspec.msgpack.encode(check))

    def check(self) -> ModelCheck | None:
        """What was seen of the target's model, where it was examined."""
        return _read_part(self.path / CHECK, lambda content: msgspec.msgpack.decode(content, type=ModelCheck))

    def keep_outcome(self, outcome: Outcome) -> None:
        """Writes the outcome of the ladder."""
        _write_whole(self.path / OUTCOME, msgspec.msgpack.encode(outcome))

    def outcome(self) -> Outcome | None:
        """The outcome of the ladder, where there is one."""
        return _read_part(self.path / OUTCOME, lambda content: msgspec.msgpack.decode(content, type=Outcome))

    def keep_rewards(self, checks: tuple[VerifierCheck, ...]) -> None:
        """Writes what the reward functions did with the answers that they were asked about."""
        _write_whole(self.path / REWARDS, msgspec.msgpack.encode(checks))

    def rewards(self) -> tuple[VerifierCheck, ...]:
        """What the reward functions did, where they were asked."""
        decode = msgspec.msgpack.Decoder(tuple[VerifierCheck, ...]).decode
        return _read_part(self.path / REWARDS, decode) or ()

    def keep_minimal(self, result: Minimal) -> None:
        """Writes what the emergency procedure came to."""
        _write_whole(self.path / MINIMAL, encode_struct(result))

    def minimal(self) -> Minimal | None:
        """What the emergency procedure came to, where it was carried out on this target."""
        content = _read_content(self.path / MINIMAL)
        try:
            found = None if content is None else decode_struct(content, Minimal)
        except UNREADABLE:
            return None
        return found if found is not None and found.target == self.index.target else None

    def recording(self) -> Run | None:
        """The recording, where there is one that holds a number."""
        if not self.run.is_dir() or WATCH not in self.index.seconds:
            return None
        try:
            return read(self.run)
        except ReadError:
            return None


def make_key(*parts: object) -> str:
    """A key made of whatever decides what comes of a stage."""
    told = msgspec.json.encode([__version__, *parts], order="deterministic")
    return hashlib.sha256(told).hexdigest()[:16]


def encode_struct(thing: object) -> bytes:
    """A struct as JSON that people can read; numbers that are not finite become words, which are read again."""
    return json.dumps(_replace_non_finite(msgspec.to_builtins(thing)), indent=1, ensure_ascii=False).encode(
        "utf-8", "replace"
    )


def decode_struct(content: bytes, kind: type[Thing]) -> Thing:
    """The struct that `encoded` wrote."""
    return msgspec.convert(json.loads(content), kind, strict=False)


def _replace_non_finite(value: object) -> Any:
    if isinstance(value, Mapping):
        return {str(key): _replace_non_finite(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_replace_non_finite(each) for each in value]
    return str(value) if isinstance(value, float) and not math.isfinite(value) else value


def _read_index(path: Path) -> CaseIndex | None:
    content = _read_content(path / INDEX)
    if content is None:
        return None
    try:
        return decode_struct(content, CaseIndex)
    except UNREADABLE:
        return None


def _read_part(file: Path, decode: Callable[[bytes], Thing]) -> Thing | None:
    """The evidence in a file, or None where there is no such file.

    Raises:
        CorruptLog: it is not what was written.
    """
    content = _read_content(file)
    try:
        return None if content is None else decode(content)
    except Exception as error:  # damaged evidence fails in as many ways as there are bytes
        raise CorruptLog(
            f"{file} must be the evidence of a case, as weaklink debug writes it: it is damaged "
            f"({type(error).__name__}). Gather it anew: weaklink debug TARGET --fresh."
        ) from error


def _read_content(file: Path) -> bytes | None:
    try:
        return read_bounded(file, MOST_UNPACKED, "A file of a case", "Gather it anew: weaklink debug TARGET --fresh.")
    except OSError:
        return None


def _write_whole(file: Path, content: bytes) -> None:
    """All or nothing: a file that is half written is none."""
    unfinished = file.with_name(f"{file.name}.unfinished")
    try:
        unfinished.write_bytes(content)
        unfinished.replace(file)
    except OSError as error:
        raise UsageError(f"Cannot write {file}: {error.strerror or error}.") from None
