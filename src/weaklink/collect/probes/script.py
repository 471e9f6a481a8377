"""Trainings by a command of the user's, each in a process of its own: the trainer as a black box."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import msgspec

from weaklink.base.errors import UsageError
from weaklink.base.evidence.outcome import RungTrial
from weaklink.base.evidence.traits import CONTINUOUS, DISCRETE, Traits
from weaklink.base.outside.child import ChildProcess, Supervisor
from weaklink.base.outside.ownership import ScratchFolder
from weaklink.collect.probes.command import ENVIRONMENT, GAMMA, OUT, PLACES, SEED, STEPS, WARMUP, Command
from weaklink.collect.probes.injection import inject_registration, inject_stand_in
from weaklink.collect.probes.ladder import ProbeJob
from weaklink.collect.probes.plan import ProbePlan
from weaklink.collect.probes.recording import count_resets, count_steps
from weaklink.collect.probes.registration import FOLDER, NAMESPACE, READING
from weaklink.collect.probes.scouting import ScriptSetup
from weaklink.collect.probes.script_logs import FilesBefore, LogPlaces
from weaklink.collect.probes.script_trial import EndedTraining, acts_right, judge_training
from weaklink.collect.probes.stand_in import TITLE
from weaklink.collect.probes.trial import GAMMA as ASKED_GAMMA
from weaklink.collect.probes.work_folder import WorkFolder

LOOK_EVERY = 0.02
"""Seconds between looks at the files here: a log that is begun anew must be seen before it is as long as it was."""

COUNT_EVERY = 0.2
"""Seconds between counts of the steps that were made: a tiny network makes a few thousand in that time."""

SPARE = 1.25
"""How many times its budget a training may take that was told it: it ends by itself, a rollout later at the most."""

LOOK_SHARE, FEWEST_LOOKED_AT = 0.125, 800
"""The part of its budget after which the actions of a training are looked at again; and after how many steps at first,
of whose last quarter no share of right actions is large by chance."""

ENDING = 10.0
"""Seconds for a script to write its logs and end, once its budget is spent."""

HERE = "here"
"""The folder in which a script runs; scripts write beside it as well, into `../runs`."""

WARMUP_SHARE = 10
"""Of its steps a training may spend this part with random actions before it learns."""

USUAL_STEPS = 20_000
"""A script brings its own hyper-parameters, which are seldom made for the smallest problems."""

PRINTED = "printed.txt"
_POLITE = {"WANDB_MODE": "offline", "PYTHONFAULTHANDLER": "1"}
"""Set unless the user has: no probe is sent to a server, and a crash says where."""


def assume_script_traits(plan: ProbePlan) -> Traits:
    """What to assume of a script: plain observations, and the kind of action that the plan names, else discrete."""
    both = plan.actions == "both"
    actions = (DISCRETE, CONTINUOUS) if both else (CONTINUOUS,) if plan.actions == CONTINUOUS else (DISCRETE,)
    return Traits(steps=USUAL_STEPS, actions=actions, scales=False, forms=())


def assume_setup_traits(setup: ScriptSetup) -> Traits:
    """What is known of a script that was tried: the kind of action that it takes, and how long it first needs."""
    return Traits(steps=setup.steps, actions=(setup.kind,), scales=False, forms=())


@dataclass
class _RunningTraining:
    """One that is running.

    `since` is when it began by the clock of files, `began` by that which is never set. `work` is the folder of ours in
    which it runs, where it does; `moved` is when it was last seen to have made a step, `looked` how many it had made
    when its actions were last looked at, and `held` whether they were right. `spent` says that it was ended because its
    budget was, `answered` because its actions had been right twice in a row.
    """

    job: ProbeJob
    folder: Path
    since: float
    before: FilesBefore | None
    work: WorkFolder | None
    began: float
    moved: float
    steps: int = 0
    looked: float = 0.0
    held: bool = False
    spent: bool = False
    answered: bool = False


def _is_answered(training: _RunningTraining) -> bool:
    """Whether a rung about actions is answered: they were right at two looks in a row, some steps apart."""
    if training.spent or training.steps < max(training.looked + LOOK_SHARE * training.job.steps, FEWEST_LOOKED_AT):
        return False
    before, training.looked = training.held, training.steps
    training.held = acts_right(training.job.title, training.folder / "rows")
    return before and training.held


class ScriptRunner:
    """Carries out trainings by starting a command for each; several run at once."""

    def __init__(
        self,
        template: str,
        plan: ProbePlan,
        traits: Traits | None = None,
        folder: Path | None = None,
        setup: ScriptSetup | None = None,
    ) -> None:
        """Looks at the command.

        Args:
            template: the command, with `{env}` and, where it takes them, `{steps}`, `{seed}`, `{gamma}`, `{out}`.
            plan: how many run at once, for how long, and the discount.
            traits: what is known of the script, as far as it matters here that it is recurrent.
            folder: where to keep what failing trainings printed; a temporary folder otherwise.
            setup: how a script is put on the ladder, where it was tried. It runs in folders of ours then, and probes
                take the place of whatever environments it makes.

        Raises:
            UsageError: the command cannot be used.
        """
        self.room = plan.processes
        self._command = Command(template, names_environment=setup is None)
        self._setup = setup
        self._counted = 0.0
        self._began = time.monotonic()
        self._plan = plan
        self._traits = traits or assume_script_traits(plan)
        self._scratch, self._keep_in, self._kept = ScratchFolder(), folder, ""
        self._supervisor: Supervisor[None] = Supervisor()
        self._running: dict[ChildProcess[None], _RunningTraining] = {}
        self._crowded: set[Path] = set()

    def begin(self, job: ProbeJob) -> None:
        """Starts one."""
        folder = self._scratch.path / f"{job.title}-seed{job.seed}-{job.steps}"
        for part in ("rows", "out"):
            (folder / part).mkdir(parents=True, exist_ok=True)
        values = {
            ENVIRONMENT: f"{NAMESPACE}/{job.title}-v0",
            STEPS: str(job.steps),
            SEED: str(job.seed),
            GAMMA: f"{self._plan.gamma or ASKED_GAMMA:g}",
            OUT: str(folder / "out"),
            WARMUP: str(job.steps // WARMUP_SHARE),
        }
        words, before, since = self._command.filled(values), self._before(), time.time()
        work = None if self._setup is None else WorkFolder(folder / "work", Path.cwd())
        environment, seconds = self._environment(folder / "rows", job), self._plan.timeout
        place = str(work.path) if work else ""
        try:
            child = self._supervisor.start(
                words, seconds=seconds, environment=environment, interrupted=True, folder=place
            )
        except OSError as error:
            raise UsageError(f"The command cannot be started: {error.strerror or error}: {' '.join(words)}.") from None
        now = time.monotonic()
        self._running[child] = _RunningTraining(job, folder, since, before, work, began=now, moved=now)
        if len(self._running) > 1:
            self._crowded.update(training.folder for training in self._running.values())

    def _before(self) -> FilesBefore | None:
        """The files here, where those that a training alone writes will have to be found."""
        elsewhere = self._command.takes(OUT) or self._setup is not None
        return None if elsewhere or self._running else FilesBefore(Path.cwd())

    @property
    def _gamma(self) -> float | None:
        """The discount that the script was told, or the user says it has."""
        return (self._plan.gamma or ASKED_GAMMA) if self._command.takes(GAMMA) else self._plan.gamma

    def _environment(self, rows: Path, job: ProbeJob) -> dict[str, str]:
        threads = {} if self.room == 1 else {"OMP_NUM_THREADS": str(max(1, (os.cpu_count() or 1) // self.room))}
        reading = f"{job.steps} {'' if self._gamma is None else self._gamma}"
        told = {**_POLITE, **threads, **os.environ, FOLDER: str(rows), READING: reading}
        return inject_registration(told) if self._setup is None else inject_stand_in({**told, TITLE: job.title})

    def finished(self) -> tuple[ProbeJob, RungTrial] | None:
        """Waits for the next that ends; None where the time for all of them is up.

        Raises:
            UsageError: the command was refused before any training began.
        """
        while True:
            for training in self._running.values():
                if training.before is not None:
                    training.before.look()
            self._count()
            if self._plan.strict and self._plan.seconds and time.monotonic() - self._began > self._plan.seconds:
                return None
            event = self._supervisor.wait(LOOK_EVERY)
            if event is not None:
                return self._judged(event[0], self._running.pop(event[0]))

    def _count(self) -> None:
        """Counts the steps that were made, now and then, and ends who has spent its budget."""
        now = time.monotonic()
        if now - self._counted < COUNT_EVERY:
            return
        self._counted = now
        for child, training in self._running.items():
            steps = count_steps(training.folder / "rows")
            if steps > training.steps:
                training.steps, training.moved = steps, now
            training.answered = training.answered or (self._plan.adapts and _is_answered(training))
            if not training.spent and (training.answered or steps >= self._allowed(training.job)):
                training.spent = True
                child.allow(ENDING)
                with contextlib.suppress(OSError):  # it has just ended by itself
                    os.kill(child.pid, signal.SIGINT)

    def _allowed(self, job: ProbeJob) -> float:
        return job.steps * (SPARE if self._command.takes(STEPS) else 1.0)

    def _judged(self, process: ChildProcess[None], training: _RunningTraining) -> tuple[ProbeJob, RungTrial]:
        job, folder = training.job, training.folder
        given = folder / "out" if self._command.takes(OUT) else None
        where = LogPlaces(
            out=given if training.work is None else training.work.keep_written().parent,
            printed=process.printed,
            here=Path.cwd(),
            since=training.since,
            before=training.before,
            mark=f"{job.title}-v0",
            seed=job.seed,
            alone=folder not in self._crowded,
        )
        ended = EndedTraining(
            job=job,
            code=None if process.late else process.code,
            printed=where.printed,
            rows=folder / "rows",
            where=where,
            seconds=time.monotonic() - training.began,
            limit=self._plan.timeout,
            told=tuple(place for place in PLACES if self._command.takes(place)),
            gamma=self._gamma,
            remembers=self._traits.remembers,
            spent=training.spent,
            answered=training.answered,
            resets=count_resets(folder / "rows"),
            idle=time.monotonic() - training.moved,
            last=job.level + 1 >= self._plan.levels,
        )
        try:
            trial = judge_training(ended)
        finally:
            shutil.rmtree(folder, ignore_errors=True)
        return job, self._keep_printed(trial, where.printed, folder.name)

    def _keep_printed(self, trial: RungTrial, printed: str, name: str) -> RungTrial:
        """The trial; where it failed, what it printed stays on disk and the trial says where."""
        if not trial.failure or not printed.strip():
            return trial
        self._kept = self._kept or tempfile.mkdtemp(prefix="weaklink-probe-", dir=self._keep_in)
        file = Path(self._kept, name, PRINTED)
        file.parent.mkdir(exist_ok=True)
        file.write_text(printed, encoding="utf-8")
        return msgspec.structs.replace(trial, notes=(*trial.notes, f"what it printed is kept in {file}"))

    def close(self) -> None:
        """Ends whatever is still running, and leaves nothing behind but what failing trainings printed."""
        self._supervisor.close()
        self._running.clear()
        self._scratch.close()
