"""One session of Gemini CLI as its records build it up: messages, paths that were left, and what was sent.

A list of messages that is set replaces what is sent. What is missing from it was compressed; of what is new a user's
message is the summary. A result that has another text there was masked: the one before is kept as what was said.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NamedTuple

from historylab.conversation.conversation import Conversation
from historylab.conversation.message import Message
from historylab.conversation.recorded import SIDECHAIN
from historylab.conversation.sent import RecordedCut, SentHistory, as_summary
from historylab.formats.base import Report, kind_of
from historylab.formats.messages.branching import MOST_BRANCHES, with_branches
from historylab.formats.messages.fields import list_in, text_in
from historylab.formats.messages.kept_records import keep_others
from historylab.formats.messages.record_groups import located_items
from historylab.formats.messages.sent_view import Sent, SentView, shorten_from
from historylab.formats.products.gemini_cli_records import read_record, response_texts, result_texts
from historylab.formats.titles import opening

BESIDE = {"sessionId", "messages", "startTime", "lastUpdated", "projectHash", "directories", "summary", "kind"}
BESIDE |= {"activeExtensionName", "memoryScratchpad"}
CUT = RecordedCut(by="Gemini CLI")


class _Path(NamedTuple):
    """A path through the session: its records with their places in the file, and what was sent of them, by number."""

    records: list[tuple[str, Any]]
    view: SentView
    masks: list[tuple[int, str, str]]  # from so many records on, the call, the text sent


@dataclass
class GeminiSession:
    """The state after the records so far: id → message, paths that were left, and what stands beside."""

    about: dict[str, Any] = field(default_factory=dict)
    messages: dict[str, tuple[str, Any]] = field(default_factory=dict)
    view: SentView = field(default_factory=SentView)
    masks: list[tuple[int, str, str]] = field(default_factory=list)
    summaries: set[int] = field(default_factory=set)  # id() of the records
    left: list[_Path] = field(default_factory=list)  # no more than are offered
    gone: list[tuple[str, Any]] = field(default_factory=list)  # what was taken back

    def take(self, value: Any, where: str, report: Report) -> None:
        """Take in a whole session, or one line of it."""
        if not isinstance(value, dict):
            report.skip(f"{kind_of(value)}, not a record", where)
        elif "$rewindTo" in value:
            self._rewind(value["$rewindTo"])
        elif isinstance(value.get("$set"), dict):
            self._about(value["$set"], f"{where} $set", report)
        elif begins_session(value) and "type" not in value:
            self._about(value, where, report)
        else:
            self._message(value, where, report)

    def _about(self, given: dict[str, Any], where: str, report: Report) -> None:
        self.about |= given
        keep_others(given, BESIDE, where, report)
        located = list(located_items([(f"{where} messages".strip(), list_in(given, "messages"))]))
        if located and self.messages:
            self._replace(located, report)
            return
        for at, item in located:
            self._message(item, at, report)

    def _message(self, value: Any, where: str, report: Report) -> None:
        if not isinstance(value, dict):
            report.skip(f"{kind_of(value)}, not a record", where)
            return
        name = text_in(value, "id") or f"record {len(self.messages)}"
        if name in self.messages:
            report.pass_over("an earlier state of a message that was written again", self.messages[name][0])
        self.messages[name] = (where, value)

    def _replace(self, listed: list[tuple[str, Any]], report: Report) -> None:
        """From here on the messages of this list are sent, and what follows."""
        place = {name: i for i, name in enumerate(self.messages)}
        results = {call: text for _, value in self.messages.values() for call, text in result_texts(value)}
        before, order, new = self.view.at(len(place)), list[Sent](), list[tuple[str, Any]]()
        for where, item in listed:
            held = item if isinstance(item, dict) else {}
            told = dict([*result_texts(held), *response_texts(held)])
            self.masks += [(len(place), c, t) for c, t in told.items() if results.get(c, t) != t]
            if (name := text_in(held, "id")) in place:
                order.append(place[name])
            elif not (told and told.keys() <= results.keys()):
                order.append(len(place) + len(new))
                new.append((where, item))
        order = list(dict.fromkeys(order))
        if all(isinstance(each, Message) or each in order for each in before):
            for where, item in new:
                self._message(item, where, report)
            return
        report.keep("compactions", listed[0][0])
        self._cut(order, new, report)

    def _cut(self, order: list[Sent], new: list[tuple[str, Any]], report: Report) -> None:
        """Put a list in place of what was sent: of what is new in it a user's message is said to be the summary."""
        size, summary = len(self.messages), None
        made = dict[Sent, list[Sent]]()
        for i, (where, item) in enumerate(new, size):
            if summary is None and isinstance(item, dict) and item.get("type") == "user":
                summary = size
                self.messages[text_in(item, "id") or f"summary {size}"] = (where, item)
                self.summaries.add(id(item))
                made[i] = [size]
                report.warn("a summary Gemini CLI made, sent from there on in place of what came before", where)
            else:
                made[i] = [*read_record(item, where, Report())] if isinstance(item, dict) else []
        sent = [each for i in order for each in made.get(i, [i])]
        self.view.put(len(self.messages), sent, CUT, summary=summary)

    def _rewind(self, to: Any) -> None:
        """Take back that message and all after it; without it, all of them."""
        place = {name: i for i, name in enumerate(self.messages)}
        held, at = self.view.at(len(place)), place.get(to, 0) if isinstance(to, str) else 0
        kept = held[: held.index(at)] if at in held else [i for i in held if not isinstance(i, Message) and i < at]
        size = 1 + max((i for i in kept if not isinstance(i, Message)), default=-1)
        path = list(self.messages.values())
        self.left = [*self.left, _Path(path, self.view, self.masks)][-MOST_BRANCHES:]
        self.gone += path[size:]
        self.messages = dict(list(self.messages.items())[:size])
        self.view = self.view.take_back(size)
        self.masks = [mask for mask in self.masks if mask[0] <= size]
        if self.view.at(size) != kept:  # back to before a compression, and not to all that was said then
            self.view.put(size, kept, None)

    def conversation(self, report: Report) -> Conversation:
        """The messages that remain, with the paths that were left as branches."""
        known: dict[int, list[Message]] = {}
        paths, sent = [], []
        for path in (_Path(list(self.messages.values()), self.view, self.masks), *reversed(self.left)):
            for where, value in path.records:
                if id(value) not in known:
                    made = read_record(value, where, report)
                    known[id(value)] = list(map(as_summary, made)) if id(value) in self.summaries else made
            read = [known[id(value)] for _, value in path.records]
            paths.append([message for each in read for message in each])
            sent.append(_histories(path, read))
        for where in {id(value): where for where, value in self.gone if id(value) not in known}.values():
            report.pass_over("a record on a branch older than those offered", where)
        models = [m.metadata["model"] for m in paths[0] if "model" in m.metadata]
        about = {"provider": "google", "session": self.about.get("sessionId"), "model": models[-1] if models else None}
        title = text_in(self.about, "summary")
        if self.about.get("kind") == "subagent":
            about[SIDECHAIN] = True
            title = title or f"Subagent: {opening(next((m.content for m in paths[0] if m.role == 'user'), ''))}"
        return with_branches(paths, title or "", {key: held for key, held in about.items() if held}, report, sent)


def begins_session(value: Any) -> bool:
    """Tell whether it is a session, or the first line of one."""
    return isinstance(value, dict) and isinstance(value.get("sessionId"), str) and "projectHash" in value


def _histories(path: _Path, read: list[list[Message]]) -> list[SentHistory]:
    """The histories sent of a path, by message."""
    histories = path.view.spread(map(len, read))
    at = {m.tool_call_id: i for i, m in enumerate(m for each in read for m in each) if m.role == "tool"}
    for records, call, text in path.masks:
        size = sum(map(len, read[:records]))
        if call in at and at[call] < size:
            histories = shorten_from(histories, size, {at[call]: text})
    return histories
