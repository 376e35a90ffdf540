"""Files that were given: what is read, what is refused and why, and what a tab holds of them."""

from __future__ import annotations

import json
from pathlib import Path

from historylab import Conversation, Message
from historylab.formats.listing import ListedConversation, Listing
from historylab.formats.load import UPLOAD_BYTES, first_asking
from historylab.ui.library.large_file import matches, row_of
from historylab.ui.session.given_files import MOST_FILES, bound_uploads, files_to_open, merge_files, read_files
from historylab.ui.session.large_files import large_file
from historylab.ui.session.opening import refusal_of
from historylab.ui.session.tab import GivenFile, ToOpen

CHAT = json.dumps([{"role": "user", "content": "Hello."}]).encode()


def read(*files: GivenFile, format: str = ""):
    steps: list[tuple[float, str]] = []
    found, refused = read_files(ToOpen(files, format), lambda *step: steps.append(step))
    return found, refused, steps


def test_each_file_is_read_by_itself_and_how_far_it_is_is_told():
    found, refused, steps = read(GivenFile("a.json", CHAT), GivenFile("b", b"\x00"), GivenFile("c.json", CHAT))
    assert [file.given.name for file, _ in found] == ["a.json", "c.json"]
    assert [file.given.name for file in refused] == ["b"]
    assert steps == [
        (0, "Reading 1 of 3: `a.json`"),
        (1 / 3, "Reading 2 of 3: `b`"),
        (2 / 3, "Reading 3 of 3: `c.json`"),
    ]
    together = merge_files(found)
    assert [c.title for c in together] == ["a", "c"]
    assert together.report.messages == 2


def test_the_first_conversation_in_which_a_user_speaks_is_opened():
    told, asked = Conversation([Message("system", "Be kind.")]), Conversation([Message("user", "Hello.")])
    assert [first_asking(c) for c in ([told, asked], [asked, told], [told, told], [])] == [1, 0, 0, 0]


def test_more_files_or_bytes_than_the_limits_are_refused_with_the_limit(monkeypatch):
    _, refused, _ = read(*[GivenFile(f"{i}.json", CHAT) for i in range(MOST_FILES + 1)])
    assert [str(file.why) for file in refused] == ["only 200 files are read at once"]
    monkeypatch.setattr("historylab.ui.session.given_files.MOST_TOGETHER", len(CHAT))
    _, refused, _ = read(GivenFile("a.json", CHAT), GivenFile("b.json", CHAT))
    assert "together" in str(refused[0].why)


def test_bytes_are_held_up_to_the_limit_of_one_upload():
    most, more = GivenFile("most", b"x" * UPLOAD_BYTES), GivenFile("more", b"x")
    path = GivenFile("path", Path("path"))
    assert list(bound_uploads([most, more, path])) == [most, GivenFile("more", None), path]
    assert "give it again" in str(read(GivenFile("more", None))[1][0].why)


def test_a_folder_is_read_as_one_and_how_far_it_is_is_told(tmp_path):
    for name in ("b.json", "a.json"):
        (tmp_path / name).write_bytes(CHAT)
    (folder, none) = files_to_open([str(tmp_path), "none"])
    found, _, steps = read(folder)
    assert [c.title for c in merge_files(found)] == ["a", "b"]
    assert steps == [(0, f"Reading `{tmp_path.name}`")]
    assert "none" in str(read(none)[1][0].why)


def test_a_large_file_is_listed_by_its_path_alone(tmp_path, monkeypatch):
    monkeypatch.setattr("historylab.ui.session.large_files.LARGE", 10)
    path = tmp_path / "large.jsonl"
    path.write_bytes(CHAT)
    given = GivenFile("large.jsonl", path)
    assert large_file(ToOpen((given,))) == path
    assert large_file(ToOpen((given,), format="rows")) is None
    assert large_file(ToOpen((given, given))) is None
    assert large_file(ToOpen((GivenFile("none", tmp_path / "none"),))) is None
    assert large_file(ToOpen((GivenFile("large.jsonl", CHAT),))) is None


def test_a_listing_is_searched_by_title_or_number():
    listing = Listing([ListedConversation(title, 3, "") for title in ("Lamps", "A lamp", "Ferns")], lambda _: None, {})
    assert matches(listing, "LAMP") == [0, 1]
    assert matches(listing, " 3 ") == [2]
    assert matches(listing, "4") == []
    assert matches(listing, "") == [0, 1, 2]
    assert row_of(listing, 1) == ("2. A lamp", "3")


def test_a_refusal_calls_a_file_by_its_name_and_a_pasted_text_what_it_is():
    _, (file, text, quoted), _ = read(GivenFile("a.json", b" "), GivenFile("", b" "), GivenFile("", b"the file I sent"))
    assert refusal_of(file) == "“a.json”: the file is empty; give a JSON or JSONL file of messages"
    assert refusal_of(text) == "What you pasted is empty; give a JSON or JSONL file of messages"
    assert refusal_of(quoted).startswith("Found text that begins 'the file I sent'")
