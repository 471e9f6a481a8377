from __future__ import annotations

from weaklink.base.evidence.model import ModelCheck
from weaklink.judge.rules.writing import HIGH, MEDIUM, Answer, CannotTell, Evidence, Finding, Level, Link, rule

# so many weights are named; the message stays one line
MOST_NAMED = 4


@rule(
    "SYS110",
    link=Link.SYSTEM,
    level=Level.ERROR,
    on=ModelCheck,
    needs=("saved",),
    leads_to=("EVA303",),
    checks={"saving and loading": "decides"},
)
def save_load_difference(check: ModelCheck, *, gap: float = 1e-4) -> Answer:
    """A model that is saved and loaded again is not the same model.

    ## What it sees
    A copy was saved to a temporary folder and loaded again by its class. Saving or loading raised an error, or the
    loaded model gives other outputs for the same observations, or some of its weights differ.

    ## Why it is bad
    The result of a long training is lost or damaged silently. An evaluation of the checkpoint measures another policy
    than the one that was trained.

    ## What to do
    1. Register what must be saved: `nn.Parameter` for learned tensors, `register_buffer` for running statistics. Plain
       attributes are not saved.
    2. Pass the network architecture through `policy_kwargs`, so that loading builds the same network.
    3. Keep lambdas, open files and environments out of the model's attributes, or exclude them from saving.

    ## How to prove it
    Save, load, and compare the outputs of both for one fixed batch of observations: they must be equal to the last
    digit.

    ## When it is wrong
    Models are loaded without custom objects here. A model that needs them can fail this check and still be fine.

    ## References
    PyTorch documentation, saving and loading models; Stable-Baselines3 issue #1233.
    """
    saved = check.saved
    if saved is None:
        return CannotTell(("saved",))
    if saved.error:
        return Finding(
            message=f"Saving and loading the model raised {saved.error.rstrip('.')}.",
            confidence=MEDIUM,
            evidence=(Evidence(metric="loaded", value=0.0, limit=1.0),),
        )
    if check.modes is not None and check.modes.repeat_gap > gap:
        return CannotTell(("saved",), "two calls of the same model already differ")
    off = max(saved.policy_gap, saved.value_gap or 0.0)
    names = ", ".join(saved.differing[:MOST_NAMED])
    lost = f"; {names} changed" if names else "; no weight differs, so something that is not saved does"
    if off > gap:
        return Finding(
            message=f"After saving and loading the outputs differ by {off:.2g} of their size{lost}.",
            confidence=HIGH,
            evidence=(Evidence(metric="output difference", value=off, limit=gap),),
        )
    if saved.differing:
        return Finding(
            message=f"After saving and loading {len(saved.differing)} weights or buffers differ: {names}.",
            level=Level.WARN,
            confidence=MEDIUM,
            evidence=(Evidence(metric="weights", value=float(len(saved.differing)), limit=0.0),),
        )
    return None
