"""Trainings by a command of the user's, each in a process of its own: the trainer as a black box."""

from __future__ import annotations

import os
import shutil
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

import msgspec

from weaklink.base.errors import UsageError
from weaklink.base.evidence.outcome import RungTrial
from weaklink.base.evidence.traits import CONTINUOUS, DISCRETE, Traits
from weaklink.base.outside.child import ChildProcess, Supervisor
from weaklink.base.outside.ownership import ScratchFolder
from weaklink.collect.probes.command import ENVIRONMENT, GAMMA, OUT, PLACES, SEED, STEPS, Command
from weaklink.collect.probes.injection import inject_registration
from weaklink.collect.probes.ladder import ProbeJob
from weaklink.collect.probes.plan import ProbePlan
from weaklink.collect.probes.registration import FOLDER, NAMESPACE, READING
from weaklink.collect.probes.script_logs import FilesBefore, LogPlaces
from weaklink.collect.probes.script_trial import EndedTraining, judge_training
from weaklink.collect.probes.trial import GAMMA as ASKED_GAMMA

LOOK_EVERY = 0.02
"""Seconds between looks at the files here: a log that is begun anew must be seen before it is as long as it was."""

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


class _RunningTraining(NamedTuple):
    """One that is running."""

    job: ProbeJob
    folder: Path
    since: float
    before: FilesBefore | None


class ScriptRunner:
    """Carries out trainings by starting a command for each; several run at once."""

    reads = True

    def __init__(
        self, template: str, plan: ProbePlan, traits: Traits | None = None, folder: Path | None = None
    ) -> None:
        """Looks at the command.

        Args:
            template: the command, with `{env}` and, where it takes them, `{steps}`, `{seed}`, `{gamma}`, `{out}`.
            plan: how many run at once, for how long, and the discount.
            traits: what is known of the script, as far as it matters here that it is recurrent.
            folder: where to keep what failing trainings printed; a temporary folder otherwise.

        Raises:
            UsageError: the command cannot be used.
        """
        self.room = plan.processes
        self._command = Command(template)
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
        }
        words, before, since = self._command.filled(values), self._before(), time.time()
        environment, seconds = self._environment(folder / "rows", job), self._plan.timeout
        try:
            child = self._supervisor.start(words, seconds=seconds, environment=environment, interrupted=True)
        except OSError as error:
            raise UsageError(f"The command cannot be started: {error.strerror or error}: {' '.join(words)}.") from None
        self._running[child] = _RunningTraining(job, folder, since, before)
        if len(self._running) > 1:
            self._crowded.update(training.folder for training in self._running.values())

    def _before(self) -> FilesBefore | None:
        """The files here, where those that a training alone writes will have to be found."""
        return None if self._command.takes(OUT) or self._running else FilesBefore(Path.cwd())

    @property
    def _gamma(self) -> float | None:
        """The discount that the script was told, or the user says it has."""
        return (self._plan.gamma or ASKED_GAMMA) if self._command.takes(GAMMA) else self._plan.gamma

    def _environment(self, rows: Path, job: ProbeJob) -> dict[str, str]:
        threads = {} if self.room == 1 else {"OMP_NUM_THREADS": str(max(1, (os.cpu_count() or 1) // self.room))}
        told = f"{job.steps} {'' if self._gamma is None else self._gamma}"
        return inject_registration({**_POLITE, **threads, **os.environ, FOLDER: str(rows), READING: told})

    def finished(self) -> tuple[ProbeJob, RungTrial]:
        """Waits for the next that ends.

        Raises:
            UsageError: the command was refused before any training began.
        """
        while True:
            for training in self._running.values():
                if training.before is not None:
                    training.before.look()
            event = self._supervisor.wait(LOOK_EVERY)
            if event is not None:
                return self._judged(event[0], self._running.pop(event[0]))

    def _judged(self, process: ChildProcess[None], training: _RunningTraining) -> tuple[ProbeJob, RungTrial]:
        job, folder = training.job, training.folder
        takes_out = self._command.takes(OUT)
        where = LogPlaces(
            out=folder / "out" if takes_out else None,
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
            seconds=process.taken,
            limit=self._plan.timeout,
            told=tuple(place for place in PLACES if self._command.takes(place)),
            gamma=self._gamma,
            remembers=self._traits.remembers,
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
