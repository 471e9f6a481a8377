"""TorchRL's batches as evidence, and its Trainer watched without a bit of difference."""

from __future__ import annotations

import functools

import gymnasium
import numpy as np
import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("torchrl")

from tensordict.nn import TensorDictModule  # noqa: E402
from torchrl.data import LazyTensorStorage, SamplerWithoutReplacement, TensorDictReplayBuffer  # noqa: E402
from torchrl.envs import GymWrapper  # noqa: E402
from torchrl.modules import MLP, NormalParamExtractor, OneHotCategorical, ProbabilisticActor, TanhNormal, ValueOperator  # noqa: E402
from torchrl.objectives import ClipPPOLoss, SACLoss, SoftUpdate  # noqa: E402
from torchrl.objectives.value import GAE  # noqa: E402

from weaklink.adapters.torchrl import watch as torchrl_watch  # noqa: E402
from weaklink.adapters.torchrl.rollout import of_tensordict  # noqa: E402
from weaklink.base.evidence.rollout import COLLECTED, UPDATED  # noqa: E402
from weaklink.base.reference.advantages import GAE_VARIANTS, gae  # noqa: E402

from .recorded import Recorded  # noqa: E402

pytestmark = pytest.mark.filterwarnings("ignore")
GAMMA, LAMBDA = 0.9, 0.95


@pytest.fixture(autouse=True, scope="module")
def _quick():
    before = torch.get_num_threads(), torch.backends.mkldnn.enabled
    torch.set_num_threads(1)
    torch.backends.mkldnn.enabled = False
    yield
    torch.set_num_threads(before[0])
    torch.backends.mkldnn.enabled = before[1]


def members(count, *, limit=9):
    """Poles that fall, with a time limit that cuts some episodes before they do."""
    make = functools.partial(gymnasium.make, "CartPole-v1", max_episode_steps=limit)
    several = gymnasium.vector.SyncVectorEnv([make] * count, autoreset_mode=gymnasium.vector.AutoresetMode.DISABLED)
    env = GymWrapper(several)
    env.set_seed(0)
    return env


def networks():
    torch.manual_seed(0)
    head = TensorDictModule(MLP(4, 2, num_cells=[16]), in_keys=["observation"], out_keys=["logits"])
    actor = ProbabilisticActor(head, in_keys=["logits"], distribution_class=OneHotCategorical, return_log_prob=True)
    critic = ValueOperator(MLP(4, 1, num_cells=[16]), in_keys=["observation"])
    return actor, critic, ClipPPOLoss(actor, critic)


def collected(env, actor, frames):
    from torchrl.collectors import Collector

    collector = Collector(env, actor, frames_per_batch=frames, total_frames=frames)
    batch = next(iter(collector)).clone()
    collector.shutdown()
    return batch


@functools.cache
def a_batch(count=3):
    actor, critic, loss = networks()
    batch = collected(members(count), actor, 60 * count)
    with torch.no_grad():
        GAE(gamma=GAMMA, lmbda=LAMBDA, value_network=critic)(batch)
    return batch, loss


def recomputed(estimates, way=gae):
    return way(
        estimates.rewards.astype(float),
        estimates.values.astype(float),
        estimates.terminated,
        estimates.truncated,
        estimates.last_value.astype(float),
        estimates.gamma,
        estimates.lam,
        estimates.final_values.astype(float),
    )


@pytest.mark.parametrize("count", [1, 3])
def test_time_comes_first_and_the_recomputed_advantages_are_those_of_torchrl(count):
    batch, loss = a_batch(count)
    rollout = of_tensordict(batch, loss=loss, gamma=GAMMA, lam=LAMBDA, step=180.0, update=1)
    estimates = rollout.estimates
    assert estimates.rewards.shape == (60, count)
    assert estimates.terminated.any() or estimates.truncated.any()
    assert estimates.truncated.any()
    assert np.allclose(recomputed(estimates), estimates.advantages, atol=1e-4)
    assert np.allclose(estimates.values + estimates.advantages, estimates.returns, atol=1e-4)
    assert (rollout.algorithm, rollout.framework, rollout.family) == ("PPO", "torchrl", "on-policy")


def test_the_discount_is_found_in_the_estimator():
    batch, loss = a_batch()
    estimator = GAE(gamma=0.83, lmbda=0.7, value_network=None, average_gae=True)
    estimates = of_tensordict(batch, loss=loss, estimator=estimator).estimates
    assert (estimates.gamma, estimates.lam, estimates.normalised) == (0.83, 0.7, True)


def test_a_planted_fault_shows_in_the_parts():
    batch, loss = a_batch()
    broken = batch.clone()
    broken["next", "done"] = torch.zeros_like(broken["next", "done"])
    broken["next", "terminated"] = torch.zeros_like(broken["next", "terminated"])
    GAE(gamma=GAMMA, lmbda=LAMBDA, value_network=None)(broken)
    planted = batch.clone()
    planted["advantage"] = broken["advantage"]
    estimates = of_tensordict(planted, loss=loss, gamma=GAMMA, lam=LAMBDA).estimates
    assert not np.allclose(recomputed(estimates), estimates.advantages, atol=1e-2)
    ignored = GAE_VARIANTS["done ignored"][0]
    assert np.allclose(recomputed(estimates, ignored), estimates.advantages, atol=1e-4)


def test_the_rules_find_nothing_in_an_honest_batch_and_name_the_planted_fault():
    rule = pytest.importorskip("weaklink.judge.rules.returns.advantage_mismatch").advantage_mismatch
    batch, loss = a_batch()
    honest = of_tensordict(batch, loss=loss, gamma=GAMMA, lam=LAMBDA, update=1)
    assert rule(honest) is None
    planted = batch.clone()
    planted["advantage"] = -planted["advantage"]
    assert rule(of_tensordict(planted, loss=loss, gamma=GAMMA, lam=LAMBDA, update=1)).confidence > 0


def test_fresh_likelihoods_are_the_stored_ones_until_the_policy_moves():
    batch, _ = a_batch()
    actor, _, loss = networks()
    found = of_tensordict(batch, loss=loss)
    assert np.allclose(found.probabilities.stored, found.probabilities.fresh, atol=1e-5)
    assert found.probabilities.clip_range == pytest.approx(0.2)
    assert np.array_equal(of_tensordict(batch, loss=actor).probabilities.fresh, found.probabilities.fresh)
    assert found.spread.largest_entropy == pytest.approx(np.log(2))
    assert (found.spread.entropy <= found.spread.largest_entropy + 1e-6).all()
    with torch.no_grad():
        for weights in loss.actor_network_params.values(True, True):
            weights.add_(0.3)
    moved = of_tensordict(batch, loss=loss)
    assert np.abs(moved.probabilities.fresh - moved.probabilities.stored).max() > 1e-3


def test_asking_changes_neither_batch_nor_generators():
    batch, loss = a_batch()
    before, generator = batch.clone(), torch.get_rng_state()
    of_tensordict(batch, loss=loss)
    assert torch.equal(generator, torch.get_rng_state())
    assert set(before.keys(True)) == set(batch.keys(True))
    assert bool((before == batch).all())


def test_next_observations_are_the_following_ones_except_at_ends():
    batch, loss = a_batch()
    pairing = of_tensordict(batch, loss=loss).pairing
    assert pairing.observations.shape == (60, 3, 4)
    same = (pairing.observations[1:] == pairing.next_observations[:-1]).all(axis=2)
    assert (same | pairing.ended[:-1]).all()
    assert not same[pairing.ended[:-1]].any()


def test_a_flattened_batch_of_one_member_is_in_order_and_a_shuffled_one_is_not():
    batch, loss = a_batch(1)
    flat = batch.reshape(-1)
    assert of_tensordict(flat, loss=loss).estimates is not None
    shuffled = flat[torch.randperm(len(flat), generator=torch.Generator().manual_seed(0))]
    found = of_tensordict(shuffled, loss=loss)
    assert found.estimates is None
    assert found.pairing is None
    assert found.probabilities is not None


def test_shallow_looks_ask_nobody():
    batch, loss = a_batch()
    found = of_tensordict(batch, loss=loss, deep=False)
    assert found.estimates is not None
    assert found.probabilities is None
    assert found.pairing is None


def a_trainer(frames=256):
    from torchrl.collectors import Collector
    from torchrl.trainers.algorithms import PPOTrainer

    actor, _, loss = networks()
    buffer = TensorDictReplayBuffer(storage=LazyTensorStorage(64), sampler=SamplerWithoutReplacement(), batch_size=32)
    return PPOTrainer(
        collector=Collector(members(2), actor, frames_per_batch=64, total_frames=frames),
        total_frames=frames,
        frame_skip=1,
        optim_steps_per_batch=None,
        loss_module=loss,
        optimizer=torch.optim.Adam(loss.parameters(), lr=1e-2),
        num_epochs=2,
        progress_bar=False,
        replay_buffer=buffer,
        enable_logging=False,
        gamma=GAMMA,
        lmbda=LAMBDA,
    )


def weights(trainer):
    return torch.cat([weight.detach().reshape(-1) for weight in trainer.loss_module.parameters()])


@functools.cache
def watched():
    watcher, trainer = Recorded(), a_trainer()
    detach = torchrl_watch.watch(trainer, watcher)
    assert torchrl_watch.watch(trainer, watcher) == detach
    trainer.train()
    return watcher, trainer, detach


def test_a_watched_trainer_trains_the_very_same_weights():
    plain = a_trainer()
    plain.train()
    _, trainer, _ = watched()
    assert torch.equal(weights(plain), weights(trainer))


def test_a_trainer_tells_its_batches_before_and_after():
    watcher, _, _ = watched()
    before = [each for each in watcher.rollouts if each.moment == COLLECTED]
    later = [each for each in watcher.rollouts if each.moment == UPDATED]
    assert [each.update for each in before] == [each.update for each in later] == [1, 2, 3, 4]
    assert [each.step for each in before] == [64.0, 128.0, 192.0, 256.0]
    for rollout in before:
        estimates = rollout.estimates
        assert estimates.rewards.shape == (32, 2)
        assert (estimates.gamma, estimates.lam) == (GAMMA, LAMBDA)
        right = recomputed(estimates)
        if estimates.normalised:
            right = (right - right.mean()) / right.std(ddof=1)
        assert np.allclose(right, estimates.advantages, atol=1e-3)
        assert np.allclose(rollout.probabilities.stored, rollout.probabilities.fresh, atol=1e-5)
    for rollout in later:
        assert np.abs(rollout.probabilities.after - rollout.probabilities.stored).max() > 1e-4
        assert rollout.probabilities.epochs == 2
        assert rollout.movement.optimizer_steps == 4
        assert all(each.changed > 0 for each in rollout.movement.parameters)
        assert rollout.losses


def test_a_trainer_tells_losses_by_their_names_and_episodes():
    watcher, _, _ = watched()
    for name in ("policy.loss", "value.loss", "exploration.entropy", "policy.kl", "optimizer.updates"):
        assert len(watcher.series(name)) == 4
    assert watcher.config["gamma"] == GAMMA
    assert watcher.config["algorithm"] == "ppo"
    assert watcher.episodes
    assert all(total == length <= 9 for _, total, length in watcher.episodes), "every step pays 1"


def test_a_trainer_is_left_as_it_was():
    _, trainer, detach = watched()
    counts = {name: len(held) for name, held in vars(trainer).items() if name.endswith("_ops")}
    detach()
    detach()
    gone = sum(counts.values()) - sum(len(held) for name, held in vars(trainer).items() if name.endswith("_ops"))
    assert gone == 4


def test_a_trainer_stops_and_is_saved_when_it_should(tmp_path):
    watcher, trainer = Recorded(), a_trainer()
    torchrl_watch.watch(trainer, watcher)
    watcher.stop = True
    trainer.train()
    assert trainer.collected_frames == 64
    watcher.saves[0](str(tmp_path / "kept"))
    assert (tmp_path / "kept" / "trainer.pt").is_file()


def test_target_networks_of_a_loss_are_followed():
    torch.manual_seed(0)
    head = TensorDictModule(
        torch.nn.Sequential(MLP(3, 2, num_cells=[8]), NormalParamExtractor()),
        in_keys=["observation"],
        out_keys=["loc", "scale"],
    )
    actor = ProbabilisticActor(head, in_keys=["loc", "scale"], distribution_class=TanhNormal, return_log_prob=True)
    critic = ValueOperator(MLP(4, 1, num_cells=[8]), in_keys=["observation", "action"])
    loss = SACLoss(actor, critic)
    updater = SoftUpdate(loss, tau=0.25)
    (followed,) = torchrl_watch.find_followed(loss, updater)
    followed.look()
    with torch.no_grad():
        for weight in loss.qvalue_network_params.values(True, True):
            weight.add_(0.1)
    updater.step()
    followed.look()
    seen = followed.seen()
    assert seen.rate == pytest.approx(0.25)
    assert not seen.shared
    assert seen.moved[0] == pytest.approx(0.25 * seen.online_moved[0], rel=1e-3)
    assert torchrl_watch.find_followed(networks()[2]) == []
