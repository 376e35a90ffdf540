"""The page about Live, read as a newcomer does: its commands in terminals, its programs in files."""

from __future__ import annotations

import contextlib
import os
import random
import re
import shlex
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Awaitable, Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, redirect_stdout
from io import StringIO
from pathlib import Path

import pytest
from server_process import OURS, ROOT

from historylab.cli.main import main
from historylab.proxy.serve import Server

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("the page about Live")]

PORTS = ("8900", "8484", "8501")
SECONDS = 60
KEY = "sk-of-a-newcomer-1234567890"
TRY, OWN, RECORDING = "Try it without a key", "Your own app", "The recording"


class Newcomer:
    """A folder with terminals, and the page, in which other ports stand for those that may be taken here."""

    def __init__(self, folder: Path):
        self.folder, self.page = folder, (ROOT / "docs" / "live.md").read_text()
        self.ports = {port: free_port() for port in PORTS}
        for port, free in self.ports.items():
            self.page = self.page.replace(f":{port}", f":{free}")
        self._env = {name: value for name, value in os.environ.items() if not name.startswith(OURS)}
        self._env |= {"OPENAI_API_KEY": KEY, "PYTHONPATH": str(ROOT)}
        self._terminals: list[subprocess.Popen[bytes]] = []

    def blocks(self, language: str, heading: str) -> list[str]:
        section = self.page.partition(f"\n## {heading}\n")[2].partition("\n## ")[0]
        return re.findall(rf"```{language}\n(.*?)```", section, re.S)

    def leaves_open(self, block: str, port: str, *options: str) -> None:
        """Type the commands into a terminal of their own, and wait until the last of them listens."""
        command = " ".join((block.strip(), *options, "--port", self.ports[port]))
        log = self.folder / f"{port}.log"
        with log.open("wb") as out:
            there = {"cwd": self.folder, "env": self._env, "stdout": out, "stderr": out}
            terminal = subprocess.Popen(["bash", "-c", command], start_new_session=True, **there)
        self._terminals.append(terminal)
        deadline = time.monotonic() + SECONDS
        while not listens(self.ports[port]):
            assert time.monotonic() < deadline and terminal.poll() is None, log.read_text()
            time.sleep(0.05)

    def types(self, *command: str) -> str:
        """What a command prints that ends by itself: one of ours in this process, which has the libraries loaded."""
        if command[0] == "historylab":
            with contextlib.chdir(self.folder), redirect_stdout(StringIO()) as said:
                assert main(command[1:]) == 0
            return said.getvalue()
        pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True}
        done = subprocess.run(command, cwd=self.folder, env=self._env, check=False, timeout=SECONDS, **pipes)
        assert done.returncode == 0, done.stdout
        return done.stdout

    def saves(self, name: str, program: str) -> str:
        (self.folder / name).write_text(program)
        return name

    def closes_all(self) -> None:
        while self._terminals:
            terminal = self._terminals.pop()
            os.killpg(terminal.pid, signal.SIGTERM)
            terminal.wait(SECONDS)


def free_port() -> str:
    """One that nothing listens on, of those that no system gives to who asks for any."""
    return next(port for port in map(str, random.sample(range(20_000, 30_000), 100)) if not listens(port))


def listens(port: str) -> bool:
    with closing(socket.socket()) as probe:
        return probe.connect_ex(("127.0.0.1", int(port))) == 0


@pytest.fixture(scope="module")
def newcomer(tmp_path_factory) -> Iterator[Newcomer]:
    """One whose terminals are open, as the page says."""
    newcomer = Newcomer(tmp_path_factory.mktemp("newcomer"))
    upstream, proxy, playground, *_ = newcomer.blocks("sh", TRY)
    try:
        newcomer.leaves_open(upstream, "8900")
        newcomer.leaves_open(proxy, "8484")
        newcomer.leaves_open(playground, "8501", "--headless")
        yield newcomer
    finally:
        newcomer.closes_all()


def test_the_app_of_the_page_is_trimmed_and_recorded(newcomer):
    (program,), (*_, run, less_often) = newcomer.blocks("python", TRY), newcomer.blocks("sh", TRY)
    newcomer.saves("chat.py", program.replace("time.sleep(0.5)", ""))
    sent = [int(size) for size in re.findall(r"I was sent (\d+)", newcomer.types(*run.split()))]
    assert len(sent) == 60 and sent[0] == 2 and 30 < sent[-1] < 60
    newcomer.types(*shlex.split(less_often))
    cut_further = [int(size) for size in re.findall(r"I was sent (\d+)", newcomer.types(*run.split()))]
    assert cut_further[:20] == sent[:20] and min(cut_further[20:]) < min(sent[20:])
    show, tune, check = map(shlex.split, newcomer.blocks("sh", RECORDING)[1].splitlines())
    assert " of 60 requests" in newcomer.types(*show)
    assert "yours" in newcomer.types(*tune)
    assert "Held: 1 wish" in newcomer.types(*check)


@pytest.mark.skipif(not shutil.which("curl"), reason="curl is not on this machine")
def test_the_curl_of_the_page_gets_an_answer_and_headers_that_say_what_was_sent(newcomer):
    (command,) = (block for block in newcomer.blocks("sh", OWN) if block.startswith("curl"))
    said = newcomer.types("bash", "-c", command)
    assert "historylab-tokens: sent=" in said and "Which ferry goes to Ven?" in said


@pytest.mark.skipif(not shutil.which("node"), reason="Node is not on this machine")
def test_the_fetch_of_the_page_streams_an_answer(newcomer):
    (program,) = newcomer.blocks("js", OWN)
    said = newcomer.types("node", newcomer.saves("chat.mjs", program))
    assert said.startswith("sent=") and said.endswith("data: [DONE]\n\n")


def test_the_key_of_the_newcomer_is_nowhere_in_the_folder(newcomer):
    newcomer.types("bash", "-c", newcomer.blocks("sh", OWN)[1])
    files = [file for file in newcomer.folder.rglob("*") if file.is_file()]
    assert any(file.name == "historylab.db" for file in files)
    assert [file.name for file in files if KEY.encode() in file.read_bytes()] == []


@pytest.mark.parametrize("heading", [OWN, RECORDING, "From other machines"])
def test_the_other_proxies_of_the_page_start(tmp_path, monkeypatch, capsys, heading):
    """Each in a thread, which ends as soon as it listens; a process of their own have those in the terminals."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("historylab.cli.proxy.collect_seldom", lambda: None)
    monkeypatch.setattr(Server, "startup", ends_once_it_listens(Server.startup))
    for command in Newcomer(tmp_path).blocks("sh", heading)[0].splitlines():
        given, _, options = command.partition("historylab ")
        for name, _, value in (variable.partition("=") for variable in given.split()):
            monkeypatch.setenv(name, value)
        with ThreadPoolExecutor(1) as thread:
            assert thread.submit(main, [*shlex.split(options), "--port", "0"]).result() == 0
        assert "http://127.0.0.1:" in capsys.readouterr().out


def ends_once_it_listens(begin: Callable[..., Awaitable[None]]) -> Callable[..., Awaitable[None]]:
    async def startup(server: Server, sockets: list[socket.socket]) -> None:
        await begin(server, sockets)
        assert server.started
        server.should_exit = True

    return startup
