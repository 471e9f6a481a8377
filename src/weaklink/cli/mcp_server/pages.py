"""The pages of rules and topics, as a tool and as resources."""

from __future__ import annotations

from typing import Annotated

from mcp.server.mcpserver import Context
from mcp.server.mcpserver.exceptions import ResourceNotFoundError
from pydantic import Field

from weaklink.base.errors import UnknownRule
from weaklink.cli.mcp_server.results import ExplainResult
from weaklink.cli.mcp_server.work import carry_out


async def explain(
    context: Context,
    name: Annotated[str, Field(description="A code or name such as POL301; or metrics, probes, symptoms.")],
) -> ExplainResult:
    """The page of a rule: what it sees, why it is bad, what to do, how to prove it, when it is wrong."""
    return await carry_out(lambda progress: {"name": name, "page": write_page(name)}, context, alone=False)


def write_page(name: str) -> str:
    """The page of a rule or topic as Markdown."""
    from weaklink.judge.rules._registry import find_rule
    from weaklink.show import pages, topics

    text = topics.find_topic(name)
    if text:
        return text
    rule = find_rule(name)
    return "\n".join(filter(None, (pages.write_markdown(rule), topics.describe_problem(rule.code))))


def list_rules() -> str:
    """Every rule by its code: what it sees, in a line each."""
    from weaklink.judge.rules._registry import load_rules

    return "".join(f"- {rule.code} {rule.name}: {rule.summary}\n" for rule in load_rules().values())


def read_page(name: str) -> str:
    """The page of a rule or of a topic: weaklink://pages/POL301, weaklink://pages/symptoms."""
    try:
        return write_page(name)
    except UnknownRule as error:
        raise ResourceNotFoundError(str(error)) from None


def read_skill() -> str:
    """How a coding agent uses weaklink well: SKILL.md."""
    from weaklink.cli.skill import find_skill_file

    return find_skill_file().read_text(encoding="utf-8")
