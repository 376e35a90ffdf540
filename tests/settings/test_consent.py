"""What asks a model on a server is never switched on by a link or a template alone."""

from __future__ import annotations

import pytest

from historylab.settings.consent import asking, offline, refused_for_consent, within_consent
from historylab.settings.model import Settings
from historylab.settings.resolve import resolve_settings

MODEL = {"summarizer": "model"}


def resolved(agreed: bool = False, **sources):
    given = {"env": {}, **sources}
    return within_consent(resolve_settings(**given), agreed=agreed)


@pytest.mark.parametrize("source", ["url", "template", "you"])
def test_only_the_environment_or_a_yes_switches_it_on(source):
    refused = resolved(**{source: MODEL})
    assert refused.settings == Settings()
    assert refused.provenance["summarizer"].source == "default"
    assert refused_for_consent(refused, "summarizer").source == source
    assert resolved(agreed=True, **{source: MODEL}).settings.summarizer == "model"
    allowed = resolved(env={"HISTORYLAB_SUMMARIZER": "model"}, **{source: MODEL})
    assert (allowed.settings.summarizer, allowed.refused) == ("model", ())


def test_the_strongest_source_that_asks_nobody_counts_instead():
    found = resolved(url=MODEL, template={"summarizer": "ledger"}).provenance["summarizer"]
    assert (found.value, found.source) == ("ledger", "template")
    assert [c.status for c in found.candidates] == ["refused", "won", "lost"]
    assert "comes first" in found.candidates[-1].why


def test_the_rest_of_the_link_still_counts():
    assert resolved(url={**MODEL, "budget": "4000"}).settings.budget == 4000


def test_offline_asks_nobody_and_changes_nothing_else():
    settings = Settings(summarizer="model", budget=4000)
    assert asking(settings) == ["summarizer"]
    assert offline(settings) == Settings(budget=4000)
    assert asking(offline(settings)) == []
