"""A check as JUnit XML, which every CI system shows: a test case per wish and conversation."""

from __future__ import annotations

from collections.abc import Iterator
from xml.etree import ElementTree as xml

from historylab.tuning.check import Check
from historylab.tuning.findings import BROKEN, UNSURE, Finding
from historylab.tuning.replayed import TrimmerLane
from historylab.wording.check import conversation_place, finding_reason, path_in_words, unread_because
from historylab.wording.check_summary import failed_requests
from historylab.wording.untrusted import UNSEEN, replace_hidden

SUITE = "historylab check"


def junit(check: Check) -> str:
    """The XML: where the trimmer failed and broken wishes are failures, what is unsure or unread is skipped."""
    cases = [*_failure_cases(check), *map(_case, check.findings), *_unread(check)]
    counts = {
        "tests": str(len(cases)),
        "failures": str(sum(case.find("failure") is not None for case in cases)),
        "errors": "0",
        "skipped": str(sum(case.find("skipped") is not None for case in cases)),
    }
    name = _text(f"{SUITE} {check.lane.name}") if isinstance(check.lane, TrimmerLane) else SUITE
    suites = xml.Element("testsuites", {"name": name, **counts})
    xml.SubElement(suites, "testsuite", {"name": name, **counts}).extend(cases)
    xml.indent(suites)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{xml.tostring(suites, encoding="unicode")}\n'


def _failure_cases(check: Check) -> Iterator[xml.Element]:
    for failure in check.broken_at:
        case = _test_case(f"{failure.trimmer} answers", conversation_place(failure.place))
        _fail(case, failed_requests(failure))
        yield case


def _case(finding: Finding) -> xml.Element:
    case = _test_case(finding.wish.said, conversation_place(finding.place))
    why = _text(finding_reason(finding))
    if finding.verdict == BROKEN:
        _fail(case, why)
    elif finding.verdict == UNSURE:
        xml.SubElement(case, "skipped", {"message": why})
    return case


def _fail(case: xml.Element, why: str) -> None:
    xml.SubElement(case, "failure", {"type": BROKEN, "message": _text(why)}).text = _text(why)


def _unread(check: Check) -> Iterator[xml.Element]:
    for path, why in check.unread.items():
        case = _test_case("can be read", path_in_words(path))
        xml.SubElement(case, "skipped", {"message": _text(unread_because(path, why))})
        yield case


def _test_case(name: str, where: str) -> xml.Element:
    return xml.Element("testcase", {"classname": _text(where), "name": _text(name), "time": "0"})


def _text(text: str) -> str:
    """The text in characters that XML allows: none that can't be seen, and no U+FFFE or U+FFFF."""
    return "".join(c if c not in "\ufffe\uffff" else UNSEEN for c in replace_hidden(text))
