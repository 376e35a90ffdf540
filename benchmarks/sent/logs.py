"""Requests as five formats hold them: LiteLLM's rows, a Langfuse export, OpenTelemetry spans, and bodies alone.

`written` makes the file of a log, `as_held` brings messages to what a format can carry: Anthropic's API has the system
prompt in one place and joins what one side says in a row.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from framework_apps import as_turns

from benchmarks.sent.chats import Record, size_of
from historylab.conversation.message import Message

FIRST = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
APART = timedelta(seconds=40)
CHAT_MODEL, MESSAGES_MODEL = "gpt-4.1", "claude-sonnet-4-5"


@dataclass(frozen=True)
class Sent:
    """A request as it was sent, its answer, and the session the app told of, if it did.

    `number`: which it was, where the rows of a log are in another order.
    """

    messages: Sequence[Record]
    answer: Record
    session: str = ""
    number: int | None = None


def in_order(log: Sequence[Sent]) -> list[Sent]:
    """The requests in the order in which they were sent."""
    return [sent for _, sent in sorted(_numbered(log), key=lambda one: one[0])]


def _numbered(log: Sequence[Sent]) -> list[tuple[int, Sent]]:
    return [(k if sent.number is None else sent.number, sent) for k, sent in enumerate(log)]


@dataclass(frozen=True)
class Held:
    """A message as it is compared: role, text, its calls (id, name, arguments as sorted JSON), the call it answers.

    Kinds of space are one, as a format that joins texts has its own between them.
    """

    role: str
    text: str
    calls: tuple[tuple[str, str, str], ...] = ()
    answers: str = ""


@dataclass(frozen=True)
class LogFormat:
    """How logs are written: `bodies` hold no answers, times or sessions; `joins` as Anthropic's API does."""

    name: str
    file: str
    write: Callable[[Sequence[Sent]], str]
    bodies: bool = False
    joins: bool = False

    def written(self, log: Sequence[Sent]) -> bytes:
        return self.write(log).encode()

    def as_held(self, messages: Sequence[Record | Message]) -> list[Held]:
        """The messages as this format can carry them."""
        found = [_held(m if isinstance(m, dict) else _record_of(m)) for m in messages]
        return list(_joined(found)) if self.joins else found


def _record_of(message: Message) -> Record:
    calls = [{"id": c.id, "function": {"name": c.name, "arguments": c.arguments}} for c in message.tool_calls]
    return {
        "role": message.role,
        "content": message.content,
        "tool_calls": calls,
        "tool_call_id": message.tool_call_id,
    }


def _held(record: Record) -> Held:
    calls = tuple(
        (call["id"], call["function"]["name"], _sorted(call["function"]["arguments"]))
        for call in record.get("tool_calls") or ()
    )
    content = record["content"]
    text = content if isinstance(content, str) else "\n".join(part["text"] for part in content or ())
    return Held(record["role"], " ".join(text.split()), calls, record.get("tool_call_id") or "")


def _sorted(arguments: str) -> str:
    try:
        return json.dumps(json.loads(arguments), sort_keys=True)
    except ValueError:
        return arguments


def _joined(messages: Sequence[Held]) -> Iterator[Held]:
    systems = [m.text for m in messages if m.role == "system"]
    found = [Held("system", " ".join(systems))] if systems else []
    for m in messages:
        last = found[-1].role if found else ""
        if m.role == last and m.role in ("user", "assistant"):
            text = " ".join(filter(None, (found[-1].text, m.text)))
            found[-1] = Held(m.role, text, found[-1].calls + m.calls)
        elif m.role != "system":
            found.append(m)
    yield from found


def _time(k: int) -> str:
    return (FIRST + k * APART).isoformat().replace("+00:00", "Z")


def _tokens(messages: Sequence[Record]) -> int:
    return sum(map(size_of, messages))


def _lines(rows: Sequence[Any]) -> str:
    return "\n".join(json.dumps(row, ensure_ascii=False) for row in rows)


def write_litellm(log: Sequence[Sent]) -> str:
    """Rows of LiteLLM's callback; each has a trace of its own where no session is told."""
    return _lines(
        [
            {
                "id": f"chatcmpl-{k}",
                "trace_id": sent.session or f"trace-{k}",
                "call_type": "acompletion",
                "response_cost": 0.001,
                "status": "success",
                "startTime": _time(k),
                "endTime": _time(k),
                "model": CHAT_MODEL,
                "custom_llm_provider": "openai",
                "model_map_information": {},
                "messages": sent.messages,
                "response": {
                    "object": "chat.completion",
                    "choices": [{"index": 0, "message": sent.answer}],
                    "usage": {
                        "prompt_tokens": _tokens(sent.messages),
                        "completion_tokens": size_of(sent.answer),
                    },
                },
                "metadata": {},
            }
            for k, sent in _numbered(log)
        ]
    )


def write_langfuse(log: Sequence[Sent]) -> str:
    """Traces with a generation each, the newest first, as they are exported."""
    return json.dumps(
        [
            {
                "id": f"trace-{k}",
                "name": "chat",
                **({"sessionId": sent.session} if sent.session else {}),
                "timestamp": _time(k),
                "observations": [
                    {
                        "id": f"generation-{k}",
                        "traceId": f"trace-{k}",
                        "type": "GENERATION",
                        "startTime": _time(k),
                        "endTime": _time(k),
                        "model": CHAT_MODEL,
                        "input": sent.messages,
                        "output": sent.answer,
                        "usageDetails": {"input": _tokens(sent.messages), "output": size_of(sent.answer)},
                        "level": "DEFAULT",
                    }
                ],
            }
            for k, sent in reversed(_numbered(log))
        ],
        ensure_ascii=False,
    )


def write_spans(log: Sequence[Sent]) -> str:
    """OTLP lines with a span each; the system prompt stands apart."""
    return _lines([{"resourceSpans": [{"scopeSpans": [{"spans": [_span(k, sent)]}]}]} for k, sent in _numbered(log)])


def _span(k: int, sent: Sent) -> Record:
    prompt = [m["content"] for m in sent.messages[:1] if m["role"] == "system"]
    said = {
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": "openai",
        "gen_ai.request.model": CHAT_MODEL,
        **({"gen_ai.conversation.id": sent.session} if sent.session else {}),
        **({"gen_ai.system_instructions": [{"type": "text", "content": prompt[0]}]} if prompt else {}),
        "gen_ai.input.messages": [_with_parts(m) for m in sent.messages[len(prompt) :]],
        "gen_ai.output.messages": [_with_parts(sent.answer)],
    }
    usage = {"input_tokens": _tokens(sent.messages), "output_tokens": size_of(sent.answer)}
    texts = ((key, value if isinstance(value, str) else json.dumps(value)) for key, value in said.items())
    start = int((FIRST + k * APART).timestamp()) * 10**9
    return {
        "traceId": f"{k + 1:032x}",
        "spanId": f"{k + 1:016x}",
        "name": f"chat {CHAT_MODEL}",
        "startTimeUnixNano": str(start),
        "endTimeUnixNano": str(start + 10**9),
        "attributes": [
            *({"key": key, "value": {"stringValue": text}} for key, text in texts),
            *({"key": f"gen_ai.usage.{name}", "value": {"intValue": str(n)}} for name, n in usage.items()),
        ],
    }


def _with_parts(record: Record) -> Record:
    if record["role"] == "tool":
        part = {"type": "tool_call_response", "id": record["tool_call_id"], "response": record["content"]}
        return {"role": "tool", "parts": [part]}
    content = record["content"] or ""
    texts = [content] if isinstance(content, str) else [part["text"] for part in content]
    calls = [
        {
            "type": "tool_call",
            "id": call["id"],
            "name": call["function"]["name"],
            "arguments": json.loads(call["function"]["arguments"]),
        }
        for call in record.get("tool_calls", ())
    ]
    return {"role": record["role"], "parts": [*({"type": "text", "content": t} for t in texts if t), *calls]}


def write_chat_bodies(log: Sequence[Sent]) -> str:
    return _lines([{"model": CHAT_MODEL, "messages": sent.messages} for sent in log])


def write_anthropic_bodies(log: Sequence[Sent]) -> str:
    """Bodies of the Messages API: what is said as system stands in its field, in blocks."""
    bodies = []
    for sent in log:
        prompt = [{"type": "text", "text": m["content"]} for m in sent.messages if m["role"] == "system"]
        turns = as_turns([m for m in sent.messages if m["role"] != "system"])
        body = {"model": MESSAGES_MODEL, "max_tokens": 1024, "messages": turns}
        bodies.append(body | ({"system": prompt} if prompt else {}))
    return _lines(bodies)


FORMATS = (
    LogFormat("LiteLLM", "spend.jsonl", write_litellm),
    LogFormat("Langfuse", "export.json", write_langfuse),
    LogFormat("OpenTelemetry", "spans.jsonl", write_spans),
    LogFormat("Chat Completions bodies", "bodies.jsonl", write_chat_bodies, bodies=True),
    LogFormat("Anthropic bodies", "turns.jsonl", write_anthropic_bodies, bodies=True, joins=True),
)
