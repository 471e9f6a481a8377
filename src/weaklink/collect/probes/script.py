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
from weaklink.base.evidence.outcome import Trial
from weaklink.base.evidence.traits import CONTINUOUS, DISCRETE, Traits
from weaklink.collect.probes.catalogue import probe_called
from weaklink.collect.probes.command import ENVIRONMENT, GAMMA, OUT, PLACES, SEED, STEPS, Command
from weaklink.collect.probes.injection import inject_registration
from weaklink.collect.probes.ladder import Job
from weaklink.collect.probes.plan import Plan
from weaklink.collect.probes.process import Process
from weaklink.collect.probes.registration import FOLDER
from weaklink.collect.probes.script_logs import Before, Where
from weaklink.collect.probes.script_trial import Ended, judged
from weaklink.collect.probes.trial import GAMMA as ASKED_GAMMA

POLL = 0.02
USUAL_STEPS = 20_000
"""A script brings its own hyper-parameters, which are seldom made for the smallest problems."""

PRINTED = "printed.txt"
_POLITE = {"WANDB_MODE": "offline", "PYTHONFAULTHANDLER": "1"}
"""Set unless the user has: no probe is sent to a server, and a crash says where."""


def script_traits(plan: Plan) -> Traits:
    """What to assume of a script: plain observations, and the kind of action that the plan names, else discrete."""
    both = plan.actions == "both"
    actions = (DISCRETE, CONTINUOUS) if both else (CONTINUOUS,) if plan.actions == CONTINUOUS else (DISCRETE,)
    return Traits(steps=USUAL_STEPS, actions=actions, scales=False, forms=())


class _Training(NamedTuple):
    """One that is running."""

    job: Job
    process: Process
    folder: Path
    since: float
    before: Before | None


class Scripts:
    """Carries out trainings by starting a command for each; several run at once."""

    def __init__(self, template: str, plan: Plan, traits: Traits | None = None, folder: Path | None = None) -> None:
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
        self._traits = traits or script_traits(plan)
        self._folder = Path(tempfile.mkdtemp(prefix="weaklink-probe-", dir=folder))
        self._running: list[_Training] = []
        self._crowded: set[Path] = set()

    def begin(self, job: Job) -> None:
        """Starts one."""
        folder = self._folder / f"{job.title}-seed{job.seed}-{job.steps}"
        for part in ("rows", "out"):
            (folder / part).mkdir(parents=True, exist_ok=True)
        values = {
            ENVIRONMENT: probe_called(job.title).id,
            STEPS: str(job.steps),
            SEED: str(job.seed),
            GAMMA: f"{self._plan.gamma or ASKED_GAMMA:g}",
            OUT: str(folder / "out"),
        }
        words, before, since = self._command.filled(values), self._before(), time.time()
        try:
            process = Process(words, self._environment(folder / "rows"), self._plan.timeout)
        except OSError as error:
            raise UsageError(f"The command cannot be started: {error.strerror or error}: {' '.join(words)}.") from None
        self._running.append(_Training(job, process, folder, since, before))
        if len(self._running) > 1:
            self._crowded.update(training.folder for training in self._running)

    def _before(self) -> Before | None:
        """The files here, where those that a training alone writes will have to be found."""
        return None if self._command.takes(OUT) or self._running else Before(Path.cwd())

    def _environment(self, rows: Path) -> dict[str, str]:
        threads = {} if self.room == 1 else {"OMP_NUM_THREADS": str(max(1, (os.cpu_count() or 1) // self.room))}
        return inject_registration({**_POLITE, **threads, **os.environ, FOLDER: str(rows)})

    def finished(self) -> tuple[Job, Trial]:
        """Waits for the next that ends.

        Raises:
            UsageError: the command was refused before any training began.
        """
        while True:
            for training in self._running:
                if training.before is not None:
                    training.before.look()
                if training.process.over():
                    self._running.remove(training)
                    return training.job, self._judged(training)
            time.sleep(POLL)

    def _judged(self, training: _Training) -> Trial:
        job, process, folder = training.job, training.process, training.folder
        takes_out = self._command.takes(OUT)
        where = Where(
            out=folder / "out" if takes_out else None,
            printed=process.printed,
            here=Path.cwd(),
            since=training.since,
            before=training.before,
            mark=f"{job.title}-v0",
            seed=job.seed,
            alone=folder not in self._crowded,
        )
        ended = Ended(
            job=job,
            code=None if process.late else process.code,
            printed=where.printed,
            rows=folder / "rows",
            where=where,
            seconds=process.seconds,
            limit=self._plan.timeout,
            told=tuple(place for place in PLACES if self._command.takes(place)),
            gamma=(self._plan.gamma or ASKED_GAMMA) if self._command.takes(GAMMA) else self._plan.gamma,
            remembers=self._traits.remembers,
        )
        try:
            trial = judged(ended)
        finally:
            shutil.rmtree(folder, ignore_errors=True)
        return self._kept(trial, where.printed, folder)

    def _kept(self, trial: Trial, printed: str, folder: Path) -> Trial:
        """The trial; where it failed, what it printed stays on disk and the trial says where."""
        if not trial.failure or not printed.strip():
            return trial
        folder.mkdir(parents=True, exist_ok=True)
        (folder / PRINTED).write_text(printed, encoding="utf-8")
        return msgspec.structs.replace(trial, notes=(*trial.notes, f"what it printed is kept in {folder / PRINTED}"))

    def close(self) -> None:
        """Ends whatever is still running, and leaves nothing behind but what failing trainings printed."""
        for training in self._running:
            training.process.kill()
            shutil.rmtree(training.folder, ignore_errors=True)
        self._running.clear()
        if self._folder.is_dir() and not any(self._folder.iterdir()):
            self._folder.rmdir()
