"""Settings sources: every setting, every source, who won and why; and what another value would do."""

import streamlit as st

from historylab.ui.session import choices
from historylab.ui.shared.page import start_page
from historylab.ui.shared.refusals import show_problem
from historylab.ui.sources.source_table import source_table
from historylab.ui.sources.strict_environment import strict_environment
from historylab.ui.sources.what_if import what_if

start_page("settings")
st.html(
    '<h1 class="hl-verdict">Where every setting comes from</h1>'
    '<div class="hl-cost">The environment comes before you, you before the URL, the URL before the template, and the '
    "template before the default. Each setting is decided on its own; a value that cannot be read is skipped.</div>"
)
resolution = choices.resolution(what_if=True)
show_problem()
strict_environment(resolution)
what_if()
source_table(resolution, choices.tried_values())
