"""`historylab show`: the core's figures and sentences, as tables or JSON."""

from __future__ import annotations

import json

import pytest
from claude_sessions import Session, call, result, text, usage
from command_line import run
from rich.console import Console
from sketches import conv

from historylab import Conversation, Message, Settings, as_sent, load, replay
from historylab.cli.losses import losses_as_json
from historylab.conversation.message import Usage
from historylab.conversation.sent import RecordedCut, SentHistory, sent_metadata
from historylab.costs.proposal import proposed_settings
from historylab.formats.convert import write
from historylab.recall.retention import retention
from historylab.recall.severity import SEVERITIES
from historylab.tuning.advice_words import cut_in_words
from historylab.tuning.cut_depth import depth_worth_saying
from historylab.wording.recorded import recorded_sentence


def test_show_prints_every_request(capsys, sample):
    code, out, _ = run(capsys, "show", sample, "--set", "budget=300")
    timeline = replay(load(sample)[0], Settings(budget=300))
    assert code == 0
    for step in timeline.steps:
        assert step.label in out
        assert step.plan.sketch() in out
    assert "P always sent" in out
    assert "what would have kept it" in out


def test_show_says_first_what_it_speaks_of(capsys, sample, compacted):
    first = run(capsys, "show", sample, "--set", "budget=300", "--set", "policy=all")[1].splitlines()[0]
    assert first == "Your own settings: keep everything up to 300 tokens, then drop the oldest turns."
    for asked in ((), ("--request", "12")):
        first = run(capsys, "show", compacted, "--as-sent", *asked)[1].splitlines()[0]
        assert first == "As recorded: as Claude Code sent it, with 1 cut."


def test_show_says_what_is_left_out_in_any_case(capsys, tmp_path):
    talk = Conversation([m for m in conv("u a(t) u") if not m.tool_calls])
    (tmp_path / "talk.json").write_text(write(talk, "historylab").text)
    out = run(capsys, "show", str(tmp_path / "talk.json"))[1]
    assert "Left out in any case: 1 tool result without its call, which no API takes." in out


def test_losses_can_be_read_on_a_narrow_screen(capsys, root, monkeypatch):
    """No word is broken at 60 columns, and no loss takes more than four lines."""
    chat = str(root / "sample_conversations" / "birthday-by-the-sea.json")
    _, wide, _ = run(capsys, "show", chat, "--set", "budget=300")
    monkeypatch.setattr("historylab.cli.base.console", lambda: Console(width=60))
    _, narrow, _ = run(capsys, "show", chat, "--set", "budget=300")
    wide, narrow = (out[out.index("Forgotten: ") :] for out in (wide, narrow))
    assert "“Lotte” (message 8), needed by the answer" in wide
    assert sorted(wide.replace("─", "").split()) == sorted(narrow.replace("─", "").split())
    assert len(narrow.splitlines()) <= 6 + 10 * 4


def test_show_says_what_cutting_down_to_a_half_is_worth_where_most_requests_are_cut_anew(capsys, root):
    chat = str(root / "sample_conversations" / "birthday-by-the-sea.json")
    settings = Settings(policy="all", budget=2000)
    found = depth_worth_saying(replay(load(chat)[0], settings))
    asked = ("show", chat, "--set", "policy=all", "--set", "budget=2000")
    assert f"{cut_in_words(found)} Try --set pruner.fifo.trim_to=0.5." in run(capsys, *asked)[1].replace("\n", " ")


def test_show_says_why_a_request_is_over_its_budget_and_what_would_mend_it(capsys, sample):
    timeline = replay(load(sample)[0], Settings(budget=100))
    number = int(timeline.tokens.argmax())
    for asked in ((), ("--request", str(number + 1))):
        _, out, _ = run(capsys, "show", sample, "--set", "budget=100", *asked)
        assert timeline.over_budget_cause(number).mend in out
    assert "Over the budget" not in run(capsys, "show", sample)[1]


@pytest.fixture
def recording(tmp_path):
    """A transcript that names a model and holds a tool."""
    tool = {"type": "function", "function": {"name": "look", "description": "Looks something up."}}
    messages = [{"role": "user", "content": "hi"}, {"role": "assistant", "content": "hello"}]
    path = tmp_path / "body.json"
    path.write_text(json.dumps({"model": "claude-opus-4-5", "tools": [tool], "messages": messages}))
    return str(path)


def test_show_uses_what_one_file_was_recorded_with_and_says_so(capsys, recording):
    _, out, _ = run(capsys, "show", recording)
    assert recorded_sentence(proposed_settings(load(recording)[0])) in out
    assert "in place of claude-opus-4-5's own tokenizer" in out
    _, out, _ = run(capsys, "show", recording, "--set", "model=gpt-4o")
    assert "Recorded with claude-opus-4-5: another model is set; 1 tool" in out
    assert "o200k_base, an estimate: recorded with claude-opus-4-5" in out


def test_show_ignores_it_if_asked_to_and_for_several_files(capsys, recording, sample):
    for arguments in ((recording, "--ignore-recorded"), (recording, sample)):
        _, out, _ = run(capsys, "show", *arguments)
        assert "Recorded with" not in out
        assert "an estimate: recorded with claude-opus-4-5" in out


def test_a_file_does_not_decide_which_model_writes_summaries(capsys, recording):
    _, out, _ = run(capsys, "show", recording, "--set", "summarizer=model")
    assert "Recorded with claude-opus-4-5: another model is set; 1 tool" in out


def test_show_without_a_request_says_so_and_prints_no_empty_table(capsys, tmp_path):
    (tmp_path / "rules.json").write_text('[{"role": "system", "content": "Be kind."}]')
    projected = ("projection=collapsed_tools", "projection.collapsed_tools.system_messages=false")
    code, out, _ = run(capsys, "show", str(tmp_path / "rules.json"), "--set", projected[0], "--set", projected[1])
    assert code == 0
    assert "1 message. This conversation makes no model requests." in out
    assert "In figures" not in out


def test_show_begins_with_the_first_conversation_in_which_a_user_speaks(capsys, tmp_path):
    lines = [json.dumps({"messages": [{"role": role, "content": "Noon."}]}) for role in ("assistant", "user")]
    (tmp_path / "talks.jsonl").write_text("\n".join(lines))
    assert "Shown: conversation 2 of 2 (--conversation N)." in run(capsys, "show", str(tmp_path / "talks.jsonl"))[1]


def test_a_request_stands_with_its_overhead_against_the_whole_budget(capsys, root):
    sample = str(root / "sample_conversations" / "ferry-desk.jsonl")
    _, out, _ = run(capsys, "show", sample, "--request", "1", "--set", "budget=4000", "--set", "overhead=1000")
    tokens = int(replay(load(sample)[0], Settings(budget=4000, overhead=1000)).contexts[0])
    assert f"{tokens:,} tokens of 4,000" in out
    assert tokens > 1000


def test_show_names_the_one_it_shows_of_several(capsys, root):
    several = str(root / "sample_conversations" / "ferry-desk.jsonl")
    many = len(load(several))
    assert (
        f"Shown: conversation 2 of {many} (--conversation N)." in run(capsys, "show", several, "--conversation", "2")[1]
    )


def test_show_as_json_has_the_same_figures(capsys, sample):
    code, out, _ = run(capsys, "show", sample, "--set", "budget=300", "--json")
    told = json.loads(out)
    timeline = replay(load(sample)[0], Settings(budget=300))
    assert code == 0
    assert [r["tokens"] for r in told["requests"]] == timeline.tokens.tolist()
    assert {"reference", "link"} >= {loss["kind"] for loss in told["losses"]} != set()
    assert {loss["severity"] for loss in told["losses"]} <= set(SEVERITIES)
    assert told["fetch_again"]["tokens"] == told["fetch_tokens"]
    assert sum(kind["total"] for name, kind in told["kept_by_value"].items() if name != "rule") >= told["references"]
    assert told["stars_kept"] is None


def test_show_says_what_became_of_what_must_be_remembered_and_may_be_asked(capsys, sample):
    given = ("show", sample, "--set", "budget=300", "--star", "2", "--question", "which bike?", "--question", "zebra")
    code, out, _ = run(capsys, *given)
    assert code == 0
    assert "Message 2, which must be remembered, “" in out
    assert "No message shares a distinctive word with 'zebra'" in out
    assert "What might be asked later" in out
    told = json.loads(run(capsys, *given, "--json")[1])
    assert (told["stars"], told["stars_kept"]) == (1, 0)
    assert [len(asked["messages"]) > 0 for asked in told["questions"]] == [True, False]


def test_a_star_on_no_message_is_refused_with_its_number(capsys, sample):
    for wrong in ("0", "x", "-1"):
        assert "1 or more" in run(capsys, "show", sample, f"--star={wrong}")[2]
    assert "there is no message 999 to remember" in run(capsys, "show", sample, "--star", "999")[2]


def test_show_one_request_says_why(capsys, sample):
    tight = ("--set", "budget=400", "--set", "overhead=100")
    code, out, _ = run(capsys, "show", sample, *tight, "--request", "6", "--json")
    messages = json.loads(out)
    assert code == 0
    assert messages[1]["action"] == "dropped"
    assert "the budget allows 400" in messages[1]["reason"]
    assert run(capsys, "show", sample, "--request", "6")[0] == 0


@pytest.mark.parametrize("asked", [(), ("--json",), ("--request", "1")])
def test_show_says_what_of_a_file_is_not_read_beside_any_output(capsys, tmp_path, asked):
    path = tmp_path / "chat.json"
    parts = [{"type": "text", "text": "hi"}, {"type": "hologram"}]
    path.write_text(json.dumps({"model": "m", "messages": [{"role": "user", "content": parts}, 5]}), "utf-8")
    code, out, err = run(capsys, "show", str(path), *asked)
    told = "1 × a number, not an object, first at messages[1]), 1 warning (1 × a part of type 'hologram' not read"
    assert code == 0
    assert told in " ".join((err if asked else out).split())
    assert "kept beside the messages: model" in " ".join((err if asked else out).split())


def test_show_goes_on_with_the_next_file(capsys, root, sample):
    index = str(root / "sample_conversations" / "index.json")
    code, out, err = run(capsys, "show", index, sample, "--json")
    told = json.loads(out)
    assert code == 0
    assert [shown["title"] for shown in told["files"]] == [load(sample)[0].title]
    assert f"1 file skipped:\nhistorylab:   {index}: found a list" in err
    code, out, _ = run(capsys, "show", sample, sample, "--set", "budget=300")
    assert (code, out.count("Forgotten:")) == (0, 2)


def test_show_as_sent_prints_what_each_request_was_sent_and_the_cut(capsys, compacted):
    timeline = as_sent(load(compacted)[0])
    code, out, _ = run(capsys, "show", compacted, "--as-sent")
    assert code == 0
    assert {plan.sketch() for plan in timeline.plans} <= set(out.split())
    assert f"{timeline.contexts[11]:,}" in out
    assert "Claude Code compacted this session before request 12 (manual, 23,484 → 16,181 tokens): of" in out
    assert "message 27 is its summary" in out
    assert "had nothing been cut" in out
    assert "--set" not in out


@pytest.fixture
def long_ago(tmp_path):
    """A session of 60 requests, cut before its request 21 by a program."""
    messages = [Message(role, "Noted.") for role in ("user", "assistant") * 60]
    told = SentHistory(41, ((40, 41),), cut=RecordedCut(by="An agent"))
    path = tmp_path / "long.json"
    path.write_text(write(Conversation(messages, metadata=sent_metadata([told])), "historylab").text)
    return str(path)


def test_show_as_sent_begins_with_the_cut_and_has_its_request_among_those_shown(capsys, long_ago):
    out = run(capsys, "show", long_ago, "--as-sent")[1]
    assert out.index("compacted this session before request 21") < out.index("requests 11 to 30 of 60")
    assert ("turn 21 " in out, "turn 60 " in out, "--all shows the other 40 requests." in out) == (True, False, True)
    everything = run(capsys, "show", long_ago, "--as-sent", "--all")[1]
    assert ("turn 60 " in everything, "--all" in everything) == (True, False)


def test_show_has_the_last_requests_where_settings_decide(capsys, long_ago):
    out = run(capsys, "show", long_ago)[1]
    assert ("requests 41 to 60 of 60" in out, "turn 60 " in out, "turn 21 " in out) == (True, True, False)


def test_show_as_sent_gives_its_figures_and_cuts_as_json(capsys, compacted):
    timeline = as_sent(load(compacted)[0])
    found = json.loads(run(capsys, "show", compacted, "--as-sent", "--json")[1])
    assert [each["tokens"] for each in found["requests"]] == timeline.contexts.tolist()
    assert found["tokens_total"] == timeline.contexts.sum()
    assert found["losses"] == losses_as_json(retention(timeline))["losses"] != []
    assert [(cut["request"], cut["summary"]) for cut in found["compactions"]] == [(11, 26)]


def test_show_as_sent_gives_the_post_mortem_as_json(capsys, compacted):
    (cut,) = json.loads(run(capsys, "show", compacted, "--as-sent", "--json")[1])["post_mortem"]
    assert sum(cut["fates"].values()) == len(cut["facts"]) > 0
    assert {"/srv/ferry/schema.sql", "/srv/ferry/refunds.py"} == {call["path"] for call in cut["again"]}
    assert [Settings(**ours["settings"]) for ours in cut["ours"]]
    assert cut["sentence"].startswith("Claude Code compacted this session before request 12")


def test_show_as_sent_says_why_a_message_of_a_request_went(capsys, compacted):
    rows = json.loads(run(capsys, "show", compacted, "--as-sent", "--request", "12", "--json")[1])
    assert {row["reason"] for row in rows[:26]} == {
        "Compacted by Claude Code before request 12 (manual, 23,484 → 16,181 tokens); message 27 is its summary."
    }
    assert rows[26]["action"] == "kept"


def test_show_prints_a_run_of_messages_that_went_for_one_reason_as_one_line(capsys, compacted):
    out = run(capsys, "show", compacted, "--as-sent", "--request", "12")[1]
    assert out.count("message 27 is its summary") == 1
    (line,) = (line for line in out.splitlines() if "1–26" in line)
    assert line.split()[:6] == ["1–26", "…", "summarised", "0", "26", "messages"]
    assert [line.split()[2] for line in out.splitlines() if line.split()[:1] in (["27"], ["28"])] == ["kept", "kept"]


def test_show_as_sent_says_where_it_is_not_known(capsys, tmp_path):
    used = [{"usage": Usage(input=tokens)} for tokens in (9_000, 10_000, 7_000)]
    said = [m for told in used for m in (Message("user", "and?"), Message("assistant", "ok", metadata=told))]
    path = tmp_path / "fell.json"
    path.write_text(write(Conversation(said), "historylab").text)
    out = run(capsys, "show", str(path), "--as-sent")[1]
    assert out.count("messages not known") == 1
    third = ("show", str(path), "--as-sent", "--request", "3")
    assert "It isn’t known which messages this request held: the reported size fell here" in run(capsys, *third)[1]
    assert {row["known"] for row in json.loads(run(capsys, *third, "--json")[1])} == {False}


def test_as_sent_beside_settings_or_where_nothing_says_so_is_a_mistake(capsys, compacted, sample):
    code, _, err = run(capsys, "show", compacted, "--as-sent", "--set", "budget=4000")
    assert (code, "has no effect with --as-sent" in err) == (2, True)
    code, _, err = run(capsys, "show", sample, "--as-sent")
    assert (code, "nothing in this file says what was sent" in err) == (2, True)


def test_of_several_files_one_that_says_nothing_of_what_was_sent_is_named_and_left_out(capsys, compacted, sample):
    code, out, err = run(capsys, "show", sample, compacted, "--as-sent", "--json")
    assert (code, len(json.loads(out)["files"])) == (0, 1)
    assert f"{sample}: nothing in this file says what was sent" in err


def test_show_points_to_what_was_sent_where_that_was_less(capsys, compacted, sample):
    assert "--as-sent shows that" in run(capsys, "show", compacted)[1]
    assert "--as-sent" not in run(capsys, "show", sample)[1]


@pytest.fixture
def session_with_an_agent(tmp_path):
    session, side = Session(), Session()
    session.put("user", "How many lamps?")
    more = {"model": "claude-opus-4-5"}
    session.put("assistant", [call("Task", "t1", prompt="Count.")], reply="m1", usage=usage(5000), **more)
    session.put("user", [result("t1", "Seven.")], toolUseResult={"agentId": "a77"})
    session.put("assistant", [text("Seven.")], reply="m2", usage=usage(5000), **more)
    said = {"isSidechain": True, "agentId": "a77"}
    side.put("user", "Count.", **said)
    side.put("assistant", [text("Seven.")], reply="m3", usage=usage(4000), **said, **more)
    side.save(tmp_path / "s1/subagents/agent-a77.jsonl")
    return session.save(tmp_path / "s1.jsonl")


def test_show_tells_what_a_session_came_to_with_its_sub_agents(capsys, session_with_an_agent):
    for place in (session_with_an_agent, session_with_an_agent.parent):
        _, out, _ = run(capsys, "show", str(place))
        assert "Shown: conversation 1 of 2" in out
        assert "With 1 sub-agent the session came to $" in out
    said = json.loads(run(capsys, "show", str(session_with_an_agent), "--json")[1])["session"]
    assert said["dollars"] > said["own_dollars"] > 0
    assert "session" not in json.loads(
        run(capsys, "show", str(session_with_an_agent), "--conversation", "2", "--json")[1]
    )


@pytest.mark.parametrize("model", ["", "gpt-4o"])
def test_costs_name_the_model_that_is_assumed_where_the_file_names_none(capsys, tmp_path, model):
    (tmp_path / "usage.csv").write_text(f"model,input_tokens,output_tokens\n{model},900,20\n")
    out = run(capsys, "show", str(tmp_path / "usage.csv"))[1]
    assert ("Priced as gpt-5.5, as the file names no model." in out) is (model == "")
