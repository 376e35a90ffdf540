"""The frame of HistoryLab's screens: which pages there are.

It prepares nothing, because a page first opened by its link runs without it. The pages have no icons here: Streamlit
would fetch a Material icon for the browser tab from the network.
"""

import streamlit as st

from historylab.ui.shared.page import PAGES

FIRST = next(iter(PAGES))

st.navigation(
    [st.Page(f"pages/{name}.py", title=title, default=name == FIRST) for name, title in PAGES.items()],
    position="hidden",
).run()
