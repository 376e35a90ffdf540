"""The headline: the loss that mattered, quoted, and since when; else what trimming costs or saves."""

from __future__ import annotations

import hostile
import pytest
from sketches import conv, load_sample

from historylab import Conversation, Message, Settings, ToolCall, generate, replay, validity
from historylab.costs.bill import against_untrimmed
from historylab.recall.retention import retention
from historylab.recordings.as_sent import as_sent
from historylab.wording.faults import left_out_in_words
from historylab.wording.headline import headline_sentence
from historylab.wording.quotes import first_instruction, quote_of, short_value


def story(**changes):
    settings = Settings(policy="all", budget=1400, pruner="summarize", tool_output="truncate")
    return replay(load_sample("farewell-lunch")[0], settings.replace(**{"tool_output.truncate.limit": 150}, **changes))


def said(timeline, stars=(), *, priced=True) -> str:
    return headline_sentence(retention(timeline, stars=stars), against_untrimmed(timeline) if priced else None)


def asked_late(fact: str, value: str, first: str = "Hello.") -> Conversation:
    """Something said, a fact, small talk, and a call that uses a value of that fact."""
    talk = [Message(role, "Fine.") for role in ("assistant", "user") * 3]
    call = Message("assistant", tool_calls=(ToolCall("1", "book", f'{{"code": "{value}"}}'),))
    return Conversation([Message("user", first), Message("assistant", "Yes."), Message("user", fact), *talk, call])


def test_the_loss_is_quoted_with_the_turn_that_needed_it_and_since_when_it_was_gone():
    assert said(story(), stars=[3]) == "Turn 12 needed “Jonas is badly allergic to walnuts”: gone since turn 10."
    assert said(story()) == said(story(), stars=[3])


def test_a_marked_message_that_nothing_used_comes_before_a_fact_that_was():
    timeline = replay(asked_late("The code is QX-5517.", "QX-5517", first="Never on a Monday!"), Settings(length=1))
    assert said(timeline) == "Turn 5 needed “The code is QX-5517”: gone since turn 3."
    assert said(timeline, stars=[0]) == "“Never on a Monday” must be remembered: gone since turn 2."


def test_of_a_marked_message_the_instruction_is_quoted_without_what_announces_it():
    first = "Hello! Two things before you start: never write to bookings, the auditors hold them. Thank you!"
    timeline = replay(asked_late("The code is QX-5517.", "QX-5517", first=first), Settings(length=1))
    assert said(timeline, stars=[0]).startswith("“never write to bookings, the auditors hold them” must be remembered")
    told = Message("user", "House rules: never touch tests/data/, and never commit.")
    assert first_instruction(told, "tests/data/") == "never touch tests/data/, and never commit"
    assert first_instruction(told, "src/") == first_instruction(Message("user", "Please mend it.")) == ""


def test_within_one_turn_requests_are_named_and_what_went_at_once_was_gone_by_then():
    held = said(as_sent(load_sample("held-for-the-auditors")[0]))
    assert held == "Request 12 needed “/srv/ferry/schema.sql”: already gone."
    assert said(replay(load_sample("birthday-by-the-sea")[0], Settings())).endswith("June”: already gone.")


def test_values_that_may_be_there_by_chance_are_counted_and_none_is_named():
    lost = said(replay(load_sample("help-desk-tour")[0], Settings(pruner="fifo", budget=500)))
    assert lost == "2 of 12 facts it used were already gone."


def test_where_nothing_was_lost_it_says_what_trimming_saves_or_costs_and_why():
    assert said(replay(load_sample("garden-room")[0], Settings())) == (
        "Nothing it needed was lost, and trimming saves 3%."
    )
    lamp = as_sent(load_sample("lamp-through-the-night")[0])
    assert said(lamp) == "Claude Code’s trimming cost 23% more here: it broke the prompt cache once."


def test_without_prices_tokens_are_compared():
    garden = replay(load_sample("garden-room")[0], Settings(budget=600))
    assert said(garden, priced=False).endswith("fewer tokens are sent.")


def test_what_is_whole_says_how_full_it_gets_and_what_is_too_much_says_by_how_much():
    assert said(replay(load_sample("farewell-lunch")[0], Settings())) == (
        "Nothing is trimmed: 2.2k of 8k tokens at most."
    )
    assert said(story(pruner="off", tool_output="off")) == (
        "10 of 21 requests exceed the budget: 2.2k of 1.4k tokens at most."
    )


def test_what_no_api_takes_is_left_out_even_where_nothing_is_trimmed_and_is_counted():
    whole = conv("u a(t t) u a(t) u a u")
    orphans = Conversation([m for m in whole if not m.tool_calls])
    assert said(replay(orphans, Settings())) == (
        "Nothing is trimmed but 3 tool results without their call, which no API takes: 63 of 8k tokens at most."
    )
    unanswered = Conversation([m for m in whole if m.role != "tool"])
    assert said(replay(unanswered, Settings())).startswith(
        "Nothing is trimmed but 2 messages with calls that lack a result, which no API takes: "
    )


def test_of_a_trimmer_that_parts_calls_from_results_nothing_is_said_to_be_left_out_in_any_case():
    unanswered = Conversation([m for m in conv("u a(t t) u a(t) u a u") if m.content != "result 1 1"])
    assert left_out_in_words(replay(unanswered, Settings())).startswith("1 message with calls that lack a result")
    assert left_out_in_words(replay(unanswered, trimmer=lambda messages: messages[-1:])) == ""


@pytest.mark.parametrize("sample", ["farewell-lunch", "ferry-desk", "tide-tables-agent", "held-for-the-auditors"])
def test_it_is_short(sample):
    for budget in (400, 1000, 3000):
        words = said(replay(load_sample(sample)[0], Settings(budget=budget, pruner="fifo"))).split()
        assert len(words) <= 18


def test_a_long_sentence_is_cut_between_words_around_the_value_and_code_and_paths_stand_alone():
    long = "We met on the quay at noon and talked about the boat until he said that the code was QX-5517, I think."
    assert quote_of(Message("user", long), "QX-5517") == "…until he said that the code was QX-5517, I…"
    assert quote_of(Message("tool", '{"code": "QX-5517", "seat": 12}'), "QX-5517") == "QX-5517"
    assert quote_of(Message("user", "Look at /srv/a.py, will you?"), "/srv/a.py") == "/srv/a.py"
    assert short_value(f"/home/{'x' * 60}/src/app.py") == "…/src/app.py"


def test_hostile_text_is_quoted_on_one_line():
    lost = said(replay(asked_late(f"QX-5517 {hostile.TEXT}", "QX-5517"), Settings(length=1)))
    assert "\n" not in lost
    assert lost.isprintable()


def test_requests_over_the_budget_are_measured_against_it_and_not_against_the_larger_window():
    compacts = Settings(policy="all", budget=1400, pruner="off", compaction="rolling", window=200_000)
    timeline = replay(load_sample("farewell-lunch")[0], compacts)
    assert said(timeline).endswith("requests exceed the budget: 2.1k of 1.4k tokens at most.")


def test_of_a_trimmer_what_an_api_refuses_comes_first_with_its_cause():
    def newest_five(messages):
        return messages[:1] + messages[1:][-5:]

    loop = generate("tool_loop", turns=2, rounds=8, seed=7)
    timeline = replay(loop, trimmer=newest_five)
    refused, orphans = int(timeline.refused.sum()), int(validity(timeline).orphans.sum())
    wanted = f"An API would refuse {refused} of the {len(timeline.plans)} requests that newest_five makes"
    assert said(timeline) == f"{wanted}: {orphans} tool results without their call."


@pytest.mark.parametrize(
    ("trimmer", "sentence"),
    [
        (lambda messages: messages[1:], "<lambda> sends 2 of 2 requests without the system prompt."),
        (
            lambda messages: messages[-1:] if len(messages) > 2 else messages,
            "An API would refuse 1 of the 2 requests that <lambda> makes: 1 tool result without its call; "
            "1 goes without the system prompt.",
        ),
    ],
)
def test_a_lost_system_prompt_is_in_the_headline(trimmer, sentence):
    assert said(replay(conv("s u a(t)"), trimmer=trimmer)).replace("test_headline.", "") == sentence
