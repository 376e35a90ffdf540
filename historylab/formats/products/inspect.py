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
THOUGHTS = ("reasoning", "summary")
HEADERS = ("header.json", "_journal/start.json")


def _samples(value: Any) -> list[tuple[str, Any]]:
    """The samples of a log with their locations, or the one that a value is; empty if it is neither."""
    if not isinstance(value, dict):
        return []
    if isinstance(value.get("eval"), dict) and isinstance(value.get("samples"), list):
        return [(f"samples[{i}]", sample) for i, sample in enumerate(value["samples"])]
    is_sample = isinstance(value.get("messages"), list) and "epoch" in value and {"target", "input"} <= value.keys()
    return [("", value)] if is_sample else []


@register("format", title="Inspect log", recognise=value_recogniser(_samples), marks="eval samples")
def inspect(content: Content, report: Report) -> Iterator[Conversation]:
    """The samples of an evaluation, each epoch a conversation, with the usage of the model's answers."""
    for where, value in located_items(content.values):
        samples, about = _samples(value), _about(value) or _about(_header(content))
        if not samples:
            report.skip(f"{kind_of(value)} without samples", where)
        for key, sample in samples:
            at = f"{where} {key}".strip()
            if isinstance(sample, dict) and isinstance(sample.get("messages"), list):
                yield _conversation(sample, about, at, report)
            else:
                report.skip(f"a sample that is {kind_of(sample)}, or without messages", at)


def _about(log: dict[str, Any]) -> dict[str, Any]:
    """The metadata of all samples of an evaluation: the task, the model, its parameters."""
    said = log["eval"] if isinstance(log, dict) and isinstance(log.get("eval"), dict) else {}
    about: dict[str, Any] = {"task": said.get("task"), "parameters": _parameters(said.get("model_generate_config"))}
    if isinstance(name := said.get("model"), str):
        provider, _, model = name.partition("/")
        about |= {"model": model.rpartition("/")[2], "provider": provider} if model else {"model": name}
    config = said.get("config")
    about["epochs"] = config.get("epochs") if isinstance(config, dict) else None
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
    texts = sample["attachments"] if isinstance(sample.get("attachments"), dict) else {}
    events = _Events(sample.get("events"))
    read = (
        _message(given, texts, f"{where} messages[{i}]".strip(), report) for i, given in enumerate(sample["messages"])
    )
    messages = [events.said_of(message) for message in read if message]
    sent = events.sent(messages, lambda given: _message(given, texts, where, Report()))
    said = {**about, **events.about}
    epochs = said.pop("epochs", None)
    task, number, epoch = said.get("task"), sample.get("id"), sample.get("epoch")
    title = f"{task}, sample {number}" if task else f"sample {number}"
    if epoch not in (None, 1) or epochs not in (None, 1):
        title += f", epoch {epoch}"
    beside = {k: v for k, v in sample.items() if k not in READ_OF_SAMPLE and v not in NOTHING}
    for name in beside:
        report.keep(name, where)
    return Conversation(pair_by_order(messages), title, {**beside, **said, **(sent_metadata(sent) if sent else {})})


def _message(given: Any, texts: Mapping[str, Any], where: str, report: Report) -> Message | None:
    """One message, with its attachments put in and its reasoning kept apart."""
    if not isinstance(given, dict):
        report.skip(f"{kind_of(given)}, not an object", where)
        return None
    fields = {name: held for name, held in given.items() if name not in LABELS}
    content, thoughts = _content(given.get("content"), texts)
    failed = given["error"].get("message") if isinstance(given.get("error"), dict) else None
    fields["content"] = content or failed if isinstance(failed, str) else content
    if isinstance(calls := given.get("tool_calls"), list):
        fields["tool_calls"] = [_call(call, texts) for call in calls]
    if isinstance(given.get("function"), str):
        fields["name"] = given["function"]
    message = read_reported(fields, where, report)
    if not message:
        return None
    said: dict[str, Any] = {"thinking": thoughts} if thoughts else {}
    said |= {"model": given["model"]} if given.get("model") else {}
    said |= {"source": given["source"]} if given.get("source") else {}
    said |= {"is_error": True} if given.get("error") else {}
    said |= {"error": failed} if content and failed else {}
    return replace(message, metadata={**message.metadata, **said}, source=given)


def _content(content: Any, texts: Mapping[str, Any]) -> tuple[Any, str]:
    """A content without its reasoning, and that reasoning."""
    if not isinstance(content, list):
        return _resolve_attachment(content, texts), ""
    parts: list[Any] = []
    thoughts: list[str] = []
    for part in content:
        if not isinstance(part, dict) or part.get("type") != "reasoning":
            parts.append(
                {k: _resolve_attachment(v, texts) for k, v in part.items()} if isinstance(part, dict) else part
            )
        elif not part.get("redacted") or part.get("summary"):
            found = (_resolve_attachment(part[name], texts) for name in THOUGHTS if part.get(name))
            thoughts += [text for text in [next(found, None)] if isinstance(text, str)]
    return parts, "\n".join(thoughts)


def _call(call: Any, texts: Mapping[str, Any]) -> Any:
    """A call as Chat Completions has it."""
    if not isinstance(call, dict) or not isinstance(call.get("function"), str):
        return call
    arguments = call.get("arguments")
    if isinstance(arguments, dict):
        arguments = {name: _resolve_attachment(held, texts) for name, held in arguments.items()}
    return {"id": call.get("id"), "type": "function", "function": {"name": call["function"], "arguments": arguments}}


def _resolve_attachment(text: Any, texts: Mapping[str, Any]) -> Any:
    if isinstance(text, str) and text.startswith(ATTACHED):
        return texts.get(text.removeprefix(ATTACHED), text)
    return text


class _Events:
    """The facts about messages in a sample's events: usage and time of an answer, time of a tool's result."""

    def __init__(self, given: Any):
        self.about: dict[str, Any] = {}
        self.answers: dict[str, dict[str, Any]] = {}  # id of a message → what is said of it
        self.results: dict[str, str | None] = {}  # id of a call → when it was answered
        self.requests: list[tuple[str, list[Any], dict[str, Any] | None]] = []
        """Of each request the id of its answer, what it was sent, and the compaction before it."""
        compaction: dict[str, Any] | None = None
        for event in given if isinstance(given, list) else ():
            if isinstance(event, dict) and event.get("event") == "model":
                if (key := self._answer(event)) and isinstance(event.get("input"), list) and event["input"]:
                    self.requests.append((key, event["input"], compaction))
                    compaction = None
            elif isinstance(event, dict) and event.get("event") == "compaction":
                compaction = event
            elif isinstance(event, dict) and event.get("event") == "tool" and isinstance(event.get("id"), str):
                self.results[event["id"]] = iso_time(event.get("completed") or event.get("timestamp"))

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
        known = {
            m.source["id"]: m for m in messages if isinstance(m.source, dict) and isinstance(m.source.get("id"), str)
        }
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
        output = event["output"] if isinstance(event.get("output"), dict) else {}
        choices = output.get("choices")
        tools, parameters = event.get("tools"), _parameters(event.get("config"))
        about: dict[str, Any] = {"tools": tools} if isinstance(tools, list) and tools else {}
        about |= {"parameters": parameters} if parameters else {}
        time, first = iso_time(event.get("completed") or event.get("timestamp")), ""
        for choice in choices if isinstance(choices, list) else ():
            message = choice.get("message") if isinstance(choice, dict) else None
            if isinstance(message, dict) and isinstance(message.get("id"), str):
                self.answers[message["id"]] = {"usage": _usage(output.get("usage")), "time": time, "about": about}
                first = first or message["id"]
        return first


def _find_same(item: Any, known: Mapping[str, Message]) -> Message | None:
    """The message that was read from the same fields."""
    name = item.get("id") if isinstance(item, dict) else None
    message = known.get(name) if isinstance(name, str) else None
    return message if message is not None and message.source == item else None


def _summary(message: Message, compaction: dict[str, Any] | None) -> Message:
    """A message that is sent and was not said: after a compaction of the user's role its summary."""
    made = compaction is not None and compaction.get("type") == "summary" and message.role == "user"
    told = Message(message.role, message.content)
    return as_summary(told) if made else told


def _cut(compaction: dict[str, Any] | None) -> RecordedCut | None:
    if compaction is None:
        return None
    told = compaction["metadata"] if isinstance(compaction.get("metadata"), dict) else {}
    trigger = told.get("trigger") or compaction.get("type")
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
