"""What the first `trim()` of a process costs, beside the libraries it cannot do without.

    python benchmarks/first_call.py [--runs N]

Every line is of fresh processes: a program that imports numpy and pydantic and has toktok count one text (the floor),
the same with one model of pydantic's in use, as it imports most of itself only then, and programs that call HistoryLab
once. Time is the least of the runs, as others share the processor; memory the most that a process ever held. Modules
are compiled beforehand, as an installation's are.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile

from limits import Watch

MESSAGES = "messages = [{'role': 'user', 'content': 'How are you?'}, {'role': 'assistant', 'content': 'Well.'}] * 3"
FIRST = 1.3  # CPU time of the first trim() by the defaults, beside the floor with one model of pydantic's
FLOOR = """
import numpy, pydantic, toktok
toktok.batch_count(["How are you?"], "o200k_base", 1)
"""
PROGRAMS = {
    "the floor: numpy, pydantic, toktok's first count": FLOOR,
    "the same, and one model of pydantic's": f"{FLOOR}\nclass One(pydantic.BaseModel):\n    n: int = 1\nOne(n=2)",
    "from historylab import trim": "from historylab import trim",
    "trim(): the defaults": f"from historylab import trim\n{MESSAGES}\ntrim(messages)",
    "trim(): summarize, a ledger": f"""
from historylab import Settings, trim
{MESSAGES}
trim(messages, Settings(pruner="summarize", summarizer="ledger", window=8000))
""",
    "trim(): counted in characters / 4": f"""
from historylab import Settings, trim
{MESSAGES}
trim(messages, Settings(counter="chars/4"))
""",
}


def measured(program: str, environment: dict[str, str]) -> tuple[float, float, float]:
    """CPU seconds, wall seconds and peak MB of a fresh process that runs `program`."""
    code = f"""
import time
at = time.perf_counter()
{program}
wall = time.perf_counter() - at
import resource
used = resource.getrusage(resource.RUSAGE_SELF)
print(used.ru_utime + used.ru_stime, wall, used.ru_maxrss / 1024)
"""
    said = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True, env=environment)
    cpu, wall, peak = map(float, said.stdout.split())
    return cpu, wall, peak


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=5, help="processes per line (default: 5)")
    runs = parser.parse_args().runs
    found: dict[str, list[tuple[float, float, float]]] = {name: [] for name in PROGRAMS}
    with tempfile.TemporaryDirectory() as compiled:
        environment = {**os.environ, "PYTHONPYCACHEPREFIX": compiled, "PYTHONDONTWRITEBYTECODE": ""}
        for _ in range(runs + 1):  # in turn, so that a busy moment falls on all; the first round compiles
            for name, program in PROGRAMS.items():
                found[name].append(measured(program, environment))
    floor, least = None, dict[str, float]()
    print(f"{'':50}{'CPU s':>8}{'wall s':>8}{'MB':>8}   of the floor")
    for name, rounds in found.items():
        figures = [min(column) for column in zip(*rounds[1:], strict=True)]
        floor, least[name] = floor or figures, figures[0]
        ratios = ", ".join(f"{mine / theirs:.2f}" for mine, theirs in zip(figures, floor, strict=True))
        print(f"{name:50}{figures[0]:8.3f}{figures[1]:8.3f}{figures[2]:8.1f}   {ratios}")
    bare, ours = (least[name] for name in ("the same, and one model of pydantic's", "trim(): the defaults"))
    watch = Watch()
    watch.judge("first trim() of a process (beside its libraries)", ours / bare, FIRST)
    sys.exit(watch.exceeded)


if __name__ == "__main__":
    main()
