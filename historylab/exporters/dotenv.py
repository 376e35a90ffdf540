"""`dotenv`: a `.env` file with AgentDock's names beside ours.

It is called `historylab.env` because browsers strip a leading dot from what they download.
"""

from historylab.exporters.base import environment_of, heading
from historylab.registry import register


@register("exporter", title=".env", file_name="historylab.env", mime="text/plain", language="bash")
def dotenv(settings, names):
    """A .env file."""
    lines = [f"# {line}" for line in heading(settings)]
    return "\n".join([*lines, *(f"{n}={quoted(v)}" for n, v in environment_of(settings, names).items())]) + "\n"


def quoted(value: str) -> str:
    """Quoted where the value holds anything but plain characters, so that a shell reads the file as dotenv does.

    They agree on single quotes unless `\\` or `'` is inside, and on double quotes unless `$` or a backtick is.
    """
    if value and all(c.isascii() and (c.isalnum() or c in "._-/:@%+,") for c in value):
        return value
    escaped = value.replace("\\", "\\\\")
    if escaped != value or "'" in value:
        if not set("$`") & set(value):
            return '"' + escaped.replace('"', '\\"') + '"'
        escaped = escaped.replace("'", "\\'")
    return f"'{escaped}'"
