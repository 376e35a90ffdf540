"""`shell`: `export` lines for any POSIX shell, quoted by the standard library."""

import shlex
from collections.abc import Sequence

from historylab.exporters.base import environment_of, heading
from historylab.registry import register
from historylab.settings.model import Settings

USE = "`. ./historylab.sh` in the shell that starts your app"


@register("exporter", title="Shell", use=USE, file_name="historylab.sh", mime="text/x-shellscript", language="bash")
def shell(settings: Settings, names: Sequence[str]) -> str:
    """Lines for a POSIX shell: `. ./historylab.sh`."""
    lines = [f"# {line}" for line in heading(settings, "shell")]
    return (
        "\n".join([*lines, *(f"export {n}={shlex.quote(v)}" for n, v in environment_of(settings, names).items())])
        + "\n"
    )
