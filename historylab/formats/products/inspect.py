"""Inspect evaluation logs: each sample and epoch is a conversation; model events have usage, times and tools.

A call has its function as text and an object of arguments. Long texts may stand in the sample's attachments. An
`.eval` file is a ZIP archive with an entry per sample. A model event has all that was sent.
Source: UKGovernmentBEIS/inspect_ai, log/_log.py, model/_chat_message.py and event/_compaction.py.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

from historylab.conversation.conversation import Conversation
from historylab.conversation.message import MOST_TOKENS, Message
from historylab.conversation.sent import RecordedCut, SentHistory, as_summary, sent_metadata
from historylab.errors import LoadError
from historylab.formats.base import NOTHING, Report, kind_of
from historylab.formats.files.content import Content
from historylab.formats.messages.chat_messages import iso_time, pair_by_order
from historylab.formats.messages.fields import list_in, object_in, text_in
from historylab.formats.messages.kept_records import keep_others
from historylab.formats.messages.paths import Located
from historylab.formats.messages.record_groups import located_items, value_recogniser
from historylab.formats.messages.reported import read_reported
from historylab.formats.messages.sent_view import SentView, find_messages
from historylab.formats.messages.usage import to_usage
from historylab.registry import register

ATTACHED = "attachment://"
LABELS = {"source", "model", "metadata", "function", "error", "parse_error", "internal"}
READ_OF_SAMPLE = {"messages", "events", "attachments", "input", "output", "store", "model_usage", "role_usage"}
"""Fields of a sample that are read, or that repeat what is."""

READS, WRITES = "input_tokens_cache_read", "input_tokens_cache_write"
PARAMETERS = ("temperature", "top_p", "max_tokens", "reasoning_effort", "reasoning_tokens", "seed")
HEADERS = ("header.json", "_journal/start.json")


def _samples(value: Any, where: str = "") -> list[Located]:
    """The samples of a log with their locations, or the one that a value is; empty if it is neither."""
    if not isinstance(value, dict):
        return []
    if isinstance(value.get("eval"), dict) and isinstance(value.get("samples"), list):
        return list(located_items([(f"{where} samples".strip(), value["samples"])]))
    is_sample = isinstance(value.get("messages"), list) and "epoch" in value and {"target", "input"} <= value.keys()
    return [(where, value)] if is_sample else []


@register("format", title="Inspect log", recognise=value_recogniser(_samples), marks="eval samples")
def inspect(content: Content, report: Report) -> Iterator[Conversation]:
    """The samples of an evaluation, each epoch a conversation, with the usage of the model's answers."""
    for where, value in located_items(content.values):
        samples, about = _samples(value, where), _about(value) or _about(_header(content))
        if not samples:
            report.skip(f"{kind_of(value)} without samples", where)
        for at, sample in samples:
            if isinstance(sample, dict) and isinstance(sample.get("messages"), list):
                yield _conversation(sample, about, at, report)
            else:
                report.skip(f"a sample that is {kind_of(sample)}, or without messages", at)


def _about(log: Any) -> dict[str, Any]:
    """The metadata of all samples of an evaluation: the task, the model, its parameters."""
    said = object_in(log, "eval") if isinstance(log, dict) else {}
    about: dict[str, Any] = {"task": said.get("task"), "parameters": _parameters(said.get("model_generate_config"))}
    if (name := text_in(said, "model")) is not None:
        provider, _, model = name.partition("/")
        about |= {"model": model.rpartition("/")[2], "provider": provider} if model else {"model": name}
    about["epochs"] = object_in(said, "config").get("epochs")
    return {key: value for key, value in about.items() if value}


def _header(content: Content) -> Any:
    """The header of the archive that a sample comes from, whose other files are no transcripts."""
    header: Any = None
    for name in content.siblings:
        if not name.startswith("samples/"):
            content.taken.add(name)
    for name in HEADERS:
        with suppress(KeyError, LoadError, IndexError):
            header = header or Content(content.siblings[name], name).values[0][1]
    return header


def _parameters(given: Any) -> dict[str, Any]:
    return {name: given[name] for name in PARAMETERS if isinstance(given, dict) and given.get(name) is not None}


def _conversation(sample: dict[str, Any], about: dict[str, Any], where: str, report: Report) -> Conversation:
    texts, events = object_in(sample, "attachments"), _Events(list_in(sample, "events"))
    records = located_items([(f"{where} messages".strip(), sample["messages"])])
    messages = [events.said_of(m) for at, given in records if (m := _message(given, texts, at, report))]
    sent = events.sent(messages, lambda given: _message(given, texts, where, Report()))
    said = {**about, **events.about}
    epochs = said.pop("epochs", None)
    task, number, epoch = said.get("task"), sample.get("id"), sample.get("epoch")
    title = f"{task}, sample {number}" if task else f"sample {number}"
    if epoch not in (None, 1) or epochs not in (None, 1):
        title += f", epoch {epoch}"
    keep_others(sample, READ_OF_SAMPLE, where, report)
    beside = {k: v for k, v in sample.items() if k not in READ_OF_SAMPLE and v not in NOTHING}
    return Conversation(pair_by_order(messages), title, {**beside, **said, **(sent_metadata(sent) if sent else {})})


def _message(given: Any, texts: Mapping[str, Any], where: str, report: Report) -> Message | None:
    """One message, with its attachments put in."""
    if not isinstance(given, dict):
        return read_reported(given, where, report)  # which says what it is
    fields = {name: _resolve(held, texts) for name, held in given.items() if name not in LABELS}
    failed, content = text_in(object_in(given, "error"), "message"), fields.get("content")
    if isinstance(content, list):
        content = [*_readable(content)]
    fields["content"] = content if failed is None else content or failed
    if isinstance(calls := fields.get("tool_calls"), list):
        fields["tool_calls"] = [_call(call) for call in calls]
    if isinstance(given.get("function"), str):
        fields["name"] = given["function"]
    message = read_reported(fields, where, report)
    told = {"model": given.get("model"), "source": given.get("source"), "is_error": bool(given.get("error"))}
    said = {name: held for name, held in {**told, "error": failed if content else None}.items() if held}
    return replace(message, metadata={**message.metadata, **said}, source=given) if message else None


def _resolve(value: Any, texts: Mapping[str, Any], levels: int = 8) -> Any:
    """The value with the attachments that its texts name."""
    if isinstance(value, str):
        return texts.get(value.removeprefix(ATTACHED), value) if value.startswith(ATTACHED) else value
    if isinstance(value, list) and levels:
        return [_resolve(each, texts, levels - 1) for each in value]
    if isinstance(value, dict) and levels:
        return {name: _resolve(each, texts, levels - 1) for name, each in value.items()}
    return value


def _readable(parts: list[Any]) -> Iterator[Any]:
    """The parts, of reasoning what can be read."""
    for part in parts:
        if not isinstance(part, dict) or part.get("type") != "reasoning":
            yield part
        elif not part.get("redacted") or part.get("summary"):
            yield {"type": "reasoning", "reasoning": part.get("reasoning") or part.get("summary") or ""}


def _call(call: Any) -> Any:
    """A call as Chat Completions has it."""
    if not isinstance(call, dict) or not isinstance(call.get("function"), str):
        return call
    function = {"name": call["function"], "arguments": call.get("arguments")}
    return {"id": call.get("id"), "type": "function", "function": function}


class _Events:
    """The facts about messages in a sample's events: usage and time of an answer, time of a tool's result."""

    def __init__(self, given: list[Any]):
        self.about: dict[str, Any] = {}
        self.answers: dict[str, dict[str, Any]] = {}  # id of a message → what is said of it
        self.results: dict[str, str | None] = {}  # id of a call → when it was answered
        self.requests: list[tuple[str, list[Any], dict[str, Any] | None]] = []
        """Of each request the id of its answer, what it was sent, and the compaction before it."""
        compaction: dict[str, Any] | None = None
        for event in (each for each in given if isinstance(each, dict)):
            kind = event.get("event")
            if kind == "model" and (key := self._answer(event)) and list_in(event, "input"):
                self.requests.append((key, event["input"], compaction))
                compaction = None
            elif kind == "compaction":
                compaction = event
            elif kind == "tool" and isinstance(event.get("id"), str):
                self.results[event["id"]] = _time(event)

    def said_of(self, message: Message) -> Message:
        """The message with what the events say of it."""
        if message.role == "assistant" and (said := self.answers.get(message.id or "")):
            self.about |= said["about"]
            metadata = {**message.metadata, **({"usage": said["usage"]} if said["usage"] else {})}
            return replace(message, metadata=metadata, timestamp=message.timestamp or said["time"])
        if message.role == "tool" and message.timestamp is None:
            return replace(message, timestamp=self.results.get(message.tool_call_id or ""))
        return message

    def sent(self, messages: Sequence[Message], read: Callable[[Any], Message | None]) -> list[SentHistory]:
        """The history sent by each request that wasn't sent all; `read` makes a message of what an event has."""
        at = {m.id: i for i, m in enumerate(messages) if m.role == "assistant" and m.id}
        known = {id: m for m in messages if isinstance(m.source, dict) and (id := text_in(m.source, "id")) is not None}
        view, compaction = SentView(), None
        for key, given, before in self.requests:
            size, compaction = at.get(key, 0), before or compaction
            if not size or (view.histories and size < view.histories[-1].size):
                continue
            history = [same if (same := _find_same(item, known)) else read(item) for item in given]
            found = find_messages(list(filter(None, history)), messages[:size])
            order = [_summary(each, compaction) if isinstance(each, Message) else each for each in found.order]
            if order != view.at(size) or found.shortened != view.shortened:
                view.put(size, order, _cut(compaction), shortened=found.shortened)
            compaction = None
        return view.histories

    def _answer(self, event: dict[str, Any]) -> str:
        """The id of the event's answer; empty without one."""
        output = object_in(event, "output")
        asked = {"tools": list_in(event, "tools"), "parameters": _parameters(event.get("config"))}
        about = {name: held for name, held in asked.items() if held}
        told = {"usage": _usage(output.get("usage")), "time": _time(event), "about": about}
        messages = [object_in(choice, "message") for choice in list_in(output, "choices") if isinstance(choice, dict)]
        ids = [id for message in messages if (id := text_in(message, "id")) is not None]
        self.answers |= dict.fromkeys(ids, told)
        return next(filter(None, ids), "")


def _time(event: dict[str, Any]) -> str | None:
    return iso_time(event.get("completed") or event.get("timestamp"))


def _find_same(item: Any, known: Mapping[str, Message]) -> Message | None:
    """The message that was read from the same fields."""
    message = known.get(text_in(item, "id") or "") if isinstance(item, dict) else None
    return message if message is not None and message.source == item else None


def _summary(message: Message, compaction: dict[str, Any] | None) -> Message:
    """A message that is sent and was not said: after a compaction of the user's role its summary."""
    made = compaction is not None and compaction.get("type") == "summary" and message.role == "user"
    told = Message(message.role, message.content)
    return as_summary(told) if made else told


def _cut(compaction: dict[str, Any] | None) -> RecordedCut | None:
    if compaction is None:
        return None
    trigger = object_in(compaction, "metadata").get("trigger") or compaction.get("type")
    counts = (compaction.get("tokens_before"), compaction.get("tokens_after"))
    before, after = (n if type(n) is int and 0 <= n <= MOST_TOKENS else None for n in counts)
    return RecordedCut(trigger if isinstance(trigger, str) else None, before, after, "Inspect")


def _usage(given: Any) -> dict[str, int] | None:
    """Tokens by field of `Usage`. Cache reads count within the input if that is how the total adds up."""
    usage = to_usage(given)
    if not usage:
        return None
    counts = {name: n if type(n := given.get(name)) is int and n > 0 else 0 for name in (READS, WRITES, "total_tokens")}
    usage |= {"cache_reads": counts[READS], "cache_writes": counts[WRITES]}
    if counts["total_tokens"] == usage["input"] + usage["output"]:
        usage["input"] = max(0, usage["input"] - counts[READS] - counts[WRITES])
    return usage
