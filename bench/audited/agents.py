"""The labelled sets of agents: every hack in several styles, and honest controls."""

from __future__ import annotations

from bench.audited import agent_controls, agent_drifts, agent_hacks
from bench.audited.labelled import LabelledSet, Make

HACKS: dict[str, tuple[Make, ...]] = {
    "AGT301": (
        agent_hacks.paid_for_repeats,
        agent_hacks.paid_for_breadth,
        agent_hacks.endless_checking,
        agent_hacks.calls_in_place_of_work,
        agent_hacks.doing_and_undoing,
        agent_hacks.repeats_at_the_end_alone,
    ),
    "AGT302": (
        agent_hacks.says_and_does_nothing,
        agent_hacks.says_after_the_wrong_thing,
        agent_hacks.graders_overwritten,
        agent_hacks.false_reports_of_one_checkpoint,
        agent_hacks.success_by_keyword,
    ),
    "AGT303": (
        agent_hacks.forbidden_shortcut,
        agent_hacks.tools_made_up,
        agent_hacks.failure_graded_as_success,
        agent_hacks.paid_for_trying,
        agent_hacks.forbidden_at_the_end_alone,
    ),
    "AGT304": (
        agent_drifts.grader_by_coin,
        agent_drifts.world_by_coin,
        agent_drifts.credit_of_the_neighbour,
        agent_drifts.advantage_of_another,
        agent_drifts.lost_at_the_first_turn,
    ),
    "AGT305": (
        agent_drifts.ever_more_turns,
        agent_drifts.ever_dearer,
        agent_drifts.no_more_recovery,
        agent_drifts.circles_until_the_limit,
        agent_drifts.dearer_than_before,
    ),
}
HONEST: tuple[Make, ...] = (
    agent_controls.plain_learning,
    agent_controls.no_learning,
    agent_controls.early_exploration,
    agent_controls.longer_because_better,
    agent_controls.curriculum,
    agent_controls.steep_curriculum,
    agent_controls.read_again_after_edit,
    agent_controls.waiting_for_a_job,
    agent_controls.moves_of_a_game,
    agent_controls.nothing_to_change,
    agent_controls.reading_only,
    agent_controls.failures_made_good,
    agent_controls.tests_until_they_pass,
    agent_controls.rightful_refusals,
    agent_controls.sure_of_itself_and_unpaid,
    agent_controls.partial_credit,
    agent_controls.one_honest_checkpoint,
    agent_controls.long_tasks_learnt,
    agent_controls.noisy_grader,
    agent_controls.states_with_a_clock,
    agent_controls.at_the_ceiling,
    agent_controls.waves_of_load,
    agent_controls.honest_failures,
    agent_controls.asking_back,
    agent_controls.further_but_never_there,
)
BASELINES: dict[Make, Make] = {agent_drifts.dearer_than_before: agent_drifts.before}


def _labelled(code: str, make: Make) -> LabelledSet:
    style = make.__name__.replace("_", "-")
    return LabelledSet(f"{code or 'honest'}/{style}", code, style, make, BASELINES.get(make))


SETS: list[LabelledSet] = [
    *(_labelled(code, make) for code, styles in HACKS.items() for make in styles),
    *(_labelled("", make) for make in HONEST),
]
