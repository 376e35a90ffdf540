"""Gemini CLI: sessions (one JSON object, or JSON Lines), checkpoints, and `logs.json`, its list of what was asked.

A model's turn holds its calls with their results; here each result is a message of its own. In JSON Lines a message
that changes is written again under its id, `$rewindTo` takes messages back (the path left is a branch), and `$set`
changes what stands beside them. Source: the recording service in Gemini CLI's repository.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from historylab.conversation.conversation import Conversation
from historylab.conversation.message import Message
from historylab.formats.base import Report, kind_of
from historylab.formats.files.content import Content
from historylab.formats.messages.branching import MOST_BRANCHES, with_branches
from historylab.formats.messages.chat_messages import iso_time, pair_by_order
from historylab.formats.messages.gemini_contents import is_content, read_gemini_content
from historylab.formats.messages.record_groups import located_items
from historylab.formats.products.gemini_cli_records import read_record
from historylab.formats.titles import opening
from historylab.registry import register

BESIDE = {"sessionId", "messages", "startTime", "lastUpdated", "projectHash", "directories", "summary", "kind"}


def looks_like_gemini_cli(content: Content) -> float:
    """1 for a session's own keys, 0.9 for the log of prompts and for checkpoints."""
    values = [value for _, value in located_items(content.values)]
    if any(_begins_session(value) for value in values):
        return 1
    return 0.9 if values and all(_is_prompt(value) or _history_of(value) for value in values) else 0


@register("format", title="Gemini CLI", recognise=looks_like_gemini_cli, marks="sessionId projectHash toolCalls")
def gemini_cli(content: Content, report: Report) -> Iterator[Conversation]:
    """Gemini CLI sessions: the newest path, with what was taken back as branches."""
    prompts: dict[str, list[Message]] = {}
    session: _Session | None = None
    for where, value in located_items(content.values):
        if key := _history_of(value):
            yield _checkpoint(value, key, where, report)
            continue
        if _is_prompt(value):
            report.records += 1
            asked = Message("user", value["message"], timestamp=iso_time(value.get("timestamp")))
            prompts.setdefault(str(value.get("sessionId")), []).append(asked)
            continue
        if session is None or _begins_session(value):
            if session and session.about.get("sessionId") != value.get("sessionId"):
                yield session.conversation(report)
                session = None
            session = session or _Session()
        session.take(value, where, report)
    if session:
        yield session.conversation(report)
    for name, messages in prompts.items():
        report.warn("a log of what was asked, without the answers", "")
        yield Conversation(messages, metadata={"provider": "google", "session": name})


@dataclass
class _Session:
    """One session as its records build it up: id → message, paths that were left, and what stands beside."""

    about: dict[str, Any] = field(default_factory=dict)
    messages: dict[str, tuple[str, Any]] = field(default_factory=dict)
    left: list[list[tuple[str, Any]]] = field(default_factory=list)  # no more than are offered
    gone: list[list[tuple[str, Any]]] = field(default_factory=list)  # what each of them took with it
    older: list[tuple[str, Any]] = field(default_factory=list)  # what paths left before those took with them

    def take(self, value: Any, where: str, report: Report) -> None:
        """Take in a whole session, or one line of it."""
        if not isinstance(value, dict):
            report.skip(f"{kind_of(value)}, not a record", where)
        elif "$rewindTo" in value:
            self._rewind(value["$rewindTo"])
        elif isinstance(value.get("$set"), dict):
            self._about(value["$set"], f"{where} $set", report)
        elif _begins_session(value) and "type" not in value:
            self._about(value, where, report)
        else:
            self._message(value, where, report)

    def _about(self, given: dict[str, Any], where: str, report: Report) -> None:
        self.about |= given
        for name in given:
            if name not in BESIDE:
                report.keep(name, where)
        if isinstance(listed := given.get("messages"), list) and listed:
            before, self.messages = self.messages, {}
            for i, item in enumerate(listed):
                self._message(item, f"{where} messages[{i}]".strip(), report)
            if gone := [held for name, held in before.items() if name not in self.messages]:
                self._leave(list(before.values()), gone)

    def _message(self, value: Any, where: str, report: Report) -> None:
        if not isinstance(value, dict):
            report.skip(f"{kind_of(value)}, not a record", where)
            return
        given = value.get("id")
        name = given if isinstance(given, str) and given else f"record {len(self.messages)}"
        if name in self.messages:
            report.skip("an earlier state of a message that was written again", self.messages[name][0])
        self.messages[name] = (where, value)

    def _rewind(self, to: Any) -> None:
        """Take back that message and all after it; without it, all of them."""
        path: list[tuple[str, Any]] = list(self.messages.values())
        gone: list[tuple[str, Any]] = []
        last = to if isinstance(to, str) and to in self.messages else next(iter(self.messages), None)
        while last in self.messages:
            gone.append(self.messages.popitem()[1])
        self._leave(path, gone)

    def _leave(self, path: list[tuple[str, Any]], gone: list[tuple[str, Any]]) -> None:
        """Keep a path that was left, and of one that is too old by now what went with it."""
        self.left.append(path)
        self.gone.append(gone)
        if len(self.left) > MOST_BRANCHES:
            del self.left[0]
            self.older += self.gone.pop(0)

    def conversation(self, report: Report) -> Conversation:
        """The messages that remain, with the paths that were left as branches."""
        known: dict[int, list[Message]] = {}
        paths = []
        for path in (list(self.messages.values()), *reversed(self.left)):
            for where, value in path:
                if id(value) not in known:
                    known[id(value)] = list(read_record(value, where, report))
            paths.append([message for _, value in path for message in known[id(value)]])
        for where in {id(value): where for where, value in self.older if id(value) not in known}.values():
            report.skip("a record on a branch older than those offered", where)
        models = [m.metadata["model"] for m in paths[0] if "model" in m.metadata]
        about = {"provider": "google", "session": self.about.get("sessionId"), "model": models[-1] if models else None}
        title = self.about.get("summary")
        if self.about.get("kind") == "subagent":
            about["sidechain"] = True
            title = title or f"Subagent: {opening(next((m.content for m in paths[0] if m.role == 'user'), ''))}"
        title = title if isinstance(title, str) else ""
        return with_branches(paths, title, {key: held for key, held in about.items() if held}, report)


def _begins_session(value: Any) -> bool:
    return isinstance(value, dict) and isinstance(value.get("sessionId"), str) and "projectHash" in value


def _checkpoint(value: dict[str, Any], key: str, where: str, report: Report) -> Conversation:
    """The history in a checkpoint: contents as Gemini's API takes them."""
    messages: list[Message] = []
    for i, item in enumerate(value[key]):
        at = f"{where} {key}[{i}]".strip()
        if is_content(item):
            report.records += 1
            messages += read_gemini_content(item, at, report)
        else:
            report.skip(f"{kind_of(item)}, not a content", at)
    for name in value:
        if name != key:
            report.keep(name, where)
    return Conversation(pair_by_order(messages), metadata={"provider": "google"})


def _history_of(value: Any) -> str:
    """The key under which a checkpoint has the history; empty for anything else."""
    held = ((key, value.get(key)) for key in ("clientHistory", "history")) if isinstance(value, dict) else ()
    return next((key for key, items in held if isinstance(items, list) and any(map(is_content, items[:5]))), "")


def _is_prompt(value: Any) -> bool:
    return isinstance(value, dict) and "messageId" in value and isinstance(value.get("message"), str)
