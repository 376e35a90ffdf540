"""The subcommands: the same answers as the core, as tables or JSON, and one line for what cannot be."""

from __future__ import annotations

import contextlib
import io
import json
import os
import signal
import subprocess
import sys

import pytest
from command_line import run
from dotenv import dotenv_values

from historylab import Settings, export, load, replay, resolve_settings
from historylab.cli import sweep as sweep_command
from historylab.costs.proposal import proposed_settings
from historylab.registry import members
from historylab.tuning.sweep import grid, sweep
from historylab.tuning.table import read_table
from historylab.wording.recorded import recorded_sentence


@pytest.fixture
def sample(root):
    return str(root / "sample_conversations" / "bike-rental-support.json")


def test_show_prints_every_request(capsys, sample):
    code, out, _ = run(capsys, "show", sample, "--set", "budget=300")
    timeline = replay(load(sample)[0], Settings(budget=300))
    assert code == 0
    for step in timeline.steps:
        assert step.label in out
        assert step.plan.sketch() in out
    assert "what would have kept it" in out


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


def test_show_names_the_one_it_shows_of_several(capsys, root):
    several = str(root / "sample_conversations" / "ferry-desk.jsonl")
    many = len(load(several))
    assert (
        f"Shown: conversation 2 of {many} (--conversation N)." in run(capsys, "show", several, "--conversation", "2")[1]
    )


def test_one_candidate_gets_no_empty_table(capsys, sample, tmp_path):
    table = str(tmp_path / "one.csv")
    run(capsys, "sweep", sample, "--out", table)
    code, out, _ = run(capsys, "recommend", table)
    assert code == 0
    assert "Only these settings were tried: $" in out
    assert "Each setting by itself" not in out


def test_money_is_written_as_on_screen_however_little_it_is(capsys, tmp_path):
    (tmp_path / "chat.json").write_text('[{"role": "user", "content": "hi"}]')
    asked = (str(tmp_path / "chat.json"), "--set", "model=gpt-4.1-nano")
    assert "$0.00000" in run(capsys, "show", *asked)[1]
    assert "$0.00000" in run(capsys, "sweep", *asked, "--grid", "length=1,2")[1]


def test_show_as_json_has_the_same_figures(capsys, sample):
    code, out, _ = run(capsys, "show", sample, "--set", "budget=300", "--json")
    told = json.loads(out)
    timeline = replay(load(sample)[0], Settings(budget=300))
    assert code == 0
    assert [r["tokens"] for r in told["requests"]] == timeline.tokens.tolist()
    assert told["losses"][0]["kind"] == "reference"
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


def test_sweep_measures_what_must_be_remembered(capsys, sample):
    code, out, _ = run(capsys, "sweep", sample, "--grid", "budget=300,60000", "--star", "2", "--json")
    assert (code, [row["stars_kept"] for row in json.loads(out)["rows"]]) == (0, [0, 1])


def test_show_one_request_says_why(capsys, sample):
    code, out, _ = run(capsys, "show", sample, "--set", "budget=300", "--request", "6", "--json")
    messages = json.loads(out)
    assert code == 0
    assert messages[1]["action"] == "dropped"
    assert "the budget is 300" in messages[1]["reason"]
    assert run(capsys, "show", sample, "--request", "6")[0] == 0


def test_sweep_writes_the_table_of_the_core(capsys, sample, tmp_path):
    path = str(tmp_path / "table.jsonl")
    axes = ["--grid", "budget=300,600", "--grid", "pruner=fifo,summarize"]
    code, out, err = run(capsys, "sweep", sample, *axes, "--out", path)
    assert (code, out) == (0, "")
    assert "4 rows written" in err
    expected = sweep(sample, grid(Settings(), budget=[300, 600], pruner=["fifo", "summarize"]))
    assert read_table(path)["settings"].tolist() == expected["settings"].tolist()
    assert read_table(path)["tokens_total"].tolist() == expected["tokens_total"].tolist()


def test_sweep_prints_a_table_or_json(capsys, sample):
    code, out, _ = run(capsys, "sweep", sample, "--grid", "budget=300,600")
    assert (code, "budget=600" in out) == (0, True)
    code, out, _ = run(capsys, "sweep", sample, "--random", "2", "--grid", "budget=300,600,900", "--json")
    assert (code, len(json.loads(out)["rows"])) == (0, 2)
    assert "1 set of settings" in run(capsys, "sweep", sample)[1]


def test_recommend_reads_it_and_its_exit_code_says_whether_anything_fits(capsys, sample, tmp_path):
    path = str(tmp_path / "table.csv")
    assert run(capsys, "sweep", sample, "--grid", "budget=300,2000", "--out", path)[0] == 0
    code, out, _ = run(capsys, "recommend", path, "keeps most")
    assert code == 0
    assert "budget=2000 keeps the most" in out
    code, out, _ = run(capsys, "recommend", path, "keeps most", "--target", "dotenv")
    assert resolve_settings(env=dotenv_values(stream=io.StringIO(out))).settings == Settings(budget=2000)
    code, out, _ = run(capsys, "recommend", path, "never over 10", "--json")
    assert (code, json.loads(out)["choice"]) == (1, None)


def test_export_is_the_export_of_the_core(capsys, tmp_path):
    code, out, _ = run(
        capsys, "export", "--target", "dotenv", "--set", "budget=4000", "--set", "pruner.fifo.unit=block"
    )
    assert (code, out) == (0, export(Settings(budget=4000, **{"pruner.fifo.unit": "block"}), "dotenv"))
    path = tmp_path / "historylab.env"
    path.write_text(out, encoding="utf-8")
    again = run(capsys, "export", "--from", str(path), "--out", str(tmp_path / "again.env"))
    assert (again[0], (tmp_path / "again.env").read_text(encoding="utf-8")) == (0, out)


def test_what_an_export_cannot_carry_is_said_beside_it(capsys):
    code, out, err = run(capsys, "export", "--target", "agentdock", "--set", "pruner=fifo")
    assert (code, json.loads(out)["chatSettings"]["historyLength"]) == (0, 20)
    assert "historylab: Not carried over: pruner, budget" in err
    _, out, err = run(capsys, "export", "--target", "langgraph", "--set", "filter=scope", "--json")
    assert json.loads(out)["not_carried"][0]["settings"] == ["filter"]
    assert "Not carried over: filter." in err
    assert "Not carried over" not in run(capsys, "export", "--target", "langgraph")[2]


def test_the_environment_decides_and_it_is_said(capsys, monkeypatch):
    monkeypatch.setenv("HISTORYLAB_BUDGET", "77")
    code, out, err = run(capsys, "export", "--set", "budget=5", "--only-changed")
    assert (code, "HISTORYLAB_BUDGET=77" in out, "budget stays 77" in err) == (0, True, True)


@pytest.mark.feature("A15")
@pytest.mark.parametrize("where", ["before", "after", "environment"])
def test_a_strict_environment_that_sets_something_shuts_out_what_is_set_here(capsys, monkeypatch, where):
    monkeypatch.setenv("HISTORYLAB_RESERVE", "7")
    strict, given = ["--strict-environment"], ["export", "--only-changed", "--set", "budget=5"]
    if where == "environment":
        monkeypatch.setenv("HISTORYLAB_STRICT_ENVIRONMENT", "true")
        strict = []
    code, out, err = run(capsys, *(strict + given if where == "before" else given + strict))
    assert (code, "HISTORYLAB_BUDGET" in out, "HISTORYLAB_RESERVE=7" in out) == (0, False, True)
    assert "budget stays 8000: the environment is strict, so --set is ignored" in err


@pytest.mark.parametrize("command", ["show SAMPLE", "sweep SAMPLE", "export"])
def test_a_switch_that_cannot_be_read_is_said_by_every_command(capsys, monkeypatch, sample, command):
    monkeypatch.setenv("HISTORYLAB_STRICT_ENVIRONMENT", "ture")
    _, _, err = run(capsys, *command.replace("SAMPLE", sample).split(), "--strict-environment", "--set", "budget=5")
    assert "ignored HISTORYLAB_STRICT_ENVIRONMENT=ture in the environment: write true or false" in err


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (("show", "no-such-file.json"), 1, "no-such-file.json"),
        (("show", "SAMPLE", "--conversation", "9"), 1, "no number 9"),
        (("show", "SAMPLE", "--request", "99"), 2, "no request 99"),
        (("show", "SAMPLE", "--request", "1_0"), 2, "'1_0' is not a whole number"),
        (("sweep", "SAMPLE", "--seed", "٣"), 2, "'٣' is not a whole number"),
        (("show", "SAMPLE", "--set", "budget=1_0"), 2, "not a number"),
        (("show", "SAMPLE", "--set", "budget"), 2, "NAME=VALUE"),
        (("show", "SAMPLE", "--set", "bugdet=1"), 2, "bugdet"),
        (("sweep", "no-such-file.json"), 1, "no-such-file.json"),
        (("sweep", "SAMPLE", "--grid", "bugdet=1"), 2, "did you mean budget"),
        (("sweep", "SAMPLE", "--grid", "budget=1,many"), 2, "--grid budget"),
        (("sweep", "SAMPLE", "--out", "table.xlsx"), 2, "table.xlsx"),
        (("recommend", "no-such-table.csv"), 1, "no-such-table.csv"),
        (("recommend", "cheapest"), 2, "'cheapest' is no table of a sweep; write one with `historylab sweep"),
        (("export", "--target", "stone"), 2, "stone"),
        (("export", "--set", "budget=many"), 2, "budget=many"),
        (("export", "--out", "no/such/folder/x.env"), 1, "can't be written"),
    ],
)
def test_what_cannot_be_is_one_line(capsys, sample, arguments, code, words):
    got, out, err = run(capsys, *(sample if a == "SAMPLE" else a for a in arguments))
    assert (got, out) == (code, "")
    assert words in err.splitlines()[-1]
    assert "Traceback" not in err


def test_no_text_of_a_transcript_reaches_the_terminal_as_a_command(capsys, tmp_path):
    path = tmp_path / "hostile.json"
    said = [{"role": "user", "content": "\x1b[31m[bold]red[/bold]\x07 ORD-1"}, {"role": "assistant", "content": "ok"}]
    path.write_text(json.dumps({"title": "\x1b]0;owned\x07\x9b0m\u202e", "messages": said}), encoding="utf-8")
    _, out, _ = run(capsys, "show", str(path), "--request", "1")
    assert "\x1b" not in out and "\x07" not in out
    assert "[bold]red[/bold]" in out
    assert "\x1b" not in run(capsys, "show", str(path))[1]
    for arguments in (("show", str(path), "--json"), ("show", str(path) + "\x1b[31m"), ("show", str(path), "x\x9b0m")):
        assert not {"\x1b", "\x9b", "\u202e"} & set("".join(run(capsys, *arguments)[1:]))


def test_a_terminal_is_shown_what_a_file_of_settings_would_make_it_obey(capsys, monkeypatch):
    export = ("export", "--target", "shell", "--set", "model=x\x1b[31m\u202e", "--only-changed")
    assert "\x1b[31m\u202e" in run(capsys, *export)[1]  # a pipe gets it as it is
    monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
    assert "x�[31m�" in run(capsys, *export)[1]


def test_what_is_not_there_is_named_with_what_is_near_or_to_do(capsys, tmp_path):
    assert "did you mean budget?" in run(capsys, "export", "--set", "bugdet=4")[2]
    missing = str(tmp_path / "nope.parquet")
    assert f"there is no file {missing!r}; write one with `historylab sweep" in run(capsys, "recommend", missing)[2]


def test_all_sample_files_are_swept_and_what_is_no_conversation_is_named(capsys, root):
    folder = root / "sample_conversations"
    names = sorted(path.name for path in folder.iterdir())
    code, out, err = run(capsys, "sweep", *(str(folder / name) for name in names), "--json")
    told = json.loads(out)
    assert code == 0
    assert "2 files skipped:" in err
    assert [path.rpartition("/")[2] for path in told["skipped"]] == ["README.md", "index.json"]
    assert all(why in err for why in told["skipped"].values())
    swept = {row["file"].rpartition("/")[2] for row in told["rows"]}
    assert swept == {*names} - {"README.md", "index.json"}


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


@pytest.mark.parametrize(
    "text", ['[{"role": "user", "content": [{"type": {"a": 1}, "text": "x"}]}]', "[1]", '{"a": 1}']
)
@pytest.mark.parametrize("command", [("show",), ("sweep", "--grid", "length=1,2")])
def test_a_file_of_nothing_that_can_be_read_is_one_line(capsys, tmp_path, text, command):
    path = tmp_path / "chat.json"
    path.write_text(text, "utf-8")
    code, out, err = run(capsys, command[0], str(path), *command[1:])
    assert (code, out) == (1, "")
    assert err.startswith("historylab: ")
    assert str(path) in err
    assert err.count("\n") == 1


def test_a_sweep_says_that_files_were_read_in_part(capsys, root):
    folder = root / "sample_conversations"
    code, _, err = run(capsys, "sweep", str(folder / "two-to-vienna-broken.json"), "--grid", "length=1,2")
    assert code == 0
    assert "1 file not read in full or read with warnings; `historylab show FILE` says what of it" in err


def test_show_goes_on_with_the_next_file(capsys, root, sample):
    index = str(root / "sample_conversations" / "index.json")
    code, out, err = run(capsys, "show", index, sample, "--json")
    told = json.loads(out)
    assert code == 0
    assert [shown["title"] for shown in told["files"]] == [load(sample)[0].title]
    assert f"1 file skipped:\nhistorylab:   {index}: found a list" in err
    code, out, _ = run(capsys, "show", sample, sample, "--set", "budget=300")
    assert (code, out.count("Forgotten:")) == (0, 2)


def test_recommend_takes_several_tables_and_skips_what_is_none(capsys, root, sample, tmp_path):
    other = str(root / "sample_conversations" / "tide-tables-agent.json")
    tables = [str(tmp_path / f"{k}.csv") for k in range(2)]
    for path, file in zip(tables, [sample, other], strict=True):
        run(capsys, "sweep", file, "--grid", "budget=300,2000", "--out", path)
    broken = tmp_path / "broken.csv"
    broken.write_text("a,b\n1,2\n")
    code, out, err = run(capsys, "recommend", tables[0], str(broken), tables[1], "keeps most", "--json")
    told = json.loads(out)
    assert (code, told["choice"]["knobs"], list(told["skipped"])) == (0, {"budget": 2000}, [str(broken)])
    assert "no column 'settings'" in err
    code, out, _ = run(capsys, "recommend", tables[0], "keeps most", "cheapest")
    assert (code, out) == (2, "")


@pytest.mark.parametrize("command", ["show", "sweep"])
def test_strictly_one_file_that_cannot_be_read_is_an_error(capsys, root, sample, command):
    index = str(root / "sample_conversations" / "index.json")
    code, out, err = run(capsys, command, sample, index, "--strict", "--json")
    assert (code, out) == (1, "")
    assert "found a list" in err.splitlines()[-1]
    assert run(capsys, command, index, str(root / "README.md"))[0] == 1


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("sweeep", "a.json"), "there is no command 'sweeep'; did you mean sweep?"),
        (("show", "a.json", "--quesion", "why"), "did you mean --question?"),
        (("show", "a.json", "--budget=4000"), "did you mean --set budget=4000?"),
        (("show", "a.json", "--min-turns", "2"), "did you mean --set min_turns=…?"),
        (("show", "a.json", "--buget=4000"), "did you mean --set budget=4000?"),
        (("sweep", "a.json", "--works"), "did you mean --workers?"),
        (("recommend",), "the following arguments are required: TABLE"),
    ],
)
def test_what_is_not_understood_is_said_with_what_may_have_been_meant(capsys, arguments, words):
    code, out, err = run(capsys, *arguments)
    assert (code, out) == (2, "")
    assert words in err.splitlines()[-1]
    own = (
        f"usage: historylab {arguments[0]}" if arguments[0] in ("show", "sweep", "recommend") else "usage: historylab ["
    )
    assert err.startswith(own)


def test_a_target_is_found_by_what_people_call_it(capsys):
    assert "(did you mean docker_compose?)" in run(capsys, "export", "--target", "compose")[2]
    assert "(did you mean configmap?)" in run(capsys, "export", "--target", "kubernetes")[2]


def test_the_help_of_export_names_every_target(capsys):
    told = " ".join(run(capsys, "export", "--help")[1].split())
    assert all(name in told for name in members("exporter"))


def command(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "historylab", *arguments]


@pytest.mark.slow
@pytest.mark.parametrize("output", [["--json"], []], ids=["json", "tables"])
def test_a_reader_that_has_seen_enough_is_no_error(sample, output):
    show = subprocess.Popen(
        command("show", *[sample] * 40, "--all", *output), stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    show.stdout.readline()
    show.stdout.close()
    assert (show.wait(60), show.stderr.read()) == (1, b"")


@pytest.mark.slow
@pytest.mark.parametrize("output", [["--json"], []], ids=["json", "tables"])
def test_any_text_is_printed_on_a_terminal_that_knows_few_letters(tmp_path, output):
    path = tmp_path / "grüße.json"
    path.write_text(json.dumps([{"role": "user", "content": "Grüße \ud83d 😀"}, {"role": "assistant", "content": "ä"}]))
    shown = subprocess.run(
        command("show", str(path), "--request", "1", *output),
        capture_output=True,
        check=False,
        env={**os.environ, "PYTHONIOENCODING": "ascii"},
    )
    assert (shown.returncode, shown.stderr) == (0, b"")
    if output:
        assert json.loads(shown.stdout)[0]["text"] == "Grüße \ud83d 😀"
    else:
        assert b"Gr\\xfc\\xdfe" in shown.stdout


@pytest.mark.parametrize("out", ["no/such/folder/table.csv", "a\0b.csv"])
def test_a_file_that_cannot_be_written_is_noticed_before_the_work(capsys, monkeypatch, sample, tmp_path, out):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("historylab.tuning.sweep.sweep", lambda *_, **__: pytest.fail("the work was begun"))
    code, _, err = run(capsys, "sweep", sample, "--out", out)
    assert (code, "can't be written" in err) == (1, True), err
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
@pytest.mark.parametrize("workers", [[], ["--workers", "2"]], ids=["one process", "two workers"])
def test_what_an_interrupted_sweep_has_measured_is_kept(capsys, monkeypatch, sample, tmp_path, workers):
    monkeypatch.setattr(sweep_command, "_progress", ctrl_c_at_the_third_row)
    out = str(tmp_path / "table.jsonl")
    budgets = ",".join(map(str, range(200, 1200)))
    code, _, err = run(capsys, "sweep", sample, "--grid", f"budget={budgets}", "--out", out, *workers)
    assert code == 130
    assert "interrupted; " in err
    assert 3 <= len(read_table(out)) < 1000
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


@contextlib.contextmanager
def ctrl_c_at_the_third_row():
    yield lambda done, total: signal.raise_signal(signal.SIGINT) if done == 3 else None


def test_an_interrupted_command_says_so_by_its_exit_code(capsys, monkeypatch, sample):
    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("historylab.cli.show._show", interrupt)
    assert run(capsys, "show", sample)[0] == 130
