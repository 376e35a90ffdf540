"""tau-bench and tau2-bench: runs of a customer-service task, each trial a conversation of its own.

    {"task_id": 13, "trial": 0, "reward": 1.0, "info": {…}, "traj": [messages]}
    {"info": {…}, "tasks": […], "simulations": [{"task_id": "13", "trial": 0, "messages": [messages]}]}

The second is tau2's: calls have `name` and an object of `arguments`, results the `id` of their call, and the simulated
user may call tools of its own, which the agent doesn't see. Source: sierra-research/tau2-bench, data_model/.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from historylab.conversation.conversation import Conversation
from historylab.conversation.message import Message, revise
from historylab.formats.base import Report, kind_of
from historylab.formats.files.content import Content
from historylab.formats.messages.chat_messages import pair_by_order
from historylab.formats.messages.fields import list_in, object_in, text_in
from historylab.formats.messages.record_groups import located_items, value_recogniser
from historylab.formats.messages.reported import read_reported
from historylab.formats.messages.usage import to_usage
from historylab.registry import register

MESSAGES = ("traj", "messages", "ticks")
READ_BESIDE = {"task_id", "trial", "model", "provider", "tools", "parameters"}
LABELS = {"requestor", "turn_idx", "cost", "usage", "raw_data", "is_audio", "generation_time_seconds", "error"}
LABELS |= {"is_final_chunk", "contains_speech", "utterance_ids", "source"}
POLICY = "the policy read as the system prompt; the instructions around it aren't recorded"
TICKS = "a voice run of ticks, which have no messages"


def _runs_of(value: Any) -> str:
    """The field under which an object holds a run or runs; empty if none does."""
    if not isinstance(value, dict):
        return ""
    if isinstance(value.get("traj"), list) and not isinstance(value.get("messages"), list):
        return "traj"
    runs = value.get("simulations")
    held = isinstance(runs, list) and any(isinstance(run, dict) and run.keys() & {"messages", "ticks"} for run in runs)
    return "simulations" if held else ""


@register("format", title="tau-bench", recognise=value_recogniser(_runs_of), marks="traj simulations")
def tau_bench(content: Content, report: Report) -> Iterator[Conversation]:
    """Runs of tau-bench and tau2-bench: each trial of a task is a conversation, with its reward."""
    for where, value in located_items(content.values):
        key = _runs_of(value)
        if key == "traj":
            messages = _messages(value[key], f"{where} traj".strip(), report)
            yield _conversation(value, messages, {}, where, report)
        elif key:
            yield from _tau2(value, where, report)
        else:
            report.skip(f"{kind_of(value)} without a run", where)


def _tau2(file: dict[str, Any], where: str, report: Report) -> Iterator[Conversation]:
    """The runs in a tau2 file, with the agent's model and tools, and the domain's policy."""
    agent, domain = (object_in(object_in(file, "info"), name) for name in ("agent_info", "environment_info"))
    told = {"model": agent.get("llm"), "parameters": agent.get("llm_args"), "tools": domain.get("tool_defs")}
    said, policy = {name: value for name, value in told.items() if value}, text_in(domain, "policy")
    report.leave(file, {"simulations", "info", "timestamp", "tasks"}, where)
    for at, run in located_items([(f"{where} simulations".strip(), file["simulations"])]):
        if not isinstance(run, dict) or not list_in(run, "messages"):
            report.skip(TICKS if isinstance(run, dict) and run.get("ticks") else f"{kind_of(run)} without messages", at)
            continue
        messages = _messages(run["messages"], f"{at} messages", report)
        if policy and messages and messages[0].role != "system":
            report.records += 1
            report.warn(POLICY, where)
            messages.insert(0, Message("system", policy))
        yield _conversation(run, messages, said, at, report)


def _conversation(
    run: dict[str, Any], messages: list[Message], said: dict[str, Any], where: str, report: Report
) -> Conversation:
    beside = {**said, **{name: value for name, value in run.items() if name not in MESSAGES}}
    for name in [name for name in beside if name not in READ_BESIDE]:  # a reward of 0 among them
        report.keep(name, where)
    title = f"task {run['task_id']}" + (f", trial {run['trial']}" if "trial" in run else "") if "task_id" in run else ""
    return Conversation(pair_by_order(messages), title, beside)


def _messages(records: list[Any], where: str, report: Report) -> list[Message]:
    return [message for at, record in located_items([(where, records)]) for message in _read(record, at, report)]


def _read(record: Any, where: str, report: Report) -> list[Message]:
    """The messages of one record: several results may share one."""
    if not isinstance(record, dict):
        report.skip(f"{kind_of(record)}, not an object", where)
        return []
    if isinstance(record.get("tool_messages"), list):
        return _messages(record["tool_messages"], f"{where} tool_messages", report)
    role, calls = record.get("role"), record.get("tool_calls")
    if record.get("requestor") == "user" or (role == "user" and calls):
        report.pass_over("a tool of the simulated user, which the agent doesn't see", where)
        return []
    given = {name: value for name, value in record.items() if name not in LABELS}
    if role == "tool" and "tool_call_id" not in record:
        given["tool_call_id"] = given.pop("id", None)
    if isinstance(calls, list):
        given["tool_calls"] = [_call(call) for call in calls]
    message = read_reported(given, where, report)
    usage = to_usage(record.get("usage")) if role == "assistant" else None
    more = ({"usage": usage} if usage else {}) | ({"is_error": True} if record.get("error") is True else {})
    if message and more:
        message = revise(message, metadata={**message.metadata, **more})
    return [message] if message else []


def _call(call: Any) -> Any:
    """A call as Chat Completions has it."""
    if not isinstance(call, dict) or "function" in call:
        return call
    labels = {"name", "arguments", "requestor"}
    function = {"name": call.get("name"), "arguments": call.get("arguments")}
    return {**{name: value for name, value in call.items() if name not in labels}, "function": function}
