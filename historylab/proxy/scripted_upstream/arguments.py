"""Arguments that a JSON schema allows, out of the words of a question: the same ones for the same question."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any
from zlib import crc32

DEEPEST = 6
FORMATS = {
    "date": "2026-11-23",
    "date-time": "2026-11-23T07:30:00Z",
    "time": "07:30:00Z",
    "email": "ann@example.org",
    "uri": "https://example.org/",
    "uuid": "5f0c8f0e-3c52-4f7e-9a51-0a4c5b7f2e11",
}


def plausible(schema: Any, question: str, chosen: Mapping[str, Any] | None = None) -> Any:
    """A value of the schema. Numbers and names are the question's where it has any.

    `chosen`: what an object shall hold, and beside it only what it must.
    """
    return _Filler(schema, question, chosen).value(schema, "value", DEEPEST)


class _Filler:
    def __init__(self, root: Any, question: str, chosen: Mapping[str, Any] | None):
        self.root, self.chosen, self.seed = root, chosen, crc32(question.encode(errors="replace"))
        self.numbers = [int(digits) for digits in re.findall(r"\d{1,6}", question)]
        self.names = re.findall(r"(?<=\s)[A-Z][\w-]+", question) or re.findall(r"\w{4,}", question)

    def value(self, schema: Any, name: str, depth: int) -> Any:
        schema = self._resolve(schema)
        for key in ("const", "default"):
            if key in schema:
                return schema[key]
        for key in ("enum", "examples"):
            if isinstance(schema.get(key), list) and schema[key]:
                return schema[key][self.seed % len(schema[key])]
        return self._of_type(schema, name, depth)

    def _of_type(self, schema: Mapping[str, Any], name: str, depth: int) -> Any:
        kinds = schema.get("type", "object" if "properties" in schema else "string")
        made: Any = self._text(schema, name)
        kind = kinds if isinstance(kinds, str) else next((kind for kind in kinds if kind != "null"), "null")
        match kind.lower():  # Gemini's are in capitals
            case "object":
                made = self._object(schema, depth)
            case "array":
                size = schema.get("minItems", 0) or min(1, depth)
                made = [self.value(schema.get("items", {}), name, depth - 1) for _ in range(size)]
            case "integer" | "number":
                made = self._number(schema)
            case "boolean":
                made = self.seed % 2 == 0
            case "null":
                made = None
        return made

    def _resolve(self, schema: Any) -> Mapping[str, Any]:
        """The schema that is meant: behind references, and the first of alternatives that is not null."""
        for _ in range(DEEPEST):
            if not isinstance(schema, Mapping):
                return {}
            alternatives = schema.get("anyOf") or schema.get("oneOf") or schema.get("allOf")
            if isinstance(schema.get("$ref"), str):
                schema = self._follow_reference(schema["$ref"])
            elif isinstance(alternatives, list):
                schema = next((s for s in alternatives if s != {"type": "null"}), {})
            else:
                return schema
        return {}

    def _follow_reference(self, reference: str) -> Any:
        found: Any = self.root
        for part in reference.removeprefix("#/").split("/"):
            found = found.get(part) if isinstance(found, Mapping) else None
        return found

    def _object(self, schema: Mapping[str, Any], depth: int) -> dict[str, Any]:
        """Fill in what is required; on the first level everything, or what was chosen."""
        properties, chosen = schema.get("properties"), self.chosen if depth == DEEPEST else {}
        if not isinstance(properties, Mapping):
            return {}
        required = properties if chosen is None else schema.get("required", ())
        made = {
            str(name): self.value(inner, str(name), depth - 1)
            for name, inner in properties.items()
            if name in required and name not in (chosen or ()) and depth
        }
        return {**made, **(chosen or {})}

    def _number(self, schema: Mapping[str, Any]) -> float:
        low = schema.get("minimum", schema.get("exclusiveMinimum", 0) + ("exclusiveMinimum" in schema))
        high = schema.get("maximum", schema.get("exclusiveMaximum", 10**6) - ("exclusiveMaximum" in schema))
        step = schema.get("multipleOf", 1)
        wanted = self.numbers[0] if self.numbers else 1 + self.seed % 9
        found: float = min(max(wanted, low), high) // step * step
        return found if found >= low else found + step

    def _text(self, schema: Mapping[str, Any], name: str) -> str:
        text = FORMATS.get(schema.get("format", "")) or (
            self.names[self.seed % len(self.names)] if self.names else name
        )
        text = text.ljust(schema.get("minLength", 0), "x")
        return text[: schema.get("maxLength", len(text))]
