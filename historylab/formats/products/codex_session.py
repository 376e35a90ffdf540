"""One Codex session, built up line by line: its history as it stands, and the paths that were left.

A compaction changes what is sent from there on, a rollback takes turns back; what stood before it is a branch. A usage
report ends the model's answer it belongs to. A prompt that stands in an event alone is read where it stands.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

from historylab.conversation.message import Message
from historylab.conversation.recorded import SIDECHAIN
from historylab.conversation.sent import RecordedCut, SentHistory, as_summary, is_summary
from historylab.formats.base import Report
from historylab.formats.messages.branching import FORKED_FROM, MOST_BRANCHES, join_texts
from historylab.formats.messages.chat_messages import iso_time, pair_by_order
from historylab.formats.messages.fields import object_in, objects_under, text_in
from historylab.formats.messages.provider_cuts import COMPACTION
from historylab.formats.messages.responses_items import join_assistant_messages, read_item
from historylab.formats.messages.sent_view import UNREADABLE, Sent, SentView, find_messages
from historylab.formats.messages.usage import to_usage

SETTINGS = {"effort": "reasoning_effort", "summary": "reasoning_summary"}
"""Field of a turn's context → request parameter."""

REPEATED = "a prompt on the screen, which repeats what is read"
NO_ITEMS = ("ghost_snapshot", "other")
AGENTS = {"type": "message", "role": "user", "author": None, "recipient": None}
"""The fields of a message from another agent, as the user's that it is sent as."""


@dataclass
class CodexSession:
    """The state after the lines so far."""

    report: Report
    about: dict[str, Any] | None = None
    messages: list[Message] = field(default_factory=list)
    view: SentView = field(default_factory=SentView)
    left: list[tuple[list[Message], SentView]] = field(default_factory=list)  # no more than are offered
    gone: list[list[Message]] = field(default_factory=list)  # what each of them took with it
    older: list[Message] = field(default_factory=list)  # what paths left before those took with them
    model: str | None = None
    parameters: dict[str, Any] = field(default_factory=dict)
    answered: bool = False  # whether the answer at the end of the messages is over
    spent: Any = None  # what the last usage report says of the whole session
    usage: dict[str, int] | None = None  # that of an answer to come: older versions report it first
    metered: bool = False  # whether records report the usage of each request, and events repeat it
    typed: set[str] = field(default_factory=set)  # what events say that the user sent
    heard: tuple[int, Message, str] | None = None  # such a prompt that may stand in no item, its place in both

    def is_over(self, about: Any) -> bool:
        """Whether this beginning is that of another session, and not of the one it was forked from."""
        known = self.about or {}
        given = about.get("id") if isinstance(about, dict) else None
        begun = any(message.role != "system" for message in self.messages)
        return begun and given not in (known.get("id"), known.get("forked_from_id"), None)

    def begin(self, about: dict[str, Any], where: str) -> None:
        """Take in what is said of the session; a fork's file holds the beginning of the other session, too."""
        if self.about is not None:
            self.report.pass_over("the start of a session that this one goes on from", where)
            return
        self.about = about
        if prompt := text_in(object_in(about, "base_instructions"), "text"):
            self.messages.insert(0, Message("system", prompt))
        if about.get("instructions"):
            self.report.keep("instructions", where)

    def set_context(self, given: dict[str, Any]) -> None:
        """Take in the model and the request parameters of the turns to come."""
        self.model = self.model if (model := text_in(given, "model")) is None else model
        self.parameters |= {ours: value for theirs, ours in SETTINGS.items() if (value := text_in(given, theirs))}

    def add(self, item: Any, where: str, time: Any) -> None:
        """Add the messages of one response item."""
        if isinstance(item, dict) and (kind := item.get("type")) in NO_ITEMS:
            self.report.pass_over(f"an item of type {kind}, which isn't sent", where)
            return
        if (moment := iso_time(time)) is None and time is not None:
            self.report.warn("a timestamp that is no time", where)
        for message in self._read(item, where, self.report):
            self._append(replace(message, timestamp=message.timestamp or moment))

    def take_event(self, given: dict[str, Any], where: str, time: Any) -> None:
        """Take in the usage of an answer, a rollback, or a prompt; other events repeat items for the screen."""
        kind = given.get("type")
        if kind == "token_count":
            info = object_in(given, "info")
            if not self.metered:
                self._take_usage(info.get("last_token_usage"), info.get("total_token_usage"))
        elif kind == "thread_rolled_back" and type(count := given.get("num_turns")) is int and count > 0:
            self._settle()
            self._roll_back(count)
        elif said := _prompt_in(given).strip():
            if self.heard and (self.heard[0], self.heard[1].content) == (len(self.messages), said):
                self.report.pass_over(REPEATED, where)
                return
            self._settle()
            self.typed.add(said)
            self.answered = True
            self.heard = len(self.messages), Message("user", said, timestamp=iso_time(time)), where
        else:
            self.report.pass_over(f"an event of the program's ({kind[:40] if isinstance(kind, str) else kind})", where)

    def take_usage_record(self, given: dict[str, Any]) -> None:
        """Take in the usage of a request, as newer versions record it."""
        self.metered = True
        self._take_usage(given.get("usage"), given.get("thread_token_usage"))

    def _settle(self) -> None:
        """Read the prompt of the last event where it stands, unless an item of its turn has it."""
        if self.heard is None:
            return
        (place, prompt, where), self.heard = self.heard, None
        answers = (i for i in range(place - 1, -1, -1) if self.messages[i].role == "assistant")
        turn = self.messages[next(answers, -1) + 1 :]
        if any(m.role == "user" and _repeats(m.content.strip(), prompt.content) for m in turn):
            self.report.pass_over(REPEATED, where)
        else:
            self.report.records += 1
            self.messages.insert(place, prompt)

    def compact(self, given: dict[str, Any], where: str, time: Any) -> None:
        """Take in a compaction: from here on the program sends what it made of the history."""
        self._settle()
        items, told = given.get("replacement_history"), Report()
        held = self.view.at(len(self.messages))
        if isinstance(items, list):
            made = [m for i, item in enumerate(items) for m in self._read(item, f"{where} [{i}]", told)]
            found = find_messages(join_assistant_messages(made), self.messages)
            order, shortened = [*(i for i in self._prompt() if i not in found.order), *found.order], found.shortened
        else:
            order, shortened = [i for i in held if self._outlives_compaction(i)], {}
            order += [Message("user", text)] if isinstance(text := given.get("message"), str) and text else []
        self._tell(told)
        opaque = (isinstance(each, Message) and bool(each.metadata.get(COMPACTION)) for each in order)
        order = [UNREADABLE if hidden else each for each, hidden in zip(order, opaque, strict=True)]
        summary, last = None, order[-1] if order else None
        if isinstance(last, Message) and last.role == "user":
            summary = order[-1] = len(self.messages)
            self.messages.append(replace(as_summary(last), timestamp=iso_time(time)))
            self.report.records += 1
            self.report.warn("a summary Codex made, sent from there on in place of what came before", where)
        cut, size = RecordedCut(by="Codex"), len(self.messages)
        self.view.put(size, order, cut, summary=summary, shortened=shortened)
        self.answered, self.usage = True, None  # the usage is that of the summary

    def _outlives_compaction(self, each: Sent) -> bool:
        """Tell whether a program that writes no replacement sends it again: instructions, and the user's messages."""
        message = each if isinstance(each, Message) else self.messages[each]
        return message.role in ("system", "user") and not is_summary(message)

    def _tell(self, told: Report) -> None:
        """Report what there was to say of a replacement, whose records repeat others."""
        for why, tally in told.skipped.items():
            self.report.skip(why, tally.first)
        for why, tally in told.warnings.items():
            self.report.warn(why, tally.first)

    def paths(self) -> tuple[list[list[Message]], list[list[SentHistory]]]:
        """The history as it stands and the paths that were left, newest first; and what was sent of each."""
        self._settle()
        found = [(self.messages, self.view), *reversed(self.left)]
        offered = {id(message) for path, _ in found for message in path}
        for message in {id(m): m for m in self.older if id(m) not in offered}.values():
            self.report.warn("a message on a branch older than those offered", message.id or "")
        unsaid = {id(m) for path, _ in found for m in path if _says_nothing(m)}
        for _ in unsaid:
            self.report.warn("a reply of nothing but thinking, which isn't sent again", "")
        marked = {id(m): self._with_mark(m) for path, _ in found for m in path}
        said = [pair_by_order([marked[id(m)] for m in path if id(m) not in unsaid]) for path, _ in found]
        return said, [view.spread(id(m) not in unsaid for m in path) for path, view in found]

    @property
    def metadata(self) -> dict[str, Any]:
        """The metadata of the session."""
        about = self.about or {}
        said = {
            "provider": text_in(about, "model_provider") or "openai",
            "model": self.model,
            "parameters": self.parameters,
            "session": about.get("id"),
            FORKED_FROM: about.get("forked_from_id"),
            "version": about.get("cli_version"),
            "tools": objects_under(about, "dynamic_tools"),
            SIDECHAIN: "subagent" in object_in(about, "source"),
        }
        return {key: value for key, value in said.items() if value}

    def _roll_back(self, turns: int) -> None:
        """Take back that many turns of the history as it is sent."""
        held = self.view.at(len(self.messages))
        own = ((k, self.messages[each]) for k, each in enumerate(held) if not isinstance(each, Message))
        asked = [k for k, message in own if message.role == "user" and not self._is_injected(message)]
        kept = held[: asked[-min(turns, len(asked))]] if asked else [*self._prompt()]
        size = 1 + max((each for each in kept if not isinstance(each, Message)), default=-1)
        view = self.view.take_back(size)
        if view.at(size) != kept:  # back to before a compaction, and not to all that was said then
            view.put(size, kept, None)
        self.left.append((self.messages, self.view))
        self.gone.append(self.messages[size:])
        if len(self.left) > MOST_BRANCHES:  # of a path that is too old by now, only what went with it is known
            del self.left[0]
            self.older += self.gone.pop(0)
        self.messages, self.view, self.answered = self.messages[:size], view, True

    def _prompt(self) -> range:
        """The system prompt, which stands beside the history."""
        return range(1 if self.messages and self.messages[0].role == "system" else 0)

    def _read(self, item: Any, where: str, report: Report) -> list[Message]:
        fields = item if isinstance(item, dict) else {}
        if fields.get("type") == "agent_message":
            read = read_item({**fields, **AGENTS}, where, report)
            return [replace(message, metadata={"injected": True}) for message in read]
        output = object_in(fields, "output")
        given = {**fields, "output": output["content"]} if "content" in output else item
        failed = "content" in output and output.get("success") is False
        return [self._with_metadata(message, failed) for message in read_item(given, where, report)]

    def _with_metadata(self, message: Message, failed: bool) -> Message:
        if message.role == "assistant" and self.model:
            return replace(message, metadata={**message.metadata, "model": self.model})
        return replace(message, metadata={**message.metadata, "is_error": True}) if failed else message

    def _with_mark(self, message: Message) -> Message:
        known = is_summary(message) or message.metadata.get("injected") or not self._is_injected(message)
        return message if known else replace(message, metadata={**message.metadata, "injected": True})

    def _is_injected(self, message: Message) -> bool:
        """Tell whether no person sent it: by its frame, or as events tell what was sent and it isn't among that."""
        if message.injected or message.role != "user" or message.media or not self.typed:
            return message.injected
        text = message.content.strip()
        return bool(text) and not any(_repeats(text, said) for said in self.typed)

    def _append(self, message: Message) -> None:
        last = self.messages[-1] if self.messages else None
        if last and last.role == message.role == "assistant" and not self.answered:
            self.messages[-1:] = join_assistant_messages([last, message])
        else:
            if self.usage and message.role == "assistant":
                message, self.usage = replace(message, metadata={**message.metadata, "usage": self.usage}), None
            self.messages.append(message)
        self.answered = False

    def _take_usage(self, last: Any, spent: Any) -> None:
        """The usage of the last request, reported once more whenever limits change; and of the session so far."""
        if not (usage := to_usage(last)) or (spent is not None and spent == self.spent):
            return
        self.spent, self.answered = spent, True
        at = next((i for i in range(len(self.messages) - 1, -1, -1) if self.messages[i].role == "assistant"), None)
        if at is None or "usage" in self.messages[at].metadata:
            self.usage = usage
        else:
            answer = self.messages[at]
            self.messages[at] = replace(answer, metadata={**answer.metadata, "usage": usage})


def _says_nothing(message: Message) -> bool:
    return message.role == "assistant" and not (message.content or message.tool_calls or message.media)


def _prompt_in(event: dict[str, Any]) -> str:
    """The words that an event says a person typed; empty if it says none."""
    item = object_in(event, "item")
    if event.get("type") == "item_completed" and item.get("type") == "UserMessage":
        return join_texts(text_in(part, "text") or "" for part in objects_under(item, "content"))
    return (text_in(event, "message") or "") if event.get("type") == "user_message" else ""


def _repeats(text: str, said: str) -> bool:
    """Tell whether a message is what was typed, beside which a program may put its own words."""
    return text.startswith(said) or text.endswith(said)
