"""Model calls of any log: under which names it holds what of them, and the calls as conversations."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from historylab.conversation.conversation import Conversation
from historylab.conversation.exchange import Exchange
from historylab.conversation.recorded import PROVIDER
from historylab.conversation.usage import MODEL
from historylab.formats.base import Report
from historylab.formats.messages.bodies import tie_lone_calls
from historylab.formats.messages.fields import unpack_json
from historylab.formats.messages.observed import conversations_in
from historylab.formats.messages.secrets_beside import without_secrets
from historylab.formats.messages.sized import sized_conversations
from historylab.formats.messages.usage import to_usage
from historylab.formats.traces.attributes import Attributes
from historylab.formats.traces.logged import about_in, logged_answer, logged_input, usage_given
from historylab.formats.traces.spans import time_of
from historylab.secrets.redaction import without_keys

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
    if error:
        report.warn(f"a model call that failed ({without_keys(error)[:60].splitlines()[0]})", where)


def logged_call(given: Any, answered: Any, where: str, report: Report, failed: str = "") -> Exchange:
    """The call that went in as `given` and was `answered` so, in whatever shape; `failed`: the error it ended with."""
    warn_of_failure(failed, where, report)
    own = report.apart()
    sent, answer = logged_input(given, own, f"{where} input"), logged_answer(answered, own, f"{where} output")
    return Exchange(sent.messages, answer, about=sent.about, where=where, report=own)


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


@dataclass(frozen=True)
class CallNames:
    """Field of a call → its names, parted by blanks; the first that says something is read, dots lead into objects.

    `parameters` has what the request says beside its messages, `usage` an object of counts, `counts` the names of each.
    """

    input: str
    output: str
    model: str
    key: str = ""
    provider: str = ""
    started: str = ""
    ended: str = ""
    parameters: str = ""
    usage: str = ""
    counts: Mapping[str, str] = field(default_factory=dict)

    def conversations(
        self,
        rows: Iterable[tuple[str, dict[str, Any]]],
        report: Report,
        is_call: Callable[[dict[str, Any]], Any] = lambda row: True,
        failure: Callable[[dict[str, Any]], str] = lambda row: str(row.get("error") or row.get("exception") or ""),
        answers_in_failures: bool = True,
    ) -> Iterator[Conversation]:
        """The conversations of calls, each a row; `failure` tells the error it ended with, beside or for an answer."""
        calls = []
        for where, row in rows:
            if is_call(row):
                why = failure(row)
                calls.append(self._call(row, where, report, why, answers_in_failures or not why))
            else:
                report.pass_over("a row that is no model call", where)
        yield from conversations_of(calls, report)

    def _call(self, row: Mapping[str, Any], where: str, report: Report, failed: str, answers: bool) -> Exchange:
        said = Attributes({name: unpack_json(value) for name, value in row.items()})
        output = said.get(*self.output.split()) if answers else None
        call = logged_call(said.get(*self.input.split()), output, where, report, failed)
        beside = said.get(*self.parameters.split())
        call.conversation = str(said.get(*self.key.split()) or "")
        call.usage = to_usage(usage_given(output)) or to_usage(said.get(*self.usage.split()))
        call.usage = call.usage or usage_by(said.get, self.counts)
        call.about = {
            **(about_in(beside) if isinstance(beside, dict) else {}),
            **call.about,
            **model_of(*map(said.get, self.model.split())),
            **provider_of(said.get(*self.provider.split())),
        }
        call.started, call.ended = (time_of(said.raw(*names.split())) for names in (self.started, self.ended))
        return call
