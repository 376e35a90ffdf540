"""Requests put together again from lines that hold what was new in each, and read as they grow.

Of a request that goes on from another only the items that are new are read; what is alike is held once.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from historylab.conversation.message import Message
from historylab.errors import LoadError
from historylab.formats.apis.exchanges import Api
from historylab.formats.base import Report
from historylab.formats.requests import FORMS, Form
from historylab.formats.traces.recorded_lines import AFTER, LEADING, SAME, UNCHANGED, holder_of
from historylab.registry import Member, members

BROKEN = "a request that goes on from one which is not in the file"


@dataclass(slots=True)
class WholeRequest:
    """A request as it was sent: its `body` without items, the `items`, and the messages in both.

    `said` are those in the items; `ends` are of the groups of items that were read by themselves: how many items and
    messages there are up to each.
    """

    body: dict[str, Any]
    items: list[Any]
    messages: Sequence[Message] = ()
    said: list[Message] = field(default_factory=list)
    ends: list[tuple[int, int]] = field(default_factory=list)


class RequestChains:
    """The requests of a recording, by their ids."""

    def __init__(self) -> None:
        self._known: dict[str, WholeRequest] = {}

    def add(self, line: Mapping[str, Any], report: Report, where: str) -> WholeRequest | None:
        """The request of a line. None, and skipped on the report, where it is none or its beginning is missing."""
        given, name = line.get("request"), line.get("api")
        before, api = self._known.get(str(line.get(AFTER))), api_of(name)
        if not isinstance(given, dict):
            report.skip("a line without a request", where)
            return None
        if line.get(AFTER) and before is None:
            report.skip(BROKEN, where)
            return None
        if api is None:
            report.skip(f"a request of an API {str(name)[:30]!r} that can't be read", where)
            return None
        whole, same, leading = _put_together(line, given, before)
        try:
            _read(whole, FORMS[str(name)], before, same, leading)
        except LoadError:
            whole.ends, whole.messages = [], _read_what_can_be(whole, FORMS[str(name)], api, report, where)
        self._known[str(line.get("id"))] = whole
        return whole


def api_of(name: Any) -> Api | None:
    """The API of that name, if requests of it can be read."""
    found: Member | None = members("format").get(name) if isinstance(name, str) and name in FORMS else None
    api: Api | None = found.attributes["api"]() if found else None
    return api


def _put_together(
    line: Mapping[str, Any], given: dict[str, Any], before: WholeRequest | None
) -> tuple[WholeRequest, int, int]:
    """The request; how many of its first items are those of the one before, and how many of these lead, as others."""
    holder = holder_of(given)
    own = given.get(holder)
    items = own if isinstance(own, list) else []
    body = {name: value for name, value in given.items() if name != holder}
    if before is None:
        return WholeRequest(body, items), 0, 0
    unchanged, same, leading = line.get(UNCHANGED), line.get(SAME), line.get(LEADING)
    for name in unchanged if isinstance(unchanged, list) else ():
        if isinstance(name, str) and name in before.body:
            body[name] = before.body[name]
    same = min(same, len(before.items)) if type(same) is int and same > 0 else 0
    leading = leading[:same] if isinstance(leading, list) else []
    return WholeRequest(body, [*leading, *before.items[len(leading) : same], *items]), same, len(leading)


def _read(whole: WholeRequest, form: Form, before: WholeRequest | None, same: int, leading: int) -> None:
    """Read the messages strictly, as they were when it was decided about them. Raises LoadError."""
    systems = form.open({**whole.body, form.field: whole.items}, True, lambda _: False).systems
    ends = before.ends if before else []
    known = max(0, bisect_right(ends, same, key=lambda end: end[0]) - 1)  # the last may go on in what is new
    if leading and (known < leading or ends[leading - 1] != (leading, leading)):  # each of these is a message
        known = 0
    at, count = ends[known - 1] if known else (0, 0)
    whole.ends, whole.said = ends[:known], before.said[:count] if before else []
    if known and leading:
        whole.said[:leading] = (_without_source(m) for k in range(leading) for m in form.at(whole.items, k))
    for items, messages in form.groups(whole.items, at):
        whole.said += map(_without_source, messages)
        at += items
        whole.ends.append((at, len(whole.said)))
    whole.messages = [*map(_without_source, systems), *whole.said] if systems else whole.said


def _without_source(message: Message) -> Message:
    return replace(message, source=None)


def _read_what_can_be(whole: WholeRequest, form: Form, api: Api, report: Report, where: str) -> list[Message]:
    prompt = whole.body.get(form.system_field) if form.system_field else None
    leading = [{"role": "system", "content": prompt}] if prompt else []
    return api.read_list([*leading, *whole.items], report, where)
