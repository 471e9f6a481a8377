from __future__ import annotations

from weaklink.base.evidence.run import Run
from weaklink.base.proving import FALLS, MEAN, RETURN_RISES, Change, Intervention, Promise
from weaklink.base.stats import find_lasting_above
from weaklink.judge.rules._course import FEWEST, measure_during
from weaklink.judge.rules.writing import (
    HIGH,
    MEDIUM,
    Answer,
    BareLimit,
    CannotTell,
    Evidence,
    Finding,
    Level,
    Link,
    rule,
)

# A policy that moved by less than this KL clips nothing; a clip fraction above this is that of nearly all samples
UNMOVED, NEARLY_ALL = 1e-6, 0.9

_CONTRADICTION = (
    "Print the clip range in force: a schedule or a unit that makes it 0 clips every sample.",
    "Compare the ratio with 1 before the first step on a batch: old and new log-probabilities must agree there.",
    "Check where clip fraction and KL are computed: both must see the same ratio, after the same update.",
)


@rule(
    "POL301",
    link=Link.POLICY,
    level=Level.WARN,
    on=Run,
    needs=("policy.clip_fraction",),
    leads_to=("EXP301", "EXP302", "EXP304", "VAL301", "VAL304", "POL307", "REW301", "REW303", "REW304"),
    tree=5,
    symptoms={"reward oscillates": 4, "entropy collapsed": 4},
    checks={"clipping": "decides"},
    experiment=Intervention(
        change=Change(setting="learning_rate", times=1 / 3),
        promise=Promise(metrics=("policy.clip_fraction",), then=FALLS, level=0.2, measure=MEAN),
        if_confirmed="The step was too large for the clip range: keep the smaller learning rate, or make fewer epochs.",
        if_refuted="The learning rate does not drive the clipping: look at the number of epochs, the batch and the "
        "clip range.",
        also=(RETURN_RISES,),
    ),
    alert=BareLimit(
        side="above",
        limit=0.5,
        metrics=("policy.clip_fraction", "clip_fraction"),
        meaning="updates want to go much further than they may",
    ),
    marks=("driven",),
)
def excessive_clipping(run: Run, *, lasting: float = 0.3, alert: float = 0.5) -> Answer:
    """Clipping discards most of each update.

    ## What it sees
    The share of samples whose probability ratio is clipped stays above 0.3 while the return does not improve, or stays
    above 0.5. If the return improves all the same, this is only information. Where nearly all is clipped and the KL is
    0 all the same, the two contradict each other, and the message says so.

    ## Why it is bad
    A clipped sample gives no gradient. When most samples are clipped, each update runs to the edge of the trust region
    and stops there: the policy moves as far as it can on few samples and unlearns what it knew.

    ## What to do
    1. Lower the learning rate by a factor of 3 to 10.
    2. Use fewer epochs per rollout, or stop the update early at a target KL of 0.02.
    3. Enlarge the batch; check that advantages are normalised and that rewards are not huge.

    ## How to prove it
    Repeat a short run with a third of the learning rate and nothing else changed: the clip fraction must fall below 0.2
    and the return must not be worse. `weaklink confirm POL301 my_project.py` does this.

    ## When it is wrong
    The clip fraction can be high at the very start. If the clip range is annealed to zero, every sample is clipped at
    the end by design, and the return does not suffer.

    ## References
    Schulman et al., Proximal Policy Optimization Algorithms, 2017.
    """
    clipping = run["policy.clip_fraction"]
    if len(clipping) < FEWEST:
        return CannotTell(("policy.clip_fraction",), f"fewer than {FEWEST} points")
    course = run.performance
    limit = lasting if course is not None and course.stuck else alert
    held = find_lasting_above(clipping.values, limit)
    if held is None:
        return None
    step = float(clipping.steps[held.start])
    improving = course is not None and course.improved
    harm = f", and {course.told}" if course is not None and not improving else ""
    still = measure_during(run, "policy.kl", clipping, held.start)
    unmoved = still is not None and abs(still) < UNMOVED and held.level > NEARLY_ALL
    odd = f"; yet the KL is {still:.1g}, so one of the two is wrong, or the clip range is 0" if unmoved else ""
    return Finding(
        message=f"The clip fraction stays at {held.level:.2f} from step {step:,.0f} on (limit {limit:g}){harm}{odd}.",
        fix=_CONTRADICTION if unmoved else (),
        onset=step,
        onset_within=clipping.interval,
        level=Level.INFO if improving else Level.WARN,
        confidence=HIGH if held.level > alert else MEDIUM,
        evidence=(Evidence(metric=clipping.name, value=held.level, limit=limit, step=step),),
    )
