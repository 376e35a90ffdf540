"""`agentdock`: the `chatSettings` of an AgentDock template; settings AgentDock does not have go under `historylab`.

`historylab --template` reads both parts, AgentDock its own.
"""

import json
from collections.abc import Iterator, Sequence

from historylab.exporters.base import FACTS, Difference, pins_of
from historylab.registry import STAGE_FAMILIES, register
from historylab.settings.model import Settings
from historylab.settings.names import AGENTDOCK_TEMPLATE, OWN_PART

COUNTED = ("budget", "reserve", "overhead", "counter", "model")
PINS = "AgentDock pins nothing: what the policy leaves out is not sent."
NO_STAGE = "AgentDock has no such stage and no budget: it sends what the policy leaves."
USE = (
    "merge it into the `template.json` of an AgentDock agent; `historylab --template "
    "agentdock-template.json` starts from it"
)


def differs(settings: Settings) -> Iterator[Difference]:
    stages = [family for family in (*STAGE_FAMILIES, "projection") if family != "policy"]
    if missing := [family for family in stages if settings.value(family) != "off"]:
        counted = COUNTED if {"tool_output", "compaction", "pruner"} & {*missing} else ()
        yield Difference((*missing, *counted), NO_STAGE)
    if pins := pins_of(settings):
        yield Difference(pins, PINS)
    if settings.policy == "lastMessages":
        yield Difference(("policy", "length"), "AgentDock has no such policy: it counts user messages.")
    if settings.policy == "none":
        yield Difference(("policy",), "AgentDock's `none` sends system messages and what its caller adds.")
    if settings.policy == "lastN" and settings.value("policy.lastN.late_results") != "drop":
        yield Difference(("policy.lastN.late_results",), "AgentDock cuts exactly at a user message.")
    if settings.layout != ("systems_first" if settings.policy == "lastN" else "off"):
        order = "AgentDock puts system messages first under `lastN` and else leaves the order as it is."
        yield Difference(("layout",), order)
    if not settings.preserve_system_messages:
        yield Difference(("preserve_system_messages",), "A template cannot say it: AgentDock keeps system messages.")


@register(
    "exporter",
    title="AgentDock",
    use=USE,
    file_name="agentdock-template.json",
    mime="application/json",
    language="json",
    facts=frozenset(FACTS),
    differs=differs,
)
def agentdock(settings: Settings, names: Sequence[str]) -> str:
    """Merge it into an AgentDock agent's template.json."""
    chat = {AGENTDOCK_TEMPLATE[name]: settings.value(name) for name in names if name in AGENTDOCK_TEMPLATE}
    ours = {name: settings.value(name) for name in names if name not in AGENTDOCK_TEMPLATE}
    return json.dumps({"chatSettings": chat, OWN_PART: ours}, indent=2, ensure_ascii=False) + "\n"
