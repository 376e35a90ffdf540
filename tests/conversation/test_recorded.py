"""What a transcript says of how it was recorded."""

from __future__ import annotations

from historylab.conversation.conversation import Conversation
from historylab.conversation.message import Message, Usage

SEARCH = {"type": "function", "function": {"name": "search", "description": "Search the catalogue", "parameters": {}}}


def test_the_model_is_the_one_that_most_answers_name():
    said = [Message("assistant", "a", metadata={"model": name}) for name in ("gpt-4o", "gpt-5.5", "gpt-5.5")]
    recorded = Conversation([Message("user", "q"), *said], metadata={"model": "of the file"}).recorded
    assert (recorded.model, recorded.models) == ("gpt-5.5", ("of the file", "gpt-4o", "gpt-5.5"))


def test_without_answers_that_name_one_the_file_names_the_model():
    assert Conversation([Message("user", "q")], metadata={"model": "gpt-4o"}).recorded.model == "gpt-4o"


def test_tools_are_counted_as_many_and_in_tokens():
    tools = Conversation([Message("user", "q")], metadata={"tools": [SEARCH, SEARCH, "no tool"]}).recorded.tools
    assert tools.count == 2
    assert tools.tokens == 2 * Conversation([], metadata={"tools": [SEARCH]}).recorded.tools.tokens > 20


def test_usage_has_one_entry_per_answer():
    answers = [Message("assistant", "a", metadata={"usage": {"input": 7, "output": 2}}), Message("assistant", "b")]
    assert Conversation([Message("user", "q"), *answers]).recorded.usage == (Usage(7, 2), None)


def test_the_system_prompt_is_what_leads_the_conversation():
    roles = [("system", "Be brief."), ("system", "Be kind."), ("user", "q"), ("system", "later")]
    assert Conversation(Message(*each) for each in roles).recorded.system_prompt == "Be brief.\nBe kind."


def test_what_is_of_another_kind_counts_as_not_said():
    odd = {"model": ["gpt-4o"], "provider": 7, "tools": "search", "parameters": [1]}
    recorded = Conversation([Message("assistant", "a", metadata={"model": "<synthetic>"})], metadata=odd).recorded
    assert not recorded
    assert (recorded.model, recorded.provider, recorded.tools.count, recorded.parameters) == (None, None, 0, {})
