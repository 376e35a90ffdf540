"""Runs every benchmark that watches a limit: each figure beside its limit and beside that of the last release.

    pip install -e ".[test]" && python benchmarks/limits.py [--only trim.py replay.py] [--write]

A limit is stated where its figure is measured, by a `Watch`. `limits.json` has the figures of the last release;
`--write` puts today's there. Exits with 1 if one is above its limit, or a benchmark fails.
"""

from __future__ import annotations

import argparse
import json
import math
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

HERE = Path(__file__).parent
RELEASED = HERE / "limits.json"
BENCHMARKS = ("first_call.py", "trim.py", "replay.py", "sweep.py", "tune.py", "ui.py")
SAID = re.compile(r"(kept|EXCEEDED): (.+): ([\d.e+-]+|nan) of at most ([\d.]+)")


class Watch:
    """Says of figures whether they are within their limits; `exceeded` once one is not."""

    exceeded = False

    def judge(self, name: str, found: float, most: float) -> None:
        """Print a figure: one that is not known (NaN) is above any limit."""
        kept = found <= most
        self.exceeded |= not kept
        print(f"{'kept' if kept else 'EXCEEDED'}: {name}: {found:.4g} of at most {most:g}", flush=True)


def exponent(times: float, sizes: float) -> float:
    """The exponent of growth: a time grew so many times, as what it is spent on grew so many times."""
    return math.log(times) / math.log(sizes)


def figures_of(benchmark: str) -> Iterator[tuple[str, float, float]]:
    """The name, figure and limit of all that a benchmark watches; what it prints is passed on."""
    command = [sys.executable, str(HERE / benchmark)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, encoding="utf-8") as process:
        for line in process.stdout or ():
            print(line, end="", flush=True)
            if said := SAID.fullmatch(line.strip()):
                yield said[2], float(said[3]), float(said[4])
    if process.returncode not in (0, 1):
        yield f"{benchmark} runs to its end", math.nan, 0


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", nargs="+", choices=BENCHMARKS, default=BENCHMARKS, metavar="FILE")
    parser.add_argument("--write", action="store_true", help="keep the figures as those of the last release")
    given = parser.parse_args()
    found = [figure for benchmark in given.only for figure in figures_of(benchmark)]
    released = json.loads(RELEASED.read_text()) if RELEASED.exists() else {}
    print(f"\n{'':70}{'now':>10}{'released':>10}{'at most':>10}")
    for name, figure, most in found:
        before, verdict = released.get(name, math.nan), "" if figure <= most else "  EXCEEDED"
        print(f"{name:70}{figure:10.4g}{before:10.4g}{most:10g}{verdict}")
    if given.write:
        known = released | {name: figure for name, figure, _ in found if not math.isnan(figure)}
        RELEASED.write_text(json.dumps(known, indent=2, ensure_ascii=False) + "\n")
    sys.exit(not all(figure <= most for _, figure, most in found))


if __name__ == "__main__":
    main()
