"""The same log as another app, gateway or export would have written it."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from benchmarks.sent.chats import Record
from benchmarks.sent.logs import Sent

Respell = Callable[[Sequence[Sent]], list[Sent]]


def without_session(log: Sequence[Sent]) -> list[Sent]:
    return [replace(sent, session="") for sent in log]


def out_of_order(log: Sequence[Sent]) -> list[Sent]:
    """Rows as batches bring them; their times say in which order they were sent."""
    timed = [replace(sent, number=k) for k, sent in enumerate(log)]
    random.Random(5).shuffle(timed)
    return timed


def written_anew(log: Sequence[Sent]) -> list[Sent]:
    """The histories as another serialiser writes them; answers as they came."""
    return [replace(sent, messages=[_anew(record) for record in sent.messages]) for sent in log]


def _anew(record: Record) -> Record:
    if calls := record.get("tool_calls"):
        written = [
            {**call, "function": {**call["function"], "arguments": _sorted(call["function"]["arguments"])}}
            for call in calls
        ]
        return {**record, "content": record["content"] or "", "tool_calls": written}
    if record["role"] == "user" and isinstance(record["content"], str):
        return {**record, "content": [{"type": "text", "text": record["content"]}]}
    return {**record, "content": f"{record['content']} "} if record["role"] == "assistant" else record


def _sorted(arguments: str) -> str:
    return json.dumps(json.loads(arguments), sort_keys=True, separators=(",", ":"))


def with_ids_renamed(log: Sequence[Sent]) -> list[Sent]:
    """The calls of the histories by the ids of a gateway; answers with those of the provider."""
    return [replace(sent, messages=[_renamed(record) for record in sent.messages]) for sent in log]


def _renamed(record: Record) -> Record:
    if record["role"] == "tool":
        return {**record, "tool_call_id": f"gw-{record['tool_call_id']}"}
    if calls := record.get("tool_calls"):
        return {**record, "tool_calls": [{**call, "id": f"gw-{call['id']}"} for call in calls]}
    return record


SPELLINGS: Mapping[str, Respell] = {
    "": list,
    ", no session": without_session,
    ", rows out of order": out_of_order,
    ", written anew": written_anew,
    ", ids renamed": with_ids_renamed,
}
