from __future__ import annotations

from weaklink.base.evidence.outcome import Outcome
from weaklink.judge.rules.probe._broken import broken, wrong_form
from weaklink.judge.rules.writing import Answer, Level, Link, rule


@rule("PRB119", link=Link.OBSERVATION, level=Level.ERROR, on=Outcome, needs=("spaces",))
def spaces(outcome: Outcome) -> Answer:
    """The matching action is not learned in another kind of space.

    ## What it sees
    The matching action once more: observed as an image, observed as a dictionary, with two choices at once, and with
    actions that a mask forbids. The trained agent must take the right action in every state in at least 90 % of the
    queries, never a forbidden one, on nearly every seed.

    ## Why it is bad
    The vector form holds, so learning works. What remains is the input (features of images and dictionaries) and the
    output (several heads and masks).

    ## What to do
    1. An image: are axes in the order that the network expects, is it divided by 255 once and not twice, and do
       gradients reach the convolutions?
    2. A dictionary: do all entries reach the network, under the same names and in the same order each time?
    3. Several choices: log-probabilities and entropies are summed over the choices, and each head is sampled
       separately.
    4. Masks: set forbidden logits to a very low number before the distribution is made, with the mask of the same step
       while collecting and in the update.

    ## How to prove it
    `weaklink probe TRAINER --only spaces` after the change: right in every form.

    ## When it is wrong
    Image networks need more updates than the vector form; a larger `--steps` shows it. A trainer declares what it
    supports with `train.forms`, `train.several` and `train.masks`; one without `forms` is not judged on images and
    dictionaries from which it learns nothing, and the report names them. A mask that comes only in `info` is missed by
    trainers that expect `action_masks()`.

    ## References
    Huang et al., "The 37 Implementation Details of Proximal Policy Optimization", 2022; Huang and Ontañón, "A Closer
    Look at Invalid Action Masking", arXiv 2006.14171; practice.
    """
    form = wrong_form(outcome, "spaces")
    if form.endswith(("MultiDiscrete", "Masked")):
        link, reason, look = Link.ACTION, "the path from the network to the action is broken", _HEADS
    else:
        link, reason, look = Link.OBSERVATION, "an observation of this form does not reach the policy", _FEATURES
    return broken(outcome, "spaces", link, reason, look)


_HEADS = "the heads of several choices (log-probabilities are summed), and the mask of the same step"
_FEATURES = "the features: order of axes, division by 255, entries of the dictionary, gradients into the first layers"
