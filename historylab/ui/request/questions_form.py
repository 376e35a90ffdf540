"""The questions that may come later: written by the reader, or ticked among those the conversation could be asked."""

from __future__ import annotations

import streamlit as st

from historylab.chat_models import environment
from historylab.errors import InstrumentError
from historylab.ui.session import choices, model_consent, session, viewing
from historylab.ui.shared.notice import notice
from historylab.wording.untrusted import code_span

KEY, PROPOSED = "questions", "Questions this conversation could be asked"
EXAMPLE = "What was the order number?\nWhich of the two hotels has a lift?"
ABOUT = (
    "About facts a person said once and long ago; which message answers them is known. They quote its words, so "
    "relevance finds it more easily than for a question in your own."
)


def questions_form() -> None:
    """The text area, a box to tick for each question that could be asked, and a model's name to let it propose more."""
    problem = _asked_model()
    questions = viewing.questions()
    asked = "\n".join(question.text for question in questions)
    st.text_area(
        f"Questions, one per line, at most {viewing.MOST_QUESTIONS}",
        asked,
        key=session.seed_widget(KEY, asked),
        placeholder=EXAMPLE,
        height=124,
        on_change=session.hand_value,
        args=(KEY, viewing.set_questions),
    )
    if proposed := viewing.proposed_questions():
        st.html(f'<div class="hl-small">{PROPOSED}</div><div class="hl-meta">{ABOUT}</div>')
        with st.container(key="proposed", gap="xsmall"):
            for number, question in enumerate(proposed):
                _box(f"proposed {number}", question.text, question in questions)
    _model_button()
    if problem:
        notice(problem, "error")


def questions_expander() -> None:
    """The same, folded away under a line that says how many are asked."""
    asked, proposed = len(viewing.questions()), len(viewing.proposed_questions())
    told = f"{asked:,} asked" if asked else f"{proposed:,} suggested" if proposed else "none"
    with st.expander(f"Questions: {told}", key="asked", type="compact"):
        questions_form()


def _asked_model() -> str:
    """Let the model propose questions, if the latest click was for that; what went wrong."""
    model = choices.resolution().settings.model
    if model_consent.proposals_wanted(model):
        with st.spinner(f"{code_span(model)} proposes questions"):
            try:
                model_consent.propose_by_model(viewing.current_file().conversation, model)
            except InstrumentError as refusal:
                return str(refusal)
    return ""


def _model_button() -> None:
    """A button that names the model and its server, where the environment has a key or a server."""
    model = choices.resolution().settings.model
    if environment.ENVIRONMENT.is_set_up:
        st.button(
            f"Let {code_span(model)} at {code_span(environment.display_host())} propose some",
            key="propose",
            on_click=model_consent.request_questions,
            args=(environment.model_and_host(model),),
            help="Sends the earlier messages as text, once, with this server's key, which is never shown.",
        )


def _box(key: str, text: str, ticked: bool) -> None:
    session.seed_widget(key, ticked)
    st.checkbox(
        code_span(text, viewing.LONGEST_QUESTION),
        ticked,
        key=key,
        on_change=session.hand_value,
        args=(key, lambda yes: viewing.ask_question(text, yes=yes)),
    )
