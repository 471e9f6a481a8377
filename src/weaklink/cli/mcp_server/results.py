"""What the tools answer: the keys of docs/json.md that an agent needs to act, each with its type.

`typing_extensions` comes with the SDK, whose schemas of these types need it on the older Pythons.
"""

from __future__ import annotations

from typing_extensions import TypedDict

Number = float | str | None
"""A number that is not finite is a string, as in docs/json.md."""


class BreakPlace(TypedDict):
    """Where the loop broke first; `step` is null where it is wrong from the start."""

    link: str
    code: str
    step: float | None


class EvidenceNumber(TypedDict):
    """A number that proves a finding, and the limit that it is beyond."""

    metric: str
    value: Number
    limit: Number
    step: float | None


class FoundFault(TypedDict):
    """A finding; one with `consequence_of` is a symptom of that other one and is left alone."""

    code: str
    name: str
    link: str | None
    level: str
    message: str
    onset: float | None
    confidence: float
    evidence: list[EvidenceNumber]
    fix: list[str]
    verify: str
    consequence_of: str | None


class RuleCoverage(TypedDict):
    """How many of the rules that were asked could judge."""

    judged: int
    asked: int


class MetricWish(TypedDict):
    """A metric to log, how, and the rules that could judge then."""

    metric: str
    unlocks: list[str]
    how: str


class JudgedResult(TypedDict):
    """What everything that was judged has: `verdict` is broken, healthy or unclear; `says` the answer in a sentence.

    `blind` counts the rules that could not tell, which is not the same as clean; `next` is the command to run next.
    """

    target: str
    verdict: str
    says: str
    first_break: BreakPlace | None
    findings: list[FoundFault]
    coverage: RuleCoverage
    blind: int
    wishes: list[MetricWish]
    advice: list[str]
    notes: list[str]
    next: str


class UnreadableTarget(TypedDict):
    """A target that could not be read, and why."""

    target: str
    error: str


class DiagnoseResult(TypedDict):
    """A diagnosis of each run, broken ones first; `left_out` counts those that are not shown.

    `together` is what several runs say as a fleet.
    """

    runs: list[JudgedResult]
    left_out: int
    together: JudgedResult | None
    unreadable: list[UnreadableTarget]


class CheckedItem(TypedDict):
    """A question of a checklist: `state` is done, failed or open; `command` would answer an open one."""

    name: str
    question: str
    state: str
    told: str
    command: str


class PreflightResult(JudgedResult):
    """What is wrong with an environment, from outside in."""

    checklist: list[CheckedItem]
    seconds: float


class LadderRung(TypedDict):
    """A rung: `verdict` is right, wrong, undecided or unseen; `adds` is what it needs beyond the rungs below."""

    code: str
    name: str
    environment: str
    verdict: str
    adds: str


class CheckedKernel(TypedDict):
    """A function beside the right answers: `verdict` is right, wrong or unclear, `failing` of `cases` differ."""

    kernel: str
    function: str
    place: str
    verdict: str
    cases: int
    failing: int
    variant: str


class ProbeResult(JudgedResult):
    """The rungs that were climbed, or the kernels that were checked; `stopped` where the client gave up before."""

    ladder: list[LadderRung]
    kernels: list[CheckedKernel]
    stopped: bool


class AttemptKind(TypedDict):
    """Answers of one kind that a reward function was tried with; what they got lies from 0, wrong, to 1, right."""

    family: str
    kind: str
    attempts: int
    failed: int
    lowest: Number
    highest: Number


class AuditResult(JudgedResult):
    """What samples and a reward function show; `rows` and `faulty` count the samples."""

    rows: int
    faulty: int
    attempts: list[AttemptKind]
    stopped: bool


class StageState(TypedDict):
    """A stage of the procedure: `state` is clean, broken, unclear, skipped or failed."""

    stage: str
    state: str
    why: str
    seconds: float
    resumed: bool


class DebugResult(JudgedResult):
    """The whole procedure: `stage_of_break` says which stage found the first break, `folder` where the case is kept."""

    why: str
    stage_of_break: str | None
    stages: list[StageState]
    folder: str
    stopped: bool


class ConfirmResult(TypedDict):
    """The answer of an experiment: `verdict` is confirmed, refuted or undecided; `means` is what follows from it."""

    target: str
    code: str
    name: str
    verdict: str
    says: str
    means: str
    decides: str
    notes: list[str]
    seconds: float
    stopped: bool


class ExplainResult(TypedDict):
    """The page of a rule or of a topic, as Markdown."""

    name: str
    page: str


class WatchedRun(TypedDict):
    """How a run stands: its last step, steps a second where known, its measure of success, and the verdict so far."""

    target: str
    steps: float | None
    rate: float | None
    measure: str
    value: Number
    verdict: str
    says: str
    first_break: BreakPlace | None
    findings: list[FoundFault]


class WatchEvent(TypedDict):
    """What happened since the last look: `event` is run, finding, gone or note."""

    event: str
    target: str
    says: str


class WatchResult(TypedDict):
    """The runs below some paths, and what happened since the last call with the same paths.

    `quiet` is for how many seconds none of them has grown.
    """

    runs: list[WatchedRun]
    events: list[WatchEvent]
    quiet: float
