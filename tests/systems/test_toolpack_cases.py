"""toolpack's recorded cases: what its published code and document give, run through our names."""

from __future__ import annotations

import re
from datetime import datetime

import pytest
from recorded_cases import options_of, recorded, right, snake_case

from historylab.systems.toolpack import (
    AssemblerOptions,
    BaseAgent,
    CaptureInterceptor,
    InMemoryConversationStore,
    SQLiteConversationStore,
    StoredMessage,
    SummarizerAgent,
    SummarizerOutput,
    assemble_prompt,
    create_conversation_search_tool,
    resolve_assembler_options,
)

UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
NOW = re.compile(r"\d{4}-\d\d-\d\dT[\d:.]+Z")


def filled_store(case) -> InMemoryConversationStore:
    store = InMemoryConversationStore()
    for message in case["input"]["messages"]:
        store.append(StoredMessage.from_dict(message))
    return store


class Summarizer:
    """Answers as the case says, and records what it was asked in the published words."""

    def __init__(self, script: dict):
        self.script, self.calls = script, []

    def __call__(self, turns, *, agent_name, agent_id, max_tokens, extract_decisions=True, previous_summary=None):
        call = {"agentName": agent_name, "agentId": agent_id, "maxTokens": max_tokens}
        call |= {"extractDecisions": extract_decisions, "turn_ids": [turn.id for turn in turns]}
        self.calls.append({"message": "summarize", **call})
        if self.script["type"] == "throws":
            raise RuntimeError("no model")
        return SummarizerOutput(self.script["summary"], len(turns))


# -- assemblePrompt


@recorded("toolpack", "assemblePrompt")
def test_recorded_prompts(case):
    store, given = filled_store(case), case["input"]
    summarizer = Summarizer(given["summarizer"]) if "summarizer" in given else None
    assembled = assemble_prompt(
        store,
        given["conversation_id"],
        given["agent_id"],
        given["agent_name"],
        AssemblerOptions(**options_of(case)),
        summarizer,
        now=datetime.fromisoformat(given["now"]) if "now" in given else None,
    )
    result = {
        "messages": assembled.messages,
        "estimatedTokens": assembled.estimated_tokens,
        "turnsLoaded": assembled.turns_loaded,
        "hasSummary": assembled.has_summary,
    }
    if summarizer:
        stored = [shown(message) for message in store.get(given["conversation_id"])]
        result |= {"summarizer_calls": summarizer.calls, "store_after": stored}
    assert result == with_our_lengths(right(case), result)


def shown(message: StoredMessage) -> dict:
    return {
        "id": UUID.sub("<uuid>", message.id),
        "content": message.content,
        "isSummary": message.is_summary,
        "scope": message.scope,
        "timestamp": message.timestamp,
        "kind": message.participant.kind,
    }


def with_our_lengths(recorded: dict, result: dict) -> dict:
    """The cases count UTF-16 units, we count characters: one token more or less is fine where those differ."""
    wide = sum(ord(c) > 0xFFFF for message in recorded["messages"] for c in message["content"])
    close = wide and abs(recorded["estimatedTokens"] - result["estimatedTokens"]) <= 1
    return recorded | ({"estimatedTokens": result["estimatedTokens"]} if close else {})


# -- stores


@recorded("toolpack", "InMemoryConversationStore")
def test_recorded_operations_on_the_memory_store(case):
    assert {"results": operate(InMemoryConversationStore, case)} == right(case)


@recorded("toolpack", "SQLiteConversationStore(document example)", "SQLiteConversationStore(shipped)")
def test_recorded_operations_on_the_sqlite_store(case):
    assert {"results": operate(SQLiteConversationStore, case)} == right(case)


@recorded("toolpack", "InMemoryConversationStore")
def test_the_sqlite_store_gives_the_same_where_nothing_but_the_memory_is_bounded(case):
    if "maxConversations" in case["input"]["config"]:
        pytest.skip("a file is not bounded in conversations")
    assert operate(SQLiteConversationStore, case) == operate(InMemoryConversationStore, case)


def operate(store_class, case) -> list:
    store = store_class(**{snake_case(name): value for name, value in case["input"]["config"].items()})
    return [outcome(store, operation) for operation in case["input"]["operations"]]


def outcome(store, operation: dict):
    options = {snake_case(name): value for name, value in operation.get("options", {}).items()}
    match operation["op"]:
        case "append":
            store.append(StoredMessage.from_dict(operation["message"]))
        case "get":
            return [message.id for message in store.get(operation["conversation_id"], **options)]
        case "search":
            found = store.search(operation["conversation_id"], operation["query"], **options)
            return [message.id for message in found]
        case "deleteMessages":
            store.delete_messages(operation["conversation_id"], operation["ids"])
        case "conversationCount":
            return store.conversation_count
        case other:
            raise AssertionError(f"no such operation: {other}")
    return "ok"


# -- the agent


@recorded("toolpack", "BaseAgent.run")
def test_recorded_runs(case):
    given, received = case["input"], {}

    def generate(messages, tools):
        received.update(messages=messages, tools=tools)
        return "answer"

    store = filled_store(case)
    newest = store.get(given["conversation_id"], limit=1)[0]
    options = AssemblerOptions(**snake_cased(case["options"].get("assemblerOptions", {})))
    agent = BaseAgent(given["agent_id"], generate, conversation_history=store, assembler_options=options)
    message_id = newest.id if newest.content == given["current_message"] else None
    agent.run(given["current_message"], conversation_id=given["conversation_id"], message_id=message_id)

    search = next(tool for tool in received["tools"] if tool.name == "conversation_search")
    result = {"messages": received["messages"], "has_conversation_search": True}
    if "tool_parameters" in case["expected"]:
        result["tool_parameters"] = search.schema["function"]["parameters"]
    if "search_args" in given:
        result["search_result"] = search(**given["search_args"])
    assert result == {key: right(case)[key] for key in result}


def snake_cased(options: dict) -> dict:
    return {snake_case(name): value for name, value in options.items()}


@recorded("toolpack", "BaseAgent._resolveAssemblerOptions")
def test_recorded_aliases(case):
    given = case["input"]
    channels = [type("Channel", (), {"bot_user_id": id})() for id in given["channel_bot_user_ids"]]
    options = given["assembler_options"] and AssemblerOptions(**snake_cased(given["assembler_options"]))
    assert resolve_assembler_options(options, channels) == AssemblerOptions(**snake_cased(right(case) or {}))


# -- capture


@recorded("toolpack", "createCaptureInterceptor")
def test_recorded_captures(case, caplog):
    given = case["input"]
    stored: list[StoredMessage] = []

    class Store(InMemoryConversationStore):
        def append(self, message):
            if given["store"] == "fail":
                raise OSError("disk full")
            stored.append(message)
            super().append(message)

    capture = CaptureInterceptor(Store(), given["agent_name"], **options_of(case))
    returned = capture(given["inbound"], lambda _: given["downstream_result"])
    result = {
        "error": None,
        "stored": [anonymous(message.to_dict()) for message in stored],
        "warnings": [record.message for record in caplog.records],
        "returned": returned,
    }
    assert result == right(case)


def anonymous(message: dict) -> dict:
    assert NOW.fullmatch(message["timestamp"])
    return message | {"id": UUID.sub("<uuid>", message["id"]), "timestamp": "<now>"}


# -- the optional two


@recorded("toolpack", "createConversationSearchTool.execute")
def test_recorded_searches_answered_in_text(case):
    given = case["input"]
    search = create_conversation_search_tool(filled_store(case), given["conversation_id"], **options_of(case))
    assert {"text": search(given["query"])} == right(case)


@recorded("toolpack", "SummarizerAgent.invokeAgent")
def test_recorded_summaries(case):
    data, prompts = case["input"]["data"], []

    def generate(prompt):
        prompts.append(prompt)
        return case["input"]["llm_output"]

    turns = [StoredMessage.from_dict({"conversationId": "c1", "scope": "channel", **turn}) for turn in data["turns"]]
    asked = {"max_tokens": data["maxTokens"]} if "maxTokens" in data else {}
    output = SummarizerAgent(generate)(turns, agent_name=data["agentName"], agent_id=data["agentId"], **asked)
    result = {
        "prompt": prompts[0] if prompts else None,
        "output": {
            "summary": output.summary,
            "turnsSummarized": output.turns_summarized,
            "hasDecisions": output.has_decisions,
            "estimatedTokens": output.estimated_tokens,
        },
    }
    assert result == {key: right(case)[key] for key in result}
