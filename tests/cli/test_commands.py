"""What all subcommands have in common: settings, exports, money, and one line for what cannot be."""

from __future__ import annotations

import io
import json
import subprocess
import sys

import pytest
from command_line import run

from historylab import Settings, export
from historylab.cli import main
from historylab.registry import members


def test_money_is_written_as_on_screen_however_little_it_is(capsys, tmp_path):
    (tmp_path / "chat.json").write_text('[{"role": "user", "content": "hi"}]')
    asked = (str(tmp_path / "chat.json"), "--set", "model=gpt-4.1-nano")
    assert "$0.00000" in run(capsys, "show", *asked)[1]
    assert "$0.00000" in run(capsys, "sweep", *asked, "--grid", "length=1,2")[1]


def test_export_is_the_export_of_the_core(capsys, tmp_path):
    code, out, _ = run(
        capsys, "export", "--target", "dotenv", "--set", "budget=4000", "--set", "pruner.fifo.unit=block"
    )
    assert (code, out) == (0, export(Settings(budget=4000, **{"pruner.fifo.unit": "block"}), "dotenv"))
    path = tmp_path / "historylab.env"
    path.write_text(out, encoding="utf-8")
    again = run(capsys, "export", "--from", str(path), "--out", str(tmp_path / "again.env"))
    written = (tmp_path / "again.env").read_text(encoding="utf-8")
    assert (again[0], written.splitlines()[1:]) == (0, out.splitlines()[1:])


@pytest.mark.parametrize(
    ("target", "file", "said"),
    [
        ("dotenv", "mine.env", "`set -a; . ./mine.env; set +a`"),
        ("shell", "of app/mine.sh", "`. 'of app/mine.sh'` in the shell"),
        ("docker_compose", "mine.yaml", "-f compose.yaml -f mine.yaml up"),
        ("python", "mine.py", "`from mine import to_send`"),
    ],
)
def test_a_file_that_is_written_under_another_name_is_called_by_that(capsys, tmp_path, monkeypatch, target, file, said):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "of app").mkdir()
    assert run(capsys, "export", "--target", target, "--out", file)[0] == 0
    text = (tmp_path / file).read_text(encoding="utf-8")
    assert said in text.splitlines()[0]
    assert members("exporter")[target].attributes["file_name"] not in text


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
        (("show", "a.json", "--settings", "a.env"), "did you mean --from?"),
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


@pytest.mark.parametrize("output", [["--json"], []], ids=["json", "tables"])
def test_any_text_is_printed_on_a_terminal_that_knows_few_letters(capsys, monkeypatch, tmp_path, output):
    path = tmp_path / "grüße.json"
    path.write_text(json.dumps([{"role": "user", "content": "Grüße \ud83d 😀"}, {"role": "assistant", "content": "ä"}]))
    terminal = io.TextIOWrapper(io.BytesIO(), "ascii")
    with monkeypatch.context() as patched:
        patched.setattr("sys.stdout", terminal)
        assert main.main(["show", str(path), "--request", "1", *output]) == 0
    terminal.flush()
    shown = terminal.buffer.getvalue()
    assert capsys.readouterr().err == ""
    if output:
        assert json.loads(shown)[0]["text"] == "Grüße \ud83d 😀"
    else:
        assert b"Gr\\xfc\\xdfe" in shown


def test_an_interrupted_command_says_so_by_its_exit_code(capsys, monkeypatch, sample):
    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("historylab.cli.show._show", interrupt)
    assert run(capsys, "show", sample)[0] == 130
