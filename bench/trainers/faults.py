"""The faults that can be planted: which trainers take them, which link they break, and what the code then does.

Numbers starting with W are of this bench alone; the others are those of published lists of faults. An id may have two
rows where trainers differ in whether a fault can be seen from outside.
"""

from dataclasses import dataclass

PPO, CONTINUOUS, DQN, SAC, RECURRENT = "ppo", "ppo_continuous", "dqn", "sac", "recurrent_ppo"
ON_POLICY = (PPO, CONTINUOUS, RECURRENT)
PLAIN_PPO = (PPO, CONTINUOUS)
REPLAYED = (DQN, SAC)
ALL = (*ON_POLICY, *REPLAYED)


@dataclass(frozen=True)
class Fault:
    """One planted fault. `also` are links that an honest diagnosis may name first as well."""

    id: str
    trainers: tuple[str, ...]
    component: str
    change: str
    also: tuple[str, ...] = ()
    invisible: bool = False
    reason: str = ""


FAULTS = (
    Fault("E01", ALL, "environment", "the end of an episode never reaches the learner", ("returns", "data", "value")),
    Fault("E02", ALL, "environment", "a time limit is stored as a terminal", ("returns", "data", "value")),
    Fault("E04", ALL, "environment", "the reset takes a step of its own, which is stored", ("data",)),
    Fault(
        "E06", ALL, "environment", "the agent goes on acting on an episode's first observation", ("observation", "data")
    ),
    Fault("E10", ALL, "environment", "three outcomes in ten belong to other transitions", ("data", "reward")),
    Fault("R01", ALL, "reward", "the reward has the wrong sign"),
    Fault("R03", ALL, "reward", "the reward of the step before is stored", ("data",)),
    Fault("R04", ALL, "reward", "rewards are clipped to -1 and 1"),
    Fault("R06", ALL, "reward", "rewards are a thousand times as large"),
    Fault("O01", ALL, "observation", "stored observations are the array that the next step writes into", ("data",)),
    Fault("O05", ALL, "observation", "the last half of the observation is dropped", ("value",)),
    Fault("A01", (DQN,), "action", "the largest value is taken for the action, not its place", ("policy",)),
    Fault("A02", (PPO, RECURRENT), "action", "a softmax before the distribution that makes its own", ("policy",)),
    Fault("A02", (DQN,), "action", "a rectifier on the action values", ("value",)),
    Fault(
        "A03",
        (CONTINUOUS,),
        "action",
        "the clipped action is stored, with the log-probability of the drawn one",
        invisible=True,
        reason="targets inside the bounds draw the spread in, and then nothing is clipped",
    ),
    Fault("A04", (SAC,), "action", "the change of variables of tanh is missing in the log-probability", ("policy",)),
    Fault("A05", (CONTINUOUS, SAC), "action", "actions are not rescaled to the bounds"),
    Fault("A09", ON_POLICY, "action", "the most probable action is played while collecting", ("exploration", "policy")),
    Fault("B06", ON_POLICY, "data", "the minibatch index is not applied to the advantages", ("policy",)),
    Fault("G01", ON_POLICY, "returns", "returns are summed up without reversing time"),
    Fault("G02", ALL, "returns", "the discount is not used in the target"),
    Fault("G03", ALL, "returns", "a discount of one half, whatever was asked for"),
    Fault("G04", ON_POLICY, "returns", "the recursion of advantages is not cut at the end of an episode"),
    Fault("G07", ON_POLICY, "returns", "the value target is the advantage", ("value",)),
    Fault("G09", ON_POLICY, "returns", "advantages have the wrong sign", ("policy",)),
    Fault("V02", ALL, "value", "the target takes in the value of the state itself, not of the next", ("returns",)),
    Fault("V03", ALL, "value", "(batch, 1) against (batch,): every value against every target"),
    Fault("V04", (DQN,), "value", "the target is gamma * (reward - best value)", ("returns",)),
    Fault(
        "V10", ALL, "value", "the mask is inverted: only terminals take in the next value", ("returns", "environment")
    ),
    Fault("L01", (*ON_POLICY, SAC), "policy", "the policy's loss has the wrong sign"),
    Fault("L10", (SAC,), "policy", "the policy's loss also steps the critics", ("value",)),
    Fault("T02", ALL, "optimizer", "the optimizer holds the parameters of a copy", ("policy", "value")),
    Fault(
        "N03",
        PLAIN_PPO,
        "value",
        "a detour through numpy in the forward pass cuts the gradient",
        ("optimizer", "policy"),
    ),
    Fault(
        "N03",
        (RECURRENT, *REPLAYED),
        "value",
        "a detour through numpy in the forward pass cuts the gradient",
        ("optimizer", "policy"),
        invisible=True,
        reason="the layers behind it alone fit a few states from random features",
    ),
    Fault("X01", (DQN,), "exploration", "no random actions"),
    Fault("K02", REPLAYED, "value", "the target network is never updated", ("returns",)),
    Fault("H01", (RECURRENT,), "data", "the state is not forgotten when an episode starts", ("policy", "environment")),
    Fault("H04", (RECURRENT,), "data", "the steps of a sequence are shuffled", ("policy", "value")),
    Fault("L05", ON_POLICY, "exploration", "an entropy bonus that outweighs everything", ("policy",)),
    Fault("L07", (SAC,), "policy", "the wanted entropy has the wrong sign", ("exploration",)),
    Fault("T03", ALL, "optimizer", "learning rates a hundred times as large", ("value",)),
    Fault(
        "V09",
        (SAC,),
        "value",
        "the larger of the two critics in the target",
        invisible=True,
        reason="two critics agree on problems this small",
    ),
    Fault("Z01", (CONTINUOUS,), "evaluation", "plays with fresh statistics of observations", ("observation",)),
    Fault("Q02", ALL, "evaluation", "plays at random after training", ("policy", "exploration")),
    Fault("W01", ON_POLICY, "environment", "the same environment in every place of the vector", ("data",)),
    Fault(
        "W02",
        ALL,
        "data",
        "the outcome stored at an end is the next episode's start",
        ("environment", "returns"),
        invisible=True,
        reason="shows only where a time limit cuts off at a state that is worth other than the start",
    ),
    Fault("W03", ALL, "action", "the action carried out is not the one that was drawn", ("policy",)),
    Fault("W04", ALL, "reward", "the sign of the reward is lost"),
    Fault("W05", ON_POLICY, "data", "each member gets its neighbour's reward", ("reward",)),
    Fault("W06", ON_POLICY, "data", "each member gets its neighbour's ends of episodes", ("environment",)),
    Fault("W07", ALL, "returns", "discounted twice a step"),
    Fault("W08", ON_POLICY, "returns", "discount and lambda change places"),
    Fault("W09", ON_POLICY, "returns", "nothing is taken in from beyond the end of the rollout"),
    Fault(
        "W10", ON_POLICY, "returns", "the recursion of lambda-returns runs on into the next episode", ("environment",)
    ),
    Fault("W11", REPLAYED, "data", "rewards are looked up one place too early", ("reward",)),
    Fault("W12", REPLAYED, "data", "actions are drawn with an index of their own", ("action",)),
    Fault("W13", REPLAYED, "data", "the next observation is looked up one place too late"),
    Fault("W14", REPLAYED, "data", "only the first few transitions are ever replayed", ("exploration",)),
    Fault("W15", ALL, "value", "a tanh behind the value: nothing beyond -1 and 1"),
    Fault(
        "W16",
        (PPO, CONTINUOUS, RECURRENT),
        "policy",
        "the policy's output is cut off from the gradient",
        ("optimizer",),
    ),
    Fault(
        "W17", (CONTINUOUS,), "exploration", "nearly no spread of the actions, and never any more", ("policy", "action")
    ),
    Fault("W18", (CONTINUOUS,), "policy", "the log-probability takes the spread for a variance", ("action",)),
    Fault("W19", (SAC,), "policy", "the draw is cut off from the gradient", ("action",)),
    Fault("W20", ON_POLICY, "data", "rewards reshaped where they should be transposed", ("reward",)),
    Fault("W21", PLAIN_PPO, "optimizer", "the optimizer holds the parameters of a copy of the critic", ("value",)),
    Fault("W22", ALL, "optimizer", "the learning rate reaches nothing after a hundredth of the run", ("value",)),
    Fault("W23", PLAIN_PPO, "data", "observations flattened member by member, all else step by step", ("observation",)),
    Fault("W24", ON_POLICY, "policy", "the log-probability is that of a fresh draw", ("data",)),
    Fault("W25", PLAIN_PPO, "policy", "the critic is reached by the policy's loss", ("value",)),
    Fault("W26", ON_POLICY, "policy", "log-probabilities are summed over the batch before the ratio"),
    Fault("W27", ON_POLICY, "policy", "the ratio is upside down"),
    Fault("W28", ON_POLICY, "policy", "the advantage has no part in the policy's loss"),
    Fault("W29", ON_POLICY, "value", "the value loss has no weight", ("optimizer",)),
    Fault("W30", ALL, "evaluation", "plays with the weights from before training", ("policy",)),
    Fault("W31", (PPO, RECURRENT, SAC), "exploration", "spread is punished instead of rewarded", ("policy",)),
    Fault(
        "W31",
        (CONTINUOUS,),
        "exploration",
        "spread is punished instead of rewarded",
        ("policy",),
        invisible=True,
        reason="an observed target is found before the spread is gone",
    ),
    Fault("W32", ALL, "optimizer", "gradients are computed and never used", ("value",)),
    Fault(
        "W33", (RECURRENT,), "evaluation", "every observation is met without a memory when playing", ("data", "policy")
    ),
    Fault("W34", (RECURRENT,), "data", "the memory is emptied one step late in training", ("policy",)),
    Fault("W35", (RECURRENT,), "data", "every step is learned as if it were the first", ("policy",)),
    Fault("W36", (RECURRENT,), "policy", "no gradient through time", ("data",)),
    Fault("W37", (DQN,), "value", "the best value is taken over the whole batch", ("returns",)),
    Fault("W38", (DQN,), "value", "the worst action is assumed to follow", ("returns",)),
    Fault("W39", (DQN,), "value", "every action learns what one of them led to", ("action",)),
    Fault("W40", REPLAYED, "value", "the target network is copied the wrong way round", ("optimizer",)),
    Fault(
        "W41",
        (SAC,),
        "value",
        "entropy is taken off the target instead of added",
        ("returns",),
        invisible=True,
        reason="the temperature is nearly nothing by the time the values have settled",
    ),
    Fault("W42", (SAC,), "policy", "the temperature moves away from the wanted entropy", ("exploration",)),
)
