from __future__ import annotations

from math import isfinite

from weaklink.base.evidence.config import Config, infer_family
from weaklink.base.patterns import compile_late
from weaklink.base.proving import MEAN, MOVES, RETURN_RISES, Change, Intervention, Promise
from weaklink.judge.rules._hyperparameters import is_table, read_positive
from weaklink.judge.rules.writing import HIGH, MEDIUM, Answer, CannotTell, Evidence, Finding, Level, Link, rule

# A rate so many times above the range is no choice but a slip, such as a missing exponent
FAR = 100.0

# the step sizes that tables are learned with: an update moves one number that share of the way to its target
TABLE = (1e-3, 1.0)

# keys that name a model, as TRL, verl and OpenRLHF write them
_MODEL = compile_late(r"(?:^|[._/])(?:model|base_model|model_name\w*|model_path|model_id|pretrain|model[._/]path)$")

# A thousandth of the rate moves nothing any more
NOTHING = 1e-3


@rule(
    "OPT101",
    link=Link.OPTIMIZER,
    level=Level.INFO,
    on=Config,
    needs=("learning_rate",),
    leads_to=(
        "OPT301",
        "OPT303",
        "POL301",
        "POL302",
        "POL303",
        "POL307",
        "EXP301",
        "EXP304",
        "REW301",
        "REW303",
        "POL308",
        "REW304",
        "VAL301",
        "VAL304",
        "EXP303",
        "LLM308",
        "LLM309",
        "LLM310",
        "OBS302",  # one step is enough to drive all units of a critic to their ends
    ),
    checks={"learning rate": "decides"},
    experiment=Intervention(
        change=Change(setting="learning_rate", times=0.1),
        promise=Promise(metrics=("policy.kl", "value.q_loss", "value.loss"), then=MOVES, measure=MEAN),
        if_confirmed="The updates follow the rate: choose one within the usual range.",
        if_refuted="Nothing follows the rate: a schedule, a clip or a broken update hides it.",
        also=(RETURN_RISES,),
        sized_by_finding=True,
    ),
    marks=("suspect",),
    only_below=("POL302",),
)
def learning_rate(
    config: Config,
    *,
    lowest: float = 1e-5,
    highest: float = 1e-2,
    lowest_language: float = 1e-8,
    highest_language: float = 1e-3,
    early: float = 0.9,
) -> Answer:
    """The learning rate is outside the usual range for its kind of algorithm.

    ## What it sees
    A rate, in the configuration or in the log, outside 1e-5 to 1e-2 (1e-8 to 1e-3 for language models that are named in
    the configuration, where 1e-6 is normal; small ones of one's own take the rates of other small networks; 1e-3 to 1
    for the step size of a table). It is a warning where the rate is zero or below, or a hundred times
    outside the range, and where the curves show what such a rate leads to; a policy that does not move at all is
    nothing that too large a rate leads to. Or a schedule of (step, rate) pairs that
    reaches zero before nine tenths of the budget are used.

    ## Why it is bad
    If it is too small, the networks hardly move before the budget is used. If it is too large, each update undoes the
    last. At zero nothing is learned, which looks like a reward problem.

    ## What to do
    1. Start from 3e-4 with Adam for a small network, from 1e-6 to 1e-5 for a whole language model, and from ten times
       that for adapters.
    2. Let a schedule end when training ends, not before.
    3. Change the rate only after probes have ruled out a bug: the rate is rarely the cause of total failure.

    ## How to prove it
    Repeat a short run with the rate moved by a factor of ten towards the range and nothing else changed; the clip
    fraction, the KL and the loss must react. `weaklink confirm OPT101 my_project.py` does this.

    ## When it is wrong
    Optimizers unlike Adam and evolution strategies use other scales. A rate of zero is right for
    calibrating log-probabilities or for freezing a network on purpose.

    ## References
    The range is that of the common "why is my model not learning" checklist; language-model rates follow the defaults
    of TRL and OpenRLHF.
    """
    rate = config.number("learning_rate")
    if rate is None or not isfinite(rate):
        return CannotTell(("learning_rate",), "it is not a number")
    if rate <= 0:
        return _describe(rate, "so nothing can be learned", limit=0.0, level=Level.WARN)
    ended = _judge_schedule(config, rate, early)
    if ended is not None:
        return ended
    family = infer_family(config, ())
    if not family:
        return CannotTell(("algorithm",), "the usual range depends on the kind of algorithm")
    table = is_table(config)
    low, high = TABLE if table else (lowest, highest)
    if "tabular" in config.values:
        low = lowest  # so the log has it, and a small rate speaks for a network
    if family == "language":
        low, high = lowest_language, highest_language if _names_model(config) else highest
    if low <= rate <= high:
        return None
    kind = "tables" if table else f"{family} algorithms"
    word = f"{'below' if rate < low else 'above'} the {low:g} to {high:g} usual for {kind}"
    level = Level.WARN if rate > FAR * high or rate <= low / FAR else Level.INFO
    return _describe(rate, word, limit=low if rate < low else high, level=level)


def _names_model(config: Config) -> bool:
    """Whether the configuration names the model that training begins with: then it is a large one."""
    return any(isinstance(value, str) and _MODEL.search(key.lower()) for key, value in config.raw.items())


def _judge_schedule(config: Config, rate: float, early: float) -> Finding | None:
    ends, budget = _find_end(config, rate), read_positive(config, "total_steps")
    if ends is None or budget is None or ends >= early * budget:
        return None
    return Finding(
        message=f"The learning rate reaches zero at step {ends:,.0f}, "
        f"{ends / budget:.0%} of the way through {budget:,.0f} steps.",
        confidence=HIGH,
        evidence=(Evidence(metric="learning_rate_schedule", value=ends, limit=early * budget, step=ends),),
    )


def _describe(rate: float, word: str, *, limit: float, level: Level) -> Finding:
    return Finding(
        message=f"The learning rate is {rate:g}, {word}.",
        level=level,
        confidence=HIGH if level >= Level.WARN else MEDIUM,
        evidence=(Evidence(metric="learning_rate", value=rate, limit=limit),),
    )


def _find_end(config: Config, rate: float) -> float | None:
    """The step at which a schedule of (step, rate) pairs has fallen to a thousandth of the rate, or None."""
    schedule = config.values.get("learning_rate_schedule")
    if not isinstance(schedule, list | tuple):
        return None
    for pair in schedule:
        if not isinstance(pair, list | tuple) or len(pair) != 2:
            return None
        step, value = pair
        if not all(isinstance(part, int | float) and isfinite(part) for part in (step, value)):
            return None
        if value <= NOTHING * rate:
            return float(step)
    return None
