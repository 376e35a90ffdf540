"""Exchanges of a chat written as sketches: `Chat().asks("u a u")` is the request with those messages and its answer."""

from __future__ import annotations

import json
from dataclasses import dataclass, field, replace
from itertools import count
from typing import Any

from historylab.conversation.exchange import Exchange
from historylab.formats.traces.recorded_lines import parse_line
from historylab.recordings.exchange import line_time

MOMENTS = count(1_700_000_000)


@dataclass(eq=False)
class Chat:
    """A chat of an app with a Chat Completions API. `exchange` makes the next one; nothing is sent."""

    system: str = "be brief"
    fields: dict[str, Any] = field(default_factory=lambda: {"model": "gpt-4o", "temperature": 0.5})
    messages: list[dict[str, Any]] = field(default_factory=list)

    def exchange(self, *said: str, answer: str | None = "ok", **changes: Any) -> Exchange:
        """What a user says, and what is answered, which the app keeps."""
        self.messages += [{"role": "user", "content": text} for text in said]
        body = {**self.fields, "messages": [{"role": "system", "content": self.system}, *self.messages]}
        message = {"role": "assistant", "content": answer, "refusal": None}
        response: dict[str, Any] = {}
        if answer is not None:
            response = {"id": "x", "object": "chat.completion", "model": "gpt-4o", "choices": [{"message": message}]}
            self.messages.append({"role": "assistant", "content": answer})
        now = next(MOMENTS)
        made = Exchange(
            api="chat_completions",
            body=as_json(body),
            started=line_time(now),
            ended=line_time(now + changes.pop("seconds", 0.25)),
            chat=self,
            mode="trim",
            response=response,
            status=200,
        )
        return replace(made, **changes)


def as_json(value: Any) -> Any:
    """A value as it comes out of a request: no object is the one given before."""
    return json.loads(json.dumps(value))


def lines_in(store) -> list[dict[str, Any]]:
    """The lines that a store holds."""
    return [parse_line(record.text) for record in store.read_records()]
