"""What other tools call the fields of a sample."""

from __future__ import annotations

import re

TEXTS: dict[str, tuple[str, ...]] = {
    "id": ("sample_id", "uuid", "request_id", "completion_id", "traj_id", "trajectory_id", "episode_id", "rollout_id"),
    "group": (
        "group_id", "group_index", "prompt_id", "prompt_uid", "uid", "question_id", "problem_id", "task_id",
        "prompt_index", "prompt_idx", "group_idx", "group_uid",
    ),
    "split": ("dataset_split", "data_split", "mode", "phase"),
    "prompt_kind": (
        "prompt_type", "category", "prompt_category", "kind", "data_source", "risk", "task_type", "task_kind",
        "domain", "topic", "subject", "dataset", "dataset_name", "subset", "source",
    ),
    "answer": (
        "gts", "gt", "ground_truth", "reference_answer", "target", "solution", "label", "labels", "expected_answer",
        "gold_answer", "correct_answer", "reference", "expected", "expected_output",
        "expected_stdout",
    ),
    "finish_reason": (
        "stop_reason", "finish", "termination", "termination_reason", "end_reason", "done_reason", "stopped_by",
    ),
}  # fmt: skip
"""Our fields of text, and the names that other tools give them."""

NUMBERS: dict[str, tuple[str, ...]] = {
    "step": (
        "global_step", "global_steps", "training_step", "train_step", "iteration", "rollout_step", "trainer_step",
        "optimizer_step", "update", "training_iteration", "gradient_step", "epoch_step",
        "iter", "train_iter", "iter_num", "update_step", "train_iteration",
        "trainer_version", "learner_version", "learner_step",
    ),
    "policy_version": (
        "weight_version", "weights_version", "model_version", "param_version", "policy_step", "checkpoint_step",
        "sampler_version", "rollout_version", "generator_version", "actor_version", "behavior_version",
        "weights_step", "policy_iteration", "rollout_policy_version", "sampling_step",
    ),
    "difficulty": ("difficulty_level", "prompt_difficulty"),
    "gold": (
        "acc", "accuracy", "correct", "is_correct", "gold_score", "gold_reward", "true_reward", "true_score", "outcome",
        "correctness", "answer_correct", "verified", "is_right", "ground_truth_score", "truthful", "is_truthful",
        "factual", "is_factual",
    ),
    "human_score": (
        "human", "human_rating", "human_reward", "human_preference", "audit_score", "human_label", "human_eval",
        "annotator_score", "expert_score", "csat",
    ),
    "success": (
        "is_success", "solved", "resolved", "passed", "task_success", "succeeded", "tests_passed", "task_completed",
        "won",
    ),
    "unsafe": ("is_unsafe", "harmful", "is_harmful", "unsafe_completion", "unsafe_flag", "unsafe_response"),
    "response_len": (
        "response_length", "completion_length", "completion_tokens", "num_tokens", "n_tokens", "output_tokens",
        "output_len", "output_length", "response_tokens", "completion_len", "num_output_tokens", "gen_len",
        "generated_tokens", "token_count",
    ),
    "max_tokens": (
        "max_new_tokens", "max_completion_length", "max_response_length", "max_output_tokens", "max_completion_tokens",
        "generation_max_length", "token_budget",
    ),
    "entropy": ("mean_entropy", "token_entropy"),
    "kl": ("kl_divergence", "kl_div", "ref_kl", "kl_reference", "kl_to_ref", "mean_kl"),
    "advantage": ("advantages", "adv", "advs"),
    "cost": (
        "total_cost", "price", "usd", "cost_usd", "api_cost", "total_tokens", "tokens_used", "tokens_total", "latency",
        "latency_s", "latency_ms", "seconds", "duration", "duration_s", "duration_seconds", "elapsed", "elapsed_s",
        "wall_time", "runtime",
    ),
    "max_turns": ("max_steps", "turn_limit", "step_limit", "max_iterations", "max_num_turns"),
    "call_count": ("num_tool_calls", "n_tool_calls", "tool_call_count", "num_calls", "tool_calls_count"),
    "chosen_score": (
        "score_chosen", "chosen_rating", "chosen_reward", "reward_chosen", "rating_chosen", "chosen_rm_score",
        "chosen_quality", "chosen_human_score", "chosen_judge_score",
    ),
    "rejected_score": (
        "score_rejected", "rejected_rating", "rejected_reward", "reward_rejected", "rating_rejected",
        "rejected_rm_score", "rejected_quality", "rejected_human_score", "rejected_judge_score",
    ),
}  # fmt: skip
"""Our fields of numbers. `reward` has names of its own below, since it may hold its components."""

OTHERS: dict[str, tuple[str, ...]] = {
    "completion": (
        "output", "response", "completions", "generation", "generated_text", "solution_str", "model_output",
        "prediction", "responses", "output_text", "text", "completion_text", "response_text", "model_response",
        "assistant_response", "reply", "decoded_output", "sampled_text", "resps",
    ),
    "prompt": (
        "input", "question", "query", "instruction", "problem", "prompts", "input_text", "task", "prompt_text",
        "user_prompt", "task_description",
    ),
    "reward": (
        "score", "rewards_total", "total_reward", "reward_score", "scores", "return", "reward_total", "final_reward",
        "reward_value", "rm_score", "episode_return", "episode_reward",
    ),
    "rewards": ("reward_components", "reward_breakdown", "components", "reward_parts", "sub_rewards", "reward_dict"),
    "messages": ("conversation", "conversations", "chat", "dialogue", "chat_history", "transcript"),
    "steps": ("trajectory", "actions", "trace", "turns", "tool_calls"),
    "allowed_tools": ("tools", "available_tools"),
    "initial_state": ("start_state", "state_before"),
    "final_state": ("end_state", "state_after"),
    "expected_state": ("goal_state", "target_state"),
    "chosen": ("preferred", "chosen_response", "response_chosen"),
    "rejected": ("dispreferred", "rejected_response", "response_rejected"),
    "truncated": (
        "is_truncated", "was_truncated", "cut_off", "clipped", "is_clipped", "length_capped", "hit_max_length",
        "hit_max_tokens", "hit_length_limit", "reached_max_tokens", "overlong",
    ),
    "safe": ("is_safe", "is_harmless"),
}  # fmt: skip
"""Our fields that come in more than one form: text or chat messages, a number or its components, any state."""

FIELDS: dict[str, str] = {
    name: field
    for table in (TEXTS, NUMBERS, OTHERS)
    for field, others in table.items()
    for name in (*others, field)  # our own name last: it is never another field's
}
"""Every name that is known, and the field it gives."""

TOTALS = (
    "hidden_tests_total", "tests_total", "total_tests", "num_tests", "n_tests", "test_count", "hidden_total",
    "total_hidden", "num_hidden", "n_hidden",
)  # fmt: skip
"""How many tests there are, where a row says how many of them passed."""

NESTED = frozenset(
    ("metadata", "meta", "extra_info", "extra", "extras", "info", "reward_model", "reward_extra_info", "usage", "doc")
)
"""Objects that hold more fields of the row; a field of the row itself comes before one of these."""

BODIES = ("completion", "messages", "steps", "chosen")
"""A row is a sample where it has one of these."""

LISTS = ("samples", "rows", "data", "completions", "results", "trajectories", "rollouts", "train")
"""Where a JSON file is one object, the member of it that lists the samples."""


_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


_PEOPLE = frozenset(("human", "annotator", "annotators", "expert", "rater", "raters", "labeler", "labeller", "crowd"))
_SCORES = frozenset((
    "score", "rating", "grade", "label", "preference", "helpfulness", "quality", "judgement", "judgment", "adequacy",
    "rubric", "ok", "verdict", "approved", "accepted",
))  # fmt: skip
_TRUE = frozenset(("gold", "true", "hidden", "heldout", "oracle", "verified", "private"))
_DONE = frozenset(("success", "passed", "pass", "solved", "score", "accuracy", "correct", "correctness", "outcome"))
_ACHIEVED = frozenset(("success", "succeeded", "solved"))
_WORLDS = frozenset(("env", "environment", "state", "simulator", "oracle", "db", "database"))
_RIGHT = frozenset(("correct", "correctness", "accuracy"))
_RULES = frozenset(("policy", "policies", "rule", "rules", "guideline", "guidelines"))
_KEPT = frozenset(("followed", "respected", "obeyed", "kept", "adhered", "compliant", "compliance"))
_COMPARED = frozenset(
    ("field", "fields", "exact", "execution", "answer", "result", "output", "final", "string", "strict")
)
_WORK = frozenset(("fix", "patch", "answer", "solution", "result", "output", "task", "goal", "proof"))
_CHECKED = frozenset(("verified", "confirmed", "validated"))
_MATCH = frozenset(("match", "matches", "matched"))
_REFERENCES = frozenset(("reference", "gold", "golden", "target", "correct", "true"))
_ANSWERS = frozenset((
    "sql", "query", "answer", "output", "text", "summary", "translation", "solution", "code", "response", "completion",
))  # fmt: skip
_GRADERS = frozenset(("judge", "preference", "rm", "verifier", "grader", "critic", "overall", "final", "total", "task"))
_GRADES = frozenset(("score", "rating", "grade", "judge", "scores"))
_OF_OTHERS = frozenset((
    "user", "prompt", "question", "format", "expected", "predicted", "previous", "num", "count", "reward",
))  # fmt: skip
"""Words of names that say whose score a number is, and whether it is one of the completion."""


def split_words(name: str) -> list[str]:
    """The words of a name, however it is spelled."""
    return _HUMP.sub("_", name.strip()).lower().replace("-", "_").replace(" ", "_").split("_")


def find_field(name: str) -> str | None:
    """The field that a column gives by its name, however it is spelled: `finishReason`, `Finish Reason`.

    A name that nobody knows still says by its words that it holds the outcome: `env_state_correct`,
    `human_helpfulness`, `hidden_tests_passed`.
    """
    words = split_words(name)
    return FIELDS.get(name) or FIELDS.get("_".join(words)) or _find_by_words(words)


def _find_by_words(words: list[str]) -> str | None:
    if _OF_OTHERS.intersection(words) or len(words) < 2:
        return None
    if _PEOPLE.intersection(words) and _SCORES.intersection(words):
        return "human_score"
    if words[-1] == "eval" and _SCORES.intersection(words):
        return "human_score"
    if words[-1] in _RIGHT or (words[0] in _TRUE and words[-1] in _DONE):
        return "gold"
    if words[-1] in _KEPT and _RULES.intersection(words):
        return "gold"
    if words[-1] in _CHECKED and words[0] in _WORK:
        return "gold"
    if words[-1] in _ACHIEVED:
        return "gold" if words[0] in _WORLDS else "success"
    if words[0] in _REFERENCES and words[-1] in _ANSWERS:
        return "answer"
    return "gold" if words[-1] in _MATCH and _COMPARED.intersection(words) else None


def is_of_people(name: str) -> bool:
    """Whether a name says that people gave what a column holds."""
    return not _PEOPLE.isdisjoint(split_words(name))


def is_grade(name: str) -> bool:
    """Whether a name that nobody knows says that it holds what a judge gave: `judge_score`, `llm_judge`."""
    words = split_words(name)
    return words[-1] in _GRADES and not _GRADERS.isdisjoint(words) and not _OF_OTHERS.intersection(words)


TRAINING, EVALUATION = "training", "evaluation"
_SPLITS = {
    TRAINING: re.compile(r"(?:^|[^a-z])(?:train|training|trn)(?:$|[^a-z])"),
    EVALUATION: re.compile(
        r"(?:^|[^a-z])(?:eval|evaluation|test|testing|val|valid|validation|dev|held[-_ ]?out|benchmark)(?:$|[^a-z])"
    ),
}


def find_side(split: str) -> str:
    """Whether a split is trained on or evaluated on, by its name; empty where that does not say."""
    lower = split.lower()
    sides = [side for side, words in _SPLITS.items() if words.search(lower)]
    return sides[0] if len(sides) == 1 else ""


EXTRAS = ("_bonus", "_penalty")
"""What is added to a reward or taken off, and is called so."""


def find_component(name: str) -> str | None:
    """The reward component that a column holds by its name, such as `format` for `reward/format` or `format_reward`."""
    for prefix in ("rewards/", "reward/", "rewards.", "reward.", "reward_", "rewards_"):
        if name.startswith(prefix):
            return name.removeprefix(prefix).removesuffix("/mean") or None
    for suffix in ("_reward", "_reward_func", "_reward_fn", "_rewards", "_bonus", "_penalty"):
        if name.endswith(suffix):
            return name if suffix in EXTRAS else name.removesuffix(suffix) or None
    return None
