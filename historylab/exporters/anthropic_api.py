"""`anthropic_api`: the context management that Anthropic's API does itself, as part of a Messages request.

Source: platform.claude.com/docs/en/build-with-claude/context-editing and …/compaction-threshold, and
`BetaContextManagementConfigParam` of the SDK for Python (2.12.0), on 2026-11-23.
"""

from collections.abc import Iterator, Sequence
from typing import Any

from historylab.exporters.base import FACTS, Difference
from historylab.exporters.server_side import (
    COMPACTION,
    compacted_from,
    compaction_difference,
    compacts,
    server_side,
    what_no_api_has,
)
from historylab.registry import register
from historylab.settings.model import Settings

USE = (
    "send the whole history by `client.beta.messages.create(**file['request'], …)`, and Anthropic's API edits it; "
    "without the SDK `betas` is the header `anthropic-beta`"
)
CLEAR = "tool_output.clear."
UNLIKE = (f"{CLEAR}keep_tokens", f"{CLEAR}longer_than")
LEAST = 50_000  # tokens from which on it compacts
BATCHES = "The API clears whatever is older than the newest, one result at a time."
ONLY = "Only clearing is carried."
SUMMARY = "Claude writes the summary, as long as it likes."


def differs(settings: Settings) -> Iterator[Difference]:
    has = [*(["tool_output"] if _clears(settings) else []), *(["compaction"] if compacts(settings) else [])]
    yield from what_no_api_has(settings, *has)
    if _clears(settings):
        if settings.tool_output != "clear":
            yield Difference(("tool_output",), ONLY)
        if settings.value(f"{CLEAR}batch") > 1:
            yield Difference((f"{CLEAR}batch",), BATCHES)
        if unlike := [name for name in UNLIKE if settings.value(name)]:
            yield Difference(tuple(unlike), "The API counts results, however long they are.")
    if compacts(settings):
        yield from compaction_difference(settings, SUMMARY)
        if compacted_from(settings) < LEAST:
            yield Difference((f"{COMPACTION}trigger",), f"The API takes {LEAST:,} at least.")


@register(
    "exporter",
    title="Anthropic API",
    use=USE,
    file_name="anthropic-context-management.json",
    mime="application/json",
    language="json",
    facts=frozenset(FACTS),
    differs=differs,
)
def anthropic_api(settings: Settings, names: Sequence[str]) -> str:
    """`context_management` of Anthropic's Messages API: what old tool results and compaction are set to."""
    edits, betas = [], []
    if _clears(settings):
        edits.append(_clear_tool_uses(settings))
        betas.append("context-management-2025-06-27")
    if compacts(settings):
        edits.append(_compaction(settings))
        betas.append("compact-2026-01-12")
    request = {"betas": betas, "context_management": {"edits": edits}}
    return server_side(settings, names, "anthropic_api", request)


def _clears(settings: Settings) -> bool:
    return "clear" in settings.tool_output.split("+")


def _clear_tool_uses(settings: Settings) -> dict[str, Any]:
    """In every request, if there is no trigger: from the first result on that is not among the newest."""
    keep, trigger, at_least = (settings.value(f"{CLEAR}{name}") for name in ("keep", "trigger", "at_least"))
    excluded = [name.strip() for name in settings.value(f"{CLEAR}exclude").split(",") if name.strip()]
    return {
        "type": "clear_tool_uses_20250919",
        "trigger": _tokens(trigger) if trigger else {"type": "tool_uses", "value": keep},
        "keep": {"type": "tool_uses", "value": keep},
        **({"clear_at_least": _tokens(at_least)} if at_least else {}),
        **({"exclude_tools": excluded} if excluded else {}),
        "clear_tool_inputs": False,
    }


def _compaction(settings: Settings) -> dict[str, Any]:
    """With the instructions for a model that summarises, if there are any; they replace Anthropic's own."""
    instructions = settings.value("summarizer.model.prompt") if settings.summarizer == "model" else ""
    said = {"instructions": instructions} if instructions else {}
    return {"type": "compact_20260112", "trigger": _tokens(max(LEAST, compacted_from(settings))), **said}


def _tokens(value: int) -> dict[str, Any]:
    return {"type": "input_tokens", "value": value}
