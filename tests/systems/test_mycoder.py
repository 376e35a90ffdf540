"""mycoder's compaction: its feature list (C01 to C30), and what holds for any history."""

from __future__ import annotations

import copy
import logging

import pytest
from history_strategies import histories
from hypothesis import given
from recorded_cases import same_objects
from sketches import conv
from summary_writers import MARK, Writer

from historylab.conversation.message import Usage
from historylab.errors import HistoryLabError
from historylab.planning.pipeline import plan_history
from historylab.planning.replay import replay
from historylab.pricing import window_of
from historylab.systems.mycoder import (
    COMPACT_HISTORY_TOOL,
    DEFAULT_COMPACTION_PROMPT,
    PRESET,
    PRESETS_BY_AGENT,
    Checkpoints,
    MessageCompaction,
    TokenTracker,
    TokenUsage,
    compact_history,
    compact_history_arguments,
    compact_if_needed,
    compact_messages,
    published_window,
    should_compact_messages,
    token_usage_from_message,
)
from historylab.systems.mycoder.compaction import cut_messages
from historylab.systems.presets.base import presets


def chat(roles: str) -> list[dict]:
    """ "s u a c r": one message a letter; c and r are mycoder's flat call and its result."""
    messages: list[dict] = []
    for number, letter in enumerate(roles.split()):
        call = next((m["id"] for m in reversed(messages) if m["role"] == "tool_use"), "")
        messages.append(
            {"role": "tool_use", "id": f"t{number}", "name": "read", "content": f'{{"n": {number}}}'}
            if letter == "c"
            else {"role": "tool_result", "tool_use_id": call, "content": f"result {number}", "is_error": False}
            if letter == "r"
            else {"role": {"s": "system", "u": "user", "a": "assistant"}[letter], "content": f"{letter} {number}"}
        )
    return messages


def contents(messages: list[dict]) -> list[str]:
    return [m["content"] for m in messages]


# -- what a response says


@pytest.mark.feature("C02", "C07")
def test_a_response_says_how_many_tokens_of_how_many_were_used():
    usage = {"input_tokens": 70, "output_tokens": 5, "cache_read_input_tokens": 900, "cache_creation_input_tokens": 20}
    found = token_usage_from_message(usage, "claude-3-opus-20240229")
    assert (found.total_tokens, found.max_tokens) == (75, 200_000)
    assert found.token_usage.usage == Usage(70, 5, 900, 20)


@pytest.mark.feature("C07")
def test_an_unknown_model_has_the_window_it_is_given_or_none():
    usage = {"input_tokens": 1, "output_tokens": 1}
    assert token_usage_from_message(usage, "claude-x").max_tokens is None
    assert token_usage_from_message(usage, "claude-x", context_window=64_000).max_tokens == 64_000
    assert token_usage_from_message(usage, "claude-2.1", context_window=64_000).max_tokens == 100_000


@pytest.mark.feature("C07")
def test_the_published_table_knows_the_four_models_and_ollama_names_before_the_colon():
    for name in ("claude-3-opus", "claude-3-sonnet"):
        assert published_window(f"{name}-20240229") == 200_000
    assert published_window("claude-3-haiku-20240307") == published_window("claude-3-7-sonnet-20250219") == 200_000
    assert (published_window("llama2:70b"), published_window("mistral:latest")) == (4_096, 8_192)
    assert published_window("gpt-5.5") is None
    assert window_of("gpt-5.5")


@pytest.mark.feature("C07")
def test_cached_input_inside_openais_prompt_is_counted_once_and_priced_as_read():
    usage = {"prompt_tokens": 1000, "completion_tokens": 10, "prompt_tokens_details": {"cached_tokens": 800}}
    found = token_usage_from_message(usage, "gpt-4o")
    assert found.token_usage.usage == Usage(200, 10, 800, 0)
    assert found.total_tokens == 1010


# -- compaction


@pytest.mark.feature("C03", "C09")
def test_the_threshold_is_half_the_window_unless_another_is_given():
    assert should_compact_messages(50, 100)
    assert not should_compact_messages(49, 100)
    assert should_compact_messages(50, 100, 50.0) and not should_compact_messages(69.9, 100, 70)


@pytest.mark.feature("C04", "C10", "C13")
def test_everything_before_the_newest_ten_becomes_one_summary_message():
    given = chat("u a " * 8)
    returned = compact_messages(given, Writer("what was done"))
    assert returned[0] == {"role": "system", "content": MARK + "what was done"}
    assert returned[1:] == given[-10:]
    assert same_objects(returned[1:], given)
    assert len(given) == 16


@pytest.mark.feature("C10")
def test_no_more_messages_than_are_preserved_leaves_them_as_they_are_and_asks_nobody():
    given, writer = chat("u a u"), Writer()
    assert compact_messages(given, writer, preserve_recent_messages=3) == given
    assert writer.requests == []


@pytest.mark.feature("C05", "C11")
def test_the_summary_is_asked_for_with_the_published_words():
    writer = Writer()
    compact_messages([*chat("u a"), {"role": "assistant", "content": None}], writer, preserve_recent_messages=0)
    system, user = writer.requests[0]["messages"]
    assert DEFAULT_COMPACTION_PROMPT == (
        "Provide a detailed but concise summary of our conversation above. Focus on information that would be helpful "
        "for continuing the conversation, including what we did, what we're doing, which files we're working on, and "
        "what we're going to do next."
    )
    assert system == {
        "role": "system",
        "content": "You are an AI assistant tasked with summarizing a conversation. Provide a concise but informative "
        "summary that captures the key points, decisions, and context needed to continue the conversation effectively.",
    }
    assert user["content"] == (
        f"{DEFAULT_COMPACTION_PROMPT}\n\nHere's the conversation to summarize:\nuser: u 0\nassistant: a 1\nassistant: "
    )
    assert writer.requests[0]["temperature"] == 0.3


@pytest.mark.feature("C12")
def test_the_summarys_own_usage_is_added_to_the_tracker():
    tracker = TokenTracker()
    compact_messages(chat("u a u"), Writer("S", TokenUsage(7, 3)), preserve_recent_messages=1, token_tracker=tracker)
    compact_messages(chat("u a u"), Writer("a bare text"), preserve_recent_messages=1, token_tracker=tracker)
    assert tracker.get_total_usage().usage == Usage(7, 3)


@pytest.mark.feature("C06", "C08")
def test_the_configuration_has_the_published_defaults_and_a_preset_for_each_kind_of_agent():
    config = MessageCompaction()
    assert (config.enabled, config.threshold_percentage, config.preserve_recent_messages) == (True, 50, 10)
    assert config.compaction_prompt == DEFAULT_COMPACTION_PROMPT
    presets = {n: (p.threshold, p.value("compaction.preserve_recent.messages")) for n, p in PRESETS_BY_AGENT.items()}
    assert presets == {"agent": (0.5, 10), "sub-agent": (0.7, 6), "chat": (0.3, 20)}


@pytest.mark.feature("C14")
def test_the_loop_compacts_at_the_threshold_but_never_on_its_first_iteration(caplog):
    caplog.set_level(logging.INFO, "historylab")
    given, config = chat("u a u a"), MessageCompaction(preserve_recent_messages=2)
    known = {"total_tokens": 60, "max_tokens": 100}
    assert compact_if_needed(given, Writer(), config, iteration=0, **known) == given
    assert compact_if_needed(given, Writer(), config, iteration=1, total_tokens=49, max_tokens=100) == given
    assert caplog.messages == []
    assert len(compact_if_needed(given, Writer(), config, iteration=1, **known)) == 3
    assert caplog.messages == [
        "Compacting message history to reduce token usage",
        "Message history compacted: 3 messages remaining",
    ]


@pytest.mark.feature("C14")
@pytest.mark.parametrize("unknown", [{"total_tokens": 60, "max_tokens": None}, {"total_tokens": 0, "max_tokens": 100}])
def test_without_both_totals_the_loop_compacts_nothing(unknown):
    given = chat("u a " * 9)
    assert (
        compact_if_needed(given, Writer(), MessageCompaction(threshold_percentage=0), iteration=3, **unknown) == given
    )


@pytest.mark.feature("C16")
def test_compaction_can_be_switched_off():
    given = chat("u a " * 9)
    off = MessageCompaction(enabled=False)
    assert compact_if_needed(given, Writer(), off, iteration=3, total_tokens=9, max_tokens=10) == given


@pytest.mark.feature("C16")
@pytest.mark.parametrize("preserve", [1, 2, 3])
def test_a_cut_between_a_call_and_its_result_moves_before_the_call(preserve):
    flat = chat("u a c r")
    assert contents(compact_messages(flat, Writer(), preserve_recent_messages=preserve))[-2:] == contents(flat[-2:])


@pytest.mark.feature("C16")
def test_parallel_calls_stay_with_all_their_results():
    calls = [{"role": "tool_use", "id": f"t{n}", "name": "read", "content": "{}"} for n in (1, 2)]
    results = [{"role": "tool_result", "tool_use_id": f"t{n}", "content": f"r{n}", "is_error": False} for n in (1, 2)]
    given = [*chat("u a"), *calls, *results]
    assert compact_messages(given, Writer(), preserve_recent_messages=1)[1:] == [*calls, *results]


@pytest.mark.feature("C16", "C22")
def test_when_keeping_a_pair_together_leaves_nothing_older_it_is_not_enough():
    messages = chat("c r")
    assert compact_history(messages, Writer(), preserve_recent_messages=1).startswith("Not enough")
    assert messages == chat("c r")


@pytest.mark.feature("C16")
def test_openai_tool_calls_are_kept_together_like_flat_ones():
    call = {"role": "assistant", "content": None, "tool_calls": [{"id": "c", "function": {"name": "f"}}]}
    given = [*chat("u a"), call, {"role": "tool", "tool_call_id": "c", "content": "1"}]
    assert compact_messages(given, Writer(), preserve_recent_messages=1)[1:] == given[2:]


@pytest.mark.feature("C13")
def test_leading_system_messages_stay_in_front_and_are_not_counted():
    given = chat("s s u a u")
    returned = compact_messages(given, Writer(), preserve_recent_messages=1)
    assert contents(returned) == ["s 0", "s 1", MARK + "SUM", "u 4"]


@pytest.mark.feature("C13")
def test_a_former_summary_is_summarised_again():
    first = compact_messages(chat("s u a u a"), Writer("first"), preserve_recent_messages=1)
    writer = Writer("second")
    again = compact_messages([*first, *chat("u a")], writer, preserve_recent_messages=1)
    assert contents(again) == ["s 0", MARK + "second", "a 1"]
    assert f"system: {MARK}first" in writer.requests[0]["messages"][1]["content"]


@pytest.mark.feature("C13")
def test_a_later_system_message_is_compacted_like_any_other():
    assert contents(compact_messages(chat("s u s a"), Writer(), preserve_recent_messages=1)) == [
        "s 0",
        MARK + "SUM",
        "a 3",
    ]


def test_an_empty_summary_is_refused_and_the_list_is_untouched():
    messages = chat("u a u a")
    with pytest.raises(HistoryLabError, match="nothing was changed"):
        compact_history(messages, Writer(" "), preserve_recent_messages=1)
    assert messages == chat("u a u a")


@given(histories())
def test_any_history_is_cut_into_three_parts_that_hold_it_whole(history):
    for preserve in (0, 1, 3):
        cut = cut_messages(history, preserve)
        assert [*cut.leading, *cut.older, *cut.recent] == history
        assert all(m["role"] == "system" for m in cut.leading)
        assert not cut.older or len(cut.recent) >= preserve


@given(histories())
def test_the_newest_messages_are_kept_as_the_callers_own_dicts(history):
    before = copy.deepcopy(history)
    returned = compact_messages(history, Writer(), preserve_recent_messages=2)
    assert same_objects([m for m in returned if m.get("content") != MARK + "SUM"], history)
    assert history == before


# -- the tool


@pytest.mark.feature("C21")
def test_the_tool_takes_one_to_fifty_messages_ten_by_default():
    assert compact_history_arguments({}) == {"preserveRecentMessages": 10}
    assert compact_history_arguments({"preserveRecentMessages": 1, "customPrompt": "x", "other": 1}) == {
        "preserveRecentMessages": 1,
        "customPrompt": "x",
    }
    parameters = COMPACT_HISTORY_TOOL["function"]["parameters"]["properties"]
    assert parameters["preserveRecentMessages"]["maximum"] == 50
    assert set(parameters) == {"preserveRecentMessages", "customPrompt"}


@pytest.mark.feature("C21")
@pytest.mark.parametrize("wrong", [0, 51, -1, 2.5, "10", True, None, float("nan"), float("inf"), [10]])
def test_the_tool_refuses_any_other_number(wrong):
    with pytest.raises(ValueError, match="preserveRecentMessages"):
        compact_history_arguments({"preserveRecentMessages": wrong})


@pytest.mark.feature("C21")
def test_the_tool_refuses_a_prompt_that_is_no_text_and_arguments_that_are_no_object():
    for wrong in ({"customPrompt": 5}, {"customPrompt": None}, "{}", None):
        with pytest.raises(HistoryLabError):
            compact_history_arguments(wrong)


@pytest.mark.feature("C22", "C23")
def test_the_list_is_replaced_in_place_and_the_numbers_are_those_of_what_was_done():
    messages = chat("s u a c r")
    said = compact_history(messages, Writer("S"), preserve_recent_messages=1)
    assert contents(messages) == ["s 0", MARK + "S", '{"n": 3}', "result 4"]
    older, summary = len("u 1a 2"), len(MARK + "S")
    assert said == (
        "Successfully compacted 2 messages into a summary, preserving the 2 most recent messages. "
        f"Reduced message history size by approximately {round((older - summary) / older * 100)}%."
    )


@pytest.mark.feature("C22")
@pytest.mark.parametrize("missing", [None, []])
def test_without_a_list_there_is_not_enough_to_compact(missing):
    assert compact_history(missing, Writer()) == "Not enough messages to compact. No changes made."


@pytest.mark.feature("C23")
def test_messages_without_any_text_count_as_no_reduction():
    messages = [{"role": "user", "content": ""}, {"role": "assistant", "content": None}]
    assert compact_history(messages, Writer(), preserve_recent_messages=0).endswith("approximately 0%.")


# -- reversible, and in the app


@pytest.mark.feature("C29")
def test_compaction_is_undone_from_the_checkpoint_saved_before_it():
    messages, checkpoints = chat("s u a u a"), Checkpoints()
    before = copy.deepcopy(messages)
    compact_history(messages, Writer(), preserve_recent_messages=1, checkpoints=checkpoints)
    (saved,) = checkpoints.list()
    assert len(messages) == 3
    assert checkpoints.restore(saved.id) == before
    assert saved.label == "before 3 messages became a summary"


@pytest.mark.feature("C29")
def test_compacting_nothing_saves_no_checkpoint():
    checkpoints = Checkpoints()
    compact_messages(chat("u a"), Writer(), checkpoints=checkpoints)
    assert len(checkpoints) == 0


@pytest.mark.feature("C04", "C17")
def test_the_preset_folds_what_the_function_compacts():
    conversation = conv("s u a(t) u a u a(t t) a u a u")
    options = {"compaction.preserve_recent.messages": 3, "compaction.preserve_recent.max_share": 1}
    settings = PRESET.replace(window=100, **options)
    plan = plan_history(conversation, settings)
    cut = cut_messages([as_dict(m) for m in conversation], 3)
    assert plan.sketch() == "P" + "S" * len(cut.older) + "K" * len(cut.recent)


@pytest.mark.feature("C17")
@pytest.mark.parametrize("name", PRESETS_BY_AGENT)
def test_the_preset_has_a_window_and_no_budget_that_could_stand_for_one(name):
    preset, conversation = PRESETS_BY_AGENT[name], conv("s " + "u a " * 40, words=3_000)
    plan = replay(conversation, preset.replace(counter="chars/4")).plans[-1]
    assert plan.tokens > 200_000
    assert not plan.over_budget
    assert "budget" not in presets()["mycoder"].decides()


@pytest.mark.feature("C17")
def test_the_preset_compacts_at_half_the_models_window_and_not_before():
    conversation = conv("s " + "u a " * 40)
    whole = replay(conversation, PRESET.replace(window=100_000)).plans[-1]
    assert "S" not in whole.sketch()
    compacted = replay(conversation, PRESET.replace(window=400)).plans[-1]
    assert "S" in compacted.sketch()
    assert compacted.tokens < whole.tokens


def as_dict(message) -> dict:
    calls = [{"id": c.id, "function": {"name": c.name, "arguments": c.arguments}} for c in message.tool_calls]
    return {
        "role": message.role,
        "content": message.content,
        **({"tool_calls": calls} if calls else {}),
        **({"tool_call_id": message.tool_call_id} if message.tool_call_id else {}),
    }
