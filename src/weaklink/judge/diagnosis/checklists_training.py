"""Checklists for a training that runs and for one that has ended, ticked off by what was recorded."""

from __future__ import annotations

import msgspec

from weaklink.base.evidence.run import Run
from weaklink.base.finding import Finding, Level
from weaklink.judge.diagnosis.checklists import ChecklistItem, ChecklistQuestion, State, answer_check
from weaklink.judge.diagnosis.diagnosis import Diagnosis
from weaklink.judge.rules._registry import load_rules_on

LANGUAGE = "language"
ATTACH = "weaklink.attach(model, folder)"
EVALUATE = "model.learn(..., callback=EvalCallback(eval_env))"

UPDATE = ChecklistQuestion(
    "size of the updates",
    "Does each update stay near the policy that collected its data?",
    "No update moved the policy too far at once.",
    ATTACH,
)
CLIPPING = ChecklistQuestion(
    "clipping",
    "Does most of an update get past the clip?",
    "Only a small part of the updates is clipped.",
    ATTACH,
)
EXPLORATION = ChecklistQuestion(
    "exploration",
    "Does the policy still try things, without staying random?",
    "The policy neither stopped exploring nor stays at chance.",
    ATTACH,
)
CRITIC = ChecklistQuestion(
    "critic",
    "Does the critic follow the returns?",
    "The critic follows the returns.",
    "weaklink fit-critic",
)
GRADIENTS = ChecklistQuestion(
    "gradients and numbers",
    "Are all numbers finite and all gradients of a usual size?",
    "Every number is finite, and no gradient runs away or dies out.",
    ATTACH,
)
GENERALISES = ChecklistQuestion(
    "return and evaluation",
    "Does the evaluation rise with the return?",
    "Evaluation and training return move together.",
    EVALUATE,
)
LENGTH = ChecklistQuestion(
    "length of responses",
    "Do responses grow only where they get better?",
    "Responses do not grow without getting better.",
    "weaklink audit SAMPLES --run RUN",
)
PACE = ChecklistQuestion(
    "throughput and memory",
    "Does the training keep its pace?",
    "The training keeps its pace.",
    ATTACH,
)
SAVED = ChecklistQuestion(
    "saving and loading",
    "Does a saved model act the same once it is loaded?",
    "A saved copy acts the same.",
    "weaklink preflight ENV --model module:factory",
)


def check_during_training(run: Run, diagnosis: Diagnosis) -> tuple[ChecklistItem, ...]:
    """What to keep an eye on while a training runs, as far as the recording tells."""
    of_policy = () if run.family == "off-policy" else (UPDATE, CLIPPING)
    of_kind = (GRADIENTS, LENGTH) if run.family == LANGUAGE else (CRITIC, GRADIENTS, GENERALISES)
    checks = (*of_policy, EXPLORATION, *of_kind, PACE)
    return (
        _check_recomputed(run),
        *(_drop_command(answer_check(check, diagnosis)) for check in checks),
        _check_course(run),
    )


def check_after_training(run: Run, diagnosis: Diagnosis, environment: str) -> tuple[ChecklistItem, ...]:
    """What should be at hand once a training has ended. A short watched training leaves most of it open."""
    return (
        _make_open_item(
            "best, last and failed checkpoint",
            "Are the best state, the last and the one before a failure kept?",
            "The last state is not always the best, and a failure is understood from the state before it.",
            "weaklink.attach(model, folder, checkpoints=True)",
        ),
        *(() if run.family == LANGUAGE else (_drop_command(answer_check(SAVED, diagnosis)),)),
        _make_open_item(
            "what pays best",
            "Were the episodes that pay most looked at?",
            "A high return can be won in ways that nobody meant.",
            "weaklink audit SAMPLES" if run.family == LANGUAGE else f"weaklink preflight {environment} --metric KEY",
        ),
        _make_open_item(
            "several seeds",
            "Does it work with other seeds too?",
            "One seed proves little; three or more, with an interval, tell luck from progress.",
            "weaklink compare RUNS",
        ),
        _make_open_item(
            "evaluation on what was never trained on",
            "Is there an evaluation that nothing was chosen by, with its protocol written down?",
            "What every choice was made by says little about anything else.",
            "weaklink.evaluation(folder, scores=..., split='private')",
        ),
        _check_context(run),
    )


def _list_wrong(run: Run) -> list[Finding]:
    """What was found to be wrong there."""
    from weaklink.base.evidence.rollout import Rollout  # many classes, which a log alone does not need

    asked = load_rules_on(Rollout)
    return [one for one in run.proven if one.code in asked and one.severity >= Level.WARN]


def _check_recomputed(run: Run) -> ChecklistItem:
    """What was computed again inside of the loop."""
    wrong = _list_wrong(run) if run.proven else []
    state: State = "open"
    told = "Nothing was recomputed inside of the loop."
    if wrong:
        state, told = "failed", f"{wrong[0].code} {wrong[0].name}: {wrong[0].message}"
    elif run.checked:
        state = "done"
        agree = "1 check agrees" if len(run.checked) == 1 else f"{len(run.checked)} checks agree"
        told = f"{agree} with what the trainer computed inside of the loop."
    return ChecklistItem(
        name="first updates recomputed",
        question="Are returns, ratios, targets and weights what they should be?",
        state=state,
        told=told,
        command=ATTACH if state == "open" else "",
    )


def _check_course(run: Run) -> ChecklistItem:
    course = run.performance
    state: State = "open"
    told = "Too few episodes ended to tell."
    if course is not None:
        state = "done" if course.improved else "failed" if course.declined else "open"
        told = f"{course.told[:1].upper()}{course.told[1:]} by step {run.last_step:,.0f}."
    return ChecklistItem(
        name="return",
        question="Does the return clearly improve?",
        state=state,
        told=told,
        command="weaklink debug TARGET --seconds 300" if state == "open" else "",
    )


def _check_context(run: Run) -> ChecklistItem:
    known = len(run.config.raw)
    state: State = "done" if known else "open"
    told = f"{known} hyper-parameters are recorded with the run." if known else "No hyper-parameters are recorded."
    return ChecklistItem(
        name="experiment context",
        question="Can the training be repeated from what was written down?",
        state=state,
        told=told,
        command="" if known else "weaklink.Monitor(folder, config=...)",
    )


def _make_open_item(name: str, question: str, told: str, command: str) -> ChecklistItem:
    return ChecklistItem(name=name, question=question, state="open", told=told, command=command)


def _drop_command(item: ChecklistItem) -> ChecklistItem:
    """Only an open item needs a command."""
    return item if item.state == "open" else msgspec.structs.replace(item, command="")
