"""Settings sources: every setting, every source, who won and why; and what another value would do."""

import streamlit as st

from historylab.ui import state
from historylab.ui.components.refusals import problem
from historylab.ui.components.source_table import source_table
from historylab.ui.components.what_if import what_if
from historylab.ui.page import start_page

start_page("Settings sources")
st.html(
    '<h1 class="hl-verdict">Where every setting comes from</h1>'
    '<div class="hl-cost">The environment comes before you, you before the URL, the URL before the template, and the '
    "template before the default. Each setting decides for itself; a value that cannot be read is passed over.</div>"
)
resolution = state.resolution(what_if=True)
problem()
what_if()
source_table(resolution, state.tried())
