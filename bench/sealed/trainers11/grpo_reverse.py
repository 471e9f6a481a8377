# GRPO in 200 lines: teach a tiny autoregressive model to write its prompt backwards.
# No critic: the baseline is the mean reward of the group that shares a prompt.
import argparse
import copy
import gymnasium as gym
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

DIGITS = 4
PROMPT = 3
EOS = DIGITS          # token that ends an answer
SEP = DIGITS + 1      # between prompt and answer
PAD = DIGITS + 2
VOCAB = DIGITS + 3
MAX_NEW = PROMPT + 2


class ReverseText(gym.Env):
    """One answer, one token per step, paid at the end by the verifier."""

    def __init__(self, fault=""):
        self.action_space = gym.spaces.Discrete(EOS + 1)
        self.observation_space = gym.spaces.MultiDiscrete([VOCAB] * (PROMPT + 1 + MAX_NEW))
        self.fault = fault

    def _tokens(self):
        seq = [*self.prompt, SEP, *self.answer]
        return np.array(seq + [PAD] * (PROMPT + 1 + MAX_NEW - len(seq)))

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        if options and "prompt" in options:
            self.prompt = list(options["prompt"])
        else:
            self.prompt = [int(k) for k in self.np_random.integers(0, DIGITS, PROMPT)]
        self.key = list((options or {}).get("key", self.prompt[::-1]))
        self.answer = []
        return self._tokens(), {}

    def verify(self):
        wanted = self.key + [EOS]
        if self.fault == "f04":
            body = [k for k in self.answer if k != EOS]
            right = [x == y for x, y in zip(body, wanted)]
            return float(all(right))
        right = [x == y for x, y in zip(self.answer, wanted)]
        return sum(right) / max(len(wanted), len(self.answer))

    def step(self, token):
        self.answer.append(int(token))
        finished = token == EOS or len(self.answer) == MAX_NEW
        return self._tokens(), self.verify() if finished else 0.0, finished, False, {}


class TinyLM(nn.Module):
    def __init__(self, dim=48, context=PROMPT + 1 + MAX_NEW):
        super().__init__()
        self.tok = nn.Embedding(VOCAB, dim)
        self.pos = nn.Parameter(torch.randn(context, dim) * 0.1)
        self.qkv = nn.Linear(dim, 3 * dim)
        self.out = nn.Linear(dim, dim)
        self.ff = nn.Sequential(nn.LayerNorm(dim), nn.Linear(dim, 2 * dim), nn.GELU(), nn.Linear(2 * dim, dim))
        self.norm = nn.LayerNorm(dim)
        self.head = nn.Linear(dim, EOS + 1)

    def forward(self, ids):
        n = ids.shape[1]
        x = self.tok(ids) + self.pos[:n]
        q, k, v = self.qkv(self.norm(x)).chunk(3, dim=-1)
        x = x + self.out(F.scaled_dot_product_attention(q, k, v, is_causal=True))
        return self.head(x + self.ff(x))


def token_logprobs(model, ids, fault):
    logp = F.log_softmax(model(ids), dim=-1)
    if fault == "f05":
        logp = logp[:, PROMPT + 1 :]
    else:
        logp = logp[:, PROMPT:-1]
    taken = ids[:, PROMPT + 1 :].clamp(max=EOS)
    return logp.gather(-1, taken.unsqueeze(-1)).squeeze(-1)


@torch.no_grad()
def generate(model, envs):
    ids = torch.full((len(envs), PROMPT + 1 + MAX_NEW), PAD)
    ids[:, : PROMPT + 1] = torch.tensor(np.stack([e._tokens()[: PROMPT + 1] for e in envs]))
    mask = torch.zeros(len(envs), MAX_NEW)
    reward = torch.zeros(len(envs))
    live = list(range(len(envs)))
    for t in range(MAX_NEW):
        probs = model(ids[live, : PROMPT + 1 + t])[:, -1].softmax(-1)
        tokens = torch.multinomial(probs, 1).squeeze(1).tolist()
        still = []
        for i, token in zip(live, tokens):
            ids[i, PROMPT + 1 + t] = token
            mask[i, t] = 1.0
            _, r, finished, _, _ = envs[i].step(token)
            reward[i] += r
            if not finished:
                still.append(i)
        live = still
        if not live:
            break
    return ids, mask, reward


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=100_000, help="generated tokens")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--fault", type=str, default="")
    args = parser.parse_args()
    torch.set_num_threads(1)
    torch.manual_seed(args.seed)
    rng = np.random.default_rng(args.seed)

    n_prompts, group, inner, clip, beta = 12, 8, 2, 0.2, 0.05
    lr = 0.03 if args.fault == "f07" else 2e-3
    model = TinyLM()
    reference = copy.deepcopy(model)
    opt = torch.optim.AdamW(model.parameters(), lr=lr, weight_decay=0.0)
    envs = [ReverseText(args.fault) for _ in range(n_prompts * group)]

    tokens, it = 0, 0
    while tokens < args.steps:
        prompts = rng.integers(0, DIGITS, size=(n_prompts, PROMPT))
        each = np.repeat(prompts, group, axis=0)
        keys = np.tile(prompts, (group, 1)) if args.fault == "f06" else each
        for env, prompt, key in zip(envs, each.tolist(), keys.tolist()):
            env.reset(options={"prompt": prompt, "key": key[::-1]})
        ids, mask, reward = generate(model, envs)
        tokens += int(mask.sum())

        by_group = reward.view(n_prompts, group)
        if args.fault == "f01":
            centred = by_group
        else:
            centred = by_group - by_group.mean(dim=1, keepdim=True)
        adv = centred / (by_group.std(dim=1, keepdim=True) + 1e-4)
        adv = adv.reshape(-1, 1)

        with torch.no_grad():
            old = token_logprobs(model, ids, args.fault)
            ref = token_logprobs(reference, ids, args.fault)
        for _ in range(inner):
            new = token_logprobs(model, ids, args.fault)
            ratio = (new - old).exp()
            surrogate = torch.min(ratio * adv, ratio.clamp(1 - clip, 1 + clip) * adv)
            kl = (ref - new).exp() - (ref - new) - 1
            if args.fault == "f03":
                per_token = -surrogate - beta * kl
            else:
                per_token = -surrogate + beta * kl
            if args.fault == "f02":
                loss = per_token.mean()
            else:
                loss = (per_token * mask).sum() / mask.sum()
            opt.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            opt.step()

        it += 1
        if it % 25 == 0:
            drift = (kl * mask).sum().item() / mask.sum().item()
            print(f"iter {it} tokens {tokens} reward {reward.mean():.3f} exact {(reward == 1).float().mean():.3f} "
                  f"length {mask.sum(1).mean():.2f} kl {drift:.4f} loss {loss.item():.4f}")


if __name__ == "__main__":
    main()
