"""Other people's trimmers as rules: the installed libraries, driven as their frameworks drive them."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from importlib import import_module
from itertools import count
from typing import Any

from framework_apps import as_items, finished, from_items, langchain_messages

from benchmarks.sent.chats import Record
from benchmarks.sent.rules import MakeRule, Rule, split, summarize


def trim_by_litellm(tokens: int) -> Rule:
    """`litellm.utils.trim_messages` to a quarter of the chat; it fails on a content that is null."""
    from litellm.utils import trim_messages

    def trim(said: Sequence[Record]) -> list[Record]:
        given = [{**record, "content": record["content"] or ""} for record in said]
        return list(trim_messages(given, model="gpt-4o", max_tokens=max(300, tokens // 4)))

    return trim


def trim_by_langchain(tokens: int) -> Rule:
    """`trim_messages` as its documentation has it: the newest, from a question on, with the system prompt."""
    from langchain_core.messages import trim_messages
    from langchain_core.messages.utils import count_tokens_approximately

    def trim(said: Sequence[Record]) -> list[Record]:
        room = max(300, tokens // 4)
        found: list[Any] = []
        while len(found) < 2 and room < 4 * tokens:  # a system prompt alone is no request
            found = trim_messages(
                langchain_messages(said),
                max_tokens=room,
                token_counter=count_tokens_approximately,
                strategy="last",
                start_on="human",
                end_on=("human", "tool"),
                include_system=True,
            )
            room *= 2
        return _from_langchain(found)

    return trim


def clear_by_langchain(tokens: int) -> Rule:
    """`ClearToolUsesEdit`, which leaves the newest results."""
    from langchain.agents.middleware.context_editing import ClearToolUsesEdit
    from langchain_core.messages.utils import count_tokens_approximately

    edit = ClearToolUsesEdit(trigger=max(200, tokens // 4), keep=2)

    def trim(said: Sequence[Record]) -> list[Record]:
        messages = langchain_messages(said)
        edit.apply(messages, count_tokens=count_tokens_approximately)
        return _from_langchain(messages)

    return trim


def summarize_by_langchain(_tokens: int) -> Rule:
    """`SummarizationMiddleware`, whose state the summary stays in; a model without a network writes it."""
    from langchain.agents.middleware import SummarizationMiddleware
    from langchain_core.language_models import GenericFakeChatModel
    from langchain_core.messages import AIMessage, RemoveMessage

    texts = (AIMessage(f"{summarize([])} Part {k}: early questions were settled.") for k in count(1))
    middleware = SummarizationMiddleware(
        GenericFakeChatModel(messages=texts), trigger=("messages", 18), keep=("messages", 7)
    )
    state: list[Any] = []
    seen = 0

    def trim(said: Sequence[Record]) -> list[Record]:
        nonlocal state, seen
        prompt, rest = split(said)
        state += langchain_messages(rest[seen:])
        seen = len(rest)
        update: Any = middleware.before_model({"messages": state}, None)
        if update:
            state = [m for m in update["messages"] if not isinstance(m, RemoveMessage)]
        return [*prompt, *_from_langchain(state)]

    return trim


def _from_langchain(messages: Sequence[Any]) -> list[Record]:
    found = import_module("langchain_core.messages").convert_to_openai_messages(list(messages))
    return [{name: value for name, value in record.items() if name != "name"} for record in found]


def limit_by_openai_agents(_tokens: int) -> Rule:
    """The limit of a session: what a run is given of it, and all of the run itself."""
    from agents import SQLiteSession
    from agents.memory import SessionSettings
    from agents.run_internal.session_persistence import prepare_input_with_session

    async def prepared(before: list[Record], now: list[Record]) -> list[Record]:
        session = SQLiteSession("chat", session_settings=SessionSettings(limit=10))
        await session.add_items(before)
        items, _ = await prepare_input_with_session(now, session, None, SessionSettings(limit=10))
        session.close()
        return list(items)

    def trim(said: Sequence[Record]) -> list[Record]:
        prompt, rest = split(said)
        asked = max((k for k, record in enumerate(rest) if record["role"] == "user"), default=0)
        items = finished(prepared(as_items(rest[:asked]), as_items(rest[asked : asked + 1])))
        return [*prompt, *from_items(items), *rest[asked + 1 :]]

    return trim


def shorten_by_openai_agents(_tokens: int) -> Rule:
    """`ToolOutputTrimmer`, as the filter of a model's input."""
    from agents.extensions import ToolOutputTrimmer
    from agents.run import CallModelData, ModelInputData

    trimmer = ToolOutputTrimmer(recent_turns=1, max_output_chars=160, preview_chars=80)

    def trim(said: Sequence[Record]) -> list[Record]:
        prompt, rest = split(said)
        given: Any = CallModelData(ModelInputData(as_items(rest), None), None, None)
        return [*prompt, *from_items(trimmer(given).input)]

    return trim


LIBRARIES: Mapping[str, tuple[str, MakeRule]] = {
    "LiteLLM trim_messages": ("litellm", trim_by_litellm),
    "LangChain trim_messages": ("langchain_core", trim_by_langchain),
    "LangChain ClearToolUsesEdit": ("langchain", clear_by_langchain),
    "LangChain SummarizationMiddleware": ("langchain", summarize_by_langchain),
    "OpenAI Agents session limit": ("agents", limit_by_openai_agents),
    "OpenAI Agents ToolOutputTrimmer": ("agents", shorten_by_openai_agents),
}
"""The package of each, and what makes its rule."""


def installed() -> dict[str, MakeRule]:
    """The rules of the libraries that are here; says which aren't."""
    os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")  # else it asks the network for prices
    found = {}
    for name, (package, make) in LIBRARIES.items():
        try:
            import_module(package)
        except ImportError as missing:
            print(f"{name}: not measured, as {missing.name} is not installed")
            continue
        found[name] = make
    return found
