"""REINFORCE written by hand: it learns from whole episodes and is tried in another environment, first or in between.

Or it is "scored" there, with a return that is not set back to zero between the episodes, or "rightly scored".
"""

import sys

import gymnasium
import torch

when = sys.argv[1]  # "before" the training begins, "between" collecting and learning, or one of the last two
torch.manual_seed(0)
torch.set_num_threads(1)
apart, env = (gymnasium.make("CartPole-v1", max_episode_steps=60) for _ in range(2))
policy = torch.nn.Linear(4, 2)
optimizer = torch.optim.Adam(policy.parameters(), lr=0.01)
generator = torch.Generator().manual_seed(0)
stepped = 0


def play(place, greedy, seed=None):
    seen, total, over = place.reset(seed=seed)[0], 0, False
    states, actions = [], []
    while not over:
        states.append(torch.as_tensor(seen))
        with torch.no_grad():
            logits = policy(states[-1])
        drawn = logits.argmax() if greedy else torch.multinomial(logits.softmax(-1), 1, generator=generator)[0]
        actions.append(drawn)
        seen, _, terminated, truncated, _ = place.step(int(drawn))
        total, over = total + 1, terminated or truncated
    return torch.stack(states), torch.stack(actions), total


env.reset(seed=0)
if when == "before":
    for seed in range(4):
        play(apart, greedy=True, seed=seed)
for update in range(20):
    episodes = [play(env, greedy=False) for _ in range(3)]
    stepped += sum(total for *_, total in episodes)
    if when == "between":
        play(apart, greedy=True, seed=update)
    if when.endswith("scored") and update % 5 == 4:
        scores, score = [], 0
        for seed in range(3):
            score = play(apart, greedy=True, seed=10 * update + seed)[2] + (score if when == "scored" else 0)
            scores.append(score)
        print(f"update {update} | test return {sum(scores) / 3:.2f}")
    loss = torch.zeros(())
    for states, actions, total in episodes:
        returns = torch.arange(total, 0, -1) / 20.0
        loss = loss - (policy(states).log_softmax(-1)[torch.arange(total), actions] * returns).sum()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(stepped)
