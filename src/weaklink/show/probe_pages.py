"""The pages of the probes, from the problems themselves and their docstrings."""

from __future__ import annotations

import inspect
from collections.abc import Sequence

from weaklink.base.reference.backups import MISTAKES
from weaklink.collect.probes.catalogue import ALL_PROBES
from weaklink.collect.probes.language.catalogue import LANGUAGE_PROBES
from weaklink.collect.probes.language.problem import LanguageProbe
from weaklink.collect.probes.probe import Probe
from weaklink.collect.probes.world import Transition, World
from weaklink.judge.diagnosis.probing import list_rung_codes
from weaklink.show.pages import INDEX, find_file

GAMMA = 0.9
"""The discount that the ladder asks for."""

BOUNDLESS = 1e3

ASKED = {
    "value": "the value of each state",
    "q": "the value of each action",
    "action": "the action that is chosen",
    "distance": "how far the action is from the right one",
    "density": "whether actions are as likely as the trainer believes",
    "entropy": "the spread of the actions",
    "temperature": "what randomness is worth to a soft agent",
    "chance": "whether guesses are better than chance",
    "allowed": "whether forbidden actions are left alone",
}


def write_page(code: str, probes: Sequence[Probe]) -> str:
    """The page of a rung of the ladder for agents in environments."""
    worlds = {type(probe.world): probe.world for probe in probes}
    lines = _write_head(code, probes[0].name, probes[0].world.adds)
    for world in worlds.values():
        if len(worlds) > 1:
            titles = ", ".join(f"`{probe.title}`" for probe in probes if type(probe.world) is type(world))
            lines += [f"## {titles}", ""]
        lines += [_read_docstring(world), "", *_describe_problem(world), *_list_answers(world), *_list_mistakes(world)]
    first = probes[0]
    lines += ["## Try it", "", "```sh", f"weaklink probe TRAINER --only {first.title}", "```", ""]
    lines += ["As Gymnasium environments, in any program where weaklink is installed:", ""]
    lines += [f'- `gymnasium.make("weaklink.envs:{probe.id}")`: {_describe_form(probe)}' for probe in probes]
    effort = first.world.effort
    lines += ["", f"A training here takes {effort:g} times the budget of the easiest rung." if effort != 1 else ""]
    return "\n".join(lines).rstrip() + "\n"


def write_language_page(probe: LanguageProbe) -> str:
    """The page of a rung of the ladder for trainers of language models."""
    lines = [*_write_head(list_rung_codes()[probe.name], probe.name, probe.adds), _read_docstring(probe), ""]
    lines += ["## What the trainer is asked to train with", "", "| setting | value |", "|---|---|"]
    lines += [f"| temperature | {probe.temperature:g} |", f"| weight of the KL to the reference | {probe.beta:g} |"]
    lines += [
        f"| completions for each prompt | {probe.group} |",
        f"| longest completion, in tokens | {probe.longest} |",
    ]
    needs = "a training" if probe.effort >= 1 else "no learning: the first updates show it"
    tools = ["A tool speaks in between, so loops that cannot be given one are not asked.", ""] if probe.tools else []
    lines += ["", f"It needs {needs}.", "", *tools]
    lines += ["## Try it", "", "```sh", f"weaklink probe trl:GRPO --only {probe.title}", "```", ""]
    return "\n".join(lines).rstrip() + "\n"


def write_index(control: dict[str, list[Probe]]) -> str:
    """The list of all rungs, in the order of the two ladders."""
    lines = [
        "# The probes",
        "",
        "Problems so small that the right answer is known exactly, each needing one component more than the last.",
        "[Probing a trainer](../probe.md) says how they are climbed.",
        "",
        "## Agents in environments",
        "",
        "| code | rung | what it adds | what is asked |",
        "|---|---|---|---|",
    ]
    for code, probes in control.items():
        asked = ", ".join(ASKED[word] for word in probes[0].world.asked)
        lines.append(f"| [{code}]({find_file(code)}) | {probes[0].name} | {probes[0].world.adds} | {asked} |")
    lines += ["", "## Trainers of language models", "", "| code | rung | what it adds |", "|---|---|---|"]
    for probe in LANGUAGE_PROBES:
        code = list_rung_codes()[probe.name]
        lines.append(f"| [{code}]({find_file(code)}) | {probe.name} | {probe.adds} |")
    return "\n".join(lines) + "\n"


def write_probe_pages() -> dict[str, str]:
    """Every page by its file name."""
    control: dict[str, list[Probe]] = {}
    for probe in ALL_PROBES:
        control.setdefault(list_rung_codes()[probe.name], []).append(probe)
    return {
        INDEX: write_index(control),
        **{find_file(code): write_page(code, probes) for code, probes in control.items()},
        **{find_file(list_rung_codes()[probe.name]): write_language_page(probe) for probe in LANGUAGE_PROBES},
    }


def _write_head(code: str, name: str, adds: str) -> list[str]:
    return [
        f"# {code} {name}",
        "",
        f"**What it adds** to the rungs before it: {adds}.",
        "A trainer that fails here and holds below has its fault in that.",
        "",
        f"[What failing it means and what to do](../rules/{find_file(code)}) · [all probes]({INDEX})",
        "",
    ]


def _read_docstring(problem: object) -> str:
    return inspect.cleandoc(type(problem).__doc__ or "")


def _describe_form(probe: Probe) -> str:
    shown = {"vector": "numbers", "image": "an image", "dict": "a dictionary"}[probe.seen]
    low, high = probe.world.bounds
    acts = {
        "discrete": f"{max(probe.world.choices, 1)} action{'s' if probe.world.choices > 1 else ''}",
        "continuous": f"one continuous action from {low:g} to {high:g}",
        "several": "two choices at once",
        "masked": f"{probe.world.choices} actions, some of them masked",
    }[probe.acts]
    return f"{shown} to see, {acts}"


def _format_observation(world: World, state: int) -> str:
    return ", ".join(f"{number:.3g}" for number in world.looks[state])


def _describe_problem(world: World) -> list[str]:
    """What each state looks like, and what follows from each choice."""
    lines = ["### The problem", ""]
    if world.choices == 0:
        lines += ["| state | seen | right action |", "|---|---|---|"]
        lines += [
            f"| {world.labels[s]} | {_format_observation(world, s)} | {world.oracle(s):g} |"
            for s in range(world.states)
        ]
        return [*lines, ""]
    lines += ["| state | seen | action | what follows |", "|---|---|---|---|"]
    for state in range(world.states):
        ways = [
            "; ".join(_describe_way(world, way) for way in world.law(state, choice)) for choice in range(world.choices)
        ]
        if len(set(ways)) == 1:
            lines.append(f"| {world.labels[state]} | {_format_observation(world, state)} | any | {ways[0]} |")
            continue
        for choice, follows in enumerate(ways):
            right = " (right)" if choice in world.right(state) else ""
            lines.append(
                f"| {world.labels[state]} | {_format_observation(world, state)} | {choice}{right} | {follows} |"
            )
    return [*lines, ""]


def _describe_way(world: World, way: Transition) -> str:
    chance = "" if way.chance == 1.0 else f"with chance {way.chance:g}: "
    if way.terminated:
        after = "the end"
    elif way.truncated:
        after = "cut off by the time limit"
    else:
        after = f"on to *{world.labels[way.to]}*"
    return f"{chance}pays {way.reward:g}, {after}"


def _list_distinct_states(world: World) -> list[int]:
    """States that a right agent comes to; of those that look the same the first."""
    first = {int(world.kinds[state]): state for state in reversed(world.visited)}
    return sorted(first.values())


def _list_answers(world: World) -> list[str]:
    if not {"value", "q"} & set(world.asked):
        return []
    values, _ = world.values(GAMMA)
    lines = [f"### The right answers, for a discount of {GAMMA:g}", ""]
    if "q" in world.asked:
        lines += ["| state | action | value |", "|---|---|---|"]
        for state in range(world.states):
            for choice in range(world.choices):
                ahead = sum(
                    way.chance * (way.reward + GAMMA * (not way.terminated) * float(values[way.to]))
                    for way in world.law(state, choice)
                )
                lines.append(f"| {world.labels[state]} | {choice} | {ahead:.4g} |")
        return [*lines, ""]
    lines += ["| state | value | taken as right |", "|---|---|---|"]
    for state in _list_distinct_states(world):
        low, high = world.band(state, float(values[state]), GAMMA)
        lines.append(f"| {world.labels[state]} | {values[state]:.4g} | {low:.4g} to {high:.4g} |")
    return [*lines, ""]


def _list_mistakes(world: World) -> list[str]:
    """What a learner with a known mistake ends with, where that is out of the band; told at its most telling state."""
    if "value" not in world.asked:
        return []
    values, wrong = world.values(GAMMA)
    rows = []
    for name, learned in wrong.items():
        telling = [
            (_measure_excess(world, state, float(values[state]), float(learned[state])), state)
            for state in _list_distinct_states(world)
        ]
        beyond, state = max(telling, key=lambda pair: pair[0])
        if beyond > 0:
            would = float(learned[state])
            told = "grows without bound" if abs(would) > BOUNDLESS else f"{would:.4g}"
            where = f"{told} at *{world.labels[state]}*, right {values[state]:.4g}"
            rows.append(f"| {name} | {where} | {MISTAKES[name].look} |")
    if not rows:
        return []
    return [
        "### What known mistakes would learn",
        "",
        "| mistake | would learn | where to look |",
        "|---|---|---|",
        *rows,
        "",
    ]


def _measure_excess(world: World, state: int, right: float, learned: float) -> float:
    """How far a value is out of its band, in units of the band."""
    low, high = world.band(state, right, GAMMA)
    return max(low - learned, learned - high) / (high - low)
