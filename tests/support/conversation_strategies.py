"""Any conversation and any settings, for property tests: tool-using, interleaved, broken, pinned, in every shape.

A conversation is drawn as a list of events, settings as a list of changes, so that what fails shrinks to a few words.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from typing import Any

from hypothesis import strategies as st
from setting_values import NASTY, values

from historylab import registry
from historylab.conversation.conversation import Conversation
from historylab.conversation.message import SHOWN_ONLY, Message, ToolCall
from historylab.settings.fields import FIELDS_THAT_CHOOSE
from historylab.settings.model import Settings, field_names
from historylab.settings.pin import PIN_OPTIONS

ORDINARY = (
    "user", "user", "assistant", "assistant", "call-1+results", "call-2+results", "call-1+long results", "system",
    "long user", "long assistant",
)  # fmt: skip
ODD = (
    "call-1", "call-2", "call-same-id", "call-twice-one-id", "result", "result-of-the-oldest", "result-of-nobody",
    "result-again", "empty user", "empty assistant", "injected user", "image", "narrator", "pin", "rules-a", "rules-b",
    "environment-cwd", "environment-cwd shell", "command",
)  # fmt: skip


def conversations(*, max_size: int = 18) -> st.SearchStrategy[Conversation]:
    """Conversations of up to so many events, most of them what happens in ordinary ones."""
    return st.lists(st.sampled_from([*ORDINARY, *ODD]), max_size=max_size).map(conversation_from)


def conversation_from(events: list[str]) -> Conversation:
    """The conversation in which these events happen; its texts are distinct and its times a minute apart."""
    builder = _Builder()
    for event in events:
        builder.add(event)
    return Conversation(builder.messages, title=", ".join(events))


class _Builder:
    def __init__(self) -> None:
        self.messages: list[Message] = []
        self.waiting: list[str] = []
        self.answered: list[str] = []

    def add(self, event: str) -> None:
        kind, _, rest = event.partition("-")
        if event == "pin":
            if self.messages:
                self.messages[-1] = replace(self.messages[-1], pinned=True)
        elif kind == "call":
            self._call(rest)
        elif kind == "result":
            self._result(rest)
        elif kind == "rules":
            rule = f"<INSTRUCTIONS>\nrule {len(self.messages)}\n</INSTRUCTIONS>"
            self._say("user", f"# AGENTS.md instructions for /srv/{rest}\n\n{rule}")
        elif kind == "environment":
            fields = "".join(f"<{field}>{len(self.messages)}</{field}>" for field in rest.split())
            self._say("user", f"<environment_context>{fields}</environment_context>")
        elif event == "command":
            self._say("user", f"/add m{len(self.messages)}", metadata={"injected": True, SHOWN_ONLY: True})
        elif event == "image":
            self._say("user", "look", media=("image",))
        else:
            length, _, role = event.rpartition(" ")
            words = "" if length == "empty" else f"m{len(self.messages)} " * (60 if length == "long" else 4)
            self._say(role, words, metadata={"injected": True} if length == "injected" else {})

    def _call(self, how: str) -> None:
        k = len(self.messages)
        ids = {"same-id": ["again"], "twice-one-id": [f"c{k}"] * 2}.get(how)
        ids = ids or [f"c{k}.{j}" for j in range(int(how[0]))]
        self._say("assistant", "", tool_calls=tuple(ToolCall(i, "look_up", f'{{"key": "{k}"}}') for i in ids))
        self.waiting += ids
        for _ in ids if how.endswith("results") else ():
            self._result("", words=80 if "long" in how else 1)

    def _result(self, of: str, words: int = 1) -> None:
        if of == "again":
            call = self.answered[-1] if self.answered else "nothing"
        elif of == "of-nobody" or not self.waiting:
            call = f"nobody{len(self.messages)}"
        else:
            call = self.waiting.pop(0 if of == "of-the-oldest" else -1)
            self.answered.append(call)
        k = len(self.messages)
        self._say("tool", f"result {k} /srv/data/{k}.csv " + f"row{k} " * words, tool_call_id=call)

    def _say(self, role: str, text: str, **more: Any) -> None:
        k = len(self.messages)
        self.messages.append(Message(role, text, f"m{k}", timestamp=f"2026-01-01T{k // 60:02}:{k % 60:02}:00", **more))


USUAL = {"policy": "all", "budget": 150, "window": 300}  # few enough tokens that something happens
CHOICES = ("policy", "filter", "tool_output", "compaction", "pruner", "summarizer", "layout", "counter")
PLAIN = [name for name in (*field_names(), *PIN_OPTIONS) if name not in FIELDS_THAT_CHOOSE]
ASKS_OTHERS = {("summarizer", "model"), ("counter", "tiktoken")}  # a chat model, a download: not for any machine
Changes = st.SearchStrategy[Mapping[str, Any]]


def settings(**fixed: Any) -> st.SearchStrategy[Settings]:
    """Any settings, with whatever is registered; `fixed` ones as given, a fixed member with any of its options."""
    fields = [_one_of_its_values(name) for name in PLAIN]
    choices = [change for f in CHOICES if f not in fixed for m in registry.members(f) for change in _choices(f, m)]
    options = [change for f, m in fixed.items() if f in registry.FAMILIES for change in _choices(f, m)]
    drawn = st.tuples(_some(fields, 6), _some(choices, 4), _some(options, 3))
    return drawn.map(lambda lists: Settings(**_merged([USUAL, *(c for some in lists for c in some), fixed])))


def _some(changes: list[Changes], most: int) -> st.SearchStrategy[list[Mapping[str, Any]]]:
    return st.lists(st.one_of(changes), max_size=most) if changes else st.just([])


@cache
def _choices(family: str, name: str) -> list[Changes]:
    """The choice of a member, plain and with each of its options at some value."""
    if (family, name) in ASKS_OTHERS:
        return []
    options = [f"{family}.{name}.{option.name}" for option in registry.member(family, name).options]
    return [st.just({family: name}), *(_one_of_its_values(option, **{family: name}) for option in options)]


def _one_of_its_values(name: str, **chosen: str) -> Changes:
    tame = [value for value in values(name) if value not in NASTY]  # what texts hold is for tests of texts
    return st.sampled_from(tame or values(name)).map(lambda value: {**chosen, name: value})


def _merged(changes: list[Mapping[str, Any]]) -> dict[str, Any]:
    return {name: value for change in changes for name, value in change.items()}
