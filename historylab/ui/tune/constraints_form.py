"""The form for constraints and objective: phrases to tick, an aim, a cache model, and a line of your own words."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

import streamlit as st

from historylab.costs.caches.base import cache_of, caching_word
from historylab.errors import SettingsError
from historylab.pricing import Prices
from historylab.tuning.constraints import BETTER, EVERY_REFERENCE, EVERY_STAR, PHRASES, Constraints, read_constraints
from historylab.ui.session import session, tuning_choices
from historylab.ui.shared.notice import notice
from historylab.wording.costs import cache_titles
from historylab.wording.findings import constraint_in_words
from historylab.wording.must_remember import GLYPH

MUSTS = (EVERY_STAR, EVERY_REFERENCE, "never over the budget", "never rejected", "no summaries")
AIM_WORDS = {BETTER: "better than mine", "cheapest": "the cheapest", "balanced": "balanced", "keeps most": "keeps most"}
MARK_FIRST = (
    f"To require that some messages are kept, mark them in Inspect: select one in its list, then “{GLYPH} Must "
    "remember”."
)
OFFERED = tuple(map(constraint_in_words, PHRASES))
EXAMPLES = "; ".join(phrase for phrase in OFFERED if re.search(r"\d", phrase))


def constraints_form(prices: Prices | None, *, marked: bool, referring: bool, beaten: str = "") -> str:
    """Draw the form and return the wishes it states, as `tune` takes them.

    Words that can't be read are left out, with a notice.
    `marked`: whether any message must be remembered, `referring`: whether any call uses a value of an earlier message;
    what there is none of is not offered. `beaten`: the base in words, where it isn't settings.
    """
    tuning = session.tab().tuning
    cache = tuning.cache or (cache_of(prices).name if prices else Constraints().cache)
    offered = [m for m in MUSTS if (marked or m != EVERY_STAR) and (referring or m != EVERY_REFERENCE)]
    musts = [must for must in tuning.musts if must in offered]
    aims = {**AIM_WORDS, BETTER: f"better than {beaten}"} if beaten else AIM_WORDS
    asked = ", ".join([aims[tuning.aim], *map(constraint_in_words, musts)])
    with st.expander(f"Goal: {asked}", key="wishes", type="compact"):
        st.pills(
            "It must",
            offered,
            default=musts,
            selection_mode="multi",
            format_func=constraint_in_words,
            wrap=True,
            key=session.seed_widget("musts", musts),
            on_change=session.hand_value,
            args=("musts", tuning_choices.require),
        )
        if not marked:
            st.html(f'<div class="hl-meta">{MARK_FIRST}</div>')
        with st.container(horizontal=True, gap="medium"):
            _choice("Of those, find", "aim", aims, tuning.aim, tuning_choices.aim_for)
            _choice("Priced under", "cache", cache_titles(), cache, tuning_choices.price_under)
            st.text_input(
                "And, in words",
                tuning.words,
                key=session.seed_widget("words", tuning.words),
                placeholder="never over 8k, at most 0.8x not trimming",
                help=f"For instance: {EXAMPLES}".replace("$", "\\$"),
                on_change=session.hand_value,
                args=("words", tuning_choices.require_in_words),
                width=320,
            )
        caching = f" under {caching_word(cache)} caching"
        stated = ", ".join([*map(constraint_in_words, musts), tuning.aim + caching])
        try:
            wishes = ", ".join(filter(None, [stated, tuning.words.strip()]))
            read_constraints(wishes, OFFERED)
            return wishes
        except SettingsError as problem:
            notice(f"Left out: {problem}", "error")
            return stated


def _choice(label: str, name: str, words: Mapping[str, str], value: str, choose: Callable[[str], None]) -> None:
    st.segmented_control(
        label,
        list(words),
        default=value,
        required=True,
        wrap=True,
        format_func=words.__getitem__,
        key=session.seed_widget(name, value, words=words.values()),
        on_change=session.hand_value,
        args=(name, choose),
    )
