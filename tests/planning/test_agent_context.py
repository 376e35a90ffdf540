"""What a coding agent tells its model to work by is kept, the newest of each directory; what looks like it isn't."""

from __future__ import annotations

import pytest
from sketches import conv

from historylab import Settings, Trimmer, plan_history, replay, trim
from historylab.conversation import injected
from historylab.conversation.conversation import Conversation
from historylab.conversation.message import Message
from historylab.planning import agent_context as contexts
from historylab.registry import members
from historylab.settings.link import decode, encode
from historylab.systems.presets.base import presets

CLAUDE = """<system-reminder>
For your answers:
# claudeMd
What the project wants:

Contents of {path}/CLAUDE.md (checked in):

{rule}
</system-reminder>
"""
CODEX = "# AGENTS.md instructions for {path}\n\n<INSTRUCTIONS>\n{rule}\n</INSTRUCTIONS>"
PLACE = "<environment_context>\n  <cwd>{path}</cwd>\n</environment_context>"
AIDER = """Here are some READ ONLY files, provided for your reference.
Do not edit these files!

CONVENTIONS.md
```
{rule}
```
"""
CURSOR = """<user_info>
OS Version: linux
</user_info>

<agent_transcripts>
Past chats are in a folder.
</agent_transcripts>

<rules>
The rules section has a number of possible rules that count.

<always_applied_workspace_rules>
{rule}
</always_applied_workspace_rules>
</rules>
"""
TIGHT = {"policy": "lastN", "length": 1}


def rules(path: str = "/srv/x", frame: str = CODEX, rule: str = "Tabs, never spaces.") -> Message:
    return Message("user", frame.format(path=path, rule=rule))


def sketch(*parts: Message | str, **chosen) -> str:
    messages = [m for part in parts for m in ([part] if isinstance(part, Message) else conv(part))]
    return plan_history(Conversation(messages), Settings(**{**TIGHT, **chosen})).sketch()


@pytest.mark.parametrize(
    "text",
    [
        CLAUDE.format(path="/srv/x", rule="Tabs.") + "\nMend the build.",
        "<system-reminder>\nContents of /srv/x/api/CLAUDE.md:\n\nTabs.\n</system-reminder>",
        "<ide_opened_file>a.py</ide_opened_file>\n" + CLAUDE.format(path="/srv/x", rule="Tabs."),
        CODEX.format(path="/srv/x", rule="Tabs.") + "\n" + PLACE.format(path="/srv/x"),
        PLACE.format(path="/srv/x"),
        "<session_context>\nLinux, in /srv/x\n</session_context>",
        "This is the Gemini CLI. We are setting up the context for our chat.\nLinux.",
        "<REPOSITORY_INSTRUCTIONS>\nTabs.\n</REPOSITORY_INSTRUCTIONS>",
        AIDER.format(rule="Tabs."),
        CURSOR.format(rule="Tabs.") + "\n<user_query>\nMend the build.\n</user_query>",
    ],
)
def test_it_is_recognised_by_how_a_users_message_begins(text):
    assert sketch(Message("user", text), "a u a u") == "PDDDK"
    assert sketch("u", Message("assistant", text), "u a u") == "DDDDK"
    assert sketch(Message("user", f"Why does it say this? {text}"), "a u a u") == "DDDDK"


@pytest.mark.parametrize(
    "text",
    [
        "Mend the build.",
        "# AGENTS.md instructions for the team: where do they go?",
        "# claudeMd\nContents of CLAUDE.md:",
        "<system-reminder>\nThe list of tasks is empty.\n</system-reminder>\n# claudeMd",
        "<environment>in /srv/x</environment>",
        "<rules>\nNever in capitals.\n</rules>\nMend the text.",
        "Here are some files, provided for your reference.",
    ],
)
def test_a_first_message_is_not_kept_for_being_first(text):
    assert sketch(Message("user", text), "a u a u") == "DDDDK"


def test_in_a_tools_result_it_goes_with_the_result():
    result = Message("tool", CLAUDE.format(path="/srv/x", rule="Tabs."), tool_call_id="c")
    call = conv("a(t)")[0]
    messages = [*conv("u"), call, Message("tool", result.content, tool_call_id=call.tool_calls[0].id)]
    assert sketch(*messages, "u a u") == "DDDDDK"


@pytest.mark.parametrize("frame", [CODEX, CLAUDE])
def test_the_newest_of_each_directory_is_kept(frame):
    parts = [
        rules("/a", frame),
        *conv("a"),
        rules("/b", frame),
        *conv("a"),
        rules("/a", frame, "Spaces."),
        *conv("a u"),
    ]
    assert sketch(*parts) == "DDPDPDK"
    timeline = replay(Conversation(parts), Settings(**TIGHT))
    assert [plan.sketch() for plan in timeline.plans] == ["P", "PDP", "DDPDP", "DDPDPDK"]


def test_an_environment_is_kept_until_all_of_it_is_said_again():
    whole, moved = PLACE.replace("</cwd>", "</cwd><shell>sh</shell>"), PLACE
    parts = [Message("user", text.format(path="/a")) for text in (whole, moved, moved, whole)]
    assert sketch(*parts[:3], "u") == "PDPK"
    assert sketch(*parts, "u") == "DDDPK"


@pytest.mark.parametrize(
    "way",
    [{"policy": p} for p in members("policy")]
    + [{"pruner": p, "budget": 1} for p in members("pruner")]
    + [{"compaction": c, "budget": 40, "window": 40} for c in members("compaction")]
    + [{"layout": x, "policy": "none"} for x in members("layout")],
    ids=str,
)
def test_it_is_in_every_request_whatever_is_cut(way):
    parts = [*conv("s"), rules(rule="RULE-77"), *conv("a u a(t:90) a u a u a u a u")]
    settings = Settings(**{"policy": "all", "tool_output": "clear", **way})
    for plan in replay(Conversation(parts), settings).plans:
        assert plan.sketch()[1] == "P"
        assert any("RULE-77" in message.content for message in plan.render())


def test_what_a_filter_leaves_out_is_not_sent_for_being_rules():
    parts = [rules(), *conv("a u a u")]
    assert sketch(*parts, filter="newest", **{"filter.newest.messages": 2}) == "DDDDK"


def test_the_reason_says_what_it_is():
    plan = plan_history(Conversation([rules(), Message("user", PLACE), *conv("u a u")]), Settings(**TIGHT))
    said = [plan.reason(i).sentence for i in range(2)]
    assert said == [
        "Always sent: rules of the coding agent.",
        "Always sent: environment of the coding agent.",
    ]


def test_it_can_be_turned_off_and_a_link_says_so():
    off = Settings(**TIGHT, **{"pin.agent_context": False})
    assert sketch(rules(), "a u a u", **{"pin.agent_context": "false"}) == "DDDDK"
    assert off.value("pin.agent_context") is False
    assert "pin.agent_context=false" in encode(off, decode({}).place)


def test_the_published_systems_leave_it_off_as_they_have_nothing_like_it():
    for preset in presets().values():
        chosen = [preset.settings, *preset.variants.values()]
        assert {settings.value("pin.agent_context") for settings in chosen} == {False}
        assert preset.decides()["pin.agent_context"] is False


def test_over_budget_names_it_and_what_would_mend_it():
    timeline = replay(Conversation([rules(rule="word " * 300), *conv("a u:5")]), Settings(budget=100, policy="all"))
    cause = timeline.over_budget_cause(1)
    assert cause.filled.endswith("in what the coding agent works by")
    assert cause.alternative == {"pin.agent_context": False}


def test_trim_reads_all_of_a_coding_agents_list():
    first = {"role": "user", "content": rules().content}
    parts = [{"type": "text", "text": CLAUDE.format(path="/srv/x", rule="Tabs.")}, {"type": "text", "text": "Go on"}]
    talk = [{"role": role, "content": f"word {k}"} for k in range(300) for role in ("user", "assistant")]
    for context in (first, {"role": "user", "content": parts}, {"role": "user", "content": "\n" + first["content"]}):
        messages = [*talk[:20], context, *talk[20:], {"role": "user", "content": "And now?"}]
        assert trim(messages, Settings(**TIGHT)) == [context, messages[-1]]


def test_each_message_is_looked_at_once(monkeypatch):
    looked = []
    monkeypatch.setattr(contexts, "agent_context", lambda text: looked.append(text) or injected.agent_context(text))
    trimmer, talk = Trimmer(Settings(**TIGHT)), [{"role": "user", "content": rules().content}]
    for k in range(9):
        talk += [{"role": "assistant", "content": f"a{k}"}, {"role": "user", "content": f"u{k}"}]
        prompt = [{"role": "system", "content": f"It is {k} o'clock."}] * (1 + k % 2)
        assert trimmer.trim([*prompt, *talk]) == [*prompt, talk[0], talk[-1]]
    assert sorted(looked) == sorted(m["content"] for m in talk if m["role"] == "user")
