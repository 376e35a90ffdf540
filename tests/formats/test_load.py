"""load(): what it accepts, what it refuses and in which words, and how it chooses a format."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from historylab import registry
from historylab.conversation.conversation import Conversation
from historylab.conversation.message import Message
from historylab.errors import LoadError, TooLarge, UnknownFormat, UnknownMember
from historylab.formats.base import Report
from historylab.formats.load import MAX_BYTES, formats_read, load

GOOD = json.dumps([{"role": "user", "content": "hi"}]).encode()
DEEP = b'[{"role": "user", "content": ' + b"[" * 300 + b"]" * 300 + b"}]"


@pytest.mark.parametrize(
    ("content", "kind", "sentence"),
    [
        (b"", LoadError, "the file is empty"),
        (b" \n\t ", LoadError, "the file is empty"),
        (b"\xef\xbb\xbf", LoadError, "the file is empty"),
        (b"\x89PNG\r\n\x1a\n" + bytes(64), LoadError, "this is a PNG image, not a transcript"),
        (b"\xff\xd8\xff\xe0" + bytes(64), LoadError, "this is a JPEG image"),
        (b"PK\x03\x04" + bytes(64), LoadError, "this archive is damaged; get it whole"),
        (bytes(5000), LoadError, "this is nothing but zero bytes"),
        (b"MZ\x90\x00\x03\x00\x00\x00\x04" * 50, LoadError, "this is binary data"),
        (json.dumps([{"role": "user"}] * 3, indent=1).encode()[:30], LoadError, "breaks off at line 6, column 2"),
        (GOOD[:-4], LoadError, "the JSON breaks off at line 1, column 30"),
        (b'[{"role": user}]', LoadError, "the JSON is broken at line 1, column 11 (expecting value)"),
        (b"[" * 100_000, LoadError, "nested more than 200 levels deep"),
        (b"[" * 100_000 + b"]" * 100_000, LoadError, "nested more than 200 levels deep"),
        (DEEP, LoadError, "nested more than 200 levels deep"),
        (GOOD + b"\n" + b"[" * 100_000, LoadError, "nested more than 200 levels deep"),
        (b'[{"role": "user", "content": "x", "n": ' + b"9" * 5000 + b"}]", LoadError, "a value that can't be read"),
        (
            b'{"a": 1, "b": 2, "c": 3}',
            UnknownFormat,
            "found an object with keys a, b, c, in no format read here",
        ),
        (b'{"a": 1}\n{"a": 2}', UnknownFormat, "found 2 JSON lines, the first of them an object with the key a"),
        (b'{"a": 1}\n5', UnknownFormat, "found 2 JSON lines, the first of them an object with the key a"),
        (b"[1, 2]", UnknownFormat, "number, in no format read here; a transcript is a list of messages"),
        (b"[]", UnknownFormat, "found an empty list"),
        (b"hello there", UnknownFormat, "begins 'hello there', in no format read here; a text is read if each message"),
        (b"HISTORYLAB_BUDGET=4000", UnknownFormat, "it looks like settings (a template), not read here"),
        (b"null", UnknownFormat, "text that begins 'null', in no format read here"),
    ],
)
def test_what_cannot_be_loaded_is_refused_in_one_sentence(content, kind, sentence):
    with pytest.raises(kind) as refused:
        load(content)
    assert sentence in str(refused.value)
    assert "\n" not in str(refused.value)
    assert len(str(refused.value)) < 300


def test_a_file_over_the_limit_is_refused_before_it_is_read(tmp_path, monkeypatch):
    path = tmp_path / "zeros.json"
    with path.open("wb") as file:
        file.truncate(MAX_BYTES + 1)
    monkeypatch.setattr(Path, "read_bytes", lambda path: pytest.fail(f"{path} was read"))
    with pytest.raises(TooLarge, match=r"1,000\.0 MB, more than the limit of 1,000 MB"):
        load(path)


@pytest.mark.slow
@pytest.mark.parametrize(
    "content", [b"[" + b"1," * 1_000_001 + b"1]", b"[]\n" * 1_000_002, b"[[" + b"[]," * 1_000_001 + b"1]]"]
)
def test_more_items_than_one_can_wait_for_are_refused(content):
    with pytest.raises(TooLarge, match=r"more than 1,000,000 .*; load a part of it"):
        load(content)


def test_the_limit_can_be_set():
    with pytest.raises(TooLarge):
        load(GOOD, max_bytes=10)


def test_zeros_are_refused_by_how_the_file_begins_and_nothing_more_is_read():
    with pytest.raises(LoadError, match="zero bytes"):
        load(bytes(4096) + GOOD)


def test_a_path_that_is_no_file_is_refused(tmp_path):
    for path, sentence in [
        (tmp_path, "no transcript is in this folder (0 files)"),
        (tmp_path / "no.json", "there is no file"),
        ("/dev/zero", "is no regular file"),
        ("a\0b", "a\\x00b"),
        (GOOD.decode(), "a str is read as a path, so give pasted text as bytes"),
        (GOOD.decode() * 500, "a str is read as a path, so give pasted text as bytes"),
        (5, "load takes a path or bytes, not a int"),
    ]:
        with pytest.raises(LoadError) as refused:
            load(path)
        assert sentence in str(refused.value)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32"])
def test_text_is_decoded_whatever_its_unicode(encoding):
    text = json.dumps([{"role": "user", "content": "größer 日本 🎈"}], ensure_ascii=False)
    assert load(text.encode(encoding))[0][0].content == "größer 日本 🎈"


def test_bytes_that_are_no_unicode_are_replaced_and_reported():
    loaded = load(b'[{"role": "user", "content": "caf\xe9"}]')
    assert loaded[0][0].content == "caf\ufffd"
    assert "not clean Unicode" in str(loaded.report)


@pytest.mark.parametrize(
    "content",
    [
        b'[{"role": "user", "content": "a\\ud800b"}]',
        b'[{"role": "user", "content": "a\\u0000b\\u0007"}]',
        b'[{"role": "user", "content": "a\x01\x00b\nc\td"}]',
        '[{"role": "user", "content": "\u202eabc\u2028def"}]'.encode(),
        '{"role": "user", "content": "\u2028\x0b\x1c"}\r\n{"role": "user", "content": "b"}\r\n'.encode(),
        json.dumps([{"role": "user", "content": "x" * 1_000_000}]).encode(),
    ],
    ids=["lone surrogate", "NUL", "raw controls", "direction override", "odd separators in lines", "one long line"],
)
def test_odd_characters_survive_and_titles_stay_printable(content):
    loaded = load(content)
    assert loaded[0].digest
    assert loaded[0].title.isprintable()
    assert loaded.report.skips == 0


@pytest.mark.parametrize("space", ["\u00a0", "\u3000 ", "\x1c", "\x85", "\u2028"])
def test_a_line_of_nothing_but_spaces_is_no_broken_line(space):
    loaded = load(
        f'{space}\n{{"role": "user", "content": "a"}}{space}\n{space}\n{{"role": "user", "content": "b"}}'.encode()
    )
    assert [m.content for m in loaded[0]] == ["a", "b"]
    assert loaded.report.skips == 0


@pytest.mark.parametrize("end", ["", "\n{}"])
def test_a_field_given_twice_is_named(end):
    loaded = load(('{"role": "user", "content": "one", "content": "two", "content": "three"}' + end).encode())
    assert [m.content for m in loaded[0]] == ["three"]
    assert "a field 'content' given twice, of which the last counts" in loaded.report.warnings


def test_json_lines_whose_first_line_is_broken_are_still_read():
    loaded = load(b'{"role": "us\n' + b'{"role": "user", "content": "x"}\n' * 3)
    assert (len(loaded[0]), loaded.report.skips) == (3, 1)


def test_a_jsonl_name_over_one_indented_document_still_loads():
    assert len(load(json.dumps(json.loads(GOOD), indent=2).encode(), name="export.jsonl")[0]) == 1


def test_titles_come_from_the_file_or_from_the_first_question(tmp_path):
    path = tmp_path / "my chat.json"
    path.write_bytes(GOOD)
    assert load(path)[0].title == "my chat"
    assert load(GOOD, name="upload.json")[0].title == "upload"
    two = json.dumps([{"title": "first", "messages": json.loads(GOOD)}, {"messages": json.loads(GOOD)}]).encode()
    assert [c.title for c in load(two, name="two.json")] == ["first", "hi"]
    assert load(b'{"role": "system", "content": "x"}')[0].title == "conversation 1"
    assert load(json.dumps([{"role": "user", "content": "\n" * 300 + "hi"}]).encode())[0].title == "hi"
    told = [{"role": "user", "content": text} for text in ("<command-name>/init</command-name>", "Mend the lamp")]
    assert [c.title for c in load(json.dumps([{"messages": told}, {"messages": told[:1]}]).encode())] == [
        "Mend the lamp",
        "<command-name>/init</command-name>",
    ]
    noted = [{"role": "user", "content": "<ide_opened_file>a.py is open.</ide_opened_file>\nMend the lamp"}]
    assert load(json.dumps(noted).encode())[0].title == "Mend the lamp"


def test_a_slice_and_the_report_come_with_the_conversations():
    loaded = load(GOOD)
    assert len(loaded) == 1
    assert list(loaded) == [loaded[0]]
    assert "1 record, 1 message, 0 skipped" in repr(loaded)


def test_reprs_leave_the_reasons_of_the_report_out():
    records = [{"role": "user", "content": "hi"}, *({"role": f"role-{i}", "content": "hi"} for i in range(100))]
    loaded = load(json.dumps(records).encode())
    assert repr(loaded) == "<Conversations OpenAI Chat Completions: 101 records, 101 messages, 0 skipped>"
    assert repr(loaded.report) == "<Report OpenAI Chat Completions: 101 records, 101 messages, 0 skipped>"
    assert "unknown role 'role-99'" in str(loaded.report)


def test_a_long_question_is_cut_with_a_mark_however_it_is_spaced():
    question = f"Please{' ' * 100}{'explain ' * 20}"
    (asked,) = load(json.dumps([{"role": "user", "content": question}]).encode())
    assert asked.title == "Please explain explain explain explain explain explain expl…"


def test_naming_an_unknown_format_lists_the_known_ones():
    with pytest.raises(UnknownMember, match="chat_completions"):
        load(GOOD, format="papyrus")


def test_a_forced_format_that_finds_no_message_says_what_it_skipped():
    with pytest.raises(LoadError, match=r"no message in it could be read as OpenAI .*: 1 record was left out \("):
        load(b'{"a": 1}', format="chat_completions")


@pytest.fixture
def rival(monkeypatch):
    """A second format that claims everything, as surely as it is told to."""

    def enlist(strength):
        def shouting(content, report):
            report.records += 1
            yield Conversation([Message("user", content.text.upper())])

        registry.members("format")
        known = {**registry._members["format"]}
        known["shouting"] = registry.Member("format", "shouting", shouting, {"recognise": lambda content: strength})
        monkeypatch.setitem(registry._members, "format", known)

    return enlist


def test_the_surest_format_reads_the_file(rival):
    rival(0.9)
    assert load(GOOD)[0][0].content == GOOD.decode().upper()


def test_a_tie_at_the_top_names_the_candidates(rival):
    rival(0.5)
    with pytest.raises(UnknownFormat, match="chat_completions and shouting both claim; choose one"):
        load(GOOD)
    assert load(GOOD, format="chat_completions")[0][0].content == "hi"


@pytest.mark.parametrize(
    "name", ["7acd37a8-0f3c-4b1e-9c58-6d1f0a2b3c4d.jsonl", "rollout-7ACD37A8-0f3c-4b1e-9c58-6d1f0a2b3c4d.json"]
)
def test_a_name_that_a_program_made_up_is_no_title_where_there_is_a_question(name):
    asked = b'[{"role": "user", "content": "Where is my order?"}]'
    assert load(asked, name=name)[0].title == "Where is my order?"
    assert load(b'[{"role": "assistant", "content": "Hello."}]', name=name)[0].title == name.rpartition(".")[0]


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("csv_table", "role,content\n" + "user,hi\n" * 4, "the table holds more than 3 rows"),
        ("plain_text", "User: hi\nAssistant: yo\n" * 2, "the text holds more than 3 messages"),
        ("chatml", "<|im_start|>user\nhi<|im_end|>\n" * 4, "the text holds more than 3 messages"),
        ("markdown", "## User\nhi\n## Assistant\nyo\n" * 2, "the text holds more than 3 headings"),
    ],
)
def test_tables_and_texts_hold_no_more_messages_than_fit_into_memory(monkeypatch, name, text, message):
    monkeypatch.setattr(f"historylab.formats.plain.{name}.MAX_ITEMS", 3)
    with pytest.raises(TooLarge, match=message):
        load(text.encode(), name.removesuffix("_table"))


def test_formats_read_together_are_listed_once_each():
    names = ("Codex", "ShareGPT", "Codex", "CSV table")
    assert [formats_read(Report(format=name) for name in names[:n]) for n in (1, 3, 4)] == [
        "Codex",
        "Codex and ShareGPT",
        "Codex, ShareGPT and CSV table",
    ]


def test_the_formats_of_an_archive_are_listed_beside_those_of_other_files():
    archive = "Codex, LangGraph states and checkpoints and ShareGPT"
    listed = formats_read(Report(format=name) for name in ("Codex", archive, "Field mapping"))
    assert listed == "Codex, LangGraph states and checkpoints, ShareGPT and Field mapping"


def test_many_records_are_counted_with_separators():
    report = Report(format="A")
    for _ in range(1_000):
        report.skip("a header", "")
    assert str(report) == "A: 1,000 records, 0 messages in 0 conversations, 1,000 skipped (1,000 × a header)"


def test_a_conversation_whose_results_all_lack_their_calls_says_so():
    said = [{"role": "user", "content": "hi"}, *[{"role": "tool", "content": "ok", "tool_call_id": "c1"}] * 2]
    lacks = "a conversation whose results all lack their calls"
    assert lacks in load(json.dumps(said).encode()).report.warnings
    call = {"id": "c1", "type": "function", "function": {"name": "f", "arguments": "{}"}}
    said.insert(1, {"role": "assistant", "content": "", "tool_calls": [call]})
    assert lacks not in load(json.dumps(said).encode()).report.warnings


def test_a_reader_that_knows_calls_is_not_beaten_by_a_shape_that_reads_more_records():
    base = {"sessionId": "s", "version": "2.1.0", "cwd": "/"}
    use = [{"type": "tool_use", "id": "c1", "name": "ls", "input": {}}]
    result = [{"type": "tool_result", "tool_use_id": "c1", "content": "a"}]
    said = [
        {**base, "uuid": "1", "parentUuid": None, "type": "user", "message": {"role": "user", "content": "go on"}},
        {**base, "uuid": "2", "parentUuid": "1", "type": "assistant", "message": {"role": "assistant", "content": use}},
        {**base, "uuid": "3", "parentUuid": "2", "type": "user", "message": {"role": "user", "content": result}},
    ]
    notes = [{**base, "type": "hook_note", "source": "agent", "text": f"note number {i} of a hook"} for i in range(7)]
    (found,) = load("\n".join(map(json.dumps, [*said, *notes])).encode(), name="s.jsonl")
    assert [m.role for m in found] == ["user", "assistant", "tool"]
