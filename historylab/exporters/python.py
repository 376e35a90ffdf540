"""`python`: a module that trims with these very settings, whatever the environment says."""

from historylab.exporters.base import heading
from historylab.registry import register

USE = "`pip install historylab`, then `from historylab_settings import to_send`"


@register("exporter", title="Python", file_name="historylab_settings.py", mime="text/x-python", language="python")
def python(settings, names):
    """The production call, with the settings in it."""
    fields = [f"    {name}={settings.value(name)!r}," for name in names if "." not in name]
    options = [f"        {name!r}: {settings.value(name)!r}," for name in names if "." in name]
    given = [*fields, *(["    **{", *options, "    },"] if options else [])]
    return "\n".join(
        [
            *(f"# {line}" for line in heading(settings, USE)),
            "from historylab import Settings, trim",
            "",
            *(["settings = Settings(", *given, ")"] if given else ["settings = Settings()"]),
            "",
            "",
            "def to_send(messages):",
            '    """The messages of the next request: your own dicts, without what these settings leave out."""',
            "    return trim(messages, settings)",
            "",
        ]
    )
