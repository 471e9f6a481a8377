from __future__ import annotations

from tests.sampled import Training
from weaklink.base.evidence.samples import Sample, ToolCall
from weaklink.collect.samples.contradictions import contradicts_result, passes_over_result


def sick():
    t = Training()
    return [
        t.samples(passes_over_result=t.chance(t.ramp(0.02, 0.6))),
        t.samples(passes_over_result=t.chance(0.5), reference=t.group),
        # the page states it, the answer is another one, and both are paid
        t.samples(contradicts_result=t.chance(0.5), reward=t.share(0.9)),
    ]


def healthy():
    t = Training()
    wrong = t.chance(0.4)
    return [
        t.samples(passes_over_result=t.chance(0.02)),
        # it computes with results all along
        t.samples(passes_over_result=t.chance(0.4)),
        t.samples(passes_over_result=t.chance(0.08), reference=t.group),
        t.samples(passes_over_result=t.chance(t.ramp(0.5, 0.0))),
        # mistakes that are not paid, and few of them
        t.samples(contradicts_result=wrong, reward=1.0 - wrong),
        t.samples(contradicts_result=t.chance(0.1), reward=t.share(0.9)),
    ]


def counted(result: str, *, answer: str = "", prompt: str = "How many .md files are there?") -> Sample:
    return Sample(prompt=prompt, answer=answer, calls=(ToolCall(tool="bash", arguments="find", result=result),))


def test_an_answer_that_is_not_the_result():
    assert passes_over_result(counted("51"), "123")
    assert passes_over_result(counted("51", answer="51"), "123")
    assert passes_over_result(counted("51"), "51") is False
    # rounded, and in per cent
    assert passes_over_result(counted("0.4213"), "42.1") is False


def test_results_that_say_nothing():
    # the result is wrong, so another answer is none the worse
    assert passes_over_result(counted("51", answer="60"), "60") is None
    assert passes_over_result(counted("a.md\nb.md"), "2") is None
    assert passes_over_result(counted("51"), "many") is None
    assert passes_over_result(Sample(prompt="How many?"), "3") is None


def test_an_answer_that_contradicts_the_page():
    page = (ToolCall(tool="open", result="Linz is listed as the place of birth, 1860 as the year."),)
    assert contradicts_result(Sample(answer="Linz", completion="I read it.\nFinal Answer: Graz", calls=page))
    assert contradicts_result(Sample(answer="Linz", completion="Final Answer: it is Linz.", calls=page)) is False
    # nothing was read that states it, or the agent gives up
    assert contradicts_result(Sample(answer="Rome", completion="Final Answer: Graz", calls=page)) is None
    assert contradicts_result(Sample(answer="Linz", completion="I cannot say.", calls=page)) is None
