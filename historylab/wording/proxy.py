"""What the proxy says of itself when it starts."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from historylab.costs.amounts import count_of
from historylab.planning.reasons import in_percent
from historylab.proxy.counts import Counts
from historylab.proxy.trimming import Trimming
from historylab.recordings.place import place_in_words, recording_file
from historylab.settings.model import Settings
from historylab.wording.cuts import settings_in_words
from historylab.wording.untrusted import one_line

MODES = {
    "trim": "trim: each request is sent as these settings cut it",
    "audit": "audit: each request is decided and sent as it came",
}


PERSONAL_DATA = "personal data stays in it: --redact REGEX takes it out, --keep-days N says how long it is kept"


@dataclass(frozen=True)
class Start:
    """The facts to tell of a proxy: `recorded`: where, or why nothing is; `records`; `warnings`: a sentence each."""

    address: str
    upstream: str
    mode: str
    settings: Settings
    file: Path | None
    recorded: str
    records: bool = False
    token: bool = False
    warnings: tuple[str, ...] = ()


BECAME = {
    "trimmed": "trimmed",
    "sent_whole": "sent whole",
    "watched": "only watched",
    "passed_through": "of another kind",
    "cancelled": "cancelled by the program",
    "unrecorded": "not recorded",
}
"""Outcomes of requests: counts by name, and in words."""
TOKENS = ("tokens_before", "tokens_planned")
NO_REQUEST = "no request came this way: the program made none, or takes its base URL from elsewhere"
ONLY_WATCHED = "only watched, as no --settings say what to cut: each request is sent as it came"


def run_block(program: str, ways: Sequence[tuple[str, str]], trimming: Trimming, more: Sequence[str]) -> list[str]:
    """Lines to say before a program starts: what `historylab run` does; `ways`: addresses of proxies and upstreams."""
    does = MODES[trimming.mode]
    if trimming.settings.path:
        does = f"{does}: {settings_in_words(trimming.settings.settings)}"
    elif not trimming.applies:
        does = ONLY_WATCHED
    return [*(f"{one_line(program, 60)} → {address} → {upstream}" for address, upstream in ways), does, *more]


def run_summary(counts: Sequence[Counts], trimming: Trimming, place: str, problems: Mapping[str, int]) -> list[str]:
    """A program's requests by what came of them, and where to see them; `problems`: what was logged, by how often."""
    logged = [f"{one_line(text, 300)}{f' ({n:,} times)' if n > 1 else ''}" for text, n in problems.items()]
    total = {name: sum(getattr(c, name) for c in counts) for name in ("requests", *BECAME, *TOKENS)}
    if not total["requests"]:
        return [NO_REQUEST, *logged]
    causes = sum((c.untrimmed for c in counts), Counter[str]())
    total["untrimmed"] = causes.total()
    refused = sum((c.refused for c in counts), Counter[str]())
    total["unanswered"] = refused["upstream"]
    total["refused"] = refused.total() - refused["upstream"] - refused["websocket"]  # Codex asks by HTTP instead
    own = {"untrimmed": f"untrimmed ({', '.join(causes)})", "unanswered": "without an answer", "refused": "refused"}
    became = {**BECAME, **own}
    parts = [f"{total[name]:,} {said}" for name, said in became.items() if total[name]]
    sent, before = total["tokens_planned"], total["tokens_before"]
    if trimming.settings.path or trimming.applies:
        would = "" if trimming.applies else "would be "
        share = f" ({in_percent(sent / before)})" if before else ""
        tokens = f"{sent:,} of {before:,} tokens of messages {would}sent{share}"
    else:
        tokens = f"{before:,} tokens of messages sent"
    file = place_in_words(place if "://" in place else str(recording_file(place)))
    return [
        f"{count_of(total['requests'], 'request')}: {', '.join(parts)}; {tokens}",
        *logged,
        f"recorded: historylab show {shlex.quote(file)}",
        how_to_watch(place),
    ]


def how_to_watch(place: str) -> str:
    """The command that shows a recording on screen."""
    return f"on screen: historylab --record {shlex.quote(place_in_words(place))}"


def start_block(start: Start) -> str:
    """Where the proxy listens and what it does, and what to set in an app so that its requests come this way."""
    named = start.file and f"{one_line(str(start.file), 200)}, read again when it changes"
    token = " and send the header historylab-token" if start.token else ""
    rows = (
        ("mode", MODES[start.mode]),
        ("settings", f"{named or 'of the environment, else the defaults'}: {settings_in_words(start.settings)}"),
        ("recording", start.recorded),
        *((("", PERSONAL_DATA),) if start.records else ()),
        ("in your app", f"set one of these{token}:"),
        ("", f"OPENAI_BASE_URL={start.address}/v1"),
        ("", f"ANTHROPIC_BASE_URL={start.address}"),
        ("", f"GOOGLE_GEMINI_BASE_URL={start.address}"),
        ("", f"{start.address}/MY-APP/v1 to choose the name that Live shows"),
        ("health", f"{start.address}/historylab/health"),
        *(("take care", warning) for warning in start.warnings),
    )
    head = f"HistoryLab proxy: {start.address} → {start.upstream} (Ctrl-C stops it)"
    return "\n".join([head, *(f"  {name:<12} {said}" for name, said in rows)])
