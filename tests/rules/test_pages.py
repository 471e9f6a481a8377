from __future__ import annotations

import re

from tests.looping import loop_over
from weaklink.base.loop import FAMILIES
from weaklink.cli import app
from weaklink.judge.rules._registry import Rule, load_rules

COMMANDS = {command.name or command.callback.__name__ for command in app.registered_commands}


@loop_over(rule=load_rules().values())
def test_a_page_names_only_commands_that_exist(rule: Rule):
    named = set(re.findall(r"`weaklink ([a-z-]+)", rule.judge.__doc__ or ""))
    assert named <= COMMANDS


@loop_over(rule=load_rules().values())
def test_a_rule_blames_the_link_of_its_family(rule: Rule):
    assert FAMILIES[rule.code[:3]] in (rule.link, None)


@loop_over(rule=load_rules().values())
def test_what_a_rule_leads_to_is_a_rule_and_not_itself(rule: Rule):
    assert set(rule.leads_to) <= set(load_rules()) - {rule.code}
