"""CPU seconds of advice, and their growth with the conversation: `tune` on coding agents at work.

    python benchmarks/tune.py [--turns 4 24 200]

The limit is for the last: 2,089 messages, 958 requests. Each is generated anew, so that nothing
is remembered from one call to the next; replays are all that a call made, those with twice the history included.
"""

from __future__ import annotations

import argparse
import sys
from unittest.mock import patch

from limits import Watch, exponent
from measured import heading, in_loads, number, row, spent

from historylab import Settings, generate, tune
from historylab.planning.replay import replay
from historylab.tuning import replayed

MOST_LOADS = 800  # 6 s where `in_loads` was set
FEWEST_TRIED = 30
SEED = 3


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--turns", type=int, nargs="+", default=[4, 24, 200])
    watch, before = Watch(), (0.0, 0)
    heading("messages, requests", "CPU s", "settings tried", "replays", "exponent")
    for turns in parser.parse_args().turns:
        conversation = generate("coding_agent", turns=turns, seed=SEED)
        advice = []
        with patch.object(replayed, "replay", wraps=replay) as counted:
            seconds = spent(lambda given=conversation, found=advice: found.append(tune(given, base=Settings()))).cpu
        messages, requests, tried = len(conversation), len(conversation.columns.requests), len(advice[0].trials)
        grows = number(exponent(seconds / before[0], messages / before[1])) if before[1] else ""
        row(f"{messages:,}, {requests:,}", number(seconds), str(tried), str(counted.call_count), grows)
        before = seconds, messages
    watch.judge(f"tune on {messages:,} messages, in loads", in_loads(seconds), MOST_LOADS)
    watch.judge(f"tune: settings of {FEWEST_TRIED} not tried", max(0, FEWEST_TRIED - tried), 0)
    sys.exit(watch.exceeded)


if __name__ == "__main__":
    main()
