"""A loop written by hand, watched: the example as it is, and with one mistake at a time in it."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

import weaklink
from tests.sparing import spare

torch = pytest.importorskip("torch")
pytest.importorskip("gymnasium")

EXAMPLE = Path(__file__).parents[2] / "examples" / "watch_cleanrl_ppo.py"
torch.set_num_threads(1)
torch.backends.mkldnn.enabled = False


@pytest.fixture
def example():
    """The example as a module of its own, so that what is planted in it stays here."""
    spec = importlib.util.spec_from_file_location("watched_example", EXAMPLE)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def trained(example, folder, *more):
    """Three updates, enough for every check."""
    words = ["--total-timesteps", "768", "--num-steps", "64", "--update-epochs", "4", "--folder", str(folder), *more]
    return example.train(example.parser.parse_args(words))


def found(monitor):
    return {finding.code: finding.message for finding in monitor.alerts}


@pytest.mark.parametrize("seed", spare(range(3), lambda seed: seed == 0))
def test_the_example_as_it_is_is_not_accused(example, tmp_path, seed):
    monitor = trained(example, tmp_path / "run", "--seed", str(seed))
    assert found(monitor) == {}
    diagnosis = weaklink.diagnose(tmp_path / "run")
    assert {"RET201", "RET202", "POL201", "VAL201", "OPT201"} <= set(diagnosis.clean)


def shifted(example, rewards, values, dones, last_value, last_done, args):
    return example.gae(rewards, values, dones.roll(1, 0), last_value, last_done, args)


def ignored(example, rewards, values, dones, last_value, last_done, args):
    return example.gae(rewards, values, torch.zeros_like(dones), last_value, torch.zeros_like(last_done), args)


def without_lambda(example, rewards, values, dones, last_value, last_done, args):
    args = type(args)(**{**vars(args), "gae_lambda": 1.0})
    return example.gae(rewards, values, dones, last_value, last_done, args)


def without_discount(example, rewards, values, dones, last_value, last_done, args):
    args = type(args)(**{**vars(args), "gamma": 1.0})
    return example.gae(rewards, values, dones, last_value, last_done, args)


def turned(example, *inputs):
    return -example.gae(*inputs)


WRONG = {
    shifted: "done mask shifted by one",
    ignored: "done ignored",
    without_lambda: "lambda ignored",
    without_discount: "gamma",
    turned: "sign flipped",
}


# one that shows at the ends alone, and one that shows in all rows
@pytest.mark.parametrize(
    "mistake", spare(WRONG, (ignored, without_lambda).__contains__), ids=lambda mistake: mistake.__name__
)
def test_wrong_advantages_are_named(example, tmp_path, monkeypatch, mistake):
    right = type("Right", (), {"gae": staticmethod(example.gae)})
    monkeypatch.setattr(example, "gae", lambda *inputs: mistake(right, *inputs))
    monitor = trained(example, tmp_path / "run")
    assert WRONG[mistake] in found(monitor)["RET201"]
    diagnosis = weaklink.diagnose(tmp_path / "run")
    # a wrong mask is also seen at the ends alone
    assert diagnosis.first_break.code == ("RET203" if mistake in (shifted, ignored) else "RET201")


def test_a_log_probability_of_something_else_is_found(example, tmp_path, monkeypatch):
    right = example.Agent.get_action_and_value

    def detuned(agent, observations, actions=None):
        chosen, log_probs, entropy, values = right(agent, observations, actions)
        return chosen, log_probs + (0.05 if actions is None else 0.0), entropy, values

    monkeypatch.setattr(example.Agent, "get_action_and_value", detuned)
    assert "POL201" in found(trained(example, tmp_path / "run"))


def test_a_critic_that_no_optimizer_holds_is_found(example, tmp_path, monkeypatch):
    class Half(torch.optim.Adam):
        def __init__(self, parameters, **options):
            super().__init__(list(parameters)[6:], **options)  # the critic's are the first six

    monkeypatch.setattr(example.torch.optim, "Adam", Half)
    assert "critic" in found(trained(example, tmp_path / "run"))["OPT201"]


def test_shapes_that_broadcast_are_found(example, tmp_path, monkeypatch):
    right = example.Agent.get_action_and_value

    def columns(agent, observations, actions=None):
        chosen, log_probs, entropy, values = right(agent, observations, actions)
        return chosen, log_probs, entropy, values if actions is None else values[:, None]

    monkeypatch.setattr(example.Agent, "get_action_and_value", columns)
    with pytest.warns(UserWarning, match="target size"):
        monitor = trained(example, tmp_path / "run")
    assert "(128, 1)" in found(monitor)["VAL201"]


def test_returns_of_other_rows_than_those_handed_over_are_found(example, tmp_path, monkeypatch):
    right = example.update

    def mixed(agent, optimizer, batch, args):
        *others, returns = batch
        return right(agent, optimizer, [*others, returns.roll(1)], args)

    monkeypatch.setattr(example, "update", mixed)
    assert "returns do not belong to its rows" in found(trained(example, tmp_path / "run"))["DAT201"]


def test_stored_observations_are_compared_with_those_that_the_environments_gave(example, tmp_path, monkeypatch):
    right = weaklink.Monitor.rollout

    def after_the_step(monitor, step, **given):
        right(monitor, step, **{**given, "observations": given["observations"].roll(-1, 0)})

    monkeypatch.setattr(weaklink.Monitor, "rollout", after_the_step)
    assert "Stored observations are those after the step" in found(trained(example, tmp_path / "run"))["DAT201"]


def test_a_word_that_is_not_known_is_said_and_the_training_goes_on(tmp_path, capfd):
    with weaklink.Monitor(tmp_path / "run") as monitor:
        monitor.rollout(1, rewards=[1.0], advantage=[1.0])
        monitor.update(1, kl=0.01)
    assert "Did you mean advantages?" in capfd.readouterr().err
    assert "policy.kl" in weaklink.read(tmp_path / "run")
