"""Checklists that evidence ticks off: what should be known before training, and what would tell it."""

from __future__ import annotations

import shlex
from collections.abc import Iterable
from typing import Literal, NamedTuple

import msgspec
import numpy as np

from weaklink.base.evidence.config import infer_family
from weaklink.base.evidence.series import Array
from weaklink.base.evidence.survey import EXPERTS, RANDOM, Survey
from weaklink.base.finding import Finding, Level
from weaklink.base.stats import bootstrap_interval, compare_means
from weaklink.base.stats.condensed import condense
from weaklink.judge.diagnosis.diagnosis import Diagnosis
from weaklink.judge.rules._declarations import CheckName, CheckRole
from weaklink.judge.rules._hyperparameters import read_number
from weaklink.judge.rules._registry import load_rules_declaring

State = Literal["done", "failed", "open"]

FEWEST = 20
"""Random episodes that make a baseline."""

FEWEST_OF_EXPERT = 5

OF_THE_WORLD = ("ENV1", "OBS1", "ACT1")
"""How the codes of rules on a surveyed environment begin, where they blame environment, observation or action."""

EVERY = ("eval_freq", "eval_frequency", "eval_interval", "eval_every", "evaluation_interval", "evaluation_frequency")
EPISODES = ("n_eval_episodes", "num_eval_episodes", "eval_episodes", "evaluation_duration", "evaluation_episodes")
SEEDS = ("eval_seed", "evaluation_seed", "eval_env_seed")


class ChecklistItem(msgspec.Struct, frozen=True, kw_only=True):
    """One line of a checklist.

    `state` is `done`, `failed` or `open`, where nothing that was seen answers the question. `told` is the evidence in
    one sentence, `command` what would answer an open question.
    """

    name: str
    question: str
    state: State
    told: str = ""
    command: str = ""


class ChecklistQuestion(NamedTuple):
    """A question that rules answer, as their decorators say: one of those that decide it must have judged.

    Where it is `strict`, what a rule finds merely worth knowing fails it too. `good` is said when nothing was found.
    """

    name: CheckName
    question: str
    good: str
    option: str = ""
    strict: bool = False


def list_codes(name: CheckName, role: CheckRole) -> list[str]:
    """The codes of the rules that have this role in an item, in the order of the loop."""
    return [code for code, rule in load_rules_declaring("checks").items() if rule.checks.get(name) == role]


CHANGE = ChecklistQuestion(
    "observations change with actions",
    "Do actions change what is seen?",
    "Different actions lead to different observations.",
)
ENDS = ChecklistQuestion(
    "ends and time limits",
    "Is the end of a task told apart from the end of the time?",
    "Terminations and truncations are told apart.",
)
HISTOGRAM = ChecklistQuestion(
    "reward histogram",
    "Is the reward more than all 0, all the same, or a long tail?",
    "Rewards are neither all 0 nor all the same, and no tail dominates.",
)
BALANCE = ChecklistQuestion(
    "reward components",
    "Does every part of the reward have a say?",
    "No part of the reward drowns the others.",
    "--components KEYS",
)
SCALE = ChecklistQuestion(
    "return scale",
    "Are returns of a size that a critic can fit?",
    "Returns are of a size that a critic can fit.",
)
CLIP = ChecklistQuestion(
    "normaliser clip",
    "Does the largest reward pass the normaliser unclipped?",
    "No reward that was seen is cut.",
    "--config FILE",
    strict=True,
)
EXPLORATION = ChecklistQuestion(
    "entropy coefficient",
    "Does something keep the policy exploring (an entropy coefficient of 0.01 and more)?",
    "The entropy bonus, or what explores in its place, is in order.",
    "--config FILE",
    strict=True,
)
RATE = ChecklistQuestion(
    "learning rate",
    "Is the learning rate usual for the algorithm?",
    "The learning rate is usual for the algorithm.",
    "--config FILE",
    strict=True,
)
BRAKE = ChecklistQuestion(
    "target KL",
    "Does the target KL leave the policy room to move (0.03 and more)?",
    "Target KL and clip range leave room to move.",
    "--config FILE",
    strict=True,
)
UPDATES = ChecklistQuestion(
    "updates happen",
    "Will the trainer update at all within its budget?",
    "The budget reaches beyond the start of learning.",
    "--config FILE",
)
MEMORY = ChecklistQuestion(
    "memory estimate",
    "Does what training stores fit into memory?",
    "What the buffer holds when full fits into memory.",
    "--config FILE",
    strict=True,
)
GRADIENT = ChecklistQuestion(
    "gradient flow",
    "Does a gradient reach every part of the network, the feature extractor included?",
    "A gradient arrives at every part of the network.",
    "--model module:factory",
)


@np.errstate(over="ignore", invalid="ignore")
def check_before_training(survey: Survey, diagnosis: Diagnosis) -> tuple[ChecklistItem, ...]:
    """What to know before training, outside in, ticked off by what was seen and by nothing else."""
    on_policy = infer_family(survey.config, ()) not in ("off-policy", "language")
    items = [
        _check_unit_test(diagnosis),
        answer_check(CHANGE, diagnosis),
        answer_check(ENDS, diagnosis),
        _check_random_baseline(survey),
        _check_weak_expert(survey),
        answer_check(HISTOGRAM, diagnosis, _describe_rewards(survey)),
        answer_check(BALANCE, diagnosis),
        answer_check(SCALE, diagnosis),
        answer_check(CLIP, diagnosis),
        _check_evaluation(survey),
        answer_check(UPDATES, diagnosis),
        answer_check(
            EXPLORATION, diagnosis, _describe_setting(survey, "entropy_coefficient", "The entropy coefficient")
        ),
        answer_check(RATE, diagnosis, _describe_setting(survey, "learning_rate", "The learning rate")),
        *(
            [answer_check(BRAKE, diagnosis, _describe_setting(survey, "target_kl", "The target KL"))]
            if on_policy
            else []
        ),
        answer_check(MEMORY, diagnosis),
        answer_check(GRADIENT, diagnosis),
    ]
    begin = f"weaklink preflight {shlex.quote(survey.name) if survey.name else 'ENV'}"
    return tuple(_add_command(item, begin) for item in items)


def _add_command(item: ChecklistItem, begin: str) -> ChecklistItem:
    """An open item with the whole command; the others need none."""
    command = f"{begin} {item.command}".rstrip() if item.state == "open" else ""
    return msgspec.structs.replace(item, command=command)


def answer_check(check: ChecklistQuestion, diagnosis: Diagnosis, good: str = "") -> ChecklistItem:
    """The item as the rules of a check answer it."""
    deciding = list_codes(check.name, "decides")
    answering = {*deciding, *list_codes(check.name, "fails")}
    fired = [finding for finding in diagnosis.findings if finding.code in answering]
    worst = max(fired, key=lambda finding: finding.severity, default=None)
    judged = {*diagnosis.clean, *(finding.code for finding in fired)}
    state: State = "open"
    if worst is not None and (check.strict or worst.severity >= Level.WARN):
        state, told = "failed", worst.message
    elif judged.intersection(deciding):
        state, told = "done", good or check.good
    else:
        told = _explain_open(deciding[0], diagnosis)
    return ChecklistItem(name=check.name, question=check.question, state=state, told=told, command=check.option)


def _explain_open(code: str, diagnosis: Diagnosis) -> str:
    if code in diagnosis.blind:
        return f"{code} could not tell without {', '.join(diagnosis.blind[code])}."
    return f"{code} failed itself." if code in diagnosis.unable else f"{code} was not asked."


def _check_unit_test(diagnosis: Diagnosis) -> ChecklistItem:
    """Everything about environment, observation and action at once."""
    exempt = list_codes("environment unit test", "exempt")

    def of_the_world(code: str) -> bool:
        return code.startswith(OF_THE_WORLD) and code not in exempt

    found = [one for one in diagnosis.findings if of_the_world(one.code) and one.severity >= Level.WARN]
    clean = [code for code in diagnosis.clean if of_the_world(code)]
    blind = [code for code in diagnosis.blind if of_the_world(code)]
    judged = {code[:4] for code in (*clean, *(one.code for one in diagnosis.findings))}
    state: State = "open"
    if found:
        state, told = "failed", _describe_worst(found)
    elif judged.issuperset(OF_THE_WORLD):
        state = "done"
        unsaid = f", {len(blind)} could not tell" if blind else ""
        told = f"{len(clean)} rules on environment, observation and action found nothing{unsaid}."
    else:
        told = "Too few rules on environment, observation and action could judge."
    return ChecklistItem(
        name="environment unit test",
        question="Do reset, step, ends, observations and actions do what they should?",
        state=state,
        told=told,
    )


def _describe_worst(found: Iterable[Finding]) -> str:
    ordered = sorted(found, key=lambda finding: -finding.severity)
    more = f"; also {', '.join(f'{one.code} {one.name}' for one in ordered[1:])}" if len(ordered) > 1 else ""
    return f"{ordered[0].code} {ordered[0].name}: {ordered[0].message.rstrip('.')}{more}."


def _check_random_baseline(survey: Survey) -> ChecklistItem:
    returns = _list_returns(survey, RANDOM)
    whole = survey.plays[RANDOM].episodes if RANDOM in survey.plays else 0
    state: State = "open"
    if len(returns) < whole:
        state, told = "failed", f"{whole - len(returns)} of {whole} random episodes have a return that is no number."
    elif len(returns) >= FEWEST:
        state = "done"
        mean = bootstrap_interval(condense(returns), np.random.default_rng(0))
        told = (
            f"Random play returns {returns.mean():.4g} on average (95 % between {mean.low:.4g} and {mean.high:.4g}) "
            f"over {len(returns):,} episodes."
        )
    else:
        told = f"Random play came to an end in {len(returns)} episodes, too few for a baseline."
    return ChecklistItem(name="random baseline", question="What does a random policy return?", state=state, told=told)


def _check_weak_expert(survey: Survey) -> ChecklistItem:
    untrained = _list_returns(survey, RANDOM)
    played = {name: _list_returns(survey, name) for name in EXPERTS}
    played = {name: returns for name, returns in played.items() if len(returns) >= FEWEST_OF_EXPERT}
    state: State = "open"
    if not played or len(untrained) < FEWEST_OF_EXPERT:
        told = "No policy that should do well has played."
    else:
        best = max(played, key=lambda name: float(played[name].mean()))
        held = compare_means(condense(played[best]), condense(untrained))
        means = f"{best} returns {played[best].mean():.4g} on average and random play {untrained.mean():.4g}"
        if held.better:
            state, told = "done", f"The best expert is clearly better: {means}."
        elif set(played) == {"search"}:
            told = f"A short search found nothing clearly better than random play: {means}."
        else:
            state, told = "failed", f"No expert is clearly better than random play: {means}."
    return ChecklistItem(
        name="weak expert baseline",
        question="Can a simple rule clearly beat random play?",
        state=state,
        told=told,
        command="--automaton module:policy",
    )


def _check_evaluation(survey: Survey) -> ChecklistItem:
    every, episodes = read_number(survey.config, *EVERY), read_number(survey.config, *EPISODES)
    seed = read_number(survey.config, *SEEDS)
    state: State = "open"
    if every is not None and episodes is not None:
        state = "done" if min(every, episodes) > 0 else "failed"
        seeded = "no seed is stated" if seed is None else f"seed {seed:.0f}"
        told = f"Evaluation every {every:,.0f} over {episodes:,.0f} episodes; {seeded}."
    else:
        missing = [names[0] for names, value in ((EVERY, every), (EPISODES, episodes)) if value is None]
        told = f"Nothing states {' or '.join(missing)}."
    return ChecklistItem(
        name="evaluation config",
        question="Is the way of evaluating fixed and written down?",
        state=state,
        told=told,
        command="--config FILE",
    )


def _describe_rewards(survey: Survey) -> str:
    """The rewards of the baselines in one sentence."""
    rewards = np.concatenate([np.empty(0), *(play.rewards for play in survey.baselines.values())])
    rewards = rewards[np.isfinite(rewards)]
    if not len(rewards):
        return ""
    zero = float(np.mean(rewards == 0.0))
    return (
        f"{zero:.0%} of {len(rewards):,} rewards are 0; they lie between {rewards.min():.4g} and {rewards.max():.4g}."
    )


def _describe_setting(survey: Survey, name: str, words: str) -> str:
    value = survey.config.number(name)
    return "" if value is None else f"{words} is {value:g}."


def _list_returns(survey: Survey, name: str) -> Array:
    """The finite returns of a play; none where there is no such play."""
    play = survey.plays.get(name)
    if play is None:
        return np.empty(0)
    return np.asarray(play.returns[np.isfinite(play.returns)])
