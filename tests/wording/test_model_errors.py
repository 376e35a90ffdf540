"""Every error of a model says what happened and what to do, in the words of whoever set the server."""

from __future__ import annotations

import inspect
import re

import pytest

from historylab.chat_models import completions, context_length, environment, refusals, replayed
from historylab.errors import ModelError, SettingsError
from historylab.planning.fit_window import Fit
from historylab.wording.model_errors import fit_sentence, request_too_long, tell_model_error

KINDS = re.findall(r"`([a-z_]+)`", inspect.getdoc(ModelError).split("wait:")[0].split("kind:")[1])


def told(kind: str, *, typed: bool = False, **about):
    return tell_model_error(ModelError("no", kind, **about), "tiny", "models.example", typed=typed)


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_has_a_sentence_and_a_remedy(kind):
    said = told(kind, status=418, quote="why")
    assert said.happened.endswith((".", "!", "”.")) or said.happened[-1] in ".”"
    assert said.remedy.endswith((".", ":", "?"))


def test_every_kind_that_is_raised_is_known():
    sources = "".join(inspect.getsource(m) for m in (refusals, environment, completions, context_length, replayed))
    raised = {*re.findall(r'ModelError\([^"]*"[^"]*", "([a-z_]+)"', sources), *refusals.KINDS.values()}
    assert raised
    assert raised <= set(KINDS)


def test_what_was_typed_is_looked_for_on_the_page_and_the_rest_in_the_environment():
    assert "Check OPENAI_API_KEY" in told("key", status=401).remedy
    assert "Check the key above" in told("key", status=401, typed=True).remedy
    assert "the base URL above" in told("not_found", typed=True).remedy


@pytest.mark.parametrize(
    ("wait", "words"), [(7.0, "in 7 s."), (0.5, "in 0.5 s."), (None, "in 60 s."), (300.0, "5 minutes")]
)
def test_the_wait_is_said(wait, words):
    assert words in told("busy", status=429, wait=wait).remedy


def test_a_length_is_told_with_the_numbers_that_are_known():
    assert request_too_long(ModelError("", "too_long", window=500, requested=900)).endswith("takes: 900 of 500 tokens.")
    assert request_too_long(ModelError("", "too_long", window=500)).endswith("takes, 500 tokens.")
    assert request_too_long(ModelError("", "too_long")).endswith("than the model takes.")


def test_settings_that_fit_are_named_with_what_they_come_to():
    fit = Fit({"budget": 400, "pruner": "fifo"}, 380, 500, guessed=False)
    assert fit_sentence(fit) == (
        "Budget 400 and Pruner “Oldest first (fifo)”: it then takes 380 tokens with the room for the answer, planned "
        "again, and fits the window of 500."
    )
    assert "half of what was refused, 500" in fit_sentence(Fit({"budget": 400}, 380, 500, guessed=True))


def test_any_other_error_says_its_own_sentence():
    assert tell_model_error(SettingsError("no window"), "m", "h", typed=False).happened == "No window."
