"""The chat: whatever isn't sent has a line that says so, the summary stands where it is sent, text is only text."""

from __future__ import annotations

import re
from html import unescape

from sketches import conv

from historylab import Conversation, Message, Settings, ToolCall, plan_history
from historylab.figures.chat import chat


def items(html: str) -> list[str]:
    """The list's items as their text; a line of what is left out begins with a dash."""
    found = re.findall(r'<li class="([^"]+)"[^>]*>(.*?)</li>', html, re.DOTALL)
    texts = [unescape(re.sub(r"<[^>]+>", " ", inner)) for _, inner in found]
    return [("– " if kind == "hl-cut" else "") + " ".join(t.split()) for (kind, _), t in zip(found, texts, strict=True)]


def everything(plan) -> range:
    return range(plan.size)


def test_the_cut_is_a_line_before_the_first_message_that_is_sent():
    plan = plan_history(conv("s u a u a u"), Settings(length=1, pruner="off"))
    for shown in (everything(plan), [0, 5]):  # with what is left out, and without
        told = items(chat(plan, shown))
        assert re.match(r"– 4 messages left out here, [\d,]+ tokens\. Older than the last user message\.", told[-2])
        assert told[-1].startswith("user 6")
        assert sum(item.startswith("–") for item in told) == 1


def test_what_must_be_remembered_says_so():
    plan = plan_history(conv("s u a u"), Settings())
    told = items(chat(plan, everything(plan), starred={1}))
    assert ["must remember" in item for item in told] == [False, True, False, False]


def test_the_summary_is_a_bubble_where_it_is_sent():
    talk = Conversation([Message(("user", "assistant")[i % 2], f"message {i} " + "word " * 60) for i in range(9)])
    plan = plan_history(talk, Settings(policy="all", pruner="summarize", budget=300, min_turns=0))
    assert "S" in plan.sketch()
    place = plan.sketch().index("K")
    told = items(chat(plan, everything(plan)))
    made = next(k for k, item in enumerate(told) if item.startswith("summary of"))
    assert told[made - 1].startswith("–")
    assert "summarised here" in told[made - 1]
    assert told[made + 1].startswith(f"{talk[place].role} {place + 1}")
    assert "sent in their place" in told[made]
    pages = [chat(plan, range(place), last=False), chat(plan, range(place, plan.size), after=place - 1)]
    assert ["summary of" in page for page in map(str, map(items, pages))] == [False, True]


def test_each_bubble_says_who_what_became_of_it_its_tokens_and_why():
    plan = plan_history(conv("s u a u"), Settings(length=1, pruner="off"))
    told = items(chat(plan, everything(plan), chosen=1))
    assert re.search(r"^user 2 .* × dropped · [\d,]+ tokens · Older than the last user message\.$", told[1])
    assert re.search(r"● kept · [\d,]+ tokens$", told[-1])
    assert chat(plan, everything(plan), chosen=1).count('aria-current="true"') == 1


def test_long_text_is_clipped_with_a_count_and_calls_are_a_line():
    call = ToolCall("1", "read_file", '{"path": "' + "x" * 500 + '"}')
    result = Message("tool", "1\n" * 200, tool_call_id="1")
    messages = [Message("user", "y" * 1000), Message("assistant", "", tool_calls=(call,)), result]
    told = items(chat(plan_history(Conversation(messages), Settings()), range(3)))
    assert "… 300 more characters" in told[0]
    assert re.search(r"→ read_file\(\{.*…\) … 352 more characters", told[1])
    assert "… 393 more characters" in told[2]


def test_thinking_is_folded_and_a_text_that_the_file_left_out_is_said_to_be():
    thought = Message("assistant", "4", metadata={"thinking": "<b>2 + 2"})
    talk = Conversation([Message("user", metadata={"tokens": 1234}), thought])
    told = chat(plan_history(talk, Settings()), [0, 1])
    assert "(text not in the file: 1,234 tokens)" in told
    assert "<summary>Thinking, not sent again</summary>" in told
    assert "&lt;b&gt;2 + 2" in told


def test_what_is_said_runs_and_loads_nothing():
    hostile = '<img src=x onerror="alert(1)">'
    message = Message(hostile, hostile, name=hostile, tool_calls=(ToolCall("1", hostile, hostile),), media=(hostile,))
    html = chat(plan_history(Conversation([message]), Settings()), [0])
    assert "<img" not in html
    assert html.count("&lt;img") == 6  # role, name, text, call, arguments, media
