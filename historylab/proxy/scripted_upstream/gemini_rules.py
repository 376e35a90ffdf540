"""Gemini refuses: calls and responses out of place, empty contents, a beginning by the model, calls without signature.

Sources, beside its API reference and error messages: https://github.com/google-gemini/gemini-cli/issues/11814 (where a
call may stand) and .../issues/4217 (as many responses as calls); https://github.com/pipecat-ai/pipecat/pull/5821 (an
answer at the end); https://github.com/vellum-ai/vellum-assistant/pull/39495 (nothing next to responses);
https://ai.google.dev/gemini-api/docs/thought-signatures (which calls need one, from Gemini 3 on).
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from historylab.proxy.scripted_upstream.api import RefusedByApi
from historylab.proxy.scripted_upstream.seals import unseal

SIGNED = re.compile(r"gemini-([3-9]|\d\d)")
ENDED_BY_USER = re.compile(r"gemini-(3\.[5-9]|[4-9]|\d\d)")
"""Models that take no answer at the end."""
UNSIGNED = ("skip_thought_signature_validator", "context_engineering_is_the_way_to_go")
"""The stand-in for the signature of a call that no Gemini made."""
Contents = Sequence[Mapping[str, Any]]


def check_gemini(body: Mapping[str, Any]) -> None:
    """Raise RefusedByApi for what Gemini refuses."""
    contents = body.get("contents")
    if not isinstance(contents, list) or not contents:
        raise RefusedByApi("* GenerateContentRequest.contents: contents is not specified\n")
    for k, content in enumerate(contents):
        _check_content(k, content)
    _check_turns(contents)
    if contents[-1].get("role") == "model" and ENDED_BY_USER.match(body["model"]):
        raise RefusedByApi("Please ensure that multiturn requests end with a user turn or a function response turn.")
    if SIGNED.match(body["model"]):
        _check_signatures(contents)
        if any(0 < _count(content, "functionResponse") < len(content["parts"]) for content in contents):
            raise RefusedByApi("Requests ending with a model turn are not supported.")  # its words for any such content


def _check_content(k: int, content: Any) -> None:
    where = f"* GenerateContentRequest.contents[{k}]"
    if content.get("role", "user") not in ("user", "model", "function"):
        raise RefusedByApi("Please use a valid role: user, model.")
    if not content.get("parts"):
        raise RefusedByApi(f"{where}.parts: contents.parts must not be empty.\n")
    for j, part in enumerate(content["parts"]):
        held = part.keys() - {"thought", "thoughtSignature", "videoMetadata", "partMetadata", "mediaResolution"}
        if len(held) != 1 or (held == {"text"} and not part["text"] and "thoughtSignature" not in part):
            said = "required oneof field 'data' must have one initialized field"
            raise RefusedByApi(f"{where}.parts[{j}].data: {said}\n")


def _count(content: Mapping[str, Any], kind: str) -> int:
    return sum(kind in part for part in content["parts"])


def _check_turns(contents: Contents) -> None:
    before, waiting = "", 0
    for content in contents:
        calls, responses = _count(content, "functionCall"), _count(content, "functionResponse")
        if responses != waiting:
            raise RefusedByApi(
                "Please ensure that the number of function response parts is equal to the number of function call "
                "parts of the function call turn."
                if waiting
                else "Please ensure that function response turn comes immediately after a function call turn."
            )
        if calls and before not in ("user", "function"):
            raise RefusedByApi(
                "Please ensure that function call turn comes immediately after a user turn or after a function "
                "response turn."
            )
        if not before and content.get("role") == "model":
            raise RefusedByApi("Please ensure that multiturn requests begin with a user turn.")
        before, waiting = content.get("role", "user"), calls
    if waiting:
        raise RefusedByApi(
            "Please ensure that the number of function response parts is equal to the number of function call parts "
            "of the function call turn."
        )


def _check_signatures(contents: Contents) -> None:
    """In the turn that runs, the first call of each step has the signature it came with."""
    asked = [k for k, c in enumerate(contents) if c.get("role", "user") == "user" and not _count(c, "functionResponse")]
    for k in range(asked[-1] if asked else 0, len(contents)):
        calls = [part for part in contents[k]["parts"] if "functionCall" in part]
        signature = calls[0].get("thoughtSignature") if calls else UNSIGNED[0]
        if signature is None:
            raise RefusedByApi(
                "Function call is missing a thought_signature in functionCall parts. This is required for tools to "
                "work correctly, and missing thought_signature may lead to degraded model performance. Additional "
                f"data, function call `default_api:{calls[0]['functionCall'].get('name')}` , position {k + 1}."
            )
        if signature not in UNSIGNED and unseal(signature) is None:
            raise RefusedByApi("Thought signature is not valid.")
