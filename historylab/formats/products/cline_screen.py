"""The screen of a task of Cline, Roo Code or Kilo Code: `ui_messages.json`, where nothing else is given.

What a person said is in it whole. What stands from one request to the next is an answer: what the model said, and the
tools it asked for, in the words of the screen. `tokensIn` leaves out what the cache holds; Roo Code 3.29 and Kilo Code
4.119, which name the `apiProtocol`, began to count it in.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from historylab.conversation.conversation import Conversation
from historylab.formats.base import Report, kind_of
from historylab.formats.files.content import Content
from historylab.formats.messages.anthropic_blocks import text_block
from historylab.formats.messages.fields import list_in, text_in, unpack_json
from historylab.formats.messages.paths import Located, value_at
from historylab.formats.messages.record_groups import located_items
from historylab.formats.shapes.records import read_records
from historylab.registry import register

SOURCE = "cline/cline, src/shared/ExtensionMessage.ts, 3.89; RooCodeInc/Roo-Code, packages/types/src/message.ts, 3.53"
CHECKED = "minh2416294/clinescope, examples/extension"

USERS = {"task", "user_feedback", "user_feedback_diff"}
WORDS = {"text": "", "completion_result": "", "plan_mode_respond": "response", "followup": "question"}
"""Kind of what the model says → its field, where the text is JSON."""
COUNTS = ("tokensIn", "tokensOut", "cacheReads", "cacheWrites")
CHANGED = "HAS_CHANGES"
"""Stands behind the words of a result that has changed files."""
CALLS = {"tool", "command", "use_mcp_server", "browser_action_launch", "browser_action"}
RESULTS = {"command_output", "mcp_server_response", "browser_action_result"}
OF_SCREEN = {"tool", "toolName", "serverName", "operationIsLocatedInWorkspace", "startLineNumbers", "isProtected"}
"""Fields of a call that are no arguments of it."""
OF_PROGRAM = {
    *("checkpoint_created", "checkpoint_saved", "task_progress", "api_req_finished", "api_req_retried", "info"),
    *("api_req_retry_delayed", "api_req_deleted", "api_req_failed", "deleted_api_reqs", "error", "diff_error"),
    *("resume_task", "resume_completed_task", "mcp_server_request_started", "shell_integration_warning"),
    *("load_mcp_documentation", "clineignore_error", "rooignore_error", "user_edit_todos", "hook_status"),
    *("mistake_limit_reached", "auto_approval_max_req_reached", "condense_context", "sliding_window_truncation"),
}


def shown_kind(record: Any) -> str:
    """The kind of what a screen said or asked; "" of any other record."""
    if not isinstance(record, dict) or "ts" not in record or "role" in record:
        return ""
    kind = record.get("type")
    return (text_in(record, kind) or "") if kind in ("say", "ask") else ""


def request_usage(request: Mapping[str, Any]) -> dict[str, int]:
    """The tokens of a request, those that the cache holds apart."""
    given = unpack_json(request.get("text"))
    told = given if isinstance(given, dict) else {}
    taken, output, reads, writes = (count_in(told, name) for name in COUNTS)
    if "apiProtocol" in told and taken >= reads + writes:
        taken -= reads + writes
    return {"input": taken, "output": output, "cache_reads": reads, "cache_writes": writes}


def count_in(told: Mapping[str, Any], name: str) -> int:
    """The count under that name; 0 if there is none."""
    value = told.get(name)
    return value if type(value) is int and value > 0 else 0


def looks_like_screen(content: Content) -> float:
    """1 for a list of which most records are what a screen said or asked."""
    kinds = [shown_kind(value) for _, value in located_items(content.values[:1])]
    return 1 if sum(map(bool, kinds)) * 2 > len(kinds) else 0


@register("format", title="Cline's screen", recognise=looks_like_screen, source=SOURCE, checked=CHECKED)
def cline_screen(content: Content, report: Report) -> Iterator[Conversation]:
    """Tasks of Cline, Roo Code or Kilo Code as their screen showed them, without what was sent beside it."""
    screen = _Screen(report)
    for where, record in located_items(content.values):
        screen.add(where, record)
    yield from read_records(screen.said, report)


class _Screen:
    """The messages that a screen showed: what people said, and each answer whole."""

    def __init__(self, report: Report):
        self.said: list[Located] = []
        self._report = report
        self._request: dict[str, Any] = {}
        self._answer: list[dict[str, Any]] | None = None  # the parts of the one that is being read

    def add(self, where: str, record: Any) -> None:
        """Take over the next record."""
        kind = shown_kind(record)
        text = text_in(record, "text") or "" if kind else ""
        if not kind:
            self._report.skip(f"{kind_of(record)} that is nothing shown", where)
        elif kind == "api_req_started":
            self._request, self._answer = record, None
        elif kind in USERS or (kind == "text" and not self.said):
            self._answer = None
            images = [{"type": "image"} for _ in list_in(record, "images")]
            self.said.append((where, {"role": "user", "parts": [text, *images], "time": record["ts"]}))
        elif kind in OF_PROGRAM or not text or (kind in CALLS and record.get("partial")):
            self._report.pass_over(f"what the screen showed of the program ({kind[:40]})", where)
        elif kind in RESULTS and (call := self._last_call()):
            call["result"] = f"{call['result']}\n{text}" if "result" in call else text
        elif part := _part(kind, text, record):
            self._parts(where, record).append(part)
        else:
            self._report.skip(f"a record of kind {kind[:40]!r}", where)

    def _parts(self, where: str, record: dict[str, Any]) -> list[dict[str, Any]]:
        """The parts of the answer that a record belongs to."""
        if self._answer is None:
            model = value_at(record.get("modelInfo") or self._request.get("modelInfo"), "modelId")
            about = {"time": record.get("ts"), "model": model, "usage": request_usage(self._request)}
            self._request, self._answer = {}, []
            self.said.append((where, {"role": "assistant", "parts": self._answer, **about}))
        return self._answer

    def _last_call(self) -> dict[str, Any] | None:
        return next((part for part in reversed(self._answer or ()) if part["type"] == "call"), None)


def _part(kind: str, text: str, record: dict[str, Any]) -> dict[str, Any] | None:
    """The part of an answer that was shown so; None if it is none."""
    given = unpack_json(text)
    told = given if isinstance(given, dict) else {}
    if kind == "reasoning":
        return {"type": "thinking", "text": text}
    if kind in WORDS:
        words = text_in(told, WORDS[kind]) if WORDS[kind] else None
        return text_block(words or text.removesuffix(CHANGED))
    if kind not in CALLS:
        return None
    name = text_in(told, "toolName") or text_in(told, "tool") or kind
    taken = {field: held for field, held in told.items() if field not in OF_SCREEN} or {kind: text}
    return {"type": "call", "id": str(record["ts"]), "name": name, "arguments": taken}
