"""Markdown of a chat: headings and bold labels of speakers; a README is none."""

from __future__ import annotations

import pytest

from historylab import load
from historylab.errors import LoadError, UnknownFormat


def said(text: str) -> str:
    return " ".join(f"{m.role[0]}:{m.content}" for m in load(text.encode())[0])


@pytest.mark.parametrize(
    "text",
    [
        "## User\n\nhi\n\n## Assistant\n\nyo",
        "### 👤 User:\nhi\n### 🤖 ChatGPT:\nyo",
        "#### You:\nhi\n#### GPT-4o:\nyo",
        "**User:** hi\n\n**Assistant:** yo",
        "**Human**\n\nhi\n\n---\n\n**Claude**\n\nyo\n\n---\n",
        "_**User (2025-05-21 10:00Z)**_\r\n\r\nhi\r\n\r\n---\r\n\r\n_**Agent (model x, mode y)**_\r\n\r\nyo",
        "<!-- saved -->\n__You__: hi\n\n__Gemini__: yo",
        "# Title\n\nsome words\n\n## Prompt:\nhi\n\n## Response:\nyo",
    ],
)
def test_headings_and_bold_labels_name_the_speakers(text):
    assert said(text) == "u:hi a:yo"


def test_other_headings_code_and_rules_inside_a_message_are_its_text():
    text = "## User\nhi\n## Assistant\na\n---\nb\n## Part\n```\n## User\n```\n## User\nmore"
    assert said(text) == "u:hi a:a\n---\nb\n## Part\n```\n## User\n``` u:more"


def test_labels_of_emphasis_alone_need_not_alternate():
    assert said("_**User**_\nhi\n" + "_**Agent (2026-03-01 10:00Z)**_\nyo\n" * 3) == "u:hi a:yo a:yo a:yo"


def test_cursors_labels_need_not_alternate_and_other_bold_lines_are_words():
    head = "# T\n_Exported on 3/1/2026 at 10:00:00 GMT+1 from Cursor (1.7.38)_\n\n---\n\n"
    text = "**User**\n\nhi\n\n---\n\n**Cursor**\n\n**Agent**\n\na\n\n---\n\n**Cursor**\n\nb\n"
    assert said(head + text) == "u:hi a:**Agent**\n\na a:b"


def test_the_title_and_the_times_are_read():
    loaded = load(b"# Compost\n\n## User (2026-05-02 18:00)\nhi\n## Assistant\nyo")
    assert loaded[0].title == "Compost"
    assert [m.timestamp for m in loaded[0]] == ["2026-05-02T18:00", None]


@pytest.mark.parametrize(
    "text",
    [
        "# Tool\n\n## Install\nx\n\n## User\nguide\n\n## Model\ny\n\n## License\nz",
        "# Tool\n\n" + "words\n" * 20 + "**User:** hi\n\n**Assistant:** yo\n",
        "## User\nguide",
        "# Doc\n\n## User\n\nThe user table has id.\n\n## Assistant\n\nThe assistant table has id.",
        "# Doc\n\n**User**: the account that calls\n\n**Assistant**: the model that answers\n",
        "**User** and **assistant** are roles.",
        "## Anna\nhi\n## Ben\nyo",
        "## User\na\n## Agent\nb\n## Agent\nc\n## Agent\nd",
        "_**Note**_\na\n_**Agent**_\nb",
        "```\n## User\nhi\n## Assistant\nyo\n```",
    ],
)
def test_a_readme_is_no_conversation(text):
    with pytest.raises(UnknownFormat):
        load(text.encode(), name="README.md")


def test_it_is_refused_in_words_where_it_is_chosen():
    with pytest.raises(LoadError, match="'## User'"):
        load(b"# Tool\nwords", "markdown")
