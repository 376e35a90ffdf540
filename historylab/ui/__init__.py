"""The screens, a folder per page: the only room that knows Streamlit, besides app.py and pages/.

Screens draw plans and timelines; they decide nothing. They follow rules that Streamlit taught us, each with the test
that shows it (docs/streamlit.md).

**In the browser.** What moves with the request is drawn by scripts of our own: the map (`figures/browser`), the token
chart and the list of messages. `shared/browser` joins each script with what it uses of the shared ones: one clock for
the page says which request is shown, whether it plays and how far the map is zoomed; timelines and texts are kept by
their keys; and what is drawn is made and ended in one way. Python sends bytes, numbers and finished sentences; no
script decides what becomes of a message. The HTML report holds the map's scripts as one, the same in every report, and
its content security policy names that one by its hash.

**The landing** is a link of ours, followed where neither a link nor a tab says what to show. So the settings of its
story have a source like any other, and go with its conversation.

**Trying** has two meanings. The tab Sources resolves other texts beside those in effect, and changes
nothing. *Try it* chooses values, and keeps what it replaced until that is undone.
"""
