"""Improve: settings that do better than yours, or than what was really sent, on the open conversations."""

import streamlit as st

from historylab.tuning.constraints import read_constraints
from historylab.ui.request.questions_form import questions_expander
from historylab.ui.session import cached, choices, opening, session, viewing
from historylab.ui.session.shown_timeline import timeline_on_screen
from historylab.ui.settings.settings_sidebar import settings_sidebar
from historylab.ui.settings.system_choice import describe_system
from historylab.ui.shared.no_requests import no_requests
from historylab.ui.shared.page import start_page
from historylab.ui.shared.refusals import refusals
from historylab.ui.shared.replay_errors import replay_errors_shown
from historylab.ui.shared.work_progress import work_progress
from historylab.ui.toolbar.conversation_bar import conversation_bar
from historylab.ui.tune.advice_card import advice_card, picked_trial
from historylab.ui.tune.candidate_buttons import changed_settings, compare_button, export_these, use_button
from historylab.ui.tune.constraints_form import constraints_form
from historylab.ui.tune.frontier_view import frontier_view
from historylab.ui.tune.search_form import search_form
from historylab.ui.tune.sensitivity_view import sensitivity_view
from historylab.ui.tune.settings_search import find_advice, know_what_was_sent, make_search, may_beat_others
from historylab.ui.tune.thresholds_view import thresholds_view
from historylab.ui.tune.why_view import help_buttons, why_view

start_page("tune")
conversation = opening.conversation()
everywhere = session.tab().tuning.everywhere
resolution = choices.resolution(recorded=not everywhere)  # one set of settings for all conversations
searched = viewing.current_file().conversations if everywhere else [conversation]
known, free = know_what_was_sent(searched, resolution), may_beat_others(resolution)
system = settings_sidebar(resolution, as_sent=known, trimmers=free)
with replay_errors_shown():
    search = make_search(searched, resolution)
    shown = bool(search.against)
    timeline = (
        timeline_on_screen(conversation, resolution) if shown else cached.timeline(conversation, resolution.settings)
    )
if shown:
    describe_system(system, timeline, conversation)
refusals(resolution)
conversation_bar(conversation, timeline, resolution)
if conversation.recorded.textless:
    thresholds_view([each for each in viewing.current_file().conversations if each.recorded.textless])
    st.stop()
if not timeline.plans:
    no_requests("There is nothing to improve. Open another conversation.")
    st.stop()

top = st.container()
folds = st.container(gap="small", key="folds")
with folds:
    beaten = search.beaten if search.against else ""
    wishes = constraints_form(search.prices, marked=search.marked, referring=search.referring, beaten=beaten)
    search_form(search)
    questions_expander()
work = search.work(wishes)
with top, replay_errors_shown():
    work_progress(
        work,
        "search",
        "Trying settings",
        f"Try up to {search.tries:,} settings",
        lambda show: find_advice(search, wishes, work, show),
        at_once=search.is_quick(search.tries),
        count=lambda advice: len(advice.trials),
    )
advice = work.result
if not advice:
    top.html(f'<h1 class="hl-verdict">Settings that do better than {search.beaten}, if there are any: try some.</h1>')
    st.stop()

if advice.verdict == "better":  # for Compare
    choices.remember_recommendation(conversation.digest, changed_settings(search, advice.chosen.settings))
picked = picked_trial(advice)
undecided = advice.verdict == "too little to tell" and picked is advice.trials[0]
with top:
    with advice_card(advice, picked):
        if undecided:
            help_buttons(advice)
        else:
            use_button(search, picked, advised=picked is advice.advised)
        export_these(search, conversation, picked)
    why_view(advice, picked, read_constraints(wishes).cache, lambda: compare_button(search, picked))
    frontier_view(advice, picked)
if picked.is_ours:  # whose settings nobody knows
    with folds:
        sensitivity_view(search, advice, picked)
