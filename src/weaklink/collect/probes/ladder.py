"""Climbing the ladder: trainings in order, more of them where seeds disagree, and a stop at the first broken rung."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import Protocol

import msgspec

from weaklink.base.evidence.outcome import OUT_OF_TIME, UNDECIDED, WRONG, Outcome, Rung, RungTrial
from weaklink.base.evidence.traits import Traits
from weaklink.collect.probes.plan import (
    AnyProbe,
    ProbePlan,
    compute_budget,
    explain_unanswerable,
    find_guessed_form,
    is_guess,
    plan_ladder,
    plan_reading,
)
from weaklink.collect.probes.probe import Probe
from weaklink.collect.probes.read_rows import explains_targets

MOST_NOTES = 6
SEEDS_READ = 2
"""Trainings whose updates are read: what a loss asks for does not depend on the seed, and a second one makes sure."""

NUMBERS = "numbers"
"""What a script shows that logs, and nothing about values: training for longer would show no more."""

ANSWERED = "its updates were read, which tells as much; give --seconds more to train on it too"
"""Why a rung was not climbed that would have told nothing new."""

SAY_SO = 'where it is made for them, say so: train.forms = ("image", "dict")'

Report = Callable[[str, int, int], None]
"""Told what is climbed, how many trainings are done and how many were begun."""


class ProbeJob(msgspec.Struct, frozen=True):
    """One training to be done."""

    title: str
    seed: int
    steps: int
    level: int = 0


class ProbeRunner(Protocol):
    """Who carries out trainings."""

    @property
    def room(self) -> int:
        """How many can be made side by side."""

    def begin(self, job: ProbeJob) -> None:
        """Starts one."""

    def finished(self) -> tuple[ProbeJob, RungTrial] | None:
        """Waits for the next that ends; None where the time for all of them is up."""

    def close(self) -> None:
        """Ends whatever is still running."""


class _Rung:
    """A rung on its way: what was asked for and what came back."""

    def __init__(self, probe: AnyProbe, plan: ProbePlan, traits: Traits) -> None:
        self.probe = probe
        self._plan = plan
        self._traits = traits
        self.waiting = [(plan.first_seed + seed, 0) for seed in range(plan.seeds)]
        self.running, self.begun = 0, False
        self.trials: list[RungTrial] = []
        self._more = plan.more_seeds if plan.seeds > 1 else plan.confirms

    def next_job(self, least: int) -> ProbeJob:
        """The next training, with a budget of at least this level."""
        seed, level = self.waiting.pop(0)
        level = max(level, least)
        return ProbeJob(self.probe.title, seed, compute_budget(self._plan, self._traits, self.probe, level), level)

    def take(self, job: ProbeJob, trial: RungTrial) -> None:
        self.running -= 1
        self.trials.append(trial)
        if trial.holds is False and not trial.failure and job.level + 1 < self._plan.levels:
            self.waiting.append((job.seed, job.level + 1))
        doubtful = self.rung.verdict == UNDECIDED or (self.rung.verdict == WRONG and self._plan.seeds == 1)
        if self.done and doubtful and self._more:
            first = self._plan.first_seed + self._plan.seeds
            self.waiting = [(first + seed, job.level if self._plan.adapts else 0) for seed in range(self._more)]
            self._more = 0

    def look_again(self, job: ProbeJob, trial: RungTrial) -> bool:
        """Has the first rung trained for longer where nothing could be seen yet; whether it is."""
        unseen = trial.holds is None and NUMBERS not in trial.shows
        again = unseen and self._plan.adapts and job.level == 0 and self._plan.levels > 1
        if again:
            self.waiting.append((job.seed, job.level + 1))
        return again

    def drop_unfinished(self) -> None:
        """Keeps only what holds of a rung that ran out of time: a miss is none before its largest budget."""
        if not self.done:
            self.trials = [trial for trial in self.trials if trial.holds]

    def drop_misses(self) -> None:
        """The same where somebody stopped the climb, who may have wanted to see what a training raised."""
        if not self.done:
            self.trials = [trial for trial in self.trials if trial.holds or trial.failure]

    @property
    def done(self) -> bool:
        return not self.waiting and not self.running

    @property
    def tellers(self) -> tuple[str, ...]:
        """Higher rungs that say why this one is broken: what a trainer learned wrongly, not why it fails."""
        learned = any(not trial.failure for trial in self.rung.failed)
        return self.probe.world.told_apart_by if learned else ()

    @property
    def rung(self) -> Rung:
        probe = self.probe
        return Rung(
            name=probe.name,
            problem=probe.title,
            environment=probe.id,
            adds=probe.world.adds,
            trials=tuple(self.trials),
            stands_alone=probe.world.stands_alone,
        )


class LadderClimb:
    """One climb of the whole ladder."""

    def __init__(
        self,
        name: str,
        traits: Traits,
        plan: ProbePlan,
        runner: ProbeRunner,
        report: Report | None = None,
        unfit: Mapping[str, str] | None = None,
    ) -> None:
        """Plans it.

        Args:
            name: of the trainer.
            traits: what it takes.
            plan: seeds, budgets, which rungs.
            runner: who carries out trainings.
            report: told of the progress.
            unfit: by title, why probes that its traits would allow are left out.
        """
        self._name = name
        self._plan = plan
        self._runner = runner
        self._report = report or (lambda stage, done, begun: None)
        planned, self.left = plan_ladder(plan, traits)
        probes = [probe for probe in planned if probe.title not in (unfit or {})]
        self.left |= {probe.title: (unfit or {})[probe.title] for probe in planned if probe not in probes}
        self._rungs = [_Rung(probe, plan, traits) for probe in probes]
        once = msgspec.structs.replace(plan, seeds=min(plan.seeds, SEEDS_READ), more_seeds=0, levels=1)
        self._read = [_Rung(probe, once, traits) for probe in plan_reading(plan, traits)]
        self._may_refuse = {probe.title for probe in probes if is_guess(probe, plan, traits)}
        self._unsaid = {probe.title: form for probe in probes if (form := find_guessed_form(probe, traits))}
        self._by_title = {rung.probe.title: rung for rung in (*self._rungs, *self._read)}
        self._shows: tuple[str, ...] | None = None
        self._running = self._begun = self._ended = 0
        self._level = 0
        self._explained = False
        self._began = time.monotonic()

    def climbed(self) -> Outcome:
        """Climbs until the first broken rung, or to the top; Ctrl-C keeps what was found."""
        self._began, stopped = time.monotonic(), False
        try:
            while self._begin_what_fits():
                ended = self._runner.finished()
                if ended is None:
                    break
                job, trial = ended
                self._running -= 1
                self._ended += 1
                self._take(job, trial)
        except KeyboardInterrupt:
            stopped = True
        finally:
            self._runner.close()
        if stopped:
            for rung in self._rungs:
                rung.drop_misses()
        if self._out_of_time:
            self._drop_unfinished()
        rungs = tuple(rung.rung for rung in self._rungs if rung.trials and self._shown(rung))
        told = dict.fromkeys(note for rung in rungs for trial in rung.trials for note in trial.notes)
        return Outcome(
            trainer=self._name,
            options=self._plan.options,
            rungs=rungs,
            left=self.left,
            shows=self._shows or (),
            notes=tuple(told)[:MOST_NOTES],
            seconds=time.monotonic() - self._began,
            stopped=stopped,
            read=tuple(rung.rung for rung in self._read if rung.trials),
        )

    def _begin_what_fits(self) -> bool:
        """Starts trainings while there is room; False when nothing is running and nothing is left."""
        while self._running < self._runner.room:
            rung = next((rung for rung in self._list_next() if rung.waiting and self._in_time(rung)), None)
            if rung is None:
                break
            job = rung.next_job(min(self._level, self._plan.levels - 1))
            self._report(self._describe_progress(rung), self._ended, self._begun)
            self._runner.begin(job)
            rung.running += 1
            self._running += 1
            self._begun += 1
        return self._running > 0

    def _describe_progress(self, rung: _Rung) -> str:
        """The rung that is climbed, how many are done and left, and how long that will take."""
        done = sum(each.done and bool(each.trials) and each is not rung for each in self._rungs)
        left = len(self._rungs) - done
        seconds = (time.monotonic() - self._began) / done * left if done else 0.0
        if self._plan.seconds:
            seconds = min(seconds, max(0.0, self._plan.seconds - (time.monotonic() - self._began)))
        remaining = f", about {seconds:.0f} s" if seconds else ""
        return f"{rung.probe.name} ({done} rungs done, {left} left{remaining})"

    @property
    def _out_of_time(self) -> bool:
        return self._plan.strict and bool(self._plan.seconds) and time.monotonic() - self._began >= self._plan.seconds

    def _drop_unfinished(self) -> None:
        """Leaves out, and says so, what was begun and not finished in time."""
        for rung in self._rungs:
            rung.drop_unfinished()
            if not rung.trials and (self._shows is None or self._shown(rung)):
                self.left[rung.probe.title] = self._explain_left(rung)

    def _in_time(self, rung: _Rung) -> bool:
        """Whether a rung may be begun, or was; what the time does not suffice for is left out and said."""
        begun = rung.begun and not self._plan.strict
        if begun or not self._plan.seconds or time.monotonic() - self._began < self._plan.seconds:
            rung.begun = True
            return True
        self.left[rung.probe.title] = self._explain_left(rung)
        return False

    def _explain_left(self, rung: _Rung) -> str:
        return ANSWERED if self._is_answered(rung) else OUT_OF_TIME

    def _is_answered(self, rung: _Rung) -> bool:
        """Whether an update that was read says what this rung would."""
        return self._explained and isinstance(rung.probe, Probe) and rung.probe.world.read_too

    def _list_next(self) -> list[_Rung]:
        """What is open; where trainings are long, what was answered otherwise comes last."""
        return sorted(self._open(), key=self._is_answered) if self._plan.adapts else self._open()

    def _open(self) -> list[_Rung]:
        """The rungs that may be climbed: up to the first that is known to be broken, and those that say why it is."""
        rungs: list[_Rung] = []
        broken: _Rung | None = None
        for rung in self._rungs:
            if broken is None or rung.probe.name in broken.tellers:
                rungs.append(rung)
            stops = not (self._plan.everything or rung.probe.world.stands_alone)
            if broken is None and stops and rung.done and rung.rung.verdict == WRONG:
                broken = rung
        # until the first agent is seen, nobody knows what it can be asked
        known = self._shows is not None or not rungs or rungs[0].done
        return [*self._read, *(rungs if known else rungs[:1])]

    def _shown(self, rung: _Rung) -> bool:
        """Whether a rung lies before the first broken one; what ran ahead of it is not shown."""
        return rung in self._open()

    def _take(self, job: ProbeJob, trial: RungTrial) -> None:
        rung = self._by_title[job.title]
        rung.take(job, trial)
        if rung in self._read:
            self._explained = self._explained or explains_targets(trial.readings)
            return
        if trial.kind == "raised" and job.title in self._may_refuse:
            self._refused(rung, trial)
        elif job.title in self._unsaid and rung.done and rung.rung.verdict == WRONG:
            self._leave_out(rung, f"it does not learn from {self._unsaid[job.title]} observations; {SAY_SO}")
        if trial.holds and job.level > self._level + 1:
            self._level = job.level - 1
        if self._shows is None and not trial.failure and not rung.look_again(job, trial):
            self._shows = trial.shows
            self._leave_out_what_cannot_be_asked()

    def _refused(self, rung: _Rung, trial: RungTrial) -> None:
        """Leaves a rung out whose spaces the trainer, which was not asked before, does not take."""
        rung.waiting.clear()
        if rung.done and rung in self._rungs:
            self._leave_out(rung, f"the trainer does not take it ({trial.failure[:80]})")

    def _leave_out(self, rung: _Rung, why: str) -> None:
        self.left[rung.probe.title] = why
        self._rungs.remove(rung)

    def _leave_out_what_cannot_be_asked(self) -> None:
        for rung in list(self._rungs):
            reason = explain_unanswerable(rung.probe, self._shows or ())
            if reason and not rung.trials:
                self._leave_out(rung, reason)
