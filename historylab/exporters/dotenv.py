"""`dotenv`: a `.env` file, with AgentDock's variables for the settings it shares.

It is called `historylab.env` because browsers strip a leading dot from downloads.
"""

from collections.abc import Iterator, Sequence

from historylab.exporters.base import Difference, environment_of, heading
from historylab.registry import register
from historylab.settings.model import Settings, setting_names
from historylab.settings.names import as_text

LEFT_OUT = "No quotes around the value mean the same to a shell and to dotenv. Take the shell export, or JSON."
USE = "load it into the environment of your app: `set -a; . ./historylab.env; set +a`, or as a `.env` file"


def differs(settings: Settings) -> Iterator[Difference]:
    if names := tuple(n for n in setting_names() if quote_for_shell(as_text(settings.value(n))) is None):
        yield Difference(names, LEFT_OUT)


@register(
    "exporter", title=".env", use=USE, file_name="historylab.env", mime="text/plain", language="bash", differs=differs
)
def dotenv(settings: Settings, names: Sequence[str]) -> str:
    """A .env file."""
    lines = [f"# {line}" for line in heading(settings, "dotenv")]
    values = {name: quote_for_shell(value) for name, value in environment_of(settings, names).items()}
    return "\n".join([*lines, *(f"{name}={value}" for name, value in values.items() if value is not None)]) + "\n"


def quote_for_shell(value: str) -> str | None:
    """The value quoted so that a shell and dotenv read the same; None if no quoting does, as a shell might execute it.

    They agree on single quotes unless the value has a `'` or an escaping `\\`, and on double quotes unless it has a `$`
    or a backtick.
    """
    if value and all(c.isascii() and (c.isalnum() or c in "._-/:@%+,") for c in value):
        return value
    if "'" not in value and "\\\\" not in value and not value.endswith("\\"):
        return f"'{value}'"
    if not set("$`") & set(value):
        return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'
    return None
