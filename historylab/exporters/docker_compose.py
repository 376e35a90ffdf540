"""`docker_compose`: the `environment:` of a service, as a separate override file for Compose.

Compose replaces `$NAME` in values, so a dollar is written twice.
"""

from collections.abc import Sequence

from historylab.exporters.base import environment_of, heading
from historylab.exporters.yaml_text import in_quotes
from historylab.registry import register
from historylab.settings.model import Settings

USE = "`docker compose -f compose.yaml -f compose.historylab.yaml up`, with your service's name for `app`"


@register(
    "exporter",
    title="Docker Compose",
    use=USE,
    file_name="compose.historylab.yaml",
    mime="application/yaml",
    language="yaml",
)
def docker_compose(settings: Settings, names: Sequence[str]) -> str:
    """A service's environment for Docker Compose."""
    values = environment_of(settings, names).items()
    lines = [f"      {name}: {in_quotes(text.replace('$', '$$'))}" for name, text in values]
    return "\n".join(
        [
            *(f"# {line}" for line in heading(settings, "docker_compose")),
            "services:",
            "  app:",
            "    environment:" if lines else "    environment: {}",
            *lines,
            "",
        ]
    )
