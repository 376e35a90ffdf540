"""The AI SDK's `pruneMessages`, replayed through Node, leaves what it leaves when it is called by hand."""

from __future__ import annotations

import shutil

import pytest
from driven_trimmers import sent_by, share_acted_on, support_chat, tool_loop

from historylab import registry, replay
from historylab.errors import MissingLibrary
from historylab.trimmers.given import installed_version
from tests.trimmers.by_hand import ai_sdk as by_hand

NAME = "ai_sdk.pruneMessages"
needs_node = pytest.mark.skipif(shutil.which("node") is None, reason="Node isn't there")


@pytest.fixture
def stand_in(tmp_path, monkeypatch):
    """Writes a package `ai` into the current folder."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("NODE_PATH", raising=False)

    def write(text):
        folder = tmp_path / "node_modules" / "ai"
        folder.mkdir(parents=True)
        (folder / "package.json").write_text('{"name": "ai", "version": "7.7.7", "type": "module", "main": "it.js"}')
        (folder / "it.js").write_text(text)

    return write


@pytest.mark.parametrize("chat", [support_chat, tool_loop])
@pytest.mark.parametrize(
    "options",
    [
        {"toolCalls": "before-last-message"},
        {"toolCalls": "before-last-6-messages", "emptyMessages": "keep"},
        {"toolCalls": [{"type": "before-last-3-messages", "tools": ["lookup_order", "read_record"]}]},
    ],
)
def test_it_leaves_what_it_leaves_by_hand(chat, options):
    if not installed_version(registry.member("trimmer", NAME)):
        pytest.skip("the npm package ai isn't there")
    sent = sent_by(NAME, chat(), **options)
    assert sent == list(by_hand.pruned(chat(), **options))
    assert share_acted_on(sent, chat()) > 0.5


@needs_node
def test_the_package_of_the_current_folder_is_run(stand_in):
    stand_in(
        "export const pruneMessages = ({ messages, toolCalls }) => toolCalls === 'all' ? messages.slice(0, 1) : []"
    )
    sent = sent_by(NAME, support_chat(), toolCalls="all")
    assert [len(messages) for messages in sent] == [2] * len(sent)  # the prompt stands outside


@needs_node
def test_what_it_throws_is_said_and_the_rest_goes_on(stand_in):
    stand_in(
        "let n = 0; export const pruneMessages = ({ messages }) => { if (n++ == 0) throw Error('no'); return messages }"
    )
    steps = replay(support_chat(), trimmer=NAME).steps
    assert "Error: no" in steps[0].error
    assert not any(step.error for step in steps[1:])


@needs_node
def test_its_version_is_the_packages(stand_in):
    found = registry.member("trimmer", NAME)
    assert installed_version(found) == ""
    stand_in("export const pruneMessages = ({ messages }) => messages")
    assert installed_version(found) == "7.7.7"


@needs_node
def test_without_the_package_the_command_is_named(stand_in):
    with pytest.raises(MissingLibrary, match="npm install ai"):
        replay(support_chat(), trimmer=NAME)


def test_without_node_the_commands_are_named(monkeypatch):
    monkeypatch.setenv("PATH", "")
    with pytest.raises(MissingLibrary, match=r"nodejs\.org.*npm install ai"):
        replay(support_chat(), trimmer=NAME)


@needs_node
def test_node_ends_with_the_trimmer(stand_in):
    stand_in("export const pruneMessages = ({ messages }) => messages")
    trimmer = registry.member("trimmer", NAME).target()
    node = trimmer._node
    del trimmer
    assert node.wait(10) is not None
