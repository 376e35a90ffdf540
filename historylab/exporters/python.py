"""`python`: a module that trims with exactly these settings, independent of the environment."""

from collections.abc import Sequence

from historylab.exporters.python_module import python_module
from historylab.registry import register
from historylab.settings.model import Settings
from historylab.settings.names import STORE

USE = (
    "put it beside your app, `from historylab_settings import to_send`, and send `to_send(messages)`; "
    "`pip install .` in a clone of HistoryLab installs what it imports"
)
IMPORTS = "import os\n\nfrom historylab import Settings, Trimmer"
CODE = f'''
trimmer = Trimmer(settings, store=os.environ.get("{STORE}") or None)


def to_send(messages):
    """The messages of the next request: your own dicts, without what these settings leave out.

    In an event loop `await trimmer.atrim(messages)`, which doesn't block it. After changing an old message in place
    call `trimmer.forget()`.
    """
    return trimmer.trim(messages)
'''


@register(
    "exporter", title="Python", use=USE, file_name="historylab_settings.py", mime="text/x-python", language="python"
)
def python(settings: Settings, names: Sequence[str]) -> str:
    """The production call, with the settings in it."""
    return python_module(settings, names, "python", CODE, imports=IMPORTS)
