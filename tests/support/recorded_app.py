"""An app whose requests are trimmed and recorded: it asks, edits, forks, restarts, and goes on under other settings."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime
from itertools import count
from typing import Any

from recorded_chats import as_json

from historylab import Settings, Trimmer
from historylab.conversation.exchange import Exchange
from historylab.formats.requests import FORMS
from historylab.formats.requests.items import is_from_model
from historylab.planning.plan import HistoryPlan
from historylab.recordings.exchange import line_time, plan_fields, settings_fields
from historylab.recordings.noted_state import NotedState
from historylab.recordings.recorder import Recorder

BEGAN = 1_795_419_000.0
TOOL = "timetable"
MODELS = {
    "chat_completions": "gpt-4o",
    "responses": "gpt-5",
    "anthropic": "claude-sonnet-4-5",
    "gemini": "gemini-3.5-flash",
}


class RecordedApp:
    """One chat over an API.

    `history` has its items, `usage` the tokens reported for each answer by its text, `plans` those of all requests.
    `respells`: it sends arguments back as its own JSON library writes them.
    """

    def __init__(self, store, api: str, settings: Settings, monkeypatch, *, respells: bool = False):
        self.api, self.settings, self.store, self.respells = api, settings, store, respells
        self.history: list[dict[str, Any]] = []
        self.usage: dict[str, int] = {}
        self.plans: list[HistoryPlan] = []
        self.system = "You look after the ferries of pier 0."
        self._numbers, self._now = count(1), BEGAN
        monkeypatch.setattr("historylab.planning.stored_state.now", lambda: datetime.fromtimestamp(self._now, UTC))
        self._other: Any = None
        self.restart()

    def restart(self, settings: Settings | None = None) -> None:
        """Another process in place of all there are, which may have other settings."""
        self.close()
        self.settings = settings or self.settings
        self.noted, self.recorder = NotedState(self.store), Recorder(self.store, keep_days=None)
        self.trimmer = Trimmer(self.settings, store=self.noted, format=self.api)

    def switch(self) -> None:
        """The other of two workers that answer in turns."""
        mine = self.noted, self.recorder, self.trimmer
        if self._other is None:
            del self.recorder
            self.restart()
        else:
            self.noted, self.recorder, self.trimmer = self._other
        self._other = mine

    def close(self) -> None:
        if self._other:
            self._other[1].close()
            assert self._other[1].unrecorded == 0
            self._other = None
        if hasattr(self, "recorder"):
            self.recorder.close()
            assert self.recorder.unrecorded == 0

    def ask(self, words: int) -> None:
        """A user's message, and its answer."""
        self._say("question", words)
        self.request(words)

    def use_tool(self, words: int) -> None:
        """An answer that calls a tool, the result, and the answer to that."""
        self._say("look up", words)
        self.request(words, calls=1 + words % 2)
        results = self._results(words)
        held = {"anthropic": "content", "gemini": "parts"}.get(self.api)
        self.history += [{"role": "user", held: results}] if held else results
        self.request(words)

    def _say(self, kind: str, words: int) -> None:
        text = self._text(kind, words)
        self.history.append(
            {"role": "user", **({"parts": [{"text": text}]} if self.api == "gemini" else {"content": text})}
        )

    def _words_of(self, item: dict[str, Any]) -> Any:
        return item["parts"][0].get("text") if self.api == "gemini" else item["content"]

    def edit(self, words: int) -> None:
        """A user's message from before, said otherwise: what followed is forgotten."""
        users = [k for k, item in enumerate(self.history) if item.get("role") == "user"]
        asked = [k for k in users[1:] if isinstance(self._words_of(self.history[k]), str)]
        if asked:
            del self.history[asked[-1 - words % min(3, len(asked))] :]
            self.ask(words)

    def regenerate(self, words: int) -> None:
        """The newest answer, given anew; that to a first question would begin another conversation."""
        kept = list(self.history)
        while kept and is_from_model(kept[-1]):
            kept.pop()
        if any(map(is_from_model, kept)):
            self.history = kept
            self.request(words)

    def fail(self, words: int) -> None:
        """A request that is refused, and asked again."""
        self._say("again", words)
        self.request(words, fails=True)
        self.request(words)

    def request(self, words: int, *, calls: int = 0, fails: bool = False) -> None:
        """Send the history, and keep the answer."""
        self._now += 37.5
        body = self._body()
        with self.noted.note_state() as state:
            decision = self.trimmer.decide(body)
        self.plans.append(decision.plan)
        answer = None if fails else self._answer(words, calls)
        exchange = Exchange(
            api=self.api,
            app="ferries",
            body=as_json(body),
            started=line_time(self._now),
            ended=line_time(self._now + 1.5),
            chat=decision.chat,
            settings=settings_fields(self.settings),
            plan=plan_fields(decision.plan),
            live_plan=decision.plan,
            mode="trim",
            state=state,
        )
        told = {"status": 429, "error": "too many"} if answer is None else {"response": self._response(answer)}
        assert self.recorder.record(replace(exchange, **told), 30)
        self.history += [_respelled(item) for item in answer or []] if self.respells else answer or []

    def messages(self) -> list[tuple[Any, ...]]:
        """What was said so far, as our messages say it."""
        form, body = FORMS[self.api], self._body()
        request = form.open(body, True, lambda _: False)
        read = [*request.systems, *(m for _, group in form.groups(request.items) for m in group)]
        return [gist_of(message) for message in read]

    def _body(self) -> dict[str, Any]:
        described = {"name": TOOL, "description": "when ferries leave"}
        schema, history = {"type": "object"}, as_json(self.history)
        body: dict[str, Any] = {
            "model": MODELS[self.api],
            "tools": [{"type": "function", **described, "parameters": schema}],
        }
        match self.api:
            case "anthropic":
                tools = [{**described, "input_schema": schema}]
                return {**body, "max_tokens": 99, "system": self.system, "tools": tools, "messages": history}
            case "responses":
                return {**body, "instructions": self.system, "input": history}
            case "gemini":
                tools = [{"functionDeclarations": [{**described, "parameters": schema}]}]
                system = {"parts": [{"text": self.system}]}
                return {**body, "systemInstruction": system, "tools": tools, "contents": history}
        tools = [{"type": "function", "function": {**described, "parameters": schema}}]
        return {**body, "tools": tools, "messages": [{"role": "system", "content": self.system}, *history]}

    def _answer(self, words: int, calls: int) -> list[dict[str, Any]]:
        """The items of an answer."""
        text, ids = self._text("answer", words), [f"call_{next(self._numbers)}" for _ in range(calls)]
        self.usage[text] = 100 + len(self.usage)
        given = {"day": words, "at": "pier 9"}
        arguments = json.dumps(given)
        match self.api:
            case "anthropic":
                used = [{"type": "tool_use", "id": id, "name": TOOL, "input": given} for id in ids]
                return [{"role": "assistant", "content": [{"type": "text", "text": text}, *used]}]
            case "responses":
                said = {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": text}]}
                call = {"type": "function_call", "name": TOOL, "arguments": arguments}
                return [said, *({**call, "call_id": id} for id in ids)]
            case "gemini":  # whose calls have no ids
                called = [{"functionCall": {"name": TOOL, "args": given}, "thoughtSignature": "c2ln"} for _ in ids]
                return [{"role": "model", "parts": [{"text": text}, *called]}]
        function = {"name": TOOL, "arguments": arguments}
        asked = [{"id": id, "type": "function", "function": function} for id in ids]
        return [{"role": "assistant", "content": text, **({"tool_calls": asked} if asked else {})}]

    def _response(self, answer: list[dict[str, Any]]) -> dict[str, Any]:
        reported, model = list(self.usage.values())[-1], {"model": MODELS[self.api]}
        usage = {"input_tokens": reported, "output_tokens": 5}
        match self.api:
            case "anthropic":
                return {"type": "message", **model, "stop_reason": "end_turn", "usage": usage, **answer[0]}
            case "responses":
                thought = {"type": "reasoning", "id": "rs_1", "summary": []}
                return {
                    "object": "response",
                    "status": "completed",
                    **model,
                    "output": [thought, *answer],
                    "usage": usage,
                }
        if self.api == "gemini":
            usage = {"promptTokenCount": reported, "candidatesTokenCount": 5, "totalTokenCount": reported + 5}
            candidate = {"content": answer[0], "finishReason": "STOP", "index": 0}
            return {"candidates": [candidate], "usageMetadata": usage, "modelVersion": MODELS[self.api]}
        usage = {"prompt_tokens": reported, "completion_tokens": 5, "total_tokens": reported + 5}
        choice = {"index": 0, "message": {**answer[0], "refusal": None}, "finish_reason": "stop"}
        return {"object": "chat.completion", **model, "choices": [choice], "usage": usage}

    def _results(self, words: int) -> list[dict[str, Any]]:
        called, text = self.history[-1], self._text("result", 3 * words)
        match self.api:
            case "anthropic":
                ids = [block["id"] for block in called["content"] if block["type"] == "tool_use"]
                return [{"type": "tool_result", "tool_use_id": id, "content": text} for id in ids]
            case "responses":
                ids = [item["call_id"] for item in self.history[-1 - words % 2 :]]
                return [{"type": "function_call_output", "call_id": id, "output": text} for id in ids]
            case "gemini":
                return [
                    {"functionResponse": {"name": TOOL, "response": {"output": text}}}
                    for part in called["parts"]
                    if "functionCall" in part
                ]
        return [{"role": "tool", "tool_call_id": call["id"], "content": text} for call in called["tool_calls"]]

    def _text(self, kind: str, words: int) -> str:
        return " ".join([f"{kind} {next(self._numbers)}", *["word"] * words])


def _respelled(item: dict[str, Any]) -> dict[str, Any]:
    """An item of an answer with the arguments of its calls written anew: other spaces, another order."""

    def anew(value: Any) -> Any:
        match value:
            case {"arguments": str(text)}:
                again = json.dumps(json.loads(text), separators=(",", ":"), sort_keys=True)
                return {**value, "arguments": again}
            case {"input": dict(given)}:
                return {**value, "input": dict(sorted(given.items()))}
            case {"args": dict(given)}:
                return {**value, "args": dict(sorted(given.items()))}
            case dict():
                return {name: anew(held) for name, held in value.items()}
            case list():
                return [anew(held) for held in value]
        return value

    return anew(item)


def gist_of(message) -> tuple[Any, ...]:
    """What a message says."""
    calls = [(call.id, call.name, call.arguments) for call in message.tool_calls]
    return message.role, message.content, calls, message.tool_call_id
