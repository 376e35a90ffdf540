"""`json`: our own template, by setting name; `historylab --template historylab.json` reads it."""

import json
from collections.abc import Sequence

from historylab.exporters.base import FACTS
from historylab.registry import register
from historylab.settings.model import Settings

USE = "`historylab --template historylab.json` starts from it; in Python `resolve_settings(template=json.loads(…))`"


@register(
    "exporter",
    "json",
    title="JSON",
    use=USE,
    file_name="historylab.json",
    mime="application/json",
    language="json",
    facts=frozenset(FACTS),
)
def as_json(settings: Settings, names: Sequence[str]) -> str:
    """JSON, by setting name: also a template."""
    return json.dumps({name: settings.value(name) for name in names}, indent=2, ensure_ascii=False) + "\n"
