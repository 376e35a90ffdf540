"""What the proxy says of itself when it starts."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from historylab.settings.model import Settings
from historylab.wording.cuts import settings_in_words
from historylab.wording.untrusted import one_line

MODES = {
    "trim": "trim: each request is sent as these settings cut it",
    "audit": "audit: each request is decided and sent as it came",
}


@dataclass(frozen=True)
class Start:
    """What is said of a proxy: `recorded`: where, or why nothing is; `warnings`: a sentence each."""

    address: str
    upstream: str
    mode: str
    settings: Settings
    file: Path | None
    recorded: str
    token: bool = False
    warnings: tuple[str, ...] = ()


def start_block(start: Start) -> str:
    """Where the proxy listens and what it does, and what to set in an app so that its requests come this way."""
    file = f"{one_line(str(start.file), 200)}, read again when it changes" if start.file else "of the environment alone"
    token = " and send the header historylab-token" if start.token else ""
    rows = (
        ("mode", MODES[start.mode]),
        ("settings", f"{file}: {settings_in_words(start.settings)}"),
        ("recording", start.recorded),
        ("in your app", f"set one of these{token}:"),
        ("", f"OPENAI_BASE_URL={start.address}/v1"),
        ("", f"ANTHROPIC_BASE_URL={start.address}"),
        ("", f"{start.address}/MY-APP/v1 names it, if its own name isn't the one to show"),
        ("health", f"{start.address}/historylab/health"),
        *(("take care", warning) for warning in start.warnings),
    )
    head = f"HistoryLab proxy: {start.address} → {start.upstream} (Ctrl-C stops it)"
    return "\n".join([head, *(f"  {name:<12} {said}" for name, said in rows)])
