"""A case: what each stage came to, and the one diagnosis that follows from all of it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec

from weaklink.base.evidence.run import Run
from weaklink.base.finding import Finding
from weaklink.base.viewing import ViewedResult
from weaklink.judge.diagnosis.checklists import ChecklistItem
from weaklink.judge.diagnosis.diagnosis import Diagnosis, FirstBreak, Verdict
from weaklink.verbs.debug.minimal.evidence import Minimal
from weaklink.verbs.debug.target import CaseTarget
from weaklink.verbs.preflight import Preflight
from weaklink.verbs.probe import Probed

PREFLIGHT, PROBE, WATCH, DIAGNOSE, QUESTION = "preflight", "probe", "watch", "diagnose", "question"
STAGES = (PREFLIGHT, PROBE, WATCH, DIAGNOSE, QUESTION)
"""The stages in their order."""

ASKS = {
    PREFLIGHT: "is the world real?",
    PROBE: "does the trainer solve problems with known answers?",
    WATCH: "a short training, watched from inside",
    DIAGNOSE: "which link of the loop broke first?",
    QUESTION: "reward, environment, task: does it ask for the right thing?",
}

CLEAN, BROKEN, FAILED, SKIPPED, UNCLEAR = "clean", "broken", "failed", "skipped", "unclear"
"""What can become of a stage. Failed: it could not be carried out to its end, and what was seen is told."""

RUN, OUTPUT = "run", "output"
"""The folders of a case with the recording of the watched training, and with what the user's own code printed."""

BEFORE, DURING, AFTER = "before training", "during training", "after training"
"""The checklists."""


class StageResult(msgspec.Struct, frozen=True, kw_only=True):
    """What became of one stage.

    `why` says it in one line, `facts` are numbers worth showing, `output` is the file of the case with what the user's
    own code printed. `diagnosis` holds all that was found, also what does not break this stage.
    """

    stage: str
    state: str
    why: str
    seconds: float = 0.0
    diagnosis: Diagnosis | None = None
    facts: tuple[tuple[str, str], ...] = ()
    notes: tuple[str, ...] = ()
    output: str = ""
    resumed: bool = False
    stopped: bool = False

    @property
    def ended(self) -> bool:
        """Whether the procedure ends here unless it is told to go on."""
        return self.state == BROKEN


class Case(ViewedResult, msgspec.Struct, frozen=True, kw_only=True):
    """One project, debugged.

    `diagnosis` combines the findings of all stages, so that no fault is told twice; `why` is its verdict in one
    sentence, `origins` the stage that each of its findings comes from. `stage_of_break` is the stage whose evidence
    names the first break. `checklists` are by their title. `preflight`, `probed` and `run` are the evidence, where
    there is some; `minimal` is what the emergency procedure came to, where it was carried out.
    """

    target: CaseTarget
    folder: Path
    stages: tuple[StageResult, ...]
    diagnosis: Diagnosis
    why: str = ""
    origins: dict[str, str] = {}
    stage_of_break: str = ""
    checklists: dict[str, tuple[ChecklistItem, ...]] = {}
    next_command: str = ""
    stopped: bool = False
    options: dict[str, Any] = {}
    preflight: Preflight | None = None
    probed: Probed | None = None
    run: Run | None = None
    minimal: Minimal | None = None

    @property
    def verdict(self) -> Verdict:
        """The whole case in one word."""
        return self.diagnosis.verdict

    @property
    def first_break(self) -> FirstBreak | None:
        """The link that broke first."""
        return self.diagnosis.first_break

    @property
    def first_finding(self) -> Finding | None:
        """The finding that names the first break."""
        broke = self.first_break
        return None if broke is None else next(one for one in self.diagnosis.findings if one.code == broke.code)

    @property
    def seconds(self) -> float:
        """How long all stages took."""
        return sum(stage.seconds for stage in self.stages)

    def stage(self, name: str) -> StageResult | None:
        """What became of one stage, None where it did not come to it."""
        return next((stage for stage in self.stages if stage.stage == name), None)


def describe_break(finding: Finding) -> str:
    """A break in a few words, for the line of a stage: the whole of it stands with the findings."""
    link = "" if finding.link is None else f"{finding.link.value}, "
    return f"{link}{finding.code} {finding.name}"
