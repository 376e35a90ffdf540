"""The frame of HistoryLab's screens: which pages there are.

It prepares nothing, because a page first opened by its link runs without it. The pages have no icons here: Streamlit
would fetch a Material icon for the browser tab from the network.
"""

import streamlit as st

st.navigation(
    [
        st.Page("pages/playground.py", title="Playground", default=True),
        st.Page("pages/compare.py", title="Compare", url_path="compare"),
        st.Page("pages/tune.py", title="Tune", url_path="tune"),
        st.Page("pages/corpus.py", title="Corpus", url_path="corpus"),
        st.Page("pages/settings.py", title="Settings sources", url_path="settings"),
    ],
    position="hidden",
).run()
