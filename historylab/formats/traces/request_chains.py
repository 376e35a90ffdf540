"""Requests put together again from lines that hold what was new in each, and read as they grow.

Of a request that goes on from another only the items that are new are read; what is alike is held once.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from historylab.conversation.exchange import Exchange
from historylab.conversation.message import Message
from historylab.errors import LoadError
from historylab.formats.apis.exchanges import Api
from historylab.formats.base import Report
from historylab.formats.requests import FORMS, Form
from historylab.formats.traces.recorded_lines import AFTER, LEADING, SAME, UNCHANGED, holder_of
from historylab.registry import member

BROKEN = "a request that goes on from one which is not in the file"


@dataclass(slots=True)
class _Chain:
    """A request put together: its `body` without items, the `items`, and the messages read of these (`said`).

    `ends` are of the groups of items that were read by themselves: how many items and messages there are up to each.
    """

    body: dict[str, Any]
    items: list[Any]
    said: list[Message] = field(default_factory=list)
    ends: list[tuple[int, int]] = field(default_factory=list)


class RequestChains:
    """The requests of a recording, by their ids."""

    def __init__(self) -> None:
        self._known: dict[str, _Chain] = {}

    def complete(self, exchange: Exchange, line: Mapping[str, Any], report: Report) -> bool:
        """Give an exchange its whole body and its messages, and return True.

        False, and skipped on the report, where its line has no request that can be read or its beginning is missing.
        """
        name, where = line.get("api"), exchange.where
        before, api = self._known.get(str(line.get(AFTER))), api_of(name)
        if not isinstance(line.get("request"), dict):
            report.skip("a line without a request", where)
            return False
        if line.get(AFTER) and before is None:
            report.skip(BROKEN, where)
            return False
        if api is None:
            report.skip(f"a request of an API {str(name)[:30]!r} that can't be read", where)
            return False
        chain, same, leading = _put_together(line, exchange.body, before)
        try:
            exchange.messages = _read(chain, FORMS[exchange.api], before, same, leading)
        except LoadError:
            chain.ends = []
            exchange.messages = _read_what_can_be(chain, FORMS[exchange.api], api, report, where)
        exchange.body = {**chain.body, holder_of(exchange.body): chain.items}
        self._known[str(line.get("id"))] = chain
        return True


def api_of(name: Any) -> Api | None:
    """The API of that name, if requests of it can be read."""
    if not isinstance(name, str) or name not in FORMS:
        return None
    api: Api = member("format", name).attributes["api"]()
    return api


def _put_together(line: Mapping[str, Any], given: Mapping[str, Any], before: _Chain | None) -> tuple[_Chain, int, int]:
    """The request; how many of its first items are those of the one before, and how many of these lead, as others."""
    holder = holder_of(given)
    own = given.get(holder)
    items = own if isinstance(own, list) else []
    body = {name: value for name, value in given.items() if name != holder}
    if before is None:
        return _Chain(body, items), 0, 0
    unchanged, same, leading = line.get(UNCHANGED), line.get(SAME), line.get(LEADING)
    for name in unchanged if isinstance(unchanged, list) else ():
        if isinstance(name, str) and name in before.body:
            body[name] = before.body[name]
    same = min(same, len(before.items)) if type(same) is int and same > 0 else 0
    leading = leading[:same] if isinstance(leading, list) else []
    return _Chain(body, [*leading, *before.items[len(leading) : same], *items]), same, len(leading)


def _read(chain: _Chain, form: Form, before: _Chain | None, same: int, leading: int) -> list[Message]:
    """Read the messages strictly, as they were when it was decided about them. Raises LoadError."""
    systems = form.open({**chain.body, form.field: chain.items}, True, lambda _: False).systems
    ends = before.ends if before else []
    known = max(0, bisect_right(ends, same, key=lambda end: end[0]) - 1)  # the last may go on in what is new
    if leading and (known < leading or ends[leading - 1] != (leading, leading)):  # each of these is a message
        known = 0
    at, count = ends[known - 1] if known else (0, 0)
    chain.ends, chain.said = ends[:known], before.said[:count] if before else []
    if known and leading:
        chain.said[:leading] = (_without_source(m) for k in range(leading) for m in form.at(chain.items, k))
    for items, messages in form.groups(chain.items, at):
        chain.said += map(_without_source, messages)
        at += items
        chain.ends.append((at, len(chain.said)))
    return [*map(_without_source, systems), *chain.said] if systems else chain.said


def _without_source(message: Message) -> Message:
    return replace(message, source=None)


def _read_what_can_be(chain: _Chain, form: Form, api: Api, report: Report, where: str) -> list[Message]:
    prompt = chain.body.get(form.system_field) if form.system_field else None
    leading = [form.prompt_item(prompt)] if prompt else []
    return api.read_list([*leading, *chain.items], report, where)
