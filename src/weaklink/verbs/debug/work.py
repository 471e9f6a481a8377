"""One case under way: what the stages share."""

from __future__ import annotations

from pathlib import Path

from weaklink.base.errors import UsageError
from weaklink.collect.probes.scouting import ScriptSetup
from weaklink.verbs.debug.child import CaseProcess
from weaklink.verbs.debug.folder import CaseFolder, make_key
from weaklink.verbs.debug.inside import write_target_file
from weaklink.verbs.debug.listening import StageListener
from weaklink.verbs.debug.options import DebugOptions
from weaklink.verbs.debug.plain_script import SCRIPT, is_plain_script
from weaklink.verbs.debug.request import LOOK, CaseRequest, ModelLook, TargetLook
from weaklink.verbs.debug.worker import compute_digest

LOADING = 120.0
"""Seconds that importing a target may take."""

DESCRIBING = 20.0
"""Seconds that making its model may take beyond the first stage."""


class CaseWork:
    """The target, how it is debugged, the folder of its case, and who listens."""

    def __init__(self, options: DebugOptions, folder: CaseFolder, listener: StageListener) -> None:
        self.target, self.options, self.folder, self.listener = options.target, options, folder, listener
        self._process: CaseProcess | None = None
        self.setup: ScriptSetup | None = None
        self.stopped = False

    def begin(self) -> None:
        """Loads the target in a process of its own and learns what it has, unless that is known and the same."""
        folder = self.folder
        self.parts_file = write_target_file(self.target, folder.path)
        folder.index.options = self.options.told
        folder.index.thresholds = self.options.settings.thresholds
        codes = self.options.settings.codes
        folder.index.codes = None if codes is None else tuple(sorted(codes))
        folder.index.skipped = {}
        if folder.unchanged():
            return
        folder.forget()
        if self.is_script:
            file = str(self.target.file)
            sources = {file: compute_digest(Path(file))}
            folder.index.look, folder.index.model = TargetLook(parts=(SCRIPT,), sources=sources), None
            folder.save()
            return
        self.listener.doing(f"loading {self.target.word or self.target.name}")
        self._process = CaseProcess(CaseRequest(kind=LOOK, target=self.target), folder.output(LOOK), LOADING)
        try:
            look = self._process.heard("look")
        except BaseException:
            self.close()
            raise
        if look is None:
            child = self._process.child
            how = "took too long" if child.late else f"ended the whole process: {child.last_words()}"
            self.close()
            raise UsageError(f"Loading {self.target.word or self.target.name} {how}. See {folder.output(LOOK)}.")
        folder.index.look, folder.index.model = look, None
        folder.save()

    @property
    def look(self) -> TargetLook:
        """What the target has."""
        return self.folder.index.look or TargetLook()

    @property
    def model(self) -> ModelLook:
        """What its `make_model` makes; waits for the process that finds out."""
        index = self.folder.index
        if index.model is None and self._process is not None:
            child = self._process.child
            child.allow(DESCRIBING)
            index.model = self._process.heard("model") or ModelLook(
                fault="it was not made in time" if child.late else f"it ended the whole process: {child.last_words()}"
            )
            self.close()
            self.folder.save()
        return index.model or ModelLook()

    @property
    def is_script(self) -> bool:
        """Whether the target is a plain script."""
        target = self.target
        plain = target.file is not None and not (target.attribute or target.algorithm or target.environment)
        return plain and target.file is not None and is_plain_script(target.file)

    @property
    def trains(self) -> bool:
        """Whether the target can be trained."""
        return bool({"make_model", "train", SCRIPT} & set(self.look.parts))

    def key(self, stage: str, *parts: object) -> str:
        """What decides what comes of a stage."""
        return make_key(stage, self.target, self.look, self.options.seed, *parts)

    def part(self, name: str) -> str:
        """The word of a part of the target, as other commands take it."""
        return f"{self.parts_file.absolute()}:{name}"

    def relative(self, file: Path) -> str:
        """A file of the case as it is named in it."""
        return str(file.relative_to(self.folder.path))

    def close(self) -> None:
        """Ends what still runs."""
        if self._process is not None:
            self._process.close()
            self._process = None
