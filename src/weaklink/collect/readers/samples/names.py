"""What other tools call the fields of a sample."""

from __future__ import annotations

TEXTS: dict[str, tuple[str, ...]] = {
    "id": ("sample_id", "uuid", "request_id", "completion_id", "traj_id", "trajectory_id"),
    "group": ("group_id", "group_index", "prompt_id", "prompt_uid", "uid", "question_id", "problem_id", "task_id"),
    "split": ("dataset_split", "mode"),
    "prompt_kind": ("prompt_type", "category", "kind", "data_source", "risk"),
    "answer": (
        "gts", "gt", "ground_truth", "reference_answer", "target", "solution", "label", "labels", "expected_answer",
    ),
    "finish_reason": ("stop_reason", "finish", "termination"),
}  # fmt: skip
"""Our fields of text, and the names that other tools give them."""

NUMBERS: dict[str, tuple[str, ...]] = {
    "step": ("global_step", "global_steps", "training_step", "train_step", "iteration", "rollout_step"),
    "policy_version": ("weight_version", "model_version", "param_version", "policy_step"),
    "difficulty": (),
    "gold": (
        "acc", "accuracy", "correct", "is_correct", "gold_score", "gold_reward", "true_reward", "true_score", "outcome",
    ),
    "human_score": ("human", "human_rating", "human_reward", "human_preference", "audit_score"),
    "success": ("is_success", "solved", "resolved", "passed", "task_success", "succeeded"),
    "unsafe": ("is_unsafe", "harmful", "is_harmful", "unsafe_completion"),
    "response_len": (
        "response_length", "completion_length", "completion_tokens", "num_tokens", "n_tokens", "output_tokens",
        "output_len", "output_length", "response_tokens",
    ),
    "max_tokens": ("max_new_tokens", "max_completion_length", "max_response_length", "max_output_tokens"),
    "entropy": ("mean_entropy", "token_entropy"),
    "kl": ("kl_divergence", "kl_div", "ref_kl", "kl_reference"),
    "advantage": ("advantages",),
    "cost": ("total_cost", "price", "usd", "latency", "seconds"),
    "chosen_score": ("score_chosen", "chosen_rating", "chosen_reward"),
    "rejected_score": ("score_rejected", "rejected_rating", "rejected_reward"),
}  # fmt: skip
"""Our fields of numbers. `reward` has names of its own below, since it may hold its components."""

OTHERS: dict[str, tuple[str, ...]] = {
    "completion": (
        "output", "response", "completions", "generation", "generated_text", "solution_str", "model_output",
        "prediction", "responses", "output_text", "text",
    ),
    "prompt": ("input", "question", "query", "instruction", "problem", "prompts", "input_text", "task"),
    "reward": ("score", "rewards_total", "total_reward", "reward_score", "scores", "return"),
    "rewards": ("reward_components", "reward_breakdown", "components", "reward_parts", "sub_rewards", "reward_dict"),
    "messages": ("conversation", "conversations", "chat", "dialogue"),
    "steps": ("trajectory", "actions", "trace", "turns"),
    "allowed_tools": ("tools", "available_tools"),
    "initial_state": ("start_state", "state_before"),
    "final_state": ("end_state", "state_after"),
    "expected_state": ("goal_state", "target_state"),
    "chosen": ("preferred", "chosen_response", "response_chosen"),
    "rejected": ("dispreferred", "rejected_response", "response_rejected"),
    "truncated": ("is_truncated", "cut_off"),
}  # fmt: skip
"""Our fields that come in more than one form: text or chat messages, a number or its components, any state."""

FIELDS: dict[str, str] = {
    name: field
    for table in (TEXTS, NUMBERS, OTHERS)
    for field, others in table.items()
    for name in (*others, field)  # our own name last: it is never another field's
}
"""Every name that is known, and the field it gives."""

BODIES = ("completion", "messages", "steps", "chosen")
"""A row is a sample where it has one of these."""

LISTS = ("samples", "rows", "data", "completions", "results", "trajectories", "rollouts", "train")
"""Where a JSON file is one object, the member of it that lists the samples."""


def find_component(name: str) -> str | None:
    """The reward component that a column holds by its name, such as `format` for `reward/format` or `format_reward`."""
    for prefix in ("rewards/", "reward/", "rewards.", "reward.", "reward_", "rewards_"):
        if name.startswith(prefix):
            return name.removeprefix(prefix).removesuffix("/mean") or None
    for suffix in ("_reward", "_reward_func", "_reward_fn", "_rewards"):
        if name.endswith(suffix):
            return name.removesuffix(suffix) or None
    return None
