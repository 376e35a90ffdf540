"""`historylab check`: exit codes, what it prints and writes."""

from __future__ import annotations

import json
import re
import shutil
from xml.etree import ElementTree as xml

import pytest
from command_line import run
from markdown_it import MarkdownIt

from historylab import Settings, export

FORGETS = "keep every reference"


@pytest.fixture
def agent(root):
    return str(root / "sample_conversations" / "tide-tables-agent.json")


@pytest.fixture
def env(tmp_path):
    """Writes settings as an exported .env and gives its path."""

    def write(name: str = "history.env", **settings: object) -> str:
        path = tmp_path / name
        path.write_text(export(Settings(**settings), "dotenv"), encoding="utf-8")
        return str(path)

    return write


def test_the_exit_code_says_whether_the_wishes_hold(capsys, agent, env):
    code, out, _ = run(capsys, "check", agent, "--settings", env(budget=60_000), "--that", FORGETS)
    assert (code, out.splitlines()[0]) == (0, "Held: 1 wish, over 1 conversation.")
    code, out, _ = run(
        capsys, "check", agent, "--settings", env(budget=2000), "--that", FORGETS, "--that", "no summaries"
    )
    assert (code, out.splitlines()[0]) == (1, "Broken: 1 of 2 wishes, over 1 conversation.")
    assert "facts in tool calls are lost: “" in out


@pytest.mark.parametrize(("budget", "code", "word"), [(60_000, 0, "held"), (2000, 1, "broken")])
def test_a_percentage_of_one_conversation_is_what_was_seen_and_claims_nothing_of_others(
    capsys, agent, env, tmp_path, budget, code, word
):
    junit, markdown = tmp_path / "junit.xml", tmp_path / "check.md"
    asked = ("check", agent, "--settings", env(budget=budget), "--that", "keep 99% of references")
    found, out, _ = run(capsys, *asked, "--strict", "--junit", str(junit), "--markdown", str(markdown), "--json")
    (finding,) = json.loads(out)["findings"]
    assert (found, finding["verdict"], finding["interval"], finding["conversations"]) == (code, word, None, 1)
    seen = "in 1 conversation, which says nothing of others."
    assert finding["reason"].endswith(seen)
    assert seen in run(capsys, *asked)[1]
    assert seen in markdown.read_text()
    assert [case.get("message") for case in xml.parse(junit).iter("failure")] == [finding["reason"]] * code


def test_a_wish_nothing_can_be_said_of_is_not_counted_as_held(capsys, agent, env, tmp_path):
    copies = [shutil.copy(agent, tmp_path / f"{n}.json") for n in range(3)]
    asked = ("--that", "no summaries", "--that", "keep 95% of references")
    code, out, _ = run(capsys, "check", *map(str, copies), "--settings", env(budget=60_000), *asked)
    assert (code, out.splitlines()[0]) == (0, "Held: 1 of 2 wishes, over 3 conversations; unsure in 1.")


def test_unsure_is_no_failure_unless_strict(capsys, root, env, tmp_path):
    chat, junit = str(root / "sample_conversations" / "birthday-by-the-sea.json"), str(tmp_path / "junit.xml")
    asked = ("check", chat, "--settings", env(), "--that", FORGETS, "--junit", junit)
    code, out, _ = run(capsys, *asked)
    assert (code, out.splitlines()[0]) == (0, "Unsure: nothing can be said of 1 wish, over 1 conversation.")
    (suite,) = xml.parse(junit).getroot()
    assert (suite.get("tests"), suite.get("skipped"), suite.get("failures")) == ("1", "1", "0")
    assert run(capsys, *asked, "--strict")[0] == 1
    assert "0 if nothing is broken, also where that is unsure (1 with --strict)" in " ".join(
        run(capsys, "check", "--help")[1].split()
    )


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--that", "be nice"), "'be nice' is no wish we know"),
        (("--settings", "nowhere.env", "--that", FORGETS), "nowhere.env cannot be read"),
        (("--against", "nowhere.env"), "nowhere.env cannot be read"),
        (("--set", "bugdet=4", "--that", FORGETS), "did you mean budget?"),
        (("--that", FORGETS, "--junit", "no/such/folder/junit.xml"), "can't be written"),
        ((), "say what must hold: --that"),
    ],
)
def test_a_mistake_in_asking_is_named(capsys, agent, arguments, words):
    code, out, err = run(capsys, "check", agent, *arguments)
    assert (code, out) == (2, "")
    assert words in err


def test_a_settings_file_is_checked_as_it_is_whatever_the_environment_says(capsys, agent, env, monkeypatch, tmp_path):
    monkeypatch.setenv("HISTORYLAB_BUDGET", "77")
    asked = ("check", agent, "--that", "never over 8k", "--json")
    assert run(capsys, *asked, "--settings", env(policy="all", budget=60_000))[0] == 0
    assert "largest request sends" in run(capsys, *asked)[1]
    (tmp_path / "wrong.env").write_text("HISTORYLAB_BUDGET=many\nHISTORYLAB_STRICT_ENVIRONMENT=true\n")
    code, _, err = run(capsys, *asked, "--settings", str(tmp_path / "wrong.env"))
    assert (code, "wrong.env: HISTORYLAB_BUDGET=many: " in err, "STRICT" in err) == (2, True, False)


def test_against_other_settings_it_says_what_is_forgotten_and_what_it_costs(capsys, agent, env):
    settings, old = env(budget=2000), env("old.env", budget=60_000)
    code, out, _ = run(capsys, "check", agent, "--settings", settings, "--against", old)
    assert (code, out.splitlines()[0]) == (0, "Compared over 1 conversation.")
    differs = r"Against the settings before: forgets \d+ {}, \d+% (cheaper|more expensive)\."
    assert re.fullmatch(differs.format("more"), out.splitlines()[1])
    out = run(capsys, "check", agent, "--settings", old, "--against", settings)[1]
    assert re.fullmatch(differs.format("fewer"), out.splitlines()[1])
    told = json.loads(run(capsys, "check", agent, "--settings", old, "--against", old, "--json")[1])
    assert told["against"]["summary"] == "forgets as much, costs the same"


def test_no_text_of_a_transcript_acts_in_a_terminal_a_pull_request_or_a_test_report(capsys, env, tmp_path):
    hostile = "@everyone|<b>\x1b[31m`x`](http://evil)\ufffe"
    call = [{"id": "c", "type": "function", "function": {"name": "f", "arguments": json.dumps({"old": hostile})}}]
    said = [
        {"role": "user", "content": f"use {hostile}"},
        {"role": "assistant", "content": "ok"},
        {"role": "user", "content": "now"},
        {"role": "assistant", "content": "", "tool_calls": call},
        {"role": "tool", "tool_call_id": "c", "content": "done"},
        {"role": "assistant", "content": "fine"},
    ]
    (tmp_path / "a`|@b.json").write_text(json.dumps({"title": hostile, "messages": said}))
    junit, markdown = tmp_path / "junit.xml", tmp_path / "check.md"
    settings = env(policy="lastN", length=1)
    asked = ("--settings", settings, "--that", FORGETS, "--junit", str(junit), "--markdown", str(markdown))
    code, out, _ = run(capsys, "check", str(tmp_path / "a`|@b.json"), *asked)
    assert (code, "\x1b" in out) == (1, False)
    failure = xml.parse(junit).getroot().find(".//failure").text
    assert failure.startswith("The one fact in a tool call is lost: “@everyone|<b>`x`](http://evil)�”")
    page = MarkdownIt("commonmark").enable("table").render(markdown.read_text())
    assert "<code>@everyone|&lt;b&gt;`x`](http://evil)" in page
    spoken = re.sub(r"<code>.*?</code>", "", page)
    assert not re.search(r"@|evil|<a |<b>", spoken)
    assert page.count("<td") == 6


def test_the_check_is_printed_as_json_and_written_as_markdown(capsys, agent, env, tmp_path):
    asked = ("check", agent, "--settings", env(budget=2000), "--that", f"{FORGETS}, cheapest", "--json")
    code, out, err = run(capsys, *asked, "--markdown", str(tmp_path / "check.md"))
    told = json.loads(out)
    assert (code, told["verdict"], told["findings"][0]["whole"]) == (1, "broken", 17)
    assert "“cheapest” is an aim: nothing to check" in err
    text = (tmp_path / "check.md").read_text()
    assert text.startswith("### ❌ Broken: 1 of 1 wish, over 1 conversation.\n")
    assert "| keep every reference | ❌ broken | broken in 1 |" in text


def test_files_that_could_not_be_read_are_named_from_the_folder_one_is_in(capsys, env, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "chats").mkdir()
    (tmp_path / "chats" / "cut.json").write_text('[{"role": "user", "content": "hi')
    (tmp_path / "chats" / "notes.md").write_text("# About these")
    (tmp_path / "chats" / "whole.json").write_text('[{"role": "user", "content": "hi"}]')
    asked = ("check", "chats", "--settings", env(), "--that", "never over 8k", "--junit", "j.xml", "--markdown", "c.md")
    code, _, err = run(capsys, *asked)
    page, report = (tmp_path / "c.md").read_text(), (tmp_path / "j.xml").read_text()
    assert code == 0
    assert "historylab: chats/cut.json: the JSON breaks off" in err
    assert "* `chats/cut.json: the JSON breaks off" in page
    assert "* 1 file in no known format left out: `chats/notes.md`" in page
    assert 'skipped message="the JSON breaks off' in report
    assert str(tmp_path) not in err + page + report


def test_an_app_is_checked_as_it_was_sent(capsys, compacted):
    asked = ("check", compacted, "--as-sent", "--that")
    code, out, _ = run(capsys, *asked, "keep every rule, never rejected, loses nothing for good")
    assert (code, out.splitlines()[0]) == (1, "Broken: 1 of 3 wishes, over 1 conversation.")
    assert "“Two things before you start" in out
    assert run(capsys, *asked, "never rejected")[0] == 0


def test_settings_are_checked_against_what_was_sent(capsys, compacted, env):
    against = ("--settings", env(policy="all", budget=60_000), "--against", "as-sent", "--that", "forgets no more")
    code, out, _ = run(capsys, "check", compacted, *against)
    assert code == 0
    assert "Against what was really sent: forgets 3 fewer" in out


def test_as_sent_beside_settings_or_of_a_file_that_does_not_say_is_a_mistake(capsys, compacted, agent, env):
    wish = ("--that", "never rejected")
    code, _, err = run(capsys, "check", compacted, "--as-sent", "--settings", env(), *wish)
    assert (code, "--settings has no effect with --as-sent" in err) == (2, True)
    assert run(capsys, "check", agent, "--as-sent", *wish)[0] == 2
    code, _, err = run(capsys, "check", compacted, agent, "--as-sent", *wish)
    assert (code, "tide-tables-agent.json: nothing in this file says what was sent" in err) == (0, True)
