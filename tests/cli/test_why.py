"""`historylab why`: the answer in sentences or JSON, and 0, 1 or 2."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from command_line import run

from historylab import Settings, as_sent, load, replay
from historylab.recall.why import explain_words
from historylab.wording.why import why_in_words

NAME = "Ilse Brandt"


def test_of_a_file_that_knows_it_says_what_was_sent(capsys, compacted):
    code, out, _ = run(capsys, "why", compacted, NAME, "--request", "15")
    timeline = as_sent(load(compacted)[0])
    assert code == 0
    assert out.splitlines()[1:] == why_in_words(explain_words(timeline, NAME, 14))
    assert out.splitlines()[:5] == [
        "As recorded: as Claude Code sent it, with 1 cut.",
        "It wasn’t in request 15, as far as the file shows.",
        "Said in messages 1 (a person), 37 (a person), 38 (the assistant) and 40 (the assistant).",
        "Sent for the last time in request 11.",
        "Compacted by Claude Code before request 12 (manual, 23,484 → 16,181 tokens); message 27 is its summary.",
    ]
    assert run(capsys, "why", compacted, NAME, "--request", "15", "--as-sent")[1] == out


def test_the_last_request_is_the_one_asked_about(capsys, compacted):
    assert "It was in request 18" in run(capsys, "why", compacted, NAME)[1]


def test_what_is_not_in_the_file_leaves_the_answer_less_sure(compacted):
    answer = explain_words(as_sent(load(compacted)[0]), NAME, 14)
    assert why_in_words(replace(answer, unseen=0))[0] == "It wasn’t in request 15: the model didn’t have it."
    assert why_in_words(answer)[-1] == (
        "16,057 tokens of request 15 aren’t in the file (system prompt, tools), so it might have stood there."
    )


def test_json_counts_from_0_and_has_complete_settings(capsys, compacted):
    code, out, _ = run(capsys, "why", compacted, NAME, "--request", "15", "--json")
    told = json.loads(out)
    assert (code, next(iter(told))) == (0, "version")
    assert {"message": 0, "by": "person"} in told["said"]
    assert [told[name] for name in ("at_request", "sent", "gone_since", "removed_by", "held_by", "compaction")] == [
        14, False, 11, "compaction", None, 0,
    ]  # fmt: skip
    ours = replay(load(compacted)[0], Settings(**told["would_keep"]))
    assert any(NAME in message.content for message in ours.plans[14].render())
    assert told["sentence"].startswith("It wasn’t in request 15")


def test_settings_that_are_given_or_proposed_are_replayed_instead(capsys, compacted, sample, tmp_path):
    file = tmp_path / "history.env"
    file.write_text("HISTORYLAB_LENGTH=1\n")
    for given in (["--settings", str(file)], ["--set", "length=1"]):
        assert json.loads(run(capsys, "why", compacted, NAME, "--json", *given)[1])["removed_by"] == "setting"
        assert run(capsys, "why", compacted, NAME, *given)[1].startswith(
            "Your own settings: keep the last 1 user message up to"
        )
    said = load(sample)[0][0].content
    assert "the settings that it proposes" in run(capsys, "why", sample, said)[2]


def test_what_was_never_said_ends_with_1_and_what_comes_near(capsys, compacted):
    code, out, _ = run(capsys, "why", compacted, "Ilse Brant")
    assert code == 1
    assert out.splitlines()[1:] == [
        "No message says it.",
        "16,057 tokens of request 18 aren’t in the file (system prompt, tools), so it might have stood there.",
        "Near it: “brandt” (message 1), “ilse” (message 1).",
    ]


def test_what_another_conversation_of_the_file_says_is_found_there(capsys, root):
    file = str(root / "sample_conversations" / "three-languages.jsonl")
    said = load(file)[2][0].content
    code, out, err = run(capsys, "why", file, said)
    assert (code, "asked of conversation 1 of 3" in err) == (1, True)
    assert "Conversation 3 of 3 says it (--conversation 3)." in out
    assert run(capsys, "why", file, said, "--conversation", "3")[0] == 0


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        (["--as-sent", "--set", "length=2"], "has no effect with --as-sent"),
        (["--request", "99"], "there is no request 99; the conversation has 18"),
        (["--request", "0"], "there is no request 0"),
        (["--conversation", "9"], "there is no number 9"),
        (["--set", "lenght=2"], "lenght"),
    ],
)
def test_a_mistake_in_asking_ends_with_2(capsys, compacted, asked, said):
    code, out, err = run(capsys, "why", compacted, NAME, *asked)
    assert (code, out) == (2, "")
    assert said in err


def test_no_words_no_file_and_a_file_that_does_not_know_what_was_sent_end_with_2(capsys, compacted, sample):
    assert run(capsys, "why", compacted, " ")[0] == 2
    assert run(capsys, "why", "no-such-file.json", NAME)[0] == 2
    assert run(capsys, "why", sample, NAME, "--as-sent")[0] == 2
