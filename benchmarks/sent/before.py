"""Files as an earlier revision read them, beside how they are read now.

    python benchmarks/sent/before.py FILES > SNAPSHOT.json

As a script it writes down what the package on the path makes of files: their messages, titles, branches and metadata,
the report, the proposed settings, and what a replay under those and under the defaults sends. `differences` runs it
once with the package of a revision and once with this one.
"""

from __future__ import annotations

import dataclasses
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from historylab import HistoryLabError, Settings, load, replay, settings_for

ROOT = Path(__file__).resolve().parents[2]
NEW_METADATA = {"sent_histories", "sub_agents", "called_by"}
CUTS = "cuts"


def differences(revision: str, paths: Sequence[Path]) -> Iterator[tuple[str, list[str]]]:
    """Per file that isn't read as at that revision: its path, and what differs; a file with cuts says so first."""
    with checked_out(revision) as package:
        before, now = (_snapshots(place, paths) for place in (package, ROOT))
    for path, found in now.items():
        cut = found.pop(CUTS, False)
        before[path].pop(CUTS, None)
        if changed := list(_differing(before[path], found, "")):
            yield path, [*(["it has cuts"] if cut else []), *changed]


@contextmanager
def checked_out(revision: str) -> Iterator[Path]:
    """A folder with the project as it was at a revision."""
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder) / "project"
        git = ["git", "-C", str(ROOT), "worktree"]
        subprocess.run([*git, "add", "--quiet", "--detach", str(place), revision], check=True)
        try:
            yield place
        finally:
            subprocess.run([*git, "remove", "--force", str(place)], check=True)


def _snapshots(package: Path, paths: Sequence[Path]) -> dict[str, Any]:
    command = [sys.executable, __file__, *map(str, paths)]
    environment = {**os.environ, "PYTHONPATH": str(package)}
    made: dict[str, Any] = json.loads(subprocess.check_output(command, env=environment, cwd=package))
    return made


def snapshot(path: Path) -> dict[str, Any]:
    """What the package makes of a file, as JSON."""
    try:
        loaded = load(path)
    except HistoryLabError as refusal:
        return {"refused": str(refusal)}
    report = {name: getattr(loaded.report, name) for name in ("format", "records", "messages", "conversations")}
    for name in ("skipped", "warnings", "kept"):
        report[name] = {reason: tally.count for reason, tally in getattr(loaded.report, name).items()}
    cuts = any(one.metadata.get("sent_histories") or getattr(one.recorded, "compactions", ()) for one in loaded)
    return {"report": report, "conversations": [_conversation(one) for one in loaded], CUTS: cuts}


def _conversation(one: Any) -> dict[str, Any]:
    proposed = settings_for(one)
    return {
        "title": one.title,
        "messages": [_fields(message) for message in one],
        "metadata": {name: value for name, value in one.metadata.items() if name not in NEW_METADATA},
        "branches": [_conversation(branch) for branch in one.branches],
        "proposed settings": proposed.model_dump(mode="json"),
        "replay under the defaults": _sent(one, Settings()),
        "replay under those proposed": _sent(one, proposed),
    }


def _fields(message: Any) -> dict[str, Any]:
    return {f.name: getattr(message, f.name) for f in dataclasses.fields(message) if f.name != "source" and f.repr}


def _sent(one: Any, settings: Settings) -> list[Any]:
    try:
        return [[plan.sketch(), plan.tokens] for plan in replay(one, settings).plans]
    except HistoryLabError as problem:
        return [str(problem)]


def _differing(before: Any, now: Any, where: str) -> Iterator[str]:
    """The places at which two JSON values differ; of a list, the first only."""
    if isinstance(before, dict) and isinstance(now, dict):
        for name in dict.fromkeys([*before, *now]):
            yield from _differing(before.get(name), now.get(name), f"{where} {name}".strip())
    elif isinstance(before, list) and isinstance(now, list):
        if len(before) != len(now):
            yield f"{where}: {len(before):,} before, {len(now):,} now"
        pairs = (list(_differing(a, b, f"{where}[{i}]")) for i, (a, b) in enumerate(zip(before, now, strict=False)))
        yield from next(filter(None, pairs), [])
    elif before != now:
        yield f"{where}: {str(before)[:80]!r} before, {str(now)[:80]!r} now"


if __name__ == "__main__":
    json.dump({path: snapshot(Path(path)) for path in sys.argv[1:]}, sys.stdout, default=repr)
