"""`historylab run`: the program has the terminal, its requests pass a proxy, and its exit status is the command's."""

from __future__ import annotations

import os
import re
import shlex
import signal
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from chat_server import ChatServer, says
from command_line import run
from proxy_server import running_proxy

from historylab import load
from historylab.cli import foreground, main
from historylab.cli import run as running
from historylab.proxy.serve import Server

KEY = "sk-of-a-program-1234567890"
ASK = f"""
import json, os, sys, urllib.request
body = json.dumps({{"model": "gpt-5.5", "messages": [{{"role": "user", "content": "Which ferry?"}}]}}).encode()
headers = {{"Content-Type": "application/json", "Authorization": "Bearer {KEY}"}}
asked = urllib.request.Request(os.environ["OPENAI_BASE_URL"] + "/chat/completions", body, headers)
print(json.load(urllib.request.urlopen(asked))["choices"][0]["message"]["content"])
sys.exit(7)
"""


@pytest.fixture(autouse=True)
def unwatched(monkeypatch, tmp_path) -> None:
    """No browser here, and a process whose garbage is collected as ever."""
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "HISTORYLAB_RECORD", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.setattr(running, "collect_seldom", lambda: None)


@pytest.fixture(scope="module")
def upstream() -> Iterator[ChatServer]:
    with ChatServer(says("at noon")) as server:
        yield server


def run_python(capsys, upstream: ChatServer, program: str, *options: str) -> tuple[int, str]:
    """Exit code and stderr of a program in Python."""
    asked = ("run", "--upstream", upstream.url, *options, "--", sys.executable, "-S", "-c", program)
    code, _, err = run(capsys, *asked)
    return code, err


def test_requests_pass_a_proxy_and_the_exit_status_is_the_programs(capfd, upstream, tmp_path):
    code, out, err = run(capfd, "run", "--upstream", upstream.url, "--", sys.executable, "-S", "-c", ASK)
    assert (code, out) == (7, "at noon\n")
    assert upstream.keys[-1].endswith(KEY) and KEY not in err
    assert "only watched" in err and "1 request: 1 only watched; " in err and "tokens of messages sent" in err
    recording = tmp_path / "data" / "historylab" / "recordings" / "historylab.db"
    assert f"historylab show {recording}" in err
    (conversation,) = load(recording)
    assert [m.content for m in conversation.messages] == ["Which ferry?", "at noon"]


def test_without_settings_nothing_is_held_against_a_budget_that_nobody_chose(capsys, monkeypatch, upstream, tmp_path):
    long = ASK.replace("Which ferry?", "Which ferry? " * 5000)
    _, err = run_python(capsys, upstream, long)
    assert "1 only watched" in err and "budget" not in err
    monkeypatch.setenv("HISTORYLAB_BUDGET", "700")
    assert "over its budget" in run_python(capsys, upstream, long)[1]


def test_a_request_for_a_title_is_named_and_comes_last_in_the_recording(capsys, upstream, tmp_path):
    told = '{{"role": "system", "content": "You are a title generator. You output ONLY a thread title"}}, '
    titled = ASK.replace('[{"role"', f'[{told.format()}{{"role"').replace("sys.exit(7)", "")
    _, err = run_python(capsys, upstream, titled + ASK)
    assert "1 untrimmed (title)" in err
    first, last = load(tmp_path / "data" / "historylab" / "recordings")
    assert [m.role for m in first.messages] == ["user", "assistant"] and last.messages[0].role == "system"


def test_settings_trim_unless_it_is_an_audit(capsys, upstream, tmp_path):
    settings = tmp_path / "history.env"
    settings.write_text("HISTORYLAB_BUDGET=9000\n")
    place = str(tmp_path / "kept")
    _, trimmed = run_python(capsys, upstream, ASK, "--settings", str(settings), "--record", place)
    assert "trim: each request is sent as these settings cut it" in trimmed and "1 sent whole" in trimmed
    _, audited = run_python(capsys, upstream, ASK, "--settings", str(settings), "--record", place, "--audit")
    assert "1 only watched" in audited and "would be sent (100%)" in audited
    assert len(load(Path(place) / "historylab.db")) == 2


def test_a_signal_that_ends_the_program_is_in_the_exit_status(capsys, upstream):
    code, err = run_python(capsys, upstream, "import os; os.kill(os.getpid(), 9)")
    assert code == 128 + 9 and "no request came this way" in err


WAITS = """
import os, signal, sys
signal.signal(signal.{name}, lambda *_: sys.exit(5))
os.kill(os.getppid(), signal.{name})
signal.pause()
"""


@pytest.mark.parametrize("name", ["SIGTERM", "SIGINT"])
def test_a_signal_goes_to_the_program_which_may_handle_it(capsys, monkeypatch, upstream, name):
    monkeypatch.setattr(foreground, "_has_the_terminal", lambda: False)
    before = signal.getsignal(signal.SIGINT)
    assert run_python(capsys, upstream, WAITS.format(name=name))[0] == 5
    assert signal.getsignal(signal.SIGINT) is before


def test_what_the_terminal_sends_to_both_is_not_sent_again(capsys, monkeypatch, upstream):
    monkeypatch.setattr(foreground, "_has_the_terminal", lambda: True)
    program = "import os, signal; os.kill(os.getppid(), signal.SIGINT); print(input())"
    reading, writing = os.pipe()
    os.write(writing, b"goes on\n")
    os.close(writing)
    monkeypatch.setattr(sys, "stdin", None)
    saved = os.dup(0)
    os.dup2(reading, 0)
    try:
        assert run_python(capsys, upstream, program)[0] == 0
    finally:
        os.dup2(saved, 0)
        os.close(saved)
        os.close(reading)


def test_the_program_is_ended_where_the_proxy_fails(capsys, monkeypatch, upstream):
    async def ends(_self: Server) -> None:
        return

    monkeypatch.setattr(Server, "main_loop", ends)
    code, err = run_python(capsys, upstream, "import signal; signal.pause()")
    assert code == 1 and "(it ended by itself)" in err


def test_a_program_that_is_not_there_or_cannot_be_started_ends_as_in_a_shell(capsys, upstream, tmp_path):
    code, out, err = run(capsys, "run", "--", "no-such-program")
    assert (code, out, err) == (127, "", "historylab: there is no program 'no-such-program' to run\n")
    (tmp_path / "broken").write_bytes(b"\x7fELF")
    (tmp_path / "broken").chmod(0o755)
    code, _, err = run(capsys, "run", "--upstream", upstream.url, "--", str(tmp_path / "broken"))
    assert code == 126 and "can't be started" in err and "no request" not in err
    (tmp_path / "broken").chmod(0o644)
    code, _, err = run(capsys, "run", "--upstream", upstream.url, "--", str(tmp_path / "broken"))
    assert code == 126 and "may not be executed" in err


def test_a_proxy_in_front_of_a_proxy_is_refused(capsys, monkeypatch, upstream):
    with running_proxy(upstream.url) as proxy:
        monkeypatch.setenv("OPENAI_BASE_URL", f"{proxy.url}/v1")
        for command in (("run", "--", "true"), ("proxy", "--port", "0", "--upstream", proxy.url)):
            code, _, err = run(capsys, *command)
            assert code == 2 and "is a historylab proxy already" in err


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ((), "name the program to run"),
        (("--upstream", "models.example", "--", "true"), "isn't the address of an upstream"),
        (("--settings", "none.env", "--", "true"), "none.env cannot be read"),
        (("--keep-days", "-1", "--", "true"), "--keep-days"),
    ],
)
def test_a_mistake_in_asking_is_named(capsys, options, said):
    code, out, err = run(capsys, "run", *options)
    assert (code, out) == (2, "") and said in err


def test_the_lines_of_the_page_are_understood(root):
    page = (root / "docs" / "live.md").read_text()
    asked = [
        main._parser().parse_args(shlex.split(line)[1:]) for line in re.findall(r"^historylab run .*$", page, re.M)
    ]
    programs = [running._command(arguments.program)[0] for arguments in asked]
    assert programs == ["claude", "codex", "opencode", "python", "aider"] and asked[-1].settings == "history.env"
