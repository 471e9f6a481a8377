"""Does the trainer solve problems with known answers? The ladder, on the trainer that the target brings."""

from __future__ import annotations

import shlex
import time

import msgspec

from weaklink.base.errors import UsageError
from weaklink.base.evidence.outcome import OUT_OF_TIME, RIGHT, WRONG, Outcome
from weaklink.base.evidence.traits import CONTINUOUS, DISCRETE
from weaklink.collect.probes.plan import AUTO, ProbePlan
from weaklink.collect.probes.scouting import set_up_script
from weaklink.judge.diagnosis.diagnosis import Diagnosis, Verdict
from weaklink.judge.diagnosis.probing import judge_outcome
from weaklink.judge.diagnosis.settings import RuleSettings
from weaklink.verbs.debug.case import BROKEN, CLEAN, PROBE, UNCLEAR, StageResult, describe_break
from weaklink.verbs.debug.folder import CaseFolder
from weaklink.verbs.debug.plain_script import SCRIPT
from weaklink.verbs.debug.work import CaseWork
from weaklink.verbs.probe import Probed, ProbeOptions, probe

CLASSIC = ("constant-reward", "observed-reward", "delayed-reward", "two-actions", "matching-action")
"""The rungs that a library's own trainer is put on: it was tested there, so that few are enough."""

HUNG = "hung"
TRL = {"GRPOTrainer": "trl:GRPO", "RLOOTrainer": "trl:RLOO"}
LIBRARIES = ("sb3:", "trl:")
"""How trainers are called that a library has made and tested."""

SEEDS = 2
OWN_TRAINER = 2.0
TIMEOUT = 120.0

NO_TRAINER = "the target has neither make_model nor train"
NO_LADDER = (
    "{} has no ladder: trainers of Stable-Baselines3, GRPO and RLOO of TRL and functions train(make_env, steps, seed) "
    "have one"
)


def explain_skip(work: CaseWork) -> str:
    """Why the stage cannot be carried out; empty where it can."""
    if SCRIPT in work.look.parts:
        return _set_up_script(work)
    if not work.trains:
        return NO_TRAINER
    if "train" in work.look.parts:
        return ""
    if work.model.fault:
        return f"the model could not be made: {work.model.fault}"
    return "" if work.model.framework == "sb3" or _find_trl_trainer(work) else NO_LADDER.format(work.model.algorithm)


def _set_up_script(work: CaseWork) -> str:
    """Finds out how a script is put on the ladder; why it cannot be, where it cannot."""
    if work.folder.done(PROBE, work.key(PROBE, _limit_seconds(work), work.model)):
        return ""
    work.listener.doing("trying the script up to its first step")
    try:
        work.setup = set_up_script(str(work.target.file), work.target.arguments, ProbePlan())
    except UsageError as error:
        return str(error)
    return ""


def _find_trl_trainer(work: CaseWork) -> str:
    """The word of a trainer that is TRL's own; empty for any other."""
    word = TRL.get(work.model.algorithm, "")
    return "" if work.model.framework != "trl" or work.model.own else word


def gather_evidence(work: CaseWork) -> bool:
    """Climbs the ladder, unless that was done; whether it was done before."""
    seconds = _limit_seconds(work)
    key = work.key(PROBE, seconds, work.model)
    if work.folder.done(PROBE, key):
        return True
    trainer, plan = _pick_trainer(work, seconds)
    script = str(work.target.file) if work.setup is not None else ""
    began = time.monotonic()
    climbed = probe(
        ProbeOptions(trainer=trainer, script=script, arguments=work.target.arguments, setup=work.setup, plan=plan),
        lambda rung, done, begun: work.listener.doing(f"{rung}, {done} trainings done"),
    )
    outcome = msgspec.structs.replace(climbed.outcome, trainer=_name_trainer(work, trainer))
    work.folder.keep_outcome(outcome)
    work.stopped = outcome.stopped
    work.folder.finish(PROBE, "" if outcome.stopped else key, time.monotonic() - began)
    return False


def _limit_seconds(work: CaseWork) -> float:
    """How long the ladder may take: a trainer of the user's own has all of it to climb."""
    share = work.options.share(PROBE)
    return OWN_TRAINER * share if _is_own(work) else share


def _is_own(work: CaseWork) -> bool:
    """Whether what trains is the user's own, in whole or in part."""
    return bool({"train", SCRIPT} & set(work.look.parts)) or bool(work.model.own)


def _pick_trainer(work: CaseWork, seconds: float) -> tuple[str, ProbePlan]:
    """Which trainer is put on which rungs; of a script only those, with the seeds that a script is given."""
    if work.setup is not None:
        return "", ProbePlan(first_seed=work.options.seed, timeout=max(TIMEOUT, seconds), seconds=seconds)
    plan = ProbePlan(
        seeds=SEEDS,
        first_seed=work.options.seed,
        timeout=TIMEOUT,
        seconds=seconds,
        actions=_find_actions(work),
    )
    if _find_trl_trainer(work):
        return _find_trl_trainer(work), plan
    if not _is_own(work):
        return f"sb3:{work.model.algorithm}", msgspec.structs.replace(plan, only=CLASSIC)
    return work.part("train"), plan


def _name_trainer(work: CaseWork, trainer: str) -> str:
    """What other commands call the trainer."""
    if work.setup is not None:
        return " ".join(
            (work.target.word, *(("--", shlex.join(work.target.arguments)) if work.target.arguments else ()))
        )
    if not trainer.startswith(LIBRARIES) and work.target.module and "train" in work.look.parts:
        return work.target.part("train")
    return trainer


def _find_actions(work: CaseWork) -> str:
    """The kind of action that the target's own environment takes."""
    survey = work.folder.survey()
    if survey is None or survey.action is None:
        return AUTO
    return CONTINUOUS if survey.action.kind == "box" else DISCRETE


def load_probed(folder: CaseFolder, settings: RuleSettings) -> Probed | None:
    """What the trainer learned on the ladder, judged; a trainer that takes none of its problems is not to blame."""
    outcome = folder.outcome()
    if outcome is None or PROBE not in folder.index.seconds:
        return None
    if was_refused(outcome):
        note = f"the trainer takes none of the ladder's problems: {_find_first_failure(outcome)}"
        return Probed(outcome, Diagnosis(target=outcome.trainer, verdict=Verdict.UNCLEAR, notes=(note,)))
    ended, late = _drop_late_seeds(outcome)
    diagnosis = judge_outcome(ended, settings)
    if late:
        note = f"{late} trainings of the ladder did not end within {TIMEOUT:g} seconds and are not judged"
        diagnosis = msgspec.structs.replace(diagnosis, notes=(*diagnosis.notes, note))
    return Probed(ended, diagnosis)


def _drop_late_seeds(outcome: Outcome) -> tuple[Outcome, int]:
    """The outcome without seeds whose training took too long, and how many did: a slow trainer is not a broken one.

    One that hangs does so in the watched training as well, which tells the two apart by its steps. A seed that missed
    with a small budget goes with its larger one: the miss alone proves nothing.
    """
    kept, late = [], 0
    left = dict(outcome.left)
    for rung in outcome.rungs:
        seeds = [trial.seed for trial in rung.trials if trial.kind == HUNG]
        late += len(seeds)
        trials = tuple(trial for trial in rung.trials if trial.seed not in seeds)
        if trials:
            kept.append(msgspec.structs.replace(rung, trials=trials))
        else:
            left[rung.problem] = OUT_OF_TIME
    return msgspec.structs.replace(outcome, rungs=tuple(kept), left=left), late


def was_cut_short(outcome: Outcome) -> bool:
    """Whether the time did not suffice for a trainer of the user's own; a library's was tested before."""
    return bool(outcome.untried) and not outcome.trainer.startswith(LIBRARIES)


def was_refused(outcome: Outcome) -> bool:
    """Whether nothing but raising came of it: then the watched training tells more."""
    trials = [trial for rung in outcome.rungs for trial in rung.trials]
    return bool(trials) and all(trial.kind in ("raised", "crashed") for trial in trials)


def _find_first_failure(outcome: Outcome) -> str:
    return next(trial.failure for rung in outcome.rungs for trial in rung.trials if trial.failure)


def conclude_stage(climbed: Probed, seconds: float) -> StageResult:
    """What the stage came to."""
    outcome, diagnosis = climbed.outcome, climbed.diagnosis
    right = sum(rung.verdict == RIGHT for rung in outcome.rungs)
    held = f"{outcome.trainer}: {right} of {len(outcome.rungs)} rungs hold"
    state, why = CLEAN, held
    if diagnosis.first_break is not None:
        state, why = BROKEN, describe_break(diagnosis.findings[0])
    elif was_refused(outcome):
        state, why = UNCLEAR, diagnosis.notes[0]
    elif was_cut_short(outcome):
        state, why = UNCLEAR, f"{held}; the time was up before {len(outcome.untried)} more could be tried"
    elif outcome.stopped or diagnosis.verdict is Verdict.UNCLEAR:
        state, why = UNCLEAR, f"{held}, too few to tell"
    broken = [rung.name for rung in outcome.rungs if rung.verdict == WRONG]
    return StageResult(
        stage=PROBE,
        state=state,
        why=why,
        seconds=seconds,
        diagnosis=diagnosis,
        facts=(
            ("rungs that hold", f"{right} of {len(outcome.rungs)}"),
            *((("broken", ", ".join(broken)),) if broken else ()),
        ),
        stopped=outcome.stopped,
    )
