from __future__ import annotations

from tests.sampled import Training
from weaklink.base.evidence.samples import Sample, ToolCall
from weaklink.collect.samples.contradictions import passes_over_result


def sick():
    t = Training()
    return [
        t.samples(passes_over_result=t.chance(t.ramp(0.02, 0.6))),
        t.samples(passes_over_result=t.chance(0.5), reference=t.group),
    ]


def healthy():
    t = Training()
    return [
        t.samples(passes_over_result=t.chance(0.02)),
        # it computes with results all along
        t.samples(passes_over_result=t.chance(0.4)),
        t.samples(passes_over_result=t.chance(0.08), reference=t.group),
        t.samples(passes_over_result=t.chance(t.ramp(0.5, 0.0))),
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
