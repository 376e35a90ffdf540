"""What a recording is worth that others share and that breaks: people mixed, chats torn, requests lost unsaid.

    python benchmarks/recordings.py [--seeds 250] [--kills 40]

Interleavings: two to four people in chats that begin alike and are answered alike, through two workers on one recording
that are begun anew at times, with retries, edits, answers asked for again and arguments written anew
(`tests/support/people.py`). Kills: a process that records is killed (-9) at a moment drawn at
random, and what it had said to be on disk is looked for. Faults of the store are `tests/recordings/test_faults.py`'s.
"""

from __future__ import annotations

import argparse
import os
import random
import subprocess
import sys
import tempfile
import time
from dataclasses import astuple
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.append(str(ROOT / "tests/support"))

from people import TOLD, interleave  # noqa: E402
from recorded_chats import lines_in  # noqa: E402

from historylab import load  # noqa: E402
from historylab.recordings import open_recording  # noqa: E402
from historylab.stores.memory import InMemoryStore  # noqa: E402

WRITER = ROOT / "tests/support/recording_writer.py"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=250)
    parser.add_argument("--kills", type=int, default=40)
    asked = parser.parse_args()
    print("| what tells people apart | interleavings | mixed | of these unsaid | chats | torn |")
    print("|---|---|---|---|---|---|")
    for told in TOLD:
        outcomes = [astuple(interleave(InMemoryStore(), seed, told)) for seed in range(asked.seeds)]
        mixed, unsaid, chats, torn = map(sum, zip(*outcomes, strict=True))
        print(f"| {told} | {asked.seeds:,} | {mixed:,} | {unsaid:,} | {chats:,} | {torn:,} |", flush=True)
    said, lost, broken = map(sum, zip(*(killed(seed) for seed in range(asked.kills)), strict=True))
    print(f"\n{asked.kills} kills: {said:,} acknowledged, {lost} of them lost, {broken} recordings with a broken line")


def killed(seed: int) -> tuple[int, int, int]:
    """How many requests a process acknowledged before it was killed, how many of these are lost; broken recordings."""
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, "PYTHONPATH": str(ROOT)}
        command = [sys.executable, str(WRITER), folder, str(10**9)]
        with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True) as writer:
            assert writer.stdout is not None
            first = writer.stdout.readline()
            time.sleep(random.Random(seed).random() / 10)
            writer.kill()
            said = {*first.split(), *(line for line in writer.stdout.read().split("\n")[:-1] if line)}
        store = open_recording(folder)
        kept = {line["id"] for line in lines_in(store)}
        store.close()
        return len(said), len(said - kept), bool(load(folder).report.skipped)


if __name__ == "__main__":
    main()
