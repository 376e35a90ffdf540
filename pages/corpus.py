"""Corpus: many conversations under one set of settings, their distributions, and what a month of them costs."""

import streamlit as st

from historylab.billing import cache_of
from historylab.settings.consent import offline
from historylab.ui import cached, opening, prices, state
from historylab.ui.components.corpus_field import corpus, corpus_field
from historylab.ui.components.price_list import price_list
from historylab.ui.components.refusals import refusals
from historylab.ui.components.replayable import replayable
from historylab.ui.components.settings_sidebar import settings_sidebar
from historylab.ui.components.work_progress import work_progress
from historylab.ui.components.workload_view import workload_headline, workload_view
from historylab.ui.page import start_page
from historylab.ui.search import AT_ONCE
from historylab.ui.workloads import fill, workload_of

start_page("Corpus")
opening.conversation()
resolution = state.resolution()
settings_sidebar(resolution)
refusals(resolution)
settings = offline(resolution.settings)
listed = prices.prices_in_effect(settings.model)
about, conversations = corpus()
work = cached.work("workload", " ".join(c.digest for c in conversations), settings.key, repr(listed))
with replayable():
    work_progress(
        work,
        "workload",
        "Replaying conversations",
        f"Replay {len(conversations):,} conversations",
        lambda show: fill(work, conversations, settings, listed, show),
        at_once=sum(map(len, conversations)) <= AT_ONCE,
    )
found = workload_of(work, settings)
if found is None or not len(found.tokens):
    st.html('<h1 class="hl-verdict">No request has been replayed yet.</h1>')
    corpus_field()
    st.stop()
workload_headline(found, settings, about, cache_of(listed).name if listed else "")
corpus_field()
workload_view(found, max(0, settings.budget - settings.reserve - settings.overhead), listed)
price_list(settings.model)
