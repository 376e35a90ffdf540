"""ZIP and gzip archives: every transcript in them is read, what is none is counted, nothing is unpacked without end."""

from __future__ import annotations

import gzip
import io
import json
import zipfile

import pytest
from format_samples import damages

from historylab import registry
from historylab.conversation.conversation import Conversation
from historylab.conversation.message import Message
from historylab.errors import LoadError, TooLarge
from historylab.formats.files import archives
from historylab.formats.load import load


def chat(*texts: str) -> bytes:
    return json.dumps([{"role": "user", "content": text} for text in texts]).encode()


def zipped(**files: bytes) -> bytes:
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as file:
        for name, data in files.items():
            file.writestr(name.replace("__", "/").replace("_json", ".json").replace("_png", ".png"), data)
    return archive.getvalue()


def test_a_gzip_file_is_read_as_the_file_in_it(tmp_path):
    path = tmp_path / "talk.jsonl.gz"
    path.write_bytes(gzip.compress(b'{"role": "user", "content": "hi"}\n{"role": "assistant", "content": "yes"}\n'))
    (conversation,) = load(path)
    assert ([m.content for m in conversation], conversation.title) == (["hi", "yes"], "talk")


def test_a_zip_with_one_file_is_read_as_that_file():
    loaded = load(zipped(talk_json=chat("hi")))
    assert (loaded[0].title, loaded.report.member) == ("talk", "chat_completions")
    with pytest.raises(LoadError, match="breaks off"):
        load(zipped(talk_json=chat("hi")[:-4]))


def test_every_transcript_in_a_zip_is_read_under_its_name_and_the_rest_is_counted():
    loaded = load(
        zipped(
            a__talk_json=chat("one"),
            b__two_json=json.dumps([{"messages": json.loads(chat(t))} for t in ("x", "y")]).encode(),
            picture_png=b"\x89PNG\r\n\x1a\n" + bytes(64),
            user_json=b'{"email": "mia@example.org"}',
            __MACOSX=b"litter",
        )
    )
    assert [c.title for c in loaded] == ["a/talk", "b/two: x", "b/two: y"]
    assert (loaded.report.conversations, loaded.report.messages) == (3, 3)
    skipped = {reason: tally.first for reason, tally in loaded.report.skipped.items()}
    assert skipped["this is a PNG image, not a transcript"] == "picture.png"
    assert skipped["a file in no format known"] == "user.json"


def test_where_something_was_found_begins_with_the_file():
    loaded = load(zipped(a_json=chat("one"), b_json=b'[{"role": "user", "content": "x"}, 5]'))
    assert loaded.report.skipped["a number, not an object"].first == "b.json [1]"


def test_a_zip_without_any_transcript_says_what_is_in_it():
    with pytest.raises(LoadError, match=r"no transcript is in this archive \(2 files.*a PNG image"):
        load(zipped(a_png=b"\x89PNG", b_png=b"\x89PNG"))


def test_archives_in_archives_and_encrypted_files_are_skipped_by_name():
    encrypted = bytearray(zipped(a_json=chat("one"), b_json=chat("two")))
    at = encrypted.find(b"PK\x01\x02")
    encrypted[at + 8] |= 1  # the flag in the table of contents
    assert load(bytes(encrypted)).report.skipped["an encrypted file"].first == "a.json"
    nested = load(zipped(a_json=chat("one"), more=zipped(b_json=chat("two")), also=gzip.compress(chat("x"))))
    assert nested.report.skipped["an archive inside the archive"].count == 2


def test_what_unpacks_to_more_than_its_limit_is_refused(monkeypatch):
    monkeypatch.setattr(archives, "FREE_BYTES", 1000)
    bomb = b"0" * 1_000_000
    for packed in (gzip.compress(bomb), zipped(a=bomb)):
        with pytest.raises(TooLarge, match=r"holds more than \d.* MB; unpack it"):
            load(packed, max_bytes=2000)
    with pytest.raises(TooLarge):
        load(gzip.compress(b"0" * 1_000_000))  # within the limit, but more than 200 times the archive
    monkeypatch.setattr(archives, "MAX_ENTRIES", 2)
    with pytest.raises(TooLarge, match="3 files, more than 2"):
        load(zipped(a=b"", b=b"", c=b""))


def test_a_damaged_archive_raises_nothing_but_our_errors():
    for whole in (zipped(a_json=chat("one", "two"), b_json=chat("three")), gzip.compress(chat("one" * 50))):
        for damaged in damages(whole, tries=60):
            try:
                load(damaged)
            except LoadError as refused:
                assert "\n" not in str(refused)


def test_an_office_document_is_named():
    with pytest.raises(LoadError, match="an Office document"):
        load(zipped(**{"[Content_Types].xml": b"<Types/>", "word": b"<document/>"}))


def test_a_format_may_read_the_other_files_of_its_archive(monkeypatch):
    """A Slack channel is a folder of days, and the names stand in a file beside it."""

    def days(content, report):
        names = json.loads(content.siblings["users.json"])
        content.taken.update(name for name in content.siblings if name.endswith("json"))
        report.records += 2
        said = [content.siblings[name].decode() for name in ("d/1.json", "d/2.json")]
        yield Conversation(Message("user", text, name=names["u"]) for text in said)

    known = {"days": registry.Member("format", "days", days, {"recognise": lambda c: "/" in c.name})}
    registry.members("format")
    monkeypatch.setitem(registry._members, "format", known)
    loaded = load(zipped(users_json=b'{"u": "Mia"}', d__1_json=b"1", d__2_json=b"2"))
    assert [(m.content, m.name) for m in loaded[0]] == [("1", "Mia"), ("2", "Mia")]
    assert (len(loaded), loaded.report.skips) == (1, 0)


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_files_of_the_same_name_are_all_read():
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w") as file:
        for text in "ab":
            file.writestr("talk.json", chat(text))
    assert [c[0].content for c in load(archive.getvalue())] == ["a", "b"]
