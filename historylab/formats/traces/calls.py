"""Model calls of any log: the provider, the tokens it counted, and the calls as conversations."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from historylab.conversation.conversation import Conversation
from historylab.conversation.exchange import Exchange
from historylab.conversation.recorded import PROVIDER
from historylab.conversation.usage import MODEL
from historylab.formats.base import EMPTY_VALUES, Report
from historylab.formats.messages.bodies import tie_lone_calls
from historylab.formats.messages.observed import conversations_in
from historylab.formats.messages.secrets_beside import without_keys, without_secrets
from historylab.formats.messages.sized import sized_conversations
from historylab.formats.messages.usage import to_usage

PROVIDERS = {
    **dict.fromkeys(("gcp.gemini", "gcp.vertex_ai", "gcp.gen_ai", "vertex_ai", "vertexai", "gemini"), "google"),
    **dict.fromkeys(("google_genai", "google_vertexai", "google_ai_studio"), "google"),
    **dict.fromkeys(("azure.ai.openai", "az.ai.openai", "azure_openai", "azure", "openai.responses"), "openai"),
}
"""A provider as logs call it → as we do."""

EMPTY = "a model call that says neither messages nor usage"


def conversations_of(requests: Iterable[Exchange], report: Report) -> Iterator[Conversation]:
    """The conversations of logged calls: those with messages put together, those without as requests of known size."""
    texts, sizes = [], []
    for request in requests:
        if request.messages or request.answer:
            if not (request.messages and request.answer):
                report.warn(
                    f"a model call whose {'answer' if request.messages else 'input'} is not in the file", request.where
                )
            texts.append(request)
            continue
        for reason, tally in request.report.skipped.items() if request.report else ():
            report.skip(reason, tally.first)
        if request.usage:
            sizes.append(request)
        else:
            report.pass_over(EMPTY, request.where)
    yield from without_secrets(conversations_in(tie_lone_calls(texts), report), report)
    yield from without_secrets(sized_conversations(sizes, report), report)


def warn_of_failure(error: str, where: str, report: Report) -> None:
    """Name a model call that ended with an error."""
    report.warn(f"a model call that failed ({without_keys(error)[:60].splitlines()[0]})", where)


def provider_of(given: Any) -> dict[str, str]:
    """The provider as metadata; empty if nothing names one."""
    name = given.lower().partition("/")[0] if isinstance(given, str) else ""
    return {PROVIDER: PROVIDERS.get(name, name)} if name else {}


def model_of(*given: Any) -> dict[str, str]:
    """The first of these that is a name, as metadata; "models/gemini-…" and "openai/gpt-…" lose the way to them."""
    for name in given:
        if isinstance(name, str) and name:
            return {MODEL: name.removeprefix("models/")}
    return {}


def usage_by(get: Callable[..., Any], names: Mapping[str, str]) -> dict[str, int] | None:
    """Usage out of counts under other names, several for each; `get` finds the first of several."""
    counts = {ours: count for ours, theirs in names.items() if (count := read_count(get(*theirs.split())))}
    return to_usage(counts) if counts else None


def read_count(value: Any) -> int:
    """A count of tokens, given as a number or its text; 0 for anything else."""
    if value is None or isinstance(value, bool):
        return 0
    try:
        return max(0, int(float(value)))
    except (TypeError, ValueError, OverflowError):
        return 0


def first_of(row: Any) -> Callable[..., Any]:
    """Finds the first of several fields that says something."""

    def first(*names: str) -> Any:
        for name in names:
            if (value := row.get(name)) not in EMPTY_VALUES:
                return value
        return None

    return first
