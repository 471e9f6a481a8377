from __future__ import annotations

import numpy as np

from tests.sampled import Training
from weaklink.base.evidence.samples import Sample, Samples
from weaklink.base.finding import CannotTell
from weaklink.collect.readers.samples import make_sample
from weaklink.collect.readers.samples.chat import read_messages
from weaklink.collect.samples.gathering import gather
from weaklink.judge.rules._registry import find_rule

RULE = find_rule("AGT307")
CALL = {"id": "a", "function": {"name": "find", "arguments": "{}"}}


def agent(invents) -> Samples:
    t = Training()
    return t.samples(invented_results=t.chance(np.clip(t.ramp(*invents), 0, 1)))


def sick():
    return [agent((0.0, 0.7)), agent((0.3, 0.3)), agent((0.2, 0.95))]


def healthy():
    t = Training()
    return [
        agent((0.0, 0.0)),
        # quotes a result now and then
        agent((0.02, 0.02)),
        # a log that writes results into the agent's messages
        t.samples(invented_results=np.ones(t.rows)),
        agent((0.6, -0.4)),
    ]


def chat(*answers: str, called: bool = True):
    """A question, a call with its result where there is one, and the agent's answers."""
    messages = [{"role": "user", "content": "Where is it?"}]
    if called:
        messages += [
            {"role": "assistant", "content": "", "tool_calls": [CALL]},
            {"role": "tool", "tool_call_id": "a", "content": "shipped"},
        ]
    return read_messages([*messages, *({"role": "assistant", "content": text} for text in answers)])


def test_results_in_messages_of_the_agent():
    assert chat("Observation: shipped\nIt is on its way.", called=False).invented == 1
    assert chat("<tool_response>shipped</tool_response> It is on its way.").invented == 1
    assert chat("Tool result: shipped.").invented == 1
    assert chat("It is on its way, says the tool.").invented == 0
    # a whole trajectory of ReAct in one message: the log may have put the results there
    assert chat("Action: find\nAction Input: 7\nObservation: shipped\nIt is on its way.").invented == 0
    assert chat("My observation is that it is late.").invented == 0


def test_a_log_that_writes_results_itself_is_not_judged():
    assert isinstance(RULE.ask(healthy()[2]), CannotTell)


def row(step: int, *, invents: bool) -> Sample:
    """A call that stands in the text, with its result in the same message or in one of the tool."""
    call = '<tool_call>{"name": "find", "arguments": {"id": 7}}</tool_call>'
    own = [{"role": "assistant", "content": f"{call}\n<tool_response>shipped</tool_response>\nShipped."}]
    given = [{"role": "assistant", "content": call}, {"role": "tool", "content": "shipped"}]
    return make_sample(
        {"step": step, "messages": [{"role": "user", "content": "Where?"}, *(own if invents else given)]}
    )


def test_a_call_with_its_result_is_invented_where_tools_have_messages_of_their_own():
    mixed = gather((row(step, invents=step > 50) for step in range(100)), "mixed")
    assert mixed["invented_results"].mean() > 0.4
    # a log that writes all results so
    inlined = gather((row(step, invents=True) for step in range(100)), "inlined")
    assert not inlined["invented_results"].any()


def test_results_go_to_calls_that_stand_in_the_text():
    assert [call.result for call in row(0, invents=False).calls] == ["shipped"]
