"""Attributes of a span: names in dots, flattened lists, objects in objects."""

from __future__ import annotations

from historylab.formats.traces.attributes import Attributes


def test_an_attribute_is_found_flat_nested_and_put_together():
    for given in ({"a.b.c": 1}, {"a": {"b": {"c": 1}}}, {"a.b": {"c": 1}}):
        assert Attributes(given).get("a.b.c") == 1
    flat = {"p.1.role": "b", "p.0.role": "a", "p.0.calls.0.name": "f", "p.10.role": "c"}
    assert Attributes(flat).get("p") == [{"role": "a", "calls": [{"name": "f"}]}, {"role": "b"}, {"role": "c"}]


def test_names_that_only_begin_alike_are_others():
    said = Attributes({"a.tokens.read": 1, "a.token": 2, "a.tokens_read": 3, "b": {"c.d": 4}})
    assert said.get("a.tokens") == {"read": 1}
    assert [said.get(name) for name in ("a.to", "a.tokens.r", "b.c", "c", "a.token.read")] == [None] * 5
    assert said.get("z", "b.c.d") == 4
    assert said.any_below("z", "a.tok")
    assert said.any_below("b.c.d")
    assert not said.any_below("a.tokens.w", "tokens", "b.d")
