"""`agentdock`: the `chatSettings` of an AgentDock template; settings AgentDock does not have go under `historylab`.

`historylab --template` reads both parts, AgentDock its own.
"""

import json
from collections.abc import Sequence

from historylab.registry import register
from historylab.settings.model import Settings
from historylab.settings.names import AGENTDOCK_TEMPLATE, OWN_PART


@register("exporter", title="AgentDock", file_name="agentdock-template.json", mime="application/json", language="json")
def agentdock(settings: Settings, names: Sequence[str]) -> str:
    """Merge it into an AgentDock agent's template.json."""
    chat = {AGENTDOCK_TEMPLATE[name]: settings.value(name) for name in names if name in AGENTDOCK_TEMPLATE}
    ours = {name: settings.value(name) for name in names if name not in AGENTDOCK_TEMPLATE}
    return json.dumps({"chatSettings": chat, OWN_PART: ours}, indent=2, ensure_ascii=False) + "\n"
