"""What a server receives from the agent frameworks is what replay shows: real libraries, real HTTP.

`pip install -e ".[test,frameworks]"` runs it; `test_roles_travel.py` shows what can be shown without the libraries.
"""

from __future__ import annotations

import warnings
from types import SimpleNamespace
from typing import Any

import pytest
from chat_server import USAGE, ChatServer, says
from every_way import every_way
from framework_apps import (
    ModelInput,
    Record,
    asked_and_shown,
    finished,
    history_for,
    names_of,
    plain,
)
from framework_runs import APPS, chat_model
from thirty_turns import thirty_turns

from historylab import Settings

pytestmark = pytest.mark.slow
WAYS = every_way()
DONE = says("done", usage={**USAGE, "total_tokens": 107})
SOME = slice(4, 50, 15)  # requests: early and later, within and after tool calls


@pytest.mark.parametrize("settings", WAYS.values(), ids=WAYS)
@pytest.mark.parametrize("room", [False, True], ids=["alone", "room"])
@pytest.mark.parametrize("target", APPS)
def test_the_server_receives_what_replay_shows(target, room, settings: Settings):
    run, library = APPS[target]
    pytest.importorskip(library)
    pytest.importorskip("langchain_openai" if target.startswith("lang") else "openai")
    names = names_of(settings, target)
    pairs = asked_and_shown(history_for(target, thirty_turns(room)), settings)[SOME]

    async def ask_all(url: str) -> None:
        for history, _ in pairs:
            await run(names, history, url)

    with ChatServer(DONE) as server:
        finished(ask_all(server.url))
    received = [[plain(m) for m in request["messages"]] for request in server.requests]
    assert received == [shown for _, shown in pairs]


def test_what_litellms_hook_gives_back_litellm_sends(monkeypatch):
    monkeypatch.setenv("LITELLM_LOCAL_MODEL_COST_MAP", "True")  # else it fetches one
    litellm = pytest.importorskip("litellm")
    settings = WAYS["pruner summarize"]
    hook = names_of(settings, "litellm")["trim_history"]
    assert isinstance(hook, litellm.integrations.custom_logger.CustomLogger)
    assert "async_pre_call_hook" in vars(type(hook))  # the proxy asks no other
    pairs = asked_and_shown(thirty_turns(), settings)[SOME]

    async def ask_all(url: str) -> None:
        for history, _ in pairs:
            data = {"model": "openai/m", "messages": history, "api_base": url, "api_key": "none"}
            await litellm.acompletion(**await hook.async_pre_call_hook(None, None, data, "acompletion"))

    with ChatServer(DONE) as server:
        finished(ask_all(server.url))
    assert [[plain(m) for m in request["messages"]] for request in server.requests] == [shown for _, shown in pairs]


# -- messages that only one framework has

EVERYTHING = Settings(policy="all", pruner="off")
ONE_PROMPT = Settings(policy="all", pruner="off", layout="tagged_prompt")
IN_A_ROOM = Settings(policy="all", pruner="off", projection="point_of_view")
PICTURE = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "aGk="}}


def langchain_messages() -> list[Any]:
    from langchain_core.messages import AIMessage, HumanMessage, ToolMessage

    call = {"name": "look", "args": {"at": 1}, "id": "c1"}
    said = [{"type": "thinking", "thinking": "hm", "signature": "s"}, {"type": "text", "text": "Looking."}]
    used = [{"type": "function_call", "name": "look", "arguments": '{"at": 1}', "call_id": "c1", "id": "fc1"}]
    return [
        HumanMessage([{"type": "text", "text": "See?"}, PICTURE], name="ann"),
        AIMessage([*said, *used], tool_calls=[call]),
        ToolMessage([{"type": "text", "text": "a dog"}], tool_call_id="c1"),
        AIMessage([]),
        HumanMessage([{"type": "video", "url": "http://x/film.mp4"}, "and this?"], name="ben"),
    ]


def test_langchains_own_blocks_are_sent_as_they_are():
    pytest.importorskip("langchain_core.messages")
    given = langchain_messages()
    sent = names_of(EVERYTHING, "langgraph")["pre_model_hook"].to_send(given)
    assert all(a is b for a, b in zip(sent, given, strict=True))


def test_media_blocks_travel_through_a_rewritten_message():
    pytest.importorskip("langchain_core.messages")
    first, *_, last = names_of(IN_A_ROOM, "langgraph")["pre_model_hook"].to_send(langchain_messages())
    assert (first.type, first.content) == ("human", [{"type": "text", "text": "ann: See?"}, PICTURE])
    assert (last.type, last.content[0]["url"]) == ("human", "http://x/film.mp4")


def test_a_prompt_of_langgraph_stands_in_front_of_what_is_trimmed():
    pytest.importorskip("langgraph.prebuilt")
    pytest.importorskip("langchain_openai")
    from langgraph.prebuilt import create_react_agent

    hook = names_of(Settings(length=1, preserve_system_messages=False), "langgraph")["pre_model_hook"]
    with ChatServer(DONE) as server, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        agent = create_react_agent(chat_model(server.url), [], pre_model_hook=hook, prompt="Be brief.")
        agent.invoke({"messages": [("user", "one"), ("assistant", "two"), ("user", "three")]})
    assert [m["content"] for m in server.requests[0]["messages"]] == ["Be brief.", "three"]


def pydantic_history() -> list[Any]:
    from pydantic_ai import messages as ai

    picture = ai.BinaryContent(b"hi", media_type="image/png")
    asked = [ai.SystemPromptPart("Be kind."), ai.UserPromptPart(["See?", picture, ai.CachePoint()])]
    calls = [ai.ToolCallPart("look", {"at": 1}, "c1"), ai.ToolCallPart("look", None, "c2")]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # retries have classes of their own from 2.40 on, and old histories these
        retries = [ai.RetryPromptPart("no", tool_name="look", tool_call_id="c2"), ai.RetryPromptPart("say it again")]
    return [
        ai.ModelRequest(asked, instructions="Be brief."),
        ai.ModelResponse([ai.ThinkingPart("hm"), ai.TextPart("Looking."), *calls]),
        ai.ModelRequest([ai.ToolReturnPart("look", {"dog": True}, "c1"), *retries], instructions="Be brief."),
        ai.ModelResponse([]),
        ai.ModelRequest([ai.UserPromptPart("")], instructions="Be brief."),
    ]


def test_pydantic_ais_own_parts_are_sent_as_they_are():
    pytest.importorskip("pydantic_ai")
    given = pydantic_history()
    sent = names_of(EVERYTHING, "pydantic_ai")["trim_history"].to_send(given)
    assert all(a is b for a, b in zip(sent, given, strict=True))


def test_what_pydantic_ai_keeps_beside_the_text_travels_through_a_rewritten_message():
    pytest.importorskip("pydantic_ai")
    given = pydantic_history()
    system, prompt = names_of(ONE_PROMPT, "pydantic_ai")["trim_history"].to_send(given)
    assert [part.part_kind for m in (system, prompt) for part in m.parts] == ["system-prompt", "user-prompt"]
    assert prompt.instructions == "Be brief."
    text = str(prompt.parts[0].content)
    assert "say it again" in text.rpartition("Human: ")[2]
    assert "Assistant: [Tool result: no" in text


def test_thoughts_of_openai_agents_stay_with_what_they_led_to():
    given = [
        {"role": "user", "content": "See?"},
        *({"type": "reasoning", "id": "r1", "summary": []}, {"role": "assistant", "content": "One moment."}),
        *({"type": "reasoning", "id": "r2", "summary": []}, {"role": "assistant", "content": "A dog."}),
        {"role": "user", "content": [{"type": "input_image", "image_url": "http://x/i.png"}]},
    ]
    sent = finished(names_of(EVERYTHING, "openai_agents")["trim_input"](call_of(given))).input
    assert all(a is b for a, b in zip(sent, given, strict=True))
    (prompt,) = finished(names_of(ONE_PROMPT, "openai_agents")["trim_input"](call_of(given))).input
    assert prompt["role"] == "user"
    assert [part["type"] for part in prompt["content"]] == ["input_text", "input_image"]


def call_of(items: list[Record]) -> Any:
    return SimpleNamespace(model_data=ModelInput(items, None))
