"""tau-bench and tau2-bench: runs of a customer-service task, each trial a conversation of its own.

    {"task_id": 13, "trial": 0, "reward": 1.0, "info": {…}, "traj": [messages]}
    {"info": {…}, "tasks": […], "simulations": [{"task_id": "13", "trial": 0, "messages": [messages]}]}

The second is tau2's: calls have `name` and an object of `arguments`, results the `id` of their call, and the simulated
user may call tools of its own, which the agent doesn't see. Source: sierra-research/tau2-bench, data_model/.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from historylab.conversation.conversation import Conversation
from historylab.conversation.message import Message
from historylab.formats.base import Report, kind_of
from historylab.formats.files.content import Content
from historylab.formats.messages.chat_messages import pair_by_order
from historylab.formats.messages.record_groups import value_recogniser
from historylab.formats.messages.reported import read_reported
from historylab.formats.messages.usage import to_usage
from historylab.registry import register

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
    for where, value in content.values:
        items = [(f"{where}[{i}]", item) for i, item in enumerate(value)] if isinstance(value, list) else []
        for at, item in items or [(where, value)]:
            key = _runs_of(item)
            if key == "traj":
                yield _tau(item, at, report)
            elif key:
                yield from _tau2(item, at, report)
            else:
                report.skip(f"{kind_of(item)} without a run", at)


def _tau(run: dict[str, Any], where: str, report: Report) -> Conversation:
    records = [(f"{where} traj[{i}]".strip(), record) for i, record in enumerate(run["traj"])]
    messages = [message for at, record in records if (message := _read(record, at, report))]
    return _conversation(run, messages, "traj", {}, where, report)


def _tau2(file: dict[str, Any], where: str, report: Report) -> Iterator[Conversation]:
    said, policy = _read_info(file.get("info"))
    report.leave(file, {"simulations", "info", "timestamp", "tasks"}, where)
    for number, run in enumerate(file["simulations"]):
        at = f"{where} simulations[{number}]".strip()
        if not isinstance(run, dict) or not isinstance(run.get("messages"), list) or not run["messages"]:
            report.skip(TICKS if isinstance(run, dict) and run.get("ticks") else f"{kind_of(run)} without messages", at)
            continue
        messages = [
            message
            for i, record in enumerate(run["messages"])
            for message in _tau2_messages(record, f"{at} messages[{i}]", report)
        ]
        if policy and messages and messages[0].role != "system":
            report.records += 1
            report.warn(POLICY, where)
            messages.insert(0, Message("system", policy))
        yield _conversation(run, messages, "messages", said, at, report)


def _conversation(
    run: dict[str, Any], messages: list[Message], key: str, said: dict[str, Any], where: str, report: Report
) -> Conversation:
    beside = {**said, **{name: value for name, value in run.items() if name not in (key, "ticks")}}
    for name in beside:
        if name not in READ_BESIDE:
            report.keep(name, where)
    title = f"task {run['task_id']}" + (f", trial {run['trial']}" if "trial" in run else "") if "task_id" in run else ""
    return Conversation(pair_by_order(messages), title, beside)


def _read_info(info: Any) -> tuple[dict[str, Any], str]:
    """The agent's model and tools in a tau2 file, and the domain's policy."""
    agent, domain = _object(info, "agent_info"), _object(info, "environment_info")
    said: dict[str, Any] = {"model": agent.get("llm"), "parameters": agent.get("llm_args")}
    said["tools"] = domain.get("tool_defs")
    policy = domain.get("policy")
    return {name: value for name, value in said.items() if value}, policy if isinstance(policy, str) else ""


def _tau2_messages(record: Any, where: str, report: Report) -> list[Message]:
    """The messages of one record: several results may share one."""
    if isinstance(record, dict) and isinstance(record.get("tool_messages"), list):
        held = [(f"{where} tool_messages[{i}]", item) for i, item in enumerate(record["tool_messages"])]
        return [message for at, item in held for message in _tau2_messages(item, at, report)]
    if not isinstance(record, dict):
        report.skip(f"{kind_of(record)}, not an object", where)
        return []
    calls = record.get("tool_calls")
    if record.get("requestor") == "user" or (record.get("role") == "user" and calls):
        report.pass_over("a tool of the simulated user, which the agent doesn't see", where)
        return []
    given = {name: value for name, value in record.items() if name not in LABELS}
    if record.get("role") == "tool":
        given["tool_call_id"] = given.pop("id", None)
    if isinstance(calls, list):
        given["tool_calls"] = [_call(call) for call in calls]
    message = _read(given, where, report)
    if not message:
        return []
    usage = to_usage(record.get("usage")) if message.role == "assistant" else None
    metadata = {**message.metadata, **({"usage": usage} if usage else {})}
    if record.get("error") is True:
        metadata["is_error"] = True
    return [replace(message, metadata=metadata)]


def _call(call: Any) -> Any:
    if not isinstance(call, dict) or "function" in call:
        return call
    function = {"name": call.get("name"), "arguments": call.get("arguments")}
    labels = {"name", "arguments", "requestor"}
    return {**{name: value for name, value in call.items() if name not in labels}, "function": function}


def _read(record: Any, where: str, report: Report) -> Message | None:
    if isinstance(record, dict):
        return read_reported(record, where, report)
    report.skip(f"{kind_of(record)}, not an object", where)
    return None


def _object(value: Any, key: str) -> dict[str, Any]:
    found = value.get(key) if isinstance(value, dict) else None
    return found if isinstance(found, dict) else {}
