"""What the AI SDK leaves of a conversation, driven by hand: one script of Node's for all requests."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from itertools import takewhile
from typing import Any

Sent = list[tuple[Any, ...]]
SCRIPT = """
import { createRequire } from 'node:module'
import { pathToFileURL } from 'node:url'
const { pruneMessages } = await import(pathToFileURL(createRequire(process.cwd() + '/').resolve('ai')))
let text = ''
for await (const chunk of process.stdin) text += chunk
const { histories, options } = JSON.parse(text)
console.log(JSON.stringify(histories.map(messages => pruneMessages({ messages, ...options }))))
"""


def pruned(conversation: Any, **options: Any) -> Iterator[Sent]:
    """Each request's messages, by the package of the current folder or of NODE_PATH."""
    prompt = list(takewhile(lambda message: message.role == "system", conversation))
    said = list(conversation)[len(prompt) :]
    histories = [model_messages(said[: size - len(prompt)]) for size in conversation.columns.requests.tolist()]
    command = ["node", "--input-type=module", "--eval", SCRIPT]
    given = json.dumps({"histories": histories, "options": options})
    left = subprocess.run(command, input=given, capture_output=True, text=True, check=True).stdout
    for messages in json.loads(left):
        first: Sent = [("system", message.content, (), None) for message in prompt]
        yield first + [sent for message in messages for sent in tuples(message)]


def model_messages(messages: list[Any]) -> list[dict[str, Any]]:
    names = {call.id: call.name for message in messages for call in message.tool_calls}
    written: list[dict[str, Any]] = []
    for said in messages:
        if said.role == "tool":
            output = {"type": "text", "value": said.content}
            call = {"toolCallId": said.tool_call_id, "toolName": names[said.tool_call_id]}
            if written[-1]["role"] != "tool":
                written.append({"role": "tool", "content": []})
            written[-1]["content"].append({"type": "tool-result", **call, "output": output})
        elif said.role == "assistant":
            parts: list[dict[str, Any]] = [{"type": "text", "text": said.content}] if said.content else []
            for call in said.tool_calls:
                asked = {"toolCallId": call.id, "toolName": call.name, "input": json.loads(call.arguments)}
                parts.append({"type": "tool-call", **asked})
            written.append({"role": "assistant", "content": parts})
        else:
            written.append({"role": said.role, "content": said.content})
    return written


def tuples(message: dict[str, Any]) -> Sent:
    content = message["content"]
    if message["role"] == "tool":
        return [("tool", part["output"]["value"], (), part["toolCallId"]) for part in content]
    if isinstance(content, str):
        return [(message["role"], content, (), None)]
    text = "".join(part["text"] for part in content if part["type"] == "text")
    calls = [part for part in content if part["type"] == "tool-call"]
    return [(message["role"], text, tuple((c["toolCallId"], c["toolName"], c["input"]) for c in calls), None)]


DRIVERS = {"ai_sdk.pruneMessages": pruned}
