"""`configmap`: a Kubernetes ConfigMap for `envFrom`. Every value is a string, as Kubernetes requires: `"8000"`."""

from collections.abc import Sequence

from historylab.exporters.base import environment_of, heading
from historylab.exporters.yaml_text import in_quotes
from historylab.registry import register
from historylab.settings.model import Settings

USE = "`kubectl apply -f` it, and name it under the container's `envFrom: [{configMapRef: {name: historylab}}]`"


@register(
    "exporter",
    title="Kubernetes",
    use=USE,
    file_name="historylab-configmap.yaml",
    mime="application/yaml",
    language="yaml",
)
def configmap(settings: Settings, names: Sequence[str]) -> str:
    """A Kubernetes ConfigMap."""
    lines = [f"  {name}: {in_quotes(text)}" for name, text in environment_of(settings, names).items()]
    return "\n".join(
        [
            *(f"# {line}" for line in heading(settings, "configmap")),
            "apiVersion: v1",
            "kind: ConfigMap",
            "metadata:",
            "  name: historylab",
            "data:" if lines else "data: {}",
            *lines,
            "",
        ]
    )
