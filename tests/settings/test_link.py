"""A link says the same for ever: every field, the place, the configurations; and nothing it says is lost silently."""

from __future__ import annotations

import json
from pathlib import Path
from urllib.parse import parse_qsl

import pytest
from setting_values import candidates

from historylab import Settings, resolve_settings
from historylab.errors import SettingsError
from historylab.settings.link import (
    LONGEST,
    OWN_FILE,
    Link,
    Place,
    decode,
    encode,
    in_full,
    link_parameters,
    place_parameters,
)
from historylab.settings.model import setting_names
from historylab.settings.names import NOT_IN_LINKS, as_text, url_name
from historylab.systems.presets.base import find_preset, preset_in_link, presets

TESTS = Path(__file__).parents[1]
DEFAULTS = json.loads((TESTS / "golden/link_defaults.json").read_text("utf-8"))
GOLDEN = json.loads((TESTS / "golden/links.json").read_text("utf-8"))


NOT_PINNED = {name: Settings().value(name) for name in NOT_IN_LINKS}


def opened(query: str) -> tuple[Link, Settings]:
    link = decode(dict(parse_qsl(query, keep_blank_values=True)))
    return link, read(link.settings, template={"budget": 77, "window": 5})


def read(said, presets=lambda _: {}, template=None) -> Settings:
    return resolve_settings(env={}, url=in_full(said, presets), template=template).settings


@pytest.mark.parametrize("case", GOLDEN, ids=lambda case: case["about"])
def test_an_old_link_says_what_it_said(case):
    link, settings = opened(case["link"])
    expected = Settings(**{"budget": 77, "window": 5, **case["settings"]})
    assert settings == expected
    assert (link.place.conversation, link.place.which, link.place.request) == tuple(case["place"])
    assert link.place.stars == (None if "stars" not in case else tuple(case["stars"]))
    assert [dict(changes) for changes in link.place.compare] == case["compare"]
    assert [refused.name for refused in link.refused] == case["refused"]


def test_every_setting_however_nasty_comes_back_under_any_template():
    for settings in candidates():
        link, now = opened(encode(settings, Place()))
        assert now == settings.replace(**NOT_PINNED)
        assert not link.refused


def test_a_link_says_what_differs_and_fixes_the_defaults_it_was_made_with():
    assert encode(Settings(length=5), Place()) == "v=2&historyLength=5"
    settings = decode({"v": "2", "historyLength": "5"}).settings
    assert settings == {"v": "2", "historyLength": "5"}
    assert {url_name(name) for name in setting_names()} - NOT_IN_LINKS == set(in_full(settings, preset_in_link)["v"])
    assert decode({"historyLength": "5"}).settings == {"historyLength": "5"}


def test_what_a_person_wrote_to_be_pinned_is_in_no_link_and_taken_from_none():
    place = Place("sample:ferry-desk", compare=({"pin": "the vault*", "budget": 1},))
    query = encode(Settings(pin="never say Ann*", **{"pin.first": 7}), place)
    assert "pin" not in query and "Ann" not in query and "vault" not in query
    given = {"v": "2", "pin": "never*", "pin.first": "2", "cmp": "pin:never*"}
    link = decode(given)
    assert [refused.name for refused in link.refused] == ["cmp pin", "pin", "pin.first"]
    assert not NOT_IN_LINKS & set(link.settings)
    template = {"pin": "of the template"}
    resolved = resolve_settings(env={}, url=given, template=template)
    assert resolved.settings.pin == "of the template"
    assert {(c.source, c.name) for c in resolved.refused} == {("url", "pin"), ("url", "pin.first")}
    assert "pin" not in link_parameters({**DEFAULTS, "pin": "never"}, Place())


def test_no_default_that_links_leave_out_has_changed():
    """Where one must, links that leave it out need a version of their own, which knows the new one."""
    now = {name: as_text(value) for name, value in Settings().values().items()}
    assert {name: now.get(name) for name in DEFAULTS} == DEFAULTS


def test_the_address_of_a_link_stays_as_short_as_the_link():
    link = decode({"v": "2", "historyLength": "5"})
    assert link_parameters(link.settings, link.place) == {"v": "2", "historyLength": "5"}
    assert link_parameters({"historyLength": "5"}, Place(request=3)) == {"historyLength": "5", "v": "1", "request": "4"}


def test_place_and_configurations_come_back():
    nasty = {name: "a;b,c:d=e&f~%41 漢" for name in ("model", "summary_heading")}
    place = Place("gen:support_desk:turns=40,seed=0", 0, 30, ({"budget": 4000, "window": None}, {}, nasty))
    link, _ = opened(encode(Settings(), place))
    assert link.place == place
    assert not link.refused
    assert decode(place_parameters(place)).place == place
    assert place_parameters(Place()) == {}


def test_what_must_be_remembered_comes_back_numbered_from_one():
    for stars, said in (((2, 16), "3,17"), ((), "none")):
        place = Place("sample:ferry-desk", stars=stars)
        assert place_parameters(place)["stars"] == said
        assert opened(encode(Settings(), place))[0].place == place
    assert "stars" not in place_parameters(Place("sample:ferry-desk"))
    link = decode({"stars": ",".join(map(str, range(1, 103)))})
    assert (len(link.place.stars), [r.raw for r in link.refused]) == (100, ["101,102"])


def test_a_link_made_from_a_file_says_so():
    place = Place(OWN_FILE, 3, 1)
    assert place_parameters(place) == {"v": "1", "conv": "file", "which": "4", "request": "2"}
    assert decode(place_parameters(place)).place == place


def test_a_link_that_would_be_too_long_is_none_and_one_that_is_too_long_is_not_read():
    with pytest.raises(SettingsError, match="export instead"):
        encode(Settings(**{"summarizer.model.prompt": "😀" * 4000}), Place())
    link = decode({"budget": "5", "x": "y" * LONGEST})
    assert (dict(link.settings), [refused.name for refused in link.refused]) == ({}, ["link"])


def test_ordinary_links_stay_short_enough_for_a_chat_message():
    assert len(encode(Settings(), Place("sample:three-languages", 1, 3, ({"budget": 1},) * 3))) < 4000


def test_the_system_one_began_with_comes_back():
    place = Place("sample:ferry-desk", system="mentu:Future: relevance")
    assert decode(place_parameters(place)).place == place
    assert opened(encode(Settings(), place))[0].place == place


SPECS = [f"{p.name}:{variant}".rstrip(":") for p in presets().values() for variant in ("", *p.variants)]


@pytest.mark.parametrize("version", ["1", "2"])
@pytest.mark.parametrize("spec", SPECS)
def test_a_system_named_by_hand_gives_what_the_link_leaves_out(spec, version):
    preset, variant = find_preset(spec)
    link = decode({"v": version, "system": spec, "minTurns": "7"})
    settings = read({"system": link.place.system, **link.settings}, preset_in_link)
    assert set(preset.changed(settings, variant)) <= {"min_turns"}
    assert settings.min_turns == 7


@pytest.mark.parametrize("spec", SPECS)
def test_a_shared_link_to_a_system_says_what_was_changed_since_even_back_to_a_default(spec):
    preset, variant = find_preset(spec)
    for settings in (Settings(**preset.decides(variant)), Settings(), Settings(budget=77, pruner="off")):
        query = dict(parse_qsl(encode(settings, Place(system=spec), preset_in_link(spec)), keep_blank_values=True))
        for known in (preset_in_link, lambda _: {}):
            link = decode(query)
            assert read({"system": spec, **link.settings}, known, template={"budget": 5}) == settings


# -- trimmers that aren't ours

TRIM = "langchain.trim_messages"


@pytest.mark.parametrize(
    ("trimmer", "options"),
    [
        (TRIM, {"max_tokens": 4000, "start_on": ("human", "ai"), "end_on": None, "include_system": True}),
        ("langchain.ClearToolUsesEdit", {"placeholder": "5", "exclude_tools": ()}),
        ("langchain.SummarizationMiddleware", {"trigger": ("messages", 30)}),
    ],
)
def test_a_trimmer_and_its_options_come_back_in_place_of_a_system_and_among_those_compared(trimmer, options):
    compared = {"trimmer": trimmer, **{f"trimmer.{name}": value for name, value in options.items()}}
    place = Place(system=f"trimmer:{trimmer}", options=options, compare=({"budget": 4000}, compared))
    link, _ = opened(encode(Settings(), place))
    assert (link.place, link.refused) == (place, ())


def test_a_model_or_what_only_python_can_give_is_in_no_link():
    for trimmer, option in (("langchain.SummarizationMiddleware", "model"), (TRIM, "text_splitter")):
        link = decode({"system": f"trimmer:{trimmer}", f"trimmer.{option}": "x"})
        assert (link.place.options, [refused.name for refused in link.refused]) == ({}, [f"trimmer.{option}"])


@pytest.mark.parametrize("raw", ["1" * 25, "-" + "9" * 12, "[" * 5000])
def test_an_option_that_no_field_could_hold_is_refused(raw):
    link = decode({"system": f"trimmer:{TRIM}", "trimmer.max_tokens": raw})
    assert (link.place.options, [refused.name for refused in link.refused]) == ({}, ["trimmer.max_tokens"])


def test_a_trimmer_that_nobody_knows_is_no_configuration():
    link = decode({"cmp": "trimmer:nobodys.trimmer;budget:4000"})
    assert (link.place.compare, [refused.name for refused in link.refused]) == (({"budget": 4000},), ["cmp trimmer"])
