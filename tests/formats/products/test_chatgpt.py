"""ChatGPT's export: a tree of nodes, of which one path is shown."""

from __future__ import annotations

import json

import pytest

from historylab.formats.files.content import Content
from historylab.formats.load import load, match_strengths


class Export:
    """Writes nodes as ChatGPT does: each follows the one before it, unless told otherwise."""

    def __init__(self):
        self.mapping: dict[str, dict] = {"root": {"id": "root", "message": None, "parent": None, "children": []}}
        self.last = "root"

    def put(self, role: str, said=None, *, parent: str = "", recipient="all", name=None, **more) -> str:
        key = f"n{len(self.mapping)}"
        content = said if isinstance(said, dict) else {"content_type": "text", "parts": [said or ""]}
        author = {"role": role, "name": name, "metadata": {}}
        message = {"id": key, "author": author, "content": content, "recipient": recipient, "weight": 1.0, **more}
        message.setdefault("create_time", 1.0e9 + len(self.mapping))
        self.mapping[key] = {"id": key, "message": message, "parent": parent or self.last, "children": []}
        self.mapping[parent or self.last]["children"].append(key)
        self.last = key
        return key

    def load(self, **more):
        export = {"title": "T", "current_node": self.last, "mapping": self.mapping, **more}
        return load(json.dumps([export]).encode(), name="conversations.json")


def lines_of(conversation) -> list[str]:
    return [f"{m.role[0]} {m.content}" for m in conversation]


def of_kind(kind: str, **fields) -> dict:
    return {"content_type": kind, **fields}


HIDDEN = {"metadata": {"is_visually_hidden_from_conversation": True}}


@pytest.fixture
def export() -> Export:
    return Export()


def test_the_path_from_the_current_node_is_followed_whatever_the_order_of_the_nodes(export):
    start = export.put("user", "One.")
    export.put("assistant", "Wrong.")
    export.put("user", "Two.", parent=export.put("assistant", "Right.", parent=start))
    export.mapping = dict(reversed(export.mapping.items()))
    (conversation,) = loaded = export.load()
    assert (conversation.title, lines_of(conversation)) == ("T", ["u One.", "a Right.", "u Two."])
    (branch,) = conversation.branches
    assert (branch.title, lines_of(branch)) == ("from message 2: Wrong.", ["u One.", "a Wrong."])
    assert branch[0] is conversation[0]
    assert (loaded.report.records, loaded.report.skips, loaded.report.remarks) == (4, 0, 0)


def test_branches_are_offered_from_new_to_old_and_older_ones_counted(export):
    start = export.put("user", "One.")
    for k in range(24):
        export.put("assistant", f"Try {k}.", parent=start)
    (conversation,) = loaded = export.load(current_node="n9")
    assert conversation[-1].content == "Try 7."
    assert [b[-1].content for b in conversation.branches] == [f"Try {k}." for k in range(23, 2, -1) if k != 7]
    assert loaded.report.skipped["a message on a branch older than those offered"].count == 3


@pytest.mark.parametrize("current", [None, "gone", 5])
def test_without_a_current_node_the_newest_end_is_followed(export, current):
    start = export.put("user", "One.")
    export.put("assistant", "Newer.", parent=start, create_time=2.0e9)
    export.put("assistant", "Older.", parent=start)
    assert lines_of(export.load(current_node=current)[0]) == ["u One.", "a Newer."]


def test_parents_named_by_their_children_alone_are_found(export):
    export.put("user", "One.")
    export.put("assistant", "Two.")
    for node in export.mapping.values():
        del node["parent"]
    assert lines_of(export.load()[0]) == ["u One.", "a Two."]


def test_parents_in_a_circle_end(export):
    export.put("user", "One.")
    export.put("assistant", "Two.")
    export.mapping["n1"]["parent"] = "n2"
    assert set(lines_of(export.load()[0])) == {"u One.", "a Two."}


def test_a_message_to_a_tool_is_a_call_and_the_nodes_below_it_its_result(export):
    export.put("user", "Count.")
    key = export.put("assistant", of_kind("code", language="python", text="1 + 1"), recipient="python")
    export.put("tool", of_kind("execution_output", text="2"), name="python")
    export.put("tool", of_kind("tether_quote", title="A page", url="http://x", text="Two."), name="python")
    export.put("assistant", "Two.")
    (conversation,) = export.load()
    assert lines_of(conversation) == ["u Count.", "a ", "t 2\nA page\nhttp://x\nTwo.", "a Two."]
    assert [(c.id, c.name, c.arguments) for c in conversation[1].tool_calls] == [(key, "python", "1 + 1")]
    assert conversation[2].tool_call_id == key
    assert conversation.columns.clean


def test_hidden_calls_and_results_stay_so_that_no_call_goes_unanswered(export):
    export.put("user", "Search.")
    export.put("assistant", of_kind("code", text="search('x')"), recipient="web", **HIDDEN)
    export.put("tool", "", name="web.run", weight=0.0)
    export.put("assistant", "Found.")
    (conversation,) = export.load()
    assert [m.role for m in conversation] == ["user", "assistant", "tool", "assistant"]
    assert conversation[1].metadata["hidden"] is True
    assert conversation.columns.clean


def test_hidden_and_empty_nodes_are_counted(export):
    export.put("system", "", weight=0.0, **HIDDEN)
    export.put("user", "Do not show this.", **HIDDEN)
    export.put("assistant", "Nor this.", weight=0)
    export.put("user", "Hello.")
    export.put("assistant", of_kind("text", parts=[]))
    (conversation,) = loaded = export.load()
    assert lines_of(conversation) == ["u Hello."]
    assert {why: t.count for why, t in loaded.report.skipped.items()} == {"a hidden node": 3, "an empty node": 1}


def test_custom_instructions_are_a_system_message_in_both_spellings(export):
    older = {"about_user_message": "A gardener.", "about_model_message": "Be brief."}
    export.put("system", "", metadata={"is_user_system_message": True, "user_context_message_data": older})
    newer = of_kind("user_editable_context", user_profile="A painter.", user_instructions="Be long.")
    export.put("user", newer, **HIDDEN)
    export.put("user", "Hello.")
    (conversation,) = export.load()
    assert lines_of(conversation) == ["s A gardener.\nBe brief.", "s A painter.\nBe long.", "u Hello."]


def test_thoughts_are_kept_beside_the_answer_they_led_to(export):
    export.put("user", "Why?")
    export.put("assistant", of_kind("thoughts", thoughts=[{"summary": "Looking", "content": "Hmm."}, 5]))
    export.put("assistant", of_kind("reasoning_recap", content="Thought for 8s"))
    export.put("assistant", "Because.")
    export.put("assistant", of_kind("thoughts", thoughts=[{"content": "More?"}]))
    (conversation,) = loaded = export.load()
    assert lines_of(conversation) == ["u Why?", "a Because."]
    assert conversation[1].metadata["thinking"] == "Looking\nHmm."
    assert list(loaded.report.skipped) == ["a line on how long the model thought"]
    assert list(loaded.report.warnings) == ["thinking without an answer"]


def test_regenerated_answers_share_the_question_and_count_each_node_once(export):
    start = export.put("user", "Why?")
    thoughts = export.put("assistant", of_kind("thoughts", thoughts=[{"content": "Hmm."}]), parent=start)
    export.put("assistant", "One.", parent=thoughts)
    export.put("assistant", "Two.", parent=thoughts)
    (conversation,) = loaded = export.load()
    assert [m.metadata.get("thinking") for m in (conversation[1], conversation.branches[0][1])] == ["Hmm.", "Hmm."]
    assert loaded.report.records == 4


def test_parts_are_text_media_or_named(export):
    image = of_kind("image_asset_pointer", asset_pointer="file-service://x")
    spoken = of_kind("audio_transcription", text="Said aloud.", direction="in")
    parts = ["See:", image, spoken, of_kind("audio_asset_pointer"), of_kind("hologram"), 7, None]
    files = {
        "attachments": [{"name": "a.pdf", "mimeType": "application/pdf"}, {"name": "b.png", "mimeType": "image/png"}]
    }
    export.put("user", of_kind("multimodal_text", parts=parts), metadata=files)
    (conversation,) = loaded = export.load()
    assert lines_of(conversation) == ["u See:\nSaid aloud."]
    assert conversation[0].media == ("image", "audio", "file")
    assert list(loaded.report.warnings) == ["a part of type 'hologram' not read", "a part that is a number not read"]


@pytest.mark.parametrize(
    ("content", "text"),
    [
        (of_kind("code", language="json", text="{}"), "{}"),
        (of_kind("tether_browsing_display", result="Page.", summary="Short."), "Page."),
        (of_kind("system_error", name="Timeout", text="too slow"), "Timeout\ntoo slow"),
        (of_kind("citable_code_output", output_str="out"), "out"),
        (of_kind("brand_new", text="Something."), "Something."),
    ],
)
def test_contents_of_other_types_are_read_as_their_text(export, content, text):
    export.put("assistant", content)
    assert export.load()[0][0].content == text


def test_a_content_that_is_not_known_is_named(export):
    export.put("user", "Hi.")
    export.put("assistant", of_kind("brand_new", widget={"a": 1}))
    loaded = export.load()
    assert list(loaded.report.warnings) == ["a content of type 'brand_new' not read"]
    assert list(loaded.report.skipped) == ["an empty node"]


def test_a_tools_message_without_a_call_is_read_as_the_users(export):
    export.put("user", "Read my file.")
    export.put("tool", "The file says: hello.", name="file_search")
    (conversation,) = loaded = export.load()
    assert [(m.role, m.name, m.metadata.get("injected")) for m in conversation][1] == ("user", "file_search", True)
    assert any("answers no call" in why for why in loaded.report.warnings)


def test_model_provider_and_times_are_recorded(export):
    export.put("user", "Hi.", create_time=1767261600.5)
    export.put("assistant", "Hello.", metadata={"model_slug": "gpt-5"}, create_time="soon")
    (conversation,) = loaded = export.load(
        default_model_slug="auto", gizmo_id="g-1", moderation_results=[], h=1, g=1, f=1, e=1
    )
    assert (conversation.recorded.model, conversation.recorded.provider) == ("gpt-5", "openai")
    assert [m.timestamp for m in conversation] == ["2026-01-01T10:00:00.500000+00:00", None]
    assert list(loaded.report.kept) == ["gizmo_id", "h", "g", "f", "e"]
    assert list(loaded.report.warnings) == ["a timestamp that is no time"]


def test_every_conversation_of_the_list_is_read_and_what_is_none_is_counted(export):
    export.put("user", "Hi.")
    one = {"title": "One", "mapping": export.mapping, "current_node": export.last}
    loaded = load(json.dumps([one, {**one, "title": "Two"}, {"id": "x"}, 5]).encode())
    assert [c.title for c in loaded] == ["One", "Two"]
    assert list(loaded.report.skipped) == [
        "an object without a mapping of nodes",
        "a number without a mapping of nodes",
    ]
    assert load(json.dumps(one).encode())[0].title == "One"


def test_another_mapping_is_not_claimed():
    for value in ({"mapping": {"a": "b"}}, {"mapping": []}, [{"mapping": {}}]):
        assert "chatgpt" not in match_strengths(Content(json.dumps(value).encode()))
