from __future__ import annotations

from weaklink.base.evidence.masking import ActionMasks
from weaklink.base.evidence.survey import Survey
from weaklink.judge.rules.writing import HIGH, MEDIUM, Answer, CannotTell, Evidence, Finding, Level, Link, rule

FEWEST = 20  # actions taken of each kind: fewer may do nothing by chance

NEARLY_ALL, HARDLY_ANY = 0.9, 0.1  # shares of actions that do nothing

NEVER_AGAIN = ", and none becomes valid again: the episode should have ended"

FEWEST_EMPTY = 3  # states: one or two may be ends that the environment does not report as such

# the share of states up to which there may be nothing to do for a step, as in a workshop without a waiting job: masks
# of libraries become uniform there, and hardly any data are lost
NOW_AND_THEN = 0.05

# valid actions that are refused like invalid ones: one in fifty, and no more than half, or none works
FEWEST_REFUSED, SOME_REFUSED, MOST_REFUSED = 5, 0.02, 0.5

# shares of steps: a mask that tells what is refused from what is not, and one that does not
TELLS, TELLS_NOT = 0.98, 0.8


@rule(
    "ACT109",
    link=Link.ACTION,
    level=Level.ERROR,
    on=Survey,
    needs=("action", "masks"),
    leads_to=(
        "OBS101",
        "OBS102",
        "OBS108",
        "ACT101",
        "ACT106",
        "REW102",
        "REW105",
        "TSK102",
        "TSK103",
        "TSK106",
        "EXP303",
    ),
)
def mask_wrong(survey: Survey) -> Answer:
    """The mask of actions forbids all of them, or the wrong ones.

    ## What it sees
    The environment tells which actions are valid: in the info, in the observation, or by `action_masks()`. In some
    states in which the episode goes on it calls none valid; where none becomes valid again either, it is the end of the
    episode that is missing. Or nearly all valid actions (over 90 %) leave the observation unchanged, while hardly any
    invalid one does (below 10 %). Or the mask, read one or two places further on, tells exactly which actions are
    refused (they leave the observation as it was, always at the same price, or pay least), forbidding some and allowing
    others, and as it is it does not. Or whether an action is called valid follows,
    without any exception, from one number of the observation before the step, as with the first observation of an
    episode from the same number of now, and later from none of now. Or invalid actions always come to one and the same,
    the observation as it was and the lowest reward of all, and so do one in fifty of the valid ones, with choices that
    work elsewhere. It is info where none is valid now and then
    (up to 5 % of the states) and others become valid again.

    ## Why it is bad
    A policy that masks takes only what is called valid. Of nothing it can take nothing: its probabilities become NaN,
    or uniform over what is forbidden. Inverted, the mask leaves exactly the actions that do not work.

    ## What to do
    1. Check the sense of the mask: 1 or True marks what may be taken.
    2. Compute it after the state has changed, from the state that the observation shows.
    3. Where nothing can be done, end the episode, or allow an action that waits.
    4. Check that places of the mask are numbered as actions are, from 0.

    ## How to prove it
    Print the mask after the reset: it must allow at least one action, and that action must do something.
    `weaklink preflight ENV --select ACT109` counts the rest.

    ## When it is wrong
    Valid actions may change only what is not observed.

    ## References
    Huang and Ontanon, A Closer Look at Invalid Action Masking in Policy Gradient Algorithms, 2020; sb3-contrib,
    documentation of `MaskablePPO`.
    """
    masks = survey.masks
    if masks is None or not masks.states:
        return CannotTell(("masks",), "no mask was recorded")
    if masks.empty >= FEWEST_EMPTY:
        over = not masks.revived and masks.empty < masks.states
        rare = bool(masks.revived) and masks.empty <= NOW_AND_THEN * masks.states
        return (rare and _judge_reading(masks)) or Finding(
            message=f"The mask of the environment ({masks.source}) calls no action valid in {masks.empty:,} of "
            f"{masks.states:,} states in which the episode goes on{NEVER_AGAIN if over else ''}.",
            link=Link.ENVIRONMENT if over else None,
            level=Level.INFO if rare else Level.ERROR,
            confidence=HIGH,
            evidence=(Evidence(metric="action.empty_masks", value=float(masks.empty), limit=0.0),),
        )
    return _judge_sense(masks)


def _judge_sense(masks: ActionMasks) -> Answer:
    """Whether what is called valid does nothing, and what is called invalid does something."""
    (idle, valid), (still, invalid) = masks.valid_idle, masks.invalid_idle
    if min(valid, invalid) < FEWEST or idle < NEARLY_ALL * valid or still > HARDLY_ANY * invalid:
        return _judge_reading(masks)
    return Finding(
        message=f"{idle} of {valid} actions that the mask ({masks.source}) calls valid leave the observation "
        f"unchanged, but only {still} of {invalid} that it calls invalid: the mask is inverted.",
        level=Level.ERROR,
        confidence=MEDIUM,
        evidence=(Evidence(metric="action.valid_idle", value=idle / valid, limit=NEARLY_ALL),),
    )


def _judge_reading(masks: ActionMasks) -> Finding | None:
    """Whether the mask is right where it is read at other places, or a step before."""
    return _judge_places(masks) or _judge_time(masks) or _judge_refusals(masks)


def _judge_refusals(masks: ActionMasks) -> Finding | None:
    """Whether actions that the mask calls valid are refused just as those that it calls invalid."""
    refused, valid = masks.valid_refused
    if masks.invalid_idle[1] < FEWEST_REFUSED or refused < max(FEWEST_REFUSED, SOME_REFUSED * valid):
        return None
    if refused > MOST_REFUSED * valid:
        return None
    return Finding(
        message=f"{refused} of {valid} actions that the mask ({masks.source}) calls valid come to just what those come "
        "to that it calls invalid, the observation as it was and the lowest reward of all: it allows what the "
        "environment refuses.",
        level=Level.ERROR,
        confidence=HIGH,
        evidence=(Evidence(metric="action.valid_refused", value=refused / valid, limit=SOME_REFUSED),),
    )


def _judge_time(masks: ActionMasks) -> Finding | None:
    """Whether masks follow from the observations of the step before, and from none of now."""
    if not masks.late or masks.told:
        return None
    return Finding(
        message=f"Which of {masks.late} actions the mask ({masks.source}) calls valid follows without exception from a "
        "number of the observation before the step, at the reset from the first one, and from none that it comes with: "
        "after each step the mask is that of the state before.",
        level=Level.ERROR,
        confidence=HIGH,
        evidence=(Evidence(metric="action.late_masks", value=float(masks.late), limit=0.0),),
    )


def _judge_places(masks: ActionMasks) -> Finding | None:
    """Whether the mask tells what is refused, read at other places than those of the actions.

    There it has to forbid and to allow: one that allows all is right wherever nothing pays least, which a rare accident
    of another action may do.
    """
    right, of, _ = masks.refused.get(0, (0, 0, 0))
    if of < FEWEST or right > TELLS_NOT * of:
        return None
    for shift, (fits, steps, forbidden) in masks.refused.items():
        if shift and min(forbidden, steps - forbidden) >= FEWEST and fits >= TELLS * steps:
            return Finding(
                message=f"The mask ({masks.source}) forbids just what is refused in {right} of {of} steps, and in "
                f"{fits} of {steps} where it is read {abs(shift)} place{'s' if abs(shift) > 1 else ''} "
                f"{'further on' if shift > 0 else 'before'}: it is shifted against the actions.",
                level=Level.ERROR,
                confidence=HIGH,
                evidence=(Evidence(metric="action.refused_as_told", value=right / of, limit=TELLS),),
            )
    return None
