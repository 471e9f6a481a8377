"""Real modules of TorchRL: healthy ones raise nothing, and planted faults are told by the right rule."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
import pytest
import torch
from tensordict.nn import NormalParamExtractor, TensorDictModule, TensorDictSequential
from torch import nn
from torchrl.data import OneHot
from torchrl.envs import Compose, GymEnv, ObservationNorm, TransformedEnv
from torchrl.modules import (
    MLP,
    LSTMModule,
    OneHotCategorical,
    ProbabilisticActor,
    QValueActor,
    TanhNormal,
    ValueOperator,
)
from torchrl.objectives import ClipPPOLoss, DDPGLoss, DQNLoss, SACLoss, TD3Loss

from weaklink.adapters.models import examined
from weaklink.adapters.torchrl.model import TorchRLModel
from weaklink.base.errors import UsageError
from weaklink.base.evidence.model import GIVEN, SAMPLED, ModelCheck
from weaklink.base.finding import Finding, Level
from weaklink.judge.rules._registry import load_rules

RULES = [rule for rule in load_rules().values() if rule.on is ModelCheck]
ROWS = np.random.default_rng(0).normal(size=(100, 3))


@pytest.fixture(autouse=True, scope="module")
def _one_thread():
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


def found(check: ModelCheck, least: Level = Level.WARN) -> dict[str, str]:
    told: dict[str, str] = {}
    for rule in RULES:
        answer = rule.ask(check)
        for finding in answer if isinstance(answer, tuple) else (answer,):
            if isinstance(finding, Finding) and finding.severity >= least:
                told[rule.code] = finding.message
    return told


class Trunk(nn.Module):
    """A first layer, healthy or in some trouble."""

    def __init__(self, trouble: str = "") -> None:
        super().__init__()
        self.layer, self.trouble = nn.Linear(3, 8), trouble
        if trouble == "frozen":
            self.layer.requires_grad_(False)

    def forward(self, seen: torch.Tensor) -> torch.Tensor:
        features = torch.tanh(self.layer(seen))
        if self.trouble == "detached":
            return features.detach()
        if self.trouble == "deaf":
            return 0 * features + 1.0
        return nn.functional.dropout(features) if self.trouble == "dropout" else features


def gaussian(trouble: str = "") -> ProbabilisticActor:
    net = nn.Sequential(Trunk(trouble), nn.Linear(8, 2), NormalParamExtractor())
    return ProbabilisticActor(
        TensorDictModule(net, in_keys=["observation"], out_keys=["loc", "scale"]),
        in_keys=["loc", "scale"],
        distribution_class=TanhNormal,
        return_log_prob=True,
    )


def choosing(*modules: Any) -> ProbabilisticActor:
    layers = modules or (TensorDictModule(Trunk(), in_keys=["observation"], out_keys=["features"]),)
    head = TensorDictModule(nn.Linear(8, 4), in_keys=["features"], out_keys=["logits"])
    return ProbabilisticActor(
        TensorDictSequential(*layers, head),
        in_keys=["logits"],
        distribution_class=OneHotCategorical,
        return_log_prob=True,
    )


def value(trouble: str = "") -> ValueOperator:
    return ValueOperator(nn.Sequential(Trunk(trouble), nn.Linear(8, 1)), in_keys=["observation"])


def action_value() -> ValueOperator:
    net = MLP(in_features=4, out_features=1, num_cells=[8])
    return ValueOperator(net, in_keys=["observation", "action"], out_keys=["state_action_value"])


def steering() -> TensorDictModule:
    return TensorDictModule(
        nn.Sequential(Trunk(), nn.Linear(8, 1), nn.Tanh()), in_keys=["observation"], out_keys=["action"]
    )


def ppo(actor: Any = None, critic: Any = None, rate: float = 1e-3) -> dict[str, Any]:
    actor, critic = actor or gaussian(), critic or value()
    loss = ClipPPOLoss(actor, critic)
    return {
        "actor": actor,
        "critic": critic,
        "loss": loss,
        "optimizer": torch.optim.Adam(loss.parameters(), lr=rate),
    }


def trained_by(loss: Any, actor: Any, critic: Any = None, **given: Any) -> dict[str, Any]:
    made = loss(actor, critic, **given) if critic is not None else loss(actor, **given)
    optimizer = torch.optim.Adam(made.parameters(), lr=1e-3)
    return {"actor": actor, "critic": critic, "loss": made, "optimizer": optimizer}


class Memory(LSTMModule):
    def __init__(self, trouble: str = "") -> None:
        keys = ["observation", "state_h", "state_c"]
        super().__init__(
            input_size=3, hidden_size=8, in_keys=keys, out_keys=["features", ("next", "state_h"), ("next", "state_c")]
        )
        self.trouble = trouble

    def forward(self, batch: Any) -> Any:
        if self.trouble == "leaking":
            batch = batch.clone()
            batch["is_init"] = torch.zeros_like(batch["is_init"])
        return super().forward(batch)


HEALTHY = {
    "ppo": ppo,
    "ppo discrete": lambda: ppo(choosing()),
    "ppo recurrent": lambda: ppo(choosing(Memory())),
    "sac": lambda: trained_by(SACLoss, gaussian(), action_value(), num_qvalue_nets=2, target_entropy=-1.0),
    "ddpg": lambda: trained_by(DDPGLoss, steering(), action_value(), delay_actor=True, delay_value=True),
    "td3": lambda: trained_by(TD3Loss, steering(), action_value(), bounds=(-1, 1)),
    "dqn": lambda: trained_by(
        DQNLoss,
        QValueActor(MLP(in_features=3, out_features=4, num_cells=[8]), in_keys=["observation"], spec=OneHot(4)),
        action_space="one-hot",
        delay_value=True,
    ),
}


@pytest.mark.parametrize("name", HEALTHY)
def test_a_healthy_model_raises_nothing(name):
    check = examined(HEALTHY[name](), ROWS)
    assert check.faults == ()
    assert check.observations == GIVEN
    for part in ("parameters", "gradients", "sensitivity", "updates", "saved", "modes"):
        assert part in check, f"{part} was not examined: {check.notes}"
    assert found(check, Level.INFO) == {}
    assert all(each.reached and each.changed for each in check.parameters if not each.excused)
    assert (check.memory is not None) == check.recurrent == ("recurrent" in name)


def test_whatever_way_the_parts_are_named():
    parts = ppo()
    as_tuple = tuple(parts.values())
    counts = [len(examined(each, ROWS).parameters) for each in (parts, as_tuple, TorchRLModel(*as_tuple))]
    assert counts == [8, 8, 8]


def test_what_is_missing_is_said_and_nothing_is_made_up():
    check = examined(gaussian())
    assert check.observations == SAMPLED
    assert check.updates is None
    assert check.normalisers is None
    assert {each.in_optimizer for each in check.parameters} == {each.changed for each in check.parameters} == {None}
    assert check.sensitivity.value is None
    assert found(check, Level.INFO) == {}
    for words in ("no environment", "no loss", "no optimizer", "no real observations"):
        assert any(words in note for note in check.notes)


def test_all_parts_come_out_as_they_went_in():
    parts = ppo()
    loss, optimizer = parts["loss"], parts["optimizer"]
    parts["actor"].eval()
    weights, state, generator = copy.deepcopy(dict(loss.state_dict())), optimizer.state_dict(), torch.get_rng_state()
    attributes, modes = set(vars(loss)), [module.training for module in loss.modules()]
    examined(parts, ROWS)
    torch.testing.assert_close(dict(loss.state_dict()), weights, rtol=0, atol=0)
    assert optimizer.state_dict() == state
    assert not optimizer.state
    assert all(each.grad is None for each in loss.parameters())
    assert set(vars(loss)) == attributes
    assert loss._value_estimator is None
    assert [module.training for module in loss.modules()] == modes
    assert torch.equal(torch.get_rng_state(), generator)


@pytest.mark.parametrize("whole", [True, False], ids=["with its loss", "alone"])
def test_a_detached_trunk(whole):
    actor = gaussian("detached")
    told = found(examined(ppo(actor) if whole else actor, ROWS))
    assert set(told) == {"OPT110"}
    assert "get no gradient" in told["OPT110"]


def test_a_frozen_trunk_is_only_mentioned():
    check = examined(ppo(gaussian("frozen")), ROWS)
    assert found(check) == {}
    assert "frozen" in found(check, Level.INFO)["OPT110"]


def test_an_optimizer_that_holds_the_networks_from_before_the_loss():
    actor, critic = gaussian(), action_value()
    parts = trained_by(SACLoss, actor, critic, num_qvalue_nets=2, target_entropy=-1.0)
    held = [*actor.parameters(), *critic.parameters(), parts["loss"].log_alpha]
    told = found(examined(parts | {"optimizer": torch.optim.Adam(held)}, ROWS))
    assert set(told) == {"OPT110"}
    assert "no optimizer holds them: qvalue_network_params" in told["OPT110"]


def test_several_optimizers_are_all_asked():
    parts = ppo()
    halves = {name: torch.optim.Adam(parts[name].parameters()) for name in ("actor", "critic")}
    assert found(examined(parts | {"optimizer": halves}, ROWS)) == {}
    assert found(examined(parts | {"optimizer": tuple(halves.values())}, ROWS)) == {}
    assert set(found(examined(parts | {"optimizer": halves["actor"]}, ROWS))) == {"OPT110"}


def test_a_learning_rate_of_zero():
    assert set(found(examined(ppo(rate=0.0), ROWS))) == {"OPT111"}


def test_a_policy_or_a_critic_that_ignores_the_observation():
    assert "The output of the policy" in found(examined(ppo(gaussian("deaf")), ROWS))["OBS120"]
    assert "The value of the critic" in found(examined(ppo(critic=value("deaf")), ROWS))["OBS120"]


def test_dropout_that_is_always_on():
    assert set(found(examined(ppo(gaussian("dropout")), ROWS))) == {"EVA110"}


def test_a_memory_that_is_never_wiped():
    assert set(found(examined(ppo(choosing(Memory("leaking"))), ROWS))) == {"DAT110"}


def test_weights_that_are_not_numbers():
    actor = gaussian()
    with torch.no_grad():
        next(actor.parameters()).fill_(float("nan"))
    assert set(found(examined(ppo(actor), ROWS))) == {"OPT112"}


class Forgetful(Trunk):
    def state_dict(self, *args: Any, **options: Any) -> Any:
        whole = super().state_dict(*args, **options)
        for key in [key for key in whole if key.endswith("layer.bias")]:
            del whole[key]
        return whole

    def _load_from_state_dict(self, state: Any, prefix: str, *rest: Any) -> None:
        state.setdefault(f"{prefix}layer.bias", torch.zeros(8))
        super()._load_from_state_dict(state, prefix, *rest)


def test_weights_that_no_file_holds():
    actor = steering()
    actor.module[0] = Forgetful()
    told = found(examined(actor, ROWS))
    assert set(told) == {"SYS110"}
    assert "layer.bias" in told["SYS110"]


def test_the_environment_gives_specs_and_normalisers_and_is_never_stepped():
    env = TransformedEnv(GymEnv("Pendulum-v1"), Compose(ObservationNorm(in_keys=["observation"])))
    stepped = env.base_env._env.unwrapped
    before = getattr(stepped, "state", None)
    check = examined(ppo() | {"env": env})
    assert check.observations == SAMPLED
    assert set(found(check)) == {"OBS121"}
    assert getattr(stepped, "state", None) is before
    ready = TransformedEnv(GymEnv("Pendulum-v1"), ObservationNorm(0.0, 1.0, in_keys=["observation"]))
    assert found(examined(ppo() | {"env": ready}, ROWS)) == {}
    env.close()
    ready.close()


def test_a_loss_that_needs_more_than_a_stand_in_has_is_not_called_broken():
    parts = trained_by(SACLoss, gaussian(), action_value(), num_qvalue_nets=2)  # its entropy target needs a spec
    check = examined(parts, ROWS)
    assert [fault.stage for fault in check.faults] == ["updates"]
    assert found(check) == {}


@pytest.mark.parametrize("thing", [{"actor": gaussian(), "net": 1}, (gaussian(), None, None, None, None, 1)])
def test_a_bundle_of_other_parts_is_said(thing):
    with pytest.raises(UsageError, match="TorchRL model as a"):
        examined(thing)
