"""`historylab tune`: the core's advice, printed, as JSON, and as an export."""

from __future__ import annotations

import json

import pytest
from command_line import run
from dotenv import dotenv_values

from historylab import generate
from historylab.formats.convert import write


@pytest.fixture(scope="module")
def loop(tmp_path_factory) -> str:
    """A file with a long tool loop, of which the defaults forget some."""
    path = tmp_path_factory.mktemp("tune") / "loop.json"
    path.write_text(write(generate("tool_loop", seed=2)).text)
    return str(path)


def test_the_verdict_comes_first_and_yours_is_named_beside_the_best(capsys, loop):
    code, out, _ = run(capsys, "tune", loop, "--tries", "8")
    assert code == 0
    assert out.startswith("Better than yours: ")
    assert "--target dotenv > history.env" in out, "the next step"
    assert "best found" in out
    assert any(line.rstrip().endswith("yours") for line in out.splitlines())


def test_abstaining_exports_the_settings_there_are(capsys, loop, tmp_path):
    code, out, _ = run(capsys, "tune", loop, "--tries", "2", "--wishes", "never over 400", "--target", "dotenv")
    assert code == 0
    (tmp_path / ".env").write_text(out)
    assert dotenv_values(tmp_path / ".env")["HISTORYLAB_BUDGET"] == "8000"


def test_json_has_the_claim_and_its_evidence(capsys, loop):
    code, out, _ = run(capsys, "tune", loop, "--tries", "8", "--json")
    told = json.loads(out)
    assert (code, told["verdict"], told["evidence"]) == (0, "better", 205)
    assert told["held_out"]["cost"]["high"] < 1


def test_where_nothing_was_held_out_json_and_words_say_so(capsys, loop):
    wishes = "better than mine, never rejected"  # which is judged on all requests
    code, out, _ = run(capsys, "tune", loop, "--tries", "8", "--json", "--wishes", wishes)
    told = json.loads(out)
    assert (code, told["verdict"], told["held_out"]) == (0, "promising", None)
    assert told["chance"] == told["promised"]["holds"]
    assert "nothing was held out" in " ".join(told["why"])


def test_a_wish_that_is_not_understood_is_a_mistake_in_asking(capsys, loop):
    code, _, err = run(capsys, "tune", loop, "--wishes", "fly")
    assert code == 2
    assert "'fly'" in err


def test_what_was_sent_is_what_to_beat_where_it_was_cut_and_nothing_is_set(capsys, compacted):
    code, out, _ = run(capsys, "tune", compacted, "--tries", "2")
    assert code == 0
    assert "what really happened" in out
    assert json.loads(run(capsys, "tune", compacted, "--tries", "1", "--json")[1])["against"] == "as-sent"
    assert "yours" in run(capsys, "tune", compacted, "--tries", "1", "--set", "budget=60000")[1]


def test_against_as_sent_takes_no_settings_and_names_files_that_do_not_say(capsys, compacted, loop):
    code, _, err = run(capsys, "tune", compacted, "--against", "as-sent", "--set", "budget=60000")
    assert (code, "has no effect with --a" in err) == (2, True)
    _, out, err = run(capsys, "tune", compacted, loop, "--against", "as-sent", "--tries", "1")
    assert "loop.json: nothing in this file says what was sent" in err
    assert "in 1 conversation" in out


def test_a_trimmer_is_what_to_do_better_than(capsys, tmp_path, monkeypatch):
    (tmp_path / "oneapp.py").write_text("def trim(messages, newest=6):\n    return messages[-newest:]\n")
    monkeypatch.syspath_prepend(tmp_path)
    chat = tmp_path / "chat.json"
    chat.write_text(write(generate("tool_loop", turns=2, rounds=8, seed=7)).text)
    against = ("--against", "oneapp:trim", "--trimmer-option", "newest=4", "--tries", "3")
    status, out, _ = run(capsys, "tune", str(chat), *against, "--json")
    found = json.loads(out)
    assert (status, found["against"], found["options"]) == (0, "oneapp:trim", {"newest": 4})
    assert any("that trim makes" in said for said in found["why"])
    _, table, _ = run(capsys, "tune", str(chat), *against)
    assert "requests refused" in table
    assert "\n trim " in table, "a function's name has no capital"


def test_settings_are_no_base_to_name_there(capsys, loop, tmp_path):
    (tmp_path / "mine.env").write_text("HISTORYLAB_BUDGET=2000\n")
    status, _, error = run(capsys, "tune", loop, "--against", str(tmp_path / "mine.env"))
    assert (status, "--from says which are yours" in error) == (2, True)


@pytest.fixture(scope="module")
def usage(tmp_path_factory) -> str:
    """A gateway's table: an agent whose cache always misses, and one with two sessions."""
    path = tmp_path_factory.mktemp("tune") / "usage.csv"
    lines = ["agent,session,model,input_tokens,output_tokens"]
    for agent, session in (("reader", "a"), ("reader", "b"), ("reader", "c"), ("few", "d"), ("few", "e")):
        lines += [f"{agent},{session},claude-sonnet-4-5,{9_000 + 2_000 * n},200" for n in range(40)]
    path.write_text("\n".join(lines))
    return str(path)


def test_a_table_without_text_gives_thresholds_and_what_they_are_not(capsys, usage):
    code, out, _ = run(capsys, "tune", usage)
    assert code == 0
    assert out.startswith("1 of 2 agents would cost less under another threshold.\nBy tokens alone: ")
    assert "fewer than 3 sessions" in out
    assert "forg" not in out
    assert "kept" not in out


def test_thresholds_as_json_begin_with_their_version_and_name_only_what_is_shown(capsys, usage):
    _, out, _ = run(capsys, "tune", usage, "--json")
    told = json.loads(out)
    assert next(iter(told)) == "version"
    reader, few = told["thresholds"]
    assert (reader["agent"], reader["saves"], few["compact"], few["tried"]) == ("reader", True, None, [])
    assert reader["compact"] in [{"at": each["at"], "to": each["to"]} for each in reader["tried"]]


@pytest.mark.parametrize("asked", [["--target", "dotenv"], ["--wishes", "cheapest"]])
def test_settings_for_a_table_without_text_are_a_mistake_in_asking(capsys, usage, asked):
    code, _, err = run(capsys, "tune", usage, *asked)
    assert code == 2
    assert "the file holds no text" in err
