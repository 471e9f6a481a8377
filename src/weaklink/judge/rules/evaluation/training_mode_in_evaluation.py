from __future__ import annotations

from weaklink.base.evidence.model import ModelCheck
from weaklink.judge.rules.writing import HIGH, MEDIUM, Answer, CannotTell, Evidence, Finding, Level, Link, rule

MOST_NAMED = 4  # layers that a message names


@rule(
    "EVA110",
    link=Link.EVALUATION,
    level=Level.ERROR,
    on=ModelCheck,
    needs=("modes",),
    leads_to=("SYS110", "EVA303"),
)
def training_mode_in_evaluation(check: ModelCheck, *, gap: float = 1e-4) -> Answer:
    """A model that predicts its best action is still in training mode.

    ## What it sees
    Two deterministic calls with the same observations give different outputs. Or layers that behave differently in
    training (dropout, batch normalisation) are still in training mode when the model predicts.

    ## Why it is bad
    Dropout at evaluation plays a random subnetwork at each step. Batch normalisation in training mode makes an action
    depend on the rest of the batch, and updates its statistics during evaluation. In PPO the same breaks the ratio: the
    data come from another policy than the one that is updated.

    ## What to do
    1. Call `policy.eval()` (SB3: `set_training_mode(False)`) before predicting and `train()` before updating.
    2. Write `F.dropout(x, training=self.training)` or, better, use the module `nn.Dropout`.
    3. Do not override `train()` or `eval()` in a way that skips inner modules.
    4. In reinforcement learning avoid dropout, and use layer normalisation instead of batch normalisation.

    ## How to prove it
    Call `predict(observation, deterministic=True)` twice: the actions and the logits behind them must be equal.

    ## When it is wrong
    A policy that plans by sampling differs between calls by design.

    ## References
    PyTorch documentation, Module.eval; Stable-Baselines3 documentation, custom policies; practice.
    """
    modes = check.modes
    if modes is None:
        return CannotTell(("modes",))
    names = ", ".join(modes.active[:MOST_NAMED])
    if modes.repeat_gap > gap:
        cause = f"; in training mode: {names}" if names else ""
        return Finding(
            message=f"Two deterministic calls differ by {modes.repeat_gap:.2g} times the size of the outputs{cause}.",
            confidence=HIGH,
            evidence=(Evidence(metric="repeat difference", value=modes.repeat_gap, limit=gap),),
        )
    if modes.active and modes.training_gap != 0.0:
        return Finding(
            message=f"{len(modes.active)} layers are in training mode when the model predicts: {names}.",
            level=Level.WARN,
            confidence=MEDIUM,
            evidence=(Evidence(metric="layers in training mode", value=float(len(modes.active)), limit=0.0),),
        )
    return None
