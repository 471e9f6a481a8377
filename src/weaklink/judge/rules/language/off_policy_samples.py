from __future__ import annotations

from weaklink.base.evidence.samples import Samples
from weaklink.judge.rules._draws import FEWEST_ROWS, average_by_draw, select_complete
from weaklink.judge.rules._samples import LIKELY, find_onset, select_settled, split
from weaklink.judge.rules.writing import HIGH, MEDIUM, Answer, CannotTell, Evidence, Finding, Level, Link, rule


@rule(
    "LLM349",
    link=Link.DATA,
    level=Level.WARN,
    on=Samples,
    needs=("sampler_gap",),
    leads_to=("POL301", "POL303", "LLM310", "LLM311", "REW304"),
)
def off_policy_samples(samples: Samples, *, limit: float = 0.2) -> Answer:
    """The trainer gives the tokens of completions other log-probabilities than the sampler gave them.

    ## What it sees
    Rows give two log-probabilities of the same tokens, of the sampler and of the trainer, token by token or as means.
    Late in training they differ by more than 0.2 a token on average, beyond chance. Log-probabilities of a reference
    model are not compared, and neither are sums.

    ## Why it is bad
    Their difference is the logarithm of the importance ratio. From 0.2 on the ratio of an average token is outside of
    the usual clip range (0.8 to 1.2), so that most of the batch is clipped or weighted wrongly: the completions are not
    those of the policy that learns from them.

    ## What to do
    1. Sample with fresh weights and a learning rate of 0: a gap that stays is a mismatch of engines (temperature,
       precision, positions), one that disappears is staleness.
    2. Check that the sampler gets new weights, and bound the queue between sampling and training.
    3. Divide the logits of the trainer by the sampling temperature; compute both log-softmaxes in float32.

    ## How to prove it
    Score twenty late completions with the sampler's and the trainer's weights side by side: with equal weights they
    agree to rounding.

    ## When it is wrong
    Log-probabilities of the trainer that were taken after many optimizer steps on the same batch, or two fields that
    mean different things.

    ## References
    Fu et al., AReaL, 2025; TRL issues #3029 and #4159; Schulman et al., PPO, 2017 (a clip range of 0.2).
    """
    rows = select_complete(samples, "sampler_gap")
    late = average_by_draw(select_settled(rows, "sampler_gap"), "sampler_gap")
    if late is None or len(rows) < 2 * FEWEST_ROWS:
        return CannotTell(("sampler_gap",), f"fewer than {2 * FEWEST_ROWS} rows with two log-probabilities")
    if late.mean - LIKELY * late.error <= limit:
        return None
    parts = split(rows, "sampler_gap")
    shift = None if parts is None else parts.shift("sampler_gap")
    rose = shift is not None and shift.rose
    since = f", {shift.before:.2g} at the start" if shift is not None and rose else ""
    return Finding(
        message=f"The log-probabilities of sampler and trainer differ by {late.mean:.2g} a token on average (limit "
        f"{limit:g}{since}): importance ratios are far from 1, so the samples are off-policy or one side is wrong.",
        onset=find_onset(rows, "sampler_gap", shift) if shift is not None and rose else None,
        confidence=HIGH if late.mean > 2 * limit else MEDIUM,
        evidence=(Evidence(metric="sampler_gap", value=late.mean, limit=limit),),
    )
