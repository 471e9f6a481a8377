from __future__ import annotations

from weaklink.base.evidence.samples import Samples
from weaklink.judge.rules._samples import find_onset, split
from weaklink.judge.rules.writing import HIGH, MEDIUM, Answer, CannotTell, Evidence, Finding, Level, Link, rule


@rule(
    "LLM339",
    link=Link.REWARD,
    level=Level.WARN,
    on=Samples,
    needs=("stuffing", "reward"),
    leads_to=("LLM302", "LLM303", "LLM306", "LLM311", "LLM301"),
)
def stuffed_keywords(samples: Samples, *, growth: float = 0.05, multiple: float = 3.0) -> Answer:
    """Completions repeat words of their prompts over and over, and are paid for it.

    ## What it sees
    The share of words that come from the prompt and stood in the completion before rises during training by 0.05 or
    more, to three times what it was and beyond chance, the reward rises too, and no outcome gets better. Words of fewer
    than five letters do not count.

    ## Why it is bad
    A reward that counts keywords pays for each of them again. The texts turn into strings of terms that nobody reads,
    and whoever looks at the reward alone sees progress.

    ## What to do
    1. Count each keyword once, and cap what coverage can earn.
    2. Add a reward for the text as a whole: a judge, or the likelihood under the reference model.
    3. Raise the KL coefficient to the reference policy.

    ## How to prove it
    Score a bare list of the keywords: a sound reward pays little for it.

    ## When it is wrong
    Tasks that grow longer during training and keep to one subject, such as code or contracts, where names recur.

    ## References
    Amodei et al., Concrete Problems in AI Safety, 2016 (rewards that count a proxy).
    """
    parts = split(samples, "stuffing")
    shift = None if parts is None else parts.shift("stuffing")
    reward = None if parts is None else parts.shift("reward")
    if parts is None or shift is None or reward is None:
        return CannotTell(("step or baseline",), "no start to compare with")
    grown = shift.rose and shift.change >= growth and shift.after >= multiple * shift.before
    if not grown or not reward.rose or parts.better:
        return None
    return Finding(
        message=f"{shift.after:.0%} of the words of late completions are keywords of the prompt that are repeated, "
        f"{shift.before:.0%} {parts.where}, while the reward rose from {reward.before:.3g} to {reward.after:.3g}.",
        onset=find_onset(samples, "stuffing", shift),
        confidence=HIGH if shift.change >= 2 * growth else MEDIUM,
        evidence=(Evidence(metric="stuffing", value=shift.after, limit=shift.before + growth),),
    )
