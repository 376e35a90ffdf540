"""Messages of Claude Code's that stand in no message: what its attachments gave the model, and local commands.

Newer versions keep the words that were sent (`rendered`); of older ones the fields with words are told under the name
of the attachment. A prompt typed while the model works is its person's, in their own words. Checked against the
readers of daaain/claude-code-log (1.5) and kenn-io/agentsview (0.40), and the records that both test with.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from historylab.conversation.injected import REMINDER
from historylab.formats.messages.branching import join_texts
from historylab.formats.messages.fields import object_in, objects_under, text_in

PLACE = "filename path displayPath planFilePath uri"
FIELDS: Mapping[str, list[str]] = {
    kind: fields.split()
    for fields, kinds in {
        "addedLines removedTypes": "agent_listing_delta",
        "agentType": "agent_mention",
        "response": "async_hook_response",
        PLACE: "compact_file_reference edited_image_file opened_file_in_ide pdf_reference",
        "content": "critical_system_reminder hook_success nested_memory skill_listing task_reminder todo todo_reminder",
        "newDate": "date_change",
        "addedLines removedNames": "deferred_tools_delta",
        "files": "diagnostics",
        f"{PLACE} content": "directory file",
        "skillNames": "dynamic_skill",
        f"{PLACE} snippet": "edited_text_file",
        "hookName content message blockingError": "hook_additional_context hook_blocking_error"
        " hook_stopped_continuation",
        "skills": "invoked_skills",
        "addedBlocks removedNames": "mcp_instructions_delta",
        "server uri content": "mcp_resource",
        "style": "output_style",
        f"{PLACE} planContent": "plan_file_reference",
        "banner": "read_truncation_notice",
        "memories": "relevant_memories",
        f"{PLACE} lineStart lineEnd content": "selected_lines_in_ide",
        "taskId description status deltaSummary": "task_status",
        "messages": "teammate_mailbox",
    }.items()
    for kind in kinds.split()
}
"""Kind of an attachment → the fields in which the model was told something, as far as the file has the words."""

METERS = {"total_tokens_reminder", "token_usage", "output_token_usage", "budget_usd"}
"""Kinds that tell with every request how much is left."""

UNSAID = METERS | {
    "already_read_file", "artifact_opening_prefetch", "auto_mode", "auto_mode_exit", "bash_output_audience_note",
    "batching_reminder_sent", "command_permissions", "companion_intro", "compaction_reminder", "context_efficiency",
    "credential_org", "current_session_memory", "date", "deferred_tools_record", "environment", "goal_status",
    "hook_cancelled", "hook_error_during_execution", "hook_non_blocking_error", "hook_permission_decision",
    "hook_system_message", "inlined_image_paths", "instructions", "max_turns_reached", "model", "plan_mode",
    "plan_mode_exit", "plan_mode_reentry", "prompt_snapshot", "remote_session_change", "session_context",
    "silent_turn_reminder", "structured_output", "team_context", "thinking_drop", "ultra_effort_enter",
    "ultra_effort_exit", "ultrathink_effort", "verify_plan_reminder",
}  # fmt: skip
"""Kinds that are not sent, or of which nothing but `rendered` has the words."""

TOLD_OF = ("SessionStart", "UserPromptSubmit", "SubagentStart")
"""Events whose hooks tell the model what they put out."""

NO_WORDS = {"type", "filePath", "base64", "activeForm"}
MOST_DEPTH = 6


def sent_content(record: Mapping[str, Any]) -> str | list[Any] | None:
    """The content of the message that a record without one was sent as; None where the file has no words of any."""
    if record.get("type") == "system":
        return text_in(record, "content") if record.get("subtype") == "local_command" else None
    held = record.get("attachment") if record.get("type") == "attachment" else None
    if not isinstance(held, dict) or not isinstance(kind := held.get("type"), str) or kind in METERS:
        return None
    if kind == "queued_command" and isinstance(prompt := held.get("prompt"), str | list):
        return prompt
    if isinstance(record.get("rendered"), list):
        return [b for each in objects_under(record, "rendered") for b in _blocks(each.get("content"))] or None
    if kind == "hook_success" and held.get("hookEvent") not in TOLD_OF:
        return None
    words = [word for field in FIELDS.get(kind, ()) for word in _words(held.get(field))]
    return _frame(kind, held, words) if words else None


def prompt_in(record: Any) -> str:
    """The system prompt of the requests that follow a snapshot of it; empty for any other record."""
    held = object_in(record, "attachment") if isinstance(record, dict) else {}
    return "\n\n".join(_words(held.get("systemPrompt"))) if held.get("type") == "prompt_snapshot" else ""


def is_known(record: Mapping[str, Any]) -> bool:
    """Tell whether an attachment is of a kind that is known."""
    kind = text_in(object_in(record, "attachment"), "type")
    return kind in FIELDS or kind in UNSAID or kind == "queued_command"


def is_of_program(record: Mapping[str, Any]) -> bool:
    """Tell whether no person typed what a record, or the attachment in it, holds: its origin is no human."""
    held = record["attachment"] if record.get("type") == "attachment" else record
    origin = object_in(held, "origin")
    if held.get("isMeta") or origin.get("kind") not in (None, "human"):
        return True
    if held is record:
        turned = None if origin else held.get("turnOrigin")
        return turned not in (None, "human") or held.get("isVisibleInTranscriptOnly") is True
    if held["type"] != "queued_command" or held.get("commandMode") == "task-notification":
        return True
    return join_texts(_words(held.get("prompt"))).lstrip().startswith("<task-notification>")


def _frame(kind: str, held: dict[str, Any], words: list[str]) -> list[Any]:
    """The text that the model was told, under its name; an image of a file beside it."""
    name = f"Contents of {held.get('path')}" if kind == "nested_memory" else kind.replace("_", " ")
    image = [{"type": "image"}] if object_in(held, "content").get("type") == "image" else []
    return [*_blocks("\n".join((REMINDER, f"{name}:", *words, f"</{REMINDER[1:]}"))), *image]


def _blocks(content: Any) -> list[Any]:
    return [{"type": "text", "text": content}] if isinstance(content, str) else content if type(content) is list else []


def _words(value: Any, depth: int = MOST_DEPTH) -> Iterator[str]:
    """The texts in a value, and a number that stands alone."""
    if type(value) is int and depth == MOST_DEPTH:
        yield str(value)
    elif isinstance(value, str) and value.strip():
        yield value
    elif isinstance(value, list | dict) and depth:
        held = value if isinstance(value, list) else [v for name, v in value.items() if name not in NO_WORDS]
        for each in held:
            yield from _words(each, depth - 1)
