"""The answer as one card: cost and losses beside the base, how sure that is, and buttons to use the settings."""

from __future__ import annotations

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from historylab.costs.amounts import count_of, percent, times, whole_percent
from historylab.tuning.advice_words import kept_noun
from historylab.tuning.trials import Trial
from historylab.tuning.tune import Advice
from historylab.ui.session import session
from historylab.wording.advice import (
    advice_sentence,
    foreign_word,
    losses_beside,
    refused_base,
    sureness,
    why_not_whole,
)
from historylab.wording.costs import SAME, cost_in_words
from historylab.wording.phrases import capitalize_first
from historylab.wording.settings_sentence import settings_sentence
from historylab.wording.untrusted import escape

NOT_ADVISED = "Looked at, not advised."


def picked_trial(advice: Advice) -> Trial:
    """The settings on the card: those clicked, else those advised; the base where none are."""
    key = session.tab().tuning.picked
    return next((trial for trial in advice.trials if trial.key == key), advice.advised)


def advice_card(advice: Advice, picked: Trial) -> DeltaGenerator:
    """The advice in a sentence, and the card of the settings picked. Returns the place of its buttons."""
    st.html(f'<div role="status"><h1 class="hl-verdict">{escape(advice_sentence(advice))}</h1></div>')
    with st.container(border=True, key="advice-card"):
        with st.container(horizontal=True, vertical_alignment="center", gap="small"):
            st.html(f'<div class="hl-figures">{_cost(advice, picked)}{_losses(advice, picked)}</div>', width="content")
            st.html(f'<div class="hl-sure">{escape(_sure(advice, picked))}</div>')
            buttons = st.container(
                horizontal=True, vertical_alignment="center", width="content", gap="small", key="candidate"
            )
        st.html(_exactly(advice, picked))
    return buttons


def _cost(advice: Advice, picked: Trial) -> str:
    """The change in cost beside the base; of the base itself, beside not trimming."""
    beside, word = advice.beside_base(picked), "cost" if advice.priced else "tokens"
    if picked is advice.trials[0]:
        exact = f"{times(beside.base_cost_ratio)} not trimming"
        if abs(beside.base_cost_ratio - 1) < SAME:
            return _figure("±0%", f"{word} beside not trimming", exact)
        number, _, than = cost_in_words(beside.base_cost_ratio, priced=advice.priced).partition(" ")
        return _figure(number, f"{than} than not trimming", exact)
    exact = f"{times(beside.cost_ratio)} not trimming instead of {times(beside.base_cost_ratio)}"
    return _figure(_change(beside.cost.value), word, exact)


def _change(ratio: float) -> str:
    """ "−39%", "+12%", "±0%"."""
    if abs(ratio - 1) < SAME:
        return "±0%"
    return f"−{whole_percent(1 - ratio)}" if ratio < 1 else f"+{whole_percent(ratio - 1)}"


def _losses(advice: Advice, picked: Trial) -> str:
    beside = advice.beside_base(picked)
    before, now = losses_beside(beside)
    if not beside.needs:
        return _figure("–", "no facts to lose", f"No {kept_noun(advice.tiers)}")
    exact = f"{percent(beside.kept)} of {beside.needs:,} {kept_noun(advice.tiers)} kept"
    if picked is advice.trials[0]:
        return _figure(count_of(now, "loss"), "", exact)
    return _figure(f"{count_of(before, 'loss')} → {now:,}", "", f"{exact} instead of {percent(beside.base_kept)}")


def _figure(number: str, word: str, exact: str) -> str:
    return f'<div title="{escape(exact)}"><b>{escape(number)}</b> <span>{escape(word)}</span></div>'


def _sure(advice: Advice, picked: Trial) -> str:
    return f"{sureness(advice)}." if picked in (advice.advised, advice.trials[0]) else NOT_ADVISED


def _exactly(advice: Advice, picked: Trial) -> str:
    """The settings in full, the wishes they break, what an API would refuse, and why not trimming is no answer."""
    point = advice.points[advice.trials.index(picked)]
    faults = [f"Breaks “{words}”." for words in point.broken]
    if picked is advice.trials[0] and (refused := refused_base(advice)):
        faults.insert(0, refused)
    broken = "".join(f'<div class="hl-refused">{escape(words)}</div>' for words in faults)
    why = why_not_whole(advice) if picked is advice.chosen else ""
    whose = settings_sentence(picked.settings) if picked.is_ours else f"{capitalize_first(foreign_word(advice))}."
    told = f"{whose} {why}".strip()
    return f'<div class="hl-meta">{escape(told)}</div>{broken}'
