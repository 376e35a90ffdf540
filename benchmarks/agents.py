"""Agents and libraries of today through the proxy: so many turns of tool calls each, a strict API behind it.

    python benchmarks/agents.py [--turns 200] [--only NAME …] [--folder FOLDER]

Installs the newest release of each from npm and PyPI into FOLDER (kept between runs, brought up to date by each), says
which it found, and has each call a tool for so many turns. What a client sends is taken down before the proxy and
behind it, where a server refuses what the real API refuses. Per client:

*own*: compactions and titles that the client asked for itself; *untrimmed*: other requests that went through as they
came; *refused* by the API; *without rules*: the project's rules were in what the client sent and aren't in what
arrived; *compactions cut*, or titles; *not as recorded*: requests whose body on record isn't the client's, of which a
Trimmer makes another body than arrived, or which are decided otherwise when the recording is replayed. All but the
first shall be 0; the exit status is 1 where one isn't, or a client ended before its turns.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "tests" / "support")]

from benchmarks.clients.harness import Judged, judge, watched  # noqa: E402
from benchmarks.clients.libraries import LIBRARIES, RULE  # noqa: E402
from benchmarks.measured import heading, row  # noqa: E402
from historylab import Settings  # noqa: E402
from historylab.proxy.programs import ANTHROPIC, GOOGLE, OPENAI, program_of, tell  # noqa: E402

HERE = Path(__file__).parent / "clients"
SECONDS = 900
LIBRARY, AGENT = Settings(policy="all", budget=3_000), Settings(policy="all", budget=20_000)
KEYS = dict.fromkeys(("OPENAI_API_KEY", "CODEX_API_KEY", "ANTHROPIC_API_KEY", "GEMINI_API_KEY"), "none")
COLUMNS = ("untrimmed", "refused", "without rules", "compactions cut", "not as recorded")


@dataclass(frozen=True)
class Client:
    """A program: its packages, and the commands of a run, in which {turns}, {url} and {place} stand for those.

    `files`: what is in its home.
    """

    name: str
    packages: str
    commands: Sequence[Sequence[str]]
    settings: Settings = AGENT
    registry: str = "npm"
    files: Mapping[str, str] = field(default_factory=dict)

    @property
    def package(self) -> str:
        """The one whose release is told."""
        return self.packages.split()[0].partition("[")[0]


ASK = "Look around in this folder, at notes.md too. Call tools {turns} times."
AGAIN = "And now? Call tools 5 times."
CLAUDE = ("claude", "--allowedTools", "Bash,Read,Glob,Grep", "--max-turns", "400")
CODEX = ("codex", "exec", "--skip-git-repo-check")
COMPACT = ("-c", "model_auto_compact_token_limit=17300")
"""Less than what Codex sends when it is trimmed to the budget, and more than after a compaction."""
GEMINI = '{"security": {"auth": {"selectedType": "gemini-api-key"}}, "model": {"disableLoopDetection": true}}'
AGENTS = (
    Client(
        "Claude Code",
        "@anthropic-ai/claude-code",
        ((*CLAUDE, "-p", ASK), (*CLAUDE, "-p", "/compact", "--continue"), (*CLAUDE, "-p", AGAIN, "--continue")),
    ),
    Client("Codex", "@openai/codex", ((*CODEX, ASK), (*CODEX, *COMPACT, "resume", "--last", AGAIN))),
    Client("opencode", "opencode-ai", (("opencode", "run", "-m", "openai/gpt-5.5", ASK),)),
    Client(
        "Gemini CLI",
        "@google/gemini-cli",
        (("gemini", "--yolo", "-p", ASK),),
        files={".gemini/settings.json": GEMINI},
    ),
)
AI_SDK = "ai @ai-sdk/openai @ai-sdk/anthropic @ai-sdk/google"
CLIENTS = (
    *AGENTS,
    *(
        Client(name, packages, (("python", str(HERE / "libraries.py"), name, "{url}", "{turns}"),), LIBRARY, "PyPI")
        for name, (packages, _) in LIBRARIES.items()
    ),
    *(
        Client(f"AI SDK, {api}", AI_SDK, (("node", "{place}/ai_sdk.mjs", api, "{url}", "{turns}"),), LIBRARY)
        for api in ("responses", "chat", "anthropic", "google")
    ),
)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--turns", type=int, default=200)
    parser.add_argument("--only", nargs="+", metavar="NAME", default=[""])
    parser.add_argument("--folder", type=Path, default=Path(tempfile.gettempdir()) / "historylab-clients")
    arguments = parser.parse_args()
    chosen = [client for client in CLIENTS if client.name.startswith(tuple(arguments.only))]
    failed = install({client.packages: client.registry for client in chosen}, arguments.folder)
    heading("client", "release", "requests", "trimmed", "own", *COLUMNS)
    whole = not failed
    for client in chosen:
        place = _place(client.packages, arguments.folder)
        if client.packages in failed:
            row(client.name, failed[client.packages])
            continue
        judged = measured(client, arguments.turns, place)
        whole &= judged.is_whole and judged.requests > arguments.turns
        row(client.name, release(client, place), *cells(judged))
        for refusal in judged.refused[:1]:
            print(f"{client.name} was refused: {refusal[:600]}", file=sys.stderr)
    return 0 if whole else 1


def cells(judged: Judged) -> tuple[str, ...]:
    counts = (len(judged.refused), judged.without_rules, judged.compactions_cut, judged.not_as_recorded)
    own, untrimmed = (
        ", ".join(f"{count} {cause}" for cause, count in causes.items()) or "0"
        for causes in (judged.own, judged.untrimmed)
    )
    return f"{judged.requests:,}", f"{judged.trimmed:,}", own, untrimmed, *map(str, counts)


# -- installing


def install(wanted: Mapping[str, str], folder: Path) -> dict[str, str]:
    """The newest releases, each set of packages from its registry, in a place of its own; the error of what failed."""
    failed = {}
    for packages, registry in wanted.items():
        place = _place(packages, folder)
        place.mkdir(parents=True, exist_ok=True)
        shutil.copy(HERE / "ai_sdk.mjs", place)
        if registry == "npm":
            commands = [["npm", "install", "--no-audit", "--no-fund", *(f"{name}@latest" for name in packages.split())]]
        else:
            pip = [str(place / "venv/bin/python"), "-m", "pip", "install", "--quiet", "--no-compile", "--upgrade"]
            commands = [[sys.executable, "-m", "venv", str(place / "venv")], [*pip, *packages.split()]]
        for command in commands:
            done = subprocess.run(command, cwd=place, capture_output=True, text=True, check=False)
            if done.returncode:
                failed[packages] = f"not installed: {done.stderr.strip().splitlines()[-1:]}"
    return failed


def _place(packages: str, folder: Path) -> Path:
    return folder / packages.split(maxsplit=1)[0].strip("@").replace("/", "-").partition("[")[0]


def release(client: Client, place: Path) -> str:
    """The release that is installed."""
    if client.registry == "npm":
        said = json.loads((place / "node_modules" / client.package / "package.json").read_text())
        return str(said["version"])
    code = f"from importlib.metadata import version; print(version({client.package!r}))"
    return subprocess.check_output([place / "venv/bin/python", "-c", code], text=True).strip()


# -- running


def measured(client: Client, turns: int, place: Path | None = None) -> Judged:
    """A client's run: as it is installed in that place, or else on this machine."""
    with project(client.files) as work, watched(client.settings, work / "recording") as (url, seen):
        for command in client.commands:
            run(client, [part.format(turns=turns, url=url, place=place) for part in command], url, work, place)
        return judge(seen, client.settings, work / "recording", RULE.partition(":")[0])


@contextmanager
def project(files: Mapping[str, str]) -> Iterator[Path]:
    """A folder with a small project that has rules for agents, and a home with those files."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:  # a program may still write to its home
        work = Path(folder)
        notes = "".join(f"Note {k}: ferry F-{k} leaves at noon.\n" for k in range(300))
        rules = {f"project/{name}.md": f"{RULE}\n" for name in ("CLAUDE", "AGENTS", "GEMINI")}
        homes = {f"home/{name}": text for name, text in files.items()}
        for name, text in {**rules, **homes, "project/notes.md": notes, "home/.keep": ""}.items():
            (work / name).parent.mkdir(parents=True, exist_ok=True)
            (work / name).write_text(text)
        subprocess.run(["git", "init", "-q", work / "project"], check=True)
        yield work


def run(client: Client, command: Sequence[str], url: str, work: Path, place: Path | None) -> None:
    """A command in that project, told of the proxy as `historylab run` tells it. Says how it failed."""
    paths = [place / "venv" / "bin", place / "node_modules" / ".bin"] if place else []
    environment = {**os.environ, **KEYS, "PATH": os.pathsep.join(map(str, [*paths, os.environ["PATH"]]))}
    environment |= {"HOME": str(work / "home"), "PWD": str(work / "project"), "GEMINI_CLI_TRUST_WORKSPACE": "true"}
    environment.pop("PYTHONPATH", None)
    arguments, told = tell(program_of(command[0]), dict.fromkeys((OPENAI, ANTHROPIC, GOOGLE), url), environment)
    try:
        done = subprocess.run(
            [command[0], *arguments, *command[1:]],
            cwd=work / "project",
            env=told,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        print(f"{client.name}: it didn't end within {SECONDS} s", file=sys.stderr)
        return
    if done.returncode:
        said = (done.stderr.strip() or done.stdout.strip()).splitlines()[-3:]
        print(f"{client.name}: it ended with {done.returncode}: {' / '.join(said)[:600]}", file=sys.stderr)


if __name__ == "__main__":
    sys.exit(main())
