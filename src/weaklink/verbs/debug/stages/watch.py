"""A short training of the target's own with its own settings, watched from inside in a process of its own."""

from __future__ import annotations

import time
from collections.abc import Callable

import msgspec

from weaklink.base.evidence.config import Config
from weaklink.base.evidence.outcome import Outcome, Rung, RungTrial
from weaklink.base.evidence.run import Run
from weaklink.judge.diagnosis.diagnosis import Diagnosis
from weaklink.judge.diagnosis.probing import judge_outcome
from weaklink.judge.diagnosis.settings import RuleSettings
from weaklink.verbs.debug.case import CLEAN, FAILED, UNCLEAR, WATCH, StageResult
from weaklink.verbs.debug.child import MOST_SHOWN, CaseProcess
from weaklink.verbs.debug.folder import CaseFolder
from weaklink.verbs.debug.options import STEPS
from weaklink.verbs.debug.plain_script import SCRIPT, WatchedScript
from weaklink.verbs.debug.request import CaseRequest, TrainingEnd, format_progress
from weaklink.verbs.debug.stages.probe import NO_TRAINER
from weaklink.verbs.debug.watched import BUDGET, MOST_PATIENCE, PATIENCE
from weaklink.verbs.debug.work import LOADING, CaseWork

FAREWELL = 10.0
"""Seconds for the last words of a training that was interrupted, before its process is ended."""

KINDS = {"raised": "raised", "exited": "crashed", "died": "died", "hung": "hung"}
"""How a training ended, as the rules on trainers know it."""


def explain_skip(work: CaseWork) -> str:
    """Why the stage cannot be carried out; empty where it can."""
    return "" if work.trains else NO_TRAINER


def gather_evidence(work: CaseWork) -> bool:
    """Trains and watches, unless that was done; whether it was done before."""
    folder, seconds = work.folder, work.options.share(WATCH)
    steps, stated = _pick_steps(work)
    thresholds = work.options.settings.thresholds
    key = work.key(WATCH, seconds, steps, thresholds)
    if folder.done(WATCH, key):
        return True
    folder.clear_run()
    folder.index.ended = None
    request = CaseRequest(
        kind=WATCH,
        target=work.target,
        folder=str(folder.run.absolute()),
        steps=steps,
        seconds=seconds,
        seed=work.options.seed,
        thresholds=thresholds,
    )
    began = time.monotonic()
    ended = _run_script(work, request) if SCRIPT in work.look.parts else _train_watched(work, request)
    ended = msgspec.structs.replace(ended, stated=stated)
    folder.index.ended, work.stopped = ended, ended.stopped
    folder.finish(WATCH, "" if ended.stopped else key, time.monotonic() - began)
    return False


def _run_script(work: CaseWork, request: CaseRequest) -> TrainingEnd:
    """Runs a plain script, which decides itself how long it trains."""
    words = str(work.target.file), *work.target.arguments
    script = WatchedScript(words, work.folder, work.folder.output(WATCH))
    return script.train(request.seconds, BUDGET, request.thresholds, work.listener.doing)


def _pick_steps(work: CaseWork) -> tuple[int, bool]:
    """How many steps are watched, and whether somebody said so: the options, the target, its configuration, or we.

    A trainer that knows its own end is not told any.
    """
    configured = Config.of(work.look.config).number("total_steps") or 0.0
    said = work.options.steps or work.look.steps or int(configured)
    plans_itself = "train" not in work.look.parts and work.model.framework not in ("", "sb3")
    return said or (0 if plans_itself else STEPS), bool(said)


def _train_watched(work: CaseWork, request: CaseRequest) -> TrainingEnd:
    """Trains in a process of its own and tells how that ended; Ctrl-C keeps what was recorded."""
    with CaseProcess(request, work.folder.output(WATCH), LOADING) as process:
        clock = _ProcessClock(process, request, work.listener.doing)
        try:
            ended = process.heard("ended", clock.report)
        except KeyboardInterrupt:
            return TrainingEnd(stopped=True, steps=clock.steps, asked=request.steps, seconds=clock.seconds)
        if isinstance(ended, TrainingEnd):
            return ended
        child = process.child
        died = f"the whole process died: {child.last_words()}"
        return TrainingEnd(
            kind="hung" if child.late else "died",
            message="it did not react any more" if child.late else died,
            trace=child.printed[-MOST_SHOWN:],
            steps=clock.steps,
            asked=request.steps,
            seconds=clock.seconds,
        )


class _ProcessClock:
    """How long the process is waited for: until it is loaded, and from its first sign of life on its time."""

    def __init__(self, process: CaseProcess, request: CaseRequest, doing: Callable[[str], None]) -> None:
        self.steps = 0
        self._child, self._asked, self._doing = process.child, request.steps, doing
        self._began = time.monotonic()
        self._time = (1 + MOST_PATIENCE) * request.seconds + PATIENCE + FAREWELL
        self._heard = False

    @property
    def seconds(self) -> float:
        return time.monotonic() - self._began

    def report(self, steps: int) -> None:
        if not self._heard:
            self._heard = True
            self._child.allow(self._time)
        self.steps = steps
        self._doing(format_progress(steps, self._asked))


def diagnose_crash(folder: CaseFolder, settings: RuleSettings) -> Diagnosis | None:
    """How the training ended, where that was no good end, as the rules on trainers tell it."""
    ended = folder.index.ended
    if ended is None or not ended.kind:
        return None
    name = folder.index.environment_word
    trial = RungTrial(
        seed=int(folder.index.options.get("seed", 0)),
        steps=ended.asked,
        taken=ended.steps,
        seconds=ended.seconds,
        failure=ended.message,
        kind=KINDS[ended.kind],
        printed=ended.trace,
    )
    rung = Rung(name="watched training", problem="the watched training", environment=name, trials=(trial,))
    diagnosis = judge_outcome(Outcome(trainer=folder.index.target.name, rungs=(rung,)), settings)
    again = f"weaklink debug {folder.index.target.word} --only watch".replace("  ", " ")
    findings = tuple(msgspec.structs.replace(one, verify=again) for one in diagnosis.findings)
    return msgspec.structs.replace(diagnosis, findings=findings, clean=(), blind={})


def conclude_stage(ended: TrainingEnd, run: Run | None, seconds: float) -> StageResult:
    """What the stage came to."""
    made = f"{ended.made} in {ended.seconds:.0f} s"
    state, why = CLEAN, f"{made}, recorded"
    if ended.kind:
        state, why = FAILED, f"{made}: {ended.message}"
    elif ended.stopped:
        state, why = UNCLEAR, f"stopped after {made}"
    elif run is None:
        state, why = UNCLEAR, f"{made}, but nothing was recorded"
    elif ended.late:
        why = f"{made}, recorded; then the time was up"
    return StageResult(
        stage=WATCH,
        state=state,
        why=why,
        seconds=seconds,
        facts=(("steps", ended.made.removesuffix(" steps")),),
        output=f"output/{WATCH}.txt",
        stopped=ended.stopped,
    )
